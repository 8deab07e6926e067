"""Whether pods still fit on the nodes, and if not, what is missing.

Only GPUs are considered: CPU, memory of the node and taints are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum

from gpuxlate.backends.cluster_nodes import NodeOffer
from gpuxlate.backends.scheduling_limits import ANY_MODE
from gpuxlate.model.declarations import Count, Printed, record
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import msg, plural
from gpuxlate.planning.filling import Bin, BinPlacement, best_fit
from gpuxlate.planning.ledger import GpuUsage, asks_of, open_ledger
from gpuxlate.planning.nodes import GpuNode, comma_list
from gpuxlate.planning.placing import FreeGpu, UndecidedError, explain_shortage, first_placement
from gpuxlate.planning.problem import PackingProblem, PodDemand, build_problem
from gpuxlate.planning.requests import UNLIMITED
from gpuxlate.planning.search import place_all, sum_demand_and_free


class CapacityAnswer(StrEnum):
    """The answer, as the JSON format has it."""

    FITS = "fits"
    NOT = "does not fit"
    UNKNOWN = "cannot be told"


@record
class ContainerPlacement(Printed):
    """The cards of one container."""

    container: str
    """Name of the container."""
    cards: tuple[int, ...]
    """The cards by index; none for whole cards."""


@record
class PodPlacement(Printed):
    """The place of one pod."""

    pod: str
    """Name of the pod."""
    node: str
    """Name of its node."""
    containers: tuple[ContainerPlacement, ...]
    """Its containers."""


@record
class Answer(Printed):
    """Whether the pods fit, why not, and their places."""

    verdict: CapacityAnswer
    """The answer."""
    pods: Count
    """Pods that are asked for."""
    pods_that_fit: Count
    """Pods that best-fit places."""
    reasons: tuple[str, ...] = ()
    """Why they do not fit, or why it cannot be told."""
    warnings: tuple[str, ...] = ()
    """What the answer does not consider."""
    places: tuple[PodPlacement, ...] = ()
    """A place for each pod, where they fit."""


def fits(usage: GpuUsage, demands: Sequence[PodDemand], unclear: Sequence[str] = ()) -> Answer:
    """Whether all pods fit beside those that run. ``unclear``: what is not known of the pods."""
    problem = build_problem(usage, demands)
    ask_indexes = problem.ask_indexes
    sure = [
        _close(node_bin) if number in problem.unknown else node_bin
        for number, node_bin in enumerate(problem.bins)
    ]
    warnings = tuple(_warnings(usage, demands))
    undecided = False
    placements = None
    try:
        placements = place_all(sure, ask_indexes)
    except UndecidedError:
        undecided = True
    if placements is not None:
        places = tuple(_pod_placements(problem, placements))
        warnings = (*warnings, *_crowded_cards(problem, placements), *_part_notes(problem, placements))
        verdict = CapacityAnswer.UNKNOWN if unclear else CapacityAnswer.FITS
        return Answer(verdict, len(ask_indexes), len(ask_indexes), tuple(unclear), warnings, places)
    fitting = len(best_fit(sure, ask_indexes)[0])
    unsure = tuple(_doubts(problem, undecided))
    if unsure:
        return Answer(CapacityAnswer.UNKNOWN, len(ask_indexes), fitting, (*unsure, *unclear), warnings)
    return Answer(CapacityAnswer.NOT, len(ask_indexes), fitting, tuple(_shortages(problem)), warnings)


def _close(node_bin: Bin) -> Bin:
    """The node as one that takes no pod."""
    return Bin(node_bin.cards, tuple(None for _ in node_bin.admits))


TOO_MANY_PLACEMENTS = msg(
    "there are too many placements to try all of them, and best-fit does not place all pods"
)


def _doubts(problem: PackingProblem, undecided: bool) -> Iterator[str]:
    """Why the pods may still fit: on a node whose use is not known, or by a placement that was not tried."""
    best = [Bin(_best_case(problem, number), node_bin.admits) for number, node_bin in enumerate(problem.bins)]
    try:
        if place_all(best, problem.ask_indexes) is None:
            return
    except UndecidedError:
        undecided = True
    if undecided:
        yield TOO_MANY_PLACEMENTS
    for number, reason in problem.unknown.items():
        if any(asks is not None for asks in problem.bins[number].admits):
            yield msg("{node}: {why}", node=problem.ledgers[number].node.name, why=reason)


def _best_case(problem: PackingProblem, number: int) -> tuple[FreeGpu, ...]:
    """The most that can be free on each card of a node: never more than is free on the whole node."""
    ledger, cards = problem.ledgers[number], problem.bins[number].cards
    if number not in problem.unknown:
        return cards
    if ledger.view.cards is None:
        whole = ledger.memory_free or 0
        return tuple(FreeGpu(FULL_CARD_CORES, whole, UNLIMITED, True) for _ in range(16))
    cores, memory = ledger.cores_free, ledger.memory_free
    return tuple(
        FreeGpu(
            card.cores if cores is None else min(card.cores, cores),
            card.memory_mib if memory is None else min(card.memory_mib, memory),
            card.slots,
            card.untouched,
        )
        for card in cards
    )


def _pod_placements(problem: PackingProblem, placements: Sequence[BinPlacement]) -> Iterator[PodPlacement]:
    numbers: dict[int, int] = {}
    for placement in sorted(
        placements, key=lambda placement: (placement.ask_index, placement.bin, placement.cards)
    ):
        demand, ledger = problem.demands[placement.ask_index], problem.ledgers[placement.bin]
        asks = problem.bins[placement.bin].admits[placement.ask_index] or ()
        numbers[placement.ask_index] = number = numbers.get(placement.ask_index, 0) + 1
        shared = ledger.view.serves is NodeOffer.SHARES
        cards = zip(asks, placement.cards, strict=True) if shared else ()
        containers = tuple(ContainerPlacement(ask.container, chosen) for ask, chosen in cards)
        name = demand.name if demand.count == 1 else f"{demand.name} #{number}"
        yield PodPlacement(name, ledger.node.name, containers)


# --- warnings -------------------------------------------------------------------------------------
def _warnings(usage: GpuUsage, demands: Sequence[PodDemand]) -> Iterator[str]:
    if usage.waiting:
        yield plural(
            usage.waiting,
            "{count} pod waits for a node and may be scheduled first",
            "{count} pods wait for a node and may be scheduled first",
        )
    for demand in demands:
        if demand.backend is None:
            continue
        for ledger in usage.ledgers.values():
            if ledger.node.backend is demand.backend and ledger.view.serves is NodeOffer.SHARES:
                if any(ask.offline for ask in asks_of(demand.keys, demand.backend, ledger.view)[0]):
                    text = "{name}: offline compute is not allocated; only its memory is counted"
                    yield msg(text, name=demand.name)
                break


def _crowded_cards(problem: PackingProblem, placements: Sequence[BinPlacement]) -> Iterator[str]:
    """Cards with more containers than the largest of the documented limits, which disagree."""
    added: dict[tuple[int, int], int] = {}
    for placement in placements:
        for index in (index for chosen in placement.cards for index in chosen):
            added[placement.bin, index] = added.get((placement.bin, index), 0) + 1
    for (number, index), more in sorted(added.items()):
        ledger = problem.ledgers[number]
        limits = ledger.node.backend.limits if ledger.node.backend else None
        if ledger.view.serves is not NodeOffer.SHARES or limits is None:
            continue
        if limits.per_card is None or limits.certain:
            continue
        count = more + len(ledger.cards[index].held)
        if count > limits.per_card:
            yield msg(
                "card {card} of {node} would hold {count} containers; the largest documented limit is {most}",
                card=index,
                node=ledger.node.name,
                count=count,
                most=limits.per_card,
            )


def _part_notes(problem: PackingProblem, placements: Sequence[BinPlacement]) -> Iterator[str]:
    """Pods that request cards by a resource that counts parts of cards on their node."""
    warnings = set()
    for placement in placements:
        view, demand = problem.ledgers[placement.bin].view, problem.demands[placement.ask_index]
        modes = {ask.mode for ask in problem.bins[placement.bin].admits[placement.ask_index] or ()}
        for row in view.parts:
            if demand.backend is None and row.is_part and row.key in modes:
                text = "{pod}: {key} is {part} on {target} nodes, not a whole card"
                warnings.add(msg(text, pod=demand.name, key=row.key, part=row.name, target=view.target))
    yield from sorted(warnings)


# --- what is missing ------------------------------------------------------------------------------
def _shortages(problem: PackingProblem) -> Iterator[str]:
    """Why the pods do not fit: the pods that no node takes, else what all nodes together lack."""
    alone = True
    for ask_index, demand in enumerate(problem.demands):
        reasons = reasons_by_node(problem, ask_index)
        if not reasons:
            yield msg("{name}: there is no GPU node", name=demand.name)
            alone = False
        elif all(reasons.values()):
            alone = False
            grouped: dict[str, list[str]] = {}
            for number, reason in reasons.items():
                grouped.setdefault(reason or "", []).append(problem.ledgers[number].node.name)
            for reason, names in grouped.items():
                yield msg("{name}: {nodes}: {why}", name=demand.name, nodes=comma_list(names), why=reason)
    if alone:
        yield from _shortages_in_all(problem)


def reasons_by_node(problem: PackingProblem, ask_index: int) -> dict[int, str | None]:
    """Why each node, by its number, has no room for one pod of these asks; None where it has."""
    return {number: _why_not(problem, ask_index, number) for number in range(len(problem.ledgers))}


def _why_not(problem: PackingProblem, ask_index: int, number: int) -> str | None:
    """Why one node has no room for one pod; None where it has, or the search ended at its limit."""
    if (ask_index, number) in problem.excluded:
        return problem.excluded[ask_index, number]
    node_bin = problem.bins[number]
    asks = node_bin.admits[ask_index] or ()
    try:
        if first_placement(node_bin.cards, asks) is not None:
            return None
    except UndecidedError:
        return None
    for ask in asks:
        able = sum(space.takes(ask) for space in node_bin.cards)
        if able < ask.cards:
            return explain_shortage(node_bin.cards, ask, able)
    return msg("each container fits alone, but not all together")


def why_not(demand: PodDemand, node: GpuNode) -> str | None:
    """Why a node that runs nothing does not take one pod; None where it does."""
    return _why_not(build_problem(GpuUsage({node.name: open_ledger(node)}), [demand]), 0, 0)


def _shortages_in_all(problem: PackingProblem) -> Iterator[str]:
    """What the nodes lack in total where each pod fits alone, but not all of them do."""
    counted = list(_counted_shortages(problem))
    if counted:
        yield from counted
        return
    titles = (("compute", " %"), ("memory", " MiB"), ("containers on cards", ""))
    requested, free = sum_demand_and_free(problem.bins, problem.ask_indexes)
    short = [
        msg(
            "{what}: {wanted}{unit} requested in all, {there}{unit} free",
            what=msg(name),
            wanted=amount,
            unit=unit,
            there=available,
        )
        for (name, unit), amount, available in zip(titles, requested, free, strict=True)
        if amount > available
    ]
    yield from short
    if not short:
        yield msg("each pod fits alone, but not all together: what is free is spread over several cards")


def _counted_shortages(problem: PackingProblem) -> Iterator[str]:
    """Resources of which the pods request more by number than all nodes have free."""
    requested: Counter[str] = Counter()
    for ask_index in problem.ask_indexes:
        for ask in next((asks for node_bin in problem.bins if (asks := node_bin.admits[ask_index])), ()):
            if ask.whole and ask.mode != ANY_MODE:
                requested[ask.mode] += ask.cards
    for key, amount in sorted(requested.items()):
        available = sum(
            space.mode == key for node_bin in problem.bins if any(node_bin.admits) for space in node_bin.cards
        )
        if amount > available:
            yield msg(
                "{wanted} of {key} requested in all, {there} free", wanted=amount, key=key, there=available
            )
