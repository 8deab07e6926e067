"""The text of one input, and where its characters stand."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from gpuxlate.model.diagnostics import Span

BOM = "\ufeff"
_LINE_BREAK = re.compile(r"\r\n|\n|\r")


class DecodeError(ValueError):
    """The bytes are no UTF-8 text. The message says where."""


def decoded(data: bytes, at: int = 0) -> str:
    """``at``: how many bytes stand before these. Raises DecodeError."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DecodeError(
            f"byte {at + error.start} (0x{data[error.start]:02x}) is no UTF-8; save the file as UTF-8"
        ) from None


class Source:
    """Decoded text without its byte order mark; ``name`` is what diagnostics call it.

    It may be a piece of a longer text: ``line`` and ``document`` are how many stand before it, and
    ``followed`` says that a document marker comes next. Positions count from the beginning of the whole.
    """

    def __init__(
        self, name: str, text: str, line: int = 0, document: int = 0, *, followed: bool = False
    ) -> None:
        self.name = name
        self.text = text.lstrip(BOM)  # libyaml passes over it without counting
        self.bom = text[: len(text) - len(self.text)]
        self.line = line
        self.document = document
        self.followed = followed

    @classmethod
    def from_bytes(cls, name: str, data: bytes) -> Source:
        """Raises DecodeError."""
        return cls(name, decoded(data))

    def changed(self, text: str, line: int | None = None) -> Source:
        """The same place with another text, without its byte order mark; ``line``: where it begins now."""
        begins = self.line if line is None else line
        return Source(self.name, self.bom + text, begins, self.document, followed=self.followed)

    def encode(self, text: str) -> bytes:
        """The bytes of a new text of this file, with its byte order mark if it had one."""
        return (self.bom + text).encode("utf-8")

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_BREAK.finditer(self.text))]

    @cached_property
    def newline(self) -> str:
        """The line break that the file uses: that of its first line."""
        match = _LINE_BREAK.search(self.text)
        return match.group() if match else "\n"

    def position(self, index: int) -> tuple[int, int]:
        """Line and column of a character, both from 1."""
        line = bisect_right(self._line_starts, index)
        return self.line + line, index - self._line_starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """The span of the characters from ``start`` up to ``end``."""
        line, column = self.position(start)
        end_line, end_column = self.position(max(start, end))
        return Span(line, column, end_line, end_column)

    @property
    def line_breaks(self) -> int:
        """How many line breaks the text has."""
        return len(self._line_starts) - 1

    def has_line(self, line: int) -> bool:
        """The line (from 1) stands in this text."""
        return self.line < line <= self.line + len(self._line_starts)

    def line_text(self, line: int) -> str:
        """The text of a line (from 1) without its line break; empty where there is none."""
        line -= self.line
        if not 1 <= line <= len(self._line_starts):
            return ""
        start = self._line_starts[line - 1]
        end = self._line_starts[line] if line < len(self._line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")


class Texts:
    """The texts that findings stand in, by name: whole ones, or the pieces of long ones in their order."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[Source]] = {}

    @classmethod
    def of(cls, *sources: Source) -> Texts:
        texts = cls()
        for one in sources:
            texts.add(one)
        return texts

    def add(self, source: Source) -> None:
        self._pieces.setdefault(source.name, []).append(source)

    def holding(self, name: str, line: int) -> Source | None:
        """What holds a line (from 1) of a text, None where that is not known."""
        pieces = self._pieces.get(name, ())
        found = bisect_right(pieces, line - 1, key=lambda one: one.line)
        one = pieces[found - 1] if found else None
        return one if one is not None and one.has_line(line) else None

    def line(self, name: str, line: int) -> str | None:
        """One line without its line break, None where it is not known."""
        one = self.holding(name, line)
        return None if one is None else one.line_text(line)
