"""Findings as GitHub Actions workflow commands, which become annotations of a pull request.

Source: docs.github.com, "Workflow commands for GitHub Actions".
"""

from __future__ import annotations

from gpuxlate.locale import localize
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.report.characters import make_visible
from gpuxlate.report.summary import Report, repository_path

_COMMAND = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def render(report: Report) -> str:
    """One command for each finding."""
    return "".join(f"{_command(diagnostic)}\n" for diagnostic in report.diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    properties: dict[str, str | int] = {}
    if diagnostic.file is not None:
        properties["file"] = repository_path(diagnostic.file)
    if span := diagnostic.span:
        properties["line"] = span.line
        if span.line == span.end_line:
            properties |= {"col": span.column, "endLine": span.end_line, "endColumn": span.end_column}
        else:  # an annotation over several lines must not give columns
            properties["endLine"] = span.end_line
    properties["title"] = f"gpuxlate {diagnostic.code}"
    listed = ",".join(
        f"{key}={make_visible(str(value).translate(_PROPERTY))}" for key, value in properties.items()
    )
    message = "\n".join(map(localize, filter(None, (diagnostic.message, diagnostic.hint))))
    return f"::{_COMMAND[diagnostic.severity]} {listed}::{make_visible(message.translate(_DATA))}"
