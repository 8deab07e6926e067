"""Manifests beside each other: what is aligned, what is marked, what fits."""

from __future__ import annotations

import pytest

from gpuxlate.cli.side_by_side import align, side_by_side

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


def test_all_of_it_in_columns_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, 80) == [
        "  one                                    two",
        "  -----------------------------------    -----------------------------------",
        "  spec:                                  spec:",
        "    a: 1                                   a: 1",
        "    limits:                                limits:",
        '+     one/core: 30                     +     two/core: "30"',
        '                                       +     two/memory: "4"',
        "    z: 1  # a long comment at the end      z: 1  # a long comment at the end",
    ]


@pytest.mark.parametrize("columns", [42, 50, 60, 72])
def test_a_line_that_all_share_is_cut_to_fit(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    lines = shown(monkeypatch, columns)
    assert max(map(len, lines)) <= columns
    assert lines[-1].count("…") == 2
    assert "+     one/core: 30" in lines[5]
    assert lines[6].endswith('+     two/memory: "4"')


def test_a_narrow_terminal_gets_one_below_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, 40) == [
        "one",
        "  ... lines 1 to 1, which all targets share",
        "    a: 1",
        "    limits:",
        "+     one/core: 30",
        "    z: 1  # a long comment at the end",
        "",
        "two",
        "  ... lines 1 to 1, which all targets share",
        "    a: 1",
        "    limits:",
        '+     two/core: "30"',
        '+     two/memory: "4"',
        "    z: 1  # a long comment at the end",
    ]


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
    monkeypatch.setenv("COLUMNS", "30")
    lines = side_by_side(
        [("one", "a: 深度学习深度学习\nb: 1\n"), ("two", "a: 深度学习深度学习\nb: 2\n")]
    ).splitlines()
    assert lines[2] == "  a: 深度学习…    a: 深度学习…"
    # four characters of two columns stand before
    assert lines[3].index("+ b: 2") == lines[2].rindex("  a:") + 4


def test_control_characters_are_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert "\x1b" not in side_by_side([("one", "a: \x1b[31m\n"), ("two", "a: 1\n")])
