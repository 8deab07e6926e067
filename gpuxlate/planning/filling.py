"""Nodes that take pods one at a time, as a scheduler does it and as best-fit does."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any, NamedTuple, assert_never

from gpuxlate.backends.scheduling_limits import ANY_MODE, Pick, Scheduling
from gpuxlate.model.declarations import record
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.planning.placing import (
    CardIndexes,
    CardOrder,
    FreeCards,
    FreeGpu,
    UndecidedError,
    first_placement,
)
from gpuxlate.planning.requests import Asks, ContainerRequest, phases


@record
class Bin:
    """A node. ``admits``: by index of the asks what a pod of them requests there, None: it is not taken."""

    cards: FreeCards
    admits: tuple[Asks | None, ...]


class BinPlacement(NamedTuple):
    """The place of one pod: the bin, and the cards of each container."""

    ask_index: int
    bin: int
    cards: CardIndexes


class Nodes:
    """Nodes in the order in which they are tried for the next pod, without those that are full.

    ``card_mib``: MiB that weigh as much as all compute of a card. ``empty``: the node that is added where
    no node takes a pod; without it, the pod stays unplaced.
    """

    def __init__(self, bins: Iterable[Bin], how: Scheduling, card_mib: int, empty: Bin | None = None) -> None:
        self.bins: list[Bin] = []
        self.state: list[FreeCards] = []
        self._how, self._card_mib, self._order = how.nodes, card_mib, _card_order(how.cards, card_mib)
        self._empty = empty
        bins = list(bins)
        # nodes that take the same have one tuple, which is long
        distinct = {id(node_bin.admits): node_bin.admits for node_bin in (*bins, *([empty] if empty else ()))}
        self._needs = [
            _need([asks for asks in by_node if asks is not None])
            for by_node in zip(*distinct.values(), strict=True)
        ]
        requests = {ask for admits in distinct.values() for asks in admits for ask in asks or ()}
        self._least, self._fresh = smallest_requests(requests), any(ask.fresh for ask in requests)
        self._turns: list[tuple[int, int]] = []
        self._queued_for: int | None = None
        self._queue: list[tuple[int, int]] = []
        """Of the turns those that have not refused the asks that came last."""
        self._largest_free: list[tuple[int, int]] = []  # MiB and percent that are free on one of its cards
        self._pods: Counter[int] = Counter()
        self._refused: dict[int, set[int]] = {}
        for node_bin in bins:
            self._add(node_bin)

    def take(self, ask_index: int) -> BinPlacement | None:
        """Place a pod; None where no node has room.

        A node without room for a pod is not tried again for the same requests, since room only shrinks.
        """
        refused = self._refused.setdefault(ask_index, set())
        mib, percent = self._needs[ask_index]
        if ask_index != self._queued_for:
            self._queued_for, self._queue = ask_index, list(self._turns)  # what is sorted is a heap
        while self._queue:
            turn = self._queue[0]
            number = turn[1]
            most_mib, most_percent = self._largest_free[number]
            fits = most_mib >= mib and most_percent >= percent and number not in refused
            chosen = self._place(ask_index, number) if fits else None
            heappop(self._queue)
            if chosen is not None:
                del self._turns[bisect_left(self._turns, turn)]
                self._enter(number)
                return BinPlacement(ask_index, number, chosen)
            if fits:
                refused.add(number)
        if self._empty is None:
            return None
        self._add(self._empty)
        return self.take(ask_index)

    def _place(self, ask_index: int, number: int) -> CardIndexes | None:
        asks = self.bins[number].admits[ask_index]
        try:
            way = first_placement(self.state[number], asks, self._order) if asks is not None else None
        except UndecidedError:
            return None
        if way is None:
            return None
        self.state[number], chosen = way
        self._pods[number] += 1
        return chosen

    def _add(self, node_bin: Bin) -> None:
        self.bins.append(node_bin)
        self.state.append(node_bin.cards)
        self._largest_free.append((0, 0))
        self._enter(len(self.state) - 1)

    def _enter(self, number: int) -> None:
        cards = self.state[number]
        self._largest_free[number] = (
            max((card.memory_mib for card in cards), default=0),
            max((card.cores for card in cards), default=0),
        )
        if any(self._may_take(card) for card in cards):
            turn = (self._score(number, cards), number)
            insort(self._turns, turn)
            heappush(self._queue, turn)

    def _may_take(self, card: FreeGpu) -> bool:
        if card.slots <= 0:
            return False
        if self._fresh and card.untouched:
            return True
        return any(card.cores >= cores and card.memory_mib >= mib for cores, mib in self._least)

    def _score(self, number: int, cards: FreeCards) -> int:
        """Lower ones are tried first."""
        match self._how:
            case Pick.FIRST:
                return number
            case Pick.FEWEST_PODS:
                return self._pods[number]
            case Pick.FULLEST | Pick.EMPTIEST:
                free = sum(card.cores * self._card_mib + card.memory_mib * FULL_CARD_CORES for card in cards)
                return free if self._how is Pick.FULLEST else -free
            case _:
                assert_never(self._how)


def _need(pods: Sequence[Asks]) -> tuple[int, int]:
    """MiB and percent that one card needs at the least for a pod, whichever of these it requests there."""
    return (
        min((max((ask.memory_mib or 0 for ask in asks), default=0) for asks in pods), default=0),
        min((max((ask.cores for ask in asks), default=0) for asks in pods), default=0),
    )


def smallest_requests(asks: Iterable[ContainerRequest]) -> list[tuple[int, int]]:
    """The smallest requests: no other one needs less of both."""
    requests: list[tuple[int, int]] = []
    for cores, memory in sorted({(a.cores, a.memory_mib or 0) for a in asks if not a.fresh}):
        if not requests or memory < requests[-1][1]:
            requests.append((cores, memory))
    return requests


def _card_order(how: Pick, card_mib: int) -> CardOrder:
    """The order in which the cards of a node are tried."""

    def free(card: tuple[int, int, int, int]) -> int:
        return card[0] * FULL_CARD_CORES + card[1] * card_mib

    match how:
        case Pick.FULLEST:
            return lambda card: (free(card), card[-1])
        case Pick.EMPTIEST:
            return lambda card: (-free(card), card[-1])
        case Pick.FIRST | Pick.FEWEST_PODS:  # pods are counted on nodes, not on cards
            return lambda card: card[-1]
        case _:
            assert_never(how)


# Best-fit decreasing: each pod on the tightest node that takes it, large pods first.
Order = Callable[[Asks], Any]
"""The size of a pod: larger ones go first."""


def by_memory(asks: Asks) -> object:
    """Pods that need cards of their own, then by memory, then by compute."""
    return max(
        (
            sum(ask.cards for ask in phase if ask.fresh),
            sum(ask.cards * (ask.memory_mib or 0) for ask in phase),
            sum(ask.cards * ask.cores for ask in phase),
        )
        for phase in phases(asks)
    )


TIGHTEST = Scheduling(Pick.FULLEST, Pick.FULLEST)

FIRST_FIT = Scheduling(Pick.FIRST, Pick.FULLEST)


def best_fit(bins: Sequence[Bin], ask_indexes: Sequence[int]) -> tuple[list[BinPlacement], list[int]]:
    """Each pod on the fullest node that takes it; and the indexes of the asks of pods left over."""
    if not bins:
        return [], list(ask_indexes)
    asks = {
        ask_index: next((asks for node_bin in bins if (asks := node_bin.admits[ask_index]) is not None), ())
        for ask_index in set(ask_indexes)
    }
    card_mib = max((card.memory_mib for node_bin in bins for card in node_bin.cards), default=0)
    return fill_nodes(Nodes(bins, TIGHTEST, card_mib), asks, Counter(ask_indexes), by_memory)


def fill_nodes(
    nodes: Nodes, asks: Mapping[int, Asks], counts: Mapping[int, int], order: Order
) -> tuple[list[BinPlacement], list[int]]:
    """Place pods on nodes, large pods first. Pods that may share a node with any other come last, and fill
    what is free on the nodes of the others."""
    placements: list[BinPlacement] = []
    unplaced: list[int] = []
    for ask_index in sorted(
        counts, key=lambda ask_index: (_common(asks[ask_index]), order(asks[ask_index])), reverse=True
    ):
        for waiting in range(counts[ask_index], 0, -1):
            placement = nodes.take(ask_index)
            if placement is None:
                unplaced += [ask_index] * waiting
                break
            placements.append(placement)
    return placements, unplaced


def _common(asks: Asks) -> tuple[str, tuple[str, ...]]:
    """The pool and the modes of a pod."""
    return asks[0].pool if asks else ANY_MODE, tuple(
        sorted({ask.mode for ask in asks} - {ANY_MODE}, reverse=True)
    )
