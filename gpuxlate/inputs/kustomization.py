"""What kustomizations make of their objects, up to each patch: the base of that patch.

The order of things is that of kustomize 5: ``accumulateTarget`` and ``configureBuiltinTransformers`` in
``api/internal/target``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gpuxlate.inputs.bounded import content, inside, remembered, repository
from gpuxlate.inputs.exclude import SKIPPED
from gpuxlate.inputs.kustomize import Piece, kustomization_at, kustomization_in, listed
from gpuxlate.inputs.objects import Object, after_patch, measured, patchable_in, rename, scale, stamp
from gpuxlate.inputs.patch_work import Named, Templates, TooMuchWorkError, UnknownError, Work, named_by
from gpuxlate.inputs.selectors import SelectorError, selector
from gpuxlate.manifest.operations import is_operations
from gpuxlate.model import limits
from gpuxlate.model.messages import Message, say
from gpuxlate.yamltext.compose import Document, NotYamlError, documents
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, deref, entries_of, get, get_text
from gpuxlate.yamltext.source import DecodeError, Source

GENERATES = ("generators", "helmCharts", "helmChartInflationGenerator")
"""Fields by which a kustomization makes objects that are in no file."""
ALTERS = ("replacements", "transformers", "configurations", "openapi", "crds")
"""Fields by which it changes objects, or how they are merged, in ways that are not read here."""
_TOO_LARGE = say("what it patches is too large to be read")
NOT_THERE = say("what it patches is not in the kustomization")
_CYCLE = say("the kustomizations include one another")


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
    before: Templates = Templates()
    after: Templates = Templates()
    workloads: tuple[Object, ...] = ()
    too_much: bool = False


@dataclass(slots=True)
class Built:
    """What a kustomization makes. ``hits``: by file and document of a patch. ``unread``: there is more;
    ``too_much``: a limit of the patches of its repository. ``texts``: what it has parts of; ``lost``: patches
    of what is not there; ``below``: what it is built of.
    """

    objects: list[Object] = field(default_factory=list)
    hits: dict[tuple[str, int], list[Hit]] = field(default_factory=dict)
    unread: Message | None = None
    texts: list[Piece] = field(default_factory=list)
    lost: list[Piece] = field(default_factory=list)
    below: list[Built] = field(default_factory=list)
    too_much: Message | None = None
    named: Named = field(default_factory=Named)
    _templates: Templates | None = None

    def templates(self) -> Templates:
        """The templates of claims, as they are so far."""
        if self._templates is None:
            self._templates = Templates(one for one in self.objects if one.is_template)
        return self._templates

    def moved(self) -> None:
        """There are other objects, or templates that have changed."""
        self._templates = None

    def hit(self, file: str, said: list[tuple[int, Hit]], after: Templates) -> None:
        """Keep what documents of a patch are for, with the templates after them."""
        for index, one in said:
            self.hits.setdefault((file, index), []).append(one._replace(after=after))
        said.clear()

    def flag(self, why: Message, chosen: Sequence[int] | None = None) -> None:
        """These objects, or all, are not known from here on."""
        for number in range(len(self.objects)) if chosen is None else chosen:
            one = self.objects[number]
            self.objects[number] = one._replace(unknown=one.unknown or why)
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
            result = Built()
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
            data = content(path, limits.MAX_CONFIG_BYTES)
            self._bytes -= len(data)
            return [one for one in documents(Source.from_bytes(path, data)) if one.root is not None]
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
        except (UnknownError, SelectorError) as error:
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
