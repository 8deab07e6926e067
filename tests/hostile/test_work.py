"""Cost in proportion to the text: work is counted, never timed.

Each shape is run in one size and in twice that size, and the calls of functions are counted: the larger
one may take twice as many and a little more. What no call shows (a regular expression, a look through
a list) shows in the CPU seconds and the memory that the kernel grants the process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gpuxlate.backends import registry
from gpuxlate.cli import inspect as inspect_command
from gpuxlate.cli.side_by_side import side_by_side
from gpuxlate.lint.batch import each_alone
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.report.lines import unified
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.source import Source
from tests.hostile.conftest import Worker, fill
from tests.hostile.shapes import BOMBS, KEY, SHAPES
from tests.lint.conftest import pod

SIZE = 40
MORE = 2.6
"""Twice the text may take that much more: 4 would be quadratic."""


@contextmanager
def counted() -> Iterator[Callable[[], int]]:
    """Calls of functions, Python's own included, while this lasts."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        yield lambda: calls
    finally:
        sys.setprofile(None)


def lint(text: str) -> None:
    lint_source(Source("a.yaml", text), LintSettings())


def fix(text: str) -> None:
    fix_source(Source("a.yaml", text), LintSettings(), unsafe=True)


def translate(text: str) -> None:
    translate_source(Source("a.yaml", text), Settings(registry.get("tencent-qgpu")))


def inspect(text: str) -> None:
    settings = Settings(registry.get("neutral"), reads_only=True)
    inspect_command.totals(translate_source(Source("a.yaml", text), settings).items)


def replacements(text: str) -> None:
    """Each fix by itself, for SARIF."""
    source = Source("a.yaml", text)
    found = lint_source(source, LintSettings()).diagnostics
    try:
        for document in documents(source):
            each_alone(document, [one for one in found if one.document == document.index])
    except NotYamlError:
        pass


def work_of(run: Callable[[str], None], text: str) -> int:
    run(text)  # what is kept from one text to the next is not counted
    with counted() as calls:
        run(text)
    return calls()


@pytest.mark.parametrize("run", [lint, fix, translate, inspect, replacements], ids=lambda one: one.__name__)
@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_text_is_twice_the_work(shape: str, run: Callable[[str], None]) -> None:
    made = SHAPES[shape]
    once, twice = work_of(run, made(SIZE)), work_of(run, made(2 * SIZE))
    assert twice < MORE * once + 2000


def test_the_count_sees_a_quadratic_one() -> None:
    def quadratic(text: str) -> None:
        for _ in text:
            for _ in text:
                len(text)

    assert work_of(quadratic, "x" * 200) > MORE * work_of(quadratic, "x" * 100) + 2000


def changed(count: int) -> tuple[str, str]:
    old = "".join(f"a:\n- b\nc: {n}\n- b\n" for n in range(count))
    return old, old.replace("c: 1", "c: one\nd: 1")


@pytest.mark.parametrize("name", ["diff", "side by side"])
def test_differences_are_linear_too(name: str) -> None:
    def run(text: str) -> None:
        count = len(text)
        if name == "diff":
            unified(*changed(count), "a.yaml")
        else:
            side_by_side([("one", changed(count)[0]), ("two", changed(count)[1])])

    assert work_of(run, "x" * 800) < MORE * work_of(run, "x" * 400) + 2000


CPU_SECONDS = 10
MEMORY = 700 * 2**20
"""Address space of a run: the interpreter with everything loaded takes half of it."""

LARGE = {"dots in a string": 400_000, "dashes in a string": 400_000, "slashes in a string": 100_000,
         "spaces": 200_000, "comments": 50_000, "unknown keys": 20_000, "ignores": 9_000,
         "ignores on one line": 9_000, "anchors": 25_000, "keys outside pods": 20_000,
         "fixes": 4000}  # fmt: skip
"""Sizes at which the quadratic would not end within the seconds granted."""


@pytest.mark.parametrize("shape", LARGE)
def test_large_texts_end_in_time(tmp_path: Path, worker: Worker, shape: str) -> None:
    for command in ("lint --fix a.yaml", "translate a.yaml --to tke", "inspect a.yaml"):
        fill(tmp_path, {"a.yaml": SHAPES[shape](LARGE[shape])})
        done = worker(tmp_path, *command.split(), limits={"CPU": CPU_SECONDS, "AS": MEMORY})
        assert done.code in (0, 1), command


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"], ids=repr)
def test_many_lines_take_little_memory(tmp_path: Path, worker: Worker, line_break: str) -> None:
    """Lines are counted where they are asked for; each noted would be a hundred times the text."""
    text = pod(f"{KEY}: 30\nvke.volcengine.com/mgpu-memory: 4096").replace("\n", line_break)
    fill(tmp_path, {"a.yaml": text + line_break * (30_000_000 // len(line_break))})
    for command in ("lint a.yaml", "translate a.yaml --to tke --check"):
        done = worker(tmp_path, *command.split(), limits={"CPU": CPU_SECONDS, "AS": MEMORY})
        assert done.code in (0, 1), command


@pytest.mark.parametrize("bomb", BOMBS)
def test_no_bomb_goes_off(tmp_path: Path, worker: Worker, bomb: str) -> None:
    fill(tmp_path, {"a.yaml": BOMBS[bomb]})
    for command in (
        "lint a.yaml",
        "translate a.yaml --to tke",
        "parse a.yaml",
        "compare a.yaml",
        "schema spec --check a.yaml",
    ):
        done = worker(tmp_path, *command.split(), limits={"CPU": CPU_SECONDS, "AS": MEMORY})
        assert done.code in (0, 1, 3), command
    assert worker(tmp_path, "krm", stdin="a.yaml", limits={"CPU": CPU_SECONDS, "AS": MEMORY}).code in (0, 1)


def test_the_limits_of_these_tests_hold(tmp_path: Path, worker: Worker) -> None:
    """A run that is granted too little does not pass for one that was bounded."""
    fill(tmp_path, {"a.yaml": SHAPES["unknown keys"](20_000)})
    assert worker(tmp_path, "lint", "a.yaml", limits={"CPU": 0}).code < 0
