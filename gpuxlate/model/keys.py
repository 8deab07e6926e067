"""The rows of a dialect's data sheet: one row for each key.

The sheet is the single source for a dialect's keys: reading and writing in ordinary cases, the rules on
numbers, the schema for editors and the tables of the docs use it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from gpuxlate.model import quantity
from gpuxlate.model.declarations import regex
from gpuxlate.model.messages import join_and, msg
from gpuxlate.model.profile import Component
from gpuxlate.model.quantity import GIB

KeyRole = Callable[[str], str | None]
"""The field of the share that a key sets, None where it sets none."""


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
    WRITTEN_BY_SCHEDULER = "scheduler"  # written by the vendor's scheduler: stripped, never written


NVIDIA_GPU = "nvidia.com/gpu"
"""Whole cards on every cloud, and the count of several dialects: it alone identifies none."""
ANY = "*"
"""In ``no_op_values`` of a row: no value of the key changes what a pod asks for."""
SELECTOR = "selector"
"""``sets`` of a row that selects nodes or cards: not a field of a share, kept where both targets have it."""


class By(StrEnum):
    """What identifies cards, where a pod chooses them."""

    UUID = "uuid"
    MODEL = "model"


class CardChoice(NamedTuple):
    """A choice of cards: of those that a list names, or of all others. ``parts``: the list has parts of
    names, in any case; else whole names."""

    by: By
    allow: bool = True
    parts: bool = False


class Chosen(NamedTuple):
    """A choice of cards and its list."""

    choice: CardChoice
    names: tuple[str, ...]

    @classmethod
    def of(cls, choice: CardChoice | None, names: Iterable[str]) -> Chosen | None:
        """The choice with its list; None if a name has characters that not every dialect's list can hold."""
        arguments = tuple(names)
        return (
            cls(choice, arguments) if choice and arguments and all(map(_NAME.fullmatch, arguments)) else None
        )


_NAME = regex(r"""[^\s,'"\\](?:[^\x00-\x1f,'"\\]*[^\s,'"\\])?""")


INT32 = 2**31 - 1
"""The largest number of 32 bits with a sign."""


class Range(NamedTuple):
    """Whole numbers from ``least`` to ``most`` (None: no maximum), multiples of ``step``."""

    least: int = 1
    most: int | None = None
    step: int = 1

    @property
    def bound(self) -> int | None:
        """The maximum to name in messages; None if it is only the maximum of a 32-bit integer."""
        return None if self.most == INT32 else self.most

    def allows(self, number: int) -> bool:
        """The number is in the range, and a multiple of ``step``."""
        return number >= self.least and (self.most is None or number <= self.most) and number % self.step == 0

    @property
    def text(self) -> str:
        """In words: ``5 to 100 in multiples of 5``."""
        if self.least == self.most:
            return f"{self.least}"
        above = self.bound is None
        text = (
            msg("{least} or more", least=self.least)
            if above
            else msg("{least} to {most}", least=self.least, most=self.most)
        )
        return msg("{range} in multiples of {step}", range=text, step=self.step) if self.step > 1 else text


class LegalNumbers(NamedTuple):
    """The whole numbers that a key may have, in its unit: the union of ranges.

    ``gib_up_to``: as in ``KeySpec``.
    """

    ranges: tuple[Range, ...]
    gib_up_to: int = 0

    def allows(self, number: int) -> bool:
        """Some range has the number."""
        return any(number_range.allows(number) for number_range in self.ranges)

    def next(self, number: int) -> int | None:
        """The least legal number, in the same unit, that is at least ``number``; None if there is none."""
        gib = self.gib_up_to
        ranges = [
            number_range
            for number_range in self.ranges
            if not gib or (number_range.least > gib) == (number > gib)
        ]
        legal = (
            -(-max(number, number_range.least) // number_range.step) * number_range.step
            for number_range in ranges
        )
        return min((n for n in legal if any(number_range.allows(n) for number_range in ranges)), default=None)

    @property
    def least(self) -> int:
        """The smallest number."""
        return min(number_range.least for number_range in self.ranges)

    @property
    def most(self) -> int | None:
        """The largest number of the ranges with a maximum; None where none has one."""
        return max(
            (number_range.most for number_range in self.ranges if number_range.most is not None), default=None
        )

    def ends_below(self, number: int | Fraction) -> bool:
        """There are ranges, and each has a maximum below ``number``."""
        maximums = [number_range.most for number_range in self.ranges]
        return bool(maximums) and all(maximum is not None and maximum < number for maximum in maximums)

    @property
    def text(self) -> str:
        """The ranges in words."""
        return (
            join_and(number_range.text for number_range in self.ranges)
            if len(self.ranges) > 1
            else self.ranges[0].text
        )

    def times(self, cards: int) -> LegalNumbers:
        """The legal totals of ``cards`` cards, if these are the numbers of each card."""
        ranges = (
            Range(
                number_range.least * cards,
                None if number_range.most is None else number_range.most * cards,
                number_range.step * cards,
            )
            for number_range in self.ranges
        )
        return self._replace(ranges=tuple(ranges))


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
    HUNDREDS = "a card for each 100 percent of memory, else of compute"  # one below 100


class Confidence(StrEnum):
    """How sure the row is: read in code, or written in one document."""

    HIGH = "high"
    MEDIUM = "medium"


BYTE = Fraction(1, 2**20)
"""MiB."""


def domain_of(name: str) -> str:
    """The part of a key before the slash; empty without a slash."""
    domain, slash, _ = name.partition("/")
    return domain if slash else ""


class KeySpec(NamedTuple):
    """One row of the data sheet. In a name, ``*`` is any text without a slash: what is before a
    slash is a domain, and another domain is another owner.

    ``unit``: MiB, percent or cards of one unit of the number, by ``sets``; 0 where the row has no number.
    ``gib_up_to``: smaller numbers, and this one, count GiB.
    ``quantity``: a value with a suffix is a quantity of bytes; ``unit`` is that of a bare number.
    ``decimals_with``: schedulers with which the vendor's API servers take a part of one. ``annotation_with``:
    schedulers that take the resource as an annotation of the pod too.
    ``per``: what the number counts. ``values``: what may be valid in a pod, as ranges (of each card's part
    where a total has a count beside it), words, or patterns of the whole text; empty where the data sheet
    sets no bounds. ``words``: the value of the field that each
    word is. ``uncertain_values``: values whose effect is not certain, and why.

    ``unsupported_reason``: why no share holds what the number says.

    ``limit_by_webhook``: in requests alone it is enough, the vendor's webhook adds the limit.
    ``needs``: resources of which the container must have one too; ``excludes``: those that it must not have;
    ``overridden_by``: those beside which it is ignored.
    ``forced``: the number that the vendor's webhook writes for each card, in place of any other, in a
    container with several cards, and in one without the resources of ``forced_without``; 0: none.
    ``default``: what a container has without the key. ``component``: the software of which some releases do
    not read the name, as ``rules/releases.yaml`` says. The row is that of the newest release that is out;
    ``coming``: that of a later one, which is the first to read the key. ``aliases``: other names of the same
    key, which are read and not written.
    ``no_op_values``: values with which a pod asks for what it asks for without the key (the vendor's
    default), so that a reader may forget them; ANY for all. ``clamped``: more than its maximum is read as its
    maximum. ``hides``: values with which the vendor's webhook does not see the pod.
    ``of_group``: the vendor's scheduler reads the PodGroup of a pod too.
    ``required``: the word that a pod with a part of a card has where its share asks for none.
    ``repeats``: the key on the pod beside which it has the number of that key, and is one card.
    ``whole``: it counts whole cards and nothing else. ``offline``: it counts shares of the class offline
    alone. ``model``: the card, by
    its name in the catalogue, that the name of the key chooses; ``template``: the name with ``{model}`` or
    ``{container}`` in it. ``chooses``: the cards that a choice is about, where other dialects can say it.
    """

    name: str
    places: frozenset[Place]
    meaning: str
    source: str = ""
    sets: str | None = None  # the attribute of Share that it sets, or SELECTOR
    unit: Fraction | int = 0
    gib_up_to: int = 0
    quantity: bool = False
    decimals_with: tuple[str, ...] = ()
    annotation_with: tuple[str, ...] = ()
    per: Per = Per.TOTAL
    values: tuple[Range | str | re.Pattern[str], ...] = ()
    words: Mapping[str, Any] = MappingProxyType({})
    uncertain_values: Mapping[str, str] = MappingProxyType({})
    needs: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    overridden_by: tuple[str, ...] = ()
    forced: int = 0
    forced_without: tuple[str, ...] = ()
    default: Absent | None = None
    component: Component | None = None
    coming: KeySpec | None = None
    confidence: Confidence = Confidence.HIGH
    general: bool = False  # other software reads it too: alone it says nothing of a GPU
    generic: bool = False  # pods of every dialect have it
    aliases: tuple[str, ...] = ()
    no_op_values: tuple[str, ...] = ()
    clamped: bool = False
    hides: tuple[str, ...] = ()
    of_group: bool = False
    required: str = ""
    repeats: str = ""
    whole: bool = False
    offline: bool = False
    limit_by_webhook: bool = False
    unsupported_reason: str = ""
    model: str = ""
    template: str = ""
    chooses: CardChoice | None = None

    @property
    def is_pattern(self) -> bool:
        """The name is a pattern for many keys."""
        return "*" in self.name

    @property
    def is_word(self) -> bool:
        """Other software may use the key too: it is the vendor's only in its own places, with other keys."""
        return self.generic or (self.general and "/" not in self.name)

    def matches(self, key: str) -> bool:
        """A key of a manifest is of this row: its name, or any that its pattern (``*``) covers."""
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

    def key_for_container(self, container: str) -> str:
        """The key of one container, where the name of a container is part of the key."""
        return self.name.replace("*", container)

    def is_no_op(self, text: str) -> bool:
        """With this value a pod requests the same as without the key."""
        number = quantity.parse_integer(text)
        percent = self.sets in ("cores", "memory_percent")
        if percent and number is not None and number * self.unit == 100:
            return True  # all of a card, as without the key
        return (
            text in self.no_op_values
            or ANY in self.no_op_values
            or (number is not None and str(number) in self.no_op_values)
        )

    def has_its_needs(self, names: Set[str]) -> bool:
        """``names`` has one of ``needs``, and one of ``forced_without``; an empty field needs none."""
        return all(not names.isdisjoint(needed) for needed in (self.needs, self.forced_without) if needed)

    @property
    def zero_is_absent(self) -> bool:
        """A value of 0 means the same as a missing key, also with other keys in the container."""
        return "0" in self.no_op_values

    @property
    def legal(self) -> LegalNumbers:
        """The numbers that the key may have, in its unit."""
        return LegalNumbers(self.ranges, self.gib_up_to)

    @property
    def ranges(self) -> tuple[Range, ...]:
        """The numbers that the key may have, in its unit."""
        return tuple(value for value in self.values if isinstance(value, Range))

    @property
    def texts(self) -> tuple[str, ...]:
        """The words that the key may have; of one that others read too, those with a meaning here."""
        if self.general and self.words:
            return tuple(self.words)
        return tuple(
            dict.fromkeys((*self.words, *(value for value in self.values if isinstance(value, str))))
        )

    @property
    def unit_text(self) -> str:
        """The unit in words: ``MiB of each card``; empty where the row has no number."""
        match self.sets:
            case "cards" if self.unit:
                return "cards"
            case "cores" | "memory_percent" if self.unit:
                part = msg("units of {unit} %", unit=f"{float(self.unit):g}")
                if self.unit == 1:
                    part = msg("percent")
                return msg("{unit} of each card" if self.per is Per.CARD else "{unit} of one card", unit=part)
            case "memory_mib" | "memory_limit_mib" if self.unit:
                units = {1: "MiB", GIB: "GiB", BYTE: "bytes"}
                unit_text = units.get(self.unit) or msg("units of {unit} MiB", unit=self.unit)
                if self.gib_up_to:
                    unit_text = msg("{unit}, up to {number} GiB", unit=unit_text, number=self.gib_up_to)
                if self.per is Per.CARD:
                    unit_text = msg("{unit} of each card", unit=unit_text)
                return msg("{unit}, or an amount with a unit", unit=unit_text) if self.quantity else unit_text
        return ""


def other_names(keys: Iterable[KeySpec]) -> Mapping[str, str]:
    """The aliases of rows, to the names of the rows."""
    return {alias: row.name for row in keys for alias in row.aliases}


def key(name: str, *places: Place, **fields: Any) -> KeySpec:
    """A row of the data sheet; ``fields`` are those of KeySpec."""
    return KeySpec(name, frozenset(places), **fields)
