"""Files that are read by what is beside them: the values of a chart, and patches, over what they change."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.model.claims import PodClaim
from gpuxlate.model.diagnostics import ObjectRef
from gpuxlate.model.messages import Message
from gpuxlate.model.pod import Path
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.compose import Document

_VALUES = re.compile(r"values.*\.ya?ml")
_MAYBE_VALUES = re.compile(r"(?:.*[-_.])?values.*\.ya?ml", re.IGNORECASE)
MAIN_VALUES = ("values.yaml", "values.yml")
"""The values of every release of a chart; those of other files are laid over them."""


def is_values(name: str) -> bool:
    """The name of a file, without its folder, is one of a chart's values."""
    return _VALUES.fullmatch(name) is not None


def may_be_values(name: str) -> bool:
    """A file of this name probably holds values of a chart: ``gpu-values.yaml`` of its tests, say."""
    return _MAYBE_VALUES.fullmatch(name) is not None


class Kind(StrEnum):
    """What a file holds."""

    MANIFESTS = "manifests"
    VALUES = "values"  # of a Helm chart
    PATCH = "patch"  # of a kustomization


class Over(NamedTuple):
    """A pod of another file, and the part that is laid over it. ``root``: the object of the pod.

    Paths of the part are those of its document; where that is a list of operations, those of the object.
    ``claims``: those of the pod with the part, after the patches of their templates behind the part.
    ``alone``: why another document of the file cannot be a patch of a template.
    """

    base: Pod
    part: Pod
    root: nodes.Mapping | None = None
    claims: tuple[PodClaim, ...] = ()
    alone: Message | None = None


class Laid(NamedTuple):
    """A pod of a file. ``over``: what it is laid over in other files, nothing where it is whole.

    ``unknown``: why that is not known. ``pod`` is None for operations alone.
    """

    pod: Pod | None
    over: tuple[Over, ...] = ()
    unknown: str | None = None

    def under(self, names: Mapping[str, str]) -> Laid:
        """With resources under other names."""
        over = tuple(
            one._replace(base=one.base.under(names), part=one.part.under(names)) for one in self.over
        )
        return self._replace(pod=self.pod and self.pod.under(names), over=over)


class TemplatePatch(NamedTuple):
    """A patch of a template of claims. ``classes``: the device classes of the template and of the patch.

    ``users``: the objects with pods that use it. ``before``: the document before it, and its pods.
    ``why``: it is not known what it is for.
    """

    path: Path
    ref: ObjectRef
    classes: frozenset[str]
    users: tuple[ObjectRef, ...] = ()
    before: tuple[Document, Sequence[Laid]] | None = None
    why: Message | None = None


class Layer(NamedTuple):
    """How to read one file. ``partial``: nothing is missing in its pods, and their shares are not counted.

    ``templates``: the patches of templates of claims in it. ``renamed``: of a kustomization, the pods of the
    objects that it renames. ``counted``: its shares are counted with what kustomize builds of it.
    """

    kind: Kind
    pods: Callable[[Document], Sequence[Laid]]
    partial: bool = False
    templates: Callable[[Document], Sequence[TemplatePatch]] | None = None
    renamed: Callable[[Document], Sequence[Pod]] | None = None
    counted: bool = False

    @property
    def stands_alone(self) -> bool:
        """What the file says does not depend on files that it is laid over, or whose objects it renames."""
        return not (self.partial or self.renamed)


def _manifests(document: Document) -> Sequence[Laid]:
    return [Laid(pod) for pod in pods_in(document)]


def _patched(document: Document) -> Sequence[Laid]:
    from gpuxlate.manifest.patches import patched_pods

    return [Laid(pod, unknown="this file is a patch") for pod in patched_pods(document)]


MANIFESTS = Layer(Kind.MANIFESTS, _manifests)
PATCH = Layer(Kind.PATCH, _patched, partial=True)
"""A patch of which nothing else is known."""
