"""Corrects proposed values that would be refused too, so that no hint or fix leads to another error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from gpuxlate.model.diagnostics import Diagnostic, Fix, Path, Put, Severity
from gpuxlate.model.pod import PodKeys

MAX_STEPS = 3
"""The most proposals that are tried one after the other."""
Check = Callable[[PodKeys], Iterable[Diagnostic]]
"""Gives everything that is wrong with a pod."""


def correct_proposals(findings: Sequence[Diagnostic], pod: PodKeys, check: Check) -> Sequence[Diagnostic]:
    """The findings about a pod. Where a proposed value would be refused next, a finding has the hint and fix
    of that refusal.

    ``check`` is run on the pod with all proposed values.
    """
    reported = {(finding.path, finding.code) for finding in findings}
    for _ in range(MAX_STEPS):
        refused: dict[Path, Diagnostic] = {}
        proposed = _proposed(findings)
        for finding in check(pod.with_values(proposed)) if proposed else ():
            if (
                finding.severity is Severity.ERROR
                and (finding.path, finding.code) not in reported
                and finding.path in proposed
            ):
                refused.setdefault(finding.path, finding)
        if not refused:
            break
        findings = [
            replace(finding, hint=after.hint, fix=_in_place_of_both(finding.fix, after.fix))
            if finding.fix and (after := refused.get(finding.path))
            else finding
            for finding in findings
        ]
    return findings


def _proposed(findings: Iterable[Diagnostic]) -> dict[Path, int | str]:
    """The values that fixes write at the places of their findings."""
    values: dict[Path, int | str] = {}
    for finding in findings:
        for edit in finding.fix.edits if finding.fix and len(finding.fix.edits) == 1 else ():
            if isinstance(edit, Put) and edit.path == finding.path and isinstance(edit.value, int | str):
                values.setdefault(edit.path, edit.value)
    return values


def _in_place_of_both(fix: Fix, following: Fix | None) -> Fix | None:
    """One fix with the effect of a fix and the one that follows it."""
    return following._replace(safe=fix.safe and following.safe) if following else None
