"""What is free on a card, what a container requests, and the placements of a pod on one node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from gpuxlate.backends.limits import ANY
from gpuxlate.backends.live import PERCENT

STEPS = 20_000
"""Placements that an exact search tries, about a second of work."""
UNLIMITED = 1_000_000
"""Slots of a card where the vendor's documents give no number, or disagree on it."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What one container requests of each of its ``cards``.

    ``cores``: percent that count against the card; offline compute does not. ``memory_mib`` is
    None where it gets all memory of the card. ``joins_at``: percent that are free where it joins a card, at
    least ``cores``; ``alone``: no other container is on its cards. ``mode``: what all containers of a card
    have in common, ``pool``: what all those of a node have; ANY goes with all.
    """

    container: str
    init: bool
    index: int
    cards: int = 1
    cores: int = 0
    memory_mib: int | None = None
    whole: bool = False
    offline: bool = False
    joins_at: int = 0
    alone: bool = False
    mode: str = ANY
    pool: str = ANY

    @property
    def percent(self) -> int:
        """Percent of each card that no other container can use."""
        return PERCENT if self.whole else self.cores

    @property
    def fresh(self) -> bool:
        """Its cards run no other container when it comes."""
        return self.whole or self.alone or self.memory_mib is None


class Space(NamedTuple):
    """What is free on one card: percent, MiB, and ``slots`` for containers; ``untouched``: it runs none.

    ``mode``: that of the containers on the card, ``pool``: that of the pods on its node.
    """

    cores: int
    memory_mib: int
    slots: int
    untouched: bool
    mode: str = ANY
    pool: str = ANY

    def takes(self, ask: Ask) -> bool:
        if self.slots <= 0 or not (_meet(self.mode, ask.mode) and _meet(self.pool, ask.pool)):
            return False
        if ask.whole:
            return self.untouched and self.cores == PERCENT
        if self.cores < max(ask.cores, ask.joins_at) or (ask.fresh and not self.untouched):
            return False
        return ask.memory_mib is None or self.memory_mib >= ask.memory_mib

    def less(self, ask: Ask) -> Space:
        """What is left when the container runs there."""
        mode = self.mode or ask.mode
        if ask.whole or ask.alone:
            return Space(0, 0, 0, False, mode, self.pool)
        memory = 0 if ask.memory_mib is None else self.memory_mib - ask.memory_mib
        return Space(self.cores - ask.cores, memory, self.slots - 1, False, mode, self.pool)


def _meet(one: str, other: str) -> bool:
    return ANY in (one, other) or one == other


Asks = tuple[Ask, ...]
"""The requests of one pod's containers."""
Cards = tuple[Space, ...]
"""The cards of one node, by index."""
Chosen = tuple[tuple[int, ...], ...]
"""For each container of a pod, the indexes of its cards."""


@dataclass(frozen=True, slots=True)
class Bin:
    """A node. ``admits``: by kind of pod what it requests there, None where the node does not take it."""

    cards: Cards
    admits: tuple[Asks | None, ...]


class Spot(NamedTuple):
    """The place of one pod: the bin, and the cards of each container."""

    kind: int
    bin: int
    cards: Chosen


class UndecidedError(Exception):
    """The search ended at its limit."""


class Budget:
    """The placements that a search may still try."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise UndecidedError


def ways(cards: Cards, asks: Asks, budget: Budget | None = None) -> Iterator[tuple[Cards, Chosen]]:
    """Placements of a pod on the cards of a node that differ in what they leave free, tightest first.

    Raises UndecidedError where there are too many.
    """
    return _ways(_of_pool(cards, asks), asks, budget or Budget(STEPS))


def first_way(cards: Cards, asks: Asks) -> tuple[Cards, Chosen] | None:
    """The tightest placement of a pod on a node; None where there is none. Raises UndecidedError."""
    if len(asks) != 1:
        return next(ways(cards, asks), None)
    ask = asks[0]
    able = _able(cards, ask)
    if len(able) < ask.cards:
        return None
    picked = (min(able)[-1],) if ask.cards == 1 else next(_picks(cards, ask))
    return _taken(_of_pool(cards, asks), ask, picked), (picked,)


def _of_pool(cards: Cards, asks: Asks) -> Cards:
    """The cards when the pod is on their node; where it may not be there, no card takes it."""
    pool = asks[0].pool if asks else ANY
    if pool == ANY or not cards or cards[0].pool != ANY:
        return cards
    return tuple(one._replace(pool=pool) for one in cards)


def _taken(cards: Cards, ask: Ask, picked: tuple[int, ...]) -> Cards:
    after = list(cards)
    for n in picked:
        after[n] = after[n].less(ask)
    return tuple(after)


def _ways(cards: Cards, asks: Asks, budget: Budget) -> Iterator[tuple[Cards, Chosen]]:
    if not asks:
        yield cards, ()
        return
    seen: set[Cards] = set()
    for picked in _picks(cards, asks[0]):
        budget.spend()
        for left, rest in _ways(_taken(cards, asks[0], picked), asks[1:], budget):
            shape = tuple(sorted(left))
            if shape not in seen:
                seen.add(shape)
                yield left, (picked, *rest)


def _able(cards: Cards, ask: Ask) -> list[tuple[int, int, int, int]]:
    """The cards that take a container, as what is free on each and its index: the tightest is the least."""
    return [(one.memory_mib, one.cores, one.slots, n) for n, one in enumerate(cards) if one.takes(ask)]


def _picks(cards: Cards, ask: Ask) -> Iterator[tuple[int, ...]]:
    """Choices of cards for one container; equal cards are tried once."""
    able = [one[-1] for one in sorted(_able(cards, ask))]

    def choose(start: int, picked: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(picked) == ask.cards:
            yield tuple(sorted(picked))
            return
        for at in range(start, len(able) - (ask.cards - len(picked)) + 1):
            if at == start or cards[able[at]] != cards[able[at - 1]]:
                yield from choose(at + 1, (*picked, able[at]))

    return choose(0, ())
