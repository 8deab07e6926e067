"""The GPU nodes of a cluster, as the backends read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.cluster_nodes import LiveNode, NodeOffer, NodeView
from gpuxlate.backends.nvidia_device_plugin import card_labels, has_card_labels
from gpuxlate.cluster.devices import CLOSING, NO_CLUSTER_DEVICES, ClusterDevices, devices_of
from gpuxlate.cluster.server import (
    NODES_PATH,
    ApiServer,
    Json,
)
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.messages import msg
from gpuxlate.planning.nodes import CORDONED, GpuNode, Taint

_RANK = list(NodeOffer)

_HAMI = "hami.io/node-"

_SPLIT = msg("HAMi shares its cards, and counts each several times as {key}", key=NVIDIA_GPU)

_HAMI_NODE = NodeView(None, NodeOffer.NOTHING, notes=(_SPLIT,))
"""Project-HAMi, docs/develop/protocol.md: its annotations of nodes. The list of cards cannot be read."""


def gpu_nodes(server: ApiServer, selector: str | None = None) -> list[GpuNode]:
    """The GPU nodes of the cluster, by name."""
    nodes = [node for page in server.pages(NODES_PATH, selector=selector) for node in page]
    return gpu_nodes_of(server, nodes)


def gpu_nodes_of(server: ApiServer, nodes: Sequence[Json]) -> list[GpuNode]:
    """The GPU nodes of some nodes, by name."""
    devices = devices_of(server) if nodes else NO_CLUSTER_DEVICES
    candidates = (gpu_node(node, devices) for node in nodes)
    return sorted((node for node in candidates if node is not None), key=lambda node: node.name)


def gpu_node(node: Json, devices: ClusterDevices = NO_CLUSTER_DEVICES) -> GpuNode | None:
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
        if view is not None or not has_card_labels(node):
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
