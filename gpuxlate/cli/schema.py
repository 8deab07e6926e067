"""``gpuxlate schema``: the JSON Schemas, and checking a file against one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gpuxlate.cli import options, printing
from gpuxlate.cli.schemas import schema
from gpuxlate.config.schemas import Kind
from gpuxlate.files.find import STDIN, Input
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.limits import MAX_FINDINGS, MAX_PROBLEMS
from gpuxlate.model.messages import did_you_mean, join_or, message_of, msg

if TYPE_CHECKING:
    from jsonschema import ValidationError


def _sentences(problem: ValidationError) -> Iterator[str]:
    """What is wrong at a place, in words: of what people mistake most, with what to write instead.

    Of the other keywords jsonschema's own sentence.
    """
    from gpuxlate.config.shown_values import show_value

    instance: Any = problem.instance
    limit: Any = problem.validator_value
    place_schema: Any = problem.schema
    fields = place_schema.get("properties", {})
    match problem.validator:
        case "additionalProperties" if limit is False:
            for name in instance:
                if name not in fields:
                    all_fields = msg("fields here: {names}", names=", ".join(fields))
                    hint = did_you_mean(str(name), fields, all_fields)
                    yield msg("unknown field {name}; {hint}", name=show_value(name), hint=hint)
        case "required":
            yield from (msg("{label} is missing", label=name) for name in limit if name not in instance)
        case "type":
            types = limit
            choices = join_or([types] if isinstance(types, str) else types)
            yield msg("it is {value}, it must be of type {type}", value=show_value(instance), type=choices)
        case "enum" | "const":
            values = limit if problem.validator == "enum" else [limit]
            names = [str(value) for value in values]
            message = msg(
                "it is {value}, it must be {choices}", value=show_value(instance), choices=join_or(names)
            )
            meant = did_you_mean(str(instance), names, "") if len(names) > 1 else ""
            yield msg("{message}; {hint}", message=message, hint=meant) if meant else message
        case _:
            yield problem.message


def command(
    kind: Annotated[Kind, typer.Argument(help="The kind of schema.", metavar="KIND")],
    check: Annotated[
        str | None,
        typer.Option(
            "--check", help="Check this YAML or JSON file (- for stdin) against it.", metavar="FILE"
        ),
    ] = None,
    output: Annotated[  # noqa: ARG001 - there is no other
        Literal["json"], typer.Option(*options.FORMAT_FLAGS, help="Output format.", metavar="FORMAT")
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
        for text in _sentences(problem):
            printing.stderr_line(msg("{check}: {where}: {message}", check=check, where=where, message=text))
    if len(problems) > MAX_PROBLEMS:
        printing.stderr_line(
            msg("{check}: there are {number} more problems", check=check, number=len(problems) - MAX_PROBLEMS)
        )
    return Exit.FINDINGS if problems else Exit.CLEAN
