"""The documents that facts come from: what each is, where it stands, which date it bears.

The code names its sources in words (the ``## Source`` of rules, prerequisites) and by short tags (the
rows of the data sheets, spelt out at the top of each ``keys.py``). Both are found in the files of
``documents/``, which has a README; a test holds that every source of the code is.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

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


@cache
def groups() -> tuple[Group, ...]:
    return tuple(map(_group, sorted(FOLDER.glob("*.toml"))))


def _group(path: Path) -> Group:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    sheets = table.get("sheets", "")
    made = [
        Document(**{**one, "tags": tuple(one.get("tags", ()))}, sheets=sheets) for one in table["document"]
    ]
    return Group(table["title"], tuple(made))


def all_documents() -> tuple[Document, ...]:
    return tuple(one for group in groups() for one in group.documents)


OWN = (
    r"Contract of gpuxlate|^docs/security[.]md|^`gpuxlate schema spec`|^The data sheets of the vendors' keys"
)
"""Sources that are this tool's own word: how shares, verdicts and files are handled."""


def named_in(text: str) -> list[Document]:
    """The documents that a source in words speaks of."""
    return [one for one in all_documents() if one.is_named_in(" ".join(text.split()))]


def tagged(target: str, tags: str) -> list[tuple[str, list[Document]]]:
    """Each tag of a row of a target's data sheet, with the documents it stands for."""
    known = [one for one in all_documents() if one.sheets and target.startswith(one.sheets)]
    whole = [one for one in known if tags in one.tags]
    names = [tags] if whole else [tag.strip() for tag in tags.split(",")]
    return [(name, [one for one in known if name in one.tags]) for name in names if name]
