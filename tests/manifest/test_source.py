"""The text of an input: bytes, lines, positions."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right

import pytest

from gpuxlate.model.diagnostics import Span
from gpuxlate.yamltext import source as source_module
from gpuxlate.yamltext.source import DecodeError, Source


def test_a_byte_order_mark_is_set_apart_and_put_back() -> None:
    source = Source.from_bytes("f", b"\xef\xbb\xbfa: 1\n")
    assert (source.bom, source.text) == ("\ufeff", "a: 1\n")
    assert source.encode("b: 2\n") == b"\xef\xbb\xbfb: 2\n"
    without = Source.from_bytes("f", "名: 值\n".encode())
    assert not without.bom
    assert without.encode(without.text) == "名: 值\n".encode()


REFUSED = [
    (b"a: \xff\n", "byte 3 (0xff)"),
    ("名: 值".encode("gb18030"), "byte 0 (0xc3)"),
    (b"a: \xe5\x90", "byte 3"),
]


@pytest.mark.parametrize(("data", "where"), REFUSED)
def test_other_encodings_are_refused_with_the_byte(data: bytes, where: str) -> None:
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


def test_a_span_ends_behind_its_last_character() -> None:
    assert Source("f", "ab\ncd\n").span(1, 5) == Span(1, 2, 2, 3)


def test_the_first_line_break_is_the_file_s() -> None:
    breaks = {"a\r\nb\n": "\r\n", "a\nb\r\n": "\n", "a\rb": "\r", "a": "\n"}
    assert {text: Source("f", text).newline() for text in breaks} == breaks


def test_lines_without_their_breaks() -> None:
    source = Source("f", "a\r\n\r\nlast")
    assert [source.line_text(n) for n in range(6)] == ["", "a", "", "last", "", ""]


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
