"""Options that several commands share, declared once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from gpuxlate.cli.common import CliError
from gpuxlate.model.messages import say
from gpuxlate.translation.acceptance import DROPPABLE

Complete = Callable[[str], list[str]]


def complete_target(incomplete: str) -> list[str]:
    """Shell completion of target names."""
    from gpuxlate.backends import registry

    return [name for name in registry.target_names() if name.startswith(incomplete)]


def complete_written(incomplete: str) -> list[str]:
    """Shell completion of the names of targets that are written."""
    from gpuxlate.backends import registry

    return [name for name in registry.writable_names() if name.startswith(incomplete)]


def complete_code(incomplete: str) -> list[tuple[str, str]]:
    """Shell completion of rule codes; of a list with commas, of its last.

    With the names, not the summaries: typer breaks longer lines in two, and shells offer both.
    """
    from gpuxlate.backends import registry
    from gpuxlate.rules import catalog

    before, comma, last = incomplete.rpartition(",")
    return [
        (before + comma + code, rule.name.replace("-", " "))
        for code, rule in catalog.all_rules(registry.all_backends()).items()
        if code.startswith(last.upper())
    ]


def completing(*words: str) -> Complete:
    """Shell completion of one of some words."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete


def one_of(
    flag: str, values: Sequence[str], help_: str, *others: str, metavar: str = "WHICH", what: str = "values"
) -> Any:
    """An option that takes one of some values; its help lists them. ``others``: more names of it."""

    def check(ctx: typer.Context, value: str | None) -> str | None:
        if value is not None and value not in values and not ctx.resilient_parsing:
            raise CliError(
                say("invalid value {value!r} for {flag}", value=value, flag=flag),
                say("{what}: {names}", what=what, names=", ".join(values)),
            )
        return value

    return typer.Option(
        flag,
        *others,
        help=f"{help_.rstrip('.')}: {', '.join(values)}.",
        metavar=metavar,
        callback=check,
        autocompletion=completing(*values),
    )


def output(*formats: str) -> Any:
    """``-o`` of a command with these formats, the default first."""
    return one_of("-o", formats, "Output format", "--output", metavar="FORMAT", what="formats")


def _a_file(value: str | None) -> str | None:
    """A path that is written to. Everywhere else ``-`` is a stream, and stdout has the result."""
    if value == "-":
        raise CliError(
            "invalid value '-' for --report: stdout has the result",
            "name a file; gpuxlate assess -o json prints the report",
        )
    return value


Paths = Annotated[list[str], typer.Argument(help="Files, folders or - for stdin.", metavar="PATH...")]
Specs = Annotated[list[str], typer.Argument(help="GPUShare documents, or - for stdin.", metavar="SPEC...")]
To = Annotated[
    str, typer.Option("--to", help="The target.", metavar="TARGET", autocompletion=complete_written)
]
Tos = Annotated[
    list[str],
    typer.Option(
        "--to",
        help="The target; may be repeated.",
        metavar="TARGET",
        autocompletion=complete_written,
    ),
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        help="The dialect to read; found by its keys otherwise.",
        metavar="TARGET",
        autocompletion=complete_target,
    ),
]
Round = Annotated[
    str | None,
    typer.Option("--round", help="Accept rounding: up (never below the request).", metavar="up"),
]
Fill = Annotated[
    list[str],
    typer.Option("--fill", help="Set an unset field, per card: cores=30, memoryMiB=8192.", metavar="FIELD=N"),
]
Drop = Annotated[
    list[str],
    typer.Option("--drop", help=f"Fields that may be lost: {', '.join(DROPPABLE)}.", metavar="FIELD[,FIELD]"),
]
ProfileFile = Annotated[
    str | None, typer.Option("--profile", help="A cluster profile (YAML).", metavar="FILE")
]
ProfileFiles = Annotated[
    list[str],
    typer.Option("--profile", help="A cluster profile (YAML), one of each target.", metavar="FILE"),
]
Html = Annotated[str | None, typer.Option("--html", help="Draw the result in one HTML page.", metavar="FILE")]
OutputDir = Annotated[
    str | None, typer.Option("--output-dir", help="Write files into this folder.", metavar="DIR")
]
Report = Annotated[
    str | None,
    typer.Option(
        "--report", help="Write a JSON report, also of a refusal.", metavar="FILE", callback=_a_file
    ),
]
AllowLeftovers = Annotated[
    bool,
    typer.Option(
        "--allow-leftovers", help="Accept what is left behind of the source: it becomes a warning (GX026)."
    ),
]
AllowOutside = Annotated[
    bool,
    typer.Option("--allow-outside", help="A document may name a workload outside of its folder."),
]
Output = Annotated[str, output("table", "json")]
TextOutput = Annotated[str, output("text", "json")]
HERE = ["."]
"""The PATH of commands that only look, where none is given."""
