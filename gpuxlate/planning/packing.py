"""Packing pods on cards: first-fit, then an exact search of bounded length.

A pod's containers go to one node, each container to as many different cards of it as it requests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpuxlate.backends.live import PERCENT
from gpuxlate.planning.ledger import Ask

STEPS = 20_000
"""Placements that the exact search tries, about a second of work."""
MOST_PODS = 200
"""More pods than this are packed by first-fit only."""


class Space(NamedTuple):
    """What is free on one card: percent, MiB, and ``slots`` for containers; ``untouched``: it runs none."""

    cores: int
    memory_mib: int
    slots: int
    untouched: bool

    def takes(self, ask: Ask) -> bool:
        if ask.whole:
            return self.untouched and self.cores == PERCENT
        if ask.memory_mib is None:
            return self.untouched and self.cores >= ask.cores
        return self.cores >= ask.cores and self.memory_mib >= ask.memory_mib and self.slots > 0

    def less(self, ask: Ask) -> Space:
        """What is left when the container runs there."""
        if ask.whole:
            return Space(0, 0, 0, False)
        memory = 0 if ask.memory_mib is None else self.memory_mib - ask.memory_mib
        return Space(self.cores - ask.cores, memory, self.slots - 1, False)


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


@dataclass(frozen=True, slots=True)
class Spot:
    """The place of one pod: the bin, and the cards of each container."""

    kind: int
    bin: int
    cards: Chosen


class UndecidedError(Exception):
    """The search ended at its limit."""


class _Budget:
    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise UndecidedError


def ways(cards: Cards, asks: Asks, budget: _Budget | None = None) -> Iterator[tuple[Cards, Chosen]]:
    """Placements of a pod on the cards of a node that differ in what they leave free, tightest first.

    Raises UndecidedError where there are too many.
    """
    budget = budget or _Budget(STEPS)
    if not asks:
        yield cards, ()
        return
    seen: set[Cards] = set()
    for picked in _picks(cards, asks[0]):
        budget.spend()
        after = tuple(one.less(asks[0]) if n in picked else one for n, one in enumerate(cards))
        for left, rest in ways(after, asks[1:], budget):
            shape = tuple(sorted(left))
            if shape not in seen:
                seen.add(shape)
                yield left, (picked, *rest)


def _picks(cards: Cards, ask: Ask) -> Iterator[tuple[int, ...]]:
    """Choices of cards for one container; equal cards are tried once."""
    able = sorted(
        (n for n, one in enumerate(cards) if one.takes(ask)),
        key=lambda n: (cards[n].memory_mib, cards[n].cores, cards[n].slots, n),
    )

    def choose(start: int, picked: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(picked) == ask.cards:
            yield tuple(sorted(picked))
            return
        for at in range(start, len(able) - (ask.cards - len(picked)) + 1):
            if at == start or cards[able[at]] != cards[able[at - 1]]:
                yield from choose(at + 1, (*picked, able[at]))

    return choose(0, ())


def first_fit(bins: Sequence[Bin], kinds: Sequence[int]) -> tuple[list[Spot], list[int]]:
    """Each pod on the first node that takes it, large pods first; and the kinds of the pods left over."""
    state = [one.cards for one in bins]
    spots: list[Spot] = []
    left: list[int] = []
    for kind in sorted(kinds, key=lambda one: _size(bins, one), reverse=True):
        for number, one in enumerate(bins):
            asks = one.admits[kind]
            found = next(ways(state[number], asks), None) if asks is not None else None
            if found is not None:
                state[number] = found[0]
                spots.append(Spot(kind, number, found[1]))
                break
        else:
            left.append(kind)
    return spots, left


def _size(bins: Sequence[Bin], kind: int) -> tuple[int, int, int]:
    asks = next((one.admits[kind] for one in bins if one.admits[kind] is not None), None) or ()
    return (
        sum(one.cards for one in asks if one.whole or one.memory_mib is None),
        sum(one.cards * (one.memory_mib or 0) for one in asks),
        sum(one.cards * one.cores for one in asks),
    )


def pack(bins: Sequence[Bin], kinds: Sequence[int], steps: int = STEPS) -> list[Spot] | None:
    """Places for all pods; None where they do not fit. Raises UndecidedError."""
    spots, left = first_fit(bins, kinds)
    if not left:
        return spots
    if any(not _alone(bins, kind) for kind in set(left)):
        return None
    asked, free = sums(bins, kinds)
    if any(one > there for one, there in zip(asked, free, strict=True)):
        return None
    if len(kinds) > MOST_PODS:
        raise UndecidedError
    ordered = sorted(kinds, key=lambda one: (_size(bins, one), one), reverse=True)
    return _search(bins, ordered, _Budget(steps))


Sums = tuple[int, int, int]
"""Percent, MiB, and containers on cards."""


def sums(bins: Sequence[Bin], kinds: Sequence[int]) -> tuple[Sums, Sums]:
    """What the pods request in all, at the least, and what is free on the nodes that take any of them."""
    each = [_least(bins, kind) for kind in range(max(kinds, default=-1) + 1)]
    asked = [each[kind] for kind in kinds]
    free = [space for one in bins if any(a is not None for a in one.admits) for space in one.cards]
    return (
        (sum(one[0] for one in asked), sum(one[1] for one in asked), sum(one[2] for one in asked)),
        (
            sum(one.cores for one in free),
            sum(one.memory_mib for one in free),
            sum(one.slots for one in free),
        ),
    )


def _least(bins: Sequence[Bin], kind: int) -> Sums:
    found = [
        (
            sum(one.percent * one.cards for one in asks),
            sum((one.memory_mib or 0) * one.cards for one in asks),
            sum(one.cards for one in asks),
        )
        for asks in {one.admits[kind] for one in bins}
        if asks is not None
    ]
    if not found:
        return 0, 0, 0
    return min(one[0] for one in found), min(one[1] for one in found), min(one[2] for one in found)


def _alone(bins: Sequence[Bin], kind: int) -> bool:
    """Some node has room for this pod alone."""
    asked = [(one.cards, asks) for one in bins if (asks := one.admits[kind]) is not None]
    return any(next(ways(cards, asks), None) is not None for cards, asks in asked)


def _search(bins: Sequence[Bin], kinds: Sequence[int], budget: _Budget) -> list[Spot] | None:
    """Every place of every pod; equal nodes are tried once, and no state twice."""
    failed: set[tuple[int, tuple[tuple[int, Cards], ...]]] = set()
    classes: dict[tuple[Asks | None, ...], int] = {}
    class_of = [classes.setdefault(one.admits, len(classes)) for one in bins]

    def shape(number: int, cards: Cards) -> tuple[int, Cards]:
        return class_of[number], tuple(sorted(cards))

    def go(at: int, state: tuple[Cards, ...]) -> list[Spot] | None:
        if at == len(kinds):
            return []
        key = (at, tuple(sorted(shape(n, cards) for n, cards in enumerate(state))))
        if key in failed:
            return None
        tried: set[tuple[int, Cards]] = set()
        for number, one in enumerate(bins):
            asks, alike = one.admits[kinds[at]], shape(number, state[number])
            if asks is None or alike in tried:
                continue
            tried.add(alike)
            for left, chosen in ways(state[number], asks, budget):
                rest = go(at + 1, (*state[:number], left, *state[number + 1 :]))
                if rest is not None:
                    return [Spot(kinds[at], number, chosen), *rest]
        failed.add(key)
        return None

    return go(0, tuple(one.cards for one in bins))
