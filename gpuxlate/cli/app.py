"""The command table and the typer application over it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated, Any, cast

import typer
from typer._click.shell_completion import CompletionItem
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from gpuxlate import locale
from gpuxlate.cli.common import alert, guarded, ignored_variable
from gpuxlate.cli.errors import CliError, Exit, InvalidValueError
from gpuxlate.cli.options import EVERYWHERE, GLOBAL, OF_CLUSTER, OF_NAMESPACE, OF_OBJECTS, Invocation, shared
from gpuxlate.model.messages import msg

# typer has its own copy of click or uses the installed one, by version: take the classes from typer
UsageProblem: type[Any] = typer.BadParameter.__mro__[1]

COMMANDS: dict[str, str] = {
    "render": "Write GPUShare documents as manifests, for one target or several",
    "translate": "Translate manifests to another dialect; only GPU lines change",
    "sync": "Keep a tree for each cloud in step with one source tree",
    "parse": "Write the shares of manifests as GPUShare documents",
    "lint": "Check manifests and GPUShare documents",
    "explain": "Explain a rule: what it does, why, an example, the source",
    "rules": "List the rules",
    "targets": "List the targets and the fields that each supports",
    "compare": "Compare a share at several targets",
    "assess": "Report what a translation would do to each share",
    "inspect": "List the shares that manifests request, with totals",
    "plan": "Count the cards and nodes that shares need at a target",
    "cost": "Compute what shares cost, by the vendor's formula",
    "verify": "Compare the output of nvidia-smi with the share",
    "nodepool": "List the node labels and prerequisites of a share",
    "policy": "Write admission policies: the cluster refuses what lint finds",
    "schema": "Print the JSON Schemas",
    "completion": "Print the completion script of a shell",
    "krm": "Run as a KRM function, for kpt and kustomize",
    "server": "Run a language server, for findings and fixes in editors",
}
"""Name and one line of help; the module of a command is ``gpuxlate.cli.<name>``."""

LIVE_COMMANDS: dict[str, tuple[str, Sequence[str]]] = {
    "nodes": ("List the GPU nodes: target, policy, cards, what is free", OF_OBJECTS),
    "capacity": ("Show what runs on each card, what is free, and whether a workload fits", OF_OBJECTS),
    "preflight": ("Check the vendor's prerequisites on the live nodes", OF_OBJECTS),
    "apply": ("Translate to the dialect of the cluster, then apply", OF_NAMESPACE),
    "policy": ("Write admission policies for the dialects of this cluster", OF_CLUSTER),
    "verify": ("Compare nvidia-smi in a running container with its share", OF_NAMESPACE),
}
"""More commands of ``kubectl gpuxlate``, or ``on_cluster`` of one above: help, and flags of kubectl."""
LIVE_OBJECTS = ("translate", "parse", "lint", "assess", "inspect", "plan")
"""Commands whose PATH may be a live object there."""
_READ_FILES = {"paths", "specs", "file"}
"""Names of parameters that are files."""
LANG, LANG_VARIABLE = "--lang", "GPUXLATE_LANG"


class _WithSharedOptions:
    """What is called with the options of every command, whose function does not see them, and has help in the
    language that they choose."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from gpuxlate.cli import help as of

        _note_language(ctx.obj)
        of.write_usage(self, ctx, formatter)
        of.write_text(self, formatter)
        of.write_options(self, ctx, formatter)
        if isinstance(self, LazyGroup):
            rows = [(name, of.said(text)) for name, text in self.table.items()]  # imports no command
            of.write_rows("Commands", rows, formatter)

    def invoke(self, ctx: Any) -> Any:
        note_options(ctx.obj, {name: ctx.params.pop(name) for name in shared() if name in ctx.params})
        if not isinstance(self, LazyGroup):  # no option comes any more
            _note_language(ctx.obj)
        return super().invoke(ctx)  # type: ignore[misc]


def note_options(run: Invocation, given: dict[str, Any]) -> None:
    """Options before the command, or after it, for this run. Raises CliError."""
    for name, value in given.items():
        if value:
            setattr(run, name, [*(run.exclude or ()), *value] if name == "exclude" else value)
    _choose_language(run.lang)
    if run.quiet and run.verbose:
        raise CliError("-q and -v exclude each other")
    if run.isolated and run.config is not None:
        raise CliError("--isolated and --config exclude each other", "--isolated takes no configuration")


def _choose_language(option: str | None) -> None:
    """The language of an option, or that which ``_begin_language`` found, until one is read.

    Raises CliError for one without a catalogue.
    """
    if option and option not in locale.LANGUAGES:
        languages = msg("languages: {names}", names=", ".join(locale.LANGUAGES))
        raise InvalidValueError(LANG, option, languages)
    if option:
        locale.use(option)


def _note_language(run: Invocation | None) -> None:
    """Say that the language of the environment has no catalogue, where it would count."""
    by_variable = os.environ.get(LANG_VARIABLE)
    if run is not None and not run.lang and by_variable and by_variable not in locale.LANGUAGES:
        ignored_variable(LANG_VARIABLE, "messages are in English")


def _begin_language(arguments: Sequence[str]) -> None:
    """The language until the options are read: that of errors in the command line itself."""
    given = os.environ.get(LANG_VARIABLE, "")
    for word, after in zip(arguments, [*arguments[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name == LANG:
            given = value if equals else after
    locale.use(given if given in locale.LANGUAGES else "en")


class Command(_WithSharedOptions, TyperCommand):
    """A command whose help lists the shared options apart."""


class LazyGroup(_WithSharedOptions, TyperGroup):
    """Commands by name from the table, imported when they are called.

    The types of click are Any: typer has its own copy of it, or uses the installed one.
    """

    table = COMMANDS

    def function(self, name: str) -> Callable[..., int]:
        """The function of a command."""
        return cast("Callable[..., int]", import_module(f"gpuxlate.cli.{name}").command)

    def flags(self, _name: str) -> Sequence[str]:
        """The shared options of a command alone."""
        return ()

    def list_commands(self, _ctx: Any) -> list[str]:
        return list(self.table)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[CompletionItem]:
        """Commands from the table, without importing them, and options."""
        named = [CompletionItem(name, help=text) for name, text in self.table.items()]
        of_group = super(TyperGroup, self).shell_complete(ctx, incomplete)
        return [*(one for one in named if one.value.startswith(incomplete)), *of_group]

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.table:
            return None
        one = typer.Typer(add_completion=False, rich_markup_mode=None)
        one.command(cmd_name, cls=Command)(self.function(cmd_name))
        command: Any = get_command(one)
        command.name = cmd_name
        reads_files = any(one.name in _READ_FILES for one in command.params)
        names = (*self.flags(cmd_name), *(GLOBAL if reads_files else EVERYWHERE))
        command.params += [shared()[name] for name in names]
        command.short_help = self.table[cmd_name]
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in self.table:
            from difflib import get_close_matches

            from gpuxlate.cli import usage

            near = get_close_matches(name, self.table, 1, 0.6)
            hint = usage.command(name, ctx.command_path, LIVE_COMMANDS) or (
                msg("did you mean {near}?", near=near[0])
                if near
                else msg("commands: {names}", names=", ".join(self.table))
            )
            ctx.fail(msg("no such command {name!r}; {hint}", name=name, hint=hint))
        return super().resolve_command(ctx, args)


class LiveGroup(LazyGroup):
    """The commands of ``kubectl gpuxlate``: on live objects too, and for live clusters."""

    table = COMMANDS | {name: text for name, (text, _) in LIVE_COMMANDS.items()}

    def function(self, name: str) -> Callable[..., int]:
        if name in LIVE_COMMANDS and name in COMMANDS:
            return cast("Callable[..., int]", import_module(f"gpuxlate.cli.{name}").on_cluster)
        found = super().function(name)
        if name not in LIVE_OBJECTS:
            return found
        from gpuxlate.cli.live import on_live_objects

        return on_live_objects(name, found)

    def flags(self, name: str) -> Sequence[str]:
        return OF_OBJECTS if name in LIVE_OBJECTS else LIVE_COMMANDS[name][1] if name in LIVE_COMMANDS else ()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if cmd_name in LIVE_OBJECTS:
            from gpuxlate.cli.live import PATHS

            command.params[0] = PATHS
        return command

    def invoke(self, ctx: Any) -> Any:
        from gpuxlate.cluster.server import ChoiceError, ClusterError

        try:
            return super().invoke(ctx)
        except ClusterError as error:
            code = Exit.USAGE if isinstance(error, ChoiceError) else Exit.INPUT
            raise CliError(error.message, error.hint, code) from None


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
    """Translate and check GPU shares in Kubernetes manifests, in every vendor's terms.

    `gpuxlate targets` lists the vendors.
    """


def build(*, live: bool = False) -> Any:
    """The application as one command. ``live``: as kubectl's plug-in."""
    app = typer.Typer(
        cls=LiveGroup if live else LazyGroup,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(root)
    command: Any = get_command(app)
    command.params[1:1] = [shared()[name] for name in GLOBAL]
    return command


def run(command: Any, arguments: Sequence[str], name: str) -> int:
    """Run an application with its arguments, and return the exit code."""

    if len(arguments) == 2 and arguments[0] == "--show-completion":  # typer takes no name of a shell
        arguments = ["completion", arguments[1]]

    def called() -> object:
        try:
            return command.main(list(arguments), prog_name=name, standalone_mode=False, obj=this)
        except typer.Exit as stop:
            return stop.exit_code
        except SystemExit:  # click ends so where the reader of --help has closed the pipe
            return Exit.CLEAN
        except typer.Abort:
            return Exit.INTERRUPTED
        except UsageProblem as error:
            from gpuxlate.cli import usage

            alert("error", usage.problem(error))
            word = arguments[0] if arguments and not arguments[0].startswith("-") else ""
            alert("try", f"{error.ctx.command_path if error.ctx else f'{name} {word}'.rstrip()} --help")
            return Exit.USAGE

    _begin_language(arguments)
    this = Invocation(words=[*name.split(), *arguments])
    with typer.Context(command, obj=this):  # for what is printed once the command has ended
        return guarded(called)
