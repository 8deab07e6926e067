"""Options that every command has, before or after its name; those for files where it reads files."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from gpuxlate.cli import common, language, options
from gpuxlate.cli.invocation import COLORS, current
from gpuxlate.model.messages import say

FILES: dict[str, tuple[Any, Any]] = {
    "exclude": (
        Annotated[
            list[str],
            typer.Option(
                "--exclude",
                help="Leave these out of folders too (gitignore patterns).",
                metavar="PATTERN[,PATTERN]",
            ),
        ],
        [],
    ),
    "force_exclude": (
        Annotated[
            bool, typer.Option("--force-exclude", help="Leave out named files too, for hooks that name all.")
        ],
        False,
    ),
    "stdin_filename": (
        Annotated[
            str | None,
            typer.Option("--stdin-filename", help="The file whose text stdin has.", metavar="FILE"),
        ],
        None,
    ),
}
EVERYWHERE: dict[str, tuple[Any, Any]] = {
    "config": (
        Annotated[
            str | None,
            typer.Option("--config", help="The configuration, instead of one found upwards.", metavar="FILE"),
        ],
        None,
    ),
    "isolated": (Annotated[bool, typer.Option("--isolated", help="No configuration.")], False),
    "quiet": (Annotated[bool, typer.Option("-q", "--quiet", help="Findings and results alone.")], False),
    "verbose": (
        Annotated[
            bool, typer.Option("-v", "--verbose", help="Say which files, dialects and profile are used.")
        ],
        False,
    ),
    "lang": (
        Annotated[
            str | None,
            typer.Option(
                "--lang", help="The language of messages: en, zh. Also GPUXLATE_LANG.", metavar="LANG"
            ),
        ],
        None,
    ),
    "color": (
        Annotated[str | None, options.one_of("--color", COLORS, "Colour; auto: on a terminal.")],
        None,
    ),
}
ALL = FILES | EVERYWHERE
_READ_FILES = {"paths", "specs", "file"}
"""Names of parameters that are files."""


class Command(TyperCommand):
    """A command whose help lists the shared options apart, and whose options have one value each."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse the arguments. Raises CliError for a second value, of which the library keeps the last."""
        if ctx.resilient_parsing:  # a line that is not finished yet
            return super().parse_args(ctx, args)
        order: list[Any] = self.make_parser(ctx).parse_args(args=[*args])[2]
        one_value = [
            one
            for one in order
            if one.param_type_name == "option" and not (one.multiple or one.is_flag or one.count)
        ]
        twice = next((one for n, one in enumerate(one_value) if one in one_value[:n]), None)
        if twice is not None:
            raise common.CliError(say("{option} is given twice", option=twice.opts[0]), "it takes one value")
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        parts: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], "Global options": []}
        for one in self.get_params(ctx):
            row = one.get_help_record(ctx)
            if row is not None:
                shared = "Global options" if one.name in ALL else "Options"
                parts["Arguments" if one.param_type_name == "argument" else shared].append(row)
        for title, rows in parts.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def with_shared_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A command with these options; the function of the command does not see them."""
    signature = inspect.signature(function, eval_str=True)
    own = [*signature.parameters.values()]
    added = ALL if function.__name__ == "root" or _READ_FILES & {*signature.parameters} else EVERYWHERE
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=type_, default=default)
        for name, (type_, default) in added.items()
    ]
    parameters = [*(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own), *shared]

    def command(**given: Any) -> Any:
        note_options({name: given.pop(name) for name in added})
        return function(**given)

    command.__doc__ = function.__doc__
    command.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": int}
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return command


def note_options(given: dict[str, Any]) -> None:
    """Options before the command, or after it, for this run. Raises CliError."""
    run = current()
    for name, value in given.items():
        if value:
            setattr(run, name, [*run.exclude, *value] if name == "exclude" else value)
    language.choose(run.lang)
    if run.quiet and run.verbose:
        raise common.CliError("-q and -v exclude each other")
    if run.isolated and run.config is not None:
        raise common.CliError(
            "--isolated and --config exclude each other", "--isolated takes no configuration"
        )
