"""Work, counted in lines of Python: no test waits on a clock."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines(work: Callable[[], object]) -> int:
    """Lines of Python that the work runs: those of a loop in each round."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal counted
        counted += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return counted


def calls(work: Callable[[], object]) -> int:
    """Calls of functions, Python's and C's, that the work takes."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return counted


def grows_with_the_input(work_of: Callable[[int], int]) -> bool:
    """The second doubling of the input costs twice what the first one does; 4 times would be quadratic."""
    small, double, fourfold = (work_of(size) for size in (24, 48, 96))
    return fourfold - double <= 1.15 * 2 * (double - small) + 100


class Watched(str):
    """A text that counts the characters that are searched and copied in it: C's loops are no calls.

    Regular expressions are not seen.
    """

    looked: int = 0

    def __contains__(self, part: object) -> bool:
        at = super().find(str(part))
        self.looked += len(self) if at < 0 else at + 1
        return at >= 0

    def __getitem__(self, at: Any) -> str:
        found = super().__getitem__(at)
        self.looked += len(found)
        return found

    def _between(self, start: int | None, end: int | None) -> int:
        return max(0, (len(self) if end is None else min(end, len(self))) - (start or 0))

    def count(self, part: str, start: Any = None, end: Any = None) -> int:
        self.looked += self._between(start, end)
        return super().count(part, start, end)

    def find(self, part: str, start: Any = None, end: Any = None) -> int:
        at = super().find(part, start, end)
        self.looked += self._between(start, end) if at < 0 else at + 1 - (start or 0)
        return at

    def rfind(self, part: str, start: Any = None, end: Any = None) -> int:
        at = super().rfind(part, start, end)
        self.looked += self._between(start, end) if at < 0 else self._between(at, end)
        return at
