"""What kustomize builds in a run: which kustomizations are builds of their own, and what they are made of."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpuxlate.inputs.files import Input
from gpuxlate.model.limits import MAX_BASE_FILES
from gpuxlate.model.messages import Message
from gpuxlate.overlays.kustomization import NAMES, Piece, kustomization_in, listed, patches_of
from gpuxlate.overlays.kustomize import Built, Object, root_of, tree
from gpuxlate.yamltext.nodes import Scalar

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


class Build(NamedTuple):
    """What a kustomization builds. ``texts``: what the objects have parts of beside their own documents.

    ``lost``: patches of what is not there. ``unread``: why there is more.
    """

    folder: str
    objects: tuple[Object, ...]
    texts: tuple[Piece, ...]
    lost: tuple[Piece, ...]
    unread: Message | None


def build(folder: str) -> Build:
    """What the kustomization of a folder builds. Only files are read: nothing is raised for their content."""
    made = tree(root_of(folder)).built(folder)
    every = list(_below(made))
    return Build(
        folder,
        tuple(_apart(made.objects)),
        tuple(text for one in every for text in one.texts),
        tuple(text for one in every for text in one.lost),
        made.unread,
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
