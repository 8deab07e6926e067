"""Lists of operations (JSON 6902), and what they make of an object.

A *virtual* path is one in the object that is patched; the list itself is at other paths. Source: RFC 6902,
RFC 6901, and evanphx/json-patch v4, which kustomize uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from gpuxlate.manifest.merge import CannotMergeError, new_list, with_entry
from gpuxlate.manifest.pods import items
from gpuxlate.model.limits import MAX_DEPTH
from gpuxlate.model.messages import say
from gpuxlate.model.pod import Path
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, deref, entries_of, get, get_text
from gpuxlate.yamltext.nodes import Sequence as List

SETS = ("add", "replace")
"""The operations that give a value."""
_END = "-"
"""The place after the last item of a list."""
_APPLIES = "operation {number} ({op} {path}) does not apply to the object"


class Operation(NamedTuple):
    """One operation. ``number`` counts from 0 in its list; ``start``: where move and copy take a value."""

    number: int
    op: str
    steps: tuple[str, ...]
    value: Node | None = None
    start: tuple[str, ...] = ()

    @property
    def sets(self) -> bool:
        return self.op in SETS and self.value is not None


class Operated(NamedTuple):
    """An object after some operations; ``places``: the virtual path of each."""

    root: Mapping
    places: tuple[Path, ...]


def is_operations(document: Document) -> bool:
    """The document is a list, as patches of operations are."""
    return document.root is not None and isinstance(deref(document.root), List)


def operations(document: Document) -> Iterator[Operation]:
    """The operations of a document that can be read."""
    root = deref(document.root) if document.root else None
    for number, one in enumerate(items(root)):
        op, path = get_text(one, "op"), get_text(one, "path")
        steps = steps_of(path or "")
        if op and path is not None and len(steps) < MAX_DEPTH:
            yield Operation(number, op, steps, get(one, "value"), steps_of(get_text(one, "from") or ""))


def steps_of(pointer: str) -> tuple[str, ...]:
    """The steps of a JSON pointer."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def pointer(path: Path) -> str:
    """A path as a JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


class Places:
    """Where a document says what is at a virtual path, for the places of findings.

    A list of operations says it in the last one on the path, or with a value around it; else in the first
    one on a part of it. Any other document says it at the path.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._listed = is_operations(document)

    def of(self, path: Path) -> Path:
        if not self._listed:
            return path
        known, steps = self._known, tuple(map(str, path))
        around = ((known.values.get(steps[:depth], -1), depth) for depth in range(len(steps) + 1))
        number, depth = max(around)
        exact = known.last.get(steps, -1)
        if max(number, exact) < 0:
            return (known.first[steps], "path") if steps in known.first else ()
        return (exact, "path") if exact > number else (number, "value", *path[depth:])

    @cached_property
    def _known(self) -> _Numbers:
        found = _Numbers({}, {}, {})
        for one in operations(self._document):
            found.last[one.steps] = one.number
            if one.sets:
                found.values[one.steps] = one.number
            for depth in range(len(one.steps)):
                found.first.setdefault(one.steps[:depth], one.number)
        return found


class _Numbers(NamedTuple):
    """The numbers of operations by their path: the last one, the last one with a value, and by the path of
    what is around it the first one."""

    last: dict[tuple[str, ...], int]
    values: dict[tuple[str, ...], int]
    first: dict[tuple[str, ...], int]


# -- what they make of an object ----------------------------------------------------------------------


def operated(root: Mapping, document: Document) -> Operated:
    """The object after all operations of a document, in order. Raises CannotMergeError."""
    found = list(operations(document))
    if len(found) != len(items(deref(document.root) if document.root else None)):
        raise CannotMergeError(say("not all operations in it can be read"))
    places: list[Path] = []
    for one in found:
        try:
            root, place = _operated(root, one)
        except _AbsentError:
            where = pointer(one.steps)
            message = say(_APPLIES, number=one.number, op=one.op, path=where)
            raise CannotMergeError(message) from None
        places.append(place)
    return Operated(root, tuple(places))


class _AbsentError(Exception):
    """Nothing is at the path of an operation."""


def _operated(root: Mapping, one: Operation) -> tuple[Mapping, Path]:
    if one.op == "test":
        there = _at(root, one.steps)
        if one.value is None or there is None or _plain(there) != _plain(one.value):
            raise _AbsentError
        return root, _resolved(root, one.steps)
    if one.op in ("move", "copy"):
        value = _at(root, one.start)
        if value is None:
            raise _AbsentError
        if one.op == "move":
            root, _ = _changed(root, one.start, None, insert=False)
        return _changed(root, one.steps, value, insert=True)
    if one.op == "remove":
        return _changed(root, one.steps, None, insert=False)
    if not one.sets:
        raise _AbsentError
    return _changed(root, one.steps, one.value, insert=one.op == "add")


def _at(root: Node, steps: Sequence[str]) -> Node | None:
    return get(root, *_resolved(root, steps))


def _resolved(root: Node, steps: Sequence[str]) -> Path:
    """The steps of a pointer as those of a path: numbers where lists are."""
    path: list[str | int] = []
    node: Node | None = root
    for step in steps:
        path.append(int(step) if isinstance(node, List) and step.isdecimal() else step)
        node = get(node, path[-1])
    return tuple(path)


def _changed(
    root: Mapping, steps: Sequence[str], value: Node | None, *, insert: bool
) -> tuple[Mapping, Path]:
    """The object with one value added, replaced, or removed (None), and the path of it."""
    if not steps:
        raise _AbsentError
    *above, last = steps
    path = _resolved(root, above)
    holder = get(root, *path)
    made: Node
    step: str | int = last
    if isinstance(holder, Mapping):
        if value is None and get(holder, last) is None:  # replace adds what is not there
            raise _AbsentError
        made = with_entry(holder, last, value)
    elif isinstance(holder, List):
        step = _index(last, len(holder.items), insert)
        new = [] if value is None else [value]
        made = new_list([*holder.items[:step], *new, *holder.items[step if insert else step + 1 :]])
    else:
        raise _AbsentError
    for depth in range(len(path) - 1, -1, -1):
        outer, at = get(root, *path[:depth]), path[depth]
        if isinstance(outer, Mapping):
            made = with_entry(outer, str(at), made)
        elif isinstance(outer, List) and isinstance(at, int):
            made = new_list([*outer.items[:at], made, *outer.items[at + 1 :]])
    assert isinstance(made, Mapping)
    return made, (*path, step)


def _index(step: str, count: int, insert: bool) -> int:
    if step == _END and insert:
        return count
    if not step.isdecimal() or len(step) > 9 or int(step) >= count + insert:
        raise _AbsentError
    return int(step)


def _plain(node: Node) -> Any:
    """A value to compare: texts with what they resolve to."""
    node = deref(node)
    if isinstance(node, Mapping):
        return {name: _plain(value) for name, _, value, _ in entries_of(node)}
    if isinstance(node, List):
        return [_plain(item) for item in node.items]
    return (node.text, node.kind) if isinstance(node, Scalar) else None
