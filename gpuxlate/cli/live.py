"""The cluster of kubectl's flags, and live objects among PATH arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpuxlate.cli import options, printing
from gpuxlate.cli.inputs import files_at
from gpuxlate.cli.options import InvalidValueError, invocation
from gpuxlate.files.find import SUFFIXES, Input
from gpuxlate.model.declarations import regex
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import msg, titled

if TYPE_CHECKING:
    from gpuxlate.cluster.client import Cluster, KubectlOptions
    from gpuxlate.cluster.resources import ResourceKind


def _objects(paths: options.Objects = []) -> None:
    """The PATH arguments of a command on files, where they may be live objects."""


(PATHS,) = options.declared_parameters(_objects)
_NAMESPACE = regex(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")  # RFC 1123, as the server wants it
_DURATION = regex(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?")


def seconds(text: str | None) -> float | None:
    """The seconds of ``30s``, ``1m30s``, ``500ms`` or a number; None where the flag is not set.

    Raises InvalidValueError.
    """
    if text is None:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    match = _DURATION.fullmatch(text) if text else None
    if match is None:
        raise InvalidValueError("--request-timeout", text, "write 30s, 2m, 500ms, or 0")
    hours, minutes, whole, milli = (float(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + whole + milli / 1000


def cluster_options() -> KubectlOptions:
    """The flags of kubectl as the cluster's options. Raises UserError."""
    from gpuxlate.cluster.client import KubectlOptions

    run = invocation()
    if run.namespace is not None and not _NAMESPACE.fullmatch(run.namespace):
        hint = "a namespace has at most 63 lower-case letters, digits and dashes"
        raise InvalidValueError(options.typed_option("-n", "--namespace")[0], run.namespace, hint)
    return KubectlOptions(
        run.kubeconfig,
        run.context,
        run.namespace,
        run.all_namespaces,
        run.selector,
        seconds(run.request_timeout),
    )


def cluster_of_flags() -> Cluster:
    """The cluster of the flags. Raises UserError, ClusterError."""
    return open_cluster(cluster_options())


def open_cluster(options: KubectlOptions) -> Cluster:
    """The cluster of these options; its notes go to stderr. Raises ClusterError."""
    from gpuxlate.cluster.client import Cluster

    return Cluster(options, lambda text: printing.info(titled("note", text)))


class LiveInputs:
    """Files and live objects, read page by page while they are iterated over, once.

    ``whole``: every object is wanted as text, also one that requests no GPU.
    """

    def __init__(
        self,
        files: list[str],
        words: list[str],
        options: KubectlOptions,
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
        for file in chain(files_at(self.files), self._objects()):
            empty = False
            yield file
        if empty and not self.allow_empty:
            where = "in all namespaces" if self.options.all_namespaces else "in this namespace"
            labels = self.options.selector
            chosen = msg(" with labels {labels}", labels=labels) if labels else ""
            raise UserError(
                msg(
                    "nothing to work on: no {value} {where}{chosen}",
                    value=" ".join(self.words) or msg("workloads"),
                    where=where,
                    chosen=chosen,
                ),
                None if self.options.all_namespaces else "choose a namespace with -n, or all with -A",
                Exit.INPUT,
            )

    def _objects(self) -> Iterator[Input]:
        from gpuxlate.cluster.live_inputs import live_inputs
        from gpuxlate.cluster.resources import selections_of
        from gpuxlate.cluster.server import ClusterError
        from gpuxlate.files.relevance import might_have_gpu_keys

        try:
            server = open_cluster(self.options)
            selections = selections_of(server, self.words)
        except ClusterError as error:
            if error.hint is None and self.words:
                error.hint = msg(
                    "{name} is not a file here, so it was looked for in the cluster", name=self.words[0]
                )
            raise
        yield from live_inputs(
            server,
            selections,
            all_namespaces=self.options.all_namespaces,
            selector=self.options.selector,
            matters=None if self.whole else might_have_gpu_keys,
        )


def split(arguments: Sequence[str], chooses: bool) -> tuple[list[str], list[str]]:
    """The arguments that are files, and those that select live objects.

    What exists is a file or folder; a folder with the name of a kind is that kind where a flag selects
    live objects (``chooses``).
    """
    files: list[str] = []
    words: list[str] = []
    for argument in arguments:
        path = Path(argument)
        is_file = (
            argument == "-"
            or argument.endswith(SUFFIXES)
            or argument.startswith((".", "/", "~"))
            or path.exists()
        )
        kind = _kind(argument) if is_file and path.is_dir() else None
        if kind is not None:
            is_file = not chooses
            if is_file:
                text = "note: {one} is a folder; for live objects write {full_name}"
                printing.info(msg(text, one=argument, full_name=f"{kind.resource}.{kind.group or 'v1'}"))
        (files if is_file else words).append(argument)
    return files, words


def _kind(word: str) -> ResourceKind | None:
    """The built-in kind of a word."""
    from gpuxlate.cluster.resources import BUILT_IN_RESOURCES

    return next((kind for kind in BUILT_IN_RESOURCES if kind.has_name(word)), None)


def on_live_objects(name: str, function: Callable[..., int]) -> Callable[..., int]:
    """A command on files, with live objects among its PATH arguments."""

    @wraps(function)
    def command(paths: list[str] | None, **values: Any) -> int:
        if values.get("kustomize") is None:
            paths, invocation().live = _split(name, paths or [], cluster_options(), values)
        return function(paths or [], **values)

    return command


def _split(
    name: str, arguments: list[str], options: KubectlOptions, values: dict[str, Any]
) -> tuple[list[str], LiveInputs | None]:
    """The files among the PATH arguments of a command, and all inputs where live objects are among them."""
    flags = options.all_namespaces or options.selector
    files, words = split(arguments, bool(flags or options.namespace or options.context))
    if files and not words:
        if flags:
            raise UserError(
                msg("{files} is a file: -A and -l select live objects", files=files[0]), "name a kind too"
            )
        return files, None
    if not arguments and not (flags or options.namespace):
        raise UserError(
            "nothing to work on: name a PATH or live objects",
            msg(
                "live objects: kubectl gpuxlate {name} deploy/web, -n NAMESPACE or -A for all workloads; "
                "files: kubectl gpuxlate {name} .",
                name=name,
            ),
        )
    for flag in ("fix", "unsafe_fixes", "add_ignores", "in_place"):
        if values.get(flag):
            raise UserError(
                msg("--{replace} changes files, not live objects", replace=flag.replace("_", "-")),
                "kubectl gpuxlate translate prints them as manifests for kubectl apply",
            )
    if values.get("watch"):
        raise UserError("--watch is for files, not live objects", "name only files and folders")
    return files, LiveInputs(
        files,
        words,
        options,
        whole=name == "translate",
        allow_empty=bool(values.get("allow_empty")),
    )
