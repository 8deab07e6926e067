"""The data sheet of gpuxlate's own keys. Their numbers are those of a share."""

from __future__ import annotations

import re

from gpuxlate.backends.base import Key, Per, Place, Range, key
from gpuxlate.model.parts import Strategy
from gpuxlate.model.pod import ContainerKeys
from gpuxlate.model.share import MODEL, VENDOR, Isolation, Policy, Qos

CORES = "gpuxlate.io/cores"
MEMORY = "gpuxlate.io/memory-mib"
MEMORY_PERCENT = "gpuxlate.io/memory-percent"
MEMORY_LIMIT = "gpuxlate.io/memory-limit-mib"
CARDS = "gpuxlate.io/cards"
PARTITION = "gpuxlate.io/partition-*"
REPLICA_OF = "gpuxlate.io/replica-of"
REPLICAS = "gpuxlate.io/replicas"
POLICY = "gpuxlate.io/policy"
QOS = "gpuxlate.io/qos"
ISOLATION = "gpuxlate.io/isolation"
DEVICE_VENDOR = "gpuxlate.io/device-vendor"
DEVICE_MODELS = "gpuxlate.io/device-models"

POLICIES = {str(one): one for one in Policy}
CLASSES = {str(one): one for one in Qos}
ISOLATIONS = {str(one): one for one in Isolation}
STRATEGIES: dict[str, Strategy | None] = {REPLICAS: None, **{f"{REPLICAS}-{one}": one for one in Strategy}}
"""Resources that count replicas, each with how its clients share the card."""

_MODEL = MODEL.strip("^$")

KEYS: tuple[Key, ...] = (
    key(
        CARDS,
        Place.RESOURCE,
        says="cards",
        meaning="cards, an equal part of each",
        unit=1,
        values=(Range(),),
    ),
    key(
        CORES,
        Place.RESOURCE,
        says="cores",
        meaning="compute, total over the cards",
        unit=1,
        values=(Range(),),
        idle=("100",),
    ),
    key(
        MEMORY,
        Place.RESOURCE,
        says="memory_mib",
        meaning="GPU memory, total over the cards",
        unit=1,
        values=(Range(),),
    ),
    key(
        MEMORY_PERCENT,
        Place.RESOURCE,
        says="memory_percent",
        meaning="GPU memory, of each card",
        unit=1,
        per=Per.CARD,
        values=(Range(1, 100),),
        idle=("100",),
    ),
    key(
        POLICY,
        Place.ANNOTATION,
        says="policy",
        meaning="how compute is divided",
        values=tuple(POLICIES),
    ),
    key(QOS, Place.ANNOTATION, says="qos", meaning="colocation class", values=tuple(CLASSES)),
    key(
        MEMORY_LIMIT,
        Place.RESOURCE,
        says="memory_limit_mib",
        meaning="how far GPU memory may burst, total over the cards",
        unit=1,
        values=(Range(),),
        needs=(MEMORY,),
    ),
    key(
        PARTITION,
        Place.RESOURCE,
        says="partition",
        meaning="instances of a hardware partition, whose profile is in the name; a dot for each plus",
        values=(Range(),),
        template="gpuxlate.io/partition-{profile}",
    ),
    *(
        key(
            name,
            Place.RESOURCE,
            says="replica",
            meaning="clients of a card that others use too" + (f", by {one}" if one else ""),
            values=(Range(),),
            excludes=tuple(other for other in STRATEGIES if other != name),
        )
        for name, one in STRATEGIES.items()
    ),
    key(
        REPLICA_OF,
        Place.RESOURCE,
        says="replica",
        meaning="how many equal clients the card has",
        values=(Range(2),),
        needs=tuple(STRATEGIES),
    ),
    key(
        DEVICE_VENDOR,
        Place.ANNOTATION,
        says="device",
        meaning="who makes the cards that will do",
        values=(re.compile(VENDOR.strip("^$")),),
    ),
    key(
        DEVICE_MODELS,
        Place.ANNOTATION,
        says="device",
        meaning="the card models that will do, with commas between them",
        values=(re.compile(rf"{_MODEL}(, ?{_MODEL})*"),),
    ),
    key(
        ISOLATION,
        Place.ANNOTATION,
        says="isolation",
        meaning="the least isolation that is acceptable",
        values=tuple(ISOLATIONS),
    ),
)


NUMBERS = {row.name: str(row.says) for row in KEYS if Place.RESOURCE in row.places and row.unit}
"""Resources, to the attributes of the share: its numbers."""

OF_POD = {row.name: str(row.says) for row in KEYS if Place.ANNOTATION in row.places}
"""Annotations of the pod, to the attributes of the share."""


BEFORE = PARTITION.removesuffix("*")


def partitions(container: ContainerKeys) -> list[str]:
    """The resources of a container that count partitions."""
    return [name for name in container.resources if name.startswith(BEFORE)]


def allows(name: str, text: str) -> bool:
    """The text is a value of the annotation (GX010)."""
    row = next(row for row in KEYS if row.name == name)
    return any(one.fullmatch(text) if isinstance(one, re.Pattern) else one == text for one in row.values)
