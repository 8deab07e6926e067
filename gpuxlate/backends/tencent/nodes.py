"""TKE on a live cluster: qGPU nodes, and the cards that the scheduler recorded (keys: S003, EA)."""

from __future__ import annotations

from gpuxlate.backends import live
from gpuxlate.backends.base import GIB
from gpuxlate.backends.tencent import keys as k
from gpuxlate.model.share import Policy

MODULE = "components.qgpuModule"


def view(node: live.LiveNode) -> live.NodeView | None:
    """100 of CORE are a card; MEMORY is the sum of the cards' GiB, each rounded down (QD, EA)."""
    cores, units, label = node.amount(k.CORE), node.amount(k.MEMORY), node.labels.get(k.POLICY)
    enabled = node.labels.get(k.DEVICE_ENABLE) == k.ENABLED
    if not (cores or units or enabled or label is not None):
        return None
    if not (cores and units):
        notes = (f"{k.DEVICE_ENABLE} is enable, but no qGPU is allocatable",) if enabled else ()
        return live.NodeView(k.NAMES[0], live.Serves.NOTHING, notes=notes)
    policy = Policy.BEST_EFFORT if label is None else k.POLICY_OF.get(label)
    card_units, module = live.per_card(units, cores // live.PERCENT), node.labels.get(k.VERSION)
    return live.NodeView(
        k.NAMES[0],
        live.Serves.SHARES,
        policy=policy,
        cards=cores // live.PERCENT,
        card_mib=None if card_units is None else card_units * GIB,
        cores=cores,
        memory_mib=units * GIB,
        labels={**node.labels, **({k.POLICY: str(policy)} if label is not None and policy else {})},
        components={MODULE.removeprefix("components."): module} if module else {},
        notes=() if policy else (f"{k.POLICY} is {label!r}, which is not a policy",),
    )


def placements(pod: live.LivePod, _node: live.NodeView) -> tuple[live.Placement, ...]:
    """The cards of each container."""
    return live.recorded_by_name(pod, k.RECORD)


LIVE = live.Live(
    view,
    placements,
    live.keeps_nobody_out,
    tells={
        "components.qgpu": "the page of the qGPU add-on in the console of TKE",
        MODULE: f"kubectl get nodes -L {k.VERSION}",
        "cards.model": "kubectl exec POD -- nvidia-smi -L, in a pod that has a card of the node",
    },
)
