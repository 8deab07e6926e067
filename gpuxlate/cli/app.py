"""The command table and the typer application over it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from gpuxlate.cli import language
from gpuxlate.cli.common import Exit, alert, guarded
from gpuxlate.cli.invocation import begin
from gpuxlate.cli.shared_options import Command, with_shared_options
from gpuxlate.model.messages import say

# typer has its own copy of click or uses the installed one, by version: take the classes from typer
UsageProblem: type[Any] = typer.BadParameter.__mro__[1]

COMMANDS: dict[str, str] = {
    "render": "GPUShare documents to manifests, for one target or several",
    "translate": "Whole manifests from any dialect to another; only GPU lines change",
    "parse": "Vendor manifests to GPUShare documents",
    "lint": "Check manifests and GPUShare documents",
    "explain": "One rule: what it does, why, an example, the fix, the source",
    "rules": "The list of rules",
    "targets": "The fields of a share that each target supports",
    "compare": "One share over all targets side by side",
    "assess": "A fleet report: the result of a translation, share by share",
    "inspect": "What a set of manifests requests",
    "plan": "The cards and nodes that shares need at a target, packed by its limits",
    "cost": "What shares cost, by the vendor's GPU-hour formula",
    "verify": "Check what nvidia-smi prints in a container against the share",
    "nodepool": "The node labels and prerequisites that a share needs",
    "policy": "Admission policies from the rules: what lint finds, the cluster refuses",
    "schema": "The JSON Schemas",
    "completion": "The completion script of a shell",
    "krm": "A KRM function for kpt and kustomize",
    "server": "A language server: findings, fixes and completion in an editor",
}
"""Name and one line of help; the module of a command is ``gpuxlate.cli.<name>``."""

LIVE_COMMANDS: dict[str, tuple[str, str]] = {
    "nodes": ("nodes", "Each GPU node: the target it serves, policy, cards, memory, what is free"),
    "capacity": ("capacity", "Which pod uses what on which card, and whether a workload would still fit"),
    "plan": ("plan_cluster", "What runs now: room per card, the largest share that fits, fragmentation"),
    "preflight": ("preflight", "The vendor's prerequisites against the live nodes"),
    "apply": ("apply", "Translate to the dialect of the current cluster, then server-side apply"),
    "policy": ("policy_cluster", "Admission policies for the dialects that this cluster serves"),
    "verify": ("verify_pod", "nvidia-smi in the running container against its share"),
}
"""More commands of ``kubectl gpuxlate``, or in place of COMMANDS: module in ``gpuxlate.cli``, help."""
LIVE_OBJECTS = ("translate", "parse", "lint", "assess", "inspect")
"""Commands whose PATH may be a live object there."""


class LazyGroup(TyperGroup):
    """Commands by name from the table, imported when they are called.

    The types of click are Any: typer has its own copy of it, or uses the installed one.
    """

    table = COMMANDS

    def function(self, name: str) -> Callable[..., int]:
        """The function of a command."""
        found: Callable[..., int] = import_module(f"gpuxlate.cli.{name}").command
        return found

    def list_commands(self, _ctx: Any) -> list[str]:
        return list(self.table)

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """The list for ``--help`` from the table, without importing commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.table:
            return None
        one = typer.Typer(add_completion=False, rich_markup_mode=None)
        one.command(cmd_name, cls=Command)(with_shared_options(self.function(cmd_name)))
        command = get_command(one)
        command.name = cmd_name
        command.short_help = self.table[cmd_name]
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in self.table:
            from difflib import get_close_matches

            from gpuxlate.cli import guesses

            near = get_close_matches(name, self.table, 1, 0.6)
            hint = guesses.command(name, ctx.command_path, LIVE_COMMANDS) or (
                say("did you mean {near}?", near=near[0])
                if near
                else say("commands: {names}", names=", ".join(self.table))
            )
            ctx.fail(say("no such command {name!r}; {hint}", name=name, hint=hint))
        return super().resolve_command(ctx, args)


class LiveGroup(LazyGroup):
    """The commands of ``kubectl gpuxlate``: on live objects too, and for live clusters."""

    table = COMMANDS | {name: text for name, (_, text) in LIVE_COMMANDS.items()}

    def function(self, name: str) -> Callable[..., int]:
        module, _ = LIVE_COMMANDS.get(name, (name, ""))
        found = super().function(module)
        if name not in LIVE_OBJECTS:
            return found
        from gpuxlate.cli.live_options import with_live_objects

        return with_live_objects(name, found)


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
    """One GPU share in every vendor's terms.

    Renders, reads, translates and checks GPU-sharing requests in Kubernetes manifests. The vendors: gpuxlate
    targets.
    """


def build(*, live: bool = False) -> Any:
    """The application as one command. ``live``: as kubectl's plug-in."""
    app = typer.Typer(
        cls=LiveGroup if live else LazyGroup,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(with_shared_options(root))
    return get_command(app)


def run(command: Any, arguments: Sequence[str], name: str) -> int:
    """Run an application with its arguments, and return the exit code."""

    begin()
    if len(arguments) == 2 and arguments[0] == "--show-completion":  # typer takes no name of a shell
        arguments = ["completion", arguments[1]]

    def called() -> object:
        try:
            return command.main(list(arguments), prog_name=name, standalone_mode=False)
        except typer.Exit as stop:
            return stop.exit_code
        except SystemExit:  # click ends so where the reader of --help has closed the pipe
            return Exit.CLEAN
        except typer.Abort:
            return Exit.INTERRUPTED
        except UsageProblem as error:
            alert("error", language.usage(error))
            word = arguments[0] if arguments and not arguments[0].startswith("-") else ""
            alert("try", f"{error.ctx.command_path if error.ctx else f'{name} {word}'.rstrip()} --help")
            return Exit.USAGE

    language.begin(arguments)
    return guarded(called)
