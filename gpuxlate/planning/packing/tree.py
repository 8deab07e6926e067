"""First-fit over many nodes: a tree over what is free on them, of which only fitting branches are walked.

A branch knows the most of each number that any of its nodes has, so one that has too little of some number
is left out whole. Two numbers are not enough: where one node has compute and the next one has memory, a
branch seems to have both. The least of the two that a card has free at once tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gpuxlate.planning.packing.spaces import Asks, Cards, Space

Figures = tuple[int, int, int, int]
"""Percent, units of memory, the lesser of both, of some card; cards without a container."""
SCALE = 1 << 20
"""Units of the largest card's memory, and of a card's compute."""
NOTHING: Figures = (-2, -2, -2, -2)


class Gauge:
    """Figures of nodes and of pods for cards of at most so many MiB.

    ``alike``: which cards count, those where no pod of now is kept out by a mode or a pool.
    """

    def __init__(self, most_mib: int, alike: Callable[[Space], bool]) -> None:
        self.unit = max(1, most_mib)
        self.alike = alike

    def node(self, cards: Cards) -> Figures:
        cores = memory = both = fresh = -1
        for one in cards:
            if one.slots > 0 and self.alike(one):
                percent, units = one.cores * SCALE // 100, one.memory_mib * SCALE // self.unit
                cores, memory = max(cores, percent), max(memory, units)
                both = max(both, min(percent, units))
                fresh += one.untouched
        return cores, memory, both, fresh

    def pod(self, kinds: Sequence[Asks]) -> Figures:
        """No more than a node has that takes the pod, whichever of these it requests there."""
        found = [self._pod(asks) for asks in kinds]
        return tuple(map(min, zip(*found, strict=True)))

    def _pod(self, asks: Asks) -> Figures:
        cores = memory = both = fresh = -1
        for one in asks:
            percent, units = one.percent * SCALE // 100, (one.memory_mib or 0) * SCALE // self.unit
            cores, memory = max(cores, percent), max(memory, units)
            both = max(both, min(percent, units))
            fresh += one.cards if one.fresh else 0
        return cores, memory, both, fresh


class Tree:
    """The figures of nodes, in their order; it grows."""

    def __init__(self, leaves: Sequence[Figures]) -> None:
        self.count = len(leaves)
        self._build(leaves)

    def _build(self, leaves: Sequence[Figures]) -> None:
        self.width = 1
        while self.width < len(leaves) + 1:
            self.width *= 2
        rest = self.width - len(leaves)
        self.most = [NOTHING] * self.width + list(leaves) + [NOTHING] * rest
        for at in range(self.width - 1, 0, -1):
            self.most[at] = _most(self.most[2 * at], self.most[2 * at + 1])

    def append(self, figures: Figures) -> None:
        if self.count == self.width:
            self._build(self.most[self.width :])
        self.count += 1
        self.set(self.count - 1, figures)

    def set(self, number: int, figures: Figures) -> None:
        at = number + self.width
        self.most[at] = figures
        while at > 1:
            at //= 2
            most = _most(self.most[2 * at], self.most[2 * at + 1])
            if most == self.most[at]:
                return
            self.most[at] = most

    def nodes(self, asked: Figures, first: int = 0) -> Iterator[int]:
        """The nodes that have as much of each number, in order, from one of them on."""
        most, width = self.most, self.width
        a, b, c, d = asked
        open_ = [(1, 0, width)]
        while open_:
            at, start, size = open_.pop()
            there = most[at]
            if start + size <= first or there[0] < a or there[1] < b or there[2] < c or there[3] < d:
                continue
            if at >= width:
                yield at - width
                continue
            half = size // 2
            open_.append((2 * at + 1, start + half, half))
            open_.append((2 * at, start, half))


def _most(one: Figures, other: Figures) -> Figures:
    return (
        one[0] if one[0] > other[0] else other[0],
        one[1] if one[1] > other[1] else other[1],
        one[2] if one[2] > other[2] else other[2],
        one[3] if one[3] > other[3] else other[3],
    )
