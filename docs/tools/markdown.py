"""Pieces of Markdown that several pages are made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

SITE = "/"
"""The root of the site, in the links of generated pages (see ``staging`` and ``reference``)."""

_BLOCK = re.compile(r"^(`{3,})([^`\n]*)\n((?:.*\n)*?) {0,3}\1`*[ \t]*$", re.MULTILINE)
"""A fenced block as CommonMark ends it: at the first fence as long as its own, even if that is indented."""


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """The fenced blocks of a page: what stands behind the fence, and the lines inside."""
    yield from ((block[2].strip(), block[3]) for block in _BLOCK.finditer(text))


def with_blocks(text: str, replace: Callable[[str, str], str]) -> str:
    """The page with each fenced block as ``made`` writes it of these two."""
    return _BLOCK.sub(lambda block: replace(block[2].strip(), block[3]), text)


def without_blocks(text: str) -> str:
    """The page without its fenced blocks."""
    return _BLOCK.sub("", text)


def fenced(kind: str, body: str) -> str:
    """A fenced block: where a fence stands in the text itself, with a longer one about it."""
    longest = max((len(fence) for fence in re.findall(r"^ {0,3}(`{3,})", body, re.MULTILINE)), default=2)
    fence = "`" * (longest + 1)
    end = "" if body.endswith("\n") else "\n"
    return f"{fence}{kind}\n{body}{end}{fence}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table. A bar in a cell is escaped, a line end is a break."""
    cells = [[_cell(cell) for cell in row] for row in rows]
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *cells]]


def _cell(text: str) -> str:
    # the site would show the backslash that makes a bar in code no end of a cell
    text = re.sub(r"`([^`\n]*\|[^`\n]*)`", lambda match: code(match[1]), text)
    return text.replace("|", "\\|").replace("\n", "<br>")


def code(text: str) -> str:
    """A text as code, in which no sign means anything to Markdown, HTML or a table."""
    signs = (
        character if character.isalnum() or character == " " else f"&#{ord(character)};" for character in text
    )
    return f"<code>{''.join(signs)}</code>"


def rule_link(code: str) -> str:
    """A rule's code as a link to its page on the site."""
    return f"[{code}]({SITE}rules/{code}/)"


def target_link(name: str) -> str:
    """A target's name as a link to its page on the site."""
    return f"[{name}]({SITE}targets/{name}/)"


def filled(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table, without the columns that no row fills."""
    kept = [index for index in range(len(head)) if any(row[index] for row in rows)]
    return table([head[index] for index in kept], [[row[index] for index in kept] for row in rows])
