"""Findings for people: message, excerpt of the source with carets, hint and fix, and a line of counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.locale import current_language, localize, summary
from gpuxlate.model.diagnostics import Diagnostic, Severity, Span
from gpuxlate.model.messages import Message, join_and, msg, plural
from gpuxlate.report.characters import make_visible, visible_characters, width
from gpuxlate.report.summary import LineOf, Report, Summary

if TYPE_CHECKING:
    from gpuxlate.rules.base import Rule

COLUMNS = 120
"""The widest excerpt, without its gutter, in columns."""
_TAB_COLUMNS = 8


class SourceExcerpt(NamedTuple):
    """The line as shown, the indent of its carets (spaces and tabs), and the carets."""

    line: str
    indent: str
    carets: str


def excerpt(line: str, span: Span) -> SourceExcerpt:
    """The part of the first line of a span that fits, with carets under the span."""
    start = min(span.column - 1, len(line))
    stop = len(line) if span.end_line > span.line else min(span.end_column - 1, len(line))
    # Minified JSON is one line of any length: look only at what could fit around the span.
    stop = min(max(stop, start), start + COLUMNS)
    if len(line) <= COLUMNS and line.isascii() and line == make_visible(line):  # most: a column each
        return SourceExcerpt(line, " " * start, "^" * max(stop - start, 1))
    offset = max(0, start - COLUMNS)
    part = line[offset : stop + COLUMNS]
    start, stop = start - offset, stop - offset
    shown = visible_characters(part)
    columns = [_TAB_COLUMNS if text == "\t" else width(text) for text in shown]

    first, last = 0, len(part)
    if len(part) < len(line) or sum(columns) > COLUMNS:
        first, last = _window(columns, start, stop)
    stop = min(stop, last)
    left = "…" if offset + first > 0 else ""
    right = "…" if offset + last < len(line) else ""
    blank = "".join(
        "\t" if text == "\t" else " " * size
        for text, size in zip(shown[first:start], columns[first:start], strict=True)
    )
    carets = _carets(shown[start:stop], columns[start:stop])
    return SourceExcerpt(left + "".join(shown[first:last]) + right, " " * len(left) + blank, carets)


def _window(columns: list[int], start: int, stop: int) -> tuple[int, int]:
    """The characters to show: the span from its start, then as much as fits on both sides alike."""
    room = COLUMNS - 2  # two columns for the marks of a cut
    last = start
    while last < stop and columns[last] <= room:
        room -= columns[last]
        last += 1
    first, half = start, room // 2
    while first > 0 and columns[first - 1] <= half:
        first -= 1
        half -= columns[first]
        room -= columns[first]
    while last < len(columns) and columns[last] <= room:
        room -= columns[last]
        last += 1
    while first > 0 and columns[first - 1] <= room:  # what is left on the right side
        first -= 1
        room -= columns[first]
    return first, last


def _carets(shown: list[str], columns: list[int]) -> str:
    """Carets of the same width, at least one. A tab but the last is copied: the terminal knows its width."""
    under = "".join("\t" if text == "\t" else "^" * size for text, size in zip(shown, columns, strict=True))
    return under if under.endswith("^") else under[:-1] + "^"


# Findings for people: message, excerpt, hint, fix; then a line of counts.
_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_GUTTER = "\x1b[1;34m"
_SEVERITY = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.INFO: "\x1b[1;36m"}


def render(report: Report) -> str:
    """All findings in their order, none left out, and the counts as the last line."""
    lines = findings_text(report.diagnostics, report.lines, report.color, every=report.every)
    if not report.counts:
        return lines
    last = [summary_line(report.summary, compared=report.compared), *fixable_lines(report.diagnostics)]
    return (lines + "\n" if lines else "") + "".join(localize(line) + "\n" for line in last)


def findings_text(
    diagnostics: Iterable[Diagnostic], lines: LineOf, color: bool = False, *, every: bool = False
) -> str:
    """The findings alone, as every command shows them on stderr; empty where there are none.

    Infos of one rule that say the same are one with a count, unless ``every`` one is to be shown.
    """
    alike: dict[tuple[object, ...], list[Diagnostic]] = {}
    for number, diagnostic in enumerate(diagnostics):
        grouped = diagnostic.severity is Severity.INFO and not every
        alike.setdefault(
            (diagnostic.code, diagnostic.message, diagnostic.hint) if grouped else (number,), []
        ).append(diagnostic)
    blocks = [
        "\n".join(_finding(diagnostic, lines, color, len(more))) for diagnostic, *more in alike.values()
    ]
    return "\n\n".join(blocks) + "\n" if blocks else ""


def fixable_lines(diagnostics: Sequence[Diagnostic]) -> Iterator[Message]:
    """What ``--fix`` would do, where it would do something."""
    fixes = [diagnostic.fix.safe for diagnostic in diagnostics if diagnostic.fix is not None]
    number, more = sum(fixes), len(fixes) - sum(fixes)
    if number:
        every = plural(len(diagnostics), "{count} finding", "{count} findings")
        text = "{findings}, {count} fixable with --fix"
        if more:
            text = "{findings}, {count} fixable with --fix, {more} more with --unsafe-fixes"
        yield msg(text, findings=every, count=number, more=more)


def statistics(diagnostics: Iterable[Diagnostic], rules: Callable[[str], Rule | None]) -> str:
    """One line for each code, the most frequent first, then by code."""
    counted = sorted(
        Counter(diagnostic.code for diagnostic in diagnostics).items(), key=lambda row: (-row[1], row[0])
    )
    digits = max((len(str(count)) for _, count in counted), default=0)
    letters = max((len(code) for code, _ in counted), default=0)
    rows = []
    for code, count in counted:
        rule = rules(code)
        about = summary(code, rule.summary, current_language()) if rule else ""
        rows.append(f"{count:>{digits}}  {code:<{letters}}  {about}".rstrip() + "\n")
    return "".join(rows)


def _finding(diagnostic: Diagnostic, lines: LineOf, color: bool, more: int) -> Iterator[str]:
    """The lines of one finding; ``more``: how many others say the same."""

    def paint(style: str, text: str) -> str:
        return f"{style}{text}{_RESET}" if color else text

    style = _SEVERITY[diagnostic.severity]
    severity = _localized(diagnostic.severity, current_language())
    sentence = make_visible(localize(diagnostic.message)) + (
        localize(msg(" (and {count} more)", count=more)) if more else ""
    )
    yield paint(style, f"{severity}[{diagnostic.code}]") + paint(_BOLD, f": {sentence}")
    span = diagnostic.span
    margin = " " * (len(str(span.line)) if span else 1)
    if diagnostic.file is not None:
        place = f":{span.line}:{span.column}" if span else ""
        yield f"{margin}{paint(_GUTTER, '-->')} {make_visible(diagnostic.file)}{place}"
        line = lines(diagnostic.file, span.line) if span else None
        if span and line is not None:
            seen = excerpt(line, span)
            bar = paint(_GUTTER, f"{margin} |")
            yield bar
            yield f"{paint(_GUTTER, f'{span.line} |')} {seen.line}".rstrip(" ")
            yield f"{bar} {seen.indent}{paint(style, seen.carets + localize(_reach(span)))}"
            yield bar
    for title, text in _notes(diagnostic):
        title, colon, space = _localized("{title}: ", current_language(), title=msg(title)).partition(":")
        note = make_visible(localize(text))
        yield f"{margin} {paint(_GUTTER, '=')} {paint(_BOLD, title + colon)}{space}{note}"


@cache
def _localized(template: str, _language: str, /, **values: str) -> str:
    """A text that every finding has, in the language of this process."""
    return localize(msg(template, **values))


def _notes(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    if diagnostic.hint:
        yield "help", diagnostic.hint
    if diagnostic.fix:
        template = "{title} (safe; --fix)" if diagnostic.fix.safe else "{title} (unsafe; --unsafe-fixes)"
        yield "fix", msg(template, title=diagnostic.fix.title)
    yield "see", f"gpuxlate explain {diagnostic.code}"


def _reach(span: Span) -> str:
    """Where a span over several lines ends. One that ends before a first column has no part in that line."""
    last = span.end_line - (span.end_column <= 1)
    return msg(" to line {last}", last=last) if last > span.line else ""


def summary_line(summary: Summary, *, compared: bool) -> Message:
    """The last line: findings by severity, files, and what was left out."""
    counts = (
        (summary.errors, "{count} error", "{count} errors"),
        (summary.warnings, "{count} warning", "{count} warnings"),
        (summary.infos, "{count} info", "{count} infos"),
    )
    none = msg("no new findings") if compared else msg("no findings")
    counts_text = join_and(plural(*count) for count in counts if count[0]) or none
    text = msg(
        "{what} in {files}", what=counts_text, files=plural(summary.files, "{count} file", "{count} files")
    )
    counts_aside = (("{count} suppressed", summary.suppressed), ("{count} skipped", len(summary.skipped)))
    aside = join_and(msg(template, count=count) for template, count in counts_aside if count)
    return msg("{text} ({aside})", text=text, aside=aside) if aside else text
