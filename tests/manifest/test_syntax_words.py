"""Common mistakes of syntax, and their cause in plain words (libyaml says where reading fails)."""

from __future__ import annotations

import pytest

from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.source import Source

TAB = "a tab; YAML is indented with spaces"
NO_BLANK = "no space behind the colon in line {}"
BEHIND_QUOTE = "text behind a closing quote; one quote is missing, or one too many"
QUOTE = "the quote that opens in line 1 is not closed"
INDENTED = (
    "this line is indented below line {}, which has a value; "
    "indent it as its neighbours, or write nothing behind the colon above"
)
NO_NEIGHBOUR = "this line is indented as none of those above that it could belong to"
SECOND = "a second colon in this line; put the value in quotes"
BRACKET = "a comma or colon is missing here, or the bracket of line {} is not closed"
START = "a value cannot begin with {}; put it in quotes"

MISTAKES = [
    ("a:\n\tb: 1\n", TAB, (2, 1)),
    ("a:\n  b: 1\n \tc: 1\n", TAB, (3, 2)),
    ("a:\n-\tb: 1\n\tc: 2\n", TAB, (2, 2)),
    ("a:1\nb: 2\n", NO_BLANK.format(1), (2, 2)),
    ("x:\n  a:1\n  b: 2\n", NO_BLANK.format(2), (3, 4)),
    ("x:\n  b: 2\n  a:1\n", NO_BLANK.format(3), (4, 1)),
    ("x:\n- b: 2\n- a:1\n  c: 2\n", NO_BLANK.format(3), (4, 4)),
    ('a: "b\nc: 1\n', QUOTE, (3, 1)),
    ("'a: 1\nb: 2\n", QUOTE, (3, 1)),
    ("a: 'b\nc: 1\nd: 'x'\n", BEHIND_QUOTE, (3, 5)),
    ('a: "b" c\n', BEHIND_QUOTE, (1, 8)),
    ("a:\n    b: 1\n  c: 2\n", NO_NEIGHBOUR, (3, 3)),
    ("a:\n  - b\n - c\n", NO_NEIGHBOUR, (3, 2)),
    ("a: |\n  x\n y\n", NO_NEIGHBOUR, (3, 2)),
    ("a: 1\n  b: 2\n", INDENTED.format(1), (2, 4)),
    ("a: 1\r\n  b: 2\r\n", INDENTED.format(1), (2, 4)),
    (
        "a:\n  - b\n  c: 1\n",
        "a key among the items of a list; begin it with -, or indent it as the keys above",
        (3, 3),
    ),
    ("a:\n  c: 1\n  - b\n", "a list item among keys; indent it below its key, or write a key", (3, 3)),
    ("a: b: c\n", SECOND, (1, 5)),
    ("message: error: no GPU\n", SECOND, (1, 15)),
    ("a: {b: 1\n", BRACKET.format(1), (2, 1)),
    ("x: 1\na: [1, 2\nc: 1\n", BRACKET.format(2), (3, 2)),
    ("a: {b: 1 c: 2}\n", BRACKET.format(1), (1, 11)),
    ('{"a" 1}', BRACKET.format(1), (1, 6)),
    ("a: {b: 1}}\n", "a } that closes nothing", (1, 10)),
    ("a: [1]]\n", "a ] that closes nothing", (1, 7)),
    ("a: @b\n", START.format("@"), (1, 4)),
    ("a: `b`\n", START.format("`"), (1, 4)),
    ("a: %b\n", START.format("%"), (1, 4)),
    ("a: *.yaml\n", "* begins an alias; put the value in quotes", (1, 5)),
    ("a: & b\n", "& begins an anchor; put the value in quotes", (1, 5)),
    (
        'a: "C:\\dir"\n',
        r"a backslash in double quotes begins an escape; write \\ or use single quotes",
        (1, 7),
    ),
    ("a: | text\n  b\n", "text behind | or >; it begins on the next line", (1, 6)),
    ("---\na: 1\n--- b\n  c: 1\n", "text behind --- in line 3; begin it on the next line", (4, 4)),
    ("a: 1\n---b\nc: 1\n", "text directly behind --- in line 2", (3, 1)),
    (
        "a: 1\n... b\n",
        "text behind the end of a document; begin the next one with --- on a line of its own",
        (2, 5),
    ),
    ("a: 1\n<<<<<<< HEAD\nb: 2\n", "line 2 is a mark of a merge conflict", (3, 1)),
    ("a: 1\nfoo\nb: 2\n", "line 2 has no colon behind its key", (3, 1)),
    ("a：1\nb: 2\n", "a full-width colon in line 1; write : and a space", (2, 2)),
    # nothing is known beyond what the parser says
    ('{"a": 1,, "b": 2}', "did not find expected node content", (1, 9)),
    ("%FOO\na: 1\n", "found unknown directive name", (1, 5)),
    ("a: !foo!bar x\n", "found undefined tag handle", (1, 4)),
    ("a: 1\n---\n%YAML 1.1\n", "did not find expected <document start>", (4, 1)),
]


@pytest.mark.parametrize(("text", "cause", "position"), MISTAKES)
def test_the_cause_of_a_mistake(text: str, cause: str, position: tuple[int, int]) -> None:
    source = Source("a.yaml", text)
    with pytest.raises(NotYamlError) as caught:
        list(documents(source))
    assert caught.value.message == cause
    assert source.position(caught.value.index) == position
