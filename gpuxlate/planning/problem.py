"""The packing problem: the free cards of nodes, and what pods request on each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, Taking
from gpuxlate.backends.limits import ANY, UNBOUND, Limits
from gpuxlate.backends.live import PERCENT, NodeView, Serves
from gpuxlate.model.messages import plural, say
from gpuxlate.model.pod import NodeRequirement, PodKeys
from gpuxlate.planning.ledger import Books, Ledger, asks_of, number_of
from gpuxlate.planning.nodes import WHOLE_KEY, serves_text, unit_profile
from gpuxlate.planning.packing.spaces import UNLIMITED, Ask, Asks, Bin, Space


@dataclass(frozen=True, slots=True)
class Wanted:
    """A pod template and its ``count`` of pods. ``backend`` is None for whole cards of any cloud."""

    name: str
    keys: PodKeys
    backend: Backend | None
    count: int


@dataclass(slots=True)
class Problem:
    """The nodes as bins.

    ``unknown``: by node, what is not known of it; ``excluded``: by pod and node, why it is not taken.
    """

    wanted: Sequence[Wanted]
    ledgers: list[Ledger]
    bins: list[Bin] = field(default_factory=list)
    unknown: dict[int, str] = field(default_factory=dict)
    excluded: dict[tuple[int, int], str] = field(default_factory=dict)

    @property
    def kinds(self) -> list[int]:
        return [kind for kind, one in enumerate(self.wanted) for _ in range(one.count)]


def problem_of(books: Books, wanted: Sequence[Wanted]) -> Problem:
    ledgers = [books.ledgers[name] for name in sorted(books.ledgers)]
    problem = Problem(wanted, ledgers)
    for number, ledger in enumerate(ledgers):
        admits: list[Asks | None] = []
        for kind, one in enumerate(wanted):
            asks = admitted(ledger, one)
            if isinstance(asks, str):
                problem.excluded[kind, number] = asks
            admits.append(None if isinstance(asks, str) else asks)
        problem.bins.append(Bin(spaces(ledger), tuple(admits)))
        why = unknown_of(ledger)
        if why is not None:
            problem.unknown[number] = why
    return problem


def unknown_of(ledger: Ledger) -> str | None:
    """What is not known of a node, without which its room is not; None where all is."""
    if ledger.view.serves is Serves.SHARES and ledger.view.cards is None:
        return say("the number of its cards is not known")
    if ledger.unplaced:
        count = len(ledger.unplaced)
        return plural(
            count,
            "the cards of {count} container are not recorded",
            "the cards of {count} containers are not recorded",
        )
    return None


def admitted(ledger: Ledger, one: Wanted) -> Asks | str:
    """What a pod requests on a node, or why the node does not take it."""
    node, view = ledger.node, ledger.view
    if view.counted:
        counted = _counted(view, one)
        if isinstance(counted, str):
            return counted
        asks = counted
    elif view.serves is Serves.SHARES and node.backend and _is_read(one, node.backend, view):
        asks, unread = asks_of(one.keys, node.backend, view)
        if unread or not asks:
            return say("the request of the pod cannot be read")
    else:
        return say("it does not serve {what}", what=_what(one))
    if node.closed:
        return node.closed
    reason = _unmatched(one.keys, node.labels)
    if reason is None and one.backend is not None:
        containers = one.backend.read(Taking(one.keys), unit_profile(view)).containers
        reason = one.backend.keeps_out(view, containers)
    return reason or asks


def _is_read(one: Wanted, backend: Backend, view: NodeView) -> bool:
    """The pod is written for the target of the node, or for whole cards of any cloud that it has too."""
    return one.backend is backend or bool(
        one.backend is None and view.whole_key and number_of(one.keys, view.whole_key)
    )


def _what(one: Wanted) -> str:
    return say("shares of {target}", target=one.backend.name) if one.backend else WHOLE_KEY


def _counted(view: NodeView, one: Wanted) -> Asks | str:
    """What a pod requests of a node by number; where it requests anything else, why it is not taken."""
    asked = {row.key: count for row in view.counted if (count := number_of(one.keys, row.key))}
    names = {name for container in one.keys.containers for name in container.resources}
    others = sorted(name for name in names if registry.is_gpu_key(name) and name not in asked)
    if asked and not others:
        return tuple(Ask("", False, 0, count, whole=True, mode=key) for key, count in asked.items())
    if not view.parts:
        return say("it does not serve {what}", what=_what(one))
    return say(
        "it does not serve {what}; it serves {others}",
        what=", ".join(others) or _what(one),
        others=serves_text(view),
    )


def spaces(ledger: Ledger) -> tuple[Space, ...]:
    """What is free on each card of a node, by index."""
    view, backend = ledger.view, ledger.node.backend
    if view.counted:
        return tuple(
            Space(PERCENT, 0, UNLIMITED, True, row.key)
            for row in view.counted
            for _ in range(ledger.free(row))
        )
    limits = backend.limits if backend else UNBOUND
    slots = view.instances or slots_of(limits, live=True)
    # where a node allocates no compute, its pods compete for all of it
    cores = PERCENT if view.cores is None else min(PERCENT, view.cores // max(1, len(ledger.cards)))
    memory = view.card_mib or 0
    return tuple(
        Space(0, 0, 0, False)
        if card.is_whole
        else Space(
            max(0, cores - card.cores),
            max(0, memory - card.memory_mib(memory)),
            max(0, slots - card.slots),
            not card.held,
            next((held.ask.mode for held in card.held if held.ask.mode), ANY),
        )
        for card in ledger.cards
    )


def slots_of(limits: Limits, *, live: bool) -> int:
    """The most containers on a card, where it is certain. ``live``: a cluster has its own number."""
    known = limits.certain and not (live and limits.default)
    return (limits.per_card if known else None) or UNLIMITED


def _unmatched(pod: PodKeys, labels: Mapping[str, str]) -> str | None:
    """A node label that the pod requires and the node does not have; None where it has all."""
    for name, value in pod.node_selector.items():
        if labels.get(name) != value.text:
            return say("the pod selects {label}", label=f"{name}={value.text}")
    # a term without requirements matches no node
    if pod.affinity and not any(term and all(_holds(one, labels) for one in term) for term in pod.affinity):
        wanted = next((one for term in pod.affinity for one in term if not _holds(one, labels)), None)
        if wanted is None:
            return say("the pod has an empty term of node affinity, which matches no node")
        term = f"{wanted.key} {wanted.operator} {', '.join(wanted.values)}".rstrip()
        return say("the pod requires {term}", term=term)
    return None


def _holds(one: NodeRequirement, labels: Mapping[str, str]) -> bool:
    """As the scheduler of Kubernetes reads a match expression."""
    value = labels.get(one.key)
    match one.operator:
        case "In":
            return value in one.values
        case "NotIn":
            return value not in one.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            try:
                found, wanted = int(value or ""), int(one.values[0])
            except (ValueError, IndexError):
                return False
            return found > wanted if one.operator == "Gt" else found < wanted
    return False
