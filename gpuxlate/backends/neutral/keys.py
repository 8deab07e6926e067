"""The data sheet of gpuxlate's own keys. Their numbers are those of a share."""

from __future__ import annotations

from gpuxlate.backends.base import Key, Per, Place, Range, key
from gpuxlate.model.share import Policy, Qos

CORES = "gpuxlate.io/cores"
MEMORY = "gpuxlate.io/memory-mib"
MEMORY_PERCENT = "gpuxlate.io/memory-percent"
CARDS = "gpuxlate.io/cards"
POLICY = "gpuxlate.io/policy"
QOS = "gpuxlate.io/qos"

POLICIES = {str(one): one for one in Policy}
CLASSES = {str(one): one for one in Qos}

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
)


RESOURCES = (CARDS, CORES, MEMORY, MEMORY_PERCENT)
NUMBERS = ("cards", "cores", "memory_mib", "memory_percent")
