"""The command table and the typer application over it."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

COMMANDS: dict[str, str] = {
    "render": "GPUShare documents to manifests, for one target or several",
    "translate": "Whole manifests from any dialect to another; only GPU lines change",
    "parse": "Vendor manifests to GPUShare documents",
    "lint": "Check manifests and GPUShare documents",
    "explain": "One rule: what it does, why, an example, the fix, the source",
    "rules": "The list of rules",
    "targets": "What each target can say, field by field",
    "compare": "One share over all targets side by side",
    "assess": "A fleet report: what a translation would give, share by share",
    "inspect": "What a set of manifests asks for",
    "cost": "What shares cost on EMR Serverless, by the vendor's GPU-hour formula",
    "verify": "Does what nvidia-smi prints in the container match the share",
    "nodepool": "The node labels and prerequisites that a share needs",
    "schema": "The JSON Schemas",
}
"""Name and one line of help; the module of a command is ``gpuxlate.cli.<name>``."""


class LazyGroup(TyperGroup):
    """Commands by name from the table, imported when they are called.

    The types of click are left open: typer brings its own copy of it, or the installed one.
    """

    def list_commands(self, _ctx: Any) -> list[str]:
        return list(COMMANDS)

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """The list for ``--help`` from the table: no command is imported for it."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        function = import_module(f"gpuxlate.cli.{cmd_name}").command
        one = typer.Typer(add_completion=False, rich_markup_mode=None)
        one.command(cmd_name)(function)
        command = get_command(one)
        command.name = cmd_name
        command.short_help = COMMANDS[cmd_name]
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            near = get_close_matches(name, COMMANDS, 1, 0.6)
            hint = f"did you mean {near[0]}?" if near else f"commands: {', '.join(COMMANDS)}"
            ctx.fail(f"no such command {name!r}; {hint}")
        return super().resolve_command(ctx, args)


def _version(value: bool) -> None:
    if value:
        from gpuxlate import __version__

        typer.echo(f"gpuxlate {__version__}")
        raise typer.Exit


def root(
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """One GPU share, said in every vendor's terms.

    Renders, reads, translates and checks GPU-sharing requests of Volcengine mGPU, Alibaba ACK
    gpushare and Tencent qGPU.
    """


def build() -> Any:
    """The application as one command."""
    app = typer.Typer(
        cls=LazyGroup,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(root)
    return get_command(app)
