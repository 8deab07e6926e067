"""The question of room in numbers: the cards of nodes as they are, and what pods ask of each node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gpuxlate.backends.base import Backend, Taking
from gpuxlate.backends.live import PERCENT, Serves
from gpuxlate.cluster.ledger import Ask, Books, Ledger, asks_of, whole_cards
from gpuxlate.cluster.live import WHOLE_KEY, chooses
from gpuxlate.cluster.nodes import unit_profile
from gpuxlate.cluster.room import Asks, Bin, Space
from gpuxlate.model.pod import PodKeys

UNLIMITED = 1_000_000
"""Slots of a card where the documents disagree on how many it has."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One pod template: ``count`` pods of it. ``backend`` is None for whole cards of any cloud."""

    name: str
    keys: PodKeys
    backend: Backend | None
    count: int


@dataclass(slots=True)
class Problem:
    """The nodes as bins. ``blind``: by node, what is not known of it; ``out``: by pod, node: why not."""

    wanted: Sequence[Wanted]
    ledgers: list[Ledger]
    bins: list[Bin] = field(default_factory=list)
    blind: dict[int, str] = field(default_factory=dict)
    out: dict[tuple[int, int], str] = field(default_factory=dict)

    @property
    def kinds(self) -> list[int]:
        return [kind for kind, one in enumerate(self.wanted) for _ in range(one.count)]


def problem_of(books: Books, wanted: Sequence[Wanted]) -> Problem:
    ledgers = [books.ledgers[name] for name in sorted(books.ledgers)]
    problem = Problem(wanted, ledgers)
    for number, ledger in enumerate(ledgers):
        admits: list[Asks | None] = []
        for kind, one in enumerate(wanted):
            asks = _admitted(ledger, one)
            if isinstance(asks, str):
                problem.out[kind, number] = asks
            admits.append(None if isinstance(asks, str) else asks)
        problem.bins.append(Bin(spaces(ledger), tuple(admits)))
        if ledger.view.serves is Serves.SHARES and ledger.view.cards is None:
            problem.blind[number] = "the number of its cards is not told"
        elif ledger.unplaced:
            count = len(ledger.unplaced)
            them = "1 container runs there" if count == 1 else f"{count} containers run there"
            problem.blind[number] = f"{them} and the cards are not recorded"
    return problem


def _admitted(ledger: Ledger, one: Wanted) -> Asks | str:
    """What a pod asks for on a node, or why the node does not take it."""
    node, view = ledger.node, ledger.view
    if one.backend is None:
        if view.serves is not Serves.WHOLE or view.whole_key != WHOLE_KEY:
            return f"it serves no {WHOLE_KEY}"
        asks: Asks = (Ask("", False, 0, whole_cards(one.keys, WHOLE_KEY), whole=True),)
    elif view.serves is not Serves.SHARES or node.backend is not one.backend:
        return f"it serves no shares of {one.backend.name}"
    else:
        asks, unread = asks_of(one.keys, one.backend, view)
        if unread or not asks:
            return "what the pod asks for cannot be read"
    if node.closed:
        return node.closed
    reason = chooses(one.keys, node.labels)
    if reason is None and one.backend is not None and one.backend.live is not None:
        containers = one.backend.read(Taking(one.keys), unit_profile(view)).containers
        reason = one.backend.live.keeps_out(view, containers)
    return reason or asks


def spaces(ledger: Ledger) -> tuple[Space, ...]:
    """What is free on each card of a node, by its index."""
    view, backend = ledger.view, ledger.node.backend
    if view.serves is Serves.WHOLE:
        return (Space(PERCENT, 0, UNLIMITED, True),) * (ledger.cards_free or 0)
    live = backend.live if backend else None
    slots = live.instances if live and live.instances_certain else UNLIMITED
    # a node that gives out no compute of its own has all of it to compete for
    cores = PERCENT if view.cores is None else min(PERCENT, view.cores // max(1, len(ledger.cards)))
    memory = view.card_mib or 0
    return tuple(
        Space(0, 0, 0, False)
        if card.is_whole
        else Space(
            max(0, cores - card.cores),
            max(0, memory - card.memory_mib(memory)),
            max(0, slots - len(card.held)),
            not card.held,
        )
        for card in ledger.cards
    )
