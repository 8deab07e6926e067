"""How many cards and nodes pods need at the least, whatever the packing.

Each bound drops conditions of the problem, so that its answer is never above the best packing: it looks
at one number at a time (compute, memory, containers), and lets a container on several cards go as
several. What is left is bin packing in one dimension, for which Martello and Toth (Discrete Applied
Mathematics 28, 1990) gave the bound L2. For a threshold K of at most half a card, what is larger than the
card less K shares with nothing of K or more, and two things larger than half never meet: each of those
takes a card, and what lies between K and a half goes into what the latter leave free, or takes further
cards. The largest over all K counts; K = 0 is the sum of all sizes, rounded up. Before that, a card is
cut to the largest sum of sizes that it holds: shares of 5 and 10 GiB use 20 of 22. Pools, modes and whole
cards meet nowhere, so their bounds add up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from gpuxlate.backends.scheduling_limits import ANY_MODE
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.planning.placing import FreeCards
from gpuxlate.planning.requests import UNLIMITED, Asks, ContainerRequest, phases

MOST_SIZES, LARGEST = 500, 4_000_000
"""With more different sizes, or larger cards, sums are not looked at."""

DIMENSIONS = ("compute", "memory", "containers")


class EmptyNode(NamedTuple):
    """An empty node of equal cards: their number, MiB of each, and the most containers on each."""

    cards: int
    memory_mib: int
    slots: int

    @classmethod
    def of(cls, cards: FreeCards) -> EmptyNode:
        """The node of these cards, which are equal."""
        return cls(len(cards), cards[0].memory_mib, cards[0].slots)

    @property
    def card(self) -> tuple[int, int, int]:
        """What one card has, by dimension."""
        return FULL_CARD_CORES, self.memory_mib, self.slots

    def of_ask(self, ask: ContainerRequest) -> tuple[int, int, int]:
        """What a container takes of each of its cards, by dimension."""
        if ask.whole or ask.alone:
            return self.card
        if ask.memory_mib is None:
            return ask.cores, self.memory_mib, self.slots
        return ask.cores, ask.memory_mib, 1

    def largest(self, asks: Asks) -> Asks:
        """Of what a pod runs at once, what takes most memory and then compute: it needs no less."""

        def size(phase: Asks) -> tuple[int, int]:
            sizes = [(self.of_ask(ask), ask.cards) for ask in phase]
            return sum(amounts[1] * cards for amounts, cards in sizes), sum(
                amounts[0] * cards for amounts, cards in sizes
            )

        return max(phases(asks), key=size)


class LowerBound(NamedTuple):
    """The least number of cards and of nodes; ``by``: the dimension that the number of cards follows from."""

    cards: int
    nodes: int
    by: str


def lower_bound(node: EmptyNode, asks: Sequence[Asks], counts: Mapping[int, int]) -> LowerBound:
    """The cards and nodes that pods need at least. ``counts``: the number of pods by their index of ``asks``,
    each of which fits an empty node."""
    pods = [(node.largest(asks[ask_index]), count) for ask_index, count in counts.items()]
    pools = _split(pods, lambda pod: pod[0].pool)
    together = _bound_of_pool(node, pods)
    if len(pools) > 1:
        apart = [_bound_of_pool(node, pool) for pool in pools]
        cards, nodes = sum(bound.cards for bound in apart), sum(bound.nodes for bound in apart)
        widest = max(apart, key=lambda bound: bound.cards)
        by = together.by if together.cards >= cards else widest.by
        return LowerBound(max(cards, together.cards), max(nodes, together.nodes), by)
    return together


CountedAsks = Sequence[tuple[Asks, int]]
"""The requests of pods, and how many there are of each."""


def _split(pods: CountedAsks, common: Callable[[Asks], str]) -> list[CountedAsks]:
    """Groups of pods that never share a node; without those that may share one with any."""
    groups: dict[str, list[tuple[Asks, int]]] = {}
    for asks, count in pods:
        if common(asks) != ANY_MODE:
            groups.setdefault(common(asks), []).append((asks, count))
    return list(groups.values())


def _bound_of_pool(node: EmptyNode, pods: CountedAsks) -> LowerBound:
    asks = [(ask, count * ask.cards) for pod, count in pods for ask in pod]
    cards, by = _cards(node, asks)
    return LowerBound(cards, max(-(-cards // node.cards), _nodes(node, pods)), by)


def _cards(node: EmptyNode, asks: Sequence[tuple[ContainerRequest, int]]) -> tuple[int, str]:
    """The bound on cards, and the dimension that it follows from."""
    alone = sum(count for ask, count in asks if node.of_ask(ask) == node.card)
    shared = [(ask, count) for ask, count in asks if node.of_ask(ask) != node.card]
    modes = _split([((ask,), count) for ask, count in shared], lambda pod: pod[0].mode)
    cards, by = _flat(node, shared)
    if len(modes) > 1:
        apart = [_flat(node, [(pod[0], count) for pod, count in mode]) for mode in modes]
        if sum(count for count, _ in apart) > cards:
            cards, by = sum(count for count, _ in apart), max(apart)[1]
    cards = max((cards, *(ask.cards for ask, _ in shared)))  # those of one container are different ones
    return alone + cards, by if cards >= alone else "whole cards"


def _flat(node: EmptyNode, asks: Iterable[tuple[ContainerRequest, int]]) -> tuple[int, str]:
    sizes: tuple[Counter[int], Counter[int], Counter[int]] = (Counter(), Counter(), Counter())
    for ask, count in asks:
        for counts, size in zip(sizes, node.of_ask(ask), strict=True):
            counts[size] += count
    bounds = [
        0 if capacity >= UNLIMITED else one_dimension(counts, capacity)
        for counts, capacity in zip(sizes, node.card, strict=True)
    ]
    maximum = max(bounds)
    return maximum, DIMENSIONS[bounds.index(maximum)]


def _nodes(node: EmptyNode, pods: CountedAsks) -> int:
    """Pods on nodes: the sums of what they take, and the cards of which they take more than half."""
    bounds = [0]
    for number, capacity in enumerate(node.card):
        if capacity >= UNLIMITED:
            continue
        sums: Counter[int] = Counter()
        large: Counter[int] = Counter()
        for asks, count in pods:
            each = [(node.of_ask(ask)[number], ask.cards) for ask in asks]
            sums[sum(size * cards for size, cards in each)] += count
            large[sum(cards for size, cards in each if 2 * size > capacity)] += count
        bounds += [one_dimension(sums, capacity * node.cards), one_dimension(large, node.cards)]
    return max(bounds)


def one_dimension(sizes: Mapping[int, int], capacity: int) -> int:
    """L2: the least number of bins of a capacity that things of these sizes, none of them larger, need."""
    capacity = _largest_sum(sizes, capacity)
    if not capacity:
        return 0
    small = sorted((size, count) for size, count in sizes.items() if size > 0 and 2 * size <= capacity)
    large = sorted((size, count) for size, count in sizes.items() if 2 * size > capacity)
    large_count = sum(count for _, count in large)
    best = large_count
    # with a growing threshold, small things and the room beside large ones drop out
    small_total = sum(size * count for size, count in small)
    room = sum((capacity - size) * count for size, count in large)
    at = len(large)
    for threshold, dropped in ((0, 0), *((size, size * count) for size, count in small)):
        while at and large[at - 1][0] > capacity - threshold:
            at -= 1
            size, count = large[at]
            room -= (capacity - size) * count
        best = max(best, large_count - (room - small_total) // capacity)
        small_total -= dropped
    return best


def _largest_sum(sizes: Iterable[int], capacity: int) -> int:
    """The largest sum of sizes within the capacity, each as often as wanted: bit N stands for a sum of N."""
    distinct = sorted({size for size in sizes if size > 0})
    if len(distinct) > MOST_SIZES or capacity > LARGEST:
        return capacity if distinct else 0
    sums, mask = 1, (1 << (capacity + 1)) - 1
    for size in distinct:
        while size <= capacity:
            sums |= sums << size & mask
            size *= 2
    return sums.bit_length() - 1
