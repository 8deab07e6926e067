"""What a file is by its name and the files beside it: manifests, the values of a chart, or a patch."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from gpuxlate.inputs.bounded import StrPath
from gpuxlate.inputs.files import CHART, Input, read_shared
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.overlays.kustomization import NAMES, is_resource, names_files, patched_by
from gpuxlate.overlays.parts import OverlayPod, TemplatePatch
from gpuxlate.yamltext.compose import Document, Reader, documents

_VALUES = re.compile(r"values.*\.ya?ml")
_MAYBE_VALUES = re.compile(r"(?:.*[-_.])?values.*\.ya?ml", re.IGNORECASE)


def may_be_values(name: str) -> bool:
    """A file of this name probably holds values of a chart: ``gpu-values.yaml`` of its tests, say."""
    return _MAYBE_VALUES.fullmatch(name) is not None


class FileKind(StrEnum):
    """What a file holds."""

    MANIFESTS = "manifests"
    VALUES = "values"  # of a Helm chart
    PATCH = "patch"  # of a kustomization


class FileRole(NamedTuple):
    """How to read one file. ``partial``: nothing is missing in its pods, and their shares are not counted.

    ``templates``: the patches of templates of claims in it. ``renamed``: of a kustomization, the pods of the
    objects that it renames. ``counted``: its shares are counted with what kustomize builds of it.
    ``shared``: other files are read with it.
    """

    kind: FileKind
    pods: Callable[[Document], Sequence[OverlayPod]]
    partial: bool = False
    templates: Callable[[Document], Sequence[TemplatePatch]] | None = None
    renamed: Callable[[Document], Sequence[Pod]] | None = None
    counted: bool = False
    shared: bool = False

    def read(self, one: Input) -> tuple[bytes, Reader]:
        """The bytes of its input, and what reads its manifests. Raises InputError."""
        return read_shared(one) if self.shared else (one.read_bytes(), documents)

    @property
    def stands_alone(self) -> bool:
        """Nothing in a run depends on the file if it has no vendor's word.

        A patch or the values of one release may take away what the file below them asks for.
        """
        return not (self.partial or self.renamed)


def _whole(document: Document) -> Sequence[OverlayPod]:
    return [OverlayPod(pod) for pod in pods_in(document)]


MANIFESTS = FileRole(FileKind.MANIFESTS, _whole)


def role_of(path: StrPath | None) -> FileRole:
    """How to read a file; what is beside it is read too, and what cannot be read says nothing."""
    if path is None:
        return MANIFESTS
    folder, name = os.path.split(path)
    if _VALUES.fullmatch(name):
        from gpuxlate.overlays.values import chart_pods

        values = chart_pods(os.path.abspath(folder), name)
        if values is not None:
            return FileRole(FileKind.VALUES, values[0], partial=values[1], shared=not values[1])
    is_named = names_files(folder, os.getcwd())
    if is_named and patched_by(path) is not None:
        from gpuxlate.overlays.bases import overlay_pods, template_patches

        return FileRole(
            FileKind.PATCH,
            partial(overlay_pods, path),
            partial=True,
            shared=True,
            templates=partial(template_patches, path),
        )
    if name in NAMES:
        from gpuxlate.overlays.bases import renamed_pods

        return MANIFESTS._replace(renamed=partial(renamed_pods, path), shared=True)
    return MANIFESTS._replace(shared=True) if name == CHART or (is_named and is_resource(path)) else MANIFESTS
