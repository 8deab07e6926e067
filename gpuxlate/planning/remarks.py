"""What the numbers of a plan mean, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.planning.advice import Better
from gpuxlate.planning.plan import Rounding, TargetPlan
from gpuxlate.translation.pods.fit import Verdict
from gpuxlate.translation.pods.item import Item

UNITS = {"cores": " %", "memoryMiB": " MiB"}


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def remarks(one: TargetPlan, better: Sequence[Better]) -> Iterator[str]:
    """What the numbers mean, one sentence a line."""
    fleet, cores, memory = one.fleet, one.use["cores"], one.use["memoryMiB"]
    if fleet.cards and not fleet.least:
        gap = fleet.cards - fleet.bound.cards
        if gap:
            yield f"no packing has fewer than {fleet.bound.cards} cards; this one has {gap} more"
        else:
            yield f"no packing has fewer cards, and none has fewer than {fleet.bound.nodes} nodes"
    pools = Counter(cards[0].pool for cards in fleet.state if cards[0].pool)
    if len(pools) > 1:
        kinds = "; ".join(f"{count} of {name}" for name, count in sorted(pools.items()))
        yield f"nodes of {len(pools)} kinds, whose pods never mix: {kinds}"
    if fleet.cards:
        yield (
            f"{fleet.bound.by} decides: {cores.percent} % of compute and {memory.percent} % of memory "
            "are in use"
        )
    if mixed := sum(
        len({held.part for held in card if held.part}) > 1 for cards in one.held for card in cards
    ):
        yield (
            f"partitions of several profiles are on {plural(mixed, 'card')}: their places are fixed, so make "
            "the larger ones first"
        )
    if cores.stranded or memory.stranded:
        yield (
            f"stranded: compute of {cores.stranded / 100:.1f} cards and memory of "
            f"{memory.stranded / one.node.usable_mib:.1f}, free where no share fits any more"
        )
    if one.roundings:
        count = one.for_rounding
        needs = f"{count} of the cards are" if count > 1 else "1 of the cards is" if count else "no card is"
        yield f"{needs} for rounding {_rounded(one.roundings)}"
    for value in better:
        yield (
            f"{value.load.name} {value.container}: {value.value}{UNITS[value.field]} in place of "
            f"{value.instead}: {value.per_card} to a card instead of {value.before}, "
            f"saves {plural(value.saves, 'card')}"
        )


def _rounded(values: Sequence[Rounding]) -> str:
    shown = [
        f"{one.asked}{UNITS.get(one.field, '')} to {'whole cards' if one.given is None else f'{one.given}'}"
        f" ({plural(one.shares, 'share')})"
        for one in values[:3]
    ]
    more = f", and {plural(len(values) - 3, 'other value')}" if len(values) > 3 else ""
    return ", ".join(shown) + more


def _why(refused: Sequence[Item]) -> Iterator[str]:
    """The rules that refuse, each with its first message."""
    found: dict[str, tuple[Diagnostic, set[int]]] = {}
    for number, item in enumerate(refused):
        for each in item.diagnostics:
            if each.severity is Severity.ERROR:
                found.setdefault(each.code, (each, set()))[1].add(number)
    for code, (first, shares) in sorted(found.items(), key=lambda one: -len(one[1][1])):
        what = f"{code}, {plural(len(shares), 'share')}, first in {first.file}: {first.message}"
        yield f"  {what}; {first.hint}" if first.hint else f"  {what}"


def missing(one: TargetPlan) -> Iterator[str]:
    """What is not packed, or not known."""
    if one.refused:
        counts = Counter(item.verdict for item in one.refused)
        verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
        yield f"not packed: {plural(len(one.refused), 'share')} ({verdicts})"
        yield from _why(one.refused)
    for nowhere in one.nowhere:
        yield f"not packed: {nowhere.load.name} ({plural(nowhere.load.pods, 'pod')}): {nowhere.reason}"
    for load in one.loads:
        if load.count is None:
            yield f"{load.name}: its number of pods depends on the nodes of the cluster; 1 is counted"
