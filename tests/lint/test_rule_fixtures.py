"""Every rule that a file can break: ``fixtures/lint/<CODE>/`` holds files that break and keep it.

``bad.expected`` beside ``bad.yaml`` (``bad.json.expected`` beside ``bad.json``) lists all findings of
the file, one a line: ``line:column-endcolumn CODE``. A file without such a list has no finding. A
``profile.yaml`` stands for the cluster of all files of the folder, ``good.profile.yaml`` of one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuxlate.backends import registry
from gpuxlate.cli.common import read_yaml
from gpuxlate.config.configuration import load_profile_file
from gpuxlate.inputs.relevance import may_matter
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Scope
from gpuxlate.yamltext.source import Source

FOLDER = Path(__file__).parents[2] / "fixtures" / "lint"
FILES = sorted(
    path for path in FOLDER.glob("*/*") if path.suffix in (".yaml", ".json") and "profile" not in path.name
)
RULES = catalog.all_rules(registry.all_backends())
OF_FILES = [one for one in RULES.values() if one.scope in (Scope.POD, Scope.DOCUMENT, Scope.SOURCE)]


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def expected(path: Path) -> list[str]:
    listed = path.with_name((path.stem if path.suffix == ".yaml" else path.name) + ".expected")
    return listed.read_text().splitlines() if listed.is_file() else []


def found(path: Path) -> list[Diagnostic]:
    profiles = [path.with_name(f"{path.stem}.profile.yaml"), path.with_name("profile.yaml")]
    profile = next((load_profile_file(one, read_yaml) for one in profiles if one.is_file()), None)
    source = Source.from_bytes(path.name, path.read_bytes())
    return lint_source(source, LintSettings(profile)).diagnostics


def shown(one: Diagnostic) -> str:
    assert one.span is not None
    assert one.span.line == one.span.end_line
    return f"{one.span.line}:{one.span.column}-{one.span.end_column} {one.code}"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_the_findings_of_a_file(path: Path) -> None:
    diagnostics = found(path)
    assert [shown(one) for one in diagnostics] == expected(path)
    for one in diagnostics:
        assert one.severity.rank >= 0
        assert one.message
        assert one.message[0] not in "., "


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_bad_file_breaks_its_rule_and_a_good_one_keeps_it(path: Path) -> None:
    kind = path.name.partition(".")[0].partition("-")[0]
    assert kind in ("bad", "good")
    assert (path.parent.name in {one.code for one in found(path)}) == (kind == "bad")


@pytest.mark.parametrize("code", [one.code for one in OF_FILES])
def test_every_rule_has_files(code: str) -> None:
    names = {path.name for path in (FOLDER / code).iterdir()}
    assert {"bad.yaml", "bad.expected", "good.yaml"} <= names


def test_no_folder_is_without_its_rule() -> None:
    assert {path.name for path in FOLDER.iterdir()} <= set(RULES)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_what_has_findings_passes_the_test_of_its_text(path: Path) -> None:
    codes = {one.code for one in found(path)} - {"GX001", "GX012", "GX025"}  # of a text that is not read
    assert not codes or may_matter(path.read_bytes())
