"""What kustomize builds is counted, once: each overlay that no other uses, with replicas and patches."""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from gpuxlate.model.kept import forget
from tests.effort import tries
from tests.overlays.apps import Files, build, cases, files_of, needs_kubectl, objects, operations, written
from tests.running import run

CASES = cases("counted.yaml")
OTHERS = ("a file that no kustomization uses",)
"""Counted, and not built."""


def counted(*arguments: str, stdin: bytes = b"") -> tuple[list[Any], Any]:
    """The items that inspect counts, and all that it says."""
    done = run("inspect", *arguments, "-o", "json", stdin=stdin)
    assert done.code == 0, done.err.decode()
    data = json.loads(done.out)
    return data["items"], data


def short(items: list[Any]) -> list[str]:
    """Namespace and name, MiB, replicas."""
    return sorted(
        f"{one['namespace'] + '/' if one['namespace'] else ''}{one['name']} "
        f"{one['share'] and one['share']['memoryMiB']} x{one['replicas']}"
        for one in items
    )


@pytest.mark.parametrize("title", CASES["counted"])
def test_what_is_built_is_counted_once(title: str, tmp_path: Path) -> None:
    case = CASES["counted"][title]
    items, data = counted(str(written(tmp_path, case["files"])))
    assert short(items) == sorted(case["counted"])
    assert data["leftovers"] == []


@pytest.mark.parametrize("title", CASES["left"])
def test_what_cannot_be_read_is_said(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES["left"][title]
    monkeypatch.chdir(written(tmp_path, case["files"]))
    items, data = counted(".")
    assert short(items) == sorted(case["counted"])
    [left] = data["leftovers"]
    assert [f"{left['file']}:{left['line']}", left["message"]] == case["left"]
    assert "kubectl kustomize" in left["hint"]
    assert left["message"] in run("parse", ".").err.decode() or "this file is a patch" in left["message"]


@pytest.mark.parametrize("title", CASES["wrong"])
def test_findings_are_at_the_value(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(written(tmp_path, CASES["wrong"][title]["files"]))
    done = run("parse", ".")
    assert done.code == 1
    assert re.findall(r" --> (\S+)", done.err.decode()) == [CASES["wrong"][title]["at"]]
    assert done.err.count(b"error[") == 1


def test_a_base_outside_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(written(tmp_path, CASES["counted"]["a patch of a share"]["files"]))
    items, _ = counted("over")
    assert [(one["file"], one["kustomization"]) for one in items] == [("base/w.yaml", "over")]
    assert short(items) == short(counted("over/kustomization.yaml")[0]) == ["web 8192 x1"]
    assert short(counted("base")[0]) == short(counted("base/w.yaml")[0]) == ["web 4096 x1"]


@pytest.mark.parametrize("title", [title for title in CASES["counted"] if title not in OTHERS])
def test_one_build_by_its_folder(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``-k`` of each build counts what the folder of all counts of it."""
    monkeypatch.chdir(written(tmp_path, CASES["counted"][title]["files"]))
    items, _ = counted(".")
    for folder in {one["kustomization"] for one in items}:
        assert short(counted("-k", folder)[0]) == short(
            [one for one in items if one["kustomization"] == folder]
        )


@pytest.mark.parametrize("title", CASES["left"])
def test_what_cannot_be_built_is_refused(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(written(tmp_path, CASES["left"][title]["files"]))
    folder = next((one for one in ("over", "part", "a") if Path(one).exists()), "")
    for command in ("inspect", "lint"):
        done = run(command, "-k", folder)
        assert (done.code, done.out) == (1, b"")
        assert f"kubectl kustomize {folder} | gpuxlate {command} -\n" in done.err.decode()


QGPU = "tke.cloud.tencent.com/qgpu-"
JUDGED = {
    "a patch corrects the base": ({QGPU + "core": 30}, {QGPU + "memory": 5}, []),
    "a patch makes it wrong": (
        {QGPU + "core": 30, QGPU + "memory": 5},
        {QGPU + "memory": None},
        ["base/w.yaml"],
    ),
    "a patch has a wrong value": ({QGPU + "core": 30}, {QGPU + "memory": 1.5}, ["over/p.yaml"]),
    "the base is wrong": ({QGPU + "core": 30}, {}, ["base/w.yaml"]),
}
"""Limits of a base and of a patch, and the files of the errors of ``lint -k``."""


@pytest.mark.parametrize("title", JUDGED)
def test_lint_judges_what_is_built(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base, patch, expected = JUDGED[title]
    both = {"base/w": f"web {json.dumps(base)}", "over/p": f"web {json.dumps(patch)}" if patch else "web -"}
    monkeypatch.chdir(written(tmp_path, files_of(CASES["default"], both)["files"]))
    done = run("lint", "-k", "over", "-o", "json")
    found = json.loads(done.out)["diagnostics"]
    assert [one["file"] for one in found if one["severity"] == "error"] == expected
    assert done.code == bool(expected)


def test_translate_writes_the_files_of_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = {"base/w": "web 4", "more/w": "b 2"}
    monkeypatch.chdir(written(tmp_path, files_of(CASES["default"], both)["files"]))
    before = counted("-k", "over")[0]
    assert run("translate", "-k", "over", "--to", "hami", "-i").code == 0
    forget()
    after = counted("-k", "over")[0]
    assert [one["target"] for one in after] == ["hami"]
    assert [one["share"] for one in after] == [one["share"] for one in before]
    assert "aliyun.com" in Path("more/w.yaml").read_text()


def test_others_of_the_files_are_looked_for_within_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is written: what is not looked at may be built of the same files."""
    monkeypatch.chdir(written(tmp_path, files_of(CASES["default"], {"base/w": "web 4"})["files"]))
    before = Path("base/w.yaml").read_bytes()
    monkeypatch.setattr("gpuxlate.overlays.run_builds.MAX_BASE_FILES", 0)
    done = run("translate", "-k", "over", "--to", "hami", "-i")
    assert (done.code, Path("base/w.yaml").read_bytes()) == (1, before)
    assert b"the repository has too many folders to search" in done.err
    assert b"name the folder of all kustomizations" in done.err


def test_every_command_counts_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two overlays of one base: 2 replicas of 8 GiB, and one of 4 GiB, on cards of 20 GiB."""
    replicas = {"over/": {"replicas": [{"name": "web", "count": 2}]}, "two/": {"resources": ["../base"]}}
    monkeypatch.chdir(written(tmp_path, files_of(CASES["default"], replicas)["files"]))
    Path("hami.profile").write_text("target: hami\ncards: {perNode: 1, memoryMiB: 20480}\n")
    plan = json.loads(run("plan", ".", "--to", "hami", "--profile", "hami.profile", "-o", "json").out)
    assert [(one["pods"], one["cards"]) for one in plan["targets"]] == [(3, 1)]
    assess = json.loads(run("assess", ".", "--to", "tke", "--fill", "cores=30", "-o", "json").out)
    found = [(one["verdict"], one["share"]["memoryMiB"]) for one in assess["items"]]
    assert found == [("filled", 8192), ("filled", 4096)]
    shares = json.loads(run("parse", ".", "-o", "json").out)["items"]
    found = [(one["metadata"]["name"], one["spec"]["memoryMiB"]) for one in shares]
    assert found == [("web", 8192), ("web-2", 4096)]


def details(items: list[Any]) -> Counter[str]:
    """Items without the places that they are written at."""
    return Counter(
        json.dumps({name: one[name] for name in one if name not in ("file", "kustomization")}, sort_keys=True)
        for one in items
    )


def as_built(folders: Iterable[Path]) -> Counter[str] | None:
    """The items of what kubectl builds, given as one stream; None where it refuses."""
    texts = [build(folder) for folder in folders]
    if None in texts:
        return None
    stream = "---\n".join(["kind: List\n", *(text for text in texts if text)])
    return details(counted("-", stdin=stream.encode())[0])


@needs_kubectl
@pytest.mark.parametrize("title", [title for title in CASES["counted"] if title not in OTHERS])
def test_kubectl_builds_the_same(title: str, tmp_path: Path) -> None:
    items, _ = counted(str(written(tmp_path, CASES["counted"][title]["files"])))
    assert details(items) == as_built({Path(one["kustomization"]) for one in items})


@st.composite
def applications(draw: st.DrawFn) -> tuple[Files, tuple[str, ...]]:
    """A base, one or two overlays with a patch each, perhaps by a component; and the builds."""
    kind = draw(st.sampled_from(["Deployment", "StatefulSet", "CronJob", "Rollout"]))
    files: Files = {
        "base/kustomization.yaml": {"resources": ["w.yaml"]},
        "base/w.yaml": draw(objects(kind, "one", part=False)),
    }
    names = draw(st.sampled_from([("a",), ("a", "b")]))
    below = "../base"
    for name in names:
        patch = draw(st.one_of(objects(kind, "one", part=True), operations(kind)))
        files[f"{name}/p.yaml"] = patch
        listed = {"path": "p.yaml", **({"target": {"kind": kind}} if isinstance(patch, list) else {})}
        more = [
            {},
            {"namePrefix": f"{name}-"},
            {"namespace": name},
            {"replicas": [{"name": "one", "count": 7}]},
        ]
        fields = {"resources": [below], "patches": [listed], **draw(st.sampled_from(more))}
        files[f"{name}/kustomization.yaml"] = fields
        below = draw(st.sampled_from(["../base", f"../{name}"]))
    above = files[f"{names[-1]}/kustomization.yaml"]["resources"] != ["../base"]
    return files, names[-1:] if above else names


@needs_kubectl
@tries(60)
@given(applications())
def test_drawn_applications_are_counted_as_they_are_built(drawn: tuple[Files, tuple[str, ...]]) -> None:
    files, roots = drawn
    with tempfile.TemporaryDirectory() as folder:
        root = written(Path(folder), files)
        items, data = counted(str(root))
        expected = as_built(root / name for name in roots)
        if expected is None:
            event("kustomize refuses")
            return
        unknown = [one["message"] for one in data["leftovers"] if "not counted" in one["message"]]
        event(f"counted: {not unknown} {''.join(unknown[:1])}")
        if unknown:  # what is not known is said, and nothing is counted wrong
            assert details(items) <= expected
        else:
            assert details(items) == expected
