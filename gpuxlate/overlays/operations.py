"""Lists of operations (JSON 6902): the object after them, and edits of the object as edits of the list.

A *virtual* path is one in the object that is patched; the list itself is at other paths. Source: RFC 6902,
RFC 6901, and evanphx/json-patch v4, which kustomize uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from collections.abc import Mapping as Map
from functools import cached_property
from itertools import chain, takewhile
from typing import Any, NamedTuple

from gpuxlate.manifest.pods import items
from gpuxlate.model import limits
from gpuxlate.model.diagnostics import Append, Edit, Path, Put, Remove, Rename, prefixes
from gpuxlate.model.messages import Message, msg
from gpuxlate.overlays.parts import Places
from gpuxlate.overlays.patches import CannotMergeError, new_list, new_mapping, with_entry
from gpuxlate.yamltext.nodes import Mapping, Node, Scalar, children, deref, entries_of, get, get_text
from gpuxlate.yamltext.nodes import Sequence as List
from gpuxlate.yamltext.parse import Document
from gpuxlate.yamltext.plain import to_python
from gpuxlate.yamltext.plan import EditError

SETS = ("add", "replace")
"""The operations that give a value."""
SHIFTS = ("move", "copy")
"""The operations that take a value from elsewhere in the object."""
_END = "-"
"""The place after the last item of a list."""
_DOES_NOT_APPLY = "operation {number} ({op} {path}) does not apply to the object"


class Operation(NamedTuple):
    """One operation. ``number`` counts from 0 in its list; ``start``: where move and copy take a value."""

    number: int
    op: str
    steps: tuple[str, ...]
    value: Node | None = None
    start: tuple[str, ...] = ()

    @property
    def sets(self) -> bool:
        """Whether the operation sets a value."""
        return self.op in SETS and self.value is not None


class Operated(NamedTuple):
    """An object after some operations; ``places``: the virtual path of each.

    ``skipped``: the numbers of those that do not apply to it.
    """

    root: Mapping
    places: tuple[Path, ...]
    skipped: frozenset[int] = frozenset()


def is_operations(document: Document) -> bool:
    """Whether the document is a list, as patches of operations are."""
    return document.root is not None and isinstance(deref(document.root), List)


def operations(document: Document) -> Iterator[Operation]:
    """The operations of a document that can be read."""
    root = deref(document.root) if document.root else None
    for number, node in enumerate(items(root)):
        op, path = get_text(node, "op"), get_text(node, "path")
        steps = steps_of(path or "")
        if op and path is not None and len(steps) < limits.MAX_DEPTH:
            yield Operation(number, op, steps, get(node, "value"), steps_of(get_text(node, "from") or ""))


def steps_of(pointer: str) -> tuple[str, ...]:
    """The steps of a JSON pointer."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def pointer(path: Path) -> str:
    """A path as a JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def is_refused(why: str) -> bool:
    """Whether the reason why operations are not read is that kustomize refuses them too."""
    return isinstance(why, Message) and why.template == _DOES_NOT_APPLY


class PatchPlaces:
    """Where a patch sets what is at a path of the patched object. Values are compared by node.

    ``after``: the patched object; ``lists``: the lists that are merged by a key. ``places``: for a list of
    operations, the path in the object that each of them changed.
    """

    def __init__(
        self, document: Document, after: Mapping, lists: Map[str, str], places: Sequence[Path] = ()
    ) -> None:
        self._document = document
        self._after = after
        self._lists = lists
        self._places = places
        self._listed = is_operations(document)

    def of(self, path: Path) -> Path:
        """The path in the document of the patch."""
        return self._written(path)[0]

    def sets(self, path: Path) -> bool:
        """Whether the patch sets the value at the path."""
        return self._written(path)[1]

    def _written(self, path: Path) -> tuple[Path, bool]:
        """The path in the document of the patch, and whether the patch sets the value there."""
        return self._in_operations(path) if self._listed else self._in_part(path)

    def _in_operations(self, path: Path) -> tuple[Path, bool]:
        for depth in range(len(path), 0, -1):
            node = get(self._after, *path[:depth])
            place = self._known.get(node) if node is not None else None
            if place is not None:
                return (*place, *path[depth:]), depth == len(path)
        last, first = self._numbers
        number = last.get(path, first.get(path))
        return ((), False) if number is None else ((number, "path"), path in last)

    def patch_tree(self) -> Mapping:
        """The values of operations as a tree of the object: what they set or test, and null for what they
        remove."""
        tree = new_mapping(())
        for operation, place in zip(operations(self._document), self._places, strict=True):
            if operation.op in ("test", "remove") and place:
                value = operation.value if operation.op == "test" else None
                tree = _with_at(tree, place, value or _null())
        pending: list[tuple[Path, Node]] = [((), self._after)]
        while pending:
            path, node = pending.pop()
            if path and node in self._known:
                tree = _with_at(tree, path, node)
            elif isinstance(node := deref(node), Mapping):
                pending += [((*path, name), value) for name, _, value, _ in entries_of(node)]
            elif isinstance(node, List):
                pending += [((*path, number), item) for number, item in enumerate(node.items)]
        return tree

    @cached_property
    def _numbers(self) -> tuple[dict[Path, int], dict[Path, int]]:
        """The numbers of operations: the last one at a place, and the first one below it."""
        last: dict[Path, int] = {}
        first: dict[Path, int] = {}
        for number, place in enumerate(self._places):
            last[place] = number
            for depth in range(len(place)):
                first.setdefault(place[:depth], number)
        return last, first

    @cached_property
    def _known(self) -> dict[Node, Path]:
        """The places of all that operations set, by node."""
        places: dict[Node, Path] = {}
        for operation in operations(self._document):
            pending: list[tuple[Path, Node]] = []
            if operation.sets and operation.value is not None:
                pending.append(((operation.number, "value"), operation.value))
            while pending:
                path, written = pending.pop()
                node = deref(written)
                places |= {written: path, node: path}
                if isinstance(node, Mapping):
                    pending += [((*path, name), value) for name, _, value, _ in entries_of(node)]
                elif isinstance(node, List):
                    pending += [((*path, number), item) for number, item in enumerate(node.items)]
        return places

    def _in_part(self, path: Path) -> tuple[Path, bool]:
        place: Path = ()
        part: Node | None = self._document.root
        object_part: Node | None = self._after
        for depth, step in enumerate(path):
            key = self._lists.get(str(path[depth - 1])) if depth and isinstance(step, int) else None
            object_part = get(object_part, step)
            if key is not None:
                name = get_text(object_part, key)
                set_items = items(deref(part)) if part is not None else ()
                step = next((n for n, item in enumerate(set_items) if get_text(item, key) == name), -1)
            below = None if step == -1 else get(part, step)
            if below is None:
                rest = takewhile(lambda step: isinstance(step, str), path[depth:])
                return (*place, *rest), False
            place, part = (*place, step), below
        return place, True


# -- what they make of an object ----------------------------------------------------------------------
def apply_operations(root: Mapping, document: Document, *, lenient: bool = False) -> Operated:
    """The object after all operations of a document, in order. Raises CannotMergeError.

    ``lenient``: an operation that does not apply is skipped, but the value that it sets is added.
    """
    listed_operations = list(operations(document))
    if len(listed_operations) != len(items(deref(document.root) if document.root else None)):
        raise CannotMergeError(msg("not all operations in it can be read"))
    places: list[Path] = []
    skipped: set[int] = set()
    copied = 0
    for operation in listed_operations:
        try:
            root, place = _operated(root, operation)
        except _AbsentError:
            if lenient:
                root, place = _forced(root, operation), _resolved(root, operation.steps)
                places.append(place)
                skipped.add(operation.number)
                continue
            where = pointer(operation.steps)
            message = msg(_DOES_NOT_APPLY, number=operation.number, op=operation.op, path=where)
            raise CannotMergeError(message) from None
        places.append(place)
        if operation.op in SHIFTS:
            copied += _count_copied(get(root, *place), len(place), limits.MAX_COPIED - copied)
    return Operated(root, tuple(places), frozenset(skipped))


def _count_copied(value: Node | None, depth: int, maximum: int) -> int:
    """The number of nodes of a value that an operation copied to a depth: each copy may hold those before it.

    Raises CannotMergeError where there are more than the maximum, or they are nested too deep.
    """
    count, level = 0, [] if value is None else [value]
    while level:
        count, depth = count + len(level), depth + 1
        if depth > limits.MAX_DEPTH:
            raise CannotMergeError(msg("nested deeper than {most} levels", most=limits.MAX_DEPTH))
        if count > maximum:
            raise CannotMergeError(msg("it copies more than {most} values", most=limits.MAX_COPIED))
        level = [node for parent in level for node in children(deref(parent))]
    return count


class _AbsentError(Exception):
    """Nothing is at the path of an operation."""


def _forced(root: Mapping, operation: Operation) -> Mapping:
    """The object with what an operation sets, and with the mappings that it would be in."""
    node: Node | None = operation.value if operation.sets else None
    if node is None or any(isinstance(get(root, *path), List) for path in _above(root, operation.steps)):
        return root
    for depth in range(len(operation.steps) - 1, -1, -1):
        holder = get(root, *operation.steps[:depth])
        below = holder if isinstance(holder, Mapping) else new_mapping(())
        node = with_entry(below, operation.steps[depth], node)
    return node if isinstance(node, Mapping) else root


def _above(root: Mapping, steps: Sequence[str]) -> Iterator[Path]:
    return (_resolved(root, steps[:depth]) for depth in range(len(steps)))


def _null() -> Scalar:
    return Scalar.at(0, 0, "null")


def _with_at(holder: Mapping, path: Path, value: Node) -> Mapping:
    step, *rest = path
    below = get(holder, str(step))
    if rest:
        inner = below if isinstance(below, Mapping) else new_mapping(())
        value = _with_at(inner, tuple(rest), value)
    return with_entry(holder, str(step), value)


def _operated(root: Mapping, operation: Operation) -> tuple[Mapping, Path]:
    if operation.op == "test":
        node = _at(root, operation.steps)
        if operation.value is None or _plain(node or _null()) != _plain(operation.value):
            raise _AbsentError
        return root, _resolved(root, operation.steps)
    if operation.op in SHIFTS:
        if not operation.start:  # it has no from
            raise _AbsentError
        value = _at(root, operation.start)
        if value is None and operation.op == "copy" and isinstance(_at(root, operation.start[:-1]), Mapping):
            value = _null()  # json-patch copies what a mapping has not as null
        if value is None:
            raise _AbsentError
        if operation.op == "move":
            root, _ = _changed(root, operation.start, None, insert=False)
        return _changed(root, operation.steps, value, insert=True)
    if operation.op == "remove":
        return _changed(root, operation.steps, None, insert=False)
    if not operation.sets:
        raise _AbsentError
    return _changed(root, operation.steps, operation.value, insert=operation.op == "add")


def _at(root: Node, steps: Sequence[str]) -> Node | None:
    return get(root, *_resolved(root, steps))


def _resolved(root: Node, steps: Sequence[str]) -> Path:
    """The steps of a pointer as a path: numbers where lists are."""
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
    node: Node
    step: str | int = last
    if isinstance(holder, Mapping):
        if value is None and get(holder, last) is None:  # replace adds what is not there
            raise _AbsentError
        node = with_entry(holder, last, value)
    elif isinstance(holder, List):
        step = _index(last, len(holder.items), insert)
        new = [] if value is None else [value]
        node = new_list([*holder.items[:step], *new, *holder.items[step if insert else step + 1 :]])
    else:
        raise _AbsentError
    for depth in range(len(path) - 1, -1, -1):
        outer, at = get(root, *path[:depth]), path[depth]
        if isinstance(outer, Mapping):
            node = with_entry(outer, str(at), node)
        elif isinstance(outer, List) and isinstance(at, int):
            node = new_list([*outer.items[:at], node, *outer.items[at + 1 :]])
    assert isinstance(node, Mapping)
    return node, (*path, step)


def _index(step: str, count: int, insert: bool) -> int:
    if step == _END and insert:
        return count
    if not step.isdecimal() or len(step) > 9 or int(step) >= count + insert:
        raise _AbsentError
    return int(step)


def _plain(node: Node) -> Any:
    """A value as plain data, to compare it: texts with their types."""
    node = deref(node)
    if isinstance(node, Mapping):
        return {name: _plain(value) for name, _, value, _ in entries_of(node)}
    if isinstance(node, List):
        return [_plain(item) for item in node.items]
    return (node.text, node.kind) if isinstance(node, Scalar) else None


# -- edits -------------------------------------------------------------------------------------------
def operation_edits(
    document: Document,
    edits: Iterable[Edit],
    places: Sequence[Path],
    below: Callable[[Path], Any],
    written: Places | None = None,
    replayed: Operated | None = None,
) -> list[Edit]:
    """Edits on virtual paths as edits of the list of operations.

    ``places``: those of the operations, as ``apply_operations`` gives them; ``written``: where the operations
    say what is in the object, where they move or copy something. ``below``: the node at a virtual path of the
    object before the patch, as it will be; ``replayed``: that object after the operations as they are. A
    value of None stands for null: the key is deleted. Raises EditError for what operations cannot say.
    """
    maker = _Maker(document, places, below, written, replayed)
    for edit in edits:
        maker.add(edit)
    return maker.finish()


class _Maker:
    def __init__(
        self,
        document: Document,
        places: Sequence[Path],
        below: Callable[[Path], Any],
        written: Places | None,
        replayed: Operated | None,
    ) -> None:
        self._root = deref(document.root) if document.root else None
        self._places = places
        self._operations = [
            operation._replace(steps=tuple(map(str, place)))
            for operation, place in zip(operations(document), places, strict=True)
        ]
        self._by_steps: dict[tuple[str, ...], list[Operation]] = {}
        for operation in self._operations:
            self._by_steps.setdefault(operation.steps, []).append(operation)
        self._below = below
        self._written = written
        self._replayed = replayed
        shifts = [operation.number for operation in self._operations if operation.op in SHIFTS]
        skipped = replayed.skipped if replayed else ()
        self._shifts = [number for number in shifts if number not in skipped]
        self._made: list[Edit] = []
        # numbers of operations: those too that would move or copy what is there no longer
        self._gone: dict[int, None] = dict.fromkeys(number for number in shifts if number in skipped)
        self._losses: dict[int, list[Path]] = {}  # by operation: paths in its value that it loses
        self._added: dict[Path, Any] = {}  # by virtual path: values of new operations
        self._removals: list[Path] = []

    def add(self, edit: Edit) -> None:
        around = self._writers(edit.path)
        for operation, rest in around:
            if operation.op == "test":
                self._test(operation, rest, edit)
        writers = [(operation, rest) for operation, rest in around if operation.op != "test"]
        inner = [
            (operation, rest)
            for operation, rest in writers
            if operation.sets and rest and self._says(operation, rest)
        ]
        exact = [operation for operation, rest in writers if not rest]
        if writers and not writers[-1][0].sets and writers[-1][1]:
            raise EditError("an operation removes what this is in", edit.path)
        match edit:
            case Remove(path):
                self._gone |= {operation.number: None for operation in exact}
                self._lose(inner)
            case Rename(path, key, value):
                if not around or (writers and not exact and not inner):
                    raise EditError("no operation sets this", path)
                for operation in exact:
                    self._rename(operation, key, value)
                if value is None:
                    self._lose(inner)
                else:
                    self._made += [
                        Rename((operation.number, "value", *rest), key, value) for operation, rest in inner
                    ]
            case Put(path, value):
                if writers or not any(not rest for _, rest in around):
                    self._put(path, value, exact, inner, writers)
            case Append(path, value):
                self._append(path, value, writers)

    def _writers(self, path: Path) -> list[tuple[Operation, Path]]:
        """The operations that set or test the value at a virtual path, or a value around it, in their order,
        each with the rest of the path in its value.

        A value that was moved or copied there belongs to the operation that set it, if there is one.
        """
        steps = tuple(map(str, path))
        around = (self._by_steps.get(steps[:depth], ()) for depth in range(len(steps) + 1))
        writers = [
            (operation, path[len(operation.steps) :])
            for operation in sorted(chain.from_iterable(around), key=lambda operation: operation.number)
        ]
        shifted = max((operation.number for operation, _ in writers if operation.op in SHIFTS), default=-1)
        place = self._written.of(path) if self._shifts and self._written else ()
        if place[1:2] == ("value",):
            number = place[0]
            assert isinstance(number, int)
            writer = (self._operations[number], place[2:])
            if writer not in writers:
                return [writer]
        elif shifted >= 0:
            writers = [writer for writer in writers if writer[0].number > shifted]
        return [writer for writer in writers if not self._shifts_items(writer[0])]

    def _shifts_items(self, operation: Operation) -> bool:
        """Whether the value at its path is not its own: it was moved or copied, or is the next item of a
        list."""
        drops = operation.op == "remove" and isinstance(self._places[operation.number][-1], int)
        return drops or operation.op in SHIFTS

    def _test(self, operation: Operation, rest: Path, edit: Edit) -> None:
        """Change a test to the new key, and to the value that is there before the operation."""
        at = (operation.number, "value", *rest)
        match edit:
            case Rename(path, key, value):
                value = self._tested(operation, (*path[:-1], key), value)
                if not rest and value is not None:
                    where = pointer((*operation.steps[:-1], key))
                    self._made += [Put((operation.number, "path"), where), Put(at, value)]
                elif rest and self._says(operation, rest):
                    self._made.append(Remove(at) if value is None else Rename(at, key, value))
                elif not rest:
                    raise EditError("an operation tests this", path)
            case Put(path, value) if self._tested(operation, path, value) is not None:
                self._made.append(Put(at, self._tested(operation, path, value)))
            case Append(_, value):
                self._made.append(Append(at, value))
            case _:
                if not rest:
                    raise EditError("an operation tests this", edit.path)
                if self._says(operation, rest):
                    self._made.append(Remove(at))

    def _tested(self, test: Operation, path: Path, value: Any) -> Any:
        """The value at a path when it is tested: that of the base, where no operation sets it before; None
        where nothing is there."""
        writers = self._writers(path)
        if any(operation.sets and operation.number < test.number for operation, _ in writers):
            return value
        node = self._below(path)
        return to_python(node) if isinstance(node, Node) else value if node else None

    def _lose(self, inner: list[tuple[Operation, Path]]) -> None:
        """Remove keys from the values of operations: null in such a value would delete nothing."""
        for operation, rest in inner:
            self._losses.setdefault(operation.number, []).append(rest)

    def _says(self, operation: Operation, rest: Path) -> bool:
        return get(operation.value, *rest) is not None

    def _rename(self, operation: Operation, key: str, value: Any) -> None:
        path = (*self._places[operation.number][:-1], key)
        self._made.append(Put((operation.number, "path"), pointer(path)))
        self._set(operation, path, value)

    def _set(self, operation: Operation, path: Path, value: Any) -> None:
        """Change an operation so that it sets this value, or deletes what is there."""
        is_there = bool(self._below(path))
        if value is None and not is_there:
            self._gone[operation.number] = None
            return
        if value is None:
            if operation.op != "remove":
                self._made += [Put((operation.number, "op"), "remove"), Remove((operation.number, "value"))]
            return
        if operation.op == "remove" or (operation.op == "replace" and not is_there):
            self._made.append(Put((operation.number, "op"), "add"))
        self._made.append(Put((operation.number, "value"), value))

    def _put(
        self,
        path: Path,
        value: Any,
        exact: list[Operation],
        inner: list[tuple[Operation, Path]],
        writers: list[tuple[Operation, Path]],
    ) -> None:
        if exact or inner:
            for operation in exact:
                self._set(operation, self._places[operation.number], value)
            if value is None:
                self._lose(inner)
            else:
                self._made += [Put((operation.number, "value", *rest), value) for operation, rest in inner]
        elif value is None:
            if not writers and self._is_there(path):
                self._removals.append(path)
        elif writers:
            operation, rest = writers[-1]
            self._made.append(Put((operation.number, "value", *rest), value))
        else:
            self._new(path, value)

    def _append(self, path: Path, value: Any, writers: list[tuple[Operation, Path]]) -> None:
        if writers:
            operation, rest = writers[-1]
            self._made.append(Append((operation.number, "value", *rest), value))
        elif self._is_there(path):
            self._added[*path, _END, len(self._added)] = value
        else:
            self._new(path, [value])

    def _new(self, path: Path, value: Any) -> None:
        """Add an operation that sets the value, with the first missing mapping around it."""
        depth = next((depth for depth in range(1, len(path)) if not self._exists(path[:depth])), len(path))
        for step in reversed(path[depth:]):
            if isinstance(step, int):
                raise EditError("the object that it patches has no such item", path)
            value = {step: value}
        self._added[path[:depth]] = _both(self._added.get(path[:depth]), value)

    def _is_there(self, path: Path) -> bool:
        """Whether something is at a virtual path before the new operations, which come last."""
        if self._shifts and self._replayed:
            return get(self._replayed.root, *path) is not None
        return bool(self._below(path))

    def _exists(self, path: Path) -> bool:
        return self._is_there(path) or any(
            operation.sets for operation in self._by_steps.get(tuple(map(str, path)), ())
        )

    def finish(self) -> list[Edit]:
        for operation in self._operations:
            lost = self._losses.get(operation.number, [])
            if operation.value is None or not _is_emptied(operation.value, set(lost)):
                self._made += [Remove((operation.number, "value", *rest)) for rest in lost]
            else:
                self._set(operation, self._places[operation.number], None)
        if not self._shifts:
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
        """Remove operations on what is gone. Raises EditError where one sets a value in a mapping that is
        gone, as is one that loses all its keys."""
        set_before: set[tuple[str, ...]] = set()
        edited = {edit.path[0] for edit in self._made if edit.path}
        for operation in self._operations:
            if operation.number not in self._gone:
                is_known = operation.number in edited or self._is_known(operation.steps, set_before)
                if operation.op == "remove" and not is_known:
                    self._gone[operation.number] = None
                elif operation.sets and not self._is_known(operation.steps[:-1], set_before):
                    raise EditError("an operation is in a mapping that would be gone", operation.steps)
            if operation.sets:
                set_before.add(operation.steps)

    def _is_known(self, steps: tuple[str, ...], set_before: Set[tuple[str, ...]]) -> bool:
        """Whether something is at these steps, or is set there before; a number may be an index or a key."""
        path: Path = tuple(int(step) if step.isdecimal() else step for step in steps)
        return (
            not steps
            or bool(self._below(path))
            or bool(self._below((*path[:-1], steps[-1])))
            or not set_before.isdisjoint(prefixes(steps))
        )


def _is_emptied(node: Node, gone: set[Path], path: Path = ()) -> bool:
    """Whether nothing is left of a mapping without these entries."""
    if path in gone:
        return True
    node = deref(node)
    below = [(name, value) for name, _, value, _ in entries_of(node)] if isinstance(node, Mapping) else []
    return bool(below) and all(_is_emptied(value, gone, (*path, name)) for name, value in below)


def _both(old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{name: _both(old.get(name), value) for name, value in new.items()}}
    return new
