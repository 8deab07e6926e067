"""Statements that end with a semicolon: Ray's ``key=value;`` and the ``set key=value;`` of a CustomJob.

Ray, default compute group: one or several on a line; ``#`` begins a comment where a statement could
begin. A line break ends a statement too, so that one forgotten semicolon does not swallow the next
parameter.

CustomJob: among other statements of SQL, which are left alone. ``--`` and ``/* */`` are comments;
quoted text may hold semicolons. ``set`` is read in any letter case, with blanks round the sign.

Source: Volcengine, EMR Serverless "mGPU".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpuxlate.backends.volcengine_emr.syntax import Parameter

_QUOTES = "'\"`"
_BLANK = re.compile(r"\s*")
_LINE = re.compile(r"[^\r\n]*")
_ENDS = re.compile(r"[ \t]*(?:[;\r\n]|\Z)")
_SET = re.compile(r"set\s+", re.IGNORECASE)


class RayStatements:
    """Statements of Ray."""

    suffix = ".conf"
    comments: tuple[str, ...] = ("#",)

    def read(self, text: str) -> list[Parameter]:
        found: list[Parameter] = []
        at = _past_blank(text, 0)
        while at < len(text):
            if text[at] == "#":
                at = _past_blank(text, past_line(text, at))
                continue
            stop = _ray_stop(text, at)
            closed = text[stop : stop + 1] == ";"
            one = _assignment(text, at, stop, stop + closed, closed)
            if one:
                found.append(one)
            at = _past_blank(text, stop + closed)
        return found

    def write(self, key: str, value: str) -> str:
        return f"{key}={value};"

    def place(self, _text: str, _parameters: Sequence[Parameter]) -> int | None:
        return None


def _ray_stop(text: str, at: int) -> int:
    """The semicolon or line break that ends the statement; a quoted value may hold both."""
    quotable = False  # a quote counts where a value begins
    while at < len(text):
        letter = text[at]
        if letter in ";\r\n":
            return at
        if quotable and letter in "'\"":
            after = _past_quoted(text, at, doubled=False)
            closes = text[after - 1] == letter and after - 1 > at and _ENDS.match(text, after)
            at, quotable = after if closes else at + 1, False
            continue
        quotable = letter == "=" or (quotable and letter in " \t")
        at += 1
    return len(text)


class SetStatements:
    """``set`` statements in SQL."""

    suffix = ".sql"
    comments: tuple[str, ...] = ("--",)

    def read(self, text: str) -> list[Parameter]:
        found: list[Parameter] = []
        at = _past_comments(text, 0)
        while at < len(text):
            stop, content = _set_stop(text, at)
            closed = text[stop : stop + 1] == ";"
            word = _SET.match(text, at, content)
            one = _assignment(text, word.end(), content, stop + closed, closed) if word else None
            if one:
                found.append(one)
            at = _past_comments(text, stop + closed)
        return found

    def write(self, key: str, value: str) -> str:
        return f"set {key}={value};"

    def place(self, text: str, parameters: Sequence[Parameter]) -> int | None:
        """After the parameters that the text begins with: they must be set before the job's own SQL."""
        at, start = 0, _past_comments(text, 0)
        for one in parameters:
            if not _SET.match(text, start) or one.key_start != _past_blank(text, start + len("set")):
                break
            at, start = one.end, _past_comments(text, one.end)
        return at


def _past_comments(text: str, at: int) -> int:
    """The place where the next statement begins."""
    while True:
        at = _past_blank(text, at)
        if text.startswith("--", at):
            at = past_line(text, at)
        elif text.startswith("/*", at):
            at = _past_block(text, at)
        else:
            return at


def _past_block(text: str, at: int) -> int:
    end = text.find("*/", at + 2)
    return len(text) if end < 0 else end + 2


def _set_stop(text: str, at: int) -> tuple[int, int]:
    """The end of a statement, and the end of its content: before a comment behind it."""
    content = at
    while at < len(text):
        letter = text[at]
        if letter == ";":
            break
        if letter in "'\"`":
            at = content = _past_quoted(text, at, doubled=True)
        elif text.startswith("--", at) and (at == 0 or text[at - 1].isspace()):
            at = past_line(text, at)
        elif text.startswith("/*", at):
            at = _past_block(text, at)
        else:
            at += 1
            content = content if letter.isspace() else at
    return min(at, len(text)), min(content, len(text))


def _past_quoted(text: str, at: int, *, doubled: bool) -> int:
    """The place after the quoted text that begins at ``at``; the end of the text where it is not closed.

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


def _past_blank(text: str, at: int) -> int:
    """The place of the next character that is not blank."""
    match = _BLANK.match(text, at)
    return match.end() if match else at


def past_line(text: str, at: int) -> int:
    """The end of the line."""
    match = _LINE.match(text, at)
    return match.end() if match else at


def _assignment(text: str, start: int, stop: int, end: int, closed: bool) -> Parameter | None:
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
