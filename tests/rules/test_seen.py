"""What rules see of a pod: what looks the same is judged the same."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path

import pytest

from gpuxlate.backends import registry
from gpuxlate.lint import judged as judging
from gpuxlate.lint.check import LintSettings, lint_pod
from gpuxlate.lint.judged import NAMES, _foreign, judged
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.rules.base import Context
from gpuxlate.rules.seen import seen
from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.source import Source

CONTEXT = Context(None, registry.pod_backends())


def pods() -> list[PodKeys]:
    found: list[PodKeys] = []
    for path in sorted(Path("fixtures").rglob("*.yaml")):
        try:
            for document in documents(Source(path.name, path.read_text(encoding="utf-8"))):
                found += [pod.keys for pod in pods_in(document)]
        except NotYamlError:
            pass
    return found


PODS = pods()


def codes(pod: PodKeys) -> list[tuple[str, str, bool]]:
    return [(one.code, str(one.severity), one.fix is not None) for one in lint_pod(pod, CONTEXT)]


def test_pods_of_the_fixtures_that_look_the_same_have_the_same_findings() -> None:
    by_look: dict[Hashable, list[PodKeys]] = defaultdict(list)
    for pod in PODS:
        by_look[seen(pod, _foreign)].append(pod)
    assert len(PODS) > len(by_look) > 100  # some do, most do not
    for alike in by_look.values():
        assert all(codes(pod) == codes(alike[0]) for pod in alike)


@pytest.mark.parametrize("name", [*sorted(NAMES), "helm.sh/chart", "example.com/team"])
def test_what_a_workload_is_called_changes_no_finding(name: str) -> None:
    for pod in PODS[::5]:
        called = {**pod.labels, name: Value("vke.volcengine.com/mgpu-core", path=(*pod.metadata_path, "x"))}
        other = replace(pod, labels=called, owner_labels={**pod.owner_labels, name: Value("30")})
        assert seen(other, _foreign) == seen(pod, _foreign)
        assert codes(other) == codes(pod)


def test_another_context_is_another_judgement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "FEW", 0)
    pod = next(one for one in PODS if not codes(one))
    asked: list[Context] = []

    def judge(_: PodKeys, context: Context) -> list[object]:
        asked.append(context)
        return []

    other = LintSettings(None).context
    for context in (CONTEXT, CONTEXT, replace(CONTEXT, dialects=CONTEXT.dialects[:1]), CONTEXT, other):
        judged(pod, context, "test", judge)  # type: ignore[arg-type]
    judged(pod, other, "somebody else", judge)  # type: ignore[arg-type]
    assert len(asked) == 4


def test_the_first_few_pods_are_judged_without_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    pod = next(one for one in PODS if not codes(one))
    asked: list[Context] = []
    monkeypatch.setattr(judging, "_known", (None, {}))
    for _ in range(judging.FEW + 5):
        judged(pod, CONTEXT, "test", lambda _, context: asked.append(context) or [])  # type: ignore[func-returns-value]
    assert len(asked) == judging.FEW + 1


_KEY = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+/[A-Za-z0-9._-]*|[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")


def test_every_key_that_a_rule_or_target_names_has_a_mark() -> None:
    """What has none is foreign: a rule that looks at such a key would not be asked twice."""
    named: set[str] = set()
    for folder in ("rules", "backends"):
        for path in Path("gpuxlate", folder).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            docs = {
                id(node.body[0].value)
                for node in ast.walk(tree)
                if isinstance(node, ast.FunctionDef | ast.Module | ast.ClassDef)
                and node.body
                and isinstance(node.body[0], ast.Expr)
            }
            for node in ast.walk(tree):
                text = node.value if isinstance(node, ast.Constant) and id(node) not in docs else None
                if isinstance(text, str) and _KEY.fullmatch(text):
                    named.add(text)
    assert len(named) > 60
    assert {one for one in named if _foreign(one)} == set()
