"""The fixes of one document that can be applied together; each attempt reads the whole result again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuxlate.lint.halves import refused_alone
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic, Edit, FindingSubject, Path
from gpuxlate.yamltext.edit import edit_document, plan_splices
from gpuxlate.yamltext.parse import Document
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.splices import Splice

MAX_TURNS = 10
"""Attempts for fixes of the same place, which are applied one after the other."""


class Batch:
    """The findings of a document whose fixes are ``taken``, and the ``splices`` that apply the fixes."""

    def __init__(self, document: Document, allowed: limits.Allowance) -> None:
        self._document = document
        self._allowed = allowed
        self._edits: list[Edit] = []
        self._at: dict[Path, list[Edit]] = {}
        self.splices: list[Splice] = []
        self.taken: list[Diagnostic] = []

    def add(self, findings: Sequence[Diagnostic]) -> None:
        """Take those fixes, in their order, that can be applied together with the taken ones."""
        refused_alone(findings, self._take)

    def _take(self, findings: Sequence[Diagnostic]) -> bool:
        """Take all of these fixes but those that overlap; none if they cannot be applied together."""
        fixed, edits = self._without_overlaps(findings)
        if edits:
            if not self._allowed.spend(self._document.end - self._document.start):
                return False
            try:
                self.splices = edit_document(self._document, [*self._edits, *edits])
            except EditError:
                return False
        for edit in edits:
            self._at.setdefault(edit.path, []).append(edit)
        self._edits += edits
        self.taken += fixed
        return True

    def _without_overlaps(self, findings: Sequence[Diagnostic]) -> tuple[list[Diagnostic], list[Edit]]:
        """The findings whose fixes change no path that others change too, and their edits that are new."""
        fixed: list[Diagnostic] = []
        fresh: list[Edit] = []
        fresh_at: dict[Path, list[Edit]] = {}
        for finding in findings:
            assert finding.fix is not None
            edits = [
                edit
                for edit in finding.fix.edits
                if edit not in (*self._at.get(edit.path, ()), *fresh_at.get(edit.path, ()))
            ]
            if edits and any(edit.path in self._at or edit.path in fresh_at for edit in finding.fix.edits):
                continue
            for edit in edits:
                fresh_at.setdefault(edit.path, []).append(edit)
            fixed.append(finding)
            fresh += edits
        return fixed, fresh


def each_alone(document: Document, findings: Iterable[Diagnostic]) -> dict[FindingSubject, list[Splice]]:
    """The text changes of each fix on its own, by its finding; only fixes that can be applied."""
    changes: dict[FindingSubject, list[Splice]] = {}
    fixable = [finding for finding in findings if finding.fix is not None]
    allowed = limits.Allowance(document.end - document.start)
    for _ in range(MAX_TURNS):
        batch = Batch(document, allowed)
        batch.add(fixable)
        for finding in batch.taken:
            # a plan looks up what aliases share, each time
            if finding.fix is not None and (len(changes) < limits.MAX_TRIES or not document.aliases):
                changes[finding.subject] = plan_splices(document, finding.fix.edits)
        taken = {finding.subject for finding in batch.taken}
        fixable = [finding for finding in fixable if finding.subject not in taken]
        if not fixable or not taken:
            break
    return changes
