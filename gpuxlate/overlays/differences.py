"""The edits of a patch that make the translated base the translated patched object, found by comparing trees.

    new_base + patch = new_result     the differences of new_result and new_patched are the edits

The edited patch is applied to new_base again, and has to give new_patched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Mapping as Map
from dataclasses import dataclass
from typing import Any, NamedTuple

from gpuxlate.model.diagnostics import Append, Edit, Path, Put, Remove, Rename
from gpuxlate.model.keys import KeyRole
from gpuxlate.model.messages import msg
from gpuxlate.overlays.patches import CannotMergeError, is_null
from gpuxlate.yamltext.edit import edit_document
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, deref, entries_of, get
from gpuxlate.yamltext.nodes import Sequence as List
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.plain import dump_yaml, to_python
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import apply

_AMOUNTS = ("limits", "requests")
"""Mappings in which any new entry may replace any old entry in place: all are amounts of one share."""


def apply_edits(root: Node, edits: Iterable[Edit], kept: Iterable[Path] = ()) -> Node:
    """A tree after edits, parsed again. ``kept``: mappings that stay when they are empty. Raises
    EditError."""
    edits_of_base = list(edits)
    if not edits_of_base:
        return root
    document = next(documents(Source("", dump_yaml(to_python(root)))))
    text = apply(document.text, edit_document(document, edits_of_base, kept))
    first = next(iter(documents(Source("", text))), None)
    return root if first is None or first.root is None else first.root


def are_alike(node: Node | None, other: Node | None) -> bool:
    """Whether two trees set the same values; an empty mapping and null set nothing."""
    node, other = _non_empty(node), _non_empty(other)
    if node is None or other is None:
        return node is other
    if isinstance(node, Mapping) and isinstance(other, Mapping):
        entries, other_entries = _entries(node), _entries(other)
        return all(
            are_alike(entries.get(name), other_entries.get(name)) for name in {**entries, **other_entries}
        )
    if isinstance(node, List) and isinstance(other, List):
        return len(node.items) == len(other.items) and all(map(are_alike, node.items, other.items))
    return isinstance(node, Scalar) and isinstance(other, Scalar) and node.text == other.text


def _non_empty(node: Node | None) -> Node | None:
    node = deref(node) if node is not None else None
    if node is None or is_null(node):
        return None
    if isinstance(node, Mapping) and all(_non_empty(value) is None for value in _entries(node).values()):
        return None
    return node


def _entries(node: Node | None) -> dict[str, Node]:
    node = deref(node) if node is not None else None
    return {name: value for name, _, value, _ in entries_of(node)} if isinstance(node, Mapping) else {}


def _items(node: Node | None) -> list[Node]:
    node = deref(node) if node is not None else None
    return node.items if isinstance(node, List) else []


def _named(node: Node | None, key: str) -> dict[str, tuple[int, Node]]:
    """The items of a list by the key that they are merged by."""
    by_name = {}
    for number, item in enumerate(_items(node)):
        name = get(item, key)
        if isinstance(name, Scalar):
            by_name[name.text] = number, deref(item)
    return by_name


class Layers(NamedTuple):
    """The nodes at one path in five trees: the base and the patched object, each as it is and translated
    (``new_``); and ``new_result``, the translated base with the patch as it is."""

    base: Node | None
    new_base: Node | None
    patched: Node | None
    new_patched: Node | None
    new_result: Node | None

    def at(self, step: str | int) -> Layers:
        """The same one step down: the values of a key, or the items with an index."""
        return Layers(*(None if node is None else get(node, step) for node in self))

    def item(self, name: str, key: str) -> Layers:
        """The same one step down: the items of this name in lists that are merged by a key."""
        return Layers(*(_named(node, key).get(name, (0, None))[1] for node in self))


@dataclass(frozen=True)
class OverlayDifference:
    """The changes of a patch. ``patch_tree``: the values that it sets, as a tree of the object. ``lists``:
    the lists that are merged, with the key of their items. ``role``: the field of a share that a key sets.
    ``operates``: the patch is a list of operations, whose paths are those of the object.
    """

    patch_tree: Node | None
    lists: Map[str, str]
    role: KeyRole
    operates: bool = False

    def edits(self, layers: Layers) -> list[Edit]:
        """The edits, with paths of the patch; with paths of the object where it operates. Raises
        CannotMergeError."""
        return list(self._of_mapping(self.patch_tree, layers, ()))

    def _of_mapping(self, part: Node | None, layers: Layers, path: Path) -> Iterator[Edit]:
        set_values = {name: value for name, value in _entries(part).items() if name[:1] != "$"}
        old: list[str] = []
        new: dict[str, Any] = {}
        for name in {**set_values, **_entries(layers.new_result), **_entries(layers.new_patched)}:
            entry = layers.at(name)
            if name in set_values and self._is_replaced(set_values[name], entry):
                old.append(name)
                continue
            same, node = are_alike(entry.new_result, entry.new_patched), set_values.get(name)
            if not same and isinstance(
                deref(entry.new_patched or entry.new_result or set_values[name]), Scalar
            ):
                new[name] = _plain(entry.new_patched)
            elif not same or (node is not None and not isinstance(deref(node), Scalar)):
                yield from self._of_value(node, entry, (*path, name))
        partners = self._partners(
            old, new, set_values, layers, any_role=path[-1:] in [(amount,) for amount in _AMOUNTS]
        )
        for name in old:
            if name in partners:
                partner = partners[name]
                value = new.pop(partner) if partner in new else _plain(layers.at(partner).new_patched)
                yield Rename((*path, name), partner, value)
            elif _non_empty(layers.at(name).new_base) is not None:
                yield Put((*path, name), None)
            else:
                yield Remove((*path, name))
        for name, value in new.items():
            if value is None and name in set_values and _non_empty(layers.at(name).new_base) is None:
                yield Remove((*path, name))
            else:
                yield Put((*path, name), value)

    def _is_replaced(self, value: Node, layers: Layers) -> bool:
        """Whether a value of the patch is of a key that the translation replaces."""
        value = deref(value)
        if not isinstance(value, Scalar):
            return False
        if not is_null(value):
            return layers.patched is not None and _non_empty(layers.new_patched) is None
        gone = layers.base is not None and layers.new_base is None and _non_empty(layers.new_patched) is None
        return gone and (self.operates or isinstance(deref(layers.base or value), Scalar))

    def _partners(
        self,
        old: list[str],
        new: Map[str, Any],
        set_values: Map[str, Node],
        layers: Layers,
        *,
        any_role: bool,
    ) -> dict[str, str]:
        """By old key the new key that replaces it in place: one of the same field. A key that the base sets
        to the same value is taken too, since the patch set the old one."""
        partners: dict[str, str] = {}
        again = [name for name in _entries(layers.new_patched) if name not in new]
        for name in old:
            role = self.role(name)
            free = (
                name for name in (*new, *again) if name not in set_values and name not in partners.values()
            )
            partner = next((name for name in free if role is not None and self.role(name) == role), None)
            if partner is not None:
                partners[name] = partner
        for name in old if any_role else ():
            free = (name for name in new if name not in set_values and name not in partners.values())
            partner = next(free, None) if name not in partners else None
            if partner is not None:
                partners[name] = partner
        return partners

    def _of_value(self, part: Node | None, layers: Layers, path: Path) -> Iterator[Edit]:
        """The edits of a mapping or list, which may be removed, or new."""
        written = deref(part) if part is not None else None
        expected = deref(layers.new_patched or layers.new_result or written or layers.new_base)  # type: ignore[arg-type]
        own_node = None if self.operates and isinstance(expected, List) else written
        nodes = [
            deref(node) for node in (own_node, layers.new_result, layers.new_patched) if node is not None
        ]
        if any(type(node) is not type(expected) for node in nodes):  # null, or another type
            yield Put(path, _plain(layers.new_patched))
        elif isinstance(expected, Mapping):
            yield from self._of_mapping(written, layers, path)
        elif self.operates:
            yield from self._of_items(written, layers, path)
        elif (key := self.lists.get(str(path[-1]))) is not None:
            yield from self._of_named(written, layers, path, key)
        elif written is not None:
            yield from self._of_items(written, layers, path)
        else:
            raise CannotMergeError(
                msg("it would replace all of {field} of the object that it patches", field=path[-1])
            )

    def _of_items(self, part: Node | None, layers: Layers, path: Path) -> Iterator[Edit]:
        """The edits of a list whose items are compared by position."""
        nodes, expected = _items(layers.new_result), _items(layers.new_patched)
        if len(expected) < len(nodes):
            yield Put(path, _plain(layers.new_patched))
            return
        for number in range(len(nodes)):
            item = layers.at(number)
            node = get(part, str(number) if isinstance(part, Mapping) else number) if part else None
            if isinstance(deref(nodes[number]), Mapping):
                if node is not None or not are_alike(item.new_result, item.new_patched):
                    yield from self._of_mapping(node, item, (*path, number))
            elif not are_alike(item.new_result, item.new_patched):
                yield Put((*path, number), _plain(item.new_patched))
        for new_item in expected[len(nodes) :]:
            yield Append(path, to_python(new_item))

    def _of_named(self, part: Node | None, layers: Layers, path: Path, key: str) -> Iterator[Edit]:
        """The edits of a list whose items are merged by a key."""
        set_items = _named(part, key)
        for name in {**_named(layers.new_result, key), **_named(layers.new_patched, key)}:
            item = layers.item(name, key)
            if are_alike(item.new_result, item.new_patched) and name not in set_items:
                continue
            number, node = set_items.get(name, (0, None))
            if item.new_patched is None and node is not None and item.new_base is None:
                yield Remove((*path, number))
            elif item.new_patched is None:
                gone = {key: name, "$patch": "delete"}
                yield Put((*path, number), gone) if node is not None else Append(path, gone)
            elif node is not None:
                yield from self._of_mapping(node, item, (*path, number))
            else:
                yield Append(path, {key: name, **self._entry(item)})

    def _entry(self, layers: Layers) -> dict[str, Any]:
        """The content of a new item in a merged list: what differs from the result so far; None deletes."""
        plain: dict[str, Any] = {}
        for name in {**_entries(layers.new_result), **_entries(layers.new_patched)}:
            entry = layers.at(name)
            if are_alike(entry.new_result, entry.new_patched):
                continue
            if isinstance(entry.new_result, Mapping) and isinstance(entry.new_patched, Mapping):
                plain[name] = self._entry(entry)
            elif (
                isinstance(entry.new_result, List)
                and isinstance(entry.new_patched, List)
                and name in self.lists
            ):
                key = self.lists[name]
                named = {**_named(entry.new_result, key), **_named(entry.new_patched, key)}
                pairs = ((name, entry.item(name, key)) for name in named)
                plain[name] = [
                    {key: name, "$patch": "delete"}
                    if item.new_patched is None
                    else {key: name, **self._entry(item)}
                    for name, item in pairs
                    if not are_alike(item.new_result, item.new_patched)
                ]
            else:
                plain[name] = _plain(entry.new_patched)
        return plain


def _plain(node: Node | None) -> Any:
    return None if node is None else to_python(node)
