"""Suppressing findings: by a comment, by an annotation, by the configuration; and GX009 for the unused.

A comment ``# gpuxlate: ignore[TKE002] reason`` counts for its line; alone on a line, for the next line
that is not a comment; at the first line of a string, for all of its text. The annotation
``gpuxlate.io/ignore: "TKE002 reason"`` counts for its object, or for its pod template.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from gpuxlate.backends import registry
from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pods import Pod
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Diagnostic, ObjectRef, Path, Severity, Span, prefixes
from gpuxlate.rules import catalog
from gpuxlate.rules.key_index import IGNORE
from gpuxlate.rules.source import ignore_matches
from gpuxlate.yamltext.nodes import get_text
from gpuxlate.yamltext.parse import Document, with_location
from gpuxlate.yamltext.source import Source

COMMENT = regex(r"(?<!\S)(?:#|--)[ \t]*gpuxlate:[ \t]*ignore\b(?:\[(?P<codes>[^\]\r\n]*)\])?")
_CODE = regex(r"[A-Z][A-Z0-9]*[0-9]{3}")
_WORD = regex(r"[^\s,;:]+")
UNUSED = "GX009"


@dataclass(slots=True)
class Ignore:
    """One ignore: the codes it names, what it covers, and which of them matched.

    ``unused``: the finding about it, without a message. A comment covers ``lines``; an annotation everything
    ``below`` a path of one document.
    """

    codes: tuple[str, ...]
    unused: Diagnostic
    lines: tuple[int, ...] = ()
    below: tuple[int, Path] | None = None
    used: set[str] = field(default_factory=set)

    def as_unused(self, code: str) -> Diagnostic:
        """The finding that one of its codes matches nothing."""
        if not code:
            hint = "write the codes in brackets: ignore[GX007] and a reason"
            return replace(self.unused, message="this ignore names no rule", hint=hint)
        is_rule = catalog.find_rule(code, registry.all_backends()) is not None
        near = None if is_rule else catalog.nearest_code(code, registry.all_backends())
        message, hint = ignore_matches(code, near)
        # the finding of a patch's annotation may be in the object that it patches
        return replace(self.unused, message=message, hint=hint, missing=is_rule and self.below is not None)


COMMENTS = "gpuxlate:"
"""What every comment that ignores has in it."""


def ignores_in_text(source: Source) -> Iterator[Ignore]:
    """The comments of a source."""
    last = following = 0  # the line of the last comment, and the line that a comment alone covers
    for match in COMMENT.finditer(source.text):
        line, column = source.position(match.start())
        lines = [line]
        if line != last and not source.text[match.start() - column + 1 : match.start()].strip():
            if line >= following:  # comments in a row cover the same line
                following = _next_line(source, line)
            lines.append(following)
        last = line
        names = tuple(word.upper() for word in _WORD.findall(match["codes"] or ""))
        yield _comment(source, names or ("",), lines, source.span(*match.span()))


def _next_line(source: Source, line: int) -> int:
    """The line that a comment alone on its line covers: other comments may be between."""
    line += 1
    while source.line_text(line).lstrip().startswith(("#", "-- ")):
        line += 1
    return line


def _comment(source: Source, codes: tuple[str, ...], lines: Sequence[int], span: Span) -> Ignore:
    unused = Diagnostic(UNUSED, Severity.WARNING, "", file=source.name, span=span)
    return Ignore(codes, unused, lines=tuple(lines))


def ignores_in_document(document: Document, pods: Sequence[Pod]) -> Iterator[Ignore]:
    """The annotations of a document: on its objects, and on its pod templates."""
    if not document.holds(IGNORE):
        return
    by_path: dict[Path, Ignore] = {}
    for ref, path, node in objects_in(document):
        text = get_text(node, "metadata", "annotations", IGNORE)
        if text is not None:
            place = (*path, "metadata", "annotations", IGNORE)
            by_path[place] = _annotation(document, place, text, path, ref)
    for pod in pods:
        value = pod.keys.annotations.get(IGNORE)
        if value and value.path not in by_path:
            below = _common(pod.keys.path, pod.keys.metadata_path)
            by_path[value.path] = _annotation(document, value.path, value.text, below, pod.object)
    yield from by_path.values()


def _common(path: Path, other: Path) -> Path:
    """The common beginning of two paths: of ``spec`` and ``metadata``, the path of the pod template."""
    length = next((n for n, (a, b) in enumerate(zip(path, other, strict=False)) if a != b), None)
    return path[: min(len(path), len(other)) if length is None else length]


def _annotation(document: Document, path: Path, text: str, below: Path, ref: ObjectRef) -> Ignore:
    unused = with_location(document, Diagnostic(UNUSED, Severity.WARNING, "", path=path), ref)
    return Ignore(_codes_first(text), unused, below=(document.index, below))


def _codes_first(text: str) -> tuple[str, ...]:
    """The codes at the beginning of an annotation; the rest is the reason."""
    words = [word.upper() for word in _WORD.findall(text)]
    codes = tuple(itertools.takewhile(_CODE.fullmatch, words))
    return codes or tuple(words[:1]) or ("",)


def without_ignored(
    findings: Iterable[Diagnostic], ignores: Sequence[Ignore], selected: Callable[[str], bool]
) -> tuple[list[Diagnostic], int]:
    """The findings left, with GX009 for ignores that match nothing; and how many were suppressed."""
    not_ignored: list[Diagnostic] = []
    gone = 0
    index = _IgnoreIndex(ignores)
    for finding in findings:
        hits = index.hits(finding)
        for ignore in hits:
            ignore.used.add(finding.code)
        if hits:
            gone += 1
        else:
            not_ignored.append(finding)
    if selected(UNUSED):
        not_ignored.extend(
            ignore.as_unused(code)
            for ignore in ignores
            for code in ignore.codes
            if _is_unused(ignore, code, selected)
        )
    return not_ignored, gone


class _IgnoreIndex:
    """Ignores by the lines and paths that they cover, so that a look-up does not try every ignore."""

    def __init__(self, ignores: Iterable[Ignore]) -> None:
        self._by_line: dict[tuple[str, int], list[Ignore]] = defaultdict(list)
        self._by_path: dict[tuple[str, int, Path], list[Ignore]] = defaultdict(list)
        for ignore in ignores:
            for code in dict.fromkeys(ignore.codes):
                for line in dict.fromkeys(ignore.lines):
                    self._by_line[code, line].append(ignore)
                if ignore.below is not None:
                    self._by_path[code, *ignore.below].append(ignore)

    def hits(self, finding: Diagnostic) -> list[Ignore]:
        """The ignores of a finding."""
        ignores: list[Ignore] = []
        if self._by_line and finding.span is not None:
            for line in {finding.span.line, finding.text_line or finding.span.line}:
                ignores += self._by_line.get((finding.code, line), ())
        if self._by_path and finding.document is not None:
            for path in prefixes(finding.path):
                ignores += self._by_path.get((finding.code, finding.document, path), ())
        return ignores


def _is_unused(ignore: Ignore, code: str, selected: Callable[[str], bool]) -> bool:
    if code in ignore.used:
        return False
    # a rule that is not selected finds nothing: its ignore may still be needed
    return selected(code) or catalog.find_rule(code, registry.all_backends()) is None
