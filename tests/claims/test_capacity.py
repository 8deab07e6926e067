"""What a claim gets, by the names of its capacity and by the configuration of the driver.

The modes of NVIDIA's driver are those of cmd/gpu-kubelet-plugin/consumable_shares.go and the README of
demo/specs/consumable-shares in kubernetes-sigs/dra-driver-nvidia-gpu (2026-08).
"""

from collections.abc import Callable
from typing import Any

import pytest

import gpuxlate
from gpuxlate import Refused
from tests.claims.objects import HAMI, capacity, claim, pod, requested

NVIDIA, MIG = "gpu.nvidia.com", "mig.nvidia.com"
WHOLE, SLICED = {"cards": 1}, {"strategy": "time-slicing"}
PARTITION = {"selectors": [{"cel": {"expression": f'device.attributes["{NVIDIA}"].profile == "1g.10gb"'}}]}


def asking(device_class: str, amounts: dict[str, str], **fields: Any) -> str:
    """A pod, and the template that it names."""
    return f"{pod()}---\n{claim('t', requested(device_class, **fields, capacity=capacity(**amounts)))}"


def profile(mode: str | int | None) -> dict[str, Any]:
    return {"target": "dra-nvidia", **({} if mode is None else {"dra": {"nvidiaConsumableShares": mode}})}


Capacity = dict[str, str]
GETS: list[tuple[str | int | None, Capacity, dict[str, Any]]] = [
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
]
# partitions have clients too
OF_PARTITIONS: list[tuple[str | int | None, Capacity, dict[str, Any]]] = [
    ("memory", {}, {}),
    ("unlimited", {}, {"replica": SLICED}),
    (4, {}, {"replica": {"of": 4, **SLICED}}),
    (4, {"shares": "3"}, {"replica": {"of": 4, **SLICED, "count": 3}}),
    (4, {"shares": "4"}, {}),
]


def test_what_a_claim_gets() -> None:
    cases: list[tuple[str, dict[str, Any], Any, dict[str, Any]]]
    cases = [(NVIDIA, {}, case, {}) for case in GETS]
    cases += [(MIG, PARTITION, case, {"partition": {"profile": "1g.10gb"}}) for case in OF_PARTITIONS]
    wrong = []
    for device_class, fields, (mode, amounts, share), more in cases:
        [made] = gpuxlate.parse(asking(device_class, amounts, **fields), profile=profile(mode)).objects
        wrong += [(mode, amounts, made["spec"])] if made["spec"] != {**more, **share} else []
    assert wrong == []


NOT_HELD: list[tuple[str, str | int | None, Capacity, dict[str, Any], str]] = [
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
]
NOT_GIVEN: list[tuple[str | int | None, dict[str, Any], str]] = [
    (None, {"replica": {"of": 8}}, "GX023"),
    ("memory", {"replica": {"of": 8}}, "GX023"),
    (4, {"replica": {"of": 8}}, "GX023"),
    (8, {"replica": {"of": 8, "strategy": "mps"}}, "GX023"),
    (8, {"replica": {"of": 8, "count": 9}}, "DRA004"),
    (8, {"memoryMiB": 4096}, "GX023"),
    ("unlimited", {"cards": 1}, "GX023"),
]


def errors_of(translate: Callable[[], object]) -> set[str]:
    with pytest.raises(Refused) as refused:
        translate()
    return {one.code for one in refused.value.diagnostics if one.severity == "error"}


@pytest.mark.parametrize("case", NOT_HELD)
def test_what_no_share_holds(case: tuple[str, str | int | None, Capacity, dict[str, Any], str]) -> None:
    device_class, mode, amounts, fields, code = case
    text = asking(device_class, amounts, **fields)
    assert errors_of(lambda: gpuxlate.translate(text, "hami", profile=profile(mode))) == {code}


@pytest.mark.parametrize(("mode", "spec", "code"), NOT_GIVEN)
def test_what_a_cluster_does_not_give(mode: str | int | None, spec: dict[str, Any], code: str) -> None:
    share = {**SHARE, "spec": spec}
    assert errors_of(lambda: gpuxlate.render(share, "dra-nvidia", profile=profile(mode))) == {code}


def test_an_assumption_is_said() -> None:
    """DRA018, unless a profile says how the driver is set."""
    for amounts in ({}, {"shares": "1"}):
        for mode, codes in ((None, {"DRA018"}), (8, set())):
            found = gpuxlate.parse(asking(NVIDIA, amounts), profile=profile(mode)).diagnostics
            assert {one.code for one in found} == codes, (amounts, mode)


SHARE = {"apiVersion": "gpuxlate.io/v1alpha1", "kind": "GPUShare", "metadata": {"name": "web"}}
SHARES = [{"capacity": {"requests": {"shares": count}}} for count in "128"]
WRITTEN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"replica": {"of": 8, "count": 2}}, SHARES[1]),
    ({"replica": {"strategy": "time-slicing"}}, SHARES[0]),
    ({"cards": 1}, SHARES[2]),  # all clients: nobody else gets any
    (
        {"partition": {"profile": "1g.10gb"}, "replica": {"of": 8}},
        {"deviceClassName": MIG, **PARTITION, **SHARES[0]},
    ),
]


@pytest.mark.parametrize(("spec", "fields"), WRITTEN)
def test_clients_are_written(spec: dict[str, Any], fields: dict[str, Any]) -> None:
    made = gpuxlate.render({**SHARE, "spec": spec}, "dra-nvidia", profile=profile(8))
    [request] = made.objects[1]["spec"]["spec"]["devices"]["requests"]
    assert request["exactly"] == {"deviceClassName": NVIDIA, **fields}
