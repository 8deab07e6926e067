"""Hypothesis strategies: shares, pods of several containers, what a user allows, keys and values.

Vendors' grids and floors are drawn often, so that much of what is drawn fits exactly, and so are
their neighbours, where off-by-one mistakes live.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from gpuxlate.backends.base import Backend, ContainerShare
from gpuxlate.claims import ContainerClaims, Kind, NodeRequirement, Place, PodClaims, Value
from gpuxlate.fit import Accept
from gpuxlate.share import FULL_CARD_CORES, Policy, Qos, Share

CORES_PER_CARD = st.one_of(
    st.integers(1, 20).map(lambda n: 5 * n),
    st.integers(1, FULL_CARD_CORES),
    st.sampled_from((1, 4, 5, 6, 50, 51, 95, 96, 99, 100)),
)
"""Percent of each card."""
MEMORY_MIB_PER_CARD = st.one_of(
    st.integers(1, 96).map(lambda n: 1024 * n),
    st.integers(1, 96 * 1024),
    st.sampled_from((1, 127, 128, 255, 256, 257, 1023, 1024, 1025, 81920, 81921)),
)
"""MiB on each card, up to the largest cards of today."""
CARDS = st.sampled_from((1, 1, 1, 1, 2, 2, 3, 4, 8, 9))
POLICIES = st.one_of(st.none(), st.sampled_from(Policy))
CLASSES = st.one_of(st.none(), st.none(), st.sampled_from(Qos))


@st.composite
def shares(draw: st.DrawFn) -> Share:
    """Any share: whole cards and parts, every field given or open."""
    cards = draw(CARDS)
    cores = draw(st.one_of(CORES_PER_CARD, CORES_PER_CARD, st.none()))
    memory = draw(st.one_of(MEMORY_MIB_PER_CARD, MEMORY_MIB_PER_CARD, st.none()))
    return Share(
        cards,
        None if cores is None else cores * cards,
        None if memory is None else memory * cards,
        draw(POLICIES),
        draw(CLASSES),
    )


@st.composite
def pods(draw: st.DrawFn) -> list[ContainerShare]:
    """One to three containers and at times an init container; at least one of them has a share.

    Most pods agree in policy and QoS class, some contradict themselves.
    """
    ordinary = draw(st.sampled_from((1, 1, 1, 2, 2, 3)))
    inits = draw(st.sampled_from((0, 0, 0, 0, 1)))
    agree = draw(st.sampled_from((True, True, True, False)))
    first = draw(shares())
    places = [(True, n) for n in range(inits)] + [(False, n) for n in range(ordinary)]
    chosen = draw(st.integers(inits, len(places) - 1))
    containers: list[ContainerShare] = []
    for number, (init, index) in enumerate(places):
        share: Share | None = first
        if number != chosen:
            share = draw(st.one_of(st.none(), shares()))
            if share and agree:
                share = replace(share, policy=first.policy, qos=first.qos)
        containers.append(ContainerShare(f"{'init' if init else 'main'}-{index}", index, init, share))
    return containers


def accepts() -> st.SearchStrategy[Accept]:
    """What a user allows: rounding, numbers to fill in, fields to drop."""
    fills = st.fixed_dictionaries({}, optional={"cores": CORES_PER_CARD, "memoryMiB": MEMORY_MIB_PER_CARD})
    drops = st.frozensets(st.sampled_from(("cores", "policy", "qos", "selector")))
    return st.builds(Accept, st.booleans(), fills, drops)


def generous() -> st.SearchStrategy[Accept]:
    """A user who allows everything: the most is accepted."""
    return st.builds(
        Accept,
        st.just(True),
        st.fixed_dictionaries({"cores": CORES_PER_CARD, "memoryMiB": MEMORY_MIB_PER_CARD}),
        st.just(frozenset({"cores", "policy", "qos", "selector"})),
    )


def unknown_keys(backend: Backend) -> st.SearchStrategy[str]:
    """Names under the backend's GPU prefixes that its data sheet does not know."""
    tails = st.from_regex(r"[a-z][a-z0-9]{0,9}(-[a-z0-9]{1,9})?", fullmatch=True)
    names = st.builds("".join, st.tuples(st.sampled_from(backend.gpu_prefixes), tails))
    known = {backend.whole_card_key, "gpuxlate.io/ignore", *backend.look_alikes}
    return names.filter(lambda name: backend.find(name) is None and name not in known)


PLACES = (Place.RESOURCE, Place.LABEL, Place.ANNOTATION, Place.NODE_SELECTOR, Place.ENV)
"""Where a key can be written in a manifest of a pod."""


def texts(backend: Backend) -> st.SearchStrategy[Value]:
    """Values as people write them, right and wrong: numbers, names of policies, slips."""
    numbers = st.integers(-1, 100_000).map(Value.of)
    words = st.sampled_from(
        (*Policy, "fs", "be", "guaranteed-burst-share", "native-burst-share", "online", "offline")
        + ("shared_cores", "reclaimed_cores", "cgpu", "core_mem", "share", "true", "enable")
        + ("2,0", "2, 0", "0", "1", "2", "100", "160", "5.5", "2Gi", "6k", "30.0", "0030", "-5", "")
    ).map(lambda text: Value.of(str(text)))
    odd = st.builds(Value, st.text(max_size=6), st.sampled_from(Kind))
    return st.one_of(numbers, words, odd)


@st.composite
def claims(draw: st.DrawFn, backend: Backend) -> PodClaims:
    """A pod with keys of the backend anywhere, with any values. Its values have no paths yet."""
    rows = [row for row in backend.keys if row.name != backend.whole_card_key]
    names = st.sampled_from([row.name.replace("*", "main") for row in rows])

    def mapping() -> dict[str, Value]:
        return draw(st.dictionaries(names, texts(backend), max_size=3))

    containers = tuple(
        ContainerClaims(f"main-{index}", index, False, mapping(), mapping(), mapping())
        for index in range(draw(st.integers(1, 2)))
    )
    requirement = st.builds(
        NodeRequirement,
        names,
        st.sampled_from(("In", "NotIn", "Exists", "DoesNotExist", "Gt")),
        st.lists(texts(backend).map(lambda value: value.text), max_size=2).map(tuple),
    )
    terms = st.lists(st.lists(requirement, max_size=2).map(tuple), max_size=2).map(tuple)
    inits = (ContainerClaims("init-0", 0, True, mapping()),) if draw(st.booleans()) else ()
    return PodClaims(
        containers,
        inits,
        labels=mapping(),
        annotations=mapping(),
        node_selector=mapping(),
        affinity=draw(terms),
        owner_labels=mapping(),
        owner_annotations=mapping(),
    )
