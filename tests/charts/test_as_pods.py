"""A part of a chart's values is read, checked and translated as the same pod is."""

from __future__ import annotations

import pytest
import yaml

from gpuxlate.backends import registry
from gpuxlate.backends.placing import Accept
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import Translation, translate_source
from gpuxlate.yamltext.source import Source
from tests.charts.parts import VALUES, Part, as_manifest, as_values, from_values, part_of, parts_in
from tests.effort import FULL, PART
from tests.fixtures.cases import Kind, cases
from tests.lint import cases as lint_cases

STEP = 2 if FULL else 2 * PART
"""Of the targets of a case, one of so many; the next case begins one later."""
OF_VALUES = {"GX030"}
"""What is said of values alone: a template may add containers."""
OF_PODS = {"VKE017"}
"""Rules that count the containers of a pod."""
CASES = [
    (f"{case.name}#{number}", case, part)
    for case in cases()
    if case.kind is Kind.TRANSLATE and registry.get(case.dialect).form is None
    for number, part in enumerate(parts_in(case.input.read_text(encoding="utf-8")))
]


def source(text: str) -> Source:
    return Source.from_bytes("values.yaml", text.encode())


def codes(made: Translation) -> set[str]:
    return {f"{one.code} {one.severity}" for one in made.diagnostics if one.code not in OF_VALUES}


def both(part: Part, settings: Settings) -> tuple[Translation, Translation]:
    return (
        translate_source(source(as_manifest(part)), settings),
        translate_source(source(as_values(part)), settings, layer=VALUES),
    )


def test_there_are_enough() -> None:
    dialects = {case.dialect for _, case, _ in CASES}
    assert len(CASES) > 60
    assert len(dialects) > 15


@pytest.mark.parametrize("number", range(len(CASES)))
def test_read_and_translate(number: int) -> None:
    _, case, part = CASES[number]
    from_ = registry.get(case.data["from"]) if case.data.get("from") else None
    pod, values = both(part, Settings(registry.get("neutral"), from_, reads_only=True))
    assert [(one.source, one.share) for one in values.items] == [(one.source, one.share) for one in pod.items]
    assert codes(values) == codes(pod)
    for target, expected in list(case.targets.items())[number % STEP :: STEP]:
        backend = registry.get(target)
        for accept in () if backend.form_module else (expected.accept, Accept()):
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
        values = lint_source(source(as_values(part)), LintSettings(layer=VALUES))
        assert sorted(one.code for one in values.diagnostics) == sorted(one.code for one in pod.diagnostics)
        assert values.shares == pod.shares


def test_many_rules_have_cases_for_charts() -> None:
    assert len({one.code for one in lint_cases.cases() if parts_of(one)}) > 80
