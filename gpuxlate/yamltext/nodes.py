"""The tree of one document: scalars, mappings, sequences and aliases with character positions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from yaml.error import Mark
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, ScalarEvent

from gpuxlate.model.declarations import record, regex
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.pod import ScalarKind


class Node:
    """A node of a document, from character ``start`` up to ``end`` of the source text.

    It keeps the event or node of the parser, since most positions are never needed.
    """

    __slots__ = ("_read",)

    _read: Any

    @property
    def start(self) -> int:
        """Index of its first character in the source text."""
        index: int = self._read.start_mark.index
        return index

    @property
    def end(self) -> int:
        """Index behind its last character in the source text."""
        index: int = self._read.end_mark.index
        return index

    @property
    def anchor(self) -> str | None:
        """The name of its anchor, without ``&``; None without one."""
        name: str | None = getattr(self._read, "anchor", None)  # nodes that libyaml composed have none
        return name

    @property
    def tag(self) -> str | None:
        """Its tag as the parser gives it; None without one."""
        tag: str | None = self._read.tag
        return tag or None

    @property
    def marks(self) -> tuple[str | None, str | None]:
        """The anchor and the tag of the node."""
        read = self._read
        return getattr(read, "anchor", None), read.tag or None


_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = frozenset(
    f(word) for word in ("true", "false", "yes", "no", "on", "off") for f in (str.lower, str.title, str.upper)
)
_INT = regex(r"[-+]?(0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]+|[0-9][0-9_]*)")
_FLOAT = regex(
    r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)


def resolve_plain(text: str) -> ScalarKind:
    """What a plain scalar resolves to in Kubernetes: Go's YAML, which is 1.1 with the octals of 1.2."""
    if text in _NULL:
        return ScalarKind.NULL
    if text in _BOOL:
        return ScalarKind.BOOL
    if text[0] not in "+-.0123456789":
        return ScalarKind.STR
    if _INT.fullmatch(text):
        return ScalarKind.INT
    return ScalarKind.FLOAT if _FLOAT.fullmatch(text) else ScalarKind.STR


class Scalar(Node):
    """A scalar: ``text`` without quotes, ``style`` one of None (plain), ' " | >."""

    __slots__ = ("_own_end", "style", "text")

    def __init__(self, event: ScalarEvent) -> None:
        self._read = event
        self.text: str = event.value
        self.style: str | None = event.style or None

    @classmethod
    def at(cls, start: int, end: int, text: str) -> Scalar:
        """A plain scalar at these characters."""
        return cls(ScalarEvent(None, None, (True, False), text, _mark(start), _mark(end)))

    def ends_in(self, text: str) -> None:
        """Set where a block scalar of a source ends: what was read includes the blank lines below.

        With ``+`` in its header the blank lines are content, and only the last line break is not.
        """
        start, end = self._read.start_mark.index, self._read.end_mark.index
        header_end = text.find("\n", start, end)
        if "+" in text[start : header_end if header_end >= 0 else end].partition("#")[0]:
            last = end - 1 if text[end - 1] in "\r\n" else end
            self._own_end: int = last - 1 if text[last - 1 : last + 1] == "\r\n" else last
        else:
            self._own_end = start + len(text[start:end].rstrip(" \t\r\n"))

    @property
    def end(self) -> int:
        if self.style is not None and self.style in "|>":
            return self._own_end
        index: int = self._read.end_mark.index
        return index

    @property
    def kind(self) -> ScalarKind:
        """What the scalar resolves to."""
        if self.style or ((tag := self._read.tag) and tag.endswith(":str")):
            return ScalarKind.STR
        return resolve_plain(self.text)

    @property
    def empty(self) -> bool:
        """No character is written, as for the value of ``limits:``."""
        return self.style is None and not self.text


def _mark(index: int) -> Mark:
    return Mark("", index, 0, 0, None, 0)


class Collection(Node):
    """A mapping or a sequence; ``flow``: written in braces or brackets."""

    __slots__ = ("_entry_numbers",)

    _entry_numbers: dict[Node, int]

    def __init__(self, start: int, anchor: str | None, tag: str | None, flow: bool) -> None:
        self.begin(CollectionStartEvent(anchor, tag, False, _mark(start), _mark(start), flow))

    def begin(self, event: CollectionStartEvent) -> None:
        """Set where it begins; it is empty then."""
        self._read = event

    def close(self, event: CollectionEndEvent) -> None:
        """Set where it ends."""
        self._read.end_mark = event.end_mark

    @property
    def flow(self) -> bool:
        """Whether it is written in braces or brackets."""
        return bool(self._read.flow_style)

    def entry(self, number: int) -> tuple[Node, Node]:
        """Key and value of an entry; of a list the item twice."""
        raise NotImplementedError

    @property
    def entry_nodes(self) -> list[Node]:
        """The keys, or the items."""
        raise NotImplementedError

    @property
    def entry_numbers(self) -> dict[Node, int]:
        """The number of each entry by its key or item. Computed once."""
        try:
            return self._entry_numbers
        except AttributeError:
            self._entry_numbers = {node: number for number, node in enumerate(self.entry_nodes)}
            return self._entry_numbers


class Mapping(Collection):
    """A mapping: its entries in their order, repeated keys included."""

    __slots__ = ("_entries_by_key", "_givers", "_resolved_entries", "entries")

    entries: list[tuple[Node, Node]]
    _resolved_entries: dict[str, tuple[Node, Node, Mapping]]
    _givers: dict[str, list[tuple[Node, Mapping | None]]]
    _entries_by_key: dict[str, tuple[Node, Node]] | None

    def begin(self, event: CollectionStartEvent) -> None:
        super().begin(event)
        self.entries = []

    def entry(self, number: int) -> tuple[Node, Node]:
        return self.entries[number]

    @property
    def entry_nodes(self) -> list[Node]:
        return [key for key, _ in self.entries]

    @property
    def sources_of(self) -> dict[str, list[tuple[Node, Mapping | None]]]:
        """By name the keys of its entries, overridden ones too, with the merged mapping that has each.
        None is this one, which must not hold itself in memory. Computed once."""
        try:
            return self._givers
        except AttributeError:
            self._givers = self._found_givers()
            return self._givers

    def _found_givers(self) -> dict[str, list[tuple[Node, Mapping | None]]]:
        givers: dict[str, list[tuple[Node, Mapping | None]]] = {}
        pending, visited = [self], {self}
        for owner in pending:
            for key_node, value in owner.entries:
                key = deref(key_node)
                if is_merge(key):
                    fresh = [mapping for mapping in _merged(value) if mapping not in visited]
                    visited.update(fresh)
                    pending += fresh
                elif isinstance(key, Scalar):
                    givers.setdefault(key.text, []).append((key_node, None if owner is self else owner))
        return givers

    @property
    def entries_by_key(self) -> dict[str, tuple[Node, Node]] | None:
        """Key and value by the text of the key, where that is all: no merge keys, no keys but scalars.

        Of a repeated key the last counts. Computed once, when the mapping is complete.
        """
        try:
            return self._entries_by_key
        except AttributeError:
            self._entries_by_key = self._indexed()
            return self._entries_by_key

    def _indexed(self) -> dict[str, tuple[Node, Node]] | None:
        entries: dict[str, tuple[Node, Node]] = {}
        for entry in self.entries:
            key = entry[0]
            if not isinstance(key, Scalar) or (key.text == MERGE and key.style is None):
                return None
            entries[key.text] = entry
        return entries

    @property
    def resolved_entries(self) -> dict[str, tuple[Node, Node, Mapping]]:
        """``entries_of`` by name, for a mapping that is not plain. Computed once."""
        try:
            return self._resolved_entries
        except AttributeError:
            self._resolved_entries = {
                name: (key, value, owner) for name, key, value, owner in entries_of(self)
            }
            return self._resolved_entries


class Sequence(Collection):
    """A sequence."""

    __slots__ = ("items",)

    items: list[Node]

    def begin(self, event: CollectionStartEvent) -> None:
        super().begin(event)
        self.items = []

    def entry(self, number: int) -> tuple[Node, Node]:
        return self.items[number], self.items[number]

    @property
    def entry_nodes(self) -> list[Node]:
        return self.items


class Alias(Node):
    """``*name``: another use of the node ``target``."""

    __slots__ = ("target",)

    def __init__(self, event: AliasEvent, target: Node) -> None:
        self._read = event
        self.target = target

    @property
    def tag(self) -> str | None:
        return None

    @property
    def marks(self) -> tuple[str | None, str | None]:
        return self.anchor, None


MERGE = "<<"
_PROPERTIES = regex(r"(?:(?:!<[^>\s]*>|[&!][^\s,\[\]{}]*)(?:\s+(?:#[^\r\n]*)?)*)*")


def body_start(text: str, node: Node) -> int:
    """Where a node begins after its anchor and tag."""
    if isinstance(node, Alias) or not (node.anchor or node.tag):
        return node.start
    match = _PROPERTIES.match(text, node.start, max(node.end, node.start))
    return match.end() if match else node.start


def is_merge(key: Node) -> bool:
    """The key is a merge key: ``<<`` without quotes."""
    return isinstance(key, Scalar) and key.style is None and key.text == MERGE


def deref(node: Node) -> Node:
    """The node itself, or the target of an alias."""
    while isinstance(node, Alias):
        node = node.target
    return node


def entries_of(mapping: Mapping) -> Iterator[tuple[str, Node, Node, Mapping]]:
    """Key text, key node, value node and owning mapping of each entry that counts in a mapping.

    Merge keys are followed: entries of the mapping itself come first and override merged ones. Of
    a repeated key the last counts, as for the API server.
    """
    plain = mapping.entries_by_key
    if plain is not None:
        for name, (key_node, value) in plain.items():
            yield name, key_node, value, mapping
        return
    seen: set[str] = set()
    pending, visited = [mapping], {mapping}
    while pending:
        owner = pending.pop(0)
        entries: dict[str, tuple[Node, Node]] = {}
        for key_node, value in owner.entries:
            key = deref(key_node)
            if not isinstance(key, Scalar):
                continue
            if is_merge(key):
                for merged in _merged(value):
                    if merged not in visited:
                        visited.add(merged)
                        pending.append(merged)
            else:
                entries[key.text] = (key_node, value)
        for name, (key_node, value) in entries.items():
            if name not in seen:
                seen.add(name)
                yield name, key_node, value, owner


def children(node: Node) -> list[Node]:
    """The nodes directly below a node, keys included; the target of an alias is not below it."""
    if isinstance(node, Mapping):
        return [part for entry in node.entries for part in entry]
    return list(node.items) if isinstance(node, Sequence) else []


def walk(roots: Iterable[Node]) -> Iterator[Node]:
    """These nodes and all below them, keys included, in no order; what an alias names is not below it."""
    pending = [*roots]
    while pending:
        node = pending.pop()
        yield node
        pending += children(node)


def _merged(value: Node) -> list[Mapping]:
    """The mappings that the value of a merge key names."""
    sources = deref(value)
    named = map(deref, sources.items if isinstance(sources, Sequence) else [sources])
    return [node for node in named if isinstance(node, Mapping)]


def entry_of(mapping: Mapping, name: str | int) -> tuple[Node, Node, Mapping] | None:
    """Key node, value node and owning mapping of one entry, found as by ``entries_of``."""
    plain = mapping.entries_by_key
    if plain is not None:
        entry = plain.get(name) if isinstance(name, str) else None
        return None if entry is None else (*entry, mapping)
    return mapping.resolved_entries.get(name) if isinstance(name, str) else None


def fields(node: Node | None) -> dict[str, Node]:
    """The values of a mapping by their keys, as ``entries_of`` finds them; aliases are followed."""
    if type(node) is not Mapping:
        return {}
    try:
        plain = node._entries_by_key
    except AttributeError:
        plain = node.entries_by_key
    if plain is None:
        return {name: deref(value) for name, _, value, _ in entries_of(node)}
    return {name: deref(value) if type(value) is Alias else value for name, (_, value) in plain.items()}


def collections_in(mapping: Mapping) -> list[tuple[str, Node]]:
    """The entries of a mapping whose values are no scalars, as ``entries_of`` finds them."""
    plain = mapping.entries_by_key
    if plain is None:
        return [(name, value) for name, _, value, _ in entries_of(mapping) if type(value) is not Scalar]
    return [(name, value) for name, (_, value) in plain.items() if type(value) is not Scalar]


def get(node: Node | None, *path: str | int) -> Node | None:
    """The node at a path below ``node``, None where there is none."""
    for step in path:
        if type(node) is Alias:
            node = deref(node)
        if type(node) is Mapping:
            try:
                plain = node._entries_by_key  # the property costs as much as all else here
            except AttributeError:
                plain = node.entries_by_key
            # keys are strings: an index finds nothing
            entry = entry_of(node, step) if plain is None else plain.get(step)  # type: ignore[arg-type]
            if entry is None:
                return None
            node = entry[1]
        elif type(node) is Sequence and isinstance(step, int) and 0 <= step < len(node.items):
            node = node.items[step]
        else:
            return None
    return deref(node) if type(node) is Alias else node


def get_text(node: Node | None, *path: str | int) -> str | None:
    """The text of the scalar at a path, None where there is none."""
    value = get(node, *path)
    return value.text if type(value) is Scalar else None


def content_end(node: Node) -> int:
    """Where the content of a node ends. The end mark of a block collection is after it."""
    while True:
        if isinstance(node, Mapping) and not node.flow and node.entries:
            key, value = node.entries[-1]
            if isinstance(value, Scalar) and value.empty and value.anchor is None and value.tag is None:
                return key.end
            node = value
        elif isinstance(node, Sequence) and not node.flow and node.items:
            node = node.items[-1]
        else:
            return node.end


# What anchors, aliases and merge keys share: how many paths lead to an entry.
_MAX_CLIMB = 512
"""Longer chains of aliases within aliases are refused."""


class SharingError(ValueError):
    """The aliases of a document are nested too deeply to follow."""


@record
class NodeUse:
    """One use of a node: an entry of a mapping (``entry_node`` is its key) or an item."""

    holder: Mapping | Sequence
    entry_node: Node
    step: str | int
    written: Node  # the node itself, or the alias
    merged: bool = False


class AnchorUses:
    """The uses of each node of a document, aliases included."""

    def __init__(self, root: Node | None) -> None:
        self.root = root
        self.uses: dict[Node, list[NodeUse]] = defaultdict(list)
        self._ways: dict[tuple[Node, str | int], int] = {}
        pending: list[Node] = [root] if root is not None else []
        while pending:
            node = pending.pop()
            for use in _uses_in(node):
                self.uses[deref(use.written)].append(use)
            pending.extend(_values_of(node))

    def shared(self, node: Node) -> bool:
        """Whether the node has more than one use."""
        return len(self.uses[node]) > 1

    def ways(self, holder: Mapping | Sequence, step: str | int, climbed: int = 0) -> int:
        """How many paths lead to one entry. Raises SharingError."""
        if climbed > _MAX_CLIMB:
            raise SharingError
        spot = (holder, step)
        if spot not in self._ways:
            total = 1 if holder is self.root else 0
            for use in self.uses[holder]:
                if not use.merged:
                    total += self.ways(use.holder, use.step, climbed + 1)
                elif isinstance(use.holder, Mapping) and _visible(use.holder, step, holder):
                    total += self.ways(use.holder, step, climbed + 1)
            self._ways[spot] = total
        return self._ways[spot]


def _uses_in(node: Node) -> Iterator[NodeUse]:
    if isinstance(node, Mapping):
        for key, value in node.entries:
            merged = is_merge(key)
            step = key_text(key)
            yield NodeUse(node, key, step, value, merged)
            sources = deref(value)
            if merged and isinstance(sources, Sequence):
                yield from (NodeUse(node, key, step, item, True) for item in sources.items)
    elif isinstance(node, Sequence):
        yield from (NodeUse(node, item, n, item) for n, item in enumerate(node.items))


def _values_of(node: Node) -> list[Node]:
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
    entry_at: tuple[Mapping | Sequence, Node] | None = None
    for step in path:
        target = deref(node)
        if isinstance(target, Mapping):
            entry = entry_of(target, step)
            if entry is None:
                return None
            entry_node, node, owner = entry
            entry_at = owner, entry_node
        elif isinstance(target, Sequence) and isinstance(step, int) and 0 <= step < len(target.items):
            node = target.items[step]
            entry_at = target, node
        else:
            return None
    return entry_at


class AnchorIndex:
    """Where each mapping and list of a document is written, whatever aliases lead to it."""

    def __init__(self, root: Node | None) -> None:
        self._root = root
        self._homes: dict[Node, Path] = {}
        pending: list[tuple[Path, Node]] = [((), root)] if root is not None else []
        while pending:
            path, node = pending.pop()
            if isinstance(node, Mapping):
                self._homes[node] = path
                pending += [((*path, key_text(key)), value) for key, value in node.entries]
            elif isinstance(node, Sequence):
                self._homes[node] = path
                pending += [((*path, number), item) for number, item in enumerate(node.items)]

    def of(self, path: Path) -> Path:
        """The same place without aliases and merge keys on the way."""
        node, home = self._root, path
        for depth, step in enumerate(path):
            target = deref(node) if node is not None else None
            owner: Node | None = target
            node = None
            if isinstance(target, Mapping):
                entry = entry_of(target, step)
                if entry is not None:
                    _, node, owner = entry
            elif isinstance(target, Sequence) and isinstance(step, int) and 0 <= step < len(target.items):
                node = target.items[step]
            if owner in self._homes:
                home = (*self._homes[owner], *path[depth:])
            if node is None:
                break
        return home
