"""What kustomizations make of their objects, up to each patch: the base of that patch.

The order of things is that of kustomize 5: ``accumulateTarget`` and ``configureBuiltinTransformers`` in
``api/internal/target``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Map
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from gpuxlate.claims.index import ClaimIndex
from gpuxlate.files.find import HELD, SKIPPED
from gpuxlate.files.read import cached, inside, repository
from gpuxlate.manifest.claims import claims_of
from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model import limits
from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import GROUP, TEMPLATE
from gpuxlate.overlays.inline import is_text
from gpuxlate.overlays.kustomization import (
    NAMES,
    PREFIX,
    SUFFIX,
    Piece,
    changed_names,
    kustomization_at,
    kustomization_in,
    listed,
)
from gpuxlate.overlays.operations import is_operations, operated
from gpuxlate.overlays.patch_targets import Identity, Selector, UnknownError, selector
from gpuxlate.overlays.patches import (
    TEMPLATES,
    CannotMergeError,
    is_null,
    lists_of,
    merged,
    new_mapping,
    with_entry,
)
from gpuxlate.overlays.refusals import (
    COMPONENT,
    KUSTOMIZATION,
    RefusedError,
    check_fields,
    check_kind,
    check_once,
    check_replicas,
)
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, children, deref, entries_of, get, get_text
from gpuxlate.yamltext.nodes import Sequence as List
from gpuxlate.yamltext.parse import Document, NotYamlError, documents
from gpuxlate.yamltext.source import DecodeError, Source

LOCAL = "config.kubernetes.io/local-config"
"""An annotation of objects that kustomize leaves out in the end."""
GENERATES = ("generators", "helmCharts", "helmChartInflationGenerator")
"""Fields by which a kustomization makes objects that are in no file."""
ALTERS = ("replacements", "transformers", "configurations", "openapi", "crds")
"""Fields by which it changes objects, or how they are merged, in ways that are not read here."""
_TOO_LARGE = msg("what it patches is too large to be read")
NOT_THERE = msg("what it patches is not in the kustomization")
_CYCLE = msg("the kustomizations include one another")
MANY_FOLDERS = msg("the repository has too many folders to search")
_LOOKS = limits.MAX_NODES
"""Pairs of a patch and an object that it may be for."""
_AT_LEAST = 100
"""Nodes that a change of an object takes as long as, however small it is."""


class Object(NamedTuple):
    """One object with pods, or template of claims, as it is so far; ``unknown``: why that is not known.

    ``unclear``: the same, where it is a patch that cannot be read or applied. ``pieces``: what it has parts
    of, in order. ``document``, ``path``: where it is written. ``size``: about how many nodes it has;
    ``width``: the most that one of its mappings or lists has.
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
        group, version = self.identity.group, self.identity.version
        return f"{group}/{version}" if group else version

    @property
    def is_template(self) -> bool:
        """It is a ResourceClaimTemplate."""
        return (self.identity.group, self.identity.kind) == (GROUP, TEMPLATE)


def patchable_in(document: Document) -> tuple[list[Object], list[Identity]]:
    """The objects of a document that have pods, or what pods claim; and what the others are called."""
    objects: list[Object] = []
    others: list[Identity] = []
    for ref, path, root in objects_in(document):
        if ref.kind == TEMPLATE or any(True for _ in pods_in(document.with_root(root))):
            objects.append(Object(root, identity_of(root), document, path, None, *measured(root)))
        elif _is_own(path):
            others.append(identity_of(root))
    return objects, others


def _is_own(path: Path) -> bool:
    """An object of a document with this path there, not one that another object carries."""
    return path == () or path[-2:-1] == ("items",)


def measured(root: Node | None) -> tuple[int, int]:
    """The nodes below a node, those of aliases too, and the most in one mapping or list."""
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
    """What an object is called in its own file."""
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


def patched(
    obj: Object, document: Document, *, targeted: bool, lenient: bool = False
) -> tuple[Mapping, tuple[Path, ...]]:
    """An object after a patch; of operations, their places in it. Raises CannotMergeError.

    ``targeted``: its kustomization names a target for it. ``lenient``: without operations that do not apply.
    """
    if is_operations(document):
        if document.index:
            raise CannotMergeError(msg("kustomize reads the first list of operations of a file only"))
        root, places, _ = operated(obj.root, document, lenient=lenient)
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
    node = merged(obj.root, part, lists_of(obj.api_version, obj.identity.kind))
    return (node if isinstance(node, Mapping) else new_mapping(())), ()


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


def after_patch(obj: Object, document: Document, *, targeted: bool, renames: bool = False) -> Object:
    """An object after a patch; not known where that cannot be merged. ``renames``: it may change the name."""
    try:
        root, _ = patched(obj, document, targeted=targeted)
        if is_operations(document):
            obj = _named_anew(obj, identity_of(obj.root), identity_of(root))
        elif renames and isinstance(document.root, Mapping):
            obj = _named_anew(obj, obj.identity, identity_of(document.root), keeps=True)
    except CannotMergeError as error:
        return obj._replace(unknown=obj.unknown or error.message, unclear=obj.unclear or error.message)
    return _renewed(obj, root)


def _named_anew(obj: Object, before: Identity, after: Identity, *, keeps: bool = False) -> Object:
    """An object with the name that a patch gives it; the old ones are found too. Raises CannotMergeError.

    ``keeps``: what the patch does not say stays.
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
def rename(built: Built, root: Node) -> None:
    """Give the objects the names that the kustomization makes of theirs; the old ones are found too."""
    before, after = get_text(root, PREFIX) or "", get_text(root, SUFFIX) or ""
    namespace = get_text(root, "namespace")
    if not (before or after or namespace):
        return

    def renamed(identity: Identity) -> Identity:
        name, where = identity.names[-1]
        return identity._replace(names=(*identity.names, (f"{before}{name}{after}", namespace or where)))

    built.objects[:] = (obj._replace(identity=renamed(obj.identity)) for obj in built.objects)
    built.others[:] = map(renamed, built.others)


COUNTED = ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet")
"""Kinds of which a kustomization sets the replicas (``replicas`` in ``builtinpluginconsts``)."""


def scale(objects: list[Object], root: Node) -> None:
    """Set the replicas that a kustomization gives, by the first name of an object or its present one."""
    counts = {
        get_text(node, "name"): count for node in listed(root, "replicas") if (count := get(node, "count"))
    }
    for number, obj in enumerate(objects if counts else ()):
        count = counts.get(obj.identity.names[-1][0]) or counts.get(obj.identity.names[0][0])
        if count is None or obj.identity.kind not in COUNTED:
            continue
        spec = with_entry(new_mapping(()), "replicas", count)
        try:
            node = merged(obj.root, with_entry(new_mapping(()), "spec", spec), {})
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
        for node in listed(root, "labels")
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
    """The templates in an object, as that of the jobs of a CronJob and that of their pods."""
    path = TEMPLATES.get((obj.api_version, obj.identity.kind), ())
    yield from (
        path[: depth + 1] for depth, step in enumerate(path) if str(step).lower().endswith("template")
    )


def _with(root: Mapping, path: Path, values: Mapping) -> Mapping:
    """The object with the entries of a mapping at a path."""
    part: Node = values
    for step in reversed(path):
        part = with_entry(new_mapping(()), str(step), part)
    node = merged(root, part, {})
    assert isinstance(node, Mapping)
    return node


# -- work ---------------------------------------------------------------------------------------------
class TooMuchWorkError(UnknownError):
    """The patches exceed a limit."""


class Work:
    """The work that is left for the patches of a repository: looks at objects, and changes of them."""

    def __init__(self) -> None:
        self._looks = _LOOKS
        self._nodes = limits.MAX_PATCHED

    def look(self, count: int) -> None:
        """At so many objects that a patch may be for. Raises TooMuchWorkError."""
        self._looks -= count
        if self._looks < 0:
            raise TooMuchWorkError(msg("more than {most} pairs of a patch and an object", most=_LOOKS))

    def change(self, objects: Iterable[Object], size: int = 0, operations: int = 0, times: int = 1) -> None:
        """Change objects by a patch of so many nodes, some times. Raises TooMuchWorkError.

        A merge takes as long as the object is large, an operation as the mappings and lists on its path.
        """
        for obj in objects if times > 0 else ():
            each = _AT_LEAST + obj.size + size + operations * (obj.width + operations)
            self._nodes -= times * each
        if self._nodes < 0:
            message = msg("patches times objects of more than {most} nodes", most=limits.MAX_PATCHED)
            raise TooMuchWorkError(message)


def named_by(document: Document) -> Selector:
    """Whether a patch names an object, by one of the names that it has had."""
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
        """The objects have other names now."""
        self._numbers.clear()
        self._known = 0

    def numbers(
        self, objects: Sequence[Object], document: Document, target: Map[str, str] | None
    ) -> Sequence[int]:
        """Those that a patch may be for: it has a name, or its target has one that is no pattern."""
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
    """The templates of claims of a kustomization, as they are at some point."""

    def __init__(self, objects: Iterable[Object] = ()) -> None:
        self._objects = tuple(objects)

    @cached_property
    def index(self) -> ClaimIndex:
        """Those that are known; of no file."""
        mappings = (obj.root for obj in self._objects if not obj.unknown)
        claims = (claim for root in mappings for claim in claims_of(Document(Source("", ""), 0, 0, 0, root)))
        return ClaimIndex.of_objects(claims)


# -- what is built ------------------------------------------------------------------------------------
class PatchMatch(NamedTuple):
    """The objects that a patch is for, before it; ``why``: they are not known, or there are none.

    ``targeted``: the kustomization says what it is for, not the patch itself. ``before``, ``after``: the
    templates of claims before it, and after the patches of templates that follow it in its file.
    ``workloads``: of a patch of a template, the other objects of the kustomization. ``too_much``: ``why`` is
    a limit of the patches of its repository.
    """

    objects: tuple[Object, ...] = ()
    why: Message | None = None
    targeted: bool = False
    before: ClaimTemplates = ClaimTemplates()
    after: ClaimTemplates = ClaimTemplates()
    workloads: tuple[Object, ...] = ()
    too_much: bool = False


class PatchPlace(NamedTuple):
    """A patch: its file, the number of its document, and of one in a kustomization where its string begins.

    Without a number it is all of a file that cannot be read.
    """

    file: str
    document: int = -1
    start: int = -1


@dataclass(slots=True, eq=False)
class Built:
    """What the kustomization of a folder makes.

    ``hits``: by the place of a patch. ``unread``: there is more; ``elsewhere``: the first entry of what is
    not here; ``too_much``: a limit of the patches of its repository; ``refused``: kustomize builds nothing.
    ``others``: the objects that no pod is read for. ``texts``: what it has parts of; ``unmatched_patches``:
    those of what is not there; ``below``: what it is built of.
    """

    folder: str
    objects: list[Object] = field(default_factory=list)
    hits: dict[PatchPlace, list[PatchMatch]] = field(default_factory=dict)
    unread: Message | None = None
    elsewhere: tuple[Document, Node] | None = None
    texts: list[Piece] = field(default_factory=list)
    unmatched_patches: list[Piece] = field(default_factory=list)
    below: list[Built] = field(default_factory=list)
    too_much: Message | None = None
    refused: RefusedError | None = None
    others: list[Identity] = field(default_factory=list)
    named: ObjectsByName = field(default_factory=ObjectsByName)
    _templates: ClaimTemplates | None = None

    def templates(self) -> ClaimTemplates:
        """The templates of claims, as they are so far."""
        if self._templates is None:
            self._templates = ClaimTemplates(obj for obj in self.objects if obj.is_template)
        return self._templates

    def identities(self) -> Iterator[Identity]:
        """What all objects are called."""
        yield from (obj.identity for obj in self.objects if _is_own(obj.path))
        yield from self.others

    def moved(self) -> None:
        """There are other objects, or templates that have changed."""
        self._templates = None

    def hit(self, said: list[tuple[PatchPlace, PatchMatch]], after: ClaimTemplates) -> None:
        """Keep what documents of a patch are for, with the templates after them."""
        for place, match in said:
            self.hits.setdefault(place, []).append(match._replace(after=after))
        said.clear()

    def drop_deleted(self, numbers: Iterable[int]) -> None:
        """Without those of some objects that a patch deletes as a whole: later patches do not find them."""
        if not all(self.objects[number].root.entries for number in numbers):
            self.objects[:] = [obj for obj in self.objects if obj.root.entries]
            self.named.forget()

    def flag(self, why: Message, *, unclear: bool = False) -> None:
        """All objects are not known from here on. ``unclear``: by a patch that cannot be read."""
        more = why if unclear else None
        self.objects[:] = (
            obj._replace(unknown=obj.unknown or why, unclear=obj.unclear or more) for obj in self.objects
        )
        self.moved()


class Tree:
    """The kustomizations of one repository, each read and built once."""

    def __init__(self, root: str, texts: Map[str, bytes] = MappingProxyType({})) -> None:
        """``texts``: what files will have, by their real paths."""
        self._root = root
        self._texts = texts
        self._new: dict[str, Document | None] = {}
        self._built: dict[str, Built] = {}
        self._pending: list[str] = []
        self._files = limits.MAX_BASE_FILES
        self._bytes = limits.MAX_BASE_BYTES
        self._work = Work()
        self._includers: dict[str, list[str]] | None = None

    def built(self, folder: str) -> Built:
        """What the kustomization of a folder makes of the objects that it reads."""
        if folder not in self._built:
            result = Built(folder)
            try:
                self._build(result, folder)
            except UnknownError as error:
                result.unread = error.message
                result.too_much = error.message if isinstance(error, TooMuchWorkError) else None
                result.refused = error if isinstance(error, RefusedError) else result.refused
                result.flag(error.message)
            self._built[folder] = result
        return self._built[folder]

    def users(self, folder: str) -> list[str]:
        """The folder; of a component those of all kustomizations that include it. Raises UnknownError."""
        folders: dict[str, None] = {}
        pending, seen = [folder], {folder}
        for path in pending:
            if get_text(kustomization_in(path), "kind") != "Component":
                folders[path] = None
                continue
            above = [user for user in self._including().get(path, ()) if user not in seen]
            seen.update(above)
            pending += above
        if not folders:
            raise UnknownError(msg("no kustomization includes its component"))
        return sorted(folders)

    def follows(self, folder: str, kind: str) -> bool:
        """Its configurations say which fields name objects of a kind: they are renamed with them."""
        paths = (self._local(folder, entry) for entry in listed(kustomization_in(folder), "configurations"))
        read = [document for path in paths if path is not None for document in self._documents(path)]
        rows = (row for document in read for row in listed(document.root, "nameReference"))
        return any(get_text(row, "kind") == kind for row in rows)

    def _including(self) -> dict[str, list[str]]:
        """By component the folders of kustomizations that include it."""
        if self._includers is None:
            by_folder: dict[str, list[str]] = {}
            for number, (folder, names, _) in enumerate(os.walk(self._root)):
                if number > limits.MAX_BASE_FILES:
                    raise UnknownError(MANY_FOLDERS)
                names[:] = sorted(name for name in names if name not in SKIPPED and not name.startswith("."))
                for node in listed(kustomization_in(folder), "components"):
                    if isinstance(node, Scalar):
                        component = os.path.normpath(os.path.join(folder, node.text))
                        by_folder.setdefault(component, []).append(folder)
            self._includers = by_folder
        return self._includers

    # -- building ----------------------------------------------------------------------------------

    def _build(self, result: Built, folder: str) -> None:
        if folder in self._pending:
            raise UnknownError(_CYCLE)
        if len(self._pending) >= limits.MAX_LAYERS:
            raise UnknownError(msg("the kustomizations are nested too deep"))
        self._pending.append(folder)
        try:
            self._run(result, folder)
        finally:
            self._pending.pop()

    def _kustomization(self, folder: str) -> Document | None:
        """That of a folder, with the text that it will have."""
        names = (os.path.join(folder, name) for name in NAMES) if self._texts else ()
        path = next((name for name in names if os.path.realpath(name) in self._texts), None)
        if path is None:
            return kustomization_at(folder)
        if folder not in self._new:
            read = documents(Source.from_bytes(path, self._texts[os.path.realpath(path)]))
            self._new[folder] = next(read, None)
        return self._new[folder]

    def _run(self, result: Built, folder: str) -> None:
        document = self._kustomization(folder)
        root = document.root if document else None
        self._files -= 1
        if self._files < 0:
            raise UnknownError(_TOO_LARGE)
        if document is None or root is None:
            raise UnknownError(
                msg("{folder} has no kustomization that can be read", folder=self._name(folder))
            )
        result.texts.append(Piece(document))
        self._gather(result, folder, document)
        for entry in listed(root, "patchesStrategicMerge"):
            self._patch(result, folder, entry, None, None)
        for entry in listed(root, "patches"):
            self._patch_entry(result, folder, entry)
        self._work.change(result.objects, times=len(listed(root, "labels")) - 1)
        rename(result, root)
        if changed_names(root) and not self.follows(folder, TEMPLATE):
            result.objects[:] = (
                obj._replace(unclear=obj.unclear or RENAMED) if obj.is_template else obj
                for obj in result.objects
            )
        stamp(result.objects, root)
        result.named.forget()
        result.moved()
        for entry in listed(root, "patchesJson6902"):
            self._patch_entry(result, folder, entry)
        if not result.unread:
            check_replicas(document, result.identities(), COUNTED)
        scale(result.objects, root)
        if get(root, "vars") is not None:
            result.objects[:] = map(_with_variables, result.objects)
        for name in ALTERS:
            if get(root, name) is not None:
                why = msg("{field} in {folder} is not read", field=name, folder=self._name(folder))
                result.flag(why, unclear=name in ("transformers", "openapi") or _replaces_keys(root, name))

    def _gather(self, result: Built, folder: str, host: Document) -> None:
        """Add the objects that a kustomization is made of, those of its components with what these do."""
        root = host.root
        check_fields(host, folder)
        seen: set[tuple[str, ...]] = set()
        check_once(host, root, seen, result.identities())
        for entry in (*listed(root, "resources"), *listed(root, "bases")):
            check_once(host, entry, seen, self._resource(result, folder, entry, host))
        result.others += _generated(root)
        generator = next((name for name in GENERATES if get(root, name) is not None), None)
        if generator:
            result.unread = msg("{field} in {folder} is not read", field=generator, folder=self._name(folder))
        for entry in listed(root, "components"):
            path = self._local(folder, entry)
            if path is None or not os.path.isdir(path):
                raise UnknownError(_not_local(entry))
            if path in self._pending:
                raise RefusedError(host, entry, _CYCLE)
            check_kind(host, entry, kustomization_in(path), COMPONENT)
            self._work.look(len(result.objects))
            self._build(result, path)

    def _name(self, folder: str) -> str:
        return os.path.relpath(folder, self._root)

    def _resource(self, result: Built, folder: str, entry: Node, host: Document) -> list[Identity]:
        """Add the objects of an entry of ``host``; what they are called."""
        added: list[Identity] = []
        path = self._local(folder, entry)
        if path is None:
            result.unread = _not_local(entry)
            if _is_missing(folder, entry):
                raise RefusedError(host, entry, result.unread)
            result.elsewhere = result.elsewhere or (host, entry)
        elif os.path.isdir(path):
            if path in self._pending:
                raise RefusedError(host, entry, _CYCLE)
            check_kind(host, entry, kustomization_in(path), KUSTOMIZATION)
            below = self.built(path)
            if below.refused:
                raise below.refused
            self._work.look(len(below.objects))
            result.objects += below.objects
            result.others += below.others
            added += below.identities()
            result.below.append(below)
            result.unread = result.unread or below.unread
            result.elsewhere = result.elsewhere or below.elsewhere
            result.too_much = result.too_much or below.too_much
        else:
            try:
                for document in self._documents(path):
                    objects, others = patchable_in(document)
                    result.objects += objects
                    result.others += others
                    added += (obj.identity for obj in objects if _is_own(obj.path))
                    added += others
            except UnknownError as error:
                result.unread = error.message
        result.moved()
        if max(len(result.objects), len(result.others)) > limits.MAX_ENTRIES:
            result.objects.clear()
            raise UnknownError(msg("the kustomization has too many objects"))
        return added

    def _local(self, folder: str, entry: Node) -> str | None:
        """The path of a file or folder that is here; None for a URL, and for links that lead elsewhere."""
        text = entry.text if isinstance(entry, Scalar) else ""
        if not text or "\0" in text or "\n" in text or os.path.isabs(text):
            return None
        path = os.path.normpath(os.path.join(folder, text))
        straight = os.path.normpath(os.path.join(os.path.realpath(folder), text))
        if not os.path.exists(path) or (os.path.realpath(path) != straight and not inside(path, self._root)):
            return None
        return path

    def _documents(self, path: str) -> list[Document]:
        """The documents of a file, within the allowance. Raises UnknownError."""
        self._files -= 1
        if self._files < 0 or self._bytes <= 0:
            raise UnknownError(_TOO_LARGE)
        try:
            new = self._texts.get(os.path.realpath(path)) if self._texts else None
            if new is not None:
                read = documents(Source.from_bytes(path, new))
            else:
                text = HELD.text(path)
                self._bytes -= len(text.data)
                read = text.documents()
            return [document for document in read if document.root is not None]
        except (OSError, DecodeError, NotYamlError):
            raise UnknownError(msg("{file} cannot be read", file=self._name(path))) from None

    # -- patches -----------------------------------------------------------------------------------

    def _patch_entry(self, result: Built, folder: str, entry: Node) -> None:
        target = get(entry, "target")
        chosen = (
            {
                name: node.text
                for name, _, value, _ in entries_of(target)
                if isinstance(node := deref(value), Scalar)
            }
            if isinstance(target, Mapping)
            else None
        )
        path, text = get(entry, "path"), get(entry, "patch")
        options = get(entry, "options")
        self._patch(result, folder, path, text, chosen, options)

    def _patch(
        self,
        result: Built,
        folder: str,
        path: Node | None,
        text: Node | None,
        target: dict[str, str] | None,
        options: Node | None = None,
    ) -> None:
        """Apply one entry; where it cannot be, nothing is known of what it may be for."""
        if text is None and is_text(path):
            path, text = None, path
        place = PatchPlace("")
        try:
            if isinstance(text, Scalar):
                host = self._kustomization(folder)
                place = PatchPlace(host.source.name if host else "", start=text.start)
                pieces_of_text = [Piece(document, host, text) for document in _documents_in(text.text)]
            else:
                local = self._local(folder, path) if path is not None else None
                if local is None:
                    raise UnknownError(_not_local(path))
                place, pieces_of_text = (
                    PatchPlace(local),
                    [Piece(document) for document in self._documents(local)],
                )
            result.texts += pieces_of_text
            matches = None if target is None else selector(target)
            if get_text(options, "allowKindChange") == "true":
                raise UnknownError(msg("{field} of its patch is not read", field="allowKindChange"))
        except UnknownError as error:
            result.flag(error.message, unclear=True)
            if isinstance(path, Scalar):
                here = os.path.normpath(os.path.join(folder, path.text))
                place = PatchPlace(here)
            result.hits.setdefault(place, []).append(PatchMatch(why=error.message))
            return
        said: list[
            tuple[PatchPlace, PatchMatch]
        ] = []  # the last document of a workload, and the templates behind it
        for part in pieces_of_text:
            document = part.document
            numbers = result.named.numbers(result.objects, document, target)
            self._work.look(len(numbers))
            test = matches or named_by(document)
            chosen = [number for number in numbers if test(result.objects[number].identity)]
            why = result.unread if matches is not None else None
            if not chosen:
                why = result.unread or NOT_THERE
                self._work.look(len(result.others) if matches is None else 0)
                result.unmatched_patches += (
                    [part] if matches is None and not any(map(test, result.others)) else []
                )
            patched = tuple(result.objects[number] for number in chosen)
            size, width = measured(document.root)
            self._work.change(patched, size, width if is_operations(document) else 0)
            before = result.templates()
            others: tuple[Object, ...] = ()
            if any(obj.is_template for obj in patched):
                self._work.look(len(result.objects))
                others = tuple(obj for obj in result.objects if not obj.is_template)
                result.moved()
            else:
                result.hit(said, before)
            hit = PatchMatch(patched, why, matches is not None, before, workloads=others)
            said.append((place._replace(document=document.index), hit))
            for number in chosen:
                obj = after_patch(
                    result.objects[number],
                    document,
                    targeted=matches is not None,
                    renames=get_text(options, "allowNameChange") == "true",
                )
                size, width = measured(obj.root)
                pieces = (*obj.pieces, part)
                if obj.identity.names != result.objects[number].identity.names:
                    result.named.forget()
                result.objects[number] = obj._replace(size=size, width=width, pieces=pieces)
            result.drop_deleted(chosen)
        result.hit(said, result.templates())


def _generated(root: Node | None) -> Iterator[Identity]:
    """What the ConfigMaps and Secrets are called that a kustomization generates."""
    for name, kind in (("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")):
        for node in listed(root, name):
            names = ((get_text(node, "name") or "", get_text(node, "namespace") or ""),)
            yield Identity("", "v1", kind, names, {}, {})


_KEYS_OF_PODS = regex(
    r"(?:^|[./])(?:resources|limits|requests|annotations|labels|nodeSelector|affinity|schedulerName"
    r"|resourceClaims|env)(?:[./\[]|$)|(?:^|\.)(?:spec|template|metadata|containers(?:\.[^.]*|\.\[[^\]]*\])?)$"
)
"""Paths of what a pod requests, or of what holds it."""


def _replaces_keys(root: Node | None, name: str) -> bool:
    """The ``replacements`` of a kustomization may write what pods request; those of a file are not read."""
    if name != "replacements":
        return False
    rows = listed(root, name)
    targets = [target for row in rows for target in listed(row, "targets")]
    paths = [path for target in targets for path in listed(target, "fieldPaths")]
    return any(get(row, "path") is not None for row in rows) or any(
        isinstance(path, Scalar) and _KEYS_OF_PODS.search(path.text) for path in paths
    )


def _with_variables(obj: Object) -> Object:
    """An object that may have variables of a kustomization in it is not known."""
    if not any("$(" in document.text for document in (obj.document, *(part.document for part in obj.pieces))):
        return obj
    return obj._replace(unknown=obj.unknown or msg("{field} of a kustomization are not read", field="vars"))


def _documents_in(text: str) -> list[Document]:
    try:
        return [document for document in documents(Source("patch", text)) if document.root is not None]
    except NotYamlError:
        raise UnknownError(msg("a patch in the kustomization cannot be read")) from None


_REMOTE = regex(r"://|^git@|^[\w.-]+\.[a-z]{2,}/|\?ref=")
"""How an entry of ``resources`` begins, or what it has, that kustomize asks the network for."""


def _is_missing(folder: str, entry: Node) -> bool:
    """It is the path of a file or folder, and nothing is there: kustomize refuses it."""
    text = entry.text if isinstance(entry, Scalar) else ""
    if not text or "\0" in text or "\n" in text or _REMOTE.search(text):
        return False
    return not os.path.lexists(os.path.join(folder, text))


def _not_local(entry: Node | None) -> Message:
    text = entry.text if isinstance(entry, Scalar) else ""
    return msg("{name} is not a file or folder here", name=limits.cut(text, limits.MAX_NAME))


@cached(16)
def tree(folder: str) -> Tree:
    """The kustomizations of a repository by its folder."""
    return Tree(folder)


def root_of(folder: str) -> str:
    """Where to look for what includes a kustomization: its repository, else the working folder."""
    root_of_repository = repository(folder)
    if os.path.exists(os.path.join(root_of_repository, ".git")):
        return root_of_repository
    here = os.getcwd()
    return here if inside(folder, here) else root_of_repository


RENAMED = msg("a kustomization renames its object, and kustomize does not rename what names a template")
