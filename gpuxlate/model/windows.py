"""What two texts have in common, line by line, in time linear in both: difflib, a window at a time."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import Match, SequenceMatcher

# difflib compares every line with every other one: on 60,000 lines it takes minutes. The texts are mostly
# the same, so that lines of both that belong together are near each other.
NEAR = 200
"""Lines of each text that are compared with each other."""


def same(one: Sequence[str], other: Sequence[str]) -> list[Match]:
    """The lines that two texts share, in order."""
    found: list[Match] = []
    a = b = 0
    while a < len(one) and b < len(other):
        here, there = one[a : a + NEAR], other[b : b + NEAR]
        # of lines that are repeated the longest block is not the one in its place
        alike = next((n for n, (x, y) in enumerate(zip(here, there, strict=False)) if x != y), None)
        alike = min(len(here), len(there)) if alike is None else alike
        blocks = [Match(0, 0, alike)]
        if not alike:
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


def differences(one: Sequence[str], other: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """What of two texts is equal and what is not, as get_opcodes of difflib: in time linear in both."""
    return Windows(one, other).get_opcodes()


class Windows(SequenceMatcher[str]):
    """difflib's own, with the lines that are shared in windows."""

    def __init__(self, one: Sequence[str], other: Sequence[str]) -> None:
        super().__init__(None, "", "")  # which would index all lines of a text, and each repeated one
        self.a, self.b = one, other
        self._shared = [*same(one, other), Match(len(one), len(other), 0)]

    def get_matching_blocks(self) -> list[Match]:
        return self._shared
