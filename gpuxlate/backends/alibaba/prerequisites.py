"""What ACK nodes need for shared GPUs: labels and versions, each with its source."""

from __future__ import annotations

from gpuxlate.backends import requirements as r
from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.messages import say
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share

LABELS = r.Source("ACK, enable-scheduling: labels of GPU nodes", "2026-01-12")
COMPUTE = r.Source("ACK, use-cgpu-to-allocate-computing-power", "2026-03-26")
COMPUTE_ARTICLE = r.Source("developer.aliyun.com/article/1685728")
MULTI = r.Source("ACK, multi-card-sharing-through-shared-gpu-scheduling", "2025-04-19")
POLICY = r.Source("ACK, configure-a-computing-power-allocation-policy-for-gpu-sharing", "2026-03-26")
COMPONENT = r.Source("ACK, install-and-use-ack-ai-installer-and-the-gpu-inspection-tool", "2026-06-23")
NOTES = r.Source("ACK, usage-notes-for-memory-isolation-capability-of-cgpu")
NO_ISOLATION = r.Source("ACK, doc-detail/2523313: GPU sharing without memory isolation", "2026-03-26")
UNIT = r.Source("ACK, modify-the-smallest-allocatable-unit-for-gpu-sharing", "2026-02-28")
POOLS = r.Source("AlibabaCloudDocs/csk, use node pools to control cGPU", "2021")
OPEN_SOURCE = r.Source("AliyunContainerService/gpushare-scheduler-extender, docs/install.md")

_COMPUTE = "a share of memory with compute"
COMPUTE_NEEDS: tuple[r.Requirement, ...] = (
    r.Requirement("Kubernetes", "kubernetesVersion", r.AtLeast("1.20"), COMPUTE, _COMPUTE),
    r.Requirement("cGPU", "components.cgpu", r.AtLeast("1.0.5"), COMPUTE, _COMPUTE),
    # the English page says "later than 1.2.0", an article of the vendor's 1.2.0 or later
    r.Requirement("ack-ai-installer", "components.ackAiInstaller", r.AtLeast("1.2.0"), COMPUTE, _COMPUTE),
)
STABLE_CGPU = r.Requirement(
    "cGPU (1.5.7 and earlier may panic the kernel)",
    "components.cgpu",
    r.AtLeast("1.5.10"),
    NOTES,
    "nodes of mode cgpu or core_mem",
    Severity.WARNING,
)
REQUIREMENTS: tuple[r.Requirement, ...] = (*COMPUTE_NEEDS, STABLE_CGPU)

_CGPU_MODES = ("cgpu", k.CORE_MEM)
"""Modes with the kernel module of cGPU (NOTES)."""
_NOT_RESTORED = r.NodeWarning(
    say("removing {label} does not restore exclusive cards: set it to default", label=k.SCHEDULE), LABELS
)
_SHARED: tuple[r.NodeWarning, ...] = (
    r.NodeWarning("use an ACK Pro cluster", MULTI),
    r.NodeWarning("a node serves one mode, and advertises the resources of that mode only", LABELS),
    r.NodeWarning(
        "all shared GPU nodes of a cluster use one policy (cGPU POLICY), which no label or pod sets", POLICY
    ),
    _NOT_RESTORED,
    r.NodeWarning("set no static CPU policy on nodes that share GPUs", COMPONENT),
    r.NodeWarning(
        say(
            "a card runs at most {most} pods (16 on the page on units, {date})",
            most=k.PODS_PER_CARD,
            date=UNIT.date,
        ),
        COMPONENT,
    ),
)
_CGPU: tuple[r.NodeWarning, ...] = (
    r.NodeWarning("ECS nodes only: do not put the label on others", COMPONENT),
    r.NodeWarning("programs cannot use unified memory (cudaMallocManaged)", COMPONENT),
)
_BY_MODE: dict[str, tuple[r.NodeWarning, ...]] = {
    k.CORE_MEM: (
        *_CGPU,
        r.NodeWarning("pods with compute and pods of memory alone cannot run on the same node", COMPUTE),
        r.NodeWarning(
            "do not label an existing node with kubectl: remove it from the cluster, and add it to a node "
            "pool with the label",
            COMPUTE_ARTICLE,
        ),
    ),
    "cgpu": _CGPU,
    k.SHARE_MODE: (
        r.NodeWarning("memory is counted, not isolated: the program must limit its own memory", NO_ISOLATION),
        r.NodeWarning(
            "a former cgpu node isolates memory until its kernel module is uninstalled and the node is "
            "restarted",
            POOLS,
        ),
    ),
}


def node_needs(share: Share, profile: Profile | None) -> r.NodeNeeds:
    """What the share needs of ACK nodes, or of nodes with the open-source plugin."""
    ack = AlibabaProfile.of(profile)
    if ack.open_source:
        return _open_source(share)
    if share.whole_cards:
        note = "nodes that never had another mode do not need the label"
        return r.NodeNeeds(
            (r.NodeLabel(k.SCHEDULE, k.WHOLE_MODE, note, LABELS, r.Setter.OPTIONAL),),
            warnings=(_NOT_RESTORED,),
            requirements=r.cards_of_a_node(share, LABELS),
        )
    return _shared(share, ack)


def _shared(share: Share, ack: AlibabaProfile) -> r.NodeNeeds:
    mode = ack.isolation if share.cores is None else k.CORE_MEM
    setter = r.Setter.POOL if mode == k.CORE_MEM else r.Setter.YOU
    labels = (
        r.NodeLabel(k.SCHEDULE, mode, "the mode of the node", LABELS, setter),
        r.NodeLabel(
            k.PLACEMENT,
            k.PLACEMENTS[0],
            say(
                "fills one card before the next (the default); {other} spreads pods over cards",
                other=k.PLACEMENTS[1],
            ),
            LABELS,
            r.Setter.OPTIONAL,
        ),
    )
    warnings = [*_BY_MODE.get(mode, ()), *_SHARED]
    if ack.memory_unit_mib == k.SMALL_UNIT_MIB:
        text = say("with units of {unit} MiB, node autoscaling does not work", unit=k.SMALL_UNIT_MIB)
        warnings.append(r.NodeWarning(text, UNIT))
    requirements = [*COMPUTE_NEEDS] if share.cores is not None else []
    if mode in _CGPU_MODES:
        requirements.append(STABLE_CGPU)
    requirements += r.cards_of_a_node(share, MULTI)
    return r.NodeNeeds(labels, warnings=tuple(warnings), requirements=tuple(requirements))


def _open_source(share: Share) -> r.NodeNeeds:
    """Nodes of the open-source plugin, which has neither modes nor isolation."""
    requirements = r.cards_of_a_node(share, OPEN_SOURCE)
    if share.whole_cards:
        remark = r.NodeWarning("whole cards run on nodes without the label gpushare=true", OPEN_SOURCE)
        return r.NodeNeeds(remarks=(remark,), requirements=requirements)
    label = r.NodeLabel("gpushare", "true", "the device plugin runs only on nodes with it", OPEN_SOURCE)
    warning = r.NodeWarning("memory is counted, not isolated", OPEN_SOURCE)
    return r.NodeNeeds((label,), warnings=(warning,), requirements=requirements)
