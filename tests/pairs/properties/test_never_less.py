"""Never less than asked, for every ordered pair of dialects: contract, section 3, through the whole pipeline.

A random pod is written in one dialect, translated as text, and read back in the other. On every card there
is at least what the source asked, but for a field that a flag let go, and then the report says so. What the
report says is given is what the text says. Nothing else changes, lint has no error against it, and a second
time nothing happens. Each pair has the same pods on every run.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import permutations

import pytest
import yaml
from hypothesis import given

from gpuxlate.backends.base import Backend
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.model.diagnostics import Severity
from gpuxlate.translation.pods.fit import Verdict
from gpuxlate.translation.translate import Translation
from gpuxlate.yamltext.source import Source
from tests.effort import tries

from .carried import assert_never_less, translated, verdict_of
from .sources import FIRST, PODS, Manifest, Question, budget, manifest, questions

PAIRS = [pytest.param(a, b, id=f"{a.name}-to-{b.name}") for a, b in permutations(PODS, 2)]
EXAMPLES = 200


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_never_less_than_asked(source: Backend, target: Backend) -> None:
    seen: Counter[Verdict] = Counter()

    @tries(budget(EXAMPLES, source, target))
    @given(questions(source.name, target.name))
    def holds(question: Question) -> None:
        asked = manifest(question, source)
        if asked is None:
            return
        done = translated(asked.text, source, target, question)
        if done.refused:
            seen[Verdict.REFUSED] += 1
            assert not done.changed
            return
        seen[verdict_of(done)] += 1
        assert {item.container: item.share for item in done.items} == asked.shares
        assert_never_less(done, target, question)
        assert_nothing_else_changed(asked, done, source, target)
        assert_right_in_its_dialect(done, target, question)

    holds()
    if source.name in FIRST and target.name in FIRST:
        assert seen[Verdict.EXACT] > 0, "else nothing is said about this pair"
        assert seen[Verdict.REFUSED] > 0


def assert_nothing_else_changed(asked: Manifest, done: Translation, source: Backend, target: Backend) -> None:
    """Replicas and the rest stay, limits and requests are alike, and no key of the source is left."""
    before, after = (next(yaml.safe_load_all(text)) for text in (asked.text, done.text))
    assert after["spec"]["replicas"] == before["spec"]["replicas"]
    assert after["metadata"] == before["metadata"]
    for one in after["spec"]["template"]["spec"]["containers"]:
        resources = one.get("resources", {})
        assert resources.get("requests", resources.get("limits")) == resources.get("limits")
    gone = {row.name for row in source.keys} - {row.name for row in target.keys}
    assert not [name for name in gone if re.search(rf"(?<![\w./-]){re.escape(name)}:", done.text)], done.text


def assert_right_in_its_dialect(done: Translation, target: Backend, question: Question) -> None:
    """Lint has no error against it, with the same profile; a second time nothing changes."""
    settings = LintSettings(question.profile, lambda _code: True)
    found = lint_source(Source("web.yaml", done.text), settings).diagnostics
    errors = [one for one in found if one.severity is Severity.ERROR]
    assert not errors, (errors, done.text)
    again = translated(done.text, target, target, question)
    assert (again.text, again.diagnostics) == (done.text, ())
