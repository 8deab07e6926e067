"""Findings on one line each, for editors and grep: ``file:line:column: severity CODE [*] message``."""

from __future__ import annotations

from gpuxlate.locale import localize
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.messages import msg
from gpuxlate.report.characters import visible
from gpuxlate.report.summary import Report


def render(report: Report) -> str:
    """One line for each finding; ``[*]`` marks those that --fix resolves."""
    return "".join(f"{_line(one)}\n" for one in report.diagnostics)


def _line(one: Diagnostic) -> str:
    place = f"{one.file or ''}:{one.span.line}:{one.span.column}" if one.span else one.file or ""
    fix = " [*]" if one.fix and one.fix.safe else ""
    said = msg("{message} ({hint})", message=one.message, hint=one.hint) if one.hint else one.message
    return visible(f"{place}: {one.severity} {one.code}{fix} {localize(said)}")
