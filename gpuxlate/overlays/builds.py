"""What kustomize builds in a run: which kustomizations are builds of their own, and what they are made of."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from gpuxlate.inputs.files import Input
from gpuxlate.inputs.relevance import may_matter
from gpuxlate.model.diagnostics import Diagnostic, Span
from gpuxlate.model.limits import MAX_BASE_FILES
from gpuxlate.overlays.kustomization import NAMES, Piece, kustomization_in, listed, patches_of
from gpuxlate.overlays.kustomize import Built, Object, root_of, tree
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Alias, Mapping, Node, Scalar
from gpuxlate.yamltext.nodes import Sequence as List
from gpuxlate.yamltext.place import node_at, placed
from gpuxlate.yamltext.source import Source

_BELOW = ("resources", "bases", "components")


@dataclass(frozen=True, slots=True)
class Builds:
    """The builds of a run.

    ``roots``: the folders of kustomizations that no other one of the run uses. ``used``: the files that they
    are made of, kustomizations included, and ``names``: the files of the run, by their real paths.
    ``relative``: those are named from here.
    """

    roots: tuple[str, ...]
    used: frozenset[str]
    names: dict[str, str]
    relative: bool

    def uses(self, one: Input) -> bool:
        """What the file requests is counted with what is built of it."""
        return one.path is not None and os.path.realpath(one.path) in self.used

    def name(self, path: str) -> str:
        """What to call a file or folder of a build: as the run does."""
        found = self.names.get(os.path.realpath(path))
        return found or (os.path.relpath(path) if self.relative else path)


def builds_of(folders: Sequence[str], given: Iterable[Input]) -> Builds:
    """The builds of a run with kustomizations in these folders."""
    uses: dict[str, _Uses] = {}
    inner: dict[str, None] = {}
    for folder in folders:
        for path in _uses(folder, uses).folders:
            _visit(path, uses, inner)
    roots: list[str] = []
    seen: dict[str, None] = {}
    # what none of the first ones reaches includes one another
    for one in (*(folder for folder in folders if folder not in inner), *folders):
        if one not in seen:
            roots.append(one)
            _visit(one, uses, seen)
    used = {os.path.realpath(path) for folder in seen for path in uses[folder].files}
    names = {os.path.realpath(one.path): one.name for one in given if one.path is not None}
    return Builds(tuple(roots), frozenset(used), names, not any(map(os.path.isabs, names.values())))


class _Uses(NamedTuple):
    """The folders and files that a kustomization names, itself included."""

    folders: tuple[str, ...]
    files: tuple[str, ...]


def _uses(folder: str, known: dict[str, _Uses]) -> _Uses:
    if folder not in known:
        root = kustomization_in(folder)
        named = (one.text for name in _BELOW for one in listed(root, name) if isinstance(one, Scalar))
        paths = [os.path.normpath(os.path.join(folder, text)) for text in named if "\0" not in text]
        folders = tuple(path for path in paths if kustomization_in(path) is not None)
        own = (os.path.join(folder, name) for name in NAMES)
        known[folder] = _Uses(folders, (*own, *patches_of(folder), *paths))
    return known[folder]


def _visit(folder: str, uses: dict[str, _Uses], seen: dict[str, None]) -> None:
    """Add a folder and all that it uses."""
    pending = [folder]
    while pending:
        one = pending.pop()
        if one not in seen and len(seen) < MAX_BASE_FILES:
            seen[one] = None
            pending += _uses(one, uses).folders


# --- what one of them builds ------------------------------------------------------------------------


def build(folder: str) -> Built:
    """What the kustomization of a folder builds, with the texts of all that it is built of.

    Only files are read: nothing is raised for their content.
    """
    made = tree(root_of(folder)).built(folder)
    every = list(_below(made))
    return Built(
        folder,
        list(_apart(made.objects)),
        unread=made.unread,
        texts=[text for one in every for text in one.texts],
        lost=[text for one in every for text in one.lost],
    )


def _apart(objects: Iterable[Object]) -> Iterator[Object]:
    """The objects without those that another one carries, which are read with it."""
    above: Object | None = None
    for one in objects:
        if above and one.document is above.document and one.path[: len(above.path)] == above.path != one.path:
            continue
        above = one
        yield one


def _below(made: Built) -> Iterator[Built]:
    """It and all that it is built of, each once."""
    pending, seen = [made], {id(made)}
    for one in pending:
        yield one
        below = [each for each in one.below if id(each) not in seen]
        seen.update(map(id, below))
        pending += below


# --- places -----------------------------------------------------------------------------------------


@dataclass
class BuildPlaces:
    """Where the nodes of the objects of a build are written. ``sources``: the texts, by name."""

    made: Built
    builds: Builds
    sources: dict[str, Source] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        return self.builds.name(self.made.folder)

    @cached_property
    def matter(self) -> bool:
        """A patch may have something that requests GPUs."""
        return any(may_matter(one.document.text.encode()) for one in self.made.texts)

    @cached_property
    def _texts(self) -> dict[int, Piece]:
        """The texts of all nodes that are not of an object's own document."""
        found: dict[int, Piece] = {}
        pending = [(one.document.root, one) for one in self.made.texts]
        while pending:
            node, text = pending.pop()
            if node is None or id(node) in found:
                continue
            found[id(node)] = text
            if isinstance(node, Mapping):
                pending += [(part, text) for entry in node.entries for part in entry]
            elif isinstance(node, List):
                pending += [(item, text) for item in node.items]
            elif isinstance(node, Alias):
                pending.append((node.target, text))
        return found

    def of(self, document: Document) -> Document:
        """A document of a file as the run calls it."""
        name = self.builds.name(document.source.name)
        if name not in self.sources:
            self.sources[name] = Source(name, document.source.text)
        return replace(document, source=self.sources[name])

    def found(self, found: Diagnostic, one: Object) -> Diagnostic:
        """A finding about a built object at the place where it is written."""
        node, start, end = node_at(one.root, found.path, on_key=found.on_key)
        if node is not one.root and (first := _first_written(node)) is not node:
            node, start, end = first, first.start, first.end
        text = self._texts.get(id(node))
        if text is not None:
            return self.written(found, text, (start, end))
        document = self.of(one.document)
        if node is one.root or end == 0:  # in no text
            at = placed(document, replace(found, path=one.path, span=None))
            return replace(at, path=found.path)
        return found.located(span=document.source.span(start, end))

    def written(self, found: Diagnostic, text: Piece, at: tuple[int, int]) -> Diagnostic:
        """A finding at some characters of a text."""
        host = self.of(text.host or text.document)
        span = text.document.source.span(*at)
        if isinstance(text.value, Scalar):
            span = _within(host.source, text.value, text.document.source, span)
        return found.located(file=host.source.name, document=host.index, span=span)


def _first_written(node: Node) -> Node:
    """The node, or the first one in it that is in a text: what is merged is in none."""
    while isinstance(node, (Mapping, List)) and node.end == 0 and node.handles:
        node = node.handles[0]
    return node


def _within(source: Source, value: Scalar, text: Source, span: Span) -> Span:
    """The place of characters in the text of a block scalar; else the line where that begins."""
    first, column = source.position(value.start)
    if value.style is None or value.style not in "|>":
        return Span(first, column, first, column)
    line = first + span.line
    before = source.line_text(line).find(text.line_text(span.line))
    if before < 0 or span.end_line != span.line:
        return Span(line, 1, line, 1)
    return Span(line, before + span.column, line, before + span.end_column)
