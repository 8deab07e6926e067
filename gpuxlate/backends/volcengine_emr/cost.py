"""What a GPU share costs on EMR Serverless: the vendor's GPU-hour formula, in exact fractions.

Source: EMR Serverless, mGPU (seed 004), for pay-as-you-go GPUs only:

    GPU-hours of a pod = 1 * GPU-hours of the card * max(core / 100, memory / memory of the card)

The page leaves out the time, its example runs one hour. It says "memory of the whole card" and
puts in what mGPU leaves of it (22731 MiB of an A10): the usable memory is meant. The vendor's
rounding and its least charge are not documented, so nothing is rounded here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from gpuxlate.model.share import FULL_CARD_CORES

MAX_LENGTH = 32
"""Longer numbers are no hours or units that anybody means; keeps arithmetic bounded."""


class CostError(ValueError):
    """The numbers are none that can be billed. The message says why."""


class Decides(StrEnum):
    """Which of the two parts of a card the price follows."""

    COMPUTE = "compute"
    MEMORY = "memory"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Card:
    """A card as it is billed. ``units``: GPU-hours for one hour of it. ``memory_mib``: usable MiB."""

    units: Fraction
    memory_mib: int

    def __post_init__(self) -> None:
        if self.units <= 0 or self.memory_mib < 1:
            raise CostError("a card has more than 0 units and at least 1 MiB")


KNOWN_CARDS: Mapping[str, Card] = {"A10": Card(Fraction(10), 22731)}
"""The only card whose figures the vendor's page gives (seed 004)."""


@dataclass(frozen=True, slots=True)
class Price:
    """What one pod costs: percent of a card's compute and MiB of its memory, over some hours."""

    card: Card
    cores: int
    memory_mib: int
    hours: Fraction

    def __post_init__(self) -> None:
        if not 1 <= self.cores <= FULL_CARD_CORES:
            raise CostError(f"{self.cores} % of a card is none that can be billed")
        if not 1 <= self.memory_mib <= self.card.memory_mib:
            raise CostError(f"{self.memory_mib} MiB: the card has {self.card.memory_mib} MiB for use")
        if self.hours <= 0:
            raise CostError("the hours must be more than 0")

    @property
    def compute_part(self) -> Fraction:
        """Compute, as a part of the card."""
        return Fraction(self.cores, FULL_CARD_CORES)

    @property
    def memory_part(self) -> Fraction:
        """Memory, as a part of what the card has for use."""
        return Fraction(self.memory_mib, self.card.memory_mib)

    @property
    def part(self) -> Fraction:
        """The part of the card that is billed."""
        return max(self.compute_part, self.memory_part)

    @property
    def decides(self) -> Decides:
        if self.compute_part == self.memory_part:
            return Decides.BOTH
        return Decides.COMPUTE if self.compute_part > self.memory_part else Decides.MEMORY

    @property
    def gpu_hours(self) -> Fraction:
        return self.hours * self.card.units * self.part

    @property
    def break_even_memory_mib(self) -> Fraction:
        """MiB from which on memory decides, at this compute."""
        return self.compute_part * self.card.memory_mib

    @property
    def break_even_cores(self) -> Fraction:
        """Percent from which on compute decides, at this memory."""
        return self.memory_part * FULL_CARD_CORES

    @property
    def free_memory_mib(self) -> int:
        """Whole MiB that could be asked for in addition at the same price."""
        return max(int(self.break_even_memory_mib) - self.memory_mib, 0)

    @property
    def free_cores(self) -> int:
        """Whole percent that could be asked for in addition at the same price."""
        return max(int(self.break_even_cores) - self.cores, 0)


_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_FRACTION = re.compile(rf"({_NUMBER})(?:/([0-9]+))?")
_DURATION = re.compile(rf"(?=.)(?:({_NUMBER})h)?(?:({_NUMBER})m)?(?:({_NUMBER})s)?")


def number(text: str) -> Fraction:
    """A number above 0, as ``10``, ``0.5`` or ``1/3``, exactly. Raises CostError."""
    match = _FRACTION.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if match is None or int(match[2] or 1) == 0:
        raise CostError(f"{text[:MAX_LENGTH]!r} is no number")
    return _positive(Fraction(match[1]) / int(match[2] or 1))


def hours(text: str) -> Fraction:
    """Hours: a number (``1``, ``0.5``, ``1/3``) or a duration (``90m``, ``1h30m``). Raises CostError."""
    match = _DURATION.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if match is None:
        return number(text)
    return _positive(sum((Fraction(match[n + 1] or 0) / 60**n for n in range(3)), Fraction(0)))


def _positive(value: Fraction) -> Fraction:
    if value <= 0:
        raise CostError("it must be more than 0")
    return value


def decimal(value: Fraction, places: int = 6) -> str:
    """The number for print, rounded to ``places`` after the point, without zeros at its end."""
    digits = f"{abs(round(value * 10**places)):0{places + 1}d}"
    fraction = digits[-places:].rstrip("0")
    return ("-" if value < 0 else "") + digits[:-places] + (f".{fraction}" if fraction else "")
