"""Best-fit decreasing: each pod on the tightest node that takes it, large pods first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from gpuxlate.backends.limits import ANY
from gpuxlate.planning.packing.index import Index
from gpuxlate.planning.packing.spaces import (
    Asks,
    Bin,
    Cards,
    Chosen,
    Space,
    Spot,
    UndecidedError,
    first_way,
    phases,
)

Order = Callable[[Asks], Any]
"""The size of a pod: larger ones go first."""


def by_memory(asks: Asks) -> object:
    """Pods that need cards of their own, then by memory, then by compute."""
    return max(
        (
            sum(one.cards for one in some if one.fresh),
            sum(one.cards * (one.memory_mib or 0) for one in some),
            sum(one.cards * one.cores for one in some),
        )
        for some in phases(asks)
    )


def best_fit(
    bins: Sequence[Bin], kinds: Sequence[int], order: Order = by_memory
) -> tuple[list[Spot], list[int]]:
    """Each pod on the first node that takes it; and the kinds of the pods left over."""
    state = [one.cards for one in bins]
    asks = {kind: _asked(bins, kind) for kind in set(kinds)}

    def admitted(kind: int, number: int) -> Asks | None:
        return bins[number].admits[kind]

    return _fill(state, Counter(kinds), asks, admitted, order, None)


def open_nodes(
    empty: Cards, asks: Sequence[Asks], counts: Mapping[int, int], order: Order
) -> tuple[list[Spot], list[Cards]]:
    """All pods on as many equal nodes as best-fit opens; and what is left free on each of them.

    Every pod fits an empty node. ``counts``: pods by kind, an index of ``asks``.
    """
    state: list[Cards] = []
    by_kind = {kind: (asks[kind],) for kind in counts}
    spots, left = _fill(state, counts, by_kind, lambda kind, _: asks[kind], order, empty)
    assert not left
    return spots, state


def _asked(bins: Sequence[Bin], kind: int) -> tuple[Asks, ...]:
    """What a pod requests, on one node or another."""
    found = dict.fromkeys(asks for one in bins if (asks := one.admits[kind]) is not None)
    return tuple(found) or ((),)


def _fill(
    state: list[Cards],
    counts: Mapping[int, int],
    asks: Mapping[int, Sequence[Asks]],
    admitted: Callable[[int, int], Asks | None],
    order: Order,
    empty: Cards | None,
) -> tuple[list[Spot], list[int]]:
    """Fill nodes in place, opening one like ``empty`` where none takes a pod."""
    spots: list[Spot] = []
    left: list[int] = []
    phases: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for kind in counts:
        phases.setdefault(_common(asks[kind][0]), []).append(kind)
    # pods that go with all others come last, into what those have left
    for common in sorted(phases, reverse=True):
        index = Index(state, _alike(*common))
        for kind in sorted(phases[common], key=lambda one: order(asks[one][0]), reverse=True):
            refused: set[int] = set()
            admits = partial(admitted, kind)
            for wanted in range(counts[kind], 0, -1):
                found = _place(state, index.nodes(asks[kind]), admits, refused)
                if found is None and empty is not None:
                    state.append(empty)
                    index.change(len(state) - 1, (), empty)
                    found = _place(state, iter((len(state) - 1,)), admits, refused)
                if found is None:
                    left += [kind] * wanted
                    break
                number, cards, chosen = found
                index.change(number, state[number], cards)
                state[number] = cards
                spots.append(Spot(kind, number, chosen))
    return spots, left


def _place(
    state: Sequence[Cards],
    numbers: Iterator[int],
    admitted: Callable[[int], Asks | None],
    refused: set[int],
) -> tuple[int, Cards, Chosen] | None:
    """The first node that takes a pod, what is left there, and the cards of the pod.

    ``refused``: nodes that refuse pods of this kind; it is added to, since what refuses one refuses the next.
    """
    for number in numbers:
        if number in refused:
            continue
        asks = admitted(number)
        try:
            found = first_way(state[number], asks) if asks is not None else None
        except UndecidedError:
            found = None
        if found is not None:
            return number, *found
        refused.add(number)
    return None


def _common(asks: Asks) -> tuple[str, tuple[str, ...]]:
    """The pool and the modes of a pod."""
    return asks[0].pool if asks else ANY, tuple(sorted({one.mode for one in asks} - {ANY}, reverse=True))


def _alike(pool: str, modes: tuple[str, ...]) -> Callable[[Space], bool]:
    """Whether a card may take a pod, as far as pool and modes go."""

    def alike(one: Space) -> bool:
        return (ANY in (pool, one.pool) or one.pool == pool) and (
            not modes or one.mode == ANY or one.mode in modes
        )

    return alike
