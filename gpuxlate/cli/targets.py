"""``gpuxlate targets``: the fields of a share that each target supports, and the cards of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal

import typer

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.cli import lookup, options, printing
from gpuxlate.cli.tables import table
from gpuxlate.locale import localize
from gpuxlate.model.declarations import Keywords, Output, Positive, Printed, record
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.keys import Place
from gpuxlate.model.messages import msg
from gpuxlate.model.profile import Card, all_cards
from gpuxlate.model.share import JSON_NAMES

_FIELDS = Keywords(required=[*JSON_NAMES.values()], propertyNames={"enum": [*JSON_NAMES.values()]})


@record
class PrintedKey(Printed):
    """One key of a target."""

    name: str
    """The key."""
    places: Sequence[Place | Literal["parameter"]]
    """Where it may stand."""
    meaning: str
    """What it sets."""
    unit: str | None
    """What its number counts; null: it has none."""
    source: str | None
    """The document that says so; null: that of the target."""


@record
class PrintedTarget(Printed):
    """One target."""

    name: str
    """Name of the target."""
    aliases: Sequence[str]
    """Other names that are taken for it."""
    title: str
    """The product."""
    read_only: bool
    """It is read, and not written."""
    fields: Annotated[Mapping[str, str | None], _FIELDS]
    """How it represents each field of a share; null: it is not supported."""
    keys: Sequence[PrintedKey]
    """Its keys."""


@record
class TargetsOutput(Output):
    """What targets -o json prints."""

    KIND: ClassVar[str] = "targets"
    targets: Sequence[PrintedTarget]
    """Every target."""


@record
class PrintedCard(Printed):
    """One card of the catalogue."""

    name: str
    """What --node, --card and a profile call it."""
    vendor: str
    """Its maker."""
    memory_mib: Positive | None
    """What can be allocated of its memory, in MiB; null: no document says it."""


@record
class CardsOutput(Output):
    """What targets --cards -o json prints."""

    KIND: ClassVar[str] = "cards"
    cards: Sequence[PrintedCard]
    """Every card."""


CardsOption = Annotated[
    bool,
    typer.Option(
        "--cards", help="List the cards of the catalogue, as --node, --card and profiles name them."
    ),
]


TargetNames = Annotated[
    list[str],
    typer.Argument(
        help="Targets to list (default: all).", metavar="[TARGET]...", autocompletion=options.complete_target
    ),
]


def command(
    names: TargetNames = [], output: options.TableOutput = "table", of_cards: CardsOption = False
) -> int:
    """List the targets, the fields of a share that each supports, and their representation."""
    if of_cards:
        if names:
            raise UserError(
                msg("{option} and {other} exclude each other", option="--cards", other="TARGET"),
                "--cards lists the cards of all vendors: leave out one of them",
            )
        _print_cards(output)
        return Exit.CLEAN
    backends = lookup.targets_by_name(names or [options.EVERY], registry.all_backends, lookup.target)
    if output == "json":
        printing.json_out(TargetsOutput([*map(_printed, backends)]).to_json())
    else:
        rows = [[_names(b), [*_fields(b)]] for b in backends]
        printing.out(table(["TARGET", "REPRESENTATION"], rows, lines=True))
    return Exit.CLEAN


def _print_cards(output: options.TableOutput) -> None:
    def order(card: Card) -> tuple[str, str]:
        return card.vendor, card.name

    printed = [
        PrintedCard(card.name, card.vendor, card.memory_mib) for card in sorted(all_cards(), key=order)
    ]
    if output == "json":
        printing.json_out(CardsOutput(printed).to_json())
        return
    rows = [[card.name, card.vendor, str(card.memory_mib or "")] for card in printed]
    printing.out(table(["CARD", "VENDOR", "MEMORY (MiB)"], rows))


def _printed(backend: Backend) -> PrintedTarget:
    keys = [
        PrintedKey(
            row.name,
            sorted(row.places) if backend.writes_pods else ["parameter"],
            row.meaning,
            row.unit_text or None,
            row.source or None,
        )
        for row in backend.keys
    ]
    fields = {name: backend.field_docs.get(name) for name in JSON_NAMES.values()}
    aliases = registry.aliases(backend.name)
    return PrintedTarget(backend.name, aliases, backend.title, backend.read_only, fields, keys)


def _names(backend: Backend) -> list[str]:
    read = [msg("  (read only)")] if backend.read_only else []
    return [backend.name, *(f"  {alias}" for alias in registry.aliases(backend.name)), *read]


def _fields(backend: Backend) -> Iterator[str]:
    """What each field is; those without anything on one line, since there are many targets."""
    yield from (
        msg("{title}: {text}", title=name, text=localize(backend.field_docs[name]))
        for name in JSON_NAMES.values()
        if name in backend.field_docs
    )
    missing = [name for name in JSON_NAMES.values() if name not in backend.field_docs]
    if missing:
        yield msg("not supported: {names}", names=", ".join(missing))
