"""What the numbers of a plan mean, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import Message, joined, plural, say
from gpuxlate.planning.advice import Better
from gpuxlate.planning.plan import Rounding, TargetPlan
from gpuxlate.translation.pods.fit import Verdict
from gpuxlate.translation.pods.item import Item

UNITS = {"cores": " %", "memoryMiB": " MiB"}
BINDS = {
    "compute": "compute decides",
    "memory": "memory decides",
    "containers": "the number of containers on a card decides",
    "whole cards": "whole cards decide",
}
"""By what the lower bound follows from."""


def cards(count: int) -> Message:
    return plural(count, "{count} card", "{count} cards")


def nodes(count: int) -> Message:
    return plural(count, "{count} node", "{count} nodes")


def pods(count: int) -> Message:
    return plural(count, "{count} pod", "{count} pods")


def shares(count: int) -> Message:
    return plural(count, "{count} share", "{count} shares")


def remarks(one: TargetPlan, better: Sequence[Better]) -> Iterator[Message]:
    """What the numbers mean, one sentence a line."""
    fleet, cores, memory = one.fleet, one.use["cores"], one.use["memoryMiB"]
    if fleet.cards and not fleet.least:
        gap = fleet.cards - fleet.bound.cards
        if gap:
            text = "no packing has fewer than {least}; this one has {gap} more"
            yield say(text, least=cards(fleet.bound.cards), gap=gap)
        else:
            text = "no packing has fewer cards, and none has fewer than {least}"
            yield say(text, least=nodes(fleet.bound.nodes))
    pools = Counter(there[0].pool for there in fleet.state if there[0].pool)
    if len(pools) > 1:
        kinds = (say("{count} of {name}", count=count, name=name) for name, count in sorted(pools.items()))
        text = "nodes of {count} kinds, whose pods never mix: {kinds}"
        yield say(text, count=len(pools), kinds=joined(kinds, "{before}; {last}"))
    if fleet.cards:
        yield say(
            "{what}: {cores} % of compute and {memory} % of memory are in use",
            what=say(BINDS[fleet.bound.by]),
            cores=cores.percent,
            memory=memory.percent,
        )
    if mixed := sum(
        len({held.part for held in card if held.part}) > 1 for there in one.held for card in there
    ):
        yield plural(
            mixed,
            "{count} card has partitions of several profiles: places are fixed, make the larger first",
            "{count} cards have partitions of several profiles: places are fixed, make the larger first",
        )
    if cores.stranded or memory.stranded:
        yield say(
            "stranded: compute of {cores} cards and memory of {memory}, free where no share fits any more",
            cores=f"{cores.stranded / 100:.1f}",
            memory=f"{memory.stranded / one.node.usable_mib:.1f}",
        )
    if one.roundings:
        count, values = one.for_rounding, _rounded(one.roundings)
        text = "{count} of the cards is for rounding {values}"
        if count > 1:
            text = "{count} of the cards are for rounding {values}"
        yield say(text if count else "no card is for rounding {values}", count=count, values=values)
    for value in better:
        yield say(
            "{name} {container}: {value}{unit} in place of {instead}: {each} to a card instead of {before}, "
            "saves {cards}",
            name=value.load.name,
            container=value.container,
            value=value.value,
            unit=UNITS[value.field],
            instead=value.instead,
            each=value.per_card,
            before=value.before,
            cards=cards(value.saves),
        )


def _rounded(values: Sequence[Rounding]) -> str:
    shown: list[str] = [
        say(
            "{asked}{unit} to {given} ({shares})",
            asked=one.asked,
            unit=UNITS.get(one.field, ""),
            given=say("whole cards") if one.given is None else one.given,
            shares=shares(one.shares),
        )
        for one in values[:3]
    ]
    if len(values) > 3:
        shown.append(plural(len(values) - 3, "{count} other value", "{count} other values"))
    return joined(shown)


def _why(refused: Sequence[Item]) -> Iterator[Message]:
    """The rules that refuse, each with its first message."""
    found: dict[str, tuple[Diagnostic, set[int]]] = {}
    for number, item in enumerate(refused):
        for each in item.diagnostics:
            if each.severity is Severity.ERROR:
                found.setdefault(each.code, (each, set()))[1].add(number)
    for code, (first, items) in sorted(found.items(), key=lambda one: -len(one[1][1])):
        what = say(
            "  {code}, {shares}, first in {file}: {message}",
            code=code,
            shares=shares(len(items)),
            file=first.file,
            message=first.message,
        )
        yield say("{before}; {last}", before=what, last=first.hint) if first.hint else what


def missing(one: TargetPlan) -> Iterator[Message]:
    """What is not packed, or not known."""
    if one.refused:
        counts = Counter(item.verdict for item in one.refused)
        verdicts = joined(
            say("{count} {verdict}", count=counts[verdict], verdict=say(verdict.value))
            for verdict in Verdict
            if counts[verdict]
        )
        yield say("not packed: {what} ({why})", what=shares(len(one.refused)), why=verdicts)
        yield from _why(one.refused)
    for nowhere in one.nowhere:
        what = say("{name}, {pods}", name=nowhere.load.name, pods=pods(nowhere.load.pods))
        yield say("not packed: {what}: {why}", what=what, why=nowhere.reason)
    for load in one.loads:
        if load.count is None:
            text = "{name}: its number of pods depends on the nodes of the cluster; 1 is counted"
            yield say(text, name=load.name)
