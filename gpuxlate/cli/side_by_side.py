"""The manifests that one share becomes, vendor beside vendor, with the lines marked that differ."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gpuxlate.cli import color_wanted
from gpuxlate.locale import tell
from gpuxlate.model.messages import say
from gpuxlate.report.characters import visible, width
from gpuxlate.report.lines import same

MARK = "+ "
PLAIN = "  "
GAP = "  "
CONTEXT = 2
"""Lines shown about a difference where manifests stand one below the other."""

_GREEN = "\x1b[32m"
_BOLD = "\x1b[1m"
_RESET = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of one manifest; ``own`` says that the other manifests do not have it."""

    text: str
    own: bool


Row = list[Line | None]
"""One line across all manifests; None where a manifest has nothing there."""


def side_by_side(manifests: Sequence[tuple[str, str]]) -> str:
    """Titles and texts in columns that fit the terminal, or one below the other where they do not."""
    titles = [title for title, _ in manifests]
    rows = align([[visible(line) for line in text.splitlines()] for _, text in manifests])
    color = color_wanted(sys.stdout)
    # a pipe has no width: nothing is cut there unless COLUMNS says so
    room = shutil.get_terminal_size((100_000, 24)).columns
    widths = _widths(titles, rows, room)
    lines = _columns(titles, rows, widths, color) if widths else _stacked(titles, rows, color)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def align(texts: Sequence[Sequence[str]]) -> list[Row]:
    """Rows in which the lines that all texts share stand beside each other."""
    common = list(texts[0])
    for text in texts[1:]:
        common = [common[a] for a, _ in _matches(common, text)]
    # the numbers of the common lines in each text, and its end
    places = [[*(at for _, at in _matches(common, text)), len(text)] for text in texts]
    rows: list[Row] = []
    starts = [0] * len(texts)
    for number in range(len(common) + 1):
        ends = [place[number] for place in places]
        between = [text[start:end] for text, start, end in zip(texts, starts, ends, strict=True)]
        for at in range(max(map(len, between))):
            rows += [[Line(part[at], own=True) if at < len(part) else None for part in between]]
        if number < len(common):
            rows.append([Line(common[number], own=False) for _ in texts])
        starts = [end + 1 for end in ends]
    return rows


def _matches(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of indices of equal lines, in order."""
    for block in same(a, b):
        yield from ((block.a + n, block.b + n) for n in range(block.size))


def _widths(titles: Sequence[str], rows: Sequence[Row], room: int) -> list[int]:
    """A width for each column; empty where lines that matter would have to be cut."""
    cells = [[row[n] for row in rows] for n in range(len(titles))]
    own = [
        max(width(c.text) for c in column if c and c.own) if any(c and c.own for c in column) else 0
        for column in cells
    ]
    needed = [max(width(title), most) for title, most in zip(titles, own, strict=True)]
    natural = [
        max([least, *(width(c.text) for c in column if c)])
        for least, column in zip(needed, cells, strict=True)
    ]
    spare = room - sum(needed) - len(titles) * len(PLAIN) - (len(titles) - 1) * len(GAP)
    if spare < 0:
        return []
    return [
        least + min(full - least, spare // len(titles)) for least, full in zip(needed, natural, strict=True)
    ]


def _columns(titles: Sequence[str], rows: Sequence[Row], widths: Sequence[int], color: bool) -> Iterator[str]:
    columns = list(enumerate(widths))
    yield GAP.join(_paint(_fitted(PLAIN + titles[n], w + 2), _BOLD, color) for n, w in columns)
    yield GAP.join(_fitted(PLAIN + "-" * w, w + 2) for _, w in columns)
    for row in rows:
        yield GAP.join(_cell(row[n], w, color) for n, w in columns)


def _cell(line: Line | None, room: int, color: bool) -> str:
    if line is None:
        return " " * (room + len(PLAIN))
    if line.own:
        return _paint(_fitted(MARK + line.text, room + 2), _GREEN, color)
    return _fitted(PLAIN + line.text, room + 2)


def _fitted(text: str, room: int) -> str:
    """The text in exactly that many columns of a terminal, cut with an ellipsis."""
    taken = width(text)
    if taken > room:
        text = text[: room - 1]  # no character takes less than one column but for combining marks
        while width(text) > room - 1:
            text = text[:-1]
        text += "…"
        taken = width(text)
    return text + " " * (room - taken)


def _stacked(titles: Sequence[str], rows: Sequence[Row], color: bool) -> Iterator[str]:
    """Each manifest for itself; of long stretches that all share, only the edges are shown."""
    for n, title in enumerate(titles):
        if n:
            yield ""
        yield _paint(title, _BOLD, color)
        lines = [line for row in rows if (line := row[n])]
        own = [at for at, line in enumerate(lines) if line.own]
        near = {at for o in own for at in range(o - CONTEXT, o + CONTEXT + 1)}
        for before, at in pairwise([-1, *sorted(near & set(range(len(lines)))), len(lines)]):
            if at - before > 1:
                yield PLAIN + tell(
                    say("... lines {first} to {last}, which all targets share", first=before + 2, last=at)
                )
            if at < len(lines):
                line = lines[at]
                yield _paint(MARK + line.text, _GREEN, color) if line.own else PLAIN + line.text


def _paint(text: str, style: str, color: bool) -> str:
    return f"{style}{text}{_RESET}" if color else text
