"""What a file is by the files beside it: manifests, the values of a chart, or a patch of a kustomization."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial

from gpuxlate.inputs.bounded import StrPath, remembered
from gpuxlate.inputs.kustomize import NAMES, first_document, may_be_patches, patched_by
from gpuxlate.manifest.layers import MAIN_VALUES, MANIFESTS, Kind, Laid, Layer, Over, TemplatePatch, is_values
from gpuxlate.manifest.objects import name_at
from gpuxlate.manifest.pods import Pod
from gpuxlate.model.pod import Path
from gpuxlate.yamltext.compose import Document

CHART = "Chart.yaml"


def layer_of(path: StrPath | None) -> Layer:
    """How to read a file; what is beside it is read too, and what cannot be read says nothing."""
    if path is None:
        return MANIFESTS
    folder, name = os.path.split(path)
    if is_values(name) and os.path.isfile(os.path.join(folder, CHART)):
        return _values(os.path.abspath(folder), name)
    if may_be_patches(folder, os.getcwd()) and patched_by(path) is not None:
        return Layer(Kind.PATCH, partial(_patched, path), partial=True, templates=partial(_templates, path))
    return MANIFESTS._replace(renamed=partial(_renamed, path)) if name in NAMES else MANIFESTS


def _renamed(path: StrPath, document: Document) -> Sequence[Pod]:
    from gpuxlate.inputs.bases import renamed_pods

    return renamed_pods(path, document)


def _patched(path: StrPath, document: Document) -> Sequence[Laid]:
    from gpuxlate.inputs.bases import bases_of
    from gpuxlate.manifest.operations import is_operations
    from gpuxlate.manifest.patches import patched_pods

    found = bases_of(path, document)
    if is_operations(document):
        return [Laid(None, one.layers, one.why) for one in found]
    bases = {one.path: one for one in found}
    return [
        Laid(pod, bases[pod.keys.path].layers, bases[pod.keys.path].why) for pod in patched_pods(document)
    ]


def _templates(path: StrPath, document: Document) -> Sequence[TemplatePatch]:
    from gpuxlate.manifest.claims import MARKS

    if not document.holds(*MARKS):
        return ()
    from gpuxlate.inputs.claim_patches import template_patches

    return template_patches(path, document, partial(_patched, path))


def _values(folder: str, name: str) -> Layer:
    from gpuxlate.manifest.values import Chart, values_pods

    chart = _name(folder) or os.path.basename(folder)
    below, base = _main(folder, chart) if name not in MAIN_VALUES else (None, {})
    if below is None:
        return Layer(Kind.VALUES, lambda document: [Laid(pod) for pod in values_pods(document, Chart(chart))])

    def pods(document: Document) -> Sequence[Laid]:
        found = values_pods(document, Chart(chart, below))
        return [Laid(pod, _below(base, pod)) for pod in found]

    return Layer(Kind.VALUES, pods, partial=True)


@remembered(64)
def _main(folder: str, chart: str) -> tuple[Document | None, Mapping[Path, Pod]]:
    """The values of every release of a chart, and their pods: below those of all its other files."""
    from gpuxlate.manifest.values import Chart, values_pods

    found = (_first(os.path.join(folder, main)) for main in MAIN_VALUES)
    below = next((one for one in found if one is not None), None)
    return below, {pod.keys.path: pod for pod in values_pods(below, Chart(chart))} if below else {}


def _below(base: Mapping[Path, Pod], pod: Pod) -> tuple[Over, ...]:
    """What a part is laid over: Helm merges mappings, and a list replaces the one below it."""
    path = pod.keys.path
    found = None if any(isinstance(step, int) for step in path) else base.get(path)
    return (Over(found, pod),) if found else ()


def _name(folder: str) -> str | None:
    chart = _first(os.path.join(folder, CHART))
    return name_at(chart.root, "name") if chart else None


@remembered(256)
def _first(path: str) -> Document | None:
    return first_document(path)
