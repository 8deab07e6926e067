"""The result of a translation or a reading, and those of the Python API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.share import Share
from gpuxlate.translation.claims import Named
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.pods.item import Item
from gpuxlate.translation.pods.reader import refuses
from gpuxlate.translation.quotas.item import QuotaItem
from gpuxlate.yamltext.compose import documents
from gpuxlate.yamltext.plain import to_plain
from gpuxlate.yamltext.source import Source


@dataclass(frozen=True, slots=True)
class File:
    """A file of a run, or a text that is none: its old and new bytes."""

    name: str
    is_file: bool
    old: bytes
    new: bytes

    @property
    def changed(self) -> bool:
        return self.new != self.old


def stream(files: Sequence[File]) -> Iterator[bytes]:
    """All new texts as one stream."""
    for n, file in enumerate(files):
        if n and file.new and not file.new.startswith(b"---"):
            yield b"---\n"
        yield file.new
        if len(files) > 1 and not file.new.endswith(b"\n"):
            yield b"\n"


@dataclass(slots=True)
class Result:
    """What a pod, a document, a file or a run comes to; ``+=`` joins them.

    ``text``: the new text of one source, the old one where something was refused; ``files``: those of a run.
    ``named``: new templates of claims by their names. ``sources``: the texts that findings are in.
    """

    items: list[Item] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    leftovers: list[Leftover] = field(default_factory=list)
    quotas: list[QuotaItem] = field(default_factory=list)
    named: list[Named] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    text: str = ""
    changed: bool = False

    def __iadd__(self, more: Result) -> Self:
        self.items += more.items
        self.diagnostics += more.diagnostics
        self.leftovers += more.leftovers
        self.quotas += more.quotas
        self.named += more.named
        self.files += more.files
        self.sources += more.sources
        self.changed |= more.changed
        return self

    @property
    def refused(self) -> bool:
        return refuses(self.diagnostics)


class Refused(Exception):  # noqa: N818 - a result, not a failure
    """A request was refused, and nothing was written.

    ``diagnostics``: every reason, and all other findings. ``items``: the shares and their verdicts.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic], items: Sequence[Item] = ()) -> None:
        self.diagnostics = tuple(diagnostics)
        self.items = tuple(items)
        super().__init__(self.diagnostics, self.items)

    def __str__(self) -> str:
        return "\n".join(_line(one) for one in self.diagnostics if one.severity == "error")


def _line(one: Diagnostic) -> str:
    where = one.file or ""
    if one.span:
        where += f":{one.span.line}:{one.span.column}"
    return f"{where}: {one.code} {one.message}" if where else f"{one.code} {one.message}"


def loaded(text: str) -> list[Any]:
    """The documents of a text as plain data, without the empty ones."""
    return [to_plain(one.root) for one in documents(Source("", text)) if one.root is not None]


@dataclass(frozen=True, slots=True)
class ApiResult:
    """``text``: the result. ``diagnostics``: warnings and infos, in order."""

    text: str
    items: tuple[Item, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def objects(self) -> list[Any]:
        """The documents of ``text`` as plain data: mappings, lists, strings, numbers."""
        return loaded(self.text)


@dataclass(frozen=True, slots=True)
class Translation(ApiResult):
    """Manifests in another dialect. ``changed``: the text differs from the input.

    ``leftovers``: what is left behind of the source, where that was accepted. ``quotas``: the amounts of
    quotas and queues, with what became of each. ``files``: the new texts of a path by the names of its files,
    all of which ``text`` is as one stream.
    """

    changed: bool
    leftovers: tuple[Leftover, ...] = ()
    quotas: tuple[QuotaItem, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rendering(ApiResult):
    """Shares in the terms of one target: a manifest, parameters of a job, or values of a form."""


@dataclass(frozen=True, slots=True)
class Parsed(ApiResult):
    """The shares of manifests; ``text`` and ``objects`` are GPUShare documents, one for each."""

    @property
    def shares(self) -> tuple[Share, ...]:
        """The shares alone, in the order of the manifests."""
        return tuple(one.share for one in self.items if one.share)


@dataclass(frozen=True, slots=True)
class Linted:
    """The findings. ``text`` is the text with its fixes applied; ``fixes`` counts them.

    ``documents`` and ``shares`` count what was checked, ``suppressed`` the ignored findings.
    """

    text: str
    diagnostics: tuple[Diagnostic, ...]
    documents: int
    shares: int
    suppressed: int
    fixes: int

    @property
    def objects(self) -> list[Any]:
        """The documents of ``text`` as plain data."""
        return loaded(self.text)
