"""``gpuxlate plan``: the cards and nodes that the shares of manifests need at each target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.cli import lookup, options, outputs, printing
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.options import InvalidValueError
from gpuxlate.cli.plan_text import PlannedTarget, plan_text, uncounted_cards
from gpuxlate.cli.translations import (
    UNREADABLE,
    count_to_each,
    settle,
    show_findings,
    translation_settings,
)
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import join_or, msg, suggest
from gpuxlate.model.profile import CardProfile, Profile, card_by_short_name, card_named, nearest_cards
from gpuxlate.planning.plan import TargetPlan, plan, profile_with
from gpuxlate.planning.suggestions import better_values
from gpuxlate.translation.options import Settings
from gpuxlate.translation.translate import PLAN

if TYPE_CHECKING:
    from gpuxlate.planning.schedule import Schedule


def command(
    paths: options.Paths = options.CURRENT_FOLDER,
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
    output: options.TableOutput = "table",
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

        versions = component_versions(components, profiles.values())
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
    target_settings, decided = translation_settings(translation, owns, allow_leftovers=allow_leftovers)
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
        printing.out(plan_text(plans, today))
    any_left = any(
        each.diagnostic.severity is Severity.ERROR for planned in plans for each in planned.run.leftovers
    )
    complete = all(planned.planned.complete for planned in plans)
    clean = complete and not (any_left or broken or undecided)
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
        names = nearest_cards(name)
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
            for finding in uncounted_cards(plans[0].run)
        ],
    ).to_json()
