"""Koordinator on a live cluster: what its nodes offer, and the cards that its scheduler recorded."""

from __future__ import annotations

from collections.abc import Mapping

from gpuxlate.backends import koordinator as k
from gpuxlate.backends.cluster_nodes import (
    LiveNode,
    LivePod,
    NodeOffer,
    NodeView,
    Placement,
    indexes,
    per_card,
)
from gpuxlate.backends.target import Backend
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.limits import FULL_CARD_CORES

MIB = 2**20
"""Bytes."""
GPUS = "gpu"
"""The cards in the record of a pod, beside other devices."""


def node_view(_backend: Backend, node: LiveNode) -> NodeView | None:
    """100 of CORE are a card, MEMORY the bytes of all cards (CODE)."""
    cores, size = node.amount(k.CORE), node.amount(k.MEMORY)
    if not (cores or size or k.MODEL in node.labels):
        return None
    if not (cores and size):
        return NodeView(k.NAME, NodeOffer.NOTHING, notes=(f"{k.CORE} and {k.MEMORY} are not allocatable",))
    cards = cores // FULL_CARD_CORES
    return NodeView(
        k.NAME,
        NodeOffer.SHARES,
        cards=cards,
        card_mib=per_card(size // MIB, cards),
        cores=cores,
        memory_mib=size // MIB,
        model=node.labels.get(k.MODEL),
        whole_key=NVIDIA_GPU,
        labels=node.labels,
    )


def placements(_backend: Backend, pod: LivePod, _node: NodeView) -> tuple[Placement, ...]:
    """The cards of the pod, for each container that requests some: it has one share (CODE)."""
    held = pod.records.get(k.RECORD, {}).get(GPUS)
    minors = (
        [device.get("minor") for device in held if isinstance(device, Mapping)]
        if isinstance(held, list)
        else []
    )
    cards = indexes(",".join(map(str, minors)))
    if cards is None:
        return ()
    names = (k.SHARED, k.MEMORY, k.RATIO, k.CORE, k.BOTH, NVIDIA_GPU)
    asking = [
        container for container in pod.keys.containers if any(name in container.resources for name in names)
    ]
    return tuple(Placement(container.init, container.index, cards) for container in asking)
