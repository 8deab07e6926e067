"""What is free on a card, what a container requests, and the placements of a pod on one node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    have in common, ``pool``: what all those of a node have; ANY goes with all. ``ends``: it ends before the
    containers of its pod start; ``init`` alone: it is there before them too, and stays.
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
    ends: bool = False

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
"""The requests of one pod's containers, init containers first."""


def phases(asks: Asks) -> tuple[Asks, ...]:
    """What of a pod runs at once: its containers, or one of the init containers that end with what is there
    before it. On each card, and in all, a pod takes what the largest of these takes."""
    if not any(one.ends for one in asks):
        return (asks,)
    return tuple(tuple(asks[number] for number in one) for one in _phases(asks))


def _phases(asks: Asks) -> Iterator[tuple[int, ...]]:
    """The same by their numbers."""
    for last in (None, *dict.fromkeys(one.index for one in asks if one.ends)):
        found = tuple(number for number, one in enumerate(asks) if _is_there(one, last))
        if found:
            yield found


def _is_there(one: Ask, last: int | None) -> bool:
    """A container runs when an init container does that ends, by its index; None: when all of them ended."""
    if last is None:
        return not one.ends
    return one.index == last if one.ends else one.init and one.index < last


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
    found, budget = _of_pool(cards, asks), budget or Budget(STEPS)
    if any(one.ends for one in asks):
        return _ways_in_phases(found, asks, budget)
    return _ways(found, asks, budget)


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


def _ways_in_phases(cards: Cards, asks: Asks, budget: Budget) -> Iterator[tuple[Cards, Chosen]]:
    """The same for a pod with init containers that end: each finds the cards as they are before the pod, but
    for what is there already."""
    steady = [number for number, one in enumerate(asks) if not one.ends]
    order = (*steady, *(number for number, one in enumerate(asks) if one.ends))
    seen: set[Cards] = set()

    def place(at: int, there: dict[int, tuple[int, ...]]) -> Iterator[dict[int, tuple[int, ...]]]:
        if at == len(order):
            yield there
            return
        ask = asks[order[at]]
        last = ask.index if ask.ends else None
        free = _less(cards, asks, {n: there[n] for n in there if _is_there(asks[n], last)})
        for picked in _picks(free, ask, (cards, taken(cards, asks, there))):
            budget.spend()
            yield from place(at + 1, {**there, order[at]: picked})

    for found in place(0, {}):
        left = taken(cards, asks, found)
        shape = tuple(sorted(left))
        if shape not in seen and _one_mode(cards, asks, found):
            seen.add(shape)
            yield left, tuple(found[number] for number in range(len(asks)))


def _less(cards: Cards, asks: Asks, there: Mapping[int, tuple[int, ...]]) -> Cards:
    for number, picked in there.items():
        cards = _taken(cards, asks[number], picked)
    return cards


def _one_mode(cards: Cards, asks: Asks, there: Mapping[int, tuple[int, ...]]) -> bool:
    """No card is in two modes, be it one after the other."""
    modes: dict[int, set[str]] = {}
    for number, picked in there.items():
        for index in picked:
            modes.setdefault(index, {cards[index].mode}).add(asks[number].mode)
    return all(len(one - {ANY}) <= 1 for one in modes.values())


def taken(cards: Cards, asks: Asks, there: Mapping[int, tuple[int, ...]]) -> Cards:
    """What a pod leaves free of the cards that its containers have, by number: the least of its phases."""
    found = [_less(cards, asks, {n: there[n] for n in one if n in there}) for one in _phases(asks)]
    return tuple(map(_least, zip(*found, strict=True)))


def _least(one: Sequence[Space]) -> Space:
    mode = next((space.mode for space in one if space.mode), ANY)
    return Space(
        min(space.cores for space in one),
        min(space.memory_mib for space in one),
        min(space.slots for space in one),
        all(space.untouched for space in one),
        mode,
        one[0].pool,
    )


def _able(cards: Cards, ask: Ask) -> list[tuple[int, int, int, int]]:
    """The cards that take a container, as what is free on each and its index: the tightest is the least."""
    return [(one.memory_mib, one.cores, one.slots, n) for n, one in enumerate(cards) if one.takes(ask)]


def _picks(cards: Cards, ask: Ask, also: tuple[Cards, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Choices of cards for one container; equal cards are tried once. ``also``: in these views too."""
    able = [one[-1] for one in sorted(_able(cards, ask))]

    def equal(one: int, other: int) -> bool:
        return all(view[one] == view[other] for view in (cards, *also))

    def choose(start: int, picked: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(picked) == ask.cards:
            yield tuple(sorted(picked))
            return
        for at in range(start, len(able) - (ask.cards - len(picked)) + 1):
            if at == start or not equal(able[at], able[at - 1]):
                yield from choose(at + 1, (*picked, able[at]))

    return choose(0, ())
