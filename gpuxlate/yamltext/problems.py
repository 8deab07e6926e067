"""The cause of a syntax error in YAML, in plain words, in place of the parser's message."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gpuxlate.model.declarations import regex
from gpuxlate.model.messages import msg

_NO_BLANK = regex(r"""\s*(?:-\s+)*[^\s:#"'{\[][^\s:]*:[^\s:/]""")
"""``key:value``, which is one word; ``://`` is of an address."""
_CONFLICT = regex(r"(<{7}|={7}|>{7})( |$)")
_UTF_16 = regex(r"(?:[^\0]\0){2,}|(?:\0[^\0]){2,}\0?")
"""A line of ASCII letters in UTF-16, read as UTF-8."""
_PAIR = regex(r""":\s+\S""")
_KEY_AND_VALUE = regex(r"""[\w.-]+/[\w./-]+ +[^\s:]+|[\w.-]+ +["']?\d+["']?""")
"""A line that is a key and a value, and no text: the key has a prefix, or the value is a number."""


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


class _Failure(NamedTuple):
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


class _Cause(NamedTuple):
    """The mistake is in another line than the one where reading fails: its words name that line."""

    words: str
    line: _Line


def plain_words(problem: str, text: str, index: int, context: int) -> tuple[str | None, int]:
    """The cause of a syntax error, and its character; None where the parser's own words say as much as is
    known.

    ``problem``: the parser's words at ``index``; ``context``: where what it was reading begins. Nothing of
    the text is quoted, which may be a secret.
    """
    line = _Line(text, index)
    above = _Line(text, line.start - 1) if line.start else None
    spot = _Failure(line, above, _Line(text, context))
    find = next((find for words, find in _CAUSES if words in problem), None)
    cause = find(spot) if find else None
    if isinstance(cause, _Cause):
        return cause.words, cause.line.start + cause.line.indent
    return cause, index


def _bad_start(spot: _Failure) -> str | None:
    if spot.letter == "\t":
        return "a tab; YAML is indented with spaces"
    if spot.letter not in "@`%":
        return None
    return msg("a value cannot begin with {letter}; put it in quotes", letter=spot.letter)


def _bad_name(spot: _Failure) -> str:
    if spot.begun.letter == "*":
        return "* begins an alias; put the value in quotes"
    return "& begins an anchor; put the value in quotes"


def _behind_the_end(spot: _Failure) -> str | None:
    if not spot.line.text.startswith("..."):
        return None
    return "text after the end of a document; begin the next document with --- on a line of its own"


def _without_colon(spot: _Failure) -> _Cause:
    line = spot.begun
    if _CONFLICT.match(line.text):
        return _Cause(msg("line {line} is a merge conflict marker", line=line.number), line)
    if _NO_BLANK.match(line.text):
        return _Cause(msg("no space after ':' in line {line}", line=line.number), line)
    if line.text.startswith("---"):
        return _Cause(msg("no space after --- in line {line}", line=line.number), line)
    return _Cause(msg("line {line}: missing ':' after the key", line=line.number), line)


def _second_colon(spot: _Failure) -> str | _Cause | None:
    line, above = spot.line, spot.above
    if _PAIR.search(line.before):
        return "a second colon in this line; put the value in quotes"
    if above is None:
        return None
    if _NO_BLANK.match(above.text) and not _PAIR.search(above.text):
        return _Cause(msg("no space after ':' in line {line}", line=above.number), above)
    if "：" in above.text and ":" not in above.text:
        return _Cause(msg("a full-width colon in line {line}; write : and a space", line=above.number), above)
    if above.text.startswith("--- "):
        return _Cause(
            msg("text after --- in line {line}; begin it on the next line", line=above.number), above
        )
    if _KEY_AND_VALUE.fullmatch(above.text.strip()):
        return _Cause(msg("line {line}: missing ':' after the key", line=above.number), above)
    if line.indent > above.indent and _PAIR.search(above.text):
        return msg(
            "this line is indented below line {line}, which has a value; align it with the keys beside it, "
            "or remove the value",
            line=above.number,
        )
    return None


def _no_key(spot: _Failure) -> str | None:
    before, letter = spot.line.before, spot.letter
    if letter and letter in "}]":
        return msg("{letter} closes nothing", letter=letter)
    if before.rstrip(" ").endswith(('"', "'")):
        return "text after a closing quote; a quote is missing, or there is one too many"
    if before.strip(" "):
        return None
    if letter == "-" and len(before) == spot.outer:
        return "a list item among keys; indent it below its key, or write a key"
    if len(before) != spot.outer:
        return "the indentation of this line matches no line above"
    return None


def _control_character(spot: _Failure) -> str:
    if _UTF_16.fullmatch(spot.line.text):
        return "every second byte is NUL, as in UTF-16; save the file as UTF-8"
    return "control characters are not allowed"


_CAUSES: tuple[tuple[str, Callable[[_Failure], str | _Cause | None]], ...] = (
    ("cannot start any token", _bad_start),
    ("a tab character", _bad_start),
    (
        "unexpected end of stream",
        lambda spot: msg("the quote that opens in line {line} is not closed", line=spot.begun.number),
    ),
    (
        "unknown escape",
        lambda _: r"a backslash in double quotes begins an escape; write \\ or use single quotes",
    ),
    ("alphabetic or numeric character", _bad_name),
    ("expected comment or line break", lambda _: "text after | or >; begin it on the next line"),
    ("expected <document start>", _behind_the_end),
    (
        "',' or",
        lambda spot: msg(
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
    ("control characters", _control_character),
)
"""What the parser's words may stand for."""
