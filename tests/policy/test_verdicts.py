"""The verdict of the policies is the verdict of lint: the same codes, as severe, for the same pods."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.lint.ignore import _codes_first
from gpuxlate.lint.settings import everything
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import Place
from gpuxlate.model.pod import PodKeys, key_occurrences
from gpuxlate.policy.demands import ENFORCED, OF_NAMES, OF_WORKLOADS, demands
from gpuxlate.policy.documents import AdmissionPolicy, BackendDemands, policy
from gpuxlate.policy.generate import PolicyOptions, PolicyScope, enforcement_policies
from gpuxlate.policy.style import PolicyStyle
from gpuxlate.policy.subjects import PodSubject, PodTemplates
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Context, Rule
from gpuxlate.rules.catalog import check_pod
from gpuxlate.rules.key_index import IGNORE, key_index_of
from gpuxlate.rules.keys import key_is_known, key_is_where_it_takes_effect
from tests.effort import number, some, tries
from tests.lint.cases import Case, cases
from tests.policy.drawn import pod_of, with_mistake
from tests.policy.engine import Engine, Object, as_served
from tests.rules.examples import EXAMPLE, INSTEAD, blocks, manifest_of
from tests.rules.test_verdicts import NO_TEXT, pods
from tests.rules.verdicts import in_digits, keys_of, pods_of

BACKENDS = registry.pod_backends()


@cache
def made(name: str, scope: str) -> dict[Severity, tuple[AdmissionPolicy, Engine]]:
    """The policies of a dialect, by severity."""
    backend = registry.get(name)
    asked = demands(backend, None, everything)
    subject = (
        PodSubject(backend)
        if scope == "pods"
        else PodTemplates(backend, tuple(one.constraint for one in asked))
    )
    demanded = [BackendDemands(subject, asked)]
    found = {severity: policy(demanded, severity, PolicyStyle()) for severity in ENFORCED}
    return {severity: (one, Engine(one.spec)) for severity, one in found.items() if one is not None}


@cache
def on_names(scope: str, *names: str) -> tuple[AdmissionPolicy, Engine]:
    """The policy on the names of keys, of some dialects or of all."""
    wish = PolicyOptions(lambda code: code in CODES_OF_NAMES, scope=PolicyScope(scope))
    [found] = enforcement_policies([registry.get(name) for name in names] or BACKENDS, wish)
    return found, Engine(found.spec)


CODES_OF_NAMES = tuple(rule.code for rule in OF_NAMES)


@cache
def enforced(scope: str) -> frozenset[str]:
    of_dialects = (policy for one in BACKENDS for policy, _ in made(one.name, scope).values())
    return frozenset(code for policy in (*of_dialects, on_names(scope)[0]) for code in policy.codes)


def by_policies(one: Object, scope: str = "pods") -> set[tuple[str, Severity]]:
    judging = [each for backend in BACKENDS for each in made(backend.name, scope).items()]
    judging.append((Severity.ERROR, on_names(scope)))
    judged: dict[object, bool] = {}
    return {(code, severity) for severity, (_, engine) in judging for code in engine(one, judged)}


def by_lint(one: Object, scope: str = "pods") -> set[tuple[str, Severity]]:
    found = [*gpuxlate.lint(json.dumps(one, ensure_ascii=False), name="pod.json").diagnostics]
    found += of_names(keys_of(one), Context(dialects=BACKENDS))  # a mark of a scheduler near to a resource
    return {(d.code, d.severity) for d in found if d.code in enforced(scope) and d.severity in ENFORCED}


def by_rules(one: Object) -> set[tuple[str, Severity]]:
    """What the predicates of rules find in a pod or workload, in lint's way, where a dialect is spoken."""
    keys, context = keys_of(one), Context(dialects=BACKENDS)
    neutral = [
        rule
        for rule in catalog.neutral_pod_rules()
        if rule.constraints_of is not None or (rule is OF_WORKLOADS and one["kind"] != "Pod")
    ]
    found = [*check_pod(neutral, keys, context), *of_names(keys, context)]
    for backend in registry.backends_of(keys):
        rules = [replace(rule, extra_check=None) for rule in backend.rules if rule.constraints]
        found += check_pod(rules, backend.under_own_names(keys), context)
    of_pod, of_all = (
        _codes_first(there[IGNORE].text) if IGNORE in there else ()
        for there in (keys.annotations, keys.owner_annotations)
    )
    return {
        (one.code, one.severity)
        for one in found
        if one.severity in ENFORCED
        and one.code not in of_all
        and (one.code not in of_pod or one.code == OF_WORKLOADS.code)
    }


def of_names(keys: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """What the rules on names find, as far as a policy sees it: not what is near to a key, not variables."""
    words = key_index_of(context)
    spots = {spot.path: spot for spot in key_occurrences(keys)}
    for rule in OF_NAMES:
        for one in rule(keys, context):
            spot = spots.get(one.path)
            if spot is not None and spot.place is Place.ENV:
                continue
            if rule is key_is_known and spot is not None and words.written_by_scheduler(spot.name):
                yield replace(one, code=key_is_where_it_takes_effect.code)
            elif rule is not key_is_known or (spot is not None and words.owners(spot.name)):
                yield one


def agree(pod: Object) -> set[tuple[str, Severity]] | None:
    """The verdict on a pod as it is written and as a policy sees it; None where the API server refuses it."""
    plain = in_digits(pod)
    served = as_served(plain)
    if served is None or keys_of(plain).grows:  # a server sees it with the containers that are added
        return None
    found = by_policies(served)
    assert found == by_rules(plain), (plain, served)
    assert found <= by_lint(plain), (plain, served)  # lint finds more by names of containers and totals
    return found


SILENT = {
    "KAI002": "a suffix in an annotation, which in_digits writes out",
    "KAI010": "the keys of KAI without its scheduler, of which its policy knows nothing",
}
"""Rules whose example no policy denies in this form."""


def policies_agree_on_the_examples(rule: Rule) -> None:
    if rule.code not in enforced("pods"):
        return
    for heading in (EXAMPLE, INSTEAD):
        parts = [*blocks(rule.sections[heading])]
        of_profile = any(kind == "profile" for kind, _ in parts)
        for pod in (pod for kind, text in parts if kind == "" for pod in pods_of(manifest_of(text))):
            found = agree(pod)
            if found is not None and not of_profile:
                denied = heading == EXAMPLE and rule.code not in SILENT
                assert (rule.code in {one for one, _ in found}) == denied


def on_workload(pod: Object, *above: str) -> Object:
    """A Deployment of the pod, with some of its metadata on the Deployment in place of the template."""
    metadata = pod.get("metadata", {})
    moved = {field: metadata[field] for field in above if field in metadata}
    stays = {field: value for field, value in metadata.items() if field not in above}
    template = {"metadata": stays, "spec": pod["spec"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", **moved},
        "spec": {"template": template},
    }


READ = [case for case in cases() if case.code not in NO_TEXT and "{{" not in case.text]


def policies_agree(case: Case) -> None:
    for pod in pods_of(case.text) if case in READ else ():
        agree(pod)


@pytest.mark.parametrize("above", [(), ("labels", "annotations")], ids=["template", "workload"])
def test_cases_on_workloads(above: tuple[str, ...]) -> None:
    pods = [pod for case in some(READ) for pod in pods_of(case.text)]
    assert sum(agree_on_workload(pod, *above) is not None for pod in pods) > len(pods) // 2


def agree_on_workload(pod: Object, *above: str) -> set[tuple[str, Severity]] | None:
    """The verdict on a Deployment of a pod, some of whose metadata is on the Deployment."""
    plain = in_digits(pod)
    served, one = as_served(plain), on_workload(plain, *above)
    if served is None or keys_of(one).grows:
        return None
    found = by_policies(on_workload(served, *above), "workloads")
    assert found == by_rules(one), one
    return found


def test_mistakes_in_names() -> None:
    """Misspelt keys, keys in a wrong place, and keys of two dialects, on pods of every dialect."""
    random, seen = Random("names"), Counter[str]()
    for backend in BACKENDS:
        for _ in range(number(12)):
            pod = with_mistake(random, backend.name)
            on_pod, above = agree(pod) or set(), random.choice(("labels", "annotations"))
            seen.update(code for code, _ in on_pod | (agree_on_workload(pod, above) or set()))
    assert min(seen[code] for code in CODES_OF_NAMES) > number(50), seen


def test_what_is_wrong_with_names_is_wrong_for_some_target() -> None:
    """The policies of single targets find what the one of all finds, and of their own keys alone."""
    random, targets = Random("targets"), [backend.name for backend in BACKENDS]
    for backend in BACKENDS:
        for _ in range(number(4)):
            served = as_served(in_digits(with_mistake(random, backend.name)))
            if served is not None:
                found = {target: on_names("pods", target)[1](served) for target in targets}
                assert {code for codes in found.values() for code in codes} == {*on_names("pods")[1](served)}
    tke, vke = (
        pod_of({"containers": [{"name": "web", "resources": {"limits": {key: "1"}}}]}, {})
        for key in ("tke.cloud.tencent.com/qgpu-cores", "vke.volcengine.com/mgpu-cores")
    )
    assert [*on_names("pods", "tencent-qgpu")[1](tke)] == ["GX003"]
    assert [*on_names("pods", "tencent-qgpu")[1](vke)] == []


@pytest.mark.parametrize("backend", [one for one in BACKENDS if one.rules], ids=lambda one: one.name)
@tries(15)
@given(data=st.data())
def test_any_pod(backend: Backend, data: st.DataObject) -> None:
    agree(data.draw(pods(backend)))
