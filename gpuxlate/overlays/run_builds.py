"""The builds of a run: the kustomizations that no other one uses, what they build, and where that is
written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Map
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from gpuxlate.files.find import SKIPPED, Input
from gpuxlate.files.relevance import might_have_gpu_keys
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.limits import MAX_BASE_FILES
from gpuxlate.model.messages import msg
from gpuxlate.overlays.built_objects import LOCAL, Object
from gpuxlate.overlays.inline import InlinePatch
from gpuxlate.overlays.kustomization import KUSTOMIZATIONS, Piece, items_in, kustomization_in, patches_of
from gpuxlate.overlays.kustomize import MANY_FOLDERS, NOT_THERE, Built, Tree, load_tree, root_of
from gpuxlate.overlays.kustomize_errors import RefusedError
from gpuxlate.overlays.patch_targets import UnknownError
from gpuxlate.yamltext.nodes import Alias, Mapping, Node, Scalar, get_text
from gpuxlate.yamltext.nodes import Sequence as List
from gpuxlate.yamltext.parse import Document, node_at, with_location
from gpuxlate.yamltext.source import Source

_BELOW = ("resources", "bases", "components")


@record
class Builds:
    """The builds of a run.

    ``roots``: the folders of kustomizations that no other one of the run uses. ``used``: the real paths of
    all files that they are built of, kustomizations included. ``names``: by real path the name of a file in
    the run. ``relative``: these names are relative to the working folder.
    """

    roots: tuple[str, ...]
    used: frozenset[str]
    names: dict[str, str]
    relative: bool

    def uses(self, file: Input) -> bool:
        """Whether a file is a part of a build, so that its shares are counted there."""
        return file.path is not None and os.path.realpath(file.path) in self.used

    def name(self, path: str) -> str:
        """The name of a file or folder of a build, in the form that the run uses."""
        name_in_run = self.names.get(os.path.realpath(path))
        return name_in_run or (os.path.relpath(path) if self.relative else path)


def builds_of(folders: Sequence[str], files: Iterable[Input]) -> Builds:
    """The builds of a run with kustomizations in these folders."""
    uses: dict[str, _Uses] = {}
    inner: dict[str, None] = {}
    for folder in folders:
        for path in _uses(folder, uses).folders:
            _visit(path, uses, inner)
    roots: list[str] = []
    seen: dict[str, None] = {}
    # kustomizations that no root reaches include one another
    for folder in (*(folder for folder in folders if folder not in inner), *folders):
        if folder not in seen:
            roots.append(folder)
            _visit(folder, uses, seen)
    used = {os.path.realpath(path) for folder in seen for path in uses[folder].files}
    names = {os.path.realpath(file.path): file.name for file in files if file.path is not None}
    return Builds(tuple(roots), frozenset(used), names, not any(map(os.path.isabs, names.values())))


class _Uses(NamedTuple):
    """The folders and files that a kustomization names, itself included."""

    folders: tuple[str, ...]
    files: tuple[str, ...]


def _uses(folder: str, by_folder: dict[str, _Uses]) -> _Uses:
    if folder not in by_folder:
        root = kustomization_in(folder)
        named = (node.text for name in _BELOW for node in items_in(root, name) if isinstance(node, Scalar))
        paths = [os.path.normpath(os.path.join(folder, text)) for text in named if "\0" not in text]
        folders = tuple(path for path in paths if kustomization_in(path) is not None)
        kustomizations = (os.path.join(folder, name) for name in KUSTOMIZATIONS)
        by_folder[folder] = _Uses(folders, (*kustomizations, *patches_of(folder), *paths))
    return by_folder[folder]


def _visit(folder: str, uses: dict[str, _Uses], seen: dict[str, None]) -> None:
    """Add a folder and all that it uses."""
    pending = [folder]
    while pending:
        path = pending.pop()
        if path not in seen and len(seen) < MAX_BASE_FILES:
            seen[path] = None
            pending += _uses(path, uses).folders


# --- what one of them builds ------------------------------------------------------------------------
def build(folder: str, texts: Map[str, bytes] | None = None) -> Built:
    """The build of the kustomization of a folder, with the texts of all builds that it includes.

    ``texts``: the future bytes of files, by real path. Raises nothing for the content of files.
    """
    root = root_of(folder)
    built = (load_tree(root) if texts is None else Tree(root, texts)).built(folder)
    builds = list(_below(built))
    return Built(
        folder,
        [obj for obj in _apart(built.objects) if obj.identity.annotations.get(LOCAL) != "true"],
        unread=built.unread,
        elsewhere=built.elsewhere,
        refused=built.refused,
        texts=[text for build in builds for text in build.texts],
        unmatched_patches=[text for build in builds for text in build.unmatched_patches],
    )


class WholeBuild(NamedTuple):
    """The build of a kustomization, and the real paths of all files that it is built of."""

    built: Built
    files: tuple[str, ...]

    def others(self) -> list[str]:
        """The folders of other kustomizations of the repository that use some of the files.

        Raises UnknownError.
        """
        uses: dict[str, _Uses] = {}
        below: dict[str, None] = {}
        _visit(self.built.folder, uses, below)
        given_files, roots = set(self.files), []
        for number, (folder, names, _) in enumerate(os.walk(root_of(self.built.folder))):
            if number > MAX_BASE_FILES:
                raise UnknownError(MANY_FOLDERS)
            names[:] = sorted(name for name in names if name not in SKIPPED and not name.startswith("."))
            if folder not in below and kustomization_in(folder) is not None:
                seen: dict[str, None] = {}
                _visit(folder, uses, seen)
                if any(
                    os.path.realpath(path) in given_files for folder in seen for path in uses[folder].files
                ):
                    roots.append(folder)
        return roots


def whole_build(folder: str) -> WholeBuild:
    """The build of the kustomization of a folder. Raises UnknownError where a part of it that can have GPU
    keys is not known."""
    folder = os.path.abspath(folder)
    built, builds = build(folder), builds_of([folder], ())
    if get_text(kustomization_in(folder), "kind") == "Component":
        raise UnknownError(msg("it is a component, a part of what other kustomizations build"))
    places = BuildPlaces(built, builds)
    unknown = next(
        (
            obj
            for obj in built.objects
            if obj.unknown
            and (places.patches_may_have_gpu_keys or might_have_gpu_keys(obj.document.text.encode()))
        ),
        None,
    )
    if built.refused:
        raise built.refused
    if built.unread or built.unmatched_patches or unknown:
        raise UnknownError(built.unread or (unknown and unknown.unknown) or NOT_THERE)
    return WholeBuild(built, tuple(sorted(path for path in builds.used if os.path.isfile(path))))


def _apart(objects: Iterable[Object]) -> Iterator[Object]:
    """The objects without those that another one carries: these are read with it."""
    above: Object | None = None
    for obj in objects:
        if above and obj.document is above.document and obj.path[: len(above.path)] == above.path != obj.path:
            continue
        above = obj
        yield obj


def _below(build: Built) -> Iterator[Built]:
    """A build and all builds that it includes, each once."""
    pending, seen = [build], {build}
    for built in pending:
        yield built
        below = [build for build in built.below if build not in seen]
        seen.update(below)
        pending += below


# --- places -----------------------------------------------------------------------------------------
@dataclass
class BuildPlaces:
    """Where the nodes of the objects of a build are written. ``sources``: the texts by file name."""

    built: Built
    builds: Builds
    sources: dict[str, Source] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        """The folder of the kustomization, in the form that the run uses."""
        return self.builds.name(self.built.folder)

    @cached_property
    def patches_may_have_gpu_keys(self) -> bool:
        """Whether a patch of the build may request GPUs."""
        return any(might_have_gpu_keys(piece.document.text.encode()) for piece in self.built.texts)

    @cached_property
    def _texts(self) -> dict[Node, Piece]:
        """The text of each node that comes from a patch or a kustomization, not from the object's
        document."""
        pieces: dict[Node, Piece] = {}
        pending = [(piece.document.root, piece) for piece in self.built.texts]
        while pending:
            node, text = pending.pop()
            if node is None or node in pieces:
                continue
            pieces[node] = text
            if isinstance(node, Mapping):
                pending += [(part, text) for entry in node.entries for part in entry]
            elif isinstance(node, List):
                pending += [(item, text) for item in node.items]
            elif isinstance(node, Alias):
                pending.append((node.target, text))
        return pieces

    def of(self, document: Document) -> Document:
        """A document under the name that its file has in the run."""
        name = self.builds.name(document.source.name)
        if name not in self.sources:
            self.sources[name] = Source(name, document.source.text)
        return replace(document, source=self.sources[name])

    def locate(self, finding: Diagnostic, obj: Object) -> Diagnostic:
        """A finding about a built object, moved to the file and the characters that have the value."""
        node, start, end = node_at(obj.root, finding.path, on_key=finding.on_key)
        if node is not obj.root and (first := _first_written(node)) is not node:
            node, start, end = first, first.start, first.end
        text = self._texts.get(node)
        if text is not None:
            return self.written(finding, text, (start, end))
        document = self.of(obj.document)
        if node is obj.root or end == 0:  # in no text
            at = with_location(document, replace(finding, path=obj.path, span=None))
            return replace(at, path=finding.path)
        return finding.located(span=document.source.span(start, end))

    def written(self, finding: Diagnostic, text: Piece, at: tuple[int, int]) -> Diagnostic:
        """A finding at some characters of a patch or a kustomization; ``at``: first and last, in its text."""
        host = self.of(text.host or text.document)
        span = text.document.source.span(*at)
        if isinstance(text.value, Scalar):
            span = InlinePatch(host, (), text.value).span(span)
        return finding.located(file=host.source.name, document=host.index, span=span)


def refused_at(finding: Diagnostic, error: RefusedError, places: BuildPlaces) -> Diagnostic:
    """A finding at the node that kustomize refuses."""
    return places.written(finding, Piece(error.document), error.at)


def _first_written(node: Node) -> Node:
    """The node, or the first one in it that has a place in a text: merged mappings and lists have none."""
    while isinstance(node, (Mapping, List)) and node.end == 0 and node.entry_nodes:
        node = node.entry_nodes[0]
    return node
