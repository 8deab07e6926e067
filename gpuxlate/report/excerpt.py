"""A line of a source with carets under a span, cut to what a terminal shows."""

from __future__ import annotations

from typing import NamedTuple

from gpuxlate.model.diagnostics import Span
from gpuxlate.report.characters import visible, visible_characters, width

COLUMNS = 120
"""The widest excerpt, without its gutter, in columns."""

_TAB_COLUMNS = 8


class Excerpt(NamedTuple):
    """The line as shown, the indent of its carets (spaces and tabs), and the carets."""

    line: str
    indent: str
    carets: str


def excerpt(line: str, span: Span) -> Excerpt:
    """The part of the first line of a span that fits, with carets under the span."""
    start = min(span.column - 1, len(line))
    stop = len(line) if span.end_line > span.line else min(span.end_column - 1, len(line))
    # Minified JSON is one line of any length: look only at what could fit around the span.
    stop = min(max(stop, start), start + COLUMNS)
    if len(line) <= COLUMNS and line.isascii() and line == visible(line):  # most: a column each
        return Excerpt(line, " " * start, "^" * max(stop - start, 1))
    offset = max(0, start - COLUMNS)
    part = line[offset : stop + COLUMNS]
    start, stop = start - offset, stop - offset
    shown = visible_characters(part)
    columns = [_TAB_COLUMNS if text == "\t" else width(text) for text in shown]

    first, last = 0, len(part)
    if len(part) < len(line) or sum(columns) > COLUMNS:
        first, last = _window(columns, start, stop)
    stop = min(stop, last)
    left = "…" if offset + first > 0 else ""
    right = "…" if offset + last < len(line) else ""
    blank = "".join(
        "\t" if text == "\t" else " " * size
        for text, size in zip(shown[first:start], columns[first:start], strict=True)
    )
    carets = _carets(shown[start:stop], columns[start:stop])
    return Excerpt(left + "".join(shown[first:last]) + right, " " * len(left) + blank, carets)


def _window(columns: list[int], start: int, stop: int) -> tuple[int, int]:
    """The characters to show: the span from its start, then as much as fits on both sides alike."""
    room = COLUMNS - 2  # two columns for the marks of a cut
    last = start
    while last < stop and columns[last] <= room:
        room -= columns[last]
        last += 1
    first, half = start, room // 2
    while first > 0 and columns[first - 1] <= half:
        first -= 1
        half -= columns[first]
        room -= columns[first]
    while last < len(columns) and columns[last] <= room:
        room -= columns[last]
        last += 1
    while first > 0 and columns[first - 1] <= room:  # what is left on the right side
        first -= 1
        room -= columns[first]
    return first, last


def _carets(shown: list[str], columns: list[int]) -> str:
    """Carets of the same width, at least one. A tab but the last is copied: the terminal knows its width."""
    under = "".join("\t" if text == "\t" else "^" * size for text, size in zip(shown, columns, strict=True))
    return under if under.endswith("^") else under[:-1] + "^"
