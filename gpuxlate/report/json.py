"""Findings as ``gpuxlate-diagnostics/v1``, and how this package writes JSON."""

from __future__ import annotations

import json
import re
from typing import Any

from gpuxlate.report.summary import Report

FORMAT = "gpuxlate-diagnostics/v1"

# Characters that JSON allows bare but that a terminal or an encoder trips over: DEL and C1 controls,
# line separators, bidirectional controls, lone surrogates (file names that are no UTF-8).
_ESCAPED = re.compile(r"[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def render(report: Report) -> str:
    """The findings and the summary as one JSON object."""
    return dump(
        {
            "format": FORMAT,
            "diagnostics": [one.to_json() for one in report.diagnostics],
            "summary": report.summary.to_json(),
        }
    )


def dump(value: Any) -> str:
    """JSON for people and programs: indented, text as it is, nothing that acts on a terminal."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match.group()):04x}", text) + "\n"
