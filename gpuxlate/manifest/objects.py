"""The Kubernetes objects of a document, and what is known of a pod in one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuxlate.claims import Path, PodClaims
from gpuxlate.diagnostics import ObjectRef
from gpuxlate.manifest.compose import Document
from gpuxlate.manifest.nodes import Mapping, Sequence, deref, get, get_text


@dataclass(frozen=True, slots=True)
class Pod:
    """One pod of a document: its claims, the object it belongs to, the field that holds limits.

    ``has_metadata``: there is a place for its labels and annotations; ``takes_nodes``: one for
    ``nodeSelector`` and ``affinity``.
    """

    claims: PodClaims
    object: ObjectRef
    object_path: Path
    has_metadata: bool
    resources_key: str = "resources"
    takes_nodes: bool = True


def objects_in(document: Document) -> Iterator[tuple[ObjectRef, Path, Mapping]]:
    """The Kubernetes objects of a document: its own, or the items of a List, of Lists in it too."""
    root = deref(document.root) if document.root else None
    if isinstance(root, Mapping):
        yield from _objects(root, ())


def _objects(node: Mapping, path: Path) -> Iterator[tuple[ObjectRef, Path, Mapping]]:
    kind = get_text(node, "kind")
    items = get(node, "items")
    if not (kind and kind.endswith("List") and isinstance(items, Sequence)):
        yield object_ref(node), path, node
        return
    for index, item in enumerate(items.items):
        inside = deref(item)
        if isinstance(inside, Mapping):
            yield from _objects(inside, (*path, "items", index))


def object_ref(node: Mapping) -> ObjectRef:
    return ObjectRef(
        get_text(node, "apiVersion"),
        get_text(node, "kind"),
        get_text(node, "metadata", "namespace"),
        get_text(node, "metadata", "name"),
    )
