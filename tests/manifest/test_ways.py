"""What libyaml composes in C is what its events say: the same documents, nodes, positions and errors."""

import threading
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gpuxlate.model import limits
from gpuxlate.yamltext import composed
from tests.effort import tries
from tests.fuzz.writing import yaml_texts
from tests.manifest.ways import from_events, told, told_by_events

ROOT = Path(__file__).resolve().parents[2]

# fmt: off
PIECES = (
    "---", "\n---", "\n--- ", "\n---\n", "...", "\n...", "- ", "-", "? ", "?", ": ", ":", ":\n", "&a ",
    "&a", "*a ", "*a", "!t ", "! ", "!", "!!str ", "!<x>", "!<!>", "|\n", "|-\n", ">\n", ">+\n", "|2\n",
    "\n  ", "\n ", "\n    ", "\n", "\n", "\t", "a", "b", "a/b", "<<", "<<: ", "key: ", "a: ", "a: 1\n", "'",
    '"', "'x'", '"y"', "\\", "[", "]", "{", "}", ",", "{}", "[]", "#", " # c\n", "%", "\n%YAML 1.1\n",
    "\r\n", "\r", "\x85", "\u2028", "\ufeff", "é", "名", "~", "&&", "*.x", "\\u00e9", "\\ud83d\\ude00",
    "\x00", "\x7f", "@", " ", "\xa0",
)
# fmt: on
pieces = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)


@tries(2000)
@given(st.one_of(pieces, yaml_texts()))
@example("# c\n---\na: 1\n---\nb: 1\n")
@example("a: 1\n--- # c\n---x\n...\n")
@example("a: 1\nb: {c: 1, c: 2}\na: 2\n? [x]\n: y\n<<: {d: 1}\n")
@example("[{}: a, ? b]\n---\n? - ? a\n  - b\n: - : c\n")
def test_both_ways_are_alike(text: str) -> None:
    assert told(text) == told_by_events(text)


@tries(2000)
@given(st.one_of(pieces, yaml_texts()), st.integers(2, 40))
def test_both_ways_have_the_same_limits(text: str, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("NODES", most), ("DEPTH", 3), ("KEY", 4), ("DOCUMENTS", 3)):
            patch.setattr(limits, f"MAX_{name}", value)
        patch.setattr(composed, "_COLUMNS", 6)
        patch.setattr(composed, "_BRACKETS", 2)
        assert told(text) == told_by_events(text)


@pytest.mark.parametrize("folder", ["fixtures", "examples"])
def test_both_ways_are_alike_for_all_fixtures(folder: str) -> None:
    paths = [one for one in (ROOT / folder).rglob("*") if one.suffix in (".yaml", ".yml", ".json")]
    assert len(paths) > 5
    for path in paths:
        text = path.read_bytes().decode(errors="replace")
        assert told(text) == told_by_events(text), path


COMPOSED = (
    "# c\n\n---\na: 1\n---\n",
    "a: |\n  b && c\n  rm *.x /*\n  echo $! &\n",
    "a: !t 1\nb: !!map {c: x&y, d: z*}\n",
    "a: 'Hi!'\nb: 1 != 2\n",
    "a: 1\na: 2\n",
    "a: 名\r\nb: 1\r\n",
    "[" * limits.MAX_DEPTH + "]" * limits.MAX_DEPTH,
    f"a: {'x' * 1000}\n" + " " * 1000 + "# c\n",
    "[" + "{a: []}, " * 500 + "]\n",
)
OTHERS = {
    "a: &a 1\nb: *a\n---\nc: 1\n---\n[&b c]\n---\n{d: e}\n": [0, 2],
    "a: ! 1\n---\nb: 1\n": [0],
    "a: 1\n---\nb: [ -f x && ! -f y ]\n": [1],
    "a: |\n  cp *foo bar\n": [0],
    "%YAML 1.1\n---\na: 1\n": [0],
    "a: 1\n...\n---\nb: 1\n": [0, 1],
    'a: "b\u2028c"\n': [0],
    "a: b\rc: d\n": [0],
    'a: 1\n---\nb: "\\ud83d\\ude00"\n': [0, 1],
}


def test_what_libyaml_composes() -> None:
    """One document with an anchor makes no other slow."""
    assert {text: from_events(text) for text in COMPOSED} == {text: [] for text in COMPOSED}
    assert {text: from_events(text) for text in OTHERS} == OTHERS


DEEP = (
    *(opening * 99_999 for opening in ("[", "- ", "? ", "a: [", "{? ", "!!seq [")),
    *("".join(" " * n + opening for n in range(999)) for opening in ("k:\n", "-\n")),
    "[{a: 'b'}], " * 99,
    "x" * 999 + "\n" + "- " * 9_999,
)


@pytest.mark.parametrize("text", DEEP)
def test_the_stack_of_a_small_thread_is_enough(text: str) -> None:
    found = []
    before = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=lambda: found.append(told(text)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert found == [told_by_events(text)]
