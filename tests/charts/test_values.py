"""Values of charts: their bytes, there and back, and those of an environment over those of every release."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuxlate.backends import registry
from gpuxlate.backends.placing import Accept
from gpuxlate.inputs.layers import layer_of
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import Translation, translate_source
from gpuxlate.yamltext.source import Source
from tests.charts.parts import VALUES, Part
from tests.charts.test_as_pods import CASES as PODS
from tests.effort import some

# Outside of the lines with keys they keep their bytes, and altogether on the way back
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


# --- translated and merged, or merged and translated ----------------------------------------------

TARGETS = ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu", "hami", "koordinator", "kai", "neutral")
ACCEPT = Accept(True, {"cores": 30, "memoryMiB": 4096}, frozenset({"policy", "qos", "device", "selector"}))
LOW = 0.1
"""Least part of the pairs that are translated in whole."""

Values = Mapping[str, Any]


def merged(below: Any, over: Any) -> Any:
    """As Helm merges: mappings by their keys, ``null`` deletes, all else replaces."""
    if not (isinstance(below, dict) and isinstance(over, dict)):
        return over
    found = {**below, **{name: merged(below.get(name), value) for name, value in over.items()}}
    return {name: value for name, value in found.items() if value is not None}


def filled(values: Any) -> Any:
    """Without what is empty."""
    if not isinstance(values, dict):
        return values
    found = {name: filled(value) for name, value in values.items()}
    return {name: value for name, value in found.items() if value not in ({}, [], "", None)}


def overlays(part: Part, other: Part) -> Iterator[Values]:
    """What an environment may say of a part, in the words of another one."""
    yield {"resources": other["resources"]}
    yield {"resources": {"limits": dict.fromkeys(part["resources"].get("limits", {}))}}
    yield {name: other[name] for name in ("resources", "podAnnotations", "nodeSelector")}
    yield {"resources": {"limits": {"memory": "1Gi"}}, "podLabels": {"tier": "a"}}


def translated(text: str, path: Path | None, target: str) -> Translation:
    settings = Settings(registry.get(target), accept=ACCEPT)
    source = Source.from_bytes("values.yaml", text.encode())
    return translate_source(source, settings, layer=layer_of(path) if path else VALUES)


def pairs() -> list[tuple[Part, Values]]:
    found = []
    for number, (_, case, part) in enumerate(PODS):
        same = [other for _, one, other in PODS if one.dialect == case.dialect]
        found += [(part, one) for one in overlays(part, same[(number + 1) % len(same)])]
    return found


PAIRS = some(pairs())


@pytest.mark.parametrize("target", TARGETS)
def test_either_way_gives_the_same(target: str, tmp_path: Path) -> None:
    compared = 0
    for number, (part, over) in enumerate(PAIRS):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "Chart.yaml").write_text("name: c\n")
        below, above = ({"a": dict(one)} for one in (part, over))
        texts = [yaml.safe_dump(one, sort_keys=False) for one in (below, above, merged(below, above))]
        (folder / "values.yaml").write_text(texts[0])
        first = translated(texts[0], folder / "values.yaml", target)
        second = translated(texts[1], folder / "values-prod.yaml", target)
        whole = translated(texts[2], None, target)
        steers_nothing = [one.code for one in whole.diagnostics if one.severity == "error"] == ["GX026"]
        if first.refused or second.refused or steers_nothing:  # labels without a share, in the whole alone
            continue
        compared += 1
        got = filled(merged(yaml.safe_load(first.text), yaml.safe_load(second.text)))
        wanted = filled(yaml.safe_load(whole.text))
        if not whole.items:  # no share is left, and any scheduler will do
            got, wanted = ({"a": {**one.get("a", {}), "schedulerName": None}} for one in (got, wanted))
        assert not whole.refused, (texts, [one.message for one in whole.diagnostics])
        assert got == wanted, (texts, first.text, second.text)
    assert compared > LOW * len(PAIRS)
