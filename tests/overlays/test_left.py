"""Patches that are left behind: each says why at its place, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.overlays.apps import Files, written
from tests.running import run

MEM, CORE = "aliyun.com/gpu-mem", "aliyun.com/gpu-core.percentage"


def deployment(containers: str, name: str = "web", labels: str = "") -> str:
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\n"
        f"spec: {{template: {{metadata: {{labels: {{{labels}}}}}, spec: {{containers: [{containers}]}}}}}}\n"
    )


def container(limits: str, name: str = "a") -> str:
    return f"{{name: {name}, image: x, resources: {{limits: {{{limits}}}}}}}"


def application(*bases: str, patch: str, target: str = "") -> Files:
    """A base of some objects, and an overlay with one patch."""
    names = [f"{number}.yaml" for number in range(len(bases))]
    return {
        "base/kustomization.yaml": f"resources: [{', '.join(names)}]\n",
        **{f"base/{name}": text for name, text in zip(names, bases, strict=True)},
        "over/kustomization.yaml": f"resources: [../base]\npatches: [{{path: p.yaml{target}}}]\n",
        "over/p.yaml": patch,
    }


def annotated(annotation: str) -> str:
    template = f"{{metadata: {{annotations: {{{annotation}}}}}}}"
    return f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec: {{template: {template}}}\n"


NEUTRAL = container("gpuxlate.io/cores: 30, gpuxlate.io/memory-mib: 4096")
ASKING = container(f"{MEM}: 4, {CORE}: 30")
CASES: dict[str, tuple[Files, str, str]] = {
    "a container that the base has not": (
        application(deployment(ASKING), patch=deployment(container(f"{MEM}: 8", "b"))),
        "tke",
        f"{MEM} is left behind: what it is laid over has no container b",
    ),
    "a base that was translated before": (
        application(
            deployment(
                container('tke.cloud.tencent.com/qgpu-core: "30", tke.cloud.tencent.com/qgpu-memory: "4"')
            ),
            patch=deployment(container(f"{MEM}: 8")),
        ),
        "tke",
        f"{MEM} is left behind: what it is laid over is in keys of tencent-qgpu already",
    ),
    "a base that is refused": (
        application(deployment(container(f"{MEM}: 4")), patch=deployment(container(f"{MEM}: 8, {CORE}: 30"))),
        "tke",
        f"{MEM} is left behind: what it is laid over cannot be translated",
    ),
    "objects that need different values": (
        application(
            deployment(ASKING, "web"),
            deployment(container(f"{MEM}: 8, {CORE}: 30, cpu: 1"), "api", labels='aliyun.com/gpu-count: "1"'),
            deployment(container(f"{MEM}: 8"), "job", labels='aliyun.com/gpu-count: "2"'),
            patch=deployment(container(f"{MEM}: 16"), "any"),
            target=", target: {kind: Deployment}",
        ),
        "hami",
        f"{MEM} is left behind: the objects that it is laid over need different values",
    ),
    "a class that changes the keys of all containers": (
        application(deployment(NEUTRAL), patch=annotated("gpuxlate.io/qos: offline")),
        "vke",
        "gpuxlate.io/qos is left behind: container a would change too",
    ),
    "a policy that is an affinity of the pod": (
        application(deployment(NEUTRAL), patch=annotated("gpuxlate.io/policy: fixed-share")),
        "tke",
        "gpuxlate.io/policy is left behind: it would replace the affinity of the whole pod",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_patch_that_is_left_says_why(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, to, why = CASES[name]
    monkeypatch.chdir(written(tmp_path, files))
    done = run("translate", ".", "--to", to, "-i")
    assert done.code == 1
    assert why in done.err.decode()
    assert "over/p.yaml:" in done.err.decode()
    for path, text in files.items():
        assert Path(path).read_text() == text
