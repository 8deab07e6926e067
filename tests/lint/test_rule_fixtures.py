"""Every rule that a file can break: ``fixtures/lint/<CODE>.yaml`` holds manifests that break and keep it."""

from __future__ import annotations

import pytest

from gpuxlate.backends import registry
from gpuxlate.inputs.relevance import may_matter
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Scope
from tests.lint.cases import Case, cases, files

CASES = [pytest.param(case, id=case.id) for case in cases()]
RULES = catalog.all_rules(registry.all_backends())
OF_FILES = [one for one in RULES.values() if one.scope in (Scope.POD, Scope.DOCUMENT, Scope.SOURCE)]


def found(case: Case) -> list[Diagnostic]:
    return lint_source(case.source, LintSettings(case.profile)).diagnostics


def shown(one: Diagnostic) -> str:
    assert one.span is not None
    assert one.span.line == one.span.end_line
    return f"{one.span.line}:{one.span.column}-{one.span.end_column} {one.code}"


@pytest.mark.parametrize("case", CASES)
def test_the_findings_of_a_case(case: Case) -> None:
    diagnostics = found(case)
    assert tuple(map(shown, diagnostics)) == case.findings
    for one in diagnostics:
        assert one.severity.rank >= 0
        assert one.message
        assert one.message[0] not in "., "


@pytest.mark.parametrize("case", CASES)
def test_a_bad_case_breaks_its_rule_and_a_good_one_keeps_it(case: Case) -> None:
    assert case.name.startswith(("bad", "good"))
    assert (case.code in {one.code for one in found(case)}) == case.is_bad


@pytest.mark.parametrize("code", files())
def test_the_severity_and_the_fix_of_a_rule(code: str) -> None:
    data = files()[code]
    assert (data["severity"], data.get("fix")) == (RULES[code].severity, RULES[code].fix)


@pytest.mark.parametrize("code", [one.code for one in OF_FILES])
def test_every_rule_has_cases(code: str) -> None:
    assert {"bad", "good"} <= {case.name for case in cases() if case.code == code}


def test_names_are_used_once() -> None:
    ids = [case.id for case in cases()]
    assert len(set(ids)) == len(ids)


def test_no_file_is_without_its_rule() -> None:
    assert set(files()) <= set(RULES)


@pytest.mark.parametrize("case", CASES)
def test_what_has_findings_passes_the_test_of_its_text(case: Case) -> None:
    codes = {one.code for one in found(case)} - {"GX001", "GX012", "GX025"}  # of a text that is not read
    assert not codes or may_matter(case.text.encode())
