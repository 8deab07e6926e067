"""Whether pods fit on given nodes: best-fit, then an exact search of bounded length."""

from __future__ import annotations

from collections.abc import Sequence

from gpuxlate.planning.filling import Bin, BinPlacement, best_fit, by_memory
from gpuxlate.planning.placing import (
    MAX_PLACEMENTS,
    Budget,
    FreeCards,
    UndecidedError,
    distinct_placements,
    first_placement,
)
from gpuxlate.planning.requests import Asks, phases

MAX_SEARCHED_PODS = 200
"""More pods than this are packed by best-fit only."""


def place_all(
    bins: Sequence[Bin], ask_indexes: Sequence[int], steps: int = MAX_PLACEMENTS
) -> list[BinPlacement] | None:
    """Places for all pods; None where they do not fit. Raises UndecidedError."""
    placements, unplaced = best_fit(bins, ask_indexes)
    if not unplaced:
        return placements
    if any(not _fits_alone(bins, ask_index) for ask_index in set(unplaced)):
        return None
    requested, free = sum_demand_and_free(bins, ask_indexes)
    if any(amount > available for amount, available in zip(requested, free, strict=True)):
        return None
    return search(bins, ask_indexes, Budget(steps))


Sums = tuple[int, int, int]
"""Percent, MiB, and containers on cards."""


def sum_demand_and_free(bins: Sequence[Bin], ask_indexes: Sequence[int]) -> tuple[Sums, Sums]:
    """The least that the pods request in total, and what is free on the nodes that take any of them."""
    each = [_least_requested(bins, ask_index) for ask_index in range(max(ask_indexes, default=-1) + 1)]
    requested = [each[ask_index] for ask_index in ask_indexes]
    free = [
        space for node_bin in bins if any(a is not None for a in node_bin.admits) for space in node_bin.cards
    ]
    return (
        (
            sum(size[0] for size in requested),
            sum(size[1] for size in requested),
            sum(size[2] for size in requested),
        ),
        (
            sum(space.cores for space in free),
            sum(space.memory_mib for space in free),
            sum(space.slots for space in free),
        ),
    )


def _least_requested(bins: Sequence[Bin], ask_index: int) -> Sums:
    works = [
        (
            max(sum(ask.percent * ask.cards for ask in phase) for phase in phases(asks)),
            max(sum((ask.memory_mib or 0) * ask.cards for ask in phase) for phase in phases(asks)),
            max(sum(ask.cards for ask in phase) for phase in phases(asks)),
        )
        for asks in {node_bin.admits[ask_index] for node_bin in bins}
        if asks is not None
    ]
    if not works:
        return 0, 0, 0
    return min(work[0] for work in works), min(work[1] for work in works), min(work[2] for work in works)


def _fits_alone(bins: Sequence[Bin], ask_index: int) -> bool:
    """Some node has room for this pod alone."""
    views = [(node_bin.cards, asks) for node_bin in bins if (asks := node_bin.admits[ask_index]) is not None]
    return any(first_placement(cards, asks) is not None for cards, asks in views)


def search(bins: Sequence[Bin], ask_indexes: Sequence[int], budget: Budget) -> list[BinPlacement] | None:
    """The first placement of all pods in a search of every one; None where there is none. Of equal nodes one
    is tried, and no state twice. Raises UndecidedError where the budget is spent."""
    if len(ask_indexes) > MAX_SEARCHED_PODS:
        raise UndecidedError
    asks_by_index = {
        k: next((a for node_bin in bins if (a := node_bin.admits[k]) is not None), ())
        for k in set(ask_indexes)
    }
    ordered = sorted(
        ask_indexes, key=lambda ask_index: (by_memory(asks_by_index[ask_index]), ask_index), reverse=True
    )
    failed: set[tuple[int, tuple[tuple[int, FreeCards], ...]]] = set()
    classes: dict[tuple[Asks | None, ...], int] = {}
    class_of = [classes.setdefault(node_bin.admits, len(classes)) for node_bin in bins]

    def shape(number: int, cards: FreeCards) -> tuple[int, FreeCards]:
        return class_of[number], tuple(sorted(cards))

    def go(at: int, state: tuple[FreeCards, ...]) -> list[BinPlacement] | None:
        if at == len(ordered):
            return []
        key = (at, tuple(sorted(shape(n, cards) for n, cards in enumerate(state))))
        if key in failed:
            return None
        tried: set[tuple[int, FreeCards]] = set()
        for number, node_bin in enumerate(bins):
            asks, alike = node_bin.admits[ordered[at]], shape(number, state[number])
            if asks is None or alike in tried:
                continue
            tried.add(alike)
            for free_cards, chosen in distinct_placements(state[number], asks, budget):
                later = go(at + 1, (*state[:number], free_cards, *state[number + 1 :]))
                if later is not None:
                    return [BinPlacement(ordered[at], number, chosen), *later]
        failed.add(key)
        return None

    return go(0, tuple(node_bin.cards for node_bin in bins))
