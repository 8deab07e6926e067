"""What is free on a card, what a container requests, and the placements of a pod on one node."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

from gpuxlate.backends.limits import ANY, Pick, Scheduling
from gpuxlate.backends.live import PERCENT
from gpuxlate.model.amounts import card_for, known_replica
from gpuxlate.model.declarations import record
from gpuxlate.model.messages import join_and, msg, plural
from gpuxlate.model.profile import Card, Profile, Template, card_named
from gpuxlate.model.share import Partition, Share

STEPS = 20_000
"""Placements that an exact search tries, about a second of work."""
UNLIMITED = 1_000_000
"""Slots of a card where the vendor's documents give no number, or disagree on it."""


@record
class ContainerRequest:
    """What one container requests of each of its ``cards``.

    ``cores``: percent that count against the card; offline compute does not. ``memory_mib`` is
    None where it gets all memory of the card. ``joins_at``: percent that are free where it joins a card, at
    least ``cores``; ``alone``: no other container is on its cards. ``mode``: what all containers of a card
    have in common, ``pool``: what all those of a node have; ANY goes with all. ``ends``: it ends before the
    containers of its pod start; ``init`` alone: it is there before them too, and stays.
    """

    container: str
    init: bool
    index: int
    cards: int = 1
    cores: int = 0
    memory_mib: int | None = None
    whole: bool = False
    offline: bool = False
    joins_at: int = 0
    alone: bool = False
    mode: str = ANY
    pool: str = ANY
    ends: bool = False

    @property
    def percent(self) -> int:
        """Percent of each card that no other container can use."""
        return PERCENT if self.whole else self.cores

    @property
    def fresh(self) -> bool:
        """Its cards run no other container when it comes."""
        return self.whole or self.alone or self.memory_mib is None


class FreeGpu(NamedTuple):
    """What is free on one card: percent, MiB, and ``slots`` for containers; ``untouched``: it runs none.

    ``mode``: that of the containers on the card, ``pool``: that of the pods on its node.
    """

    cores: int
    memory_mib: int
    slots: int
    untouched: bool
    mode: str = ANY
    pool: str = ANY

    def takes(self, ask: ContainerRequest) -> bool:
        if self.slots <= 0 or not (_meet(self.mode, ask.mode) and _meet(self.pool, ask.pool)):
            return False
        if ask.whole:
            return self.untouched and self.cores == PERCENT
        if self.cores < max(ask.cores, ask.joins_at) or (ask.fresh and not self.untouched):
            return False
        return ask.memory_mib is None or self.memory_mib >= ask.memory_mib

    def less(self, ask: ContainerRequest) -> FreeGpu:
        """What is left when the container runs there."""
        mode = self.mode or ask.mode
        if ask.whole or ask.alone:
            return FreeGpu(0, 0, 0, False, mode, self.pool)
        memory = 0 if ask.memory_mib is None else self.memory_mib - ask.memory_mib
        return FreeGpu(self.cores - ask.cores, memory, self.slots - 1, False, mode, self.pool)


def _meet(one: str, other: str) -> bool:
    return ANY in (one, other) or one == other


Asks = tuple[ContainerRequest, ...]
"""The requests of one pod's containers, init containers first."""


def phases(asks: Asks) -> tuple[Asks, ...]:
    """What of a pod runs at once: its containers, or one of the init containers that end with what is there
    before it. On each card, and in all, a pod takes what the largest of these takes."""
    if not any(one.ends for one in asks):
        return (asks,)
    return tuple(tuple(asks[number] for number in one) for one in _phases(asks))


def _phases(asks: Asks) -> Iterator[tuple[int, ...]]:
    """The same by their numbers."""
    for last in (None, *dict.fromkeys(one.index for one in asks if one.ends)):
        found = tuple(number for number, one in enumerate(asks) if _is_there(one, last))
        if found:
            yield found


def _is_there(one: ContainerRequest, last: int | None) -> bool:
    """A container runs when an init container does that ends, by its index; None: when all of them ended."""
    if last is None:
        return not one.ends
    return one.index == last if one.ends else one.init and one.index < last


Cards = tuple[FreeGpu, ...]
"""The cards of one node, by index."""
Chosen = tuple[tuple[int, ...], ...]
"""For each container of a pod, the indexes of its cards."""


@record
class Bin:
    """A node. ``admits``: by kind of pod what it requests there, None where the node does not take it."""

    cards: Cards
    admits: tuple[Asks | None, ...]


class BinPlacement(NamedTuple):
    """The place of one pod: the bin, and the cards of each container."""

    kind: int
    bin: int
    cards: Chosen


class UndecidedError(Exception):
    """The search ended at its limit."""


class Budget:
    """The placements that a search may still try."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise UndecidedError


CardOrder = Callable[[tuple[int, int, int, int]], Any]
"""Which card comes first, by what is free of MiB, percent and slots, and by its index."""


def ways(
    cards: Cards, asks: Asks, budget: Budget | None = None, order: CardOrder | None = None
) -> Iterator[tuple[Cards, Chosen]]:
    """Placements of a pod on the cards of a node that differ in what they leave free; without another
    ``order`` of cards, the tightest first.

    Raises UndecidedError where there are too many.
    """
    found, budget = _of_pool(cards, asks), budget or Budget(STEPS)
    if any(one.ends for one in asks):
        return _ways_in_phases(found, asks, budget, order)
    return _ways(found, asks, budget, order)


def first_way(cards: Cards, asks: Asks, order: CardOrder | None = None) -> tuple[Cards, Chosen] | None:
    """The first of these; None where there is none. Raises UndecidedError."""
    if len(asks) != 1:
        return next(ways(cards, asks, order=order), None)
    ask = asks[0]
    able = _able(cards, ask)
    if len(able) < ask.cards:
        return None
    picked = (min(able, key=order)[-1],) if ask.cards == 1 else next(_picks(cards, ask, order))
    return _taken(_of_pool(cards, asks), ask, picked), (picked,)


def _of_pool(cards: Cards, asks: Asks) -> Cards:
    """The cards when the pod is on their node; where it may not be there, no card takes it."""
    pool = asks[0].pool if asks else ANY
    if pool == ANY or not cards or cards[0].pool != ANY:
        return cards
    return tuple(one._replace(pool=pool) for one in cards)


def _taken(cards: Cards, ask: ContainerRequest, picked: tuple[int, ...]) -> Cards:
    after = list(cards)
    for n in picked:
        after[n] = after[n].less(ask)
    return tuple(after)


def _ways(
    cards: Cards, asks: Asks, budget: Budget, order: CardOrder | None
) -> Iterator[tuple[Cards, Chosen]]:
    if not asks:
        yield cards, ()
        return
    seen: set[Cards] = set()
    for picked in _picks(cards, asks[0], order):
        budget.spend()
        for left, rest in _ways(_taken(cards, asks[0], picked), asks[1:], budget, order):
            shape = tuple(sorted(left))
            if shape not in seen:
                seen.add(shape)
                yield left, (picked, *rest)


def _ways_in_phases(
    cards: Cards, asks: Asks, budget: Budget, order: CardOrder | None
) -> Iterator[tuple[Cards, Chosen]]:
    """The same for a pod with init containers that end: each finds the cards as they are before the pod, but
    for what is there already."""
    steady = [number for number, one in enumerate(asks) if not one.ends]
    turns = (*steady, *(number for number, one in enumerate(asks) if one.ends))
    seen: set[Cards] = set()

    def place(at: int, there: dict[int, tuple[int, ...]]) -> Iterator[dict[int, tuple[int, ...]]]:
        if at == len(turns):
            yield there
            return
        ask = asks[turns[at]]
        last = ask.index if ask.ends else None
        free = _less(cards, asks, {n: there[n] for n in there if _is_there(asks[n], last)})
        for picked in _picks(free, ask, order, (cards, taken(cards, asks, there))):
            budget.spend()
            yield from place(at + 1, {**there, turns[at]: picked})

    for found in place(0, {}):
        left = taken(cards, asks, found)
        shape = tuple(sorted(left))
        if shape not in seen and _one_mode(cards, asks, found):
            seen.add(shape)
            yield left, tuple(found[number] for number in range(len(asks)))


def _less(cards: Cards, asks: Asks, there: Mapping[int, tuple[int, ...]]) -> Cards:
    for number, picked in there.items():
        cards = _taken(cards, asks[number], picked)
    return cards


def _one_mode(cards: Cards, asks: Asks, there: Mapping[int, tuple[int, ...]]) -> bool:
    """No card is in two modes, be it one after the other."""
    modes: dict[int, set[str]] = {}
    for number, picked in there.items():
        for index in picked:
            modes.setdefault(index, {cards[index].mode}).add(asks[number].mode)
    return all(len(one - {ANY}) <= 1 for one in modes.values())


def taken(cards: Cards, asks: Asks, there: Mapping[int, tuple[int, ...]]) -> Cards:
    """What a pod leaves free of the cards that its containers have, by number: the least of its phases."""
    found = [_less(cards, asks, {n: there[n] for n in one if n in there}) for one in _phases(asks)]
    return tuple(map(_least, zip(*found, strict=True)))


def _least(one: Sequence[FreeGpu]) -> FreeGpu:
    mode = next((space.mode for space in one if space.mode), ANY)
    return FreeGpu(
        min(space.cores for space in one),
        min(space.memory_mib for space in one),
        min(space.slots for space in one),
        all(space.untouched for space in one),
        mode,
        one[0].pool,
    )


def _able(cards: Cards, ask: ContainerRequest) -> list[tuple[int, int, int, int]]:
    """The cards that take a container, as what is free on each and its index: the tightest is the least."""
    return [(one.memory_mib, one.cores, one.slots, n) for n, one in enumerate(cards) if one.takes(ask)]


def _picks(
    cards: Cards, ask: ContainerRequest, order: CardOrder | None, also: tuple[Cards, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """Choices of cards for one container; equal cards are tried once. ``also``: in these views too."""
    able = [one[-1] for one in sorted(_able(cards, ask), key=order)]

    def equal(one: int, other: int) -> bool:
        return all(view[one] == view[other] for view in (cards, *also))

    def choose(start: int, picked: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(picked) == ask.cards:
            yield tuple(sorted(picked))
            return
        for at in range(start, len(able) - (ask.cards - len(picked)) + 1):
            if at == start or not equal(able[at], able[at - 1]):
                yield from choose(at + 1, (*picked, able[at]))

    return choose(0, ())


# Partitions and replicas of cards, as the packing counts them.
# On nodes whose cards are all divided alike, a part is one of so many equal ones. Elsewhere a partition
# takes slices of its card: the slices of compute and, of eight, those of memory that follow from its name
# (NVIDIA's MIG user guide: 1g.10gb of an 80 GB card has one of seven, and one of eight). On a card that is
# divided from empty, partitions fit where both sums do; their places are fixed, so larger ones are made
# first.
SLICES = 8
"""Slices of memory of a card."""


class UnknownPartError(ValueError):
    """How many parts a card has is not known. The message says why."""


def asks_of_part(number: int, share: Share, profile: Profile, pool: str) -> Asks:
    """What each instance of a share's partition or replica takes of a card of the profile.

    ``number``: the index of the container; ``pool``: what the cards of its node are divided into, ANY where
    each card may be divided in its own way. Raises UnknownPartError.
    """
    memory = profile.cards.memory_mib or 0
    replica = share.replica and known_replica(share.replica, profile)
    if replica and replica.of is None:
        raise UnknownPartError(msg("how many clients share a card is in neither the share nor the profile"))
    of = (replica and replica.of) or 1
    if share.partition is None:
        cores, mib = _equal(of, memory)
    else:
        card, template = _template(share.partition, profile)
        if pool == ANY and replica:
            raise UnknownPartError(
                msg("clients of a partition are counted only where all cards of a node are divided alike")
            )
        if pool == ANY:
            cores, mib = _slices(card, template, memory)
        elif template.most is None:
            raise _not_known(card, template)
        else:
            cores, mib = _equal(template.most * of, memory)
    count = max(one.count for one in (share.partition, replica) if one)
    return (ContainerRequest("", False, number, cores=cores, memory_mib=mib, pool=pool),) * count


def _equal(parts: int, memory_mib: int) -> tuple[int, int]:
    """Percent and MiB of one of equal parts, of which no more than all fit."""
    mib = memory_mib // parts
    if mib * (parts + 1) <= memory_mib:
        raise UnknownPartError(msg("{count} parts of one card are more than are counted", count=parts))
    return PERCENT // parts, mib


def _template(one: Partition, profile: Profile) -> tuple[Card, Template]:
    card = card_for(Share(), profile)
    if card is None or not card.templates:
        raise UnknownPartError(
            msg(
                "the catalogue has no partitions of {card}",
                card=profile.cards.model or "a card without a name",
            )
        )
    found = {each.name: each for each in card.templates}.get(one.profile)
    if found is None:
        raise UnknownPartError(
            msg("the catalogue has no {profile} of {card}", profile=one.profile, card=card.name)
        )
    return card, found


def _slices(card: Card, one: Template, memory_mib: int) -> tuple[int, int]:
    """Percent and MiB of the slices of a partition."""
    # a profile may list the partitions of its nodes alone: the whole card is in the package
    known = (card_named(card.name) or card).templates or card.templates
    every = max((each.label for each in known if each.label), default=None)
    if one.label is None or every is None:
        raise _not_known(card, one)
    compute, total = one.label[0], every[0]
    memory = round(SLICES * one.label[1] / every[1])
    if not memory or one.most not in (None, min(total // compute, SLICES // memory)):
        raise _not_known(card, one)
    return PERCENT * compute // total, memory_mib * memory // SLICES


def _not_known(card: Card, one: Template) -> UnknownPartError:
    return UnknownPartError(
        msg("how many {profile} a {card} takes is not in the catalogue", profile=one.name, card=card.name)
    )


# Nodes that take pods one at a time, as a scheduler does it and as best-fit does.
class Nodes:
    """Nodes in the order in which they are tried for the next pod, without those that are full.

    ``card_mib``: MiB that weigh as much as all compute of a card. ``empty``: the node that is added where
    none takes a pod; without one, the pod is left over.
    """

    def __init__(self, bins: Iterable[Bin], how: Scheduling, card_mib: int, empty: Bin | None = None) -> None:
        self.bins: list[Bin] = []
        self.state: list[Cards] = []
        self._how, self._card_mib, self._order = how.nodes, card_mib, _card_order(how.cards, card_mib)
        self._empty = empty
        bins = list(bins)
        # nodes that take the same have one tuple, which is long
        distinct = {id(one.admits): one.admits for one in (*bins, *([empty] if empty else ()))}
        self._needs = [
            _need([asks for asks in by_node if asks is not None])
            for by_node in zip(*distinct.values(), strict=True)
        ]
        every = {ask for admits in distinct.values() for asks in admits for ask in asks or ()}
        self._least, self._fresh = smallest(every), any(one.fresh for one in every)
        self._turns: list[tuple[int, int]] = []
        self._most: list[tuple[int, int]] = []  # MiB and percent that are free on one of its cards
        self._pods: Counter[int] = Counter()
        self._refused: dict[int, set[int]] = {}
        for one in bins:
            self._add(one)

    def take(self, kind: int) -> BinPlacement | None:
        """Place a pod; None where no node has room.

        What refuses one pod of a kind refuses the next: room only becomes less.
        """
        refused = self._refused.setdefault(kind, set())
        mib, percent = self._needs[kind]
        for at, (_, number) in enumerate(self._turns):
            most_mib, most_percent = self._most[number]
            if most_mib < mib or most_percent < percent or number in refused:
                continue
            chosen = self._place(kind, number)
            if chosen is not None:
                del self._turns[at]
                self._enter(number)
                return BinPlacement(kind, number, chosen)
            refused.add(number)
        if self._empty is None:
            return None
        self._add(self._empty)
        return self.take(kind)

    def _place(self, kind: int, number: int) -> Chosen | None:
        asks = self.bins[number].admits[kind]
        try:
            way = first_way(self.state[number], asks, self._order) if asks is not None else None
        except UndecidedError:
            return None
        if way is None:
            return None
        self.state[number], chosen = way
        self._pods[number] += 1
        return chosen

    def _add(self, one: Bin) -> None:
        self.bins.append(one)
        self.state.append(one.cards)
        self._most.append((0, 0))
        self._enter(len(self.state) - 1)

    def _enter(self, number: int) -> None:
        cards = self.state[number]
        self._most[number] = (
            max((one.memory_mib for one in cards), default=0),
            max((one.cores for one in cards), default=0),
        )
        if any(self._may_take(card) for card in cards):
            insort(self._turns, (self._score(number, cards), number))

    def _may_take(self, card: FreeGpu) -> bool:
        if card.slots <= 0:
            return False
        if self._fresh and card.untouched:
            return True
        return any(card.cores >= cores and card.memory_mib >= mib for cores, mib in self._least)

    def _score(self, number: int, cards: Cards) -> int:
        """Lower ones are tried first."""
        if self._how is Pick.FIRST:
            return number
        if self._how is Pick.FEWEST_PODS:
            return self._pods[number]
        free = sum(card.cores * self._card_mib + card.memory_mib * PERCENT for card in cards)
        return free if self._how is Pick.FULLEST else -free


def _need(every: Sequence[Asks]) -> tuple[int, int]:
    """MiB and percent that one card needs at the least for a pod, whichever of these it requests there."""
    return (
        min((max((one.memory_mib or 0 for one in asks), default=0) for asks in every), default=0),
        min((max((one.cores for one in asks), default=0) for asks in every), default=0),
    )


def smallest(asks: Iterable[ContainerRequest]) -> list[tuple[int, int]]:
    """The smallest requests: no other one needs less of both."""
    found: list[tuple[int, int]] = []
    for cores, memory in sorted({(a.cores, a.memory_mib or 0) for a in asks if not a.fresh}):
        if not found or memory < found[-1][1]:
            found.append((cores, memory))
    return found


def _card_order(how: Pick, card_mib: int) -> CardOrder:
    """The order in which the cards of a node are tried."""

    def free(card: tuple[int, int, int, int]) -> int:
        return card[0] * PERCENT + card[1] * card_mib

    if how is Pick.FULLEST:
        return lambda card: (free(card), card[-1])
    if how is Pick.EMPTIEST:
        return lambda card: (-free(card), card[-1])
    return lambda card: card[-1]


# Best-fit decreasing: each pod on the tightest node that takes it, large pods first.
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


TIGHTEST = Scheduling(Pick.FULLEST, Pick.FULLEST)
FIRST_FIT = Scheduling(Pick.FIRST, Pick.FULLEST)


def best_fit(bins: Sequence[Bin], kinds: Sequence[int]) -> tuple[list[BinPlacement], list[int]]:
    """Each pod on the fullest node that takes it; and the kinds of the pods left over."""
    if not bins:
        return [], list(kinds)
    asks = {
        kind: next((asks for one in bins if (asks := one.admits[kind]) is not None), ())
        for kind in set(kinds)
    }
    card_mib = max((card.memory_mib for one in bins for card in one.cards), default=0)
    return fill(Nodes(bins, TIGHTEST, card_mib), asks, Counter(kinds), by_memory)


def fill(
    nodes: Nodes, asks: Mapping[int, Asks], counts: Mapping[int, int], order: Order
) -> tuple[list[BinPlacement], list[int]]:
    """Large pods first; those that go with all others come last, into what those have left."""
    placements: list[BinPlacement] = []
    left: list[int] = []
    for kind in sorted(counts, key=lambda kind: (_common(asks[kind]), order(asks[kind])), reverse=True):
        for waiting in range(counts[kind], 0, -1):
            placement = nodes.take(kind)
            if placement is None:
                left += [kind] * waiting
                break
            placements.append(placement)
    return placements, left


def _common(asks: Asks) -> tuple[str, tuple[str, ...]]:
    """The pool and the modes of a pod."""
    return asks[0].pool if asks else ANY, tuple(sorted({one.mode for one in asks} - {ANY}, reverse=True))


# Why the cards of a node do not take a container, in a sentence.
def shortage(cards: Sequence[FreeGpu], ask: ContainerRequest, able: int) -> str:
    """What is missing; ``able``: how many of the cards take it."""
    if ask.whole and ask.mode != ANY:
        return msg("{count} of {what} requested, {free} free", count=ask.cards, what=ask.mode, free=able)
    if len(cards) < ask.cards:
        there = plural(len(cards), "{count} card", "{count} cards")
        return msg("{count} cards requested, it has {there}", count=ask.cards, there=there)
    if ask.whole or ask.memory_mib is None:
        wanted = plural(ask.cards, "{count} unused card", "{count} unused cards")
        return msg("{wanted} requested, {free} free", wanted=wanted, free=able)
    least: list[str] = []
    if sum(one.cores >= ask.cores for one in cards) < ask.cards:
        most = max(one.cores for one in cards)
        text = "compute: {asked} % of a card requested, at most {most} % free"
        least.append(msg(text, asked=ask.cores, most=most))
    if sum(one.memory_mib >= ask.memory_mib for one in cards) < ask.cards:
        most = max(one.memory_mib for one in cards)
        text = "memory: {asked} MiB of a card requested, at most {most} MiB free"
        least.append(msg(text, asked=ask.memory_mib, most=most))
    if sum(one.slots > 0 for one in cards) < ask.cards:
        least.append(msg("containers: its cards run as many as they can"))
    if least:
        return join_and(least, "{before}; {last}")
    if able < sum(one._replace(mode=ANY).takes(ask) for one in cards):
        return msg("its other cards run containers in another mode than {mode}", mode=ask.mode)
    both = msg("{cores} % and {memory} MiB", cores=ask.cores, memory=ask.memory_mib)
    if ask.cards == 1:
        return msg("no card has {both} free together", both=both)
    return msg("{able} of {count} cards have {both} free together", able=able, count=ask.cards, both=both)


# Whether pods fit on given nodes: best-fit, then an exact search of bounded length.
MOST_PODS = 200
"""More pods than this are packed by best-fit only."""


def pack(bins: Sequence[Bin], kinds: Sequence[int], steps: int = STEPS) -> list[BinPlacement] | None:
    """Places for all pods; None where they do not fit. Raises UndecidedError."""
    spots, left = best_fit(bins, kinds)
    if not left:
        return spots
    if any(not _alone(bins, kind) for kind in set(left)):
        return None
    asked, free = sums(bins, kinds)
    if any(one > there for one, there in zip(asked, free, strict=True)):
        return None
    return search(bins, kinds, Budget(steps))


Sums = tuple[int, int, int]
"""Percent, MiB, and containers on cards."""


def sums(bins: Sequence[Bin], kinds: Sequence[int]) -> tuple[Sums, Sums]:
    """What the pods request in all, at the least, and what is free on the nodes that take any of them."""
    each = [_least_work(bins, kind) for kind in range(max(kinds, default=-1) + 1)]
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


def _least_work(bins: Sequence[Bin], kind: int) -> Sums:
    found = [
        (
            max(sum(one.percent * one.cards for one in some) for some in phases(asks)),
            max(sum((one.memory_mib or 0) * one.cards for one in some) for some in phases(asks)),
            max(sum(one.cards for one in some) for some in phases(asks)),
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
    return any(first_way(cards, asks) is not None for cards, asks in asked)


def search(bins: Sequence[Bin], kinds: Sequence[int], budget: Budget) -> list[BinPlacement] | None:
    """Every place of every pod; equal nodes are tried once, and no state twice. Raises UndecidedError."""
    if len(kinds) > MOST_PODS:
        raise UndecidedError
    asked = {k: next((a for one in bins if (a := one.admits[k]) is not None), ()) for k in set(kinds)}
    ordered = sorted(kinds, key=lambda one: (by_memory(asked[one]), one), reverse=True)
    failed: set[tuple[int, tuple[tuple[int, Cards], ...]]] = set()
    classes: dict[tuple[Asks | None, ...], int] = {}
    class_of = [classes.setdefault(one.admits, len(classes)) for one in bins]

    def shape(number: int, cards: Cards) -> tuple[int, Cards]:
        return class_of[number], tuple(sorted(cards))

    def go(at: int, state: tuple[Cards, ...]) -> list[BinPlacement] | None:
        if at == len(ordered):
            return []
        key = (at, tuple(sorted(shape(n, cards) for n, cards in enumerate(state))))
        if key in failed:
            return None
        tried: set[tuple[int, Cards]] = set()
        for number, one in enumerate(bins):
            asks, alike = one.admits[ordered[at]], shape(number, state[number])
            if asks is None or alike in tried:
                continue
            tried.add(alike)
            for left, chosen in ways(state[number], asks, budget):
                rest = go(at + 1, (*state[:number], left, *state[number + 1 :]))
                if rest is not None:
                    return [BinPlacement(ordered[at], number, chosen), *rest]
        failed.add(key)
        return None

    return go(0, tuple(one.cards for one in bins))


# How many cards and nodes pods need at the least, whatever the packing.
# Each bound drops conditions of the problem, so that its answer is never above the best packing: it looks
# at one number at a time (compute, memory, containers), and lets a container on several cards go as
# several. What is left is bin packing in one dimension, for which Martello and Toth (Discrete Applied
# Mathematics 28, 1990) gave the bound L2. For a threshold K of at most half a card, what is larger than the
# card less K shares with nothing of K or more, and two things larger than half never meet: each of those
# takes a card, and what lies between K and a half goes into what the latter leave free, or takes further
# cards. The largest over all K counts; K = 0 is the sum of all sizes, rounded up. Before that, a card is
# cut to the largest sum of sizes that it holds: shares of 5 and 10 GiB use 20 of 22. Pools, modes and whole
# cards meet nowhere, so their bounds add up.
MOST_SIZES, LARGEST = 500, 4_000_000
"""With more different sizes, or larger cards, sums are not looked at."""
DIMENSIONS = ("compute", "memory", "containers")


class EmptyNode(NamedTuple):
    """An empty node of equal cards: their number, MiB of each, and the most containers on each."""

    cards: int
    memory_mib: int
    slots: int

    @classmethod
    def of(cls, cards: Cards) -> EmptyNode:
        return cls(len(cards), cards[0].memory_mib, cards[0].slots)

    @property
    def card(self) -> tuple[int, int, int]:
        """What one card has, by dimension."""
        return PERCENT, self.memory_mib, self.slots

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
            sizes = [(self.of_ask(one), one.cards) for one in phase]
            return sum(one[1] * cards for one, cards in sizes), sum(one[0] * cards for one, cards in sizes)

        return max(phases(asks), key=size)


class LowerBound(NamedTuple):
    """At least so many cards and nodes; ``by``: the dimension that the number of cards follows from."""

    cards: int
    nodes: int
    by: str


def lower_bound(node: EmptyNode, asks: Sequence[Asks], counts: Mapping[int, int]) -> LowerBound:
    """For pods by kind, an index of ``asks``, each of which fits an empty node."""
    pods = [(node.largest(asks[kind]), count) for kind, count in counts.items()]
    pools = _split(pods, lambda pod: pod[0].pool)
    together = _bound_of_pool(node, pods)
    if len(pools) > 1:
        apart = [_bound_of_pool(node, some) for some in pools]
        cards, nodes = sum(one.cards for one in apart), sum(one.nodes for one in apart)
        widest = max(apart, key=lambda one: one.cards)
        by = together.by if together.cards >= cards else widest.by
        return LowerBound(max(cards, together.cards), max(nodes, together.nodes), by)
    return together


Pods = Sequence[tuple[Asks, int]]
"""The requests of pods, and how many there are of each."""


def _split(pods: Pods, common: Callable[[Asks], str]) -> list[Pods]:
    """Groups that never meet; without the pods that go with all."""
    groups: dict[str, list[tuple[Asks, int]]] = {}
    for asks, count in pods:
        if common(asks) != ANY:
            groups.setdefault(common(asks), []).append((asks, count))
    return list(groups.values())


def _bound_of_pool(node: EmptyNode, pods: Pods) -> LowerBound:
    asks = [(ask, count * ask.cards) for some, count in pods for ask in some]
    cards, by = _cards(node, asks)
    return LowerBound(cards, max(-(-cards // node.cards), _nodes(node, pods)), by)


def _cards(node: EmptyNode, asks: Sequence[tuple[ContainerRequest, int]]) -> tuple[int, str]:
    """The bound on cards, and the dimension that it follows from."""
    alone = sum(count for ask, count in asks if node.of_ask(ask) == node.card)
    shared = [(ask, count) for ask, count in asks if node.of_ask(ask) != node.card]
    modes = _split([((ask,), count) for ask, count in shared], lambda pod: pod[0].mode)
    most, by = _flat(node, shared)
    if len(modes) > 1:
        apart = [_flat(node, [(pod[0], count) for pod, count in some]) for some in modes]
        if sum(one for one, _ in apart) > most:
            most, by = sum(one for one, _ in apart), max(apart)[1]
    most = max((most, *(ask.cards for ask, _ in shared)))  # those of one container are different ones
    return alone + most, by if most >= alone else "whole cards"


def _flat(node: EmptyNode, asks: Iterable[tuple[ContainerRequest, int]]) -> tuple[int, str]:
    sizes: tuple[Counter[int], Counter[int], Counter[int]] = (Counter(), Counter(), Counter())
    for ask, count in asks:
        for found, size in zip(sizes, node.of_ask(ask), strict=True):
            found[size] += count
    bounds = [
        0 if there >= UNLIMITED else one_dimension(found, there)
        for found, there in zip(sizes, node.card, strict=True)
    ]
    most = max(bounds)
    return most, DIMENSIONS[bounds.index(most)]


def _nodes(node: EmptyNode, pods: Pods) -> int:
    """Pods on nodes: the sums of what they take, and the cards of which they take more than half."""
    found = [0]
    for number, there in enumerate(node.card):
        if there >= UNLIMITED:
            continue
        sums: Counter[int] = Counter()
        large: Counter[int] = Counter()
        for asks, count in pods:
            each = [(node.of_ask(ask)[number], ask.cards) for ask in asks]
            sums[sum(size * cards for size, cards in each)] += count
            large[sum(cards for size, cards in each if 2 * size > there)] += count
        found += [one_dimension(sums, there * node.cards), one_dimension(large, node.cards)]
    return max(found)


def one_dimension(sizes: Mapping[int, int], there: int) -> int:
    """L2: the bins of size ``there`` that things of these sizes, none of them larger, need at least."""
    there = _largest_sum(sizes, there)
    if not there:
        return 0
    small = sorted((size, count) for size, count in sizes.items() if size > 0 and 2 * size <= there)
    large = sorted((size, count) for size, count in sizes.items() if 2 * size > there)
    every = sum(count for _, count in large)
    best = every
    # with a growing threshold, small things and the room beside large ones drop out
    rest = sum(size * count for size, count in small)
    room = sum((there - size) * count for size, count in large)
    at = len(large)
    for threshold, dropped in ((0, 0), *((size, size * count) for size, count in small)):
        while at and large[at - 1][0] > there - threshold:
            at -= 1
            size, count = large[at]
            room -= (there - size) * count
        best = max(best, every - (room - rest) // there)
        rest -= dropped
    return best


def _largest_sum(sizes: Iterable[int], there: int) -> int:
    """The largest sum of sizes up to ``there``, each as often as wanted: bit N stands for a sum of N."""
    distinct = sorted({size for size in sizes if size > 0})
    if len(distinct) > MOST_SIZES or there > LARGEST:
        return there if distinct else 0
    sums, mask = 1, (1 << (there + 1)) - 1
    for size in distinct:
        while size <= there:
            sums |= sums << size & mask
            size *= 2
    return sums.bit_length() - 1


# How many equal nodes pods need: best-fit decreasing, and a lower bound. First fewest nodes, then fewest
# cards of them. Nothing is said to be the least unless it equals the bound.
ORDERED = 5_000
"""With more pods, one order is tried."""


@record
class Fleet:
    """Pods on equal nodes.

    ``spots``: their places; ``unschedulable``: the kinds that no empty node takes, which are not counted.
    ``least``: the lower bound says so, and no packing has fewer nodes or cards; that is not known otherwise.
    """

    spots: tuple[BinPlacement, ...]
    state: tuple[Cards, ...]
    bound: LowerBound
    unschedulable: tuple[int, ...]
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
        return Fleet((), (), LowerBound(0, 0, ""), homeless, True)
    node = EmptyNode.of(empty)
    bound = lower_bound(node, asks, fitting)
    fleets: list[Fleet] = []
    for order, how in _orders(node, sum(fitting.values())):
        nodes = Nodes((), how, node.memory_mib, Bin(empty, tuple(asks)))
        placements, _ = fill(nodes, dict(enumerate(asks)), fitting, order)
        fleet = Fleet(tuple(placements), tuple(nodes.state), bound, homeless, False)
        if (fleet.nodes, fleet.cards) == (bound.nodes, bound.cards):
            return replace(fleet, least=True)
        fleets.append(fleet)
    return min(fleets, key=lambda fleet: (fleet.nodes, fleet.cards))


def _fits(empty: Cards, asks: Asks) -> bool:
    try:
        return first_way(empty, asks) is not None
    except UndecidedError:
        return False


def _orders(node: EmptyNode, pods: int) -> Sequence[tuple[Order, Scheduling]]:
    """Sizes of pods (by the larger part of a card, the sum of both, or either), each with orders of nodes."""

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

    orders = [*product((largest, summed, cores, memory), (FIRST_FIT, TIGHTEST))]
    return orders if pods <= ORDERED else orders[:1]
