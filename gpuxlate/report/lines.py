"""What two texts have in common, line by line: difflib, a window at a time.

difflib compares every line with every other one: on 60,000 lines it takes minutes. The texts are mostly
the same, so that lines of both that belong together are near each other.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from difflib import Match, SequenceMatcher

from gpuxlate.report.characters import visible

NEAR = 200
"""Lines of each text that are compared with each other."""


def same(one: Sequence[str], other: Sequence[str]) -> list[Match]:
    """The lines that two texts share, in order."""
    found: list[Match] = []
    a = b = 0
    while a < len(one) and b < len(other):
        here, there = one[a : a + NEAR], other[b : b + NEAR]
        blocks = [Match(0, 0, len(here))]
        if here != there:
            blocks = SequenceMatcher(None, here, there, autojunk=False).get_matching_blocks()[:-1]
        for block in blocks:
            start_a, start_b, size = a + block.a, b + block.b, block.size
            last = found[-1] if found else None
            if last and (last.a + last.size, last.b + last.size) == (start_a, start_b):
                start_a, start_b, size = *found.pop()[:2], last.size + size
            found.append(Match(start_a, start_b, size))
        if blocks:
            a, b = found[-1].a + found[-1].size, found[-1].b + found[-1].size
        else:
            a, b = a + NEAR, b + NEAR
    return found


class _Windows(SequenceMatcher[str]):
    """difflib's own, with the lines that are shared in windows."""

    def __init__(self, one: Sequence[str], other: Sequence[str]) -> None:
        super().__init__(None, one, other, autojunk=False)
        self._shared = [*same(one, other), Match(len(one), len(other), 0)]

    def get_matching_blocks(self) -> list[Match]:
        return self._shared


def unified(old: str, new: str, name: str) -> str:
    """The unified diff of a file's text, empty where nothing changed."""
    # a line ends with \n alone: a Unicode separator in a comment does not end a line
    one, other = (io.StringIO(text, newline="\n").readlines() for text in (old, new))
    shown = visible(name)
    lines = [f"--- a/{shown}\n", f"+++ b/{shown}\n"] if one != other else []
    for hunk in _Windows(one, other).get_grouped_opcodes() if one != other else ():
        (_, a, _, b, _), (_, _, to_a, _, to_b) = hunk[0], hunk[-1]
        lines.append(f"@@ -{_range(a, to_a)} +{_range(b, to_b)} @@\n")
        for tag, from_a, end_a, from_b, end_b in hunk:
            lines += [f"{' ' if tag == 'equal' else '-'}{line}" for line in one[from_a:end_a]]
            lines += [f"+{line}" for line in other[from_b:end_b] if tag != "equal"]
    ended = (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return "".join(ended)


def _range(start: int, stop: int) -> str:
    """A range of lines as diff writes it: from 1; of none, the line before."""
    count = stop - start
    return f"{start + 1}" if count == 1 else f"{start + (count > 0)},{count}"
