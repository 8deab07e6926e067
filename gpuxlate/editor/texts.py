"""A text that is open in an editor, and positions in it as the editor counts them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from lsprotocol import types
from pygls.uris import to_fs_path

from gpuxlate.inputs.files import SUFFIXES, Input
from gpuxlate.model.diagnostics import Span
from gpuxlate.overlays.claims import Claims
from gpuxlate.report.lines import same
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.writer import Splice, in_order

MAX_TEXT = 2 * 2**20
"""Characters of a text that is checked while it is typed; ``gpuxlate lint`` checks larger files."""
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


def _utf8(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


_UNITS: dict[str, Callable[[str], int]] = {"utf-8": _utf8, "utf-16": _utf16, "utf-32": len}


def plain(word: str) -> str:
    """A word of the protocol, which is a member of an enumeration where that has it."""
    return str(getattr(word, "value", word))


@dataclass(frozen=True)
class Text:
    """An open text. ``encoding``: in which units the editor counts columns."""

    uri: str
    version: int | None
    text: str
    encoding: str = "utf-16"

    @cached_property
    def path(self) -> str | None:
        """The file of the text; None where it is not one of this machine, or not saved yet."""
        found = to_fs_path(self.uri) if self.uri.startswith("file:") else None
        return found if found and "\0" not in found and os.path.isabs(found) else None

    @cached_property
    def input(self) -> Input:
        return Input(self.path or self.uri, self.path)

    @cached_property
    def data(self) -> bytes:
        return self.text.encode("utf-8", "surrogatepass")

    @cached_property
    def source(self) -> Source:
        return Source(self.input.name, self.text)

    @cached_property
    def claims(self) -> Claims:
        """The claims of the files in its folder."""
        if self.path is None:
            return Claims()
        folder = os.path.dirname(self.path)
        try:
            names = sorted(one for one in os.listdir(folder) if one.endswith(SUFFIXES))
        except OSError:
            return Claims()
        paths = [os.path.join(folder, name) for name in names]
        return Claims([Input(path, path, named=False) for path in paths if path != self.path])

    @property
    def too_large(self) -> bool:
        return len(self.text) > MAX_TEXT

    @property
    def _count(self) -> Callable[[str], int]:
        return _UNITS.get(self.encoding, _utf16)

    def _units(self, line: int, column: int) -> int:
        """Units before a column of a line, both from 1; the first line has the byte order mark."""
        before = self.source.bom if line == 1 else ""
        return self._count(before + self.source.line_text(line)[: column - 1])

    def range_of(self, span: Span | None) -> types.Range:
        """A span as the editor counts it; the first character where there is none."""
        if span is None:
            return types.Range(types.Position(0, 0), types.Position(0, 0))
        ends = ((span.line, span.column), (span.end_line, span.end_column))
        start, end = (types.Position(line - 1, self._units(line, column)) for line, column in ends)
        return types.Range(start, end)

    def range_between(self, start: int, end: int) -> types.Range:
        """The range of characters of the source."""
        return self.range_of(self.source.span(start, end))

    def offset(self, position: types.Position) -> int:
        """The character of the source at a position; the nearest one where there is none."""
        line = min(max(position.line, 0) + 1, self.source.lines)
        text = self.source.line_text(line)
        wanted = position.character - (self._count(self.source.bom) if line == 1 else 0)
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._count(text[:middle]) <= wanted else (low, middle - 1)
        return self.source.line_start(line) + low

    def edits(self, splices: list[Splice]) -> list[types.TextEdit]:
        """Splices of the source as edits."""
        return [types.TextEdit(self.range_between(one.start, one.end), one.text) for one in in_order(splices)]

    def edits_to(self, new: str) -> list[types.TextEdit]:
        """Edits, by whole lines, that make another text of the source."""
        old_lines, new_lines = (_LINES.findall(one)[:-1] or [""] for one in (self.source.text, new))
        starts = [0]
        for line in old_lines:
            starts.append(starts[-1] + len(line))
        found: list[Splice] = []
        a = b = 0
        for at, there, size in (*same(old_lines, new_lines), (len(old_lines), len(new_lines), 0)):
            if a < at or b < there:
                found.append(Splice(starts[a], starts[at], "".join(new_lines[b:there])))
            a, b = at + size, there + size
        return self.edits(found)
