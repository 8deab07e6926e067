"""The cards of many nodes, found by what is free on them: best-fit without a look at what does not fit.

Compute has only a hundred values, so cards are kept by their free compute, each value with its cards in the
order of their memory, and a tree over the values with the most memory of each branch. So the card with the
least compute that has enough of both is found in as many steps as the tree is high, whatever the fleet.
Nodes are kept by the number of their untouched cards too, for pods that need such.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence

from gpuxlate.backends.live import PERCENT
from gpuxlate.planning.packing.spaces import Ask, Asks, Cards, Space, phases

NOTHING = -1
WIDTH = 1 << PERCENT.bit_length()
"""Leaves of the tree: one for each percent."""
NODES = 32
"""Bits of a place that are the number of the node; MiB free on a card of it are above them."""


class Index:
    """The cards of nodes that may take a pod. ``alike``: which ones those are, by mode and pool."""

    def __init__(self, state: Sequence[Cards], alike: Callable[[Space], bool]) -> None:
        self.alike = alike
        self.places: list[list[int]] = [[] for _ in range(PERCENT + 1)]
        self.most = [NOTHING] * (2 * WIDTH)
        self.untouched: list[list[int]] = []
        for number, cards in enumerate(state):
            self.change(number, (), cards)

    def change(self, number: int, before: Cards, after: Cards) -> None:
        """The cards of a node are others now; no ``before``: it is new."""
        changed = set()
        for index, now in enumerate(after):
            old = before[index] if before else None
            if old == now:
                continue
            if old is not None and self._counts(old):
                places = self.places[old.cores]
                del places[bisect_left(places, old.memory_mib << NODES | number)]
                changed.add(old.cores)
            if self._counts(now):
                insort(self.places[now.cores], now.memory_mib << NODES | number)
                changed.add(now.cores)
        for cores in changed:
            self._tell(cores)
        were, are = self._fresh(before), self._fresh(after)
        if were != are:
            if were:
                nodes = self.untouched[were]
                del nodes[bisect_left(nodes, number)]
            if are:
                self.untouched += [[] for _ in range(are + 1 - len(self.untouched))]
                insort(self.untouched[are], number)

    def _counts(self, one: Space) -> bool:
        return one.slots > 0 and self.alike(one)

    def _fresh(self, cards: Cards) -> int:
        return sum(one.untouched and self._counts(one) for one in cards)

    def _tell(self, cores: int) -> None:
        places, at = self.places[cores], cores + WIDTH
        most = places[-1] >> NODES if places else NOTHING
        while self.most[at] != most:
            self.most[at] = most
            at //= 2
            most = max(self.most[2 * at], self.most[2 * at + 1])

    def nodes(self, kinds: Sequence[Asks]) -> Iterator[int]:
        """Nodes that may take a pod, whichever of these it requests there, the tightest first.

        All that take it are among them. A node comes as often as it has such cards.
        """
        fresh = min(
            max(sum(one.cards for one in some if one.fresh) for some in phases(asks)) for asks in kinds
        )
        if fresh:
            for nodes in self.untouched[fresh:]:
                yield from nodes
            return
        largest = [
            max(((one.memory_mib or 0, _compute(one)) for one in asks), default=(0, 0)) for asks in kinds
        ]
        mib, cores = min(one for one, _ in largest), min(one for _, one in largest)
        while (found := self._next(cores, mib)) is not None:
            places = self.places[found]
            for at in range(bisect_left(places, mib << NODES), len(places)):
                yield places[at] & ((1 << NODES) - 1)
            cores = found + 1

    def _next(self, cores: int, mib: int) -> int | None:
        """The least compute, from some percent on, that a card with so much memory has."""
        at = cores + WIDTH
        while self.most[at] < mib:
            while at & 1:  # the last one of its branch
                at //= 2
            if not at:
                return None
            at += 1
        while at < WIDTH:
            at *= 2
            if self.most[at] < mib:
                at += 1
        return at - WIDTH


def _compute(one: Ask) -> int:
    """Percent that are free on a card that takes the container."""
    return max(one.percent, one.joins_at)
