"""Pieces of Markdown that several pages are made of."""

from __future__ import annotations

from collections.abc import Sequence

from gpuxlate.model.diagnostics import URL


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table. A bar in a cell is escaped, a line end is a break."""
    cells = [[cell.replace("|", "\\|").replace("\n", "<br>") for cell in row] for row in rows]
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *cells]]


def rule_link(code: str) -> str:
    """A rule's code as a link to its page on the site: right wherever it is read (see ``staging``)."""
    return f"[{code}]({URL}{code}/)"
