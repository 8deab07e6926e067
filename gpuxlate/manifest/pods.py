"""Finding pods in a document, and reading what they claim."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gpuxlate.claims import (
    ContainerClaims,
    DocumentClaims,
    Kind,
    NodeRequirement,
    Path,
    PodClaims,
    Value,
)
from gpuxlate.diagnostics import ObjectRef
from gpuxlate.manifest.catalog import Row, Steps, rows_for
from gpuxlate.manifest.compose import Document
from gpuxlate.manifest.nodes import (
    Alias,
    Mapping,
    Node,
    Scalar,
    Sequence,
    deref,
    entries_of,
    get,
    get_text,
)

REQUIRED_AFFINITY = (
    "affinity",
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
)
_POD_LISTS = ("containers", "initContainers")
_NO_PODS = frozenset({"CustomResourceDefinition"})


@dataclass(frozen=True, slots=True)
class Pod:
    """One pod of a document: its claims, the object it belongs to, the field that holds limits."""

    claims: PodClaims
    object: ObjectRef
    object_path: Path
    has_metadata: bool
    resources_key: str = "resources"


def objects_in(document: Document) -> Iterator[tuple[ObjectRef, Path, Mapping]]:
    """The Kubernetes objects of a document: its own, or the items of a List."""
    root = deref(document.root) if document.root else None
    if not isinstance(root, Mapping):
        return
    kind = get_text(root, "kind")
    items = get(root, "items")
    if kind and kind.endswith("List") and isinstance(items, Sequence):
        for index, item in enumerate(items.items):
            node = deref(item)
            if isinstance(node, Mapping):
                yield object_ref(node), ("items", index), node
        return
    yield object_ref(root), (), root


def object_ref(node: Mapping) -> ObjectRef:
    return ObjectRef(
        get_text(node, "apiVersion"),
        get_text(node, "kind"),
        get_text(node, "metadata", "namespace"),
        get_text(node, "metadata", "name"),
    )


def pods_in(document: Document) -> Iterator[Pod]:
    """Every pod of a document, in its order."""
    for ref, path, node in objects_in(document):
        if ref.kind in _NO_PODS:
            continue
        claimed: set[Path] = set()
        for row in rows_for(ref.kind):
            for pod_path, spec in _expand(node, path, row.pod):
                if isinstance(spec, Mapping):
                    pod = _pod_by_row(row, ref, path, node, pod_path, spec)
                    if pod is not None:
                        claimed.add(pod_path)
                        yield pod
        for spec_path, spec in _walk(node, path, claimed):
            yield _pod(ref, path, node, spec_path, spec)


def _expand(node: Node, path: Path, steps: Steps) -> Iterator[tuple[Path, Node]]:
    """The nodes at a path with wildcards."""
    node = deref(node)
    if not steps:
        yield path, node
        return
    step, *rest = steps
    if step == "*":
        if isinstance(node, Sequence):
            for index, item in enumerate(node.items):
                yield from _expand(item, (*path, index), tuple(rest))
        return
    child = get(node, step)
    if child is not None:
        yield from _expand(child, (*path, step), tuple(rest))


def _walk(root: Node, path: Path, claimed: set[Path]) -> Iterator[tuple[Path, Mapping]]:
    """Every mapping with a list of containers in it, at any depth."""
    pending: list[tuple[Path, Node, frozenset[int]]] = [(path, root, frozenset())]
    while pending:
        where, node, above = pending.pop()
        if isinstance(node, Alias):
            if id(node.target) in above:
                continue
            above = above | {id(node.target)}
            node = deref(node)
        if where in claimed:
            continue
        if isinstance(node, Mapping):
            children = [(name, value) for name, _, value, _ in entries_of(node)]
            if any(name in _POD_LISTS and _is_container_list(value) for name, value in children):
                yield where, node
                continue
            pending.extend(((*where, name), value, above) for name, value in reversed(children))
        elif isinstance(node, Sequence):
            count = len(node.items)
            pending.extend(((*where, n), node.items[n], above) for n in range(count - 1, -1, -1))


def _is_container_list(node: Node) -> bool:
    node = deref(node)
    return (
        isinstance(node, Sequence)
        and bool(node.items)
        and all(isinstance(deref(item), Mapping) for item in node.items)
    )


def _pod(ref: ObjectRef, object_path: Path, owner: Mapping, path: Path, spec: Mapping) -> Pod:
    """A pod whose metadata stands beside its spec, as in every pod template."""
    beside = path[:-1] if path and path[-1] == "spec" else path
    template = get(owner, *beside[len(object_path) :])
    own = beside == object_path
    lists = (("initContainers", True), ("containers", False))
    containers = [
        _container(item, (*path, name, index), index, init, "resources")
        for name, init in lists
        for index, item in enumerate(_items(get(spec, name)))
    ]
    claims = _claims(spec, path, get(template, "metadata"), (*beside, "metadata"), containers)
    if own:
        owner_metadata: Node | None = None
    else:
        owner_metadata = get(owner, "metadata")
    stray_from = [(template, beside)] + ([(spec, path)] if beside != path else [])
    return Pod(
        _with_surroundings(claims, owner_metadata, (*object_path, "metadata"), stray_from),
        ref,
        object_path,
        has_metadata=isinstance(get(template, "metadata"), Mapping) or path[-1:] == ("spec",),
    )


def _pod_by_row(
    row: Row, ref: ObjectRef, object_path: Path, owner: Mapping, path: Path, spec: Mapping
) -> Pod | None:
    """A pod of a kind from the catalog, None where no container of it is there."""
    containers: list[ContainerClaims] = []
    for steps in row.containers:
        for where, node in _expand(spec, path, steps):
            if isinstance(node, Mapping):
                init = "initContainers" in steps
                index = sum(1 for one in containers if one.init == init)
                containers.append(_container(node, where, index, init, row.resources))
    if not any(one.limits or one.requests for one in containers):
        return None
    metadata_path = path if row.metadata == (".",) else (*path, *(row.metadata or ("metadata",)))
    metadata = spec if row.metadata == (".",) else get(spec, *(row.metadata or ("metadata",)))
    claims = _claims(spec, path, metadata, metadata_path, containers)
    return Pod(
        _with_surroundings(claims, get(owner, "metadata"), (*object_path, "metadata"), []),
        ref,
        object_path,
        has_metadata=row.metadata is not None,
        resources_key=row.resources,
    )


def _claims(
    spec: Mapping, path: Path, metadata: Node | None, metadata_path: Path, containers: list[ContainerClaims]
) -> PodClaims:
    scheduler = get(spec, "schedulerName")
    return PodClaims(
        containers=tuple(c for c in containers if not c.init),
        init_containers=tuple(c for c in containers if c.init),
        labels=_values(get(metadata, "labels"), (*metadata_path, "labels")),
        annotations=_values(get(metadata, "annotations"), (*metadata_path, "annotations")),
        node_selector=_values(get(spec, "nodeSelector"), (*path, "nodeSelector")),
        affinity=tuple(_terms(spec, path)),
        scheduler_name=_value(scheduler, (*path, "schedulerName")) if scheduler else None,
        path=path,
        metadata_path=metadata_path,
    )


def _with_surroundings(
    claims: PodClaims, owner: Node | None, owner_path: Path, stray_from: list[tuple[Node | None, Path]]
) -> PodClaims:
    """Add what stands on the workload, and what stands outside ``metadata``."""
    stray: dict[str, dict[str, Value]] = {"labels": {}, "annotations": {}}
    for node, path in stray_from:
        for name, found in stray.items():
            found.update(_values(get(node, name), (*path, name)))
    return PodClaims(
        claims.containers,
        claims.init_containers,
        claims.labels,
        claims.annotations,
        claims.node_selector,
        claims.affinity,
        claims.scheduler_name,
        _values(get(owner, "labels"), (*owner_path, "labels")),
        _values(get(owner, "annotations"), (*owner_path, "annotations")),
        stray["labels"],
        stray["annotations"],
        claims.path,
        claims.metadata_path,
    )


def _container(node: Node, path: Path, index: int, init: bool, resources: str) -> ContainerClaims:
    env: dict[str, Value] = {}
    for place, item in enumerate(_items(get(node, "env"))):
        name, value = get_text(item, "name"), get(item, "value")
        if name and value is not None:
            env[name] = _value(value, (*path, "env", place))
    return ContainerClaims(
        get_text(node, "name") or "",
        index,
        init,
        _values(get(node, resources, "limits"), (*path, resources, "limits")),
        _values(get(node, resources, "requests"), (*path, resources, "requests")),
        env,
        path,
    )


def _terms(spec: Mapping, path: Path) -> Iterator[tuple[NodeRequirement, ...]]:
    for number, term in enumerate(_items(get(spec, *REQUIRED_AFFINITY))):
        found: list[NodeRequirement] = []
        for index, item in enumerate(_items(get(term, "matchExpressions"))):
            key, operator = get_text(item, "key"), get_text(item, "operator")
            values = tuple(v.text for v in map(deref, _items(get(item, "values"))) if isinstance(v, Scalar))
            where = (*path, *REQUIRED_AFFINITY, number, "matchExpressions", index)
            found.append(NodeRequirement(key or "", operator or "", values, where))
        yield tuple(found)


def _items(node: Node | None) -> list[Node]:
    return node.items if isinstance(node, Sequence) else []


def _values(node: Node | None, path: Path) -> dict[str, Value]:
    if not isinstance(node, Mapping):
        return {}
    return {name: _value(value, (*path, name)) for name, _, value, _ in entries_of(node)}


def _value(node: Node, path: Path) -> Value:
    node = deref(node)
    if isinstance(node, Scalar):
        return Value(node.text, node.kind, path)
    return Value("", Kind.NODE, path)


def document_claims(document: Document, pods: list[Pod], is_gpu_key: Callable[[str], bool]) -> DocumentClaims:
    """What the rules of a document need to know."""
    root = deref(document.root) if document.root else None
    inside = {path for pod in pods for path in _claim_paths(pod.claims)}
    outside: list[tuple[str, Path]] = []
    repeated_nodes = {id(key) for _, key in document.repeated}
    repeated: list[Path] = []
    for path, key in _keys(root):
        if id(key) in repeated_nodes:
            repeated.append(path)
        if path not in inside and is_gpu_key(key.text):
            outside.append((key.text, path))
    return DocumentClaims(
        get_text(root, "apiVersion"),
        get_text(root, "kind"),
        tuple(pod.claims for pod in pods),
        tuple(outside),
        tuple(repeated),
        tuple(shared_paths(document, pods, is_gpu_key)),
    )


def _claim_paths(pod: PodClaims) -> Iterator[Path]:
    for container in pod.all_containers():
        for values in (container.limits, container.requests):
            yield from (value.path for value in values.values())
    for values in (
        pod.labels,
        pod.annotations,
        pod.node_selector,
        pod.owner_labels,
        pod.owner_annotations,
        pod.stray_labels,
        pod.stray_annotations,
    ):
        yield from (value.path for value in values.values())


def _keys(root: Node | None) -> Iterator[tuple[Path, Scalar]]:
    """Every key of a document with its path; what an alias stands for is visited at its anchor."""
    pending: list[tuple[Path, Node]] = [((), root)] if root is not None else []
    while pending:
        path, node = pending.pop()
        if isinstance(node, Mapping):
            for key, value in node.entries:
                name = deref(key)
                if isinstance(name, Scalar):
                    yield (*path, name.text), name
                    pending.append(((*path, name.text), value))
        elif isinstance(node, Sequence):
            pending.extend(((*path, n), item) for n, item in enumerate(node.items))


def shared_paths(document: Document, pods: list[Pod], is_gpu_key: Callable[[str], bool]) -> Iterator[Path]:
    """GPU values that can be reached in more than one way: through an anchor, alias or merge key."""
    if not document.aliases:
        return
    for pod in pods:
        for container in pod.claims.all_containers():
            for values in (container.limits, container.requests):
                for name, value in values.items():
                    if is_gpu_key(name) and behind_anchor(document, value.path):
                        yield value.path


def behind_anchor(document: Document, path: Path) -> Node | None:
    """The outermost anchored node, used by some alias, that the value at a path stands in."""
    targets = {id(alias.target) for alias in document.aliases}
    node = document.root
    for step in path:
        if node is None:
            return None
        if id(deref(node)) in targets:
            return deref(node)
        if isinstance(deref(node), Mapping):
            mapping = deref(node)
            assert isinstance(mapping, Mapping)
            entry = next((e for e in entries_of(mapping) if e[0] == step), None)
            if entry is None:
                return None
            if id(entry[3]) in targets:
                return entry[3]
            node = entry[2]
        else:
            node = get(node, step)
    return deref(node) if node is not None and id(deref(node)) in targets else None
