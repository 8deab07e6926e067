"""The three syntaxes in which a text has parameters of a job: what each reads and writes, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from gpuxlate.model.declarations import record, regex
from gpuxlate.yamltext.nodes import Mapping, Scalar
from gpuxlate.yamltext.parse import Document
from gpuxlate.yamltext.source import Source


@record
class Parameter:
    """One parameter, and the characters of its key, its value and its statement.

    The value's characters are those to replace, quotes included. ``end`` is the end of the statement
    with its terminator; ``closed``: the statement has its terminator, or the syntax needs none.
    ``quoted``: an entry of a mapping of Python, whose quotes are around the places of key and value.
    """

    key: str
    value: str
    key_start: int
    key_end: int
    value_start: int
    value_end: int
    end: int
    closed: bool = True
    quoted: bool = False


class Syntax(Protocol):
    """One way to write parameters in a text."""

    suffix: str
    comments: tuple[str, ...]  # what a comment begins with

    def read(self, text: str) -> list[Parameter]:
        """Every parameter, in the order of the text; all other text is skipped."""

    def write(self, key: str, value: str) -> str:
        """One parameter as a line, without its line break."""

    def place(self, text: str, parameters: Sequence[Parameter]) -> int | None:
        """Where new parameters go if none of them is there; None is the end of the text."""


def as_document(source: Source, parameters: Sequence[Parameter]) -> Document:
    """The parameters as a document: one mapping, its keys and values at their places in the text."""
    root = Mapping(0, None, None, False)
    document = Document(source, 0, 0, len(source.text), root)
    seen: set[str] = set()
    for parameter in parameters:
        key = Scalar.at(parameter.key_start, parameter.key_end, parameter.key)
        root.entries.append((key, Scalar.at(parameter.value_start, parameter.value_end, parameter.value)))
        if parameter.key in seen:
            document.repeated.append((root, key))
        seen.add(parameter.key)
    return document


# Statements that end with a semicolon: Ray's ``key=value;`` and the ``set key=value;`` of a CustomJob.
# Ray, default compute group: one or several on a line; ``#`` begins a comment where a statement could
# begin. A line break ends a statement too, so that one forgotten semicolon does not swallow the next
# parameter.
# CustomJob: among other statements of SQL, which are left alone. ``--`` and ``/* */`` are comments; quoted
# text may hold semicolons. ``set`` is read in any letter case, with blanks round the sign.
# Source: Volcengine, EMR Serverless "mGPU".
_QUOTES = "'\"`"
_BLANK = regex(r"\s*")
_LINE = regex(r"[^\r\n]*")
_ENDS = regex(r"[ \t]*(?:[;\r\n]|\Z)")
_SET = regex(r"set\s+", re.IGNORECASE)


class RayStatements:
    """Statements of Ray."""

    suffix = ".conf"
    comments: tuple[str, ...] = ("#",)

    def read(self, text: str) -> list[Parameter]:
        parameters: list[Parameter] = []
        at = _past_blank(text, 0)
        while at < len(text):
            if text[at] == "#":
                at = _past_blank(text, past_line(text, at))
                continue
            stop = _ray_stop(text, at)
            closed = text[stop : stop + 1] == ";"
            parameter = _assignment(text, at, stop, stop + closed, closed)
            if parameter:
                parameters.append(parameter)
            at = _past_blank(text, stop + closed)
        return parameters

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
        parameters: list[Parameter] = []
        at = _past_comments(text, 0)
        while at < len(text):
            stop, content = _set_stop(text, at)
            closed = text[stop : stop + 1] == ";"
            word = _SET.match(text, at, content)
            parameter = _assignment(text, word.end(), content, stop + closed, closed) if word else None
            if parameter:
                parameters.append(parameter)
            at = _past_comments(text, stop + closed)
        return parameters

    def write(self, key: str, value: str) -> str:
        return f"set {key}={value};"

    def place(self, text: str, parameters: Sequence[Parameter]) -> int | None:
        """After the parameters that the text begins with: they must be set before the job's own SQL."""
        at, start = 0, _past_comments(text, 0)
        for parameter in parameters:
            if not _SET.match(text, start) or parameter.key_start != _past_blank(text, start + len("set")):
                break
            at, start = parameter.end, _past_comments(text, parameter.end)
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


# Spark's configuration files: lines of Java properties, as ``spark-defaults.conf`` has them.
# ``key=value``, ``key value`` and ``key: value``; ``#`` and ``!`` begin a comment line; a backslash at the
# end of a line goes on with the next one. Spark trims values and, of a key given twice, takes the last.
# Source: java.util.Properties.load; Spark, Utils.getPropertiesFromFile.
# Lines of a mapping in Python, ``'key': 'value',``, are read too: the vendor's own example of a job has
# them. Source: Volcengine, EMR Serverless "mGPU".
_BREAK = regex(r"\r\n|\n|\r")
_BLANK_PROPERTY = " \t\f"
_ESCAPE = regex(r"\\(?:u([0-9a-fA-F]{4})|(?:\r\n|\n|\r)[ \t\f]*|(.)|\Z)", re.DOTALL)
_ENTRY = regex(
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
        while start < line.end() and text[start] in _BLANK_PROPERTY:
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
    """Whether an odd number of backslashes ends the line."""
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
        if text[at] in _BLANK_PROPERTY:
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
    """The text with escapes, so that it is read as it is. ``whole``: also characters that only keys must
    escape."""
    special = r"[\\=:\s#!]" if whole else r"\\|[\t\n\r\f]|^[ ]"
    names = {value: f"\\{name}" for name, value in _CONTROL.items()}
    return re.sub(special, lambda m: names.get(m.group(), f"\\{m.group()}"), text)
