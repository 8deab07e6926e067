"""The pods of a plan placed as a scheduler does it: one at a time, in the order of the manifests.

A packing looks at all pods before it places one; a scheduler takes those nodes that have room for the pod at
hand, and of these the one with the best score. So a cluster may need more nodes than the packing. Only GPUs
count here too, and ties go to the first node, which a scheduler breaks at random.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from gpuxlate.backends.limits import ANY, Pick, Scheduling
from gpuxlate.backends.live import PERCENT
from gpuxlate.model.declarations import record
from gpuxlate.model.messages import Message, join_and, msg, plural
from gpuxlate.planning.demand import Load
from gpuxlate.planning.packing import (
    UNLIMITED,
    Asks,
    CardOrder,
    Cards,
    Chosen,
    ContainerRequest,
    FreeGpu,
    Order,
    UndecidedError,
    by_memory,
    first_way,
    phases,
)
from gpuxlate.planning.plan import PlacedContainer, TargetPlan, nodes, pods, smallest

UNDIVIDED = "undivided"
"""The mode of cards without partitions, on nodes whose partitions are made before pods come."""
SHOWN = 3
"""Workloads that are named at most."""


@record
class Schedule:
    """What a scheduler makes of the pods of a plan.

    ``waiting``: pods that none of the planned nodes takes when their turn comes, by workload; ``added``:
    nodes that they need beside these; ``largest_first``: pods that wait where the largest are applied first.
    ``divided``: cards have partitions of several kinds, which are made before pods come.
    """

    how: Scheduling
    planned: int
    pods: int
    waiting: tuple[tuple[Load, int], ...]
    added: int
    largest_first: int
    divided: bool

    @property
    def nodes(self) -> int:
        return self.planned + self.added

    @property
    def left(self) -> int:
        """Pods that wait."""
        return sum(count for _, count in self.waiting)

    @property
    def short(self) -> Message:
        """The nodes that the cluster needs, and the pods that wait on those of the packing."""
        if not self.waiting:
            return nodes(self.nodes)
        return msg("{nodes}; {pods} would wait", nodes=nodes(self.nodes), pods=pods(self.left))

    def to_json(self) -> dict[str, Any]:
        return {
            "nodes": self.nodes,
            "waiting": [
                {"workload": load.name, "file": load.items[0].file, "pods": count}
                for load, count in self.waiting
            ],
            "waitingLargestFirst": self.largest_first,
            "picksNode": self.how.nodes.value,
            "picksCard": self.how.cards.value,
            "source": self.how.source or None,
            "remarks": list(self.remarks()),
        }

    def remarks(self) -> Iterator[Message]:
        """What comes of it, one sentence a line."""
        if not self.waiting:
            yield msg("as scheduled: every pod runs on these nodes, in the order of the manifests")
        else:
            names = [
                msg("{name}: {count}", name=load.name, count=count) for load, count in self.waiting[:SHOWN]
            ]
            if len(self.waiting) > SHOWN:
                more = len(self.waiting) - SHOWN
                names.append(plural(more, "{count} other workload", "{count} other workloads"))
            text = (
                "as scheduled: {left} of {pods} would wait on these nodes, in the order of the manifests "
                "({names}); the cluster needs {nodes}"
            )
            yield msg(
                text, left=self.left, pods=pods(self.pods), names=join_and(names), nodes=nodes(self.nodes)
            )
            if self.largest_first < self.left:
                text = "applied largest first, {pods} would wait"
                if not self.largest_first:
                    text = "applied largest first, every pod runs on these nodes"
                yield msg(text, pods=pods(self.largest_first))
        if self.divided:
            yield msg("its partitions are made as the packing has them, before pods come")
        text = "its scheduler picks {nodes}, and {cards}"
        if not self.how.source:
            text = "no document says what its scheduler picks: as kube-scheduler, {nodes}, and {cards}"
        yield msg(text, nodes=msg(NODE_PICKS[self.how.nodes]), cards=msg(CARD_PICKS[self.how.cards]))


NODE_PICKS = {
    Pick.FULLEST: "the fullest node",
    Pick.EMPTIEST: "the emptiest node",
    Pick.FEWEST_PODS: "the node with the fewest of these pods",
}
CARD_PICKS = {
    Pick.FULLEST: "the fullest card",
    Pick.EMPTIEST: "the emptiest card",
    Pick.FIRST: "the first card with room",
}


def schedule(plan: TargetPlan) -> Schedule:
    """Place the pods of a plan on its nodes, and on nodes that are added for those that wait."""
    how, divided = plan.backend.scheduling, _is_divided(plan)
    start = [*_before(plan, divided)]
    homeless = {id(one.load) for one in plan.nowhere}
    queue = [
        _Turn(load, plan.asks[kind], _by_name(load, plan.asks[kind]) if divided else plan.asks[kind])
        for load, kind in zip(plan.loads, plan.kinds, strict=True)
        if id(load) not in homeless and load.pods
    ]
    waiting = _place(Nodes(start, how, plan.node.usable_mib, (turn.planned for turn in queue)), queue)
    added = _added(plan, how, waiting)
    largest_first = 0
    if waiting:
        size: Order = by_memory
        queue.sort(key=lambda turn: size(turn.asks), reverse=True)
        again = _place(Nodes(start, how, plan.node.usable_mib, (turn.planned for turn in queue)), queue)
        largest_first = sum(count for _, count in again)
    return Schedule(
        how,
        plan.fleet.nodes,
        plan.pods,
        tuple((turn.load, count) for turn, count in waiting),
        added,
        largest_first,
        divided,
    )


@record
class _Turn:
    """The pods of one template, what each requests, and what it requests of the planned nodes."""

    load: Load
    asks: Asks
    planned: Asks


def _place(there: Nodes, queue: Iterable[_Turn]) -> list[tuple[_Turn, int]]:
    """The pods that no node takes."""
    waiting = []
    for turn in queue:
        left = turn.load.pods
        while left and there.take(turn.planned):
            left -= 1
        if left:
            waiting.append((turn, left))
    return waiting


def _added(plan: TargetPlan, how: Scheduling, waiting: Sequence[tuple[_Turn, int]]) -> int:
    """Empty nodes that are added one by one, whenever none takes a pod."""
    there = Nodes((), how, plan.node.usable_mib, (turn.asks for turn, _ in waiting))
    for turn, count in waiting:
        for _ in range(count):
            if not there.take(turn.asks):
                there.add(plan.node.empty)
                there.take(turn.asks)
    return len(there.state)


class Nodes:
    """Nodes in the order in which a scheduler tries them for the next pod, without those that are full."""

    def __init__(self, state: Iterable[Cards], how: Scheduling, card_mib: int, kinds: Iterable[Asks]) -> None:
        self.state: list[Cards] = []
        self._how, self._card_mib, self._order = how.nodes, card_mib, _order(how.cards, card_mib)
        every = {one for asks in kinds for one in asks}
        self._least, self._fresh = smallest(every), any(one.fresh for one in every)
        self._turns: list[tuple[int, int]] = []
        self._most: dict[int, tuple[int, int]] = {}  # MiB and percent that are free on one of its cards
        self._pods: Counter[int] = Counter()
        self._refused: dict[Asks, set[int]] = {}
        for cards in state:
            self.add(cards)

    def add(self, cards: Cards) -> None:
        self.state.append(cards)
        self._enter(len(self.state) - 1)

    def take(self, asks: Asks) -> tuple[int, Chosen] | None:
        """Place a pod: its node, and the cards of its containers; None where no node has room.

        What refuses one pod of a kind refuses the next: room only becomes less.
        """
        refused = self._refused.setdefault(asks, set())
        mib, percent = max(one.memory_mib or 0 for one in asks), max(one.cores for one in asks)
        for at, (_, number) in enumerate(self._turns):
            most_mib, most_percent = self._most[number]
            if most_mib < mib or most_percent < percent or number in refused:
                continue
            try:
                found = first_way(self.state[number], asks, self._order)
            except UndecidedError:
                found = None
            if found is not None:
                del self._turns[at]
                self.state[number] = found[0]
                self._pods[number] += 1
                self._enter(number)
                return number, found[1]
            refused.add(number)
        return None

    def _enter(self, number: int) -> None:
        cards = self.state[number]
        self._most[number] = max(one.memory_mib for one in cards), max(one.cores for one in cards)
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
        if self._how is Pick.FEWEST_PODS:
            return self._pods[number]
        free = sum(card.cores * self._card_mib + card.memory_mib * PERCENT for card in cards)
        return free if self._how is Pick.FULLEST else -free


def _order(how: Pick, card_mib: int) -> CardOrder:
    """The order in which a scheduler tries the cards of a node."""

    def free(card: tuple[int, int, int, int]) -> int:
        return card[0] * PERCENT + card[1] * card_mib

    if how is Pick.FULLEST:
        return lambda card: (free(card), card[-1])
    if how is Pick.EMPTIEST:
        return lambda card: (-free(card), card[-1])
    return lambda card: card[-1]


# Partitions of several profiles on a card have fixed places, so they are made before pods come, and a node
# counts those of each profile: the device plugin as resources, the DRA driver as devices.
def _is_divided(plan: TargetPlan) -> bool:
    """A pod has a partition, on nodes whose cards are not all divided alike."""
    return any(
        load.given[ask.index].partition and ask.pool == ANY
        for load, kind in zip(plan.loads, plan.kinds, strict=True)
        for ask in plan.asks[kind]
    )


def _before(plan: TargetPlan, divided: bool) -> Iterator[Cards]:
    """The planned nodes before any pod is there. Those whose pods never mix are of their kind already."""
    for there, held in zip(plan.fleet.state, plan.held, strict=True):
        if divided:
            yield tuple(
                part
                for card, empty in zip(held, plan.node.empty, strict=True)
                for part in _parts(card, empty)
            )
        else:
            yield tuple(one._replace(pool=there[0].pool) for one in plan.node.empty)


def _parts(card: Sequence[PlacedContainer], empty: FreeGpu) -> Iterator[FreeGpu]:
    """The partitions of a card, or the card where it has none."""
    found: Counter[str] = Counter()
    by_pod: dict[int, list[PlacedContainer]] = {}
    for one in card:
        by_pod.setdefault(one.pod, []).append(one)
    for placed in by_pod.values():
        names = {one.ask: _profile(one.load, one.ask) for one in placed}
        most: Counter[str] = Counter()
        for phase in phases(tuple(one.ask for one in placed)):
            most |= Counter(names[ask] for ask in phase)
        found += most
    del found[UNDIVIDED]
    for name, count in sorted(found.items()):
        yield from [FreeGpu(PERCENT, 0, UNLIMITED, True, name)] * count
    if not found:
        yield empty._replace(mode=UNDIVIDED)


def _by_name(load: Load, asks: Asks) -> Asks:
    """The same of nodes that count partitions."""
    found: list[ContainerRequest] = []
    for ask, count in Counter(asks).items():
        name = _profile(load, ask)
        if name == UNDIVIDED:
            found += [replace(ask, mode=name)] * count
        else:
            one = ContainerRequest("", ask.init, ask.index, count, whole=True, mode=name, ends=ask.ends)
            found.append(one)
    return tuple(found)


def _profile(load: Load, ask: ContainerRequest) -> str:
    """The profile of a partition."""
    partition = load.given[ask.index].partition
    return partition.profile if partition else UNDIVIDED
