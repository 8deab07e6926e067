"""What the functions of the Python API return and raise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from gpuxlate.files.find import InputError
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.messages import message_of
from gpuxlate.model.share import Share
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.plain import to_python
from gpuxlate.yamltext.source import Source

if TYPE_CHECKING:
    from gpuxlate.translation.quotas.items import QuotaItem
from gpuxlate.translation.items import Item


class Refused(Exception):  # noqa: N818 - a result, not a failure
    """A request was refused, and nothing was written.

    ``diagnostics``: every reason, and all other findings. ``items``: the shares and their verdicts.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic], items: Sequence[Item] = ()) -> None:
        self.diagnostics = tuple(diagnostics)
        self.items = tuple(items)
        super().__init__(self.diagnostics, self.items)

    def __str__(self) -> str:
        return "\n".join(_line(finding) for finding in self.diagnostics if finding.severity == "error")


class UnreadableError(OSError):
    """Files of a path could not be read; the text of the error has a line for each, with the reason.

    ``diagnostics`` and ``items``: the findings and shares of the other files.
    """

    def __init__(
        self, errors: Sequence[InputError], diagnostics: Sequence[Diagnostic] = (), items: Sequence[Item] = ()
    ) -> None:
        super().__init__("\n".join(map(message_of, errors)))
        self.diagnostics = tuple(diagnostics)
        self.items = tuple(items)


def _line(finding: Diagnostic) -> str:
    where = finding.file or ""
    if finding.span:
        where += f":{finding.span.line}:{finding.span.column}"
    return f"{where}: {finding.code} {finding.message}" if where else f"{finding.code} {finding.message}"


def load_documents(text: str) -> list[Any]:
    """The documents of a text as plain data, without the empty ones."""
    return [to_python(document.root) for document in documents(Source("", text)) if document.root is not None]


@record
class ApiResult:
    """``text``: the result. ``diagnostics``: warnings and infos, in order. It iterates over its ``items``."""

    text: str
    items: tuple[Item, ...]
    diagnostics: tuple[Diagnostic, ...]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    @property
    def objects(self) -> list[Any]:
        """The documents of ``text`` as plain data: mappings, lists, strings, numbers."""
        return load_documents(self.text)


@record
class Translation(ApiResult):
    """Manifests in another dialect. ``changed``: the text differs from the input.

    ``leftovers``: what is not translated of the source, where that was accepted. ``quotas``: the amounts of
    quotas and queues, with what became of each. ``files``: the new texts of a path by the names of its files,
    all of which ``text`` is as one stream.
    """

    changed: bool
    leftovers: tuple[Leftover, ...] = ()
    quotas: tuple[QuotaItem, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)


@record
class Rendering(ApiResult):
    """Shares in the terms of one target: a manifest, parameters of a job, or values of a form."""


@record
class Parsed(ApiResult):
    """The shares of manifests; ``text`` and ``objects`` are GPUShare documents, one for each."""

    @property
    def shares(self) -> tuple[Share, ...]:
        """The shares alone, in the order of the manifests."""
        return tuple(item.share for item in self.items if item.share)


@record
class Linted:
    """The findings, over which it iterates. ``text`` has its fixes applied; ``fixes`` counts them.

    ``documents`` and ``shares`` count what was checked, ``suppressed`` the ignored findings.
    """

    text: str
    diagnostics: tuple[Diagnostic, ...]
    documents: int
    shares: int
    suppressed: int
    fixes: int

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.diagnostics)

    @property
    def objects(self) -> list[Any]:
        """The documents of ``text`` as plain data."""
        return load_documents(self.text)
