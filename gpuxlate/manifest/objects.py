"""The Kubernetes objects of a document, and a pod in one."""

from __future__ import annotations

from collections.abc import Iterator, Set
from collections.abc import Mapping as Map
from typing import NamedTuple

from gpuxlate.model.diagnostics import ObjectRef
from gpuxlate.model.kept import keep_last
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.pod import Path, PodKeys
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, deref, entries_of, get, get_text

METADATA = frozenset({"labels", "annotations"})
SCHEDULING = frozenset({"nodeSelector", "affinity", "schedulerName"})
ENV = "env"
CLAIMS = "resourceClaims"
VALUES = "Values"
"""What findings and tables call the kind of a chart's values."""
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""An annotation that kubectl writes anew with each apply."""


class Pod(NamedTuple):
    """One pod of a document: its keys, the object it belongs to, the field with limits.

    ``lacks``: the fields that its object has not for it, of METADATA, SCHEDULING and ENV. ``places``: the
    mappings that it has labels and annotations from, the one that counts last. ``names_scheduler``: a
    ``schedulerName`` of its own counts; ``passed_scheduler``: what its object passes to pods that name none.
    ``siblings``: mappings and lists that other files count on, so that they stay where they are emptied.
    """

    keys: PodKeys
    object: ObjectRef
    object_path: Path
    lacks: frozenset[str] = frozenset()
    resources_key: str = "resources"
    places: tuple[Path, ...] = ()
    names_scheduler: bool = True
    passed_scheduler: str | None = None
    siblings: tuple[Path, ...] = ()

    def under(self, names: Map[str, str]) -> Pod:
        """With its resources under other names."""
        keys = self.keys.under(names)
        return self if keys is self.keys else self._replace(keys=keys)


_VERSION = "apiVersion"
_NO_OBJECTS = frozenset({"metadata", "status"})
"""Fields of an object that hold no other objects: references, and what a server observed."""


@keep_last
def objects_in(document: Document) -> Iterator[tuple[ObjectRef, Path, Mapping]]:
    """The Kubernetes objects of a document: its own, or the items of a List, nested Lists included.

    An object that another one carries (a manifest in a Crossplane Object, a ManifestWork, a Work of Karmada)
    follows that one.
    """
    for path, node in _objects(document):
        yield object_ref(node), path, node


def holds_kind(document: Document, kinds: Set[str]) -> bool:
    """Some object of a document is of one of the kinds."""
    return any(ref.kind in kinds for ref, _, _ in objects_in(document))


def _objects(document: Document) -> Iterator[tuple[Path, Mapping]]:
    root = deref(document.root) if document.root else None
    if not isinstance(root, Mapping):
        return
    own = list(_mappings(root, ()))
    expected = len(own) + (own[:1] != [((), root)])  # a List has a version too
    more = document.source.text.count(_VERSION, document.start, document.end) > expected
    for path, node in own:
        yield path, node
        if more or document.aliases:
            yield from _carried(path, node)


def _carried(path: Path, owner: Mapping) -> Iterator[tuple[Path, Mapping]]:
    """The objects inside an object, and inside those."""
    pending: list[tuple[Path, Node]] = [(path, owner)]
    while pending:
        where, written = pending.pop()
        node = deref(written)
        if isinstance(node, Mapping):
            whole = where == path or _is_object(node)
            if whole and where != path and not _is_list(node):
                yield where, node
            below = [
                ((*where, name), value)
                for name, _, value, _ in entries_of(node)
                if not (isinstance(value, Scalar) or (whole and name in _NO_OBJECTS))
            ]
            pending.extend(reversed(below))
        elif isinstance(node, Sequence):
            pending.extend(((*where, n), node.items[n]) for n in range(len(node.items) - 1, -1, -1))


def _is_object(node: Mapping) -> bool:
    """It has what an object has: a reference to one has no metadata, and no spec."""
    return all(get_text(node, name) for name in (_VERSION, "kind")) and any(
        isinstance(get(node, name), Mapping) for name in ("metadata", "spec")
    )


def _is_list(node: Mapping) -> bool:
    return (get_text(node, "kind") or "").endswith("List") and isinstance(get(node, "items"), Sequence)


def _mappings(node: Mapping, path: Path) -> Iterator[tuple[Path, Mapping]]:
    items = get(node, "items") if _is_list(node) else None
    if not isinstance(items, Sequence):
        yield path, node
        return
    for index, item in enumerate(items.items):
        inside = deref(item)
        if isinstance(inside, Mapping):
            yield from _mappings(inside, (*path, "items", index))


def object_ref(node: Mapping) -> ObjectRef:
    """The reference to an object, with long names cut: every finding has it."""
    metadata = get(node, "metadata")
    return ObjectRef(
        name_at(node, "apiVersion"),
        name_at(node, "kind"),
        name_at(metadata, "namespace"),
        name_at(metadata, "name"),
    )


def name_at(node: Node | None, *path: str) -> str | None:
    """The text at a path, cut to MAX_NAME."""
    text = get_text(node, *path)
    return None if text is None else cut(text, MAX_NAME)
