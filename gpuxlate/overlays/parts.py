"""Parts of pods, as patches and the values of a release have them, laid over pods of other files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

from gpuxlate.manifest.pods import Pod
from gpuxlate.model.diagnostics import ObjectRef, Path
from gpuxlate.model.messages import Message
from gpuxlate.model.pod import PodClaim
from gpuxlate.yamltext import nodes
from gpuxlate.yamltext.parse import Document


class Home(NamedTuple):
    """Where a pod is written: file, number of its document, and path there."""

    file: str
    document: int
    path: Path


class Places(Protocol):
    """Where a part says what is at a place of the whole."""

    def of(self, path: Path) -> Path:
        """Its path in the document of the part, or that of the nearest place around it."""

    def says(self, path: Path) -> bool:
        """The part itself says what is there."""


class OverlayBase(NamedTuple):
    """A pod of another file, and a part that is laid over it.

    ``whole``: the pod after it; ``part``: what the part says of it, with paths of its own document, and the
    whole where it is a list of operations, or says something of the object only. ``root``, ``after``: the
    mapping with the pod, and it with the part. ``lay``: lays a document over such a mapping, and where it is
    ``lenient``, without the operations that do not apply; it raises CannotMergeError. ``said``: what the part
    says, as a part of the object; ``lists``: those that it merges by a key of their items. ``operated``: the
    places of operations. ``claims``: those
    of the whole, after the patches of their templates behind the part. ``alone``: why another document of the
    file cannot be a patch of a template. ``home``: where the pod is written, if a kustomization has it.
    ``within``: where the part says all that it says of the pod; the trees hold nothing beside it.
    """

    base: Pod
    whole: Pod
    part: Pod
    root: nodes.Mapping
    after: nodes.Mapping
    lay: Callable[[nodes.Mapping, Document, bool], nodes.Mapping]
    places: Places
    said: nodes.Node | None
    lists: Mapping[str, str] = MappingProxyType({})
    operated: tuple[Path, ...] = ()
    claims: tuple[PodClaim, ...] = ()
    alone: Message | None = None
    home: Home | None = None
    within: Path = ()


class OverlayPod(NamedTuple):
    """A pod of a file. ``over``: what it is laid over in other files, nothing where it is whole.

    ``unknown``: why that is not known. ``pod`` is None for operations alone.
    """

    pod: Pod | None
    over: tuple[OverlayBase, ...] = ()
    unknown: str | None = None

    def under(self, names: Mapping[str, str]) -> OverlayPod:
        """With resources under other names."""
        over = tuple(
            base._replace(
                base=base.base.under(names), whole=base.whole.under(names), part=base.part.under(names)
            )
            for base in self.over
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
    before: tuple[Document, Sequence[OverlayPod]] | None = None
    why: Message | None = None
