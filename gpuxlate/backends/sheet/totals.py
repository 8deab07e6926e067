"""Numbers that are totals over the cards: each card's part keeps the row's ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuxlate.backends.base import Absent, Key, Per, Place, Range
from gpuxlate.model import quantity
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.share_problems import FULL_CARD_CORES
from gpuxlate.rules.predicates.conditions import (
    All,
    Amount,
    Any,
    AtMost,
    Condition,
    Divides,
    Label,
    Labelled,
    Not,
)

if TYPE_CHECKING:
    from gpuxlate.backends.sheet.sheet import Sheet

HUNDREDS = Range(FULL_CARD_CORES, None, FULL_CARD_CORES)
"""Whole cards, in percent."""


def count_of(sheet: Sheet, row: Key) -> Key | None:
    """The key that counts the cards of a total; None where the number is no total, or nothing counts."""
    if row.per is not Per.TOTAL or row.says == "cards":
        return None
    return next((rows.cards for rows in sheet.families if row.model == rows.model), None)


def cards_in(sheet: Sheet, row: Key, pod: PodKeys, container: ContainerKeys) -> int | None:
    """How many cards a total is divided among; None where no key says it."""
    count = count_of(sheet, row)
    value = None if count is None else _counted(count, pod, container)
    number = None if value is None else quantity.whole(value.text)
    return number if number and number > 0 else None


def _counted(count: Key, pod: PodKeys, container: ContainerKeys) -> Value | None:
    if Place.LABEL in count.places:
        return pod.labels.get(count.name)
    return container.resources.get(count.name)


def _counting(count: Key) -> tuple[Condition, str | Label]:
    """There is a number of cards, and where it is."""
    if Place.LABEL in count.places:
        return Labelled(count.name, Range()), Label(count.name)
    return Amount(count.name, Range()), count.name


def counted_by(sheet: Sheet, row: Key) -> str | Label | None:
    """Where the number of cards is that a total is divided among; None where nothing counts them."""
    count = count_of(sheet, row)
    return None if count is None else _counting(count)[1]


def all_compute(sheet: Sheet, cores: Key) -> Condition:
    """The compute is all that the cards have."""
    least, count = Amount(cores.name, Range(FULL_CARD_CORES)), count_of(sheet, cores)
    if count is None:
        return least
    counted, by = _counting(count)
    one = Amount(cores.name, Range(FULL_CARD_CORES, FULL_CARD_CORES))
    return Any(All(counted, least, Divides(cores.name, by, FULL_CARD_CORES)), All(Not(counted), one))


def counted_elsewhere(sheet: Sheet, row: Key, pod: PodKeys, container: ContainerKeys) -> bool:
    """No key says how many cards a total is for: in a patch, that is in the object."""
    return count_of(sheet, row) is not None and cards_in(sheet, row, pod, container) is None


def legal(sheet: Sheet, row: Key) -> Condition:
    """The number of a row is one that it takes, for the cards that the container has."""
    count = count_of(sheet, row)
    if count is None:
        return Amount(row.name, *row.ranges)
    counted, by = _counting(count)
    part = Any(*(_part(row.name, one, by) for one in row.ranges))
    return Any(All(counted, part), All(Not(counted), Amount(row.name, *uncounted(row, count))))


def _part(name: str, one: Range, by: str | Label) -> Condition:
    least = Range(max(one.least, 1)) if one.least else Range(0)
    bounds = [Amount(name, least), Divides(name, by, one.step)]
    return All(*bounds, *([AtMost(name, one.most, by)] if one.most is not None else []))


def uncounted(row: Key, count: Key) -> tuple[Range, ...]:
    """The numbers without a count of cards: of one card, or of as many as there are hundreds."""
    return (*row.ranges, HUNDREDS) if count.absent is Absent.HUNDREDS else row.ranges


def for_container(sheet: Sheet, row: Key, pod: PodKeys, container: ContainerKeys) -> Key:
    """The row with the numbers that a container may have."""
    count, cards = count_of(sheet, row), cards_in(sheet, row, pod, container)
    if count is None:
        return row
    if cards is None:
        return row._replace(values=uncounted(row, count))
    return row._replace(
        values=tuple(
            Range(one.least * cards, None if one.most is None else one.most * cards, one.step * cards)
            for one in row.ranges
        )
    )
