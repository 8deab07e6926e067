"""Texts that are large or made to blow up, within the CPU seconds and the memory that the kernel grants.

That the work grows with the text and no faster is counted in ``tests/test_linear.py``.
"""

import os
from pathlib import Path

import pytest

from tests.effort import turn
from tests.hostile.conftest import Worker, fill
from tests.hostile.shapes import BOMBS, KEY, SHAPES
from tests.lint.conftest import pod

CPU_SECONDS = 10
MEMORY = 700 * 2**20
"""Address space of a run: the interpreter with everything loaded takes half of it."""

LARGE = {"dots in a string": 400_000, "dashes in a string": 400_000, "slashes in a string": 100_000,
         "spaces": 200_000, "comments": 50_000, "unknown keys": 20_000, "ignores": 9_000,
         "ignores on one line": 9_000, "anchors": 25_000, "keys outside pods": 20_000,
         "fixes": 4000}  # fmt: skip
"""Sizes at which the quadratic would not end within the seconds granted."""


def bounded(worker: Worker, folder: Path, text: str, command: str) -> int:
    """The exit code of a run that is granted so much."""
    fill(folder, {"a.yaml": text})
    stdin = str(folder / "a.yaml") if command == "krm" else os.devnull
    return worker(folder, *command.split(), stdin=stdin, limits={"CPU": CPU_SECONDS, "AS": MEMORY}).code


@pytest.mark.parametrize("shape", LARGE)
def test_large_texts_end_in_time(tmp_path: Path, worker: Worker, shape: str) -> None:
    commands = ("lint --fix a.yaml", "translate a.yaml --to tke", "inspect a.yaml")
    for command in turn(commands, [*LARGE].index(shape)):
        assert bounded(worker, tmp_path, SHAPES[shape](LARGE[shape]), command) in (0, 1), command


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"], ids=repr)
def test_many_lines_take_little_memory(tmp_path: Path, worker: Worker, line_break: str) -> None:
    """Lines are counted where they are asked for; each noted would be a hundred times the text."""
    text = pod(f"{KEY}: 30\nvke.volcengine.com/mgpu-memory: 4096").replace("\n", line_break)
    text += line_break * (30_000_000 // len(line_break))
    for command in turn(("lint a.yaml", "translate a.yaml --to tke --check"), len(line_break)):
        assert bounded(worker, tmp_path, text, command) in (0, 1), command


BOMBED = (
    "lint a.yaml", "translate a.yaml --to tke", "parse a.yaml", "compare a.yaml",
    "schema spec --check a.yaml", "krm",
)  # fmt: skip


@pytest.mark.parametrize("bomb", BOMBS)
def test_no_bomb_goes_off(tmp_path: Path, worker: Worker, bomb: str) -> None:
    for command in turn(BOMBED, [*BOMBS].index(bomb)):
        codes = (0, 1) if command == "krm" else (0, 1, 3)
        assert bounded(worker, tmp_path, BOMBS[bomb], command) in codes, command


def test_the_limits_of_these_tests_hold(tmp_path: Path, worker: Worker) -> None:
    """A run that is granted too little does not pass for one that was bounded."""
    fill(tmp_path, {"a.yaml": SHAPES["unknown keys"](20_000)})
    assert worker(tmp_path, "lint", "a.yaml", limits={"CPU": 0}).code < 0
