"""Findings as a GitLab code quality report.

Source: docs.gitlab.com, "Code Quality", "Code Quality report format".
"""

from __future__ import annotations

from gpuxlate.model.diagnostics import Severity
from gpuxlate.report.json import dump
from gpuxlate.report.summary import Report, fingerprints, repository_path

_SEVERITY = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report) -> str:
    """One item for each finding. GitLab requires a path and a line: "" and 1 where there is none."""
    names = fingerprints(report.diagnostics)
    return dump(
        [
            {
                "description": f"{one.message} ({one.hint})" if one.hint else one.message,
                "check_name": one.code,
                "fingerprint": name,
                "severity": _SEVERITY[one.severity],
                "location": {
                    "path": repository_path(one.file) if one.file is not None else "",
                    "lines": {"begin": one.span.line if one.span else 1},
                },
            }
            for one, name in zip(report.diagnostics, names, strict=True)
        ]
    )
