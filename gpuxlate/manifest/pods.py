"""The pods of a document, whatever its kind: where they are, their keys, and how many they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from collections.abc import Mapping as Map
from dataclasses import replace
from math import prod
from types import MappingProxyType
from typing import Any, NamedTuple

from gpuxlate.manifest.kinds import (
    VALUES,
    Copied,
    Factor,
    GpuCounter,
    PodShape,
    SchedulerField,
    Steps,
    filled,
    kind_of,
)
from gpuxlate.manifest.objects import REQUIRED_AFFINITY, name_at, objects_in
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import ObjectRef, Path
from gpuxlate.model.pod import (
    ClaimUse,
    ContainerKeys,
    NodeRequirement,
    PodClaim,
    PodKeys,
    ScalarKind,
    Value,
    in_lists,
)
from gpuxlate.yamltext.nodes import (
    Alias,
    Mapping,
    Node,
    Scalar,
    Sequence,
    collections_in,
    deref,
    entries_of,
    fields,
    get,
    get_text,
)
from gpuxlate.yamltext.parse import Document

METADATA = frozenset({"labels", "annotations"})

SCHEDULING_FIELDS = frozenset({"nodeSelector", "affinity", "schedulerName"})

ENV = "env"

CLAIMS = "resourceClaims"


class Pod(NamedTuple):
    """One pod of a document: its keys, and the object it belongs to.

    ``lacks``: the fields that its kind does not have, of METADATA, SCHEDULING_FIELDS and ENV. ``places``: the
    mappings with its labels and annotations; the last one takes precedence. ``names_scheduler``: the pod may
    set ``schedulerName``; ``passed_scheduler``: what its object passes to pods without one.
    ``siblings``: mappings and lists that other files need, so they stay even if they become empty.
    """

    keys: PodKeys
    object: ObjectRef
    object_path: Path
    lacks: frozenset[str] = frozenset()
    resources_key: str = "resources"
    places: tuple[Path, ...] = ()
    names_scheduler: bool = True
    passed_scheduler: str | None = None
    siblings: tuple[Path, ...] = ()

    def under(self, names: Map[str, str]) -> Pod:
        """The pod with its resources under other names: see ``ContainerKeys.under``."""
        keys = self.keys.under(names)
        return self if keys is self.keys else self._replace(keys=keys)


_POD_LISTS = ("containers", "initContainers")

_INJECTED: dict[str, tuple[str, ...]] = {
    "sidecar.istio.io/inject": ("true",),
    "istio.io/rev": (),
    "linkerd.io/inject": ("enabled", "ingress"),
    "dapr.io/enabled": ("true",),
}
"""Labels and annotations of pods for which a webhook adds a container, with the values that ask for it;
none: any value. Sources: istio.io "Resource labels", linkerd.io "Proxy configuration", docs.dapr.io
"Arguments and annotations", as of 2026. A namespace may ask for the same, which no pod shows."""


def pods_in(document: Document) -> Iterator[Pod]:
    """Every pod of a document, in its order."""
    objects = objects_in(document)
    places = {path for _, path, _ in objects} if len(objects) > 1 else set()
    closed: Path | None = None  # what an object carries follows it
    for ref, path, node in objects:
        if closed is not None and path[: len(closed)] == closed:
            continue
        kind = kind_of(ref.api_version, ref.kind)
        closed = path if kind.no_pods else None
        if closed is not None:
            continue
        apart = {where for steps in kind.patches for where, _ in expand(node, path, steps)}
        by_object: dict[Path, list[Pod]] = {}
        for shape in kind.pods:
            for pod_path, spec in expand(node, path, shape.pod):
                if isinstance(spec, Mapping):
                    pod = _pod_by_shape(shape, ref, path, node, pod_path, spec)
                    if pod is not None:
                        by_object.setdefault(pod_path, []).append(pod)
        for pods in by_object.values():
            # shapes of one place differ in the field with limits: those that find some are right
            asking = [
                pod for pod in pods if any(container.resources for container in pod.keys.all_containers())
            ]
            yield from (_in_cluster(pod, node) for pod in asking or pods[:1])
        for spec_path, spec in _walk(node, path, (by_object.keys(), apart, places)):
            yield _in_cluster(pod_at(ref, path, node, spec_path, spec), node)


def _in_cluster(pod: Pod, owner: Mapping) -> Pod:
    """The pod with what a server did to its object, and what a cluster will do to it."""
    keys, kind = pod.keys, kind_of(pod.object.api_version, pod.object.kind)
    status = get(owner, "status")
    metadata = get(owner, "metadata")
    served = bool(
        get_text(metadata, "uid")
        or get_text(metadata, "resourceVersion")
        or (isinstance(status, Mapping) and status.entries)
    )
    grows = kind.adds_containers or any(
        not _INJECTED[name] or values[name].text.lower() in _INJECTED[name]
        for values in (keys.labels, keys.annotations)
        for name in _INJECTED.keys() & values.keys()
    )
    if not (served or grows or kind.grouped):
        return pod
    node_name = None if served and pod.object.kind == "Pod" else keys.node_name
    changed = replace(keys, served=served, grows=grows, grouped=kind.grouped, node_name=node_name)
    return pod._replace(keys=changed)


def _walk(root: Node, path: Path, apart: tuple[Set[Path], ...]) -> Iterator[tuple[Path, Mapping]]:
    """Every mapping with a list of containers, at any depth, but not below the paths ``apart``."""
    closed = [places for places in apart if places]
    pending: list[tuple[Path, Node]] = [(path, root)]
    while pending:
        where, node = pending.pop()
        if type(node) is Alias:
            node = deref(node)
        if closed and where != path and any(where in places for places in closed):
            continue
        if type(node) is Mapping:
            if has_containers(node):
                yield where, node
                continue
            pending.extend([((*where, name), value) for name, value in reversed(collections_in(node))])
        elif type(node) is Sequence:
            pending.extend(((*where, n), node.items[n]) for n in range(len(node.items) - 1, -1, -1))


def has_containers(node: Mapping) -> bool:
    """The mapping is a pod spec: it has a list of containers."""
    plain = node.entries_by_key
    for name in _POD_LISTS:
        listed = items(get(node, name)) if plain is None or name in plain else ()
        if listed and all(isinstance(deref(item), Mapping) for item in listed):
            return True
    return False


def pod_at(ref: ObjectRef, object_path: Path, owner: Mapping, path: Path, spec: Mapping) -> Pod:
    """A pod whose metadata is next to its spec, as in every pod template."""
    template_path = path[:-1] if path and path[-1] == "spec" else path
    template = get(owner, *template_path[len(object_path) :])
    is_template_of_object = template_path == object_path
    lists = (("initContainers", True), ("containers", False))
    containers = [
        container(item, (*path, name, index), index, init, "resources")
        for name, init in lists
        for index, item in enumerate(items(get(spec, name)))
    ]
    own_metadata = get(template, "metadata")
    scheduler = kind_of(ref.api_version, ref.kind).scheduler
    around = surroundings(
        None if is_template_of_object else get(owner, "metadata"),
        (*object_path, "metadata"),
        ((template, template_path), (spec, path)) if template_path != path else ((template, template_path),),
        selected_labels(owner, object_path, spec, path),
    )
    pod_keys = keys_of_pod(spec, path, own_metadata, (*template_path, "metadata"), containers, around=around)
    has_place = isinstance(own_metadata, Mapping) or path[-1:] == ("spec",)
    lacks = frozenset() if has_place else METADATA
    pod = Pod(pod_keys, ref, object_path, lacks, places=(pod_keys.metadata_path,))
    return pod if scheduler is None else _scheduled(pod, scheduler, owner)


def _pod_by_shape(
    shape: PodShape, ref: ObjectRef, object_path: Path, owner: Mapping, path: Path, spec: Mapping
) -> Pod | None:
    """A pod of a kind from the catalogue, None where it has no container."""
    containers: list[ContainerKeys] = []
    for steps in shape.containers:
        for where, node in expand(spec, path, steps):
            if isinstance(node, Mapping):
                init = "initContainers" in steps
                index = sum(1 for container in containers if container.init == init)
                field = steps[-1] if steps and steps[-1] != "*" else ""
                containers.append(container(node, where, index, init, shape.resources, field))
    if not containers or (
        () in shape.containers and not any(container.resources for container in containers)
    ):
        return None  # a pod spec is a container by itself only where it has limits
    has_place = shape.metadata is not None
    metadata_path = path
    for step in shape.metadata or ():
        metadata_path = metadata_path[:-1] if step == ".." else (*metadata_path, step)
    below = path[len(object_path) :]
    copies, winning = (
        [(*object_path, *filled(copy.path, below)) for copy in shape.copied if copy.wins is wins]
        for wins in (False, True)
    )
    places = (*copies, *([metadata_path] if has_place else []), *winning) or ((*path, "metadata"),)
    metadata = get(owner, *metadata_path[len(object_path) :]) if has_place else None
    pod_keys = keys_of_pod(spec, path, metadata, metadata_path if has_place else places[-1], containers)
    pod_keys = _with_copies(pod_keys, shape.copied, owner, object_path, path)
    copied = {field for copy in shape.copied if copy.path == ("metadata",) for field in copy.fields}
    around = surroundings(
        get(owner, "metadata"),
        (*object_path, "metadata"),
        (),
        selected_labels(owner, object_path, spec, path),
        copied,
    )
    pod = Pod(
        replace(pod_keys, **around),
        ref,
        object_path,
        (frozenset() if has_place or shape.copied else METADATA)
        | (frozenset() if shape.nodes else SCHEDULING_FIELDS)
        | (frozenset() if ("containers", "*") in shape.containers else {CLAIMS}),
        resources_key=shape.resources,
        places=places,
    )
    scheduler = kind_of(ref.api_version, ref.kind).scheduler
    return pod if scheduler is None else _scheduled(pod, scheduler, owner)


def _scheduled(pod: Pod, field: SchedulerField, owner: Mapping) -> Pod:
    """The pod with the scheduler of its object."""
    name = get_text(owner, *field.path) or field.default
    if name and (field.wins or not pod.keys.scheduler_name):
        passed = Value(name, path=(*pod.object_path, *field.path))
        pod = pod._replace(keys=replace(pod.keys, scheduler_name=passed))
    if field.set_by:
        pod = pod._replace(keys=replace(pod.keys, scheduler_set_by=field.set_by))
    return pod._replace(names_scheduler=not field.wins, passed_scheduler=name or None)


# --- keys ----------------------------------------------------------------------------------------
_PREFERRED_AFFINITY = ("affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution")

_IN_METADATA = ("labels", "annotations")


def keys_of_pod(
    spec: Mapping,
    path: Path,
    metadata: Node | None,
    metadata_path: Path,
    containers: list[ContainerKeys],
    renamed: Map[str, str] = MappingProxyType({}),
    around: Map[str, Any] = MappingProxyType({}),
) -> PodKeys:
    """The keys of a pod; ``renamed``: other names of labels and annotations in its metadata."""
    spec_fields, about = fields(spec), fields(metadata)
    scheduler, node_name = spec_fields.get("schedulerName"), spec_fields.get("nodeName")
    labels, annotations = renamed.get("labels", "labels"), renamed.get("annotations", "annotations")
    if isinstance(scheduler, Scalar) and scheduler.style and not scheduler.text:
        scheduler = None  # an empty text is as good as none, to Kubernetes and in a chart
    chooses = "affinity" in spec_fields
    return PodKeys(
        *in_lists(containers),
        labels=values(about[labels], (*metadata_path, labels)) if labels in about else {},
        annotations=values(about[annotations], (*metadata_path, annotations)) if annotations in about else {},
        node_selector=values(spec_fields["nodeSelector"], (*path, "nodeSelector"))
        if "nodeSelector" in spec_fields
        else {},
        affinity=tuple(_terms(spec, path, REQUIRED_AFFINITY)) if chooses else (),
        preferred=tuple(_terms(spec, path, _PREFERRED_AFFINITY, ("preference",))) if chooses else (),
        scheduler_name=value_of(scheduler, (*path, "schedulerName")) if scheduler else None,
        path=path,
        metadata_path=metadata_path,
        node_name=value_of(node_name, (*path, "nodeName")) if node_name else None,
        fields=renamed,
        claims=tuple(_claims(spec, path)) if "resourceClaims" in spec_fields else (),
        **around,
    )


def surroundings(
    owner: Node | None,
    owner_path: Path,
    stray_from: Iterable[tuple[Node | None, Path]],
    selected: Map[str, Path],
    copied: Set[str] = frozenset(),
) -> dict[str, Any]:
    """What is around a pod, by its fields of ``PodKeys``: the keys of its workload, those outside of
    ``metadata``, and what selectors match. ``copied``: the fields of the workload's metadata that its pods
    have."""
    labels, annotations = (
        {} if name in copied else values(get(owner, name), (*owner_path, name)) for name in _IN_METADATA
    )
    stray: dict[str, dict[str, Value]] = {name: {} for name in _IN_METADATA}
    for node, path in stray_from:
        for name, stray_values in stray.items():
            entry = get(node, name)
            if entry is not None:
                stray_values.update(values(entry, (*path, name)))
    return {
        "owner_labels": labels,
        "owner_annotations": annotations,
        "stray_labels": stray["labels"],
        "stray_annotations": stray["annotations"],
        "selected": selected,
    }


def _with_copies(
    keys: PodKeys, copied: tuple[Copied, ...], owner: Mapping, object_path: Path, path: Path
) -> PodKeys:
    """Add what the pod at a path has from its object: the operator copies it."""
    fields: dict[str, Map[str, Value]] = {"labels": keys.labels, "annotations": keys.annotations}
    for copy in reversed(copied):
        steps = filled(copy.path, path[len(object_path) :])
        for field in copy.fields:
            above = values(get(owner, *steps, field), (*object_path, *steps, field))
            pod_values = fields[field]
            fields[field] = {**pod_values, **above} if copy.wins else {**above, **pod_values}
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


def selected_labels(owner: Mapping, object_path: Path, spec: Mapping, path: Path) -> dict[str, Path]:
    """The labels that selectors of an object and of its pod match, and where the first of them is."""
    by_label: dict[str, Path] = {}
    spec_fields, selector_node = fields(spec), get(owner, "spec", "selector")
    for where, node in (
        *([] if selector_node is None else [((*object_path, "spec", "selector"), selector_node)]),
        *(place for steps in _SELECTORS if steps[0] in spec_fields for place in expand(spec, path, steps)),
    ):
        for name, place in _matched(node, where):
            by_label.setdefault(name, place)
    return by_label


def _matched(selector: Node, path: Path) -> Iterator[tuple[str, Path]]:
    """What a selector matches; that of a ReplicationController is a mapping of labels itself."""
    labels = get(selector, "matchLabels")
    expressions = get(selector, "matchExpressions")
    for index, node in enumerate(items(expressions)):
        name = get_text(node, "key")
        if name:
            yield name, (*path, "matchExpressions", index, "key")
    if labels is not None:
        yield from ((name, value.path) for name, value in values(labels, (*path, "matchLabels")).items())
    elif expressions is None:
        yield from ((name, value.path) for name, value in values(selector, path).items())


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
    if step == "{}":
        for name, _, value, _ in entries_of(node) if isinstance(node, Mapping) else ():
            yield from expand(value, (*path, name), tuple(rest))
        return
    child = get(node, step)
    if child is not None:
        yield from expand(child, (*path, step), tuple(rest))


def chart_values(document: Document) -> frozenset[Path]:
    """Where objects of a document have the values of charts."""
    return frozenset(
        where
        for ref, path, node in objects_in(document)
        for steps in kind_of(ref.api_version, ref.kind).chart_values
        for where, _ in expand(node, path, steps)
    )


def container(
    node: Node, path: Path, index: int, init: bool, resources: str, field: str = ""
) -> ContainerKeys:
    """The keys of one container; ``field`` is its name where it has none."""
    container_fields = fields(deref(node))
    env: dict[str, Value] = {}
    for place, item in enumerate(items(container_fields["env"])) if "env" in container_fields else ():
        value = get(item, "value")
        if value is not None and (name := get_text(item, "name")):
            env[name] = value_of(value, (*path, "env", place))
    resource_fields, where = fields(container_fields.get(resources)), (*path, resources)
    security = (
        get(container_fields["securityContext"], "privileged")
        if "securityContext" in container_fields
        else None
    )
    claims = items(resource_fields.get("claims"))
    return ContainerKeys(
        name_at(container_fields.get("name")) or field,
        index,
        init,
        values(resource_fields["limits"], (*where, "limits")) if "limits" in resource_fields else {},
        values(resource_fields["requests"], (*where, "requests")) if "requests" in resource_fields else {},
        env,
        path,
        value_of(security, (*path, "securityContext", "privileged")) if security else None,
        tuple(
            ClaimUse(get_text(node, "name") or "", get_text(node, "request"), (*where, "claims", place))
            for place, node in enumerate(claims)
        )
        if claims
        else (),
        init and get_text(node, "restartPolicy") == "Always",
    )


def _claims(spec: Node, path: Path) -> Iterator[PodClaim]:
    """The claims that a pod names; what they request is in other objects."""
    for index, node in enumerate(items(get(spec, "resourceClaims"))):
        where = (*path, "resourceClaims", index)
        fields = values(deref(node), where)
        template, claim = fields.get("resourceClaimTemplateName"), fields.get("resourceClaimName")
        old = fields.get("source")
        yield PodClaim(get_text(node, "name") or "", template, claim, path=where, source=old)


def _terms(
    spec: Mapping, path: Path, steps: tuple[str, ...], inside: tuple[str, ...] = ()
) -> Iterator[tuple[NodeRequirement, ...]]:
    """The requirements of each term of a node affinity; ``inside``: where in the term they are."""
    for number, term in enumerate(items(get(spec, *steps))):
        requirements: list[NodeRequirement] = []
        for index, item in enumerate(items(get(term, *inside, "matchExpressions"))):
            key, operator = get_text(item, "key"), get_text(item, "operator")
            where = (*path, *steps, number, *inside, "matchExpressions", index)
            requirements.append(NodeRequirement(key or "", operator or "", texts(get(item, "values")), where))
        yield tuple(requirements)


def items(node: Node | None) -> list[Node]:
    """The items of a list; empty for any other node."""
    return node.items if isinstance(node, Sequence) else []


def texts(node: Node | None) -> tuple[str, ...]:
    """The scalars of a list."""
    return tuple(item.text for item in map(deref, items(node)) if isinstance(item, Scalar))


def values(node: Node | None, path: Path) -> dict[str, Value]:
    """The entries of a mapping as values with their paths; empty where there is none."""
    return {name: value_of(value, (*path, name)) for name, value in fields(node).items()}


def value_of(node: Node, path: Path) -> Value:
    """A node as a value at a path; an alias is followed, and a mapping or list has no text."""
    if type(node) is Alias:
        node = deref(node)
    if type(node) is Scalar:
        return Value(node.text, node.kind, path)
    return Value("", ScalarKind.NODE, path)


# --- how many there are ---------------------------------------------------------------------------
_COUNT = regex("[0-9]{1,9}")

_REPLICA_FIELDS = ("replicas", "parallelism", "numReplicas", "instances")
"""Fields next to a pod template that give the number of its pods, in kinds without a row."""

_REPLICAS_OF_VALUES = ("replicaCount", "replicas")
"""Those beside the resources in the values of a chart; the first is that of ``helm create``."""


def replicas(document: Document, pod: Pod) -> int | None:
    """The number of pods of one template; None where it depends on the cluster."""
    kind = kind_of(pod.object.api_version, pod.object.kind)
    if kind.uncounted:
        return None
    start = len(pod.object_path)
    path = pod.keys.path[start:]
    owner = get(document.root, *pod.object_path)
    for count in kind.replicas:
        if filled(count.below, path) == path[: len(count.below)]:
            return prod(_number(owner, factor, path) for factor in count.factors)
    if pod.object.kind == VALUES:
        return _first_count(get(owner, *path), _REPLICAS_OF_VALUES)
    node, number = owner, _first_count(owner, _REPLICA_FIELDS)
    for step in path:
        node = get(node, step)
        number *= _first_count(node, _REPLICA_FIELDS)
    return number


def _number(owner: Node | None, factor: Factor, path: Path) -> int:
    places = (factor.path, *factor.otherwise)
    counts = (_count(get_text(owner, *filled(steps, path))) for steps in places)
    number = next((count for count in counts if count is not None), 1)
    if factor.over is not None:
        number = max(1, number // (_count(get_text(owner, *filled(factor.over, path))) or 1))
    apart = factor.apart is not None and get(owner, *factor.apart) is not None
    return max(0, number - apart)


def _first_count(node: Node | None, names: tuple[str, ...]) -> int:
    node_fields = fields(node)
    counts = (_count(get_text(node_fields[name])) for name in names if name in node_fields)
    return next((count for count in counts if count is not None), 1)


def _count(text: str | None) -> int | None:
    return int(text) if text and _COUNT.fullmatch(text) else None


# --- GPUs that an operator counts -----------------------------------------------------------------
def counter_of(document: Document, pod: Pod, *, explicit: bool = False) -> GpuCounter | None:
    """How an operator counts the GPUs of a pod by its resources; None where none does.

    None too where the object sets the number itself, unless ``explicit``.
    """
    pod_path = pod.keys.path[len(pod.object_path) :]
    shapes = kind_of(pod.object.api_version, pod.object.kind).pods
    counter = next(
        (shape.counter for shape in shapes if shape.counter and filled(shape.pod, pod_path) == pod_path), None
    )
    if counter is None or explicit:
        return counter
    owner = get(document.root, *pod.object_path)
    listed = get(owner, *filled(counter.listed, pod_path)) if counter.listed else None
    names = [name.lower() for name, *_ in entries_of(listed)] if isinstance(listed, Mapping) else []
    has_number = get(owner, *filled(counter.explicit_count, pod_path)) is not None
    return None if has_number or any(map(counter.names.fullmatch, names)) else counter


def explicit_gpu_count(document: Document, pod: Pod) -> tuple[GpuCounter, Value] | None:
    """The number of GPUs that the object of a pod sets for a program that takes only whole numbers."""
    counter = counter_of(document, pod, explicit=True)
    if counter is None or not counter.whole:
        return None
    path = (*pod.object_path, *filled(counter.explicit_count, pod.keys.path[len(pod.object_path) :]))
    number = get(document.root, *path)
    return (counter, value_of(number, path)) if number is not None else None


def counted_numbers(counter: GpuCounter, container: ContainerKeys) -> frozenset[str]:
    """The numbers of GPUs, as texts, that an operator may find in a container; empty if it finds none."""
    for field in counter.fields:
        resources = container.limits if field == "limits" else container.requests
        names = [name for name in sorted(resources) if counter.names.fullmatch(name)]
        if names:
            return frozenset(resources[name].text for name in (names[:1] if counter.first else names))
    return frozenset()


def suffixes(pods: list[Pod]) -> list[str]:
    """For each pod of a document what tells it from the others of its object; empty where there are none.

    Pods at one place have the number of the first.
    """
    if len(pods) < 2:
        return ["" for _ in pods]
    by_object: dict[Path, list[Path]] = {}
    for pod in pods:
        by_object.setdefault(pod.object_path, []).append(pod.keys.path)
    numbers: dict[Path, int] = {}
    for places in by_object.values():
        for number, place in enumerate(places, 1):
            numbers.setdefault(place, number)
    return [f"-{numbers[pod.keys.path]}" if len(by_object[pod.object_path]) > 1 else "" for pod in pods]
