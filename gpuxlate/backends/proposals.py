"""What a finding proposes to write is accepted there: no help leads to another error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from gpuxlate.model.diagnostics import Diagnostic, Fix, Path, Put, Severity
from gpuxlate.model.pod import PodKeys

MAX_STEPS = 3
"""How often what is proposed in place of a refused value is tried in turn."""
Check = Callable[[PodKeys], Iterable[Diagnostic]]
"""Everything that is wrong with a pod."""


def accepted(found: Sequence[Diagnostic], pod: PodKeys, check: Check) -> Sequence[Diagnostic]:
    """The findings about a pod; where a proposed value would be refused next, with the help of that refusal.

    ``check`` is asked of the pod with all values as they are proposed.
    """
    known = {(one.path, one.code) for one in found}
    for _ in range(MAX_STEPS):
        refused: dict[Path, Diagnostic] = {}
        proposed = _proposed(found)
        for one in check(pod.with_values(proposed)) if proposed else ():
            if one.severity is Severity.ERROR and (one.path, one.code) not in known and one.path in proposed:
                refused.setdefault(one.path, one)
        if not refused:
            break
        found = [
            replace(one, hint=after.hint, fix=_in_place_of_both(one.fix, after.fix))
            if one.fix and (after := refused.get(one.path))
            else one
            for one in found
        ]
    return found


def _proposed(found: Iterable[Diagnostic]) -> dict[Path, int | str]:
    """The values that fixes write at the places of their findings."""
    values: dict[Path, int | str] = {}
    for one in found:
        for edit in one.fix.edits if one.fix and len(one.fix.edits) == 1 else ():
            if isinstance(edit, Put) and edit.path == one.path and isinstance(edit.value, int | str):
                values.setdefault(edit.path, edit.value)
    return values


def _in_place_of_both(fix: Fix, following: Fix | None) -> Fix | None:
    """One fix for what a fix and the one that follows it make."""
    return following._replace(safe=fix.safe and following.safe) if following else None
