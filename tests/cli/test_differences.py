"""Differences of texts: that they lead from the one to the other, what they look like, and beside each other
what is aligned, what is marked, what fits."""

import os
import random
import re
from pathlib import Path
from unittest.mock import patch

import pytest

from gpuxlate.cli.compare import align, side_by_side
from gpuxlate.model.windows import WINDOW_LINES, matching_lines
from gpuxlate.report.characters import coloured_diff, unified_diff, width
from tests.running import run

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")
NO_END = "\\ No newline at end of file\n"


def applied(old: str, diff: str) -> str:
    """What ``patch`` makes of a text, line by line; each line of context has to be there."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", old)
    said = re.findall(r"[^\n]*\n|[^\n]+", diff)[2:]
    out: list[str] = []
    at = 0
    for line, follows in zip(said, [*said[1:], ""], strict=True):
        if match := HUNK.fullmatch(line):
            start = int(match[1]) - (match[2] != "0")
            out += lines[at:start]
            at = start
            continue
        if line == NO_END:
            continue
        text = line[1:].removesuffix("\n" if follows == NO_END else "")
        if line[0] in " -":
            assert lines[at] == text
            at += 1
        if line[0] in " +":
            out.append(text)
    return "".join([*out, *lines[at:]])


def edited(choose: random.Random) -> tuple[str, str]:
    """A text of lines that often repeat, and the same with some changes."""
    often = ("x", "y", "z")
    old = [choose.choice([*often, f"q{choose.randrange(30)}"]) + "\n" for _ in range(choose.randrange(40))]
    new = list(old)
    for _ in range(choose.randrange(5)):
        at = choose.randrange(len(new) + 1)
        match choose.randrange(3):
            case 0:
                new[at:at] = [f"n{choose.randrange(5)}\n"] * choose.randrange(1, 4)
            case 1:
                del new[at : at + choose.randrange(1, 4)]
            case _:
                new[at : at + 1] = ["m\n"]
    for lines in (old, new):
        if lines and choose.random() < 0.2:
            lines[-1] = lines[-1].rstrip("\n")
    return "".join(old), "".join(new)


def test_a_difference_leads_from_one_text_to_the_other() -> None:
    choose = random.Random(5)
    for _ in range(1500):
        old, new = edited(choose)
        diff = unified_diff(old, new, "f")
        assert applied(old, diff) == new if diff else old == new


def test_texts_that_never_agree_again() -> None:
    old = "same\n" + "".join(f"a{n}\n" for n in range(2 * WINDOW_LINES))
    new = "same\n" + "".join(f"b{n}\n" for n in range(2 * WINDOW_LINES))
    assert applied(old, unified_diff(old, new, "f")) == new
    assert [tuple(one) for one in matching_lines(old.splitlines(), new.splitlines())] == [(0, 0, 1)]


NUMBERS = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
HUNKS = [
    ("a\n", "a\n", None),
    ("", "a\n", "@@ -0,0 +1 @@\n+a\n"),
    ("a\n", "", "@@ -1 +0,0 @@\n-a\n"),
    ("a", "b\n", f"@@ -1 +1 @@\n-a\n{NO_END}+b\n"),
    (NUMBERS, NUMBERS.replace("5", "five"), "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"),
    ("a # \u2028 b\n", "c # \u2028 b\n", "@@ -1 +1 @@\n-a # \u2028 b\n+c # \u2028 b\n"),
    ("a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"),
]


@pytest.mark.parametrize(("old", "new", "hunk"), HUNKS)
def test_what_a_difference_looks_like(old: str, new: str, hunk: str | None) -> None:
    assert unified_diff(old, new, "f") == (f"--- a/f\n+++ b/f\n{hunk}" if hunk else "")


# --- manifests beside each other ------------------------------------------------------------------

ONE = "spec:\n  a: 1\n  limits:\n    one/core: 30\n  z: 1  # a long comment at the end\n"
TWO = ONE.replace("one/core: 30\n", 'two/core: "30"\n    two/memory: "4"\n')
THREE = "spec:\n  a: 1\n  limits: {}\n  z: 1  # a long comment at the end\n  nodeSelector: x\n"


def shown(columns: int | None, **texts: str) -> list[str]:
    kept = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"NO_COLOR": "1"}
    with patch.dict(os.environ, kept | ({"COLUMNS": str(columns)} if columns else {}), clear=True):
        return side_by_side([*texts.items()]).splitlines()


def heads(lines: list[str]) -> list[list[str]]:
    return [re.findall(r"(\w+, lines \d+ to \d+)", line) for line in lines if line.startswith("--")]


@pytest.mark.parametrize("columns", [None, 80])
def test_columns_that_fit(columns: int | None) -> None:
    assert shown(columns, one=ONE, two=TWO) == [
        "-- one, lines 1 to 5 ----------------  -- two, lines 1 to 6 ----------------",
        "  spec:                                  spec:",
        "    a: 1                                   a: 1",
        "    limits:                                limits:",
        '+     one/core: 30                     +     two/core: "30"',
        '                                       +     two/memory: "4"',
        "    z: 1  # a long comment at the end      z: 1  # a long comment at the end",
    ]


@pytest.mark.parametrize("columns", [50, 60, 72])
def test_a_line_that_all_share_is_cut_to_fit(columns: int) -> None:
    lines = shown(columns, one=ONE, two=TWO)
    assert max(map(len, lines)) <= columns
    assert lines[-1].count("…") == 2
    assert "+     one/core: 30" in lines[4]
    assert lines[5].endswith('+     two/memory: "4"')


def test_as_many_beside_each_other_as_fit() -> None:
    begin, end = ["  spec:", "    a: 1", "    limits:"], "    z: 1  # a long comment at the end"
    in_two = ['+     two/core: "30"', '+     two/memory: "4"']
    assert shown(40, one=ONE, two=TWO) == [  # one below the other
        *("-- one, lines 1 to 5 ----------------", *begin, "+     one/core: 30", end),
        *("-- two, lines 1 to 6 ----------------", *begin, *in_two, end),
    ]
    found = heads(shown(50, one=ONE, two=TWO, three=THREE))
    assert [[one.partition(",")[0] for one in line] for line in found] == [["one", "two"], ["three"]]


def test_three_lines_about_a_difference() -> None:
    changes = ({10: "a\nb", 17: "c", 25: "d"}, {10: "e", 17: "f", 25: "g"})
    one, two = ("".join(f"{changed.get(line, line)}\n" for line in range(1, 31)) for changed in changes)
    assert heads(shown(60, x=one, y=two)) == [
        ["x, lines 7 to 21", "y, lines 7 to 20"],
        ["x, lines 23 to 29", "y, lines 22 to 28"],
    ]


def test_what_has_no_line_of_its_own_is_named() -> None:
    assert shown(36, one="a: 1\nb: 2\n", two="a: 1\nb: 2\nc: 3\n") == [
        "-- one -----------------------------",
        "  ... lines 1 to 2, which all targe…",
        *("-- two, lines 1 to 3 --", "  a: 1", "  b: 2", "+ c: 3"),
    ]


@pytest.mark.parametrize("names", ["a", "ab"])
def test_what_does_not_differ_is_shown_whole(names: str) -> None:
    lines = shown(80, **dict.fromkeys(names, "".join(f"{line}\n" for line in range(20))))
    assert len(lines) == 21
    assert lines[20].split() == ["19"] * len(names)


def test_what_three_have_in_common() -> None:
    rows = align([text.splitlines() for text in (ONE, TWO, THREE)])
    common = [row[0].text for row in rows if row[0] and not row[0].is_unique]
    assert common == ["spec:", "  a: 1", "  z: 1  # a long comment at the end"]
    for index, text in enumerate((ONE, TWO, THREE)):
        assert [line.text for row in rows if (line := row[index])] == text.splitlines()
    assert [line.text if line else None for line in rows[-1]] == [None, None, "  nodeSelector: x"]


def test_characters() -> None:
    """Too wide lines are folded, wide characters keep the columns, control characters are not sent."""
    lines = shown(30, one="a: 深度学习" + "0123456789" * 5, two="b: 1")
    assert lines[1:4] == ["+ a: 深度学习01234567890123456", "+ …789012345678901234567890123", "+ …456789"]
    assert max(map(width, lines)) <= 30
    lines = shown(50, **{name: f"a: {'深度学习' * 4}\nb: {end}\n" for name, end in (("one", 1), ("two", 2))})
    assert lines[1] == f"  a: {'深度学习' * 2}深…    a: {'深度学习' * 2}深…"
    # nine characters of two columns stand before
    assert lines[2].index("+ b: 2") == lines[1].rindex("  a:") + 9
    assert "\x1b" not in "".join(shown(80, one="a: \x1b[31m\n", two="a: 1\n"))


# --- colours ----------------------------------------------------------------------------------------------

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    resources:
      limits:
        gpuxlate.io/cores: 30
        gpuxlate.io/memory-mib: 4096
"""
FIXABLE = POD.replace("gpuxlate.io/cores", "tke.cloud.tencent.com/qgpu-core").replace(
    "gpuxlate.io/memory-mib: 4096", "tke.cloud.tencent.com/qgpu-memory: 5Gi"
)
SGR = re.compile(r"\x1b\[[0-9;]*m")
BOLD, RED, GREEN, CYAN = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[36m"


@pytest.fixture
def _tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "a.yaml").write_text(POD)
    (tmp_path / "web.yaml").write_text(FIXABLE)
    (tmp_path / ".gpuxlate.yaml").write_text("sync: [{source: base/, targets: {tke: out/}}]\n")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_tree")
@pytest.mark.parametrize(
    ("command", "colours"),
    [
        ("lint web.yaml --diff", {BOLD, RED, GREEN, CYAN}),
        ("translate base/a.yaml --to tke --diff", {BOLD, RED, GREEN, CYAN}),
        ("sync --diff", {BOLD, GREEN, CYAN}),
    ],
)
def test_a_diff_has_the_colours_of_git(command: str, colours: set[str]) -> None:
    plain, coloured = run(*command.split()), run(*command.split(), "--color", "always")
    assert (coloured.code, coloured.err) == (plain.code, plain.err)
    assert SGR.sub("", coloured.out.decode()).encode() == plain.out
    begins = [SGR.match(line) for line in coloured.out.decode().splitlines()]
    assert {found[0] for found in begins if found} == colours


def test_no_colour_comes_from_a_file() -> None:
    diff = coloured_diff(unified_diff("a\n", f"{RED}b\n", "x"))
    assert diff.splitlines()[-2:] == [f"{RED}-a\x1b[0m", f"{GREEN}+␛[31mb\x1b[0m"]
