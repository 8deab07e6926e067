"""The documents that facts come from: what each is, where it stands, which date it bears.

The code cites them as ``TITLE, PLACE (DATE)``, several with a semicolon between; the titles are in the files
of ``documents/``, which has a README. What a target cites and no file has is a document by its class. A test
holds that every citation of the code is of a document.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.rules.base import Citation, citations

FOLDER = Path(__file__).with_name("documents")


@dataclass(frozen=True)
class Document:
    """One document; ``documents/README.md`` says what the fields are."""

    id: str
    title: str
    kind: str
    date: str
    url: str | None = None
    note: str = ""
    commit: str = ""
    asked: str = ""
    asked_with: str = ""
    dialects: str = ""

    @property
    def described(self) -> str:
        """Its title, with what more is said of it."""
        more = "; ".join(filter(None, (f"at {self.commit}" if self.commit else "", self.note)))
        return f"{self.title}: {more}" if more else self.title

    def begins(self, citation: str) -> bool:
        """The citation is of this document, or of one whose title is longer."""
        after = citation.removeprefix(self.title)
        return citation.startswith(self.title) and (not after or after.startswith(_AFTER_TITLE))


@dataclass(frozen=True)
class Group:
    """A file: the documents of a vendor, in its order."""

    title: str
    documents: tuple[Document, ...]


OF_TARGETS = "Dialects of one sheet"
_AFTER_TITLE = (", ", ": ", " (")
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+\b")


@cache
def groups() -> tuple[Group, ...]:
    """Those of the files, then what targets cite beside."""
    files = tuple(map(_group, sorted(FOLDER.glob("*.toml"))))
    listed = tuple(document for group in files for document in group.documents)
    beside = {
        citation.text: _of_target(citation, f"{backend.name}-{tag.lower()}")
        for backend in registry.all_backends()
        for tag, text in reversed(backend.documents.items())
        for citation in citations(text)
        if _document_of(citation.text, listed) is None
    }
    return (*files, Group(OF_TARGETS, tuple(beside.values()))) if beside else files


def _of_target(citation: Citation, id_: str) -> Document:
    kind = "open source" if _REPOSITORY.match(citation.text) else "vendor's page"
    return Document(id_, citation.text, kind, citation.date or "undated")


def _group(path: Path) -> Group:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return Group(table["title"], tuple(Document(**row) for row in table["document"]))


def all_documents() -> tuple[Document, ...]:
    return tuple(document for group in groups() for document in group.documents)


OWN = (
    "Contract of gpuxlate",
    "docs/security.md",
    "`gpuxlate schema spec`",
    "The data sheets of the vendors' keys",
    "The table of products on the page of targets",
)
"""Sources that are this tool's own word: how shares, verdicts and files are handled."""


def document_of(citation: str) -> Document | None:
    """The document that a citation is of; None where no title begins it."""
    return _document_of(citation, all_documents())


def _document_of(citation: str, listed: tuple[Document, ...]) -> Document | None:
    of = (document for document in listed if document.begins(citation))
    return max(of, key=lambda document: len(document.title), default=None)


def cited_in(text: str) -> list[Document]:
    """The documents that a source cites, each once."""
    documents = (document_of(citation.text) for citation in citations(text))
    return list(dict.fromkeys(document for document in documents if document is not None))


def tagged(backend: Backend, tags: str) -> Iterator[tuple[str, list[Document]]]:
    """Each short name of a row's source, with the documents that the target cites by it."""
    for tag in filter(None, tags.split(", ")):
        yield tag, cited_in(backend.documents.get(tag, ""))
