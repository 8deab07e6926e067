"""The results of the Python API, and the exception for refusals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.share import Share
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.pods.item import Item
from gpuxlate.translation.quotas.item import QuotaItem
from gpuxlate.yamltext.compose import documents
from gpuxlate.yamltext.plain import to_plain
from gpuxlate.yamltext.source import Source


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
class Result:
    """``text``: the result. ``diagnostics``: warnings and infos, in order."""

    text: str
    items: tuple[Item, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def objects(self) -> list[Any]:
        """The documents of ``text`` as plain data: mappings, lists, strings, numbers."""
        return loaded(self.text)


@dataclass(frozen=True, slots=True)
class Translation(Result):
    """Manifests in another dialect. ``changed``: the text differs from the input.

    ``leftovers``: what is left behind of the source, where that was accepted. ``quotas``: the amounts of
    quotas and queues, with what became of each.
    """

    changed: bool
    leftovers: tuple[Leftover, ...] = ()
    quotas: tuple[QuotaItem, ...] = ()


@dataclass(frozen=True, slots=True)
class Rendering(Result):
    """Shares in the terms of one target: a manifest, parameters of a job, or values of a form."""


@dataclass(frozen=True, slots=True)
class Parsed(Result):
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
