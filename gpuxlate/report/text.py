"""Findings for people: message, excerpt, hint, fix; then a line of counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from gpuxlate.locale import current, summary, tell
from gpuxlate.model.diagnostics import Diagnostic, Severity, Span
from gpuxlate.model.messages import Message, joined, plural, say
from gpuxlate.report.characters import visible
from gpuxlate.report.excerpt import excerpt
from gpuxlate.report.summary import LineOf, Report, Summary

if TYPE_CHECKING:
    from gpuxlate.rules.base import Rule

_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_GUTTER = "\x1b[1;34m"
_SEVERITY = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.INFO: "\x1b[1;36m"}


def render(report: Report) -> str:
    """All findings in their order, none left out, and the counts as the last line."""
    found = findings(report.diagnostics, report.lines, report.color)
    if not report.counts:
        return found
    return (found + "\n" if found else "") + tell(counts(report.summary)) + "\n"


def findings(diagnostics: Iterable[Diagnostic], lines: LineOf, color: bool = False) -> str:
    """The findings alone, as every command shows them on stderr; empty where there are none."""
    blocks = ["\n".join(_finding(one, lines, color)) for one in diagnostics]
    return "\n\n".join(blocks) + "\n" if blocks else ""


def statistics(diagnostics: Iterable[Diagnostic], rules: Callable[[str], Rule | None]) -> str:
    """One line for each code, the most frequent first, then by code."""
    counted = sorted(Counter(one.code for one in diagnostics).items(), key=lambda row: (-row[1], row[0]))
    digits = max((len(str(count)) for _, count in counted), default=0)
    letters = max((len(code) for code, _ in counted), default=0)
    rows = []
    for code, count in counted:
        known = rules(code)
        about = summary(code, known.summary, current()) if known else ""
        rows.append(f"{count:>{digits}}  {code:<{letters}}  {about}".rstrip() + "\n")
    return "".join(rows)


def _finding(one: Diagnostic, lines: LineOf, color: bool) -> Iterator[str]:
    def paint(style: str, text: str) -> str:
        return f"{style}{text}{_RESET}" if color else text

    style = _SEVERITY[one.severity]
    severity = _told(one.severity, current())
    yield paint(style, f"{severity}[{one.code}]") + paint(_BOLD, f": {visible(tell(one.message))}")
    span = one.span
    margin = " " * (len(str(span.line)) if span else 1)
    if one.file is not None:
        place = f":{span.line}:{span.column}" if span else ""
        yield f"{margin}{paint(_GUTTER, '-->')} {visible(one.file)}{place}"
        line = lines(one.file, span.line) if span else None
        if span and line is not None:
            seen = excerpt(line, span)
            bar = paint(_GUTTER, f"{margin} |")
            yield bar
            yield f"{paint(_GUTTER, f'{span.line} |')} {seen.line}".rstrip(" ")
            yield f"{bar} {seen.indent}{paint(style, seen.carets + tell(_reach(span)))}"
            yield bar
    for title, text in _notes(one):
        title, colon, space = _told("{title}: ", current(), title=say(title)).partition(":")
        yield f"{margin} {paint(_GUTTER, '=')} {paint(_BOLD, title + colon)}{space}{visible(tell(text))}"


@cache
def _told(template: str, _language: str, /, **values: str) -> str:
    """A text that every finding has, in the language of this process."""
    return tell(say(template, **values))


def _notes(one: Diagnostic) -> Iterator[tuple[str, str]]:
    if one.hint:
        yield "help", one.hint
    if one.fix:
        template = "{title} (safe; --fix)" if one.fix.safe else "{title} (unsafe; --unsafe-fixes)"
        yield "fix", say(template, title=one.fix.title)
    yield "see", f"gpuxlate explain {one.code}"


def _reach(span: Span) -> str:
    """Where a span over several lines ends. One that ends before a first column has no part in that line."""
    last = span.end_line - (span.end_column <= 1)
    return say(" to line {last}", last=last) if last > span.line else ""


def counts(summary: Summary) -> Message:
    """The last line: findings by severity, files, and what was left out."""
    found = (
        (summary.errors, "{count} error", "{count} errors"),
        (summary.warnings, "{count} warning", "{count} warnings"),
        (summary.infos, "{count} info", "{count} infos"),
    )
    what = joined(plural(*one) for one in found if one[0]) or say("no findings")
    text = say("{what} in {files}", what=what, files=plural(summary.files, "{count} file", "{count} files"))
    left = (("{count} suppressed", summary.suppressed), ("{count} skipped", len(summary.skipped)))
    aside = joined(say(template, count=count) for template, count in left if count)
    return say("{text} ({aside})", text=text, aside=aside) if aside else text
