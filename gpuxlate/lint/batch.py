"""Apply several fixes at once: each attempt reads the whole result again, so there are as few as possible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.edits import Edit
from gpuxlate.model.pod import Path
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.edit import EditError, Splice, edit_document, planned

MAX_TURNS = 10
"""Attempts for fixes of the same place, which are applied one after the other."""


class Batch:
    """Fixes of one document that are applied together: the splices ``made`` apply those in ``taken``.

    A fix that touches the same path as another is not taken.
    """

    def __init__(self, document: Document, allowed: limits.Allowance) -> None:
        self._document = document
        self._allowed = allowed
        self._edits: list[Edit] = []
        self._at: dict[Path, list[Edit]] = {}
        self.made: list[Splice] = []
        self.taken: list[Diagnostic] = []

    def add(self, wanted: Sequence[Diagnostic]) -> None:
        """Take all fixes that can be applied with those taken; where they fail together, try each half."""
        fixes, fresh = self._fresh(wanted)
        if fresh:
            if not self._allowed.spend(self._document.end - self._document.start):
                return
            try:
                self.made = edit_document(self._document, [*self._edits, *fresh])
            except EditError:
                middle = len(wanted) // 2
                if middle:
                    self.add(wanted[:middle])
                    self.add(wanted[middle:])
                return
        for edit in fresh:
            self._at.setdefault(edit.path, []).append(edit)
        self._edits += fresh
        self.taken += fixes

    def _fresh(self, wanted: Sequence[Diagnostic]) -> tuple[list[Diagnostic], list[Edit]]:
        """The fixes that do not overlap with those taken, and their edits that are not taken yet."""
        fixes: list[Diagnostic] = []
        fresh: list[Edit] = []
        mine: dict[Path, list[Edit]] = {}
        for one in wanted:
            assert one.fix is not None
            edits = [e for e in one.fix.edits if e not in (*self._at.get(e.path, ()), *mine.get(e.path, ()))]
            if edits and any(e.path in self._at or e.path in mine for e in one.fix.edits):
                continue
            for edit in edits:
                mine.setdefault(edit.path, []).append(edit)
            fixes.append(one)
            fresh += edits
        return fixes, fresh


def each_alone(document: Document, found: Iterable[Diagnostic]) -> dict[int, list[Splice]]:
    """The text changes of each fix on its own, by the id of its finding; only fixes that can be applied."""
    made: dict[int, list[Splice]] = {}
    left = [one for one in found if one.fix is not None]
    allowed = limits.Allowance(document.end - document.start)
    for _ in range(MAX_TURNS):
        batch = Batch(document, allowed)
        batch.add(left)
        for one in batch.taken:
            # a plan looks up what aliases share, each time
            if one.fix is not None and (len(made) < limits.MAX_TRIES or not document.aliases):
                made[id(one)] = planned(document, one.fix.edits)
        taken = {id(one) for one in batch.taken}
        left = [one for one in left if id(one) not in taken]
        if not left or not taken:
            break
    return made
