"""Findings as ``gpuxlate-diagnostics/v1``, and how this package writes JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, ClassVar

from gpuxlate.model.declarations import Output, record, regex
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.report.summary import Report, Summary

# Characters that JSON allows but that break terminals, readers or encoders: DEL and C1 controls,
# invisible characters (soft hyphens, zero-width characters, line separators, bidirectional
# controls, byte order marks, tags), lone surrogates (file names that are not UTF-8); and
# what GitHub and Azure Pipelines obey wherever it is in a line of a log, as in ``characters``.
_ESCAPED = regex(
    "[\x7f-\x9f\xad\u0600-\u0605\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]|#(?=#[A-Za-z]*\\[)"
)


@record
class Findings(Output):
    """What lint --format json prints."""

    KIND: ClassVar[str] = "diagnostics"
    diagnostics: Sequence[Diagnostic]
    """Every finding, in the order of the files."""
    summary: Summary
    """Counts of the run."""


def render(report: Report) -> str:
    """The findings and the summary as one JSON object."""
    return to_json_text(Findings(report.diagnostics, report.summary).to_json())


def to_json_text(value: Any) -> str:
    """JSON for people and programs: indented, text as it is, without control characters."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _ESCAPED.sub(_escape, text) + "\n"


def _escape(match: re.Match[str]) -> str:
    return "\\u0023" if match[0] == "#" else json.dumps(match[0]).strip('"')
