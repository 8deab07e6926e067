"""Huawei CCE on a live cluster: what its nodes offer. No document says what its scheduler records."""

from __future__ import annotations

from gpuxlate.backends import huawei_cce as k
from gpuxlate.backends.cluster_nodes import LiveNode, NodeOffer, NodeView, per_card
from gpuxlate.backends.target import Backend
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.limits import FULL_CARD_CORES


def node_view(_backend: Backend, node: LiveNode) -> NodeView | None:
    """100 of CORE are a card, MEMORY the units of 128 MiB of all cards (VIRTUAL)."""
    cores, units = node.amount(k.CORE), node.amount(k.MEMORY)
    if not (cores or units):
        return None
    if not (cores and units):
        return NodeView(k.NAMES[0], NodeOffer.NOTHING, notes=(f"{k.CORE} or {k.MEMORY} is not allocatable",))
    cards = cores // FULL_CARD_CORES
    card_units = per_card(units, cards)
    return NodeView(
        k.NAMES[0],
        NodeOffer.SHARES,
        cards=cards,
        card_mib=None if card_units is None else card_units * k.UNIT,
        cores=cores,
        memory_mib=units * k.UNIT,
        model=node.labels.get(k.MODEL),
        whole_key=NVIDIA_GPU,
        labels=node.labels,
    )
