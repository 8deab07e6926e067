"""Patches that are written inside a kustomization: texts in strings, read and changed in place.

    kustomization ── patches[].patch: |- ──> a source of its own ── findings, splices ──> the same lines

A finding about a character of the text is at the character of the kustomization that stands for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Diagnostic, Path, Span
from gpuxlate.model.messages import msg
from gpuxlate.overlays.kustomization import PATCH_FIELDS
from gpuxlate.yamltext.nodes import Node, Scalar, deref, get
from gpuxlate.yamltext.nodes import Sequence as List
from gpuxlate.yamltext.parse import Document, documents
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Splice, apply
from gpuxlate.yamltext.style import quoted

_ESCAPE = regex(r"\\(?:x..|u....|U........|.)|.", re.DOTALL)
_ESCAPES = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
"""What YAML writes behind a backslash for one character; others stand for themselves."""


def is_text(node: Node | None) -> bool:
    """Whether an entry of ``patchesStrategicMerge`` is a patch itself, and not the name of a file."""
    return isinstance(node, Scalar) and ("\n" in node.text or node.text[:1] == "{")


@dataclass(frozen=True)
class InlinePatch:
    """A patch in a kustomization. ``host``: the document of the kustomization; ``value``: the string in it,
    at ``path``.

    ``shared``: several entries have the string, by an anchor.
    """

    host: Document
    path: Path
    value: Scalar
    shared: bool = False

    @cached_property
    def source(self) -> Source:
        """The text of the patch, under the name of its file."""
        return Source(self.host.source.name, self.value.text)

    def locate(self, finding: Diagnostic) -> Diagnostic:
        """A finding in the text of the patch, moved to its place in the kustomization."""
        span = None if finding.span is None else self.span(finding.span)
        return finding.located(document=self.host.index, span=span, fix=None)

    def span(self, span: Span) -> Span:
        """The characters of the kustomization that stand for some of the text; the beginning of the string
        where lines of it are folded."""
        host, places = self.host.source, self._places
        if places is None:
            return host.span(self.value.start, self.value.start)
        start = min(self._index(span.line, span.column), len(places) - 1)
        end = min(self._index(span.end_line, span.end_column), len(places) - 1)
        return host.span(places[start], places[end - 1] + 1 if end > start else places[start])

    def _index(self, line: int, column: int) -> int:
        return self.source.line_start(line) + column - 1

    # -- characters ------------------------------------------------------------------------------------

    @cached_property
    def _places(self) -> list[int] | None:
        """The place of each character of the text, and of its end, in the kustomization.

        None where lines are folded: a character of the text may be none, or several, of the kustomization.
        """
        text, style, end = self.host.source.text, self.value.style, self.value.end
        if style == "|":
            return self._places_in_lines()
        # an anchor or a tag may stand before it
        start = text.find(style, self.value.start) if style else end - len(self.value.text)
        written = text[start:end]
        match style:
            case '"':
                parts = [(match[0], match.start()) for match in _ESCAPE.finditer(written[1:-1])]
                read = [_unescaped(part) for part, _ in parts]
                places = [start + 1 + at for _, at in parts]
            case "'":
                parts = [(m[0], m.start()) for m in re.finditer("''|.", written[1:-1], re.DOTALL)]
                read, places = [part[0] for part, _ in parts], [start + 1 + at for _, at in parts]
            case None:
                read, places = list(written), list(range(start, end))
            case _:
                return None
        if "".join(read) != self.value.text or len(places) != len(self.value.text):
            return None
        return [*places, end - 1 if style else end]

    @cached_property
    def _lines(self) -> list[_LiteralLine] | None:
        """The lines of a literal in the kustomization; None where they do not read as they are written."""
        source = self.host.source
        first = source.position(self.value.start)[0] + 1
        lines = _lines_of(self.value.text)
        written = [source.line_text(first + number) for number in range(len(lines))]
        indent = next((len(raw) - len(line) for raw, line in zip(written, lines, strict=True) if line), 0)
        if any(line and raw != " " * indent + line for raw, line in zip(written, lines, strict=True)):
            return None
        starts = [source.line_start(first + number) for number in range(len(lines))]
        return [
            _LiteralLine(start, start + len(raw), min(indent, len(raw)))
            for start, raw in zip(starts, written, strict=True)
        ]

    def _places_in_lines(self) -> list[int] | None:
        if self._lines is None:
            return None
        places = [at for line in self._lines for at in range(line.start + line.indent, line.end + 1)]
        return places + [self._lines[-1].end] * (len(self.value.text) + 1 - len(places))

    # -- edits -----------------------------------------------------------------------------------------

    def changed(self, new: str, splices: Sequence[Splice]) -> list[Splice]:
        """The splices of the kustomization that make the text ``new``. Raises EditError.

        ``splices``: those that change the text of the patch to ``new``.
        """
        if self.shared:
            why = msg("several entries share the text by an anchor: write it out for each")
            raise EditError(why, self.path)
        if self._places is None:
            why = msg("its lines are folded: write the patch behind | in place of that string")
            raise EditError(why, self.path)
        new_splices = list(
            self._lines_changed(new) if self.value.style == "|" else self._requoted(new, splices)
        )
        text = apply(self.host.source.text, new_splices)
        new_documents = documents(self.host.source.changed(text))
        after = next((document for document in new_documents if document.index == self.host.index), None)
        read = get(after.root, *self.path) if after else None
        if not isinstance(read, Scalar) or read.text != new:
            raise EditError(msg("the text would read otherwise; nothing is written"), self.path)
        return new_splices

    def _requoted(self, new: str, splices: Sequence[Splice]) -> Iterator[Splice]:
        """The splices in a string on one line: new text is escaped for its quotes."""
        style, places = self.value.style, self._places or []
        if style != '"' and not new.isprintable():
            raise EditError(msg("it is on one line: write the patch behind | in its place"), self.path)
        for splice in splices:
            text = quoted(splice.text, style)[1:-1] if style else splice.text
            yield Splice(places[splice.start], places[splice.end], text)

    def _lines_changed(self, new: str) -> Iterator[Splice]:
        """The splices in a literal: changed lines as a whole, with its indentation; all others stay."""
        source, places = self.host.source, self._lines or []
        newline = source.newline(self.value.start)
        indent = " " * max(place.indent for place in places)
        before, after = _lines_of(self.value.text), _lines_of(new)
        for kind, first, last, begin, end in _unlike(before, after):
            if kind == "equal":
                continue
            lines = [indent + line if line else "" for line in after[begin:end]]
            if last < len(before):
                text = "".join(line + newline for line in lines)
                yield Splice(places[first].start, places[last].start, text)
            elif first:
                text = "".join(newline + line for line in lines)
                yield Splice(places[first - 1].end, places[last - 1].end, text)
            else:
                yield Splice(places[0].start, places[-1].end, newline.join(lines))


class _LiteralLine(NamedTuple):
    """A line of a literal: its characters in the kustomization, and its indentation."""

    start: int
    end: int
    indent: int


def _lines_of(text: str) -> list[str]:
    """The lines of a literal; the header of the literal says what ends the last one."""
    return text.rstrip("\n").split("\n")


_MOST_LINES = 1000
"""The most lines that are compared with all others; longer texts are replaced as a whole."""


def _unlike(before: Sequence[str], after: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """The changes of lines, as opcodes of ``SequenceMatcher``."""
    if max(len(before), len(after)) > _MOST_LINES:
        return [("replace", 0, len(before), 0, len(after))]
    from difflib import SequenceMatcher

    return SequenceMatcher(None, before, after, autojunk=False).get_opcodes()


def _unescaped(part: str) -> str:
    """The character that a part of a string in double quotes stands for; several where lines are folded."""
    if part[0] != "\\":
        return part if part not in "\r\n" else "  "
    if len(part) > 2:
        return chr(int(part[2:], 16))
    return "" if part[1] in "\r\n" else _ESCAPES.get(part[1], part[1])


def inline_patches(host: Document) -> list[InlinePatch]:
    """The patches that are written in a kustomization, in their order."""
    texts: list[tuple[Path, Scalar]] = []
    for field in PATCH_FIELDS:
        entries = get(host.root, field)
        for number, entry in enumerate(entries.items if isinstance(entries, List) else ()):
            node = deref(entry) if field == PATCH_FIELDS[1] else get(entry, "patch")
            path: Path = (field, number) if field == PATCH_FIELDS[1] else (field, number, "patch")
            if isinstance(node, Scalar) and (field != PATCH_FIELDS[1] or is_text(node)):
                texts.append((path, node))
    uses = Counter(node for _, node in texts)
    return [InlinePatch(host, path, node, uses[node] > 1) for path, node in texts]
