"""Findings as SARIF 2.1.0, in the form that GitHub code scanning reads.

Sources: OASIS, "Static Analysis Results Interchange Format 2.1.0"; docs.github.com, "SARIF support
for code scanning".
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from gpuxlate.model import site
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.report.json import to_json_text
from gpuxlate.report.summary import Replacement, Report, Skipped, fingerprints, json_pointer, repository_path

if TYPE_CHECKING:
    from gpuxlate.rules.base import Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "gpuxlate/v1"

_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_FENCE = regex(r"^ *```.*\n?", re.M)


def render(report: Report) -> str:
    """One log with one run."""
    codes = sorted({diagnostic.code for diagnostic in report.diagnostics})
    index = {code: number for number, code in enumerate(codes)}
    names = fingerprints(report.diagnostics)
    run = {
        "tool": {
            "driver": {
                "name": "gpuxlate",
                "semanticVersion": report.version,
                **_without_none(informationUri=site.page("")),
                "rules": [_rule(code, report.rules(code)) for code in codes],
            }
        },
        "invocations": [_invocation(report.summary.skipped)],
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(diagnostic, index[diagnostic.code], name, report.replacements(diagnostic))
            for diagnostic, name in zip(report.diagnostics, names, strict=True)
        ],
    }
    return to_json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _without_none(**values: str | None) -> dict[str, str]:
    """The properties that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def _rule(code: str, rule: Rule | None) -> dict[str, Any]:
    if rule is None:
        return {"id": code, **_without_none(helpUri=site.rule_page(code))}
    markdown = "\n\n".join(f"## {title}\n\n{body}" for title, body in rule.sections.items())
    plain = "\n\n".join(f"{title}\n{_FENCE.sub('', body).strip()}" for title, body in rule.sections.items())
    description = " ".join(rule.sections.get("What it does", rule.summary).split())
    return {
        "id": code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": description},
        "help": {"text": plain, "markdown": markdown},
        **_without_none(helpUri=site.rule_page(code)),
        "defaultConfiguration": {"level": _LEVEL[rule.severity]},
    }


def _result(
    diagnostic: Diagnostic, rule_index: int, name: str, replacements: Sequence[Replacement]
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule_index,
        "level": _LEVEL[diagnostic.severity],
        "message": {
            "text": f"{diagnostic.message}\n{diagnostic.hint}" if diagnostic.hint else diagnostic.message
        },
    }
    if location := _location(diagnostic):
        result["locations"] = [location]
    result["partialFingerprints"] = {FINGERPRINT: name}
    if diagnostic.fix and diagnostic.file is not None and replacements:
        change = {
            "artifactLocation": _artifact(diagnostic.file),
            "replacements": [_replacement(replacement) for replacement in replacements],
        }
        result["fixes"] = [{"description": {"text": diagnostic.fix.title}, "artifactChanges": [change]}]
    return result


def _location(diagnostic: Diagnostic) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if diagnostic.file is not None:
        span = diagnostic.span
        # GitHub requires a region: the start of the file means the whole of it.
        region = (
            _region(span.line, span.column, span.end_line, span.end_column) if span else _region(1, 1, 1, 1)
        )
        location["physicalLocation"] = {"artifactLocation": _artifact(diagnostic.file), "region": region}
    if diagnostic.object:
        owner = (diagnostic.object.namespace, diagnostic.object.kind, diagnostic.object.name)
        location["logicalLocations"] = [
            {
                "name": str(diagnostic.path[-1]) if diagnostic.path else diagnostic.object.name or "",
                "fullyQualifiedName": "/".join(part for part in owner if part)
                + json_pointer(diagnostic.path),
                "kind": "object" if not diagnostic.path else "property" if diagnostic.on_key else "value",
            }
        ]
    return location


def _artifact(file: str) -> dict[str, str]:
    """A relative URI reference; an absolute one only for a file outside of the working directory."""
    path = repository_path(file)
    try:
        name = os.fsencode(path)  # the bytes of the name, which need not be UTF-8
    except UnicodeEncodeError:  # no file has such a name
        name = path.encode("utf-8", "surrogatepass")
    uri = quote(name, safe="/")
    return {"uri": f"file://{uri}" if path.startswith("/") else uri}


def _region(start_line: int, start_column: int, end_line: int, end_column: int) -> dict[str, int]:
    """Lines and columns from 1; the end column is the one after the last, as in a Span."""
    return {
        "startLine": start_line,
        "startColumn": start_column,
        "endLine": end_line,
        "endColumn": end_column,
    }


def _replacement(replacement: Replacement) -> dict[str, Any]:
    region = _region(
        replacement.start_line, replacement.start_column, replacement.end_line, replacement.end_column
    )
    return {"deletedRegion": region, "insertedContent": {"text": replacement.text}}


def _invocation(skipped: Sequence[Skipped]) -> dict[str, Any]:
    invocation: dict[str, Any] = {"executionSuccessful": True}
    if skipped:
        invocation["toolExecutionNotifications"] = [
            {
                "level": "note",
                "message": {"text": f"skipped: {file.reason}"},
                "locations": [{"physicalLocation": {"artifactLocation": _artifact(file.file)}}],
            }
            for file in skipped
        ]
    return invocation
