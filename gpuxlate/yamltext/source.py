"""The text of one input, and the lines and columns of its characters."""

from __future__ import annotations

import codecs
import re
from array import array
from bisect import bisect_left
from collections import defaultdict
from functools import cache, cached_property, partial
from itertools import islice
from typing import TypeAlias

from gpuxlate.model import limits
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Span
from gpuxlate.model.errors import UserError
from gpuxlate.model.messages import msg
from gpuxlate.yamltext.ranges import Chunk, Excerpt, IsRelevant, irrelevant_texts

BOM = "\ufeff"
BLOCK = 1024
"""Characters of which the lines are counted when a position is asked for."""
ESCAPES = (
    # of the letters of a word; any other stands between two words
    *("\\x", "\\u00", "\\U000000", "\\/"),
    # of a line break: there is no character in its place
    *("\\\n", "\\\r", "\\\x85", "\\\u2028", "\\\u2029"),
)
"""What hides a word from a search for its letters: how escapes of YAML begin, in double quotes."""
_BEGINNING = 5
"""Letters that few words have in common by chance."""
LINE_BREAK = regex(r"\r\n|\n|\r")
_FOREIGN_TAG = regex(
    r"^[ \t]*(?=\{\{.*\}\}[ \t]*$|\{[%#].*[%#]\}[ \t]*$)(\{[%#]|\{\{(?:[#>^!]|/(?!\*)))", re.MULTILINE
)
"""The beginning of a line with nothing but a tag that Jinja or Handlebars have, and Helm has not: ``{{/*`` is
Helm's comment."""


class DecodeError(UserError, ValueError):
    """The bytes are not UTF-8 text. The message says where."""


def decode(data: bytes) -> str:
    """Raises DecodeError."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = "byte {start} (0x{data:02x}) is not UTF-8; save the file as UTF-8"
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            text = "byte {start} (0x{data:02x}) is not UTF-8, it begins UTF-16; save the file as UTF-8"
        raise DecodeError(msg(text, start=error.start, data=data[error.start])) from None


Words: TypeAlias = tuple[str, ...] | frozenset[str]


class WordSearch:
    """The words that a text has. Each word is searched for once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._is_held: dict[str, bool] = {}
        self._held: dict[Words, tuple[str, ...]] = {}
        self._signs: dict[Words, tuple[str, ...]] = {}

    def holds(self, *words: str) -> bool:
        """Whether the text has one of the words."""
        is_held = self._is_held
        for word in words:
            if word not in is_held:
                is_held[word] = word in self._text
            if is_held[word]:
                return True
        return False

    def may_hold(self, *words: str) -> bool:
        """Whether the text has one of the words, or what may hide one."""
        return bool(self.signs(words))

    def signs(self, words: Words) -> tuple[str, ...]:
        """The words that the text has, and its escapes that may hide a word."""
        try:
            return self._signs[words]
        except KeyError:
            hiding = self.held(ESCAPES) if self.holds("\\") else ()
            return self._signs.setdefault(words, (*self.held(words), *hiding))

    def held(self, words: Words) -> tuple[str, ...]:
        """Those of some words that the text has."""
        if words not in self._held:
            alike = [group for beginning, group in _by_beginning(words).items() if self.holds(beginning)]
            self._held[words] = tuple(word for group in alike for word in group if self.holds(word))
        return self._held[words]


@cache
def _by_beginning(words: Words) -> dict[str, list[str]]:
    """Some words by what they begin with: most texts have not even that."""
    groups: dict[str, list[str]] = defaultdict(list)
    for word in words:
        groups[word[: _BEGINNING if word[0].isalnum() else 1]].append(word)
    return groups


class Source:
    """Decoded text without its byte order mark; ``name`` is its name in diagnostics.

    ``is_relevant``: whether the text of a document, or of an item of a List, matters to who reads it; one
    that does not is not parsed. None: all are.
    """

    def __init__(self, name: str, text: str, is_relevant: IsRelevant | None = None) -> None:
        self.name = name
        self.is_relevant = is_relevant
        self.text = text.lstrip(BOM)  # libyaml skips it without counting
        self.bom = text[: len(text) - len(self.text)]
        self._last = (0, "")  # a line, and its text
        self.words = WordSearch(self.text)

    @classmethod
    def from_bytes(cls, name: str, data: bytes) -> Source:
        """Raises DecodeError."""
        return cls(name, decode(data))

    def holds(self, *words: str) -> bool:
        """Whether the text has one of the words."""
        return self.words.holds(*words)

    def may_hold(self, *words: str) -> bool:
        """Whether the text has one of the words, or what may hide one."""
        return self.words.may_hold(*words)

    @cached_property
    def foreign_tag(self) -> str:
        """How the first tag begins that only templates of Jinja or Handlebars have; empty without one."""
        match = _FOREIGN_TAG.search(self.text)
        return match[1] if match else ""

    def changed(self, text: str) -> Source:
        """The same source with another text, without its byte order mark.

        All of it is parsed but what was not in this one.
        """
        if self.is_relevant is None:
            return Source(self.name, self.bom + text)
        as_before = irrelevant_texts(self.text, self.is_relevant)
        return Source(self.name, self.bom + text, partial(_is_new, as_before))

    def read_where(self, is_relevant: IsRelevant) -> Source:
        """The same source, of which only the documents and items that matter are parsed."""
        return Source(self.name, self.bom + self.text, is_relevant)

    @property
    def whole(self) -> Chunk:
        """All of its documents; how many these are is not known."""
        return Chunk(0, len(self.text), 0, 0)

    def excerpt(self, chunk: Chunk) -> Excerpt | None:
        """What is parsed of the documents of a chunk; None: all of them."""
        if self.is_relevant is None:
            return None
        text = self.text[chunk.start : chunk.end]
        return Excerpt(text, self.is_relevant, limits.MAX_DOCUMENTS - chunk.first)

    def encode(self, text: str) -> bytes:
        """The bytes of a new text of this file, with its byte order mark if it had one."""
        return (self.bom + text).encode("utf-8")

    @cached_property
    def _blocks(self) -> tuple[array[int], array[int]]:
        """Where each block of characters begins: the number of its line, and where that line begins.

        Not where each line begins: a text may be nothing but line breaks.
        """
        numbers, starts = array("I", [1]), array("I", [0])
        for end in range(BLOCK, len(self.text), BLOCK):
            begun = self._begun(end - BLOCK, end)
            numbers.append(numbers[-1] + begun)
            starts.append(self._last_start(end - BLOCK, end) if begun else starts[-1])
        return numbers, starts

    def _begun(self, start: int, end: int) -> int:
        """The number of lines that begin after ``start``, up to ``end``."""
        count = self.text.count
        returns = count("\r", start, end)
        return count("\n", start, end) + (returns and returns - count("\r\n", start, end + 1))

    def _last_start(self, start: int, end: int) -> int:
        """Where the last of them begins."""
        rfind = self.text.rfind
        before = end - 1 if self.text.startswith("\r\n", end - 1) else end
        return max(rfind("\n", start, end), rfind("\r", start, before)) + 1

    def newline(self, index: int = 0) -> str:
        """The line break of a character's line, or of the line before where that is the last.

        Documents of one file may have different ones.
        """
        line = self.position(index)[0]
        end = self.line_start(min(line + 1, self.lines))
        return "\r\n" if self.text[end - 2 : end] == "\r\n" else self.text[end - 1 : end] or "\n"

    def position(self, index: int) -> tuple[int, int]:
        """Line and column of a character, both from 1."""
        numbers, starts = self._blocks
        block = min(index // BLOCK, len(numbers) - 1)
        begun = self._begun(block * BLOCK, index)
        start = self._last_start(block * BLOCK, index) if begun else starts[block]
        return numbers[block] + begun, index - start + 1

    def span(self, start: int, end: int) -> Span:
        """The span of the characters from ``start`` up to ``end``."""
        line, column = self.position(start)
        end_line, end_column = self.position(max(start, end))
        return Span(line, column, end_line, end_column)

    @property
    def lines(self) -> int:
        """How many lines the text has, an empty last one included."""
        return self.position(len(self.text))[0]

    def line_start(self, line: int) -> int:
        """Where a line of the text (from 1) begins."""
        numbers, _ = self._blocks
        block = bisect_left(numbers, line) - 1
        if block < 0:
            return 0
        ends = LINE_BREAK.finditer(self.text, block * BLOCK)
        return next(islice(ends, line - numbers[block] - 1, None)).end()

    def line_text(self, line: int) -> str:
        """The text of a line (from 1) without its line break; empty where there is none."""
        if line != self._last[0]:  # findings come line by line, and one line may be all of the text
            self._last = (line, self._line_text(line))
        return self._last[1]

    def _line_text(self, line: int) -> str:
        if not 1 <= line <= self.lines:
            return ""
        start = self.line_start(line)
        end = LINE_BREAK.search(self.text, start)
        return self.text[start : end.start() if end else None]


def _is_new(as_before: frozenset[str], part: str) -> bool:
    return part.rstrip("\r\n") not in as_before


class Texts:
    """The texts that findings are in, by name."""

    def __init__(self, *sources: Source) -> None:
        self._sources = {source.name: source for source in sources}

    def add(self, source: Source) -> None:
        """Add a text, or replace the one of its name."""
        self._sources[source.name] = source

    def get(self, name: str) -> Source | None:
        """The text of a name; None where there is none."""
        return self._sources.get(name)

    def line(self, name: str, line: int) -> str | None:
        """One line (from 1) without its line break, None where it is not known."""
        source = self._sources.get(name)
        return source.line_text(line) if source is not None and 1 <= line <= source.lines else None


# Characters that JSON allows and libyaml refuses: for reading, others replace them.
# A replacement has as many characters, so that positions stay the same, and is replaced back in the values
# that were read. The characters are:
# - two escapes of surrogates, in which JSON writes a character beyond 16 bits, in any text;
# - DEL, controls beyond it, U+FFFE and U+FFFF as themselves, in a document that begins like JSON. RFC
#   8259, section 7, allows them in strings; so does YAML 1.2, in quotes (production 2, nb-json).
_PAIR = r"\\\\|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
"""A backslash may be escaped: then no escape begins at the second one."""
_UNREADABLE = "[\x7f-\x84\x86-\x9f\ufffe\uffff]"
_IN_JSON = f"{_PAIR}|({_UNREADABLE})"
_IN_YAML = f"{_PAIR}|((?!))"
_LIKE_JSON = r"(?:---)?\s*[\[{]"
_DOCUMENTS = r"(?m)^(?=---\s)"
"""Where documents begin."""
_NO_CHARACTERS = range(0xFDD0, 0xFDF0)
"""Code points that are not characters in any text (Unicode, section 23.7)."""
_REPLACEMENT = 0xFFFD
"""The replacement where a text has all of those; it is not replaced back."""


class CharacterSubstitution:
    """``text`` is what libyaml reads in place of the text given; ``used`` says whether it differs."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.used = False
        plain = "\x7f" not in text and (text.isascii() or re.search(_UNREADABLE, text) is None)
        if plain and "\\ud" not in text and "\\uD" not in text:
            return
        lower = text.lower()
        unused = (n for n in _NO_CHARACTERS if chr(n) not in text and f"\\u{n:04x}" not in lower)
        code = next(unused, _REPLACEMENT)
        self._letter, self._escape = chr(code), f"\\u{code:04x}"
        self.text = "".join(
            re.sub(_IN_JSON if re.match(_LIKE_JSON, part) else _IN_YAML, self._stand_in, part)
            for part in re.split(_DOCUMENTS, text)
        )
        self.used = code != _REPLACEMENT and self.text != text

    def _stand_in(self, match: re.Match[str]) -> str:
        if match[1]:
            return self._escape * 2
        return self._letter if match[3] else match[0]

    def restored(self, value: str, written: str, quote: str | None) -> str:
        """The value of a scalar that is ``written`` so, with its own characters."""
        parts: list[str] = []
        end = len(value)
        # from the end, since earlier matches may be in a comment after the tag
        for match in reversed(list(re.finditer(_IN_JSON, written))):
            if not (match[1] or match[3]):
                continue
            escaped = match[1] and quote == '"'
            inside = self._letter * 2 if escaped else self._stand_in(match)
            at = value.rfind(inside, 0, end)
            if at < 0:
                break
            character = bytes.fromhex(match[1] + match[2]).decode("utf-16-be") if escaped else match[0]
            parts += [value[at + len(inside) : end], character]
            end = at
        return value[:end] + "".join(reversed(parts))
