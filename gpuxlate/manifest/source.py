"""The text of one input, and where its characters stand."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from gpuxlate.diagnostics import Span

BOM = "\ufeff"
_LINE_BREAK = re.compile(r"\r\n|\n|\r")


class DecodeError(ValueError):
    """The bytes are no UTF-8 text. The message says where."""


class Source:
    """Decoded text without its byte order mark; ``name`` is what diagnostics call it."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.bom = text.startswith(BOM)
        self.text = text[1:] if self.bom else text

    @classmethod
    def from_bytes(cls, name: str, data: bytes) -> Source:
        """Raises DecodeError."""
        try:
            return cls(name, data.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise DecodeError(
                f"byte {error.start} (0x{data[error.start]:02x}) is no UTF-8; save the file as UTF-8"
            ) from None

    def encode(self, text: str) -> bytes:
        """The bytes of a new text of this file, with its byte order mark if it had one."""
        return ((BOM if self.bom else "") + text).encode("utf-8")

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
        return line, index - self._line_starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """The span of the characters from ``start`` up to ``end``."""
        line, column = self.position(start)
        end_line, end_column = self.position(max(start, end))
        return Span(line, column, end_line, end_column)

    def line_text(self, line: int) -> str:
        """The text of a line (from 1) without its line break; empty where there is none."""
        if not 1 <= line <= len(self._line_starts):
            return ""
        start = self._line_starts[line - 1]
        end = self._line_starts[line] if line < len(self._line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")
