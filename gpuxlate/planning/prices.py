"""The price of the nodes of a plan, divided among its workloads: exact, in the currency of the prices given.

A container holds of a card the larger of its parts of compute and memory, as EMR Serverless bills mGPU
(``backends.billing.part_of_card``, with its source).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from gpuxlate.backends.billing import part_of_card
from gpuxlate.model.declarations import Count, Printed, record
from gpuxlate.model.exact import Exact
from gpuxlate.planning.requests import Asks, ContainerRequest, phases

if TYPE_CHECKING:
    from gpuxlate.planning.loads import Load
    from gpuxlate.planning.plan import PlacedContainer, TargetPlan


def part_held(ask: ContainerRequest, card_mib: int) -> Fraction:
    """The part that a container holds of each of its cards, which have ``card_mib`` MiB."""
    if ask.whole or ask.alone or ask.memory_mib is None:
        return Fraction(1)
    return part_of_card(ask.cores, ask.memory_mib, card_mib)


def cards_held(asks: Asks, card_mib: int) -> Fraction:
    """Cards that the containers of one pod hold: the most at one time."""
    return max(
        sum((ask.cards * part_held(ask, card_mib) for ask in phase), Fraction(0)) for phase in phases(asks)
    )


@record
class WorkloadPrice(Printed):
    """The part of one workload."""

    workload: str
    """Namespace, kind and name of the object."""
    pods: Count
    """Pods that are packed."""
    cards: Exact
    """Cards that they hold, by the larger of compute and memory."""
    price: Exact
    """What these cost for an hour."""


@record
class PlanPrice(Printed):
    """The price of the nodes of a plan for an hour: the parts of the workloads and what is idle, less what is
    held twice."""

    per_card: Exact
    """The price of one card for an hour, as given."""
    nodes: Exact
    """The price of all nodes for an hour."""
    workloads: Sequence[WorkloadPrice]
    """The part of each workload."""
    idle: Exact
    """What nobody holds."""
    twice: Exact
    """What is in the parts of two containers: one holds most of the compute of a card, the other of its
    memory."""


def price_of_plan(plan: TargetPlan, per_card: Fraction) -> PlanPrice:
    """The price of the nodes for an hour, divided among the workloads. On each card a pod holds the most that
    it uses there at one time. ``per_card``: the price of one card for an hour."""
    held: dict[int, Fraction] = defaultdict(Fraction)
    idle = twice = Fraction(0)
    for card in (card for node in plan.held for card in node):
        in_all = Fraction(0)
        for load, asks in _pods_on(card):
            part = cards_held(asks, plan.node.usable_mib)
            held[id(load)] += part
            in_all += part
        idle += max(Fraction(0), 1 - in_all)
        twice += max(Fraction(0), in_all - 1)
    return PlanPrice(
        Exact.of(per_card),
        Exact.of(plan.fleet.nodes * plan.node.cards * per_card),
        [
            WorkloadPrice(load.name, load.pods, Exact.of(held[id(load)]), Exact.of(held[id(load)] * per_card))
            for load in plan.loads
            if id(load) in held
        ],
        Exact.of(idle * per_card),
        Exact.of(twice * per_card),
    )


def _pods_on(card: Sequence[PlacedContainer]) -> Iterator[tuple[Load, Asks]]:
    """The pods on a card, with what each of their containers requests of this one card."""
    of_pods: dict[int, list[PlacedContainer]] = defaultdict(list)
    for placed in card:
        of_pods[placed.pod].append(placed)
    for pod in of_pods.values():
        yield pod[0].load, tuple(replace(placed.ask, cards=1) for placed in pod)
