"""Apply the fixes of findings as edits, in rounds, each checked."""

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
"""Maximum number of rounds: fixes of one place are applied in different rounds."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A source with its fixes applied, how many there were, and the findings left."""

    source: Source
    fixes: int
    linted: Linted

    @property
    def text(self) -> str:
        return self.source.text


def fix_source(source: Source, settings: LintSettings, *, unsafe: bool) -> Fixed:
    """Apply every fix that can be applied, in rounds, until none is left. Each edit is checked."""
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
        pass  # the text before the syntax error is fixed; the error is reported
    return made, count
