"""The records of ``plan -o json``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from gpuxlate.model.declarations import OMITTED, Count, Output, Positive, Printed, Sometimes, record
from gpuxlate.planning.plan import PlacedContainer, Rounding, TargetPlan, Utilization, in_use
from gpuxlate.planning.prices import PlanPrice
from gpuxlate.planning.remarks import remarks
from gpuxlate.planning.schedule import PrintedSchedule, Schedule
from gpuxlate.planning.suggestions import Suggestion
from gpuxlate.translation.items import Item
from gpuxlate.translation.leftovers import Leftover


@record
class HeldContainer(Printed):
    """One container on a card."""

    workload: str
    """Namespace, kind and name of the object."""
    container: str
    """The container."""
    part: str | None
    """The part of a card that it is; null for numbers."""
    cores: Count
    """Compute in percent of one card."""
    memory_mib: Count
    """Memory in MiB."""
    whole: bool
    """It has the whole card."""
    init: Sometimes[bool]
    """It ends before the containers start: the card has room for the larger of both."""


@record
class PlannedCard(Printed):
    """One card and what is on it."""

    cores: Count
    """Compute in percent of one card."""
    memory_mib: Count
    """Memory in MiB."""
    held: Sequence[HeldContainer]
    """The containers on the card."""


@record
class PlannedNode(Printed):
    """One node."""

    cards: Sequence[PlannedCard]
    """Its cards."""


@record
class NodeOfProfile(Printed):
    """The nodes, by the profile."""

    model: str | None
    """Card model."""
    cards: Positive
    """Cards of a node."""
    memory_mib: Positive
    """MiB of a card."""
    usable_mib: Count
    """MiB of a card in whole units of the target."""
    shares_per_card: int | None
    """The most shares on a card; null: no document has one."""


@record
class NoPackingBelow(Printed):
    """No packing has fewer."""

    cards: Count
    """Cards."""
    nodes: Count
    """Nodes."""


@record
class Use(Printed):
    """Compute in percent of a card, and memory."""

    cores: Utilization
    """Compute, in percent of one card."""
    memory_mib: Utilization
    """Memory, in MiB."""


@record
class RoundingCosts(Printed):
    """What the target rounds."""

    cards: Count
    """Cards that only rounding needs."""
    values: Sequence[Rounding]
    """The values."""


@record
class NotPacked(Printed):
    """Pods that are not packed."""

    workload: str
    """Namespace, kind and name of the object."""
    file: str
    """The file."""
    pods: Count
    """How many."""
    reason: str
    """Why."""


@record
class PrintedPlan(Printed):
    """One target."""

    target: str
    """Name of the target."""
    node: NodeOfProfile
    """The nodes, by the profile."""
    pods: Count
    """Pods that are packed."""
    shares: Count
    """Containers with a share that are packed."""
    cards: Count
    """Cards that run something."""
    nodes: Count
    """Nodes."""
    lower_bound: NoPackingBelow
    """No packing has fewer."""
    proved: bool
    """No packing has fewer nodes, nor fewer cards on so many nodes."""
    binds: str | None
    """What the bound on cards follows from, such as memory."""
    use: Use
    """Compute and memory of the cards that run something."""
    rounding: RoundingCosts
    """What the target rounds."""
    better: Sequence[Suggestion]
    """Values that pack better, each alone."""
    refused: Sequence[Item]
    """Shares that are not packed."""
    nowhere: Sequence[NotPacked]
    """Pods that fit no empty node, or of which nothing says how many fit."""
    remarks: Sequence[str]
    """What the numbers mean, in sentences."""
    unclear: Sequence[str]
    """Workloads whose number of pods depends on the cluster."""
    leftovers: Sequence[Leftover]
    """What is not translated of the source."""
    layout: Sequence[PlannedNode]
    """The nodes."""
    scheduled: Sometimes[PrintedSchedule]
    """What its scheduler makes of the pods. With --as scheduled."""
    price: Sometimes[PlanPrice]
    """What the nodes cost for an hour, and whose it is. Where the card has a price."""


@record
class Uncounted(Printed):
    """Whole cards of no dialect, which are not in the plan."""

    file: str | None
    """The file."""
    line: Positive | None
    """Line, from 1."""
    message: str
    """What they are."""


@record
class PlanOutput(Output):
    """What plan -o json prints."""

    KIND: ClassVar[str] = "plan"
    targets: Sequence[PrintedPlan]
    """The targets, in the order of --to."""
    before: Sequence[PrintedPlan]
    """The same shares in the dialects they are written for, by profile."""
    uncounted: Sequence[Uncounted]
    """What is not counted."""


def printed_target_plan(
    plan: TargetPlan,
    better: Sequence[Suggestion] = (),
    leftovers: Sequence[Leftover] = (),
    scheduled: Schedule | None = None,
    price: PlanPrice | None = None,
) -> PrintedPlan:
    """The plan of one target as the record that is printed; ``better``: suggestions, ``leftovers``: keys that
    are not translated there."""
    node, fleet = plan.node, plan.fleet
    nowhere = [
        NotPacked(unplaced.load.name, unplaced.load.items[0].file, unplaced.load.pods, unplaced.reason)
        for unplaced in plan.nowhere
    ]
    layout = [PlannedNode([_card(card, node.usable_mib) for card in cards]) for cards in plan.held]
    return PrintedPlan(
        plan.backend.name,
        NodeOfProfile(node.model, node.cards, node.memory_mib, node.usable_mib, node.per_card),
        plan.pods,
        plan.shares,
        fleet.cards,
        fleet.nodes,
        NoPackingBelow(fleet.bound.cards, fleet.bound.nodes),
        fleet.least,
        fleet.bound.by or None,
        Use(plan.use["cores"], plan.use["memoryMiB"]),
        RoundingCosts(plan.for_rounding, plan.roundings),
        better,
        plan.refused,
        nowhere,
        [*remarks(plan, better)],
        [load.name for load in plan.loads if load.count is None],
        leftovers,
        layout,
        scheduled.printed() if scheduled else OMITTED,
        price or OMITTED,
    )


def _card(card: Sequence[PlacedContainer], usable_mib: int) -> PlannedCard:
    held = [
        HeldContainer(
            placed.load.name,
            placed.container,
            placed.part or None,
            placed.ask.percent,
            usable_mib if placed.ask.memory_mib is None else placed.ask.memory_mib,
            placed.ask.whole,
            placed.ask.ends or OMITTED,
        )
        for placed in card
    ]
    cores, memory_mib = in_use(card, usable_mib)
    return PlannedCard(cores, memory_mib, held)
