"""Read the keys of one pod: limits, requests, labels, annotations, node selectors."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.manifest.objects import name_at
from gpuxlate.model.pod import ContainerKeys, Kind, NodeRequirement, Path, PodKeys, Value
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, deref, entries_of, get, get_text

REQUIRED_AFFINITY = (
    "affinity",
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
)
_PREFERRED_AFFINITY = ("affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution")


def keys(
    spec: Mapping, path: Path, metadata: Node | None, metadata_path: Path, containers: list[ContainerKeys]
) -> PodKeys:
    scheduler, node_name = get(spec, "schedulerName"), get(spec, "nodeName")
    return PodKeys(
        containers=tuple(c for c in containers if not c.init),
        init_containers=tuple(c for c in containers if c.init),
        labels=values(get(metadata, "labels"), (*metadata_path, "labels")),
        annotations=values(get(metadata, "annotations"), (*metadata_path, "annotations")),
        node_selector=values(get(spec, "nodeSelector"), (*path, "nodeSelector")),
        affinity=tuple(_terms(spec, path, REQUIRED_AFFINITY)),
        preferred=tuple(_terms(spec, path, _PREFERRED_AFFINITY, ("preference",))),
        scheduler_name=_value(scheduler, (*path, "schedulerName")) if scheduler else None,
        path=path,
        metadata_path=metadata_path,
        node_name=_value(node_name, (*path, "nodeName")) if node_name else None,
    )


def with_surroundings(
    keys: PodKeys, owner: Node | None, owner_path: Path, stray_from: list[tuple[Node | None, Path]]
) -> PodKeys:
    """Add the keys of the workload, and those outside of ``metadata``."""
    stray: dict[str, dict[str, Value]] = {"labels": {}, "annotations": {}}
    for node, path in stray_from:
        for name, found in stray.items():
            found.update(values(get(node, name), (*path, name)))
    return PodKeys(
        keys.containers,
        keys.init_containers,
        keys.labels,
        keys.annotations,
        keys.node_selector,
        keys.affinity,
        keys.scheduler_name,
        values(get(owner, "labels"), (*owner_path, "labels")),
        values(get(owner, "annotations"), (*owner_path, "annotations")),
        stray["labels"],
        stray["annotations"],
        keys.path,
        keys.metadata_path,
        keys.node_name,
        keys.preferred,
    )


def container(
    node: Node, path: Path, index: int, init: bool, resources: str, field: str = ""
) -> ContainerKeys:
    """The keys of one container; ``field`` is its name where it has none."""
    env: dict[str, Value] = {}
    for place, item in enumerate(items(get(node, "env"))):
        name, value = get_text(item, "name"), get(item, "value")
        if name and value is not None:
            env[name] = _value(value, (*path, "env", place))
    privileged = get(node, "securityContext", "privileged")
    return ContainerKeys(
        name_at(node, "name") or field,
        index,
        init,
        values(get(node, resources, "limits"), (*path, resources, "limits")),
        values(get(node, resources, "requests"), (*path, resources, "requests")),
        env,
        path,
        _value(privileged, (*path, "securityContext", "privileged")) if privileged else None,
    )


def _terms(
    spec: Mapping, path: Path, steps: tuple[str, ...], inside: tuple[str, ...] = ()
) -> Iterator[tuple[NodeRequirement, ...]]:
    """The requirements of each term of a node affinity; ``inside``: where in the term they are."""
    for number, term in enumerate(items(get(spec, *steps))):
        found: list[NodeRequirement] = []
        for index, item in enumerate(items(get(term, *inside, "matchExpressions"))):
            key, operator = get_text(item, "key"), get_text(item, "operator")
            values = tuple(v.text for v in map(deref, items(get(item, "values"))) if isinstance(v, Scalar))
            where = (*path, *steps, number, *inside, "matchExpressions", index)
            found.append(NodeRequirement(key or "", operator or "", values, where))
        yield tuple(found)


def items(node: Node | None) -> list[Node]:
    return node.items if isinstance(node, Sequence) else []


def values(node: Node | None, path: Path) -> dict[str, Value]:
    """The entries of a mapping as values with their paths; empty where there is none."""
    if not isinstance(node, Mapping):
        return {}
    return {name: _value(value, (*path, name)) for name, _, value, _ in entries_of(node)}


def _value(node: Node, path: Path) -> Value:
    node = deref(node)
    if isinstance(node, Scalar):
        return Value(node.text, node.kind, path)
    return Value("", Kind.NODE, path)
