"""What a claim gets, by the names of its capacity and by the configuration of the driver.

The modes of NVIDIA's driver are those of cmd/gpu-kubelet-plugin/consumable_shares.go and the README of
demo/specs/consumable-shares in kubernetes-sigs/dra-driver-nvidia-gpu (2026-08).
"""

from __future__ import annotations

from typing import Any

import pytest

import gpuxlate
from gpuxlate import Refused

NVIDIA, MIG, HAMI = "gpu.nvidia.com", "mig.nvidia.com", "hami-core-gpu.project-hami.io"
WHOLE, SLICED = {"cards": 1}, {"strategy": "time-slicing"}
PARTITION = {"selectors": [{"cel": {"expression": f'device.attributes["{NVIDIA}"].profile == "1g.10gb"'}}]}


def pod(device_class: str, capacity: dict[str, str], **fields: Any) -> list[dict[str, Any]]:
    exactly = {"deviceClassName": device_class, **fields, "capacity": {"requests": capacity}}
    return [
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": "web-gpu"},
            "spec": {"spec": {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}},
        },
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web"},
            "spec": {
                "containers": [{"name": "web", "image": "web", "resources": {"claims": [{"name": "gpu"}]}}],
                "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "web-gpu"}],
            },
        },
    ]


def profile(mode: str | int | None) -> dict[str, Any]:
    return {"target": "dra-nvidia", **({} if mode is None else {"dra": {"nvidiaConsumableShares": mode}})}


@pytest.mark.parametrize(
    ("mode", "capacity", "share"),
    [
        (None, {}, WHOLE),
        ("disabled", {}, WHOLE),
        ("memory", {}, WHOLE),
        ("unlimited", {}, {"replica": SLICED}),
        (8, {}, {"replica": {"of": 8, **SLICED}}),
        (8, {"memory": "0"}, {"replica": {"of": 8, **SLICED}}),
        (1, {}, WHOLE),
        (None, {"shares": "2"}, {"replica": {**SLICED, "count": 2}}),
        (8, {"shares": "2"}, {"replica": {"of": 8, **SLICED, "count": 2}}),
        (8, {f"{NVIDIA}/shares": "2"}, {"replica": {"of": 8, **SLICED, "count": 2}}),
        (8, {"shares": "8"}, WHOLE),  # nobody else gets any
        *(
            (mode, {name: "4Gi"}, {"memoryMiB": 4096})
            for mode in (None, "disabled", "memory", "unlimited", 8)
            for name in ("memory", f"{NVIDIA}/memory")
        ),
    ],
)
def test_what_a_claim_gets(mode: str | int | None, capacity: dict[str, str], share: dict[str, Any]) -> None:
    [read] = gpuxlate.parse(pod(NVIDIA, capacity), profile=profile(mode)).objects
    assert read["spec"] == share


@pytest.mark.parametrize(
    ("mode", "capacity", "share"),
    [
        ("memory", {}, {}),
        ("unlimited", {}, {"replica": SLICED}),
        (4, {}, {"replica": {"of": 4, **SLICED}}),
        (4, {"shares": "3"}, {"replica": {"of": 4, **SLICED, "count": 3}}),
        (4, {"shares": "4"}, {}),
    ],
)
def test_partitions_have_clients_too(
    mode: str | int, capacity: dict[str, str], share: dict[str, Any]
) -> None:
    [read] = gpuxlate.parse(pod(MIG, capacity, **PARTITION), profile=profile(mode)).objects
    assert read["spec"] == {"partition": {"profile": "1g.10gb"}, **share}


@pytest.mark.parametrize(
    ("device_class", "mode", "capacity", "fields", "code"),
    [
        (NVIDIA, None, {"cores": "30"}, {}, "DRA017"),
        (NVIDIA, None, {"example.com/memory": "4Gi"}, {}, "DRA017"),
        (HAMI, None, {"shares": "2"}, {}, "DRA017"),
        (HAMI, None, {"memory": "4Gi", f"{HAMI}/memory": "8Gi"}, {}, "DRA017"),
        (NVIDIA, "memory", {"shares": "2"}, {}, "DRA017"),
        (NVIDIA, "unlimited", {"shares": "1"}, {}, "DRA017"),
        (NVIDIA, 8, {"shares": "9"}, {}, "DRA004"),
        (NVIDIA, 8, {"shares": "0"}, {}, "DRA004"),
        (NVIDIA, 8, {"shares": "2", "memory": "4Gi"}, {}, "GX023"),  # no share holds both
        (NVIDIA, 8, {"shares": "2"}, {"count": 2}, "GX023"),  # clients of two cards
        (NVIDIA, 8, {}, {"count": 2}, "GX023"),
        (MIG, None, {"multiprocessors": "14"}, PARTITION, "GX023"),
        (MIG, None, {"slices": "1"}, PARTITION, "DRA017"),
    ],
)
def test_what_no_share_holds(
    device_class: str, mode: str | int | None, capacity: dict[str, str], fields: dict[str, Any], code: str
) -> None:
    with pytest.raises(Refused) as refused:
        gpuxlate.translate(pod(device_class, capacity, **fields), "hami", profile=profile(mode))
    assert {one.code for one in refused.value.diagnostics if one.severity == "error"} == {code}


@pytest.mark.parametrize("capacity", [{}, {"shares": "1"}])
def test_an_assumption_is_said(capacity: dict[str, str]) -> None:
    """DRA018, unless a profile says how the driver is set."""

    def codes(mode: str | int | None) -> set[str]:
        found = gpuxlate.parse(pod(NVIDIA, capacity), profile=profile(mode)).diagnostics
        return {one.code for one in found}

    assert codes(None) == {"DRA018"}
    assert codes(8) == set()


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        ({"replica": {"of": 8, "count": 2}}, {"capacity": {"requests": {"shares": "2"}}}),
        ({"replica": {"strategy": "time-slicing"}}, {"capacity": {"requests": {"shares": "1"}}}),
        ({"cards": 1}, {"capacity": {"requests": {"shares": "8"}}}),  # all clients: nobody else gets any
        (
            {"partition": {"profile": "1g.10gb"}, "replica": {"of": 8}},
            {"deviceClassName": MIG, **PARTITION, "capacity": {"requests": {"shares": "1"}}},
        ),
    ],
)
def test_clients_are_written(spec: dict[str, Any], fields: dict[str, Any]) -> None:
    share = {"apiVersion": "gpuxlate.io/v1alpha1", "kind": "GPUShare", "metadata": {"name": "web"}}
    made = gpuxlate.render({**share, "spec": spec}, "dra-nvidia", profile=profile(8))
    [request] = made.objects[1]["spec"]["spec"]["devices"]["requests"]
    assert request["exactly"] == {"deviceClassName": NVIDIA, **fields}


@pytest.mark.parametrize(
    ("mode", "spec", "code"),
    [
        (None, {"replica": {"of": 8}}, "GX023"),
        ("memory", {"replica": {"of": 8}}, "GX023"),
        (4, {"replica": {"of": 8}}, "GX023"),
        (8, {"replica": {"of": 8, "strategy": "mps"}}, "GX023"),
        (8, {"replica": {"of": 8, "count": 9}}, "DRA004"),
        (8, {"memoryMiB": 4096}, "GX023"),
        ("unlimited", {"cards": 1}, "GX023"),
    ],
)
def test_what_a_cluster_does_not_give(mode: str | int | None, spec: dict[str, Any], code: str) -> None:
    share = {"apiVersion": "gpuxlate.io/v1alpha1", "kind": "GPUShare", "metadata": {"name": "web"}}
    with pytest.raises(Refused) as refused:
        gpuxlate.render({**share, "spec": spec}, "dra-nvidia", profile=profile(mode))
    assert {one.code for one in refused.value.diagnostics if one.severity == "error"} == {code}
