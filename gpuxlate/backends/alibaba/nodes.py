"""ACK on a live cluster: nodes of each mode, and the cards that the scheduler recorded.

Keys: LBL for nodes; ARENA (``pkg/apis/utils/pods.go``) and OSS (``const.go``) for records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from gpuxlate.backends import alibaba as k
from gpuxlate.backends import requirements as r
from gpuxlate.backends.alibaba import DEFAULT_UNIT_MIB, AlibabaProfile, NodeIsolation
from gpuxlate.backends.cluster_nodes import (
    Containers,
    LiveNode,
    LivePod,
    MergeNodeValues,
    NodeOffer,
    NodeView,
    Placement,
    indexes,
    per_card,
)
from gpuxlate.backends.target import Backend
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.messages import msg
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.rules import releases

RECORD = "scheduler.framework.gpushare.allocation"
"""Annotation of a scheduled pod: ``{"<container>": {"<card>": <units>}}`` (ARENA)."""
OLD_RECORD = "ALIYUN_COM_GPU_MEM_IDX"
"""Annotation of the open-source scheduler: the one card of the pod (OSS)."""
OPEN_SOURCE_LABEL = "gpushare"
OPEN_SOURCE_MODE = "open source"
"""Not the vendor's word: what nodes of the open-source plugin are called here."""
NAME, CARD_MIB, CARDS = k.ACCELERATORS
UNITS_MIB = (DEFAULT_UNIT_MIB, k.SMALL_UNIT_MIB, 1)
"""Units of gpu-mem that exist: GiB, 128 MiB (UNIT), and MiB of the open-source plugin (OSS)."""
_WHOLE_KEYS = {k.WHOLE_MODE: NVIDIA_GPU, "topology": k.TOPOLOGY}


def node_view(_backend: Backend, node: LiveNode) -> NodeView | None:
    """A node serves one mode, by its label; the open-source plugin has its own label."""
    mode = node.labels.get(k.SCHEDULE)
    open_source = mode is None and node.labels.get(OPEN_SOURCE_LABEL) == "true"
    units = node.amount(k.MEMORY)
    accelerated = any(name in node.labels for name in k.ACCELERATORS)
    if not (mode or open_source or units or accelerated):
        return None
    cards = node.amount(k.COUNT) or _number(node.labels.get(CARDS))
    physical = _number(node.labels.get(CARD_MIB))
    model = node.labels.get(NAME)
    if units:
        return _shared(node, mode, open_source, cards, physical, model)
    whole_key = _WHOLE_KEYS.get(mode or k.WHOLE_MODE)
    whole = node.amount(whole_key) if whole_key and not open_source else 0
    if whole:
        return NodeView(
            k.NAMES[0],
            NodeOffer.WHOLE,
            mode=mode or k.WHOLE_MODE,
            cards=whole,
            card_mib=physical,
            physical_mib=physical,
            model=model,
            whole_key=whole_key,
            labels={k.SCHEDULE: k.WHOLE_MODE, **node.labels},
        )
    return NodeView(
        k.NAMES[0], NodeOffer.NOTHING, mode=mode, cards=cards, model=model, notes=_why(mode, open_source)
    )


def _why(mode: str | None, open_source: bool) -> tuple[str, ...]:
    if mode and mode not in k.MODES:
        return (f"{k.SCHEDULE} is {mode!r}, which is not a mode",)
    label = f"{OPEN_SOURCE_LABEL} is true" if open_source else f"{k.SCHEDULE} is {mode}"
    return (f"{label}, but no {k.MEMORY} is allocatable",) if mode in k.ISOLATION_MODES or open_source else ()


def _shared(
    node: LiveNode,
    mode: str | None,
    open_source: bool,
    cards: int | None,
    physical: int | None,
    model: str | None,
) -> NodeView:
    units = node.amount(k.MEMORY)
    on_card = per_card(units, cards)
    unit = infer_unit_mib(on_card, physical)
    nominal = unit or DEFAULT_UNIT_MIB
    notes = []
    if unit is None:
        notes.append(
            f"the unit of {k.MEMORY} is not known from the node; {DEFAULT_UNIT_MIB} MiB is the default"
        )
    if cards is None:
        notes.append(f"the number of cards is not known ({k.COUNT}, {CARDS})")
    isolation = cast(NodeIsolation, mode) if mode in k.ISOLATION_MODES else AlibabaProfile().isolation
    return NodeView(
        k.NAMES[0],
        NodeOffer.SHARES,
        mode=mode or (OPEN_SOURCE_MODE if open_source else None),
        cards=cards,
        card_mib=None if on_card is None else on_card * nominal,
        physical_mib=physical,
        unit_mib=unit,
        cores=node.amount(k.CORE) if mode == k.CORE_MEM else None,
        memory_mib=units * nominal,
        model=model,
        labels={k.PLACEMENT: k.PLACEMENTS[0], **node.labels},
        extension=AlibabaProfile(nominal, isolation, open_source),
        nominal_mib=nominal,
        notes=tuple(notes),
    )


def infer_unit_mib(on_card: int | None, physical: int | None) -> int | None:
    """MiB of one unit, from the units and the MiB of a card: it has as many as fit. None if not known."""
    if not on_card or physical is None:
        return None
    fitting = [unit for unit in UNITS_MIB if physical // unit == on_card]
    return fitting[0] if len(fitting) == 1 else None


def _number(text: str | None) -> int | None:
    """``4``, or ``22731MiB`` as nvidia-smi prints memory, without the space (LBL)."""
    match = re.fullmatch(r"([1-9][0-9]{0,8})(?:MiB)?", text or "")
    return int(match[1]) if match else None


def extension_data(
    _backend: Backend, views: Sequence[NodeView], merge: MergeNodeValues, notes: list[str]
) -> dict[str, Any]:
    """The unit where the nodes show it; the mode of nodes for memory alone; the plugin."""
    shared = [(view, view.extension) for view in views if isinstance(view.extension, AlibabaProfile)]
    modes = [view.mode for view, _ in shared if view.mode in ("cgpu", "share", "mps")] or [
        view.mode for view, _ in shared if view.mode == k.CORE_MEM
    ]
    unit = merge("alibaba.memoryUnitMiB", (view.unit_mib for view, _ in shared))
    if unit is None and not any(note.startswith("alibaba.memoryUnitMiB") for note in notes):
        notes.append("alibaba.memoryUnitMiB is left out: these nodes do not show it")
    return {
        "memoryUnitMiB": unit,
        "isolation": merge("alibaba.isolation", iter(modes)),
        "openSource": merge("alibaba.openSource", (part.open_source for _, part in shared)) or None,
    }


def placements(_backend: Backend, pod: LivePod, _node: NodeView) -> tuple[Placement, ...]:
    """The cards of each container, and the units on each."""
    if RECORD in pod.records:
        return tuple(_recorded(pod, pod.records[RECORD]))
    card = indexes(pod.annotation(OLD_RECORD))
    if card is None or len(card) != 1:
        return ()
    asking = [container for container in pod.keys.all_containers() if k.MEMORY in container.resources]
    return tuple(Placement(container.init, container.index, card) for container in asking)


def _recorded(pod: LivePod, record: Mapping[str, object]) -> list[Placement]:
    """The valid entries of the record; other containers count as not placed."""
    placements = []
    for container in pod.keys.containers:
        held = record.get(str(container.index))
        if not isinstance(held, Mapping) or not held:
            continue
        cards = indexes(",".join(map(str, held)))
        units = [int(text) for text in map(str, held.values()) if quantity.is_plain(text)]
        if cards is not None and len(units) == len(cards):
            placements.append(Placement(container.init, container.index, cards, tuple(units)))
    return placements


def keeps_out(_backend: Backend, node: NodeView, containers: Containers) -> str | None:
    """Compute runs on core_mem nodes only, and memory without compute on the other modes (CORE)."""
    shares = [container.share for container in containers if container.share]
    if any(share.whole_cards for share in shares):
        return msg("it shares its cards; whole cards are on nodes of mode {mode}", mode=k.WHOLE_MODE)
    computed = any(share.cores is not None for share in shares)
    if computed and node.mode != k.CORE_MEM:
        text = "its mode is {mode}; a share with compute needs {needed}"
        return msg(text, mode=node.mode or msg("not known"), needed=k.CORE_MEM)
    if not computed and node.mode == k.CORE_MEM:
        return msg("its mode is {mode}; a share of memory alone needs another mode", mode=k.CORE_MEM)
    return None


# --- what a share needs of them ---------------------------------------------------------------

LABELS = r.VendorDocument.of(k.DOCUMENTS["LBL"])
COMPUTE = r.VendorDocument.of(k.DOCUMENTS["CORE"])
COMPUTE_ARTICLE = r.VendorDocument.of("developer.aliyun.com/article/1685728")
MULTI = r.VendorDocument.of(k.DOCUMENTS["MULTI"])
POLICY = r.VendorDocument.of(
    "ACK, configure-a-computing-power-allocation-policy-for-gpu-sharing (2026-03-26)"
)
COMPONENT = r.VendorDocument.of(k.DOCUMENTS["INSTALLER"])
NOTES = r.VendorDocument.of("ACK, usage-notes-for-memory-isolation-capability-of-cgpu")
NO_ISOLATION = r.VendorDocument.of(
    "ACK, doc-detail/2523313: GPU sharing without memory isolation (2026-03-26)"
)
UNIT = r.VendorDocument.of(k.DOCUMENTS["UNIT"])
POOLS = r.VendorDocument.of("AlibabaCloudDocs/csk, use node pools to control cGPU (2021)")
OPEN_SOURCE = r.VendorDocument.of("AliyunContainerService/gpushare-scheduler-extender, docs/install.md")

_COMPUTE = "a share of memory with compute"
COMPUTE_NEEDS: tuple[r.Requirement, ...] = (
    r.Requirement(
        "Kubernetes", "kubernetesVersion", r.MinVersion(releases.KUBERNETES, k.CORE), COMPUTE, _COMPUTE
    ),
    r.Requirement("cGPU", "components.cgpu", r.MinVersion(k.CGPU, k.CORE), COMPUTE, _COMPUTE),
    r.Requirement(
        "ack-ai-installer", "components.ackAiInstaller", r.MinVersion(k.INSTALLER, k.CORE), COMPUTE, _COMPUTE
    ),
)
STABLE_CGPU = r.Requirement(
    "cGPU (1.5.7 and earlier may panic the kernel)",
    "components.cgpu",
    r.MinVersion(k.CGPU, k.MEMORY),
    NOTES,
    "nodes of mode cgpu or core_mem",
    Severity.WARNING,
)
REQUIREMENTS: tuple[r.Requirement, ...] = (*COMPUTE_NEEDS, STABLE_CGPU)

_CGPU_MODES = ("cgpu", k.CORE_MEM)
"""Modes with the kernel module of cGPU (NOTES)."""
_NOT_RESTORED = r.NodeWarning(
    msg("removing {label} does not restore exclusive cards: set it to default", label=k.SCHEDULE), LABELS
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
        msg(
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


def node_requirements(_backend: Backend, share: Share, profile: Profile | None) -> r.NodeNeeds:
    """The needs of a share at ACK nodes, or at nodes with the open-source plugin."""
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
    return _of_part(share, ack)


def _of_part(share: Share, ack: AlibabaProfile) -> r.NodeNeeds:
    mode = ack.isolation if share.cores is None else k.CORE_MEM
    setter = r.Setter.POOL if mode == k.CORE_MEM else r.Setter.YOU
    labels = (
        r.NodeLabel(k.SCHEDULE, mode, "the mode of the node", LABELS, setter),
        r.NodeLabel(
            k.PLACEMENT,
            k.PLACEMENTS[0],
            msg(
                "fills one card before the next (the default); {other} spreads pods over cards",
                other=k.PLACEMENTS[1],
            ),
            LABELS,
            r.Setter.OPTIONAL,
        ),
    )
    warnings = [*_BY_MODE.get(mode, ()), *_SHARED]
    if ack.memory_unit_mib == k.SMALL_UNIT_MIB:
        text = msg("with units of {unit} MiB, node autoscaling does not work", unit=k.SMALL_UNIT_MIB)
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
