"""Read the keys of one pod: limits, requests, labels, annotations, node selectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from collections.abc import Mapping as Map
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple, TypeGuard

from gpuxlate.manifest.kinds import Copied, Steps, filled
from gpuxlate.manifest.objects import name_at
from gpuxlate.model.claims.objects import ClaimUse, PodClaim
from gpuxlate.model.pod import ContainerKeys, Kind, NodeRequirement, Path, PodKeys, Value, in_lists
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, deref, fields, get, get_text

REQUIRED_AFFINITY = (
    "affinity",
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
)
_PREFERRED_AFFINITY = ("affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution")


_IN_METADATA = ("labels", "annotations")


class Surroundings(NamedTuple):
    """The keys of the workload of a pod, those outside of ``metadata``, and what selectors match."""

    owner_labels: Map[str, Value] = MappingProxyType({})
    owner_annotations: Map[str, Value] = MappingProxyType({})
    stray_labels: Map[str, Value] = MappingProxyType({})
    stray_annotations: Map[str, Value] = MappingProxyType({})
    selected: Map[str, Path] = MappingProxyType({})


_ALONE = Surroundings()


def keys(
    spec: Mapping,
    path: Path,
    metadata: Node | None,
    metadata_path: Path,
    containers: list[ContainerKeys],
    renamed: Map[str, str] = MappingProxyType({}),
    around: Surroundings = _ALONE,
) -> PodKeys:
    """The keys of a pod; ``renamed``: other names of labels and annotations in its metadata."""
    there, about = fields(spec), fields(metadata)
    scheduler, node_name = there.get("schedulerName"), there.get("nodeName")
    labels, annotations = renamed.get("labels", "labels"), renamed.get("annotations", "annotations")
    chooses = "affinity" in there
    return PodKeys(
        *in_lists(containers),
        labels=values(about.get(labels), (*metadata_path, labels)),
        annotations=values(about.get(annotations), (*metadata_path, annotations)),
        node_selector=values(there.get("nodeSelector"), (*path, "nodeSelector")),
        affinity=tuple(_terms(spec, path, REQUIRED_AFFINITY)) if chooses else (),
        preferred=tuple(_terms(spec, path, _PREFERRED_AFFINITY, ("preference",))) if chooses else (),
        scheduler_name=value_of(scheduler, (*path, "schedulerName")) if _is_set(scheduler) else None,
        path=path,
        metadata_path=metadata_path,
        node_name=value_of(node_name, (*path, "nodeName")) if node_name else None,
        fields=renamed,
        claims=tuple(_claims(spec, path)) if "resourceClaims" in there else (),
        **around._asdict(),
    )


def _is_set(node: Node | None) -> TypeGuard[Node]:
    """An empty text is as good as none, to Kubernetes and in a chart."""
    return node is not None and not (isinstance(node, Scalar) and node.style and not node.text)


def surroundings(
    owner: Node | None,
    owner_path: Path,
    stray_from: Iterable[tuple[Node | None, Path]],
    selected: Map[str, Path],
    copied: Set[str] = frozenset(),
) -> Surroundings:
    """What is around a pod. ``copied``: the fields of the workload's metadata that its pods have."""
    there = fields(owner)
    labels, annotations = (
        values(there.get(name), (*owner_path, name)) if name in there and name not in copied else {}
        for name in _IN_METADATA
    )
    stray: dict[str, dict[str, Value]] = {name: {} for name in _IN_METADATA}
    for node, path in stray_from:
        there = fields(node)
        for name, found in stray.items():
            if name in there:
                found.update(values(there[name], (*path, name)))
    return Surroundings(labels, annotations, stray["labels"], stray["annotations"], selected)


def with_copies(
    keys: PodKeys, copied: tuple[Copied, ...], owner: Mapping, object_path: Path, path: Path
) -> PodKeys:
    """Add what the pod at a path has from its object: the operator copies it."""
    fields: dict[str, Map[str, Value]] = {"labels": keys.labels, "annotations": keys.annotations}
    for one in reversed(copied):
        steps = filled(one.path, path[len(object_path) :])
        for field in one.fields:
            above = values(get(owner, *steps, field), (*object_path, *steps, field))
            own = fields[field]
            fields[field] = {**own, **above} if one.wins else {**above, **own}
    return replace(keys, labels=fields["labels"], annotations=fields["annotations"])


_SELECTORS: tuple[Steps, ...] = (
    ("topologySpreadConstraints", "*", "labelSelector"),
    *(
        ("affinity", which, *term, "labelSelector")
        for which in ("podAffinity", "podAntiAffinity")
        for term in (
            ("requiredDuringSchedulingIgnoredDuringExecution", "*"),
            ("preferredDuringSchedulingIgnoredDuringExecution", "*", "podAffinityTerm"),
        )
    ),
)
"""Selectors of pods in a pod spec."""


def selected(owner: Mapping, object_path: Path, spec: Mapping, path: Path) -> dict[str, Path]:
    """The labels that selectors of an object and of its pod match, and where the first of them is."""
    found: dict[str, Path] = {}
    there = fields(spec)
    for where, node in (
        *expand(owner, object_path, ("spec", "selector")),
        *(one for steps in _SELECTORS if steps[0] in there for one in expand(spec, path, steps)),
    ):
        for name, place in _matched(node, where):
            found.setdefault(name, place)
    return found


def _matched(selector: Node, path: Path) -> Iterator[tuple[str, Path]]:
    """What a selector matches; that of a ReplicationController is a mapping of labels itself."""
    labels = get(selector, "matchLabels")
    expressions = get(selector, "matchExpressions")
    for index, one in enumerate(items(expressions)):
        name = get_text(one, "key")
        if name:
            yield name, (*path, "matchExpressions", index, "key")
    if labels is not None:
        yield from ((name, one.path) for name, one in values(labels, (*path, "matchLabels")).items())
    elif expressions is None:
        yield from ((name, one.path) for name, one in values(selector, path).items())


def expand(node: Node, path: Path, steps: Steps) -> Iterator[tuple[Path, Node]]:
    """The nodes at a path with wildcards."""
    node = deref(node)
    if not steps:
        yield path, node
        return
    step, *rest = steps
    if step == "*":
        for index, item in enumerate(items(node)):
            yield from expand(item, (*path, index), tuple(rest))
        return
    child = get(node, step)
    if child is not None:
        yield from expand(child, (*path, step), tuple(rest))


def container(
    node: Node, path: Path, index: int, init: bool, resources: str, field: str = ""
) -> ContainerKeys:
    """The keys of one container; ``field`` is its name where it has none."""
    there = fields(deref(node))
    env: dict[str, Value] = {}
    for place, item in enumerate(items(there.get("env"))):
        one = fields(deref(item))
        name, value = one.get("name"), one.get("value")
        if value is not None and isinstance(name, Scalar) and name.text:
            env[name.text] = value_of(value, (*path, "env", place))
    asked, where = fields(there.get(resources)), (*path, resources)
    security = get(there["securityContext"], "privileged") if "securityContext" in there else None
    return ContainerKeys(
        name_at(node, "name") or field,
        index,
        init,
        values(asked["limits"], (*where, "limits")) if "limits" in asked else {},
        values(asked["requests"], (*where, "requests")) if "requests" in asked else {},
        env,
        path,
        value_of(security, (*path, "securityContext", "privileged")) if security else None,
        tuple(_uses(asked["claims"], where)) if "claims" in asked else (),
        init and get_text(node, "restartPolicy") == "Always",
    )


def _uses(claims: Node, path: Path) -> Iterator[ClaimUse]:
    """The claims whose devices a container gets."""
    for index, one in enumerate(items(claims)):
        yield ClaimUse(get_text(one, "name") or "", get_text(one, "request"), (*path, "claims", index))


def _claims(spec: Node, path: Path) -> Iterator[PodClaim]:
    """The claims that a pod names; what they request is in other objects."""
    for index, one in enumerate(items(get(spec, "resourceClaims"))):
        where = (*path, "resourceClaims", index)
        fields = values(deref(one), where)
        template, claim = fields.get("resourceClaimTemplateName"), fields.get("resourceClaimName")
        yield PodClaim(get_text(one, "name") or "", template, claim, path=where)


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
    return {name: value_of(value, (*path, name)) for name, value in fields(node).items()}


def value_at(node: Node | None, path: Path) -> Value | None:
    return None if node is None else value_of(node, path)


def value_of(node: Node, path: Path) -> Value:
    node = deref(node)
    if isinstance(node, Scalar):
        return Value(node.text, node.kind, path)
    return Value("", Kind.NODE, path)
