"""The pods on as few equal nodes as best-fit in several orders finds, beside the lower bound.

A packing with fewer nodes is better, then one with fewer cards in use. It is called the least only where it
equals the lower bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

from gpuxlate.backends.scheduling_limits import Scheduling
from gpuxlate.model.declarations import record
from gpuxlate.planning.bounds import EmptyNode, LowerBound, lower_bound
from gpuxlate.planning.filling import FIRST_FIT, TIGHTEST, Bin, BinPlacement, Nodes, Order, fill_nodes
from gpuxlate.planning.placing import FreeCards, UndecidedError, first_placement
from gpuxlate.planning.requests import Asks

ORDERED = 5_000
"""With more pods, one order is tried."""


@record
class Fleet:
    """Equal nodes with the pods that run on them.

    ``placements``: one a pod; ``unschedulable``: indexes of the asks that no empty node takes, which are not
    counted. ``least``: the lower bound says so, and no packing has fewer nodes or cards; that is not known
    otherwise.
    """

    placements: tuple[BinPlacement, ...]
    state: tuple[FreeCards, ...]
    bound: LowerBound
    unschedulable: tuple[int, ...]
    least: bool

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.state)

    @property
    def cards(self) -> int:
        """Cards that run something."""
        return sum(not card.untouched for cards in self.state for card in cards)


def pack_fleet(empty: FreeCards, asks: Sequence[Asks], counts: Mapping[int, int]) -> Fleet:
    """The pods on as few nodes like ``empty`` as are found. ``counts``: by index of ``asks``."""
    homeless = tuple(ask_index for ask_index in sorted(counts) if not _fits(empty, asks[ask_index]))
    fitting = {ask_index: count for ask_index, count in counts.items() if ask_index not in homeless and count}
    if not fitting:
        return Fleet((), (), LowerBound(0, 0, ""), homeless, True)
    node = EmptyNode.of(empty)
    bound = lower_bound(node, asks, fitting)
    fleets: list[Fleet] = []
    for order, how in _orders(node, sum(fitting.values())):
        nodes = Nodes((), how, node.memory_mib, Bin(empty, tuple(asks)))
        placements, _ = fill_nodes(nodes, dict(enumerate(asks)), fitting, order)
        fleet = Fleet(tuple(placements), tuple(nodes.state), bound, homeless, False)
        if (fleet.nodes, fleet.cards) == (bound.nodes, bound.cards):
            return replace(fleet, least=True)
        fleets.append(fleet)
    return min(fleets, key=lambda fleet: (fleet.nodes, fleet.cards))


def _fits(empty: FreeCards, asks: Asks) -> bool:
    try:
        return first_placement(empty, asks) is not None
    except UndecidedError:
        return False


def _orders(node: EmptyNode, pods: int) -> Sequence[tuple[Order, Scheduling]]:
    """Sizes of pods (by the larger part of a card, the sum of both, or either), each with orders of nodes."""

    def parts(asks: Asks) -> tuple[float, float]:
        sizes = [(node.of_ask(ask), ask.cards) for ask in node.largest(asks)]
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

    orders = [*product((largest, summed, cores, memory), (FIRST_FIT, TIGHTEST))]
    return orders if pods <= ORDERED else orders[:1]
