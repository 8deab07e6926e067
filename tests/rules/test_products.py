"""GX027, GX006: products that are known by name and not read. The keys are those of their own documents."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gpuxlate.backends import registry
from gpuxlate.model.sheet import Place
from gpuxlate.rules.base import Context
from gpuxlate.rules.products import LOCAL_NAMES, PRODUCTS, product_at, product_of
from gpuxlate.rules.vocabulary import vocabulary_of
from tests.rules.findings import HEAD, lint, manifest

NAMES: dict[str, tuple[str, ...]] = {
    # Project-HAMi/HAMi examples/<vendor>, pkg/device/<vendor>
    "Enflame GCU sharing of older charts": ("enflame.com/vgcu-percentage",),
    "Cambricon MIM partitions": ("cambricon.com/mlu370.mim-2m.8gb",),
    # volcano docs/user-guide/how_to_use_vnpu.md
    "Ascend vNPU under Volcano and MindCluster": (
        *("huawei.com/npu-core", "huawei.com/Ascend910-16c", "huawei.com/Ascend310P-4c.3cpu.ndvpp"),
        "huawei.com/Ascend310P-1c",
    ),
    "Biren SVI": ("birentech.com/1-2-gpu", "birentech.com/1-4-gpu"),
    "Vastai under HAMi": ("vastaitech.com/va",),
    "remote GPUs of HAMi": ("nvidia.com/remote-gpu", "nvidia.com/remote-gpu-memory"),
    "the virtual GPU plug-in of AWS": ("k8s.amazonaws.com/vgpu",),
    "AMD partitions": ("amd.com/cpx_nps4", "amd.com/spx_nps1"),
    "TensorFusion": ("tensor-fusion.ai/tflops-request", "tensor-fusion.ai/enabled"),
    "VirtAI OrionX": ("virtaitech.com/gpu",),
    "super nodes of TKE Serverless, which have no qGPU": ("eks.tke.cloud.tencent.com/gpu-type",),
    "Alibaba's scheduling simulators": ("alibabacloud.com/gpu-mem", "alibabacloud.com/gpu-milli"),
    "ACS, GPU-HPN nodes of Alibaba Cloud": ("alibabacloud.com/gpu-core.percentage",),
    "Volcano's older GPU sharing without isolation, deprecated since v1.9": ("volcano.sh/gpu-number",),
    "vgpu-manager": (
        *("nvidia.com/vgpu-cores", "nvidia.com/vgpu-memory", "nvidia.com/vgpu-number"),
        *("nvidia.com/device-scheduler-policy", "nvidia.com/exclude-gpu-uuid"),
    ),
}
"""Keys that are in use, by the title of their product."""

LOCAL: dict[tuple[Place, str], str] = {
    (Place.ENV, "ORION_VGPU"): "VirtAI OrionX",
    (Place.ENV, "DISABLE_VGPU_CONTROL"): "vgpu-manager",
}

# what is no share: whole cards of vendors, HAMi's own keys, facts of nodes, names of more than 63 letters
OTHERS = (
    *("nvidia.com/gpu", "amd.com/gpu", "huawei.com/Ascend910", "huawei.com/Ascend910B4-1", "hygon.com/dcu"),
    *("cambricon.com/mlu370", "birentech.com/gpu", "metax-tech.com/gpu", "kunlunxin.com/xpu"),
    *("nvidia.com/gpumem", "nvidia.com/vgpu", "nvidia.com/vgpumem", "nvidia.com/gpualloc"),
    *("nvidia.com/vgpu-mode", "volcano.sh/vgpu-number", "nvidia.com/gpu.product", "nvidia.com/gpu.memory"),
    *("cloud.google.com/gke-accelerator", "koordinator.sh/qosClass", "kai.scheduler/queue"),
    *("koordinator.sh/rdma", "gpu-fraction", "tensor-fusion.ai", "tensor-fusion.ai/"),
    *("x.tensor-fusion.ai/qos", "tensor-fusion.ai.x/qos", "nvidia.com/mig-1g.5gb/x"),
    *("huawei.com/Ascend" + "-" * 60 + "c", "", "/", "nvidia.com/"),
)
LOOK_ALIKES = {
    *("super nodes of TKE Serverless, which have no qGPU", "Alibaba's scheduling simulators"),
    *("ACS, GPU-HPN nodes of Alibaba Cloud", "vgpu-manager"),
    "Volcano's older GPU sharing without isolation, deprecated since v1.9",
}
"""Products whose keys are taken for those of a dialect that is read: a warning."""

# tkestack/gpu-manager README; elastic-ai/elastic-gpu-scheduler README; nebuly-ai/nos demos
READ_ONLY = {
    "GPU manager (vCUDA), TKE's older GPU sharing": "tencent.com/vcuda-core: 3, tencent.com/vcuda-memory: 2",
    "the open-source Elastic GPU scheduler": "elasticgpu.io/gpu-core: 30, elasticgpu.com/gpu-memory: 2048",
    "nos (Nebuly)": "nvidia.com/gpu-10gb: 1",
}


def code_of(title: str) -> str:
    return "GX006" if title in LOOK_ALIKES else "GX027"


def test_every_product_has_a_case() -> None:
    assert list(NAMES) == [one.title for one in PRODUCTS]
    assert set(LOCAL.values()) == {one.title for one in PRODUCTS if one.local}
    local = {name for one in PRODUCTS for names in one.local.values() for name in names}
    assert set(LOCAL_NAMES) == local > {name for _, name in LOCAL}


@pytest.mark.parametrize("title", NAMES)
def test_a_key_names_its_product(title: str) -> None:
    for name in NAMES[title]:
        assert getattr(product_of(name), "title", None) == title
        key = f"{{«{name}»: 1}}"
        found = lint(
            f"apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {key}\n  annotations: {key}\nspec:\n"
            f"  nodeSelector: {key}\n  containers:\n"
            f"  - resources: {{limits: {key}}}\n  - resources: {{requests: {key}}}\n"
        )
        assert set(found.codes) == {code_of(title)}, name
        assert found.places(code_of(title)) == found.marked
        assert all(title in one.message for one in found.diagnostics)


@pytest.mark.parametrize("title", READ_ONLY)
def test_a_dialect_that_is_only_read_is_named_too(title: str) -> None:
    """Its keys are translated, and still taken for those of another one (contract, section 2)."""
    found = lint(manifest(READ_ONLY[title]))
    named = found.of("GX006")
    assert len(named) == READ_ONLY[title].count(":")
    assert all(title in one.message for one in named)
    assert "GX027" not in found.codes


@pytest.mark.parametrize(("place", "name"), LOCAL)
def test_a_name_without_a_domain_is_a_key_in_one_place(place: Place, name: str) -> None:
    title = LOCAL[place, name]
    assert {one for one in Place if product_at(name, one)} == {place}
    assert product_of(name) is None
    assert place is Place.ENV, "no product has such a label or annotation"
    found = lint(f"{HEAD}  - name: web\n    env: [{{name: «{name}», value: a}}]\n")
    assert found.codes == [code_of(title)]
    assert found.places(code_of(title)) == found.marked
    assert title in found.diagnostics[0].message


def test_what_is_no_products_key() -> None:
    assert [name for name in OTHERS if product_of(name) is not None] == []


def test_no_product_is_read_by_a_dialect() -> None:
    """When a dialect is read, its rows leave the table."""
    names = {name for listed in NAMES.values() for name in listed} | LOCAL_NAMES
    names |= {key.replace("*", "x") for product in PRODUCTS for key in product.keys}
    owned = [(one.name, name) for one in registry.pod_backends() for name in names if one.owns(name)]
    assert owned == []


def test_a_dialect_that_reads_a_product_is_no_other_product() -> None:
    """A plug-in may read what this tool only names, and has its own word on it."""
    none = {"keys": (), "look_alikes": (), "reads_only": False, "whole_card_key": None, "also_speaks": None}
    reads: Any = SimpleNamespace(
        name="koordinator",
        gpu_prefixes=("koordinator.sh/gpu",),
        domains=frozenset({"koordinator.sh"}),
        find={}.get,
        owns=lambda name: name.startswith("koordinator.sh/gpu"),
        **none,
    )
    assert vocabulary_of(Context(dialects=(reads,))).product("koordinator.sh/gpu-core") is None
