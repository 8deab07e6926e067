"""VKE on a live cluster: mGPU nodes, and the cards that the scheduler recorded (keys: V, S0)."""

from __future__ import annotations

from gpuxlate.backends.limits import ANY
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
from gpuxlate.backends.volcengine import keys as k
from gpuxlate.backends.volcengine.backend import node_mode
from gpuxlate.model.share import Policy

RECORD = "vke.volcengine.com/gpu-index-container-"
"""Annotation of a scheduled pod, for each container: ``1`` or ``2,3`` (V)."""


def view(node: LiveNode) -> NodeView | None:
    """100 of CORE are a card; MEMORY is the MiB of all cards, which have the same size (V)."""
    device = node.labels.get(k.NODE_DEVICE)
    cores, memory = node.amount(k.CORE), node.amount(k.MEMORY)
    if not (cores or memory or device or k.GPU_NAME in node.labels):
        return None
    model = node.labels.get(k.GPU_NAME)
    if not (cores and memory):
        notes = (f"{k.NODE_DEVICE} is mgpu, but no mGPU is allocatable",) if device == "mgpu" else ()
        return NodeView("volcengine-mgpu", Serves.NOTHING, mode=device, model=model, notes=notes)
    label = node.labels.get(k.POLICY)
    policy = k.POLICY_OF.get(label) if label is not None else k.DEFAULT_POLICY
    cards = cores // PERCENT
    labels = {k.POLICY: k.POLICIES[k.DEFAULT_POLICY], **node.labels}
    return NodeView(
        "volcengine-mgpu",
        Serves.SHARES,
        policy=policy,
        mode=device,
        cards=cards,
        card_mib=per_card(memory, cards),
        cores=cores,
        memory_mib=memory,
        model=model,
        labels=labels,
        notes=() if policy else (f"{k.POLICY} {label!r} is not a policy",),
    )


def placements(pod: LivePod, _node: NodeView) -> tuple[Placement, ...]:
    """The cards of each container."""
    return recorded_by_name(pod, RECORD)


def keeps_out(node: NodeView, wanted: Containers) -> str | None:
    """A pod needs nodes of its own policy, unless it requests whole cards only (V)."""
    policy = node_mode([one.share for one in wanted if one.share], None)
    if policy in (ANY, str(node.policy)):
        return None
    return f"its policy is {node.labels.get(k.POLICY)}, the pod requests {k.POLICIES[Policy(policy)]}"


LIVE = Live(
    view,
    placements,
    keeps_out,
    tells={
        "components.mgpuDriver": "the page of the mgpu component in the console of VKE",
        "components.generalWebhook": "the vendor's support: the component is managed and not shown",
    },
)
