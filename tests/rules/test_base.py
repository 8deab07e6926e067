"""How the rules of a module, of a package, and of a package in an archive are found."""

import sys
import zipfile
from collections.abc import Iterator
from importlib import import_module, invalidate_caches
from pathlib import Path

import pytest

from gpuxlate.rules.base import CodeTakenError, rules_of

RULE = '''
from gpuxlate.model.diagnostics import Severity
from gpuxlate.rules.base import rule

@rule("{code}", Severity.ERROR)
def {name}(this, pod, context):
    """A rule."""
'''


def _package(**modules: str) -> dict[str, str]:
    return {"vendor_rules/__init__.py": "", **{f"vendor_rules/{k}.py": v for k, v in modules.items()}}


@pytest.fixture
def _clean() -> Iterator[None]:
    invalidate_caches()
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "vendor_rules"]:
        del sys.modules[name]


TWO = _package(
    second=RULE.format(code="XYZ001", name="first_rule"),
    first=RULE.format(code="XYZ002", name="second_rule") + "from vendor_rules.second import first_rule\n",
    helpers="STEP = 5\n",
)


@pytest.mark.usefixtures("_clean")
@pytest.mark.parametrize("zipped", [False, True])
def test_every_module_of_a_package_is_looked_into(
    zipped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "rules.zip" if zipped else tmp_path
    for path, text in TWO.items():
        if zipped:
            with zipfile.ZipFile(place, "a") as archive:
                archive.writestr(path, text)
        else:
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text(text)
    monkeypatch.syspath_prepend(str(place))
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
