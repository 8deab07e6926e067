"""The text of every rule: its headings, and all that holds of its examples in one test a rule."""

from pathlib import Path

import pytest

from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.rules import base
from gpuxlate.rules.base import Rule
from tests.checks import all_hold
from tests.lint.cases import texts
from tests.policy.test_verdicts import policies_agree_on_the_examples
from tests.rules.examples import EXAMPLE, INSTEAD, OF_PODS, RULES, findings, manifest
from tests.rules.test_verdicts import cel_agrees_on_the_examples
from tests.spec.test_overlay import SAYABLE, flagged

HEADINGS = ("What it does", "Why", "Example", "Use instead", "Fix", "Source")
ALSO: dict[str, set[str]] = {
    "ASCEND004": {"ASCEND020"},  # with another mode, compute in percent is refused
    "GX003": {"VKE011"},  # with compute under a misspelt key there is memory without compute
    "GX007": {"VKE012"},  # 4 MiB, where 4096 are meant, are below the least as well
}
"""Errors that an Example cannot do without, by the code of its rule."""


def errors(found: list[Diagnostic]) -> set[str]:
    return {one.code for one in found if one.severity is Severity.ERROR}


def the_example_breaks_the_rule(rule: Rule) -> None:
    found = findings(rule, EXAMPLE)
    assert rule.code in {one.code for one in found}
    assert errors(found) - {rule.code} == ALSO.get(rule.code, set())


def what_to_use_instead_keeps_every_rule(rule: Rule) -> None:
    found = findings(rule, INSTEAD)
    assert rule.code not in {one.code for one in found}
    assert errors(found) == set()


def the_schema_agrees(rule: Rule) -> None:
    for heading in (EXAMPLE, INSTEAD):
        places = flagged(manifest(rule, heading))
        if heading == INSTEAD:
            assert places == []
        elif rule.code in SAYABLE:
            assert places


CHECKS = (the_example_breaks_the_rule, what_to_use_instead_keeps_every_rule, cel_agrees_on_the_examples)
OF_NO_CASE = (the_schema_agrees, policies_agree_on_the_examples)


@pytest.mark.parametrize("rule", OF_PODS, ids=lambda rule: rule.code)
def test_the_examples_of_a_rule(rule: Rule) -> None:
    """Where they are cases of the same rule, test_cases.py asks the schema and the policies."""
    are_cases = {(rule.code, manifest(rule, heading).strip()) for heading in (EXAMPLE, INSTEAD)} <= texts()
    all_hold(rule, CHECKS if are_cases else (*CHECKS, *OF_NO_CASE))


def test_each_example_of_a_manifest_is_a_file() -> None:
    """Those of this package are in gpuxlate/rules/examples, not in docstrings too; no file is left over."""
    in_docstrings = {code for code, one in RULES.items() if "```yaml\n" in (one.check.__doc__ or "")}
    assert in_docstrings == set()
    files = {path.stem for path in Path(base.__file__).with_name("examples").iterdir()}
    assert {code for code in files if code not in RULES or RULES[code].page is not None} == set()


def test_headings() -> None:
    wanted = {one.code: [name for name in HEADINGS if name != "Fix" or one.fix] for one in RULES.values()}
    assert {one.code: list(one.sections) for one in RULES.values()} == wanted
    assert [one.code for one in RULES.values() if not one.summary.endswith(".")] == []
    assert [one.code for one in RULES.values() if not all(one.sections.values())] == []
