"""Options that several commands have, and those that every command has, each declared once."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache, wraps
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer
from typer.main import get_command

from gpuxlate import locale
from gpuxlate.model.declarations import regex
from gpuxlate.model.errors import UserError
from gpuxlate.model.messages import msg

if TYPE_CHECKING:
    import os

    from gpuxlate.backends.pod_writer import Accept
    from gpuxlate.config.configuration import Config
    from gpuxlate.files.find import Exclusion, Input


class InvalidValueError(UserError):
    """The value of an option is invalid."""

    def __init__(self, option: str, value: object, hint: str) -> None:
        super().__init__(msg("invalid value {value!r} for {option}", value=value, option=option), hint)


Candidates = Sequence[str] | Sequence[tuple[str, str]]
"""Values, or values with what each is. Those that begin otherwise than the word are left out by typer."""


EVERY = "all"
"""In place of names of targets: every target that a command can go over."""


def complete_target(incomplete: str) -> Candidates:
    """Shell completion of target names."""
    from gpuxlate.backends import registry

    return _fitting(incomplete, registry.target_names())


def complete_written(incomplete: str) -> Candidates:
    """Shell completion of the names of targets that are written."""
    from gpuxlate.backends import registry

    return _fitting(incomplete, [*registry.writable_names()])


def targets_option(
    help_: str, flag: str = "--to", complete: Callable[[str], Candidates] = complete_written
) -> Any:
    """An option that takes targets: it may be repeated, and each value may be a list with commas."""

    def completed(incomplete: str) -> Candidates:
        """Of a list with commas, its last."""
        before, comma, last = incomplete.rpartition(",")
        names = [
            candidate if isinstance(candidate, tuple) else (candidate, "") for candidate in complete(last)
        ]
        return [(before + comma + name, about) for name, about in (*names, (EVERY, ""))]

    return typer.Option(flag, help=help_, metavar="TARGET[,TARGET]", autocompletion=completed)


def _fitting(incomplete: str, names: Sequence[str]) -> Candidates:
    """The names that begin so; where there are none, the other names of targets."""
    from gpuxlate.backends import registry

    if any(name.startswith(incomplete) for name in names):
        return names
    return [(alias, name) for name in names for alias in registry.aliases(name)]


def complete_code(incomplete: str) -> Candidates:
    """Shell completion of rule codes; of a list with commas, of its last.

    With the names, not the summaries: typer breaks longer lines in two, and shells offer both.
    """
    from gpuxlate.backends import registry
    from gpuxlate.rules import catalog

    before, comma, _ = incomplete.rpartition(",")
    return [
        (before + comma + code, rule.name.replace("-", " "))
        for code, rule in catalog.all_rules(registry.all_backends()).items()
    ]


def complete_kind() -> Candidates:
    """Completion of kinds of live objects."""
    from gpuxlate.cluster.resources import BUILT_IN_RESOURCES, kind_words

    return [(word, kind.kind) for kind in BUILT_IN_RESOURCES for word in kind_words(kind)]


def _complete_context(ctx: typer.Context) -> Candidates:
    """Completion of contexts, without a client."""
    from gpuxlate.cluster.kubeconfig import Kubeconfig

    return [*Kubeconfig(ctx.params.get("kubeconfig")).contexts]


def _complete_namespace(ctx: typer.Context) -> Candidates:
    """Completion of the namespaces that contexts name."""
    from gpuxlate.cluster.kubeconfig import Kubeconfig

    return [*Kubeconfig(ctx.params.get("kubeconfig")).namespaces]


def _complete_fill() -> Candidates:
    """Completion of fields that can be set."""
    from gpuxlate.translation.acceptance import FILLABLE

    return [f"{name}=" for name in FILLABLE]


def _complete_drop() -> Candidates:
    """Completion of fields that can be dropped."""
    from gpuxlate.translation.acceptance import DROPPABLE

    return DROPPABLE


FORMAT_FLAGS = ("-o", "--format", "--output")
"""The names of the option that chooses a format: those of kubectl and of linters, in every command."""
FORMAT = typer.Option(*FORMAT_FLAGS, help="Output format.")


def _a_file(value: str | None) -> str | None:
    """A path that is written to. Raises UserError for ``-``: stdout has the result of the command."""
    if value == "-":
        raise UserError(
            "invalid value '-' for --report: stdout has the result",
            "name a file; gpuxlate assess -o json prints the report",
        )
    return value


Paths = Annotated[list[str], typer.Argument(help="Files, folders, or - for stdin.", metavar="PATH...")]
Specs = Annotated[list[str], typer.Argument(help="GPUShare documents, or - for stdin.", metavar="SPEC...")]
PricedPaths = Annotated[
    list[str],
    typer.Argument(help="GPUShare documents and manifests, folders, or - for stdin.", metavar="SPEC|PATH..."),
]
To = Annotated[
    str, typer.Option("--to", help="The target.", metavar="TARGET", autocompletion=complete_written)
]
Tos = Annotated[list[str], targets_option("The targets: one, a list, or all.")]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        help="The dialect to read (default: every dialect that the keys belong to).",
        metavar="TARGET",
        autocompletion=complete_target,
    ),
]
Round = Annotated[
    Literal["up"] | None,
    typer.Option("--round", help="Accept rounding up: never below the request.", metavar="up"),
]
Fill = Annotated[
    list[str],
    typer.Option(
        "--fill",
        help="Set a field that is not set, per card: cores=30, memoryMiB=8192.",
        metavar="FIELD=N",
        autocompletion=_complete_fill,
    ),
]
Drop = Annotated[
    list[str],
    typer.Option(
        "--drop",
        help="Accept that these fields are lost: cores, policy, qos, memoryLimitMiB, device, isolation, "
        "selector.",
        metavar="FIELD[,FIELD]",
        autocompletion=_complete_drop,
    ),
]
ProfileFile = Annotated[
    str | None, typer.Option("--profile", help="The cluster profile, a YAML file.", metavar="FILE")
]
Components = Annotated[
    list[str],
    typer.Option(
        "--with",
        help="The version of a component of the cluster, such as hami=2.11; repeatable.",
        metavar="COMPONENT=VERSION",
    ),
]
ProfileFiles = Annotated[
    list[str],
    typer.Option(
        "--profile", help="A cluster profile, a YAML file; repeat it for each target.", metavar="FILE"
    ),
]
NodeTypes = Annotated[
    list[str],
    typer.Option(
        "--node",
        help="Nodes, in place of a profile: card model and cards of a node, and the MiB of a card where the "
        "catalogue has none (A100-80GB:8:81251). TARGET=A10-24GB:4 is for one target. May be repeated.",
        metavar="[TARGET=]CARD:NUMBER",
    ),
]
CardMemory = Annotated[
    int | None, typer.Option("--card-memory-mib", help="The memory of a physical card.", metavar="MIB", min=1)
]
Prices = Annotated[
    list[str],
    typer.Option(
        "--price",
        help="The price of one card for an hour, in any currency: A10-24GB=10.5, or vke:A10-24GB=10.5 for "
        "one target. May be repeated.",
        metavar="[TARGET:]CARD=N",
    ),
]
Html = Annotated[str | None, typer.Option("--html", help="Write the result as an HTML page.", metavar="FILE")]
As = Annotated[
    Literal["packed", "scheduled"],
    typer.Option(
        "--as", help="Also place the pods one at a time, as the scheduler of the target does it (scheduled)."
    ),
]
OutputDir = Annotated[
    str | None,
    typer.Option(
        "--output-dir",
        help="Write files to this folder; files of the same names are replaced.",
        metavar="DIR",
    ),
]
ReportOption = Annotated[
    str | None,
    typer.Option(
        "--report", help="Write a JSON report, also if a share is refused.", metavar="FILE", callback=_a_file
    ),
]
Diff = Annotated[
    bool,
    typer.Option("--diff", help="Print what would change and write nothing; exit 1 if anything would."),
]
ExitZero = Annotated[
    bool, typer.Option("--exit-zero", help="With --diff, exit 0 even if something would change.")
]
AllowLeftovers = Annotated[
    bool,
    typer.Option(
        "--allow-leftovers", help="Accept keys that are not translated: they become warnings (GX026)."
    ),
]
AllowOutside = Annotated[
    bool,
    typer.Option("--allow-outside", help="Allow a document to name a workload outside of its folder."),
]
TableOutput = Annotated[Literal["table", "json"], FORMAT]
TextOutput = Annotated[Literal["text", "json"], FORMAT]
YamlOutput = Annotated[Literal["yaml", "json"], FORMAT]
Objects = Annotated[
    list[str],
    typer.Argument(
        help="Files, folders, or - for stdin; or live objects: deploy/web, deploy web, deploy, pods.",
        metavar="[PATH|KIND[/NAME]]...",
        autocompletion=complete_kind,
    ),
]
Kustomize = Annotated[
    str | None,
    typer.Option(
        "-k",
        "--kustomize",
        help="Read what kustomize builds from DIR, in place of a PATH.",
        metavar="DIR",
    ),
]
SourceKustomize = Annotated[
    str | None,
    typer.Option(
        "-k",
        "--kustomize",
        help="Translate the source files of the kustomization in DIR; needs -i, --output-dir, --diff or "
        "--check.",
        metavar="DIR",
    ),
]


@dataclass
class LossOptions:
    """What a translation may lose or add: ``--round``, ``--fill`` and ``--drop``."""

    round_: Round = None
    fill: Fill = field(default_factory=list)
    drop: Drop = field(default_factory=list)

    def accept(self) -> Accept:
        """The three as one. Raises UserError for invalid values."""
        filled: dict[str, int] = {}
        for text in self.fill:
            name, _, number = text.partition("=")
            filled |= _accepted("fill", text, {name: int(number) if _NUMBER.fullmatch(number) else None}).fill
        dropped = sorted({name for text in self.drop for name in text.split(",") if name})
        for name in dropped:
            _accepted("drop", name, [name])
        from gpuxlate.backends.pod_writer import Accept

        return Accept(self.round_ is not None, filled, frozenset(dropped))


_NUMBER = regex("[1-9][0-9]{0,11}")
_HOW_TO_FILL = "write --fill cores=30 (percent of each card) or --fill memoryMiB=8192 (on each card)"


def _accepted(field: str, text: str, value: object) -> Accept:
    """What one value of ``--fill`` or ``--drop`` accepts. Raises UserError, which names the option."""
    from gpuxlate.translation.acceptance import AboveCardError, AcceptError, build_accept

    try:
        return build_accept(**{field: value})
    except AboveCardError as error:
        template = "invalid value {value!r} for --{field}: more than one card"
        raise UserError(msg(template, value=text, field=field), error.hint) from None
    except AcceptError as error:
        raise InvalidValueError(f"--{field}", text, _HOW_TO_FILL if field == "fill" else error.hint) from None


@dataclass
class DecisionOptions:
    """The files in which a team accepts losses."""

    decisions: Annotated[
        list[str],
        typer.Option("--decisions", help="Accept exactly the losses that FILE approves.", metavar="FILE"),
    ] = field(default_factory=list)
    write_decisions: Annotated[
        str | None,
        typer.Option(
            "--write-decisions",
            help="Add each loss that is not accepted to FILE for review; exit 1 if any is left.",
            metavar="FILE",
        ),
    ] = None
    prune_decisions: Annotated[
        bool, typer.Option("--prune-decisions", help="Remove the entries that match no loss (GX034).")
    ] = False


@dataclass
class TranslationOptions:
    """The options of every command that translates: an option that is added here is one of each of them."""

    from_: From = None
    losses: LossOptions = field(default_factory=LossOptions)
    accepted: DecisionOptions = field(default_factory=DecisionOptions)


@dataclass
class RuleOptions:
    """Which rules count."""

    select: Annotated[
        list[str],
        typer.Option(
            "--select",
            help="Check only these rules (codes or prefixes).",
            metavar="CODE[,CODE]",
            autocompletion=complete_code,
        ),
    ] = field(default_factory=list)
    ignore: Annotated[
        list[str],
        typer.Option(
            "--ignore",
            help="Skip these rules (codes or prefixes).",
            metavar="CODE[,CODE]",
            autocompletion=complete_code,
        ),
    ] = field(default_factory=list)


READ_FILES = {"paths", "specs", "file"}
"""Names of parameters that are files."""
LIVE_OBJECTS = ("translate", "parse", "lint", "assess", "inspect", "plan")
"""Commands whose PATH may be a live object of ``kubectl gpuxlate``."""
CURRENT_FOLDER = ["."]
"""The PATH of commands that only look, where none is given."""


@dataclass
class SharedOptions:
    """Options of many commands, before or after the name of the command."""

    namespace: Annotated[
        str | None,
        typer.Option(
            "-n",
            "--namespace",
            help="The namespace (default: that of the context).",
            metavar="NAMESPACE",
            autocompletion=_complete_namespace,
        ),
    ] = None
    all_namespaces: Annotated[bool, typer.Option("-A", "--all-namespaces", help="Use all namespaces.")] = (
        False
    )
    selector: Annotated[
        str | None,
        typer.Option("-l", "--selector", help="Use only objects with these labels.", metavar="KEY=VALUE"),
    ] = None
    context: Annotated[
        str | None,
        typer.Option(
            "--context",
            help="The context of the kubeconfig (default: the current one).",
            metavar="NAME",
            autocompletion=_complete_context,
        ),
    ] = None
    kubeconfig: Annotated[
        str | None, typer.Option("--kubeconfig", help="The kubeconfig file.", metavar="FILE")
    ] = None
    request_timeout: Annotated[
        str | None,
        typer.Option(
            "--request-timeout",
            help="The time limit of each request: 30s, 2m; 0 is no limit.",
            metavar="DURATION",
        ),
    ] = None
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            "--exclude",
            help="Exclude these files from folders (gitignore patterns).",
            metavar="PATTERN[,PATTERN]",
        ),
    ] = None
    force_exclude: Annotated[
        bool,
        typer.Option("--force-exclude", help="Apply --exclude to files named on the command line too."),
    ] = False
    stdin_filename: Annotated[
        str | None,
        typer.Option("--stdin-filename", help="The file name to report for stdin.", metavar="FILE"),
    ] = None
    config: Annotated[
        str | None,
        typer.Option(
            "--config",
            help="The configuration file (default: .gpuxlate.yaml here or in a parent folder).",
            metavar="FILE",
        ),
    ] = None
    isolated: Annotated[bool, typer.Option("--isolated", help="Ignore configuration files.")] = False
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print only findings and results.")] = False
    verbose: Annotated[
        bool,
        typer.Option(
            "-v", "--verbose", help="Print which files, dialects and profile are used, and every info."
        ),
    ] = False
    lang: Annotated[
        locale.Language | None,
        typer.Option("--lang", help="The language of messages (default: GPUXLATE_LANG, or en)."),
    ] = None
    color: Annotated[
        Literal["auto", "always", "never"] | None,
        typer.Option("--color", help="When to use colour (default: auto)."),
    ] = None


@dataclass
class Invocation(SharedOptions):
    """One run of a command."""

    words: Sequence[str] = ()
    """The command line, with the name of the program."""
    in_one_process: bool = False
    """Nothing is forked: the process has threads, or is itself one of several."""
    unread: bool = False
    """The reader of stdout has gone."""
    files_written: int = 0
    """How many files it has written so far."""
    writing: tuple[str | os.PathLike[str], bytes] | None = None
    """The file that it is about to write, and what that is to hold."""
    ignored_variables: set[str] = field(default_factory=set)
    """The variables of the environment whose values mean nothing, once that is said."""
    found_config: tuple[Config | None] | None = None
    """The configuration, once it was looked for."""
    exclusion: Exclusion | None = None
    """What was left out, once the inputs are known."""
    live: Iterable[Input] | None = None
    """All inputs, where live objects are among them: ``str`` is their names. They can be read once."""

    @property
    def command(self) -> str:
        """The command line, for a shell."""
        return shlex.join(self.words)


RUN: ContextVar[Invocation] = ContextVar("RUN")
"""The run of the command that is called, in its thread."""


def invocation() -> Invocation:
    """The run of the command that is called; outside of one, what holds without options."""
    return RUN.get(None) or Invocation()


def typed_option(*names: str) -> tuple[str, str]:
    """By which of the names of an option the command line gives its last value, and the value."""
    words = invocation().words
    for at in range(len(words) - 1, 0, -1):
        for name in names:
            joined = f"{name}=" if name.startswith("--") else name
            if words[at] == name:
                return name, "".join(words[at + 1 : at + 2])
            if words[at].startswith(joined):
                return name, words[at].removeprefix(joined)
    return names[0], ""


OF_CLUSTER = ("context", "kubeconfig", "request_timeout")
OF_NAMESPACE = ("namespace", *OF_CLUSTER)
OF_NODES = ("selector", *OF_CLUSTER)
OF_OBJECTS = ("namespace", "all_namespaces", *OF_NODES)
"""Flags of kubectl, of commands about a cluster, what is in a namespace, nodes, and any objects."""
EVERYWHERE = ("config", "isolated", "quiet", "verbose", "lang", "color")
OF_FILES = ("exclude", "force_exclude", "stdin_filename")
GLOBAL = (*OF_FILES, *EVERYWHERE)


@cache
def shared_parameters() -> dict[str, Any]:
    """The parameters of click for SharedOptions."""
    return {parameter.name: parameter for parameter in declared_parameters(SharedOptions)}


@cache
def before_command() -> dict[str, int]:
    """Flags that ``kubectl gpuxlate`` takes before the command too, and how many words follow each."""
    return {
        name: 0 if parameter.is_flag else 1
        for parameter in shared_parameters().values()
        for name in parameter.opts
    }


def declared_parameters(function: Callable[..., Any]) -> list[Any]:
    """The parameters of click that the parameters of a function declare."""
    app = typer.Typer(add_completion=False)
    app.command()(function)
    command: Any = get_command(app)
    return [*command.params]


def with_records(function: Callable[..., int]) -> Callable[..., int]:
    """A command whose records of options are options of its own, in their order, as typer wants them."""
    signature = inspect.signature(function, eval_str=True)
    records = {
        parameter.name: parameter.annotation
        for parameter in signature.parameters.values()
        if is_dataclass(parameter.annotation)
    }
    if not records:
        return function

    @wraps(function)
    def command(**values: Any) -> int:
        taken = {name: _taken(record, values) for name, record in records.items()}
        return function(**values, **taken)

    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        if parameter.name in records:
            parameters += _parameters(records[parameter.name])
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return command


def _parameters(record: Any) -> Iterator[inspect.Parameter]:
    """The fields of a record and of those in it, as parameters of a command."""
    hints = get_type_hints(record, include_extras=True)
    for option in fields(record):
        if is_dataclass(hints[option.name]):
            yield from _parameters(hints[option.name])
        else:
            default = option.default if option.default_factory is MISSING else option.default_factory()
            yield inspect.Parameter(
                option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[option.name]
            )


def _taken(record: Any, values: dict[str, Any]) -> Any:
    """A record with its values, which are taken out of those of the command."""
    hints = get_type_hints(record)
    nested = {
        option.name: hints[option.name] for option in fields(record) if is_dataclass(hints[option.name])
    }
    return record(
        **{
            option.name: _taken(nested[option.name], values)
            if option.name in nested
            else values.pop(option.name)
            for option in fields(record)
        }
    )
