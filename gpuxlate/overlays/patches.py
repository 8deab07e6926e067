"""What patches say of pods: parts of objects in which null deletes, and lists of operations (JSON 6902)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as Values
from dataclasses import fields, replace
from typing import Any

from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pods import METADATA, Pod, pod_at, pods_in
from gpuxlate.model.pod import ContainerKeys, Kind, NodeRequirement, Path, PodKeys, Value
from gpuxlate.overlays.json6902 import operations
from gpuxlate.overlays.parts import IN_CONTAINER, MAPPINGS, Several
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, deref, entries_of, get


def patched_pods(document: Document) -> list[Pod]:
    """The pods that a patch is about: those of a document, and templates of which it has no container."""
    found = list(pods_in(document))
    known = {pod.keys.metadata_path for pod in found}
    for ref, path, node in objects_in(document):
        for where, template in _templates(path, node, own=ref.kind == "Pod"):
            if (*where, "metadata") not in known:
                found.append(pod_at(ref, path, node, (*where, "spec"), _mapping(template, ("spec",))))
    return found


def _templates(path: Path, node: Mapping, *, own: bool) -> Iterator[tuple[Path, Mapping]]:
    """Each ``template`` of an object with metadata or a spec; ``own``: the object is a pod itself."""
    pending: list[tuple[Path, Node]] = [(path, node)]
    while pending:
        where, one = pending.pop()
        one = deref(one)
        if isinstance(one, Mapping):
            named = own if where == path else where[-1] == "template"
            if named and any(isinstance(get(one, name), Mapping) for name in ("metadata", "spec")):
                yield where, one
            else:
                pending += [((*where, name), value) for name, _, value, _ in entries_of(one)]
        elif isinstance(one, Sequence):
            pending += [((*where, number), item) for number, item in enumerate(one.items)]


def parts(document: Document, pods: list[Pod], changed: Iterable[Pod] = ()) -> Iterator[Pod]:
    """What a patch says of pods: its own pods without what it deletes, or what its operations set.

    ``changed``: the pods that operations change, where they are known, with their paths in their objects.
    """
    yield from (pod._replace(keys=_part(own_part(document, pod), lambda path: path)) for pod in pods)
    known = {(pod.object.kind, pod.keys.path): pod for pod in changed}
    for one in operations(document):
        if one.sets and one.value is not None:
            yield from _set(document, one.number, one.steps, one.value, known.values())


def of_pods(document: Document, pods: Iterable[Pod]) -> Iterator[Path]:
    """The operations about what a share of these pods is in; paths of the pods are those in their objects."""
    places = {
        (*above, name)
        for pod in pods
        for above, names in (
            (pod.keys.path, _IN_SPEC),
            (pod.keys.metadata_path, METADATA),
            ((*pod.object_path, "metadata"), METADATA),
        )
        for name in names
    }
    lengths = {len(place) for place in places}
    for one in operations(document):
        if any(one.steps[:length] in places for length in lengths):
            yield (one.number,)


_IN_SPEC = ("containers", "initContainers", "nodeSelector", "affinity", "schedulerName")


def own_part(document: Document, pod: Pod) -> PodKeys:
    """What a patch says of a pod, with its nulls: no scheduler that is the default of its kind."""
    keys = pod.keys
    if keys.scheduler_name and get(document.root, *keys.scheduler_name.path) is None:
        return replace(keys, scheduler_name=None)
    return keys


def _set(
    document: Document, number: int, steps: tuple[str, ...], value: Node, known: Iterable[Pod]
) -> Iterator[Pod]:
    """The pods of the object that holds nothing but one value, with their paths in the operation."""
    prefix: list[str | int] = []
    node = value
    for step in reversed(steps):
        inner, node = node, _holder(step)
        if isinstance(node, Mapping):
            node.entries.append((Scalar.at(value.start, value.start, step), inner))
        elif isinstance(node, Sequence):
            node.items.append(inner)
        prefix.append(step if isinstance(node, Mapping) else 0)
    start = tuple(reversed(prefix))

    def moved(path: Path) -> Path:
        if path[: len(start)] == start:
            return (number, "value", *path[len(start) :])
        return (number, "path")

    found = patched_pods(replace(document, root=node))
    if not found and isinstance(node, Mapping):
        found = [pod_at(one.object, (), node, one.keys.path, _mapping(node, one.keys.path)) for one in known]
    for pod in found:
        yield pod._replace(keys=_part(pod.keys, moved), object_path=(number,))


def _mapping(node: Mapping, path: Path) -> Mapping:
    """The mapping at a path; an empty one where there is none."""
    found = get(node, *path)
    return found if isinstance(found, Mapping) else Mapping(0, None, None, flow=False)


def _holder(step: str) -> Mapping | Sequence:
    kind = Sequence if step == "-" or step.isdecimal() else Mapping
    return kind(0, None, None, flow=False)


def _part(one: Any, moved: Callable[[Path], Path]) -> Any:
    """The keys without those that null deletes, with other paths."""
    if isinstance(one, Value) and one.kind is Kind.NULL:
        return None
    if isinstance(one, (PodKeys, ContainerKeys, NodeRequirement, Value)):
        old = {part.name: getattr(one, part.name) for part in fields(one)}
        new: dict[str, Any] = {
            name: moved(x) if name.endswith("path") else _part(x, moved) for name, x in old.items()
        }
        return type(one)(**new)
    if isinstance(one, Values):
        found = {name: _part(value, moved) for name, value in one.items()}
        return {name: value for name, value in found.items() if value is not None}
    return tuple(_part(part, moved) for part in one) if isinstance(one, tuple) else one


def part_of_operations(base: Pod, after: Pod, places: tuple[Path, ...]) -> Pod:
    """What operations at some places make of a pod, as a part: what they delete is null.

    All paths are in the object that is patched.
    """

    said = frozenset(places)
    above = {one[:length] for one in said for length in range(len(one) + 1)}

    def about(path: Path) -> bool:
        return path in above or any(path[:length] in said for length in range(len(path)))

    def touched(old: Any, new: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for field in fields(new):
            was, now = getattr(old, field.name), getattr(new, field.name)
            if field.name in _OF_TEXT:
                found[field.name] = _touched(was, now, about)
            elif field.name in ("affinity", "preferred"):
                found[field.name] = now if now != was else ()
            elif field.name in ("scheduler_name", "node_name", "privileged"):
                one = _touched({"": was} if was else {}, {"": now} if now else {}, about)
                found[field.name] = one.get("")
        return found

    def containers(olds: Several, news: Several) -> Several:
        was = {one.name: one for one in olds}
        return tuple(replace(one, **touched(was.get(one.name, ContainerKeys()), one)) for one in news)

    old, new = base.keys, after.keys
    lists: dict[str, Any] = {
        "containers": containers(old.containers, new.containers),
        "init_containers": containers(old.init_containers, new.init_containers),
    }
    return after._replace(keys=replace(new, **touched(old, new), **lists))


_OF_TEXT = (*MAPPINGS, *IN_CONTAINER)


def _touched(
    old: Values[str, Value], new: Values[str, Value], about: Callable[[Path], bool]
) -> dict[str, Value]:
    gone = {name: value for name, value in old.items() if name not in new and about(value.path)}
    kept = {name: value for name, value in new.items() if about(value.path)}
    return {**kept, **{name: replace(value, text="null", kind=Kind.NULL) for name, value in gone.items()}}
