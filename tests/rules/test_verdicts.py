"""What the check, the JSON Schema and the CEL of a rule say of its examples, of its cases and of any pod."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.model.keys import Range
from gpuxlate.model.pod import ContainerKeys, NodeRequirement, PodKeys, ScalarKind, Value
from gpuxlate.policy.demands import OF_NAMES
from gpuxlate.rules.base import Rule
from gpuxlate.rules.catalog import all_rules
from gpuxlate.rules.predicates import Constraint
from gpuxlate.testing.strategies import KEY_VALUES, keys
from tests.effort import tries
from tests.lint.cases import Case
from tests.rules.examples import EXAMPLE, INSTEAD, blocks, manifest_of
from tests.rules.verdicts import Judge, JudgeOfDialects, Object, parts_of, pods_of

BACKENDS = tuple(registry.all_backends())
RULES = all_rules(BACKENDS)
OVER_DIALECTS = {
    one.code: JudgeOfDialects(one, BACKENDS) for one in RULES.values() if one.constraints_of is not None
}


@cache
def judges_of(code: str) -> list[Judge]:
    """The three forms of each constraint of a rule; compiling them takes a second for all rules."""
    return [Judge(constraint) for constraint in RULES[code].constraints]


def test_a_rule_has_a_predicate_or_says_why_not() -> None:
    assert sum(bool(one.constraints) for one in RULES.values()) > 10
    for rule in RULES.values():
        said = bool(rule.constraints or rule.constraints_of or rule.with_profile or rule in OF_NAMES)
        if said and rule not in OF_NAMES:
            assert bool(rule.no_policy) == (rule.extra_check is not None), rule.code
        assert said or rule.no_policy, rule.code
        assert rule.no_policy == rule.no_policy.strip(" .").replace("\n", " ")


def cel_agrees_on_the_examples(rule: Rule) -> None:
    for heading in (EXAMPLE, INSTEAD):
        found = [*blocks(rule.sections[heading])]
        kept = True
        for pod in (pod for kind, text in found if kind == "" for pod in pods_of(manifest_of(text))):
            for judge in judges_of(rule.code):
                judge.agree(pod)
                kept &= judge(pod).check
        if heading == INSTEAD:
            assert kept
        elif rule.constraints and all(kind == "" for kind, _ in found):  # a predicate sees no profile
            assert not kept
        if rule.code in OVER_DIALECTS:
            for pod in (pod for _, text in found for pod in pods_of(manifest_of(text))):
                assert OVER_DIALECTS[rule.code].agrees(pod) == (heading == INSTEAD)


NO_TEXT = ("GX001", "GX025")
"""Rules on what is not YAML."""


def check_cel_agrees(case: Case) -> None:
    """The predicates of the rule on the pods of a case; those over all dialects are in ``policies_agree``."""
    if case.code in NO_TEXT or "{{" in case.text:
        return
    for pod in pods_of(case.text):
        for judge in judges_of(case.code):
            judge.agree(pod)


# --- any pod --------------------------------------------------------------------------------------


def mentioned(constraints: list[Constraint]) -> tuple[list[str], list[Value]]:
    """The texts in predicates, which are names or words, and the ends of ranges with their neighbours."""
    found = [part for one in constraints for part in parts_of(one)]
    texts = sorted({part for part in found if type(part) is str and part})
    ends = {end for part in found if isinstance(part, Range) for end in (part.least, part.most or 0)}
    numbers = sorted({number + near for number in ends for near in (-1, 0, 1)})
    return texts, [*map(Value.of, texts), *map(Value.of, numbers)]


def as_json(value: Value) -> object:
    if value.kind in (ScalarKind.NODE, ScalarKind.NULL):
        return {} if value.kind is ScalarKind.NODE else None
    if value.kind is ScalarKind.BOOL:
        return value.text != ""
    text = value.text if value.text.isascii() and value.text.isprintable() else "-"
    return value.plain if value.kind is ScalarKind.INT else text


def as_pod(pod: PodKeys) -> Object:
    """A Pod with the keys."""

    def values(one: object) -> dict[str, object]:
        return {name: as_json(value) for name, value in one.items()}  # type: ignore[attr-defined]

    def container(one: ContainerKeys) -> Object:
        env = [{"name": name, "value": as_json(value)} for name, value in one.env.items()]
        resources = {"limits": values(one.limits), "requests": values(one.requests)}
        return {"name": one.name, "env": env, "resources": resources}

    def requirement(one: NodeRequirement) -> Object:
        values = [as_json(Value(text)) for text in one.values]
        return {"key": one.key, "operator": one.operator, "values": values}

    terms = [{"matchExpressions": [requirement(one) for one in term]} for term in pod.affinity]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "labels": values(pod.labels), "annotations": values(pod.annotations)},
        "spec": {
            "containers": [container(one) for one in pod.containers],
            "initContainers": [container(one) for one in pod.init_containers],
            "nodeSelector": values(pod.node_selector),
            "affinity": {"nodeAffinity": required},
        },
    }


@st.composite
def pods(draw: st.DrawFn, backend: Backend) -> Object:
    """A pod with keys of a backend, and with what its rules mention."""
    pod = as_pod(draw(keys(backend)))
    names, words = mentioned([one for rule in backend.rules for one in rule.constraints])
    values = st.dictionaries(
        st.sampled_from(names or ["none"]),
        st.one_of(st.sampled_from(words or [Value("")]), KEY_VALUES).map(as_json),
        max_size=3,
    )
    text = st.sampled_from([*names, ""])
    for container in (*pod["spec"]["containers"], *pod["spec"]["initContainers"]):
        container["resources"]["limits"] |= draw(values)
        container["resources"]["requests"] |= draw(st.one_of(st.just({}), values))
        container["env"] += [
            {"name": name, "value": value}
            for name, value in draw(st.one_of(st.just({}), values)).items()
            if name not in {one["name"] for one in container["env"]}
        ]
        privileged = draw(st.sampled_from([None, True, False]))
        if privileged is not None:
            container["securityContext"] = {"privileged": privileged}
    for place in (pod["metadata"]["labels"], pod["metadata"]["annotations"], pod["spec"]["nodeSelector"]):
        place |= draw(st.one_of(st.just({}), values))
    for field in ("schedulerName", "nodeName"):
        if draw(st.booleans()):
            pod["spec"][field] = draw(text)
    for where, field in (("metadata", "labels"), ("metadata", "annotations"), ("spec", "initContainers")):
        if draw(st.sampled_from([False, False, True])):
            del pod[where][field]
    return pod


@pytest.mark.parametrize(
    "backend",
    [one for one in BACKENDS if any(rule.constraints for rule in one.rules)],
    ids=lambda one: one.name,
)
@tries(20)
@given(data=st.data())
def test_any_pod(backend: Backend, data: st.DataObject) -> None:
    pod = data.draw(pods(backend))
    for rule in backend.rules:
        for judge in judges_of(rule.code):
            judge.agree(pod)
    for over_dialects in OVER_DIALECTS.values():
        over_dialects.agrees(pod)
