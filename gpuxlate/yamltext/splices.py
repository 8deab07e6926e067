"""Splices, which replace characters of a text: their order, their application, and the origins of the new
characters."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from gpuxlate.model.declarations import record


@record
class Splice:
    """Characters ``start`` to ``end`` of the source become ``text``.

    ``depth``: of the mapping or list that is written; of two insertions at one place the deeper comes
    first. ``takes_break_before``: a removal at the end of a file without a final line break.
    """

    start: int
    end: int
    text: str
    depth: int = 0
    takes_break_before: bool = False

    @property
    def order(self) -> tuple[int, int, int]:
        """The key by which splices are sorted: their place, the deeper first."""
        return self.start, self.end, -self.depth


def sort_splices(splices: Iterable[Splice]) -> list[Splice]:
    """Splices by their place; of those at one place the deeper first."""
    return sorted(splices, key=lambda splice: splice.order)


def apply(text: str, splices: Iterable[Splice], start: int = 0, end: int | None = None) -> str:
    """The text with its splices made; characters ``start`` to ``end`` of it, where all of them are."""
    parts: list[str] = []
    at = start
    for splice in sort_splices(splices):
        parts += [text[at : splice.start], splice.text]
        at = splice.end
    return "".join([*parts, text[at:end]])


class Origins:
    """Where the characters of a new text come from, by the splices that made it of the old one."""

    def __init__(self, splices: Iterable[Splice]) -> None:
        # where each part begins in both: one that is copied, one that is written, and so on in turn
        self._new, self._old = [0], [0]
        for splice in sort_splices(splices):
            begin = self._new[-1] + splice.start - self._old[-1]
            self._new += (begin, begin + len(splice.text))
            self._old += (splice.start, splice.end)

    def of(self, index: int) -> int:
        """The index in the old text of a character of the new text, or of the character that it replaces."""
        part = bisect_right(self._new, index) - 1
        return self._old[part] + (0 if part % 2 else index - self._new[part])

    def are_copied(self, start: int, end: int) -> bool:
        """All characters from ``start`` up to ``end`` of the new text are those of the old one."""
        parts = range(bisect_right(self._new, start) - 1, bisect_left(self._new, end))
        return not any(part % 2 for part in parts)
