"""``gpuxlate plan``: the cards and nodes that the shares of manifests need at each target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.cli import lookup, options, outputs, printing
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.options import InvalidValueError
from gpuxlate.cli.tables import bar, table, terminal_columns
from gpuxlate.cli.translations import (
    UNREADABLE,
    count_to_each,
    counts_text,
    leftover_table,
    settings_of,
    settle,
    show_findings,
)
from gpuxlate.locale import localize
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import Message, join_and, join_or, msg, plural, suggest
from gpuxlate.model.profile import CardProfile, Profile, card_by_short_name, card_named, nearest
from gpuxlate.planning.plan import TargetPlan, in_use, plan, profile_with
from gpuxlate.planning.remarks import cards_text, missing, nodes_text, remarks, shares_text
from gpuxlate.planning.suggestions import Suggestion, better_values
from gpuxlate.report.characters import text_of
from gpuxlate.rules.translation import whole_cards_have_a_dialect
from gpuxlate.translation.items import counted_once
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.options import Settings
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import PLAN

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


def command(
    paths: options.Paths = options.HERE,
    *,
    to: options.Tos,
    kustomize: options.Kustomize = None,
    profile: options.ProfileFiles = [],
    components: options.Components = [],
    node: options.NodeTypes = [],
    price: options.Prices = [],
    translation: options.TranslationOptions,
    allow_leftovers: options.AllowLeftovers = False,
    as_: options.As = "packed",
    html: options.Html = None,
    output: options.Output = "table",
) -> int:
    """Count the cards and nodes that the shares of these manifests need at each target, and say why.

    Each target needs --node, or a profile with cards.perNode and cards.memoryMiB. Exit 1 where a share is
    refused or fits nowhere, or something is not translated. --as scheduled also says which pods would wait.
    """
    profiles = _profiles(profile)
    nodes_of_any = _nodes(node, profiles)
    targets = lookup.targets_by_name(to, lambda: _with_nodes(profiles, nodes_of_any))
    if nodes_of_any:
        for target in targets:
            profiles.setdefault(target.name, Profile(target.name, cards=nodes_of_any))
    if components:
        from gpuxlate.cli.components import component_versions, in_versions

        versions = component_versions(components)
        profiles = {name: in_versions(target_profile, versions) for name, target_profile in profiles.items()}
    for target in targets:
        if not target.writes_pods:
            raise UserError(
                msg("{name} has no nodes of yours to plan", name=target.name),
                "gpuxlate cost computes what shares cost",
            )
    inputs = Inputs(paths, kustomize)
    files = list(inputs.some())
    owns = [(target, _profile_of(target, profiles)) for target in targets]
    target_settings, decided = settings_of(translation, owns, allow_leftovers=allow_leftovers)
    # dialects in which the manifests may be written: the same shares where they are now
    others = [
        backend
        for backend in map(lookup.target, profiles)
        if backend not in targets and not (not backend.writes_pods or backend.read_only)
    ]
    source = target_settings[0].from_
    other_settings = [Settings(backend, source, profile=profiles[backend.name]) for backend in others]
    runs = count_to_each(files, [*target_settings, *other_settings], PLAN)
    run = runs[0]
    broken = [
        finding
        for finding in run.diagnostics
        if finding.code in UNREADABLE and finding.severity is Severity.ERROR
    ]
    show_findings(run, broken)
    undecided = settle(decided, runs)
    if not (run.items or broken or run.share_documents):
        raise UserError(
            msg("{names}: no share to plan", names=str(inputs)),
            "gpuxlate inspect lists shares",
            Exit.INPUT,
        )
    plans: list[PlannedTarget] = []
    for (target, target_profile), result in zip(owns, runs[: len(owns)], strict=True):
        target_plan = plan(result.items, target, target_profile)
        better = better_values(target_plan, profile_with(target_profile, target_plan.node))
        plans.append(PlannedTarget(result, target_plan, _scheduled(target_plan, as_), better))
    today: list[PlannedTarget] = []
    for backend, result in zip(others, runs[len(owns) :], strict=True):
        items = [item for item in result.items if item.source == backend.name]
        if items:
            target_plan = plan(items, backend, profiles[backend.name])
            today.append(PlannedTarget(result, target_plan, _scheduled(target_plan, as_)))
    plans, today = _priced(price, plans, today)
    data = _json(plans, today) if html or output == "json" else {}
    if html:
        from gpuxlate.report.html import plan_page

        page = plan_page(data, outputs.page_heading(inputs), outputs.page_footer())
        outputs.write_files({Path(html): page.encode()})
    if output == "json":
        printing.json_out(data)
    else:
        printing.out(_text(plans, today))
    left = any(
        each.diagnostic.severity is Severity.ERROR for planned in plans for each in planned.run.leftovers
    )
    complete = all(planned.planned.complete for planned in plans)
    clean = complete and not (left or broken or undecided)
    return Exit.INPUT if run.unreadable else Exit.CLEAN if clean else Exit.FINDINGS


def _priced(
    price: Sequence[str], plans: Sequence[PlannedTarget], today: Sequence[PlannedTarget]
) -> tuple[list[PlannedTarget], list[PlannedTarget]]:
    """The plans with the prices of their nodes, where cards have a price. Raises UserError."""
    config = lookup.config()
    if not (price or (config and config.prices)):
        return [*plans], [*today]
    from gpuxlate.cli import prices
    from gpuxlate.planning.prices import price_of_plan

    chosen = prices.read_prices(price)
    cards = [(planned.planned.backend.name, planned.planned.node.model) for planned in (*plans, *today)]
    card_prices = prices.of_run(chosen, [(target, card) for target, card in cards if card])

    def priced(planned: PlannedTarget) -> PlannedTarget:
        card = card_prices.get((planned.planned.backend.name, planned.planned.node.model or ""))
        return (
            planned._replace(price=price_of_plan(planned.planned, Fraction(card.amount))) if card else planned
        )

    return [*map(priced, plans)], [*map(priced, today)]


def _scheduled(planned: TargetPlan, how: str) -> Schedule | None:
    if how != "scheduled":
        return None
    from gpuxlate.planning.schedule import schedule

    return schedule(planned)


def _profiles(names: Sequence[str]) -> dict[str, Profile]:
    """The profiles by target."""
    profiles: dict[str, Profile] = {}
    for name in names:
        profile = lookup.profile(name)
        assert profile is not None
        target = lookup.target(profile.target).name
        if target in profiles:
            raise UserError(
                msg("two profiles are for {target}", target=target), "pass one profile of each target"
            )
        profiles[target] = profile
    return profiles


NODE = regex(
    r"(?:(?P<target>[^=]+)=)?(?P<card>[^=:]+):(?P<number>[1-9][0-9]{0,3})(?::(?P<mib>[1-9][0-9]{0,8}))?"
)
NODES_NEEDED = (
    "pass --node A10-24GB:4, or --profile FILE with cards: {perNode: 4, memoryMiB: 22731}, once for each "
    "target"
)


def _nodes(texts: Sequence[str], profiles: dict[str, Profile]) -> CardProfile | None:
    """The nodes of ``--node`` for any target; those of one target go to ``profiles``. Raises UserError."""
    of_any = None
    for text in texts:
        parsed = NODE.fullmatch(text)
        if parsed is None:
            raise InvalidValueError("--node", text, "write a card and the cards of a node: A10-24GB:4")
        card_profile = _cards_of(text, *parsed.group("card", "number", "mib"))
        target = parsed["target"] and lookup.target(parsed["target"]).name
        if target is None and of_any is None:
            of_any = card_profile
        elif target is not None and target not in profiles:
            profiles[target] = Profile(target, cards=card_profile)
        else:
            message = msg("--node {value}: the nodes of {target} are given twice", value=text, target=target)
            if target is None:
                message = msg("--node {value}: the nodes of all targets are given twice", value=text)
            raise UserError(message, "pass one --node or one profile of each target")
    return of_any


def _cards_of(text: str, name: str, number: str, mib: str | None) -> CardProfile:
    """The cards of a node. Raises UserError where the catalogue does not know them."""
    more = msg("add the MiB that nvidia-smi shows of a card: --node {value}:MIB", value=text)
    card, memory = card_of_catalogue(f"--node {text}", name, int(mib) if mib else None, more)
    return CardProfile(card, int(number), memory)


def card_of_catalogue(option: str, name: str, mib: int | None, more: str) -> tuple[str, int]:
    """The name of a card and its MiB, which ``mib`` says in place of the catalogue. Raises UserError.

    ``option``: with its value, for messages; ``more``: what to write where the catalogue has no memory.
    """
    card = card_by_short_name(name)
    if card is None:
        names = nearest(name)
        with_memory = [like for like in names if (known_card := card_named(like)) and known_card.memory_mib]
        near = join_or(with_memory or names)
        raise UserError(
            msg("{option}: the catalogue has no card {name}", option=option, name=name),
            suggest(near) if near else "gpuxlate targets --cards lists them",
        )
    memory = mib or card.memory_mib
    if memory is None:
        message = msg("{option}: the catalogue has no memory of {name}", option=option, name=card.name)
        raise UserError(message, more)
    return card.name, memory


def _with_nodes(profiles: Mapping[str, Profile], of_any: CardProfile | None) -> list[Backend]:
    """The targets of ``--to all``: those that can be planned. Raises UserError where there is none."""
    card = card_named(of_any.model or "") if of_any else None
    targets = [
        backend
        for backend in registry.all_writable()
        if backend.writes_pods
        and (backend.name in profiles or (card and backend.vendor in (None, card.vendor)))
    ]
    if not targets:
        raise UserError("no target has a profile: its cards and nodes are not known", NODES_NEEDED)
    return targets


def _profile_of(target: Backend, profiles: dict[str, Profile]) -> Profile:
    """The profile of a target, with what the others say of how their vendors' keys are read."""
    profile = profiles.get(target.name)
    if profile is None:
        raise UserError(
            msg("no profile is for {target}: its cards and nodes are not known", target=target.name),
            msg(
                "pass --node {target}=A10-24GB:4, or --profile FILE with target: {target} and cards: "
                "{{perNode: 4, memoryMiB: 22731}}",
                target=target.name,
            ),
        )
    parts = [part for other in profiles.values() if other is not profile for part in other.extensions]
    extension_types = {type(part) for part in profile.extensions}
    return replace(
        profile,
        extensions=(*profile.extensions, *(part for part in parts if type(part) not in extension_types)),
    )


# --- json -----------------------------------------------------------------------------------------


def _json(plans: Sequence[PlannedTarget], today: Sequence[PlannedTarget]) -> dict[str, Any]:
    from gpuxlate.planning.printed_plan import PlanOutput, Uncounted, printed_target_plan

    return PlanOutput(
        [
            printed_target_plan(
                planned.planned, planned.better, planned.run.leftovers, planned.scheduled, planned.price
            )
            for planned in plans
        ],
        [
            printed_target_plan(planned.planned, planned.better, (), planned.scheduled, planned.price)
            for planned in today
        ],
        [
            Uncounted(finding.file, finding.span.line if finding.span else None, finding.message)
            for finding in _uncounted(plans[0].run)
        ],
    ).to_json()


def _uncounted(run: Result) -> list[Any]:
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


def _container(path: tuple[Any, ...]) -> tuple[Any, ...]:
    """That of the container in which a place is."""
    return path[: path.index("resources")] if "resources" in path else path


# --- text -----------------------------------------------------------------------------------------


def _text(plans: Sequence[PlannedTarget], today: Sequence[PlannedTarget]) -> str:
    run = plans[0].run
    rows = [*(_row(planned, before=True) for planned in today), *(_row(planned) for planned in plans)]
    head = ["TARGET", "CARDS", "NODES", *(["AS SCHEDULED"] if plans[0].scheduled else [])]
    head += ["LOWER BOUND", "COMPUTE", "MEMORY", "BOTTLENECK"]
    sentence = counts_text(run)
    shares = list(counted_once(run.items))
    copies = sum(item.times for item in shares)
    if copies > len(shares):
        sentence = msg("{what}; {count} shares with all replicas", what=sentence, count=copies)
    blocks = [text_of([localize(sentence), ""]) + table(head, rows)]
    blocks += [text_of(_target(planned, before=True)) for planned in today]
    blocks += [text_of((*_target(planned), *_bars(planned.planned))) for planned in plans]
    blocks += [_price(planned) for planned in (*today, *plans) if planned.price]
    blocks += _left_behind(plans)
    uncounted = _uncounted(run)
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


def _row(planned: PlannedTarget, *, before: bool = False) -> list[str]:
    target_plan = planned.planned
    bound = target_plan.fleet.bound
    least = (
        msg("optimal")
        if target_plan.fleet.least
        else join_and((cards_text(bound.cards), nodes_text(bound.nodes)))
    )
    return [
        msg("{target} (before)", target=target_plan.backend.name) if before else target_plan.backend.name,
        str(target_plan.fleet.cards),
        str(target_plan.fleet.nodes),
        *([planned.scheduled.short] if planned.scheduled else []),
        least if target_plan.fleet.cards else msg("nothing packed"),
        f"{target_plan.use['cores'].percent} %",
        f"{target_plan.use['memoryMiB'].percent} %",
        msg(bound.by) if bound.by else "",
    ]


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
