"""Patches: parts of objects in which null deletes, and lists of operations (JSON 6902)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Mapping as Values
from dataclasses import fields, replace
from typing import Any

from gpuxlate.manifest.pod_keys import items
from gpuxlate.manifest.pods import Pod, objects_in, pod_at, pods_in
from gpuxlate.model.limits import MAX_DEPTH
from gpuxlate.model.pod import ContainerKeys, Kind, NodeRequirement, Path, PodKeys, Value
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, deref, entries_of, get, get_text

SETS = ("add", "replace")
"""The operations of JSON 6902 that give a value."""


def patched_pods(document: Document) -> list[Pod]:
    """The pods that a patch is about: those of a document, and templates of which it has no container."""
    found = list(pods_in(document))
    known = {pod.keys.metadata_path for pod in found}
    for ref, path, node in objects_in(document):
        for where, template in _templates(path, node, own=ref.kind == "Pod"):
            if (*where, "metadata") not in known:
                spec = get(template, "spec")
                spec = spec if isinstance(spec, Mapping) else Mapping(0, None, None, flow=False)
                found.append(pod_at(ref, path, node, (*where, "spec"), spec))
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


def parts(document: Document, pods: list[Pod]) -> Iterator[Pod]:
    """What a patch says of pods: its own pods without what it deletes, or what its operations set."""
    for pod in pods:
        keys = pod.keys
        if keys.scheduler_name and get(document.root, *keys.scheduler_name.path) is None:
            keys = replace(keys, scheduler_name=None)  # the default of its kind
        yield pod._replace(keys=_part(keys, lambda path: path))
    root = deref(document.root) if document.root else None
    for number, one in enumerate(items(root)):
        steps, value = _steps(get_text(one, "path") or ""), get(one, "value")
        if value is not None and get_text(one, "op") in SETS and len(steps) < MAX_DEPTH:
            yield from _set(document, number, steps, value)


def _steps(pointer: str) -> list[str]:
    """The steps of a JSON pointer (RFC 6901)."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _set(document: Document, number: int, steps: list[str], value: Node) -> Iterator[Pod]:
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

    for pod in pods_in(replace(document, root=node)):
        yield pod._replace(keys=_part(pod.keys, moved), object_path=(number,))


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
