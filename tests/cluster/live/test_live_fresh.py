"""New YAML documents: what any reader of them reads is what was written."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.yamltext.plain import fresh, plain_document
from gpuxlate.yamltext.source import Source

# each is something else than a string, or breaks, where it is written bare
TRICKY = (
    "yes", "on", "No", "y", "1e3", "012", "0o17", "1_000", "2001-01-01", "null", "~", "", "1:30", "0x1F",
    "=", "a: b", "a:", "- x", "%x", " lead", "trail ", "multi\n", "a\n\nb\n\n", "a\n   \nb", "a\n  ",
    "\ttab", ".5", "+1", "1.", "!x", "<<", ".inf", "a\u2028b", "é\x85x", "\x07", "# x", "a #b", "a\tb\nc",
    "😀\x7f", "---", "...", "? a", "@a", "`a", "'q'", '"q"', "{a", "[b", "a\n---\nb", "\xa0x", "中文\n行\n",
    "a\r\nb", "a\\nb",
)  # fmt: skip

TEXTS = st.one_of(st.sampled_from(TRICKY), st.text(st.characters(exclude_categories=["Cs"]), max_size=10))
LEAVES = st.one_of(TEXTS, st.integers(-10, 10**12), st.booleans(), st.none(), st.sampled_from([0.5, -3.25]))
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, TREES, min_size=1, max_size=4))
def test_any_reader_reads_what_was_written(data: dict[str, Any]) -> None:
    text = fresh(data)
    assert yaml.safe_load(text) == data  # YAML 1.1, as kubectl's
    assert plain_document(Source("x", text)) == data


LOOKS: list[tuple[Any, str]] = [
    ({"a": {"b": ["x", {"c": 1, "d": None}]}}, "a:\n  b:\n  - x\n  - c: 1\n    d: null\n"),
    ({"a": [], "b": {}, "c": True}, "a: []\nb: {}\nc: true\n"),
    ({"run": "set -e\nexec x\n"}, "run: |\n  set -e\n  exec x\n"),
    ({"run": ["a\nb"]}, "run:\n- |-\n  a\n  b\n"),
    ([["a"], [{"b": 1}]], "- - a\n- - b: 1\n"),
    ({"on": "yes"}, '"on": "yes"\n'),
    ("text", "text\n"),
]


def test_how_it_looks() -> None:
    assert {text: fresh(data) for data, text in LOOKS} == {text: text for _, text in LOOKS}
