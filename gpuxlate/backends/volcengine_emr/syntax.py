"""Parameters in a text: what a syntax reads and writes, and their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Mapping, Scalar
from gpuxlate.yamltext.source import Source


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter, and the characters of its key, its value and its statement.

    The value's characters are those to replace, quotes included. ``end`` is the end of the statement
    with its terminator; ``closed``: the statement has its terminator, or the syntax needs none.
    ``quoted``: an entry of a mapping of Python, whose quotes are around the places of key and value.
    """

    key: str
    value: str
    key_start: int
    key_end: int
    value_start: int
    value_end: int
    end: int
    closed: bool = True
    quoted: bool = False


class Syntax(Protocol):
    """One way to write parameters in a text."""

    suffix: str
    comments: tuple[str, ...]  # what a comment begins with

    def read(self, text: str) -> list[Parameter]:
        """Every parameter, in the order of the text; all other text is skipped."""

    def write(self, key: str, value: str) -> str:
        """One parameter as a line, without its line break."""

    def place(self, text: str, parameters: Sequence[Parameter]) -> int | None:
        """Where new parameters go if none of them is there; None is the end of the text."""


def as_document(source: Source, parameters: Sequence[Parameter]) -> Document:
    """The parameters as a document: one mapping, its keys and values at their places in the text."""
    root = Mapping(0, None, None, False)
    document = Document(source, 0, 0, len(source.text), root)
    seen: set[str] = set()
    for one in parameters:
        key = Scalar.at(one.key_start, one.key_end, one.key)
        root.entries.append((key, Scalar.at(one.value_start, one.value_end, one.value)))
        if one.key in seen:
            document.repeated.append((root, key))
        seen.add(one.key)
    return document
