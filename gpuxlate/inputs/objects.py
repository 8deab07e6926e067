"""The objects of a kustomization: what they are called, and what patches, names and labels make of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from gpuxlate.inputs.kustomize import listed
from gpuxlate.inputs.selectors import Identity
from gpuxlate.manifest.merge import (
    TEMPLATES,
    CannotMergeError,
    is_null,
    lists_of,
    merged,
    new_mapping,
    with_entry,
)
from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.operations import is_operations, operated
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.claims import GROUP, TEMPLATE
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import Path
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, deref, entries_of, get, get_text, inside


class Object(NamedTuple):
    """One object with pods, or template of claims, as it is so far; ``unknown``: why that is not known.

    ``document``, ``path``: where it is written. ``size``: about how many nodes it has; ``width``: the most
    that one of its mappings or lists has.
    """

    root: Mapping
    identity: Identity
    document: Document
    path: Path
    unknown: Message | None = None
    size: int = 0
    width: int = 0

    @property
    def api_version(self) -> str:
        group, version = self.identity.group, self.identity.version
        return f"{group}/{version}" if group else version

    @property
    def is_template(self) -> bool:
        """It is a ResourceClaimTemplate."""
        return (self.identity.group, self.identity.kind) == (GROUP, TEMPLATE)


def patchable_in(document: Document) -> Iterator[Object]:
    """The objects of a document that have pods, or what pods claim: patches of others do not matter here."""
    for ref, path, root in objects_in(document):
        if ref.kind == TEMPLATE or any(True for _ in pods_in(replace(document, root=root, aliases=[]))):
            yield Object(root, identity_of(root), document, path, None, *measured(root))


def measured(root: Node | None) -> tuple[int, int]:
    """The nodes below a node, those of aliases too, and the most in one mapping or list."""
    count = widest = 0
    pending = [root] if root is not None else []
    while pending:
        node = deref(pending.pop())
        count += 1
        if isinstance(node, (Mapping, Sequence)):
            below = inside(node)
            widest = max(widest, len(below))
            pending += below
    return count, widest


def identity_of(root: Mapping) -> Identity:
    """What an object is called in its own file."""
    group, _, version = (get_text(root, "apiVersion") or "").rpartition("/")
    name, namespace = (get_text(root, "metadata", one) or "" for one in ("name", "namespace"))
    return Identity(
        group,
        version,
        get_text(root, "kind") or "",
        ((name, namespace),),
        _texts(get(root, "metadata", "labels")),
        _texts(get(root, "metadata", "annotations")),
    )


def _texts(node: Node | None) -> dict[str, str]:
    if not isinstance(node, Mapping):
        return {}
    found = ((name, deref(value)) for name, _, value, _ in entries_of(node))
    return {name: value.text for name, value in found if isinstance(value, Scalar)}


def patched(one: Object, document: Document, *, targeted: bool) -> tuple[Mapping, tuple[Path, ...]]:
    """An object after a patch; of operations, their places in it. Raises CannotMergeError.

    ``targeted``: its kustomization names a target for it.
    """
    if is_operations(document):
        if document.index:
            raise CannotMergeError(say("kustomize reads the first list of operations of a file only"))
        return operated(one.root, document)
    part = deref(document.root) if document.root else None
    if not isinstance(part, Mapping):
        raise CannotMergeError(say("it is no patch"))
    for name in ("apiVersion", "kind"):  # the object keeps what it is called
        part = with_entry(part, name, None)
    metadata = get(part, "metadata")
    if isinstance(metadata, Mapping):
        metadata = with_entry(with_entry(metadata, "name", None), "namespace", None)
        for name in ("labels", "annotations") if targeted else ():
            metadata = _with_texts(metadata, name)
        part = with_entry(part, "metadata", metadata)
    made = merged(one.root, part, lists_of(one.api_version, one.identity.kind))
    return (made if isinstance(made, Mapping) else new_mapping(())), ()


def _with_texts(metadata: Mapping, name: str) -> Mapping:
    """The metadata of a patch with a target: null is the text of it (CopyMergeMetaDataFieldsFrom).

    In place of the mapping null says nothing.
    """
    values = get(metadata, name)
    if isinstance(values, Scalar) and is_null(values):
        return with_entry(metadata, name, None)
    for key, _, value, _ in list(entries_of(values)) if isinstance(values, Mapping) else ():
        value = deref(value)
        if isinstance(value, Scalar) and is_null(value) and isinstance(values, Mapping):
            text = Scalar.at(value.start, value.end, value.text)
            text.style = '"'
            values = with_entry(values, key, text)
    return with_entry(metadata, name, values) if isinstance(values, Mapping) else metadata


def after_patch(one: Object, document: Document, *, targeted: bool) -> Object:
    """An object after a patch; not known where that cannot be merged."""
    try:
        root, _ = patched(one, document, targeted=targeted)
    except CannotMergeError as error:
        return one._replace(unknown=one.unknown or error.message)
    return _renewed(one, root)


def _renewed(one: Object, root: Mapping) -> Object:
    seen = identity_of(root)
    return one._replace(
        root=root, identity=one.identity._replace(labels=seen.labels, annotations=seen.annotations)
    )


# -- names and labels ---------------------------------------------------------------------------------


PREFIX, SUFFIX = "namePrefix", "nameSuffix"


def changed_names(root: Node | None) -> tuple[str, ...]:
    """The fields by which a kustomization gives its objects other names."""
    return tuple(name for name in (PREFIX, SUFFIX) if get_text(root, name))


def rename(objects: list[Object], root: Node) -> None:
    """Give the objects the names that the kustomization makes of theirs; the old ones are found too."""
    before, after = get_text(root, PREFIX) or "", get_text(root, SUFFIX) or ""
    namespace = get_text(root, "namespace")
    if not (before or after or namespace):
        return
    for number, one in enumerate(objects):
        name, where = one.identity.names[-1]
        names = (*one.identity.names, (f"{before}{name}{after}", namespace or where))
        objects[number] = one._replace(identity=one.identity._replace(names=names))


COUNTED = ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet")
"""Kinds of which a kustomization sets the replicas (``replicas`` in ``builtinpluginconsts``)."""


def scale(objects: list[Object], root: Node) -> None:
    """Set the replicas that a kustomization gives, by the first name of an object or its present one."""
    counts = {
        get_text(one, "name"): count for one in listed(root, "replicas") if (count := get(one, "count"))
    }
    for number, one in enumerate(objects if counts else ()):
        count = counts.get(one.identity.names[-1][0]) or counts.get(one.identity.names[0][0])
        if count is None or one.identity.kind not in COUNTED:
            continue
        spec = with_entry(new_mapping(()), "replicas", count)
        try:
            made = merged(one.root, with_entry(new_mapping(()), "spec", spec), {})
        except CannotMergeError as error:
            objects[number] = one._replace(unknown=one.unknown or error.message)
        else:
            assert isinstance(made, Mapping)
            objects[number] = one._replace(root=made)


def stamp(objects: list[Object], root: Node) -> None:
    """Add the labels and annotations of a kustomization."""
    stamps: list[tuple[str, Node | None, bool]] = [
        (
            "labels",
            get(one, "pairs"),
            "true" in (get_text(one, "includeSelectors"), get_text(one, "includeTemplates")),
        )
        for one in listed(root, "labels")
    ]
    stamps.append(("labels", get(root, "commonLabels"), True))
    stamps.append(("annotations", get(root, "commonAnnotations"), True))
    for name, values, templates in stamps:
        if not isinstance(values, Mapping):
            continue
        for number, one in enumerate(objects):
            made = one.root
            for place in ((), *(_templates_of(one) if templates else ())):
                made = _with(made, (*place, "metadata", name), values)
            objects[number] = _renewed(one, made)


def _templates_of(one: Object) -> Iterator[Path]:
    """The templates in an object, as that of the jobs of a CronJob and that of their pods."""
    path = TEMPLATES.get((one.api_version, one.identity.kind), ())
    yield from (
        path[: depth + 1] for depth, step in enumerate(path) if str(step).lower().endswith("template")
    )


def _with(root: Mapping, path: Path, values: Mapping) -> Mapping:
    """The object with the entries of a mapping at a path."""
    part: Node = values
    for step in reversed(path):
        part = with_entry(new_mapping(()), str(step), part)
    made = merged(root, part, {})
    assert isinstance(made, Mapping)
    return made
