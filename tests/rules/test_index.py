"""The index of rules leaves none out that would find something: of the cases, and of random pods."""

import random
from collections.abc import Iterator

import pytest

from gpuxlate.backends import registry
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.overlays.run_claims import Claims
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Context, Scope
from gpuxlate.rules.catalog import Rules, check_pod
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.source import Source
from tests.effort import SEED, number
from tests.lint.cases import cases
from tests.lint.cases import found as lint_of
from tests.properties.pods import pod_of


def asking_all(rules: Rules, pod: PodKeys, context: Context) -> list[Diagnostic]:
    """What every rule finds, asked one by one."""
    together = pod.with_workload()
    return [
        found
        for one in rules
        if one.scope in (Scope.POD, Scope.JOB)
        for found in one(together if one.constraints or one.with_profile else pod, context)
    ]


def left_out(text: str, profile: Profile | None) -> Iterator[str]:
    context = Context(profile, registry.pod_backends())
    source = Source("a.yaml", text)
    claims = Claims().beside(source)
    for pod in [claims.resolve(pod).keys for document in documents(source) for pod in pods_in(document)]:
        asked = [(catalog.neutral_pod_rules(), pod)]
        asked += [(one.rules, one.under_own_names(pod)) for one in registry.backends_of(pod)]
        for rules, keys in asked:
            found = [*check_pod(rules, keys, context)]
            for one in asking_all(rules, keys, context):
                if one not in found:
                    yield f"{one.code} at {one.path} in {text}"


def test_nothing_of_the_cases_is_left_out() -> None:
    unread = ("GX001", "GX012", "GX025")
    readable = (one for one in cases() if one.code not in unread)
    assert [wrong for one in readable for wrong in left_out(one.text, one.profile)] == []


@pytest.mark.parametrize("with_profile", [False, True])
def test_nothing_of_random_pods_is_left_out(with_profile: bool) -> None:
    chance = random.Random(SEED)
    profiles = [one.profile for one in cases() if one.profile]
    for _ in range(number(8000)):
        assert [*left_out(pod_of(chance).text, chance.choice(profiles) if with_profile else None)] == []


def test_every_neutral_rule_says_what_it_is_about() -> None:
    """So that a pod without it is not asked."""
    neutral = (one for one in catalog.neutral_rules() if one.scope in (Scope.POD, Scope.DOCUMENT))
    assert [one.code for one in neutral if not one.about] == []


def test_a_rule_of_remarks_refuses_nothing() -> None:
    """So a translation need not ask it."""
    remarks = {one.code for backend in registry.pod_backends() for one in backend.rules} - {
        one.code for backend in registry.pod_backends() for one in backend.rules.without_remarks
    }
    said = {found.severity for case in cases() for found in lint_of(case) if found.code in remarks}
    assert said == {Severity.INFO}
