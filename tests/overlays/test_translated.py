"""A translated application builds what the translation of the built one is: overlays with the real tool.

For tests/overlays/ (beside apps.py). ``gpuxlate translate -i`` on the folder, then ``kubectl kustomize``;
and ``kubectl kustomize``, then ``gpuxlate translate -``.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import event, given
from hypothesis import strategies as st

from tests.effort import tries
from tests.overlays.apps import COMPONENT_HEAD, Files, build, needs_kubectl, operations, written
from tests.running import run

ACK, VKE, TKE = "alibaba-gpushare", "volcengine-mgpu", "tencent-qgpu"
MORE = ["--round=up", "--fill=cores=30", "--fill=memoryMiB=8192", "--drop=cores,policy,qos,selector"]


def tidy(value: Any) -> Any:
    """Without empty mappings: a translation leaves none, and they ask for nothing."""
    if isinstance(value, dict):
        made = {name: tidy(one) for name, one in value.items()}
        return {name: one for name, one in made.items() if one not in ({}, None)}
    return [tidy(one) for one in value] if isinstance(value, list) else value


def workload(containers: list[dict[str, Any]]) -> dict[str, Any]:
    head = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}}
    return {**head, "spec": {"template": {"spec": {"containers": containers}}}}


def asking(name: str, limits: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "image": name, "resources": {"limits": limits}}


MEM, CORE = "aliyun.com/gpu-mem", "aliyun.com/gpu-core.percentage"
VMEM, VCORE = "vke.volcengine.com/mgpu-memory", "vke.volcengine.com/mgpu-core"
LIMITS = "/spec/template/spec/containers/0/resources/limits"
SHARE, OF_VKE = asking("web", {MEM: 8, CORE: 30}), asking("web", {VMEM: 8192, VCORE: 30})
NO_SHARE, NO_SIDE = {"name": "web", "image": "web"}, {"name": "side", "image": "side"}
SIDE, WHOLE = asking("side", {VMEM: 4096, VCORE: 20}), {MEM: None, CORE: None, "nvidia.com/gpu": 1}
REPLACED = [{"op": "replace", "path": f"{LIMITS}/aliyun.com~1gpu-mem", "value": 16}]
BURST = {"annotations": {"vke.volcengine.com/mgpu-compute-policy": "fixed-share", "a": "b"}}
DROPPED = [
    {"op": "add", "path": "/spec/template/metadata", "value": BURST},
    {"op": "add", "path": "/metadata/annotations", "value": {"c": "d"}},
]
REMOVED = [{"op": "remove", "path": f"{LIMITS}/aliyun.com~1gpu-core.percentage"}]

# by what it shows: source, target, the base's containers, the containers of the patch, or operations
TABLE: dict[str, tuple[str, str, list[dict[str, Any]], list[dict[str, Any]]]] = {
    "more memory": (ACK, VKE, [SHARE], [asking("web", {MEM: 16})]),
    "compute is added": (ACK, VKE, [asking("web", {MEM: 8})], [asking("web", {CORE: 50})]),
    "compute goes": (ACK, VKE, [SHARE], [asking("web", {CORE: None})]),
    "whole cards": (ACK, TKE, [SHARE], [asking("web", WHOLE)]),
    "one of two containers": (VKE, ACK, [OF_VKE, SIDE], [asking("side", {VMEM: 2048})]),
    "a container without a share": (
        VKE,
        TKE,
        [OF_VKE, NO_SIDE],
        [{"name": "side", "env": [{"name": "A", "value": "1"}]}],
    ),
    "the share goes": (ACK, VKE, [SHARE], [asking("web", {MEM: None, CORE: None})]),
    "a first share": (ACK, VKE, [NO_SHARE], [SHARE]),
    "an operation": (ACK, VKE, [SHARE], REPLACED),
    "an operation whose key is dropped": (VKE, ACK, [OF_VKE], DROPPED),
    "an operation that removes": (ACK, VKE, [SHARE], REMOVED),
}


def check(source: str, target: str, files: Files, allow: bool) -> str:
    """build(translate(app)) is translate(build(app)), or a leftover or refusal says why not."""
    with tempfile.TemporaryDirectory() as folder:
        root = written(Path(folder), files)
        text = build(root / "over")
        if text is None:
            return "kustomize refuses"
        whole = run("translate", "-", "--from", source, "--to", target, *MORE, stdin=text.encode())
        done = run("translate", str(root), "--from", source, "--to", target, *MORE, "-i")
        if done.code:
            assert allow, done.err.decode()
            return "refused"
        assert whole.code == 0, whole.err.decode()
        built = build(root / "over")
        assert built is not None
        assert tidy(list(yaml.safe_load_all(built))) == tidy(list(yaml.safe_load_all(whole.out)))
        return "translated"


def application(base: list[dict[str, Any]], patch: list[dict[str, Any]], component: bool) -> Files:
    operations = any("op" in one for one in patch)
    target = {"target": {"kind": "Deployment"}} if operations else {}
    patches = {"patches": [{"path": "p.yaml", **target}]}
    where = "part" if component else "over"
    over = {"resources": ["../base"], **({"components": ["../part"]} if component else patches)}
    return {
        "base/kustomization.yaml": "resources: [w.yaml]",
        "base/w.yaml": workload(base),
        f"{where}/p.yaml": patch if operations else workload(patch),
        **({"part/kustomization.yaml": {**COMPONENT_HEAD, **patches}} if component else {}),
        "over/kustomization.yaml": over,
    }


@needs_kubectl
@pytest.mark.parametrize("component", [False, True], ids=["overlay", "component"])
@pytest.mark.parametrize("title", TABLE)
def test_the_table(title: str, component: bool) -> None:
    source, target, base, patch = TABLE[title]
    check(source, target, application(base, patch, component), allow=False)


def limits(*, part: bool) -> st.SearchStrategy[dict[str, Any]]:
    null = st.none() if part else st.nothing()
    memory, compute = st.sampled_from([4, 8, 16]) | null, st.sampled_from([20, 30]) | null
    return st.fixed_dictionaries({}, optional={MEM: memory, CORE: compute, "cpu": st.just(1)})


def containers(*, part: bool) -> st.SearchStrategy[list[dict[str, Any]]]:
    one = st.builds(asking, st.sampled_from(["web", "side"]), limits(part=part))
    return st.lists(one, min_size=1, max_size=2, unique_by=lambda one: str(one["name"]))


@needs_kubectl
@tries(40)
@given(
    containers(part=False),
    containers(part=True) | operations("Deployment"),
    st.sampled_from([VKE, TKE]),
    st.booleans(),
)
def test_drawn_applications(
    base: list[dict[str, Any]], patch: list[dict[str, Any]], target: str, component: bool
) -> None:
    event(check(ACK, target, json.loads(json.dumps(application(base, patch, component))), allow=True))


@needs_kubectl
def test_another_dialect_in_a_part_that_is_left() -> None:
    """The added container makes the operations a leftover; the key that ``--from`` does not name is said."""
    patch: list[dict[str, Any]] = [
        {"op": "add", "path": "/spec/template/spec/containers/-", "value": asking("side", {MEM: 4})},
        {"op": "add", "path": f"{LIMITS}/{VMEM.replace('/', '~1')}", "value": 4096},
    ]
    with tempfile.TemporaryDirectory() as folder:
        root = written(Path(folder), application([SHARE], patch, component=False))
        done = run("translate", str(root), "--from", ACK, "--to", TKE, *MORE)
    assert done.code == 1
    assert "K8S007" in done.err.decode()
    assert "p.yaml:" in done.err.decode()
