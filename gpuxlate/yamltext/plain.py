"""Plain data from YAML, and fresh YAML from plain data."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.nodes import to_plain
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.style import scalar


def plain_document(source: Source) -> Any:
    """The first document of a source as plain data, None where it is empty.

    Raises ValueError; where the text is no YAML a NotYamlError that says the line.
    """
    try:
        document = next(documents(source), None)
        return to_plain(document.root) if document and document.root else None
    except NotYamlError as error:
        line, column = source.position(error.index)
        raise NotYamlError(f"line {line}, column {column}: {error.message}", error.index) from None
    except RecursionError as error:
        raise ValueError(str(error)) from None


def fresh(data: Any) -> str:
    """Plain data as a new YAML document, in block style and in its own order.

    Every reader takes its strings for strings: what YAML 1.1 alone calls a boolean or a date is quoted
    too, since some read it so.
    """
    if not isinstance(data, (dict, list)) or not data:
        return _text(data) + "\n"
    return "\n".join(_lines(data, "")) + "\n"


def _lines(data: dict[str, Any] | list[Any], indent: str) -> Iterator[str]:
    """The lines of a mapping or list that holds something."""
    if isinstance(data, dict):
        for key, value in data.items():
            name = _string(str(key))
            head = f"{indent}{name}:" if len(name) <= _LONGEST_KEY else f"{indent}? {name}\n{indent}:"
            yield from _entry(head, value, indent)
        return
    for item in data:
        if isinstance(item, (dict, list)) and item:
            lines = _lines(item, indent + "  ")
            yield f"{indent}- {next(lines)[len(indent) + 2 :]}"
            yield from lines
        else:
            yield from _entry(f"{indent}-", item, indent)


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    """The value behind a key or dash, and the lines below it."""
    if isinstance(value, (dict, list)) and value:
        yield head
        yield from _lines(value, indent if isinstance(value, list) else indent + "  ")
    elif isinstance(value, str) and _fits_block(value):
        chomping = "-" if value[-1] != "\n" else "+" if value.endswith("\n\n") else ""
        yield f"{head} |{chomping}"
        for line in value.removesuffix("\n").split("\n"):
            yield f"{indent}  {line}" if line else ""
    else:
        yield f"{head} {_text(value)}"


def _fits_block(text: str) -> bool:
    """Several lines that a literal block can hold: printable, the first neither empty nor indented."""
    if "\n" not in text or text[0] in " \t\n":
        return False
    return text.replace("\n", "").replace("\t", "").isprintable()


def _text(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    return _string(value) if isinstance(value, str) else json.dumps(value)


_LONGEST_KEY = 1000
"""A longer key says that it is one: without a mark YAML looks for the colon in 1024 characters."""
_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_ELSEWHERE = re.compile(r"[yYnN]|[0-9]{4}-.*")


def _string(text: str) -> str:
    if not text.isprintable():
        return '"' + "".join(_escaped(char) for char in text) + '"'
    return json.dumps(text, ensure_ascii=False) if _ELSEWHERE.fullmatch(text) else scalar(text, None)


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if char.isprintable():
        return char
    number = ord(char)
    if char in _NAMED:
        return _NAMED[char]
    return (
        f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65536 else f"\\U{number:08x}"
    )
