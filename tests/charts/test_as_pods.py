"""Values of charts: a part of them is read, checked and translated as the same pod is; their bytes, there and
back; and those of an environment over those of every release.
"""

import difflib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuxlate.backends import registry
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.overlays.parts import OverlayPod
from gpuxlate.overlays.roles import FileKind, FileRole, role_of
from gpuxlate.overlays.values import Chart, values_pods
from gpuxlate.translation.options import Settings
from gpuxlate.translation.passes import Task, run_source
from gpuxlate.translation.read import READ
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import TRANSLATE, translate_source
from gpuxlate.yamltext.source import Source
from tests.effort import FULL, PART, some
from tests.fixtures.cases import Kind, cases
from tests.lint import cases as lint_cases
from tests.tables import from_yaml, read_table, to_yaml

VALUES = FileRole(
    FileKind.VALUES, lambda document: [OverlayPod(pod) for pod in values_pods(document, Chart("c"))]
)
IN_METADATA = {"podLabels": "labels", "podAnnotations": "annotations"}
IN_SPEC = ("nodeSelector", "affinity", "schedulerName")
IN_CONTAINER = ("env", "resources")
EMPTY: dict[str, Any] = {"schedulerName": "", "env": []}

Part = Mapping[str, Any]
"""What charts take from values, of one pod with one container: all of it, even empty."""


def parts_in(text: str) -> Iterator[Part]:
    """The pods of a manifest that have one container."""
    for document in yaml.load_all(text, yaml.CSafeLoader):
        spec = document.get("spec", {})
        pod = document if "containers" in spec else spec.get("template")
        inside = pod.get("spec", {}) if isinstance(pod, dict) else {}
        if len(inside.get("containers", ())) == 1 and not inside.get("initContainers"):
            yield part_of(pod)


def part_of(pod: Mapping[str, Any]) -> Part:
    """A pod as values."""
    metadata, spec = pod.get("metadata") or {}, pod["spec"]
    [container] = spec["containers"]
    found = {name: metadata.get(field) for name, field in IN_METADATA.items()}
    found |= {name: spec.get(name) for name in IN_SPEC}
    found |= {name: container.get(name) for name in IN_CONTAINER}
    return {name: value or EMPTY.get(name, {}) for name, value in found.items()}


def as_manifest(part: Part) -> str:
    """As a Pod, without what is empty."""
    metadata = {"name": "c"} | {field: part[name] for name, field in IN_METADATA.items() if part[name]}
    container = {"name": "main"} | {name: part[name] for name in IN_CONTAINER if part[name]}
    spec = {name: part[name] for name in IN_SPEC if part[name]} | {"containers": [container]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    return to_yaml(pod)


def as_values(part: Part) -> str:
    """As values, two levels deep."""
    return to_yaml({"tiers": {"main": dict(part)}})


def from_values(text: str) -> Part:
    """What ``as_values`` wrote."""
    found: Part = from_yaml(text)["tiers"]["main"]
    return found


STEP = 2 if FULL else 2 * PART
"""Of the targets of a case, one of so many; the next case begins one later."""
OF_VALUES = {"GX030"}
"""What is said of values alone: a template may add containers."""
OF_PODS = {"VKE017", "K8S012"}
"""Rules that count the containers of a pod, and one on names: a template may write others than the values."""
OF_CLAIMS = "DRA008"
"""Of a pod alone where nothing names the claim of its container: a template may."""
CASES = [
    (f"{case.name}#{number}", case, part)
    for case in cases()
    if case.kind is Kind.TRANSLATE and registry.get(case.dialect).writes_pods
    for number, part in enumerate(parts_in(case.input.read_text(encoding="utf-8")))
]


def source(text: str) -> Source:
    return Source.from_bytes("values.yaml", text.encode())


def codes(made: Result) -> set[str]:
    return {f"{one.code} {one.severity}" for one in made.diagnostics if one.code not in OF_VALUES}


def both(part: Part, settings: Settings, task: Task = TRANSLATE) -> tuple[Result, Result]:
    return (
        run_source(source(as_manifest(part)), settings, task),
        run_source(source(as_values(part)), settings, task, role=VALUES),
    )


def test_there_are_enough() -> None:
    dialects = {case.dialect for _, case, _ in CASES}
    assert len(CASES) > 60
    assert len(dialects) > 15


@pytest.mark.parametrize("number", range(len(CASES)))
def test_read_and_translate(number: int) -> None:
    _, case, part = CASES[number]
    from_ = registry.get(case.data["from"]) if case.data.get("from") else None
    pod, values = both(part, Settings.reading(from_), READ)
    assert [(one.source, one.share) for one in values.items] == [(one.source, one.share) for one in pod.items]
    assert codes(values) == codes(pod)
    for target, expected in list(case.targets.items())[number % STEP :: STEP]:
        backend = registry.get(target)
        for accept in () if not backend.writes_pods else (expected.accept, Accept()):
            pod, values = both(part, Settings(backend, from_, accept))
            assert codes(values) == codes(pod), target
            assert [(one.share, one.verdict, len(one.losses)) for one in values.items] == [
                (one.share, one.verdict, len(one.losses)) for one in pod.items
            ], target
            if not pod.refused:
                assert from_values(values.text) == part_of(yaml.safe_load(pod.text)), target


def parts_of(case: lint_cases.Case) -> list[Part]:
    """The pods of a case that a chart can make of values."""
    try:
        return list(parts_in(case.text)) if case.code not in OF_PODS else []
    except (yaml.YAMLError, AttributeError, TypeError, KeyError):  # broken on purpose
        return []


def values_have_the_findings_of_pods(case: lint_cases.Case) -> None:
    for part in parts_of(case):
        pod = lint_source(source(as_manifest(part)), LintSettings())
        values = lint_source(source(as_values(part)), LintSettings(role=VALUES))
        of_pod = sorted(one.code for one in pod.diagnostics if one.code != OF_CLAIMS)
        assert sorted(one.code for one in values.diagnostics) == of_pod
        assert values.shares == pod.shares


NAMED = "resourceClaims: [{name: gpu, resourceClaimTemplateName: g}]"
CLAIMED: dict[str, tuple[str, int]] = {
    # llm-d's charts: a template adds resourceClaims where dra.enabled is set
    "the claim is of a template": ("decode: {containers: [{resources: {claims: [{name: gpu}]}}]}", 0),
    "its use is of a template": (f"{{resources: {{limits: {{cpu: 1}}}}, {NAMED}}}", 0),
    "two names": (f"decode: {{containers: [{{resources: {{claims: [{{name: gpus}}]}}}}], {NAMED}}}", 2),
}


@pytest.mark.parametrize("title", CLAIMED)
def test_the_claims_of_a_chart(title: str) -> None:
    text, count = CLAIMED[title]
    found = lint_source(source(text), LintSettings(role=VALUES)).diagnostics
    assert [one.code for one in found] == [OF_CLAIMS] * count


def test_many_rules_have_cases_for_charts() -> None:
    assert len({one.code for one in lint_cases.cases() if parts_of(one)}) > 80


# --- there and back -------------------------------------------------------------------------------

# Outside of the lines with keys they keep their bytes, and altogether on the way back
WRITTEN = read_table(__file__, "there_and_back.yaml")
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
    read = Source.from_bytes("values.yaml", data)
    made = translate_source(read, Settings(registry.get(to)), role=VALUES)
    errors = [f"{one.code} {one.message}" for one in made.diagnostics if one.severity == "error"]
    assert not errors
    assert not made.leftovers
    assert made.changed
    return read.encode(made.text)


def changed_lines(before: str, after: str) -> list[str]:
    lines = difflib.ndiff(before.splitlines(True), after.splitlines(True))
    return [line[2:] for line in lines if line[0] in "+-"]


@pytest.mark.parametrize("case", WRITTEN, ids=[one["name"] for one in WRITTEN])
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


def translated(text: str, path: Path | None, target: str) -> Result:
    settings = Settings(registry.get(target), accept=ACCEPT)
    return translate_source(source(text), settings, role=role_of(path) if path else VALUES)


def pairs() -> list[tuple[Part, Values]]:
    found = []
    for number, (_, case, part) in enumerate(CASES):
        same = [other for _, one, other in CASES if one.dialect == case.dialect]
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
        texts = [to_yaml(one) for one in (below, above, merged(below, above))]
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
