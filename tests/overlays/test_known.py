"""Which bases a patch has, and what is said where they are not known."""

import os
import re
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import event, given
from hypothesis import strategies as st

from gpuxlate.model import limits
from gpuxlate.model.kept import forget
from gpuxlate.model.pod import PodKeys
from gpuxlate.overlays import kustomize
from gpuxlate.overlays.parts import OverlayPod
from gpuxlate.overlays.patch_targets import Identity, UnknownError, compile_target
from tests.effort import tries
from tests.overlays import apps
from tests.overlays.apps import Files, build, cases, files_of, needs_kubectl, objects, operations, written
from tests.running import run

CASES = cases("known.yaml")
KNOWN, UNKNOWN = CASES["known"], CASES["unknown"]
UNKNOWN["too deep"] = files_of(
    CASES["default"],
    {
        "over/": {"resources": ["../d0"]},
        **{f"d{n}/": {"resources": [f"../d{n + 1}"]} for n in range(limits.MAX_LAYERS)},
        f"d{limits.MAX_LAYERS}/": {"resources": ["../base"]},
        "why": "nested too deep",
    },
)
OF_OPERATIONS = {"over/": {"patches": [{"path": "p.yaml", "target": {"kind": "Deployment"}}]}}
DEEP = {"op": "add", "path": "/a", "value": yaml.safe_load("{a: " * 200 + "0" + "}" * 200)}
for title, listed, why in (
    ("a path that is too deep", [{"op": "add", "path": "/a" * limits.MAX_DEPTH, "value": 1}], "can be read"),
    ("copies below one another", [DEEP, {"op": "copy", "from": "/a", "path": "/a" * 200}], "nested deeper"),
    (
        "copies of copies",
        [
            {"op": "add", "path": "/a", "value": {}},
            *({"op": "copy", "from": "/a", "path": f"/a/{number}"} for number in range(20)),
        ],
        "copies more than 10000 values",
    ),
):
    UNKNOWN[title] = files_of(CASES["default"], {**OF_OPERATIONS, "over/p": listed, "why": why})
SEVERAL, COMPONENT = KNOWN["one of several objects"], KNOWN["a component"]
NOT_BUILT = {
    "a later patch of the same": "what kustomize builds has more than the patch",
    "a later field of the same": "what kustomize builds has more than the patch",
    "what else is there does not matter to a name": "kustomize would ask the network",
}


def over(**case: Any) -> Files:
    """The files of an overlay: ``over_p`` is over/p, ``over_`` its kustomization."""
    found: Files = files_of(CASES["default"], {k.replace("_", "/"): v for k, v in case.items()})["files"]
    return found


def bases_of_patch(root: Path) -> list[OverlayPod]:
    """Those of the patch over/p.yaml, read anew."""
    forget()
    return list(apps.bases_in(root / "over" / "p.yaml"))


def memory(keys: PodKeys) -> str:
    limits = [value for one in keys.containers for name, value in one.limits.items() if name == apps.MEMORY]
    return "".join(value.text for value in limits)


@pytest.mark.parametrize("title", KNOWN)
def test_bases_that_are_known(title: str, tmp_path: Path) -> None:
    found = bases_of_patch(written(tmp_path, KNOWN[title]["files"]))
    assert [one.unknown for one in found] == [None] * len(found)
    assert [memory(layer.base.keys) for one in found for layer in one.bases] == KNOWN[title]["known"]


def test_bases_that_are_not_known(tmp_path: Path) -> None:
    wrong = {}
    for number, (title, case) in enumerate(UNKNOWN.items()):
        found = bases_of_patch(written(tmp_path / str(number), case["files"]))
        why = [one.unknown for one in found if one.unknown]
        layers = any(one.bases for one in found if one.unknown)
        if layers or not any(re.search(case["why"], one) for one in why):
            wrong[title] = (why, layers)
    assert wrong == {}


@needs_kubectl
@pytest.mark.parametrize("title", [title for title in KNOWN if title not in NOT_BUILT])
def test_kustomize_builds_the_same(title: str, tmp_path: Path) -> None:
    root = written(tmp_path, KNOWN[title]["files"])
    users = [root / one for one in ("x", "y", "y/z", "over") if (root / one / "kustomization.yaml").exists()]
    built = [keys for one in users for keys in apps.pods_of(build(one) or "").values()]
    assert built
    after = [keys for one in bases_of_patch(root) for _, _, keys in apps.keys_after(one)]
    assert [keys for keys in after if keys not in built] == []


def test_links_lead_nowhere_else(tmp_path: Path) -> None:
    """A repository may come from somebody else: what is outside of it is not read through a link."""
    outside, root = written(tmp_path / "outside", over()), written(tmp_path / "root", over())
    (root / "base").rename(root / "real")
    (root / "base").symlink_to(outside / "base")
    assert [one.unknown for one in bases_of_patch(root)] == ["../base is not a file or folder here"]
    (root / "base").unlink()
    (root / "base").symlink_to(root / "real")
    assert [one.unknown for one in bases_of_patch(root)] == [None]


def test_what_is_read_kept_and_searched_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wide: Files = {f"base/w{n}.yaml": apps.workload(f"n{n}", "5") for n in range(9)}
    wide["base/kustomization.yaml"] = {"resources": [Path(one).name for one in wide]}
    for number, (limit, most, files, why) in enumerate(
        (
            ("MAX_BASE_FILES", 8, {**over(), **wide}, "what it patches is too large to be read"),
            ("MAX_ENTRIES", 1, SEVERAL["files"], "the kustomization has too many objects"),
            ("MAX_BASE_FILES", 1, COMPONENT["files"], "the repository has too many folders to search"),
        )
    ):
        with monkeypatch.context() as patched:
            patched.setattr(limits, limit, most)
            assert [one.unknown for one in bases_of_patch(written(tmp_path / str(number), files))] == [why]


@pytest.mark.parametrize("command", ["lint", "translate --to tke -i --fill cores=10", "inspect"])
@pytest.mark.parametrize("target", ["kind: Deployment", "labelSelector: '!none'"])
def test_patches_times_objects_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, target: str
) -> None:
    """Each patch for every object: more work than text. A repository below the limit is read."""
    patches = [{"path": "p.yaml", "target": yaml.safe_load(target)}]
    above = {"resources": ["../base", "w.yaml"], "patches": patches}
    files = over(over_=above, over_w="a 5 --- b 5 --- c 5 --- d 5")
    root = written(tmp_path, files)
    [below] = bases_of_patch(root)
    assert (below.unknown, len(below.bases)) == (None, 5)
    before = {one: (root / one).read_bytes() for one in files}
    monkeypatch.setattr(limits, "MAX_PATCHED", 600)
    forget()
    ran = run(*command.split(), str(root))
    said = (ran.out + ran.err).decode()
    assert "error[GX025]: limit exceeded: patches times objects of more than 600 nodes" in said
    assert f"{root}/over/p.yaml:1:1" in said
    assert ran.code == 1
    assert {one: (root / one).read_bytes() for one in files} == before


def test_patches_that_name_their_objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the name in the patch, or in its target: no look at all others, whatever their number."""
    monkeypatch.setattr(kustomize, "_LOOKS", 30)
    names = "abcdefghij"
    objects = apps.text_of(" --- ".join(f"{one} 5" for one in names))
    named = [{"path": f"{one}.yaml", "target": {"kind": "Deployment", "name": one}} for one in names]
    files = {
        "kustomization.yaml": {"resources": ["w.yaml"], "patches": [{"path": "p.yaml"}, *named]},
        "w.yaml": objects,
        "p.yaml": objects,
        **{f"{one}.yaml": apps.workload("web", "4") for one in names},
    }
    root = written(tmp_path, files)
    found = [one for name in ("p", *names) for one in apps.bases_in(root / f"{name}.yaml")]
    assert [(one.unknown, len(one.bases)) for one in found] == [(None, 1)] * 20


def test_components_that_include_one_another_often(tmp_path: Path) -> None:
    """Each twice the one below: 2 to the power of their number."""
    deep = limits.MAX_LAYERS - 2
    files = {
        **over(over_={"components": ["../c0"]}),
        **{
            f"c{n}/kustomization.yaml": {"kind": "Component", "components": [f"../c{n + 1}"] * 2}
            for n in range(deep)
        },
        f"c{deep}/kustomization.yaml": {"kind": "Component"},
    }
    begun = time.monotonic()
    [found] = bases_of_patch(written(tmp_path, files))
    assert found.unknown == "what it patches is too large to be read"
    assert time.monotonic() - begun < 20


def test_a_repository_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the working folder."""
    root = written(tmp_path, COMPONENT["files"])
    (root / ".git" / "HEAD").unlink()
    (root / ".git").rmdir()
    assert [one.unknown for one in bases_of_patch(root)] == ["no kustomization includes its component"]
    monkeypatch.chdir(root)
    [found] = bases_of_patch(root)
    assert [memory(one.base.keys) for one in found.bases] == ["8"]
    assert os.getcwd() == str(root)


# --- targets ------------------------------------------------------------------------------------------

WEB = Identity(
    "apps", "v1", "Deployment", (("web", ""), ("a-web", "b")), {"app": "web", "tier": "x"}, {"n": ""}
)
TARGETS = yaml.safe_load("""
matching:
  [{}, {kind: Deployment}, {kind: Deployment|StatefulSet}, {group: apps, version: v1}, {name: web},
   {name: a-.*}, {name: "w[a-f]b"}, {name: ^web$}, {name: (api|web)}, {name: "web-?"},
   {namespace: default}, {namespace: b}, {labelSelector: app=web}, {labelSelector: "app==web,tier"},
   {labelSelector: "app = web , tier in (x, y)"}, {labelSelector: none!=web},
   {labelSelector: tier notin (y)}, {annotationSelector: n}]
others:
  [{kind: Deploy}, {group: batch}, {name: b}, {namespace: c}, {labelSelector: app!=web},
   {labelSelector: "!app"}, {annotationSelector: n=a}]
not read:
  [{name: (a+)+b}, {name: (a|a)*}, {name: .*.*.*.*x}, {name: "a{1000}"}, {name: "(?i)a"}, {name: (},
   {name: a|b|c|d|e|f|g|h|i|j|k|l}, {name: \\d+}, {labelSelector: a b}, {labelSelector: "a,,b"},
   {labelSelector: a in b}]
""")


def test_targets() -> None:
    found = {
        what: [one for one in TARGETS[what] if compile_target(one)(WEB)] for what in ("matching", "others")
    }
    assert found == {"matching": TARGETS["matching"], "others": []}
    for target in (*TARGETS["not read"], {"name": "a" * 300}):
        with pytest.raises(UnknownError):
            pytest.fail(f"{target} is read: {compile_target(target)}")


def test_patterns_take_no_time() -> None:
    one = WEB._replace(names=(("a" * 253, ""),))
    begun = time.monotonic()
    for text in (".*.*.*", "a*a*a*b", "(a|a|a)(a|a|a)(a|a|a).*b", "[a-z]+[a-z]+[a-z]+-"):
        compile_target({"name": text})(one)
    assert time.monotonic() - begun < 5


# --- drawn --------------------------------------------------------------------------------------------


@st.composite
def applications(draw: st.DrawFn) -> tuple[Files, str]:
    """A base of two workloads, perhaps patched, and one more patch in an overlay or a component."""
    kind = draw(st.sampled_from([*apps.KINDS, "Deployment", "Deployment"]))
    files: Files = {
        "base/w.yaml": tuple(
            draw(objects(*one, part=False)) for one in ((kind, "one"), ("StatefulSet", "two"))
        )
    }

    def patches(path: str) -> dict[str, Any]:
        target: dict[str, Any] = {}
        if draw(st.booleans()):
            files[path] = draw(objects(kind, "one", part=True))
            if draw(st.booleans()):
                target = {"target": {"kind": kind, "name": "o.*"}}
        else:
            files[path] = draw(operations(kind))
            target = {"target": {"kind": kind}}
        return {"patches": [{"path": "p.yaml", **target}]}

    more = [{}, {"namePrefix": "x-"}, {"commonAnnotations": {"example.com/a": "b"}}]
    below = patches("base/p.yaml") if draw(st.booleans()) else {}
    base = {"resources": ["w.yaml"], **below, **draw(st.sampled_from(more))}
    component = draw(st.booleans())
    path = "part/p.yaml" if component else "over/p.yaml"
    last = patches(path)
    over = {"resources": ["../base"], **({"components": ["../part"]} if component else last)}
    if component:
        files["part/kustomization.yaml"] = {**apps.COMPONENT_HEAD, **last}
    return {**files, "base/kustomization.yaml": base, "over/kustomization.yaml": over}, path


@needs_kubectl
@tries(60)
@given(applications())
def test_a_part_over_its_base_is_what_is_built(drawn: tuple[Files, str]) -> None:
    files, patch = drawn
    with tempfile.TemporaryDirectory() as folder:
        root = written(Path(folder), files)
        text = build(root / "over")
        found = list(apps.bases_in(root / patch))
        event("built" if text else "refused")
        if text is None:
            return
        built = apps.pods_of(text)
        names = {name.removeprefix("x-"): name for _, name, _ in built}
        for one in found:
            event(f"known: {one.unknown is None} {one.unknown or ''}")
            for kind, name, keys in apps.keys_after(one):
                assert keys == built[kind, names[name], keys.path]
