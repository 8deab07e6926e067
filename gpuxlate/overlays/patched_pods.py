"""The pods that a patch changes: those in its part of an object, and those that operations change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pods import METADATA, Pod, pod_at, pods_in
from gpuxlate.model.diagnostics import Path
from gpuxlate.overlays.operations import operations
from gpuxlate.yamltext.nodes import Mapping, Node, deref, entries_of, get
from gpuxlate.yamltext.nodes import Sequence as YamlSequence
from gpuxlate.yamltext.parse import Document


def patched_pods(document: Document) -> list[Pod]:
    """The pods in a patch: those with containers, and pod templates without containers."""
    pods = list(pods_in(document))
    templates = {pod.keys.metadata_path for pod in pods}
    for ref, path, node in objects_in(document):
        for where, template in _templates(path, node, is_pod=ref.kind == "Pod"):
            if (*where, "metadata") not in templates:
                pods.append(pod_at(ref, path, node, (*where, "spec"), patched_mapping(template, ("spec",))))
    return pods


def _templates(path: Path, node: Mapping, *, is_pod: bool) -> Iterator[tuple[Path, Mapping]]:
    """Each ``template`` of an object with metadata or a spec; ``is_pod``: the object is a pod itself."""
    pending: list[tuple[Path, Node]] = [(path, node)]
    while pending:
        where, below = pending.pop()
        below = deref(below)
        if isinstance(below, Mapping):
            named = is_pod if where == path else where[-1] == "template"
            if named and any(isinstance(get(below, name), Mapping) for name in ("metadata", "spec")):
                yield where, below
            else:
                pending += [((*where, name), value) for name, _, value, _ in entries_of(below)]
        elif isinstance(below, YamlSequence):
            pending += [((*where, number), item) for number, item in enumerate(below.items)]


def operations_about(document: Document, pods: Iterable[Pod]) -> Iterator[Path]:
    """The paths of the operations that change fields of these pods in which a share can be; the paths of the
    pods are those in their objects."""
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
    for operation in operations(document):
        if any(operation.steps[:length] in places for length in lengths):
            yield (operation.number,)


_IN_SPEC = ("containers", "initContainers", "nodeSelector", "affinity", "schedulerName")


def patched_mapping(node: Mapping, path: Path) -> Mapping:
    """The mapping at a path; an empty one where there is none."""
    inner = get(node, *path)
    return inner if isinstance(inner, Mapping) else Mapping(0, None, None, flow=False)
