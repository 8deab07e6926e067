"""A diff of two texts by lines, in time linear in both: difflib on one window of lines at a time."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import Match, SequenceMatcher

# difflib compares every line with every other one: on 60,000 lines it takes minutes. The texts are mostly
# the same, so that lines of both that belong together are near each other.
WINDOW_LINES = 200
"""Lines of each text that are compared with each other."""


def matching_lines(old: Sequence[str], new: Sequence[str]) -> list[Match]:
    """The lines that two texts share, in order."""
    matches: list[Match] = []
    a = b = 0
    while a < len(old) and b < len(new):
        old_window, new_window = old[a : a + WINDOW_LINES], new[b : b + WINDOW_LINES]
        # of lines that are repeated the longest block is not the one in its place
        alike = next(
            (n for n, (x, y) in enumerate(zip(old_window, new_window, strict=False)) if x != y), None
        )
        alike = min(len(old_window), len(new_window)) if alike is None else alike
        blocks = [Match(0, 0, alike)]
        if not alike:
            blocks = SequenceMatcher(None, old_window, new_window, autojunk=False).get_matching_blocks()[:-1]
        for block in blocks:
            start_a, start_b, size = a + block.a, b + block.b, block.size
            last = matches[-1] if matches else None
            if last and (last.a + last.size, last.b + last.size) == (start_a, start_b):
                start_a, start_b, size = *matches.pop()[:2], last.size + size
            matches.append(Match(start_a, start_b, size))
        if blocks:
            a, b = matches[-1].a + matches[-1].size, matches[-1].b + matches[-1].size
        else:
            a, b = a + WINDOW_LINES, b + WINDOW_LINES
    return matches


def differences(old: Sequence[str], new: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """The equal and the different lines of two texts, as ``get_opcodes`` of difflib, in linear time."""
    return Windows(old, new).get_opcodes()


class Windows(SequenceMatcher[str]):
    """The matcher of difflib, with the blocks that ``matching_lines`` finds."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        super().__init__(None, "", "")  # which would index all lines of a text, and each repeated one
        self.a, self.b = old, new
        self._shared = [*matching_lines(old, new), Match(len(old), len(new), 0)]

    def get_matching_blocks(self) -> list[Match]:
        """As difflib gives them: equal runs of lines in order, then one of no lines at the ends."""
        return self._shared
