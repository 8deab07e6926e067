"""The common lines of two texts, in time linear in their length.

The texts are mostly the same, and after a difference they soon agree again, so it is enough to compare
lines nearby. difflib compares every line with every other one, which is quadratic.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from gpuxlate.report.characters import visible

NEAR = 200
"""Lines after a difference in which the texts have to agree again; if not, they differ to the end."""
SURE = 3
"""Equal lines in a row that count as agreeing again."""
CONTEXT = 3
"""Unchanged lines about each change, as diff shows them."""


class Block(NamedTuple):
    """``size`` lines that are the same from ``a`` of one text and ``b`` of the other."""

    a: int
    b: int
    size: int


def same(one: Sequence[str], other: Sequence[str]) -> Iterator[Block]:
    """The lines that two texts share, in order."""
    a = b = 0
    while a < len(one) and b < len(other):
        size = 0
        while a + size < len(one) and b + size < len(other) and one[a + size] == other[b + size]:
            size += 1
        if size:
            yield Block(a, b, size)
        a, b = a + size, b + size
        to_a, to_b = _again(one, other, a, b)
        inside = SequenceMatcher(None, one[a:to_a], other[b:to_b], autojunk=False)
        yield from (Block(a + n.a, b + n.b, n.size) for n in inside.get_matching_blocks() if n.size)
        if (to_a, to_b) == (a, b):
            return
        a, b = to_a, to_b


def _again(one: Sequence[str], other: Sequence[str], a: int, b: int) -> tuple[int, int]:
    """The nearest place where the texts agree again after a difference; ``a, b`` where they do not."""
    for steps in range(1, 2 * NEAR):
        for in_a in range(max(0, steps - NEAR), min(steps, NEAR) + 1):
            at_a, at_b = a + in_a, b + steps - in_a
            if at_a > len(one) or at_b > len(other):
                continue
            ends = at_a == len(one) and at_b == len(other)
            here = one[at_a : at_a + SURE]
            if ends or (len(here) == SURE and here == other[at_b : at_b + SURE]):
                return at_a, at_b
    return a, b


def unified(old: str, new: str, name: str) -> str:
    """The unified diff of a file's text, empty where nothing changed."""
    # lines end with \n only: a Unicode line separator in a comment does not end one
    one, other = (io.StringIO(text, newline="\n").readlines() for text in (old, new))
    shown = visible(name)
    lines = [f"--- a/{shown}\n", f"+++ b/{shown}\n"] if one != other else []
    for hunk in _hunks(list(same(one, other)), len(one), len(other)):
        (first_a, first_b), (last_a, last_b) = hunk[0][:2], (hunk[-1][2], hunk[-1][3])
        lines.append(f"@@ -{_range(first_a, last_a)} +{_range(first_b, last_b)} @@\n")
        for a, b, to_a, to_b, shared in hunk:
            lines += [f" {line}" for line in one[a:to_a]] if shared else [f"-{line}" for line in one[a:to_a]]
            lines += [] if shared else [f"+{line}" for line in other[b:to_b]]
    ended = (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return "".join(ended)


_Part = tuple[int, int, int, int, bool]
"""Lines from, from, to, to of both texts, and whether they are the same."""


def _hunks(blocks: list[Block], lines_a: int, lines_b: int) -> Iterator[list[_Part]]:
    """The changes with their context; those close to each other are one hunk."""
    parts: list[_Part] = []
    a = b = 0
    for block in [*blocks, Block(lines_a, lines_b, 0)]:
        if (a, b) != (block.a, block.b):
            parts.append((a, b, block.a, block.b, False))
        a, b = block.a + block.size, block.b + block.size
        if block.size:
            parts.append((block.a, block.b, a, b, True))
    hunk: list[_Part] = []
    for from_a, from_b, to_a, to_b, shared in parts:
        if not shared:
            hunk.append((from_a, from_b, to_a, to_b, False))
            continue
        if hunk and to_a - from_a > 2 * CONTEXT:
            yield [*hunk, (from_a, from_b, from_a + CONTEXT, from_b + CONTEXT, True)]
            hunk = []
        if hunk:
            hunk.append((from_a, from_b, to_a, to_b, True))
        else:
            keep = min(CONTEXT, to_a - from_a)
            hunk.append((to_a - keep, to_b - keep, to_a, to_b, True))
    if any(not shared for *_, shared in hunk):
        yield _trimmed(hunk)


def _trimmed(hunk: list[_Part]) -> list[_Part]:
    """The last hunk, with CONTEXT lines at its end."""
    a, b, to_a, to_b, shared = hunk[-1]
    keep = min(CONTEXT, to_a - a)
    return (
        [*hunk[:-1], (a, b, a + keep, b + keep, True)] if shared else [*hunk[:-1], (a, b, to_a, to_b, False)]
    )


def _range(start: int, stop: int) -> str:
    """A range of lines as diff writes it: from 1; of none, the line before."""
    count = stop - start
    return f"{start + 1}" if count == 1 else f"{start + (count > 0)},{count}"
