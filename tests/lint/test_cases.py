"""Every rule that a file can break: ``fixtures/lint/<CODE>.yaml`` holds manifests that break and keep it.

One test a case asks all that holds of it: what is found and where, what the fixes change, and what its parts,
an ignore, the other parser, the schema, the policies and a chart make of it. What belongs to another subject
is beside the tests of that subject.
"""

import pytest

from gpuxlate.backends import registry
from gpuxlate.files.relevance import might_have_gpu_keys
from gpuxlate.lint.fix import fix_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Scope
from gpuxlate.yamltext.source import Source
from tests.charts.test_as_pods import values_have_the_findings_of_pods
from tests.checks import all_hold
from tests.lint.cases import Case, cases, files, fixed, found
from tests.lint.of_rows import changed, shown
from tests.lint.test_add_ignores import every_finding_can_be_ignored
from tests.lint.test_fix_never_less import no_fix_takes_away
from tests.lint.test_parts import parts_have_no_findings_of_their_own
from tests.manifest.test_events import both_parsers_read_alike
from tests.policy.test_verdicts import policies_agree
from tests.rules.test_proposals import no_way_out_gives_a_new_error
from tests.rules.test_verdicts import check_cel_agrees
from tests.spec.test_overlay import the_schema_agrees

RULES = catalog.all_rules(registry.all_backends())
OF_FILES = [one for one in RULES.values() if one.scope in (Scope.POD, Scope.DOCUMENT, Scope.SOURCE)]


def the_findings_are_those_of_the_file(case: Case) -> None:
    diagnostics = found(case)
    assert tuple(map(shown, diagnostics)) == case.findings
    assert case.name.startswith(("bad", "good"))
    assert (case.code in {one.code for one in diagnostics}) == case.is_bad
    for one in diagnostics:
        assert one.severity.rank >= 0
        assert one.message
        assert one.message[0] not in "., "


def what_has_findings_is_not_passed_over(case: Case) -> None:
    codes = {one.code for one in found(case)} - {"GX001", "GX012", "GX025"}  # of a text that is not read
    assert not codes or might_have_gpu_keys(case.text.encode())


def fixable(diagnostics: list[Diagnostic], unsafe: bool) -> list[Diagnostic]:
    return [one for one in diagnostics if one.fix and (one.fix.safe or unsafe)]


def what_can_be_fixed_is(case: Case) -> None:
    settings = LintSettings(case.profile)
    for unsafe in (False, True):
        done = fixed(case, unsafe)
        wanted = fixable(found(case), unsafe)
        assert (done.fixes > 0) == bool(wanted) == (done.text != case.text)
        if not wanted:
            continue
        left = {(one.code, one.message) for one in done.linted.diagnostics}
        assert not left & {(one.code, one.message) for one in wanted}
        assert fixable(done.linted.diagnostics, unsafe) == []
        # what was found of the new text is what is found of it when it is read again
        again = fix_source(Source(case.source.name, done.text), settings, unsafe=unsafe)
        assert (again.text, again.fixes) == (done.text, 0)
        codes = [one.code for one in done.linted.diagnostics]
        assert [one.code for one in again.linted.diagnostics] == codes


def a_fix_changes_the_lines_of_the_file(case: Case) -> None:
    done = fixed(case, True)
    lines = changed(case.text, done.text)
    assert lines == case.fixed.splitlines()
    # a move takes away a line and the key above, and writes a line and up to two keys above
    assert sum(line.startswith("+") for line in lines) <= 5 * done.fixes


CHECKS = (
    the_findings_are_those_of_the_file,
    what_has_findings_is_not_passed_over,
    what_can_be_fixed_is,
    a_fix_changes_the_lines_of_the_file,
    no_fix_takes_away,
    no_way_out_gives_a_new_error,
    parts_have_no_findings_of_their_own,
    every_finding_can_be_ignored,
    both_parsers_read_alike,
    the_schema_agrees,
    check_cel_agrees,
    policies_agree,
    values_have_the_findings_of_pods,
)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_a_case(case: Case) -> None:
    all_hold(case, CHECKS)


def test_every_rule_has_cases() -> None:
    ids = [case.id for case in cases()]
    assert len(set(ids)) == len(ids)
    assert set(files()) <= set(RULES)
    there = {(case.code, case.name) for case in cases()}
    missing = {one.code for one in OF_FILES if not {(one.code, "bad"), (one.code, "good")} <= there}
    assert missing == set(), "`python -m tests.lint.of_rows` writes the cases of rules that follow from rows"


def test_the_severity_and_the_fix_of_a_rule() -> None:
    said = {code: (data["severity"], data.get("fix")) for code, data in files().items()}
    assert said == {code: (RULES[code].severity, RULES[code].fix) for code in said}


def test_each_rule_with_a_fix_is_fixed_in_some_case() -> None:
    mended: set[str] = set()
    for case in cases():
        if case.is_bad:
            after = fixed(case, True).linted.diagnostics
            mended |= {one.code for one in fixable(found(case), True)} - {one.code for one in after}
    of_files = (Scope.POD, Scope.DOCUMENT)
    fixing = {one.code for one in RULES.values() if one.fix and one.scope in of_files}
    assert fixing - mended == set(), "no bad case of these rules has a `fixed`"
    assert mended - fixing == set()
