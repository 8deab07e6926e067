"""Why the cards of a node do not take a container, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from gpuxlate.backends.limits import ANY
from gpuxlate.planning.packing.spaces import Ask, Space


def shortage(cards: Sequence[Space], ask: Ask, able: int) -> str:
    """What is missing; ``able``: how many of the cards take it."""
    if ask.whole and ask.mode != ANY:
        return f"{ask.cards} of {ask.mode} requested, {able} free"
    if len(cards) < ask.cards:
        there = "1 card" if len(cards) == 1 else f"{len(cards)} cards"
        return f"{ask.cards} cards requested, it has {there}"
    if ask.whole or ask.memory_mib is None:
        return f"{ask.cards} unused {'card' if ask.cards == 1 else 'cards'} requested, {able} free"
    least = []
    if sum(one.cores >= ask.cores for one in cards) < ask.cards:
        least.append(
            f"compute: {ask.cores} % of a card requested, at most {max(one.cores for one in cards)} % free"
        )
    if sum(one.memory_mib >= ask.memory_mib for one in cards) < ask.cards:
        most = max(one.memory_mib for one in cards)
        least.append(f"memory: {ask.memory_mib} MiB of a card requested, at most {most} MiB free")
    if sum(one.slots > 0 for one in cards) < ask.cards:
        least.append("containers: its cards run as many as they can")
    if least:
        return "; ".join(least)
    if able < sum(one._replace(mode=ANY).takes(ask) for one in cards):
        return f"its other cards run containers in another mode than {ask.mode}"
    both = f"{ask.cores} % and {ask.memory_mib} MiB"
    which = "no card has" if ask.cards == 1 else f"{able} of {ask.cards} cards have"
    return f"{which} {both} free together"
