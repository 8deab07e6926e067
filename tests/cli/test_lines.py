"""Differences of texts: that they lead from the one to the other, and what they look like."""

from __future__ import annotations

import random
import re

import pytest

from gpuxlate.report.lines import NEAR, same, unified

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")
NO_END = "\\ No newline at end of file\n"


def applied(old: str, diff: str) -> str:
    """What ``patch`` makes of a text, line by line; each line of context has to be there."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", old)
    said = re.findall(r"[^\n]*\n|[^\n]+", diff)[2:]
    out: list[str] = []
    at = 0
    for number, line in enumerate(said):
        if match := HUNK.fullmatch(line):
            start = int(match[1]) - (match[2] != "0")
            out += lines[at:start]
            at = start
            continue
        if line == NO_END:
            continue
        text = line[1:]
        if said[number + 1 : number + 2] == [NO_END]:
            text = text.removesuffix("\n")
        if line[0] in " -":
            assert lines[at] == text
            at += 1
        if line[0] in " +":
            out.append(text)
    return "".join([*out, *lines[at:]])


def edited(choose: random.Random) -> tuple[str, str]:
    """A text of lines that often repeat, and the same with some changes."""
    old = [
        choose.choice(["x", "y", "z", f"q{choose.randrange(30)}"]) + "\n" for _ in range(choose.randrange(40))
    ]
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
    if new and choose.random() < 0.2:
        new[-1] = new[-1].rstrip("\n")
    if old and choose.random() < 0.2:
        old[-1] = old[-1].rstrip("\n")
    return "".join(old), "".join(new)


def test_a_difference_leads_from_one_text_to_the_other() -> None:
    choose = random.Random(5)
    for _ in range(1500):
        old, new = edited(choose)
        diff = unified(old, new, "f")
        assert applied(old, diff) == new if diff else old == new


def test_texts_that_never_agree_again() -> None:
    old = "same\n" + "".join(f"a{n}\n" for n in range(2 * NEAR))
    new = "same\n" + "".join(f"b{n}\n" for n in range(2 * NEAR))
    assert applied(old, unified(old, new, "f")) == new
    assert [tuple(one) for one in same(old.splitlines(), new.splitlines())] == [(0, 0, 1)]


@pytest.mark.parametrize(
    ("old", "new", "diff"),
    [
        ("a\n", "a\n", ""),
        ("", "a\n", "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"),
        ("a\n", "", "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-a\n"),
        ("a", "b\n", f"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n{NO_END}+b\n"),
        (
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
            "--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
        ),
        ("a # \u2028 b\n", "c # \u2028 b\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a # \u2028 b\n+c # \u2028 b\n"),
        ("a\r\nb\r\n", "a\r\nc\r\n", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"),
    ],
)  # fmt: skip
def test_what_a_difference_looks_like(old: str, new: str, diff: str) -> None:
    assert unified(old, new, "f") == diff
