"""Whether pods still fit on the nodes, and if not, what is missing.

Only GPUs are considered: CPU, memory of the node and taints are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gpuxlate.backends.limits import ANY
from gpuxlate.backends.live import PERCENT, Serves
from gpuxlate.model.messages import plural, say
from gpuxlate.planning.ledger import Books, asks_of, open_ledger
from gpuxlate.planning.nodes import GpuNode, names_of
from gpuxlate.planning.packing.best_fit import best_fit
from gpuxlate.planning.packing.search import pack, sums
from gpuxlate.planning.packing.shortage import shortage
from gpuxlate.planning.packing.spaces import UNLIMITED, Bin, Space, Spot, UndecidedError, first_way
from gpuxlate.planning.problem import Problem, Wanted, problem_of


class Verdict(StrEnum):
    """The answer, as the JSON format has it."""

    FITS = "fits"
    NOT = "does not fit"
    UNKNOWN = "cannot be told"


@dataclass(frozen=True, slots=True)
class Place:
    """The place of one pod: the cards of each container by index, none for whole cards."""

    pod: str
    node: str
    cards: tuple[tuple[str, tuple[int, ...]], ...]

    def to_json(self) -> dict[str, Any]:
        containers = [{"container": name, "cards": list(cards)} for name, cards in self.cards]
        return {"pod": self.pod, "node": self.node, "containers": containers}


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether the pods fit, why not, and their places. ``fitting``: pods that best-fit places."""

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
    """Whether all pods fit beside those that run. ``unclear``: what is not known of the pods."""
    problem = problem_of(books, wanted)
    kinds = problem.kinds
    sure = [_closed(one) if n in problem.unknown else one for n, one in enumerate(problem.bins)]
    warnings = tuple(_warnings(books, wanted))
    undecided = False
    spots = None
    try:
        spots = pack(sure, kinds)
    except UndecidedError:
        undecided = True
    if spots is not None:
        places = tuple(_places(problem, spots))
        warnings = (*warnings, *_crowded(problem, spots), *_parts(problem, spots))
        verdict = Verdict.UNKNOWN if unclear else Verdict.FITS
        return Answer(verdict, len(kinds), len(kinds), tuple(unclear), warnings, places)
    fitting = len(best_fit(sure, kinds)[0])
    unsure = tuple(_unsure(problem, undecided))
    if unsure:
        return Answer(Verdict.UNKNOWN, len(kinds), fitting, (*unsure, *unclear), warnings)
    return Answer(Verdict.NOT, len(kinds), fitting, tuple(_missing(problem)), warnings)


def _closed(one: Bin) -> Bin:
    return Bin(one.cards, tuple(None for _ in one.admits))


TOO_MANY = say("there are too many placements to try all of them, and best-fit does not place all pods")


def _unsure(problem: Problem, undecided: bool) -> Iterator[str]:
    """Why the pods may fit all the same: on what is not known, or in a placement that was not tried."""
    best = [Bin(_best_case(problem, n), one.admits) for n, one in enumerate(problem.bins)]
    try:
        if pack(best, problem.kinds) is None:
            return
    except UndecidedError:
        undecided = True
    if undecided:
        yield TOO_MANY
    for number, reason in problem.unknown.items():
        if any(asks is not None for asks in problem.bins[number].admits):
            yield say("{node}: {why}", node=problem.ledgers[number].node.name, why=reason)


def _best_case(problem: Problem, number: int) -> tuple[Space, ...]:
    """The most that can be free on each card of a node: never more than is free on the whole node."""
    ledger, cards = problem.ledgers[number], problem.bins[number].cards
    if number not in problem.unknown:
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
        yield plural(
            books.waiting,
            "{count} pod waits for a node and may be scheduled first",
            "{count} pods wait for a node and may be scheduled first",
        )
    for one in wanted:
        if one.backend is None:
            continue
        for ledger in books.ledgers.values():
            if ledger.node.backend is one.backend and ledger.view.serves is Serves.SHARES:
                if any(ask.offline for ask in asks_of(one.keys, one.backend, ledger.view)[0]):
                    text = "{name}: offline compute is not allocated; only its memory is counted"
                    yield say(text, name=one.name)
                break


def _crowded(problem: Problem, spots: Sequence[Spot]) -> Iterator[str]:
    """Cards with more containers than the largest of the documented limits, which disagree."""
    added: dict[tuple[int, int], int] = {}
    for spot in spots:
        for index in (index for chosen in spot.cards for index in chosen):
            added[spot.bin, index] = added.get((spot.bin, index), 0) + 1
    for (number, index), more in sorted(added.items()):
        ledger = problem.ledgers[number]
        limits = ledger.node.backend.limits if ledger.node.backend else None
        if ledger.view.serves is not Serves.SHARES or limits is None:
            continue
        if limits.per_card is None or limits.certain:
            continue
        count = more + len(ledger.cards[index].held)
        if count > limits.per_card:
            yield say(
                "card {card} of {node} would hold {count} containers; the largest documented limit is {most}",
                card=index,
                node=ledger.node.name,
                count=count,
                most=limits.per_card,
            )


def _parts(problem: Problem, spots: Sequence[Spot]) -> Iterator[str]:
    """Pods that request cards by a resource that counts parts of cards on their node."""
    found = set()
    for spot in spots:
        view, one = problem.ledgers[spot.bin].view, problem.wanted[spot.kind]
        asked = {ask.mode for ask in problem.bins[spot.bin].admits[spot.kind] or ()}
        for row in view.parts:
            if one.backend is None and row.is_part and row.key in asked:
                text = "{pod}: {key} is {part} on {target} nodes, not a whole card"
                found.add(say(text, pod=one.name, key=row.key, part=row.name, target=view.target))
    yield from sorted(found)


# --- what is missing ------------------------------------------------------------------------------


def _missing(problem: Problem) -> Iterator[str]:
    """Why the pods do not fit: those that no node takes, else what is missing in all."""
    alone = True
    for kind, one in enumerate(problem.wanted):
        reasons = {n: _why_not(problem, kind, n) for n in range(len(problem.ledgers))}
        if not reasons:
            yield say("{name}: there is no GPU node", name=one.name)
            alone = False
        elif all(reasons.values()):
            alone = False
            grouped: dict[str, list[str]] = {}
            for number, reason in reasons.items():
                grouped.setdefault(reason or "", []).append(problem.ledgers[number].node.name)
            for reason, names in grouped.items():
                yield say("{name}: {nodes}: {why}", name=one.name, nodes=names_of(names), why=reason)
    if alone:
        yield from _in_all(problem)


def _why_not(problem: Problem, kind: int, number: int) -> str | None:
    """Why one node has no room for one pod; None where it has, or the search ended at its limit."""
    if (kind, number) in problem.excluded:
        return problem.excluded[kind, number]
    one = problem.bins[number]
    asks = one.admits[kind] or ()
    try:
        if first_way(one.cards, asks) is not None:
            return None
    except UndecidedError:
        return None
    for ask in asks:
        able = sum(space.takes(ask) for space in one.cards)
        if able < ask.cards:
            return shortage(one.cards, ask, able)
    return say("each container fits alone, but not all together")


def why_not(one: Wanted, node: GpuNode) -> str | None:
    """Why a node that runs nothing does not take one pod; None where it does."""
    return _why_not(problem_of(Books({node.name: open_ledger(node)}), [one]), 0, 0)


def _in_all(problem: Problem) -> Iterator[str]:
    """What is missing where each pod fits alone, and not all of them."""
    counted = list(_counted_in_all(problem))
    if counted:
        yield from counted
        return
    what = (("compute", " %"), ("memory", " MiB"), ("containers on cards", ""))
    asked, free = sums(problem.bins, problem.kinds)
    short = [
        say(
            "{what}: {wanted}{unit} requested in all, {there}{unit} free",
            what=say(name),
            wanted=wanted,
            unit=unit,
            there=there,
        )
        for (name, unit), wanted, there in zip(what, asked, free, strict=True)
        if wanted > there
    ]
    yield from short
    if not short:
        yield say("each pod fits alone, but not all together: what is free is spread over several cards")


def _counted_in_all(problem: Problem) -> Iterator[str]:
    """Resources of which the pods request more by number than all nodes have free."""
    asked: Counter[str] = Counter()
    for kind in problem.kinds:
        for ask in next((asks for one in problem.bins if (asks := one.admits[kind])), ()):
            if ask.whole and ask.mode != ANY:
                asked[ask.mode] += ask.cards
    for key, wanted in sorted(asked.items()):
        there = sum(space.mode == key for one in problem.bins if any(one.admits) for space in one.cards)
        if wanted > there:
            yield say("{wanted} of {key} requested in all, {there} free", wanted=wanted, key=key, there=there)
