"""Spark's configuration files: lines of Java properties, as ``spark-defaults.conf`` has them.

``key=value``, ``key value`` and ``key: value``; ``#`` and ``!`` begin a comment line; a backslash at
the end of a line goes on with the next one. Spark trims values and, of a key given twice, takes the
last. Source: java.util.Properties.load; Spark, Utils.getPropertiesFromFile.

Lines of a mapping in Python, ``'key': 'value',``, are read too: the vendor's own example of a job has them.
Source: Volcengine, EMR Serverless "mGPU".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gpuxlate.backends.volcengine_emr.syntax import Parameter

_LINE = re.compile(r"[^\r\n]*")
_BREAK = re.compile(r"\r\n|\n|\r")
_BLANK = " \t\f"
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(?:\r\n|\n|\r)[ \t\f]*|(.)|\Z)", re.DOTALL)
_ENTRY = re.compile(
    r"(?P<q>['\"])(?P<key>[^'\"\\\s]+)(?P=q)[ \t]*:[ \t]*"
    r"(?P<r>['\"])(?P<value>[^'\"\\]*)(?P=r)[ \t]*,?[ \t]*(?:#.*)?"
)
"""One entry of a mapping in Python, without escapes."""
_CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


class Properties:
    """Lines of properties."""

    suffix = ".conf"
    comments: tuple[str, ...] = ("#", "!")

    def read(self, text: str) -> list[Parameter]:
        return [
            _parameter(text, start, end) for start, end in _logical_lines(text) if text[start] not in "#!"
        ]

    def write(self, key: str, value: str) -> str:
        return f"{_escaped(key)}={_escaped(value, whole=False)}"

    def place(self, _text: str, _parameters: Sequence[Parameter]) -> int | None:
        return None


def _logical_lines(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each logical line that is not blank; a continued line includes the next ones."""
    at = 0
    while at < len(text):
        line = _LINE.match(text, at)
        assert line is not None
        start = line.start()
        while start < line.end() and text[start] in _BLANK:
            start += 1
        comment = text[start : start + 1] in ("#", "!")
        end = line.end()
        while not comment and start < end and _goes_on(text, start, end) and end < len(text):
            following = _BREAK.match(text, end)
            assert following is not None
            more = _LINE.match(text, following.end())
            assert more is not None
            end = more.end()
        if start < end:
            yield start, end
        following = _BREAK.match(text, end)
        at = following.end() if following else len(text)


def _goes_on(text: str, start: int, end: int) -> bool:
    """An odd number of backslashes ends the line."""
    at = end
    while at > start and text[at - 1] == "\\":
        at -= 1
    return (end - at) % 2 == 1


def _parameter(text: str, start: int, end: int) -> Parameter:
    entry = _ENTRY.fullmatch(text, start, end)
    if entry:
        places = (*entry.span("key"), *entry.span("value"))
        return Parameter(entry["key"], entry["value"].strip(), *places, end, quoted=True)
    at = start
    while at < end and text[at] not in "=: \t\f":
        at = _past(text, at, end)
    key_end = at
    at = _skip(text, at, end)
    if at < end and text[at] in "=:":
        at = _skip(text, at + 1, end)
    value_end = end
    while value_end > at and text[value_end - 1] in " \t\f":
        value_end -= 1
    if _goes_on(text, at, value_end) and value_end < end:
        value_end += 1  # an escaped blank is part of the value
    key, value = _unescaped(text[start:key_end]), _unescaped(text[at:value_end])
    return Parameter(key, value.strip(), start, key_end, at, value_end, end)


def _past(text: str, at: int, end: int) -> int:
    """The place after one character or one escape."""
    if text[at] != "\\" or at + 1 >= end:
        return at + 1
    return at + (3 if text[at + 1 : at + 3] == "\r\n" else 2)


def _skip(text: str, at: int, end: int) -> int:
    """The place after blanks, and after lines that end in the middle of them."""
    while at < end:
        if text[at] in _BLANK:
            at += 1
        elif text[at] == "\\" and (following := _BREAK.match(text, at + 1, end)):
            at = following.end()
        else:
            break
    return at


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text

    def replaced(match: re.Match[str]) -> str:
        code, letter = match.groups()
        if code:
            return chr(int(code, 16))
        return _CONTROL.get(letter, letter) if letter else ""

    return _ESCAPE.sub(replaced, text)


def _escaped(text: str, whole: bool = True) -> str:
    """The text so that it reads as itself; a value needs less than a key."""
    special = r"[\\=:\s#!]" if whole else r"\\|[\t\n\r\f]|^[ ]"
    names = {value: f"\\{name}" for name, value in _CONTROL.items()}
    return re.sub(special, lambda m: names.get(m.group(), f"\\{m.group()}"), text)
