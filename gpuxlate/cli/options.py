"""Options that several commands share, declared once."""

from __future__ import annotations

from typing import Annotated

import typer

from gpuxlate.cli.common import complete_target, complete_written
from gpuxlate.translation.acceptance import DROPPABLE

Paths = Annotated[list[str], typer.Argument(help="Files, folders or - for stdin.", metavar="PATH...")]
Specs = Annotated[list[str], typer.Argument(help="GPUShare documents, or - for stdin.", metavar="SPEC...")]
To = Annotated[
    str, typer.Option("--to", help="The target.", metavar="TARGET", autocompletion=complete_written)
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
OutputDir = Annotated[
    str | None, typer.Option("--output-dir", help="Write files into this folder.", metavar="DIR")
]
Report = Annotated[
    str | None,
    typer.Option("--report", help="Write a JSON report, also of a refusal.", metavar="FILE"),
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
Output = Annotated[str, typer.Option("-o", "--output", help="Output format.", metavar="FORMAT")]
