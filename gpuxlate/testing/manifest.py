"""Claims as a manifest would have them: every container in its place, every value with its path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from gpuxlate.backends.base import ContainerShare
from gpuxlate.model.pod import ContainerKeys, NodeRequirement, Path, PodKeys, Value, in_lists
from gpuxlate.model.sheet import Place

TEMPLATE: Path = ("spec", "template")
TERMS: Path = (
    *TEMPLATE,
    "spec",
    "affinity",
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
)


def as_manifest(keys: PodKeys, containers: Sequence[ContainerShare] = ()) -> PodKeys:
    """The keys as read from a Deployment. ``containers`` are those the pod has, with or without keys."""
    made = {(c.init, c.index): c for c in keys.all_containers()}
    for one in containers:
        made.setdefault((one.init, one.index), ContainerKeys(one.name, one.index, one.init))
    ordinary, init = in_lists(_container(made[place]) for place in sorted(made))
    metadata: Path = (*TEMPLATE, "metadata")
    return replace(
        keys,
        containers=ordinary,
        init_containers=init,
        labels=_values(keys.labels, (*metadata, "labels")),
        annotations=_values(keys.annotations, (*metadata, "annotations")),
        node_selector=_values(keys.node_selector, (*TEMPLATE, "spec", "nodeSelector")),
        affinity=tuple(_term(term, number) for number, term in enumerate(keys.affinity)),
        owner_labels=_values(keys.owner_labels, ("metadata", "labels")),
        owner_annotations=_values(keys.owner_annotations, ("metadata", "annotations")),
        path=(*TEMPLATE, "spec"),
        metadata_path=metadata,
        claims=tuple(
            replace(claim, path=(*TEMPLATE, "spec", "resourceClaims", number))
            for number, claim in enumerate(keys.claims)
        ),
    )


def _container(container: ContainerKeys) -> ContainerKeys:
    group = "initContainers" if container.init else "containers"
    path: Path = (*TEMPLATE, "spec", group, container.index)
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
    return tuple(replace(one, path=(*base, place)) for place, one in enumerate(term))


def paths(pod: PodKeys) -> frozenset[Path]:
    """Every place of a manifest that a finding could point at."""
    found: set[Path] = {pod.path, *(one.path for one in pod.requirements())}
    found.update(container.path for container in pod.all_containers())
    found.update(value.path for _, _, value in entries(pod))
    found.update(use.path for container in pod.all_containers() for use in container.claims)
    return frozenset(found)


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
    for one in pod.requirements():
        yield one.key, Place.NODE_SELECTOR, Value(", ".join(one.values), path=one.path)


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
