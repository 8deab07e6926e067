"""KAI Scheduler and Run:ai: annotations of the pod, of which one container has the share.

Everything is **per card**: `gpu-memory: "3000"` with two devices are 3000 MiB of each.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from gpuxlate.backends.pod_reader import rounded_up
from gpuxlate.backends.rows import choice, whole, written
from gpuxlate.backends.scheduling_limits import Pick, Scheduling
from gpuxlate.backends.target import (
    SELECTOR,
    Backend,
    ContainerShare,
    KeySpec,
    Per,
    Place,
    PodReader,
    PodWriter,
    Reading,
    RuleKind,
    RuleRow,
    ShareWriter,
    key,
)
from gpuxlate.model import quantity
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Path, Severity
from gpuxlate.model.keys import ANY, BYTE, NVIDIA_GPU, Confidence
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import Component, Extension, Profile, Setting, card_of
from gpuxlate.model.share import ALL_MEMORY, Isolation
from gpuxlate.rules.predicates import (
    AnyOf,
    HasKeyLike,
    IsAnnotated,
    Labelled,
    Requests,
    SchedulerIs,
    SomeContainer,
)

SCHEDULER, RUNAI_SCHEDULER = "kai-scheduler", "runai-scheduler"
FRACTION = "gpu-fraction"
"""Part of the memory of each card, above 0 and below 1; hundredths count (CODE)."""
MEMORY = "gpu-memory"
"""MiB of each card: plain digits, at least 1 (CODE)."""
DEVICES = "gpu-fraction-num-devices"
"""Cards, at least 1; 1 where it is not set. Refused without one of the two above (CODE)."""
CONTAINER = "gpu-fraction-container-name"
"""The container with the share, an init container too; else the first ordinary one (README)."""
MPS = "mps"
"""`true` is refused without a share (CODE)."""
FRACTION_LIMIT, MEMORY_LIMIT = "gpu-fraction.limit", "gpu-memory.limit"
"""How far memory may burst, in the form of the request."""
RUNAI = Component("runai", "Run:ai")
RUNAI_LIMIT, RUNAI_REQUEST = "RUNAI_GPU_MEMORY_LIMIT", "RUNAI_GPU_MEMORY_REQUEST"
COUNTED = (
    "runai-allocated-gpu*",
    "runai-current-*",
    "runai-podgroup-requested-gpus*",
    "runai-total-requested-gpus*",
    "runai-calculated-status",
    "runai-running-pods",
    "runai-pending-pods",
    "runai-used-nodes",
)
"""Annotations on pods and their workloads in a live cluster of Run:ai 2."""
"""Variable of a container in Run:ai 2.x: a limit in the form of the request."""
REQUEST = "nvidia.com/container.*.gpu-memory.request"
"""Memory of each card that the container always has: an amount with a unit, at most LIMIT (NVFRACTIONS)."""
LIMIT = "nvidia.com/container.*.gpu-memory.limit"
"""How far its memory may burst. Without REQUEST it is the request too (NVFRACTIONS)."""
COMPUTE_MODE = "nvidia.com/container.*.gpu-compute.mode"
POD_COMPUTE_MODE = "kai.scheduler/gpu-compute-sharing-mode"
QUEUE, RUNAI_QUEUE = "kai.scheduler/queue", "runai/queue"
"""Label: the queue of the pod."""
PROJECT = "project"
"""Label: the queue of a pod without the one above (GROUPER)."""
POD_GROUP = "pod-group-name"
"""Annotation: the PodGroup of the pod, which has the queue (GROUPER)."""
DEFAULT_QUEUE = "default-queue"
"""The queue of a pod for which nothing names one; the chart makes it at first (GROUPER)."""
SCHEDULERS = (SCHEDULER, RUNAI_SCHEDULER)
OF_CONTAINERS = "nvidia.com/container."
"""What keys with the name of a container begin with."""
SHARE_KEYS = (FRACTION, MEMORY)
QUEUES = (QUEUE, RUNAI_QUEUE)
BESIDE = (DEVICES, CONTAINER, FRACTION_LIMIT, MEMORY_LIMIT)
"""What nothing reads without a share."""
NEEDS = {FRACTION_LIMIT: (FRACTION,), MEMORY_LIMIT: (MEMORY,)}
OF_LEGACY = (CONTAINER, FRACTION_LIMIT, MEMORY_LIMIT)
"""What nothing reads beside the keys of NvFractions, which name their container."""
MISTAKEN = {
    "nvidia.com/gpu.memory": MEMORY,
    "gpu_memory": MEMORY,
    "gpu_fraction": FRACTION,
}
"""Annotations that nothing reads, and what was meant (issue 257)."""
WHOLE_NUMBER = re.compile("0*[1-9][0-9]*")
DECIMAL = re.compile(r"\+?0*\.[0-9]*[1-9][0-9]*")
"""A number above 0 and below 1 in decimals."""
EXPONENT = re.compile(r"\+?[0-9]*\.?[0-9]*[eE]-[0-9]+")
"""A number that may be above 0 and below 1."""
MODES = ("time-slicing", "sm-sharing")
USUAL = {MPS: ("false",), POD_COMPUTE_MODE: MODES[:1]}
"""Values of choices that change nothing."""
NAME_LENGTH = 63
"""Most characters of the name of an annotation, after the slash."""


def _limit(name: str, **fields: object) -> KeySpec:
    return key(
        name, Place.ANNOTATION, meaning="how far memory may burst", confidence=Confidence.MEDIUM, **fields
    )


def _of_container(name: str, meaning: str, **fields: object) -> KeySpec:
    return key(
        name,
        Place.ANNOTATION,
        meaning=meaning,
        template=name.replace("*", "{container}"),
        source="NVFRACTIONS",
        confidence=Confidence.MEDIUM,
        **fields,
    )


KEYS: tuple[KeySpec, ...] = (
    whole(NVIDIA_GPU, source="CODE"),
    key(
        FRACTION,
        Place.ANNOTATION,
        meaning="GPU memory",
        sets="memory_percent",
        unit=100,
        per=Per.CARD,
        values=(DECIMAL, EXPONENT),
        general=True,
        source="CODE, README",
    ),
    key(
        MEMORY,
        Place.ANNOTATION,
        meaning="GPU memory",
        sets="memory_mib",
        unit=1,
        per=Per.CARD,
        values=(WHOLE_NUMBER,),
        general=True,
        source="CODE, README",
    ),
    key(
        DEVICES,
        Place.ANNOTATION,
        meaning="cards",
        sets="cards",
        unit=1,
        values=(WHOLE_NUMBER,),
        no_op_values=("1",),
        general=True,
        source="CODE",
    ),
    key(CONTAINER, Place.ANNOTATION, meaning="the container with the share", general=True, source="README"),
    _limit(FRACTION_LIMIT, sets=SELECTOR, values=(DECIMAL, EXPONENT), general=True, source="CODE"),
    _limit(
        MEMORY_LIMIT,
        sets="memory_limit_mib",
        unit=1,
        per=Per.CARD,
        values=(WHOLE_NUMBER,),
        general=True,
        source="CODE",
    ),
    choice(
        MPS,
        meaning="whether the card is shared by MPS",
        values=("true", "false"),
        no_op_values=("false",),
        general=True,
        source="CODE",
    ),
    key(
        RUNAI_LIMIT,
        Place.ENV,
        meaning="how far memory may burst",
        sets="memory_limit_mib",
        unit=1,
        per=Per.CARD,
        component=RUNAI,
        source="RUNAI",
    ),
    _of_container(REQUEST, "GPU memory", sets="memory_mib", unit=BYTE, quantity=True, per=Per.CARD),
    _of_container(
        LIMIT, "how far memory may burst", sets="memory_limit_mib", unit=BYTE, quantity=True, per=Per.CARD
    ),
    _of_container(COMPUTE_MODE, "how compute is shared", sets=SELECTOR, values=MODES, no_op_values=MODES[:1]),
    choice(
        POD_COMPUTE_MODE,
        meaning="how compute is shared",
        values=MODES,
        no_op_values=MODES[:1],
        source="NVFRACTIONS",
    ),
    key(QUEUE, Place.LABEL, meaning="queue", no_op_values=(ANY,), source="CODE"),
    key(RUNAI_QUEUE, Place.LABEL, meaning="queue", no_op_values=(ANY,), source="RUNAI"),
    written("nvidia.com/container.*.gpus.devices", meaning="assigned cards", source="NVFRACTIONS"),
    written("received-resource-type", meaning="how it was scheduled", source="CODE"),
    choice(
        RUNAI_REQUEST,
        Place.ENV,
        meaning="the share of memory, as the limit beside it",
        component=RUNAI,
        confidence=Confidence.MEDIUM,
        source="RUNAI",
    ),
    *(written(name, meaning="what the controller counts", source="RUNAI") for name in COUNTED),
    written("runai/shared-gpu-configmap", meaning="variables of the share", source="CODE"),
    written("RUNAI_NUM_OF_GPUS", meaning="assigned cards", source="CODE"),
    written("RUNAI-VISIBLE-DEVICES", meaning="assigned cards", source="CODE"),
    written("kai.scheduler/numa-placement-*", meaning="where it was placed", source="CODE"),
    written("runai-gpu-group", meaning="group of the card", source="CODE"),
    written("runai-gpu-group/*", meaning="groups of the cards", source="CODE"),
)


def parse_fraction(text: str) -> Fraction | None:
    """A part of a card's memory, above 0 and below 1; None for anything else, `250m` too: the webhook reads
    it as a float first (CODE)."""
    if not (DECIMAL.fullmatch(text) or EXPONENT.fullmatch(text)):
        return None
    try:
        amount = quantity.parse(text).amount
    except quantity.QuantityError:
        return None
    return amount if 0 < amount < 1 else None


def parse_plain_number(text: str) -> int | None:
    """MiB or cards: plain digits, at least 1; None for anything else."""
    return quantity.parse_integer(text) if WHOLE_NUMBER.fullmatch(text) else None


def parse_mib(text: str) -> Fraction | None:
    """MiB of an amount with a unit, above 0; None for anything else."""
    try:
        amount = quantity.parse(text).amount * BYTE
    except quantity.QuantityError:
        return None
    return amount if amount > 0 else None


def key_of(row: str, container: str) -> str:
    """The key of one container."""
    return row.replace("*", container)


def of_containers(pod: PodKeys, row: str) -> Iterator[tuple[str, str, Value]]:
    """The annotations of a row: the key, the container in it, the value."""
    head, _, tail = row.partition("*")
    for name, value in pod.annotations.items():
        container = name[len(head) : len(name) - len(tail)]
        if container and "/" not in container and name == key_of(row, container):
            yield name, container, value


def amount_annotations(pod: PodKeys) -> Iterator[tuple[str, str, Value]]:
    """The annotations REQUEST and LIMIT of the pod: the row, the container in the key, the value."""
    for row in (REQUEST, LIMIT):
        yield from ((row, container, value) for _, container, value in of_containers(pod, row))


def asking_annotation(pod: PodKeys) -> Value | None:
    """The first annotation with which the pod asks for a share; None where it asks for none."""
    legacy = next((pod.annotations[name] for name in SHARE_KEYS if name in pod.annotations), None)
    return legacy or next((value for _, _, value in amount_annotations(pod)), None)


def sharing_container(pod: PodKeys) -> ContainerKeys | None:
    """The container that FRACTION and MEMORY are for; None where the pod has no such container."""
    named = pod.annotations.get(CONTAINER) or pod.owner_annotations.get(CONTAINER)
    if named is None:
        return pod.containers[0] if pod.containers else None
    return next((container for container in pod.all_containers() if container.name == named.text), None)


# The part of a cluster profile that only KAI has: how its cards are shared.
DISABLED, DEFAULT, HAMI_CORE, NV_FRACTIONS = "Disabled", "NonMemoryEnforced", "HamiCore", "NvFractions"
DeviceMode = Literal["Disabled", "NonMemoryEnforced", "HamiCore", "NvFractions"]


@record
class KaiProfile(Extension):
    """What only clusters with KAI Scheduler have."""

    key: ClassVar[str] = "kai"

    mode: Annotated[DeviceMode, Setting("sharingMode", "global.gpuSharingMode of the chart.")] = (
        "NonMemoryEnforced"
    )


def mode_of(profile: Profile | None) -> str | None:
    """How the cluster shares its cards; None where the profile does not say."""
    parts = profile.extensions if profile else ()
    return next((part.mode for part in parts if isinstance(part, KaiProfile)), None)


def isolation(mode: str | None, *, by_amounts: bool) -> Isolation:
    """The isolation of a container's memory. ``by_amounts``: the keys of NvFractions request it.

    Without a profile it is the least of all modes.
    """
    enforced = mode == HAMI_CORE or (mode == NV_FRACTIONS and by_amounts)
    return Isolation.SOFT if enforced else Isolation.NONE


def reads(mode: str | None, *, by_amounts: bool) -> bool:
    """Whether the mode reads such keys, or may read them."""
    return mode != DISABLED and (not by_amounts or mode in (None, NV_FRACTIONS))


# KAI: reading the share of a pod, and the whole cards of its containers.
_OWN = re.compile(f"({re.escape(FRACTION)}|{re.escape(OF_CONTAINERS)}).*")
_PLACED = AnyOf(SchedulerIs(*SCHEDULERS), *map(Labelled, QUEUES))
_ASKS = AnyOf(SomeContainer(Requests(NVIDIA_GPU)), *map(IsAnnotated, (MEMORY, MEMORY_LIMIT, MPS, *MISTAKEN)))
SPEAKS = HasKeyLike(Place.ANNOTATION, _OWN) | IsAnnotated(POD_COMPUTE_MODE) | _PLACED & _ASKS
"""The pod asks for a share with keys that only KAI has, or for cards beside its scheduler or queue."""


class _Legacy:
    """The annotations of the pod that are for one container."""

    def __init__(self, pod: PodReader) -> None:
        self.fraction, self.memory = pod.annotation(FRACTION), pod.annotation(MEMORY)
        self.limit, self.devices = pod.annotation(MEMORY_LIMIT), pod.annotation(DEVICES)
        pod.annotation(CONTAINER)
        self.container = sharing_container(pod.pod)


def _container(pod: PodReader, container: ContainerKeys, legacy: _Legacy) -> ContainerShare:
    request, limit = (pod.annotation(key_of(row, container.name)) for row in (REQUEST, LIMIT))
    mode = pod.annotation(key_of(COMPUTE_MODE, container.name))
    if mode is not None and mode.text != MODES[0]:
        pod.read_choice(mode, str(mode.path[-1]), "annotation")
    pod.read_choice(pod.env(container, RUNAI_REQUEST), RUNAI_REQUEST, "variable")
    variable = pod.env(container, RUNAI_LIMIT)
    is_named = legacy.container is not None and container.path == legacy.container.path
    amount = request or limit
    if amount is not None:
        pod.read_choice(variable, RUNAI_LIMIT, "variable")
        return _by_amounts(pod, container, amount, limit, legacy.devices)
    if is_named and legacy.memory is not None:
        return _by_mib(pod, container, legacy.memory, legacy, variable)
    pod.read_choice(variable, RUNAI_LIMIT, "variable")
    if is_named and legacy.fraction is not None:
        return _by_fraction(pod, container, legacy.fraction, legacy.devices)
    whole = pod.number(container, NVIDIA_GPU)
    if not whole:
        return pod.none(container)
    return pod.share(container, cards=whole, origins={"cards": container.resources[NVIDIA_GPU].path})


def _by_fraction(
    pod: PodReader, container: ContainerKeys, written: Value, devices: Value | None
) -> ContainerShare:
    cards, part = _cards(devices), parse_fraction(written.text)
    if cards is None or part is None:
        return pod.none(container)
    percent = math.ceil(part * ALL_MEMORY)
    more = rounded_up("memory_percent", "KAI001", written.path, part * ALL_MEMORY, percent)
    origins = {**_origins(devices), "memory_percent": written.path}
    return pod.share(container, cards=cards, memory_percent=percent, origins=origins, granted=more)


def _by_mib(
    pod: PodReader, container: ContainerKeys, memory: Value, legacy: _Legacy, variable: Value | None
) -> ContainerShare:
    limit = legacy.limit or variable
    burst = parse_plain_number(limit.text) if limit else None
    if variable is not None and (legacy.limit is not None or burst is None):
        pod.read_choice(variable, RUNAI_LIMIT, "variable")
    numbers = parse_plain_number(memory.text), burst
    return _of_each_card(pod, container, legacy.devices, (memory, None if burst is None else limit), numbers)


def _by_amounts(
    pod: PodReader, container: ContainerKeys, request: Value, limit: Value | None, devices: Value | None
) -> ContainerShare:
    numbers = parse_mib(request.text), parse_mib(limit.text) if limit else None
    return _of_each_card(pod, container, devices, (request, limit), numbers)


def _of_each_card(
    pod: PodReader,
    container: ContainerKeys,
    devices: Value | None,
    written: tuple[Value, Value | None],
    numbers: tuple[Fraction | int | None, Fraction | int | None],
) -> ContainerShare:
    """Memory of each card, and the limit of it: as written, and in MiB, which are rounded up."""
    cards, (memory, burst), (request, limit) = _cards(devices), numbers, written
    if cards is None or memory is None:
        return pod.none(container)
    origins = {**_origins(devices), "memory_mib": request.path}
    if limit is not None:
        origins["memory_limit_mib"] = limit.path
    total, most_mib = math.ceil(memory) * cards, None if burst is None else math.ceil(burst) * cards
    more = rounded_up("memory_mib", "KAI002", request.path, memory * cards, total)
    if limit is not None and limit is not request and burst is not None and most_mib is not None:
        more += rounded_up("memory_limit_mib", "KAI002", limit.path, burst * cards, most_mib)
    return pod.share(
        container, cards=cards, memory_mib=total, memory_limit_mib=most_mib, origins=origins, granted=more
    )


def _cards(devices: Value | None) -> int | None:
    return 1 if devices is None else parse_plain_number(devices.text)


def _origins(devices: Value | None) -> dict[str, Path]:
    return {} if devices is None else {"cards": devices.path}


# KAI: writing the share of one container of a pod, or whole cards of several.
NAMES = ("kai", "runai")
"""What a profile may call this target."""
ONE_SHARE = "a pod of {target} has one share, and {count} containers request GPUs"


def _only_compute(placing: ShareWriter) -> bool:
    """Whether the share would be whole cards without its compute, which has no key."""
    return placing.peek("memory_mib") is None and placing.peek("memory_percent") is None


def _share(pod: PodWriter, placing: ShareWriter, mode: str | None) -> dict[str, Value]:
    cards = int(placing.take("cards"))
    memory, percent = placing.take("memory_mib"), placing.take("memory_percent")
    limit = placing.peek("memory_limit_mib")
    by_amounts = memory is not None and (mode == NV_FRACTIONS or (limit is not None and mode is None))
    if not reads(mode, by_amounts=by_amounts):
        message = msg("the cluster of the profile shares no cards: its sharingMode is {mode}", mode=mode)
        placing.refuse("cards", "KAI012", message, "choose another mode, or request whole cards")
    placing.take_isolation_if_covered(isolation(mode, by_amounts=by_amounts))
    values: dict[str, str] = {}
    if by_amounts:
        values = _amounts(placing, memory // cards, mode)
    elif memory is not None:
        values[MEMORY] = str(memory // cards)
    else:
        values[FRACTION] = f"0.{percent:02d}"
    if cards > 1:
        values[DEVICES] = str(cards)
    if not by_amounts and (placing.init or len(pod.containers) > 1):
        values[CONTAINER] = placing.name
        if not placing.name:
            _refuse_name(placing, msg("a pod of several containers names the one with the share"))
    return {name: Value.of(text) for name, text in values.items()}


def _amounts(placing: ShareWriter, each_mib: int, mode: str | None) -> dict[str, str]:
    """NvFractions' keys, which name the container."""
    limit = placing.take("memory_limit_mib")
    request, limit_key = (key_of(row, placing.name) for row in (REQUEST, LIMIT))
    values = {request: f"{each_mib}Mi"}
    if limit is not None:
        values[limit_key] = f"{int(limit) // placing.cards}Mi"
    if not placing.name or len(request.partition("/")[2]) > NAME_LENGTH:
        message = msg("the name {name!r} does not fit in a key that names the container", name=placing.name)
        _refuse_name(placing, message)
    if mode is None:
        placing.note(
            "KAI012",
            msg("{key} has effect where the cluster shares cards as {mode}", key=request, mode=NV_FRACTIONS),
            msg("write it in a profile: kai: {{sharingMode: {mode}}}", mode=NV_FRACTIONS),
            attribute="memory_limit_mib",
        )
    return values


def _refuse_name(placing: ShareWriter, message: str) -> None:
    maximum = NAME_LENGTH - len(REQUEST.partition("/")[2]) + 1
    hint = msg("give the container a name of at most {most} letters", most=maximum)
    placing.refuse("memory_mib", "GX023", message, hint)


# KAI Scheduler and Run:ai as a target: the sheet, with a reader and a writer of its own.
class Kai(Backend):
    """Fractions of KAI (CODE, README): annotations of the pod give MiB of each card or a part of one,
    and the number of cards."""

    name = NAMES[0]
    title = "KAI Scheduler"
    rule_prefix = "KAI"
    rule_module = "gpuxlate.backends.kai.rules"
    node_module = "gpuxlate.backends.kai.nodes"
    components = (Component("kai", "KAI Scheduler"),)
    aliases = NAMES[1:]
    vendor = "nvidia"
    sets_visible_devices = True
    scheduler = SCHEDULER
    other_schedulers = (RUNAI_SCHEDULER,)
    scheduling = Scheduling(
        Pick.FULLEST,
        Pick.FULLEST,
        "kai-scheduler/KAI-Scheduler, docs/operator/scheduling-shards.md (2026-08-07)",
    )
    whole_card_key = NVIDIA_GPU
    one_share_per_pod = True
    documents = {
        "CODE": "kai-scheduler/KAI-Scheduler, gpu_request_validator.go and constants.go (2026-08-07)",
        "GROUPER": "kai-scheduler/KAI-Scheduler, default_grouper.go and external-podgroups (2026-08-07)",
        "README": "kai-scheduler/KAI-Scheduler, docs/gpu-sharing/README.md (2026-08-07)",
        "NVFRACTIONS": "kai-scheduler/KAI-Scheduler, docs/gpu-sharing/nv-fraction (2026-09)",
        "RUNAI": "NVIDIA Run:ai, GPU fractions (2026)",
    }
    gpu_prefixes = (OF_CONTAINERS, "kai.scheduler/gpu-", FRACTION)
    keys = KEYS
    field_docs = {
        "cards": f"annotation {DEVICES}; whole cards: {NVIDIA_GPU}",
        "memoryMiB": f"annotation {MEMORY}, MiB of each card",
        "memoryPercent": f"annotation {FRACTION}: 0.25",
        "memoryLimitMiB": "annotation nvidia.com/container.NAME.gpu-memory.limit, of each card",
        "isolation": "by the mode of the cluster: soft with HamiCore and NvFractions",
    }
    detected_by = SPEAKS
    known_typos = frozenset(MISTAKEN)
    extension = KaiProfile
    rule_reasons = {
        RuleKind.SCHEDULER: (
            "Only KAI's binder reads the annotations: with another scheduler they have no effect."
        )
    }
    row_rules = (
        RuleRow(RuleKind.SCHEDULER, "KAI010", keys=(FRACTION, MEMORY, REQUEST, LIMIT)),
        RuleRow(RuleKind.WORDS, "KAI014"),
    )

    def read(self, pod: PodReader, profile: Profile | None) -> Reading:
        """Read keys as shares. Of keys that exclude each other, a rule reports all but one."""
        for name in (MPS, POD_COMPUTE_MODE, FRACTION_LIMIT):
            value = pod.annotation(name)
            if value is not None and value.text not in USUAL.get(name, ()):
                pod.read_choice(value, name, "annotation")
        for name in QUEUES:
            queue = pod.label(name)
            if queue is not None:
                message = msg("no other target has the queue {name}", name=queue.text)
                pod.note("KAI011", message, queue.path, severity=Severity.INFO)
        legacy = _Legacy(pod)
        return pod.reading([_container(pod, container, legacy) for container in pod.pod.all_containers()])

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Write shares as keys. The queue is not invented: a warning says that the pod needs one."""
        annotations: dict[str, Value] = {}
        containers = []
        for placing in pod.placings:
            limits = {}
            if placing.whole_cards or _only_compute(placing):
                limits = {NVIDIA_GPU: Value.of(int(placing.take("cards")))}
                if placing.asked.whole_cards:
                    placing.take_isolation_if_covered(Isolation.HARDWARE)  # nobody else is on the card
            else:
                annotations |= _share(pod, placing, mode_of(profile))
            placing.on_nodes(card_of(profile, NAMES), "KAI015", "KAI015")
            containers.append(ContainerKeys(placing.name, placing.index, placing.init, limits, limits))
        if annotations and len(pod.placings) > 1:
            for placing in pod.placings:
                message = msg(ONE_SHARE, target="kai", count=len(pod.placings))
                placing.refuse("cards", "GX022", message, "use a separate pod for each container")
        if pod.placings:
            pod.placings[0].warn(
                "KAI011",
                msg("a pod without a queue is in {queue}, and no share names one", queue=DEFAULT_QUEUE),
                msg("add the label {key} with a queue of the cluster, unless it is there", key=QUEUE),
            )
        return PodKeys(
            *in_lists(containers),
            annotations=annotations,
            scheduler_name=Value.of(SCHEDULER) if containers else None,
        )
