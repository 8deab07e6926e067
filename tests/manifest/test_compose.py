"""Reading documents: positions of what is read, limits, and what is said of bad input."""

from __future__ import annotations

import json
from math import inf, isnan

import pytest

from gpuxlate.model.limits import MAX_ALIASES, MAX_DEPTH
from gpuxlate.model.pod import Kind
from gpuxlate.yamltext.compose import Document, NotYamlError, documents
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
from gpuxlate.yamltext.place import locate
from gpuxlate.yamltext.plain import to_plain
from gpuxlate.yamltext.source import Source


def read(text: str) -> list[Document]:
    return list(documents(Source("f", text)))


def only(text: str) -> Node:
    [document] = read(text)
    assert document.root is not None
    return document.root


# --- documents --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("a: 1\n", ["a: 1\n"]),
        ("# c\n---\na: 1\n---\nb: 2\n", ["# c\n---\na: 1\n", "---\nb: 2\n"]),
        (
            "--- # one\na: 1\n...\n# between\n--- {b: 2}\n",
            ["--- # one\na: 1\n...\n# between\n", "--- {b: 2}\n"],
        ),
        ("%YAML 1.1\n---\na: 1\n", ["%YAML 1.1\n---\na: 1\n"]),
        ("a: 1\n---\n", ["a: 1\n", "---\n"]),
        ("a: 1\n...\n# end", ["a: 1\n...\n# end"]),
    ],
)
def test_documents_cover_the_text(text: str, texts: list[str]) -> None:
    found = read(text)
    assert [document.text for document in found] == texts
    assert [document.index for document in found] == list(range(len(texts)))


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "\n\n  # x"])
def test_a_text_without_documents(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize("text", ["---\n", "---\n# c\n", "--- ~\n"])
def test_documents_that_hold_no_tree(text: str) -> None:
    [document] = read(text)
    assert document.root is None or (isinstance(document.root, Scalar) and document.root.kind is Kind.NULL)


def test_a_document_is_given_before_the_next_one_is_known_to_be_broken() -> None:
    stream = documents(Source("f", "a: 1\n---\nb: 2\n---\nc: [\n"))
    assert next(stream).text == "a: 1\n"
    with pytest.raises(NotYamlError):
        list(stream)


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


@pytest.mark.parametrize(
    ("path", "on_key", "text"),
    [
        (("metadata", "labels", "名"), False, "&n 值"),
        (("metadata", "labels", "名"), True, '"名"'),
        (("metadata", "labels", "b"), False, "'x'"),
        (("metadata", "labels"), False, "labels"),
        (("metadata", "list", 0), False, "one"),
        (("metadata", "list", 2, "name"), False, "z"),
        (("metadata", "list", 2), False, "name"),
        (("metadata", "missing", "deep"), False, "metadata"),
        (("limits", "k"), False, "|\n    text # no comment"),
        (("last",), False, "last"),
    ],
)
def test_a_path_leads_to_characters(path: tuple[str | int, ...], on_key: bool, text: str) -> None:
    start, end = locate(only(TEXT), path, on_key=on_key)
    assert TEXT[start:end] == text


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("a: &x 5\n", "5"),
        ("a: !!str &y 6\n", "6"),
        ("a: &m !<tag:yaml.org,2002:map> # c\n  k: v\n", "k: v"),
        ("a: &f {k: v}\n", "{k: v}"),
        ("a: |+\n  x\n\n# c\nb: 1\n", "|+\n  x\n"),
        ("a: |\n  x\n\n\n# c\nb: 1\n", "|\n  x"),
        ("a: >-\r\n  x\r\n\r\nb: 1\r\n", ">-\r\n  x"),
        ("a: one\n  two\nb: 1\n", "one\n  two"),
    ],
)
def test_where_the_body_of_a_value_begins_and_ends(text: str, body: str) -> None:
    root = only(text)
    assert isinstance(root, Mapping)
    value = root.entries[0][1]
    assert text[body_start(text, value) : content_end(value)] == body


# --- what it says -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("30", Kind.INT), ("-1", Kind.INT), ("0x1F", Kind.INT), ("1_000", Kind.INT), ("0o17", Kind.INT),
        ("5.5", Kind.FLOAT), ("1e3", Kind.FLOAT), (".inf", Kind.FLOAT),
        ("yes", Kind.BOOL), ("OFF", Kind.BOOL), ("true", Kind.BOOL),
        ("", Kind.NULL), ("~", Kind.NULL), ("null", Kind.NULL),
        ("4Gi", Kind.STR), ("1.2.3", Kind.STR), ("2,0", Kind.STR), ("trUe", Kind.STR), ("y", Kind.STR),
    ],
)  # fmt: skip
def test_what_a_plain_scalar_is(text: str, kind: Kind) -> None:
    assert resolve_plain(text) is kind


# image names, URLs and ports in braces: with libyaml before 0.2.1 these were no YAML
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{image: nginx:1.25}", {"image": "nginx:1.25"}),
        ("[--url=http://localhost:80/a?b]", ["--url=http://localhost:80/a?b"]),
        ("{a: b:c, d: e}", {"a": "b:c", "d": "e"}),
        ("[a?b]", ["a?b"]),
    ],
)
def test_colons_inside_of_braces(text: str, value: object) -> None:
    assert to_plain(only(text)) == value


MERGED = "base: &b {x: 1, y: 2}\nother: &o {y: 3, z: 4}\nm:\n  <<: [*b, *o]\n  x: 9\n  x: 10\n"


def test_merge_keys_and_keys_given_twice() -> None:
    root = only(MERGED)
    found = get(root, "m")
    assert isinstance(found, Mapping)
    assert {name: get_text(value) for name, _, value, _ in entries_of(found)} == {
        "x": "10",
        "y": "2",
        "z": "4",
    }
    assert [get_text(root, "m", name) for name in ("x", "y", "z", "q")] == ["10", "2", "4", None]
    assert to_plain(root)["m"] == {"x": 10, "y": 2, "z": 4}


def test_numbers_that_are_none_are_floats() -> None:
    found = to_plain(only("[.inf, -.INF, +.Inf, .nan, .NaN, 1_000.5, 1e400]"))
    assert [str(one) for one in found] == ["inf", "-inf", "inf", "nan", "nan", "1000.5", "inf"]


def test_wide_mappings_are_looked_up_alike() -> None:
    """By name from some width on: keys given twice, merges and numbers as in narrow ones."""
    narrow = "base: &b {x: 1, y: 2}\nm:\n  <<: *b\n  x: 9\n  x: 10\n  7: seven\n"
    wide = narrow + "".join(f"  k{n}: {n}\n" for n in range(100))
    for text in (narrow, wide):
        root = only(text)
        assert [get_text(root, "m", name) for name in ("x", "y", "7", "q", "<<")] == [
            "10",
            "2",
            "seven",
            None,
            None,
        ]
        assert get(root, "m", 7) is None
        start, end = locate(root, ("m", "y"))
        assert text[start:end] == "2"


def test_a_quoted_merge_key_is_a_key() -> None:
    assert to_plain(only("a: &a {x: 1}\nm: {'<<': *a}\n"))["m"] == {"<<": {"x": 1}}


def test_keys_given_twice_are_noted() -> None:
    [document] = read("a: 1\nb: {c: 1, c: 2, d: 3}\na: 2\n<<: {}\n<<: {}\n")
    assert [key.start for _, key in document.repeated] == [15, 27]


# --- limits and bad input ---------------------------------------------------------------------


def test_the_deepest_that_is_read() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert to_plain(only(text)) is not None


BAD = [
    ("[" * (MAX_DEPTH + 1), "nested deeper than 256 levels", MAX_DEPTH),
    ("".join(" " * n + "k:\n" for n in range(MAX_DEPTH + 1)), "nested deeper than 256 levels", None),
    ("a: *nobody\n", "alias *nobody has no anchor before it", 3),
    ("a: &x {b: *x}\n", "alias *x is inside its own anchor", 10),
    ("a: &x 1\n---\nb: *x\n", "alias *x has no anchor before it", 15),
    ("a: \x01\n", "control characters are not allowed", 3),
    ("值: \U0001f600\x01\n", "control characters are not allowed", 4),
    ('a: "\x7f"\n', "control characters are not allowed", 4),
    ('["\x01"]\n', "control characters are not allowed", 2),
    ("值: \ud800\n", "surrogates not allowed", 3),
    ('a: "\\\\ud83d\\ude00"\n', "found invalid Unicode character escape code", None),
    ("a: 1\n---\n%YAML 1.1\n", "did not find expected <document start>", None),
    ("x: {{ .Values.gpu }}{{ .y }}\n", "did not find expected key", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "index"), BAD)
def test_bad_input_says_what_and_where(text: str, message: str, index: int | None) -> None:
    with pytest.raises(NotYamlError) as caught:
        read(text)
    assert caught.value.message == message
    assert index is None or caught.value.index == index
    assert 0 <= caught.value.index <= len(text)


def test_too_many_aliases() -> None:
    text = "a: &a 1\nb: [" + "*a, " * (MAX_ALIASES + 1) + "]\n"
    with pytest.raises(NotYamlError, match="more than 10000 aliases"):
        read(text)


def test_a_billion_laughs_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(NotYamlError, match="aliases expand to more than 1000000 nodes"):
        read("\n".join(lines))


def test_a_chain_of_aliases_that_nests_deeper_than_the_text() -> None:
    lines = ["a0: &a0 " + "[" * 200 + "]" * 200]
    lines += [f"a{n}: &a{n} " + "[" * 200 + f"*a{n - 1}" + "]" * 200 for n in range(1, 3)]
    with pytest.raises(RecursionError, match="nested too deeply"):
        to_plain(only("\n".join(lines)))


def test_what_stands_before_a_break_is_read() -> None:
    """A break in one document does not hide the documents before it."""
    text = "a: 1\n---\nb: 2\n---\nc: [\n"
    read = iter(documents(Source("x", text)))
    assert [next(read).text, next(read).text] == ["a: 1\n", "---\nb: 2\n"]
    with pytest.raises(NotYamlError):
        next(read)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\ud83d\ude00x\uD83D\uDE01"', "\U0001f600x\U0001f601"),
        (r'"\\\ud83d\ude00"', "\\\U0001f600"),
        (r'"\\ud83d\\ude00"', r"\ud83d\ude00"),
        (r"'\ud83d\ude00'", r"\ud83d\ude00"),
        (r"\ud83d\ude00 \\ud83d\ude00", r"\ud83d\ude00 \\ud83d\ude00"),
        ("| # \\uD83D\\uDE00\n  \\ud83d\\ude00\n# \\ud83d\\ude01", "\\ud83d\\ude00\n"),
        ('!!str # \\ud83d\\ude00\n  "\ufdd0\\ufdd1\\ud83d\\ude01"', "\ufdd0\ufdd1\U0001f601"),
    ],
)
def test_json_escapes_beyond_sixteen_bits_are_read(text: str, value: str) -> None:
    """Python's json writes an emoji as two escapes, which libyaml refuses."""
    root = only(f"note: {text}\n")
    assert to_plain(root) == {"note": value}


@pytest.mark.parametrize(
    "text",
    [
        '{"a\x7f": "\x80\uffff\\ud83d\\ude00\x9f\ufffe"}',
        '\n ["\x7f\x7f\\ud83d\\ude00\\ud83d\\ude00\x7f", "\\\\\x7f"]',
    ],
)
def test_json_s_own_characters_are_read(text: str) -> None:
    """RFC 8259, section 7: strings hold every character but quotes, backslashes and those below U+0020."""
    assert to_plain(only(text)) == json.loads(text)


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
    assert to_plain(only(f'"{every}\\ud83d\\ude00"')) == every + "\ufffd\ufffd"


def test_numbers_without_end() -> None:
    root = only("[.inf, -.Inf, +.INF, 1e999, -1_0.5e999]")
    assert to_plain(root) == [inf, -inf, inf, inf, -inf]
    assert isnan(to_plain(only(".NaN")))


def test_a_document_before_a_break_has_its_text() -> None:
    """The break shows between two documents: here the second does not even begin."""
    stream = documents(Source("f", "{a: 1}\nb: 2\n"))
    document = next(stream)
    assert document.text == "{a: 1}\n"
    with pytest.raises(NotYamlError):
        next(stream)
