"""What ACK nodes need for shared GPUs: labels and versions, each with its source."""

from __future__ import annotations

from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.requirements import (
    AtLeast,
    NodeLabel,
    NodeNeeds,
    NodeWarning,
    Requirement,
    Setter,
    Source,
    cards_of_a_node,
)
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.profile import AlibabaProfile, Profile, alibaba_of
from gpuxlate.model.share import Share

LABELS = Source("ACK, enable-scheduling: labels of GPU nodes", "2026-01-12")
COMPUTE = Source("ACK, use-cgpu-to-allocate-computing-power", "2026-03-26")
COMPUTE_ARTICLE = Source("developer.aliyun.com/article/1685728")
MULTI = Source("ACK, multi-card-sharing-through-shared-gpu-scheduling", "2025-04-19")
POLICY = Source("ACK, configure-a-computing-power-allocation-policy-for-gpu-sharing", "2026-03-26")
COMPONENT = Source("ACK, install-and-use-ack-ai-installer-and-the-gpu-inspection-tool", "2026-06-23")
NOTES = Source("ACK, usage-notes-for-memory-isolation-capability-of-cgpu")
NO_ISOLATION = Source("ACK, doc-detail/2523313: GPU sharing without memory isolation", "2026-03-26")
UNIT = Source("ACK, modify-the-smallest-allocatable-unit-for-gpu-sharing", "2026-02-28")
POOLS = Source("AlibabaCloudDocs/csk, use node pools to control cGPU", "2021")
OPEN_SOURCE = Source("AliyunContainerService/gpushare-scheduler-extender, docs/install.md")

_COMPUTE = "a share of memory with compute"
COMPUTE_NEEDS: tuple[Requirement, ...] = (
    Requirement("Kubernetes", "kubernetesVersion", AtLeast("1.20"), COMPUTE, _COMPUTE),
    Requirement("cGPU", "components.cgpu", AtLeast("1.0.5"), COMPUTE, _COMPUTE),
    # the English page says "later than 1.2.0", an article of the vendor's 1.2.0 or later
    Requirement("ack-ai-installer", "components.ackAiInstaller", AtLeast("1.2.0"), COMPUTE, _COMPUTE),
)
STABLE_CGPU = Requirement(
    "cGPU (1.5.7 and earlier may panic the kernel)",
    "components.cgpu",
    AtLeast("1.5.10"),
    NOTES,
    "nodes of mode cgpu or core_mem",
    Severity.WARNING,
)
REQUIREMENTS: tuple[Requirement, ...] = (*COMPUTE_NEEDS, STABLE_CGPU)

_CGPU_MODES = ("cgpu", k.CORE_MEM)
"""Modes with the kernel module of cGPU (NOTES)."""
_NOT_RESTORED = NodeWarning(
    f"removing {k.SCHEDULE} does not restore exclusive cards: set it to default", LABELS
)
_SHARED: tuple[NodeWarning, ...] = (
    NodeWarning("use an ACK Pro cluster", MULTI),
    NodeWarning("a node serves one mode, and advertises the resources of that mode only", LABELS),
    NodeWarning(
        "all shared GPU nodes of a cluster use one policy (cGPU POLICY), which no label or pod sets", POLICY
    ),
    _NOT_RESTORED,
    NodeWarning("set no static CPU policy on nodes that share GPUs", COMPONENT),
    NodeWarning(
        f"a card runs at most {k.PODS_PER_CARD} pods (16 on the page on units, {UNIT.date})", COMPONENT
    ),
)
_CGPU: tuple[NodeWarning, ...] = (
    NodeWarning("ECS nodes only: do not put the label on others", COMPONENT),
    NodeWarning("programs cannot use unified memory (cudaMallocManaged)", COMPONENT),
)
_BY_MODE: dict[str, tuple[NodeWarning, ...]] = {
    k.CORE_MEM: (
        *_CGPU,
        NodeWarning("pods with compute and pods of memory alone cannot run on the same node", COMPUTE),
        NodeWarning(
            "do not label an existing node with kubectl: remove it from the cluster, and add it to a node "
            "pool with the label",
            COMPUTE_ARTICLE,
        ),
    ),
    "cgpu": _CGPU,
    k.SHARE_MODE: (
        NodeWarning("memory is counted, not isolated: the program must limit its own memory", NO_ISOLATION),
        NodeWarning(
            "a former cgpu node isolates memory until its kernel module is uninstalled and the node is "
            "restarted",
            POOLS,
        ),
    ),
}


def node_needs(share: Share, profile: Profile | None) -> NodeNeeds:
    """What the share needs of ACK nodes, or of nodes with the open-source plugin."""
    ack = alibaba_of(profile)
    if ack.open_source:
        return _open_source(share)
    if share.whole_cards:
        note = "nodes that never had another mode do not need the label"
        return NodeNeeds(
            (NodeLabel(k.SCHEDULE, k.WHOLE_MODE, note, LABELS, Setter.OPTIONAL),),
            warnings=(_NOT_RESTORED,),
            requirements=cards_of_a_node(share, LABELS),
        )
    return _shared(share, ack)


def _shared(share: Share, ack: AlibabaProfile) -> NodeNeeds:
    mode = ack.isolation if share.cores is None else k.CORE_MEM
    setter = Setter.POOL if mode == k.CORE_MEM else Setter.YOU
    labels = (
        NodeLabel(k.SCHEDULE, mode, "the mode of the node", LABELS, setter),
        NodeLabel(
            k.PLACEMENT,
            k.PLACEMENTS[0],
            f"fills one card before the next (the default); {k.PLACEMENTS[1]} spreads pods over cards",
            LABELS,
            Setter.OPTIONAL,
        ),
    )
    warnings = [*_BY_MODE.get(mode, ()), *_SHARED]
    if ack.memory_unit_mib == k.SMALL_UNIT_MIB:
        warnings.append(
            NodeWarning(f"with units of {k.SMALL_UNIT_MIB} MiB, node autoscaling does not work", UNIT)
        )
    requirements = [*COMPUTE_NEEDS] if share.cores is not None else []
    if mode in _CGPU_MODES:
        requirements.append(STABLE_CGPU)
    requirements += cards_of_a_node(share, MULTI)
    return NodeNeeds(labels, warnings=tuple(warnings), requirements=tuple(requirements))


def _open_source(share: Share) -> NodeNeeds:
    """Nodes of the open-source plugin, which has neither modes nor isolation."""
    requirements = cards_of_a_node(share, OPEN_SOURCE)
    if share.whole_cards:
        remark = NodeWarning("whole cards run on nodes without the label gpushare=true", OPEN_SOURCE)
        return NodeNeeds(remarks=(remark,), requirements=requirements)
    label = NodeLabel("gpushare", "true", "the device plugin runs only on nodes with it", OPEN_SOURCE)
    warning = NodeWarning("memory is counted, not isolated", OPEN_SOURCE)
    return NodeNeeds((label,), warnings=(warning,), requirements=requirements)
