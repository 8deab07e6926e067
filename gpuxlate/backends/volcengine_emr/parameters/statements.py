"""Statements that end with a semicolon: what Ray's parameters and the ``set`` of a CustomJob share."""

from __future__ import annotations

import re

from gpuxlate.backends.volcengine_emr.parameters.text import Parameter

_QUOTES = "'\"`"
_BLANK = re.compile(r"\s*")
_LINE = re.compile(r"[^\r\n]*")


def past_quoted(text: str, at: int, *, doubled: bool) -> int:
    """The place after the quoted text that begins at ``at``; the end of the text where it stays open.

    A backslash keeps a quote inside it, and with ``doubled`` so do two quotes in a row.
    """
    quote = text[at]
    at += 1
    while at < len(text):
        if text[at] == "\\" and quote != "`":
            at += 2
        elif text[at] != quote:
            at += 1
        elif doubled and text[at + 1 : at + 2] == quote:
            at += 2
        else:
            return at + 1
    return len(text)


def past_blank(text: str, at: int) -> int:
    """The place of the next character that is no blank."""
    match = _BLANK.match(text, at)
    return match.end() if match else at


def past_line(text: str, at: int) -> int:
    """The end of the line."""
    match = _LINE.match(text, at)
    return match.end() if match else at


def assignment(text: str, start: int, stop: int, end: int, closed: bool) -> Parameter | None:
    """``key = value`` between ``start`` and ``stop``, None where it is something else.

    ``end`` is the end of the statement with its terminator.
    """
    sign = text.find("=", start, stop)
    if sign < 0:
        return None
    key = text[start:sign].rstrip()
    if not key or re.search(r"\s", key):
        return None
    first = sign + 1
    while first < stop and text[first].isspace():
        first += 1
    last = stop
    while last > first and text[last - 1].isspace():
        last -= 1
    value = text[first:last]
    if len(value) > 1 and value[0] == value[-1] and value[0] in _QUOTES:
        value = value[1:-1]
    return Parameter(key, value, start, start + len(key), first, last, end, closed)
