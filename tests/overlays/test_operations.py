"""Edits of an object that are written as edits of the operations on it."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from gpuxlate.model.diagnostics import Append, Edit, Path, Put, Remove, Rename
from gpuxlate.overlays.operations import PatchPlaces, apply_operations, operation_edits, operations
from gpuxlate.overlays.patches import LISTS, CannotMergeError, merge_patch
from gpuxlate.yamltext.edit import edit_document
from gpuxlate.yamltext.nodes import Mapping, get, get_text
from gpuxlate.yamltext.parse import Document, documents
from gpuxlate.yamltext.plan import EditError
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import apply
from tests.counting import lines

AT = "/spec/containers/0/resources/limits"
LIMITS = ("spec", "containers", 0, "resources", "limits")
OLD, NEW = (*LIMITS, "old.com/mem"), (*LIMITS, "new.com/mem")
NOTES = ("metadata", "annotations")
Case = tuple[str, Sequence[Edit], set[tuple[Any, ...]] | None, str]


def said(op: str, owner: str, value: int | None = None, comment: str = "") -> str:
    """One operation on a key of the limits."""
    given = "" if value is None else f", value: {value}"
    return f"- {{op: {op}, path: {AT}/{owner}~1mem{given}}}{comment}\n"


def block(value: str = "8", owner: str = "old.com") -> str:
    return f'# b\n- op: add   # c\n  path: "{AT}/{owner}~1mem"\n  value: {value} # d\n'


def in_json(**values: Any) -> str:
    said = [{"op": "add", "path": f"{AT}/{name}", "value": value} for name, value in values.items()]
    return json.dumps(said, indent=2) + "\n"


def note(name: str, value: str | None) -> Edit:
    return Put((*NOTES, name), value)


def renamed(value: Any) -> Edit:
    return Rename(OLD, "new.com/mem", value)


SET, GONE = said("replace", "old.com", 8, "  # a"), said("remove", "old.com")
WHOLE = f"- op: add\n  path: {AT}\n  value:\n    old.com/mem: 8  # a\n    cpu: 1\n"
OTHER = "- {op: add, path: /spec/x, value: 1}\n"
ADDED = "- {op: add, path: /spec/containers/-, value: {name: new}}\n"
JSON = in_json(**{"old.com~1mem": 8}), in_json(**{"new.com~1mem": 8192, "new.com~1x": "1"})
EMPTIED = [Remove(OLD), Remove((*LIMITS, "cpu"))]
LATER: list[Edit] = [Remove(OLD), Rename((*LIMITS, "b.com/mem"), "c.com/mem", 1)]
THREE = SET + OTHER + block(owner="b.com")
WHOLE_AFTER = WHOLE.replace("old.com/mem: 8", "new.com/mem: 8192") + "    new.com/x: 1\n"
WITHOUT = WHOLE.replace("old.com/mem: 8  # a\n", "# a\n")
TEST, TESTED = said("test", "old.com", 8), WHOLE.replace("add", "test")
COPIED = f"- {{op: copy, path: {AT}, from: /x}}\n"
ADDED_X = f"- op: add\n  path: {AT}/new.com~1x\n  value: 1\n"
DROPPED = "- {op: remove, path: /spec/containers/0}\n"
GONE_LIMITS, GONE_NOTE = f"- op: remove\n  path: {AT}\n", "- op: remove\n  path: /metadata/annotations/a\n"
AB = "  path: /metadata/annotations/a~1b~0\n"
NOTES_AB = "- op: add\n  path: /metadata/annotations\n  value:\n    a: x\n    b: y\n"
ITEMS = "".join(f"- op: add\n  path: /spec/env/-\n  value:\n    name: {name}\n" for name in "AB")
FIRST = "- op: add\n  path: /spec/env\n  value:\n    - name: A\n"
ENV = ("spec", "env")

# by what it shows: the list, the edits, what is there beside the limits (None: nor they), the new list
CASES: dict[str, Case] = {
    "a key of an operation": (SET, [renamed(8192)], {NEW}, said("replace", "new.com", 8192, "  # a")),
    "nothing is there to replace": (SET, [renamed(8192)], set(), said("add", "new.com", 8192, "  # a")),
    "block style": (block(), [renamed("8192")], {NEW}, block('"8192"', "new.com")),
    "JSON": (JSON[0], [renamed(8192), Put((*LIMITS, "new.com/x"), "1")], {NEW}, JSON[1]),
    "another value": (SET, [Put(OLD, 9)], {OLD}, SET.replace("8", "9")),
    "deleted now": (SET, [Put(OLD, None)], {OLD}, said("remove", "old.com", None, "  # a")),
    "a key that is deleted": (GONE, [renamed(None)], {NEW}, said("remove", "new.com")),
    "a key that is not there to delete": (OTHER + GONE, [renamed(None)], set(), OTHER),
    "given instead of deleted": (GONE, [renamed(5)], set(), said("add", "new.com", 5)),
    "an operation without a counterpart": (SET + OTHER, [Remove(OLD)], set(), "# a\n" + OTHER),
    "a later one keeps its place": (THREE, LATER, set(), "# a\n" + OTHER + block("1", "c.com")),
    "within a mapping": (WHOLE, [renamed(8192), Put((*LIMITS, "new.com/x"), 1)], set(), WHOLE_AFTER),
    "a null deletes nothing in a mapping": (WHOLE, [renamed(None)], {NEW}, WITHOUT),
    "an emptied mapping": (WHOLE + OTHER, EMPTIED, None, "# a\n" + OTHER),
    "an emptied mapping over one that is there": (WHOLE, EMPTIED, {NEW}, GONE_LIMITS + "  # a\n"),
    "a new key": (SET, [note("a/b~", "x")], {NOTES}, SET + "- op: add\n" + AB + "  value: x\n"),
    "new keys in a mapping that is not there": (SET, [note("a", "x"), note("b", "y")], set(), SET + NOTES_AB),
    "a key to delete": (SET, [note("a", None), note("b", None)], {(*NOTES, "a")}, SET + GONE_NOTE),
    "items of a list": (SET, [Append(ENV, {"name": name}) for name in "AB"], {ENV}, SET + ITEMS),
    "a tested key": (TEST, [renamed(8192)], {NEW}, said("test", "new.com", 8192)),
    "a key that is tested and set": (
        TEST + SET,
        [renamed(8192)],
        {NEW},
        said("test", "new.com", 8192) + said("replace", "new.com", 8192, "  # a"),
    ),
    "within a tested mapping": (
        TESTED,
        [renamed(8192), Put((*LIMITS, "new.com/x"), 1)],
        {NEW},
        TESTED.replace("old.com/mem: 8", "new.com/mem: 8192") + ADDED_X,
    ),
    "beside an item that is removed": (
        DROPPED,
        [Put(NEW, 1)],
        set(),
        DROPPED + f"- op: add\n  path: {AT}/new.com~1mem\n  value: 1\n",
    ),
    "a copied mapping": (
        COPIED,
        [Put(NEW, 1)],
        set(),
        COPIED + f"- op: add\n  path: {AT}/new.com~1mem\n  value: 1\n",
    ),
    "the first item of a list": (SET, [Append(ENV, {"name": "A"})], set(), SET + FIRST),
}
GONE_MAPPING = f"- {{op: remove, path: {AT}}}\n"
SIDECAR = "- {op: add, path: /spec/sidecars/x, value: 1}\n"
REFUSED: dict[str, tuple[str, Edit, str]] = {
    "all operations go": (SET, Remove(OLD), "no operation would be left"),
    "a tested key without a counterpart": (TEST, Remove(OLD), "an operation tests this"),
    "a tested key whose counterpart is deleted": (TEST, renamed(None), "an operation tests this"),
    "a removed mapping": (GONE_MAPPING, Put(NEW, 1), "removes what this is in"),
    "no operation": (OTHER, renamed(1), "no operation sets this"),
    "a mapping that would be gone": (SIDECAR + SET, Put(OLD, 1), "in a mapping that would be gone"),
    "no such container": (OTHER, Put(("spec", "sidecars", 3, "x"), 1), "has no such item"),
}


def document_of(text: str) -> Document:
    return next(iter(documents(Source("p.yaml", text))))


def places_of(document: Document) -> list[Path]:
    """Those of its operations, where every number is of an item."""
    steps = (one.steps for one in operations(document))
    return [tuple(int(step) if step.isdecimal() else step for step in path) for path in steps]


@pytest.mark.parametrize("title", CASES)
def test_edits_of_operations(title: str) -> None:
    text, edits, there, expected = CASES[title]
    document = document_of(text)
    depths = range(1, 5 if there is None else 6)
    there = there or set()
    known = (
        {("metadata",), *(LIMITS[:depth] for depth in depths)}
        | there
        | {one[:depth] for one in there for depth in range(1, len(one))}
    )
    steps = {tuple(map(str, one)) for one in known}
    made = operation_edits(document, edits, places_of(document), lambda path: tuple(map(str, path)) in steps)
    assert apply(text, edit_document(document, made)) == expected


@pytest.mark.parametrize(("text", "edit", "why"), REFUSED.values(), ids=REFUSED)
def test_edits_that_operations_cannot_say(text: str, edit: Edit, why: str) -> None:
    document = document_of(text)
    with pytest.raises(EditError, match=why):
        operation_edits(
            document, [edit], places_of(document), lambda path: path[-1] != 3 and "sidecars" not in path
        )


OBJECT = '{metadata: {name: a, "x/y~": 1}, spec: {list: [a, b, c], map: {k: v}, nothing: null}}'
# operations, a path of the object after them, the text there (None: nothing is there)
DONE: list[tuple[str, tuple[str | int, ...], str | None]] = [
    ("{op: add, path: /spec/new, value: 1}", ("spec", "new"), "1"),
    ("{op: add, path: /spec/map, value: {}}", ("spec", "map", "k"), None),
    ("{op: add, path: /spec/list/1, value: x}", ("spec", "list", 2), "b"),
    ("{op: add, path: /spec/list/-, value: x}", ("spec", "list", 3), "x"),
    ("{op: replace, path: /spec/list/1, value: x}", ("spec", "list", 1), "x"),
    ("{op: replace, path: /metadata/x~1y~0, value: 2}", ("metadata", "x/y~"), "2"),
    ("{op: add, path: /metadata/x~01, value: 2}", ("metadata", "x~1"), "2"),  # RFC 6901, section 4: not x/
    ("{op: remove, path: /spec/list/0}", ("spec", "list", 0), "b"),
    ("{op: remove, path: /spec/nothing}", ("spec", "nothing"), None),
    ("{op: move, from: /spec/map/k, path: /spec/k}", ("spec", "k"), "v"),
    ("{op: move, from: /spec/map/k, path: /spec/k}", ("spec", "map", "k"), None),
    ("{op: copy, from: /spec/list, path: /spec/map/l}", ("spec", "map", "l", 2), "c"),
    ("{op: copy, from: /spec/map/none, path: /spec/map/k}", ("spec", "map", "k"), "null"),
    ("{op: test, path: /spec/list, value: [a, b, c]}", ("metadata", "name"), "a"),
    ("{op: test, path: /spec/none, value: null}", ("metadata", "name"), "a"),
]
UNDONE = [
    "{op: add, path: /spec/new/er, value: 1}",
    "{op: add, path: /spec/list/4, value: 1}",
    "{op: add, path: /spec/list/x, value: 1}",
    "{op: add, path: '', value: {}}",
    "{op: add, path: /spec/new}",
    "{op: replace, path: /spec/list/-, value: 1}",
    "{op: remove, path: /spec/new}",
    "{op: remove, path: /spec/list/3}",
    "{op: move, from: /spec/new, path: /spec/k}",
    "{op: copy, from: /spec/list/3, path: /spec/k}",
    "{op: copy, path: /spec/k}",
    "{op: move, path: /spec/k, value: 1}",
    "{op: copy, from: /spec/new/er, path: /spec/k}",
    "{op: test, path: /metadata/name, value: b}",
    "{op: test, path: /metadata/x~1y~0, value: '1'}",
    "{op: grow, path: /spec/new, value: 1}",
    "{op: add, value: 1}",
    "5",
]


def test_operations_on_an_object() -> None:
    root = document_of(OBJECT).root
    assert isinstance(root, Mapping)
    wrong = {}
    for operation, path, text in DONE:
        made = apply_operations(root, document_of(f"- {operation}")).root
        if get_text(made, *path) != text or (text is None and get(made, *path) is not None):
            wrong[operation] = get_text(made, *path)
    assert wrong == {}


@pytest.mark.parametrize("operation", UNDONE)
def test_operations_that_do_not_apply(operation: str) -> None:
    root = document_of(OBJECT).root
    assert isinstance(root, Mapping)
    with pytest.raises(CannotMergeError):
        apply_operations(root, document_of(f"- {operation}"))


BELOW = "{spec: {containers: [{resources: {limits: {old.com/mem: 4, cpu: 2}}}]}}"


@pytest.mark.parametrize(
    ("text", "path", "place", "says"),
    [
        (SET + WHOLE + OTHER, OLD, (1, "value", "old.com/mem"), True),  # the last one counts
        (SET, OLD, (0, "value"), True),
        (SET, (*LIMITS, "cpu"), (), False),
        (OTHER + GONE, OLD, (1, "path"), True),
        (OTHER + GONE, LIMITS, (1, "path"), False),
        (SET + OTHER, ("metadata",), (), False),
        (ADDED, ("spec", "containers", 1, "name"), (0, "value", "name"), True),
    ],
)
def test_where_a_list_says_it(text: str, path: Path, place: Path, says: bool) -> None:
    document, root = document_of(text), document_of(BELOW).root
    assert isinstance(root, Mapping)
    done = apply_operations(root, document)
    places = PatchPlaces(document, done.root, {}, done.places)
    assert (places.of(path), places.sets(path)) == (place, says)


PART = "{spec: {containers: [{name: new}, {name: web, resources: {limits: {old.com/mem: 8}}}]}}"


@pytest.mark.parametrize(
    ("path", "place", "says"),
    [
        (("spec", "containers", 1, "resources", "limits", "old.com/mem"), None, True),
        (("spec", "containers", 1, "resources", "limits", "cpu"), None, False),
        (("spec", "containers", 1, "image", "x"), None, False),
        (("spec", "containers", 2, "resources"), ("spec", "containers"), False),  # the base alone has it
        (("spec", "containers", 0, "env", 3, "value"), ("spec", "containers", 0, "env"), False),
        (("metadata", "labels", "a"), None, False),
    ],
)
def test_where_a_part_says_it(path: Path, place: Path | None, says: bool) -> None:
    """Items of lists that are merged are found by their names; one that it has not is no item of its list."""
    document = document_of(PART)
    base = document_of("{spec: {containers: [{name: side}, {name: web, image: x}]}}").root
    assert document.root is not None
    after = merge_patch(base, document.root, LISTS)
    assert isinstance(after, Mapping)
    places = PatchPlaces(document, after, LISTS)
    assert (places.of(path), places.sets(path)) == (path if place is None else place, says)


def test_twice_the_operations_are_twice_the_work() -> None:
    def work(count: int) -> None:
        at = [("spec", "containers", number, "resources", "limits", "mem") for number in range(count)]
        path = "/spec/containers/{}/resources/limits/mem"
        text = "".join(f"- {{op: replace, path: {path.format(n)}, value: 8}}\n" for n in range(count))
        document = document_of(text)
        operation_edits(document, [Put(one, 9) for one in at], at, lambda _path: True)
        places = PatchPlaces(document, Mapping(0, None, None, flow=False), {}, at)
        assert [places.of(one) for one in at] == [(number, "path") for number in range(count)]

    small, double, fourfold = (lines(lambda count=n: work(count)) for n in (24, 48, 96))
    assert fourfold - double <= 1.15 * 2 * (double - small), (small, double, fourfold)
