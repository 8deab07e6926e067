"""``gpuxlate schema``: the JSON Schemas, and checking a file against one."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

import typer

from gpuxlate.cli import options, printing
from gpuxlate.cli.schemas import schema
from gpuxlate.config.schemas import Kind
from gpuxlate.files.find import STDIN, Input
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.limits import MAX_FINDINGS, MAX_PROBLEMS
from gpuxlate.model.messages import message_of, msg


def command(
    kind: Annotated[Kind, typer.Argument(help="The kind of schema.", metavar="KIND")],
    check: Annotated[
        str | None,
        typer.Option(
            "--check", help="Check this YAML or JSON file (- for stdin) against it.", metavar="FILE"
        ),
    ] = None,
    output: Annotated[  # noqa: ARG001 - there is no other
        Literal["json"], typer.Option(*options.FORMATS, help="Output format.", metavar="FORMAT")
    ] = "json",
) -> int:
    """Print a JSON Schema: of a document that people write, or of JSON that gpuxlate prints."""
    if check is None:
        printing.json_out(schema(kind))
        return Exit.CLEAN
    from jsonschema import Draft202012Validator

    from gpuxlate.yamltext.plain import plain_document

    try:
        data = plain_document(Input(*((STDIN, None) if check == "-" else (check, Path(check)))).source())
    except ValueError as error:
        raise UserError(
            msg("{check}: invalid YAML: {error}", check=check, error=message_of(error)),
            exit_code=Exit.FINDINGS,
        ) from None
    errors = islice(Draft202012Validator(schema(kind)).iter_errors(data), MAX_FINDINGS)
    problems = sorted(errors, key=lambda e: list(map(str, e.path)))
    for problem in problems[:MAX_PROBLEMS]:
        where = "/".join(map(str, problem.absolute_path)) or "(root)"
        printing.stderr_line(
            msg("{check}: {where}: {message}", check=check, where=where, message=problem.message)
        )
    if len(problems) > MAX_PROBLEMS:
        printing.stderr_line(
            msg("{check}: there are {number} more problems", check=check, number=len(problems) - MAX_PROBLEMS)
        )
    return Exit.FINDINGS if problems else Exit.CLEAN
