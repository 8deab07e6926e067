"""The cases of the rules: ``fixtures/lint/<CODE>.yaml``, a file for each rule that a manifest can break.

``profile`` is the cluster's profile, of all cases or of one. Each of the ``cases`` has

- ``name``: ``bad...`` breaks the rule, ``good...`` keeps it; one that ends in ``.json`` is JSON
- ``manifest``: the text
- ``findings``: all of them, each ``line:column-endcolumn CODE``; left out where there are none
- ``fixed``: the lines that ``--unsafe-fixes`` removes (``-``) and writes (``+``), where there is a fix
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from gpuxlate.config.configuration import load_profile
from gpuxlate.model.profile import Profile
from gpuxlate.yamltext.source import Source

FOLDER = Path(__file__).parents[2] / "fixtures" / "lint"


@dataclass(frozen=True, slots=True)
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
def cases() -> tuple[Case, ...]:
    """All cases, by rule."""
    return tuple(case for path in sorted(FOLDER.glob("*.yaml")) for case in _cases(path))


def _cases(path: Path) -> list[Case]:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    found = []
    for one in data["cases"]:
        profile = one.pop("profile", data.get("profile"))
        found.append(
            Case(
                code=path.stem,
                name=one.pop("name"),
                text=one.pop("manifest"),
                findings=tuple(one.pop("findings", ())),
                fixed=one.pop("fixed", ""),
                profile=None if profile is None else load_profile(profile),
            )
        )
        assert not one, f"{path.name}: {', '.join(one)}"
    return found


def write_cases(folder: Path) -> None:
    """Each manifest as a file of its own, for commands that read folders."""
    for case in cases():
        path = folder / case.id
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(case.text, encoding="utf-8")
