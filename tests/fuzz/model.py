"""What a document says, and what edits must make of it: the second opinion on the edit engine.

It knows nothing of texts, marks or plans. A document becomes plain data with aliases and merge keys
written out, the edits are made on that data, and the text that the engine wrote must say the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpuxlate.model.diagnostics import Append, Edit, Path, Put, Remove, Rename
from gpuxlate.model.pod import ScalarKind
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, deref, entries_of
from gpuxlate.yamltext.nodes import Sequence as List

MAX_NODES = 3000
"""Of a document that says more, aliases written out, nothing is compared."""


class TooMuchError(Exception):
    """The document says more than anybody wants to compare."""


@dataclass(frozen=True)
class Said:
    """A scalar: its text and what it resolves to."""

    text: str
    kind: ScalarKind


def said(root: Node | None) -> Any:
    """What a tree says: dicts, lists, scalars; a key that is no scalar says nothing. Raises TooMuchError."""
    left = [MAX_NODES]

    def walk(node: Node, depth: int) -> Any:
        left[0] -= 1
        if left[0] < 0 or depth > 300:
            raise TooMuchError
        node = deref(node)
        if isinstance(node, Mapping):
            return {name: walk(value, depth + 1) for name, _, value, _ in entries_of(node)}
        if isinstance(node, List):
            return [walk(item, depth + 1) for item in node.items]
        assert isinstance(node, Scalar)
        return Said(node.text, node.kind)

    return None if root is None else walk(root, 0)


def paths(data: Any, at: Path = ()) -> Iterator[Path]:
    """Every place in the data but the root."""
    children = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, child in children:
        yield (*at, step)
        yield from paths(child, (*at, step))


def written(value: Any) -> Any:
    """A value to write, as it must be read back."""
    match value:
        case dict():
            return {name: written(one) for name, one in value.items()}
        case list() | tuple():
            return [written(one) for one in value]
        case bool():
            return Said("true" if value else "false", ScalarKind.BOOL)
        case int():
            return Said(str(value), ScalarKind.INT)
    return Said(str(value), ScalarKind.STR)


def independent(edits: Sequence[Edit]) -> bool:
    """No edit touches what another one does: the order of them cannot matter."""
    places = [edit.path for edit in edits] + [
        (*edit.path[:-1], edit.key)
        for edit in edits
        if isinstance(edit, Rename) and edit.path[-1] != edit.key
    ]
    return not any(
        one[: len(other)] == other for n, one in enumerate(places) for m, other in enumerate(places) if n != m
    )


@dataclass
class _Todo:
    """The edits at and below one place."""

    here: list[Edit] = field(default_factory=list)
    below: "dict[str | int, _Todo]" = field(default_factory=dict)


_GONE = object()


def edited(data: Any, edits: Sequence[Edit]) -> Any:
    """The data with independent edits made. What a removal empties goes with it."""
    todo = _Todo()
    for edit in edits:
        at = todo
        for step in edit.path:
            at = at.below.setdefault(step, _Todo())
        at.here.append(edit)
    made = _edited(data, todo)
    return {} if made is _GONE else made


def _edited(data: Any, todo: _Todo) -> Any:
    for edit in todo.here:
        match edit:
            case Remove():
                return _GONE
            case Put(_, value) | Rename(_, _, value):
                return written(value)
            case Append(_, value):
                return [*(data if isinstance(data, list) else []), written(value)]
    if not todo.below:
        return data
    if isinstance(data, list) and (data or not any(isinstance(step, str) for step in todo.below)):
        items = [_edited(item, todo.below.get(n, _Todo())) for n, item in enumerate(data)]
        kept = [item for item in items if item is not _GONE]
        return kept if kept or not items else _GONE
    there = data if isinstance(data, dict) else {}
    names: dict[str, Any] = {}
    for name, child in there.items():
        below = todo.below.get(name, _Todo())
        made = _edited(child, below)
        if made is not _GONE:
            renamed = [edit.key for edit in below.here if isinstance(edit, Rename)]
            names[renamed[0] if renamed else name] = made
    for step, below in todo.below.items():
        if step not in there:
            made = _edited(None, below)
            if made is not None and made is not _GONE:
                names[str(step)] = made
    removed = len(names) < len(there)
    return _GONE if removed and not names else names if isinstance(data, dict) or names else data


def without_empty(data: Any) -> Any:
    """The data without mappings and lists that hold nothing."""
    if isinstance(data, dict):
        kept = {name: without_empty(one) for name, one in data.items()}
        return {name: one for name, one in kept.items() if one not in ({}, [])}
    if isinstance(data, list):
        return [one for one in map(without_empty, data) if one not in ({}, [])]
    return data
