"""The devices of nodes that claims can have (``resource.k8s.io``), and what claims have of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import quote

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.cluster_nodes import LiveDevice, LiveNode, LivePod, NodeOffer, NodeView, Taken
from gpuxlate.backends.nvidia_device_plugin import card_labels, labelled
from gpuxlate.backends.pod_reader import PodReader
from gpuxlate.cluster.server import (
    ENDED,
    NODES,
    PODS,
    ApiServer,
    ChoiceError,
    ClusterError,
    ForbiddenError,
    Json,
    MissingError,
)
from gpuxlate.manifest.objects import REQUIRED_AFFINITY
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.messages import message_of, msg
from gpuxlate.model.pod import (
    GROUP,
    VERSIONS,
    ContainerKeys,
    NodeRequirement,
    PodKeys,
    ScalarKind,
    Value,
    in_lists,
)
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.planning.ledger import GpuPod, GpuUsage, number_of, usage_by_node
from gpuxlate.planning.nodes import CORDONED, GpuNode, Taint, unit_profile

CLOSING = ("NoSchedule", "NoExecute")
"""Effects of taints that keep claims without a toleration away."""
Key = tuple[str, str, str]
"""A device: its driver, pool and name."""


class ClusterDevices(NamedTuple):
    """The devices by node, and the names of the device classes."""

    by_node: Mapping[str, tuple[LiveDevice, ...]]
    classes: frozenset[str] = frozenset()


NO_DEVICES = ClusterDevices({})


def devices_of(server: ApiServer) -> ClusterDevices:
    """The devices of a cluster; none where its server has no such API, or where the user may not read them.

    Devices that no single node has (``allNodes``, ``nodeSelector``) are left out. Raises ClusterError.
    """
    for version in VERSIONS:
        api = f"/apis/{GROUP}/{version}"
        try:
            slices = list(_listed(server, f"{api}/resourceslices"))
            if not slices:
                return NO_DEVICES
            classes = frozenset(
                str(_name(device_class)) for device_class in _listed(server, f"{api}/deviceclasses")
            )
            return ClusterDevices(_by_node(slices, _taken(_listed(server, f"{api}/resourceclaims"))), classes)
        except MissingError:
            continue
        except ForbiddenError as error:
            server.note(msg("{why}: devices of claims are not counted", why=message_of(error)))
            return NO_DEVICES
    return NO_DEVICES


def _listed(server: ApiServer, path: str) -> Iterator[Json]:
    for page in server.pages(path):
        yield from page


def _name(manifest: Json) -> Any:
    return (manifest.get("metadata") or {}).get("name")


def _taken(claims: Iterator[Json]) -> dict[Key, list[Taken]]:
    """What allocated claims have, by device. Access of an administrator takes nothing."""
    takers: dict[Key, list[Taken]] = {}
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


def _by_node(slices: list[Json], taken: Mapping[Key, list[Taken]]) -> dict[str, tuple[LiveDevice, ...]]:
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


# The GPU nodes of a cluster, as the backends read them.
_RANK = list(NodeOffer)
_HAMI = "hami.io/node-"
_SPLIT = msg("HAMi shares its cards, and counts each several times as {key}", key=NVIDIA_GPU)
_HAMI_NODE = NodeView(None, NodeOffer.NOTHING, notes=(_SPLIT,))
"""Project-HAMi, docs/develop/protocol.md: its annotations of nodes. The list of cards cannot be read."""


def gpu_nodes(server: ApiServer, selector: str | None = None) -> list[GpuNode]:
    """The GPU nodes of the cluster, by name."""
    nodes = [node for page in server.pages(NODES, selector=selector) for node in page]
    return gpu_nodes_of(server, nodes)


def gpu_nodes_of(server: ApiServer, nodes: Sequence[Json]) -> list[GpuNode]:
    """The GPU nodes of some nodes, by name."""
    devices = devices_of(server) if nodes else NO_DEVICES
    candidates = (gpu_node(node, devices) for node in nodes)
    return sorted((node for node in candidates if node is not None), key=lambda node: node.name)


def gpu_node(node: Json, devices: ClusterDevices = NO_DEVICES) -> GpuNode | None:
    """One node; None where it has nothing to do with GPUs. ``devices``: those of the cluster."""
    live = _live_node(node, devices)
    views = [
        (dialect, seen)
        for dialect in registry.pod_backends()
        if (seen := dialect.node_view(live)) is not None
    ]
    backend: Backend | None = None
    view: NodeView | None = None
    if views:
        # of two that read it alike, the one of its cloud
        backend, view = min(views, key=lambda pair: (_RANK.index(pair[1].serves), pair[0].cloud is None))
    if view is None or view.serves is NodeOffer.NOTHING:
        shared = any(name.startswith(_HAMI) for name in live.annotations)
        plain = _HAMI_NODE if shared and live.amount(NVIDIA_GPU) else _whole_cards(live, view)
        if plain is not None:
            backend, view = None, plain
    if view is None:
        return None
    image = ((node.get("status") or {}).get("nodeInfo") or {}).get("osImage")
    return GpuNode(live.name, view, backend, live.labels, image or None, _closed(node), tuple(_taints(node)))


def _whole_cards(node: LiveNode, view: NodeView | None) -> NodeView | None:
    """A node with NVIDIA's own device plugin, which allocates whole cards, or at least its labels."""
    cards, card = node.amount(NVIDIA_GPU), card_labels(node)
    if not cards:
        if view is not None or not labelled(node):
            return None
        text = msg("it has labels of a GPU, but no allocatable {key}", key=NVIDIA_GPU)
        return NodeView(None, NodeOffer.NOTHING, notes=(text,))
    return NodeView(
        None,
        NodeOffer.WHOLE,
        mode=view.mode if view else None,
        cards=cards,
        card_mib=card.memory_mib,
        physical_mib=card.memory_mib,
        model=(view.model if view else None) or card.model,
        whole_key=NVIDIA_GPU,
    )


def _live_node(node: Json, devices: ClusterDevices) -> LiveNode:
    """A node of the server as backends read it."""
    name = str(node["metadata"]["name"])
    return LiveNode(
        name,
        _texts(node["metadata"].get("labels")),
        _texts((node.get("status") or {}).get("allocatable")),
        _texts(node["metadata"].get("annotations")),
        devices.by_node.get(name, ()),
        devices.classes,
    )


def _texts(mapping: Mapping[str, Any] | None) -> dict[str, str]:
    return {name: str(value) for name, value in (mapping or {}).items()}


OF_CLOSED = "node.kubernetes.io/"
"""Taints of Kubernetes' own: of what ``_closed`` says."""


def _taints(node: Json) -> Iterator[Taint]:
    for taint in (node.get("spec") or {}).get("taints") or ():
        key, effect = str(taint.get("key") or ""), str(taint.get("effect") or "")
        if effect in CLOSING and not key.startswith(OF_CLOSED):
            yield Taint(key, str(taint.get("value") or ""), effect)


def _closed(node: Json) -> str | None:
    """Why the node takes no new pods; None where it does. Its taints are apart."""
    if (node.get("spec") or {}).get("unschedulable"):
        return CORDONED
    for condition in (node.get("status") or {}).get("conditions") or ():
        if condition.get("type") == "Ready" and condition.get("status") != "True":
            return "it is not ready"
    return None


# Pods of a server as the backends read them, and the share of a running container.
def usage_of(server: ApiServer, nodes: Sequence[GpuNode]) -> GpuUsage:
    """The books of a cluster. Its pods are read page by page; those without GPUs are not kept."""
    return usage_by_node(nodes, pods_of(server))


def pods_of(server: ApiServer) -> Iterator[GpuPod]:
    """The pods of a server that request GPUs, read page by page."""
    return gpu_pods(pod for page in server.pages(PODS) for pod in page)


def gpu_pods(pods: Iterable[Json]) -> Iterator[GpuPod]:
    """Of the pods of a server, those that request GPUs and have not finished."""
    for pod in pods:
        if (pod.get("status") or {}).get("phase") not in ENDED and _asks_for_gpus(pod):
            metadata = pod["metadata"]
            node = str((pod.get("spec") or {}).get("nodeName") or "")
            yield GpuPod(str(metadata.get("namespace", "")), str(metadata["name"]), node, _live_pod(pod))


def _live_pod(pod: Json) -> LivePod:
    """A pod with its keys, and the annotations that hold JSON objects."""
    keys = keys_of_pod(pod)
    records = {}
    for name, value in keys.annotations.items():
        if value.text.startswith("{") and len(value.text) < 100_000:
            record = _json(value.text)
            if isinstance(record, dict):
                records[name] = record
    conditions = (pod.get("status") or {}).get("conditions") or ()
    done = any(
        (condition.get("type"), condition.get("status")) == ("Initialized", "True")
        for condition in conditions
    )
    return LivePod(keys, records, initialized=done)


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def keys_of_pod(pod: Json) -> PodKeys:
    """The keys of a pod, as the reader of manifests gives them."""
    spec, metadata = pod.get("spec") or {}, pod.get("metadata") or {}
    containers = [
        _container(container, index, init)
        for init, name in ((True, "initContainers"), (False, "containers"))
        for index, container in enumerate(spec.get(name) or ())
    ]
    return PodKeys(
        *in_lists(containers),
        labels=_values(metadata.get("labels"), ("metadata", "labels")),
        annotations=_values(metadata.get("annotations"), ("metadata", "annotations")),
        node_selector=_values(spec.get("nodeSelector"), ("spec", "nodeSelector")),
        affinity=tuple(_terms(spec)),
        path=("spec",),
        metadata_path=("metadata",),
    )


def _container(container: Json, index: int, init: bool) -> ContainerKeys:
    path: Path = ("spec", "initContainers" if init else "containers", index)
    resources = container.get("resources") or {}
    env = {str(item.get("name")): item.get("value", "") for item in container.get("env") or ()}
    return ContainerKeys(
        str(container.get("name", "")),
        index,
        init,
        _values(resources.get("limits"), (*path, "resources", "limits")),
        _values(resources.get("requests"), (*path, "resources", "requests")),
        _values(env, (*path, "env")),
        path,
        sidecar=init and container.get("restartPolicy") == "Always",
    )


def _terms(spec: Json) -> Iterator[tuple[NodeRequirement, ...]]:
    terms: Any = spec
    for step in REQUIRED_AFFINITY:
        terms = (terms or {}).get(step)
    for number, term in enumerate(terms or ()):
        path = ("spec", *REQUIRED_AFFINITY, number, "matchExpressions")
        yield tuple(
            NodeRequirement(
                expression["key"],
                expression["operator"],
                tuple(expression.get("values") or ()),
                (*path, index),
            )
            for index, expression in enumerate(term.get("matchExpressions") or ())
        )


def _values(mapping: Mapping[str, Any] | None, path: Path) -> dict[str, Value]:
    return {
        name: Value(str(value), ScalarKind.INT if isinstance(value, int) else ScalarKind.STR, (*path, name))
        for name, value in (mapping or {}).items()
    }


@cache
def _asks_for_gpu(resource: str) -> bool:
    whole = (backend.whole_card_key for backend in registry.pod_backends())
    return resource in whole or registry.is_gpu_key(resource)


def _asks_for_gpus(pod: Json) -> bool:
    """Some container of the pod requests a share in a known dialect, or whole cards."""
    return any(
        _asks_for_gpu(name)
        for kind in ("containers", "initContainers")
        for container in (pod.get("spec") or {}).get(kind) or ()
        for name in (container.get("resources") or {}).get("limits") or ()
    )


# --- running containers --------------------------------------------------------------------------
NVIDIA_SMI = ["nvidia-smi", "--query-gpu=index,name,memory.total,memory.used", "--format=csv"]
"""Every version of nvidia-smi has these columns."""


@record
class Running:
    """A running container with its share; ``profile`` is that of its node."""

    namespace: str
    pod: str
    container: str
    share: Share
    backend: Backend | None
    profile: Profile | None
    card_mib: int | None


def running(server: ApiServer, name: str, namespace: str, container: str | None) -> Running:
    """The share of a pod's container. Raises ClusterError where there is none, or more than one."""
    name = name.removeprefix("pod/").removeprefix("pods/")
    pod = server.get(f"/api/v1/namespaces/{quote(namespace, safe='')}/pods/{quote(name, safe='')}")
    phase = (pod.get("status") or {}).get("phase")
    if phase != "Running":
        raise ClusterError(
            msg(
                "pod {namespace}/{name} is not running: {value}",
                namespace=namespace,
                name=name,
                value=phase or "not started",
            ),
            msg("kubectl describe pod -n {namespace} {name} shows why", namespace=namespace, name=name),
        )
    node = gpu_node(server.get(f"{NODES}/{quote(pod['spec']['nodeName'], safe='')}"))
    keys = keys_of_pod(pod)
    backend = _dialect(keys, node)
    shares = _shares(keys, backend, node)
    if not shares:
        raise ClusterError(
            msg("pod {namespace}/{name} requests no GPU in a known dialect", namespace=namespace, name=name),
            "gpuxlate targets shows the keys of each dialect",
        )
    chosen = container or next(iter(shares))
    if chosen not in shares or (container is None and len(shares) > 1):
        wrong = msg("has {count} shares", count=len(shares))
        if container:
            wrong = msg("has no share in container {name}", name=chosen)
        raise ChoiceError(
            msg("pod {namespace}/{name} {wrong}", namespace=namespace, name=name, wrong=wrong),
            msg("pass -c, one of: {names}", names=", ".join(shares)),
        )
    physical = node.view.physical_mib if node else None
    return Running(
        namespace,
        name,
        chosen,
        shares[chosen],
        backend,
        node.profile() if node and backend and node.backend is backend else None,
        physical,
    )


def _dialect(keys: PodKeys, node: GpuNode | None) -> Backend | None:
    """The dialect of the pod: that of its node where the pod has several."""
    dialects = registry.backends_of(keys)
    if node is not None and node.backend in dialects:
        return node.backend
    return dialects[0] if dialects else None


def _shares(keys: PodKeys, backend: Backend | None, node: GpuNode | None) -> dict[str, Share]:
    if backend is not None:
        profile = unit_profile(node.view) if node and node.backend is backend else None
        containers = backend.read(PodReader(keys, profile), profile).containers
        return {
            container.name: container.share
            for container in containers
            if container.share and not container.init
        }
    counted = node.view.counted if node else ()
    return {
        container.name: row.share(count)
        for container in keys.containers
        for row in counted
        if (count := number_of(PodKeys(containers=(container,)), row.key))
    }


def printed(server: ApiServer, where: Running) -> str:
    """The output of nvidia-smi in the container. Raises ClusterError."""
    return server.exec(where.namespace, where.pod, where.container, NVIDIA_SMI)
