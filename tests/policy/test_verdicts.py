"""The verdict of the generated policies is the verdict of lint: the same codes, as severe, for the same pods."""

from __future__ import annotations

import json
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.lint.check import everything
from gpuxlate.model.diagnostics import Severity
from gpuxlate.policy.demands import ENFORCED, demands
from gpuxlate.policy.documents import Policy, Style, policy
from gpuxlate.policy.subjects import Pods, Templates
from tests.lint.cases import Case, cases
from tests.policy.engine import Engine, Object, as_served
from tests.rules.test_verdicts import NO_TEXT, pods
from tests.rules.verdicts import in_digits, pods_of
from tests.test_rule_examples import EXAMPLE, INSTEAD, blocks, manifest_of

BACKENDS = registry.pod_backends()


@cache
def made(name: str, scope: str) -> dict[Severity, tuple[Policy, Engine]]:
    """The policies of a dialect, by severity."""
    backend = registry.get(name)
    asked = demands(backend, None, everything)
    subject = Pods(backend) if scope == "pods" else Templates(backend, tuple(one.predicate for one in asked))
    found = {severity: policy(subject, severity, asked, Style()) for severity in ENFORCED}
    return {severity: (one, Engine(one.spec)) for severity, one in found.items() if one is not None}


@cache
def enforced(scope: str) -> frozenset[str]:
    return frozenset(
        code for one in BACKENDS for policy, _ in made(one.name, scope).values() for code in policy.codes
    )


def by_policies(one: Object, scope: str = "pods") -> set[tuple[str, Severity]]:
    return {
        (code, severity)
        for backend in BACKENDS
        for severity, (_, engine) in made(backend.name, scope).items()
        for code in engine(one)
    }


def by_lint(one: Object, scope: str = "pods") -> set[tuple[str, Severity]]:
    found = gpuxlate.lint(json.dumps(one, ensure_ascii=False), name="pod.json").diagnostics
    return {(d.code, d.severity) for d in found if d.code in enforced(scope) and d.severity in ENFORCED}


def agree(pod: Object) -> set[tuple[str, Severity]] | None:
    """The verdict on a pod, as a user writes it and as a policy sees it; None where the API server refuses it."""
    plain = in_digits(pod)
    served = as_served(plain)
    if served is None:
        return None
    found = by_policies(served)
    assert found == by_lint(plain), (plain, served)
    return found


EXAMPLES = [(code, heading) for code in sorted(enforced("pods")) for heading in (EXAMPLE, INSTEAD)]


@pytest.mark.parametrize(("code", "heading"), EXAMPLES)
def test_examples(code: str, heading: str) -> None:
    from gpuxlate.rules.catalog import find

    rule = find(code, BACKENDS)
    assert rule is not None
    parts = blocks(rule.sections[heading])
    of_profile = any(kind == "profile" for kind, _ in parts)
    for kind, text in parts:
        for pod in pods_of(manifest_of(text)) if kind == "" else ():
            found = agree(pod)
            if found is not None and not of_profile:
                assert (code in {one for one, _ in found}) == (heading == EXAMPLE)


READ = [case for case in cases() if case.code not in NO_TEXT and "{{" not in case.text]


@pytest.mark.parametrize("case", READ, ids=lambda case: case.id)
def test_cases(case: Case) -> None:
    for pod in pods_of(case.text):
        agree(pod)


@pytest.mark.parametrize("backend", [one for one in BACKENDS if one.rules], ids=lambda one: one.name)
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(data=st.data())
def test_any_pod(backend: Backend, data: st.DataObject) -> None:
    agree(data.draw(pods(backend)))
