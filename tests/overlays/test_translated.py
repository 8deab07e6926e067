"""A translated application builds what the translation of the built one is: overlays with the real tool.

For tests/overlays/ (beside apps.py). ``gpuxlate translate -i`` on the folder, then ``kubectl kustomize``;
and ``kubectl kustomize``, then ``gpuxlate translate -``.
"""

import tempfile
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import event, given
from hypothesis import strategies as st

from tests.effort import tries, turn
from tests.overlays import apps
from tests.overlays.apps import Files, build, cases, files_of, needs_kubectl, workload, written
from tests.running import run

ACK, VKE = "alibaba-gpushare", "volcengine-mgpu"
CASES = cases("translated.yaml")
LESS = ["--round=up", "--drop=cores,policy,qos,selector"]
MORE = [*LESS, "--fill=cores=30", "--fill=memoryMiB=8192"]


def tidy(value: Any) -> Any:
    """Without empty mappings, which ask for nothing and which a translation removes; variables by name."""
    if isinstance(value, dict):
        made = {name: tidy(one) for name, one in value.items()}
        if made.get("env"):
            made["env"] = sorted(made["env"], key=itemgetter("name"))
        return {name: one for name, one in made.items() if one not in ({}, None)}
    return [tidy(one) for one in value] if isinstance(value, list) else value


def check(source: str, target: str, files: Files, allow: bool, options: Sequence[str] = MORE) -> str:
    """build(translate(app)) is translate(build(app)), or a leftover or refusal says why not."""
    with tempfile.TemporaryDirectory() as folder:
        root = written(Path(folder), files)
        text = build(root / "over")
        if text is None:
            return "kustomize refuses"
        whole = run("translate", "-", "--from", source, "--to", target, *options, stdin=text.encode())
        done = run("translate", str(root), "--from", source, "--to", target, *options, "-i")
        if done.code:
            assert allow, done.err.decode()
            return "refused"
        assert whole.code == 0, whole.err.decode()
        built = build(root / "over")
        assert built is not None
        assert tidy(list(yaml.safe_load_all(built))) == tidy(list(yaml.safe_load_all(whole.out)))
        return "translated"


def as_component(files: Files) -> Files:
    """The patches of the overlay in a component that it includes."""
    patches = {field: one for field, one in files["over/kustomization.yaml"].items() if field != "resources"}
    over = {"resources": ["../base"], "components": ["../part"]}
    moved = {name.replace("over/", "part/"): one for name, one in files.items()}
    named = {"part/kustomization.yaml": {**apps.COMPONENT_HEAD, **patches}, "over/kustomization.yaml": over}
    return {**moved, **named}


@needs_kubectl
@pytest.mark.parametrize(
    ("title", "place"),
    [
        (title, place)
        for number, title in enumerate(CASES["translated"])
        for place in turn(["overlay", "component"], number)
    ],
)
def test_the_table(title: str, place: str) -> None:
    case = CASES["translated"][title]
    files = as_component(case["files"]) if place == "component" else case["files"]
    check(case.get("from", ACK), case.get("to", VKE), files, False, case.get("options", MORE))


def test_what_the_patch_does_not_complete_stays_in_the_base(tmp_path: Path) -> None:
    root = written(tmp_path, CASES["translated"]["compute of one of two containers"]["files"])
    assert run("translate", str(root), "--to", VKE, "-i").code == 0
    assert "mgpu-core: 20" in (root / "base/w.yaml").read_text()
    assert "mgpu-core: 20" not in (root / "over/p.yaml").read_text()


def workloads(*, part: bool) -> st.SearchStrategy[str]:
    null = st.none() if part else st.nothing()
    values = {apps.MEMORY: [4, 8, 16], "aliyun.com/gpu-core.percentage": [20, 30]}
    drawn = {name: st.sampled_from(numbers) | null for name, numbers in values.items()}
    limits = st.fixed_dictionaries({}, optional={**drawn, "cpu": st.just(1)})
    resources = st.fixed_dictionaries({"limits": limits})
    one = st.fixed_dictionaries({"name": st.sampled_from(["web", "side"]), "resources": resources})
    found = st.lists(one, min_size=1, max_size=2, unique_by=lambda one: str(one["name"]))
    return found.map(lambda some: workload("web", "-", apps.template(some)))


@needs_kubectl
@tries(40)
@given(
    workloads(part=False),
    workloads(part=True) | apps.operations("Deployment"),
    st.sampled_from([VKE, "tencent-qgpu"]),
    st.booleans(),
    st.sampled_from([MORE, LESS]),
)
def test_drawn_applications(
    base: str, patch: Any, target: str, component: bool, options: Sequence[str]
) -> None:
    by = {"target": {"kind": "Deployment"}} if isinstance(patch, list) else {}
    over = {"patches": [{"path": "p.yaml", **by}]}
    files = files_of(CASES["default"], {"base/w": base, "over/p": patch, "over/": over})["files"]
    event(check(ACK, target, as_component(files) if component else files, True, options))


# --- what is not translated ------------------------------------------------------------------------

LEFT = cases("left.yaml")["left"]


@pytest.mark.parametrize("title", LEFT)
def test_a_patch_that_is_left_says_why(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its place, and nothing is written."""
    case = LEFT[title]
    monkeypatch.chdir(written(tmp_path, case["files"]))
    before = {path: Path(path).read_text() for path in case["files"]}
    done = run("translate", ".", "--to", case["to"], "-i", *case.get("options", []))
    assert done.code == 1
    assert case["why"] in done.err.decode()
    assert "over/p.yaml:" in done.err.decode()
    assert {path: Path(path).read_text() for path in before} == before


def test_a_patch_whose_object_is_not_in_the_run_may_be_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It follows as soon as its object can be translated, so ``--allow-leftovers`` makes it a warning."""
    title = next(title for title in LEFT if LEFT[title]["why"].endswith("patches is not translated"))
    monkeypatch.chdir(written(tmp_path, LEFT[title]["files"]))
    for options, severity in (((), "error"), (("--allow-leftovers",), "warning")):
        said = run("translate", "over/p.yaml", "--to", LEFT[title]["to"], "--check", *options).err.decode()
        assert f"{severity}[GX026]: {LEFT[title]['why']}" in said
