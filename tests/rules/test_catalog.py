"""The catalogue of rules, and the docstrings of those that belong to no vendor."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from gpuxlate.backends import registry
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.share_problems import share_problems
from gpuxlate.rules import catalog, source, translation
from gpuxlate.rules.base import Rule, Scope, rule

# code, severity and kind of fix of the rules of translation; fixtures/lint has those that a file can break
TABLE = """
DRA015 error -
DRA016 error -
GX015 info -
GX016 info -
GX017 info -
GX018 info -
GX020 error -
GX021 error -
GX022 error -
GX023 error -
GX024 error -
GX026 error -
GX028 warning -
GX029 warning -
GX030 warning -
GX031 warning -
GX033 error -
"""
RULES = (*catalog.neutral_rules(), *registry.get("neutral").rules)
RUN = [one for one in catalog.neutral_rules() if one.scope in (Scope.POD, Scope.DOCUMENT)]
HEADINGS = ("What it does", "Why", "Example", "Use instead", "Fix", "Source")


def test_the_rules_of_translation_are_those_of_the_table() -> None:
    found = [f"{one.code} {one.severity} {one.fix or '-'}" for one in RULES if one.scope is Scope.TRANSLATION]
    assert sorted(found) == sorted(TABLE.split("\n")[1:-1])


@pytest.mark.parametrize("one", RULES, ids=lambda one: one.code)
def test_the_headings_of_a_docstring(one: Rule) -> None:
    assert tuple(one.sections) == tuple(h for h in HEADINGS if h != "Fix" or one.fix)
    assert one.summary.endswith(".")
    assert all(one.sections.values())


def _block(one: Rule, heading: str) -> str:
    blocks = re.findall(r"^```yaml\n(.*?)^```", one.sections[heading], re.DOTALL | re.MULTILINE)
    assert len(blocks) == 1
    return str(blocks[0])


@pytest.mark.parametrize("one", RUN, ids=lambda one: one.code)
def test_the_examples_of_a_docstring(
    one: Rule, lint: Callable[..., Any], manifest: Callable[[str], str]
) -> None:
    assert lint(manifest(_block(one, "Example"))).of(one.code)
    assert lint(manifest(_block(one, "Use instead"))).codes == []


def test_a_rule_is_found_by_its_code() -> None:
    assert catalog.find(" k8s003 ") is next(one for one in RULES if one.code == "K8S003")
    assert catalog.find("VKE012") is None
    assert catalog.find("NO001") is None


@rule("XYZ001", Severity.ERROR)
def own(this: Rule) -> None:
    """A vendor's rule."""


@rule("K8S001", Severity.ERROR)
def twin(this: Rule) -> None:
    """A rule with a code that is taken."""


def _backend(*rules: Rule) -> Any:
    return SimpleNamespace(name="other", rules=rules)


def test_the_rules_of_backends() -> None:
    both = [_backend(own), _backend(own)]  # two targets may share a module of rules
    assert list(catalog.all_rules(both)) == sorted([*(one.code for one in catalog.neutral_rules()), "XYZ001"])
    assert catalog.find("xyz001", both) is own
    with pytest.raises(ValueError, match="K8S001"):
        catalog.all_rules([_backend(twin)])


@pytest.mark.parametrize(
    ("code", "near"),
    [
        ("K8S03", "K8S003"),
        ("k8s-1", "K8S001"),
        ("GX3", "GX003"),
        ("GX0003", "GX003"),
        ("GXX015", "GX015"),
        ("XYZ1", "XYZ001"),
        ("ABCDEF", None),
        ("", None),
    ],
)
def test_the_nearest_code(code: str, near: str | None) -> None:
    assert catalog.nearest(code, [_backend(own)]) == near


def test_finding_nothing_loads_no_rules() -> None:
    script = (
        "import sys, gpuxlate.rules.catalog\n"
        "print(sorted(m for m in sys.modules if m.startswith('gpuxlate.rules.')))"
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "kubernetes" not in loaded
    assert "documents" not in loaded


def test_rules_of_a_source() -> None:
    assert "{{" in source.file_parses("a colon is missing", True)[0]
    assert source.file_parses("a colon is missing")[0].endswith("a colon is missing")
    assert "templates folder" in source.template_is_rendered(True)[0]
    assert "{{" in source.template_is_rendered(False)[0]
    assert source.ignore_matches("VKE012")[1] == "remove the ignore"
    assert source.ignore_matches("VKE12", "VKE012")[1] == "did you mean VKE012?"
    problem = next(share_problems(2, 75, None))
    assert source.numbers_are_a_share(problem) == (problem.message, "write 74 or 76")


def test_the_change_of_isolation_is_said() -> None:
    found = translation.isolation_is_the_same("share", "volcengine-mgpu", ())
    assert "from share to that of volcengine-mgpu" in found.message


def test_every_target_has_a_code_for_each_rule() -> None:
    found = catalog.all_rules(registry.all_backends())
    assert all(re.fullmatch(r"[A-Z][A-Z0-9]*[A-Z][0-9]{3}", code) for code in found)
    assert set(found) > {one.code for one in RULES}
