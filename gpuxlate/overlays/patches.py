"""Patches merged into their objects, as trees: as kustomize does it, and Helm with its values.

Source: kyaml ``merge2`` and ``walk`` (kustomize 5). A null deletes, mappings are merged by key, and lists are
replaced but for those that a schema gives a key.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Mapping as Map
from itertools import chain

from gpuxlate.manifest.kinds import BUILT_IN_KINDS
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import ScalarKind
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, deref, entries_of, entry_of, get
from gpuxlate.yamltext.nodes import Sequence as List

LISTS: Map[str, str] = {
    "containers": "name",
    "initContainers": "name",
    "ephemeralContainers": "name",
    "env": "name",
    "topologySpreadConstraints": "topologyKey",
}
"""Lists of a pod that are merged by a key of their items: those with something that pods are read for.

Source: ``x-kubernetes-patch-merge-key`` in the OpenAPI of Kubernetes, which kustomize has built in. The terms
and expressions of an affinity have none: they are replaced as a whole."""
TEMPLATES: Map[tuple[str, str], Path] = {(kind.api, kind.kind): kind.templates[0] for kind in BUILT_IN_KINDS}
"""Kinds whose schema kustomize has built in, with their pod templates: lists of all others are replaced."""
_DIRECTIVE = "$patch"


class CannotMergeError(ValueError):
    """The patch does not fit the object, or has a directive that is not read. The message says why."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def lists_of(api_version: str | None, kind: str | None) -> Map[str, str]:
    """The lists that a patch of a kind merges, with the key of their items."""
    return LISTS if (api_version, kind) in TEMPLATES else {}


def merge_patch(base: Node | None, part: Node, lists: Map[str, str], key: str | None = None) -> Node | None:
    """``base`` with the patch ``part`` applied, None where nothing is left. Neither of them is changed.

    ``key``: both are lists, whose items are merged by this key. Raises CannotMergeError.
    """
    part = deref(part)
    base = None if base is None or is_null(base) else deref(base)
    if is_null(part):
        return None
    if base is not None and type(base) is not type(part):
        raise CannotMergeError(msg("it has another type than what it replaces"))
    if isinstance(part, List) and key is not None:
        return _list(base.items if isinstance(base, List) else [], part, lists, key)
    if isinstance(part, Mapping):
        return _mapping(base if isinstance(base, Mapping) else None, part, lists)
    return part


def is_null(node: Node) -> bool:
    """Whether a node is null."""
    node = deref(node)
    return isinstance(node, Scalar) and node.kind is ScalarKind.NULL


def new_mapping(entries: Iterable[tuple[Node, Node]]) -> Mapping:
    """A mapping without a place in a text."""
    mapping = Mapping(0, None, None, flow=False)
    mapping.entries.extend(entries)
    return mapping


def narrow(node: Node, path: Path) -> Mapping:
    """A mapping reduced to what is at a path through its mappings; unchanged where the path is empty."""
    mapping = deref(node)
    assert isinstance(mapping, Mapping)
    entry = entry_of(mapping, path[0]) if path else None
    if entry is None:
        return new_mapping(()) if path else mapping
    key, value, _ = entry
    return new_mapping([(key, narrow(value, path[1:]))])


def new_list(items: Iterable[Node]) -> List:
    """A list without a place in a text."""
    sequence = List(0, None, None, flow=False)
    sequence.items.extend(items)
    return sequence


def with_entry(mapping: Mapping, name: str, value: Node | None) -> Mapping:
    """The mapping with another value of one key, or without the key."""
    entries = {name: (key, old) for name, key, old, _ in entries_of(mapping)}
    if value is None:
        entries.pop(name, None)
    else:
        entries[name] = (entries[name][0] if name in entries else Scalar.at(0, 0, name), value)
    return new_mapping(entries.values())


def _mapping(base: Mapping | None, part: Mapping, lists: Map[str, str]) -> Mapping | None:
    entries = {name: (key, value) for name, key, value, _ in entries_of(part)}
    directive = _directive(entries)
    if directive == "delete":
        return None
    old = {} if directive == "replace" else {n: (k, v) for n, k, v, _ in (entries_of(base) if base else ())}
    new = dict(old)
    for name, (key, value) in entries.items():
        was = old.get(name)
        node = merge_patch(was[1] if was else None, value, lists, lists.get(name))
        if node is None:
            new.pop(name, None)
        else:
            new[name] = (was[0] if was else key, node)
    return new_mapping(new.values())


def _directive(entries: dict[str, tuple[Node, Node]]) -> str:
    """The value of ``$patch`` of a mapping, removed from its entries."""
    text = "merge"
    if _DIRECTIVE in entries:
        value = deref(entries.pop(_DIRECTIVE)[1])
        text = value.text if isinstance(value, Scalar) else ""
    other = next((name for name in entries if name.startswith("$")), None)
    if other or text not in ("merge", "delete", "replace"):
        raise CannotMergeError(msg("{name} in it is not read", name=other or f"{_DIRECTIVE}: {text}"))
    return text


def _list(base: Sequence[Node], part: List, lists: Map[str, str], key: str) -> List | None:
    """Items of the part come first, in its order, then those that the base alone has."""
    if any(_DIRECTIVE in _names(item) and key not in _names(item) for item in part.items):
        raise CannotMergeError(msg("{name} in it is not read", name=_DIRECTIVE))
    old, new = _by_key(base, key), _by_key(part.items, key)
    nodes = (merge_patch(old.get(name), item, lists) for name, item in new.items())
    left = (item for name, item in old.items() if name not in new)
    return new_list(chain((node for node in nodes if node is not None), left))


def _names(item: Node) -> set[str]:
    item = deref(item)
    return {name for name, *_ in entries_of(item)} if isinstance(item, Mapping) else set()


def _by_key(items: Sequence[Node], key: str) -> dict[str, Node]:
    by_name: dict[str, Node] = {}
    for item in items:
        node = deref(item)
        value = get(node, key)
        if not isinstance(value, Scalar) or value.text in by_name:
            raise CannotMergeError(msg("items of a list in it have no {key}, or the same", key=key))
        by_name[value.text] = node
    return by_name
