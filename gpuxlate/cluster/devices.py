"""The devices of nodes that claims can have (``resource.k8s.io``), and what claims have of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from gpuxlate.backends.cluster_nodes import LiveDevice, Taken
from gpuxlate.cluster.server import (
    ApiServer,
    ForbiddenError,
    Json,
    MissingError,
)
from gpuxlate.model.messages import message_of, msg
from gpuxlate.model.pod import (
    CLAIM_VERSIONS,
    CLAIMS_API_GROUP,
)

DeviceId = tuple[str, str, str]
"""A device: its driver, pool and name."""

CLOSING = ("NoSchedule", "NoExecute")
"""Effects of taints that keep claims without a toleration away."""


class ClusterDevices(NamedTuple):
    """The devices by node, and the names of the device classes."""

    by_node: Mapping[str, tuple[LiveDevice, ...]]
    classes: frozenset[str] = frozenset()


NO_CLUSTER_DEVICES = ClusterDevices({})


def devices_of(server: ApiServer) -> ClusterDevices:
    """The devices of a cluster; none where its server has no such API, or where the user may not read them.

    Devices that no single node has (``allNodes``, ``nodeSelector``) are left out. Raises ClusterError.
    """
    for version in CLAIM_VERSIONS:
        api = f"/apis/{CLAIMS_API_GROUP}/{version}"
        try:
            slices = list(_listed(server, f"{api}/resourceslices"))
            if not slices:
                return NO_CLUSTER_DEVICES
            classes = frozenset(
                str(_name(device_class)) for device_class in _listed(server, f"{api}/deviceclasses")
            )
            return ClusterDevices(_by_node(slices, _taken(_listed(server, f"{api}/resourceclaims"))), classes)
        except MissingError:
            continue
        except ForbiddenError as error:
            server.note(msg("{why}: devices of claims are not counted", why=message_of(error)))
            return NO_CLUSTER_DEVICES
    return NO_CLUSTER_DEVICES


def _listed(server: ApiServer, path: str) -> Iterator[Json]:
    for page in server.pages(path):
        yield from page


def _name(manifest: Json) -> Any:
    return (manifest.get("metadata") or {}).get("name")


def _taken(claims: Iterator[Json]) -> dict[DeviceId, list[Taken]]:
    """The allocations of claims, by device. Access of an administrator (``adminAccess``) uses up nothing."""
    takers: dict[DeviceId, list[Taken]] = {}
    for claim in claims:
        status = claim.get("status") or {}
        pods = (each for each in status.get("reservedFor") or () if each.get("resource") == "pods")
        names = tuple(sorted(str(each.get("name")) for each in pods))
        namespace = str(claim["metadata"].get("namespace") or "")
        results = ((status.get("allocation") or {}).get("devices") or {}).get("results") or ()
        for result in results:
            if not result.get("adminAccess"):
                key = (str(result.get("driver")), str(result.get("pool")), str(result.get("device")))
                consumed = result.get("consumedCapacity")
                amounts = None if consumed is None else {name: str(each) for name, each in consumed.items()}
                takers.setdefault(key, []).append(Taken(namespace, str(_name(claim)), names, amounts))
    return takers


def _by_node(slices: list[Json], taken: Mapping[DeviceId, list[Taken]]) -> dict[str, tuple[LiveDevice, ...]]:
    """The devices of the newest generation of each pool, by node."""
    specs = [resource_slice.get("spec") or {} for resource_slice in slices]
    newest: dict[tuple[str, str], int] = {}
    for spec in specs:
        (driver, pool), generation = _pool(spec)
        newest[driver, pool] = max(newest.get((driver, pool), 0), generation)
    devices_by_node: dict[str, list[LiveDevice]] = {}
    for spec in specs:
        (driver, pool), generation = _pool(spec)
        node = spec.get("nodeName")
        if node and generation == newest[driver, pool]:
            devices = (_device(driver, entry) for entry in spec.get("devices") or ())
            devices_by_node.setdefault(str(node), []).extend(
                replace(device, taken=tuple(taken.get((driver, pool, device.name), ()))) for device in devices
            )
    return {
        node: tuple(sorted(each, key=lambda device: device.name)) for node, each in devices_by_node.items()
    }


def _pool(spec: Json) -> tuple[tuple[str, str], int]:
    pool = spec.get("pool") or {}
    return (str(spec.get("driver")), str(pool.get("name"))), int(pool.get("generation") or 0)


def _device(driver: str, entry: Json) -> LiveDevice:
    """A device; ``v1beta1`` has its fields in ``basic``."""
    fields = entry.get("basic") or entry
    attributes = {
        name: str(next(iter(value.values()), "")) for name, value in (fields.get("attributes") or {}).items()
    }
    capacity = {name: str(value.get("value", "")) for name, value in (fields.get("capacity") or {}).items()}
    return LiveDevice(
        driver,
        str(entry.get("name")),
        attributes,
        capacity,
        bool(fields.get("allowMultipleAllocations")),
        any(taint.get("effect") in CLOSING for taint in fields.get("taints") or ()),
        counters=frozenset(str(each.get("counterSet")) for each in fields.get("consumesCounters") or ()),
    )
