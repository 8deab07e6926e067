"""How many equal nodes pods need: best-fit decreasing, a lower bound, and an exact search where it is small.

First fewest nodes, then fewest cards of them. Nothing is said to be the least unless it equals the bound, or
every placement on fewer was tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuxlate.planning.packing.best_fit import Order, open_nodes
from gpuxlate.planning.packing.bounds import Bound, Node, lower_bound
from gpuxlate.planning.packing.search import MOST_PODS, search
from gpuxlate.planning.packing.spaces import (
    Asks,
    Bin,
    Budget,
    Cards,
    Spot,
    UndecidedError,
    first_way,
    taken,
)

SEARCHED = 40
"""More pods than this are not searched: the search would only reach its limit."""
STEPS = 5_000
"""Placements that the search tries for one fleet."""
ORDERED = 5_000
"""With more pods, one order is tried."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """Pods on equal nodes.

    ``spots``: their places; ``homeless``: the kinds that no empty node takes, which are not counted.
    ``least``: no packing has fewer nodes, nor, on so many nodes, fewer cards; that is not known otherwise.
    """

    spots: tuple[Spot, ...]
    state: tuple[Cards, ...]
    bound: Bound
    homeless: tuple[int, ...]
    least: bool

    @property
    def nodes(self) -> int:
        return len(self.state)

    @property
    def cards(self) -> int:
        """Cards that run something."""
        return sum(not card.untouched for cards in self.state for card in cards)


def pack_fleet(empty: Cards, asks: Sequence[Asks], counts: Mapping[int, int]) -> Fleet:
    """The pods on as few nodes like ``empty`` as are found. ``counts``: by kind, an index of ``asks``."""
    homeless = tuple(kind for kind in sorted(counts) if not _fits(empty, asks[kind]))
    fitting = {kind: count for kind, count in counts.items() if kind not in homeless and count}
    if not fitting:
        return Fleet((), (), Bound(0, 0, ""), homeless, True)
    node = Node.of(empty)
    bound = lower_bound(node, asks, fitting)
    best = _best(empty, asks, fitting, bound, homeless, _orders(node, sum(fitting.values())))
    if best.least or sum(fitting.values()) > min(SEARCHED, MOST_PODS):
        return best
    return _searched(empty, asks, fitting, best)


def _fits(empty: Cards, asks: Asks) -> bool:
    try:
        return first_way(empty, asks) is not None
    except UndecidedError:
        return False


def _orders(node: Node, pods: int) -> tuple[Order, ...]:
    """Sizes of pods: by the larger part of a card, by the sum of both, by either."""

    def parts(asks: Asks) -> tuple[float, float]:
        sizes = [(node.of_ask(one), one.cards) for one in node.largest(asks)]
        return (
            sum(size[0] * cards for size, cards in sizes) / node.card[0],
            sum(size[1] * cards for size, cards in sizes) / max(1, node.card[1]),
        )

    def largest(asks: Asks) -> object:
        return max(parts(asks)), sum(parts(asks))

    def summed(asks: Asks) -> object:
        return sum(parts(asks))

    def cores(asks: Asks) -> object:
        return parts(asks)

    def memory(asks: Asks) -> object:
        return parts(asks)[::-1]

    return (largest, summed, cores, memory) if pods <= ORDERED else (largest,)


def _best(
    empty: Cards,
    asks: Sequence[Asks],
    counts: Mapping[int, int],
    bound: Bound,
    homeless: tuple[int, ...],
    orders: Sequence[Order],
) -> Fleet:
    found: list[Fleet] = []
    for order in orders:
        spots, state = open_nodes(empty, asks, counts, order)
        one = Fleet(tuple(spots), tuple(state), bound, homeless, False)
        if (one.nodes, one.cards) == (bound.nodes, bound.cards):
            return Fleet(one.spots, one.state, bound, homeless, True)
        found.append(one)
    return min(found, key=lambda one: (one.nodes, one.cards))


def _searched(empty: Cards, asks: Sequence[Asks], counts: Mapping[int, int], best: Fleet) -> Fleet:
    """A better packing where the search finds one; and whether it tried all."""
    kinds = [kind for kind, count in counts.items() for _ in range(count)]
    admits = tuple(asks)
    budget = Budget(STEPS)
    try:
        nodes, spots = best.nodes, list(best.spots)
        for fewer in range(best.bound.nodes, best.nodes):
            found = search([Bin(empty, admits)] * fewer, kinds, budget)
            if found is not None:
                nodes, spots = fewer, found
                break
        best = _fleet(empty, asks, nodes, spots, best, least=False)
        for cards in range(best.bound.cards, best.cards):
            found = search([Bin(empty, admits)] * nodes, kinds, budget, cards)
            if found is not None:
                return _fleet(empty, asks, nodes, found, best, least=True)
    except UndecidedError:
        return best
    return _fleet(empty, asks, nodes, spots, best, least=True)


def _fleet(
    empty: Cards, asks: Sequence[Asks], nodes: int, spots: Sequence[Spot], best: Fleet, *, least: bool
) -> Fleet:
    """The fleet of these places."""
    state = [list(empty) for _ in range(nodes)]
    for spot in spots:
        pool = asks[spot.kind][0].pool
        here = state[spot.bin]
        if pool and not here[0].pool:
            here[:] = [one._replace(pool=pool) for one in here]
        here[:] = taken(tuple(here), asks[spot.kind], dict(enumerate(spot.cards)))
    return Fleet(tuple(spots), tuple(map(tuple, state)), best.bound, best.homeless, least)
