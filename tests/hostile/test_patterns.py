"""Patterns as in .gitignore: what they match, and that none takes long, whoever wrote it."""

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gpuxlate.files.find import MAX_PATTERN, compile_pattern
from tests.counting import lines
from tests.effort import SEED, number

# gitignore(5), "Pattern format"
# fmt: off
MATCHES = {
    "a.yaml": ["a.yaml", "x/a.yaml", "a.yaml/below"], "/a.yaml": ["a.yaml"],
    "x/a.yaml": ["x/a.yaml", "x/a.yaml/below"], "x/": ["x/a", "y/x/a", "x/y/a"],
    "*.yaml": ["a.yaml", "x/.yaml"], "x/*/a": ["x/y/a"], "**/a": ["a", "x/a", "x/y/a"],
    "x/**": ["x/a", "x/y/a"], "x/**/a": ["x/a", "x/y/a", "x/y/z/a"], "?.yaml": ["a.yaml", "x/é.yaml"],
    "[a-c]1": ["a1", "c1"], "[!a-c]1": ["d1"], "[^a]1": ["b1"], "[]a]1": ["]1", "a1"],
    "[a-]1": ["-1", "a1"], r"\*": ["*"], r"[\]]1": ["]1"], "a  ": ["a"], r"a\ ": ["a "],
    "*a*b*c": ["abc", "xaxbxc", "aabbc/x"],
}
# fmt: on
PATHS = sorted({path for paths in MATCHES.values() for path in paths} | {"ba", "x/b.yml", "x", "d/1", "ab1"})


def test_what_a_pattern_matches() -> None:
    assert {
        text: [path for path in paths if compile_pattern(text)(path)] for text, paths in MATCHES.items()
    } == MATCHES


PARTS = ["a", "b", "*", "**", "/", "?", "[ab]", "[!a]", ".", "a/", "/**/", r"\*", "[a-c]", "[]a]", " "]


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with git")
def test_git_agrees(tmp_path: Path) -> None:
    """Patterns at random: git names the same paths."""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    chance = random.Random(SEED)
    texts = [*MATCHES, *("".join(chance.choices(PARTS, k=chance.randint(1, 5))) for _ in range(number(250)))]
    for text in texts:
        if re.match(r"[!#\s]", text) or "//" in text or "***" in text or not text.strip("/ "):
            continue
        names = ("".join(chance.choices("abc*]", k=chance.randint(1, 3))) for _ in range(120))
        paths = {"/".join(group) for group in zip(names, names, names, strict=False)} | set(PATHS)
        paths |= {path.rpartition("/")[2] for path in paths}
        paths = {path for path in paths if path.isascii()}  # git counts bytes
        (tmp_path / ".gitignore").write_text(f"{text}\n")
        done = subprocess.run(
            ["git", "-c", "core.quotePath=false", "check-ignore", "--no-index", "-z", "--stdin"],
            cwd=tmp_path,
            input="\0".join(sorted(paths)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert {path for path in paths if compile_pattern(text)(path)} == set(done.stdout.split("\0")) - {
            ""
        }, text


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("*a" * 6 + "*b", "a" * 250),
        ("*a" * 400 + "*b", "a" * 250),
        ("**/a/" * 100 + "b", "a/" * 500 + "c"),
        ("**/*a*a*a*b/" * 50 + "b", "aaaaaaaaaaaa/" * 80 + "c"),
        ("?" * 900 + "b", "a" * 250),
    ],
)
def test_no_pattern_takes_long(text: str, path: str) -> None:
    matches = compile_pattern(text)
    assert not matches(path)
    assert lines(lambda: matches(path)) < 100 * (len(text) + len(path))


@pytest.mark.parametrize("text", ["[z-a]", "[a", "a[", "x\\", "/", "//", "a" * (MAX_PATTERN + 1)])
def test_what_is_no_pattern(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        compile_pattern(text)
