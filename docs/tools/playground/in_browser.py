"""What the playground asks of gpuxlate, in Pyodide: JSON in, JSON out. Nothing here knows of the page."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from typing import Any

import gpuxlate
from gpuxlate import locale
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.messages import message_of, msg

NAME = "manifest.yaml"
"""What the diff calls the text."""


def answer(request: str) -> str:
    """``text``, ``to``, ``round``, ``fill``, ``drop``, ``lang`` in; out: ``text`` (null where it is refused),
    ``diff`` as lines, ``verdicts`` by object and container, what the translation says, what lint finds, and
    ``problem``, set where nothing could be tried."""
    options = json.loads(request)
    tell = locale.translator(options.get("lang", "en"))
    manifest = options["text"]
    said: dict[str, Any] = {"text": None, "diff": [], "verdicts": [], "translation": [], "lint": []}
    try:
        said["lint"] = _told(gpuxlate.lint(manifest, name=NAME).diagnostics, tell)
        result = gpuxlate.translate(
            manifest,
            to=options["to"],
            round="up" if options["round"] else None,
            fill=options["fill"],
            drop=options["drop"],
            name=NAME,
        )
    except gpuxlate.Refused as refused:
        findings, items = refused.diagnostics, refused.items
    except ModuleNotFoundError as error:
        if error.name not in ("pydantic", "pydantic_core"):
            raise
        said["problem"] = "GPUShare documents are read on the command line and in Python, not on this page."
        return json.dumps(said)
    except ValueError as error:
        said["problem"] = tell(message_of(error))
        return json.dumps(said)
    else:
        findings, items = result.diagnostics, result.items
        said["text"] = result.text
        lines = manifest.splitlines(), result.text.splitlines()
        said["diff"] = list(difflib.unified_diff(*lines, NAME, f"{NAME} for {options['to']}", lineterm=""))
    said["verdicts"] = [
        {
            "object": f"{item.object.kind} {item.object.name or ''}".rstrip(),
            "container": item.container,
            "verdict": tell(msg(item.verdict)),
        }
        for item in items
    ]
    said["translation"] = _told(findings, tell)
    return json.dumps(said)


def _told(findings: Sequence[Diagnostic], tell: locale.Translate) -> list[dict[str, Any]]:
    return [
        {
            "code": finding.code,
            "severity": str(finding.severity),
            "line": finding.span.line if finding.span else None,
            "column": finding.span.column if finding.span else None,
            "message": tell(finding.message),
            "hint": tell(finding.hint or ""),
        }
        for finding in findings
    ]
