"""How rules are found, in a module, in a package and by their code; and what is said of all of them."""

import re
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module, invalidate_caches
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gpuxlate import locale
from gpuxlate.backends import registry
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model.diagnostics import LossKind, Severity
from gpuxlate.model.share import Share, ShareError, share_problems
from gpuxlate.rules import catalog, source, translation
from gpuxlate.rules.base import CodeTakenError, Rule, Scope, rule, rules_of
from gpuxlate.translation.fit import fit_pod

RULES = (*catalog.neutral_rules(), *registry.get("neutral").rules)

# --- in a module, in a package and in a package in an archive ---------------------------------------

RULE = '''
from gpuxlate.model.diagnostics import Severity
from gpuxlate.rules.base import rule

@rule("{code}", Severity.ERROR)
def {name}(this, pod, context):
    """A rule."""
'''
TWO = {
    "__init__.py": "",
    "second.py": RULE.format(code="XYZ001", name="first_rule"),
    "first.py": RULE.format(code="XYZ002", name="second_rule")
    + "from vendor_rules.second import first_rule\n",
    "helpers.py": "STEP = 5\n",
}


@pytest.fixture
def _clean() -> Iterator[None]:
    invalidate_caches()
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "vendor_rules"]:
        del sys.modules[name]


@pytest.mark.usefixtures("_clean")
@pytest.mark.parametrize("zipped", [False, True])
def test_every_module_of_a_package_is_looked_into(
    zipped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vendor_rules").mkdir()
    for path, text in TWO.items():
        if zipped:
            with zipfile.ZipFile(tmp_path / "rules.zip", "a") as archive:
                archive.writestr(f"vendor_rules/{path}", text)
        else:
            (tmp_path / "vendor_rules" / path).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path / "rules.zip" if zipped else tmp_path))
    found = rules_of(import_module("vendor_rules"))
    assert [(one.code, one.name) for one in found] == [("XYZ001", "first-rule"), ("XYZ002", "second-rule")]
    assert rules_of(import_module("vendor_rules.second")) == found[:1]


@pytest.mark.usefixtures("_clean")
def test_a_code_is_that_of_one_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    same = RULE.format(code="XYZ001", name="one") + RULE.format(code="XYZ001", name="other")
    (tmp_path / "vendor_rules.py").write_text(same)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(CodeTakenError, match="XYZ001 of one"):
        rules_of(import_module("vendor_rules"))


# --- by their code ------------------------------------------------------------------------------------


@rule("XYZ001", Severity.ERROR)
def own(this: Rule) -> None:
    """A vendor's rule."""


@rule("K8S001", Severity.ERROR)
def twin(this: Rule) -> None:
    """A rule with a code that is taken."""


def _backend(*rules: Rule) -> Any:
    return SimpleNamespace(name="other", rules=rules)


def test_a_rule_is_found_by_its_code() -> None:
    assert catalog.find_rule(" k8s003 ") is next(one for one in RULES if one.code == "K8S003")
    assert catalog.find_rule("VKE012") is None
    assert catalog.find_rule("NO001") is None
    both = [_backend(own), _backend(own)]  # two targets may share a module of rules
    assert list(catalog.all_rules(both)) == sorted([*(one.code for one in catalog.neutral_rules()), "XYZ001"])
    assert catalog.find_rule("xyz001", both) is own
    with pytest.raises(ValueError, match="K8S001"):
        catalog.all_rules([_backend(twin)])


def test_the_nearest_code() -> None:
    cases = {"K8S03": "K8S003", "k8s-1": "K8S001", "GX3": "GX003", "GX0003": "GX003", "GXX015": "GX015"}
    for code, near in {**cases, "XYZ1": "XYZ001", "ABCDEF": None, "": None}.items():
        assert catalog.nearest_code(code, [_backend(own)]) == near, code


# --- what is said of them ----------------------------------------------------------------------------


def test_the_rules_of_translation() -> None:
    """Severity and kind of fix; fixtures/lint has those of the rules that a file can break."""
    found = {f"{one.code} {one.severity} {one.fix}" for one in RULES if one.scope is Scope.TRANSLATION}
    of_severity = {
        "info": ("DRA020", "GX015", "GX016", "GX017", "GX018"),
        "warning": ("GX028", "GX029", "GX030", "GX031", "GX034", "GX038"),
        "error": (*("DRA015", "DRA016", "GX020", "GX021", "GX022", "GX023", "GX024", "GX026", "GX033"),),
    }
    assert found == {f"{code} {severity} None" for severity, codes in of_severity.items() for code in codes}


def test_what_rules_without_a_manifest_say() -> None:
    assert "{{" in source.file_parses("a colon is missing", True)[0]
    assert source.file_parses("a colon is missing")[0].endswith("a colon is missing")
    assert "templates folder" in source.template_is_rendered(True)[0]
    assert "{{" in source.template_is_rendered(False)[0]
    assert source.ignore_matches("VKE012")[1] == "remove the ignore"
    assert source.ignore_matches("VKE12", "VKE012")[1] == "did you mean VKE012?"
    problem = next(share_problems(2, 75, None))
    assert source.numbers_are_a_share(problem) == (problem.message, "write 74 or 76")
    found = translation.isolation_is_the_same("share", "volcengine-mgpu", ())
    assert "from share to that of volcengine-mgpu" in found.message


NO_KEY = {
    "GX001": "a file",
    "GX002": "whatever the key",
    **dict.fromkeys(("GX003", "GX004", "GX006", "GX013", "GX014", "GX027"), "any key of any vendor"),
    **dict.fromkeys(("GX005", "GX007", "GX008", "GX016", "GX036"), "the resources of all vendors"),
    **dict.fromkeys(("K8S001", "K8S002", "K8S010"), "the resources of all vendors"),
    **dict.fromkeys(("GX009", "GX034"), "a comment or an entry of a file of this tool"),
    **dict.fromkeys(("GX010", "GX037"), "a document as a whole"),
    "GX038": "what a release changes: any key",
    **dict.fromkeys(("GX012", "GX025"), "a file"),
    **dict.fromkeys(("GX020", "GX021", "GX023", "GX024", "GX026", "GX033"), "a translation: any field"),
    **dict.fromkeys(("GX028", "GX029", "GX030", "GX031", "DRA020"), "a translation: what is beside a share"),
}
"""What a rule is about that names no key in its summary."""


@pytest.mark.parametrize("language", locale.LANGUAGES)
def test_a_summary_is_that_of_one_rule_and_names_its_keys(language: locale.Language) -> None:
    summaries = {
        code: locale.summary(code, one.summary, language)
        for code, one in catalog.all_rules(registry.all_backends()).items()
    }
    codes = Counter(summaries.values())
    assert {code: text for code, text in summaries.items() if codes[text] > 1} == {}
    assert {code for code, text in summaries.items() if not re.search("`[^`]+`", text)} == set(NO_KEY)


def test_the_page_of_a_rounding_has_words_on_it() -> None:
    """``translate`` leads to the page of the code that a rounding has."""
    rules = catalog.all_rules(registry.all_backends())
    values = ((1, 2), (None, 3, 33, 60, 100, 124), (None, 100, 5000, 180000))
    shares = [share for one in product(*values) for share in _share(*one)]
    accept = Accept(round_up=True, fill={"cores": 30, "memoryMiB": 4096})
    outcomes = (
        fit_pod([ContainerShare("", 0, share=share)], backend, accept, None).outcomes[0]
        for backend in registry.all_backends()
        for share in shares
    )
    codes = {loss.code for one in outcomes for loss in one.losses if loss.kind is LossKind.ROUNDED}
    assert codes > {"TKE001", "TKE002", "ACK001", "VKE012"}
    assert {code for code in codes if "round" not in rules[code].sections["What it does"]} == set()


def _share(cards: int, cores: int | None, memory_mib: int | None) -> Iterator[Share]:
    with suppress(ShareError):
        yield Share(cards, cores, memory_mib)


def test_every_target_has_a_code_for_each_rule() -> None:
    found = catalog.all_rules(registry.all_backends())
    assert all(re.fullmatch(r"[A-Z][A-Z0-9]*[A-Z][0-9]{3}", code) for code in found)
    assert set(found) > {one.code for one in RULES}
