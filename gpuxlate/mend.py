"""Mending sources: the fixes of findings as edits, in rounds, each checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpuxlate.claims import Edit, Path
from gpuxlate.diagnostics import Diagnostic
from gpuxlate.lint import Linted, LintSettings, lint_source
from gpuxlate.manifest.compose import Document, NotYamlError, documents
from gpuxlate.manifest.source import Source

if TYPE_CHECKING:
    from gpuxlate.manifest.edit import Splice

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
    from gpuxlate.manifest.edit import apply  # not loaded by runs that mend nothing

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
    try:
        for document in documents(source):
            mine, fixes = _edit(document, by_document.get(document.index, []))
            made.extend(mine)
            count += fixes
    except NotYamlError:
        pass  # what stands before the break was mended; the break itself is reported
    return made, count


def _edit(document: Document, wanted: Sequence[Diagnostic]) -> tuple[list[Splice], int]:
    """As many fixes as go together; the others wait for the next round."""
    from gpuxlate.manifest.edit import EditError, edit_document

    apart: list[Sequence[Edit]] = []
    taken: dict[Path, list[Edit]] = {}
    count = 0
    for one in wanted:
        assert one.fix is not None
        fresh = [edit for edit in one.fix.edits if edit not in taken.get(edit.path, ())]
        if not fresh:
            count += 1
        elif not any(edit.path in taken for edit in one.fix.edits):
            apart.append(fresh)
            for edit in fresh:
                taken.setdefault(edit.path, []).append(edit)
    try:  # nearly always they go together: one plan, and one look at the result
        return edit_document(document, [edit for group in apart for edit in group]), count + len(apart)
    except EditError:
        pass
    made: list[Splice] = []
    together: list[Edit] = []
    for group in apart:
        try:
            made = edit_document(document, [*together, *group])
        except EditError:
            continue
        together.extend(group)
        count += 1
    return made, count


def fix_splices(document: Document, diagnostic: Diagnostic) -> list[Splice]:
    """The text changes of one fix alone, for formats that show fixes. Empty where it cannot be made."""
    if diagnostic.fix is None:
        return []
    from gpuxlate.manifest.edit import EditError, edit_document

    try:
        return edit_document(document, diagnostic.fix.edits)
    except EditError:
        return []
