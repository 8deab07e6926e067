"""Live objects among PATH arguments, and the flags of kubectl that select them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpuxlate.cli import common
from gpuxlate.inputs.files import SUFFIXES, Input
from gpuxlate.model.messages import say, titled

if TYPE_CHECKING:
    from gpuxlate.cluster.client import Cluster, Options
    from gpuxlate.cluster.inputs import LiveInput

Objects = Annotated[
    list[str],
    typer.Argument(
        help="Files, folders, - for stdin; or live objects: deploy/web, deploy web, deploy, pods.",
        metavar="[PATH|KIND[/NAME]]...",
    ),
]
Namespace = Annotated[
    str | None, typer.Option("-n", "--namespace", help="The namespace.", metavar="NAMESPACE")
]
AllNamespaces = Annotated[bool, typer.Option("-A", "--all-namespaces", help="In all namespaces.")]
Selector = Annotated[
    str | None, typer.Option("-l", "--selector", help="Only objects with these labels.", metavar="KEY=VALUE")
]
Context = Annotated[
    str | None, typer.Option("--context", help="The context of the kubeconfig.", metavar="NAME")
]
Kubeconfig = Annotated[str | None, typer.Option("--kubeconfig", help="The kubeconfig.", metavar="FILE")]
RequestTimeout = Annotated[
    str | None,
    typer.Option("--request-timeout", help="For each request: 30s, 2m; 0 for no limit.", metavar="DURATION"),
]
FLAGS: dict[str, tuple[Any, Any]] = {
    "namespace": (Namespace, None),
    "all_namespaces": (AllNamespaces, False),
    "selector": (Selector, None),
    "context": (Context, None),
    "kubeconfig": (Kubeconfig, None),
    "request_timeout": (RequestTimeout, None),
}
"""The flags of every live command: type and default by parameter name."""

_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")  # RFC 1123, as the server wants it
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?")


def seconds(text: str | None) -> float | None:
    """``30s``, ``1m30s``, ``500ms`` or a number of seconds; None where the flag is not set."""
    if text is None:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    match = _DURATION.fullmatch(text) if text else None
    if match is None:
        raise common.CliError(
            say("invalid value '{text}' for --request-timeout", text=text), "write 30s, 2m, 500ms, or 0"
        )
    hours, minutes, whole, milli = (float(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + whole + milli / 1000


def cluster_options(
    namespace: str | None = None,
    all_namespaces: bool = False,
    selector: str | None = None,
    context: str | None = None,
    kubeconfig: str | None = None,
    request_timeout: str | None = None,
) -> Options:
    """The flags as the cluster's options. Raises CliError."""
    from gpuxlate.cluster.client import Options

    if namespace is not None and not _NAMESPACE.fullmatch(namespace):
        raise common.CliError(
            say("invalid value '{namespace}' for -n", namespace=namespace),
            "a namespace has at most 63 lower-case letters, digits and dashes",
        )
    return Options(kubeconfig, context, namespace, all_namespaces, selector, seconds(request_timeout))


def open_cluster(options: Options) -> Cluster:
    """The cluster of these options; its notes go to stderr. Raises ClusterError."""
    from gpuxlate.cluster.client import Cluster

    return Cluster(options, lambda text: common.remark(titled("note", text)))


def cluster(
    namespace: str | None,
    all_namespaces: bool,
    selector: str | None,
    context: str | None,
    kubeconfig: str | None,
    request_timeout: str | None,
) -> Cluster:
    """The cluster of the values of FLAGS. Raises CliError, ClusterError."""
    return open_cluster(
        cluster_options(namespace, all_namespaces, selector, context, kubeconfig, request_timeout)
    )


class LiveInputs:
    """Files and live objects, read page by page while they are iterated over, once.

    ``whole``: every object is wanted as text, also one that requests no GPU.
    """

    def __init__(
        self,
        files: list[str],
        words: list[str],
        options: Options,
        *,
        whole: bool,
        allow_empty: bool,
    ) -> None:
        self.files = files
        self.words = words
        self.options = options
        self.whole = whole
        self.allow_empty = allow_empty

    def __str__(self) -> str:
        return ", ".join([*self.files, *self.words]) or "workloads"

    def __iter__(self) -> Iterator[Input]:
        empty = True
        for one in chain(common.inputs(self.files), self._objects()):
            empty = False
            yield one
        if empty and not self.allow_empty:
            where = "in all namespaces" if self.options.all_namespaces else "in this namespace"
            labels = self.options.selector
            chosen = say(" with labels {labels}", labels=labels) if labels else ""
            raise common.CliError(
                say(
                    "nothing to work on: no {value} {where}{chosen}",
                    value=" ".join(self.words) or say("workloads"),
                    where=where,
                    chosen=chosen,
                ),
                None if self.options.all_namespaces else "choose a namespace with -n, or all with -A",
                common.Exit.INPUT,
            )

    def _objects(self) -> Iterator[LiveInput]:
        from gpuxlate.cluster.inputs import live_inputs
        from gpuxlate.cluster.resources import selected
        from gpuxlate.cluster.server import ClusterError
        from gpuxlate.inputs.relevance import may_matter

        try:
            server = open_cluster(self.options)
            selections = selected(server, self.words)
        except ClusterError as error:
            if error.hint is None and self.words:
                error.hint = say(
                    "{name} is not a file here, so it was looked for in the cluster", name=self.words[0]
                )
            raise
        yield from live_inputs(
            server,
            selections,
            all_namespaces=self.options.all_namespaces,
            selector=self.options.selector,
            matters=None if self.whole else may_matter,
        )


def split(arguments: Sequence[str], chooses: bool) -> tuple[list[str], list[str]]:
    """The arguments that are files, and those that select live objects.

    What exists is a file or folder; a folder with the name of a kind is that kind where a flag selects
    live objects (``chooses``).
    """
    files: list[str] = []
    words: list[str] = []
    for one in arguments:
        path = Path(one)
        is_file = one == "-" or one.endswith(SUFFIXES) or one.startswith((".", "/", "~")) or path.exists()
        if is_file and path.is_dir() and _is_kind(one):
            is_file = not chooses
            if is_file:
                common.remark(
                    say(
                        "note: {one} is a folder; for live objects write {full_name}",
                        one=one,
                        full_name=_full_name(one),
                    )
                )
        (files if is_file else words).append(one)
    return files, words


def _is_kind(word: str) -> bool:
    from gpuxlate.cluster.resources import BUILT_IN

    return any(kind.called(word) for kind in BUILT_IN)


def _full_name(word: str) -> str:
    from gpuxlate.cluster.resources import BUILT_IN

    kind = next(kind for kind in BUILT_IN if kind.called(word))
    return f"{kind.resource}.{kind.group}" if kind.group else f"{kind.resource}.v1"


def with_live_objects(name: str, function: Callable[..., int]) -> Callable[..., int]:
    """A command on files, with live objects among its PATH arguments and the flags that select them."""
    signature = inspect.signature(function, eval_str=True)
    first, *others = signature.parameters.values()
    parameters = [
        first.replace(annotation=Objects, default=[]),
        *(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in others),
        *(
            inspect.Parameter(flag, inspect.Parameter.KEYWORD_ONLY, annotation=type_, default=default)
            for flag, (type_, default) in FLAGS.items()
        ),
    ]

    def command(**given: Any) -> int:
        flags = {flag: given.pop(flag) for flag in FLAGS}
        given[first.name] = _paths(name, given.pop(first.name), cluster_options(**flags), given)
        return function(**given)

    command.__doc__ = function.__doc__
    command.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": int}
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return command


def _paths(
    name: str, arguments: list[str], options: Options, given: dict[str, Any]
) -> list[str] | LiveInputs:
    """The PATH arguments of the command, or its inputs where live objects are among them."""
    flags = options.all_namespaces or options.selector
    files, words = split(arguments, bool(flags or options.namespace or options.context))
    if files and not words:
        if flags:
            raise common.CliError(
                say("{files} is a file: -A and -l select live objects", files=files[0]), "name a kind too"
            )
        return files
    if not arguments and not (flags or options.namespace):
        raise common.CliError(
            "nothing to work on: name a PATH or live objects",
            say(
                "live objects: kubectl gpuxlate {name} deploy/web, -n NAMESPACE or -A for all workloads; "
                "files: kubectl gpuxlate {name} .",
                name=name,
            ),
        )
    for flag in ("fix", "unsafe_fixes", "add_ignores", "in_place"):
        if given.get(flag):
            raise common.CliError(
                say("--{replace} changes files, not live objects", replace=flag.replace("_", "-")),
                "kubectl gpuxlate translate prints them as manifests for kubectl apply",
            )
    if given.get("watch"):
        raise common.CliError("--watch is for files, not live objects", "name files and folders alone")
    return LiveInputs(
        files,
        words,
        options,
        whole=name == "translate",
        allow_empty=bool(given.get("allow_empty")),
    )
