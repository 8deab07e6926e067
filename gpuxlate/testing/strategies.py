"""Hypothesis strategies for backends: shares, pods, keys, and what a user accepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hypothesis import strategies as st

from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.keys import Place
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.pod import ContainerKeys, NodeRequirement, PodKeys, ScalarKind, Value, in_lists
from gpuxlate.model.profile import all_cards
from gpuxlate.model.share import Device, Isolation, Partition, Policy, Qos, Replica, Share, Strategy
from gpuxlate.translation.acceptance import DROPPABLE
from gpuxlate.translation.fit import FIELDS_OF_POD

TEMPLATE_PATH: Path = ("spec", "template")
TERMS: Path = (
    *TEMPLATE_PATH,
    "spec",
    "affinity",
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
)


def as_manifest(keys: PodKeys, containers: Sequence[ContainerShare] = ()) -> PodKeys:
    """The keys as read from a Deployment. ``containers`` are those the pod has, with or without keys."""
    containers_by_place = {(c.init, c.index): c for c in keys.all_containers()}
    for container in containers:
        containers_by_place.setdefault(
            (container.init, container.index), ContainerKeys(container.name, container.index, container.init)
        )
    ordinary, init = in_lists(_container(containers_by_place[place]) for place in sorted(containers_by_place))
    metadata: Path = (*TEMPLATE_PATH, "metadata")
    return replace(
        keys,
        containers=ordinary,
        init_containers=init,
        labels=_values(keys.labels, (*metadata, "labels")),
        annotations=_values(keys.annotations, (*metadata, "annotations")),
        node_selector=_values(keys.node_selector, (*TEMPLATE_PATH, "spec", "nodeSelector")),
        affinity=tuple(_term(term, number) for number, term in enumerate(keys.affinity)),
        owner_labels=_values(keys.owner_labels, ("metadata", "labels")),
        owner_annotations=_values(keys.owner_annotations, ("metadata", "annotations")),
        path=(*TEMPLATE_PATH, "spec"),
        metadata_path=metadata,
        claims=tuple(
            replace(claim, path=(*TEMPLATE_PATH, "spec", "resourceClaims", number))
            for number, claim in enumerate(keys.claims)
        ),
    )


def _container(container: ContainerKeys) -> ContainerKeys:
    group = "initContainers" if container.init else "containers"
    path: Path = (*TEMPLATE_PATH, "spec", group, container.index)
    env = {
        name: replace(value, path=(*path, "env", number))
        for number, (name, value) in enumerate(container.env.items())
    }
    return replace(
        container,
        limits=_values(container.limits, (*path, "resources", "limits")),
        requests=_values(container.requests, (*path, "resources", "requests")),
        env=env,
        path=path,
        claims=tuple(
            replace(use, path=(*path, "resources", "claims", number))
            for number, use in enumerate(container.claims)
        ),
    )


def _values(values: Mapping[str, Value], path: Path) -> dict[str, Value]:
    return {name: replace(value, path=(*path, name)) for name, value in values.items()}


def _term(term: Iterable[NodeRequirement], number: int) -> tuple[NodeRequirement, ...]:
    base: Path = (*TERMS, number, "matchExpressions")
    return tuple(replace(requirement, path=(*base, place)) for place, requirement in enumerate(term))


def paths(pod: PodKeys) -> frozenset[Path]:
    """Every place of a manifest that a finding could point at."""
    paths_found: set[Path] = {pod.path, *(requirement.path for requirement in pod.requirements())}
    paths_found.update(container.path for container in pod.all_containers())
    paths_found.update(value.path for _, _, value in entries(pod))
    paths_found.update(use.path for container in pod.all_containers() for use in container.claims)
    return frozenset(paths_found)


def entries(pod: PodKeys) -> Iterator[tuple[str, Place, Value]]:
    """Every key of a pod with its place and value; an affinity gives its first value."""
    for container in pod.all_containers():
        for name, value in (*container.limits.items(), *container.requests.items()):
            yield name, Place.RESOURCE, value
        for name, value in container.env.items():
            yield name, Place.ENV, value
    for values, place in (
        (pod.labels, Place.LABEL),
        (pod.owner_labels, Place.LABEL),
        (pod.annotations, Place.ANNOTATION),
        (pod.owner_annotations, Place.ANNOTATION),
        (pod.node_selector, Place.NODE_SELECTOR),
    ):
        for name, value in values.items():
            yield name, place, value
    for requirement in pod.requirements():
        yield (
            requirement.key,
            Place.NODE_SELECTOR,
            Value(", ".join(requirement.values), path=requirement.path),
        )


def with_key(pod: PodKeys, name: str, place: Place, value: Value) -> PodKeys:
    """The pod with one key more; in resources and environment it is the first container's."""
    first, *others = pod.containers
    if place is Place.RESOURCE:
        first = replace(first, limits={**first.limits, name: value})
    elif place is Place.ENV:
        first = replace(first, env={**first.env, name: value})
    return replace(
        pod,
        containers=(first, *others),
        labels={**pod.labels, name: value} if place is Place.LABEL else pod.labels,
        annotations={**pod.annotations, name: value} if place is Place.ANNOTATION else pod.annotations,
        node_selector={**pod.node_selector, name: value}
        if place is Place.NODE_SELECTOR
        else pod.node_selector,
    )


# Hypothesis strategies: shares, pods of several containers, what a user allows, keys and values.
# Vendors' grids and floors are drawn often, so that much of what is drawn fits exactly, and so are their
# neighbours, where off-by-one mistakes live.
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
MEMORY_PERCENT = st.one_of(st.none(), st.none(), st.none(), st.integers(1, 100))
"""Memory in percent of each card, in place of MiB."""
CARD_COUNTS = st.sampled_from((1, 1, 1, 1, 2, 2, 3, 4, 8, 9))
POLICIES = st.one_of(st.none(), st.sampled_from(Policy))
QOS_CLASSES = st.one_of(st.none(), st.none(), st.sampled_from(Qos))
MEMORY_BURSTS = st.sampled_from((None, None, None, None, None, 1, 1024))
"""How far memory may burst, in MiB on each card above ``memory_mib``."""
REQUESTED_DEVICES = st.sampled_from(
    (
        *[None] * 7,
        Device("nvidia"),
        Device("metax"),
        Device("nvidia", ("A10", "L20")),
        Device(None, ("T4 16G",)),
    )
)
ISOLATIONS = st.sampled_from((*[None] * 7, *Isolation))


def _share(
    cards: int,
    cores: int | None,
    memory: int | None,
    policy: Policy | None,
    qos: Qos | None,
    percent: int | None,
    burst: int | None,
    device: Device | None,
    isolation: Isolation | None,
) -> Share:
    total_cores = None if cores is None else cores * cards
    total = None if memory is None or percent is not None else memory * cards
    limit = None if total is None or burst is None else total + burst * cards
    return Share(cards, total_cores, total, policy, qos, percent, limit, device, isolation)


NUMBER_SHARES = st.builds(
    _share,
    CARD_COUNTS,
    st.one_of(CORES_PER_CARD, CORES_PER_CARD, st.none()),
    st.one_of(MEMORY_MIB_PER_CARD, MEMORY_MIB_PER_CARD, st.none()),
    POLICIES,
    QOS_CLASSES,
    MEMORY_PERCENT,
    MEMORY_BURSTS,
    REQUESTED_DEVICES,
    ISOLATIONS,
)


def _part(partition: Partition | None, replica: Replica | None, number: Share) -> Share:
    """The part in place of the numbers of a share; all of its clients are of one partition."""
    counted = replace(partition, count=1) if partition and replica else partition
    of_pod = (number.policy, number.qos, None, None, number.device, number.isolation)
    return Share(1, None, None, *of_pod, counted, replica)


PART_COUNTS = st.sampled_from((1, 1, 1, 2, 9))
PARTITIONS = st.builds(
    Partition,
    st.sampled_from(sorted({part.name for card in all_cards() for part in card.templates})),
    PART_COUNTS,
)
REPLICAS = st.builds(
    Replica,
    st.one_of(st.none(), st.integers(2, 8), st.sampled_from((2, 4, 48, 49))),
    st.one_of(st.none(), st.sampled_from(Strategy)),
    PART_COUNTS,
)
PART_SHARES = st.one_of(
    st.builds(_part, PARTITIONS, st.none(), NUMBER_SHARES),
    st.builds(_part, st.none(), REPLICAS, NUMBER_SHARES),
    st.builds(_part, PARTITIONS, REPLICAS, NUMBER_SHARES),
)
ANY_SHARE = st.integers(0, 5).flatmap(lambda n: NUMBER_SHARES if n else PART_SHARES)


def shares() -> st.SearchStrategy[Share]:
    """Any share: whole cards and parts, every field given or open."""
    return ANY_SHARE


def naming_a_card(share: Share | None, backend: Backend) -> Share | None:
    """The share, for a card of the dialect where its keys name cards and the share names none."""
    model = next((row.model for row in backend.keys if row.model), None)
    if share is None or share.device is not None or model is None:
        return share
    return replace(share, device=Device(backend.vendor, (model,)))


def _pod(
    first: Share, others: list[Share | None], containers: int, init: bool, place: int, agree: bool
) -> list[ContainerShare]:
    places = [*([(True, 0)] if init else []), *((False, n) for n in range(containers))]
    chosen = len(places) - 1 - place % containers
    shares_made: list[ContainerShare] = []
    for (is_init, index), other, number in zip(places, others, range(len(places)), strict=False):
        share = first if number == chosen else other
        if share and agree:
            share = replace(share, **{name: getattr(first, name) for name in FIELDS_OF_POD})
        shares_made.append(ContainerShare(f"{'init' if is_init else 'main'}-{index}", index, is_init, share))
    return shares_made


PODS = st.builds(
    _pod,
    ANY_SHARE,
    st.lists(st.one_of(st.none(), ANY_SHARE), min_size=4, max_size=4),
    st.sampled_from((1, 1, 1, 2, 2, 3)),
    st.sampled_from((False, False, False, True)),
    st.integers(0, 2),
    st.sampled_from((True, True, True, False)),
)


def pods() -> st.SearchStrategy[list[ContainerShare]]:
    """One to three containers and at times an init container; an ordinary one has a share at least.

    Most pods agree in what belongs to the pod, some contradict themselves.
    """
    return PODS


def accepts() -> st.SearchStrategy[Accept]:
    """What a user allows: rounding, numbers to fill in, fields to drop."""
    fills = st.fixed_dictionaries({}, optional={"cores": CORES_PER_CARD, "memoryMiB": MEMORY_MIB_PER_CARD})
    drops = st.frozensets(st.sampled_from(DROPPABLE))
    return st.builds(Accept, st.booleans(), fills, drops)


def generous() -> st.SearchStrategy[Accept]:
    """What a user allows who accepts every loss."""
    return st.builds(
        Accept,
        st.just(True),
        st.fixed_dictionaries({"cores": CORES_PER_CARD, "memoryMiB": MEMORY_MIB_PER_CARD}),
        st.just(frozenset(DROPPABLE)),
    )


def unknown_keys(backend: Backend) -> st.SearchStrategy[str]:
    """Names under the backend's GPU prefixes that its data sheet does not know."""
    tails = st.from_regex(r"[a-z][a-z0-9]{0,9}(-[a-z0-9]{1,9})?", fullmatch=True)
    names = st.builds("".join, st.tuples(st.sampled_from(backend.gpu_prefixes), tails))
    common_names = {backend.whole_card_key, "gpuxlate.io/ignore"}
    return names.filter(lambda name: backend.find(name) is None and name not in common_names)


PLACES = (Place.RESOURCE, Place.LABEL, Place.ANNOTATION, Place.NODE_SELECTOR, Place.ENV)
"""Where a key can be written in a manifest of a pod."""
KEY_WORDS = (
    *("best-effort", "fixed-share", "burst-share", "fs", "guaranteed-burst-share", "native-burst-share"),
    *("online", "offline", "shared_cores", "reclaimed_cores", "cgpu", "core_mem", "true", "enable"),
    *("2,0", "0", "1", "2", "100", "160", "5.5", "2Gi", "6k", "30.0", "0030", "-5"),
)
"""Values as people write them, of one vendor or another, right and wrong."""
KEY_VALUES = st.one_of(
    st.integers(-1, 100_000).map(Value.of),
    st.sampled_from(KEY_WORDS).map(Value.of),
    st.builds(Value, st.text(max_size=6), st.sampled_from(ScalarKind)),
)


def keys(backend: Backend) -> st.SearchStrategy[PodKeys]:
    """A pod with keys of the backend anywhere, with any values. Its values have no paths yet."""
    rows = [row for row in backend.keys if row.name != backend.whole_card_key]
    names = st.sampled_from([row.key_for_container("main") for row in rows])
    values = st.dictionaries(names, KEY_VALUES, max_size=3)
    texts = st.lists(KEY_VALUES.map(lambda value: value.text), max_size=2).map(tuple)
    operators = st.sampled_from(("In", "NotIn", "Exists", "DoesNotExist", "Gt"))
    term = st.lists(st.builds(NodeRequirement, names, operators, texts), max_size=2).map(tuple)

    def containers(init: bool, least: int, maximum: int) -> st.SearchStrategy[tuple[ContainerKeys, ...]]:
        each = st.tuples(values, values, values)  # limits, requests, environment
        return st.lists(each, min_size=least, max_size=maximum).map(
            lambda drawn: tuple(
                ContainerKeys(f"{'init' if init else 'main'}-{index}", index, init, *three)
                for index, three in enumerate(drawn)
            )
        )

    return st.builds(
        PodKeys,
        containers(False, 1, 2),
        containers(True, 0, 1),
        labels=values,
        annotations=values,
        node_selector=values,
        affinity=st.lists(term, max_size=2).map(tuple),
        owner_labels=values,
        owner_annotations=values,
    )
