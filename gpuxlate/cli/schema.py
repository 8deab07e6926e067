"""``gpuxlate schema``: the JSON Schemas, and checking a file against one."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from gpuxlate.cli import common, options
from gpuxlate.cli.errors import CliError, Exit
from gpuxlate.files.find import STDIN, Input
from gpuxlate.model.limits import MAX_FINDINGS, MAX_PROBLEMS
from gpuxlate.model.messages import message_of, msg

KINDS = (
    "spec",
    "config",
    "profile",
    "diagnostics",
    "report",
    "plan",
    "shares",
    "rules",
    "targets",
    "compare",
    "inspect",
    "nodepool",
    "cost",
    "verify",
    "catalogue",
    "decisions",
    "sync",
    "sync-lock",
    "kubernetes-overlay",
)


def command(
    kind: Annotated[
        str,
        typer.Argument(
            help=options.listing("The kind of schema", KINDS),
            metavar="KIND",
            autocompletion=options.completing(*KINDS),
        ),
    ],
    check: Annotated[
        str | None,
        typer.Option(
            "--check", help="Check this YAML or JSON file (- for stdin) against it.", metavar="FILE"
        ),
    ] = None,
    output: Annotated[str, options.output("json")] = "json",  # noqa: ARG001 - there is no other
) -> int:
    """Print a JSON Schema: of a document that people write, or of JSON that gpuxlate prints."""
    if kind not in KINDS:
        raise CliError(msg("no schema {kind!r}", kind=kind), msg("kinds: {names}", names=", ".join(KINDS)))
    from gpuxlate.config.schemas import schema

    if check is None:
        common.json_out(schema(kind))
        return Exit.CLEAN
    from jsonschema import Draft202012Validator

    from gpuxlate.yamltext.plain import plain_document

    try:
        data = plain_document(Input(*((STDIN, None) if check == "-" else (check, Path(check)))).source())
    except ValueError as error:
        raise CliError(
            msg("{check}: invalid YAML: {error}", check=check, error=message_of(error)),
            code=Exit.FINDINGS,
        ) from None
    found = islice(Draft202012Validator(schema(kind)).iter_errors(data), MAX_FINDINGS)
    problems = sorted(found, key=lambda e: list(map(str, e.path)))
    for problem in problems[:MAX_PROBLEMS]:
        where = "/".join(map(str, problem.absolute_path)) or "(root)"
        common.stderr_line(
            msg("{check}: {where}: {message}", check=check, where=where, message=problem.message)
        )
    if len(problems) > MAX_PROBLEMS:
        common.stderr_line(
            msg("{check}: there are {number} more problems", check=check, number=len(problems) - MAX_PROBLEMS)
        )
    return Exit.FINDINGS if problems else Exit.CLEAN
