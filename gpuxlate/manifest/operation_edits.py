"""Edits of lists of operations (JSON 6902): edits of the object that is patched, as operations say them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from itertools import chain
from typing import Any

from gpuxlate.manifest.operations import Operation, operations, pointer
from gpuxlate.manifest.pods import items
from gpuxlate.model.edits import Append, Edit, Put, Remove, Rename
from gpuxlate.model.pod import Path
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Mapping, Node, deref, entries_of, get
from gpuxlate.yamltext.plan import EditError

_END = "-"
"""The place after the last item of a list."""


def op_edits(document: Document, edits: Iterable[Edit], there: Callable[[Path], bool]) -> list[Edit]:
    """Edits on virtual paths as edits of the list of operations.

    ``there``: something is at a virtual path of the object before the patch, as it will be.
    A value of None stands for null: the key is deleted. Raises EditError for what operations cannot say.
    """
    maker = _Maker(document, there)
    for edit in edits:
        maker.add(edit)
    return maker.finished()


class _Maker:
    def __init__(self, document: Document, there: Callable[[Path], bool]) -> None:
        self._root = deref(document.root) if document.root else None
        self._operations = list(operations(document))
        self._by_steps: dict[tuple[str, ...], list[Operation]] = {}
        for one in self._operations:
            self._by_steps.setdefault(one.steps, []).append(one)
        self._there = there
        self._made: list[Edit] = []
        self._gone: dict[int, None] = {}  # numbers of operations
        self._losses: dict[int, list[Path]] = {}  # by operation: virtual paths that its value loses
        self._added: dict[Path, Any] = {}  # by virtual path: values of new operations
        self._removals: list[Path] = []

    def add(self, edit: Edit) -> None:
        writers = [(one, edit.path[len(one.steps) :]) for one in self._writers(edit.path)]
        if any(one.op in ("test", "move", "copy") for one, _ in writers):
            raise EditError("an operation tests, moves or copies this", edit.path)
        inner = [(one, rest) for one, rest in writers if one.sets and rest and self._says(one, rest)]
        exact = [one for one, rest in writers if not rest]
        if writers and not writers[-1][0].sets and writers[-1][1]:
            raise EditError("an operation removes what this is in", edit.path)
        match edit:
            case Remove(path):
                self._gone |= {one.number: None for one in exact}
                self._lose(path, inner)
            case Rename(path, key, value):
                if not exact and not inner:
                    raise EditError("no operation sets this", path)
                for one in exact:
                    self._rename(one, (*path[:-1], key), value)
                if value is None:
                    self._lose(path, inner)
                else:
                    self._made += [Rename((one.number, "value", *rest), key, value) for one, rest in inner]
            case Put(path, value):
                self._put(path, value, exact, inner, writers)
            case Append(path, value):
                self._append(path, value, writers)

    def _writers(self, path: Path) -> list[Operation]:
        """The operations on a virtual path, or on what it is in, in their order."""
        steps = tuple(map(str, path))
        around = (self._by_steps.get(steps[:depth], ()) for depth in range(len(steps) + 1))
        return sorted(chain.from_iterable(around), key=lambda one: one.number)

    def _lose(self, path: Path, inner: list[tuple[Operation, Path]]) -> None:
        """A null in a value deletes nothing: the value is without the key."""
        for one, _ in inner:
            self._losses.setdefault(one.number, []).append(path)

    def _says(self, one: Operation, rest: Path) -> bool:
        return get(one.value, *rest) is not None

    def _rename(self, one: Operation, path: Path, value: Any) -> None:
        self._made.append(Put((one.number, "path"), pointer(path)))
        self._set(one, path, value)

    def _set(self, one: Operation, path: Path, value: Any) -> None:
        """The operation gives this value, or deletes what is there."""
        if value is None and not self._there(path):
            self._gone[one.number] = None
            return
        if value is None:
            if one.op != "remove":
                self._made += [Put((one.number, "op"), "remove"), Remove((one.number, "value"))]
            return
        if one.op == "remove" or (one.op == "replace" and not self._there(path)):
            self._made.append(Put((one.number, "op"), "add"))
        self._made.append(Put((one.number, "value"), value))

    def _put(
        self,
        path: Path,
        value: Any,
        exact: list[Operation],
        inner: list[tuple[Operation, Path]],
        writers: list[tuple[Operation, Path]],
    ) -> None:
        if exact or inner:
            for one in exact:
                self._set(one, path, value)
            if value is None:
                self._lose(path, inner)
            else:
                self._made += [Put((one.number, "value", *rest), value) for one, rest in inner]
        elif value is None:
            if not writers and self._there(path):
                self._removals.append(path)
        elif writers:
            one, rest = writers[-1]
            self._made.append(Put((one.number, "value", *rest), value))
        else:
            self._new(path, value)

    def _append(self, path: Path, value: Any, writers: list[tuple[Operation, Path]]) -> None:
        if writers:
            one, rest = writers[-1]
            self._made.append(Append((one.number, "value", *rest), value))
        elif self._there(path):
            self._added[*path, _END, len(self._added)] = value
        else:
            self._new(path, [value])

    def _new(self, path: Path, value: Any) -> None:
        """A new operation; it gives the first mapping above that is not there, with the value in it."""
        given = next((depth for depth in range(1, len(path)) if not self._exists(path[:depth])), len(path))
        for step in reversed(path[given:]):
            if isinstance(step, int):
                raise EditError("the object that it patches has no such item", path)
            value = {step: value}
        self._added[path[:given]] = _both(self._added.get(path[:given]), value)

    def _exists(self, path: Path) -> bool:
        return self._there(path) or any(one.sets for one in self._by_steps.get(tuple(map(str, path)), ()))

    def finished(self) -> list[Edit]:
        for one in self._operations:
            lost = self._losses.get(one.number, [])
            depth = len(one.steps)
            rests = {path[depth:] for path in lost}
            if one.value is None or not _is_emptied(one.value, rests):
                self._made += [Remove((one.number, "value", *path[depth:])) for path in lost]
            else:
                self._set(one, lost[0][:depth], None)
        self._check_others()
        kept = [edit for edit in self._made if edit.path[0] not in self._gone]
        kept += [Remove((number,)) for number in self._gone]
        kept += [Append((), {"op": "remove", "path": pointer(path)}) for path in self._removals]
        for path, value in self._added.items():
            where = path[:-1] if path[-2:-1] == (_END,) else path
            kept.append(Append((), {"op": "add", "path": pointer(where), "value": value}))
        if self._gone and len(kept) == len(self._gone) == len(items(self._root)):
            raise EditError("no operation would be left, and kustomize takes no empty list", ())
        return kept

    def _check_others(self) -> None:
        """What an operation needs is still there: a mapping that loses all its keys is gone."""
        given: set[tuple[str, ...]] = set()
        edited = {edit.path[0] for edit in self._made if edit.path}
        for one in self._operations:
            if one.number not in self._gone:
                known = one.number in edited or self._is_known(one.steps, given)
                if one.op == "remove" and not known:
                    self._gone[one.number] = None
                elif one.sets and not self._is_known(one.steps[:-1], given):
                    raise EditError("an operation is in a mapping that would be gone", one.steps)
            if one.sets:
                given.add(one.steps)

    def _is_known(self, steps: tuple[str, ...], given: Set[tuple[str, ...]]) -> bool:
        """Something is at these steps, or was given there; a number may be of an item, or a key."""
        path: Path = tuple(int(step) if step.isdecimal() else step for step in steps)
        return (
            not steps
            or self._there(path)
            or self._there((*path[:-1], steps[-1]))
            or any(steps[:depth] in given for depth in range(len(steps) + 1))
        )


def _is_emptied(node: Node, gone: set[Path], path: Path = ()) -> bool:
    """Nothing is left of a mapping when these entries are gone."""
    if path in gone:
        return True
    node = deref(node)
    below = [(name, value) for name, _, value, _ in entries_of(node)] if isinstance(node, Mapping) else []
    return bool(below) and all(_is_emptied(value, gone, (*path, name)) for name, value in below)


def _both(old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{name: _both(old.get(name), value) for name, value in new.items()}}
    return new
