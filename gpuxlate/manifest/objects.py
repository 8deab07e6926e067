"""The Kubernetes objects of a document."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.model.diagnostics import ObjectRef, Path
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.pod import keep_last
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, deref, entries_of, get, get_text
from gpuxlate.yamltext.parse import Document

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""An annotation that kubectl writes anew with each apply."""


REQUIRED_AFFINITY = (
    "affinity",
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
)
"""Where the node affinity is that a pod requires, from its spec."""
_VERSION = "apiVersion"
_NO_OBJECTS = frozenset({"metadata", "status"})
"""Fields of an object that hold no other objects: references, and what a server observed."""


@keep_last
def objects_in(document: Document) -> Iterator[tuple[ObjectRef, Path, Mapping]]:
    """The Kubernetes objects of a document: its own, or the items of a List, nested Lists included.

    An object that another one carries (a manifest in a Crossplane Object, a ManifestWork, a Work of Karmada)
    follows that one.
    """
    root = deref(document.root) if document.root else None
    if not isinstance(root, Mapping):
        return
    written = list(_mappings(root, ()))
    expected = len(written) + (written[:1] != [((), root)])  # a List has a version too
    more = document.source.text.count(_VERSION, document.start, document.end) > expected
    for path, node in written:
        yield object_ref(node), path, node
        if more or document.aliases:
            yield from ((object_ref(mapping), where, mapping) for where, mapping in _carried(path, node))


def _carried(path: Path, owner: Mapping) -> Iterator[tuple[Path, Mapping]]:
    """The objects inside an object, and inside those."""
    pending: list[tuple[Path, Node]] = [(path, owner)]
    while pending:
        where, written = pending.pop()
        node = deref(written)
        if isinstance(node, Mapping):
            # a reference to an object has no metadata, and no spec
            whole = where == path or (
                all(get_text(node, name) for name in (_VERSION, "kind"))
                and any(isinstance(get(node, name), Mapping) for name in ("metadata", "spec"))
            )
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
    return text if text is None or len(text) <= MAX_NAME else cut(text, MAX_NAME)
