"""TKE on a live cluster: qGPU nodes, and the cards that the scheduler recorded (keys: S003, EA)."""

from __future__ import annotations

from gpuxlate.backends.base import GIB
from gpuxlate.backends.live import (
    PERCENT,
    Containers,
    Live,
    LiveNode,
    LivePod,
    NodeView,
    Placement,
    Serves,
    per_card,
    recorded_by_name,
)
from gpuxlate.backends.tencent import keys as k
from gpuxlate.model.share import Policy

RECORD = "tke.cloud.tencent.com/qgpu-pgpu-"
"""Annotation of a scheduled pod, for each container: ``0,1`` (EA)."""
MODULE = "components.qgpuModule"


def view(node: LiveNode) -> NodeView | None:
    """100 of CORE are a card; MEMORY is the sum of the cards' GiB, each rounded down (QD, EA)."""
    cores, units = node.amount(k.CORE), node.amount(k.MEMORY)
    enabled = node.labels.get(k.DEVICE_ENABLE) == "enable"
    if not (cores or units or enabled or k.POLICY in node.labels):
        return None
    if not (cores and units):
        notes = (f"{k.DEVICE_ENABLE} is enable, but no qGPU is allocatable",) if enabled else ()
        return NodeView("tencent-qgpu", Serves.NOTHING, notes=notes)
    label = node.labels.get(k.POLICY)
    policy = k.POLICY_OF.get(label) if label is not None else Policy.BEST_EFFORT
    cards = cores // PERCENT
    card_units = per_card(units, cards)
    module = node.labels.get(k.VERSION)
    spelled = {k.POLICY: k.SPELLINGS[policy][0]} if label is not None and policy else {}
    return NodeView(
        "tencent-qgpu",
        Serves.SHARES,
        policy=policy,
        cards=cards,
        card_mib=None if card_units is None else card_units * GIB,
        cores=cores,
        memory_mib=units * GIB,
        labels={**node.labels, **spelled},
        components={MODULE.removeprefix("components."): module} if module else {},
        notes=() if policy else (f"{k.POLICY} is {label!r}, which is not a policy",),
    )


def placements(pod: LivePod) -> tuple[Placement, ...]:
    """The cards of each container."""
    return recorded_by_name(pod, RECORD)


def keeps_out(node: NodeView, wanted: Containers) -> str | None:
    """Pods choose nodes by their affinity only, which is checked for every target."""
    return None


LIVE = Live(
    view,
    placements,
    keeps_out,
    k.MAX_SHARES,
    tells={
        "components.qgpu": "the page of the qGPU add-on in the console of TKE",
        MODULE: f"kubectl get nodes -L {k.VERSION}",
        "cards.model": "kubectl exec POD -- nvidia-smi -L, in a pod that has a card of the node",
    },
)
