"""The cases of the rules that follow from rows: their own examples, with what is found in them.

A rule with a file of its own that gives its severity (``fixtures/lint/<CODE>.yaml``) has its cases there; one
without has more cases there, beside its example.

``fixtures/lint/of-rows/<target>.yaml`` has an entry for each such rule of a target:

- ``severity`` and ``fix`` are the rule's;
- ``bad`` and ``good``: all that is found in its example and in what its page writes instead, each
  ``line:column-endcolumn CODE`` in the manifest that ``manifest`` makes of it;
- ``fixed``: the lines that ``--unsafe-fixes`` removes (``-``) and writes (``+``) in the example.

``python -m tests.lint.of_rows`` writes them anew; read the difference before it is committed.
"""

from collections.abc import Iterator, Mapping
from difflib import unified_diff
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.row_rules import WrittenRule
from gpuxlate.config.configuration import load_profile
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.rules.base import Rule
from gpuxlate.yamltext.source import Source
from tests.rules.examples import EXAMPLE, INSTEAD, blocks, manifest
from tests.tables import from_yaml

FOLDER = Path(__file__).parents[2] / "fixtures" / "lint" / "of-rows"
"""Beside the files of the other rules, which are written by hand."""


def rules(backend: Backend) -> list[Rule]:
    """The rules that follow from the rows of a target, and whose cases are not written by hand."""
    files = {one.code: FOLDER.parent / f"{one.code}.yaml" for one in backend.rules}
    by_hand = {code for code, path in files.items() if path.exists() and "severity" in read(path)}
    return [one for one in backend.rules if isinstance(one, WrittenRule) and one.code not in by_hand]


@cache
def read(path: Path) -> dict[str, Any]:
    """What a file of cases holds."""
    found: dict[str, Any] = from_yaml(path.read_text(encoding="utf-8"))
    return found


def profile(one: Rule) -> dict[str, Any] | None:
    """The profile that its example needs."""
    found = (text for kind, text in blocks(one.sections[EXAMPLE]) if kind == "profile")
    return from_yaml(next(found, "")) or None


def entries() -> Iterator[tuple[str, dict[str, Any]]]:
    """The rules with entries, as the files of other rules have them, by code."""
    for backend in registry.all_backends():
        path = FOLDER / f"{backend.name}.yaml"
        said = read(path) if path.exists() else {}
        for one in rules(backend):
            if one.code in said:
                yield one.code, _as_file(one, said[one.code])


def _as_file(one: Rule, said: Mapping[str, Any]) -> dict[str, Any]:
    bad = {"name": "bad", "manifest": manifest(one, EXAMPLE), "findings": said["bad"]}
    bad |= {"fixed": said.get("fixed", "")}
    good = {"name": "good", "manifest": manifest(one, INSTEAD), "findings": said.get("good", [])}
    of_rule = {name: said[name] for name in ("severity", "fix") if name in said}
    return {**of_rule, "profile": profile(one), "cases": [bad, good]}


def _found(one: Rule) -> dict[str, Any]:
    """What is found now."""
    needs = profile(one)
    settings = LintSettings(None if needs is None else load_profile(needs))
    entry: dict[str, Any] = {"severity": str(one.severity), **({"fix": one.fix} if one.fix else {})}
    for name, heading in (("bad", EXAMPLE), ("good", INSTEAD)):
        linted = lint_source(Source(f"{name}.yaml", manifest(one, heading)), settings).diagnostics
        entry |= {name: [*map(shown, linted)]} if linted else {}
    text = manifest(one, EXAMPLE)
    lines = changed(text, fix_source(Source("bad.yaml", text), settings, unsafe=True).text)
    return {**entry, **({"fixed": "".join(f"{line}\n" for line in lines)} if lines else {})}


def shown(one: Diagnostic) -> str:
    assert one.span is not None
    assert one.span.line == one.span.end_line
    return f"{one.span.line}:{one.span.column}-{one.span.end_column} {one.code}"


def changed(before: str, after: str) -> list[str]:
    """The lines that are removed and written."""
    lines = list(unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))[2:]
    return [line for line in lines if not line.startswith("@@")]


def _main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for backend in registry.all_backends():
        found = {one.code: _found(one) for one in rules(backend)}
        path = FOLDER / f"{backend.name}.yaml"
        path.unlink(missing_ok=True)
        if found:
            path.write_text(yaml.safe_dump(found, sort_keys=False, width=200), encoding="utf-8")


if __name__ == "__main__":
    _main()
