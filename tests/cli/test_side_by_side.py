"""Manifests beside each other: what is aligned, what is marked, what fits."""

from __future__ import annotations

import re

import pytest

from gpuxlate.cli.side_by_side import align, side_by_side
from gpuxlate.report.characters import width

ONE = "spec:\n  a: 1\n  limits:\n    one/core: 30\n  z: 1  # a long comment at the end\n"
TWO = (
    'spec:\n  a: 1\n  limits:\n    two/core: "30"\n    two/memory: "4"\n  z: 1  # a long comment at the end\n'
)
THREE = "spec:\n  a: 1\n  limits: {}\n  z: 1  # a long comment at the end\n  nodeSelector: x\n"


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def shown(monkeypatch: pytest.MonkeyPatch, columns: int | None) -> list[str]:
    if columns is None:
        monkeypatch.delenv("COLUMNS", raising=False)
    else:
        monkeypatch.setenv("COLUMNS", str(columns))
    return side_by_side([("one", ONE), ("two", TWO)]).splitlines()


@pytest.mark.parametrize("columns", [None, 80])
def test_columns_that_fit(monkeypatch: pytest.MonkeyPatch, columns: int | None) -> None:
    assert shown(monkeypatch, columns) == [
        "-- one, lines 1 to 5 ----------------  -- two, lines 1 to 6 ----------------",
        "  spec:                                  spec:",
        "    a: 1                                   a: 1",
        "    limits:                                limits:",
        '+     one/core: 30                     +     two/core: "30"',
        '                                       +     two/memory: "4"',
        "    z: 1  # a long comment at the end      z: 1  # a long comment at the end",
    ]


@pytest.mark.parametrize("columns", [50, 60, 72])
def test_a_line_that_all_share_is_cut_to_fit(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    lines = shown(monkeypatch, columns)
    assert max(map(len, lines)) <= columns
    assert lines[-1].count("…") == 2
    assert "+     one/core: 30" in lines[4]
    assert lines[5].endswith('+     two/memory: "4"')


def test_a_narrow_terminal_gets_one_below_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, 40) == [
        "-- one, lines 1 to 5 ----------------",
        "  spec:",
        "    a: 1",
        "    limits:",
        "+     one/core: 30",
        "    z: 1  # a long comment at the end",
        "-- two, lines 1 to 6 ----------------",
        "  spec:",
        "    a: 1",
        "    limits:",
        '+     two/core: "30"',
        '+     two/memory: "4"',
        "    z: 1  # a long comment at the end",
    ]


def test_as_many_beside_each_other_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    lines = side_by_side([("one", ONE), ("two", TWO), ("three", THREE)]).splitlines()
    heads = [re.findall(r"(\w+), lines", line) for line in lines if line.startswith("--")]
    assert heads == [["one", "two"], ["three"]]


def test_three_lines_about_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    one, two = (
        "".join(f"{changed.get(number, number)}\n" for number in range(1, 31))
        for changed in ({10: "a\nb", 17: "c", 25: "d"}, {10: "e", 17: "f", 25: "g"})
    )
    heads = [line for line in side_by_side([("x", one), ("y", two)]).splitlines() if line.startswith("--")]
    assert [re.findall(r"(\w), lines (\d+) to (\d+)", line) for line in heads] == [
        [("x", "7", "21"), ("y", "7", "20")],
        [("x", "23", "29"), ("y", "22", "28")],
    ]


def test_what_has_no_line_of_its_own_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "36")
    assert side_by_side([("one", "a: 1\nb: 2\n"), ("two", "a: 1\nb: 2\nc: 3\n")]).splitlines() == [
        "-- one -----------------------------",
        "  ... lines 1 to 2, which all targe…",
        "-- two, lines 1 to 3 --",
        "  a: 1",
        "  b: 2",
        "+ c: 3",
    ]


@pytest.mark.parametrize("count", [1, 2])
def test_what_does_not_differ_is_shown_whole(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = "".join(f"{number}\n" for number in range(20))
    lines = side_by_side([(f"t{number}", text) for number in range(count)]).splitlines()
    assert len(lines) == 21
    assert lines[20].split() == ["19"] * count


def test_a_line_wider_than_the_terminal_is_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    text = "a: 深度学习" + "0123456789" * 5
    lines = side_by_side([("one", text), ("two", "b: 1")]).splitlines()
    assert lines[1:4] == ["+ a: 深度学习01234567890123456", "+ …789012345678901234567890123", "+ …456789"]
    assert max(map(width, lines)) <= 30


def test_what_three_have_in_common() -> None:
    rows = align([text.splitlines() for text in (ONE, TWO, THREE)])
    assert [row[0].text for row in rows if row[0] and not row[0].own] == [
        "spec:",
        "  a: 1",
        "  z: 1  # a long comment at the end",
    ]
    for number, text in enumerate((ONE, TWO, THREE)):
        assert [line.text for row in rows if (line := row[number])] == text.splitlines()
    assert [line.text if line else None for line in rows[-1]] == [None, None, "  nodeSelector: x"]


def test_wide_characters_keep_the_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    shared = f"a: {'深度学习' * 4}\n"
    lines = side_by_side([("one", f"{shared}b: 1\n"), ("two", f"{shared}b: 2\n")]).splitlines()
    assert lines[1] == f"  a: {'深度学习' * 2}深…    a: {'深度学习' * 2}深…"
    # nine characters of two columns stand before
    assert lines[2].index("+ b: 2") == lines[1].rindex("  a:") + 9


def test_control_characters_are_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert "\x1b" not in side_by_side([("one", "a: \x1b[31m\n"), ("two", "a: 1\n")])
