"""The cases of the rules: ``fixtures/lint/<CODE>.yaml``, a file for each rule that a manifest can break.

``severity`` and ``fix`` are the rule's. ``profile`` is the cluster's profile, of all cases or of one. Each of
the ``cases`` has

- ``name``: ``bad...`` breaks the rule, ``good...`` keeps it; one that ends in ``.json`` is JSON
- ``manifest``: the text; left out in ``bad`` and ``good`` where it is the example on the page of the rule
  (which may have a profile)
- ``findings``: all of them, each ``line:column-endcolumn CODE``; left out where there are none
- ``fixed``: the lines that ``--unsafe-fixes`` removes (``-``) and writes (``+``), where there is a fix
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gpuxlate.config.configuration import load_profile
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.fix import Fixed, fix_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.profile import Profile
from gpuxlate.yamltext.source import Source
from tests.lint import of_rows
from tests.rules.examples import EXAMPLE, INSTEAD, RULES, manifest

SERVED = {
    *("HAMI009/good-pod-of-a-server.yaml", "HAMI009/good-running.yaml"),
    "K8S002/good-object-of-a-server.yaml",
}
"""Cases that are right because a server wrote them, which neither a part nor a schema sees."""
FOLDER = Path(__file__).parents[2] / "fixtures" / "lint"


@dataclass(frozen=True, slots=True, eq=False)  # each is itself alone, and a key of caches
class Case:
    """One manifest, and what is found in it."""

    code: str
    name: str
    text: str
    findings: tuple[str, ...]
    fixed: str
    profile: Profile | None

    @property
    def id(self) -> str:
        """``TKE001/bad.yaml``: also its path where the cases are written as files."""
        return f"{self.code}/{self.name}" + ("" if self.name.endswith(".json") else ".yaml")

    @property
    def is_bad(self) -> bool:
        return self.name.startswith("bad")

    @property
    def source(self) -> Source:
        return Source(self.id.rpartition("/")[2], self.text)


@cache
def files() -> dict[str, dict[str, Any]]:
    """What each file holds, by code, and of_rows.py for the rules that follow from rows; these may have more
    cases in a file of their own."""
    found = dict(of_rows.entries())
    for path in sorted(FOLDER.glob("*.yaml")):
        data = of_rows.read(path)
        made = found.get(path.stem, {"cases": []})
        found[path.stem] = {**made, **data, "cases": [*made["cases"], *data["cases"]]}
    return found


@cache
def cases() -> tuple[Case, ...]:
    """All cases, by rule."""
    return tuple(_case(code, data, one) for code, data in files().items() for one in data["cases"])


@cache
def texts() -> frozenset[tuple[str, str]]:
    """The manifests of all cases, each with the code of its rule."""
    return frozenset((case.code, case.text.strip()) for case in cases())


def _case(code: str, data: dict[str, Any], one: dict[str, Any]) -> Case:
    assert set(data) <= {"severity", "fix", "profile", "cases"}, code
    assert set(one) <= {"name", "profile", "manifest", "findings", "fixed"}, (code, one["name"])
    profile = one.get("profile", data.get("profile"))
    text = one.get("manifest")
    if text is None:
        text = manifest(RULES[code], {"bad": EXAMPLE, "good": INSTEAD}[one["name"]])
        profile = profile or of_rows.profile(RULES[code])
    return Case(
        code=code,
        name=one["name"],
        text=text,
        findings=tuple(one.get("findings", ())),
        fixed=one.get("fixed", ""),
        profile=None if profile is None else load_profile(profile),
    )


@cache
def found(case: Case) -> list[Diagnostic]:
    """All that is found in the case."""
    return lint_source(case.source, LintSettings(case.profile)).diagnostics


@cache
def fixed(case: Case, unsafe: bool, /) -> Fixed:
    """What the fixes of a case make of it."""
    return fix_source(case.source, LintSettings(case.profile), unsafe=unsafe)


def write_cases(folder: Path) -> None:
    """Each manifest as a file of its own, for commands that read folders."""
    for case in cases():
        path = folder / case.id
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(case.text, encoding="utf-8")
