"""Documents that differ in nothing that counts: what was found in one is so in the others.

Charts and overlays write the same workload many times: for each team, tenant and environment. A document
of the same *shape* as one before need not be read again. The shape is its text without what nothing
here looks at: some values, and the comments behind them. Such a value is one plain word, in double quotes
or not, which YAML reads as one scalar wherever it stands: another word of its kind changes no structure.
The numbers in vendors' keys count, but not for what stands where: they are kept beside the shape.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Generic, TypeVar

from gpuxlate.model.pod import Kind
from gpuxlate.yamltext.nodes import resolve_plain

Found = TypeVar("Found")
Pattern = TypeVar("Pattern")

_PLAIN = rb"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?"
_QUOTED = rb'"-{0,2}[A-Za-z0-9/][A-Za-z0-9=/._-]*"'
"""A plain word is between the quotes too, should the first of them close what began lines above."""
_WORD = re.compile(_PLAIN)
_DIGITS = re.compile(rb"[1-9][0-9]{0,5}")
_LIST = re.compile(rb"\[" + _QUOTED + rb"(?:, ?" + _QUOTED + rb")*\]")
_NAMES = (
    *(b"name", b"namespace", b"app", b"component", b"k8s-app", b"release", b"team", b"version"),
    *(
        b"app.kubernetes.io/name",
        b"app.kubernetes.io/instance",
        b"app.kubernetes.io/version",
        b"helm.sh/chart",
    ),
)
_VARIABLE = b"value"
"""The value of a variable, where the document has none of those that something looks at."""
_VALUES = {
    **dict.fromkeys(_NAMES, _WORD),
    **dict.fromkeys(
        (b"replicas", b"containerPort", b"hostPort", b"nodePort", b"port", b"targetPort"), _DIGITS
    ),
    **dict.fromkeys((b"args", b"command"), _LIST),
    b"image": re.compile(rb"[a-z0-9](?:[a-z0-9./:@_-]*[a-z0-9])?"),
    _VARIABLE: re.compile(_QUOTED + rb"|" + _PLAIN),
}
"""Values that no rule and no target looks at, by their keys, and how they have to be written. A name that
asks for a GPU (``name: nvidia.com/gpu``) has a slash, one that steers it capitals or ``gpu``: neither is
meant. Beside them, with their keys: labels and annotations of domains that have nothing to do with GPUs."""
_FREE = re.compile(
    rb"(?!.*[gG][pP][uU]) *(?:- )?(?P<key>[A-Za-z0-9.-]+(?:/[A-Za-z0-9._-]+)?): +(?P<value>[^#]*?)"
    rb"(?: +#(?P<comment>[ A-Za-z0-9.,;()_-]*))?"
)
_ITEM = re.compile(rb'[^][", ]+')
_NUMBER = re.compile(rb' *[A-Za-z0-9.-]+/[A-Za-z0-9._-]+: +"?(?P<number>[1-9][0-9]{0,8})"?(?: +#.*)?')
"""A number in a vendor's key. Others are no different to YAML, wherever it stands."""
_ENTRY = re.compile(rb' *[A-Za-z0-9.-]+/[A-Za-z0-9._-]+: +"?[A-Za-z0-9.,-]*"?(?: +#.*)?')
"""A vendor's key that is the name of no variable."""
_OURS = re.compile(rb"gpuxlate|GPUShare|gpuResourceType|[\0-\10]")
"""Documents and comments of ours, and forms: their names are judged too. And what stands in for values."""
_STEERS = re.compile(rb"GPU|CUDA|NVIDIA|QOS|\\")
"""The words of variables that something looks at (``gpuxlate.lint.judged``), and escapes that may hide one."""
_LEFT_OUT, _IN_KEY, _STEERING, _NO_SHAPE = b"\0", b"\1", b"\2", b"\3"

_KINDS = {kind: _LEFT_OUT + kind.value.encode() for kind in Kind}
_STRING = _LEFT_OUT + b"string in quotes"
"""Of a word with a colon: it would be written so."""

MOST = 4096
"""So much is remembered: of shapes, and of numbers in all of them."""
LINES = 8192
"""So many lines are remembered."""
LONGEST = 256
"""Bytes: longer lines are not."""
LARGEST = 16 * 1024
"""Bytes: larger documents are seldom alike, and would fill the memory."""

Spot = tuple[int, int]
"""The number of a line, and how far from its beginning a character is; behind a value left out, how far from
the beginning of the next line: below zero."""


class _Lines(dict[bytes, bytes]):
    """Each line without what is left out of it; ``spans``: where that stands.

    ``careful``: values of variables, and foreign keys, are not left out.
    """

    def __init__(self, marks: re.Pattern[bytes], careful: bool) -> None:
        super().__init__()
        self.marks = marks
        self.careful = careful
        self.spans: dict[bytes, Spot] = {}
        self.numbers: dict[bytes, bytes] = {}
        self.foreign: dict[bytes, bytes] = {}

    def __missing__(self, line: bytes) -> bytes:
        form = self._form(line)
        if len(line) <= LONGEST:
            self[line] = form
        return form

    def _form(self, line: bytes) -> bytes:
        match = _FREE.fullmatch(line) if len(line) <= LONGEST else None
        if match is not None:
            form = self._without(line, match)
            if form is not None:
                return form
        if _OURS.search(line) is not None:
            return _NO_SHAPE
        if _STEERS.search(line) is not None:
            return _STEERING + line
        if self.marks.search(line) is None:
            return line
        number = _NUMBER.fullmatch(line) if len(line) <= LONGEST else None
        if number is not None:
            start, end = self.spans[line] = number.span("number")
            self.numbers[line] = number["number"]
            return line[:start] + _LEFT_OUT + line[end:]
        return line if _ENTRY.fullmatch(line) is not None else _STEERING + line

    def _without(self, line: bytes, match: re.Match[bytes]) -> bytes | None:
        """None where the line counts after all."""
        key, value = match["key"], match["value"]
        named = _VALUES.get(key)
        if (named or _WORD).fullmatch(value) is None or not (named or b"/" in key):
            return None
        if named is not _WORD and self.marks.search(line) is not None:
            return None
        if self.careful and (named is None or key == _VARIABLE):
            return None
        start, end = match.span("value")
        comment = match.start("comment")
        last = end if comment < 0 else len(line)
        behind = b"" if comment < 0 else line[end:comment] + _LEFT_OUT
        left = _kind(value) if value[0] not in b'["' else _ITEM.sub(lambda item: _kind(item[0]), value)
        if named is None:
            self.foreign[line] = key
            start = match.start("key")
            left = _IN_KEY + left
        self.spans[line] = start, last
        return line[:start] + left + behind


def _kind(word: bytes) -> bytes:
    """What stands in for a word: one of its kind would be read like it, and written like it."""
    return _STRING if b":" in word else _KINDS[resolve_plain(word.decode())]


class Shape:
    """What is left of a document: ``rest``, and ``numbers``. Documents with the same of both are alike."""

    __slots__ = ("__dict__", "_known", "lines", "numbers", "rest")

    def __init__(self, lines: list[bytes], rest: bytes, known: _Lines) -> None:
        self.lines = lines
        self.rest = rest
        self.numbers: tuple[bytes, ...] = tuple(filter(None, map(known.numbers.get, lines)))
        self._known = known

    @cached_property
    def _before(self) -> list[int]:
        """How many characters stand before each line, line breaks not counted."""
        return list(accumulate(map(len, self.lines), initial=0))

    def _start(self, line: int) -> int:
        return self._before[line] + line

    def _line(self, at: int) -> int:
        """The line that a character stands in."""
        return bisect_right(range(len(self.lines)), at, key=self._start) - 1

    def spot(self, at: int) -> Spot | None:
        """Where a character stands; None where it is left out."""
        number = self._line(at)
        away = at - self._start(number)
        span = self._known.spans.get(self.lines[number])
        if span is None or away <= span[0]:
            return number, away
        return None if away < span[1] else (number, at - self._start(number + 1))

    def at(self, spot: Spot) -> int:
        """The character at a spot."""
        number, away = spot
        if away < 0:
            number += 1
        return self._before[number] + number + away

    def covers(self, start: int, end: int) -> bool:
        """Something that is left out for good, no number, stands between two characters."""
        for number in range(self._line(start), self._line(end) + 1):
            line, begins = self.lines[number], self._start(number)
            span = None if line in self._known.numbers else self._known.spans.get(line)
            if span and begins + span[0] < end and begins + span[1] > start:
                return True
        return False

    def number_starts(self) -> list[int]:
        """Where each number begins."""
        return [
            self._start(number) + self._known.spans[line][0]
            for number, line in enumerate(self.lines)
            if line in self._known.numbers
        ]

    def with_numbers(self, numbers: Sequence[bytes]) -> bytes:
        """The document with other numbers."""
        left = iter(numbers)
        lines = []
        for line in self.lines:
            if line in self._known.numbers:
                start, end = self._known.spans[line]
                line = line[:start] + next(left) + line[end:]
            lines.append(line)
        return b"\n".join(lines)


class Family(Generic[Found, Pattern]):
    """Documents of one shape: what was ``found`` for their numbers, and the ``pattern`` of them all."""

    __slots__ = ("found", "pattern", "times")

    def __init__(self) -> None:
        self.found: dict[tuple[bytes, ...], Found] = {}
        self.pattern: Pattern | None = None
        self.times = 0  # that it was read


News = dict[bytes, dict[tuple[bytes, ...], Found]]
"""What was found, by the shape and the numbers of documents."""


class Alike(Generic[Found, Pattern]):
    """What was found for each shape so far. ``marks``: what a text must hold for a rule to find something."""

    def __init__(self, marks: Callable[[], re.Pattern[bytes]]) -> None:
        self._marks = marks
        self._free: _Lines | None = None
        self._careful: _Lines | None = None
        self._families: dict[bytes, Family[Found, Pattern]] = {}
        self._held = 0
        self._news: News[Found] | None = None

    def shape_of(self, data: bytes) -> Shape | None:
        """The shape of a document, None where its names may count, or its characters are not its bytes."""
        if len(data) > LARGEST or not data.isascii():
            return None
        if self._free is None or len(self._free) > LINES:  # a shape at hand keeps what it knows
            self._free = _Lines(self._marks(), careful=False)
        lines = data.split(b"\n")
        known = self._free
        rest = b"\n".join(map(known.__getitem__, lines))
        if _NO_SHAPE in rest:
            return None
        if _STEERING in rest or (_IN_KEY in rest and not _once(known, lines, data)):
            if self._careful is None or len(self._careful) > LINES:
                self._careful = _Lines(self._marks(), careful=True)
            known = self._careful
            rest = b"\n".join(map(known.__getitem__, lines))
        return Shape(lines, rest, known)

    def family(self, shape: Shape) -> Family[Found, Pattern] | None:
        """What is known of a shape. None where it is new and nothing more can be remembered."""
        found = self._families.get(shape.rest)
        if found is None and self._held < MOST:
            self._held += 1
            found = self._families[shape.rest] = Family()
        return found

    def add(self, family: Family[Found, Pattern], shape: Shape, found: Found) -> None:
        """Remember what was found for the numbers of a shape."""
        if self._held < MOST:
            self._held += 1
            family.found[shape.numbers] = found
            if self._news is not None:
                self._news.setdefault(shape.rest, {})[shape.numbers] = found

    def note(self) -> None:
        """What is added from here on is new."""
        self._news = {}

    def news(self) -> News[Found]:
        """What was added since."""
        return self._news or {}

    def learn(self, news: News[Found]) -> None:
        """Know what another process has found."""
        for rest, found in news.items():
            family = self._families.setdefault(rest, Family())
            family.found.update(found)
            self._held += len(found)


def _once(known: _Lines, lines: list[bytes], data: bytes) -> bool:
    """No key that is left out may be given twice: each stands once in the text."""
    return all(data.count(key) == 1 for key in map(known.foreign.get, lines) if key)
