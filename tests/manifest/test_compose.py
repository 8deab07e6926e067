"""Reading: bytes, lines, documents; positions of what is read, limits, and what is said of bad input."""

import itertools
import json
import re
from bisect import bisect_right

import pytest

from gpuxlate.model.diagnostics import Span
from gpuxlate.model.limits import MAX_ALIASES, MAX_DEPTH
from gpuxlate.model.pod import ScalarKind
from gpuxlate.yamltext import source as source_module
from gpuxlate.yamltext.nodes import (
    Mapping,
    Node,
    Scalar,
    body_start,
    content_end,
    entries_of,
    get,
    get_text,
    resolve_plain,
)
from gpuxlate.yamltext.parse import Document, NotYamlError, documents, locate
from gpuxlate.yamltext.plain import to_python
from gpuxlate.yamltext.source import DecodeError, Source


def read(text: str) -> list[Document]:
    return list(documents(Source("f", text)))


def only(text: str) -> Node:
    [document] = read(text)
    assert document.root is not None
    return document.root


# --- bytes and lines --------------------------------------------------------------------------


def test_a_byte_order_mark_is_set_apart_and_put_back() -> None:
    source = Source.from_bytes("f", b"\xef\xbb\xbfa: 1\n")
    assert (source.bom, source.text) == ("\ufeff", "a: 1\n")
    assert source.encode("b: 2\n") == b"\xef\xbb\xbfb: 2\n"
    without = Source.from_bytes("f", "名: 值\n".encode())
    assert not without.bom
    assert without.encode(without.text) == "名: 值\n".encode()


def test_other_encodings_are_refused_with_the_byte() -> None:
    chinese = "名: 值".encode("gb18030"), "byte 0 (0xc3)"
    for data, where in ((b"a: \xff\n", "byte 3 (0xff)"), chinese, (b"a: \xe5\x90", "byte 3")):
        with pytest.raises(DecodeError) as caught:
            Source.from_bytes("f", data)
        assert str(caught.value).startswith(where)


POSITIONS = {
    ("", 0): (1, 1),
    ("a\nb", 2): (2, 1),
    ("a\r\nb", 3): (2, 1),
    ("a\rb", 2): (2, 1),
    ("a\n", 2): (2, 1),
    ("名字: 值", 4): (1, 5),  # characters, not bytes
    ("😀: 1", 3): (1, 4),  # one character, though two in UTF-16
    ("a\u2028b", 2): (1, 3),  # editors count LF, CR and CRLF only
}


def test_positions() -> None:
    assert {(text, index): Source("f", text).position(index) for text, index in POSITIONS} == POSITIONS


def test_lines() -> None:
    """They have no breaks; the first break is the file's; a span ends behind its last character."""
    source = Source("f", "a\r\n\r\nlast")
    assert [source.line_text(n) for n in range(6)] == ["", "a", "", "last", "", ""]
    breaks = {"a\r\nb\n": "\r\n", "a\nb\r\n": "\n", "a\rb": "\r", "a": "\n"}
    assert {text: Source("f", text).newline() for text in breaks} == breaks
    assert Source("f", "ab\ncd\n").span(1, 5) == Span(1, 2, 2, 3)


@pytest.mark.parametrize("block", [1, 2, 3, 256])
def test_lines_are_found_wherever_a_block_ends(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(source_module, "BLOCK", block)
    for letters in itertools.product("a\n\r", repeat=6):
        one = Source("f", "".join(letters))
        starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", one.text))]
        assert one.lines == len(starts)
        assert [one.line_start(line) for line in range(1, one.lines + 1)] == starts
        for index in range(len(one.text) + 1):
            line = bisect_right(starts, index)
            assert one.position(index) == (line, index - starts[line - 1] + 1)


# --- documents --------------------------------------------------------------------------------


DOCUMENTS: list[tuple[str, list[str]]] = [
    ("", []),
    ("\n", []),
    ("# nothing\n", []),
    ("\n\n  # x", []),
    ("a: 1\n", ["a: 1\n"]),
    ("# c\n---\na: 1\n---\nb: 2\n", ["# c\n---\na: 1\n", "---\nb: 2\n"]),
    ("--- # 1\na: 1\n...\n# 2\n--- {b: 2}\n", ["--- # 1\na: 1\n...\n# 2\n", "--- {b: 2}\n"]),
    ("%YAML 1.1\n---\na: 1\n", ["%YAML 1.1\n---\na: 1\n"]),
    ("a: 1\n---\n", ["a: 1\n", "---\n"]),
    ("a: 1\n...\n# end", ["a: 1\n...\n# end"]),
]


@pytest.mark.parametrize(("text", "texts"), DOCUMENTS)
def test_documents_cover_the_text(text: str, texts: list[str]) -> None:
    found = read(text)
    assert [document.text for document in found] == texts
    assert [document.index for document in found] == list(range(len(texts)))


def test_documents_that_hold_no_tree() -> None:
    for text in ("---\n", "---\n# c\n", "--- ~\n"):
        [root] = [one.root for one in read(text)]
        assert root is None or (isinstance(root, Scalar) and root.kind is ScalarKind.NULL), text


# the break of the second shows between two documents: the next does not even begin
BROKEN = {"a: 1\n---\nb: 2\n---\nc: [\n": ["a: 1\n", "---\nb: 2\n"], "{a: 1}\nb: 2\n": ["{a: 1}\n"]}


@pytest.mark.parametrize("text", BROKEN)
def test_what_stands_before_a_break_is_read(text: str) -> None:
    stream = documents(Source("f", text))
    assert [next(stream).text for _ in BROKEN[text]] == BROKEN[text]
    with pytest.raises(NotYamlError):
        next(stream)


# --- positions --------------------------------------------------------------------------------

TEXT = """\
# 注释
metadata:
  labels: {"名": &n 值, b: 'x'}   # c
  list:
  - one
  -
  - name: z   # z
limits: &l !!map
  k: |
    text # no comment

# after
last:
"""


PATHS: list[tuple[tuple[str | int, ...], str]] = [
    (("metadata", "labels", "名"), "&n 值"),
    (("metadata", "labels", "b"), "'x'"),
    (("metadata", "labels"), "labels"),
    (("metadata", "list", 0), "one"),
    (("metadata", "list", 2, "name"), "z"),
    (("metadata", "list", 2), "name"),
    (("metadata", "missing", "deep"), "metadata"),
    (("limits", "k"), "|\n    text # no comment"),
    (("last",), "last"),
]


def test_a_path_leads_to_characters() -> None:
    root = only(TEXT)
    found = [(path, TEXT[slice(*locate(root, path))], text) for path, text in PATHS]
    assert {path: got for path, got, text in found if got != text} == {}
    assert TEXT[slice(*locate(root, ("metadata", "labels", "名"), on_key=True))] == '"名"'


BODIES = {
    "a: &x 5\n": "5",
    "a: !!str &y 6\n": "6",
    "a: &m !<tag:yaml.org,2002:map> # c\n  k: v\n": "k: v",
    "a: &f {k: v}\n": "{k: v}",
    "a: |+\n  x\n\n# c\nb: 1\n": "|+\n  x\n",
    "a: |\n  x\n\n\n# c\nb: 1\n": "|\n  x",
    "a: >-\r\n  x\r\n\r\nb: 1\r\n": ">-\r\n  x",
    "a: one\n  two\nb: 1\n": "one\n  two",
}


def test_where_the_body_of_a_value_begins_and_ends() -> None:
    found = {}
    for text in BODIES:
        value = get(only(text), "a")
        assert value is not None
        found[text] = text[body_start(text, value) : content_end(value)]
    assert found == BODIES


# --- what it says -----------------------------------------------------------------------------


KINDS = {
    ScalarKind.INT: ["30", "-1", "0x1F", "1_000", "0o17"],
    ScalarKind.FLOAT: ["5.5", "1e3", ".inf"],
    ScalarKind.BOOL: ["yes", "OFF", "true"],
    ScalarKind.NULL: ["", "~", "null"],
    ScalarKind.STR: ["4Gi", "1.2.3", "2,0", "trUe", "y"],
}


def test_what_a_plain_scalar_is() -> None:
    found = [(text, resolve_plain(text), kind) for kind, texts in KINDS.items() for text in texts]
    assert {text: got for text, got, kind in found if got is not kind} == {}


PLAIN: list[tuple[str, object]] = [
    # image names, URLs and ports in braces: with libyaml before 0.2.1 these were no YAML
    ("{image: nginx:1.25}", {"image": "nginx:1.25"}),
    ("[--url=http://localhost:80/a?b]", ["--url=http://localhost:80/a?b"]),
    ("{a: b:c, d: e}", {"a": "b:c", "d": "e"}),
    ("[a?b]", ["a?b"]),
    # a quoted merge key is a key
    ("{a: &a {x: 1}, m: {'<<': *a}}", {"a": {"x": 1}, "m": {"<<": {"x": 1}}}),
    # escapes beyond sixteen bits: Python's json writes an emoji as two, which libyaml refuses
    (r'"\ud83d\ude00x\uD83D\uDE01"', "\U0001f600x\U0001f601"),
    (r'"\\\ud83d\ude00"', "\\\U0001f600"),
    (r'"\\ud83d\\ude00"', r"\ud83d\ude00"),
    (r"'\ud83d\ude00'", r"\ud83d\ude00"),
    (r"\ud83d\ude00 \\ud83d\ude00", r"\ud83d\ude00 \\ud83d\ude00"),
    ("| # \\uD83D\\uDE00\n  \\ud83d\\ude00\n# \\ud83d\\ude01", "\\ud83d\\ude00\n"),
    ('!!str # \\ud83d\\ude00\n  "\ufdd0\\ufdd1\\ud83d\\ude01"', "\ufdd0\ufdd1\U0001f601"),
]


@pytest.mark.parametrize(("text", "value"), PLAIN)
def test_values(text: str, value: object) -> None:
    assert to_python(only(f"note: {text}\n")) == {"note": value}


MERGED = "base: &b {x: 1, y: 2}\nother: &o {y: 3, z: 4}\nm:\n  <<: [*b, *o]\n  x: 9\n  x: 10\n"


def test_merge_keys_and_keys_given_twice() -> None:
    root = only(MERGED)
    found = get(root, "m")
    assert isinstance(found, Mapping)
    texts = {name: get_text(value) for name, _, value, _ in entries_of(found)}
    assert texts == {"x": "10", "y": "2", "z": "4"}
    assert [get_text(root, "m", name) for name in ("x", "y", "z", "q")] == ["10", "2", "4", None]
    assert to_python(root)["m"] == {"x": 10, "y": 2, "z": 4}


def test_numbers_that_are_none_are_floats() -> None:
    found = to_python(only("[.inf, -.INF, +.Inf, -.Inf, .nan, .NaN, 1_000.5, 1e400, 1e999, -1_0.5e999]"))
    assert {type(one) for one in found} == {float}
    assert " ".join(map(str, found)) == "inf -inf inf -inf nan nan 1000.5 inf inf -inf"


def test_wide_mappings_are_looked_up_alike() -> None:
    """By name from some width on: keys given twice, merges and numbers as in narrow ones."""
    narrow = "base: &b {x: 1, y: 2}\nm:\n  <<: *b\n  x: 9\n  x: 10\n  7: seven\n"
    wide = narrow + "".join(f"  k{n}: {n}\n" for n in range(100))
    for text in (narrow, wide):
        root = only(text)
        found = [get_text(root, "m", name) for name in ("x", "y", "7", "q", "<<")]
        assert found == ["10", "2", "seven", None, None]
        assert get(root, "m", 7) is None
        start, end = locate(root, ("m", "y"))
        assert text[start:end] == "2"


def test_keys_given_twice_are_noted() -> None:
    [document] = read("a: 1\nb: {c: 1, c: 2, d: 3}\na: 2\n<<: {}\n<<: {}\n")
    assert [key.start for _, key in document.repeated] == [15, 27]


# --- limits and bad input ---------------------------------------------------------------------


def test_the_deepest_that_is_read() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert to_python(only(text)) is not None


# common mistakes, and their cause in plain words (libyaml says where reading fails)
TAB = "a tab; YAML is indented with spaces"
NO_BLANK = "no space after ':' in line {}"
BEHIND_QUOTE = "text after a closing quote; a quote is missing, or there is one too many"
QUOTE = "the quote that opens in line 1 is not closed"
INDENTED = (
    "this line is indented below line {}, which has a value; "
    "align it with the keys beside it, or remove the value"
)
NO_NEIGHBOUR = "the indentation of this line matches no line above"
SECOND = "a second colon in this line; put the value in quotes"
BRACKET = "a comma or colon is missing here, or the bracket of line {} is not closed"
START = "a value cannot begin with {}; put it in quotes"

KEY_AMONG_ITEMS = "a key among the items of a list; begin it with -, or indent it as the keys above"
BACKSLASH = r"a backslash in double quotes begins an escape; write \\ or use single quotes"
BEHIND_END = "text after the end of a document; begin the next document with --- on a line of its own"
DEEP, CONTROL = "nested deeper than 256 levels", "control characters are not allowed"
ESCAPE, DOCUMENT = "found invalid Unicode character escape code", "did not find expected <document start>"

MISTAKES = [
    ("a:\n\tb: 1\n", TAB, (2, 1)),
    ("a:\n  b: 1\n \tc: 1\n", TAB, (3, 2)),
    ("a:\n-\tb: 1\n\tc: 2\n", TAB, (2, 2)),
    ("a:1\nb: 2\n", NO_BLANK.format(1), (1, 1)),
    ("x:\n  a:1\n  b: 2\n", NO_BLANK.format(2), (2, 3)),
    ("x:\n  b: 2\n  a:1\n", NO_BLANK.format(3), (3, 3)),
    ("x:\n- b: 2\n- a:1\n  c: 2\n", NO_BLANK.format(3), (3, 1)),
    ('a: "b\nc: 1\n', QUOTE, (3, 1)),
    ("'a: 1\nb: 2\n", QUOTE, (3, 1)),
    ("a: 'b\nc: 1\nd: 'x'\n", BEHIND_QUOTE, (3, 5)),
    ('a: "b" c\n', BEHIND_QUOTE, (1, 8)),
    ("a:\n    b: 1\n  c: 2\n", NO_NEIGHBOUR, (3, 3)),
    ("a:\n  - b\n - c\n", NO_NEIGHBOUR, (3, 2)),
    ("a: |\n  x\n y\n", NO_NEIGHBOUR, (3, 2)),
    ("a: 1\n  b: 2\n", INDENTED.format(1), (2, 4)),
    ("a: 1\r\n  b: 2\r\n", INDENTED.format(1), (2, 4)),
    ("a:\n  - b\n  c: 1\n", KEY_AMONG_ITEMS, (3, 3)),
    ("a:\n  c: 1\n  - b\n", "a list item among keys; indent it below its key, or write a key", (3, 3)),
    ("a: b: c\n", SECOND, (1, 5)),
    ("message: error: no GPU\n", SECOND, (1, 15)),
    ("a: {b: 1\n", BRACKET.format(1), (2, 1)),
    ("x: 1\na: [1, 2\nc: 1\n", BRACKET.format(2), (3, 2)),
    ("a: {b: 1 c: 2}\n", BRACKET.format(1), (1, 11)),
    ('{"a" 1}', BRACKET.format(1), (1, 6)),
    ("a: {b: 1}}\n", "} closes nothing", (1, 10)),
    ("a: [1]]\n", "] closes nothing", (1, 7)),
    ("a: @b\n", START.format("@"), (1, 4)),
    ("a: `b`\n", START.format("`"), (1, 4)),
    ("a: %b\n", START.format("%"), (1, 4)),
    ("a: *.yaml\n", "* begins an alias; put the value in quotes", (1, 5)),
    ("a: & b\n", "& begins an anchor; put the value in quotes", (1, 5)),
    ('a: "C:\\dir"\n', BACKSLASH, (1, 7)),
    ("a: | text\n  b\n", "text after | or >; begin it on the next line", (1, 6)),
    ("---\na: 1\n--- b\n  c: 1\n", "text after --- in line 3; begin it on the next line", (3, 1)),
    ("a: 1\n---b\nc: 1\n", "no space after --- in line 2", (2, 1)),
    ("a: 1\n... b\n", BEHIND_END, (2, 5)),
    ("a: 1\n<<<<<<< HEAD\nb: 2\n", "line 2 is a merge conflict marker", (2, 1)),
    ("a: 1\nfoo\nb: 2\n", "line 2: missing ':' after the key", (2, 1)),
    ("a：1\nb: 2\n", "a full-width colon in line 1; write : and a space", (1, 1)),
    # nothing is known beyond what the parser says
    ('{"a": 1,, "b": 2}', "did not find expected node content", (1, 9)),
    ("%FOO\na: 1\n", "found unknown directive name", (1, 5)),
    ("a: !foo!bar x\n", "found undefined tag handle", (1, 4)),
    ("a: 1\n---\n%YAML 1.1\n", DOCUMENT, (4, 1)),
    ('a: "\\\\ud83d\\ude00"\n', ESCAPE, (1, 14)),
    ("x: {{ .Values.gpu }}{{ .y }}\n", "did not find expected key", (1, 21)),
    # limits, aliases, characters
    ("[" * (MAX_DEPTH + 1), DEEP, (1, MAX_DEPTH + 1)),
    ("".join(" " * n + "k:\n" for n in range(MAX_DEPTH + 1)), DEEP, (MAX_DEPTH + 1, MAX_DEPTH + 1)),
    ("a: *nobody\n", "alias *nobody has no anchor before it", (1, 4)),
    ("a: &x {b: *x}\n", "alias *x is inside its own anchor", (1, 11)),
    ("a: &x 1\n---\nb: *x\n", "alias *x has no anchor before it", (3, 4)),
    ("a: \x01\n", CONTROL, (1, 4)),
    ("值: \U0001f600\x01\n", CONTROL, (1, 5)),
    ('a: "\x7f"\n', CONTROL, (1, 5)),
    ('["\x01"]\n', CONTROL, (1, 3)),
    ("值: \ud800\n", "surrogates not allowed", (1, 4)),
]


def mistake_in(text: str) -> tuple[str, tuple[int, int]] | None:
    source = Source("a.yaml", text)
    try:
        list(documents(source))
    except NotYamlError as error:
        return error.message, source.position(error.index)
    return None


def test_the_cause_and_the_place_of_a_mistake() -> None:
    found = [(text, mistake_in(text), (cause, position)) for text, cause, position in MISTAKES]
    assert {text: said for text, said, wanted in found if said != wanted} == {}


LAUGHS = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
FIRST = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]"
TOO_MANY = {
    "more than 10000 aliases": "a: &a 1\nb: [" + "*a, " * (MAX_ALIASES + 1) + "]\n",
    "aliases expand to more than 1000000 nodes": "\n".join([FIRST, *LAUGHS]),
}


@pytest.mark.parametrize("message", TOO_MANY)
def test_too_many_aliases(message: str) -> None:
    with pytest.raises(NotYamlError, match=message):
        read(TOO_MANY[message])


def test_a_chain_of_aliases_that_nests_deeper_than_the_text() -> None:
    lines = ["a0: &a0 " + "[" * 200 + "]" * 200]
    lines += [f"a{n}: &a{n} " + "[" * 200 + f"*a{n - 1}" + "]" * 200 for n in range(1, 3)]
    with pytest.raises(RecursionError, match="nested too deeply"):
        to_python(only("\n".join(lines)))


IN_JSON = [
    '{"a\x7f": "\x80\uffff\\ud83d\\ude00\x9f\ufffe"}',
    '\n ["\x7f\x7f\\ud83d\\ude00\\ud83d\\ude00\x7f", "\\\\\x7f"]',
]


@pytest.mark.parametrize("text", IN_JSON)
def test_json_s_own_characters_are_read(text: str) -> None:
    """RFC 8259, section 7: strings hold every character but quotes, backslashes and those below U+0020."""
    assert to_python(only(text)) == json.loads(text)


def test_each_document_begins_like_json_or_does_not() -> None:
    """A text is read in pieces: what one document may hold cannot depend on another."""
    json_document, yaml_document = '{"a": "\x7f"}\n', 'a: "\x7f"\n'
    for text in (f"{json_document}---\n{json_document}", f"a: 1\n--- {json_document}"):
        assert len(read(text)) == 2
    with pytest.raises(NotYamlError):
        read(f"{json_document}---\n{yaml_document}")


def test_such_escapes_in_a_text_that_has_every_stand_in() -> None:
    """Read all the same, as the replacement character."""
    every = "".join(map(chr, range(0xFDD0, 0xFDF0)))
    assert to_python(only(f'"{every}\\ud83d\\ude00"')) == every + "\ufffd\ufffd"
