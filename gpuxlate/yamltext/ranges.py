"""Where the documents of a text are, and the items of a List: by its lines, before anything is parsed.

A line that begins with ``---`` and a blank ends a document, whatever is open in it (YAML 1.2.2, section
9.1.2; libyaml refuses it in a quoted scalar). So a document that does not matter to a reader need not be
parsed: blanks stand in its place, and all others keep their places and numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from gpuxlate.model.declarations import regex

_BREAKS = "\x85\u2028\u2029\ufeff"
"""Other line breaks of YAML 1.1, and a byte order mark inside."""
IsRelevant = Callable[[str], bool]
"""Whether the text of a document, or of an item of a List, matters to who reads it.

Where that of several documents together does not, none of them does.
"""
_AT_ONCE = 4
"""Documents that are asked about in one text: most do not matter."""
_LEADING = regex(r"(?:[ \t]*(?:#[^\n]*|\r)?\n)*(?:---(?=[ \t\r\n]|$))?")
"""What may be before the first document, and its marker."""
_BEHIND = r"""(?<! [^\s\[\]{},:?"'] . )"""
"""The character before may be the end of what is before a node."""
ANCHOR = regex(rf"[&*] {_BEHIND} [\w-]+ (?! [^\s?:,\]}}%@`] )", re.VERBOSE)
"""What may be an anchor or an alias."""
BANG = regex(rf"! {_BEHIND} (?: [\s,<] | $ )", re.VERBOSE)
"""What may be the tag ``!``, whichever way it is written."""
_LIST = regex(r"^kind:[ ]+[\"']?\w*List[\"']?[ ]*\r?$", re.MULTILINE)
_ITEMS = regex(r"^items:[ ]*\r?\n(?P<indent> *)-(?=[ \r\n])", re.MULTILINE)
_WORD = r"[\w./-]+"
_QUOTED = r"""(?: "(?:[^"\\\n]|\\[^\n])*" | '(?:[^'\n]|'')*' )"""
_OPEN = regex(
    rf"""^ (?=[^\n]*["']) (?! [ -]* (?: {_WORD} :[ ]+ )? {_QUOTED} [ ]* (?: ,[ ]* )? \r? $ )""",
    re.MULTILINE | re.VERBOSE,
)
"""A line in which a quoted scalar may begin that goes on in the next one: it has a quote, and is more than a
value in quotes behind its key."""


class TextRange(NamedTuple):
    """Characters ``start`` to ``end`` of a text; up to ``behind`` they say that a document or item begins."""

    start: int
    behind: int
    end: int


class Chunk(NamedTuple):
    """Whole documents of a text, one after the other: characters ``start`` to ``end``.

    ``first``: the number of the first document in the text; ``size``: how many there are.
    """

    start: int
    end: int
    first: int
    size: int


def has_plain_markers(text: str) -> bool:
    """The documents of a text are known by their markers alone."""
    ends = text.startswith(("%", "...")) or "\n%" in text or "\n..." in text
    breaks = ("\r" in text and text.count("\r") != text.count("\r\n")) or (
        not text.isascii() and any(line_break in text for line_break in _BREAKS)
    )
    return not (ends or breaks)


def document_ranges(text: str, start: int = 0) -> Iterator[TextRange]:
    """The documents of a text with plain markers; the first begins at ``start``, with a marker or not."""
    leading = _LEADING.match(text, start)
    behind = leading.end() if leading else start
    while start < len(text):
        end = _marker(text, behind)
        yield TextRange(start, behind, end)
        start, behind = end, end + 3


def _marker(text: str, start: int) -> int:
    """Where the next document begins, or the text ends."""
    while (at := text.find("\n---", start)) >= 0:
        if text[at + 4 : at + 5] in " \t\r\n":  # or nothing
            return at + 1
        start = at + 4
    return len(text)


def chunks(text: str, documents: Sequence[TextRange], max_chunks: int) -> Iterator[Chunk]:
    """The documents of a text in at most ``max_chunks`` chunks, of about the same size."""
    size = -(-len(text) // max_chunks)
    first = start = 0
    for number, document in enumerate(documents, 1):
        if document.end - start >= size or document.end == len(text):
            yield Chunk(start, document.end, first, number - first)
            first, start = number, document.end


class Excerpt:
    """What is parsed of a text: all but the documents and items that do not matter.

    ``text``: that alone. ``runs``: by where it begins in the whole text, how many documents one stands for:
    those that do not matter, one behind the other, are one, and none of them is document ``border``.
    """

    def __init__(self, text: str, is_relevant: IsRelevant, border: int) -> None:
        self.runs: dict[int, int] = {}
        self._kept: list[str] = []
        self._gaps: list[int] = []
        kept_to = run = run_end = 0
        for number, (start, behind, end) in _unread(text, is_relevant):
            gap_end = end - (text[end - 1] == "\n")
            if number is not None and start == run_end and number != border and self.runs:
                self.runs[run] += 1
                self._gaps[-1] += gap_end - kept_to
            else:
                self._kept.append(text[kept_to:behind])
                self._gaps.append(gap_end - behind)
                run = start
            if number is not None:
                self.runs.setdefault(run, 1)
                run_end = end
            kept_to = gap_end
        self._kept.append(text[kept_to:])
        self.text = "".join(self._kept) if self._gaps else text

    def in_place(self, text: str) -> str:
        """The text, or another one as long, with blanks in each gap: all keeps the place that it had."""
        if not self._gaps:
            return text
        pieces: list[str] = []
        at = 0
        for kept, gap in zip(self._kept, self._gaps, strict=False):
            pieces += (text[at : at + len(kept)], " " * gap)  # libyaml skips them faster than a comment
            at += len(kept)
        return "".join((*pieces, text[at:]))


def irrelevant_texts(text: str, is_relevant: IsRelevant) -> frozenset[str]:
    """The texts of the documents and items that do not matter, without the line breaks at their ends."""
    return frozenset(text[start:end].rstrip("\r\n") for _, (start, _, end) in _unread(text, is_relevant))


def _unread(text: str, is_relevant: IsRelevant) -> Iterator[tuple[int | None, TextRange]]:
    """The documents that do not matter, by number, and the items, which have none."""
    documents = enumerate(document_ranges(text) if has_plain_markers(text) else ())
    while group := tuple(islice(documents, _AT_ONCE)):
        matters = is_relevant(text[group[0][1].start : group[-1][1].end])
        for number, document in group:
            start, behind, end = document
            if end - behind < 2:
                continue
            if not (matters and is_relevant(text[start:end])):
                # without a marker of its own, that of the next one would be the first
                if text.endswith("---", start, behind):
                    yield number, document
                continue
            for item in _items(text, start, end):
                piece = text[item.start : item.end]
                if not (_OPEN.search(piece) or is_relevant(piece)):
                    yield None, item


def _items(text: str, start: int, end: int) -> Iterator[TextRange]:
    """The items of a List in block style, where none of them needs another one."""
    listed = text.find("List", start, end) >= 0 and _LIST.search(text, start, end)
    first = _ITEMS.search(text, start, end) if listed else None
    if first is None or ANCHOR.search(text, start, end):
        return
    column = len(first["indent"])
    begins, stops = _item_lines(column)
    last = stops.search(text, first.end(), end)
    end = last.start() if last else end
    at = first.start("indent")
    while at < end:
        match = begins.search(text, at + 1, end)
        behind, following = at + column + 1, match.start() if match else end
        if following - behind > 1:
            yield TextRange(at, behind, following)
        at = following


@lru_cache(maxsize=8)
def _item_lines(column: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """How an item begins at a column, and what ends all of them."""
    begins = re.compile(rf"^ {{{column}}}-(?=[ \r\n])", re.MULTILINE)
    less = rf" {{0,{column - 1}}}(?=[^ #\r\n])|" if column else ""
    stops = re.compile(rf"^(?:{less} {{{column}}}(?=[^ #\r\n])(?!-[ \r\n]))", re.MULTILINE)
    return begins, stops
