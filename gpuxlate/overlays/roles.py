"""The role of a file, from its name and the files beside it: manifests, values of a chart, or a patch."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.files.find import CHART_FILE, Input, read_shared
from gpuxlate.files.read import StrPath
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.model.declarations import regex
from gpuxlate.overlays.kustomization import KUSTOMIZATIONS, is_resource, names_files, patched_by
from gpuxlate.overlays.parts import OverlayPod, TemplatePatch
from gpuxlate.yamltext.parse import Document, DocumentReader, documents

if TYPE_CHECKING:
    from gpuxlate.overlays.inline import InlinePatch

_VALUES = regex(r"(?:.*[-_.])?values.*\.ya?ml")  # gaudi-values.yaml of charts of the OPEA project, too
_MAYBE_VALUES = regex(_VALUES.pattern, re.IGNORECASE)


def may_be_values(name: str) -> bool:
    """Whether a file of this name probably has values of a chart, such as ``gpu-values.yaml`` of its
    tests."""
    return _MAYBE_VALUES.fullmatch(name) is not None


class FileKind(StrEnum):
    """The content of a file."""

    MANIFESTS = "manifests"
    VALUES = "values"  # of a Helm chart
    PATCH = "patch"  # of a kustomization


class FileRole(NamedTuple):
    """How to read one file. ``is_overlay``: it changes objects of other files (the bases), so that a key that
    it does not set is not missing, and its shares are counted with those of the bases.

    ``pods``: reads the pods of a document of it. ``templates``: reads the patches of templates of claims.
    ``renamed``, ``inline``: of a kustomization, the pods of the objects that it renames, and the patches that
    are written in it. ``part_of_build``: its shares are counted with the objects that kustomize builds of it.
    ``shared``: other files read it too, so that its documents are kept. ``in_folder``: it was found in a
    folder, not named by the user.
    """

    kind: FileKind
    pods: Callable[[Document], Sequence[OverlayPod]]
    is_overlay: bool = False
    templates: Callable[[Document], Sequence[TemplatePatch]] | None = None
    renamed: Callable[[Document], Sequence[Pod]] | None = None
    inline: Callable[[Document], Sequence[tuple[InlinePatch, FileRole]]] | None = None
    part_of_build: bool = False
    shared: bool = False
    in_folder: bool = False

    @property
    def is_named_by_file(self) -> bool:
        """Whether entries of decisions name the file, and not its objects, of which it has only a part."""
        return self.kind is not FileKind.MANIFESTS

    def read(self, file: Input) -> tuple[bytes, DocumentReader]:
        """The bytes of the file, and the function that reads its documents. Raises InputError."""
        return read_shared(file) if self.shared else (file.read_bytes(), documents)

    @property
    def can_skip(self) -> bool:
        """Whether nothing in a run depends on the file where it has no word of any vendor.

        A patch or the values of one release may remove what their base requests.
        """
        return not (self.is_overlay or self.renamed)


def _whole(document: Document) -> Sequence[OverlayPod]:
    return [OverlayPod(pod) for pod in pods_in(document)]


MANIFESTS = FileRole(FileKind.MANIFESTS, _whole)


def role_of(path: StrPath | None) -> FileRole:
    """How to read a file. The charts and kustomizations around it are read; one that cannot be read is
    ignored."""
    if path is None:
        return MANIFESTS
    folder, name = os.path.split(path)
    if _VALUES.fullmatch(name):
        from gpuxlate.overlays.values import chart_pods

        values = chart_pods(os.path.abspath(folder), name)
        if values is not None:
            return FileRole(FileKind.VALUES, values[0], is_overlay=values[1], shared=not values[1])
    is_named = names_files(folder)
    if is_named and patched_by(path) is not None:
        from gpuxlate.overlays.bases import overlay_pods, template_patches

        return FileRole(
            FileKind.PATCH,
            partial(overlay_pods, path),
            is_overlay=True,
            shared=True,
            templates=partial(template_patches, path),
        )
    if name in KUSTOMIZATIONS:
        from gpuxlate.overlays.bases import renamed_pods

        return MANIFESTS._replace(
            renamed=partial(renamed_pods, path), inline=partial(_inline, path), shared=True
        )
    return (
        MANIFESTS._replace(shared=True)
        if name == CHART_FILE or (is_named and is_resource(path))
        else MANIFESTS
    )


def _inline(path: StrPath, document: Document) -> Sequence[tuple[InlinePatch, FileRole]]:
    """The patches that are written in a kustomization, and how to read each."""
    from gpuxlate.overlays.bases import overlay_pods, template_patches
    from gpuxlate.overlays.inline import inline_patches

    return [
        (
            patch,
            FileRole(
                FileKind.PATCH,
                partial(overlay_pods, path, start=patch.value.start),
                is_overlay=True,
                templates=partial(template_patches, path, start=patch.value.start),
            ),
        )
        for patch in inline_patches(document)
    ]
