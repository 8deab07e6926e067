"""Alibaba Cloud ACK: its keys, each with its source (DOCUMENTS), its part of a profile, reading, writing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, ClassVar, Literal, NamedTuple

from gpuxlate.backends.pod_reader import requesting, too_many_cards
from gpuxlate.backends.rows import cores, memory, whole, written
from gpuxlate.backends.scheduling_limits import Pick, Scheduling
from gpuxlate.backends.target import (
    GIB,
    Absent,
    Backend,
    Cloud,
    Confidence,
    ContainerShare,
    KeySpec,
    Limits,
    Per,
    Place,
    PodReader,
    PodWriter,
    Range,
    Reading,
    ShareWriter,
    VisibleMemory,
    key,
)
from gpuxlate.model import quantity
from gpuxlate.model.declarations import record, regex
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.keys import NVIDIA_GPU, LegalNumbers
from gpuxlate.model.messages import join_and, msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import CardProfile, Component, Extension, Profile, Setting, card_of
from gpuxlate.model.share import Isolation, Qos, Share
from gpuxlate.rules.unsupported_products import ACS, SIMULATORS

DOCUMENTS = {
    "LBL": "ACK, enable-scheduling: labels of GPU nodes (2026-01-12)",
    "CORE": "ACK, use-cgpu-to-allocate-computing-power (2026-03-26)",
    "MULTI": "ACK, multi-card-sharing-through-shared-gpu-scheduling (2025-04-19)",
    "UNIT": "ACK, modify-the-smallest-allocatable-unit-for-gpu-sharing (2026-02-28)",
    "INSTALLER": "ACK, install-and-use-ack-ai-installer-and-the-gpu-inspection-tool (2026-06-23)",
    "CSK": "AlibabaCloudDocs/csk (2021)",
    "CGPU": "cGPU service, second hand",
    "OSS": "AliyunContainerService/gpushare-scheduler-extender; "
    "AliyunContainerService/gpushare-device-plugin",
    "ARENA": "kubeflow/arena, `pkg/apis`",
}
NAMES = ("alibaba-gpushare", "alibaba", "ack", "aliyun", "alicloud", "aliyun-ack", "cgpu")
"""What a profile may call this target."""
CGPU, INSTALLER = Component("cgpu", "cGPU"), Component("ackAiInstaller", "ack-ai-installer")
MEMORY = "aliyun.com/gpu-mem"
"""Units of GPU memory, total over the cards of the pod (MULTI); a unit is 1 GiB by default (UNIT)."""
CORE = "aliyun.com/gpu-core.percentage"
"""Percent of one card: 5..100 in steps of 5, one card only (CORE, MULTI)."""
COUNT = "aliyun.com/gpu-count"
"""Label of the pod, a string: cards, an equal part of each (MULTI)."""
CARDS, SEVERAL = re.compile("[1-9][0-9]*"), re.compile("[2-9]|[1-9][0-9]+")
"""Values of COUNT, in plain digits: any, and above 1."""
TOPOLOGY = "aliyun.com/gpu"
"""Whole cards, on nodes of mode ``topology`` (LBL)."""
NO_CORE = "aliyun.com/gpu-core"
"""Not a key of ACK; often written for CORE."""
SCHEDULE = "ack.node.gpu.schedule"
"""Node label: the one mode that a node serves (LBL)."""
PLACEMENT = "ack.node.gpu.placement"
"""Node label: how pods are placed on cards (LBL)."""
ACCELERATORS = (
    "aliyun.accelerator/nvidia_name",
    "aliyun.accelerator/nvidia_mem",
    "aliyun.accelerator/nvidia_count",
)
"""Node labels: model, memory and number of the cards (LBL)."""
DISABLE = "CGPU_DISABLE"
"""Variable of a container: ``true`` or ``1`` turns off memory isolation (CSK)."""
DISABLE_ON = ("true", "1")
DISABLE_OFF = ("false", "0", "")
CORE_STEP = 5
"""CORE: "If the value is not a multiple of 5, the job cannot be submitted"."""
CORE_MIN = 5
"""CORE."""
CORE_MAX = 100
"""CORE: one card."""
LEGAL_CORES = LegalNumbers((Range(CORE_MIN, CORE_MAX, CORE_STEP),))
"""Percent of one card (CORE)."""
SMALL_UNIT_MIB = 128
"""The other unit of ``gpu-mem``, for nodes of mode ``share`` only (UNIT)."""
PODS_PER_CARD = 20
"""The largest documented limit: 16 (UNIT) or 20 (INSTALLER)."""
CORE_MEM = "core_mem"
"""The only mode that shares compute (LBL)."""
SHARE_MODE = "share"
"""Memory counted, not isolated (LBL)."""
WHOLE_MODE = "default"
"""Whole cards, NVIDIA_GPU; also the mode of a node without the label (LBL)."""
ISOLATION_MODES = ("share", "cgpu", "mps", CORE_MEM)
"""The modes that advertise ``gpu-mem``; on other nodes it is 0 (LBL)."""
WHOLE_MODES = (WHOLE_MODE, "topology")
"""The modes of nodes with whole cards; other targets write these without a mode."""
MODES = (WHOLE_MODE, *ISOLATION_MODES, "topology", "disabled")
"""Values of SCHEDULE (LBL; ``disabled``: ACK's page on DRA)."""
UNCONFIRMED_MODES = ("mig",)
"""In one blog only."""
PLACEMENTS = ("binpack", "spread")
"""Values of PLACEMENT (LBL)."""
KEYS: tuple[KeySpec, ...] = (
    memory(MEMORY, meaning="GPU memory, total", unit=GIB, per=Per.TOTAL, source="MULTI, UNIT"),
    cores(
        CORE,
        meaning="compute of one card",
        per=Per.TOTAL,
        values=LEGAL_CORES.ranges,
        needs=(MEMORY,),
        default=Absent.UNCAPPED,
        source="CORE",
    ),
    key(
        *(COUNT, Place.LABEL),
        meaning="cards of a share",
        sets="cards",
        unit=1,
        values=(Range(),),
        excludes=(CORE,),
        default=Absent.ONE,
        source="MULTI",
    ),
    whole(NVIDIA_GPU, values=(), excludes=(MEMORY, CORE, TOPOLOGY), source="LBL"),
    whole(
        TOPOLOGY,
        meaning="whole cards by topology",
        values=(),
        excludes=(MEMORY, CORE, NVIDIA_GPU),
        no_op_values=("0",),
        source="LBL",
    ),
    key(
        *(SCHEDULE, Place.NODE_SELECTOR, Place.NODE),
        meaning="mode of the node",
        values=(*MODES, *UNCONFIRMED_MODES),
        no_op_values=WHOLE_MODES,
        source="LBL",
    ),
    key(
        *(PLACEMENT, Place.NODE_SELECTOR, Place.NODE),
        meaning="placement of pods on cards",
        values=PLACEMENTS,
        source="LBL",
    ),
    *(
        key(name, Place.NODE_SELECTOR, Place.NODE, meaning="model, memory or number of cards", source="LBL")
        for name in ACCELERATORS
    ),
    key(DISABLE, Place.ENV, meaning="turns off memory isolation", no_op_values=DISABLE_OFF, source="CSK"),
    *(
        key(name, Place.ENV, meaning=meaning, confidence=Confidence.MEDIUM, source="CGPU")
        for name, meaning in (
            ("ALIYUN_COM_GPU_SCHD_WEIGHT", "weight of compute, at least 1"),
            ("ALIYUN_COM_GPU_HIGH_PRIO", "pre-empts compute"),
        )
    ),
    written("ALIYUN_COM_GPU_MEM_*", meaning="allocation", source="OSS, CSK"),
    written("scheduler.framework.gpushare.*", meaning="allocation", source="ARENA"),
    written("gpushare.alibabacloud.com/*", meaning="allocation", source="ARENA"),
)
GPU_PREFIXES = ("aliyun.com/gpu",)
LOOK_ALIKES = (SIMULATORS, ACS)
"""Products whose keys are easily taken for these."""
CLOUD = Cloud("Alibaba Cloud ACK", ("alibabacloud.com", "aliyun.com"), regex(r"ecs\..+"), "alibabacloud")
"""Labels of its nodes (``alibabacloud.com/nodepool-id``, ``ack.aliyun.com``) and of its disks
(``topology.diskplugin.csi.alibabacloud.com/zone``); machine types: ``ecs.gn7i-c8g1.2xlarge``; the taint of
its virtual nodes: ACK 2369750, "Allocate resources between ECS and ECI" (2026-06-18)."""

# The part of a cluster profile that only ACK has, and what it means for a container.
NodeIsolation = Literal["cgpu", "share", "mps", "core_mem"]
DEFAULT_UNIT_MIB = 1024
"""One unit of ``aliyun.com/gpu-mem`` where the profile says nothing (ACK-UNIT: GiB by default)."""


@record
class AlibabaProfile(Extension):
    """What only ACK clusters have."""

    key: ClassVar[str] = "alibaba"

    memory_unit_mib: Annotated[
        int,
        Setting(
            "memoryUnitMiB",
            "MiB of one unit of aliyun.com/gpu-mem: 1024, or 128 where the component is set so; "
            "1 for the open-source plugin with MiB units.",
        ),
    ] = DEFAULT_UNIT_MIB
    isolation: Annotated[
        NodeIsolation,
        Setting(
            "isolation",
            "Value of the node label ack.node.gpu.schedule that shares of memory alone choose.",
        ),
    ] = "cgpu"
    open_source: Annotated[
        bool,
        Setting("openSource", "The cluster runs the open-source gpushare scheduler, not ACK's own."),
    ] = False

    def changes_unit(self, unit: str) -> bool:
        return unit == "GiB" and self.memory_unit_mib != DEFAULT_UNIT_MIB

    @property
    def usual(self) -> bool:
        """The nodes have ACK's own scheduler and, for memory alone, cGPU."""
        return self.isolation == "cgpu" and not self.open_source


def memory_of_units(memory_mib: int, card_mib: int, unit_mib: int) -> int | None:
    """MiB that a container sees: the card's MiB are divided evenly over its units.

    A card has as many units as fit in it, so a unit is somewhat more than its nominal MiB. Derived
    from published outputs (V100 of 16160 MiB: 15 units, 4 of them show 4309 MiB; seed 002).
    None where the card has fewer units.
    """
    units, card_units = memory_mib // unit_mib, card_mib // unit_mib
    return units * card_mib // card_units if 0 < units <= card_units else None


# What reading, writing and the rules of ACK look up in a pod and in the profile.
def labelled_cards(label: Value | None) -> int | None:
    """The cards that the label counts: 1 without it, None where it is not a positive whole number."""
    if label is None:
        return 1
    return int(label.text) if quantity.is_plain(label.text) and label.text != "0" else None


def labelled_cards_of(pod: PodKeys) -> int:
    """The cards of a shared pod; 1 where the label is not a number (ACK002)."""
    return labelled_cards(pod.labels.get(COUNT)) or 1


def units_of_card(profile: Profile | None) -> int | None:
    """Units of ``gpu-mem`` of a card in the profile, None where it gives no memory.

    The remainder of a card is spread over its units: 22731 MiB are 22 units.
    """
    memory_mib = card_of(profile, NAMES).memory_mib
    return None if memory_mib is None else memory_mib // AlibabaProfile.of(profile).memory_unit_mib


# Reading and writing ACK's shared GPUs.
def _read_container(
    pod: PodReader, container: ContainerKeys, cards: int | None, label: Value | None, unit: int
) -> ContainerShare:
    """One container: whole cards, or a share."""
    _isolation_lifted(pod, container)
    pod.resource(container, NO_CORE)  # ACK010
    units, cores = pod.number(container, MEMORY), pod.number(container, CORE)
    # 0 whole cards are none
    whole = [(name, count) for name in (NVIDIA_GPU, TOPOLOGY) if (count := pod.number(container, name))]
    origins = {"cards": label.path if label else container.path}
    for attribute, name in (("memory_mib", MEMORY), ("cores", CORE)):
        if name in container.resources:
            origins[attribute] = container.resources[name].path
    shared = len(origins) > 1
    if whole and not shared and len(whole) == 1:
        [(name, number)] = whole
        return pod.share(container, cards=number, origins={"cards": container.resources[name].path})
    if whole or cards is None or not _is_share(units, cores, cards):
        return pod.none(container)
    memory_mib = None if units is None else units * unit
    return pod.share(container, cards=cards, cores=cores, memory_mib=memory_mib, origins=origins)


def _is_share(units: int | None, cores: int | None, cards: int) -> bool:
    """Whether the numbers are within the vendor's bounds: whole units on each card, compute on one card
    only."""
    if units is None and cores is None:
        return False
    if units is not None and (units < 1 or units % cards):
        return False
    return cores is None or (cards == 1 and 1 <= cores <= CORE_MAX)


def _isolation_lifted(pod: PodReader, container: ContainerKeys) -> None:
    disabled = pod.env(container, DISABLE)
    if disabled is None or disabled.text.lower() in DISABLE_OFF:
        return
    if disabled.text.lower() not in DISABLE_ON:
        pod.read_choice(disabled, DISABLE, "variable")
    else:
        message = msg("{variable} turns off memory isolation; a translation removes it", variable=DISABLE)
        hint = "the program must limit its own memory where the target does not isolate it"
        pod.note("GX015", message, disabled.path, hint, Severity.INFO)


# --- writing ----------------------------------------------------------------------------------
IN_INIT_CONTAINER = (
    msg("an init container cannot request a share of {target}", target="gpushare"),
    "request the share in an ordinary container",
)


class _Kind(StrEnum):
    """What a container requests of its node; a node serves one of these (CORE, LBL)."""

    WHOLE = "whole cards"
    COMPUTE = "memory with compute"
    MEMORY = "memory alone"


class _Written(NamedTuple):
    placing: ShareWriter
    kind: _Kind
    values: dict[str, int]

    def keys(self) -> ContainerKeys:
        values = {name: Value.of(number) for name, number in self.values.items()}
        return ContainerKeys(self.placing.name, self.placing.index, self.placing.init, values, values)


def _one_pod(written: list[_Written], ack: AlibabaProfile) -> None:
    """Refuse shares of one pod that differ in the mode of the node or in the label that counts cards."""
    shared = [container for container in written if container.kind is not _Kind.WHOLE]
    kinds = [msg(kind) for kind in _Kind if any(container.kind is kind for container in written)]
    mixed = len(kinds) > 1
    uncounted = len(shared) > 1 and any(container.placing.cards > 1 for container in shared)
    for container in written:
        if mixed:
            text = "the pod requests {kinds}; an ACK node serves only one of them"
            hint = "use separate pods, or set the same fields in all containers"
            container.placing.refuse(
                "cores", "GX022", msg(text, kinds=join_and(kinds, "{before} and {last}")), hint
            )
        if uncounted:
            text = "{key} counts the cards of one share; the pod has {count}"
            hint = "use a separate pod for the share of several cards"
            container.placing.refuse("cards", "GX022", msg(text, key=COUNT, count=len(shared)), hint)
    for container in shared if ack.open_source and len(shared) > 1 else ():
        text = "{count} containers of the pod request {key}; open-source gpushare supports one"
        message = msg(text, count=len(shared), key=MEMORY)
        container.placing.refuse("memory_mib", "ACK013", message, "use a separate pod for each container")


def _write_container(placing: ShareWriter, ack: AlibabaProfile, nodes: CardProfile) -> _Written:
    cards = int(placing.take("cards"))
    if nodes.per_node is not None and cards > nodes.per_node:
        placing.refuse("cards", "ACK003", *too_many_cards(cards, nodes.per_node))
    if placing.whole_cards:
        return _whole(placing, cards)
    if placing.peek("memory_mib") is None:
        placing.need("memory_mib", "ACK007", msg("{key} needs {other}", key=CORE, other=MEMORY))
    unit = ack.memory_unit_mib
    # whole units that do not divide by the cards, or no whole units
    off_grid = "ACK001" if (placing.peek("memory_mib") or 0) % unit else "ACK002"
    memory = placing.on_grid("memory_mib", off_grid, step=unit, low=unit, unit="MiB")
    cores = _cores(placing, cards, ack)
    kind = _Kind.MEMORY if cores is None else _Kind.COMPUTE
    if ack.open_source and cards > 1:
        placing.refuse("cards", "ACK014", "open-source gpushare shares one card", "request one card")
    if ack.open_source and placing.init:
        placing.refuse("cards", "ACK020", *IN_INIT_CONTAINER)
    mode = ack.isolation if kind is _Kind.MEMORY else CORE_MEM
    isolates = not ack.open_source and mode != SHARE_MODE  # ACK-LBL, OSS-UG
    placing.take_isolation_if_covered(Isolation.SOFT if isolates else Isolation.NONE)
    if unit == SMALL_UNIT_MIB and mode != SHARE_MODE:
        message = msg(
            "nodes of mode {mode} do not support the unit of {unit} MiB of this profile", mode=mode, unit=unit
        )
        hint = "set isolation: share in the profile and request memory alone, or set memoryUnitMiB: 1024"
        placing.refuse("memory_mib", "ACK015", message, hint)
    values: dict[str, int] = {}
    if memory is not None:
        values[MEMORY] = memory // unit
        _fits_card(placing, memory // cards, unit, nodes)
    if cores is not None:
        values[CORE] = cores
    return _Written(placing, kind, values)


def _whole(placing: ShareWriter, cards: int) -> _Written:
    if placing.peek("qos") is Qos.OFFLINE:
        placing.take("qos")
        message = "offline whole cards cannot be expressed: ACK has no colocation of GPUs"
        placing.refuse("qos", "GX023", message, "request whole cards without qos")
    return _Written(placing, _Kind.WHOLE, {NVIDIA_GPU: cards})


def _cores(placing: ShareWriter, cards: int, ack: AlibabaProfile) -> int | None:
    """Compute is supported on one card of a core_mem node only."""
    if cards > 1:
        placing.drop("cores", "ACK005", "several cards share their compute, only their memory is divided")
    elif ack.open_source:
        placing.drop("cores", "GX020", "open-source gpushare shares memory only")
    return placing.on_grid("cores", "ACK006", step=CORE_STEP, low=CORE_MIN, unit="%")


def _fits_card(placing: ShareWriter, per_card: int, unit: int, nodes: CardProfile) -> None:
    """A card has as many units as fit in its MiB; the rest of it is spread over them."""
    if nodes.memory_mib is None or per_card // unit <= nodes.memory_mib // unit:
        return
    card_units = nodes.memory_mib // unit
    text = "requests {units} units of memory per GPU; GPUs in this profile have {there}"
    hint = "request at most {most} MiB per GPU, or omit memoryMiB for whole cards"
    message = msg(text, units=per_card // unit, there=card_units)
    placing.refuse("memory_mib", "ACK004", message, msg(hint, most=card_units * unit))


def node_mode(shares: Sequence[Share], profile: Profile | None) -> str:
    """A node has one mode: for whole cards, for compute, or for memory alone (LBL)."""
    if any(share.whole_cards for share in shares):
        return WHOLE_MODE
    computed = any(share.cores is not None for share in shares)
    return CORE_MEM if computed else AlibabaProfile.of(profile).isolation


class AlibabaGpushare(Backend):
    """GPU sharing of ACK (CORE, MULTI): units of memory, GiB unless nodes say otherwise, and percent of
    one card; a label counts shared cards."""

    name = NAMES[0]
    aliases = NAMES[1:]
    title = "Alibaba Cloud ACK, gpushare and cGPU"
    components = (CGPU, INSTALLER)
    documents = DOCUMENTS
    keys = KEYS
    gpu_prefixes = GPU_PREFIXES
    known_typos = frozenset({NO_CORE})
    field_docs = {
        "cards": "label gpu-count for shared cards, nvidia.com/gpu for whole ones",
        "cores": "5..100 % of one card in multiples of 5, with memory; one card only",
        "memoryMiB": "GiB units, total over the cards (128 MiB on share nodes)",
        "policy": "no key: a setting of the whole cluster",
        "qos": "no key",
        "device": "no key; vendor nvidia alone",
        "isolation": "no key; soft, none on share nodes, whole cards hardware",
    }
    model_label = ACCELERATORS[0]
    extension = AlibabaProfile
    vendor = "nvidia"
    sets_visible_devices = True
    cloud = CLOUD
    similar_products = LOOK_ALIKES
    whole_card_key = NVIDIA_GPU
    limits = Limits(per_card=PODS_PER_CARD, certain=False, source="INSTALLER", node_mode=node_mode)
    # of nodes no document says it
    scheduling = Scheduling(
        cards=Pick.FULLEST, source="ACK, enable-scheduling: labels of GPU nodes, ack.node.gpu.placement"
    )
    rule_prefix = "ACK"
    rule_module = "gpuxlate.backends.alibaba.rules"
    node_module = "gpuxlate.backends.alibaba.nodes"
    row_rules = ()
    fact_commands = {
        "components.cgpu": "the image tags of kubectl get daemonsets -n kube-system -o wide",
        "components.ackAiInstaller": "helm list -n kube-system",
    }

    def read(self, pod: PodReader, profile: Profile | None) -> Reading:
        """Read keys as shares. One unit of ``gpu-mem`` is that of the profile, 1 GiB by default.

        Keys that are not a share (ACK001, 002, 005, 006, 010, 011, K8S007) give none.
        """
        unit = AlibabaProfile.of(profile).memory_unit_mib
        modes = [mode for mode in pod.node_values(SCHEDULE) if mode in ISOLATION_MODES]
        pod.read_selector(SCHEDULE, (*ISOLATION_MODES, *WHOLE_MODES))
        for name in (PLACEMENT, *ACCELERATORS):
            pod.read_selector(name)
        sharing = requesting(pod.pod, MEMORY, CORE)
        label = pod.label(COUNT)
        cards = labelled_cards(label)
        if label and cards and cards > 1 and len(sharing) > 1:
            text = "{key} is {cards}, and {count} containers share; the cards of each are not known"
            message = msg(text, key=COUNT, cards=label.text, count=len(sharing))
            pod.note("GX022", message, label.path, "use a separate pod for each container")
            cards = None
        containers = [_read_container(pod, c, cards, label, unit) for c in pod.pod.all_containers()]
        return pod.reading(containers, modes[0] if len(modes) == 1 else None)

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Write shares as keys. ``policy`` and ``qos`` have no key here and are not taken (GX020)."""
        ack = AlibabaProfile.of(profile)
        nodes = card_of(profile, NAMES)
        written = [_write_container(placing, ack, nodes) for placing in pod.placings]
        _one_pod(written, ack)
        kinds = {container.kind for container in written}
        labels: dict[str, Value] = {}
        for container in written:
            if container.kind is not _Kind.WHOLE and container.placing.cards > 1:
                labels[COUNT] = Value.of(str(container.placing.cards))
        selector: dict[str, Value] = {}
        # nodes of the open-source plugin do not have this label
        if kinds - {_Kind.WHOLE} and not ack.open_source:
            mode = CORE_MEM if _Kind.COMPUTE in kinds else ack.isolation
            selector[SCHEDULE] = Value.of(mode)
        keys = [container.keys() for container in written]
        return PodKeys(
            *in_lists(keys),
            labels=labels,
            node_selector=selector,
        )

    def visible_memory(
        self, share: Share, memory_mib: int, card_mib: int | None, profile: Profile | None
    ) -> VisibleMemory:
        """Containers see their part of the memory, except in mode share and with the open-source plugin.

        A share with compute goes to core_mem nodes, which isolate both.
        """
        ack = AlibabaProfile.of(profile)
        if ack.open_source:
            return VisibleMemory(not_isolated="open-source gpushare")
        if ack.isolation == "share" and (share.cores is None or share.cards > 1):
            return VisibleMemory(not_isolated=f"isolation mode {ack.isolation}")
        return VisibleMemory(memory_of_units(memory_mib, card_mib, ack.memory_unit_mib) if card_mib else None)

    def unit(self, row: KeySpec, profile: Profile | None) -> Fraction:
        """MiB of a unit of memory are those of the profile."""
        return Fraction(AlibabaProfile.of(profile).memory_unit_mib if row.name == MEMORY else row.unit)

    def allocatable(
        self, _share: Share, cards: int, memory_mib: int, profile: Profile | None
    ) -> dict[str, int]:
        """Units of all cards, each rounded down; compute of nodes that share it (LBL)."""
        ack = AlibabaProfile.of(profile)
        return {MEMORY: cards * (memory_mib // ack.memory_unit_mib), CORE: 100 * cards}
