"""Findings as a GitLab code quality report.

Source: docs.gitlab.com, "Code Quality", "Code Quality report format".
"""

from __future__ import annotations

from gpuxlate.model.diagnostics import Severity
from gpuxlate.report.json import to_json_text
from gpuxlate.report.summary import Report, fingerprints, repository_path

_SEVERITY = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report) -> str:
    """One item for each finding. GitLab requires a path and a line: "" and 1 where there is none."""
    names = fingerprints(report.diagnostics)
    return to_json_text(
        [
            {
                "description": f"{diagnostic.message} ({diagnostic.hint})"
                if diagnostic.hint
                else diagnostic.message,
                "check_name": diagnostic.code,
                "fingerprint": name,
                "severity": _SEVERITY[diagnostic.severity],
                "location": {
                    "path": repository_path(diagnostic.file) if diagnostic.file is not None else "",
                    "lines": {"begin": diagnostic.span.line if diagnostic.span else 1},
                },
            }
            for diagnostic, name in zip(report.diagnostics, names, strict=True)
        ]
    )
