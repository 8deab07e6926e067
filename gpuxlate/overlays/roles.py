"""What a file is by its name and the files beside it: manifests, the values of a chart, or a patch."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, partial
from typing import NamedTuple

from gpuxlate.files.claims import ClaimIndex, ClaimText, Unread, text_of
from gpuxlate.files.find import CHART, Input, InputError, read_shared, under_chart_templates
from gpuxlate.files.read import StrPath
from gpuxlate.manifest.claims import may_name_claims
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.model.declarations import regex
from gpuxlate.model.messages import msg
from gpuxlate.overlays.kustomization import NAMES, is_resource, names_files, patched_by
from gpuxlate.overlays.parts import OverlayPod, TemplatePatch
from gpuxlate.yamltext.parse import Document, DocumentReader, documents
from gpuxlate.yamltext.source import Source

_VALUES = regex(r"(?:.*[-_.])?values.*\.ya?ml")  # gaudi-values.yaml of charts of the OPEA project, too
_MAYBE_VALUES = regex(_VALUES.pattern, re.IGNORECASE)


def may_be_values(name: str) -> bool:
    """A file of this name probably holds values of a chart: ``gpu-values.yaml`` of its tests, say."""
    return _MAYBE_VALUES.fullmatch(name) is not None


class FileKind(StrEnum):
    """What a file holds."""

    MANIFESTS = "manifests"
    VALUES = "values"  # of a Helm chart
    PATCH = "patch"  # of a kustomization


class FileRole(NamedTuple):
    """How to read one file. ``is_overlay``: it is laid over others, so that nothing is missing in its pods,
    and their shares are not counted.

    ``templates``: the patches of templates of claims in it. ``renamed``: of a kustomization, the pods of the
    objects that it renames. ``part_of_build``: its shares are counted with what kustomize builds of it.
    ``shared``: other files are read with it. ``found``: in a folder, not named by hand.
    """

    kind: FileKind
    pods: Callable[[Document], Sequence[OverlayPod]]
    is_overlay: bool = False
    templates: Callable[[Document], Sequence[TemplatePatch]] | None = None
    renamed: Callable[[Document], Sequence[Pod]] | None = None
    part_of_build: bool = False
    shared: bool = False
    found: bool = False

    def read(self, one: Input) -> tuple[bytes, DocumentReader]:
        """The bytes of its input, and what reads its manifests. Raises InputError."""
        return read_shared(one) if self.shared else (one.read_bytes(), documents)

    @property
    def can_skip(self) -> bool:
        """Nothing in a run depends on the file if it has no vendor's word.

        A patch or the values of one release may take away what the file below them asks for.
        """
        return not (self.is_overlay or self.renamed)


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
            return FileRole(FileKind.VALUES, values[0], is_overlay=values[1], shared=not values[1])
    is_named = names_files(folder)
    if is_named and patched_by(path) is not None:
        from gpuxlate.overlays.kustomize import overlay_pods, template_patches

        return FileRole(
            FileKind.PATCH,
            partial(overlay_pods, path),
            is_overlay=True,
            shared=True,
            templates=partial(template_patches, path),
        )
    if name in NAMES:
        from gpuxlate.overlays.kustomize import renamed_pods

        return MANIFESTS._replace(renamed=partial(renamed_pods, path), shared=True)
    return MANIFESTS._replace(shared=True) if name == CHART or (is_named and is_resource(path)) else MANIFESTS


# The claims of all files of a run, as the pods of each file find them.
_IN_TEMPLATE = msg("a Helm template, which is not translated")
_IN_VALUES = msg("the values of a chart")


@dataclass(eq=False)
class _Files:
    """What all files of a run have, read when the first pod with claims comes, or a new template."""

    files: tuple[Input, ...]

    @cached_property
    def names(self) -> Set[str]:
        return {one.name for one in self.files if one.path is not None}

    @cached_property
    def texts(self) -> tuple[ClaimText, ...]:
        return tuple(_read(self.files))

    @cached_property
    def index(self) -> ClaimIndex:
        return ClaimIndex(self.texts)


class Claims:
    """The claims of all files of a run."""

    def __init__(self, given: Iterable[Input] = ()) -> None:
        """Those of files. Stdin and live objects can be read only once: they know their own claims."""
        self._files = _Files(tuple(given) if isinstance(given, Sequence) else ())
        self._last: ClaimLookup | None = None

    def beside(self, source: Source) -> ClaimLookup:
        """The claims as the pods of a source find them; one object for all documents of the source."""
        last = self._last
        if last is None or last.source is not source:
            last = self._last = ClaimLookup(source, self._files)
        return last


def _read(files: Iterable[Input]) -> Iterator[ClaimText]:
    for one in files:
        if one.path is None:
            continue
        try:
            role = role_of(one.path)
            data, manifests = role.read(one)
            source = one.source(data) if may_name_claims(data) else None
        except InputError:
            continue  # reading it for its pods reports it
        if source is None:
            continue
        in_chart = under_chart_templates(one.path, os.getcwd())
        if in_chart or role.kind is FileKind.VALUES:
            where = _IN_TEMPLATE if in_chart else _IN_VALUES
            yield ClaimText(one.name, unread=(Unread(one.name, source.text, where),))
        else:
            naming = source.read_where(lambda part: may_name_claims(part.encode("utf-8", "surrogatepass")))
            yield text_of(naming, manifests, is_patch=role.kind is FileKind.PATCH)


@dataclass(eq=False)
class ClaimLookup:
    """The claims of a run as the pods of one source find them."""

    source: Source
    files: _Files

    @property
    def file(self) -> str:
        return self.source.name

    @cached_property
    def index(self) -> ClaimIndex:
        if self.file in self.files.names:
            return self.files.index
        return ClaimIndex((text_of(self.source), *self.files.texts))

    def resolve(self, pod: Pod) -> Pod:
        """A pod with what its claims request."""
        return self.index.resolved(pod, self.file) if pod.keys.claims else pod
