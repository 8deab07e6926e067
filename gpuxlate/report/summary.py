"""The input of every format: the findings, the counts of the run, and look-ups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuxlate.model.diagnostics import Diagnostic

if TYPE_CHECKING:
    from gpuxlate.rules.base import Rule


class Summary(NamedTuple):
    """The counts of a run. ``skipped`` has (file, reason)."""

    files: int = 0
    documents: int = 0
    shares: int = 0
    errors: int = 0
    warnings: int = 0
    infos: int = 0
    suppressed: int = 0
    skipped: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The ``summary`` of ``gpuxlate-diagnostics/v1``."""
        return {
            "files": self.files,
            "documents": self.documents,
            "shares": self.shares,
            "errors": self.errors,
            "warnings": self.warnings,
            "infos": self.infos,
            "suppressed": self.suppressed,
            "skipped": [{"file": file, "reason": reason} for file, reason in self.skipped],
        }


class Replacement(NamedTuple):
    """One change of text that resolves a finding. Positions are as in Span."""

    start_line: int
    start_column: int
    end_line: int
    end_column: int
    text: str


LineOf = Callable[[str, int], str | None]
"""The text of a line (from 1) of a file, None where it is not known."""


def no_line(_file: str, _line: int) -> str | None:
    """For runs without texts: no excerpts."""
    return None


def no_rule(_code: str) -> Rule | None:
    """For runs without rules: no help texts."""
    return None


def no_replacements(_diagnostic: Diagnostic) -> Sequence[Replacement]:
    """For runs without fixes."""
    return ()


class Report(NamedTuple):
    """The input of every format. The findings are located and in the order of their sort keys.

    ``lines`` gives a line of a file for excerpts, ``rules`` the rule of a code for help texts,
    ``replacements`` the fix of a finding as changes of its file's text.
    """

    diagnostics: Sequence[Diagnostic]
    summary: Summary
    lines: LineOf = no_line
    color: bool = False
    rules: Callable[[str], Rule | None] = no_rule
    version: str = ""
    counts: bool = True
    replacements: Callable[[Diagnostic], Sequence[Replacement]] = no_replacements
