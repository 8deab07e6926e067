"""``gpuxlate cost``: what shares hold of cards, and cost.

Here by a vendor's formula, where one is documented; elsewhere ``cards_held``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar

import typer

from gpuxlate.backends import registry
from gpuxlate.backends.billing import (
    BilledBackend,
    BilledCard,
    BilledJob,
    Decides,
    PodCounts,
    Price,
)
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.cli import lookup, options, prices, printing
from gpuxlate.cli.inputs import Inputs
from gpuxlate.cli.tables import table
from gpuxlate.config.document import ShareDocument, read_specs
from gpuxlate.locale import localize
from gpuxlate.model.declarations import OMITTED, Count, Output, Printed, Sometimes, record, regex
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.exact import Exact, decimal_text
from gpuxlate.model.messages import join_and, message_of, msg
from gpuxlate.model.profile import CardProfile, Profile, card_name
from gpuxlate.report.characters import text_of
from gpuxlate.translation.fit import fit_pod
from gpuxlate.yamltext.parse import Document, with_location

MAX_PRICE_LENGTH = 32
"""Longer numbers are not hours or units that anybody means; keeps arithmetic bounded."""

_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_FRACTION = regex(rf"({_NUMBER})(?:/([0-9]+))?")
_DURATION = regex(rf"(?=.)(?:({_NUMBER})h)?(?:({_NUMBER})m)?(?:({_NUMBER})s)?")


@record
class PartOfCard(Printed):
    """The share as the formula has it."""

    compute: Exact
    """The part of the compute of a card."""
    memory: Exact
    """The part of its memory."""
    billed: Exact
    """The part that is billed."""
    decides: Decides
    """Which of both the price follows."""


@record
class BilledPods(Printed):
    """The pods of one role."""

    role: str
    """What they are in the job."""
    count: Count
    """How many."""
    gpu_hours_each: Exact
    """GPU-hours of one."""
    gpu_hours: Exact
    """GPU-hours of all."""


@record
class BreakEven(Printed):
    """Up to where the other part of a card costs nothing more."""

    memory_mib: Exact
    """Memory above which it decides the price, in MiB."""
    free_memory_mib: int
    """Memory that costs nothing more, in MiB."""
    cores: Exact
    """Compute above which it decides the price, in percent of one card."""
    free_cores: int
    """Compute that costs nothing more, in percent of one card."""


@record
class BilledShare(Printed):
    """One share."""

    name: str
    """Name of the share."""
    cores: Count
    """Compute in percent of one card."""
    memory_mib: Count
    """GPU memory in MiB."""
    share: PartOfCard
    """The share as the formula has it."""
    pods: Sequence[BilledPods]
    """Its pods by role."""
    gpu_hours: Exact
    """GPU-hours of all of them."""
    price: Sometimes[Exact]
    """What they cost. Where the card has a price."""
    break_even: BreakEven
    """Up to where the other part of a card costs nothing more."""


@record
class CardOfBill(Printed):
    """The card."""

    name: str | None
    """Its name; null: it was given in numbers."""
    units: Exact
    """GPU-hours for one hour of it."""
    memory_mib: Count
    """Its memory in MiB."""
    per_card: Sometimes[Exact]
    """The price of one card for an hour. Where it has one."""


@record
class Bill(Output):
    """What cost -o json prints."""

    KIND: ClassVar[str] = "cost"
    target: str
    """The target."""
    billing: str
    """The billing plan."""
    card: CardOfBill
    """The card."""
    hours: Exact
    """Hours that the jobs run."""
    items: Sequence[BilledShare]
    """Every share."""
    gpu_hours: Exact
    """GPU-hours of all shares."""
    price: Sometimes[Exact]
    """What they cost. Where the card has a price."""


def command(
    paths: options.PricedPaths,
    to: options.To,
    *,
    price: options.Prices = [],
    from_: options.From = None,
    hours: Annotated[
        str, typer.Option("--hours", help="How long the job runs: 1, 0.5, 1/3, 90m, 1h30m.", metavar="HOURS")
    ] = "1",
    pods: Annotated[
        int | None,
        typer.Option(
            "--pods", help="The number of pods of the job (default: 1).", metavar="COUNT", min=1, max=10**6
        ),
    ] = None,
    executors: Annotated[
        int | None,
        typer.Option(
            "--executors",
            help="Spark: the number of executors with a GPU.",
            metavar="COUNT",
            min=0,
            max=10**6,
        ),
    ] = None,
    driver: Annotated[
        bool | None,
        typer.Option(
            "--driver/--no-driver", help="Spark: whether the driver has a GPU, as in the vendor's conf."
        ),
    ] = None,
    card: Annotated[
        str | None,
        typer.Option("--card", help="The card (default: those with a price): A10-24GB.", metavar="NAME"),
    ] = None,
    card_units: Annotated[
        str | None,
        typer.Option("--card-units", help="The GPU-hours of one hour of the card.", metavar="UNITS"),
    ] = None,
    card_memory: Annotated[
        int | None,
        typer.Option(
            "--card-memory-mib", help="The memory of the card that shares can use.", metavar="MIB", min=1
        ),
    ] = None,
    profile: options.ProfileFile = None,
    losses: options.LossOptions,
    output: options.TableOutput = "table",
) -> int:
    """Compute the part of a card that each share holds (the larger of compute and memory), and its price.

    For EMR Serverless, in GPU-hours of the vendor. Elsewhere the price of a card is that of --price or of
    `prices:` in the configuration; there is no default.
    """
    backend = lookup.written_target(to)
    time = _parse_option("--hours", hours, hours_of)
    chosen = prices.read_prices(price)
    if not isinstance(backend, BilledBackend):
        from gpuxlate.cli import cards_held

        for option, value in (("--executors", executors), ("--driver", driver), ("--card-units", card_units)):
            if value is not None:
                names = ", ".join(
                    target.name for target in registry.all_backends() if isinstance(target, BilledBackend)
                )
                raise UserError(
                    msg("{option} is not of {name}", option=option, name=backend.name),
                    msg("targets: {names}", names=names),
                )
        source = lookup.target(from_) if from_ else None
        target_profile = lookup.profile(profile) or Profile(backend.name)
        accept = losses.accept()
        request = cards_held.CostRequest(
            backend, source, target_profile, card, card_memory, chosen, pods, accept, time
        )
        return cards_held.print_cards_held(paths, request, output)
    for option, value in (("--profile", profile), ("--from", from_)):
        if value is not None:
            message = msg("{option} is not of {name}", option=option, name=backend.name)
            raise UserError(message, "leave it out")
    billed = _card(backend, card, card_units, card_memory)
    count = backend.billed_pods(PodCounts(pods, executors, driver))
    amounts = prices.of_run(chosen, [(backend.name, card)] if card else [])
    amount = Fraction(amounts[backend.name, card].amount) if card and amounts else None
    accept = losses.accept()
    documents = read_specs(Inputs(paths).some())
    jobs: list[BilledJob] = []
    diagnostics = list(documents.diagnostics)
    for _, document, share in documents.shares:
        fitted, findings = _price(document, share, backend, accept, billed, time)
        diagnostics += findings
        if fitted is not None:
            jobs.append(BilledJob(share.name, fitted, count))
    printing.show(diagnostics, documents.sources)
    if len(jobs) < len(documents.shares) or documents.broken:
        return Exit.FINDINGS
    if output == "json":
        printing.json_out(_json(backend, card, billed, time, jobs, amount))
    else:
        printing.out(_text(backend, card, billed, jobs, amount))
    return Exit.CLEAN


def _parse_option(option: str, text: str, read: Callable[[str], Fraction]) -> Fraction:
    try:
        return read(text)
    except ValueError as error:
        hint = "write 1, 0.5, 1/3, 90m or 1h30m" if read is hours_of else "write 10, 0.5 or 1/3"
        raise UserError(
            msg("{option} {text}: {error}", option=option, text=text, error=message_of(error)), hint
        ) from None


def _card(backend: BilledBackend, name: str | None, units: str | None, memory_mib: int | None) -> BilledCard:
    """The card by its figures, or by the name of a card whose figures are known. Never a guess."""
    figures = {card_name(key).casefold(): card for key, card in backend.billed_cards.items()}
    billed = figures.get(card_name(name).casefold()) if name else None
    card_units, memory = (billed.units, billed.memory_mib) if billed else (None, None)
    if units is not None:
        card_units = _parse_option("--card-units", units, price_number)
    if memory_mib is not None:
        memory = memory_mib
    if card_units is not None and memory is not None:
        return BilledCard(card_units, memory)
    missing = [
        option
        for option, value in (("--card-units", card_units), ("--card-memory-mib", memory))
        if value is None
    ]
    hint = msg("give {names}", names=join_and(missing, "{before} and {last}"))
    if name:
        raise UserError(msg("the figures of {name} are not known", name=name), hint)
    raise UserError(
        "the card is not given",
        msg("{hint}, or --card {names}", hint=hint, names=", ".join(backend.billed_cards)),
    )


def _price(
    document: Document,
    share: ShareDocument,
    backend: BilledBackend,
    accept: Accept,
    card: BilledCard,
    hours: Fraction,
) -> tuple[Price | None, list[Diagnostic]]:
    """The price of a share as the target gets it, or why the target does not take it."""
    profile = Profile(backend.name, cards=CardProfile(memory_mib=card.memory_mib))
    fit = fit_pod([share.of_container()], backend, accept, profile)
    findings = [with_location(document, finding) for finding in fit.findings()]
    outcome = fit.outcomes[0]
    cores, memory = outcome.granted.cores, outcome.granted.memory_mib
    if not fit.accepted or cores is None or memory is None:
        return None, findings
    return backend.price(card, cores, memory, hours), findings


def _text(
    backend: BilledBackend,
    name: str | None,
    card: BilledCard,
    jobs: Sequence[BilledJob],
    amount: Fraction | None,
) -> str:
    parts = [
        _sentence(
            "card{called}: {units} GPU-hours for one hour, {memory} MiB usable",
            called=f" ({name})" if name else "",
            units=_both(card.units),
            memory=card.memory_mib,
        ),
        *(_job(job, amount) for job in jobs),
    ]
    if len(jobs) > 1:
        rows = [[job.name, *_hours_and_price(job.gpu_hours, card, amount)] for job in jobs]
        total = sum((job.gpu_hours for job in jobs), Fraction(0))
        rows.append([msg("total"), *_hours_and_price(total, card, amount)])
        parts.append(table(["SHARE", "GPU-HOURS", "ROUNDED", *_head_of_price(amount)], rows))
    return "\n".join([*parts, text_of([localize(backend.billing_note)])])


def _sentence(template: str, **values: object) -> str:
    """A line of text."""
    return text_of([localize(msg(template, **values))])


def _hours_and_price(hours: Fraction, card: BilledCard, amount: Fraction | None) -> list[str]:
    """GPU-hours, exactly and rounded, and what they cost. ``amount``: the price of the card for an hour."""
    shown = [str(hours), decimal_text(hours)]
    return shown if amount is None else [*shown, decimal_text(hours / card.units * amount)]


def _head_of_price(amount: Fraction | None) -> list[str]:
    return [] if amount is None else ["PRICE"]


def _job(job: BilledJob, amount: Fraction | None) -> str:
    price = job.price
    parts = [
        [msg("compute"), f"{price.cores} %", *_part(price.compute_part), _yes(price, Decides.COMPUTE)],
        [msg("memory"), f"{price.memory_mib} MiB", *_part(price.memory_part), _yes(price, Decides.MEMORY)],
    ]
    hours = _both(price.hours)
    each = price.gpu_hours
    pods = [
        [role, str(count), hours, str(each), *_hours_and_price(each * count, price.card, amount)]
        for role, count in job.pods
    ]
    count = sum(n for _, n in job.pods)
    pods.append([msg("job"), str(count), hours, "", *_hours_and_price(job.gpu_hours, price.card, amount)])
    return "\n".join(
        [
            text_of([job.name]),
            table(["", "ASKED", "OF THE CARD", "", "DECIDES"], parts),
            table(
                ["PODS", "COUNT", "HOURS", "GPU-HOURS EACH", "GPU-HOURS", "ROUNDED", *_head_of_price(amount)],
                pods,
            ),
            _break_even(price),
        ]
    )


def _part(part: Fraction) -> tuple[str, str]:
    return str(part), f"{decimal_text(part * 100, 4)} %"


def _yes(price: Price, side: Decides) -> str:
    return msg("yes") if price.decides in (side, Decides.BOTH) else ""


def _break_even(price: Price) -> str:
    memory, cores = price.break_even_memory_mib, price.break_even_cores
    above = "break-even at {asked} %: above {limit} MiB memory decides the price"
    lines = [_sentence(above, asked=price.cores, limit=_both(memory))]
    if free := price.free_memory_mib:
        up_to = "  up to {limit} MiB memory costs nothing more: {free} MiB are free"
        lines.append(_sentence(up_to, limit=int(memory), free=free))
    above = "break-even at {asked} MiB: above {limit} % compute decides the price"
    lines.append(_sentence(above, asked=price.memory_mib, limit=_both(cores)))
    if free := price.free_cores:
        up_to = "  up to {limit} % compute costs nothing more: {free} % are free"
        lines.append(_sentence(up_to, limit=int(cores), free=free))
    return "".join(lines)


def _both(value: Fraction) -> str:
    """The decimal, with the exact fraction where that is rounded."""
    shown = decimal_text(value)
    return shown if Fraction(shown) == value else f"{shown} ({value})"


def _json(
    backend: BilledBackend,
    name: str | None,
    card: BilledCard,
    hours: Fraction,
    jobs: Sequence[BilledJob],
    amount: Fraction | None,
) -> dict[str, Any]:
    total = sum((job.gpu_hours for job in jobs), Fraction(0))
    per_card = OMITTED if amount is None else Exact.of(amount)
    return Bill(
        backend.name,
        backend.billing_plan,
        CardOfBill(name, Exact.of(card.units), card.memory_mib, per_card),
        Exact.of(hours),
        [_item(job, amount) for job in jobs],
        Exact.of(total),
        _price_of(total, card, amount),
    ).to_json()


def _price_of(hours: Fraction, card: BilledCard, amount: Fraction | None) -> Sometimes[Exact]:
    return OMITTED if amount is None else Exact.of(hours / card.units * amount)


def _item(job: BilledJob, amount: Fraction | None) -> BilledShare:
    price, each = job.price, job.price.gpu_hours
    free_memory, free_cores = price.free_memory_mib, price.free_cores
    return BilledShare(
        job.name,
        price.cores,
        price.memory_mib,
        PartOfCard(
            Exact.of(price.compute_part), Exact.of(price.memory_part), Exact.of(price.part), price.decides
        ),
        [BilledPods(role, count, Exact.of(each), Exact.of(each * count)) for role, count in job.pods],
        Exact.of(job.gpu_hours),
        _price_of(job.gpu_hours, price.card, amount),
        BreakEven(
            Exact.of(price.break_even_memory_mib), free_memory, Exact.of(price.break_even_cores), free_cores
        ),
    )


def price_number(text: str) -> Fraction:
    """A number above 0, as ``10``, ``0.5`` or ``1/3``, exactly. Raises ValueError."""
    match = _FRACTION.fullmatch(text) if len(text) <= MAX_PRICE_LENGTH else None
    if match is None or int(match[2] or 1) == 0:
        raise ValueError(msg("{text!r} is not a number", text=text[:MAX_PRICE_LENGTH]))
    return _positive(Fraction(match[1]) / int(match[2] or 1))


def hours_of(text: str) -> Fraction:
    """Hours: a number (``1``, ``0.5``, ``1/3``) or a duration (``90m``, ``1h30m``). Raises ValueError."""
    match = _DURATION.fullmatch(text) if len(text) <= MAX_PRICE_LENGTH else None
    if match is None:
        return price_number(text)
    return _positive(sum((Fraction(match[n + 1] or 0) / 60**n for n in range(3)), Fraction(0)))


def _positive(value: Fraction) -> Fraction:
    if value <= 0:
        raise ValueError("it must be more than 0")
    return value
