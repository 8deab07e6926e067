"""VKE on a live cluster: mGPU nodes, and the cards that the scheduler recorded (keys: V, S0)."""

from __future__ import annotations

from gpuxlate.backends import volcengine as k
from gpuxlate.backends.cluster_nodes import (
    Containers,
    LiveNode,
    LivePod,
    NodeOffer,
    NodeView,
    Placement,
    per_card,
    placements_by_name,
)
from gpuxlate.backends.requirements import (
    AtLeastInMinor,
    MinVersion,
    NodeLabel,
    NodeNeeds,
    NodeWarning,
    NoneOf,
    OneOf,
    Requirement,
    Setter,
    VendorDocument,
    cards_of_a_node,
    model_words,
)
from gpuxlate.backends.scheduling_limits import ANY_MODE
from gpuxlate.backends.target import Backend
from gpuxlate.backends.volcengine import node_mode
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import msg
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Policy, Share
from gpuxlate.rules import releases

RECORD = "vke.volcengine.com/gpu-index-container-"
"""Annotation of a scheduled pod, for each container: ``1`` or ``2,3`` (V)."""


def node_view(_backend: Backend, node: LiveNode) -> NodeView | None:
    """100 of CORE are a card; MEMORY is the MiB of all cards, which have the same size (V)."""
    device = node.labels.get(k.NODE_DEVICE)
    cores, memory = node.amount(k.CORE), node.amount(k.MEMORY)
    if not (cores or memory or device or k.GPU_NAME in node.labels):
        return None
    model = node.labels.get(k.GPU_NAME)
    if not (cores and memory):
        notes = (f"{k.NODE_DEVICE} is mgpu, but no mGPU is allocatable",) if device == "mgpu" else ()
        return NodeView("volcengine-mgpu", NodeOffer.NOTHING, mode=device, model=model, notes=notes)
    label = node.labels.get(k.POLICY)
    policy = k.POLICY_OF.get(label) if label is not None else k.DEFAULT_POLICY
    cards = cores // FULL_CARD_CORES
    labels = {k.POLICY: k.POLICIES[k.DEFAULT_POLICY], **node.labels}
    return NodeView(
        "volcengine-mgpu",
        NodeOffer.SHARES,
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


def placements(_backend: Backend, pod: LivePod, _node: NodeView) -> tuple[Placement, ...]:
    """The cards of each container."""
    return placements_by_name(pod, RECORD)


def keeps_out(_backend: Backend, node: NodeView, containers: Containers) -> str | None:
    """A pod needs nodes of its own policy, unless it requests whole cards only (V)."""
    policy = node_mode([container.share for container in containers if container.share], None)
    if policy in (ANY_MODE, str(node.policy)):
        return None
    text = "its policy is {policy}, the pod requests {wanted}"
    return msg(text, policy=node.labels.get(k.POLICY), wanted=k.POLICIES[Policy(policy)])


# --- what a share needs of them ---------------------------------------------------------------

APPS = VendorDocument.of(k.DOCUMENTS["S0"])
COLOCATION_PAGE = VendorDocument.of(k.DOCUMENTS["S1"])
CHANGES = VendorDocument.of(k.DOCUMENTS["R"])
SAMPLES = VendorDocument.of(k.DOCUMENTS["A"])
WEBHOOK = VendorDocument.of(
    "volcano-sh/volcano, pull request 3030, the vendor's webhook and scheduler (2024-03)"
)

KUBERNETES = AtLeastInMinor(releases.KUBERNETES, k.RECLAIMED_CORE)
COLOCATION: tuple[Requirement, ...] = tuple(
    Requirement(title, field, bound, COLOCATION_PAGE, "online and offline work on one card")
    for title, field, bound in (
        ("Kubernetes", "kubernetesVersion", KUBERNETES),
        ("the mGPU driver", "components.mgpuDriver", MinVersion(k.DRIVER, k.RECLAIMED_CORE)),
        ("the mgpu component", "components.mgpu", MinVersion(k.MGPU, k.RECLAIMED_CORE)),
        ("general-webhook", "components.generalWebhook", MinVersion(k.WEBHOOK, k.RECLAIMED_CORE)),
        ("the node image", "nodeImage", NoneOf(("velinux2.0", "ubuntu22.04"))),
    )
)
SEVERAL_CARDS = Requirement(
    "the mgpu component",
    "components.mgpu",
    MinVersion(k.MGPU, k.MULTIPLE_GPU),
    CHANGES,
    "a share of several cards",
)
LARGE_CARDS = Requirement(
    "the mgpu component",
    "components.mgpu",
    MinVersion(k.MGPU, k.MEMORY),
    CHANGES,
    "cards with much memory, such as H20",
)
REQUIREMENTS: tuple[Requirement, ...] = (*COLOCATION, SEVERAL_CARDS, LARGE_CARDS)

LARGE_CARD_MODEL = "H20"
LARGE_CARD_ABOVE_MIB = k.MULTI_CARD_MAX_MIB
"""CHANGES gives no size: this is the former maximum of a card (H20: about 96 GiB)."""

_POLICY_WARNINGS = (
    "after a change of the policy, restart every mGPU node of the pool; a new pool with the label "
    "needs no restart",
    msg("{label} is a system label: once it is on a node, its value cannot be edited", label=k.POLICY),
    "existing nodes get the label only if the node pool's switch for updating labels and taints is on; "
    "otherwise they may keep another policy",
)
DEVICE_NOTE = "nodes of an mGPU node pool have it; whether users may set it is not documented"
_ECS_ONLY = NodeWarning("mGPU runs on ECS nodes only, not on elastic containers (VCI)", APPS)
_COLOCATION_WARNINGS = (
    "nodes with the images velinux2.0 or ubuntu22.04 do not support colocation",
    "colocation is in public beta; a new cluster is recommended, the vendor's support upgrades an "
    "existing one (general-webhook is managed and not shown in the console)",
    "memory is not preempted: offline memory must fit beside online memory",
)


def node_requirements(_backend: Backend, share: Share, profile: Profile | None) -> NodeNeeds:
    """The needs of a share at VKE nodes."""
    several = share.cards > 1 and not share.whole_cards
    labels = [NodeLabel(k.NODE_DEVICE, "mgpu", DEVICE_NOTE, WEBHOOK, Setter.CLOUD)]
    remarks: list[NodeWarning] = []
    warnings: list[NodeWarning] = []
    requirements: list[Requirement] = []
    if share.whole_cards:
        remarks.append(NodeWarning("whole cards run on nodes of any policy", WEBHOOK))
    else:
        policy = share.policy or Policy.FIXED_SHARE
        name = k.POLICIES[policy]
        if share.policy:
            labels.insert(0, NodeLabel(k.POLICY, name, "the policy of all cards of the node", APPS))
            warnings += [NodeWarning(text, APPS) for text in _POLICY_WARNINGS]
        else:
            text = msg(
                "the policy is not set: nodes without {label} are {policy}", label=k.POLICY, policy=name
            )
            remarks.append(NodeWarning(text, APPS))
        # a profile may use gpuxlate's names or the vendor's
        requirements.append(
            Requirement("the policy of the nodes", "policy", OneOf((name, str(policy))), APPS)
        )
        if several and policy is not Policy.BEST_EFFORT:
            best_effort = k.POLICIES[Policy.BEST_EFFORT]
            text = msg("several shared cards need {policy} on the pod and on its node", policy=best_effort)
            warnings.append(NodeWarning(text, WEBHOOK))
        text = msg("a card holds at most {most} containers", most=k.INSTANCES_PER_CARD)
        warnings.append(NodeWarning(text, WEBHOOK))
    if profile and profile.cards.model:
        remarks.append(
            NodeWarning(
                msg(
                    "nodes have their card model in the label {label}, such as NVIDIA-A10; "
                    "choose {model} by it",
                    label=k.GPU_NAME,
                    model=profile.cards.model,
                ),
                SAMPLES,
            )
        )
    warnings.append(_ECS_ONLY)
    requirements += cards_of_a_node(share, WEBHOOK)
    if share.qos:
        warnings += [NodeWarning(text, COLOCATION_PAGE) for text in _COLOCATION_WARNINGS]
        requirements += COLOCATION
    if several:
        requirements.append(SEVERAL_CARDS)
    if profile is None or is_large(profile.cards):
        requirements.append(LARGE_CARDS)
    return NodeNeeds(tuple(labels), tuple(remarks), tuple(warnings), tuple(requirements))


def is_large(cards: CardProfile) -> bool:
    """Whether cards need LARGE_CARDS, by their model or their memory."""
    by_model = cards.model is not None and LARGE_CARD_MODEL in model_words(cards.model)
    return by_model or (cards.memory_mib is not None and cards.memory_mib > LARGE_CARD_ABOVE_MIB)
