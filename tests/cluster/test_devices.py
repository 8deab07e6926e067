"""Nodes by their ResourceSlices, and what claims have of each card."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpuxlate.cluster.server import ForbiddenError
from tests.cluster.conftest import Run
from tests.cluster.fake import FakeServer

API = "/apis/resource.k8s.io/v1"
HAMI, NVIDIA = "hami-core-gpu.project-hami.io", "gpu.nvidia.com"
NODE = {"metadata": {"name": "n1", "labels": {}}}


def device(
    name: str, memory: str = "24Gi", *, shared: bool = True, kind: str = "hami-gpu", **more: Any
) -> Any:
    return {
        "name": name,
        "attributes": {"type": {"string": kind}, "productName": {"string": "A10"}},
        "capacity": {"cores": {"value": "100"}, "memory": {"value": memory}},
        **({"allowMultipleAllocations": True} if shared else {}),
        **more,
    }


def piece(devices: list[Any], driver: str = HAMI, generation: int = 1, node: str = "n1") -> Any:
    pool = {"name": node, "generation": generation, "resourceSliceCount": 1}
    spec = {"driver": driver, "nodeName": node, "pool": pool, "devices": devices}
    return {"metadata": {"name": "s"}, "spec": spec}


def claim(
    name: str, on: str, consumed: dict[str, str] | None, *pods: str, driver: str = HAMI, **more: Any
) -> Any:
    result = {"request": "gpu", "driver": driver, "pool": "n1", "device": on, "shareID": name, **more}
    if consumed is not None:
        result["consumedCapacity"] = consumed
    reserved = [{"resource": "pods", "name": pod, "uid": pod} for pod in pods]
    status = {"allocation": {"devices": {"results": [result]}}, "reservedFor": reserved}
    return {"metadata": {"name": name, "namespace": "ml"}, "status": status}


def server(
    slices: list[Any], claims: list[Any], classes: tuple[str, ...] = (HAMI, NVIDIA), api: str = API
) -> FakeServer:
    made = FakeServer([NODE])
    made.lists = {
        f"{api}/resourceslices": slices,
        f"{api}/resourceclaims": claims,
        f"{api}/deviceclasses": [{"metadata": {"name": name}} for name in classes],
    }
    return made


def nodes(run: Run, one: FakeServer) -> dict[str, Any]:
    ran = run(one, "nodes -o json")
    assert ran.code == 0, ran.err
    [item] = json.loads(ran.out)["items"]
    return dict(item)


SHARE = {"cores": "30", "memory": "4Gi"}
CLAIMS = [
    claim("a", "gpu-0", SHARE, "web-1"),
    claim("b", "gpu-0", {f"{HAMI}/cores": "0", f"{HAMI}/memory": "3000Mi"}, "web-2", "web-3"),
    claim("c", "gpu-1", {"cores": "100", "memory": "24Gi"}, "train"),
    claim("d", "gpu-1", SHARE, "doctor", adminAccess=True),
    {"metadata": {"name": "waits", "namespace": "ml"}},
]


@pytest.mark.parametrize("version", ["v1", "v1beta2", "v1beta1"])
def test_what_claims_leave(run: Run, version: str) -> None:
    """Capacity minus what is consumed, once for a claim of two pods; an older generation is not there."""
    devices = [device("gpu-0"), device("gpu-1"), device("gpu-2")]
    if version == "v1beta1":
        devices = [{"name": one.pop("name"), "basic": one} for one in devices]
    slices = [piece(devices, generation=2), piece([device("gone")], generation=1)]
    there = server(slices, CLAIMS, api=f"/apis/resource.k8s.io/{version}")
    found = nodes(run, there)
    assert (found["target"], found["serves"], found["model"]) == ("dra-hami", "shares", "A10")
    assert (found["cards"], found["cardMiB"], found["notes"]) == (3, 24576, [])
    assert found["free"] == {"cores": 170, "memoryMiB": 2 * 24576 - 4096 - 3000, "cards": 1}
    cards = json.loads(run(there, "capacity -o json").out)["nodes"][0]["cards"]
    taken = [(30, 7096, False), (100, 24576, True), (0, 0, False)]
    assert [(one["cores"], one["memoryMiB"], one["whole"]) for one in cards] == taken
    held = [("web-1", "claim a"), ("web-2, web-3", "claim b")]
    assert [(one["pod"], one["container"]) for one in cards[0]["held"]] == held
    text = run(there, "capacity --pods").out
    assert "ml/web-1 claim a: 30 %, 4096 MiB" in text
    assert "ml/train claim c: the whole card" in text
    room = json.loads(run(there, "plan -o json").out)["targets"]
    assert [(one["target"], one["emptyCards"], one["coresFree"]) for one in room] == [("dra-hami", 1, 170)]


def test_cards_that_are_not_shared(run: Run) -> None:
    """A claim has all of the card, whatever it requests; a device of MIG is no card."""
    devices = [device(f"gpu-{n}", shared=False, kind="gpu") for n in range(2)]
    mig = device("mig-0", kind="mig", shared=False)
    claims = [claim("a", "gpu-0", None, "train", driver=NVIDIA)]
    found = nodes(run, server([piece([*devices, mig], NVIDIA)], claims))
    assert (found["target"], found["mode"], found["cards"]) == ("dra-nvidia", "exclusive", 2)
    assert found["free"] == {"cores": None, "memoryMiB": 24576, "cards": 1}
    assert found["notes"] == ["1 device is not counted: no cards"]


SIZES = "its cards differ: 24576 to 49152 MiB; the smallest is counted"
MIXED = "1 device is not counted: not shared, beside cards that are"
SAID: list[tuple[Any, tuple[str, ...], int, list[str]]] = [
    (device("b", "48Gi"), (HAMI,), 2, [SIZES]),
    (device("b", shared=False), (HAMI,), 1, [MIXED]),
    (device("b", taints=[{"effect": "NoSchedule"}]), (HAMI,), 1, ["1 device is not counted: tainted"]),
    (device("b", taints=[{"effect": "None"}]), (HAMI,), 2, []),
    (device("b"), (), 2, [f"the cluster has no DeviceClass {HAMI}, which claims would name"]),
]


def test_what_is_said_of_a_node(run: Run) -> None:
    for other, classes, cards, notes in SAID:
        found = nodes(run, server([piece([device("a"), other])], [], classes))
        assert (found["cards"], found["notes"]) == (cards, notes), other


def test_a_server_without_claims_and_one_that_refuses(run: Run) -> None:
    """Nothing is said of an API that is not there; what may not be read is one line, and no error."""
    for one in (FakeServer([NODE]), server([], [])):
        ran = run(one, "nodes")
        assert (ran.code, one.notes) == (0, [])
        assert "no GPU nodes" in ran.err
    for what in ("resourceslices", "resourceclaims"):
        refusing = server([piece([device("a")])], [])
        refusing.refused[f"{API}/{what}"] = ForbiddenError(f"user x may not list {what} across the cluster")
        assert run(refusing, "nodes").code == 0
        assert refusing.notes == [
            f"user x may not list {what} across the cluster: devices of claims are not counted"
        ]
