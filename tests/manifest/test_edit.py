"""Edits: text and changes in, exact text out. What was not asked for stays byte for byte."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuxlate.model.diagnostics import Append, Edit, Put, Remove, Rename
from gpuxlate.yamltext.edit import apply, edit_document
from gpuxlate.yamltext.nodes import get
from gpuxlate.yamltext.parse import Unchanged, documents
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.writer import EditError

CASES = yaml.safe_load(Path(__file__).with_name("edits.yaml").read_text(encoding="utf-8"))
KINDS: dict[str, Any] = {"put": Put, "rename": Rename, "append": Append, "remove": Remove}


def edits_of(rows: list[list[Any]]) -> list[Edit]:
    return [
        KINDS[kind](tuple(int(step) if step.isdigit() else step for step in path.split(".")), *more)
        for kind, path, *more in rows
    ]


def edited(text: str, edits: list[Edit], document: int = 0, keep: tuple[str, ...] = ()) -> str:
    """The new text, or why it is refused, at the place of an edit."""
    source = Source("f", text)
    [found] = islice(documents(source), document, document + 1)
    try:
        return apply(source.text, edit_document(found, edits, [(name,) for name in keep]))
    except EditError as error:
        at = "" if error.path in {edit.path for edit in edits} else f" at {error.path}"
        return f"{error.code or 'refused'}{at}: {error.message}"


def outcomes(section: str, **options: Any) -> Iterator[tuple[str, str, list[str]]]:
    """What comes of the cases: the name, the outcome, the fields behind the edits."""
    for name, (text, rows, *more) in CASES[section].items():
        yield name, edited(text, edits_of(rows), **options), more


def test_the_text_after_edits() -> None:
    assert {name: made for name, made, [wanted] in outcomes("becomes") if made != wanted} == {}


def test_what_is_kept_stays_as_empty_braces() -> None:
    assert {name: made for name, made, [wanted] in outcomes("kept", keep=("m",)) if made != wanted} == {}
    with pytest.raises(EditError, match="nothing would be left of it"):
        edit_document(next(documents(Source("f", "m: &x\n  a: 1\n"))), [Remove(("m", "a"))], [("m",)])


def test_refused_at_the_place_of_an_edit() -> None:
    assert {name: made for name, made, _ in outcomes("not alike") if not made.startswith("GX005: ")} == {}
    found = outcomes("refused")
    assert {
        name: made for name, made, [why] in found if not (made.startswith("refused: ") and why in made)
    } == {}


def test_only_the_document_that_is_meant_changes() -> None:
    text = "# head\na: 1\n---\na: 1 # two\n--- # three\na: 1"
    assert edited(text, [Put(("a",), 2)], 1) == "# head\na: 1\n---\na: 2 # two\n--- # three\na: 1"
    assert edited(text, [Put(("b",), 2)], 2) == "# head\na: 1\n---\na: 1 # two\n--- # three\na: 1\nb: 2"


def test_no_edits_no_splices() -> None:
    assert edit_document(next(documents(Source("f", "a: 1\n"))), []) == []


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("a: {b: 1}\nc: 2\n", "a: {b: 1}\nc: 3\n", ["a"]),
        ("a:\n  b: 1\nc: 2\n", "a:\n  b: 1\nc: 3\n", ["a"]),
        ("a:\n- b: 1\nc: 2\n", "c: 3\na:\n- b: 1\n", ["a"]),
        ("a:\n  b: 1\nc: 2\n", "a:\n    b: 1\nc: 3\n", []),  # in another column
        ("a:\n  b: 1\nc: 2\n", "a:\n  b: 2\nc: 2\n", []),
        ("a: &x {b: 1}\nc: *x\n", "a: &x {b: 1}\nc: *x\n", []),
    ],
)
def test_only_what_is_the_same_text_is_not_composed_again(before: str, after: str, same: list[str]) -> None:
    document = next(documents(Source("f.yaml", before)))
    root = document.root
    unchanged = Unchanged(document, after, {id(root)})
    again = next(documents(Source("f.yaml", after), unchanged)).root
    assert [name for name in ("a", "c") if get(again, name) is get(root, name)] == same
