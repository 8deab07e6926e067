"""The GPU nodes of a cluster, as the backends read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.feature_discovery import labelled, shown
from gpuxlate.backends.live import LiveNode, NodeView, Serves
from gpuxlate.cluster.devices import NO_DEVICES, Devices, devices_of
from gpuxlate.cluster.server import NODES, Json, Server
from gpuxlate.model.messages import say
from gpuxlate.planning.nodes import WHOLE_KEY, GpuNode

_RANK = list(Serves)
_HAMI = "hami.io/node-"
_SPLIT = say("HAMi shares its cards, and counts each several times as {key}", key=WHOLE_KEY)
_HAMI_NODE = NodeView(None, Serves.NOTHING, notes=(_SPLIT,))
"""Project-HAMi, docs/develop/protocol.md: its annotations of nodes. The list of cards cannot be read."""


def gpu_nodes(server: Server, selector: str | None = None) -> list[GpuNode]:
    """The GPU nodes of the cluster, by name."""
    nodes = [one for page in server.pages(NODES, selector=selector) for one in page]
    devices = devices_of(server) if nodes else NO_DEVICES
    found = (gpu_node(one, devices) for one in nodes)
    return sorted((one for one in found if one is not None), key=lambda one: one.name)


def gpu_node(node: Json, devices: Devices = NO_DEVICES) -> GpuNode | None:
    """One node; None where it has nothing to do with GPUs. ``devices``: those of the cluster."""
    live = _live_node(node, devices)
    views = [(one, seen) for one in registry.pod_backends() if (seen := one.node_view(live)) is not None]
    backend: Backend | None = None
    view: NodeView | None = None
    if views:
        # of two that read it alike, the one of its cloud
        backend, view = min(views, key=lambda one: (_RANK.index(one[1].serves), one[0].cloud is None))
    if view is None or view.serves is Serves.NOTHING:
        shared = any(name.startswith(_HAMI) for name in live.annotations)
        plain = _HAMI_NODE if shared and live.amount(WHOLE_KEY) else _whole_cards(live, view)
        if plain is not None:
            backend, view = None, plain
    if view is None:
        return None
    image = ((node.get("status") or {}).get("nodeInfo") or {}).get("osImage")
    return GpuNode(live.name, view, backend, live.labels, image or None, _closed(node))


def _whole_cards(node: LiveNode, view: NodeView | None) -> NodeView | None:
    """A node with NVIDIA's own device plugin, which allocates whole cards, or at least its labels."""
    cards, card = node.amount(WHOLE_KEY), shown(node)
    if not cards:
        if view is not None or not labelled(node):
            return None
        text = say("it has labels of a GPU, but no allocatable {key}", key=WHOLE_KEY)
        return NodeView(None, Serves.NOTHING, notes=(text,))
    return NodeView(
        None,
        Serves.WHOLE,
        mode=view.mode if view else None,
        cards=cards,
        card_mib=card.memory_mib,
        physical_mib=card.memory_mib,
        model=(view.model if view else None) or card.model,
        whole_key=WHOLE_KEY,
    )


def _live_node(node: Json, devices: Devices) -> LiveNode:
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


def _texts(found: Mapping[str, Any] | None) -> dict[str, str]:
    return {name: str(value) for name, value in (found or {}).items()}


def _closed(node: Json) -> str | None:
    """Why the node takes no new pods; None where it does. Taints are not considered."""
    if (node.get("spec") or {}).get("unschedulable"):
        return "it is cordoned"
    for one in (node.get("status") or {}).get("conditions") or ():
        if one.get("type") == "Ready" and one.get("status") != "True":
            return "it is not ready"
    return None
