"""What anchors, aliases and merge keys share: how many paths lead to an entry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from gpuxlate.model.pod import Path
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, Sequence, deref, entry_of, is_merge

_MAX_CLIMB = 512
"""Longer chains of aliases within aliases are refused."""


class SharingError(ValueError):
    """The aliases of a document are nested too deeply to follow."""


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a node: an entry of a mapping (``handle`` is its key) or an item."""

    holder: Mapping | Sequence
    handle: Node
    step: str | int
    written: Node  # the node itself, or the alias
    merged: bool = False


class Sharing:
    """The uses of each node of a document, aliases included."""

    def __init__(self, root: Node | None) -> None:
        self.root = root
        self.uses: dict[int, list[Use]] = defaultdict(list)
        self._ways: dict[tuple[int, str | int], int] = {}
        pending: list[Node] = [root] if root is not None else []
        while pending:
            node = pending.pop()
            for use in _uses_in(node):
                self.uses[id(deref(use.written))].append(use)
            pending.extend(_children(node))

    def shared(self, node: Node) -> bool:
        """The node has more than one use."""
        return len(self.uses[id(node)]) > 1

    def ways(self, holder: Mapping | Sequence, step: str | int, climbed: int = 0) -> int:
        """How many paths lead to one entry. Raises SharingError."""
        if climbed > _MAX_CLIMB:
            raise SharingError
        spot = (id(holder), step)
        if spot not in self._ways:
            total = 1 if holder is self.root else 0
            for use in self.uses[id(holder)]:
                if not use.merged:
                    total += self.ways(use.holder, use.step, climbed + 1)
                elif isinstance(use.holder, Mapping) and _visible(use.holder, step, holder):
                    total += self.ways(use.holder, step, climbed + 1)
            self._ways[spot] = total
        return self._ways[spot]


def _uses_in(node: Node) -> Iterator[Use]:
    if isinstance(node, Mapping):
        for key, value in node.entries:
            merged = is_merge(key)
            step = key_text(key)
            yield Use(node, key, step, value, merged)
            sources = deref(value)
            if merged and isinstance(sources, Sequence):
                yield from (Use(node, key, step, item, True) for item in sources.items)
    elif isinstance(node, Sequence):
        yield from (Use(node, item, n, item) for n, item in enumerate(node.items))


def _children(node: Node) -> list[Node]:
    """The children of a node, without following aliases."""
    if isinstance(node, Mapping):
        return [value for _, value in node.entries]
    return node.items if isinstance(node, Sequence) else []


def key_text(key: Node) -> str:
    """The text of a key, empty for a key that is not a scalar."""
    key = deref(key)
    return key.text if isinstance(key, Scalar) else ""


def _visible(mapping: Mapping, step: str | int, merged: Mapping | Sequence) -> bool:
    """The merged mapping's entry at ``step`` counts in this mapping."""
    entry = entry_of(mapping, step)
    return entry is None or entry[2] is merged


def resolve(root: Node, path: Path) -> tuple[Mapping | Sequence, Node] | None:
    """The mapping or list where the entry at a path is written, and the entry's key or item."""
    node: Node = root
    found: tuple[Mapping | Sequence, Node] | None = None
    for step in path:
        here = deref(node)
        if isinstance(here, Mapping):
            entry = entry_of(here, step)
            if entry is None:
                return None
            handle, node, owner = entry
            found = owner, handle
        elif isinstance(here, Sequence) and isinstance(step, int) and 0 <= step < len(here.items):
            node = here.items[step]
            found = here, node
        else:
            return None
    return found


class Homes:
    """Where each mapping and list of a document is written, whatever aliases lead to it."""

    def __init__(self, root: Node | None) -> None:
        self._root = root
        self._homes: dict[int, Path] = {}
        pending: list[tuple[Path, Node]] = [((), root)] if root is not None else []
        while pending:
            path, node = pending.pop()
            if isinstance(node, Mapping):
                self._homes[id(node)] = path
                pending += [((*path, key_text(key)), value) for key, value in node.entries]
            elif isinstance(node, Sequence):
                self._homes[id(node)] = path
                pending += [((*path, number), item) for number, item in enumerate(node.items)]

    def of(self, path: Path) -> Path:
        """The same place without aliases and merge keys on the way."""
        node, home = self._root, path
        for depth, step in enumerate(path):
            here = deref(node) if node is not None else None
            owner: Node | None = here
            node = None
            if isinstance(here, Mapping):
                entry = entry_of(here, step)
                if entry is not None:
                    _, node, owner = entry
            elif isinstance(here, Sequence) and isinstance(step, int) and 0 <= step < len(here.items):
                node = here.items[step]
            if id(owner) in self._homes:
                home = (*self._homes[id(owner)], *path[depth:])
            if node is None:
                break
        return home
