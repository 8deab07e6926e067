"""What the numbers of a plan mean, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import Message, join_and, msg, plural
from gpuxlate.planning.plan import Rounding, TargetPlan
from gpuxlate.planning.suggestions import Suggestion
from gpuxlate.translation.fit import Verdict
from gpuxlate.translation.items import Item

UNIT_TEXTS = {"cores": " %", "memoryMiB": " MiB"}

BINDS = {
    "compute": "limited by compute",
    "memory": "limited by memory",
    "containers": "limited by the number of containers on a card",
    "whole cards": "whole cards decide",
}
"""By what the lower bound follows from."""


def cards_text(count: int) -> Message:
    """A number of cards as text: ``2 cards``."""
    return plural(count, "{count} card", "{count} cards")


def nodes_text(count: int) -> Message:
    """A number of nodes as text: ``2 nodes``."""
    return plural(count, "{count} node", "{count} nodes")


def pods_text(count: int) -> Message:
    """A number of pods as text: ``2 pods``."""
    return plural(count, "{count} pod", "{count} pods")


def shares_text(count: int) -> Message:
    """A number of shares as text: ``2 shares``."""
    return plural(count, "{count} share", "{count} shares")


def remarks(target_plan: TargetPlan, better: Sequence[Suggestion]) -> Iterator[Message]:
    """What the numbers mean, one sentence a line."""
    fleet, cores, memory = target_plan.fleet, target_plan.use["cores"], target_plan.use["memoryMiB"]
    if fleet.cards and not fleet.least:
        if fleet.cards > fleet.bound.cards:
            text = "at least {least} are needed; found {found}"
            yield msg(text, least=cards_text(fleet.bound.cards), found=fleet.cards)
        else:
            text = "no packing needs fewer cards; at least {least} are needed"
            yield msg(text, least=nodes_text(fleet.bound.nodes))
    pools = Counter(node_cards[0].pool for node_cards in fleet.state if node_cards[0].pool)
    if len(pools) > 1:
        node_kinds = (
            msg("{count} of {name}", count=count, name=name) for name, count in sorted(pools.items())
        )
        text = "needs {count} kinds of nodes, whose pods cannot share a node: {kinds}"
        yield msg(text, count=len(pools), kinds=join_and(node_kinds, "{before}; {last}"))
    if fleet.cards:
        yield msg(
            "{what}: {cores} % of compute and {memory} % of memory are in use",
            what=msg(BINDS[fleet.bound.by]),
            cores=cores.percent,
            memory=memory.percent,
        )
    if mixed := sum(
        len({held.part for held in card if held.part}) > 1
        for node_cards in target_plan.held
        for card in node_cards
    ):
        yield plural(
            mixed,
            "{count} card has partitions of several profiles: places are fixed, make the larger first",
            "{count} cards have partitions of several profiles: places are fixed, make the larger first",
        )
    if cores.stranded or memory.stranded:
        yield msg(
            "stranded: {cores} cards of compute and {memory} of memory are free, too little for any share",
            cores=f"{cores.stranded / 100:.1f}",
            memory=f"{memory.stranded / target_plan.node.usable_mib:.1f}",
        )
    if target_plan.roundings:
        count, values = target_plan.for_rounding, _rounded(target_plan.roundings)
        text = (
            "rounding needs {count} of the cards: {values}"
            if count
            else "rounding needs no extra card: {values}"
        )
        yield msg(text, count=count, values=values)
    for value in better:
        yield msg(
            "{name} {container}: {value}{unit} in place of {instead}: {each} to a card instead of {before}, "
            "saves {cards}",
            name=value.workload,
            container=value.container,
            value=value.value,
            unit=UNIT_TEXTS[value.field],
            instead=value.instead_of,
            each=value.per_card,
            before=value.per_card_before,
            cards=cards_text(value.cards_saved),
        )


def _rounded(values: Sequence[Rounding]) -> str:
    shown: list[str] = [
        msg(
            "{asked}{unit} to {given} ({shares})",
            asked=rounding.asked,
            unit=UNIT_TEXTS.get(rounding.field, ""),
            given=msg("whole cards") if rounding.given is None else rounding.given,
            shares=shares_text(rounding.shares),
        )
        for rounding in values[:3]
    ]
    if len(values) > 3:
        shown.append(plural(len(values) - 3, "{count} other value", "{count} other values"))
    return join_and(shown)


def _why(refused: Sequence[Item]) -> Iterator[Message]:
    """The rules that refuse, each with its first message."""
    first_by_code: dict[str, tuple[Diagnostic, set[int]]] = {}
    for number, item in enumerate(refused):
        for each in item.diagnostics:
            if each.severity is Severity.ERROR:
                first_by_code.setdefault(each.code, (each, set()))[1].add(number)
    for code, (first, items) in sorted(first_by_code.items(), key=lambda entry: -len(entry[1][1])):
        reason = msg(
            "  {code}, {shares}, first in {file}: {message}",
            code=code,
            shares=shares_text(len(items)),
            file=first.file,
            message=first.message,
        )
        yield msg("{before}; {last}", before=reason, last=first.hint) if first.hint else reason


def missing(target_plan: TargetPlan) -> Iterator[Message]:
    """What is not packed, or not known."""
    if target_plan.refused:
        counts = Counter(item.verdict for item in target_plan.refused)
        verdicts = join_and(
            msg("{count} {verdict}", count=counts[verdict], verdict=msg(verdict.value))
            for verdict in Verdict
            if counts[verdict]
        )
        yield msg("not packed: {what} ({why})", what=shares_text(len(target_plan.refused)), why=verdicts)
        yield from _why(target_plan.refused)
    for nowhere in target_plan.nowhere:
        description = msg("{name}, {pods}", name=nowhere.load.name, pods=pods_text(nowhere.load.pods))
        yield msg("not packed: {what}: {why}", what=description, why=nowhere.reason)
    for load in target_plan.loads:
        if load.count is None:
            text = "{name}: its number of pods depends on the nodes of the cluster; 1 is counted"
            yield msg(text, name=load.name)
