"""Find the pods of a document, whatever its kind."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from gpuxlate.manifest.facts import document_keys
from gpuxlate.manifest.kinds import (
    INJECTED,
    Row,
    SchedulerRow,
    adds_containers,
    filled,
    holds_no_pods,
    is_injected,
    patches_of,
    rows_for,
    scheduler_row,
)
from gpuxlate.manifest.objects import CLAIMS, METADATA, SCHEDULING, Pod, object_ref, objects_in
from gpuxlate.manifest.pod_keys import (
    REQUIRED_AFFINITY,
    container,
    expand,
    items,
    keys,
    selected,
    surroundings,
    with_copies,
)
from gpuxlate.model.diagnostics import ObjectRef
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys, Value
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    deref,
    fields,
    get,
    get_text,
)

__all__ = ["REQUIRED_AFFINITY", "Pod", "document_keys", "object_ref", "objects_in", "pods_in"]

_POD_LISTS = ("containers", "initContainers")


def pods_in(document: Document) -> Iterator[Pod]:
    """Every pod of a document, in its order."""
    objects = objects_in(document)
    places = {path for _, path, _ in objects}
    closed: Path | None = None  # what an object carries follows it
    for ref, path, node in objects:
        if closed is not None and path[: len(closed)] == closed:
            continue
        closed = path if holds_no_pods(ref.api_version, ref.kind) else None
        if closed is not None:
            continue
        apart = {where for steps in patches_of(ref.kind) for where, _ in expand(node, path, steps)}
        found: dict[Path, list[Pod]] = {}
        for row in rows_for(ref.api_version, ref.kind):
            for pod_path, spec in expand(node, path, row.pod):
                if isinstance(spec, Mapping):
                    pod = _pod_by_row(row, ref, path, node, pod_path, spec)
                    if pod is not None:
                        found.setdefault(pod_path, []).append(pod)
        for pods in found.values():
            # rows of one place differ in the field with limits: those that find some are right
            chosen = [pod for pod in pods if _requests(pod)] or pods[:1]
            yield from (_in_cluster(pod, node) for pod in chosen)
        for spec_path, spec in _walk(node, path, (found.keys(), apart, places)):
            yield _in_cluster(pod_at(ref, path, node, spec_path, spec), node)


def _in_cluster(pod: Pod, owner: Mapping) -> Pod:
    """The pod with what a server did to its object, and what a cluster will do to it."""
    keys, kind = pod.keys, pod.object.kind
    status = get(owner, "status")
    metadata = get(owner, "metadata")
    served = bool(
        get_text(metadata, "uid")
        or get_text(metadata, "resourceVersion")
        or (isinstance(status, Mapping) and status.entries)
    )
    grows = adds_containers(pod.object.api_version, kind) or any(
        is_injected(name, values[name].text)
        for values in (keys.labels, keys.annotations)
        for name in INJECTED.keys() & values.keys()
    )
    if not (served or grows):
        return pod
    node_name = None if served and kind == "Pod" else keys.node_name
    return pod._replace(keys=replace(keys, served=served, grows=grows, node_name=node_name))


def _walk(root: Node, path: Path, apart: tuple[Set[Path], ...]) -> Iterator[tuple[Path, Mapping]]:
    """Every mapping with a list of containers in it, at any depth; not in what stands ``apart``."""
    closed = {one for places in apart for one in places} - {path}
    pending: list[tuple[Path, Node]] = [(path, root)]
    while pending:
        where, written = pending.pop()
        node = deref(written)
        if where in closed:
            continue
        if isinstance(node, Mapping):
            if has_containers(node):
                yield where, node
                continue
            below = [(name, value) for name, value in fields(node).items() if type(value) is not Scalar]
            pending.extend([((*where, name), value) for name, value in reversed(below)])
        elif isinstance(node, Sequence):
            pending.extend(((*where, n), node.items[n]) for n in range(len(node.items) - 1, -1, -1))


def has_containers(node: Mapping) -> bool:
    """The mapping is a pod spec: it has a list of containers."""
    there = node.plain if node.plain is not None else node.by_name
    return any(name in there and _is_container_list(there[name][1]) for name in _POD_LISTS)


def _is_container_list(node: Node) -> bool:
    node = deref(node)
    return (
        isinstance(node, Sequence)
        and bool(node.items)
        and all(isinstance(deref(item), Mapping) for item in node.items)
    )


def pod_at(ref: ObjectRef, object_path: Path, owner: Mapping, path: Path, spec: Mapping) -> Pod:
    """A pod whose metadata is next to its spec, as in every pod template."""
    beside = path[:-1] if path and path[-1] == "spec" else path
    template = get(owner, *beside[len(object_path) :])
    own = beside == object_path
    lists = (("initContainers", True), ("containers", False))
    containers = [
        container(item, (*path, name, index), index, init, "resources")
        for name, init in lists
        for index, item in enumerate(items(get(spec, name)))
    ]
    own_metadata = get(template, "metadata")
    row = scheduler_row(ref.api_version, ref.kind)
    wins = bool(row and row.wins)
    passed = _passed(row, object_path, owner)
    around = surroundings(
        None if own else get(owner, "metadata"),
        (*object_path, "metadata"),
        ((template, beside), (spec, path)) if beside != path else ((template, beside),),
        selected(owner, object_path, spec, path),
    )
    found = keys(spec, path, own_metadata, (*beside, "metadata"), containers, around=around)
    return Pod(
        _scheduled(found, passed, wins=wins),
        ref,
        object_path,
        frozenset() if isinstance(own_metadata, Mapping) or path[-1:] == ("spec",) else METADATA,
        places=(found.metadata_path,),
        names_scheduler=not wins,
        passed_scheduler=passed.text if passed else None,
    )


def _pod_by_row(
    row: Row, ref: ObjectRef, object_path: Path, owner: Mapping, path: Path, spec: Mapping
) -> Pod | None:
    """A pod of a kind from the catalogue, None where it has no container."""
    containers: list[ContainerKeys] = []
    for steps in row.containers:
        for where, node in expand(spec, path, steps):
            if isinstance(node, Mapping):
                init = "initContainers" in steps
                index = sum(1 for one in containers if one.init == init)
                field = steps[-1] if steps and steps[-1] != "*" else ""
                containers.append(container(node, where, index, init, row.resources, field))
    if not containers or not _resourceful(row, containers):
        return None
    places = _places(row, object_path, path)
    own = _metadata_path(row, path)
    metadata = get(owner, *own[len(object_path) :]) if own is not None else None
    found = keys(spec, path, metadata, places[-1] if own is None else own, containers)
    found = with_copies(found, row.copied, owner, object_path, path)
    row_of_scheduler = scheduler_row(ref.api_version, ref.kind)
    passed = _passed(row_of_scheduler, object_path, owner)
    wins = bool(row_of_scheduler and row_of_scheduler.wins)
    copied = {field for one in row.copied if one.path == ("metadata",) for field in one.fields}
    around = surroundings(
        get(owner, "metadata"),
        (*object_path, "metadata"),
        (),
        selected(owner, object_path, spec, path),
        copied,
    )
    return Pod(
        replace(_scheduled(found, passed, wins=wins), **around._asdict()),
        ref,
        object_path,
        (frozenset() if own is not None or row.copied else METADATA)
        | (frozenset() if row.nodes else SCHEDULING)
        | (frozenset() if ("containers", "*") in row.containers else {CLAIMS}),
        resources_key=row.resources,
        places=places,
        names_scheduler=not wins,
        passed_scheduler=passed.text if passed else None,
    )


def _metadata_path(row: Row, path: Path) -> Path | None:
    """The mapping with the labels and annotations of the pod alone, None where there is none."""
    if row.metadata is None:
        return None
    for step in row.metadata:
        path = path[:-1] if step == ".." else (*path, step)
    return path


def _places(row: Row, object_path: Path, path: Path) -> tuple[Path, ...]:
    """The mappings that a pod has labels and annotations from, the one that counts last."""
    own = _metadata_path(row, path)
    below = path[len(object_path) :]
    copied, winning = (
        [(*object_path, *filled(one.path, below)) for one in row.copied if one.wins is wins]
        for wins in (False, True)
    )
    places = (*copied, *([own] if own is not None else []), *winning)
    return places or ((*path, "metadata"),)


def _passed(row: SchedulerRow | None, object_path: Path, owner: Mapping) -> Value | None:
    """The scheduler that an object passes to its pods."""
    name = (get_text(owner, *row.path) or row.default) if row else None
    return Value(name, path=(*object_path, *row.path)) if row and name else None


def _scheduled(found: PodKeys, passed: Value | None, *, wins: bool) -> PodKeys:
    """The pod with the scheduler of its object."""
    if passed is None or (found.scheduler_name and not wins):
        return found
    return replace(found, scheduler_name=passed)


def _resourceful(row: Row, containers: list[ContainerKeys]) -> bool:
    """The pod spec is a container by itself only where it has limits."""
    return () not in row.containers or any(one.limits or one.requests for one in containers)


def _requests(pod: Pod) -> bool:
    return any(one.limits or one.requests for one in pod.keys.all_containers())
