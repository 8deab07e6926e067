"""The values of a Helm chart: each mapping with ``resources`` is read as a pod of one container.

A template may do anything with a value, so this is a convention of charts, not a rule of Helm. The names
are those of the chart that ``helm create`` writes (Helm 3 and 4: ``resources``, ``podAnnotations``,
``podLabels``, ``nodeSelector``, ``affinity``) and of Bitnami's common library (``schedulerName``).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from collections.abc import Mapping as Map
from collections.abc import Sequence as Several
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from gpuxlate.files.find import CHART_FILE
from gpuxlate.files.read import cached
from gpuxlate.manifest.kinds import VALUES
from gpuxlate.manifest.objects import name_at
from gpuxlate.manifest.pods import (
    CLAIMS,
    ENV,
    METADATA,
    SCHEDULING_FIELDS,
    Pod,
    container,
    expand,
    has_containers,
    keys_of_pod,
    pod_at,
)
from gpuxlate.model.diagnostics import ObjectRef, Path
from gpuxlate.model.pod import ScalarKind
from gpuxlate.overlays.kustomization import first_document
from gpuxlate.overlays.operations import PatchPlaces
from gpuxlate.overlays.parts import OverlayBase, OverlayPod
from gpuxlate.overlays.patches import narrow, new_mapping
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, deref, entries_of, get, get_text
from gpuxlate.yamltext.parse import Document

MAIN_VALUES = ("values.yaml", "values.yml")
"""File names of the default values of a chart; Helm merges the values of other files over them."""
RESOURCES = "resources"
SCHEDULER_FIELD = "schedulerName"
EMPTY_FIELDS = {ENV: "[]", SCHEDULER_FIELD: '""'}
"""How a chart writes empty fields; an empty field of any other name is a mapping."""
_FORMS: Map[str, type[Node]] = {ENV: Sequence, SCHEDULER_FIELD: Scalar}
POD_FIELDS = {"labels": "podLabels", "annotations": "podAnnotations"}
"""Names of labels and annotations of pods beside ``resources``; without ``pod`` where no part of a chart has
these."""


class Chart(NamedTuple):
    """The chart of some values. ``below``: its default values; None where the values are these themselves."""

    name: str
    below: Document | None = None


def values_pods(document: Document, chart: Chart) -> list[Pod]:
    """A pod for every part of the values, in their order, and the pods of pod specs in the values, which a
    template takes as they are."""
    mappings = list(_mappings(document))
    fields = _fields([*mappings, *(_mappings(chart.below) if chart.below else ())])
    ref = ObjectRef(kind=VALUES, name=chart.name)
    pods: list[Pod] = []
    specs: list[Path] = []
    for path, node in mappings:
        if any(path[: len(above)] == above for above in specs):
            continue
        if has_containers(node):
            specs.append(path)
            pods.append(pod_at(ref, (), node, path, node))
        elif _is_part(node):
            pods.append(_part(ref, path, node, fields))
    return pods


def _fields(mappings: Several[tuple[Path, Mapping]]) -> Map[str, str]:
    """The names that labels and annotations of pods have in a chart."""
    pod_fields = set(POD_FIELDS.values())
    if any(name in pod_fields for _, node in mappings for name, *_ in entries_of(node)):
        return POD_FIELDS
    plain = any(
        _is_part(node) and get(node, field) is not None for _, node in mappings for field in POD_FIELDS
    )
    return {} if plain else POD_FIELDS


def _mappings(document: Document) -> Iterator[tuple[Path, Mapping]]:
    """Every mapping with its path, outer ones first; Helm takes nothing else for values."""
    root = deref(document.root) if document.root else None
    pending: list[tuple[Path, Node]] = [((), root)] if isinstance(root, Mapping) else []
    while pending:
        path, written = pending.pop()
        node = deref(written)
        if isinstance(node, Mapping):
            yield path, node
            below = [((*path, name), value) for name, _, value, _ in entries_of(node)]
        elif isinstance(node, Sequence):
            below = [((*path, number), item) for number, item in enumerate(node.items)]
        else:
            continue
        pending += reversed(below)


def _is_part(node: Mapping) -> bool:
    """Whether a mapping has resources. They may be empty: some dialects request a share by annotations
    alone."""
    resources = get(node, RESOURCES)
    if not isinstance(resources, Mapping):
        return False
    return not resources.entries or any(
        isinstance(get(resources, name), Mapping) for name in ("limits", "requests")
    )


def _part(ref: ObjectRef, path: Path, node: Mapping, fields: Map[str, str]) -> Pod:
    name = ".".join(map(str, path)) or ref.name or ""
    container_keys = replace(container(node, path, 0, False, RESOURCES), name=name)
    pod_keys = replace(keys_of_pod(node, path, node, path, [container_keys], fields), grows=True)
    fields_of_pods = METADATA | SCHEDULING_FIELDS | {ENV}
    fields_there = {field for field in fields_of_pods if _holds(get(node, fields.get(field, field)), field)}
    kept = (RESOURCES, *(fields.get(field, field) for field in sorted(fields_there - {SCHEDULER_FIELD})))
    siblings = tuple((*path, name) for name in kept)
    return Pod(
        pod_keys, ref, (), (fields_of_pods - fields_there) | {CLAIMS}, places=(path,), siblings=siblings
    )


def _holds(sibling: Node | None, field: str) -> bool:
    """Whether a field can be written there: the value has the form of the field, or is empty."""
    if isinstance(sibling, Scalar):
        return field == SCHEDULER_FIELD or sibling.kind is ScalarKind.NULL
    return isinstance(sibling, _FORMS.get(field, Mapping))


# -- files --------------------------------------------------------------------------------------------


def chart_pods(folder: str, name: str) -> tuple[Callable[[Document], Several[OverlayPod]], bool] | None:
    """The function that reads the pods of a file of values, and whether the file is merged over the default
    values; None where the folder has no chart."""
    chart = chart_name(folder)
    if chart is None:
        return None
    below = _main(folder) if name not in MAIN_VALUES else None
    root = below.root if below else None

    def pods(document: Document) -> Several[OverlayPod]:
        parts = values_pods(document, Chart(chart, below))
        values = document.root
        if below is None or not isinstance(root, Mapping) or not isinstance(values, Mapping):
            return [OverlayPod(pod) for pod in parts]
        patched_root = merge_values(root, values)
        base, patched_pods = (
            {pod.keys.path: pod for pod in values_pods(document.with_root(mapping), Chart(chart, below))}
            for mapping in (root, patched_root)
        )

        def bases_of(pod: Pod) -> tuple[OverlayBase, ...]:
            """The base of a pod in the values, if it has one: an item of a list has none, since a list
            replaces that of the base."""
            path = pod.keys.path
            if any(isinstance(step, int) for step in path) or path not in base or path not in patched_pods:
                return ()
            places = PatchPlaces(document, patched_root, {})
            base_tree, patched_tree, patch_tree = (
                narrow(mapping, path) for mapping in (root, patched_root, values)
            )
            overlay_base = OverlayBase(
                base[path],
                patched_pods[path],
                pod,
                base_tree,
                patched_tree,
                partial(_apply_values, path),
                places,
                patch_tree,
                within=path,
            )
            return (overlay_base,)

        return [OverlayPod(pod, bases_of(pod)) for pod in parts]

    return pods, below is not None


def merge_values(below: Mapping, over: Mapping) -> Mapping:
    """The values ``over`` merged over those ``below``: null deletes, mappings are merged, all else
    replaces."""
    entries = {name: (key, value) for name, key, value, _ in entries_of(below)}
    for name, key, written, _ in entries_of(over):
        value, node = deref(written), deref(entries[name][1]) if name in entries else None
        if isinstance(value, Scalar) and value.kind is ScalarKind.NULL:
            entries.pop(name, None)
        elif isinstance(value, Mapping) and isinstance(node, Mapping):
            entries[name] = (entries[name][0], merge_values(node, value))
        else:
            entries[name] = (key, written)
    return new_mapping(entries.values())


def _apply_values(path: Path, below: Mapping, document: Document, _lenient: bool) -> Mapping:
    """Apply the values of a document at a path to the base: see ``OverlayBase.apply``."""
    return merge_values(below, narrow(document.root, path)) if isinstance(document.root, Mapping) else below


@cached(256)
def chart_name(folder: str) -> str | None:
    """The name of the chart of a folder; None where it has none."""
    if not os.path.isfile(os.path.join(folder, CHART_FILE)):
        return None
    document = first_document(os.path.join(folder, CHART_FILE))
    return (name_at(document.root, "name") if document else None) or os.path.basename(folder)


def names_of_dependency(folder: str, chart: str) -> tuple[str, ...]:
    """The keys under which the chart of a folder has the values of a chart that it depends on: each alias,
    else the name of that chart, also where the folder declares no such dependency."""
    path = os.path.join(folder, CHART_FILE)
    document = first_document(path) if os.path.isfile(path) else None
    dependencies = expand(document.root, (), ("dependencies", "*")) if document and document.root else ()
    same = [dependency for _, dependency in dependencies if get_text(dependency, "name") == chart]
    return tuple(dict.fromkeys(get_text(dependency, "alias") or chart for dependency in same)) or (chart,)


def _main(folder: str) -> Document | None:
    """The document with the default values of a chart."""
    documents = (first_document(os.path.join(folder, main)) for main in MAIN_VALUES)
    return next((document for document in documents if document is not None), None)
