"""The text of ``gpuxlate plan``: a table of the targets, then the cards of each, and what is not in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.cli.tables import bar, table, terminal_columns
from gpuxlate.cli.translations import (
    counts_text,
    leftover_table,
)
from gpuxlate.locale import localize
from gpuxlate.model.diagnostics import Diagnostic, Path
from gpuxlate.model.messages import Message, join_and, msg, plural
from gpuxlate.planning.plan import TargetPlan, in_use
from gpuxlate.planning.remarks import cards_text, missing, nodes_text, remarks, shares_text
from gpuxlate.planning.suggestions import Suggestion
from gpuxlate.report.characters import text_of
from gpuxlate.rules.translation import whole_cards_have_a_dialect
from gpuxlate.translation.items import counted_once
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.results import Result

if TYPE_CHECKING:
    from gpuxlate.planning.prices import PlanPrice
    from gpuxlate.planning.schedule import Schedule

MAX_BAR_LINES = 24
"""Lines of bars for one target; --html and -o json have all cards."""


class PlannedTarget(NamedTuple):
    """One target: the translation to it, how its shares are packed, what its scheduler makes of them, values
    that would pack better, and what the nodes cost.
    """

    run: Result
    planned: TargetPlan
    scheduled: Schedule | None
    better: tuple[Suggestion, ...] = ()
    price: PlanPrice | None = None


def plan_text(plans: Sequence[PlannedTarget], today: Sequence[PlannedTarget]) -> str:
    """A row for each plan, those of ``today`` first, and then the cards and remarks of each plan."""
    run = plans[0].run
    rows = [*(_columns(planned, before=True) for planned in today), *map(_columns, plans)]
    sentence = counts_text(run)
    shares = list(counted_once(run.items))
    copies = sum(item.times for item in shares)
    if copies > len(shares):
        sentence = msg("{what}; {count} shares with all replicas", what=sentence, count=copies)
    blocks = [text_of([localize(sentence), ""]) + table([*rows[0]], [[*row.values()] for row in rows])]
    blocks += [text_of(_target(planned, before=True)) for planned in today]
    blocks += [text_of((*_target(planned), *_bars(planned.planned))) for planned in plans]
    blocks += [_price(planned) for planned in (*today, *plans) if planned.price]
    blocks += _left_behind(plans)
    uncounted = uncounted_cards(run)
    if uncounted:
        first = uncounted[0]
        where = f"{first.file}:{first.span.line}" if first.span else str(first.file)
        sentence = plural(
            len(uncounted),
            "{count} container requests whole cards of no dialect",
            "{count} containers request whole cards of no dialect",
        )
        text = "not counted: {what}, first at {where}; --from TARGET counts them"
        blocks.append(text_of([localize(msg(text, what=sentence, where=where))]))
    return "\n".join(blocks)


def _left_behind(plans: Sequence[PlannedTarget]) -> Iterator[str]:
    """The leftovers, once for all targets that have the same ones; a key of the target itself is none."""
    targets_of: dict[tuple[Leftover, ...], list[str]] = {}
    for planned in plans:
        targets_of.setdefault(tuple(planned.run.leftovers), []).append(planned.planned.backend.name)
    for leftovers, targets in targets_of.items():
        if leftovers:
            at = msg("not translated at {targets}", targets=", ".join(targets))
            yield ("" if len(targets) == len(plans) else text_of([localize(at)])) + leftover_table(leftovers)


def _columns(planned: PlannedTarget, *, before: bool = False) -> dict[str, str]:
    """The row of a target, by the titles of its columns."""
    target_plan = planned.planned
    fleet, name = target_plan.fleet, target_plan.backend.name
    least = join_and((cards_text(fleet.bound.cards), nodes_text(fleet.bound.nodes)))
    if not fleet.cards:
        least = msg("nothing packed")
    elif fleet.least:
        least = msg("optimal")
    return {
        "TARGET": msg("{target} (before)", target=name) if before else name,
        "CARDS": str(fleet.cards),
        "NODES": str(fleet.nodes),
        **({"AS SCHEDULED": planned.scheduled.short} if planned.scheduled else {}),
        "LOWER BOUND": least,
        "COMPUTE": f"{target_plan.use['cores'].percent} %",
        "MEMORY": f"{target_plan.use['memoryMiB'].percent} %",
        "BOTTLENECK": msg(fleet.bound.by) if fleet.bound.by else "",
    }


def _target(planned: PlannedTarget, *, before: bool = False) -> Iterator[str]:
    target_plan = planned.planned
    node, fleet = target_plan.node, target_plan.fleet
    sentence = msg(
        "{shares} on {cards} of {nodes}",
        shares=shares_text(target_plan.shares),
        cards=cards_text(fleet.cards),
        nodes=nodes_text(fleet.nodes),
    )
    memory: Message = msg("{memory} MiB", memory=node.memory_mib)
    if node.usable_mib != node.memory_mib:
        memory = msg("{usable} of {memory} MiB", usable=node.usable_mib, memory=node.memory_mib)
    per_card = node.per_card and msg("at most {count} shares to a card", count=node.per_card)
    of = join_and(
        part for part in (node.model, msg("{count} to a node", count=node.cards), memory, per_card) if part
    )
    text = "{target}: before, {what} ({of})" if before else "{target}: {what} ({of})"
    yield localize(msg(text, target=target_plan.backend.name, what=sentence, of=of))
    lines = [
        *remarks(target_plan, planned.better),
        *(planned.scheduled.remarks() if planned.scheduled else ()),
    ]
    yield from (f"  {localize(line)}" for line in (*lines, *missing(target_plan)))


def _price(planned: PlannedTarget) -> str:
    """What each workload holds of the cards, what nobody does, and what the nodes cost for an hour."""
    from gpuxlate.report.prices import price_rows, rounded_text

    assert planned.price
    plan, price = planned.planned, planned.price.to_json()
    text = "{target}: {nodes} for an hour, {price} for each {card}"
    values = {
        "nodes": nodes_text(plan.fleet.nodes),
        "price": rounded_text(price["perCard"]),
        "card": plan.node.model,
    }
    title = text_of([localize(msg(text, target=plan.backend.name, **values))])
    return title + table(["WORKLOAD", "PODS", "CARDS", "PRICE"], price_rows(price))


def _bars(target_plan: TargetPlan) -> Iterator[str]:
    """Cards that look alike in one line, the largest groups first."""
    counts_by_use: Counter[tuple[int, int, int]] = Counter()
    for node_cards in target_plan.held:
        for card in node_cards:
            if card:
                counts_by_use[(*in_use(card, target_plan.node.usable_mib), len(card))] += 1
    width = max(5, min(20, (terminal_columns() - 62) // 2))
    groups = sorted(counts_by_use.items(), key=lambda group: (-group[1], group[0]))
    for (cores, memory, held), count in groups[:MAX_BAR_LINES]:
        yield (
            f"  {count:>5} x  {localize('compute')} {bar(cores, 100, width)} {cores:>3} %  "
            f"{localize('memory')} {bar(memory, target_plan.node.usable_mib, width)} {memory:>6} MiB  "
            f"{localize(shares_text(held))}"
        )
    rest = groups[MAX_BAR_LINES:]
    if rest:
        more = msg("{count} more cards; --html FILE draws all", count=sum(count for _, count in rest))
        yield f"      {localize(more)}"


def uncounted_cards(run: Result) -> list[Diagnostic]:
    """Whole cards that are of no dialect, which are not in the plan: of containers that have no share."""
    counted = {
        (item.file, item.document, *item.pod, "initContainers" if item.init else "containers", item.index)
        for item in run.items
    }
    findings = [finding for finding in run.diagnostics if finding.code == whole_cards_have_a_dialect.code]
    return [
        finding
        for finding in findings
        if (finding.file, finding.document, *_container(finding.path)) not in counted
    ]


def _container(path: Path) -> Path:
    """The path of the container in which a place is."""
    return path[: path.index("resources")] if "resources" in path else path
