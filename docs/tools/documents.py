"""The documents that facts come from: what each is, where it stands, which date it bears.

The code names its sources in words (the ``## Source`` of rules, prerequisites, the ``documents`` of a
sheet) and by short tags (the rows of the data sheets). Both are found in the files of ``documents/``, which
has a README; what a target names and no file has is a document by its class. A test holds that every source
of the code is one.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend

FOLDER = Path(__file__).with_name("documents")


@dataclass(frozen=True)
class Document:
    """One document; ``documents/README.md`` says what the fields are."""

    id: str
    title: str
    kind: str
    date: str
    url: str | None = None
    named: str | None = None
    tags: tuple[str, ...] = ()
    sheets: str = ""

    def is_named_in(self, text: str) -> bool:
        return self.named is not None and re.search(self.named, text) is not None


@dataclass(frozen=True)
class Group:
    """A file: the documents of a vendor, in its order."""

    title: str
    documents: tuple[Document, ...]


OF_TARGETS = "Dialects of one sheet"
_DATED = re.compile(r"(.*?) \((?:([^()]*), )?(\d{4}(?:-\d\d){0,2})\)")
"""A document of a target with its date."""
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+\b")


@cache
def groups() -> tuple[Group, ...]:
    """Those of the files, then what targets name beside."""
    files = tuple(map(_group, sorted(FOLDER.glob("*.toml"))))
    listed = [document for group in files for document in group.documents]
    texts = {
        text: f"{backend.name}-{tag.lower()}"
        for backend in registry.all_backends()
        for tag, text in reversed(backend.documents.items())
        if not any(document.is_named_in(text) for document in listed)
    }
    of_targets = tuple(_of_target(text, id_) for text, id_ in texts.items())
    return (*files, Group(OF_TARGETS, of_targets)) if of_targets else files


def _of_target(text: str, id_: str) -> Document:
    match = _DATED.fullmatch(text)
    title, date = (
        (text, "undated") if match is None else (", ".join(filter(None, match.groups()[:2])), match[3])
    )
    kind = "open source" if _REPOSITORY.match(text) else "vendor's page"
    return Document(id_, title, kind, date, named=re.escape(text))


def _group(path: Path) -> Group:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    sheets = table.get("sheets", "")
    listed = [
        Document(**{**row, "tags": tuple(row.get("tags", ()))}, sheets=sheets) for row in table["document"]
    ]
    return Group(table["title"], tuple(listed))


def all_documents() -> tuple[Document, ...]:
    return tuple(document for group in groups() for document in group.documents)


OWN = (
    r"Contract of gpuxlate|^docs/security[.]md|^`gpuxlate schema spec`|^The data sheets of the vendors' keys"
)
"""Sources that are this tool's own word: how shares, verdicts and files are handled."""


def named_in(text: str) -> list[Document]:
    """The documents that a source in words speaks of."""
    return [document for document in all_documents() if document.is_named_in(" ".join(text.split()))]


def tagged(backend: Backend, tags: str) -> list[tuple[str, list[Document]]]:
    """Each tag of a row of a target's data sheet, with the documents it stands for."""
    if backend.documents:
        return [(tag, named_in(backend.documents.get(tag, ""))) for tag in tags.split(", ") if tag]
    of_backend = [
        document
        for document in all_documents()
        if document.sheets and backend.name.startswith(document.sheets)
    ]
    whole = [document for document in of_backend if tags in document.tags]
    names = [tags] if whole else [tag.strip() for tag in tags.split(",")]
    return [(name, [document for document in of_backend if name in document.tags]) for name in names if name]
