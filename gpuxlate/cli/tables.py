"""Tables: for a terminal with rich, as plain aligned columns for pipes and files."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

from gpuxlate.cli import color_wanted, is_terminal
from gpuxlate.locale import tell
from gpuxlate.model.limits import MAX_MESSAGE, cut
from gpuxlate.model.messages import Message
from gpuxlate.report.characters import visible, width

MAX_CELL = MAX_MESSAGE
"""Characters of one line of a cell."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, lines: bool = False) -> str:
    """The table as text: drawn on a terminal, else in columns two spaces apart."""
    head, rows = [visible(tell(title)) for title in head], [[_cell(cell) for cell in row] for row in rows]
    if not (is_terminal(sys.stdout) or color_wanted(sys.stdout)):
        return plain(head, rows)
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, show_lines=lines, pad_edge=False)
    for number, title in enumerate(head):
        drawn.add_column(title, overflow="fold", no_wrap=number == 0)
    for row in rows:
        drawn.add_row(*(Text(cell) for cell in row))
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=color_wanted(sys.stdout), width=_width())
    console.print(drawn)
    return stream.getvalue()


def _cell(text: str) -> str:
    """The text of a cell with control characters made visible and long lines cut; messages are translated."""
    text = tell(text) if isinstance(text, Message) else text
    return "\n".join(visible(cut(line, MAX_CELL)) for line in text.split("\n"))


def _width() -> int:
    import shutil

    return shutil.get_terminal_size((100, 24)).columns


def plain(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns, a line a row; a cell of several lines takes several."""
    cells = [[cell.split("\n") for cell in row] for row in [head, *rows]]
    widths = [max((width(line) for row in cells for line in row[n]), default=0) for n in range(len(head))]
    lines: list[str] = []
    for row in cells:
        for at in range(max(len(cell) for cell in row)):
            parts = [cell[at] if at < len(cell) else "" for cell in row]
            padded = [part + " " * (widths[n] - width(part)) for n, part in enumerate(parts)]
            lines.append("  ".join(padded).rstrip())
    return "\n".join(lines) + "\n"
