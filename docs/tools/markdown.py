"""Pieces of Markdown that several pages are made of."""

from __future__ import annotations

from collections.abc import Sequence

from gpuxlate.model.diagnostics import URL

SITE = URL.removesuffix("rules/")
"""Where the pages of the site are: a link to it is right wherever it is read (see ``staging``)."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table. A bar in a cell is escaped, a line end is a break."""
    cells = [[cell.replace("|", "\\|").replace("\n", "<br>") for cell in row] for row in rows]
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *cells]]


def rule_link(code: str) -> str:
    """A rule's code as a link to its page on the site."""
    return f"[{code}]({URL}{code}/)"


def target_link(name: str) -> str:
    """A target's name as a link to its page on the site."""
    return f"[{name}]({SITE}targets/{name}/)"


def filled(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table, without the columns that no row fills."""
    kept = [index for index in range(len(head)) if any(row[index] for row in rows)]
    return table([head[index] for index in kept], [[row[index] for index in kept] for row in rows])
