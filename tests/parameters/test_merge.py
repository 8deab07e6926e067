"""Putting parameters into a text that somebody wrote: our lines change, every other byte stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends.form import MergeError
from gpuxlate.backends.volcengine_emr import form
from gpuxlate.backends.volcengine_emr.merge import merge
from gpuxlate.backends.volcengine_emr.syntax import Syntax
from gpuxlate.yamltext.source import Source
from tests.effort import tries

SPARK, RAY, SET = form.SPARK.syntax, form.RAY.syntax, form.CUSTOMJOB.syntax
WANTED = {"m.core": "30", "m.memory": "4096"}

CASES: list[tuple[Syntax, str, str]] = [
    (SPARK, "", "m.core=30\nm.memory=4096\n"),
    (SPARK, "a=1\n", "a=1\nm.core=30\nm.memory=4096\n"),
    (SPARK, "a=1", "a=1\nm.core=30\nm.memory=4096\n"),
    (SPARK, "a=1\r\n# c", "a=1\r\n# c\r\nm.core=30\r\nm.memory=4096\r\n"),
    (SPARK, "m.core : 10  \nm.memory\t1\nb 2", "m.core : 30  \nm.memory\t4096\nb 2"),
    (SPARK, "m.memory=4096\nz=1\n", "m.memory=4096\nm.core=30\nz=1\n"),
    (SPARK, "m.core=10\nm.core=20\nz=1", "m.core=30\nm.core=30\nm.memory=4096\nz=1"),
    (SPARK, "m.core=1\\\n  0\nz=1", "m.core=30\nm.memory=4096\nz=1"),
    (SPARK, "m.core\nm.memory=1", "m.core=30\nm.memory=4096"),
    (SPARK, "m.core=\nm.memory:", "m.core=30\nm.memory:4096"),
    (SPARK, "m.core=30\nm.memory=4096", "m.core=30\nm.memory=4096"),
    (SPARK, "# m.core=10\n", "# m.core=10\nm.core=30\nm.memory=4096\n"),
    (RAY, "", "m.core=30;\nm.memory=4096;\n"),
    (RAY, "a=1", "a=1;\nm.core=30;\nm.memory=4096;\n"),
    (RAY, "a=1;m.core=10; b=2;\n", "a=1;m.core=30;\nm.memory=4096; b=2;\n"),
    (RAY, "m.core = 10 ; # c\nb=2;", "m.core = 30 ; # c\nm.memory=4096;\nb=2;"),
    (RAY, "m.core=10\n", "m.core=30;\nm.memory=4096;\n"),
    (RAY, "a='x;\ny';m.core='10';m.memory=1", "a='x;\ny';m.core=30;m.memory=4096"),
    (SET, "", "set m.core=30;\nset m.memory=4096;\n"),
    (SET, "SELECT 1;\n", "set m.core=30;\nset m.memory=4096;\nSELECT 1;\n"),
    (SET, "-- c\nSELECT 1;\n", "set m.core=30;\nset m.memory=4096;\n-- c\nSELECT 1;\n"),
    (
        SET,
        "-- c\nset a = 1; -- d\r\nSELECT 'x;\nset m.core=1;';",
        "-- c\nset a = 1; -- d\nset m.core=30;\nset m.memory=4096;\r\nSELECT 'x;\nset m.core=1;';",
    ),
    (SET, "set a=1", "set a=1;\nset m.core=30;\nset m.memory=4096;\n"),
    (SET, "SET m.core = 10; SELECT 1", "SET m.core = 30;\nset m.memory=4096; SELECT 1"),
]


@pytest.mark.parametrize(("syntax", "text", "expected"), CASES)
def test_a_merge(syntax: Syntax, text: str, expected: str) -> None:
    """Once more, it changes nothing."""
    assert merge(Source("job", text), syntax, WANTED) == expected
    assert merge(Source("job", expected), syntax, WANTED) == expected


def test_a_line_that_goes_on_takes_nothing_in() -> None:
    """Below it our line would be part of its value: nothing is written."""
    with pytest.raises(MergeError):
        merge(Source("job", "a=1\\"), SPARK, WANTED)


SIGNS = ("=", ":", " = ", ";", "\n", "\r\n", "\n\n", " ", "\t", "\\", "#", "--", "/*", "*/", "'", '"')
WORDS = ("m.core", "m.memory", "a", "set ", "SET ", "SELECT 1", "10", "x", "é")
PIECES = st.one_of(st.sampled_from((*SIGNS, *WORDS)), st.text(max_size=3))
TEXTS = st.lists(PIECES, max_size=25).map("".join)


@tries(600)
@given(st.sampled_from((SPARK, RAY, SET)), TEXTS)
def test_every_other_byte_stays(syntax: Syntax, text: str) -> None:
    """Without our values and our lines, the text before and after is the same, character by character."""
    source = Source("job", text)
    before = syntax.read(source.text)
    try:
        result = merge(source, syntax, WANTED)
    except MergeError:
        return  # nothing is written
    after = syntax.read(result)
    others = [(one.key, one.value) for one in before if one.key not in WANTED]
    assert [(one.key, one.value) for one in after if one.key not in WANTED] == others
    assert {key: value for one in after if (key := one.key) in WANTED for value in [one.value]} == WANTED
    kept, at = "", 0
    for one in before:
        if one.key in WANTED and one.value != WANTED[one.key]:
            kept += source.text[at : one.value_start]
            at = one.value_end
    at_result = 0
    for letter in kept + source.text[at:]:  # an insertion may stand between any two of them
        found = result.find(letter, at_result)
        assert found >= 0, (text, result, letter)
        at_result = found + 1


KEYS, VALUES = st.sampled_from(("a", "b.c", "m.core", "m.memory")), st.sampled_from(("1", "30", "x"))
PAIRS = st.lists(st.tuples(KEYS, VALUES), max_size=6)


@tries(300)
@given(st.sampled_from((SPARK, RAY, SET)), PAIRS, st.sampled_from(("\n", "\r\n")), st.booleans())
def test_ordinary_files_are_never_refused(
    syntax: Syntax, pairs: list[tuple[str, str]], newline: str, ends: bool
) -> None:
    text = newline.join(syntax.write(key, value) for key, value in pairs) + (newline if ends else "")
    result = merge(Source("job", text), syntax, WANTED)
    wanted = [(key, WANTED.get(key, value)) for key, value in pairs]
    read = [(one.key, one.value) for one in syntax.read(result)]
    there = {key for key, _ in pairs}
    assert [pair for pair in read if pair[0] in there] == wanted
    assert {pair for pair in read if pair[0] not in there} == {p for p in WANTED.items() if p[0] not in there}
    without_breaks = not pairs or (len(pairs) == 1 and not ends)
    assert "\n" not in result.replace("\r\n", "") or newline == "\n" or without_breaks
