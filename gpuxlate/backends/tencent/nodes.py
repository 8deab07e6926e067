"""TKE on a live cluster: qGPU nodes, and the cards that the scheduler recorded (keys: S003, EA)."""

from __future__ import annotations

from gpuxlate.backends import requirements as r
from gpuxlate.backends import tencent as k
from gpuxlate.backends.cluster_nodes import (
    LiveNode,
    LivePod,
    NodeOffer,
    NodeView,
    Placement,
    per_card,
    placements_by_name,
)
from gpuxlate.backends.target import GIB, Backend
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import msg
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Policy, Share
from gpuxlate.rules import releases


def node_view(_backend: Backend, node: LiveNode) -> NodeView | None:
    """100 of CORE are a card; MEMORY is the sum of the cards' GiB, each rounded down (QD, EA)."""
    cores, units, label = node.amount(k.CORE), node.amount(k.MEMORY), node.labels.get(k.POLICY)
    enabled = node.labels.get(k.DEVICE_ENABLE) == k.ENABLED
    if not (cores or units or enabled or label is not None):
        return None
    if not (cores and units):
        notes = (f"{k.DEVICE_ENABLE} is enable, but no qGPU is allocatable",) if enabled else ()
        return NodeView(k.NAMES[0], NodeOffer.NOTHING, notes=notes)
    policy = Policy.BEST_EFFORT if label is None else k.POLICY_OF.get(label)
    card_units, module = per_card(units, cores // FULL_CARD_CORES), node.labels.get(k.VERSION)
    return NodeView(
        k.NAMES[0],
        NodeOffer.SHARES,
        policy=policy,
        cards=cores // FULL_CARD_CORES,
        card_mib=None if card_units is None else card_units * GIB,
        cores=cores,
        memory_mib=units * GIB,
        labels={**node.labels, **({k.POLICY: str(policy)} if label is not None and policy else {})},
        components={k.MODULE.removeprefix("components."): module} if module else {},
        notes=() if policy else (f"{k.POLICY} is {label!r}, which is not a policy",),
    )


def placements(_backend: Backend, pod: LivePod, _node: NodeView) -> tuple[Placement, ...]:
    """The cards of each container."""
    return placements_by_name(pod, k.RECORD)


# --- what a share needs of them ---------------------------------------------------------------

SHARING = r.VendorDocument.of(k.DOCUMENTS["S003"])
USING = r.VendorDocument.of("Tencent docs 457/65734, using qGPU (2026-01-16)")
TWO_CARDS = r.VendorDocument.of(k.DOCUMENTS["TC127667"])
CHANGES = r.VendorDocument.of(k.DOCUMENTS["TC117759"])
COLOCATION = r.VendorDocument.of(k.DOCUMENTS["TC81034"])
OLDER = r.VendorDocument.of(k.DOCUMENTS["QD"])

KUBERNETES = r.Requirement(
    "Kubernetes", "kubernetesVersion", r.MinVersion(releases.KUBERNETES, k.MEMORY), SHARING
)
ARCHITECTURE = r.Requirement(
    "the architecture of the cards",
    "cards.model",
    # P4, P40, P100: Pascal, older than the page's list (docs 457/65734, 2026-01-16: GN10X to PNV5b and PNV6)
    r.CardsOf(
        (("Volta", ("V100",)), ("Turing", ("T4",)), ("Ampere", ("A100", "A10")), ("Ada", ("L40", "L40S"))),
        ("P4", "P40", "P100"),
    ),
    USING,
    severity=Severity.WARNING,
)
_TWO = "a share of two cards"
ADDON = r.Requirement("the qGPU add-on", "components.qgpu", r.MinVersion(k.ADDON, k.CORE), TWO_CARDS, _TWO)
_CALLED = msg("the qGPU kernel module (node label {label})", label=k.VERSION)
MODULE = r.Requirement(_CALLED, k.MODULE, r.MinVersion(k.KERNEL_MODULE, k.CORE), CHANGES, _TWO)
REQUIREMENTS: tuple[r.Requirement, ...] = (KUBERNETES, ARCHITECTURE, ADDON, MODULE)

_ALWAYS: tuple[r.NodeWarning, ...] = (
    r.NodeWarning("use native nodes (the pages of 2022-23 allowed ordinary ones too)", USING),
    *(
        r.NodeWarning(text, SHARING)
        for text in (
            "turn on qGPU sharing for the cluster first: GPU nodes that are added later are qGPU nodes",
            "use a public image that TKE supports, preferably TencentOS Server 3.1 (TK4), and no marketplace "
            "image; image and machine type determine the driver",
            "whether pods are packed on few nodes and cards or spread over many (binpack, spread) is a "
            "setting of the qGPU add-on: no key of a pod says it",
            "in an independent cluster, an upgrade of the Kubernetes master resets the scheduler: uninstall "
            "and install the add-on again",
        )
    ),
)
_COLOCATION = "the page of 2025 needs no node label, and rebuilds the qgpu-manager and qgpu-scheduler pods"


def node_requirements(_backend: Backend, share: Share, profile: Profile | None) -> r.NodeNeeds:
    """The needs of a share at TKE nodes."""
    labels: list[r.NodeLabel] = []
    remarks: tuple[r.NodeWarning, ...] = ()
    warnings, requirements = [*_ALWAYS], [KUBERNETES, ARCHITECTURE]
    if share.policy:
        spellings = k.SPELLINGS[share.policy]
        note = msg("the pod chooses nodes with it; the abbreviation {short} is valid too", short=spellings[1])
        labels.append(r.NodeLabel(k.POLICY, spellings[0], note, SHARING))
        requirements.append(r.Requirement("the policy of the nodes", "policy", r.OneOf(spellings), SHARING))
    else:
        text = msg("policy is not set: nodes without {label} are best-effort", label=k.POLICY)
        remarks = (r.NodeWarning(text, SHARING),)
    device = "TKE sets it on qGPU nodes; set it yourself where it is missing"
    labels.append(r.NodeLabel(k.DEVICE_ENABLE, k.ENABLED, device, OLDER, r.Setter.CLOUD))
    if share.qos:
        mixed = "online and offline pods on one card, on the older pages only"
        labels.append(r.NodeLabel(k.MIXED_ENABLE, k.ENABLED, mixed, OLDER, r.Setter.OPTIONAL))
        warnings.append(r.NodeWarning(_COLOCATION, COLOCATION))
    if not share.whole_cards:
        text = msg("a card holds at most {most} qGPU devices", most=k.MAX_SHARES)
        warnings.append(r.NodeWarning(text, SHARING))
        requirements += [ADDON, MODULE] if share.cards > 1 else []
    requirements += r.cards_of_a_node(share, SHARING)
    return r.NodeNeeds(tuple(labels), remarks, tuple(warnings), tuple(requirements))
