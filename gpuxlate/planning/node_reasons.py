"""Why the nodes of a cluster do not take one pod, in groups, and what would make it fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuxlate.backends.cluster_nodes import NodeOffer
from gpuxlate.model.declarations import Positive, Printed, record
from gpuxlate.model.messages import Message, msg
from gpuxlate.planning.capacity import reasons_by_node
from gpuxlate.planning.free_capacity import free_capacities
from gpuxlate.planning.ledger import GpuUsage
from gpuxlate.planning.nodes import CORDONED, GpuNode, comma_list
from gpuxlate.planning.problem import (
    PackingProblem,
    PodDemand,
    build_problem,
    unmet_node_label,
    untolerated_taint,
)
from gpuxlate.planning.search import sum_demand_and_free


@record
class KeptOut(Printed):
    """The nodes that one reason keeps a pod out of."""

    nodes: Positive
    """How many."""
    reason: str
    """Why, of the example."""
    example: str
    """One of them: where numbers differ, the one with most room."""
    names: Sequence[str]
    """All of them."""


@record
class NodesForPod:
    """The nodes that take a pod now, and the reasons of the others, those of most nodes first.

    ``in_all``: what is free in all, where it would be enough; ``ways``: what would make the pod fit.
    """

    fitting: tuple[str, ...]
    kept_out: tuple[KeptOut, ...]
    in_all: str | None
    ways: tuple[str, ...]


def nodes_for(usage: GpuUsage, pod: PodDemand) -> NodesForPod:
    """The nodes of a cluster for one pod."""
    problem = build_problem(usage, [pod])
    reasons = reasons_by_node(problem, 0)
    fitting = tuple(problem.ledgers[number].node.name for number, why in reasons.items() if why is None)
    groups: dict[object, list[tuple[int, str]]] = {}
    for number, why in reasons.items():
        if why is not None:
            groups.setdefault(_text_without_numbers(why), []).append((number, why))
    kept = [_group(problem, group) for group in groups.values()]
    kept.sort(key=lambda kept_out: (-kept_out.nodes, kept_out.example))
    in_all = _total_room(problem) if not fitting else None
    ways = () if fitting else tuple(_suggest_changes(problem, pod, reasons))
    return NodesForPod(fitting, tuple(kept), in_all, ways)


def serves(node: GpuNode, pod: PodDemand) -> bool:
    """The node has what pods of this dialect request, whatever else keeps the pod away."""
    return node.view.serves is not NodeOffer.NOTHING and (pod.backend is None or node.backend is pod.backend)


def _text_without_numbers(reason: object) -> object:
    """A reason without its numbers: reasons that only differ in numbers are equal in this."""
    if not isinstance(reason, Message):
        return reason
    return (
        reason.template,
        *(_text_without_numbers(value) for value in reason.values.values() if isinstance(value, str)),
    )


def _group(problem: PackingProblem, group: Sequence[tuple[int, str]]) -> KeptOut:
    names = [problem.ledgers[number].node.name for number, _ in group]
    best, why = max(group, key=lambda reason: _room_of_reason(reason[1]))
    return KeptOut(len(group), why, problem.ledgers[best].node.name, names)


def _room_of_reason(reason: object) -> int:
    """The free amounts in a reason, added up; 0 where it has none."""
    if not isinstance(reason, Message):
        return 0
    values: Mapping[str, object] = reason.values
    room = sum(amount for name in ("most", "free") if isinstance(amount := values.get(name), int))
    return room + sum(map(_room_of_reason, values.values()))


def _total_room(problem: PackingProblem) -> str | None:
    """What the nodes for the pod have free in total, as text, where it is enough and no card has it."""
    asks = next((admits for node_bin in problem.bins if (admits := node_bin.admits[0])), ())
    if all(ask.memory_mib is None or ask.whole for ask in asks):
        return None
    requested, (cores, memory, slots) = sum_demand_and_free(problem.bins, [0])
    if any(amount > available for amount, available in zip(requested, (cores, memory, slots), strict=True)):
        return None
    free = (card for node_bin in problem.bins if node_bin.admits[0] for card in node_bin.cards)
    text = "{cores} % and {memory} MiB are free in all, spread over {count} cards"
    return msg(text, cores=cores, memory=memory, count=sum(card.cores + card.memory_mib > 0 for card in free))


def _suggest_changes(
    problem: PackingProblem, pod: PodDemand, reasons: Mapping[int, str | None]
) -> Iterator[str]:
    """What would make the pod fit, one line each."""
    nodes = [ledger.node for ledger in problem.ledgers if serves(ledger.node, pod)]
    matching = [node for node in nodes if unmet_node_label(pod.keys, node.labels) is None]
    for node in [node for node in matching if node.closed == CORDONED][:1]:
        yield msg("let {node} take pods again: kubectl uncordon {node}", node=node.name)
    for taint in dict.fromkeys(taint for node in matching if (taint := untolerated_taint(node, pod))):
        yield msg("tolerate {taint}", taint=taint)
    yield from _other_labels(nodes, pod)
    for number, (ledger, each) in enumerate(zip(problem.ledgers, problem.bins, strict=True)):
        node, why = ledger.node, reasons[number]
        if why and node in matching and not (node.closed or untolerated_taint(node, pod) or each.admits[0]):
            yield msg("let the pod and {node} agree: {why}", node=node.name, why=why)
            break
    admitting = {
        ledger.node.name: ledger
        for ledger, each in zip(problem.ledgers, problem.bins, strict=True)
        if each.admits[0]
    }
    for room in free_capacities(GpuUsage(admitting)):
        for hole in room.largest[:1]:
            text = "request at most {cores} % and {memory} MiB: card {card} of {node} has them free"
            values = {"cores": hole.cores, "memory": hole.memory_mib, "card": hole.card, "node": hole.node}
            yield msg(text, **values)
        if not room.largest:
            yield msg(
                "add a node, or end a pod: no card of {target} is known to have room", target=room.target
            )
    if pod.backend is not None and not nodes:
        yield msg(
            "see what its nodes need: kubectl gpuxlate preflight --to {target}", target=pod.backend.name
        )


def _other_labels(nodes: Sequence[GpuNode], pod: PodDemand) -> Iterator[str]:
    """What to select in place of labels that no GPU node has."""
    chosen = {name: [value.text] for name, value in pod.keys.node_selector.items()}
    names = dict.fromkeys(requirement.key for requirement in pod.keys.requirements())
    for name in (name for name in names if name not in chosen):
        required = pod.keys.required_by_all_terms(name)
        if required and all(requirement.operator == "In" for requirement in required):
            chosen[name] = [value for requirement in required for value in requirement.values]
    for name, values in chosen.items():
        labels = {node.labels[name]: node.name for node in nodes if name in node.labels}
        if not nodes or labels.keys() & {*values}:
            continue
        if labels:
            on_nodes = comma_list([f"{value} ({node})" for value, node in labels.items()])
            yield msg("select another {name}: GPU nodes have {values}", name=name, values=on_nodes)
            continue
        label = f"{name}={values[0]}" if values else name
        text = "do not select {label}, or label a node: kubectl label node {node} {label}"
        yield msg(text, label=label, node=nodes[0].name)
