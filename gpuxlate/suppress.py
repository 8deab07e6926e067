"""Suppressing findings: by a comment, by an annotation, by the configuration; and GX009 for the unused.

A comment ``# gpuxlate: ignore[TKE002] reason`` counts for its line; alone on a line, for the next.
The annotation ``gpuxlate.io/ignore: "TKE002"`` counts for its object, or for its pod template.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gpuxlate.claims import Path
from gpuxlate.diagnostics import Diagnostic, ObjectRef, Severity
from gpuxlate.manifest.compose import Document
from gpuxlate.manifest.nodes import get_text
from gpuxlate.manifest.place import placed, placed_at_index
from gpuxlate.manifest.pods import Pod, objects_in
from gpuxlate.manifest.source import Source
from gpuxlate.rules.source import ignore_matches
from gpuxlate.rules.vocabulary import IGNORE

_COMMENT = re.compile(r"#[ \t]*gpuxlate:[ \t]*ignore\[(?P<codes>[^\]\r\n]*)\]")
_CODE = re.compile(r"[A-Z][A-Z0-9]*[0-9]{3}")
UNUSED = "GX009"


@dataclass(slots=True)
class Ignore:
    """One ignore: the codes it names, what it covers, and which of them matched."""

    codes: tuple[str, ...]
    covers: Callable[[Diagnostic], bool]
    unused: Callable[[str], Diagnostic]
    used: set[str] = field(default_factory=set)


def ignores_in_text(source: Source) -> Iterator[Ignore]:
    """The comments of a source."""
    if "gpuxlate:" not in source.text:
        return
    for match in _COMMENT.finditer(source.text):
        line, column = source.position(match.start())
        alone = not source.line_text(line)[: column - 1].strip()
        lines = (line, line + 1) if alone else (line,)
        yield _comment(source, tuple(_CODE.findall(match["codes"])), lines, match.start())


def _comment(source: Source, codes: tuple[str, ...], lines: tuple[int, ...], index: int) -> Ignore:
    return Ignore(
        codes,
        lambda one: one.span is not None and one.span.line in lines,
        lambda code: placed_at_index(source, _unused(code), index),
    )


def ignores_in_document(document: Document, pods: Sequence[Pod]) -> Iterator[Ignore]:
    """The annotations of a document: on its objects, and on its pod templates."""
    if IGNORE not in document.text:
        return
    for ref, path, node in objects_in(document):
        text = get_text(node, "metadata", "annotations", IGNORE)
        if text:
            yield _annotation(document, (*path, "metadata", "annotations", IGNORE), text, path, ref)
    for pod in pods:
        value = pod.claims.annotations.get(IGNORE)
        if value and pod.claims.metadata_path[:-1] != pod.object_path:
            yield _annotation(document, value.path, value.text, pod.claims.metadata_path[:-1], pod.object)


def _annotation(document: Document, path: Path, text: str, below: Path, ref: ObjectRef) -> Ignore:
    def covers(one: Diagnostic) -> bool:
        return one.document == document.index and one.path[: len(below)] == below

    def unused(code: str) -> Diagnostic:
        found = _unused(code).located(path=path)
        return placed(document, found, ref)

    return Ignore(tuple(_CODE.findall(text)), covers, unused)


def _unused(code: str) -> Diagnostic:
    message, hint = ignore_matches(code)
    return Diagnostic(UNUSED, Severity.WARNING, message, hint)


def suppress(
    found: Iterable[Diagnostic], ignores: Sequence[Ignore], selected: Callable[[str], bool]
) -> tuple[list[Diagnostic], int]:
    """What is left of the findings, with GX009 for ignores that match nothing; and how many went."""
    left: list[Diagnostic] = []
    gone = 0
    for one in found:
        hits = [ignore for ignore in ignores if one.code in ignore.codes and ignore.covers(one)]
        for ignore in hits:
            ignore.used.add(one.code)
        if hits:
            gone += 1
        else:
            left.append(one)
    # a rule that is switched off finds nothing: its ignore cannot be judged
    judged = [(i, code) for i in ignores for code in i.codes if selected(code) and selected(UNUSED)]
    left.extend(ignore.unused(code) for ignore, code in judged if code not in ignore.used)
    return left, gone
