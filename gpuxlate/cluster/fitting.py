"""Would these pods still fit, and if not, what is missing. Never promises more than is known.

GPUs alone are looked at: CPU, memory of the node and taints are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gpuxlate.backends.live import PERCENT, Serves
from gpuxlate.cluster.ledger import Books, asks_of
from gpuxlate.cluster.missing import missing
from gpuxlate.cluster.problem import UNLIMITED, Problem, Wanted, problem_of
from gpuxlate.cluster.room import Bin, Space, Spot, UndecidedError, first_fit, lay


class Verdict(StrEnum):
    """The answer."""

    FITS = "fits"
    NOT = "does not fit"
    UNKNOWN = "cannot be told"


@dataclass(frozen=True, slots=True)
class Place:
    """Where one pod would go: the cards of each container by their indexes, none for whole cards."""

    pod: str
    node: str
    cards: tuple[tuple[str, tuple[int, ...]], ...]

    def to_json(self) -> dict[str, Any]:
        containers = [{"container": name, "cards": list(cards)} for name, cards in self.cards]
        return {"pod": self.pod, "node": self.node, "containers": containers}


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether it fits, why not, and where it would go. ``fitting``: pods that first-fit lays."""

    verdict: Verdict
    pods: int
    fitting: int
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": str(self.verdict),
            "pods": self.pods,
            "podsThatFit": self.fitting,
            "reasons": list(self.reasons),
            "warnings": list(self.warnings),
            "places": [one.to_json() for one in self.places],
        }


def answer(books: Books, wanted: Sequence[Wanted], unclear: Sequence[str] = ()) -> Answer:
    """Whether all of the pods fit beside those that run. ``unclear``: what else nobody knows."""
    problem = problem_of(books, wanted)
    kinds = problem.kinds
    sure = [_shut(one) if n in problem.blind else one for n, one in enumerate(problem.bins)]
    warnings = tuple(_warnings(books, wanted))
    undecided = False
    spots = None
    try:
        spots = lay(sure, kinds)
    except UndecidedError:
        undecided = True
    if spots is not None:
        places = tuple(_places(problem, spots))
        warnings = (*warnings, *_crowded(problem, spots))
        verdict = Verdict.UNKNOWN if unclear else Verdict.FITS
        return Answer(verdict, len(kinds), len(kinds), tuple(unclear), warnings, places)
    fitting = _fitting(sure, kinds)
    unsure = tuple(_unsure(problem, undecided))
    if unsure:
        return Answer(Verdict.UNKNOWN, len(kinds), fitting, (*unsure, *unclear), warnings)
    return Answer(Verdict.NOT, len(kinds), fitting, tuple(missing(problem)), warnings)


def _fitting(bins: Sequence[Bin], kinds: Sequence[int]) -> int:
    try:
        return len(first_fit(bins, kinds)[0])
    except UndecidedError:
        return 0


def _shut(one: Bin) -> Bin:
    return Bin(one.cards, tuple(None for _ in one.admits))


TOO_MANY = "there are too many ways to lay these pods to try them all, and the first was not enough"


def _unsure(problem: Problem, undecided: bool) -> Iterator[str]:
    """Why a "no" would say too much: it could fit on what is not known, or was not found in time."""
    hopeful = [Bin(_hope(problem, n), one.admits) for n, one in enumerate(problem.bins)]
    try:
        if lay(hopeful, problem.kinds) is None:
            return  # not even so
    except UndecidedError:
        undecided = True
    if undecided:
        yield TOO_MANY
    for number, reason in problem.blind.items():
        if any(asks is not None for asks in problem.bins[number].admits):
            yield f"{problem.ledgers[number].node.name}: {reason}"


def _hope(problem: Problem, number: int) -> tuple[Space, ...]:
    """The cards of a node as free as they can be: no card has more than is free on the whole node."""
    ledger, cards = problem.ledgers[number], problem.bins[number].cards
    if number not in problem.blind:
        return cards
    if ledger.view.cards is None:
        whole = ledger.memory_free or 0
        return tuple(Space(PERCENT, whole, UNLIMITED, True) for _ in range(16))
    cores, memory = ledger.cores_free, ledger.memory_free
    return tuple(
        Space(
            one.cores if cores is None else min(one.cores, cores),
            one.memory_mib if memory is None else min(one.memory_mib, memory),
            one.slots,
            one.untouched,
        )
        for one in cards
    )


def _places(problem: Problem, spots: Sequence[Spot]) -> Iterator[Place]:
    numbers: dict[int, int] = {}
    for spot in sorted(spots, key=lambda one: (one.kind, one.bin, one.cards)):
        one, ledger = problem.wanted[spot.kind], problem.ledgers[spot.bin]
        asks = problem.bins[spot.bin].admits[spot.kind] or ()
        numbers[spot.kind] = number = numbers.get(spot.kind, 0) + 1
        shared = ledger.view.serves is Serves.SHARES
        cards = tuple((ask.container, c) for ask, c in zip(asks, spot.cards, strict=True)) if shared else ()
        yield Place(one.name if one.count == 1 else f"{one.name} #{number}", ledger.node.name, cards)


# --- warnings -------------------------------------------------------------------------------------


def _warnings(books: Books, wanted: Sequence[Wanted]) -> Iterator[str]:
    if books.waiting:
        waiting = "1 pod waits" if books.waiting == 1 else f"{books.waiting} pods wait"
        yield f"{waiting} for a node and may be first"
    for one in wanted:
        if one.backend is None:
            continue
        for ledger in books.ledgers.values():
            if ledger.node.backend is one.backend and ledger.view.serves is Serves.SHARES:
                if any(ask.offline for ask in asks_of(one.keys, one.backend, ledger.view)[0]):
                    yield f"{one.name}: offline compute is on no node's books, its memory alone was counted"
                break


def _crowded(problem: Problem, spots: Sequence[Spot]) -> Iterator[str]:
    """Cards with more containers than the documents, which disagree, allow at most."""
    added: dict[tuple[int, int], int] = {}
    for spot in spots:
        for index in (index for chosen in spot.cards for index in chosen):
            added[spot.bin, index] = added.get((spot.bin, index), 0) + 1
    for (number, index), more in sorted(added.items()):
        ledger = problem.ledgers[number]
        live = ledger.node.backend.live if ledger.node.backend else None
        if ledger.view.serves is not Serves.SHARES or live is None or live.instances_certain:
            continue
        count = more + len(ledger.cards[index].held)
        if count > live.instances:
            yield (
                f"card {index} of {ledger.node.name} would hold {count} containers; "
                f"the largest documented limit is {live.instances}"
            )
