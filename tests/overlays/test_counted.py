"""What kustomize builds is counted, once: each overlay that no other uses, with replicas and patches."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

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
@settings(max_examples=60, deadline=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))
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
