"""The events of a YAML text: from libyaml, PyYAML's C extension, or from PyYAML's own parser.

The second is for platforms without the extension, such as a browser. It takes eight times as long.
Both accept the same manifests, with the same values and positions, except for rare syntax that the
second refuses (a tab between words, ``?`` in a plain scalar within brackets, byte order marks inside a
text). Its error messages differ. tests/manifest/test_events.py has all differences.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from yaml.parser import Parser
from yaml.reader import Reader, ReaderError
from yaml.scanner import Scanner

from gpuxlate.model.messages import say

_BASES: tuple[Any, ...] = (Reader, Scanner, Parser)  # without types, whatever stubs are installed


class PythonParser(*_BASES):  # type: ignore[misc]
    """PyYAML's parser with what is used of ``CParser``: ``get_event`` and ``raw_parse``."""

    def __init__(self, text: str | bytes) -> None:
        if isinstance(text, str):
            text.encode()  # a lone surrogate raises here, as in libyaml
        try:
            Reader.__init__(self, text)
        except ReaderError as error:
            if isinstance(text, str):  # libyaml counts bytes of UTF-8
                error.position = len(text[: error.position].encode())
            raise
        Scanner.__init__(self)
        Parser.__init__(self)

    def raw_parse(self) -> None:
        """Read all of it, for its errors only."""
        next_event: Any = self.get_event
        while next_event() is not None:
            pass


try:
    from yaml import _yaml
except ImportError:
    EventParser: Any = PythonParser
else:

    class ComposingParser(_yaml.CParser):
        """libyaml's parser; ``get_node`` composes a document in C and forgets anchors and aliases.

        For each node it calls three methods, about tags that nobody gave: these do nothing, in C.
        """

        resolve = "".format
        descend_resolver: Any = operator.is_
        ascend_resolver: Any = tuple

        def get_limited_node(self, depth: int) -> Any:
            """The same, for a document that may be too deep for the stack of C.

            Raises ValueError for more levels than ``depth``.
            """
            above: dict[Any, Any] = {}

            def descend(parent: Any, index: Any) -> None:
                above[parent] = index
                if len(above) > depth:
                    raise ValueError

            self.descend_resolver, self.ascend_resolver = descend, above.popitem
            node = self.get_node()
            del self.descend_resolver, self.ascend_resolver
            return node

    EventParser = ComposingParser


# --- what is wrong, in plain words --------------------------------------------------------------

_NO_BLANK = re.compile(r"""\s*(?:-\s+)*[^\s:#"'{\[][^\s:]*:[^\s:/]""")
"""``key:value``, which is one word; ``://`` is of an address."""
_CONFLICT = re.compile(r"(<{7}|={7}|>{7})( |$)")
_PAIR = re.compile(r""":\s+\S""")
_NESTED = "indent it as its neighbours, or write nothing behind the colon above"


class _Line:
    """A character and its line: the number, where it begins, and its text up to the character and whole."""

    def __init__(self, text: str, index: int) -> None:
        self.number = text.count("\n", 0, index) + 1
        self.start = text.rfind("\n", 0, index) + 1
        end = text.find("\n", index)
        self.before = text[self.start : index]
        self.letter = text[index : index + 1]
        self.text = text[self.start : end if end >= 0 else len(text)].rstrip("\r")

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip(" "))


class _Spot(NamedTuple):
    """Where reading fails, the line above, and where what was read begins."""

    line: _Line
    above: _Line | None
    begun: _Line

    @property
    def letter(self) -> str:
        return self.line.letter

    @property
    def outer(self) -> int:
        """The column of what was read."""
        return len(self.begun.before)


def plain_words(problem: str, text: str, index: int, context: int) -> str | None:
    """The cause of a syntax error; None where the parser's own words say as much as is known.

    ``problem``: the parser's words at ``index``; ``context``: where what it was reading begins. Nothing of
    the text is quoted, which may be a secret.
    """
    line = _Line(text, index)
    above = _Line(text, line.start - 1) if line.start else None
    spot = _Spot(line, above, _Line(text, context))
    cause = next((find for words, find in _CAUSES if words in problem), None)
    return cause(spot) if cause else None


def _bad_start(spot: _Spot) -> str | None:
    if spot.letter == "\t":
        return "a tab; YAML is indented with spaces"
    return f"a value cannot begin with {spot.letter}; put it in quotes" if spot.letter in "@`%" else None


def _bad_name(spot: _Spot) -> str:
    mark = spot.begun.letter
    return f"{mark} begins an {'alias' if mark == '*' else 'anchor'}; put the value in quotes"


def _behind_the_end(spot: _Spot) -> str | None:
    if not spot.line.text.startswith("..."):
        return None
    return "text behind the end of a document; begin the next one with --- on a line of its own"


def _without_colon(spot: _Spot) -> str:
    line = spot.begun
    if _CONFLICT.match(line.text):
        return f"line {line.number} is a mark of a merge conflict"
    if _NO_BLANK.match(line.text):
        return f"no space behind the colon in line {line.number}"
    if line.text.startswith("---"):
        return f"text directly behind --- in line {line.number}"
    return f"line {line.number} has no colon behind its key"


def _second_colon(spot: _Spot) -> str | None:
    line, above = spot.line, spot.above
    if _PAIR.search(line.before):
        return "a second colon in this line; put the value in quotes"
    if above is None:
        return None
    if _NO_BLANK.match(above.text) and not _PAIR.search(above.text):
        return f"no space behind the colon in line {above.number}"
    if "：" in above.text and ":" not in above.text:
        return f"a full-width colon in line {above.number}; write : and a space"
    if above.text.startswith("--- "):
        return f"text behind --- in line {above.number}; begin it on the next line"
    if line.indent > above.indent and _PAIR.search(above.text):
        return f"this line is indented below line {above.number}, which has a value; {_NESTED}"
    return None


def _no_key(spot: _Spot) -> str | None:
    before, letter = spot.line.before, spot.letter
    if letter and letter in "}]":
        return f"a {letter} that closes nothing"
    if before.rstrip(" ").endswith(('"', "'")):
        return "text behind a closing quote; one quote is missing, or one too many"
    if before.strip(" "):
        return None
    if letter == "-" and len(before) == spot.outer:
        return "a list item among keys; indent it below its key, or write a key"
    if len(before) != spot.outer:
        return "this line is indented as none of those above that it could belong to"
    return None


_CAUSES: tuple[tuple[str, Callable[[_Spot], str | None]], ...] = (
    ("cannot start any token", _bad_start),
    ("a tab character", _bad_start),
    (
        "unexpected end of stream",
        lambda spot: f"the quote that opens in line {spot.begun.number} is not closed",
    ),
    (
        "unknown escape",
        lambda _: r"a backslash in double quotes begins an escape; write \\ or use single quotes",
    ),
    ("alphabetic or numeric character", _bad_name),
    ("expected comment or line break", lambda _: "text behind | or >; it begins on the next line"),
    ("expected <document start>", _behind_the_end),
    (
        "',' or",
        lambda spot: say(
            "a comma or colon is missing here, or the bracket of line {line} is not closed",
            line=spot.begun.number,
        ),
    ),
    ("expected ':'", _without_colon),
    ("mapping values are not allowed", _second_colon),
    (
        "expected '-' indicator",
        lambda _: "a key among the items of a list; begin it with -, or indent it as the keys above",
    ),
    ("expected key", _no_key),
)
"""What the parser's words may stand for."""
