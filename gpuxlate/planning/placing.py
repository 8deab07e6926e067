"""What is free on the cards of one node, and every placement of a pod on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gpuxlate.backends.scheduling_limits import ANY_MODE
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import join_and, msg, plural
from gpuxlate.planning.requests import Asks, ContainerRequest, run_together, runs_beside

MAX_PLACEMENTS = 20_000
"""Placements that an exact search tries, about a second of work."""


class FreeGpu(NamedTuple):
    """What is free on one card: percent, MiB, and ``slots`` for containers; ``untouched``: it runs none.

    ``mode``: that of the containers on the card, ``pool``: that of the pods on its node.
    """

    cores: int
    memory_mib: int
    slots: int
    untouched: bool
    mode: str = ANY_MODE
    pool: str = ANY_MODE

    def takes(self, ask: ContainerRequest) -> bool:
        """Whether the card has room for a container with this request beside the containers that it runs."""
        if self.slots <= 0 or not (
            _are_compatible(self.mode, ask.mode) and _are_compatible(self.pool, ask.pool)
        ):
            return False
        if ask.whole:
            return self.untouched and self.cores == FULL_CARD_CORES
        if self.cores < max(ask.cores, ask.joins_at) or (ask.fresh and not self.untouched):
            return False
        return ask.memory_mib is None or self.memory_mib >= ask.memory_mib

    def less(self, ask: ContainerRequest) -> FreeGpu:
        """What is free on the card once a container with this request runs there."""
        mode = self.mode or ask.mode
        if ask.whole or ask.alone:
            return FreeGpu(0, 0, 0, False, mode, self.pool)
        memory = 0 if ask.memory_mib is None else self.memory_mib - ask.memory_mib
        return FreeGpu(self.cores - ask.cores, memory, self.slots - 1, False, mode, self.pool)


def _are_compatible(mode: str, other: str) -> bool:
    return ANY_MODE in (mode, other) or mode == other


FreeCards = tuple[FreeGpu, ...]
"""The cards of one node, by index."""

CardIndexes = tuple[tuple[int, ...], ...]
"""For each container of a pod, the indexes of its cards."""


class UndecidedError(Exception):
    """The search ended at its limit."""


class Budget:
    """The placements that a search may still try."""

    def __init__(self, steps: int) -> None:
        self.remaining = steps

    def spend(self) -> None:
        """Count one more placement. Raises UndecidedError where none is left."""
        self.remaining -= 1
        if self.remaining < 0:
            raise UndecidedError


CardOrder = Callable[[tuple[int, int, int, int]], Any]
"""Which card comes first, by what is free of MiB, percent and slots, and by its index."""


def distinct_placements(
    cards: FreeCards, asks: Asks, budget: Budget | None = None, order: CardOrder | None = None
) -> Iterator[tuple[FreeCards, CardIndexes]]:
    """Placements of a pod on the cards of a node that differ in what they leave free; without another
    ``order`` of cards, the tightest first.

    Raises UndecidedError where there are too many.
    """
    usable, budget = _in_pool_of(cards, asks), budget or Budget(MAX_PLACEMENTS)
    if any(ask.ends for ask in asks):
        return _placements_with_init_containers(usable, asks, budget, order)
    return _placements(usable, asks, budget, order)


def first_placement(
    cards: FreeCards, asks: Asks, order: CardOrder | None = None
) -> tuple[FreeCards, CardIndexes] | None:
    """The first placement of a pod on the cards of a node, or None. Raises UndecidedError."""
    if len(asks) != 1:
        return next(distinct_placements(cards, asks, order=order), None)
    ask = asks[0]
    able = _cards_that_fit(cards, ask)
    if len(able) < ask.cards:
        return None
    picked = (min(able, key=order)[-1],) if ask.cards == 1 else next(_choices_of_cards(cards, ask, order))
    return _reserve(_in_pool_of(cards, asks), ask, picked), (picked,)


def _in_pool_of(cards: FreeCards, asks: Asks) -> FreeCards:
    """The cards, whose node joins the pool of the pod if it has none yet. Cards of another pool take nothing
    of the pod."""
    pool = asks[0].pool if asks else ANY_MODE
    if pool == ANY_MODE or not cards or cards[0].pool != ANY_MODE:
        return cards
    return tuple(card._replace(pool=pool) for card in cards)


def _reserve(cards: FreeCards, ask: ContainerRequest, picked: tuple[int, ...]) -> FreeCards:
    after = list(cards)
    for index in picked:
        after[index] = after[index].less(ask)
    return tuple(after)


def _placements(
    cards: FreeCards, asks: Asks, budget: Budget, order: CardOrder | None
) -> Iterator[tuple[FreeCards, CardIndexes]]:
    if not asks:
        yield cards, ()
        return
    seen: set[FreeCards] = set()
    for picked in _choices_of_cards(cards, asks[0], order):
        budget.spend()
        for free_cards, indexes in _placements(_reserve(cards, asks[0], picked), asks[1:], budget, order):
            shape = tuple(sorted(free_cards))
            if shape not in seen:
                seen.add(shape)
                yield free_cards, (picked, *indexes)


def _placements_with_init_containers(
    cards: FreeCards, asks: Asks, budget: Budget, order: CardOrder | None
) -> Iterator[tuple[FreeCards, CardIndexes]]:
    """The placements of a pod with init containers that end. Each of them has the cards as they are before
    the pod, less what the sidecars that started before it use."""
    steady = [number for number, ask in enumerate(asks) if not ask.ends]
    turns = (*steady, *(number for number, ask in enumerate(asks) if ask.ends))
    seen: set[FreeCards] = set()

    def place(at: int, placed: dict[int, tuple[int, ...]]) -> Iterator[dict[int, tuple[int, ...]]]:
        if at == len(turns):
            yield placed
            return
        ask = asks[turns[at]]
        last = ask.index if ask.ends else None
        free = _reserve_all(
            cards, asks, {index: placed[index] for index in placed if runs_beside(asks[index], last)}
        )
        for picked in _choices_of_cards(free, ask, order, (cards, free_after(cards, asks, placed))):
            budget.spend()
            yield from place(at + 1, {**placed, turns[at]: picked})

    for placed in place(0, {}):
        free_cards = free_after(cards, asks, placed)
        shape = tuple(sorted(free_cards))
        if shape not in seen and _keeps_one_mode(cards, asks, placed):
            seen.add(shape)
            yield free_cards, tuple(placed[number] for number in range(len(asks)))


def _reserve_all(cards: FreeCards, asks: Asks, placed: Mapping[int, tuple[int, ...]]) -> FreeCards:
    for number, picked in placed.items():
        cards = _reserve(cards, asks[number], picked)
    return cards


def _keeps_one_mode(cards: FreeCards, asks: Asks, placed: Mapping[int, tuple[int, ...]]) -> bool:
    """No card would run containers of two modes, not even one after the other."""
    modes: dict[int, set[str]] = {}
    for number, picked in placed.items():
        for index in picked:
            modes.setdefault(index, {cards[index].mode}).add(asks[number].mode)
    return all(len(card_modes - {ANY_MODE}) <= 1 for card_modes in modes.values())


def free_after(cards: FreeCards, asks: Asks, placed: Mapping[int, tuple[int, ...]]) -> FreeCards:
    """What is free on each card while the pod runs: the least over its phases.

    ``placed``: by the index of a container in ``asks``, the indexes of its cards."""
    views = [
        _reserve_all(cards, asks, {index: placed[index] for index in phase if index in placed})
        for phase in run_together(asks)
    ]
    return tuple(map(_least_free, zip(*views, strict=True)))


def _least_free(views: Sequence[FreeGpu]) -> FreeGpu:
    mode = next((space.mode for space in views if space.mode), ANY_MODE)
    return FreeGpu(
        min(space.cores for space in views),
        min(space.memory_mib for space in views),
        min(space.slots for space in views),
        all(space.untouched for space in views),
        mode,
        views[0].pool,
    )


def _cards_that_fit(cards: FreeCards, ask: ContainerRequest) -> list[tuple[int, int, int, int]]:
    """The cards that take a container: MiB, percent and slots that are free, and the index of the card. The
    card with the least room sorts first."""
    return [
        (card.memory_mib, card.cores, card.slots, index)
        for index, card in enumerate(cards)
        if card.takes(ask)
    ]


def _choices_of_cards(
    cards: FreeCards, ask: ContainerRequest, order: CardOrder | None, also: tuple[FreeCards, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """The indexes of cards for one container, one choice after the other. Of cards that are equal, in
    ``cards`` and in every view of ``also``, only one is tried."""
    able = [row[-1] for row in sorted(_cards_that_fit(cards, ask), key=order)]

    def equal(first: int, other: int) -> bool:
        return all(view[first] == view[other] for view in (cards, *also))

    def choose(start: int, picked: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(picked) == ask.cards:
            yield tuple(sorted(picked))
            return
        for at in range(start, len(able) - (ask.cards - len(picked)) + 1):
            if at == start or not equal(able[at], able[at - 1]):
                yield from choose(at + 1, (*picked, able[at]))

    return choose(0, ())


def explain_shortage(cards: Sequence[FreeGpu], ask: ContainerRequest, able: int) -> str:
    """Why the cards of a node do not take a container, as a phrase. ``able``: how many cards take it."""
    if ask.whole and ask.mode != ANY_MODE:
        return msg("{count} of {what} requested, {free} free", count=ask.cards, what=ask.mode, free=able)
    if len(cards) < ask.cards:
        total = plural(len(cards), "{count} card", "{count} cards")
        return msg("{count} cards requested, it has {there}", count=ask.cards, there=total)
    if ask.whole or ask.memory_mib is None:
        unused = plural(ask.cards, "{count} unused card", "{count} unused cards")
        return msg("{wanted} requested, {free} free", wanted=unused, free=able)
    least: list[str] = []
    if sum(card.cores >= ask.cores for card in cards) < ask.cards:
        largest = max(card.cores for card in cards)
        text = "compute: {asked} % of a card requested, at most {most} % free"
        least.append(msg(text, asked=ask.cores, most=largest))
    if sum(card.memory_mib >= ask.memory_mib for card in cards) < ask.cards:
        largest = max(card.memory_mib for card in cards)
        text = "memory: {asked} MiB of a card requested, at most {most} MiB free"
        least.append(msg(text, asked=ask.memory_mib, most=largest))
    if sum(card.slots > 0 for card in cards) < ask.cards:
        least.append(msg("containers: its cards run as many as they can"))
    if least:
        return join_and(least, "{before}; {last}")
    if able < sum(card._replace(mode=ANY_MODE).takes(ask) for card in cards):
        return msg("its other cards run containers in another mode than {mode}", mode=ask.mode)
    both = msg("{cores} % and {memory} MiB", cores=ask.cores, memory=ask.memory_mib)
    if ask.cards == 1:
        return msg("no card has {both} free together", both=both)
    return msg("{able} of {count} cards have {both} free together", able=able, count=ask.cards, both=both)
