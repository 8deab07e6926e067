"""The parts of pods in a patch, for the rules that check the patch by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as Values
from dataclasses import fields, replace
from typing import Any

from gpuxlate.manifest.pods import Pod, pod_at
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.pod import ContainerKeys, NodeRequirement, PodKeys, ScalarKind, Value
from gpuxlate.overlays.operations import Operation, operations
from gpuxlate.overlays.patched_pods import patched_mapping, patched_pods
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, get
from gpuxlate.yamltext.nodes import Sequence as YamlSequence
from gpuxlate.yamltext.parse import Document


def pods_in_patch(document: Document, pods: list[Pod], changed: Iterable[Pod] = ()) -> Iterator[Pod]:
    """The parts of pods in a patch: its pods without the keys that it deletes, or the values that its
    operations set.

    ``changed``: the pods that operations change, where they are known, with their paths in their objects.
    """
    for pod in pods:
        keys = pod.keys
        if keys.scheduler_name and get(document.root, *keys.scheduler_name.path) is None:
            keys = replace(keys, scheduler_name=None)  # that is the default of its kind
        yield pod._replace(keys=_part(keys, lambda path: path))
    by_place = {(pod.object.kind, pod.keys.path): pod for pod in changed}
    for operation in operations(document):
        if operation.sets and operation.value is not None:
            yield from _set(document, operation, operation.value, by_place.values())


def _set(document: Document, operation: Operation, value: Node, changed: Iterable[Pod]) -> Iterator[Pod]:
    """The pods of the object that holds nothing but one value, with their paths in the operation."""
    prefix: list[str | int] = []
    node = value
    for step in reversed(operation.steps):
        inner, node = node, _holder(step)
        if isinstance(node, Mapping):
            node.entries.append((Scalar.at(value.start, value.start, step), inner))
        elif isinstance(node, YamlSequence):
            node.items.append(inner)
        prefix.append(step if isinstance(node, Mapping) else 0)
    start = tuple(reversed(prefix))

    def moved(path: Path) -> Path:
        if path[: len(start)] == start:
            return (operation.number, "value", *path[len(start) :])
        return (operation.number, "path")

    pods = patched_pods(replace(document, root=node))
    if not pods and isinstance(node, Mapping):
        pods = [
            pod_at(pod.object, (), node, pod.keys.path, patched_mapping(node, pod.keys.path))
            for pod in changed
        ]
    for pod in pods:
        yield pod._replace(keys=_part(pod.keys, moved), object_path=(operation.number,))


def _holder(step: str) -> Mapping | YamlSequence:
    kind = YamlSequence if step == "-" or step.isdecimal() else Mapping
    return kind(0, None, None, flow=False)


def _part(keys: Any, moved: Callable[[Path], Path]) -> Any:
    """The keys without those that null deletes. ``moved`` gives their new paths."""
    if isinstance(keys, Value) and keys.kind is ScalarKind.NULL:
        return None
    if isinstance(keys, (PodKeys, ContainerKeys, NodeRequirement, Value)):
        old = {field.name: getattr(keys, field.name) for field in fields(keys)}
        new: dict[str, Any] = {
            name: moved(value) if name.endswith("path") else _part(value, moved)
            for name, value in old.items()
        }
        return type(keys)(**new)
    if isinstance(keys, Values):
        values = {name: _part(value, moved) for name, value in keys.items()}
        return {name: value for name, value in values.items() if value is not None}
    return tuple(_part(value, moved) for value in keys) if isinstance(keys, tuple) else keys
