"""``gpuxlate lint``: check manifests and GPUShare documents, and mend what can be mended."""

from __future__ import annotations

from typing import Annotated

import typer

from gpuxlate import report
from gpuxlate.cli import common, options
from gpuxlate.cli.lint_paths import FAIL_ON, lint_paths


def command(
    paths: options.Paths,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="text, json, sarif, github or gitlab.",
            metavar="FORMAT",
            autocompletion=common.completing(*report.FORMATS),
        ),
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Make the safe fixes.")] = False,
    unsafe_fixes: Annotated[bool, typer.Option("--unsafe-fixes", help="Make the unsafe fixes too.")] = False,
    select: Annotated[
        list[str],
        typer.Option(
            "--select",
            help="Only these rules (codes or beginnings).",
            metavar="CODE[,CODE]",
            autocompletion=common.complete_code,
        ),
    ] = [],  # noqa: B006 - typer copies it
    ignore: Annotated[
        list[str],
        typer.Option(
            "--ignore", help="Not these rules.", metavar="CODE[,CODE]", autocompletion=common.complete_code
        ),
    ] = [],  # noqa: B006
    profile: options.ProfileFile = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on",
            help="error (default), warning, info or never.",
            metavar="LEVEL",
            autocompletion=common.completing(*FAIL_ON),
        ),
    ] = None,
    allow_empty: Annotated[bool, typer.Option("--allow-empty", help="Nothing to check is no error.")] = False,
    statistics: Annotated[bool, typer.Option("--statistics", help="Print counts by rule.")] = False,
) -> int:
    """Check manifests and GPUShare documents."""
    return lint_paths(
        paths,
        format_=format_,
        fix=fix,
        unsafe_fixes=unsafe_fixes,
        select=select,
        ignore=ignore,
        profile=profile,
        fail_on=fail_on,
        allow_empty=allow_empty,
        statistics=statistics,
    )
