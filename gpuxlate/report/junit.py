"""Findings as JUnit XML: a suite a file, and a failed test case a finding.

Source: the schema of Jenkins' xUnit plug-in (junit-10.xsd), which CI systems read.
"""

from __future__ import annotations

from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from gpuxlate.locale import localize
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.messages import titled
from gpuxlate.report.characters import make_visible
from gpuxlate.report.summary import Report


def render(report: Report) -> str:
    """A suite for each file with findings; a run without any has one test, which passes."""
    parts = [
        '<?xml version="1.0" encoding="utf-8"?>\n',
        f'<testsuites name="gpuxlate" tests="{max(1, len(report.diagnostics))}" '
        f'failures="{len(report.diagnostics)}">\n',
    ]
    for file, diagnostics in groupby(report.diagnostics, lambda diagnostic: diagnostic.file or ""):
        cases = [_case(diagnostic, file) for diagnostic in diagnostics]
        name = quoteattr(_text(file or "gpuxlate"))
        parts += [f'  <testsuite name={name} tests="{len(cases)}" failures="{len(cases)}">\n', *cases]
        parts.append("  </testsuite>\n")
    if not report.diagnostics:
        parts.append('  <testsuite name="gpuxlate" tests="1" failures="0">\n')
        parts.append('    <testcase classname="gpuxlate" name="no findings"/>\n  </testsuite>\n')
    return "".join([*parts, "</testsuites>\n"])


def _case(diagnostic: Diagnostic, file: str) -> str:
    place = f"{file}:{diagnostic.span.line}:{diagnostic.span.column}" if diagnostic.span else file
    body = "\n".join(
        map(_text, [place, *([localize(titled("help", diagnostic.hint))] if diagnostic.hint else [])])
    )
    named = f"{diagnostic.code} {place}".rstrip()
    message = quoteattr(_text(localize(diagnostic.message)))
    return (
        f"    <testcase classname={quoteattr(_text(file or 'gpuxlate'))} name={quoteattr(_text(named))}>\n"
        f'      <failure type="{diagnostic.severity}" message={message}>'
        f"{escape(body)}</failure>\n"
        "    </testcase>\n"
    )


def _text(text: str) -> str:
    """The text with the characters that XML does not allow made visible."""
    return make_visible(text).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
