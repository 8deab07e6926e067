"""Values keep their bytes: outside of the lines with keys, and altogether on the way back."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuxlate.backends import registry
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.source import Source
from tests.charts.parts import VALUES

CASES = yaml.safe_load((Path(__file__).parent / "there_and_back.yaml").read_text(encoding="utf-8"))
FILLED = (
    *("podLabels", "podAnnotations", "nodeSelector", "affinity", "schedulerName", "env"),
    *("resources", "limits", "requests"),
)
"""What changes where it is filled, and where all of it goes."""
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "no last line break": lambda text: text.rstrip("\n"),
    "below a start": lambda text: "# values\n---\n" + text,
    "indented by four": lambda text: "".join(
        " " * (len(line) - len(line.lstrip(" "))) + line for line in text.splitlines(True)
    ),
}


def moved(data: bytes, to: str) -> bytes:
    source = Source.from_bytes("values.yaml", data)
    made = translate_source(source, Settings(registry.get(to)), layer=VALUES)
    errors = [f"{one.code} {one.message}" for one in made.diagnostics if one.severity == "error"]
    assert not errors
    assert not made.leftovers
    assert made.changed
    return source.encode(made.text)


def changed_lines(before: str, after: str) -> list[str]:
    lines = difflib.ndiff(before.splitlines(True), after.splitlines(True))
    return [line[2:] for line in lines if line[0] in "+-"]


@pytest.mark.parametrize("case", CASES, ids=[one["name"] for one in CASES])
def test_there_and_back(case: dict[str, Any]) -> None:
    keys = [row.name for name in (case["to"], case["back"]) for row in registry.get(name).keys]
    for form, written in FORMS.items():
        if form == "indented by four" and "- " in case["values"]:
            continue  # items of lists are indented by their dashes
        data = written(case["values"]).encode()
        there = moved(data, case["to"])
        for line in changed_lines(data.decode(), there.decode()):
            filled = any(f"{name}:" in line for name in FILLED)
            assert filled or any(key in line for key in keys), (form, line)
        assert moved(there, case["back"]) == data, form
