"""The pods of a plan placed as a scheduler does it: one at a time, in the order of the manifests.

A packing looks at all pods before it places one; a scheduler takes those nodes that have room for the pod at
hand, and of these the one with the best score. So a cluster may need more nodes than the packing. Only GPUs
count here too, and ties go to the first node, which a scheduler breaks at random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from gpuxlate.backends.scheduling_limits import ANY_MODE, Pick, Scheduling
from gpuxlate.model.declarations import Count, Printed, record
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import Message, join_and, msg, plural
from gpuxlate.planning.filling import Bin, Nodes, Order, by_memory
from gpuxlate.planning.loads import Load
from gpuxlate.planning.placing import FreeCards, FreeGpu
from gpuxlate.planning.plan import PlacedContainer, TargetPlan
from gpuxlate.planning.remarks import nodes_text, pods_text
from gpuxlate.planning.requests import UNLIMITED, Asks, ContainerRequest, phases

UNDIVIDED = "undivided"
"""The mode of cards without partitions, on nodes whose partitions are made before pods come."""
MAX_NAMED_WORKLOADS = 3
"""Workloads that are named at most."""


@record
class WaitingPods(Printed):
    """Pods that wait on the nodes of the packing."""

    workload: str
    """Namespace, kind and name of the object."""
    file: str
    """The file."""
    pods: Count
    """How many."""


@record
class PrintedSchedule(Printed):
    """What the scheduler of a target makes of the pods, one at a time in the order of the manifests."""

    nodes: Count
    """Nodes that the cluster needs: those of the packing, and what is added for pods that wait."""
    waiting: Sequence[WaitingPods]
    """What waits."""
    waiting_largest_first: Count
    """Pods that wait where the largest are applied first."""
    picks_node: Pick
    """Of the nodes with room, which one."""
    picks_card: Pick
    """Of the cards with room, which one."""
    source: str | None
    """The document that says how it picks; null: none, as kube-scheduler."""
    remarks: Sequence[str]
    """What comes of it, in sentences."""


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
        """The nodes that the pods need: those of the packing, and those that were added."""
        return self.planned + self.added

    @property
    def waiting_count(self) -> int:
        """Pods that wait."""
        return sum(count for _, count in self.waiting)

    @property
    def short(self) -> Message:
        """The nodes that the cluster needs, and the pods that wait on those of the packing."""
        if not self.waiting:
            return nodes_text(self.nodes)
        return msg(
            "{nodes}; {pods} would wait", nodes=nodes_text(self.nodes), pods=pods_text(self.waiting_count)
        )

    def printed(self) -> PrintedSchedule:
        """The schedule as the record that is printed."""
        return PrintedSchedule(
            self.nodes,
            [WaitingPods(load.name, load.items[0].file, count) for load, count in self.waiting],
            self.largest_first,
            self.how.nodes,
            self.how.cards,
            self.how.source or None,
            [*self.remarks()],
        )

    def remarks(self) -> Iterator[Message]:
        """What the scheduler makes of the plan, one sentence a line."""
        if not self.waiting:
            yield msg("as scheduled: every pod runs on these nodes, in the order of the manifests")
        else:
            names = [
                msg("{name}: {count}", name=load.name, count=count)
                for load, count in self.waiting[:MAX_NAMED_WORKLOADS]
            ]
            if len(self.waiting) > MAX_NAMED_WORKLOADS:
                more = len(self.waiting) - MAX_NAMED_WORKLOADS
                names.append(plural(more, "{count} other workload", "{count} other workloads"))
            text = (
                "as scheduled: {left} of {pods} would wait on these nodes, in the order of the manifests "
                "({names}); the cluster needs {nodes}"
            )
            yield msg(
                text,
                left=self.waiting_count,
                pods=pods_text(self.pods),
                names=join_and(names),
                nodes=nodes_text(self.nodes),
            )
            if self.largest_first < self.waiting_count:
                text = "applied largest first, {pods} would wait"
                if not self.largest_first:
                    text = "applied largest first, every pod runs on these nodes"
                yield msg(text, pods=pods_text(self.largest_first))
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
    divided = _is_divided(plan)
    homeless = {id(unplaced.load) for unplaced in plan.nowhere}
    planned: dict[Asks, int] = {}
    queue = []
    for load, ask_index in zip(plan.loads, plan.ask_indexes, strict=True):
        if id(load) not in homeless and load.pods:
            asks = _requests_by_profile(load, plan.asks[ask_index]) if divided else plan.asks[ask_index]
            queue.append(_QueuedPods(load, ask_index, planned.setdefault(asks, len(planned))))
    admits = tuple(planned)
    bins = [Bin(cards, admits) for cards in _empty_nodes(plan, divided)]
    waiting = _place(plan, bins, queue)
    added = Nodes((), plan.backend.scheduling, plan.node.usable_mib, Bin(plan.node.empty, plan.asks))
    for queued, count in waiting:
        for _ in range(count):
            added.take(queued.ask_index)
    largest_first = 0
    if waiting:
        size: Order = by_memory
        queue.sort(key=lambda queued: size(plan.asks[queued.ask_index]), reverse=True)
        largest_first = sum(count for _, count in _place(plan, bins, queue))
    return Schedule(
        plan.backend.scheduling,
        plan.fleet.nodes,
        plan.pods,
        tuple((queued.load, count) for queued, count in waiting),
        len(added.state),
        largest_first,
        divided,
    )


@record
class _QueuedPods:
    """The pods of one template. ``ask_index``: by what each requests, ``planned``: of the planned nodes."""

    load: Load
    ask_index: int
    planned: int


def _place(
    plan: TargetPlan, bins: Sequence[Bin], queue: Iterable[_QueuedPods]
) -> list[tuple[_QueuedPods, int]]:
    """The pods that no node takes."""
    nodes = Nodes(bins, plan.backend.scheduling, plan.node.usable_mib)
    waiting = []
    for queued in queue:
        unplaced = queued.load.pods
        while unplaced and nodes.take(queued.planned):
            unplaced -= 1
        if unplaced:
            waiting.append((queued, unplaced))
    return waiting


# Partitions of several profiles on a card have fixed places, so they are made before pods come, and a node
# counts those of each profile: the device plugin as resources, the DRA driver as devices.
def _is_divided(plan: TargetPlan) -> bool:
    """A pod has a partition, on nodes whose cards are not all divided alike."""
    return any(
        load.shares[ask.index].partition and ask.pool == ANY_MODE
        for load, ask_index in zip(plan.loads, plan.ask_indexes, strict=True)
        for ask in plan.asks[ask_index]
    )


def _empty_nodes(plan: TargetPlan, divided: bool) -> Iterator[FreeCards]:
    """The planned nodes without pods. Nodes whose pods never mix with others already have the pool of their
    pods, and cards that are divided already have their partitions."""
    for free_cards, held in zip(plan.fleet.state, plan.held, strict=True):
        if divided:
            yield tuple(
                part
                for card, empty in zip(held, plan.node.empty, strict=True)
                for part in _parts(card, empty)
            )
        else:
            yield tuple(card._replace(pool=free_cards[0].pool) for card in plan.node.empty)


def _parts(card: Sequence[PlacedContainer], empty: FreeGpu) -> Iterator[FreeGpu]:
    """The partitions of a card, or the card where it has none."""
    counts: Counter[str] = Counter()
    by_pod: dict[int, list[PlacedContainer]] = {}
    for placed_container in card:
        by_pod.setdefault(placed_container.pod, []).append(placed_container)
    for placed in by_pod.values():
        names = {
            placed_container.ask: _partition_profile(placed_container.load, placed_container.ask)
            for placed_container in placed
        }
        largest: Counter[str] = Counter()
        for phase in phases(tuple(placed_container.ask for placed_container in placed)):
            largest |= Counter(names[ask] for ask in phase)
        counts += largest
    del counts[UNDIVIDED]
    for name, count in sorted(counts.items()):
        yield from [FreeGpu(FULL_CARD_CORES, 0, UNLIMITED, True, name)] * count
    if not counts:
        yield empty._replace(mode=UNDIVIDED)


def _requests_by_profile(load: Load, asks: Asks) -> Asks:
    """The requests of a pod as nodes count them that count partitions by name."""
    requests: list[ContainerRequest] = []
    for ask, count in Counter(asks).items():
        name = _partition_profile(load, ask)
        if name == UNDIVIDED:
            requests += [replace(ask, mode=name)] * count
        else:
            request = ContainerRequest("", ask.init, ask.index, count, whole=True, mode=name, ends=ask.ends)
            requests.append(request)
    return tuple(requests)


def _partition_profile(load: Load, ask: ContainerRequest) -> str:
    """The profile of a partition."""
    partition = load.shares[ask.index].partition
    return partition.profile if partition else UNDIVIDED
