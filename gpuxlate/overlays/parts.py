"""Overlays of pods: what a patch, or the values of a release, change in pods of other files."""

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
    """Where a patch sets what is at a path of the patched object."""

    def of(self, path: Path) -> Path:
        """The path in the document of the patch that sets the value, or the nearest one around it."""

    def sets(self, path: Path) -> bool:
        """Whether the patch itself sets the value at the path."""


class OverlayBase(NamedTuple):
    """A pod of another file (the base), and a patch of it.

    ``patched``: the patched pod. ``patch``: the pod as the patch has it, with paths of its own document; the
    patched pod, for a list of operations or a patch that has no pod. ``root``, ``patched_root``: the object
    (or the values) of the base, and of the patched pod. ``apply``: applies a document to such a mapping; its
    last argument says to leave out operations that do not apply; it raises CannotMergeError. ``patch_tree``:
    the values that the patch sets, as a tree of the object; ``lists``: the lists that it merges by a key of
    their items. ``operation_paths``: the paths of operations in the object. ``claims``: the claims of the
    patched pod, after the patches of their templates that follow. ``why_alone``: why another document of the
    file cannot be a patch of a template. ``home``: where the base is written, if a kustomization has it.
    ``within``: the path of all values that the patch sets for the pod; the trees have nothing outside of it.
    """

    base: Pod
    patched: Pod
    patch: Pod
    root: nodes.Mapping
    patched_root: nodes.Mapping
    apply: Callable[[nodes.Mapping, Document, bool], nodes.Mapping]
    places: Places
    patch_tree: nodes.Node | None
    lists: Mapping[str, str] = MappingProxyType({})
    operation_paths: tuple[Path, ...] = ()
    claims: tuple[PodClaim, ...] = ()
    why_alone: Message | None = None
    home: Home | None = None
    within: Path = ()


class OverlayPod(NamedTuple):
    """A pod of a file. ``bases``: where the file is an overlay, the pods of other files that it changes.

    ``unknown``: why these are not known. ``pod`` is None for operations alone.
    """

    pod: Pod | None
    bases: tuple[OverlayBase, ...] = ()
    unknown: str | None = None

    def under(self, names: Mapping[str, str]) -> OverlayPod:
        """The same with resources by other names. ``names``: by name in the text its name on data sheets."""
        bases = tuple(
            base._replace(
                base=base.base.under(names), patched=base.patched.under(names), patch=base.patch.under(names)
            )
            for base in self.bases
        )
        return self._replace(pod=self.pod and self.pod.under(names), bases=bases)


class TemplatePatch(NamedTuple):
    """A patch of a template of claims. ``classes``: the device classes of the template and of the patch.

    ``users``: the objects with pods that use the template. ``before``: the document before the patch, and its
    pods. ``why``: why it is not known which template it changes.
    """

    path: Path
    ref: ObjectRef
    classes: frozenset[str]
    users: tuple[ObjectRef, ...] = ()
    before: tuple[Document, Sequence[OverlayPod]] | None = None
    why: Message | None = None
