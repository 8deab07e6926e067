"""The product of cards that pods of NVIDIA's device plugin choose: read as the cards of a share, written."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

import gpuxlate

PRODUCT = "nvidia.com/gpu.product"
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  nodeSelector: {%s}
  containers:
  - {name: a, image: a, resources: {limits: {%s}}}
"""
A100, T4 = {"models": ["A100-SXM4-80GB"]}, {"models": ["T4-16GB"]}


def spec_of(selector: str, limits: str) -> Any:
    """The spec of the share of a pod; None where it has none."""
    found = gpuxlate.parse(POD % (selector, limits)).text
    return yaml.safe_load(found)["spec"] if found else None


MIG = {"partition": {"profile": "1g.10gb"}, "device": A100}
CLIENT = {"replica": {"count": 1}, "device": T4}
READ: dict[tuple[str, str], Any] = {
    # strategy mixed
    ("NVIDIA-A100-SXM4-80GB", "nvidia.com/mig-2g.20gb: 2"): {
        "partition": {"profile": "2g.20gb", "count": 2},
        "device": A100,
    },
    # strategy single
    ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", "nvidia.com/gpu: 1"): MIG,
    ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb-SHARED", "nvidia.com/gpu: 1"): {
        **MIG,
        "replica": {"strategy": "time-slicing"},
    },
    # clients, renamed and not
    ("Tesla-T4", "nvidia.com/gpu.shared: 1"): CLIENT,
    ("Tesla-T4-SHARED", "nvidia.com/gpu: 1"): CLIENT,
    # whole cards of any cluster
    ("Tesla-T4", "nvidia.com/gpu: 1"): None,
}


def test_read() -> None:
    assert {one: spec_of(f"{PRODUCT}: {one[0]}", one[1]) for one in READ} == READ


def test_what_no_share_holds_is_a_selector() -> None:
    for product, limits in (
        # another dialect has no such product, and the catalogue no such name
        ("NVIDIA-A100-SXM4-40GB", "nvidia.com/mig-1g.5gb: 1"),
        # it says more than the share holds
        ("Tesla-T4-SHARED", "nvidia.com/gpu.shared: 1"),
        ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", "nvidia.com/mig-1g.10gb: 1"),
    ):
        text = POD % (f"{PRODUCT}: {product}", limits)
        with pytest.raises(gpuxlate.Refused) as refused:
            gpuxlate.translate(text, to="dra-nvidia", round="up", fill={"memoryMiB": 1024})
        assert "GX020" in {one.code for one in refused.value.diagnostics}, product


def test_pods_of_other_dialects_keep_it() -> None:
    text = POD % (f"{PRODUCT}: Tesla-T4", "volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 1024")
    done = gpuxlate.translate(text, to="volcengine-mgpu", fill={"cores": 10})
    assert f"{PRODUCT}: Tesla-T4" in done.text


SHARE = """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: a}
spec: {device: {models: [%s]}, %s}
"""


A100_MIG = ("A100-SXM4-80GB", "partition: {profile: 1g.10gb}")
SHARED = {"sharing": {"strategy": "mps", "replicas": 4, "renamed": False}}
WRITTEN: list[tuple[str, Any, str, str, dict[str, str]]] = [
    ("nvidia-mig", None, *A100_MIG, {PRODUCT: "NVIDIA-A100-SXM4-80GB"}),
    (
        *("nvidia-mig", {"migStrategy": "single"}, *A100_MIG),
        {"nvidia.com/mig.config": "all-1g.10gb", PRODUCT: "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"},
    ),
    ("nvidia-shared", None, "T4-16GB", "replica: {count: 1}", {PRODUCT: "Tesla-T4"}),
    (
        *("nvidia-shared", SHARED, "T4-16GB", "replica: {of: 4, strategy: mps}"),
        {
            PRODUCT: "Tesla-T4-SHARED",
            "nvidia.com/gpu.replicas": "4",
            "nvidia.com/gpu.sharing-strategy": "mps",
        },
    ),
]


@pytest.mark.parametrize(("target", "profile", "models", "part", "selector"), WRITTEN)
def test_written(target: str, profile: Any, models: str, part: str, selector: dict[str, str]) -> None:
    of = {"target": target, "nvidia": profile} if profile else None
    text = gpuxlate.render(SHARE % (models, part), to=target, profile=of).text
    assert yaml.safe_load(text)["spec"]["nodeSelector"] == selector
    again = gpuxlate.parse(text, profile=of).text
    assert yaml.safe_load(again)["spec"]["device"] == {"models": [models]}


def test_several_models_are_a_node_affinity() -> None:
    text = gpuxlate.render(SHARE % ("A10-24GB, L4", "replica: {count: 1}"), to="nvidia-shared").text
    assert '["NVIDIA-A10", "NVIDIA-L4"]' in str(yaml.safe_load(text)["spec"]["affinity"]).replace("'", '"')
    assert yaml.safe_load(gpuxlate.parse(text).text)["spec"]["device"] == {"models": ["A10-24GB", "L4"]}


def test_a_choice_of_hami_is_one_of_products() -> None:
    pod = yaml.safe_load(POD % ("", "nvidia.com/gpu: 1"))
    pod["metadata"]["annotations"] = {"nvidia.com/use-gputype": "Tesla T4"}
    profile = {"target": "nvidia-shared"}
    done = gpuxlate.translate(yaml.safe_dump(pod), to="nvidia-shared", from_="hami", profile=profile)
    assert f"{PRODUCT}: Tesla-T4" in done.text
