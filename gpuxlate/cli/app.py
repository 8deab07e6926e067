"""The command table and the typer application over it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from functools import cache, cached_property, partial
from importlib import import_module
from typing import Annotated, Any, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from gpuxlate import locale
from gpuxlate.cli.inputs import ALL_EXCLUDED, AllExcludedError
from gpuxlate.cli.options import (
    EVERYWHERE,
    GLOBAL,
    LIVE_OBJECTS,
    OF_CLUSTER,
    OF_NAMESPACE,
    OF_NODES,
    OF_OBJECTS,
    READ_FILES,
    RUN,
    Invocation,
    invocation,
    shared_parameters,
    with_records,
)
from gpuxlate.cli.printing import alert, allow_closed_pipe, ignored_variable, info, show_error
from gpuxlate.cli.terminal import Terminated
from gpuxlate.files.find import system_message
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import msg

UsageError = cast("type[Any]", typer.BadParameter.__base__)
"""What every mistake in a command line is; typer has a public name for this one kind of it alone."""

GROUPS: dict[str, dict[str, str]] = {
    "Write": {
        "render": "Write GPUShare documents as manifests, for one target or several",
        "translate": "Translate manifests to another dialect; only GPU lines change",
        "sync": "Keep a tree for each cloud in step with one source tree",
    },
    "Read": {
        "parse": "Write the shares of manifests as GPUShare documents",
        "inspect": "List the shares that manifests request, with totals",
        "targets": "List the targets and the fields that each supports",
        "rules": "List the rules",
        "explain": "Explain a rule: what it does, why, an example, the source",
    },
    "Check": {
        "lint": "Check manifests and GPUShare documents",
        "assess": "Report what a translation would do to each share",
        "verify": "Compare the output of nvidia-smi with the share",
    },
    "Plan": {
        "compare": "Compare a share at several targets",
        "plan": "Count the cards and nodes that shares need at a target",
        "cost": "Compute the part of a card that shares hold, and its price",
        "nodepool": "List the node labels and prerequisites of a share",
    },
    "Cluster": {
        "policy": "Write admission policies: the cluster refuses what lint finds",
    },
    "Tools": {
        "schema": "Print the JSON Schemas",
        "completion": "Print the completion script of a shell",
        "krm": "Run as a KRM function, for kpt and kustomize",
        "server": "Run a language server, for findings and fixes in editors",
    },
}
"""Names with one line of help, in groups; the module of a command is ``gpuxlate.cli.<name>``."""
COMMANDS = {name: text for commands in GROUPS.values() for name, text in commands.items()}

LIVE_COMMANDS: dict[str, tuple[str, Sequence[str]]] = {
    "nodes": ("List the GPU nodes: target, policy, cards, what is free", OF_NODES),
    "capacity": ("Show what runs on each card, what is free, and whether a workload fits", OF_NODES),
    "why": ("Say why a pod does not run, and what would make it fit", OF_NAMESPACE),
    "preflight": ("Check the vendor's prerequisites on the live nodes", OF_NODES),
    "apply": ("Translate to the dialect of the cluster, then apply", OF_NAMESPACE),
    "policy": ("Write admission policies for the dialects of this cluster", OF_CLUSTER),
    "verify": ("Compare nvidia-smi in a running container with its share", OF_NAMESPACE),
}
"""More commands of ``kubectl gpuxlate``, or ``on_cluster`` of one above: help, and flags of kubectl."""
LIVE_GROUPS = {
    title: {
        name: LIVE_COMMANDS[name][0] if name in LIVE_COMMANDS else text for name, text in commands.items()
    }
    for title, commands in GROUPS.items()
}
LIVE_GROUPS["Cluster"] |= {name: text for name, (text, _) in LIVE_COMMANDS.items() if name not in COMMANDS}
COMPLETE = "_GPUXLATE_COMPLETE"
"""The variable by which the script of a shell asks for words."""
LANG, LANG_VARIABLE = "--lang", "GPUXLATE_LANG"


class _InLanguage:
    """A command or group whose help is in the language that its options choose."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from gpuxlate.cli import help as of

        _note_language()
        of.write_help(self, ctx, formatter)


def note_options(ctx: Any) -> None:
    """Take the options of every command, before its name or after it, for this run. Raises UserError."""
    run = invocation()
    for name in shared_parameters().keys() & ctx.params.keys():
        if value := ctx.params.pop(name):
            setattr(run, name, [*(run.exclude or ()), *value] if name == "exclude" else value)
    if run.lang:
        locale.use(run.lang)
    if run.quiet and run.verbose:
        raise UserError("-q and -v exclude each other")
    if run.isolated and run.config is not None:
        raise UserError("--isolated and --config exclude each other", "--isolated takes no configuration")


def _note_language() -> None:
    """Note that messages stay in English if the language of the environment has no catalogue and no option
    chooses one."""
    by_variable = os.environ.get(LANG_VARIABLE)
    if not invocation().lang and by_variable and by_variable not in locale.LANGUAGES:
        ignored_variable(LANG_VARIABLE, "messages are in English")


def _begin_language(arguments: Sequence[str]) -> None:
    """Set the language of errors about the command line, before its options are parsed."""
    name = os.environ.get(LANG_VARIABLE, "")
    for word, after in zip(arguments, [*arguments[1:], ""], strict=True):
        flag, equals, value = word.partition("=")
        if flag == LANG:
            name = value if equals else after
    locale.use(name if name in locale.LANGUAGES else "en")


class Command(_InLanguage, TyperCommand):
    """A command with the options of every command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        rest: list[str] = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:  # it is called, not completed
            if ctx.args:
                ctx.fail(msg("unexpected arguments: {names}", names=" ".join(ctx.args)))
            note_options(ctx)
            _note_language()
        return rest


class LazyCommand(TyperCommand):
    """A command by its name and line of help, whose module is imported when it is called."""

    def __init__(self, name: str, text: str, *, live: bool = False) -> None:
        super().__init__(name, help=text, short_help=text)
        self.live = live

    @cached_property
    def command(self) -> Any:
        """The command itself; in ``kubectl gpuxlate`` with flags of kubectl."""
        name = cast("str", self.name)
        module = import_module(f"gpuxlate.cli.{name}")
        function: Callable[..., int] = module.command
        flags: Sequence[str] = ()
        if self.live and name in LIVE_COMMANDS:
            function = module.on_cluster if name in COMMANDS else function
            flags = LIVE_COMMANDS[name][1]
        if on_objects := self.live and name in LIVE_OBJECTS:
            from gpuxlate.cli import live

            function, flags = live.on_live_objects(name, function), OF_OBJECTS
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(name, cls=Command, context_settings={"allow_extra_args": True})(with_records(function))
        command: Any = get_command(app)
        reads_files = any(param.name in READ_FILES for param in command.params)
        if on_objects:
            command.params[0] = live.PATHS
        command.params += [
            shared_parameters()[name] for name in (*flags, *(GLOBAL if reads_files else EVERYWHERE))
        ]
        if flags is OF_NODES:
            command.params += [_hidden(shared_parameters()[name]) for name in ("namespace", "all_namespaces")]
        return command

    def make_context(self, *args: Any, **extra: Any) -> Any:
        return self.command.make_context(*args, **extra)


def _hidden(option: Any) -> Any:
    """An option that is accepted and not shown in the help, since it does not change the result."""
    option = copy(option)
    option.hidden = True
    return option


class CommandGroup(_InLanguage, TyperGroup):
    """The commands of ``gpuxlate``.

    The types of click are Any: typer has its own copy of it.
    """

    groups = GROUPS
    live = False

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for commands in self.groups.values():
            for name, text in commands.items():
                self.add_command(LazyCommand(name, text, live=self.live))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        rest: list[str] = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:  # it is called, not completed
            note_options(ctx)
        return rest

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, *rest = args
        if name == "help" and rest[:1] == ["terms"]:
            from gpuxlate.cli import terms

            typer.echo(terms.terms_text())
            raise typer.Exit
        if name == "help" and rest and not rest[0].startswith("-"):
            return self.resolve_command(ctx, [rest[0], "--help"])
        if name == "help":
            typer.echo(ctx.get_help())
            raise typer.Exit
        if name not in self.commands and not name.startswith("-"):
            from gpuxlate.cli import usage

            ctx.fail(usage.no_command(name, ctx, LIVE_COMMANDS))
        return super().resolve_command(ctx, args)


class LiveGroup(CommandGroup):
    """The commands of ``kubectl gpuxlate``: on live objects too, and for live clusters."""

    groups = LIVE_GROUPS
    live = True


def _version(value: bool) -> None:
    if value:
        from gpuxlate import __version__

        typer.echo(f"gpuxlate {__version__}")
        raise typer.Exit


def root(
    ctx: typer.Context,
    version: Annotated[  # noqa: ARG001 - the callback prints it
        bool, typer.Option("--version", "-V", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Translate and check GPU shares in Kubernetes manifests, in every vendor's terms.

    `gpuxlate targets` lists the vendors, `gpuxlate help COMMAND` the options of a command,
    `gpuxlate help terms` the terms.
    """
    if ctx.invoked_subcommand is None:
        ctx.fail(msg("a command is missing"))


@cache  # a process may run many commands: the tools of the pages do
def build_app(*, live: bool = False, completes: bool = False) -> Any:
    """The application as one command. ``live``: as kubectl's plug-in; ``completes``: for a shell."""
    app = typer.Typer(
        cls=LiveGroup if live else CommandGroup,
        add_completion=completes,  # it takes time to prepare
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(root)
    command: Any = get_command(app)
    # typer's options for completion, which write into files of a shell, are left out: there is a command
    command.params[1:] = [shared_parameters()[name] for name in GLOBAL]
    return command


def guarded(command: Callable[[], object]) -> int:
    """Run a command and return its exit code; every error ends in one line on stderr."""
    if sys.stderr is None:  # closed by the caller: only the messages are lost
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        try:
            result = command()
        except typer.Exit as stop:
            result = stop.exit_code
        except SystemExit:  # click ends so where the reader of --help has closed the pipe
            result = Exit.CLEAN
        if sys.stdout is not None:
            with allow_closed_pipe(sys.stdout):
                sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except UsageError as error:
        from gpuxlate.cli import usage

        return usage.print_usage_error(error)
    except UserError as error:
        show_error(error)
        return error.exit_code
    except AllExcludedError:
        info(ALL_EXCLUDED)
        return Exit.CLEAN
    except (KeyboardInterrupt, typer.Abort, Terminated) as ended:
        from gpuxlate.cli.outputs import interrupted_text

        alert("note", interrupted_text())
        return 128 + ended.number if isinstance(ended, Terminated) else Exit.INTERRUPTED
    except OSError as error:
        with suppress(OSError, AttributeError), allow_closed_pipe(sys.stdout):
            sys.stdout.flush()  # the error may be that of stdout
        why = system_message(error)
        alert("error", msg("{name}: {why}", name=error.filename, why=why) if error.filename else why)
        return Exit.INPUT
    except Exception as error:
        description = f"{type(error).__name__}: {error}"
        alert("error", msg("internal error ({what}); please report it with the input", what=description))
        if os.environ.get("GPUXLATE_DEBUG"):
            raise
        return Exit.INTERNAL


def run(arguments: Sequence[str], name: str, *, live: bool = False) -> int:
    """Run the application with its arguments, and return the exit code. ``live``: as kubectl's plug-in."""
    _begin_language(arguments)
    application = build_app(live=live, completes=COMPLETE in os.environ)
    token = RUN.set(Invocation(words=[*name.split(), *arguments]))
    try:
        return guarded(partial(application.main, list(arguments), prog_name=name, standalone_mode=False))
    finally:
        RUN.reset(token)
