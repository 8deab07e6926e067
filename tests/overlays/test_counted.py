"""What kustomize builds is counted, once: each overlay that no other uses, with replicas and patches."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from tests.effort import tries
from tests.overlays.apps import Files, build, needs_kubectl, objects, operations, written
from tests.running import run

MEM = "aliyun.com/gpu-mem"
LIMITS = "/spec/template/spec/containers/0/resources/limits"


def web(limits: str, more: str = "", *, kind: str = "Deployment", name: str = "web") -> str:
    """A workload, or a patch of it."""
    version = "batch/v1" if kind == "Job" else "apps/v1"
    return (
        f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}}}\nspec:\n  template:\n    spec:\n"
        f"      containers:\n      - {{name: web, resources: {{limits: {{{limits}}}}}}}\n{more}"
    )


def over(patch: str = "", *, base: str = web(f"{MEM}: 4"), kustomization: str = "", **files: str) -> Files:
    """A base, and an overlay with a patch."""
    return {
        "base/kustomization.yaml": "resources: [w.yaml]\n",
        "base/w.yaml": base,
        "over/kustomization.yaml": kustomization or "resources: [../base]\npatches: [{path: p.yaml}]\n",
        **({"over/p.yaml": patch} if patch else {}),
        **{name.replace("__", "/") + ".yaml": text for name, text in files.items()},
    }


def item(mib: int | None, replicas: int = 1, name: str = "web", namespace: str | None = None) -> Any:
    return namespace, name, mib, replicas


SIDE = f"      - {{name: side, resources: {{limits: {{{MEM}: 2}}}}}}\n"
JSON_6902 = "resources: [../base]\npatches: [{path: p.yaml, target: {kind: Deployment}}]\n"
COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
# by what it shows: the files, the items as namespace, name, MiB and replicas
TABLE: dict[str, tuple[Files, list[Any]]] = {
    "a share that only a patch has": (over(web(f"{MEM}: 8"), base=web("cpu: 1")), [item(8192)]),
    "a patch of a share": (over(web(f"{MEM}: 8")), [item(8192)]),
    "null deletes": (over(web(f"{MEM}: null")), []),
    "a container that is deleted": (
        over(web("cpu: 1", "      - {name: side, $patch: delete}\n"), base=web("cpu: 1", SIDE)),
        [],
    ),
    "an object that is deleted": (
        over("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n$patch: delete\n"),
        [],
    ),
    "a container that is added": (over(web("cpu: 1", SIDE)), [item(4096), item(2048)]),
    "an operation": (
        over(
            f"- {{op: replace, path: {LIMITS}/aliyun.com~1gpu-mem, value: 16}}\n",
            kustomization=JSON_6902,
        ),
        [item(16384)],
    ),
    "an operation that removes": (
        over(f"- {{op: remove, path: {LIMITS}}}\n", kustomization=JSON_6902),
        [],
    ),
    "a patch within the kustomization": (
        over(
            kustomization="resources: [../base]\npatches:\n- patch: |-\n    "
            + web(f"{MEM}: 8").replace("\n", "\n    ")
            + "\n"
        ),
        [item(8192)],
    ),
    "replicas": (
        over(kustomization="resources: [../base]\nreplicas: [{name: web, count: 3}]\n"),
        [item(4096, 3)],
    ),
    "replicas of another name": (
        over(
            kustomization="resources: [../base]\nnamePrefix: x-\nnamespace: a\n"
            "replicas: [{name: x-web, count: 3}]\n"
        ),
        [item(4096, 3, "x-web", "a")],
    ),
    "replicas by a patch": (
        over("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 4}\n"),
        [item(4096, 4)],
    ),
    "a component": (
        over(
            kustomization="resources: [../base]\ncomponents: [../part]\n",
            part__kustomization=f"{COMPONENT}patches: [{{path: p.yaml}}]\n",
            part__p=web(f"{MEM}: 8"),
        ),
        [item(8192)],
    ),
    "several overlays over one base": (
        over(
            web(f"{MEM}: 8"),
            two__kustomization="resources: [../base]\nnamePrefix: two-\n",
        ),
        [item(8192), item(4096, 1, "two-web")],
    ),
    "an overlay over an overlay": (
        over(
            web(f"{MEM}: 8"),
            two__kustomization="resources: [../over]\nnamespace: b\nreplicas: [{name: web, count: 2}]\n",
        ),
        [item(8192, 2, namespace="b")],
    ),
    "a base alone": (
        {"base/kustomization.yaml": "resources: [w.yaml]\n", "base/w.yaml": web(f"{MEM}: 4")},
        [item(4096)],
    ),
    "generators and images do not matter": (
        over(
            kustomization="resources: [../base]\nconfigMapGenerator: [{name: a, literals: [b=c]}]\n"
            "images: [{name: x, newTag: '1'}]\n"
        ),
        [item(4096)],
    ),
    "one of several documents": (
        over(web(f"{MEM}: 8"), base=web(f"{MEM}: 4") + "---\n" + web(f"{MEM}: 2", name="b")),
        [item(8192), item(2048, name="b")],
    ),
    "items of a List": (
        over(
            web(f"{MEM}: 8"),
            base="apiVersion: v1\nkind: List\nitems:\n- " + web(f"{MEM}: 4").replace("\n", "\n  "),
        ),
        [item(8192)],
    ),
    "a file that no kustomization uses": (
        over(web(f"{MEM}: 8"), more__w=web(f"{MEM}: 2", name="b")),
        [item(8192), item(2048, name="b")],
    ),
}
OTHERS = ("a file that no kustomization uses",)
"""Counted, and not built."""


def counted(*arguments: str, stdin: bytes = b"") -> tuple[list[Any], Any]:
    """The items that inspect counts, and all that it says."""
    done = run("inspect", *arguments, "-o", "json", stdin=stdin)
    assert done.code == 0, done.err.decode()
    data = json.loads(done.out)
    return data["items"], data


def of(items: list[Any]) -> Counter[Any]:
    return Counter(
        item(one["share"] and one["share"]["memoryMiB"], one["replicas"], one["name"], one["namespace"])
        for one in items
    )


@pytest.mark.parametrize(("files", "expected"), TABLE.values(), ids=TABLE)
def test_what_is_built_is_counted_once(files: Files, expected: list[Any], tmp_path: Path) -> None:
    items, data = counted(str(written(tmp_path, files)))
    assert of(items) == Counter(expected)
    assert data["leftovers"] == []


# by what it shows: the files, what is counted, the place and the words of the only leftover
UNKNOWN: dict[str, tuple[Files, list[Any], str, str]] = {
    "a base at a URL": (
        over(
            web(f"{MEM}: 8"),
            kustomization="resources: [../base, https://example.com/x]\npatches: [{path: p.yaml}]\n",
        ),
        [item(8192)],
        "over/kustomization.yaml:1",
        "not all of over is counted: https://example.com/x is not a file or folder here",
    ),
    "a base that is not there": (
        over(web(f"{MEM}: 8"), kustomization="resources: [../b]\npatches: [{path: p.yaml}]\n"),
        [item(4096)],  # of the base, which no other uses
        "over/kustomization.yaml:1",
        "not all of over is counted: ../b is not a file or folder here",
    ),
    "a chart": (
        over(kustomization="resources: [../base]\nhelmCharts: [{name: a}]\n"),
        [item(4096)],
        "over/kustomization.yaml:1",
        "not all of over is counted: helmCharts in over is not read",
    ),
    "a transformer": (
        over(kustomization="resources: [../base]\ntransformers: [t.yaml]\n"),
        [],
        "base/w.yaml:1",
        "Deployment/web is not counted: transformers in over is not read",
    ),
    "a pattern that is not read": (
        over(
            web(f"{MEM}: 8"),
            base=web("cpu: 1"),
            kustomization="resources: [../base]\npatches: [{path: p.yaml, target: {name: '(w+)+'}}]\n",
        ),
        [],
        "base/w.yaml:1",
        "Deployment/web is not counted: the pattern (w+)+ of its target is not read",
    ),
    "a patch of what is not there": (
        over(web(f"{MEM}: 8", name="b")),
        [item(4096)],
        "over/p.yaml:1",
        "a patch is not counted: what it patches is not in the kustomization",
    ),
    "a component that no kustomization of the run includes": (
        {
            "w.yaml": web(f"{MEM}: 4"),
            "part/kustomization.yaml": f"{COMPONENT}patches: [{{path: p.yaml}}]\n",
            "part/p.yaml": web(f"{MEM}: 8"),
        },
        [item(4096)],
        "part/p.yaml:8",
        f"{MEM} is left behind: this file is a patch",
    ),
    "kustomizations that include one another": (
        {
            "a/kustomization.yaml": "resources: [../b, w.yaml]\n",
            "a/w.yaml": web(f"{MEM}: 4"),
            "b/kustomization.yaml": "resources: [../a]\n",
        },
        [item(4096)],
        "a/kustomization.yaml:1",
        "not all of a is counted: the kustomizations include one another",
    ),
}


@pytest.mark.parametrize(("files", "expected", "place", "words"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_cannot_be_read_is_said(
    files: Files,
    expected: list[Any],
    place: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(written(tmp_path, files))
    items, data = counted(".")
    assert of(items) == Counter(expected)
    (left,) = data["leftovers"]
    assert f"{left['file']}:{left['line']}" == place
    assert left["message"] == words
    assert "kubectl kustomize" in left["hint"]
    assert words in run("parse", ".").err.decode() or "this file is a patch" in words


BAD = "5.5"
# by what it shows: the files, and the place of the value that is wrong
PLACES: dict[str, tuple[Files, str]] = {
    "in the base": (over(web("cpu: 1"), base=web(f"{MEM}: {BAD}")), "base/w.yaml:8:62"),
    "in the patch": (over(web(f"{MEM}: {BAD}")), "over/p.yaml:8:62"),
    "in a patch within the kustomization": (
        over(
            kustomization="resources: [../base]\npatches:\n- patch: |-\n    "
            + web(f"{MEM}: {BAD}").replace("\n", "\n    ")
            + "\n"
        ),
        "over/kustomization.yaml:11:66",
    ),
    "in an operation": (
        over(
            f"- {{op: replace, path: {LIMITS}/aliyun.com~1gpu-mem, value: {BAD}}}\n",
            kustomization=JSON_6902,
        ),
        "over/p.yaml:1:101",
    ),
}


@pytest.mark.parametrize(("files", "place"), PLACES.values(), ids=PLACES)
def test_findings_are_where_the_value_is_written(
    files: Files, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(written(tmp_path, files))
    done = run("parse", ".")
    assert done.code == 1
    assert f" --> {place}\n" in done.err.decode()
    assert done.err.count(b"error[") == 1


def test_a_base_outside_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(written(tmp_path, over(web(f"{MEM}: 8"))))
    items, _ = counted("over")
    assert [(one["file"], one["kustomization"]) for one in items] == [("base/w.yaml", "over")]
    assert of(items) == of(counted("over/kustomization.yaml")[0]) == Counter([item(8192)])
    assert of(counted("base")[0]) == of(counted("base/w.yaml")[0]) == Counter([item(4096)])


def test_every_command_counts_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two overlays of one base: 2 replicas of 8 GiB, and one of 4 GiB, on cards of 20 GiB."""
    files = over(
        web(f"{MEM}: 8"),
        kustomization="resources: [../base]\nreplicas: [{name: web, count: 2}]\npatches: [{path: p.yaml}]\n",
        two__kustomization="resources: [../base]\n",
    )
    monkeypatch.chdir(written(tmp_path, files))
    Path("hami.profile").write_text("target: hami\ncards: {perNode: 1, memoryMiB: 20480}\n")
    plan = json.loads(run("plan", ".", "--to", "hami", "--profile", "hami.profile", "-o", "json").out)
    assert [(one["pods"], one["cards"]) for one in plan["targets"]] == [(3, 1)]
    assess = json.loads(run("assess", ".", "--to", "tke", "--fill", "cores=30", "-o", "json").out)
    assert [(one["verdict"], one["share"]["memoryMiB"]) for one in assess["items"]] == [
        ("filled", 8192),
        ("filled", 4096),
    ]
    shares = json.loads(run("parse", ".", "-o", "json").out)
    assert [one["spec"]["memoryMiB"] for one in shares["items"]] == [8192, 4096]
    assert [one["metadata"]["name"] for one in shares["items"]] == ["web", "web-2"]


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
@pytest.mark.parametrize("name", [name for name in TABLE if name not in OTHERS])
def test_kubectl_builds_the_same(name: str, tmp_path: Path) -> None:
    root = written(tmp_path, TABLE[name][0])
    items, _ = counted(str(root))
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
        files[f"{name}/kustomization.yaml"] = {
            "resources": [below],
            "patches": [listed],
            **draw(
                st.sampled_from(
                    [{}, {"namePrefix": f"{name}-"}, {"namespace": name}, {"replicas": [REPLICAS]}]
                )
            ),
        }
        below = draw(st.sampled_from(["../base", f"../{name}"]))
    above = files[f"{names[-1]}/kustomization.yaml"]["resources"] != ["../base"]
    return files, names[-1:] if above else names


REPLICAS = {"name": "one", "count": 7}


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
