"""Bars of text, readable without colour."""

from __future__ import annotations

FULL, EMPTY = "#", "-"
LEAST, MOST = 5, 24
"""Characters between the brackets."""


def bar(taken: int, there: int, width: int) -> str:
    """``[####----]``: what is in use of the whole. Any use shows at least one #; all # means full."""
    if there <= 0:
        return f"[{EMPTY * width}]"
    filled = min(width, taken * width // there)
    if taken > 0 and filled == 0:
        filled = 1
    return f"[{FULL * filled}{EMPTY * (width - filled)}]"


def columns() -> int:
    """The columns of the terminal, 100 where there is none."""
    import shutil

    return shutil.get_terminal_size((100, 24)).columns


def width_of(texts: int, bars: int) -> int:
    """The width of each bar, beside this many columns of text."""
    return max(LEAST, min(MOST, (columns() - texts) // bars - 2))
