"""Why the cards of a node do not take a container, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from gpuxlate.backends.limits import ANY
from gpuxlate.model.messages import joined, plural, say
from gpuxlate.planning.packing.spaces import Ask, Space


def shortage(cards: Sequence[Space], ask: Ask, able: int) -> str:
    """What is missing; ``able``: how many of the cards take it."""
    if ask.whole and ask.mode != ANY:
        return say("{count} of {what} requested, {free} free", count=ask.cards, what=ask.mode, free=able)
    if len(cards) < ask.cards:
        there = plural(len(cards), "{count} card", "{count} cards")
        return say("{count} cards requested, it has {there}", count=ask.cards, there=there)
    if ask.whole or ask.memory_mib is None:
        wanted = plural(ask.cards, "{count} unused card", "{count} unused cards")
        return say("{wanted} requested, {free} free", wanted=wanted, free=able)
    least: list[str] = []
    if sum(one.cores >= ask.cores for one in cards) < ask.cards:
        most = max(one.cores for one in cards)
        text = "compute: {asked} % of a card requested, at most {most} % free"
        least.append(say(text, asked=ask.cores, most=most))
    if sum(one.memory_mib >= ask.memory_mib for one in cards) < ask.cards:
        most = max(one.memory_mib for one in cards)
        text = "memory: {asked} MiB of a card requested, at most {most} MiB free"
        least.append(say(text, asked=ask.memory_mib, most=most))
    if sum(one.slots > 0 for one in cards) < ask.cards:
        least.append(say("containers: its cards run as many as they can"))
    if least:
        return joined(least, "{before}; {last}")
    if able < sum(one._replace(mode=ANY).takes(ask) for one in cards):
        return say("its other cards run containers in another mode than {mode}", mode=ask.mode)
    both = say("{cores} % and {memory} MiB", cores=ask.cores, memory=ask.memory_mib)
    if ask.cards == 1:
        return say("no card has {both} free together", both=both)
    return say("{able} of {count} cards have {both} free together", able=able, count=ask.cards, both=both)
