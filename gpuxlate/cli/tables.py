"""Tables, for a terminal with rich, as plain aligned columns for pipes and files; and bars of text."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Sequence

from gpuxlate.cli.terminal import color_wanted, is_terminal
from gpuxlate.locale import localize
from gpuxlate.model.declarations import regex
from gpuxlate.model.limits import MAX_MESSAGE, cut
from gpuxlate.model.messages import Message
from gpuxlate.report.characters import make_visible, width

MAX_CELL = MAX_MESSAGE
"""Characters of one line of a cell."""

FULL, EMPTY = "#", "-"
MIN_BAR, MAX_BAR = 5, 24
"""Characters between the brackets of a bar."""

TEXT_WIDTH = 100
"""Columns of a text that is wrapped."""

Cell = str | list[str]
"""One line, or several: a break in a text is shown, as a name may have one."""
Row = Sequence[Cell]


def table(head: Sequence[str], rows: Iterable[Row], *, lines: bool = False) -> str:
    """The table as text: drawn on a terminal, else in columns two spaces apart."""
    titles = [make_visible(localize(title)) for title in head]
    cells = [[_lines(cell) for cell in row] for row in rows]
    if not (is_terminal(sys.stdout) or color_wanted(sys.stdout)):
        return _plain([[[title] for title in titles], *cells])
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, show_lines=lines, pad_edge=False)
    for number, title in enumerate(titles):
        drawn.add_column(title, overflow="fold", no_wrap=number == 0)
    for row in cells:
        drawn.add_row(*(Text("\n".join(cell)) for cell in row))
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=color_wanted(sys.stdout), width=terminal_columns())
    console.print(drawn)
    return stream.getvalue()


def _lines(cell: Cell) -> list[str]:
    """The lines of a cell, visible, with long ones cut; messages are translated."""
    texts = [cell] if isinstance(cell, str) else cell
    return [
        make_visible(cut(localize(text) if isinstance(text, Message) else text, MAX_CELL)) for text in texts
    ] or [""]


def _plain(rows: Sequence[Sequence[Sequence[str]]]) -> str:
    """Aligned columns, a line a row; a cell of several lines takes several."""
    widths = [max((width(line) for row in rows for line in row[n]), default=0) for n in range(len(rows[0]))]
    lines: list[str] = []
    for row in rows:
        for at in range(max(len(cell) for cell in row)):
            parts = [cell[at] if at < len(cell) else "" for cell in row]
            padded = [part + " " * (widths[n] - width(part)) for n, part in enumerate(parts)]
            lines.append("  ".join(padded).rstrip())
    return "\n".join(lines) + "\n"


def bar(taken: int, whole: int, width: int) -> str:
    """``[####----]``: what is in use of the whole. Any use shows at least one #; all # means full."""
    if whole <= 0:
        return f"[{EMPTY * width}]"
    filled = min(width, taken * width // whole)
    if taken > 0 and filled == 0:
        filled = 1
    return f"[{FULL * filled}{EMPTY * (width - filled)}]"


def terminal_columns() -> int:
    """The columns of the terminal, 100 where there is none."""
    import shutil

    return shutil.get_terminal_size((100, 24)).columns


def width_of(texts: int, bars: int) -> int:
    """The width of each bar, beside this many columns of text."""
    return max(MIN_BAR, min(MAX_BAR, (terminal_columns() - texts) // bars - 2))


def wrap_text(text: str, first: str, rest: str | None = None) -> list[str]:
    """A text in lines of TEXT_WIDTH columns, ``first`` before the first and ``rest`` before others."""
    return fold(localize(text), TEXT_WIDTH, first, " " * len(first) if rest is None else rest)


_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_OPENING, _CLOSING = "（《“「【", "，。：；？！）》”」】、"
_PIECES = regex(
    rf"(\s*)([{_OPENING}]*(?:[{_WIDE}]|[^\s{_WIDE}{_OPENING}{_CLOSING}]+)[{_CLOSING}]*|[{_CLOSING}]+)"
)
"""Spaces, and what no line ends in: a word, or one Chinese character, with the signs that belong to it."""


def fold(text: str, columns: int, first: str = "", rest: str = "") -> list[str]:
    """A text in lines of at most so many columns; ``first`` is before the first, ``rest`` before the others.

    Lines end at spaces, and beside Chinese characters, but none begins with a sign that closes. A longer word
    stays whole.
    """
    lines: list[str] = []
    line, empty = first, True
    for space, piece in _PIECES.findall(text):
        if not empty and width(line) + len(space) + width(piece) > columns:
            lines.append(line)
            line, empty, space = rest, True, ""
        line += piece if empty else space + piece
        empty = False
    return lines if empty else [*lines, line]
