"""Edits: text and changes in, exact text out. What was not asked for stays byte for byte."""

from __future__ import annotations

import pytest

from gpuxlate.model.edits import Append, Edit, Put, Remove, Rename
from gpuxlate.model.pod import Path
from gpuxlate.yamltext.compose import documents
from gpuxlate.yamltext.edit import EditError, apply, edit_document
from gpuxlate.yamltext.source import Source


def edited(text: str, *edits: Edit, document: int = 0) -> str:
    source = Source("f", text)
    found = list(documents(source))[document]
    return apply(source.text, edit_document(found, edits))


CASES: dict[str, tuple[str, tuple[Edit, ...], str]] = {
    # --- values and keys where they stand
    "a value": ("a: 1 # c\n", (Put(("a",), 2),), "a: 2 # c\n"),
    "aligned values stay aligned": (
        "m:\n    key:    value\n    kk:     v\n",
        (Rename(("m", "key"), "yek", "new"),),
        "m:\n    yek:    new\n    kk:     v\n",
    ),
    "tabs before values and comments": ("a:\t1\t# c\n", (Put(("a",), 2),), "a:\t2\t# c\n"),
    "quotes stay where a string comes": ("a: '1'\n", (Put(("a",), "2"),), "a: '2'\n"),
    "quotes go where a number comes": ("a: '1'\n", (Put(("a",), 2),), "a: 2\n"),
    "a string that looks like a number": ("a: x\n", (Put(("a",), "2"),), 'a: "2"\n'),
    "quoted keys": (
        "'a': 1\n\"b\": 2\n",
        (Rename(("a",), "x", 1), Rename(("b",), "y", 2)),
        "'x': 1\n\"y\": 2\n",
    ),
    "the same value is not written again": (
        "a: !!int 30\nb: 0\n",
        (Rename(("b",), "c", 0),),
        "a: !!int 30\nc: 0\n",
    ),
    "a block scalar as a value": ("a: |\n  30\nb: 1\n", (Put(("a",), 30),), "a: 30\nb: 1\n"),
    "the tag of a string goes where a number comes": ('a: !!str "1" # c\n', (Put(("a",), 2),), "a: 2 # c\n"),
    "an anchor in front": ("a: &x 1\nb: *x\n", (Put(("a",), 2), Put(("b",), 2)), "a: &x 2\nb: *x\n"),
    "a key given twice: the last": ("a: 1\na: 2\n", (Put(("a",), 3),), "a: 1\na: 3\n"),
    # --- new entries
    "into a mapping": ("a:\n    b: 1\nc: 2\n", (Put(("a", "d"), 3),), "a:\n    b: 1\n    d: 3\nc: 2\n"),
    "with what is missing on the way": (
        "a:\n   b: 1\n",
        (Put(("a", "c", "d"), 3), Put(("a", "c", "e"), "4")),
        'a:\n   b: 1\n   c:\n      d: 3\n      e: "4"\n',
    ),
    "quotes of the neighbours": (
        "'a': 'b'\n'm':\n  'x': 'y'\n",
        (Put(("m", "n"), "o"), Put(("m", "p"), 4)),
        "'a': 'b'\n'm':\n  'x': 'y'\n  'n': 'o'\n  'p': 4\n",
    ),
    "lists as far in as their neighbours": (
        "c:\n    - 1\na:\n    b: 1\n",
        (Put(("a", "l"), [{"k": "v", "w": ["x"]}]),),
        "c:\n    - 1\na:\n    b: 1\n    l:\n        - k: v\n          w:\n              - x\n",
    ),
    "lists flush with their key": (
        "c:\n- 1\na:\n  b: 1\n",
        (Put(("a", "l"), ["x"]),),
        "c:\n- 1\na:\n  b: 1\n  l:\n  - x\n",
    ),
    "below a literal": (
        "a:\n  b: |\n    t\n\n\n# c\nd: 1\n",
        (Put(("a", "z"), 3),),
        "a:\n  b: |\n    t\n  z: 3\n\n\n# c\nd: 1\n",
    ),
    "below a literal that keeps its blank lines": (
        "a:\n  b: |+\n    t\n\n\n# c\nd: 1\n",
        (Put(("a", "z"), 3),),
        "a:\n  b: |+\n    t\n\n\n  z: 3\n# c\nd: 1\n",
    ),
    "below a folded scalar": (
        "a:\n  b: >-\n    t\n\n    u",
        (Put(("a", "z"), 3),),
        "a:\n  b: >-\n    t\n\n    u\n  z: 3",
    ),
    "below a plain scalar of two lines": (
        "a:\n  b: t\n    u # c\nd: 1\n",
        (Put(("a", "z"), 3),),
        "a:\n  b: t\n    u # c\n  z: 3\nd: 1\n",
    ),
    "below what has no value": (
        "a:\n  b: # c\nd: 1\n",
        (Put(("a", "z"), 3),),
        "a:\n  b: # c\n  z: 3\nd: 1\n",
    ),
    "a comment after the last entry stays last": (
        "a:\n  b: 1\n  # c\n\nd: 1\n",
        (Put(("a", "z"), 3),),
        "a:\n  b: 1\n  z: 3\n  # c\n\nd: 1\n",
    ),
    "no last line break": ("a:\n  b: 1", (Put(("a", "c"), 2), Put(("d",), 3)), "a:\n  b: 1\n  c: 2\nd: 3"),
    "CRLF": (
        "a:\r\n  b: 1\r\n",
        (Put(("a", "c"), 2), Put(("d", "e"), 3)),
        "a:\r\n  b: 1\r\n  c: 2\r\nd:\r\n  e: 3\r\n",
    ),
    "line breaks of the place": ("# x\r\na:\n  b: 1\n", (Put(("a", "c"), 2),), "# x\r\na:\n  b: 1\n  c: 2\n"),
    "inner and outer at one place": (
        'a:\n  l:\n  - x\n"z": 1\n',
        (Append(("a", "l"), "y"), Put(("a", "n"), 2)),
        'a:\n  l:\n  - x\n  - y\n  n: 2\n"z": 1\n',
    ),
    "metadata above spec": (
        "kind: Pod\nspec:\n  x: 1\n",
        (Put(("metadata", "labels", "a"), "1"), Put(("spec", "nodeSelector", "k"), "v")),
        'kind: Pod\nmetadata:\n  labels:\n    a: "1"\nspec:\n  x: 1\n  nodeSelector:\n    k: v\n',
    ),
    "metadata behind a dash": (
        "t:\n- spec: 1\n  n: 2\n",
        (Put(("t", 0, "metadata", "labels", "a"), "b"), Put(("t", 0, "z"), 1)),
        "t:\n- metadata:\n    labels:\n      a: b\n  spec: 1\n  n: 2\n  z: 1\n",
    ),
    # --- where nothing was
    "empty, null and empty braces": (
        "a:\nb: {}\nc: ~  # no\nd: null\ne: []\nf: { }\n",
        (*(Put((k, "x"), 1) for k in "abcdf"), Append(("e",), "y")),
        "a:\n  x: 1\nb:\n  x: 1\nc:  # no\n  x: 1\nd:\n  x: 1\ne:\n  - y\nf:\n  x: 1\n",
    ),
    "empty braces at the end of a file": ("a:\n  b: {}", (Put(("a", "b", "c"), 1),), "a:\n  b:\n    c: 1"),
    "an empty value with comments below": (
        "a:\n  # none\nb: 1\n",
        (Put(("a", "x"), 1),),
        "a:\n  x: 1\n  # none\nb: 1\n",
    ),
    "empty braces in braces": ("{a: {}}\n", (Put(("a", "x"), 1),), "{a: {x: 1}}\n"),
    "null in braces": ("{a: , b: ~}\n", (Put(("a", "x"), 1), Put(("b", "y"), 2)), "{a: {x: 1}, b: {y: 2}}\n"),
    # --- removals
    "an entry": ("a: 1\nb: 2\nc: 3\n", (Remove(("b",)),), "a: 1\nc: 3\n"),
    "its comments stay": (
        "a: 1\n# above\nb: 2 # beside\n# below\nc: 3\n",
        (Remove(("b",)),),
        "a: 1\n# above\n# beside\n# below\nc: 3\n",
    ),
    "what is emptied goes too": (
        "s:\n  n: # why\n    # how\n    k: v # what\n  c: 1\n",
        (Remove(("s", "n", "k")),),
        "s:\n  # why\n  # how\n  # what\n  c: 1\n",
    ),
    "a # in a string is no comment": (
        "a: 'x # y'\nb: |\n  # z\nc: 1\n",
        (Remove(("a",)), Remove(("b",))),
        "c: 1\n",
    ),
    "the last line of a file without a line break": ("a: 1\nb: 2", (Remove(("b",)),), "a: 1"),
    "the same with a comment": ("a: 1\nb: 2 # c", (Remove(("b",)),), "a: 1\n# c"),
    "the same with something new above": (
        "a:\n  x: 1\nb: 2",
        (Remove(("b",)), Put(("a", "y"), 2)),
        "a:\n  x: 1\n  y: 2",
    ),
    "the last goes, another comes": (
        "a: 1\nb: 2 # c\n",
        (Remove(("b",)), Put(("d",), 4)),
        "a: 1\n# c\nd: 4\n",
    ),
    "the last of a file goes, another comes": ("a: 1\nb: 2", (Remove(("b",)), Put(("d",), 4)), "a: 1\nd: 4"),
    "all go, another comes": (
        "m:\n  a: 1\n  b: 2\n",
        (Remove(("m", "a")), Remove(("m", "b")), Put(("m", "c"), 3)),
        "m:\n  c: 3\n",
    ),
    "the first behind a dash": ("a:\n  - x: 1\n    y: 2\n", (Remove(("a", 0, "x")),), "a:\n  - y: 2\n"),
    "several behind a dash": (
        "a:\n  - x: 1 # one\n    # two\n    y: 2 # three\n    # four\n    z: 3\n    q: 4\n  - k: 1\n",
        (Remove(("a", 0, "x")), Remove(("a", 0, "y")), Remove(("a", 0, "q"))),
        "a:\n  # one\n  # two\n  # three\n  # four\n  - z: 3\n  - k: 1\n",
    ),
    "all behind a dash, another comes": (
        "a:\n  - x: 1 # one\n    y: 2\n  - k: 1",
        (Remove(("a", 0, "x")), Remove(("a", 0, "y")), Put(("a", 0, "z"), {"q": 3})),
        "a:\n  # one\n  - z:\n      q: 3\n  - k: 1",
    ),
    "items of a list": (
        "a:\n- b: 1 # one\n- # two-dash\n  c: 1\n-\n- d: 2\n",
        (Remove(("a", 0)), Remove(("a", 1)), Remove(("a", 2))),
        "a:\n# one\n# two-dash\n- d: 2\n",
    ),
    "an item goes, another comes": (
        "a:\n  - x\nb: 1\n",
        (Remove(("a", 0)), Append(("a",), "y")),
        "a:\n  - y\nb: 1\n",
    ),
    "the last item empties its list": ("b: 1\na:\n  - x\n", (Remove(("a", 0)),), "b: 1\n"),
    "what is not there": ("a: 1\n", (Remove(("b", "c")),), "a: 1\n"),
    # --- flow style
    "a flow mapping": (
        "m: {a: 1, b: 2}  # c\n",
        (Put(("m", "c"), "x"), Rename(("m", "a"), "z", 9)),
        "m: {z: 9, b: 2, c: x}  # c\n",
    ),
    "blanks inside braces": ("m: { a: 1 }\n", (Put(("m", "c"), {"x": 2}),), "m: { a: 1, c: { x: 2 } }\n"),
    "a trailing comma": ("m: {a: 1, b: 2,}\n", (Remove(("m", "b")),), "m: {a: 1,}\n"),
    "first, middle and last": (
        "m: {a: 1, b: 2, c: 3, d: 4, e: 5}\n",
        (Remove(("m", "a")), Remove(("m", "c")), Remove(("m", "e"))),
        "m: {b: 2, d: 4}\n",
    ),
    "all of a flow mapping go, another comes": (
        "m: { a: 1, b: 2 }\n",
        (Remove(("m", "a")), Remove(("m", "b")), Put(("m", "c"), 3)),
        "m: { c: 3 }\n",
    ),
    "a flow list": (
        "m: [{a: 1}, {b: 2}]\n",
        (Append(("m",), {"c": 3}), Remove(("m", 0))),
        "m: [{b: 2}, {c: 3}]\n",
    ),
    "an emptied flow mapping goes": ("m: {a: {b: 1}, c: 2}\n", (Remove(("m", "a", "b")),), "m: {c: 2}\n"),
    "one line of JSON": (
        '{"a":{"b":1},"c":"x"}',
        (Put(("a", "q"), "w"), Put(("n", "m"), {"k": "2", "l": 3})),
        '{"a":{"b":1,"q":"w"},"c":"x","n":{"m":{"k":"2","l":3}}}',
    ),
    "one line of JSON with blanks": (
        '{"a": {"b": 1}}\n',
        (Put(("a", "q"), ["w"]),),
        '{"a": {"b": 1, "q": ["w"]}}\n',
    ),
    "JSON with tabs": (
        '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n',
        (Put(("a", "q"), "w"), Put(("n",), {"k": "2"})),
        '{\n\t"a": {\n\t\t"b": 1,\n\t\t"q": "w"\n\t},\n\t"n": {\n\t\t"k": "2"\n\t}\n}\n',
    ),
    "JSON of four columns, the last goes": (
        '{\n    "a": 1,\n    "b": 2\n}\n',
        (Remove(("b",)),),
        '{\n    "a": 1\n}\n',
    ),
    "comments at the ends of flow lines": (
        "m: {\n  a: 1, # one\n  b: 2  # two\n}\n",
        (Put(("m", "c"), 3),),
        "m: {\n  a: 1, # one\n  b: 2,  # two\n  c: 3\n}\n",
    ),
    "flow lines that all end in commas": (
        "m: {\n  a: 1,  # one\n}\n",
        (Put(("m", "c"), 3),),
        "m: {\n  a: 1,  # one\n  c: 3,\n}\n",
    ),
    # --- documents and lines
    "a directive and a comment on the start": (
        "%YAML 1.1\n--- # hello\na: 1\n...\n# c\n",
        (Put(("b",), 1),),
        "%YAML 1.1\n--- # hello\na: 1\nb: 1\n...\n# c\n",
    ),
    "braces on the start": (
        "--- {a: b} # c\n---\nx: 1\n",
        (Put(("d",), 1),),
        "--- {a: b, d: 1} # c\n---\nx: 1\n",
    ),
    "a complex key beside": (
        "? [p, q]\n: 1\nb: 2\n",
        (Remove(("b",)), Put(("c",), 3)),
        "? [p, q]\n: 1\nc: 3\n",
    ),
    "a value of a complex form": ("? a\n: 1\n", (Put(("a",), 2),), "? a\n: 2\n"),
    "separators in strings": (
        'a: "x\u2028y\u0085z"\nc: 3\n',
        (Put(("c",), 4), Put(("d",), 5)),
        'a: "x\u2028y\u0085z"\nc: 4\nd: 5\n',
    ),
    "a separator as a line break": ("a: 1\u2028b: 2\nc: 3\n", (Put(("c",), 4),), "a: 1\u2028b: 2\nc: 4\n"),
}


@pytest.mark.parametrize("name", CASES)
def test_text(name: str) -> None:
    text, edits, expected = CASES[name]
    assert edited(text, *edits) == expected


def test_only_the_document_that_is_meant_changes() -> None:
    text = "# head\na: 1\n---\na: 1 # two\n--- # three\na: 1"
    assert edited(text, Put(("a",), 2), document=1) == "# head\na: 1\n---\na: 2 # two\n--- # three\na: 1"
    assert (
        edited(text, Put(("b",), 2), document=2) == "# head\na: 1\n---\na: 1 # two\n--- # three\na: 1\nb: 2"
    )


# --- anchors, aliases, merge keys ---------------------------------------------------------------

LIMITS: Path = ("limits", "a")
REQUESTS: Path = ("requests", "a")

SHARED: dict[str, tuple[str, tuple[Edit, ...], str]] = {
    "limits and requests are one mapping": (
        "limits: &l {a: 1, b: 2}\nrequests: *l\n",
        (
            Rename(LIMITS, "x", 9),
            Rename(REQUESTS, "x", 9),
            Remove(("limits", "b")),
            Remove(("requests", "b")),
        ),
        "limits: &l {x: 9}\nrequests: *l\n",
    ),
    "what is new is written once": (
        "limits: &l\n  a: 1\nrequests: *l\n",
        (Put(("limits", "b"), 2), Put(("requests", "b"), 2)),
        "limits: &l\n  a: 1\n  b: 2\nrequests: *l\n",
    ),
    "items too": (
        "one: &s\n  l:\n  - x\ntwo: *s\n",
        (Append(("one", "l"), "y"), Append(("two", "l"), "y")),
        "one: &s\n  l:\n  - x\n  - y\ntwo: *s\n",
    ),
    "both are emptied": (
        "limits: &l\n  a: 1\nrequests: *l\nx: 1\n",
        (Remove(LIMITS), Remove(REQUESTS)),
        "x: 1\n",
    ),
    "an anchor within an anchor": (
        "c:\n- &r\n  limits: &l {a: 1}\n  requests: *l\n- *r\n",
        tuple(Rename(("c", n, k, "a"), "z", 2) for n in (0, 1) for k in ("limits", "requests")),
        "c:\n- &r\n  limits: &l {z: 2}\n  requests: *l\n- *r\n",
    ),
    "single values": (
        "limits: {a: &c 30}\nrequests: {a: *c}\n",
        (Rename(LIMITS, "x", 9), Rename(REQUESTS, "x", 9)),
        "limits: {x: &c 9}\nrequests: {x: *c}\n",
    ),
    "keys change though the value stays with others": (
        "v: &c 30\nlimits: {a: *c}\n",
        (Rename(LIMITS, "x", 30),),
        "v: &c 30\nlimits: {x: *c}\n",
    ),
    "an alias goes": ("v: &c 30\nlimits: {a: *c, b: 1}\n", (Remove(LIMITS),), "v: &c 30\nlimits: {b: 1}\n"),
    "anchor and alias go": (
        "limits: {a: &c 30, b: 1}\nrequests: {a: *c, b: 1}\n",
        (Remove(LIMITS), Remove(REQUESTS)),
        "limits: {b: 1}\nrequests: {b: 1}\n",
    ),
    "a merged container": (
        "c:\n- &b\n  limits: {a: 1}\n- <<: *b\n  n: 2\n",
        (Rename(("c", 0, "limits", "a"), "z", 1), Rename(("c", 1, "limits", "a"), "z", 1)),
        "c:\n- &b\n  limits: {z: 1}\n- <<: *b\n  n: 2\n",
    ),
    "a merged container with limits of its own": (
        "c:\n- &b\n  limits: {a: 1}\n- <<: *b\n  limits: {a: 2}\n",
        (Rename(("c", 0, "limits", "a"), "z", 1),),
        "c:\n- &b\n  limits: {z: 1}\n- <<: *b\n  limits: {a: 2}\n",
    ),
    "an anchor that nobody shares": (
        "limits: &l {a: 1}\nrest: *l\nown: &m {a: 1}\n",
        (Put(("own", "a"), 2),),
        "limits: &l {a: 1}\nrest: *l\nown: &m {a: 2}\n",
    ),
}


@pytest.mark.parametrize("name", SHARED)
def test_shared_where_all_users_mean_the_same(name: str) -> None:
    text, edits, expected = SHARED[name]
    assert edited(text, *edits) == expected


NOT_ALIKE: dict[str, tuple[str, tuple[Edit, ...]]] = {
    "one of two users": ("limits: &l {a: 1}\nrequests: *l\n", (Put(LIMITS, 2),)),
    "two users, two values": ("limits: &l {a: 1}\nrequests: *l\n", (Put(LIMITS, 2), Put(REQUESTS, 3))),
    "a third user": ("limits: &l {a: 1}\nrequests: *l\nother: *l\n", (Put(LIMITS, 2), Put(REQUESTS, 2))),
    "something new for one": ("limits: &l {a: 1}\nrequests: *l\n", (Put(("requests", "b"), 2),)),
    "a merged mapping": ("limits: &l {a: 1}\nm: {<<: *l, b: 1}\n", (Put(LIMITS, 2),)),
    "through the merge": ("limits: &l {a: 1}\nm: {<<: *l, b: 1}\n", (Put(("m", "a"), 2),)),
    "a value with an anchor": ("limits: {a: &c 30}\nother: *c\n", (Put(LIMITS, 2),)),
    "a value that is an alias": ("other: &c 30\nlimits: {a: *c}\n", (Put(LIMITS, 2),)),
    "the anchor goes, its alias stays": ("limits: {a: &c 30, b: 1}\nother: *c\n", (Remove(LIMITS),)),
    "an anchor inside of what goes": ("limits:\n  a: {b: &c 30}\nx: 1\nother: *c\n", (Remove(LIMITS),)),
    "a key with an anchor": ("limits: {&k a: 1}\nother: *k\n", (Rename(LIMITS, "b", 1),)),
    "an anchor inside of what is replaced": ("limits: {a: {b: &c 30}}\nother: *c\n", (Put(LIMITS, 1),)),
    # what goes comes back
    "a merge brings back what goes": ("b: &b {a: 1}\nlimits: {<<: *b, a: 2}\n", (Remove(LIMITS),)),
    "a merge brings back what gets another name": (
        "b: &b {a: 1}\nlimits:\n  <<: *b\n  a: 2\n",
        (Rename(LIMITS, "c", 2),),
    ),
    "the second of two merged mappings": (
        "x: &x {a: 1}\ny: &y {a: 2}\nlimits: {<<: [*x, *y], a: 3}\n",
        (Remove(LIMITS),),
    ),
    "a merge brings back what a removal empties": (
        "b: &b {limits: {z: 1}}\nm:\n  <<: *b\n  limits:\n    a: 1\n",
        (Remove(("m", "limits", "a")),),
    ),
}


@pytest.mark.parametrize("name", NOT_ALIKE)
def test_shared_with_something_that_is_not_changed_alike(name: str) -> None:
    text, edits = NOT_ALIKE[name]
    with pytest.raises(EditError) as caught:
        edited(text, *edits)
    assert caught.value.code == "GX005"
    assert caught.value.path in {edit.path for edit in edits}


# --- refusals -----------------------------------------------------------------------------------

REFUSED: dict[str, tuple[str, tuple[Edit, ...], str]] = {
    "no such item": ("a: [b]\n", (Put(("a", 1, "c"), 1),), "no such item"),
    "no such list": ("a: {}\n", (Append(("a", "b", 0), 1),), "no such item"),
    "no such entry": ("a: 1\n", (Rename(("b",), "c", 1),), "no such entry to rename"),
    "a scalar on the way": ("a: 1\n", (Put(("a", "b"), 1),), "not a mapping"),
    "a mapping where a list is meant": ("a: {b: 1}\n", (Append(("a",), 1),), "not a list"),
    "a mapping for a value": (
        "a: 1\n",
        (Put(("a",), {"b": 1}),),
        "a mapping would replace a value",
    ),
    "a key that is there": ("a: 1\nb: 2\n", (Rename(("a",), "b", 1),), "b already exists"),
    "a comment in braces": (
        "m: {\n  a: 1, # c\n  b: 2\n}\n",
        (Remove(("m", "a")),),
        "a comment is inside the braces",
    ),
    "an entry in braces that are left out": (
        "m: [a: 1]\n",
        (Remove(("m", 0, "a")), Put(("m", 0, "b"), 1)),
        "braces of its own",
    ),
    "a list within a list": ("m:\n- - a\n  - b\n", (Remove(("m", 0, 0)),), "shares its line"),
    "a complex key": ("? a\n: 1\nb: 1\n", (Remove(("a",)),), "shares its line"),
    "a key given twice": (
        "a: 1\na: 2\nb: 1\n",
        (Remove(("a",)),),
        "a would remain: it is given twice",
    ),
    "a list as a document": ("- a\n", (Put(("a",), 1),), "not a mapping"),
    "a text as a document": ("a\n", (Put(("a",), 1),), "the document is not a mapping or a list"),
    "a tag that would contradict": (
        "a: !!str &x 1\nb: *x\n",
        (Put(("a",), 2), Put(("b",), 2)),
        "the result would differ elsewhere",
    ),
    "a separator as a line break": ("x: 1\u2028b:\u2028  c: 2\n", (Put(("b", "e"), 4),), "the result would"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_reason_and_a_place(name: str) -> None:
    text, edits, reason = REFUSED[name]
    with pytest.raises(EditError) as caught:
        edited(text, *edits)
    assert reason in caught.value.message
    assert caught.value.path in {edit.path for edit in edits}


def test_nothing_is_taken_from_what_follows() -> None:
    """A document that ends in the middle of a line, before a text that is no YAML."""
    source = Source("f", "  a:\x85b:")
    document = next(documents(source))
    with pytest.raises(EditError, match="the text that follows would change too"):
        edit_document(document, [Put(("c",), 1), Remove(("a",))])


def test_no_edits_no_splices() -> None:
    [document] = documents(Source("f", "a: 1\n"))
    assert edit_document(document, []) == []


def test_two_mappings_made_in_one_empty_place_both_stand() -> None:
    """Limits and requests of the same keys, put where ``resources`` holds nothing yet."""
    for empty in ("resources: {}", "resources:", "resources: null"):
        text = f"spec:\n  c:\n  - name: x\n    {empty}\n"
        document = next(documents(Source("x", text)))
        edits = [Put(("spec", "c", 0, "resources", kind, "a"), 1) for kind in ("limits", "requests")]
        made = apply(text, edit_document(document, edits))
        filled = "    resources:\n      limits:\n        a: 1\n      requests:\n        a: 1\n"
        assert made == "spec:\n  c:\n  - name: x\n" + filled


KEPT = {
    "m:\n  # c\n  a: 1\nb: 2\n": "m: {}\n  # c\nb: 2\n",
    "m: {a: 1}  # c\n": "m: {}  # c\n",
    "m:  # c\n  a: 1\n": "m: {}  # c\n",
    "m:\n- x\n": "m: []\n",
    "m:\r\n  a: 1\r\n": "m: {}\r\n",
}


@pytest.mark.parametrize("text", KEPT)
def test_what_is_kept_stays_as_empty_braces(text: str) -> None:
    [document] = documents(Source("f", text))
    gone = Remove(("m", 0) if "- x" in text else ("m", "a"))
    assert apply(text, edit_document(document, [gone], [("m",)])) == KEPT[text]


def test_what_is_kept_and_has_an_anchor_cannot_be_emptied() -> None:
    [document] = documents(Source("f", "m: &x\n  a: 1\n"))
    with pytest.raises(EditError, match="nothing would be left of it"):
        edit_document(document, [Remove(("m", "a"))], [("m",)])
