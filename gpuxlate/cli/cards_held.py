"""``gpuxlate cost`` where pods run on nodes: the part of a card that each container holds, and its price."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar, NamedTuple

from gpuxlate.backends.pod_writer import Accept
from gpuxlate.backends.target import Backend
from gpuxlate.cli import lookup, prices, printing
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.plan import card_of_catalogue
from gpuxlate.cli.tables import table
from gpuxlate.cli.translations import UNREADABLE, count_to_each, leftover_table
from gpuxlate.config.document import ShareDocuments, is_share_document, may_have_shares
from gpuxlate.config.prices import CardPrice
from gpuxlate.files.find import Input, InputError
from gpuxlate.locale import localize
from gpuxlate.model.declarations import OMITTED, Count, Output, Positive, Printed, Sometimes, record
from gpuxlate.model.diagnostics import ObjectRef, Severity
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.exact import Exact, decimal_text
from gpuxlate.model.messages import message_of, msg
from gpuxlate.model.profile import CardProfile, Profile, all_cards
from gpuxlate.planning.loads import Load, loads_of
from gpuxlate.planning.parts import UnknownPartError
from gpuxlate.planning.plan import NodeType, node_type
from gpuxlate.planning.prices import cards_held
from gpuxlate.planning.requests import Asks
from gpuxlate.report.characters import text_of
from gpuxlate.translation.fit import fit_pod
from gpuxlate.translation.items import Item
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.options import Settings
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import PLAN
from gpuxlate.yamltext.parse import NotYamlError, documents, with_location


@record
class HeldByContainer(Printed):
    """What one container of a workload holds."""

    container: str
    """The container; empty for a GPUShare document."""
    cores: Count
    """Compute in percent of one card."""
    memory_mib: Count | None
    """Memory in MiB of one card; null: all of it."""
    cards: Exact
    """Cards that it holds: on each the larger part of compute and memory, or all of it."""


@record
class HeldByWorkload(Printed):
    """What one workload holds."""

    workload: str
    """Namespace, kind and name of the object."""
    pods: Count
    """Its pods."""
    containers: Sequence[HeldByContainer]
    """The containers of one pod."""
    cards_each: Exact
    """Cards that one pod holds: the most at one time."""
    cards: Exact
    """Cards that all of them hold."""
    price: Sometimes[Exact]
    """What these cost for the hours. Where the card has a price."""


@record
class SharesOnCard(Printed):
    """The shares on one kind of card."""

    card: str
    """Its name."""
    usable_mib: Positive
    """MiB of it that shares can use."""
    per_card: Sometimes[Exact]
    """The price of one card for an hour. Where it has one."""
    items: Sequence[HeldByWorkload]
    """Every workload."""
    cards: Exact
    """Cards that all of them hold."""
    price: Sometimes[Exact]
    """What these cost for the hours. Where the card has a price."""


@record
class CardsHeld(Output):
    """What cost -o json prints of a target whose pods run on nodes."""

    KIND: ClassVar[str] = "cards-held"
    target: str
    """The target."""
    hours: Exact
    """The hours."""
    cards: Sequence[SharesOnCard]
    """The shares on each kind of card."""
    leftovers: Sequence[Leftover]
    """What is not translated of the manifests, and not counted."""


INSPECT_HINT = "gpuxlate inspect lists shares"


class CostRequest(NamedTuple):
    """What the options say: the card and its memory, pods of a GPUShare document, and what is accepted."""

    backend: Backend
    source: Backend | None
    profile: Profile
    card: str | None
    memory_mib: int | None
    prices: Sequence[CardPrice]
    pods: int | None
    accept: Accept
    hours: Fraction


def print_cards_held(paths: Sequence[str], request: CostRequest, output: str) -> int:
    """Print what the shares of GPUShare documents and manifests hold. Raises UserError, InputError."""
    nodes = [_node(request, card) for card in _cards(request)]
    amounts = prices.of_run(request.prices, [(request.backend.name, node.model or "") for node in nodes])
    specs, manifests = _by_kind(Inputs(paths).some(), request.profile)
    if request.pods and manifests:
        raise UserError(
            "--pods is for GPUShare documents: a manifest has its own number of pods", "leave it out"
        )
    settings = [
        Settings(
            request.backend, request.source, request.accept, _profile(request, node), allow_leftovers=True
        )
        for node in nodes
    ]
    runs = count_to_each(manifests, settings, PLAN) if manifests else [Result() for _ in nodes]
    first = runs[0]
    problems = [*specs.diagnostics, *(finding for finding in first.diagnostics if finding.code in UNREADABLE)]
    held: list[SharesOnCard] = []
    for node, result in zip(nodes, runs, strict=True):
        loads, refused = loads_of([*result.items, *_of_specs(specs, request, _profile(request, node))])
        problems += [finding for item in refused for finding in item.diagnostics]
        if not (loads or problems):
            raise UserError(
                msg("{names}: no share to price", names=", ".join(paths)), INSPECT_HINT, Exit.INPUT
            )
        if problems:
            break
        amount = amounts.get((request.backend.name, node.model or ""))
        held.append(_on_card(loads, node, request, amount))
    for source in first.sources:
        specs.sources.add(source)
    printing.show(problems, specs.sources)
    if problems:
        return Exit.FINDINGS
    leftovers = first.leftovers
    if output == "json":
        printing.json_out(CardsHeld(request.backend.name, Exact.of(request.hours), held, leftovers).to_json())
    else:
        tables = [
            *(_text(request, on_card) for on_card in held),
            *([leftover_table(leftovers)] if leftovers else []),
        ]
        printing.out("\n".join(tables))
    any_left = any(leftover.diagnostic.severity is Severity.ERROR for leftover in leftovers)
    return Exit.INPUT if first.unreadable else Exit.FINDINGS if any_left else Exit.CLEAN


def _cards(request: CostRequest) -> Iterator[tuple[str, str]]:
    """The cards of the run, each with the option that names it: that of --card or of the profile, else those
    with a price. Raises UserError."""
    if request.card:
        yield f"--card {request.card}", request.card
        return
    if request.profile.cards.model:
        yield "cards.model", request.profile.cards.model
        return
    config = lookup.config()
    vendor = request.backend.vendor
    of_vendor = {
        card.name.casefold() for card in all_cards() if card.memory_mib and vendor in (None, card.vendor)
    }
    configured = [price for price in (config.prices if config else ()) if price.card.casefold() in of_vendor]
    prices_of_vendor = [
        price for price in (*request.prices, *configured) if price.target in (None, request.backend.name)
    ]
    if not prices_of_vendor:
        raise UserError("the card is not given", "pass --card A10-24GB, or a price: --price A10-24GB=10.5")
    yield from (
        (f"--price {price.name}", price.card)
        for price in {price.card.casefold(): price for price in prices_of_vendor}.values()
    )


def _node(request: CostRequest, card: tuple[str, str]) -> NodeType:
    """A node with one of the cards: how many it has does not change what a share holds."""
    option, name = card
    mib = request.memory_mib or request.profile.cards.memory_mib
    more = msg("add the MiB that nvidia-smi shows of a card: --card {name} --card-memory-mib MIB", name=name)
    model, memory = card_of_catalogue(option, name, mib, more)
    return node_type(request.backend, replace(request.profile, cards=CardProfile(model, 1, memory)))


def _profile(request: CostRequest, node: NodeType) -> Profile:
    cards = request.profile.cards._replace(model=node.model, memory_mib=node.usable_mib)
    return replace(request.profile, cards=cards)


def _by_kind(inputs: Iterable[Input], profile: Profile) -> tuple[ShareDocuments, list[Input]]:
    """The GPUShare documents, and the inputs with manifests. Each text is parsed once."""
    specs = ShareDocuments()
    manifests: list[Input] = []
    for file in inputs:
        if file.path is None:
            file = replace(file, data=file.read_bytes())
        try:
            source = file.source()
            parsed = [*documents(source)] if may_have_shares(source.text) else []
        except (InputError, NotYamlError):
            parsed = []  # who reads the manifests says it
        if any(map(is_share_document, parsed)):
            specs.add(file, source, parsed, profile)
        else:
            manifests.append(file)
    return specs, manifests


def _of_specs(specs: ShareDocuments, request: CostRequest, profile: Profile) -> Iterator[Item]:
    """The shares of GPUShare documents as those of pods."""
    for _, document, share in specs.shares:
        fit = fit_pod([share.of_container()], request.backend, request.accept, profile)
        outcome = fit.outcomes[0]
        yield Item(
            file=document.source.name,
            document=document.index,
            object=ObjectRef(kind="GPUShare", name=share.name),
            container="",
            source="",
            target=request.backend.name,
            share=share.share,
            verdict=outcome.verdict,
            losses=outcome.losses,
            diagnostics=tuple(with_location(document, finding) for finding in fit.findings()),
            replicas=request.pods or 1,
            granted=outcome.granted if fit.accepted else None,
        )


def _on_card(
    loads: Iterable[Load], node: NodeType, request: CostRequest, price: CardPrice | None
) -> SharesOnCard:
    profile = _profile(request, node)
    amount = Fraction(price.amount) if price else None
    items, total = [], Fraction(0)
    for load in loads:
        try:
            asks = load.asks(request.backend, profile)
        except UnknownPartError as error:
            raise UserError(
                msg("{name}: {why}", name=load.name, why=message_of(error)), "name the card: --card NAME"
            ) from None
        each = cards_held(asks, node.usable_mib)
        total += each * load.pods
        items.append(
            HeldByWorkload(
                load.name,
                load.pods,
                [*_containers(load, asks, node.usable_mib)],
                Exact.of(each),
                Exact.of(each * load.pods),
                OMITTED if amount is None else Exact.of(each * load.pods * amount * request.hours),
            )
        )
    return SharesOnCard(
        node.model or "",
        node.usable_mib,
        OMITTED if amount is None else Exact.of(amount),
        items,
        Exact.of(total),
        OMITTED if amount is None else Exact.of(total * amount * request.hours),
    )


def _containers(load: Load, asks: Asks, card_mib: int) -> Iterator[HeldByContainer]:
    for number, item in enumerate(load.items):
        of_container = tuple(replace(ask, ends=False) for ask in asks if ask.index == number)
        if of_container:
            first = of_container[0]
            yield HeldByContainer(
                item.container, first.percent, first.memory_mib, Exact.of(cards_held(of_container, card_mib))
            )


# --- text -----------------------------------------------------------------------------------------


def _text(request: CostRequest, on_card: SharesOnCard) -> str:
    """What each container holds, and the sum of each workload."""
    values = {"target": request.backend.name, "card": on_card.card, "usable": on_card.usable_mib}
    about = msg("{target}: {card}, {usable} MiB to share", **values)
    head, total = ["WORKLOAD", "CONTAINER", "COMPUTE", "MEMORY", "PODS", "CARDS"], str(on_card.cards)
    rows = [row for item in on_card.items for row in _rows(item)]
    rows.append([msg("total"), "", "", "", "", total])
    if on_card.per_card is not OMITTED:
        hours = decimal_text(request.hours)
        about = msg(
            "{about}; {price} for a card and hour, {hours} h",
            about=about,
            price=on_card.per_card,
            hours=hours,
        )
        head.append("PRICE")
        rows[-1].append(str(on_card.price))
    return text_of([localize(about)]) + table(head, rows)


def _rows(item: HeldByWorkload) -> Iterator[list[str]]:
    """A line for each container, the first with the sum of the pods."""
    for number, held in enumerate(item.containers):
        memory = msg("all") if held.memory_mib is None else f"{held.memory_mib} MiB"
        sums = [str(item.pods), str(item.cards), *([str(item.price)] if item.price is not OMITTED else [])]
        row = [item.workload, held.container, f"{held.cores} %", memory, *sums]
        yield row if number == 0 else ["", *row[1:4], *([""] * len(sums))]
