"""Why pods find no room: what each node lacks, and what all of them lack together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuxlate.cluster.ledger import Ask
from gpuxlate.cluster.nodes import names_of
from gpuxlate.cluster.problem import Problem
from gpuxlate.cluster.room import Space, UndecidedError, sums, ways


def missing(problem: Problem) -> Iterator[str]:
    """Why it does not fit: pods that no node takes, else what is missing in all."""
    alone = True
    for kind, one in enumerate(problem.wanted):
        reasons = {n: _why_not(problem, kind, n) for n in range(len(problem.ledgers))}
        if not reasons:
            yield f"{one.name}: there is no GPU node"
            alone = False
        elif all(reasons.values()):
            alone = False
            grouped: dict[str, list[str]] = {}
            for number, reason in reasons.items():
                grouped.setdefault(reason or "", []).append(problem.ledgers[number].node.name)
            for reason, names in grouped.items():
                yield f"{one.name}: {names_of(names)}: {reason}"
    if alone:
        yield from _in_all(problem)


def _why_not(problem: Problem, kind: int, number: int) -> str | None:
    """Why one pod does not go to one node as it is; None where it does, or was not told in time."""
    if (kind, number) in problem.out:
        return problem.out[kind, number]
    one = problem.bins[number]
    asks = one.admits[kind] or ()
    try:
        if next(ways(one.cards, asks), None) is not None:
            return None
    except UndecidedError:
        return None
    for ask in asks:
        able = sum(space.takes(ask) for space in one.cards)
        if able < ask.cards:
            return _too_few(one.cards, ask, able)
    return "its containers fit one by one, and not together"


def _too_few(cards: Sequence[Space], ask: Ask, able: int) -> str:
    if len(cards) < ask.cards:
        there = "1 card" if len(cards) == 1 else f"{len(cards)} cards"
        return f"{ask.cards} cards are asked for, and it has {there} to give"
    if ask.whole or ask.memory_mib is None:
        return f"{ask.cards} untouched {'card is' if ask.cards == 1 else 'cards are'} asked for, {able} there"
    least = []
    if sum(one.cores >= ask.cores for one in cards) < ask.cards:
        least.append(f"compute: {ask.cores} % of a card, the freest has {max(one.cores for one in cards)} %")
    if sum(one.memory_mib >= ask.memory_mib for one in cards) < ask.cards:
        most = max(one.memory_mib for one in cards)
        least.append(f"memory: {ask.memory_mib} MiB of a card, the freest has {most} MiB")
    if sum(one.slots > 0 for one in cards) < ask.cards:
        least.append("containers: its cards hold as many as they may")
    if least:
        return "; ".join(least)
    both = f"{ask.cores} % and {ask.memory_mib} MiB"
    which = "no card has" if ask.cards == 1 else f"{able} of {ask.cards} cards have"
    return f"{which} {both} free at once"


def _in_all(problem: Problem) -> Iterator[str]:
    """Each pod would fit, all of them do not."""
    what = (("compute", " %"), ("memory", " MiB"), ("containers on cards", ""))
    asked, free = sums(problem.bins, problem.kinds)
    short = [
        f"{name}: {wanted}{unit} in all, {there}{unit} free"
        for (name, unit), wanted, there in zip(what, asked, free, strict=True)
        if wanted > there
    ]
    yield from short
    if not short:
        yield "each pod would fit alone, all together do not: what is free lies in pieces on several cards"
