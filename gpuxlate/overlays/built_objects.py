"""Objects that kustomize builds: each after the patches and the fields of a kustomization.

Nothing here reads a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Map
from functools import cached_property
from typing import NamedTuple

from gpuxlate.claims.index import ClaimIndex
from gpuxlate.manifest.claims import claims_of
from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import CLAIMS_API_GROUP, TEMPLATE
from gpuxlate.overlays.kustomization import (
    PREFIX,
    SUFFIX,
    Piece,
    items_in,
)
from gpuxlate.overlays.operations import apply_operations, is_operations
from gpuxlate.overlays.patch_targets import Identity, IdentityTest
from gpuxlate.overlays.patches import (
    TEMPLATES,
    CannotMergeError,
    is_null,
    lists_of,
    merge_patch,
    new_mapping,
    with_entry,
)
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, children, deref, entries_of, get, get_text
from gpuxlate.yamltext.nodes import Sequence as List
from gpuxlate.yamltext.parse import Document
from gpuxlate.yamltext.source import Source

LOCAL = "config.kubernetes.io/local-config"
"""An annotation of objects that kustomize leaves out in the end."""


class Object(NamedTuple):
    """One object with pods, or a template of claims, as it is at this point of the build.

    ``unknown``: why its content is not known; ``unclear``: the same, where the reason is a patch that cannot
    be read or applied. ``pieces``: the documents that it has parts of, in order. ``document``, ``path``:
    where it is written. ``size``: about how many nodes it has; ``width``: the most entries or items that one
    of its mappings or lists has.
    """

    root: Mapping
    identity: Identity
    document: Document
    path: Path
    unknown: Message | None = None
    size: int = 0
    width: int = 0
    unclear: Message | None = None
    pieces: tuple[Piece, ...] = ()

    @property
    def api_version(self) -> str:
        """The ``apiVersion`` of the object."""
        group, version = self.identity.group, self.identity.version
        return f"{group}/{version}" if group else version

    @property
    def is_template(self) -> bool:
        """Whether it is a ResourceClaimTemplate."""
        return (self.identity.group, self.identity.kind) == (CLAIMS_API_GROUP, TEMPLATE)


def patchable_in(document: Document) -> tuple[list[Object], list[Identity]]:
    """The objects of a document that have pods or are templates of claims, and the identities of the
    others."""
    objects: list[Object] = []
    others: list[Identity] = []
    for ref, path, root in objects_in(document):
        if ref.kind == TEMPLATE or any(True for _ in pods_in(document.with_root(root))):
            objects.append(Object(root, identity_of(root), document, path, None, *count_nodes(root)))
        elif is_own(path):
            others.append(identity_of(root))
    return objects, others


def is_own(path: Path) -> bool:
    """Whether the object at this path is one of its document, and not carried by another object."""
    return path == () or path[-2:-1] == ("items",)


def count_nodes(root: Node | None) -> tuple[int, int]:
    """The number of nodes of a tree, those of aliases too, and of the largest mapping or list in it."""
    count = widest = 0
    pending = [root] if root is not None else []
    while pending:
        node = deref(pending.pop())
        count += 1
        if isinstance(node, (Mapping, List)):
            below = children(node)
            widest = max(widest, len(below))
            pending += below
    return count, widest


def identity_of(root: Mapping) -> Identity:
    """The identity of an object as its own file has it."""
    group, _, version = (get_text(root, "apiVersion") or "").rpartition("/")
    name, namespace = (get_text(root, "metadata", field) or "" for field in ("name", "namespace"))
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
    entries = ((name, deref(value)) for name, _, value, _ in entries_of(node))
    return {name: value.text for name, value in entries if isinstance(value, Scalar)}


def apply_patch(
    obj: Object, document: Document, *, targeted: bool, lenient: bool = False
) -> tuple[Mapping, tuple[Path, ...]]:
    """The object after a patch; for a list of operations also the path of each in the object.

    ``targeted``: the kustomization names a target for the patch. ``lenient``: leave out operations that do
    not apply. Raises CannotMergeError.
    """
    if is_operations(document):
        if document.index:
            raise CannotMergeError(msg("kustomize reads the first list of operations of a file only"))
        root, places, _ = apply_operations(obj.root, document, lenient=lenient)
        return root, places
    part = deref(document.root) if document.root else None
    if not isinstance(part, Mapping):
        raise CannotMergeError(msg("it is not a patch"))
    for name in ("apiVersion", "kind"):  # the object keeps what it is called
        part = with_entry(part, name, None)
    metadata = get(part, "metadata")
    if isinstance(metadata, Mapping):
        metadata = with_entry(with_entry(metadata, "name", None), "namespace", None)
        for name in ("labels", "annotations") if targeted else ():
            metadata = _with_texts(metadata, name)
        part = with_entry(part, "metadata", metadata)
    node = merge_patch(obj.root, part, lists_of(obj.api_version, obj.identity.kind))
    return (node if isinstance(node, Mapping) else new_mapping(())), ()


def _with_texts(metadata: Mapping, name: str) -> Mapping:
    """The metadata of a patch with a target: a null of it is a text (CopyMergeMetaDataFieldsFrom).

    Null in place of the whole mapping changes nothing.
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


def patch_object(obj: Object, document: Document, *, targeted: bool, renames: bool = False) -> Object:
    """The object after a patch; unknown where the patch cannot be merged. ``renames``: the patch may change
    the name."""
    try:
        root, _ = apply_patch(obj, document, targeted=targeted)
        if is_operations(document):
            obj = _named_anew(obj, identity_of(obj.root), identity_of(root))
        elif renames and isinstance(document.root, Mapping):
            obj = _named_anew(obj, obj.identity, identity_of(document.root), keeps=True)
    except CannotMergeError as error:
        return obj._replace(unknown=obj.unknown or error.message, unclear=obj.unclear or error.message)
    return _renewed(obj, root)


def _named_anew(obj: Object, before: Identity, after: Identity, *, keeps: bool = False) -> Object:
    """An object with the name that a patch gives it, and with its old names. Raises CannotMergeError.

    ``keeps``: a name or namespace that the patch does not set stays.
    """
    if after[:3] != before[:3]:
        raise CannotMergeError(msg("it changes what kind of object it patches"))
    (old, where), (new, place) = before.names[-1], after.names[-1]
    if keeps:
        new, place = new or old, where
    if (new, place) == (old, where):
        return obj
    return obj._replace(identity=obj.identity._replace(names=(*obj.identity.names, (new, place))))


def _renewed(obj: Object, root: Mapping) -> Object:
    seen = identity_of(root)
    return obj._replace(
        root=root, identity=obj.identity._replace(labels=seen.labels, annotations=seen.annotations)
    )


# -- names and labels ---------------------------------------------------------------------------------
def rename(objects: list[Object], others: list[Identity], root: Node) -> None:
    """Add to objects the names that a kustomization gives them; the old names stay, for later patches.

    ``others``: the identities of objects without pods.
    """
    before, after = get_text(root, PREFIX) or "", get_text(root, SUFFIX) or ""
    namespace = get_text(root, "namespace")
    if not (before or after or namespace):
        return

    def renamed(identity: Identity) -> Identity:
        name, where = identity.names[-1]
        return identity._replace(names=(*identity.names, (f"{before}{name}{after}", namespace or where)))

    objects[:] = (obj._replace(identity=renamed(obj.identity)) for obj in objects)
    others[:] = map(renamed, others)


SCALED_KINDS = ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet")
"""Kinds of which a kustomization sets the replicas (``replicas`` in ``builtinpluginconsts``)."""


def scale(objects: list[Object], root: Node) -> None:
    """Set the replicas that a kustomization gives for the present name of an object, or its first one."""
    counts = {
        get_text(node, "name"): count for node in items_in(root, "replicas") if (count := get(node, "count"))
    }
    for number, obj in enumerate(objects if counts else ()):
        count = counts.get(obj.identity.names[-1][0]) or counts.get(obj.identity.names[0][0])
        if count is None or obj.identity.kind not in SCALED_KINDS:
            continue
        spec = with_entry(new_mapping(()), "replicas", count)
        try:
            node = merge_patch(obj.root, with_entry(new_mapping(()), "spec", spec), {})
        except CannotMergeError as error:
            objects[number] = obj._replace(unknown=obj.unknown or error.message)
        else:
            assert isinstance(node, Mapping)
            objects[number] = obj._replace(root=node)


def stamp(objects: list[Object], root: Node) -> None:
    """Add the labels and annotations of a kustomization."""
    stamps: list[tuple[str, Node | None, bool]] = [
        (
            "labels",
            get(node, "pairs"),
            "true" in (get_text(node, "includeSelectors"), get_text(node, "includeTemplates")),
        )
        for node in items_in(root, "labels")
    ]
    stamps.append(("labels", get(root, "commonLabels"), True))
    stamps.append(("annotations", get(root, "commonAnnotations"), True))
    for name, values, templates in stamps:
        if not isinstance(values, Mapping):
            continue
        for number, obj in enumerate(objects):
            mapping = obj.root
            for place in ((), *(_templates_of(obj) if templates else ())):
                mapping = _with(mapping, (*place, "metadata", name), values)
            objects[number] = _renewed(obj, mapping)


def _templates_of(obj: Object) -> Iterator[Path]:
    """The paths of the templates in an object: of a CronJob that of its jobs and that of their pods."""
    path = TEMPLATES.get((obj.api_version, obj.identity.kind), ())
    yield from (
        path[: depth + 1] for depth, step in enumerate(path) if str(step).lower().endswith("template")
    )


def _with(root: Mapping, path: Path, values: Mapping) -> Mapping:
    """The object with the entries of a mapping merged in at a path."""
    part: Node = values
    for step in reversed(path):
        part = with_entry(new_mapping(()), str(step), part)
    node = merge_patch(root, part, {})
    assert isinstance(node, Mapping)
    return node


def named_by(document: Document) -> IdentityTest:
    """A test whether a patch names an object, by one of the names that the object has had."""
    patched = identity_of(document.root) if isinstance(document.root, Mapping) else None

    def matches(identity: Identity) -> bool:
        if patched is None or patched[:3] != identity[:3]:
            return False
        (name, namespace), *_ = patched.names
        return any(
            (called, where or "default") == (name, namespace or "default") for called, where in identity.names
        )

    return matches


class ObjectsByName:
    """The numbers of objects by each name that they have had."""

    def __init__(self) -> None:
        self._numbers: dict[str, list[int]] = {}
        self._known = 0

    def forget(self) -> None:
        """Forget all numbers: the objects or their names have changed."""
        self._numbers.clear()
        self._known = 0

    def numbers(
        self, objects: Sequence[Object], document: Document, target: Map[str, str] | None
    ) -> Sequence[int]:
        """The numbers of the objects that a patch may be for: those with the name of the patch, or of its
        target; all, where that name is a pattern."""
        if target is None:
            name = get_text(document.root, "metadata", "name") or ""
        else:
            name = target.get("name", "")
            if not name.replace("-", "a").isalnum():
                return range(len(objects))
        for number in range(self._known, len(objects)):
            for called in {called: None for called, _ in objects[number].identity.names}:
                self._numbers.setdefault(called, []).append(number)
        self._known = len(objects)
        return self._numbers.get(name, ())


class ClaimTemplates:
    """The templates of claims of a kustomization at one point of its build."""

    def __init__(self, objects: Iterable[Object] = ()) -> None:
        self._objects = tuple(objects)

    @cached_property
    def index(self) -> ClaimIndex:
        """The known templates, which are in no file."""
        mappings = (obj.root for obj in self._objects if not obj.unknown)
        claims = (claim for root in mappings for claim in claims_of(Document(Source("", ""), 0, 0, 0, root)))
        return ClaimIndex.of_objects(claims)


def with_variables(obj: Object) -> Object:
    """The object; unknown where variables of a kustomization (``$(NAME)``) may be in it."""
    if not any("$(" in document.text for document in (obj.document, *(part.document for part in obj.pieces))):
        return obj
    return obj._replace(unknown=obj.unknown or msg("{field} of a kustomization are not read", field="vars"))
