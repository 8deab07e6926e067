"""How a patch has to change so that the translated base becomes the translated whole: on trees.

    below' + patch = new_result     what differs between that and whole' are the edits of the patch

Nothing is taken for granted: the edited patch is applied to below' again, which has to give whole'.
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
"""Mappings in which every entry of a share may stand in the line of any other."""


def edited(root: Node, edits: Iterable[Edit], kept: Iterable[Path] = ()) -> Node:
    """A tree after edits, read anew. Raises EditError. ``kept``: what stays where it is emptied."""
    edits_of_base = list(edits)
    if not edits_of_base:
        return root
    document = next(documents(Source("", dump_yaml(to_python(root)))))
    text = apply(document.text, edit_document(document, edits_of_base, kept))
    first = next(iter(documents(Source("", text))), None)
    return root if first is None or first.root is None else first.root


def alike(node: Node | None, other: Node | None) -> bool:
    """Whether two trees set the same; what is empty, or null, sets nothing."""
    node, other = _there(node), _there(other)
    if node is None or other is None:
        return node is other
    if isinstance(node, Mapping) and isinstance(other, Mapping):
        entries, other_entries = _entries(node), _entries(other)
        return all(alike(entries.get(name), other_entries.get(name)) for name in {**entries, **other_entries})
    if isinstance(node, List) and isinstance(other, List):
        return len(node.items) == len(other.items) and all(map(alike, node.items, other.items))
    return isinstance(node, Scalar) and isinstance(other, Scalar) and node.text == other.text


def _there(node: Node | None) -> Node | None:
    node = deref(node) if node is not None else None
    if node is None or is_null(node):
        return None
    if isinstance(node, Mapping) and all(_there(value) is None for value in _entries(node).values()):
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
    """One place in five trees: the base and the patched object, as they are and translated (``new_``), and
    ``new_result``: the translated base with the patch."""

    below: Node | None
    new_below: Node | None
    whole: Node | None
    new_whole: Node | None
    new_result: Node | None

    def at(self, step: str | int) -> Layers:
        return Layers(*(None if node is None else get(node, step) for node in self))

    def item(self, name: str, key: str) -> Layers:
        """The items of this name in lists that are merged by a key."""
        return Layers(*(_named(node, key).get(name, (0, None))[1] for node in self))


@dataclass(frozen=True)
class OverlayDifference:
    """What a part of an object has to say otherwise. ``said``: what it says, as a part of the object;
    ``lists``: those that are merged, with the key of their items. ``operates``: it is a list of operations,
    whose paths are of the object.
    """

    said: Node | None
    lists: Map[str, str]
    role: KeyRole
    operates: bool = False

    def edits(self, layers: Layers) -> list[Edit]:
        """The edits of the part, or of the object where it operates. Raises CannotMergeError."""
        return list(self._of_mapping(self.said, layers, ()))

    def _of_mapping(self, part: Node | None, layers: Layers, path: Path) -> Iterator[Edit]:
        said = {name: value for name, value in _entries(part).items() if name[:1] != "$"}
        old: list[str] = []
        new: dict[str, Any] = {}
        for name in {**said, **_entries(layers.new_result), **_entries(layers.new_whole)}:
            here = layers.at(name)
            if name in said and self._goes(said[name], here):
                old.append(name)
                continue
            same, node = alike(here.new_result, here.new_whole), said.get(name)
            if not same and isinstance(deref(here.new_whole or here.new_result or said[name]), Scalar):
                new[name] = _plain(here.new_whole)
            elif not same or (node is not None and not isinstance(deref(node), Scalar)):
                yield from self._below(node, here, (*path, name))
        partners = self._partners(
            old, new, said, layers, any_role=path[-1:] in [(amount,) for amount in _AMOUNTS]
        )
        for name in old:
            if name in partners:
                partner = partners[name]
                value = new.pop(partner) if partner in new else _plain(layers.at(partner).new_whole)
                yield Rename((*path, name), partner, value)
            elif _there(layers.at(name).new_below) is not None:
                yield Put((*path, name), None)
            else:
                yield Remove((*path, name))
        for name, value in new.items():
            if value is None and name in said and _there(layers.at(name).new_below) is None:
                yield Remove((*path, name))
            else:
                yield Put((*path, name), value)

    def _goes(self, value: Node, here: Layers) -> bool:
        """What the part says is of a key that the translation replaces."""
        value = deref(value)
        if not isinstance(value, Scalar):
            return False
        if not is_null(value):
            return here.whole is not None and _there(here.new_whole) is None
        gone = here.below is not None and here.new_below is None and _there(here.new_whole) is None
        return gone and (self.operates or isinstance(deref(here.below or value), Scalar))

    def _partners(
        self, old: list[str], new: Map[str, Any], said: Map[str, Node], layers: Layers, *, any_role: bool
    ) -> dict[str, str]:
        """The keys that come in the lines of old ones: those of the same field, also where the object below
        says the same, since the part did."""
        partners: dict[str, str] = {}
        again = [name for name in _entries(layers.new_whole) if name not in new]
        for name in old:
            role = self.role(name)
            free = (name for name in (*new, *again) if name not in said and name not in partners.values())
            partner = next((name for name in free if role is not None and self.role(name) == role), None)
            if partner is not None:
                partners[name] = partner
        for name in old if any_role else ():
            free = (name for name in new if name not in said and name not in partners.values())
            partner = next(free, None) if name not in partners else None
            if partner is not None:
                partners[name] = partner
        return partners

    def _below(self, part: Node | None, here: Layers, path: Path) -> Iterator[Edit]:
        """A mapping or a list, which may be there no longer, or is not yet."""
        written = deref(part) if part is not None else None
        expected = deref(here.new_whole or here.new_result or written or here.new_below)  # type: ignore[arg-type]
        own_node = None if self.operates and isinstance(expected, List) else written
        nodes = [deref(node) for node in (own_node, here.new_result, here.new_whole) if node is not None]
        if any(type(node) is not type(expected) for node in nodes):  # null, or another type
            yield Put(path, _plain(here.new_whole))
        elif isinstance(expected, Mapping):
            yield from self._of_mapping(written, here, path)
        elif self.operates:
            yield from self._of_items(written, here, path)
        elif (key := self.lists.get(str(path[-1]))) is not None:
            yield from self._of_named(written, here, path, key)
        elif written is not None:
            yield from self._of_items(written, here, path)
        else:
            raise CannotMergeError(
                msg("it would replace all of {field} of the object that it patches", field=path[-1])
            )

    def _of_items(self, part: Node | None, here: Layers, path: Path) -> Iterator[Edit]:
        """A list whose items have their places."""
        nodes, expected = _items(here.new_result), _items(here.new_whole)
        if len(expected) < len(nodes):
            yield Put(path, _plain(here.new_whole))
            return
        for number in range(len(nodes)):
            item = here.at(number)
            node = get(part, str(number) if isinstance(part, Mapping) else number) if part else None
            if isinstance(deref(nodes[number]), Mapping):
                if node is not None or not alike(item.new_result, item.new_whole):
                    yield from self._of_mapping(node, item, (*path, number))
            elif not alike(item.new_result, item.new_whole):
                yield Put((*path, number), _plain(item.new_whole))
        for item_wanted in expected[len(nodes) :]:
            yield Append(path, to_python(item_wanted))

    def _of_named(self, part: Node | None, here: Layers, path: Path, key: str) -> Iterator[Edit]:
        """A list whose items are merged by a key."""
        said = _named(part, key)
        for name in {**_named(here.new_result, key), **_named(here.new_whole, key)}:
            item = here.item(name, key)
            if alike(item.new_result, item.new_whole) and name not in said:
                continue
            number, node = said.get(name, (0, None))
            if item.new_whole is None and node is not None and item.new_below is None:
                yield Remove((*path, number))
            elif item.new_whole is None:
                gone = {key: name, "$patch": "delete"}
                yield Put((*path, number), gone) if node is not None else Append(path, gone)
            elif node is not None:
                yield from self._of_mapping(node, item, (*path, number))
            else:
                yield Append(path, {key: name, **self._entry(item)})

    def _entry(self, here: Layers) -> dict[str, Any]:
        """What an item of a merged list has to say that the part does not name; None deletes."""
        plain: dict[str, Any] = {}
        for name in {**_entries(here.new_result), **_entries(here.new_whole)}:
            below = here.at(name)
            if alike(below.new_result, below.new_whole):
                continue
            if isinstance(below.new_result, Mapping) and isinstance(below.new_whole, Mapping):
                plain[name] = self._entry(below)
            elif (
                isinstance(below.new_result, List)
                and isinstance(below.new_whole, List)
                and name in self.lists
            ):
                key = self.lists[name]
                named = {**_named(below.new_result, key), **_named(below.new_whole, key)}
                pairs = ((name, below.item(name, key)) for name in named)
                plain[name] = [
                    {key: name, "$patch": "delete"}
                    if item.new_whole is None
                    else {key: name, **self._entry(item)}
                    for name, item in pairs
                    if not alike(item.new_result, item.new_whole)
                ]
            else:
                plain[name] = _plain(below.new_whole)
        return plain


def _plain(node: Node | None) -> Any:
    return None if node is None else to_python(node)
