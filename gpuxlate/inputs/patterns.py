"""Patterns of paths as in .gitignore, matched in time linear in the path, since anybody may write one.

Compiled to regular expressions (pathspec) a few stars take longer than anybody waits. Here a star is
tried from left to right and never again once the next one is reached: what it leaves to the rest is then
the most that it can leave.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Final, TypeVar

MAX_PATTERN = 1000
"""Characters of a pattern."""

Part = TypeVar("Part")
Test = Callable[[str], bool]
"""Whether one character, or one name of a path, is matched."""
_ANY: Final = None
"""Any number of them."""

_TOKEN = re.compile(
    r"\\(?P<escaped>.)|(?P<star>\*+)|(?P<one>\?)|\[(?P<set>[!^]?\]?(?:\\.|[^]\\])*)\]|(?P<plain>[^\\[])"
)
_MEMBER = re.compile(r"\\?(?P<first>.)(?:-\\?(?P<last>.))?", re.S)


@lru_cache(maxsize=4096)
def pattern(text: str) -> Callable[[str], bool]:
    """Whether a path, relative and with slashes, is that of a pattern or of something below it.

    No ``!`` and no comments, which are of a file of patterns. Raises ValueError.
    """
    parts, of_folders = _parts(text)
    if of_folders:  # only what is in a folder of this name
        parts.append(_something)
    parts.append(_ANY)
    return lambda path: _matches(parts, path.split("/"))


class Patterns:
    """A list of patterns, of which the last that matches a path decides; ``!`` takes the path back."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Raises ValueError for a pattern that is not one."""
        self._rules: list[tuple[bool, bool, list[Test | None]]] = []
        for text in texts:
            excludes = not text.startswith("!")
            parts, of_folders = _parts(text if excludes else text[1:])
            self._rules.append((excludes, of_folders, parts))

    @classmethod
    def of_file(cls, lines: Iterable[str]) -> Patterns:
        """Those of the lines of a .gitignore. As git does, lines that are no pattern are passed over."""
        known = cls(())
        for line in lines:
            if line.strip() and not line.startswith("#"):
                with suppress(ValueError):
                    known._rules += cls([line])._rules
        return known

    def __len__(self) -> int:
        return len(self._rules)

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """A path, relative and with slashes, is excluded (True), taken back (False), or not matched."""
        names = path.split("/")
        for excludes, of_folders, parts in reversed(self._rules):
            if (is_folder or not of_folders) and _matches(parts, names):
                return excludes
        return None


def _parts(text: str) -> tuple[list[Test | None], bool]:
    """The tests of the names of a path, and whether it must be a folder. Raises ValueError."""
    if len(text) > MAX_PATTERN:
        raise ValueError(f"more than {MAX_PATTERN} characters")
    text = re.sub(r"(?<!\\) +$", "", text)
    names = [one for one in text.split("/") if one]
    if not names:
        raise ValueError("it names nothing")
    anchored = "/" in text.rstrip("/")
    parts: list[Test | None] = [] if anchored else [_ANY]
    parts += [_ANY if one == "**" else _name(one) for one in names]
    if names[-1] == "**":
        parts.append(_something)
    return parts, text.endswith("/")


def _something(_name: str) -> bool:
    return True


def _name(text: str) -> Test:
    """The test of one name of a path."""
    parts: list[Test | None] = []
    at = 0
    for match in _TOKEN.finditer(text):
        if match.start() != at:
            break
        at = match.end()
        parts.append(_character(match))
    if at != len(text):
        raise ValueError(f"{text[at:]} is not complete")
    return lambda name: _matches(parts, name)


def _character(match: re.Match[str]) -> Test | None:
    if match["star"]:
        return _ANY
    if match["one"]:
        return _something
    members = match["set"]
    if members is None:
        letter = match["escaped"] or match["plain"]
        return lambda one: one == letter
    excluded = members[:1] in ("!", "^")
    ranges = [(m["first"], m["last"] or m["first"]) for m in _MEMBER.finditer(members[excluded:])]
    if any(first > last for first, last in ranges):
        raise ValueError(f"the range {match.group()} ends before it begins")
    return lambda one: any(first <= one <= last for first, last in ranges) != excluded


def _matches(parts: Sequence[Test | None], given: Sequence[str]) -> bool:
    """All of what is given is matched, in order."""
    at = here = 0
    star, resumed = -1, 0
    while here < len(given):
        test = parts[at] if at < len(parts) else _nothing
        if test is _ANY:
            star, resumed = at, here
            at += 1
        elif test(given[here]):
            at, here = at + 1, here + 1
        elif star >= 0:
            resumed += 1
            at, here = star + 1, resumed
        else:
            return False
    return all(test is _ANY for test in parts[at:])


def _nothing(_one: str) -> bool:
    return False
