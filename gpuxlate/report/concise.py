"""Findings on one line each, for editors and grep: ``file:line:column: severity CODE [*] message``."""

from __future__ import annotations

from gpuxlate.locale import localize
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.messages import msg
from gpuxlate.report.characters import make_visible
from gpuxlate.report.summary import Report


def render(report: Report) -> str:
    """One line for each finding; ``[*]`` marks those that --fix resolves."""
    return "".join(f"{_line(diagnostic)}\n" for diagnostic in report.diagnostics)


def _line(diagnostic: Diagnostic) -> str:
    place = (
        f"{diagnostic.file or ''}:{diagnostic.span.line}:{diagnostic.span.column}"
        if diagnostic.span
        else diagnostic.file or ""
    )
    fix = " [*]" if diagnostic.fix and diagnostic.fix.safe else ""
    sentence = (
        msg("{message} ({hint})", message=diagnostic.message, hint=diagnostic.hint)
        if diagnostic.hint
        else diagnostic.message
    )
    return make_visible(f"{place}: {diagnostic.severity} {diagnostic.code}{fix} {localize(sentence)}")
