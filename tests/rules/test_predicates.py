"""Conditions: what each is true of, and that its three forms agree on any pod."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.model.keys import Range
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.policy import cel
from gpuxlate.rules.predicates import (
    ALWAYS,
    NEVER,
    AllOf,
    AnnotationNumber,
    AnyOf,
    AtLeast,
    AtMost,
    Constraint,
    ContainersAtMost,
    Divides,
    EnvIs,
    InRange,
    IsAnnotated,
    IsInit,
    Labelled,
    LabelNumber,
    ListCoversContainers,
    ListEntryIs,
    MayRunOnNodeLabel,
    NodeIsNamed,
    NodeLabelAmong,
    Not,
    PerContainerList,
    Predicate,
    Privileged,
    Requests,
    RequiresNodeLabel,
    SchedulerIs,
    SomeContainer,
    Term,
)
from tests.effort import tries
from tests.rules.verdicts import Judge, Object, of_container

M, N, C = "x.com/m", "x.com/n", "x.com/c"
LIST = PerContainerList("l")


def pod(limits: Object | None = None, **more: object) -> Object:
    """A Pod of one container; ``more``: fields of its spec, metadata or container, by their names."""
    container: Object = {"name": "a", "resources": {"limits": limits or {}}}
    metadata: Object = {"name": "web"}
    spec: Object = {"containers": [container]}
    for name, value in more.items():
        holder = metadata if name in ("labels", "annotations") else spec
        holder = container if name in ("env", "securityContext", "resources") else holder
        holder[name] = value
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def pods(*limits: Object) -> list[Object]:
    return [pod(one) for one in limits]


def listed(text: str, *limits: Object) -> Object:
    """A Pod of two containers, with numbers for them."""
    first, second = limits or ({M: 1}, {M: 1}) if len(limits) != 1 else (*limits, {})
    found = pod(first, annotations={"l": text})
    found["spec"]["containers"].append({"name": "b", "resources": {"limits": second}})
    return found


def counted(amount: object, number: str) -> Object:
    """A Pod with a number in a label."""
    return pod({M: amount}, labels={"n": number})


def noted(text: object) -> Object:
    return pod(annotations={"l": text})


def env(name: str, **value: str) -> Object:
    return pod(env=[{"name": name, **value}])


def selecting(value: str, **more: Object) -> Object:
    return pod(nodeSelector={"node": value}, **more)


def affinity(*terms: list[Object]) -> Object:
    listed = [{"matchExpressions": term} for term in terms]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": listed}}
    return {"nodeAffinity": required}


def bound(*terms: list[Object]) -> Object:
    return pod(affinity=affinity(*terms))


def chosen(*values: str, operator: str = "In") -> Object:
    return {"key": "node", "operator": operator, "values": [*values]}


INIT = [{"name": "i", "resources": {"limits": {M: "1"}}}]

OF_INIT = pod(initContainers=INIT)
A, B = chosen("a"), chosen("b")
NOT_A, NOT_B = chosen("a", operator="NotIn"), chosen("b", operator="NotIn")
ANY = chosen(operator="Exists")
FIVES, HUNDREDS, AMONG = Range(5, 100, 5), Range(100, None, 100), NodeLabelAmong("node", "a", "b")
# a predicate, pods of which it is true, pods of which it is not
CASES: list[tuple[Predicate, list[Object], list[Object]]] = [
    (ALWAYS, [pod()], []),
    (NEVER, [], pods({M: 1})),
    (Requests(M, N), [pod({M: "x"}), pod(resources={"requests": {N: 1}})], pods({C: 1}, {})),
    (Requests(M, N), [], [pod(resources={})]),
    (InRange(M), pods({M: "6k"}, {M: -5}, {M: "30.0"}), pods({}, {M: "0.5"}, {M: {}}, {M: "x"})),
    (InRange(M, FIVES, HUNDREDS), pods({M: "30"}, {M: 200}), pods({M: 32}, {M: "150"})),
    (InRange(M, Range(256, None, 256)), pods({M: 512}), pods({M: 500}, {M: 0})),
    (InRange(M, Range(1)), pods({M: 1, N: 0}), [pod(resources={"limits": {M: 0}, "requests": {M: 1}})]),
    (Divides(M, N), pods({M: 8, N: "2"}, {M: 0, N: 3}), pods({M: 9, N: 2}, {M: 9}, {M: 9, N: 0})),
    (Divides(M, N, 5), pods({M: 30, N: 3}), pods({M: 33, N: 3}, {M: 30, N: 4})),
    (Divides(M, LabelNumber("n")), [counted(8, "2")], [counted(9, "2"), pod({M: 9})]),
    (Divides(M, AnnotationNumber("n")), [pod({M: 8}, annotations={"n": "2"})], [counted(8, "2")]),
    (AtMost(M, 100), pods({M: 100}), pods({M: 101}, {}, {M: "x"})),
    (AtMost(M, 100, N), pods({M: 200, N: 2}, {M: 100, N: "x"}), pods({M: 201, N: 2}, {M: 101, N: 0})),
    (AtMost(M, 100, LabelNumber("n")), [counted(200, "2")], [pod({M: 101}), counted(101, "-2")]),
    (AtLeast(M, 256, N), pods({M: 512, N: 2}, {M: "1k", N: 3}), pods({M: 511, N: 2}, {M: 512})),
    (AtLeast(M, 256, N), [], pods({M: -1, N: 1}, {M: 512, N: 0})),
    (ListEntryIs(LIST), [noted("0"), listed("2,0")], [listed("2"), listed("2, 0"), pod(), listed("")]),
    (ListEntryIs(LIST, Range(2, 8)), [listed("8,2")], [listed("8,1"), listed("9,2"), listed("2,2,2")]),
    (Divides(M, LIST), [listed("2,3", {M: 8}, {M: 9})], [listed("2,3", {M: 8}, {M: 8})]),
    (Divides(M, LIST), [], [listed("0,3", {M: 8})]),
    (AtMost(M, 10, LIST), [listed("1,2", {M: 10}, {M: 20})], [listed("1,2", {M: 11}, {M: 20})]),
    (AtLeast(M, 10, LIST), [listed("1,2", {M: 10}, {M: 20})], [listed("1,2", {M: 10}, {M: 19})]),
    (ListCoversContainers(LIST), [listed("2,0"), listed("00,0"), noted("1"), noted(1)], [pod()]),
    (ListCoversContainers(LIST), [], [*map(listed, ("2", "2,0,1", "2,", "+2,0", "2\n,0", "2 ,0"))]),
    (EnvIs("E"), [env("E", value="")], [env("E"), pod()]),
    (EnvIs("E", "true"), [env("E", value="true")], [env("E", value="TRUE")]),
    (EnvIs("E", "True", any_case=True), [env("E", value="tRUE")], [env("E", value="1")]),
    (Privileged(), [pod(securityContext={"privileged": True})], [pod()]),
    (Privileged(), [], [pod(securityContext={"privileged": False})]),
    (SomeContainer(IsInit()), [OF_INIT], [pod()]),
    (Labelled("l"), [pod(labels={"l": ""})], [pod(annotations={"l": ""}), pod()]),
    (Labelled("l", Range(1)), [pod(labels={"l": "2"})], [pod(labels={"l": "0"}), pod(labels={"l": "two"})]),
    (IsAnnotated("l", "on", "2"), [noted("2")], [noted("off")]),
    (IsAnnotated("l", re.compile("[0-9]+(,[0-9]+)*")), [noted("2,0")], [noted("2, 0")]),
    (RequiresNodeLabel("node"), [selecting("x"), bound([A])], [pod(), bound()]),
    (RequiresNodeLabel("node", "a", "b"), [selecting("a"), bound([chosen("a", "b")], [B])], [selecting("c")]),
    (RequiresNodeLabel("node", "a", "b"), [], [bound([chosen("a", "c")]), bound([A], []), bound([NOT_A])]),
    (AMONG, [pod(), selecting("a"), pod(nodeSelector={"other": "c"}), bound([ANY])], []),
    (AMONG, [bound([chosen("a", "b")], [NOT_B], [])], [selecting("c"), bound([A], [chosen("b", "c")])]),
    (AMONG, [], [selecting("a", affinity=affinity([chosen("c", operator="NotIn")]))]),
    (
        MayRunOnNodeLabel("node", "a"),
        [selecting("a", affinity=affinity([B])), bound([B], [chosen("b", "a")])],
        [],
    ),
    (
        MayRunOnNodeLabel("node", "a"),
        [bound([NOT_B, A])],
        [pod(), bound(), bound([B]), bound([A], []), bound([NOT_A])],
    ),
    (MayRunOnNodeLabel("node", "a"), [], [selecting("b", affinity=affinity([A]))]),
    (SchedulerIs("", "s"), [pod(), pod(schedulerName="s"), pod(schedulerName="")], [pod(schedulerName="t")]),
    (SchedulerIs("s"), [pod(schedulerName="s")], [pod()]),
    (NodeIsNamed(), [pod(nodeName="n")], [pod(), pod(nodeName="")]),
    (SomeContainer(Requests(M)), [pod({M: 1}), OF_INIT], pods({N: 1})),
    (ContainersAtMost(Requests(M), 1), [pod({M: 1}), OF_INIT, pod()], [pod({M: 1}, initContainers=INIT)]),
    (ContainersAtMost(Requests(M), 0), [pod()], [pod({M: 1}), OF_INIT]),
    (Requests(M) & Requests(N), pods({M: 1, N: 1}), pods({M: 1})),
    (Requests(M) | Requests(N), pods({N: 1}), [pod()]),
    (~Requests(M), [pod()], pods({M: 1})),
    (~Requests(M) | Labelled("l", "on"), [pod({M: 1}, labels={"l": "on"}), pod()], []),
    (~Requests(M) | Labelled("l", "on"), [], [pod({M: 1}, labels={"l": "off"})]),
]


@pytest.mark.parametrize(("predicate", "good", "bad"), CASES, ids=lambda one: type(one).__name__)
def test_a_predicate(predicate: Predicate, good: list[Object], bad: list[Object]) -> None:
    constraint = of_container(predicate)
    judge = Judge(constraint)
    for one in (*good, *bad):
        assert judge(one).check is (one in good), one
        judge.agree(one)


# --- any predicate, any pod -----------------------------------------------------------------------

NUMBERS = (Range(1, 100), Range(0, 0), Range(2, None, 2), Range(5, 100, 5), Range(100, None, 100), Range(3))
WORD = st.sampled_from(["on", "2", "true", re.compile("o[nf]+"), Range(1, 3)])
WORDS, SOME_WORDS = st.lists(WORD, max_size=2), st.lists(WORD, min_size=1, max_size=2)
RANGES = st.lists(st.sampled_from(NUMBERS), max_size=2)
NAMED = st.sampled_from([Labelled, IsAnnotated, RequiresNodeLabel])
OF_LISTS = [ListEntryIs(LIST), ListEntryIs(LIST, Range(2)), ListCoversContainers(LIST)]
OF_NODES = st.sampled_from([NodeLabelAmong, MayRunOnNodeLabel])


def _leaves(term: Term) -> st.SearchStrategy[Predicate]:
    terms = st.just(term)
    return st.one_of(
        st.sampled_from([ALWAYS, Privileged(), IsInit(), NodeIsNamed()]),
        st.sampled_from([EnvIs("E"), EnvIs("E", "on", "2"), EnvIs("E", "ON", any_case=True)]),
        st.builds(lambda names: Requests(*names), st.lists(st.sampled_from([M, N, C]), max_size=2)),
        st.builds(lambda name, ranges: InRange(name, *ranges), st.sampled_from([M, N]), RANGES),
        st.builds(Divides, st.just(M), terms, st.sampled_from([1, 5, 256])),
        st.builds(AtMost, st.just(M), st.sampled_from([0, 16, 100]), st.one_of(st.none(), terms)),
        st.builds(AtLeast, st.just(M), st.sampled_from([1, 16]), terms),
        st.sampled_from(OF_LISTS if term is LIST else [ALWAYS]),
        st.builds(lambda kind, name, words: kind(name, *words), NAMED, st.sampled_from("ln"), WORDS),
        st.builds(lambda kind, name, words: kind(name, *words), OF_NODES, st.sampled_from("ln"), SOME_WORDS),
        st.builds(lambda names: SchedulerIs(*names), st.lists(st.sampled_from(["", "on"]))),
    )


def _larger(parts: st.SearchStrategy[Predicate]) -> st.SearchStrategy[Predicate]:
    several = st.lists(parts, min_size=1, max_size=3)
    return st.one_of(
        st.builds(lambda some: AllOf(*some), several),
        st.builds(lambda some: AnyOf(*some), several),
        st.builds(Not, parts),
        st.builds(SomeContainer, parts),
        st.builds(ContainersAtMost, parts, st.integers(0, 2)),
    )


def _both(term: Term) -> st.SearchStrategy[tuple[Predicate, Predicate]]:
    """What must be, and when."""
    one = st.recursive(_leaves(term), _larger, max_leaves=4)
    return st.tuples(one, one)


CONDITIONS = st.one_of(_both(N), _both(LabelNumber("n")), _both(AnnotationNumber("n")), _both(LIST))
QUANTITIES: st.SearchStrategy[object] = st.sampled_from(
    (
        *(0, 1, 2, 3, 5, 16, 17, 30, 32, 100, 101, 200, 512, 1280, -5, "2", "30", "32", "100", "-1"),
        *("6k", "1Ki", "0.5Ki", "0030", "30.0", "+5", "1e2", "2000m", "9223372036854775808"),
        *("0.5", "500m", "x", "", {}, None, True),
    )
)
TEXTS: st.SearchStrategy[object] = st.sampled_from(
    ("on", "off", "oN", "1", "2", "3", "16", "true", "", "x", 2, True, None, {}, "2k", "0002", "2,0", "1,16")
)


def _mapping(names: list[str], values: st.SearchStrategy[object]) -> st.SearchStrategy[Object]:
    return st.dictionaries(st.sampled_from(names), values, max_size=len(names))


RESOURCES = _mapping([M, N, C], QUANTITIES)
CONTAINERS = st.builds(
    lambda limits, requests, env, privileged: {
        **({} if limits is None else {"resources": {"limits": limits, **requests}}),
        **({} if env is None else {"env": [{"name": "X"}, {"name": "E", "value": env}]}),
        **({} if privileged is None else {"securityContext": {"privileged": privileged}}),
    },
    st.one_of(st.none(), RESOURCES, RESOURCES),
    st.one_of(st.just({}), st.builds(lambda found: {"requests": found}, RESOURCES)),
    st.one_of(st.none(), TEXTS),
    st.sampled_from([None, True, False]),
)
REQUIREMENTS = st.builds(
    lambda key, operator, values: {"key": key, "operator": operator, "values": values},
    st.sampled_from("ln"),
    st.sampled_from(["In", "In", "NotIn"]),
    st.lists(st.sampled_from(["on", "off", "2", "true"]), max_size=2),
)


@st.composite
def any_pod(draw: st.DrawFn) -> Object:
    spec: Object = {}
    for field, least in (("containers", 1), ("initContainers", 0)):
        listed = draw(st.lists(CONTAINERS, min_size=least, max_size=2))
        spec[field] = [{"name": f"{field}-{n}", **one} for n, one in enumerate(listed)]
    if draw(st.booleans()):
        spec["nodeSelector"] = draw(_mapping(["l", "n"], TEXTS))
    if draw(st.booleans()):
        spec["affinity"] = affinity(*draw(st.lists(st.lists(REQUIREMENTS, max_size=2), max_size=2)))
    for field in ("schedulerName", "nodeName"):
        if draw(st.booleans()):
            spec[field] = draw(st.sampled_from(["", "on", "off"]))
    metadata = {field: draw(_mapping(["l", "n"], TEXTS)) for field in ("labels", "annotations")}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


@tries(25)
@given(CONDITIONS, st.sampled_from([(), (M,), (M, N)]), any_pod(), any_pod())
def test_any_predicate(
    both: tuple[Predicate, Predicate], at: tuple[str, ...], one: Object, other: Object
) -> None:
    must, when = both
    of_pod = must.of_pod and when.of_pod
    judge = Judge(Constraint(must, when, () if of_pod else at, not of_pod))
    judge.agree(one)
    judge.agree(other)


# --- where a breach is ----------------------------------------------------------------------------


def keys(*containers: ContainerKeys, **more: object) -> PodKeys:
    return PodKeys(containers=containers, **more)  # type: ignore[arg-type]


def test_a_violation_is_at_the_first_key_that_a_container_has() -> None:
    one = ContainerKeys("one", 0, limits={N: Value.of(1)})
    other = ContainerKeys("other", 1, limits={C: Value.of(1)})
    [found] = Constraint(NEVER, keys=(M, N)).violations(keys(one, other))
    assert (found.container, found.name, found.value_at, found.number) == (one, N, Value.of(1), 1)
    bare = ContainerKeys("one", path=("spec", "containers", 0))
    [found] = Constraint(NEVER).violations(keys(bare))
    assert (found.container, found.name, found.value, found.value_at.path) == (bare, "", None, bare.path)


def test_a_violation_of_a_pod() -> None:
    cases: list[tuple[dict[str, object], str, str | None]] = [
        ({"annotations": {"l": Value("1")}}, "l", "1"),
        ({"labels": {"n": Value("2")}}, "n", "2"),
        ({"node_selector": {"n": Value("3")}}, "n", "3"),
        ({"scheduler_name": Value("s")}, "schedulerName", "s"),
        ({}, "l", None),
    ]
    for more, name, text in cases:
        [found] = Constraint(NEVER, keys=("l", "n", "schedulerName"), per_container=False).violations(
            keys(**more)
        )
        assert (found.container, found.name, found.value and found.value.text) == (
            ContainerKeys(),
            name,
            text,
        )


def test_a_constraint_on_pods_has_no_predicate_of_containers() -> None:
    with pytest.raises(ValueError, match="of containers"):
        Constraint(Labelled("l"), when=Requests(M), per_container=False)


def test_an_unknown_predicate_has_no_form() -> None:
    with pytest.raises(TypeError, match="has no form"):
        cel.expression(Constraint(Predicate()))


# --- resources with several names -----------------------------------------------------------------

NAMED_TWICE = {M: ("x.com/mem",), N: ("x.com/count", "x.com/cards")}


@pytest.mark.parametrize(
    ("constraint", "good", "bad"),
    [
        (Constraint(InRange(M, Range(1, 9)), keys=(M,)), {"x.com/mem": 9}, {"x.com/mem": 10}),
        (Constraint(~Requests(M), keys=(N,)), {"x.com/cards": 1}, {"x.com/cards": 1, "x.com/mem": 1}),
        (Constraint(Divides(M, N), keys=(M,)), {M: 4, "x.com/count": 2}, {"x.com/mem": 3, "x.com/cards": 2}),
        (Constraint(AtMost(M, 10, N), keys=(M,)), {M: 20, "x.com/count": 2}, {"x.com/mem": 11}),
        (Constraint(~SomeContainer(Requests(M)), per_container=False), {"x.com/count": 1}, {"x.com/mem": 1}),
    ],
)
def test_a_policy_knows_the_other_names_of_resources(
    constraint: Constraint, good: Object, bad: Object
) -> None:
    judge = Judge(constraint.with_aliases(NAMED_TWICE))
    assert set(judge(pod(good))) == {True}
    assert set(judge(pod(bad))) == {False}
    assert Judge(constraint).cel(pod(bad))  # under its own name alone nothing is there


def test_a_predicate_on_a_name_stays() -> None:
    one = Constraint(~Requests(M), keys=("x.com/mem",))
    assert one.with_aliases(NAMED_TWICE) is one
    assert Constraint(Requests(C)).with_aliases(NAMED_TWICE) == Constraint(Requests(C))
