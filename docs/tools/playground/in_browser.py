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
    asked = json.loads(request)
    tell = locale.translator(asked.get("lang", "en"))
    given = asked["text"]
    said: dict[str, Any] = {"text": None, "diff": [], "verdicts": [], "translation": [], "lint": []}
    try:
        said["lint"] = _told(gpuxlate.lint(given, name=NAME).diagnostics, tell)
        made = gpuxlate.translate(
            given,
            to=asked["to"],
            round="up" if asked["round"] else None,
            fill=asked["fill"],
            drop=asked["drop"],
            name=NAME,
        )
    except gpuxlate.Refused as refused:
        found, items = refused.diagnostics, refused.items
    except ModuleNotFoundError as error:
        if error.name not in ("pydantic", "pydantic_core"):
            raise
        said["problem"] = "GPUShare documents are read on the command line and in Python, not on this page."
        return json.dumps(said)
    except ValueError as error:
        said["problem"] = tell(message_of(error))
        return json.dumps(said)
    else:
        found, items = made.diagnostics, made.items
        said["text"] = made.text
        lines = given.splitlines(), made.text.splitlines()
        said["diff"] = list(difflib.unified_diff(*lines, NAME, f"{NAME} for {asked['to']}", lineterm=""))
    said["verdicts"] = [
        {
            "object": f"{one.object.kind} {one.object.name or ''}".rstrip(),
            "container": one.container,
            "verdict": tell(msg(one.verdict)),
        }
        for one in items
    ]
    said["translation"] = _told(found, tell)
    return json.dumps(said)


def _told(found: Sequence[Diagnostic], tell: locale.Translate) -> list[dict[str, Any]]:
    return [
        {
            "code": one.code,
            "severity": str(one.severity),
            "line": one.span.line if one.span else None,
            "column": one.span.column if one.span else None,
            "message": tell(one.message),
            "hint": tell(one.hint or ""),
        }
        for one in found
    ]
