"""Policies of clusters with a profile: their verdict is that of lint with the same profile."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import gpuxlate
from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.config.configuration import load_profile
from gpuxlate.lint.settings import everything
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.profile import Profile
from gpuxlate.policy.demands import ENFORCED
from gpuxlate.policy.generate import (
    PolicyEngine,
    PolicyOptions,
    PolicyScope,
    enforcement_policies,
    policy_documents,
)
from gpuxlate.policy.style import PolicyStyle
from gpuxlate.rules.base import Context, Rule
from gpuxlate.rules.catalog import all_rules, check_pod
from tests.effort import tries
from tests.policy.engine import Engine, Object, as_served
from tests.policy.test_verdicts import BACKENDS, READ, on_workload
from tests.rules.examples import EXAMPLE, INSTEAD, blocks, manifest_of
from tests.rules.test_verdicts import pods
from tests.rules.verdicts import in_digits, keys_of, pods_of
from tests.running import run
from tests.test_kubernetes_schemas import refusal

OF_CLUSTERS = {
    "alibaba-gpushare": (
        "alibaba: {openSource: true}",
        "alibaba: {memoryUnitMiB: 128, isolation: share}",
        "alibaba: {memoryUnitMiB: 128, isolation: cgpu}",
    ),
    "tencent-qgpu": ("kubernetesVersion: v1.12.4-tke.30", "components: {qgpu: 1.0.9}"),
    "volcengine-mgpu": (
        "policy: burst-share",
        "policy: fixed-share\nkubernetesVersion: v1.28.15-vke.18\nnodeImage: velinux2.0",
        "components: {mgpu: v0.1.9}",
    ),
    "kai": ("kai: {sharingMode: HamiCore}", "kai: {sharingMode: Disabled}"),
}
CARDS = ("cards: {perNode: 1, memoryMiB: 1025}", "cards: {perNode: 4, memoryMiB: 22731}")
PROFILES = [
    pytest.param(backend.name, f"target: {backend.name}\n{one}\n", id=f"{backend.name}-{one[:30]}")
    for backend in BACKENDS
    if any(rule.with_profile for rule in backend.rules)
    for one in (*CARDS, *OF_CLUSTERS.get(backend.name, ()))
]


def profile_of(text: str) -> Profile:
    return load_profile(yaml.safe_load(text))


class Cluster:
    """The policies of a target for a cluster, on pods or on workloads, and what its rules find."""

    def __init__(self, text: str, scope: PolicyScope, *, parameters: bool) -> None:
        self.profile = profile_of(text)
        self.backend: Backend = registry.get(self.profile.target)
        codes = {one.code for one in self.backend.rules if one.with_profile}
        wish = PolicyOptions(
            codes.__contains__, PolicyStyle(), scope, profiles=(self.profile,), parameters=parameters
        )
        self.made = [*enforcement_policies([self.backend], wish)]
        self.engines = [
            (severity, Engine(one.spec, one.config_map if one.parameters else None))
            for one in self.made
            for severity in ENFORCED
            if f"-{severity}s" in one.name
        ]
        self.rules = [replace(one, extra_check=None) for one in self.backend.rules if one.code in codes]

    def by_policies(self, one: Object) -> set[tuple[str, Severity]]:
        return {(code, severity) for severity, engine in self.engines for code in engine(one)}

    def by_rules(self, one: Object) -> set[tuple[str, Severity]]:
        keys = keys_of(one)
        if self.backend.name not in {there.name for there in registry.backends_of(keys)}:
            return set()
        context = Context(self.profile, BACKENDS)
        found = check_pod(self.rules, self.backend.under_own_names(keys), context)
        return {(one.code, one.severity) for one in found if one.severity in ENFORCED}


@cache
def cluster(text: str, scope: PolicyScope = PolicyScope.PODS, *, parameters: bool = False) -> Cluster:
    return Cluster(text, scope, parameters=parameters)


@cache
def pods_with(name: str) -> tuple[Object, ...]:
    """Those that speak a dialect."""
    backend = registry.get(name)
    return tuple(one for one in every_pod() if backend.is_used_by(keys_of(one)))


@cache
def every_pod() -> tuple[Object, ...]:
    """The pods of all examples and cases, as they are written."""
    texts = [case.text for case in READ]
    for rule in all_rules(BACKENDS).values():
        for heading in (EXAMPLE, INSTEAD):
            parts = blocks(rule.sections.get(heading, ""))
            texts += [manifest_of(text) for kind, text in parts if kind == ""]
    found = {json.dumps(in_digits(pod)) for text in texts for pod in pods_of(text)}
    listed = [json.loads(one) for one in sorted(found)]
    return tuple(one for one in listed if as_served(one) is not None and not keys_of(one).grows)


def agree(there: Cluster, pod: Object) -> set[tuple[str, Severity]]:
    served = as_served(pod)
    assert served is not None
    found = there.by_policies(served)
    assert found == there.by_rules(pod), pod
    return found


@pytest.mark.parametrize(("name", "text"), PROFILES)
def test_the_verdict_is_that_of_lint(name: str, text: str) -> None:
    there, seen = cluster(text), set[str]()
    reading = cluster(text, parameters=True)
    for pod in pods_with(name):
        found = agree(there, pod)
        assert found == reading.by_policies(as_served(pod))
        seen |= {code for code, _ in found}
    assert seen or text.endswith(f"{CARDS[1]}\n")


OF_EXAMPLES = [
    rule
    for rule in all_rules(BACKENDS).values()
    if rule.with_profile is not None and rule.severity in ENFORCED
]


@pytest.mark.parametrize("rule", OF_EXAMPLES, ids=lambda rule: rule.code)
def test_examples(rule: Rule) -> None:
    """The page's example is denied with the page's profile, and what to use instead is not."""
    parts = {heading: dict(blocks(rule.sections[heading])) for heading in (EXAMPLE, INSTEAD)}
    given = {heading: found["profile"] for heading, found in parts.items() if "profile" in found}
    if not given:
        pytest.skip("the page of this rule is about what needs no profile")
    for heading in (EXAMPLE, INSTEAD):
        for kind, text in blocks(rule.sections[heading]):
            for pod in pods_of(manifest_of(text)) if kind == "" else ():
                plain = in_digits(pod)
                if as_served(plain) is None:
                    continue
                there = cluster(given.get(heading, given[EXAMPLE]))
                codes = {code for code, _ in agree(there, plain)}
                more = gpuxlate.lint(json.dumps(plain), profile=there.profile, name="pod.json").diagnostics
                assert codes <= {one.code for one in more}
                if rule.extra_check is None:
                    assert (rule.code in codes) == (heading == EXAMPLE)


@pytest.mark.parametrize(
    "backend",
    [one for one in BACKENDS if any(rule.with_profile for rule in one.rules)],
    ids=lambda one: one.name,
)
@tries(4)
@given(data=st.data())
def test_any_pod(backend: Backend, data: st.DataObject) -> None:
    pod = in_digits(data.draw(pods(backend)))
    if as_served(pod) is None or keys_of(pod).grows:
        return
    for text in (CARDS[0], *OF_CLUSTERS.get(backend.name, ())):
        agree(cluster(f"target: {backend.name}\n{text}\n"), pod)


@pytest.mark.parametrize("name", ["tencent-qgpu", "baidu-cce", "volcengine-mgpu"])
def test_workloads(name: str) -> None:
    there, found = cluster(f"target: {name}\n{CARDS[0]}\n", PolicyScope.WORKLOADS), 0
    for pod in pods_with(name):
        served = as_served(pod)
        assert served is not None
        expected = there.by_rules(on_workload(pod))
        assert there.by_policies(on_workload(served)) == expected, pod
        found += bool(expected)
    assert found


HAMI = f"target: hami\n{CARDS[1]}\n"
CONTAINER = {"name": "web", "resources": {"limits": {"nvidia.com/gpumem": "22732", "nvidia.com/gpu": "5"}}}
TOO_MUCH = {"apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": {"containers": [CONTAINER]}}


@pytest.fixture
def profile(tmp_path: Path) -> str:
    path = tmp_path / "profile.yaml"
    path.write_text(HAMI, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("params", "codes"),
    [
        ({"cardMemoryMiB": "22731", "cardsPerNode": "4"}, ["HAMI004", "HAMI005"]),
        ({"cardMemoryMiB": "22732", "cardsPerNode": "4"}, ["HAMI005"]),
        ({"cardsPerNode": "5", "cardMemoryMiB": "22731"}, ["HAMI004"]),
        ({"cardsPerNode": "4"}, ["HAMI005"]),
        ({"cardsPerNode": "four", "cardMemoryMiB": "-1"}, []),
        ({}, []),
        (None, []),
    ],
)
def test_a_policy_reads_its_parameters(params: Object | None, codes: list[str]) -> None:
    """What is not there, or no number, demands nothing."""
    [made] = [one for one in cluster(HAMI, parameters=True).made if one.parameters]
    found = Engine(made.spec, None if params is None else {"data": params})(TOO_MUCH)
    assert [*found] == codes
    for code in codes:
        [message] = found[code]
        assert ": container web: " in message
        name = "cardMemoryMiB" if code == "HAMI004" else "cardsPerNode"
        assert params is not None
        assert message.endswith(f" ({name} {params[name]})")


def test_the_documents(profile: str) -> None:
    arguments = ["policy", "--to", "hami", "--profile", profile, "--scope", "all"]
    done = run(*arguments, "--parameters")
    found = [*yaml.safe_load_all(done.out.decode())]
    config, *rest = found
    assert (config["kind"], config["metadata"]["name"]) == ("ConfigMap", "gpuxlate-hami-cards")
    assert config["data"] == {"cardMemoryMiB": "22731", "cardsPerNode": "4"}
    names = [one["metadata"]["name"] for one in rest if one["spec"].get("paramKind")]
    assert names == ["gpuxlate-hami-cards-errors", "gpuxlate-hami-cards-errors-workloads"]
    for one in rest:
        if one["kind"].endswith("Binding"):
            there = "-cards-" in one["metadata"]["name"]
            expected = {"name": "gpuxlate-hami-cards", "namespace": "kube-system"}
            missing = {"parameterNotFoundAction": "Allow"}
            assert one["spec"].get("paramRef") == ({**expected, **missing} if there else None)
    assert [refusal(one, "1.30") for one in found] == [None] * len(found)
    without = run("policy", "--to", "hami", "--scope", "all").out.decode()
    assert without == "---\n".join(part for part in done.out.decode().split("---\n") if "-cards" not in part)


def test_the_numbers_are_in_the_expressions(profile: str) -> None:
    """By default: parameters are not enforced after delete and apply, until the API server restarts."""
    found = [*yaml.safe_load_all(run("policy", "--to", "hami", "--profile", profile).out.decode())]
    names = [one["metadata"]["name"] for one in found[::2]]
    assert names == [f"gpuxlate-hami-{one}" for one in ("errors", "warnings", "names-errors")]
    assert not [one for one in found if one["spec"].get("paramKind") or one["spec"].get("paramRef")]
    refused = Engine(found[0]["spec"])(TOO_MUCH)
    assert [*refused] == ["HAMI004", "HAMI005"]
    assert "(cardMemoryMiB 22731" in refused["HAMI004"][0]
    done = run("policy", "--to", "hami", "--profile", profile, "--parameters", "--format", "kyverno")
    assert (done.code, done.out) == (2, b"")


def test_kyverno_has_the_numbers_in_it() -> None:
    wish = PolicyOptions(everything, PolicyStyle(), profiles=(profile_of(HAMI),))
    made = [*enforcement_policies([registry.get("hami")], wish)]
    found = [*policy_documents(made, PolicyEngine.KYVERNO)]
    assert {one["kind"] for one in found} == {"ValidatingPolicy"}
    [cards, _, _] = [one["spec"] for one in found]
    assert "params" not in json.dumps(cards)
    assert [*Engine(cards)(TOO_MUCH)] == ["HAMI004", "HAMI005"]
