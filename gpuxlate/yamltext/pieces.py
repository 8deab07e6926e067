"""A text in pieces of whole documents: memory is bounded by the largest, and what matters is parsed alone.

A line that begins with ``---`` and a blank begins a document wherever it stands: no scalar may hold
one, and libyaml refuses it anywhere else. So a text can be cut there without reading it as YAML. It is
not cut behind a document that has lines of ``...`` or ``%``, where directives may stand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from yaml.error import YAMLError

from gpuxlate.model import limits
from gpuxlate.yamltext.events import EventParser
from gpuxlate.yamltext.source import DecodeError, Source, decoded

PART = 32 * 1024
"""Bytes: smaller documents come together in pieces of about this size, so that all cores end together."""
PIECE = 256 * 1024
"""Bytes that are looked at first; documents of a piece come together in parts of up to this size."""
BLOCK = 1024 * 1024
"""Bytes that are read at once."""

_MARKER = re.compile(rb"\n---(?=[ \t\r\n])")
_LINE = rb"(?:^|[\r\x85\xa8\xa9\xbf])"  # line breaks of YAML 1.1 and byte order marks, by their last byte
_DIRECTIVE = re.compile(_LINE + rb"%", re.MULTILINE)
_MORE = re.compile(_LINE + rb"(?:---|\.\.\.)", re.MULTILINE)
_BREAK = rb"(?:\r\n?|\n|\xc2\x85|\xe2\x80[\xa8\xa9])"
_NO_CONTENT = re.compile(rb"(?:\xef\xbb\xbf)*(?:[ \t]*(?:#[^\r\n]*)?" + _BREAK + rb")*")
_DEEP = re.compile(rb"^[ ?:-]{100}", re.MULTILINE)
_MANY = 100
"""So many brackets, or lines and items, may be nested too deeply."""

Read = Callable[[int], bytes]
"""Gives up to so many of the bytes that come next; none at the end."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some documents of a text, one after the other; or all of it.

    ``line`` and ``at`` count the lines and bytes before it. ``followed``: another document comes next.
    Where nothing in it ``matters``, it is known to be YAML, of so many ``documents``.
    """

    name: str
    data: bytes
    line: int = 0
    at: int = 0
    followed: bool = False
    matters: bool = True
    documents: int = 0

    @property
    def blank(self) -> bool:
        """The text ends with it and it holds nothing: blanks and byte order marks."""
        return not self.followed and not self.data.strip(b"\xef\xbb\xbf \t\r\n\v\f")

    def single(self) -> Iterator[Piece]:
        """Its documents one by one, as far as they can be told apart without reading them."""
        line, at = self.line, self.at
        every = list(_documents(self.data, _nothing))
        for n, data in enumerate(every, 1):
            yield Piece(self.name, data, line, at, self.followed or n < len(every))
            line += _line_breaks(data)
            at += len(data)

    def source(self, document: int = 0) -> Source:
        """Its text; ``document``: how many documents stand before it. Raises DecodeError."""
        _judge_size(len(self.data), "document")
        return Source(self.name, decoded(self.data, self.at), self.line, document, followed=self.followed)


def pieces(name: str, first: bytes, read: Read) -> Iterator[Piece]:
    """A text in its order, in pieces that are large enough to be worked on at once.

    ``first`` are its first bytes, and ``read`` gives those behind them. Documents are told apart later.
    """
    line = at = 0
    following = _documents(first, read, PART)
    data = next(following, b"")
    while data:
        after = next(following, b"")
        yield Piece(name, data, line, at, followed=bool(after))
        line += _line_breaks(data)
        at += len(data)
        data = after


def parts(whole: Piece, matters: Callable[[bytes], bool]) -> Iterator[Piece]:
    """A piece in parts of which each matters or does not. ``matters`` judges the bytes of a document."""
    line, at = whole.line, whole.at
    for data, documents, is_wanted, more in _runs(_documents(whole.data, _nothing), matters):
        followed = more or whole.followed
        wanted = is_wanted or not _is_yaml(data, followed)
        yield Piece(whole.name, data, line, at, followed, wanted, 0 if wanted else documents)
        line += _line_breaks(data)
        at += len(data)


def _nothing(_size: int) -> bytes:
    return b""


def _line_breaks(data: bytes) -> int:
    count = data.count(b"\n")
    return count + data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else count


def unread(name: str, first: bytes, read: Read) -> Iterator[Piece]:
    """A text of which nothing matters, cut anywhere between lines. Raises DecodeError."""
    rest, at = first, 0
    while True:
        _judge_size(len(rest), "line")
        block = read(max(BLOCK, len(rest)))
        cut = rest.rfind(b"\n") + 1 if block else len(rest)
        decoded(rest[:cut], at)
        yield Piece(name, rest[:cut], at=at, matters=False)
        rest = rest[cut:] + block
        at += cut
        if not block:
            return


def _is_yaml(data: bytes, followed: bool) -> bool:
    """libyaml accepts it. No Python object is made for it: an eighth of the time of its events."""
    try:
        EventParser(data + b"---\n" if followed else data).raw_parse()
    except (YAMLError, ValueError):
        return False
    return True


def _runs(
    documents: Iterator[bytes], matters: Callable[[bytes], bool]
) -> Iterator[tuple[bytes, int, bool, bool]]:
    """Neighbours that matter, or do not, together: their bytes, how many, which, what follows."""
    run: list[bytes] = []
    size = 0
    wanted = False
    for text in documents:
        needed = matters(text) or not _is_one(text) or _needs_reading(text)
        if run and (needed != wanted or size + len(text) > PIECE):
            yield b"".join(run), len(run), wanted, True
            run, size = [], 0
        wanted = needed
        run.append(text)
        size += len(text)
    if run:
        yield b"".join(run), len(run), wanted, False


def _needs_reading(text: bytes) -> bool:
    """Aliases, templates and deep nesting: what libyaml's grammar alone does not judge."""
    if b"*" in text or b"{{" in text or text.count(b"{") + text.count(b"[") > _MANY:
        return True
    # in blocks each level takes a line or an indicator of its own
    levels = text.count(b"\n") + text.count(b"- ") + text.count(b"? ")
    return levels > _MANY and _DEEP.search(text) is not None


def _documents(first: bytes, read: Read, least: int = 0) -> Iterator[bytes]:
    """The text cut where it can be, into documents; or, from a size on, into several at once.

    What is cut so and then cut again is cut where it would have been at once: a cut depends on what
    stands since the marker before it, and on the beginning of the text.
    """
    rest, looked = first, 0
    block = first
    while block:
        cut = 0
        while match := _MARKER.search(rest, max(looked, cut + least)):
            looked = match.start() + 1
            if _may_end(rest, cut, looked):
                yield rest[cut:looked]
                cut = looked
        rest = rest[cut:]
        looked = max(0, len(rest) - len(b"\n---"))
        _judge_size(len(rest) - BLOCK - least, "document")
        block = read(max(BLOCK, len(rest)))  # more at a time where one document is large
        rest += block
    if rest:
        yield rest


def _judge_size(size: int, what: str) -> None:
    """What is held in memory at once is bounded. Raises DecodeError."""
    if size > limits.MAX_TEXT:
        raise DecodeError(f"a {what} of more than {limits.MAX_TEXT // 2**20} MiB; put its parts into several")


def _may_end(text: bytes, start: int, end: int) -> bool:
    """A document ends here: neither are these directives of the next, nor comments before the first."""
    # behind what may have been no end: all before that was looked at
    last = max(start, text.rfind(b"\n---", start, end - 1) + 1)
    if text.find(b"%", last, end) >= 0 and _DIRECTIVE.search(text, last, end) is not None:
        return False
    return text.startswith(b"---", start) or _NO_CONTENT.fullmatch(text, start, end) is None


def _is_one(text: bytes) -> bool:
    """It is one document, without directives."""
    if not text.startswith(b"---"):
        return False
    if text.find(b"---", 3) < 0 and b"..." not in text:
        return True
    return _MORE.search(text, 3) is None
