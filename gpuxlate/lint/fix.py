"""Mending sources: the fixes of findings as edits, in rounds, each checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpuxlate.lint.check import Linted, LintSettings, lint_source
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.source import Source

if TYPE_CHECKING:
    from gpuxlate.yamltext.edit import Splice

MAX_ROUNDS = 10
"""Fixes of one place can wait for each other; more rounds than this do not happen."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A source after its fixes: with the new text, how many fixes were made, what is left."""

    source: Source
    fixes: int
    linted: Linted

    @property
    def text(self) -> str:
        return self.source.text


def fix_source(source: Source, settings: LintSettings, *, unsafe: bool) -> Fixed:
    """Make every fix that can be made, in rounds, until none is left. Each edit is checked."""
    from gpuxlate.yamltext.edit import apply

    linted = lint_source(source, settings)
    made = 0
    for _ in range(MAX_ROUNDS):
        wanted = [one for one in linted.diagnostics if one.fix and (one.fix.safe or unsafe)]
        splices, count = _splices(source, wanted)
        if not count:
            break
        made += count
        source = source.changed(apply(source.text, splices))
        linted = lint_source(source, settings)
    return Fixed(source, made, linted)


def _splices(source: Source, wanted: Sequence[Diagnostic]) -> tuple[list[Splice], int]:
    by_document: dict[int, list[Diagnostic]] = {}
    for one in wanted:
        by_document.setdefault(one.document or 0, []).append(one)
    made: list[Splice] = []
    count = 0
    if not by_document:
        return made, count
    from gpuxlate.lint.batch import Batch

    try:
        for document in documents(source):
            batch = Batch(document)
            batch.add(by_document.get(document.index, []))
            made.extend(batch.made)
            count += len(batch.taken)
    except NotYamlError:
        pass  # what stands before the break was mended; the break itself is reported
    return made, count
