"""The kustomizations of a repository: the objects that each builds, before each patch and at the end.

The order of the steps is that of kustomize 5: ``accumulateTarget`` and ``configureBuiltinTransformers`` in
``api/internal/target``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as Map
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from gpuxlate.files.find import HELD, SKIPPED
from gpuxlate.files.read import cached, is_inside, repository_of
from gpuxlate.model import limits
from gpuxlate.model.declarations import regex
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import TEMPLATE
from gpuxlate.overlays.built_objects import (
    SCALED_KINDS,
    ClaimTemplates,
    Object,
    ObjectsByName,
    count_nodes,
    is_own,
    named_by,
    patch_object,
    patchable_in,
    rename,
    scale,
    stamp,
    with_variables,
)
from gpuxlate.overlays.inline import is_text
from gpuxlate.overlays.kustomization import (
    KUSTOMIZATIONS,
    Piece,
    changed_names,
    items_in,
    kustomization_at,
    kustomization_in,
)
from gpuxlate.overlays.kustomize_errors import (
    COMPONENT,
    KUSTOMIZATION,
    RefusedError,
    check_fields,
    check_kind,
    check_once,
    check_replicas,
)
from gpuxlate.overlays.operations import is_operations
from gpuxlate.overlays.patch_targets import Identity, UnknownError, compile_target
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, deref, entries_of, get, get_text
from gpuxlate.yamltext.parse import Document, NotYamlError, documents
from gpuxlate.yamltext.source import DecodeError, Source

GENERATES = ("generators", "helmCharts", "helmChartInflationGenerator")
"""Fields by which a kustomization makes objects that are in no file."""

ALTERS = ("replacements", "transformers", "configurations", "openapi", "crds")
"""Fields by which a kustomization changes objects, or how they are merged, in ways that are not read here."""

_TOO_LARGE = msg("what it patches is too large to be read")

NOT_THERE = msg("what it patches is not in the kustomization")

_CYCLE = msg("the kustomizations include one another")

MANY_FOLDERS = msg("the repository has too many folders to search")

_LOOKS = limits.MAX_NODES
"""The most pairs of a patch and an object that are compared in a repository."""

_AT_LEAST = 100
"""The least cost of a change of an object, in nodes."""


# -- limits ------------------------------------------------------------------------------------------
class TooMuchWorkError(UnknownError):
    """The patches exceed a limit."""


class Work:
    """The work that the patches of a repository may still take: comparisons with objects, and changed
    nodes."""

    def __init__(self) -> None:
        self._looks = _LOOKS
        self._nodes = limits.MAX_PATCHED

    def charge_comparisons(self, count: int) -> None:
        """Count the comparisons of a patch with ``count`` objects. Raises TooMuchWorkError."""
        self._looks -= count
        if self._looks < 0:
            raise TooMuchWorkError(msg("more than {most} pairs of a patch and an object", most=_LOOKS))

    def charge_changes(
        self, objects: Iterable[Object], size: int = 0, operations: int = 0, times: int = 1
    ) -> None:
        """Count the nodes that a patch of ``size`` nodes changes in objects, ``times`` over. Raises
        TooMuchWorkError.

        The cost of a merge is the size of the object, that of an operation the width of the mappings and
        lists on its path.
        """
        for obj in objects if times > 0 else ():
            each = _AT_LEAST + obj.size + size + operations * (obj.width + operations)
            self._nodes -= times * each
        if self._nodes < 0:
            message = msg("patches times objects of more than {most} nodes", most=limits.MAX_PATCHED)
            raise TooMuchWorkError(message)


class PatchMatch(NamedTuple):
    """The objects that a patch changes, as they are before it. ``why``: why they are not known, or that there
    are none.

    ``targeted``: the kustomization names a target, the patch itself names no object. ``before``, ``after``:
    the templates of claims before the patch, and after the patches of templates that follow it in its file.
    ``workloads``: for a patch of a template, the other objects of the kustomization. ``too_much``: ``why`` is
    a limit of the patches of the repository.
    """

    objects: tuple[Object, ...] = ()
    why: Message | None = None
    targeted: bool = False
    before: ClaimTemplates = ClaimTemplates()
    after: ClaimTemplates = ClaimTemplates()
    workloads: tuple[Object, ...] = ()
    too_much: bool = False


class PatchPlace(NamedTuple):
    """Where a patch is: its file, the number of its document, and for a patch in a string of a kustomization
    the character where the string begins.

    Without a number it is the whole of a file that cannot be read.
    """

    file: str
    document: int = -1
    start: int = -1


@dataclass(slots=True, eq=False)
class Built:
    """The objects that the kustomization of a folder builds.

    ``hits``: the matches of each patch, by its place. ``unread``: why not all of the build is known;
    ``elsewhere``: the first entry that is a URL or is not found; ``too_much``: the limit of the patches of
    the repository that is exceeded; ``refused``: why kustomize builds nothing. ``others``: the objects
    without pods. ``texts``: the patches and kustomizations that objects have parts of; ``unmatched_patches``:
    patches whose object is not there; ``below``: the builds that this one includes.
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
    objects_by_name: ObjectsByName = field(default_factory=ObjectsByName)
    _templates: ClaimTemplates | None = None

    def templates(self) -> ClaimTemplates:
        """The templates of claims at this point of the build."""
        if self._templates is None:
            self._templates = ClaimTemplates(obj for obj in self.objects if obj.is_template)
        return self._templates

    def identities(self) -> Iterator[Identity]:
        """The identities of all objects."""
        yield from (obj.identity for obj in self.objects if is_own(obj.path))
        yield from self.others

    def forget_templates(self) -> None:
        """Forget the templates: objects were added, or templates have changed."""
        self._templates = None

    def add_matches(self, matches: list[tuple[PatchPlace, PatchMatch]], after: ClaimTemplates) -> None:
        """Add the matches of patches, with the templates after these, and empty ``matches``."""
        for place, match in matches:
            self.hits.setdefault(place, []).append(match._replace(after=after))
        matches.clear()

    def drop_deleted(self, numbers: Iterable[int]) -> None:
        """Remove those of some objects that a patch has deleted as a whole: later patches do not find
        them."""
        if not all(self.objects[number].root.entries for number in numbers):
            self.objects[:] = [obj for obj in self.objects if obj.root.entries]
            self.objects_by_name.forget()

    def mark_unknown(self, why: Message, *, unclear: bool = False) -> None:
        """Mark all objects as unknown from here on. ``unclear``: a patch that cannot be read is the
        reason."""
        more = why if unclear else None
        self.objects[:] = (
            obj._replace(unknown=obj.unknown or why, unclear=obj.unclear or more) for obj in self.objects
        )
        self.forget_templates()


class Tree:
    """The kustomizations of one repository, each read and built once."""

    def __init__(self, root: str, texts: Map[str, bytes] = MappingProxyType({})) -> None:
        """``root``: the folder of the repository. ``texts``: the future bytes of files, by real path."""
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
        """The build of the kustomization of a folder. Raises nothing: the result says what is not known."""
        if folder not in self._built:
            result = Built(folder)
            try:
                self._build(result, folder)
            except UnknownError as error:
                result.unread = error.message
                result.too_much = error.message if isinstance(error, TooMuchWorkError) else None
                result.refused = error if isinstance(error, RefusedError) else result.refused
                result.mark_unknown(error.message)
            self._built[folder] = result
        return self._built[folder]

    def users(self, folder: str) -> list[str]:
        """The folder itself, or for a component the folders of all kustomizations that include it, sorted.

        Raises UnknownError.
        """
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
        """Whether the ``configurations`` of a kustomization say which fields name objects of a kind, so that
        kustomize renames these references too."""
        paths = (self._local(folder, entry) for entry in items_in(kustomization_in(folder), "configurations"))
        read = [document for path in paths if path is not None for document in self._documents(path)]
        rows = (row for document in read for row in items_in(document.root, "nameReference"))
        return any(get_text(row, "kind") == kind for row in rows)

    def _including(self) -> dict[str, list[str]]:
        """By component the folders of the kustomizations that include it. Raises UnknownError."""
        if self._includers is None:
            by_folder: dict[str, list[str]] = {}
            for number, (folder, names, _) in enumerate(os.walk(self._root)):
                if number > limits.MAX_BASE_FILES:
                    raise UnknownError(MANY_FOLDERS)
                names[:] = sorted(name for name in names if name not in SKIPPED and not name.startswith("."))
                for node in items_in(kustomization_in(folder), "components"):
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
        """The kustomization of a folder, with its future text where there is one."""
        names = (os.path.join(folder, name) for name in KUSTOMIZATIONS) if self._texts else ()
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
        for entry in items_in(root, "patchesStrategicMerge"):
            _check_file(document, folder, entry)
            self._patch(result, folder, entry, None, None)
        for entry in items_in(root, "patches"):
            self._patch_entry(result, folder, entry, document)
        self._work.charge_changes(result.objects, times=len(items_in(root, "labels")) - 1)
        rename(result.objects, result.others, root)
        if changed_names(root) and not self.follows(folder, TEMPLATE):
            result.objects[:] = (
                obj._replace(unclear=obj.unclear or RENAMED) if obj.is_template else obj
                for obj in result.objects
            )
        stamp(result.objects, root)
        result.objects_by_name.forget()
        result.forget_templates()
        for entry in items_in(root, "patchesJson6902"):
            self._patch_entry(result, folder, entry, document)
        if not result.unread:
            check_replicas(document, result.identities(), SCALED_KINDS)
        scale(result.objects, root)
        if get(root, "vars") is not None:
            result.objects[:] = map(with_variables, result.objects)
        for name in ALTERS:
            if get(root, name) is not None:
                why = msg("{field} in {folder} is not read", field=name, folder=self._name(folder))
                result.mark_unknown(
                    why, unclear=name in ("transformers", "openapi") or _replaces_keys(root, name)
                )

    def _gather(self, result: Built, folder: str, host: Document) -> None:
        """Add the objects of the resources of a kustomization, and apply its components."""
        root = host.root
        check_fields(host, folder)
        seen: set[tuple[str, ...]] = set()
        check_once(host, root, seen, result.identities())
        for entry in (*items_in(root, "resources"), *items_in(root, "bases")):
            check_once(host, entry, seen, self._resource(result, folder, entry, host))
        result.others += _generated(root)
        generator = next((name for name in GENERATES if get(root, name) is not None), None)
        if generator:
            result.unread = msg("{field} in {folder} is not read", field=generator, folder=self._name(folder))
        for entry in items_in(root, "components"):
            path = self._local(folder, entry)
            if path is None or not os.path.isdir(path):
                raise UnknownError(_not_local(entry))
            if path in self._pending:
                raise RefusedError(host, entry, _CYCLE)
            check_kind(host, entry, kustomization_in(path), COMPONENT)
            self._work.charge_comparisons(len(result.objects))
            self._build(result, path)

    def _name(self, folder: str) -> str:
        return os.path.relpath(folder, self._root)

    def _resource(self, result: Built, folder: str, entry: Node, host: Document) -> list[Identity]:
        """Add the objects of an entry of ``host``, and return the identities of all of them."""
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
            self._work.charge_comparisons(len(below.objects))
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
                    added += (obj.identity for obj in objects if is_own(obj.path))
                    added += others
            except UnknownError as error:
                result.unread = error.message
        result.forget_templates()
        if max(len(result.objects), len(result.others)) > limits.MAX_ENTRIES:
            result.objects.clear()
            raise UnknownError(msg("the kustomization has too many objects"))
        return added

    def _local(self, folder: str, entry: Node) -> str | None:
        """The path of a file or folder in the repository; None for a URL, and for links that lead
        elsewhere."""
        text = entry.text if isinstance(entry, Scalar) else ""
        if not text or "\0" in text or "\n" in text or os.path.isabs(text):
            return None
        path = os.path.normpath(os.path.join(folder, text))
        straight = os.path.normpath(os.path.join(os.path.realpath(folder), text))
        if not os.path.exists(path) or (
            os.path.realpath(path) != straight and not is_inside(path, self._root)
        ):
            return None
        return path

    def _documents(self, path: str) -> list[Document]:
        """The documents of a file. Raises UnknownError, also where the files exceed a limit."""
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

    def _patch_entry(self, result: Built, folder: str, entry: Node, host: Document) -> None:
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
        _check_file(host, folder, path)
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
        """Apply one patch entry; where it cannot be read, the objects that it may change are unknown."""
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
            matches = None if target is None else compile_target(target)
            if get_text(options, "allowKindChange") == "true":
                raise UnknownError(msg("{field} of its patch is not read", field="allowKindChange"))
        except UnknownError as error:
            result.mark_unknown(error.message, unclear=True)
            if isinstance(path, Scalar):
                place = PatchPlace(os.path.normpath(os.path.join(folder, path.text)))
            result.hits.setdefault(place, []).append(PatchMatch(why=error.message))
            return
        workload_and_templates: list[
            tuple[PatchPlace, PatchMatch]
        ] = []  # the last document of a workload, and the templates behind it
        for part in pieces_of_text:
            document = part.document
            numbers = result.objects_by_name.numbers(result.objects, document, target)
            self._work.charge_comparisons(len(numbers))
            test = matches or named_by(document)
            chosen = [number for number in numbers if test(result.objects[number].identity)]
            why = result.unread if matches is not None else None
            if not chosen:
                why = result.unread or NOT_THERE
                self._work.charge_comparisons(len(result.others) if matches is None else 0)
                result.unmatched_patches += (
                    [part] if matches is None and not any(map(test, result.others)) else []
                )
            patched = tuple(result.objects[number] for number in chosen)
            size, width = count_nodes(document.root)
            self._work.charge_changes(patched, size, width if is_operations(document) else 0)
            before = result.templates()
            others: tuple[Object, ...] = ()
            if any(obj.is_template for obj in patched):
                self._work.charge_comparisons(len(result.objects))
                others = tuple(obj for obj in result.objects if not obj.is_template)
                result.forget_templates()
            else:
                result.add_matches(workload_and_templates, before)
            hit = PatchMatch(patched, why, matches is not None, before, workloads=others)
            workload_and_templates.append((place._replace(document=document.index), hit))
            for number in chosen:
                obj = patch_object(
                    result.objects[number],
                    document,
                    targeted=matches is not None,
                    renames=get_text(options, "allowNameChange") == "true",
                )
                size, width = count_nodes(obj.root)
                pieces = (*obj.pieces, part)
                if obj.identity.names != result.objects[number].identity.names:
                    result.objects_by_name.forget()
                result.objects[number] = obj._replace(size=size, width=width, pieces=pieces)
            result.drop_deleted(chosen)
        result.add_matches(workload_and_templates, result.templates())


def _generated(root: Node | None) -> Iterator[Identity]:
    """The identities of the ConfigMaps and Secrets that a kustomization generates."""
    for name, kind in (("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")):
        for node in items_in(root, name):
            names = ((get_text(node, "name") or "", get_text(node, "namespace") or ""),)
            yield Identity("", "v1", kind, names, {}, {})


_KEYS_OF_PODS = regex(
    r"(?:^|[./])(?:resources|limits|requests|annotations|labels|nodeSelector|affinity|schedulerName"
    r"|resourceClaims|env)(?:[./\[]|$)|(?:^|\.)(?:spec|template|metadata|containers(?:\.[^.]*|\.\[[^\]]*\])?)$"
)
"""Matches field paths of the GPU keys of a pod, and of mappings that have such keys."""


def _replaces_keys(root: Node | None, name: str) -> bool:
    """Whether the ``replacements`` of a kustomization may write GPU keys; those in files are not read."""
    if name != "replacements":
        return False
    rows = items_in(root, name)
    targets = [target for row in rows for target in items_in(row, "targets")]
    paths = [path for target in targets for path in items_in(target, "fieldPaths")]
    return any(get(row, "path") is not None for row in rows) or any(
        isinstance(path, Scalar) and _KEYS_OF_PODS.search(path.text) for path in paths
    )


def _documents_in(text: str) -> list[Document]:
    try:
        return [document for document in documents(Source("patch", text)) if document.root is not None]
    except NotYamlError:
        raise UnknownError(msg("a patch in the kustomization cannot be read")) from None


_REMOTE = regex(r"://|^git@|^[\w.-]+\.[a-z]{2,}/|\?ref=")
"""Matches an entry of ``resources`` that kustomize downloads."""


def _is_missing(folder: str, entry: Node) -> bool:
    """Whether an entry is a path of a file or folder that does not exist: kustomize refuses it."""
    text = entry.text if isinstance(entry, Scalar) else ""
    if not text or "\0" in text or "\n" in text or _REMOTE.search(text):
        return False
    return not os.path.lexists(os.path.join(folder, text))


def _check_file(host: Document, folder: str, path: Node | None) -> None:
    """Raise RefusedError where the file of a patch does not exist."""
    if path is not None and not is_text(path) and _is_missing(folder, path):
        raise RefusedError(host, path, _not_local(path))


def _not_local(entry: Node | None) -> Message:
    text = entry.text if isinstance(entry, Scalar) else ""
    return msg("{name} is not a file or folder here", name=limits.cut(text, limits.MAX_NAME))


@cached(16)
def load_tree(folder: str) -> Tree:
    """The kustomizations of a repository by its folder."""
    return Tree(folder)


def root_of(folder: str) -> str:
    """The folder to search for kustomizations that include one: its repository, else the working folder."""
    root_of_repository = repository_of(folder)
    if os.path.exists(os.path.join(root_of_repository, ".git")):
        return root_of_repository
    working_folder = os.getcwd()
    return working_folder if is_inside(folder, working_folder) else root_of_repository


RENAMED = msg("a kustomization renames its object, and kustomize does not rename what names a template")
