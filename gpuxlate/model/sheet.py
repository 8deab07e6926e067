"""The rows of a dialect's data sheet: one row a key.

The sheet is the single source of what a dialect's keys say: reading and writing where nothing special
happens, the rules on numbers, the schema for editors and the tables of the docs follow from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from gpuxlate.model import quantity
from gpuxlate.model.messages import say


class Place(StrEnum):
    """Where a key may be. RESOURCE is container limits and requests."""

    RESOURCE = "resource"
    LABEL = "label"
    ANNOTATION = "annotation"
    NODE_SELECTOR = "nodeSelector"  # and required node affinity
    ENV = "env"
    CLAIM = "claim"  # capacity of a request in a template of claims
    QUOTA = "quota"  # amounts of claims in quotas and queues: never in a pod
    NODE = "node"  # on nodes only: never in a manifest of a pod
    SCHEDULER = "scheduler"  # written by the vendor's scheduler: stripped, never written


ANY = "*"
"""In ``idle`` of a row: no value of the key changes what a pod asks for."""
SELECTOR = "selector"
"""``says`` of a row that selects nodes or cards: not a field of a share, kept where both targets have it."""


class By(StrEnum):
    """What identifies cards, where a pod chooses them."""

    UUID = "uuid"
    MODEL = "model"


class Choice(NamedTuple):
    """A choice of cards: of those that a list names, or of all others. ``parts``: the list has parts of
    names, in any case; else whole names."""

    by: By
    allow: bool = True
    parts: bool = False


class Chosen(NamedTuple):
    """A choice of cards and its list."""

    choice: Choice
    names: tuple[str, ...]

    @classmethod
    def of(cls, choice: Choice | None, names: Iterable[str]) -> Chosen | None:
        """None where a name has what a list cannot hold in every dialect."""
        found = tuple(names)
        return cls(choice, found) if choice and found and all(map(_NAME.fullmatch, found)) else None


_NAME = re.compile(r"""[^\s,'"\\](?:[^\x00-\x1f,'"\\]*[^\s,'"\\])?""")


class Range(NamedTuple):
    """Whole numbers from ``least`` to ``most`` (None: no maximum), multiples of ``step``."""

    least: int = 1
    most: int | None = None
    step: int = 1

    def allows(self, number: int) -> bool:
        return number >= self.least and (self.most is None or number <= self.most) and number % self.step == 0


class Per(StrEnum):
    """What the number of a row counts, where a container has several cards."""

    CARD = "each card"
    TOTAL = "total over the cards"
    CONTAINER = "each container of the pod, in their order"


class Absent(StrEnum):
    """What a container has without the key. A count, compute and memory have the first of their kind."""

    ONE = "one card"
    UNCAPPED = "not capped"
    ALL = "all of the card"
    HUNDREDS = "a card for each 100 percent of memory"  # one below 100


class Writer(StrEnum):
    """Who writes the key. What a vendor's scheduler alone writes has the place SCHEDULER."""

    USER = "user"
    WEBHOOK = "webhook"


class Confidence(StrEnum):
    """How sure the row is: read in code, or written in one document."""

    HIGH = "high"
    MEDIUM = "medium"


GIB = 1024
"""MiB."""
BYTE = Fraction(1, 2**20)
"""MiB."""


class Key(NamedTuple):
    """One row of the data sheet. In a name, ``*`` is any text without a slash: what is before a
    slash is a domain, and another domain is another owner.

    ``unit``: MiB, percent or cards of one unit of the number, by ``says``; 0 where the row has no number.
    ``quantity``: a value with a suffix is a quantity of bytes; ``unit`` is that of a bare number.
    ``decimals_with``: schedulers with which the vendor's API servers take a part of one.
    ``per``: what the number counts. ``values``: what may be valid in a pod, as ranges (of each card's part
    where a total has a count beside it), words, or patterns of the whole text; empty where the data sheet
    sets no bounds. ``words``: the value of the field that each
    word is. ``doubts``: values whose effect is not certain, and why.

    ``unread``: why no share holds what the number says.

    ``needs``: resources of which the container must have one too; ``excludes``: those that it must not have;
    ``beside``: those beside which it is ignored.
    ``absent``: what a container has without the key. ``writer``, ``since``, ``until``: who writes it, and the
    versions that have it. ``aliases``: other names of the same key, which are read and not written. ``idle``:
    values with which a pod asks for what it asks for without the key (the vendor's default), so that a reader
    may forget them; ANY for all. ``capped``: more than its maximum is read as its maximum.
    ``whole``: it counts whole cards and nothing else. ``offline``: it counts shares of the class offline
    alone. ``model``: the card, by
    its name in the catalogue, that the name of the key chooses; ``template``: the name with ``{model}`` or
    ``{container}`` in it. ``chooses``: the cards that a choice is about, where other dialects can say it.
    """

    name: str
    places: frozenset[Place]
    meaning: str
    source: str = ""
    says: str | None = None  # the attribute of Share that it sets, or SELECTOR
    unit: Fraction | int = 0
    quantity: bool = False
    decimals_with: tuple[str, ...] = ()
    per: Per = Per.TOTAL
    values: tuple[Range | str | re.Pattern[str], ...] = ()
    words: Mapping[str, Any] = MappingProxyType({})
    doubts: Mapping[str, str] = MappingProxyType({})
    needs: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    absent: Absent | None = None
    writer: Writer = Writer.USER
    since: str = ""
    until: str = ""
    confidence: Confidence = Confidence.HIGH
    general: bool = False  # other software reads it too: alone it says nothing of a GPU
    anybodys: bool = False  # pods of every dialect have it
    aliases: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    capped: bool = False
    whole: bool = False
    offline: bool = False
    unread: str = ""
    model: str = ""
    template: str = ""
    chooses: Choice | None = None

    @property
    def is_pattern(self) -> bool:
        """The name is that of many keys."""
        return "*" in self.name

    @property
    def is_word(self) -> bool:
        """The key could be anybody's: it is the vendor's in its own places alone, beside other keys."""
        return self.anybodys or (self.general and "/" not in self.name)

    def matches(self, key: str) -> bool:
        head, star, tail = self.name.partition("*")
        if not star:
            return key == self.name
        end = len(key) - len(tail)
        return (
            key.startswith(head)
            and end >= len(head)
            and key.endswith(tail)
            and "/" not in key[len(head) : end]
        )

    def of(self, container: str) -> str:
        """The key of one container, where the name of a container is part of the key."""
        return self.name.replace("*", container)

    def means_nothing(self, text: str) -> bool:
        """With this value a pod asks for no more than without the key."""
        number = quantity.whole(text)
        percent = self.says in ("cores", "memory_percent")
        if percent and number is not None and number * self.unit == 100:
            return True  # all of a card, as without the key
        return text in self.idle or ANY in self.idle or (number is not None and str(number) in self.idle)

    @property
    def ends_at_zero(self) -> bool:
        """With a number of 0 the key is as good as missing, beside others too."""
        return "0" in self.idle

    @property
    def most(self) -> int | None:
        """The largest number that the key may have, in its unit; None where there is none."""
        return max((one.most for one in self.ranges if one.most is not None), default=None)

    @property
    def ranges(self) -> tuple[Range, ...]:
        """The numbers that the key may have, in its unit."""
        return tuple(one for one in self.values if isinstance(one, Range))

    @property
    def texts(self) -> tuple[str, ...]:
        """The words that the key may have; of one that others read too, those with a meaning here."""
        if self.general and self.words:
            return tuple(self.words)
        return tuple(dict.fromkeys((*self.words, *(one for one in self.values if isinstance(one, str)))))

    @property
    def counts(self) -> str:
        """The unit in words: ``MiB of each card``; empty where the row has no number."""
        match self.says:
            case "cards" if self.unit:
                return "cards"
            case "cores" | "memory_percent" if self.unit:
                part = say("units of {unit} %", unit=f"{float(self.unit):g}")
                if self.unit == 1:
                    part = say("percent")
                return say("{unit} of each card" if self.per is Per.CARD else "{unit} of one card", unit=part)
            case "memory_mib" | "memory_limit_mib" if self.unit:
                units = {1: "MiB", GIB: "GiB", BYTE: "bytes"}
                found = units.get(self.unit) or say("units of {unit} MiB", unit=self.unit)
                if self.per is Per.CARD:
                    found = say("{unit} of each card", unit=found)
                return say("{unit}, or an amount with a unit", unit=found) if self.quantity else found
        return ""


def other_names(keys: Iterable[Key]) -> Mapping[str, str]:
    """The aliases of rows, to the names of the rows."""
    return {alias: row.name for row in keys for alias in row.aliases}


def key(name: str, *places: Place, **fields: Any) -> Key:
    """A row of the data sheet; ``fields`` are those of Key."""
    return Key(name, frozenset(places), **fields)
