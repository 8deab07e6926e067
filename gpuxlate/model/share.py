"""The share: what one container asks of GPUs, in vendor-neutral terms.

Standard library only. All numbers are totals over the cards of the share, as in the
GPUShare document; the ``*_per_card`` properties divide them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

FULL_CARD_CORES = 100
"""Compute of one whole card, in percent."""
ALL_MEMORY = 100
"""Memory of a whole card, in percent."""


class Policy(StrEnum):
    """How compute is divided on a shared card."""

    FIXED_SHARE = "fixed-share"
    BURST_SHARE = "burst-share"
    BEST_EFFORT = "best-effort"


class Qos(StrEnum):
    """Colocation class: online pre-empts offline."""

    ONLINE = "online"
    OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class ShareProblem:
    """One reason why numbers are no share: the field (JSON name), what is wrong, what would do."""

    field: str
    message: str
    hint: str


class ShareError(ValueError):
    """The numbers contradict each other; ``problems`` holds every reason at once."""

    def __init__(self, problems: tuple[ShareProblem, ...]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = problems


JSON_NAMES: Mapping[str, str] = {
    "cards": "cards",
    "cores": "cores",
    "memory_mib": "memoryMiB",
    "memory_percent": "memoryPercent",
    "policy": "policy",
    "qos": "qos",
}
"""Attribute name to the name that documents and reports use."""

ONLY_WHEN_SET = frozenset({"memory_percent"})
"""Fields that reports name only where a share says them: those that came after the first five."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share of GPUs, as one container asks for it.

    ``cards``: physical cards of one node, an equal part of each.
    ``cores``: compute in percent of one card, total over the cards; None is not capped.
    ``memory_mib``: GPU memory in MiB, total over the cards; None is all of it.
    ``memory_percent``: GPU memory in percent of each card, 1 to 100, in place of ``memory_mib``.
    How many MiB that is depends on the card.

    Whole cards have one form: ``cores`` of 100 x cards without memory becomes None, and so does
    ``memory_percent`` of 100, which is all of it.
    Raises ShareError where the numbers are no share (rule GX011).
    """

    cards: int = 1
    cores: int | None = None
    memory_mib: int | None = None
    policy: Policy | None = None
    qos: Qos | None = None
    memory_percent: int | None = None

    def __post_init__(self) -> None:
        problems = tuple(share_problems(self.cards, self.cores, self.memory_mib, self.memory_percent))
        if problems:
            raise ShareError(problems)
        if self.memory_percent == ALL_MEMORY:
            object.__setattr__(self, "memory_percent", None)
        if not self.caps_memory and self.cores == FULL_CARD_CORES * self.cards:
            object.__setattr__(self, "cores", None)

    @property
    def whole_cards(self) -> bool:
        """The container has its cards to itself, with all their memory."""
        return self.cores is None and not self.caps_memory

    @property
    def caps_memory(self) -> bool:
        """The container gets a part of the memory of its cards, in MiB or in percent."""
        return self.memory_mib is not None or self.memory_percent is not None

    @property
    def cores_per_card(self) -> int | None:
        """Percent of each card."""
        return None if self.cores is None else self.cores // self.cards

    @property
    def memory_mib_per_card(self) -> int | None:
        """MiB on each card."""
        return None if self.memory_mib is None else self.memory_mib // self.cards

    def to_json(self) -> dict[str, int | str | None]:
        """The five fields under their JSON names, None where omitted; memoryPercent where it is set."""
        return {
            name: _plain(getattr(self, attribute))
            for attribute, name in JSON_NAMES.items()
            if attribute not in ONLY_WHEN_SET or getattr(self, attribute) is not None
        }

    def given_fields(self) -> frozenset[str]:
        """Attribute names of the fields that say something: those a target must find room for."""
        return frozenset(name for name in JSON_NAMES if getattr(self, name) is not None)


def _plain(value: Any) -> int | str | None:
    return str(value) if isinstance(value, StrEnum) else value


def share_problems(
    cards: int, cores: int | None, memory_mib: int | None, memory_percent: int | None = None
) -> Iterator[ShareProblem]:
    """Every reason why the numbers are no share, each with the nearest that would do."""
    if cards < 1:
        yield ShareProblem("cards", f"cards is {cards}, it must be at least 1", "write cards: 1")
        return
    if cores is not None:
        ceiling = FULL_CARD_CORES * cards
        if cores < 1:
            yield ShareProblem(
                "cores", f"cores is {cores}, it must be at least 1", "omit cores to leave compute uncapped"
            )
        elif cores > ceiling:
            yield ShareProblem(
                "cores",
                f"cores is {cores}, at most {ceiling} (100 x {cards} {_cards(cards)}) is possible",
                f"write cores: {ceiling}, or more cards",
            )
        elif cores % cards:
            yield _does_not_divide("cores", cores, cards, ceiling)
    if memory_mib is not None:
        if memory_mib < 1:
            yield ShareProblem(
                "memoryMiB",
                f"memoryMiB is {memory_mib}, it must be at least 1",
                "omit memoryMiB to ask for all memory of the cards",
            )
        elif memory_mib % cards:
            yield _does_not_divide("memoryMiB", memory_mib, cards, None)
    if memory_percent is not None:
        yield from _percent_problems(memory_percent, memory_mib)


def _percent_problems(memory_percent: int, memory_mib: int | None) -> Iterator[ShareProblem]:
    if memory_mib is not None:
        yield ShareProblem(
            "memoryPercent",
            f"memoryPercent {memory_percent} stands beside memoryMiB {memory_mib}: memory is said once",
            "keep one of them: MiB in total, or percent of each card",
        )
    if memory_percent < 1:
        yield ShareProblem(
            "memoryPercent",
            f"memoryPercent is {memory_percent}, it must be at least 1",
            "omit memoryPercent to ask for all memory of the cards",
        )
    elif memory_percent > ALL_MEMORY:
        yield ShareProblem(
            "memoryPercent",
            f"memoryPercent is {memory_percent}, at most {ALL_MEMORY} is possible: it counts percent of "
            "each card, however many there are",
            f"write memoryPercent: {ALL_MEMORY} or less",
        )


def _does_not_divide(field: str, value: int, cards: int, ceiling: int | None) -> ShareProblem:
    below = value - value % cards
    above = below + cards
    near = [str(n) for n in (below, above) if n > 0 and (ceiling is None or n <= ceiling)]
    return ShareProblem(
        field,
        f"{field} is {value}, it must divide by cards ({cards}): each card gives an equal part",
        f"write {' or '.join(near)}",
    )


def percent_in_mib(percent: int, card_mib: int) -> int:
    """A part of a card's memory in MiB, rounded up: never below what was asked."""
    return -(-percent * card_mib // ALL_MEMORY)


def _cards(count: int) -> str:
    return "card" if count == 1 else "cards"
