"""Which bases a patch has, and what is said where they are not known."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from gpuxlate.inputs import patch_work
from gpuxlate.inputs.kustomization import tree
from gpuxlate.inputs.selectors import Identity, SelectorError, selector
from gpuxlate.manifest.patches import laid_over, strangers
from gpuxlate.model import limits
from gpuxlate.model.pod import PodKeys
from tests.overlays.apps import Files, bases_in, build, keys_after, needs_kubectl, pods_of, written
from tests.running import run

KEY = "aliyun.com/gpu-mem"
HEAD = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n"
ROLLOUT = HEAD.replace("apps/v1", "argoproj.io/v1alpha1").replace("Deployment", "Rollout")
COMPONENT = "kind: Component\npatches: [{path: p.yaml}]"


def web(memory: int | str = 8, more: str = "", head: str = HEAD) -> str:
    """A workload, or a patch of it."""
    return (
        f"{head}      containers:\n      - {{name: web, resources: {{limits: {{{KEY}: {memory}}}}}}}\n"
        f"{more and f'      - {more}'}\n"
    )


def other(name: str) -> str:
    return web(5).replace("name: web}", f"name: {name}}}", 1)


LIMITS = "/spec/template/spec/containers/0/resources/limits"
SET = f"- {{op: replace, path: {LIMITS}/aliyun.com~1gpu-mem, value: 4}}"
RAY = (
    "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: r}, spec: {workerGroupSpecs: [{template: "
    "{spec: {containers: [{name: w, resources: {limits: {aliyun.com/gpu-mem: 8}}}]}}}]}}"
)
BASE: Files = {"base/kustomization.yaml": "resources: [w.yaml]", "base/w.yaml": web()}
FLAT: Files = {"w.yaml": web(), "over/p.yaml": web(4)}
OVER: Files = {**BASE, "over/p.yaml": web(4)}


def over(text: str = "", *, patch: str = "path: p.yaml", resources: str = "../base", **files: str) -> Files:
    """An overlay with one patch, and more fields or files."""
    kustomization = f"resources: [{resources}]\npatches: [{{{patch}}}]\n{text}"
    return {
        **OVER,
        "over/kustomization.yaml": kustomization,
        **{f"over/{k}.yaml": v for k, v in files.items()},
    }


# by what it shows: the files, and the memory of each base before the patch over/p.yaml
KNOWN: dict[str, tuple[Files, list[str]]] = {
    "a folder": (over(), ["8"]),
    "a file": (over(resources="w.yaml", w=web(7)), ["7"]),
    "bases": (
        {**over(resources=""), "over/kustomization.yaml": "bases: [../base]\npatches: [{path: p.yaml}]"},
        ["8"],
    ),
    "the older field": (
        {**OVER, "over/kustomization.yaml": "resources: [../base]\npatchesStrategicMerge: [p.yaml]"},
        ["8"],
    ),
    "a list of operations": (over(patch="path: p.yaml, target: {kind: Deployment}", p=SET), ["8"]),
    "null for the annotations, with a target": (
        {
            **over(),
            "base/kustomization.yaml": "resources: [w.yaml]\n"
            "patches: [{path: q.yaml, target: {kind: Deployment}}]",
            "base/w.yaml": web().replace("web}", "web, annotations: {aliyun.com/gpu-count: '1'}}", 1),
            "base/q.yaml": "kind: Deployment\napiVersion: apps/v1\nmetadata: {name: web, annotations: null}",
        },
        ["8"],
    ),
    "the older field of operations": (
        {
            **OVER,
            "over/p.yaml": SET,
            "over/kustomization.yaml": "resources: [../base]\n"
            "patchesJson6902:\n- path: p.yaml\n"
            "  target: {group: apps, version: v1, kind: Deployment, name: web}",
        },
        ["8"],
    ),
    "an earlier patch of the same": (
        {
            **over(q=web(3)),
            "over/kustomization.yaml": "resources: [../base]\npatches: [{path: q.yaml}, {path: p.yaml}]",
        },
        ["3"],
    ),
    "a later patch of the same": (
        {
            **over(q=web(3)),
            "over/kustomization.yaml": "resources: [../base]\npatches: [{path: p.yaml}, {path: q.yaml}]",
        },
        ["8"],
    ),
    "an earlier field of the same": (over("patchesStrategicMerge: [q.yaml]", q=web(3)), ["3"]),
    "a later field of the same": (
        over("patchesJson6902: [{path: q.yaml, target: {kind: Deployment}}]", q=SET),
        ["8"],
    ),
    "a patch of the base": (
        {
            **over(),
            "base/kustomization.yaml": "resources: [w.yaml]\npatches: [{path: q.yaml}]",
            "base/q.yaml": web(2),
        },
        ["2"],
    ),
    "a patch within the kustomization of the base": (
        {
            **over(),
            "base/kustomization.yaml": "resources: [w.yaml]\npatches:\n- patch: |-\n    "
            + web(2).replace("\n", "\n    "),
        },
        ["2"],
    ),
    "a name with a prefix": (
        {**over(), "base/kustomization.yaml": "resources: [w.yaml]\nnamePrefix: a-\nnamespace: b"},
        ["8"],
    ),
    "the new name": (
        {
            **over(p=web(4).replace("name: web}", "name: a-web, namespace: b}", 1)),
            "base/kustomization.yaml": "resources: [w.yaml]\nnamePrefix: a-\nnamespace: b",
        },
        ["8"],
    ),
    "several objects": (
        over(resources="../base, w.yaml", patch="path: p.yaml, target: {kind: Deploy.*}", w=other("b")),
        ["8", "5"],
    ),
    "one of several objects": (over(resources="../base, w.yaml", w=other("b")), ["8"]),
    "by a label": (
        over(
            resources="../base, w.yaml",
            patch="path: p.yaml, target: {labelSelector: 'a in (b, c), !d'}",
            w=other("b").replace("{name: b}", "{name: b, labels: {a: c}}"),
        ),
        ["5"],
    ),
    "by a label of the base's kustomization": (
        {
            **over(
                patch="path: p.yaml, target: {labelSelector: a=b}", resources="../base, w.yaml", w=other("b")
            ),
            "base/kustomization.yaml": "resources: [w.yaml]\nlabels: [{pairs: {a: b}}]",
        },
        ["8"],
    ),
    "several documents": (
        over(resources="../base, w.yaml", w=other("b"), p=web(4) + "---\n" + other("b")),
        ["8", "5"],
    ),
    "what else is there does not matter to a name": (over(resources="../base, https://example.com/a"), ["8"]),
    "a component": (
        {
            **OVER,
            "over/kustomization.yaml": COMPONENT,
            "x/kustomization.yaml": "resources: [../base]\ncomponents: [../over]",
        },
        ["8"],
    ),
    "a component of several": (
        {
            **OVER,
            "over/kustomization.yaml": COMPONENT,
            "x/kustomization.yaml": "resources: [../base]\ncomponents: [../over]\npatches: [{path: p.yaml}]",
            "x/p.yaml": web(1),
            "y/z/kustomization.yaml": "resources: [w.yaml]\ncomponents: [../../over]",
            "y/z/w.yaml": web(6),
        },
        ["8", "6"],
    ),
    "a component of a component": (
        {
            **OVER,
            "over/kustomization.yaml": COMPONENT,
            "x/kustomization.yaml": "kind: Component\ncomponents: [../over]",
            "y/kustomization.yaml": "resources: [../base]\ncomponents: [../x]",
        },
        ["8"],
    ),
    "a component's earlier component": (
        {
            **OVER,
            "over/kustomization.yaml": COMPONENT,
            "x/kustomization.yaml": COMPONENT,
            "x/p.yaml": web(1),
            "y/kustomization.yaml": "resources: [../base]\ncomponents: [../x, ../over]",
        },
        ["1"],
    ),
    "a list of another kind that the patch replaces": (
        over(
            resources="w.yaml",
            w=RAY,
            p=RAY.replace("8", "9"),
        ),
        [""],
    ),
}

# by what it shows: the files, and what is said of the base
UNKNOWN: dict[str, tuple[Files, str]] = {
    "no kustomization": (OVER, "no kustomization applies it"),
    "an unused component": (
        {**OVER, "over/kustomization.yaml": COMPONENT},
        "no kustomization includes its component",
    ),
    "a URL": (
        over(resources="https://example.com/base?ref=v1"),
        r"https://example.com/base\?ref=v1 is not a file",
    ),
    "no such folder": (over(resources="../bas"), "../bas is not a file or folder here"),
    "a folder without one": (over(resources="."), "include one another"),
    "an absolute path": (over(resources="/base"), "/base is not a file or folder here"),
    "no such object": (over(p=other("b")), "what it patches is not in the kustomization"),
    "another version": (
        over(p=web().replace("apps/v1", "apps/v2")),
        "what it patches is not in the kustomization",
    ),
    "another namespace": (
        over(p=web().replace("{name: web}", "{name: web, namespace: a}")),
        "what it patches is not in the kustomization",
    ),
    "a chart, and a pattern": (
        over("helmCharts: [{name: a}]", patch="path: p.yaml, target: {kind: Deployment}"),
        "helmCharts in over is not read",
    ),
    "a chart of the base, and a pattern": (
        {
            **over(patch="path: p.yaml, target: {kind: Deployment}"),
            "base/kustomization.yaml": "resources: [w.yaml]\nhelmCharts: []",
        },
        "helmCharts in base is not read",
    ),
    "a transformer of the base": (
        {**over(), "base/kustomization.yaml": "resources: [w.yaml]\nreplacements: []"},
        "replacements in base is not read",
    ),
    "a patch of the base that does not fit": (
        {
            **over(),
            "base/kustomization.yaml": "resources: [w.yaml]\npatches: [{path: q.yaml, target: {name: web}}]",
            "base/q.yaml": "- {op: remove, path: /spec/x}",
        },
        r"operation 0 \(remove /spec/x\) does not apply",
    ),
    "a patch of the base that is not there": (
        {**over(), "base/kustomization.yaml": "resources: [w.yaml]\npatches: [{path: q.yaml}]"},
        "q.yaml is not a file or folder here",
    ),
    "a pattern": (
        over(patch="path: p.yaml, target: {name: '(w+)+'}"),
        r"the pattern \(w\+\)\+ of its target",
    ),
    "a base of Helm templates": ({**over(), "base/w.yaml": "a: {{ b }}: c"}, "base/w.yaml cannot be read"),
    "a cycle": ({**over(), "base/kustomization.yaml": "resources: [../over]"}, "include one another"),
    "a cycle of components": (
        {
            **OVER,
            "over/kustomization.yaml": f"{COMPONENT}\ncomponents: [../over]",
            "x/kustomization.yaml": "resources: [../base]\ncomponents: [../over]",
        },
        "include one another",
    ),
    "too deep": (
        {
            **over(resources="../d0"),
            **{f"d{n}/kustomization.yaml": f"resources: [../d{n + 1}]" for n in range(limits.MAX_LAYERS)},
            f"d{limits.MAX_LAYERS}/kustomization.yaml": "resources: [../base]",
        },
        "nested too deep",
    ),
    "a patch of the base that is no YAML": (
        {**over(), "base/kustomization.yaml": "resources: [w.yaml]\npatches: [{patch: 'a: ['}]"},
        "a patch in the kustomization cannot be read",
    ),
    "a patch of the base that is a text": (
        {
            **over(),
            "base/kustomization.yaml": "resources: [w.yaml]\npatches: [{path: q.yaml, target: {name: web}}]",
            "base/q.yaml": "text",
        },
        "it is no patch",
    ),
    "another type": (over(p=f"{HEAD}      containers: {{a: b}}\n"), "it has another type"),
    "items without a name": (
        over(p=f"{HEAD}      containers: [{{image: a}}]\n"),
        "items of a list in it have no name",
    ),
    "a directive of a list": (
        over(p=f"{HEAD}      containers: [{{$patch: replace}}, {{name: web}}]\n"),
        r"\$patch in it is not read",
    ),
    "another directive": (
        over(p=f"{HEAD}      nodeSelector: {{$retainKeys: [a]}}\n"),
        r"\$retainKeys in it is not read",
    ),
    "null for a mapping": (
        over(p=web(4).replace(f"limits: {{{KEY}: 4}}", f"limits: null, requests: {{{KEY}: 8}}")),
        "it does more than set and delete keys",
    ),
    "a kind of its own": (
        over(resources="w.yaml", w=web(head=ROLLOUT, more="{name: b}"), p=web(4, head=ROLLOUT)),
        "kustomize replaces lists of Rollout as a whole",
    ),
    "null for a key of metadata, with a target": (
        over(
            patch="path: p.yaml, target: {name: web}",
            p=web(4).replace("{name: web}", "{name: web, annotations: {a: null}}", 1),
        ),
        "it does more than set and delete keys",
    ),
    "operations without a target": (over(p=SET), "what it patches is not in the kustomization"),
    "a tested key": (
        over(patch="path: p.yaml, target: {name: web}", p=SET.replace("replace", "test").replace("4", "8")),
        "an operation tests, moves or copies keys",
    ),
    "a container that goes": (
        over(
            patch="path: p.yaml, target: {name: web}",
            p="- {op: add, path: /spec/template/spec/containers/0, value: {name: x}}\n"
            + SET.replace("rs/0", "rs/1"),
        ),
        "an operation adds or removes an item",
    ),
    "a second list of operations": (
        over(patch="path: p.yaml, target: {name: web}", p=f"{SET}\n---\n{SET}"),
        "the first list of operations",
    ),
}


LATER = ("a later patch of the same", "a later field of the same")
"""What kustomize builds has more than the patch."""


def memory(keys: PodKeys) -> str:
    return "".join(value.text for one in keys.containers for name, value in one.limits.items() if name == KEY)


@pytest.mark.parametrize(("files", "expected"), KNOWN.values(), ids=KNOWN)
def test_bases_that_are_known(files: Files, expected: list[str], tmp_path: Path) -> None:
    found = list(bases_in(written(tmp_path, files) / "over" / "p.yaml"))
    assert [one.why for one in found] == [None] * len(found)
    assert [memory(layer.base.keys) for one in found for layer in one.layers] == expected


@pytest.mark.parametrize(("files", "why"), UNKNOWN.values(), ids=UNKNOWN)
def test_bases_that_are_not_known(files: Files, why: str, tmp_path: Path) -> None:
    found = list(bases_in(written(tmp_path, files) / "over" / "p.yaml"))
    assert found
    reasons = [one.why for one in found if one.why]
    assert any(re.search(why, one) for one in reasons)
    assert not any(one.layers for one in found if one.why) or why.endswith("of a file")


@needs_kubectl
@pytest.mark.parametrize(
    "files", [KNOWN[name][0] for name in KNOWN if name not in LATER and "URL" not in name]
)
def test_kustomize_builds_the_same(files: Files, tmp_path: Path) -> None:
    root = written(tmp_path, files)
    if "example.com" in str(files["over/kustomization.yaml"]):
        pytest.skip("kustomize would ask the network")
    users = [root / one for one in ("x", "y", "y/z", "over") if (root / one / "kustomization.yaml").exists()]
    built = [keys for one in users for keys in pods_of(build(one) or "").values()]
    assert built
    for one in bases_in(root / "over" / "p.yaml"):
        for _, _, keys in keys_after(one):
            assert keys in built


def test_links_lead_nowhere_else(tmp_path: Path) -> None:
    """A repository may come from somebody else: what is outside of it is not read through a link."""
    written(tmp_path / "outside", {"base/kustomization.yaml": "resources: [w.yaml]", "base/w.yaml": web()})
    root = written(tmp_path / "root", over())
    for name in ("base/w.yaml", "base/kustomization.yaml"):
        (root / name).unlink()
    (root / "base").rmdir()
    (root / "base").symlink_to(tmp_path / "outside" / "base")
    (found,) = bases_in(root / "over" / "p.yaml")
    assert found.why == "../base is not a file or folder here"
    (root / "base").unlink()
    written(root, {"real/kustomization.yaml": "resources: [w.yaml]", "real/w.yaml": web()})
    (root / "base").symlink_to(root / "real")
    tree.cache_clear()
    (found,) = bases_in(root / "over" / "p.yaml")
    assert found.why is None


def test_what_is_read_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_BASE_FILES", 8)
    files = {**over(), "base/kustomization.yaml": f"resources: [{', '.join(f'w{n}.yaml' for n in range(9))}]"}
    files |= {f"base/w{n}.yaml": other(f"n{n}") for n in range(9)}
    (found,) = bases_in(written(tmp_path, files) / "over" / "p.yaml")
    assert found.why == "what it patches is too large to be read"


def test_what_is_kept_and_searched_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ENTRIES", 1)
    root = written(tmp_path / "a", over(resources="../base, w.yaml", w=other("b")))
    (found,) = bases_in(root / "over" / "p.yaml")
    assert found.why == "the kustomization has too many objects"
    monkeypatch.setattr(limits, "MAX_BASE_FILES", 1)
    (found,) = bases_in(written(tmp_path / "b", KNOWN["a component"][0]) / "over" / "p.yaml")
    assert found.why == "the repository has too many folders to search"


@pytest.mark.parametrize(
    "command",
    ["lint", "translate --to tke -i --fill cores=10", "inspect"],
    ids=lambda one: one.split()[0],
)
@pytest.mark.parametrize("target", [", target: {kind: Deployment}", ", target: {labelSelector: '!none'}"])
def test_patches_times_objects_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, target: str
) -> None:
    """Each patch for every object: more work than text. A repository below the limit is read."""
    files = over(
        patch=f"path: p.yaml{target}", resources="../base, w.yaml", w="---\n".join(map(other, "abcd"))
    )
    root = written(tmp_path, files)
    (below,) = bases_in(root / "over" / "p.yaml")
    assert (below.why, len(below.layers)) == (None, 5)
    before = {one: (root / one).read_bytes() for one in files}
    monkeypatch.setattr(limits, "MAX_PATCHED", 600)
    tree.cache_clear()
    ran = run(*command.split(), str(root))
    said = (ran.out + ran.err).decode()
    assert "error[GX025]: limit exceeded: patches times objects of more than 600 nodes" in said
    assert f"{root}/over/p.yaml:1:1" in said
    assert ran.code == 1
    assert {one: (root / one).read_bytes() for one in files} == before


def test_patches_that_name_their_objects_are_not_tried_on_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the name in the patch, or in its target: no look at all others, whatever their number."""
    monkeypatch.setattr(patch_work, "_LOOKS", 30)
    names = "abcdefghij"
    objects = "---\n".join(map(other, names))
    entries = "".join(f"- {{path: {one}.yaml, target: {{kind: Deployment, name: {one}}}}}\n" for one in names)
    files = {
        "kustomization.yaml": f"resources: [w.yaml]\npatches:\n- path: p.yaml\n{entries}",
        "w.yaml": objects,
        "p.yaml": objects,
        **{f"{one}.yaml": web(4) for one in names},
    }
    root = written(tmp_path, files)
    found = [one for name in ("p", *names) for one in bases_in(root / f"{name}.yaml")]
    assert [(one.why, len(one.layers)) for one in found] == [(None, 1)] * 20


def test_components_that_include_one_another_often(tmp_path: Path) -> None:
    """Each twice the one below: 2 to the power of their number."""
    deep = limits.MAX_LAYERS - 2
    files = {
        **over("components: [../c0]"),
        **{
            f"c{n}/kustomization.yaml": f"kind: Component\ncomponents: [../c{n + 1}, ../c{n + 1}]"
            for n in range(deep)
        },
        f"c{deep}/kustomization.yaml": "kind: Component",
    }
    begun = time.monotonic()
    (found,) = bases_in(written(tmp_path, files) / "over" / "p.yaml")
    assert found.why == "what it patches is too large to be read"
    assert time.monotonic() - begun < 20


def test_a_repository_is_the_working_folder_without_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = written(tmp_path, KNOWN["a component"][0])
    (root / ".git" / "HEAD").unlink()
    (root / ".git").rmdir()
    (found,) = bases_in(root / "over" / "p.yaml")
    assert found.why == "no kustomization includes its component"
    monkeypatch.chdir(root)
    tree.cache_clear()
    (found,) = bases_in(root / "over" / "p.yaml")
    assert [memory(one.base.keys) for one in found.layers] == ["8"]
    assert os.getcwd() == str(root)


# --- the keys of a part over a base -----------------------------------------------------------------


def test_places_of_a_part_over_its_base(tmp_path: Path) -> None:
    """Findings on the pod after a patch are in the patch; a container that it has not gets no edits."""
    base = web(8, "{name: side, resources: {limits: {cpu: 1}}}").replace(
        "    spec:", "    metadata: {labels: {a: b}}\n    spec:"
    )
    base = base.replace("name: web, r", "name: web, env: [{name: B, value: b}], r")
    patch = web('"9"', "{name: new}").replace("limits: {", "requests: {cpu: 2}, limits: {")
    patch = patch.replace("name: web, r", "name: web, env: [{name: A, value: a}], r")
    (found,) = bases_in(written(tmp_path, over(resources="w.yaml", w=base, p=patch)) / "over" / "p.yaml")
    (layer,) = found.layers
    keys = laid_over(layer.base.keys, layer.part.keys)
    spec = ("spec", "template", "spec")
    first = (*spec, "containers", 0)
    assert [(one.name, one.index, one.path) for one in keys.containers] == [
        ("web", 0, first),
        ("new", 1, (*spec, "containers", 1)),
        ("side", 2, (*spec, "containers", 2)),  # beyond the list of the patch
    ]
    assert keys.containers[0].limits[KEY].path == (*first, "resources", "limits", KEY)
    assert keys.containers[0].requests["cpu"].path == (*first, "resources", "requests", "cpu")
    assert keys.containers[2].limits["cpu"].path == (*spec, "containers", 2, "resources", "limits", "cpu")
    assert keys.labels["a"].path == ("spec", "template", "metadata", "labels", "a")
    # no item of the list of the patch is meant
    assert keys.containers[0].env["B"].path == (*first, "env", "B")
    assert keys.containers[0].env["A"].path == (*first, "env", 0)
    assert [one.name for one in strangers(layer.base.keys, layer.part.keys)] == ["new"]


# --- targets ------------------------------------------------------------------------------------------

WEB = Identity(
    "apps", "v1", "Deployment", (("web", ""), ("a-web", "b")), {"app": "web", "tier": "x"}, {"n": ""}
)
TARGETS: list[tuple[dict[str, str], bool]] = [
    ({}, True),
    ({"kind": "Deployment"}, True),
    ({"kind": "Deploy"}, False),  # the whole of it
    ({"kind": "Deployment|StatefulSet"}, True),
    ({"group": "apps", "version": "v1"}, True),
    ({"group": "batch"}, False),
    ({"name": "web"}, True),
    ({"name": "a-.*"}, True),
    ({"name": "w[a-f]b"}, True),
    ({"name": "^web$"}, True),
    ({"name": "(api|web)"}, True),
    ({"name": "web-?"}, True),
    ({"name": "b"}, False),
    ({"namespace": "default"}, True),
    ({"namespace": "b"}, True),
    ({"namespace": "c"}, False),
    ({"labelSelector": "app=web"}, True),
    ({"labelSelector": "app==web,tier"}, True),
    ({"labelSelector": "app = web , tier in (x, y)"}, True),
    ({"labelSelector": "app!=web"}, False),
    ({"labelSelector": "none!=web"}, True),
    ({"labelSelector": "!app"}, False),
    ({"labelSelector": "tier notin (y)"}, True),
    ({"annotationSelector": "n"}, True),
    ({"annotationSelector": "n=a"}, False),
]


@pytest.mark.parametrize(("target", "expected"), TARGETS)
def test_targets(target: dict[str, str], expected: bool) -> None:
    assert selector(target)(WEB) is expected


@pytest.mark.parametrize(
    "target",
    [
        {"name": "(a+)+b"},
        {"name": "(a|a)*"},
        {"name": ".*.*.*.*x"},
        {"name": "a{1000}"},
        {"name": "(?i)a"},
        {"name": "("},
        {"name": "|".join("abcdefghijkl")},
        {"name": "a" * 300},
        {"name": "\\d+"},
        {"labelSelector": "a b"},
        {"labelSelector": "a,,b"},
        {"labelSelector": "a in b"},
    ],
)
def test_targets_that_are_not_read(target: dict[str, str]) -> None:
    with pytest.raises(SelectorError):
        selector(target)


def test_patterns_take_no_time() -> None:
    one = WEB._replace(names=(("a" * 253, ""),))
    begun = time.monotonic()
    for text in (".*.*.*", "a*a*a*b", "(a|a|a)(a|a|a)(a|a|a).*b", "[a-z]+[a-z]+[a-z]+-"):
        selector({"name": text})(one)
    assert time.monotonic() - begun < 5
