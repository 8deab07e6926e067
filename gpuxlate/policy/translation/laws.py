"""The laws that the keys of a target follow: which numbers it takes, and what it writes for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from gpuxlate.policy.translation.probe import NAME, Point
from gpuxlate.rules.predicates.cel import text

_NUMBER = re.compile(r"([0-9]+)((?:Mi)?)")
FIELDS = ("cores", "mib", "percent")
"""Of a Point, beside the cards."""


class Steps(NamedTuple):
    """Multiples of a step, from the least to the most. From ``low`` on, a number is rounded up to one."""

    least: int
    most: int
    step: int
    low: int = 1

    def holds(self, number: int) -> bool:
        return self.least <= number <= self.most and number % self.step == 0

    def up(self, number: int) -> int | None:
        """The next one that is not below."""
        found = max(self.least, -(-number // self.step) * self.step)
        return found if self.low <= number and found <= self.most else None

    def written_up(self, number: str) -> str:
        """``up`` in CEL."""
        found = number if self.step == 1 else f"({number} + {self.step - 1}) / {self.step} * {self.step}"
        return found if self.least <= self.step else f"({number} < {self.least} ? {self.least} : {found})"

    def written(self, number: str, *, rounds: bool) -> str:
        """It holds, or is rounded up to one that does, in CEL."""
        if rounds:
            return f"{number} >= {self.low} && {number} <= {self.most}"
        found = f"{number} >= {self.least} && {number} <= {self.most}"
        return found if self.step == 1 else f"{found} && {number} % {self.step} == 0"


class Listed(NamedTuple):
    """Single numbers. From ``low`` on, a number is rounded up to one."""

    values: tuple[int, ...]
    low: int = 1

    def holds(self, number: int) -> bool:
        return number in self.values

    def up(self, number: int) -> int | None:
        return next((one for one in self.values if one >= number >= self.low), None)

    def written_up(self, number: str) -> str:
        return f"{[*self.values]}.filter(x, x >= {number})[0]"

    def written(self, number: str, *, rounds: bool) -> str:
        if rounds:
            return f"{number} >= {self.low} && {number} <= {self.values[-1]}"
        return f"{number} in {[*self.values]}"

    @property
    def most(self) -> int:
        return self.values[-1]

    @property
    def least(self) -> int:
        return self.values[0]


Grid = Steps | Listed


def grid_of(numbers: Sequence[int]) -> Grid:
    """The grid of numbers in their order."""
    least, most = numbers[0], numbers[-1]
    step = numbers[1] - least if len(numbers) > 1 else 1
    found = Steps(least, most, step)
    return (
        found if [n for n in range(least, most + 1) if found.holds(n)] == [*numbers] else Listed((*numbers,))
    )


@dataclass(frozen=True)
class Law:
    """What a key is: a text, the name of the container, or a number of the share times a ratio.

    ``total``: over the cards. ``table``: a text for each number. ``each``: the numbers of all containers.
    """

    constant: str = ""
    field: str = ""
    total: bool = False
    ratio: Fraction = Fraction(1)
    suffix: str = ""
    table: tuple[tuple[int, str], ...] = ()
    each: bool = False

    def of(self, point: Point, place: str = "alone") -> str | None:
        """The text for a share, None where there is none."""
        if self.each:
            mine = "0" if place == "init" else str(point.cards)
            return {"first": f"{mine},0", "second": f"0,{mine}"}.get(place, mine)
        if self.field == "name":
            return f"{NAME}-1" if place == "second" else NAME
        if not self.field:
            return self.constant
        number = getattr(point, self.field)
        if self.table:
            return dict(self.table).get(number)
        found = number * (point.cards if self.total else 1) * self.ratio
        return f"{found}{self.suffix}" if found.denominator == 1 else None

    def written(self, lifted: dict[str, str]) -> str:
        """A text in CEL, of the share ``s``; ``lifted``: its numbers as they are after rounding."""
        if self.each:
            mine = "variables.shares.filter(t, !t.init && t.i == i)"
            names = f"variables.places.map(i, {mine}.size() > 0 ? string({mine}[0].n) : '0')"
            return f"{names}.join(',')"
        if self.field == "name":
            return "string(s.name)"
        if not self.field:
            return text(self.constant)
        number = lifted[self.field]
        if self.table:
            entries = ", ".join(f"{key}: {text(value)}" for key, value in self.table)
            return f"{{{entries}}}[{number}]"
        factors = [f"({number})" if " " in number else number, *(["s.n"] if self.total else [])]
        if self.ratio.numerator != 1:
            factors.append(str(self.ratio.numerator))
        product = " * ".join(factors)
        if self.ratio.denominator != 1:
            product = f"{product} / {self.ratio.denominator}"
        found = f"string({product})"
        return f"{found} + {text(self.suffix)}" if self.suffix else found


def candidates(points: Sequence[tuple[Point, str]]) -> Iterator[Law]:
    """The laws that hold for all of some shares, each with its text; the simplest first."""
    point, first = points[0]
    possible = [Law(field="name")] if first == NAME else [Law(first)]
    match = _NUMBER.fullmatch(first)
    if match:
        for field in ("cards", *FIELDS):
            number = getattr(point, field)
            for total in (False, True) if number and field != "cards" else (False,) if number else ():
                ratio = Fraction(int(match[1]), number * (point.cards if total else 1))
                possible.append(Law(field=field, total=total, ratio=ratio, suffix=match[2]))
    found = [law for law in possible if law.ratio and all(law.of(one) == value for one, value in points)]
    yield from found or _tables(points)


def _tables(points: Sequence[tuple[Point, str]]) -> Iterator[Law]:
    """A text for each percent of compute or memory."""
    for field in ("cores", "percent"):
        table: dict[int, str] = {}
        if all(table.setdefault(getattr(one, field), value) == value for one, value in points):
            yield Law(field=field, table=tuple(sorted(table.items())))


def still(laws: Iterable[Law], point: Point, value: str | None, place: str = "alone") -> tuple[Law, ...]:
    """The laws that hold for one more share."""
    return tuple(law for law in laws if law.of(point, place) == value)
