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
from typing import NamedTuple

from gpuxlate.inputs.bounded import inside, remembered, repository
from gpuxlate.inputs.claims import ClaimIndex, ClaimText
from gpuxlate.inputs.exclude import SKIPPED
from gpuxlate.inputs.files import HELD
from gpuxlate.manifest.claims import claims_of
from gpuxlate.manifest.objects import objects_in
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model import limits
from gpuxlate.model.claims import GROUP, TEMPLATE
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import Path
from gpuxlate.overlays.json6902 import is_operations, operated
from gpuxlate.overlays.kustomization import (
    PREFIX,
    SUFFIX,
    Identity,
    Piece,
    Selector,
    UnknownError,
    kustomization_at,
    kustomization_in,
    listed,
    selector,
)
from gpuxlate.overlays.merge import (
    TEMPLATES,
    CannotMergeError,
    is_null,
    lists_of,
    merged,
    new_mapping,
    with_entry,
)
from gpuxlate.yamltext.compose import Document, NotYamlError, documents
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, deref, entries_of, get, get_text
from gpuxlate.yamltext.nodes import Sequence as List
from gpuxlate.yamltext.nodes import inside as inside_node
from gpuxlate.yamltext.source import DecodeError, Source

GENERATES = ("generators", "helmCharts", "helmChartInflationGenerator")
"""Fields by which a kustomization makes objects that are in no file."""
ALTERS = ("replacements", "transformers", "configurations", "openapi", "crds")
"""Fields by which it changes objects, or how they are merged, in ways that are not read here."""
_TOO_LARGE = say("what it patches is too large to be read")
NOT_THERE = say("what it patches is not in the kustomization")
_CYCLE = say("the kustomizations include one another")
_LOOKS = limits.MAX_NODES
"""Pairs of a patch and an object that it may be for."""
_AT_LEAST = 100
"""Nodes that a change of an object takes as long as, however small it is."""


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
        if ref.kind == TEMPLATE or any(True for _ in pods_in(document.with_root(root))):
            yield Object(root, identity_of(root), document, path, None, *measured(root))


def measured(root: Node | None) -> tuple[int, int]:
    """The nodes below a node, those of aliases too, and the most in one mapping or list."""
    count = widest = 0
    pending = [root] if root is not None else []
    while pending:
        node = deref(pending.pop())
        count += 1
        if isinstance(node, (Mapping, List)):
            below = inside_node(node)
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
            raise TooMuchWorkError(say("more than {most} pairs of a patch and an object", most=_LOOKS))

    def change(self, objects: Iterable[Object], size: int = 0, operations: int = 0, times: int = 1) -> None:
        """Change objects by a patch of so many nodes, some times. Raises TooMuchWorkError.

        A merge takes as long as the object is large, an operation as the mappings and lists on its path.
        """
        for one in objects if times > 0 else ():
            each = _AT_LEAST + one.size + size + operations * (one.width + operations)
            self._nodes -= times * each
        if self._nodes < 0:
            what = say("patches times objects of more than {most} nodes", most=limits.MAX_PATCHED)
            raise TooMuchWorkError(what)


def named_by(document: Document) -> Selector:
    """Whether a patch names an object, by one of the names that it has had."""
    asked = identity_of(document.root) if isinstance(document.root, Mapping) else None

    def matches(one: Identity) -> bool:
        if asked is None or asked[:3] != one[:3]:
            return False
        (name, namespace), *_ = asked.names
        return any(
            (called, where or "default") == (name, namespace or "default") for called, where in one.names
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
        known = (one.root for one in self._objects if not one.unknown)
        claims = (claim for root in known for claim in claims_of(Document(Source("", ""), 0, 0, 0, root)))
        return ClaimIndex((ClaimText("", tuple(claims)),))


# -- what is built ------------------------------------------------------------------------------------


class Hit(NamedTuple):
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


@dataclass(slots=True)
class Built:
    """What the kustomization of a folder makes. ``hits``: by file and document of a patch. ``unread``: there
    is more; ``too_much``: a limit of the patches of its repository. ``texts``: what it has parts of;
    ``lost``: patches of what is not there; ``below``: what it is built of.
    """

    folder: str
    objects: list[Object] = field(default_factory=list)
    hits: dict[tuple[str, int], list[Hit]] = field(default_factory=dict)
    unread: Message | None = None
    texts: list[Piece] = field(default_factory=list)
    lost: list[Piece] = field(default_factory=list)
    below: list[Built] = field(default_factory=list)
    too_much: Message | None = None
    named: ObjectsByName = field(default_factory=ObjectsByName)
    _templates: ClaimTemplates | None = None

    def templates(self) -> ClaimTemplates:
        """The templates of claims, as they are so far."""
        if self._templates is None:
            self._templates = ClaimTemplates(one for one in self.objects if one.is_template)
        return self._templates

    def moved(self) -> None:
        """There are other objects, or templates that have changed."""
        self._templates = None

    def hit(self, file: str, said: list[tuple[int, Hit]], after: ClaimTemplates) -> None:
        """Keep what documents of a patch are for, with the templates after them."""
        for index, one in said:
            self.hits.setdefault((file, index), []).append(one._replace(after=after))
        said.clear()

    def flag(self, why: Message) -> None:
        """All objects are not known from here on."""
        self.objects[:] = (one._replace(unknown=one.unknown or why) for one in self.objects)
        self.moved()


class Tree:
    """The kustomizations of one repository, each read and built once."""

    def __init__(self, root: str) -> None:
        self._root = root
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
                result.flag(error.message)
            self._built[folder] = result
        return self._built[folder]

    def users(self, folder: str) -> list[str]:
        """The folder; of a component those of all kustomizations that include it. Raises UnknownError."""
        found: dict[str, None] = {}
        pending, seen = [folder], {folder}
        for one in pending:
            if get_text(kustomization_in(one), "kind") != "Component":
                found[one] = None
                continue
            above = [user for user in self._including().get(one, ()) if user not in seen]
            seen.update(above)
            pending += above
        if not found:
            raise UnknownError(say("no kustomization includes its component"))
        return sorted(found)

    def follows(self, folder: str, kind: str) -> bool:
        """Its configurations say which fields name objects of a kind: they are renamed with them."""
        found = (self._local(folder, entry) for entry in listed(kustomization_in(folder), "configurations"))
        read = [one for path in found if path is not None for one in self._documents(path)]
        rows = (row for one in read for row in listed(one.root, "nameReference"))
        return any(get_text(row, "kind") == kind for row in rows)

    def _including(self) -> dict[str, list[str]]:
        """By component the folders of kustomizations that include it."""
        if self._includers is None:
            found: dict[str, list[str]] = {}
            for number, (folder, names, _) in enumerate(os.walk(self._root)):
                if number > limits.MAX_BASE_FILES:
                    raise UnknownError(say("the repository has too many folders to search"))
                names[:] = sorted(one for one in names if one not in SKIPPED and not one.startswith("."))
                for one in listed(kustomization_in(folder), "components"):
                    if isinstance(one, Scalar):
                        component = os.path.normpath(os.path.join(folder, one.text))
                        found.setdefault(component, []).append(folder)
            self._includers = found
        return self._includers

    # -- building ----------------------------------------------------------------------------------

    def _build(self, result: Built, folder: str) -> None:
        if folder in self._pending:
            raise UnknownError(_CYCLE)
        if len(self._pending) >= limits.MAX_LAYERS:
            raise UnknownError(say("the kustomizations are nested too deep"))
        self._pending.append(folder)
        try:
            self._run(result, folder)
        finally:
            self._pending.pop()

    def _run(self, result: Built, folder: str) -> None:
        found = kustomization_at(folder)
        root = found.root if found else None
        self._files -= 1
        if self._files < 0:
            raise UnknownError(_TOO_LARGE)
        if found is None or root is None:
            raise UnknownError(
                say("{folder} has no kustomization that can be read", folder=self._name(folder))
            )
        result.texts.append(Piece(found))
        for entry in (*listed(root, "resources"), *listed(root, "bases")):
            self._resource(result, folder, entry)
        made = next((name for name in GENERATES if get(root, name) is not None), None)
        if made:
            result.unread = say("{field} in {folder} is not read", field=made, folder=self._name(folder))
        for entry in listed(root, "components"):
            path = self._local(folder, entry)
            if path is None or not os.path.isdir(path):
                raise UnknownError(_not_local(entry))
            self._build(result, path)
        for entry in listed(root, "patchesStrategicMerge"):
            self._patch(result, folder, entry, None, None)
        for entry in listed(root, "patches"):
            self._patch_entry(result, folder, entry)
        self._work.change(result.objects, times=len(listed(root, "labels")) - 1)
        rename(result.objects, root)
        stamp(result.objects, root)
        result.named.forget()
        result.moved()
        for entry in listed(root, "patchesJson6902"):
            self._patch_entry(result, folder, entry)
        scale(result.objects, root)
        altering = next((name for name in ALTERS if get(root, name) is not None), None)
        if altering:
            result.flag(say("{field} in {folder} is not read", field=altering, folder=self._name(folder)))

    def _name(self, folder: str) -> str:
        return os.path.relpath(folder, self._root)

    def _resource(self, result: Built, folder: str, entry: Node) -> None:
        path = self._local(folder, entry)
        if path is None:
            result.unread = _not_local(entry)
        elif os.path.isdir(path):
            if path in self._pending:
                raise UnknownError(_CYCLE)
            below = self.built(path)
            self._work.look(len(below.objects))
            result.objects += below.objects
            result.below.append(below)
            result.unread = result.unread or below.unread
            result.too_much = result.too_much or below.too_much
        else:
            try:
                result.objects += [
                    one for document in self._documents(path) for one in patchable_in(document)
                ]
            except UnknownError as error:
                result.unread = error.message
        result.moved()
        if len(result.objects) > limits.MAX_ENTRIES:
            result.objects.clear()
            raise UnknownError(say("the kustomization has too many objects"))

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
            text = HELD.text(path)
            self._bytes -= len(text.data)
            return [one for one in text.documents() if one.root is not None]
        except (OSError, DecodeError, NotYamlError):
            raise UnknownError(say("{file} cannot be read", file=self._name(path))) from None

    # -- patches -----------------------------------------------------------------------------------

    def _patch_entry(self, result: Built, folder: str, entry: Node) -> None:
        target = get(entry, "target")
        chosen = (
            {
                name: one.text
                for name, _, value, _ in entries_of(target)
                if isinstance(one := deref(value), Scalar)
            }
            if isinstance(target, Mapping)
            else None
        )
        path, text = get(entry, "path"), get(entry, "patch")
        self._patch(result, folder, path, text, chosen)

    def _patch(
        self, result: Built, folder: str, path: Node | None, text: Node | None, target: dict[str, str] | None
    ) -> None:
        """Apply one entry; where it cannot be, nothing is known of what it may be for."""
        if text is None and isinstance(path, Scalar) and "\n" in path.text:
            path, text = None, path
        file = ""
        try:
            if isinstance(text, Scalar):
                found = [Piece(one, kustomization_at(folder), text) for one in _documents_in(text.text)]
            else:
                local = self._local(folder, path) if path is not None else None
                if local is None:
                    raise UnknownError(_not_local(path))
                file, found = local, [Piece(one) for one in self._documents(local)]
            result.texts += found
            matches = None if target is None else selector(target)
        except UnknownError as error:
            result.flag(error.message)
            if isinstance(path, Scalar):
                here = os.path.normpath(os.path.join(folder, path.text))
                result.hits.setdefault((here, -1), []).append(Hit(why=error.message))
            return
        said: list[tuple[int, Hit]] = []  # the last document of a workload, and the templates behind it
        for part in found:
            document = part.document
            numbers = result.named.numbers(result.objects, document, target)
            self._work.look(len(numbers))
            test = matches or named_by(document)
            chosen = [number for number in numbers if test(result.objects[number].identity)]
            why = result.unread if matches is not None else None
            if not chosen:
                why = result.unread or NOT_THERE
                result.lost += [part] if matches is None else []
            patched = tuple(result.objects[number] for number in chosen)
            size, width = measured(document.root)
            self._work.change(patched, size, width if is_operations(document) else 0)
            before = result.templates()
            others: tuple[Object, ...] = ()
            if any(one.is_template for one in patched):
                self._work.look(len(result.objects))
                others = tuple(one for one in result.objects if not one.is_template)
                result.moved()
            else:
                result.hit(file, said, before)
            said.append((document.index, Hit(patched, why, matches is not None, before, workloads=others)))
            for number in chosen:
                made = after_patch(result.objects[number], document, targeted=matches is not None)
                size, width = measured(made.root)
                result.objects[number] = made._replace(size=size, width=width)
        result.hit(file, said, result.templates())


def _documents_in(text: str) -> list[Document]:
    try:
        return [one for one in documents(Source("patch", text)) if one.root is not None]
    except NotYamlError:
        raise UnknownError(say("a patch in the kustomization cannot be read")) from None


def _not_local(entry: Node | None) -> Message:
    text = entry.text if isinstance(entry, Scalar) else ""
    return say("{name} is not a file or folder here", name=limits.cut(text, limits.MAX_NAME))


@remembered(16)
def tree(folder: str) -> Tree:
    """The kustomizations of a repository by its folder."""
    return Tree(folder)


def root_of(folder: str) -> str:
    """Where to look for what includes a kustomization: its repository, else the working folder."""
    found = repository(folder)
    if os.path.exists(os.path.join(found, ".git")):
        return found
    here = os.getcwd()
    return here if inside(folder, here) else found
