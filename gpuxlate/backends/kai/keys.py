"""The data sheet of KAI Scheduler and Run:ai: annotations of the pod, of which one container has the share.

Everything is **per card**: `gpu-memory: "3000"` with two devices are 3000 MiB of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from gpuxlate.backends.base import SELECTOR, Key, Per, Place, key
from gpuxlate.backends.rows import choice, whole, written
from gpuxlate.model import quantity
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.sheet import ANY, BYTE, Confidence

SCHEDULER, RUNAI_SCHEDULER = "kai-scheduler", "runai-scheduler"
WHOLE = "nvidia.com/gpu"
"""Whole cards, in limits. The validator refuses it in a pod with FRACTION or MEMORY (CODE)."""

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
"""Label: the queue of the pod, without which it is not scheduled."""

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
MILLI = re.compile(r"\+?0*[1-9][0-9]?0\.?0*m")
"""Whole percent in thousandths."""
MODES = ("time-slicing", "sm-sharing")
USUAL = {MPS: ("false",), POD_COMPUTE_MODE: MODES[:1]}
"""Values of choices that change nothing."""
NAME_LENGTH = 63
"""Most characters of the name of an annotation, after the slash."""


def _limit(name: str, **fields: object) -> Key:
    return key(
        name, Place.ANNOTATION, meaning="how far memory may burst", confidence=Confidence.MEDIUM, **fields
    )


def _of_container(name: str, meaning: str, **fields: object) -> Key:
    return key(
        name,
        Place.ANNOTATION,
        meaning=meaning,
        template=name.replace("*", "{container}"),
        source="NVFRACTIONS",
        confidence=Confidence.MEDIUM,
        **fields,
    )


KEYS: tuple[Key, ...] = (
    whole(WHOLE, source="CODE"),
    key(
        FRACTION,
        Place.ANNOTATION,
        meaning="GPU memory",
        says="memory_percent",
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
        says="memory_mib",
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
        says="cards",
        unit=1,
        values=(WHOLE_NUMBER,),
        idle=("1",),
        general=True,
        source="CODE",
    ),
    key(CONTAINER, Place.ANNOTATION, meaning="the container with the share", general=True, source="README"),
    _limit(FRACTION_LIMIT, says=SELECTOR, values=(DECIMAL, EXPONENT), general=True, source="CODE"),
    _limit(
        MEMORY_LIMIT,
        says="memory_limit_mib",
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
        idle=("false",),
        general=True,
        source="CODE",
    ),
    key(
        RUNAI_LIMIT,
        Place.ENV,
        meaning="how far memory may burst",
        says="memory_limit_mib",
        unit=1,
        per=Per.CARD,
        until="Run:ai 3.0",
        source="RUNAI",
    ),
    _of_container(REQUEST, "GPU memory", says="memory_mib", unit=BYTE, quantity=True, per=Per.CARD),
    _of_container(
        LIMIT, "how far memory may burst", says="memory_limit_mib", unit=BYTE, quantity=True, per=Per.CARD
    ),
    _of_container(COMPUTE_MODE, "how compute is shared", says=SELECTOR, values=MODES, idle=MODES[:1]),
    choice(
        POD_COMPUTE_MODE,
        meaning="how compute is shared",
        values=MODES,
        idle=MODES[:1],
        source="NVFRACTIONS",
    ),
    key(QUEUE, Place.LABEL, meaning="queue", idle=(ANY,), source="CODE"),
    key(RUNAI_QUEUE, Place.LABEL, meaning="queue", idle=(ANY,), source="RUNAI"),
    written("nvidia.com/container.*.gpus.devices", meaning="assigned cards", source="NVFRACTIONS"),
    written("received-resource-type", meaning="how it was scheduled", source="CODE"),
    choice(
        RUNAI_REQUEST,
        Place.ENV,
        meaning="the share of memory, as the limit beside it",
        until="Run:ai 3.0",
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


def fraction(text: str) -> Fraction | None:
    """A part of a card's memory, above 0 and below 1; None for anything else.

    `250m` is one where it is whole percent: the documents take it, the validator does not (KAI001).
    """
    if not (DECIMAL.fullmatch(text) or EXPONENT.fullmatch(text) or text.endswith("m")):
        return None
    try:
        found = quantity.parse(text).amount
    except quantity.QuantityError:
        return None
    if not 0 < found < 1 or (text.endswith("m") and found * 100 % 1):
        return None
    return found


def number(text: str) -> int | None:
    """MiB or cards: plain digits, at least 1; None for anything else."""
    return quantity.whole(text) if WHOLE_NUMBER.fullmatch(text) else None


def mib(text: str) -> Fraction | None:
    """MiB of an amount with a unit, above 0; None for anything else."""
    try:
        found = quantity.parse(text).amount * BYTE
    except quantity.QuantityError:
        return None
    return found if found > 0 else None


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


def amounts(pod: PodKeys) -> Iterator[tuple[str, str, Value]]:
    """The annotations REQUEST and LIMIT of the pod: the row, the container in the key, the value."""
    for row in (REQUEST, LIMIT):
        yield from ((row, container, value) for _, container, value in of_containers(pod, row))


def asks(pod: PodKeys) -> Value | None:
    """The first annotation with which the pod asks for a share; None where it asks for none."""
    legacy = next((pod.annotations[name] for name in SHARE_KEYS if name in pod.annotations), None)
    return legacy or next((value for _, _, value in amounts(pod)), None)


def sharing(pod: PodKeys) -> ContainerKeys | None:
    """The container that FRACTION and MEMORY are of; None where the pod has no such container."""
    named = pod.annotations.get(CONTAINER) or pod.owner_annotations.get(CONTAINER)
    if named is None:
        return pod.containers[0] if pod.containers else None
    return next((one for one in pod.all_containers() if one.name == named.text), None)
