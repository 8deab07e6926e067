"""Edits: text and changes in, exact text out. What was not asked for stays byte for byte."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gpuxlate.model.diagnostics import Append, Edit, Put, Remove, Rename
from gpuxlate.yamltext import edit
from gpuxlate.yamltext.edit import edit_document
from gpuxlate.yamltext.parse import Document, NotYamlError, documents
from gpuxlate.yamltext.plan import EditError, Plans, make_plan
from gpuxlate.yamltext.source import Source
from gpuxlate.yamltext.splices import Origins, Splice, apply
from tests.tables import read_table

CASES = read_table(__file__, "edits.yaml")
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


def _outcome(document: Document, plans: Plans, made: list[Splice]) -> str:
    """What is said of the new text that splices make."""
    try:
        edit._verify(document, plans, made)
    except EditError as error:
        return error.message
    return "as planned"


@pytest.mark.parametrize(
    ("text", "rows", "odd", "why"),
    [
        (  # a marker, which begins another document
            "m:\n  a: 1\n  b: 2\n",
            [["remove", "m.a"], ["remove", "m.b"], ["put", "m.c", 3]],
            "---\n{}",
            "the result would differ elsewhere too; nothing is written",
        ),
        (  # libyaml refuses a tab in brackets, at the beginning of a line, where the block around is indented
            "x:\n- m: {a: 1, b: 2}\n",
            [["put", "x.0.m.b", 9]],
            "{}\n\t",
            "the result would be invalid YAML (a tab; YAML is indented with spaces)",
        ),
    ],
)
def test_what_only_the_whole_document_shows(text: str, rows: list[list[Any]], odd: str, why: str) -> None:
    document = next(documents(Source("f", text)))
    plans = make_plan(document, edits_of(rows))
    *before, last = edit._splices(document, plans)
    assert _outcome(document, plans, [*before, last]) == "as planned"
    assert _outcome(document, plans, [*before, replace(last, text=odd.format(last.text))]) == why


@given(data=st.data())
def test_what_is_as_planned_in_its_parts_is_so_as_a_whole(data: st.DataObject) -> None:
    text, rows, _ = data.draw(st.sampled_from(list(CASES["becomes"].values())))
    if data.draw(st.booleans()):  # deeper, and beside others
        lines = text.splitlines(keepends=True)
        ends = "" if text.endswith(("\n", "\r")) else "\n"
        text = "x:\n  - y:\n" + "".join(f"      {line}" for line in lines) + ends + "    z: 1\n"
        rows = [[kind, f"x.0.y.{path}", *more] for kind, path, *more in rows]
    try:
        document = next(documents(Source("f", text)))
        plans = make_plan(document, edits_of(rows))
        made = edit._splices(document, plans)
    except (EditError, NotYamlError):
        return
    assume(made)
    number = data.draw(st.integers(0, len(made) - 1))
    one = made[number]
    start = data.draw(st.integers(max(0, one.start - 3), one.start))
    end = data.draw(st.integers(one.end, min(len(text), one.end + 3)))
    mark = data.draw(st.sampled_from((0, len(one.text))) | st.integers(0, len(one.text)))
    odd = st.sampled_from(("...\n", "---\n", "} {", "}, {", "&a ", "*a", "!x ", "%Y\n", "|+\n", "# "))
    new = one.text[:mark] + data.draw(odd | st.text(" \n-:#'\"|>{}[],?\t", max_size=4)) + one.text[mark:]
    if data.draw(st.booleans()):
        new = new.removesuffix("\n")
    made[number] = replace(one, start=start, end=end, text=new)
    assume(all(before.end <= after.start for before, after in pairwise(made)))
    by_parts = _outcome(document, plans, made)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edit, "_sections", lambda *_: [])
        assert by_parts == _outcome(document, plans, made)


@given(st.text("ab\n", max_size=30), st.lists(st.tuples(st.integers(0, 30), st.text("AB\n", max_size=4))))
def test_where_each_character_comes_from(text: str, drawn: list[tuple[int, str]]) -> None:
    places = sorted({min(at, len(text)) for at, _ in drawn})
    spans = zip(places[::2], places[1::2], drawn, strict=False)
    made = [Splice(start, end, new) for start, end, (_, new) in spans]
    new, origins = apply(text, made), Origins(made)
    copied = [origins.are_copied(at, at + 1) for at in range(len(new))]
    assert [origins.of(at) for at in range(len(new)) if copied[at]] == [
        at for at in range(len(text)) if not any(one.start <= at < one.end for one in made)
    ]
    replaced = [(one.start, letter) for one in made for letter in one.text]
    assert [(origins.of(at), new[at]) for at in range(len(new)) if not copied[at]] == replaced
