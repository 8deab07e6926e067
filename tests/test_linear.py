"""Work grows with the input, and no faster. Counted in calls and in the characters that are searched, since
clocks differ from run to run; ``python -m bench.growth`` measures every command in seconds.

What no call shows (a regular expression, a look through a list) shows in the CPU seconds and the memory that
``tests/hostile/test_work.py`` grants to large texts.
"""

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import gpuxlate
from bench.dialects import measured
from bench.kinds import chart
from gpuxlate.backends import registry
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.claims import index
from gpuxlate.cli import inspect as inspect_command
from gpuxlate.cli.compare import side_by_side
from gpuxlate.cluster.apply import KindPaths, ObjectError, locate_objects
from gpuxlate.lint.batch import each_alone
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.model.kept import forget
from gpuxlate.report.characters import unified_diff
from gpuxlate.sync.by_hand import changed_lines
from gpuxlate.translation.options import Settings
from gpuxlate.translation.read import read_source, share_names
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext import parse
from gpuxlate.yamltext.events import EventParser
from gpuxlate.yamltext.parse import NotYamlError, documents
from gpuxlate.yamltext.source import Source, WordSearch
from gpuxlate.yamltext.splices import Origins, Splice
from tests.counting import Watched, calls, grows_with_the_input, lines
from tests.effort import turn
from tests.hostile.shapes import SHAPES
from tests.running import run


def lint(source: Source) -> None:
    lint_source(source, LintSettings())


def fix(source: Source) -> None:
    fix_source(source, LintSettings(), unsafe=True)


def translate(source: Source) -> None:
    translate_source(source, Settings(registry.get("tencent-qgpu")))


def translate_rounded(source: Source) -> None:
    translate_source(source, Settings(registry.get("tencent-qgpu"), accept=Accept(round_up=True)))


def inspect(source: Source) -> None:
    inspect_command.totals_of_items(read_source(source, Settings.reading()).items)


def replacements(source: Source) -> None:
    """Each fix by itself, for SARIF."""
    found = lint_source(source, LintSettings()).diagnostics
    try:
        for document in documents(source):
            each_alone(document, [one for one in found if one.document == document.index])
    except NotYamlError:
        pass


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_text_is_twice_the_work(shape: str) -> None:
    """What is read from a text in one run is kept for the next, and is not counted."""
    made, wrong = SHAPES[shape], []
    for work in (lint, *turn((fix, translate, inspect, replacements), [*SHAPES].index(shape))):

        def work_of(count: int, work: Callable[[Source], None] = work) -> int:
            return calls(lambda: work(Source("f.yaml", made(count))))

        work(Source("f.yaml", made(96)))
        if not grows_with_the_input(work_of):
            wrong.append(work.__name__)
    assert wrong == []


def test_the_count_sees_a_quadratic_one() -> None:
    assert not grows_with_the_input(lambda count: calls(lambda: [len("") for _ in range(count * count)]))
    assert grows_with_the_input(lambda count: calls(lambda: [len("") for _ in range(count)]))


def test_differences_are_linear_too() -> None:
    def texts(count: int) -> tuple[str, str]:
        old = "".join(f"a:\n- b\nc: {n}\n- b\n" for n in range(count * 5))
        return old, old.replace("c: 1", "c: one\nd: 1")

    def beside(old: str, new: str) -> None:
        side_by_side([("one", old), ("two", new)])

    for work in (lambda old, new: unified_diff(old, new, "a.yaml"), beside):
        assert grows_with_the_input(lambda count, work=work: calls(lambda: work(*texts(count))))


def test_the_way_back_to_the_source_is_linear() -> None:
    """What ``sync --diff`` looks for: with lines that differ and lines that repeat."""

    def look(count: int) -> None:
        old = "".join(f"a:\n- b\nc: {n}\n- b\n" for n in range(count * 5))
        new = old.replace("c: ", "d: ")
        made = [Splice(match.start(), match.end(), "d: ") for match in re.finditer("c: ", old)]
        origins = Origins(made)
        assert all(old[origins.of(at)] == new[at] or new[at] in "d: " for at in range(len(new)))
        assert len([*changed_lines(old, new)]) == count * 5

    assert grows_with_the_input(lambda count: lines(lambda: look(count)))


def test_one_name_for_many_shares() -> None:
    """Each gets a number; looking for a free one begins where the last search ended."""
    items = gpuxlate.parse(re.sub("name: ([pc])[0-9]+", r"name: \1", SHAPES["objects"](96))).items
    assert grows_with_the_input(lambda count: lines(lambda: share_names(items[:count])))
    assert share_names(items[:3]) == ["p-c", "p-c-2", "p-c-3"]


def test_objects_that_are_applied_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """None is looked for among those before it."""
    monkeypatch.setattr(KindPaths, "path", lambda _self, body, _namespace: f"/{body['metadata']['name']}")

    def objects(count: int) -> list[dict[str, Any]]:
        return [{"apiVersion": "a/b", "kind": "X", "metadata": {"name": f"n{n}"}} for n in range(count)]

    server: Any = SimpleNamespace(namespace="default")
    locate_objects(server, objects(1), None)  # what is declared is made when it is first used
    assert grows_with_the_input(lambda count: lines(lambda: locate_objects(server, objects(count), None)))
    with pytest.raises(ObjectError, match="x/n0 is given twice"):
        locate_objects(server, objects(2) + objects(1), None)


@pytest.mark.parametrize("work", [lint, translate_rounded], ids=lambda one: one.__name__)
@pytest.mark.parametrize("shape", ["documents", "objects", "objects on one line", "claims of one template"])
def test_a_text_is_not_searched_for_each_of_its_documents(
    work: Callable[[Source], None], shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a parser of C takes str
    monkeypatch.setattr(parse, "EventParser", lambda text: EventParser(str(text)))

    def looked(count: int) -> int:
        source = Source("f.yaml", SHAPES[shape](count))
        text = source.text = Watched(source.text)
        source.words = WordSearch(text)
        work(source)
        return text.looked

    assert grows_with_the_input(looked)


def test_claims_are_read_once_in_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = index.claim_text_of
    monkeypatch.setattr(index, "claim_text_of", lambda source: read.append(source.name) or real(source))
    for work in (lint, translate):
        work(Source("f.yaml", SHAPES["claims of one template"](20)))
    assert read == ["f.yaml"] * 2


MORE = 1.1
"""What sixteen dialects more may add: a look at those that speak without a key of their own."""


def test_work_does_not_grow_with_the_number_of_dialects() -> None:
    for few, everything in zip(measured(few=True), measured(few=False), strict=True):
        assert everything <= few * MORE


DEEP = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
DEEP += "  - {name: c, resources: {limits: {gpuxlate.io/cores: 30, gpuxlate.io/memory-mib: 4096}}}\n"


@pytest.mark.parametrize("command", ["lint base", "translate base --to tke --check", "sync", "sync --check"])
def test_twice_the_depth_is_twice_the_work(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of folders in folders, with a file in each: no file looks at all folders above it."""

    def work_of(depth: int) -> int:
        root = tmp_path / f"{depth}"
        folder = root / "base"
        for _ in range(depth):
            folder /= "d"
            folder.mkdir(parents=True)
            (folder / "x.yaml").write_text(DEEP)
        (root / ".git").mkdir()
        (root / ".gpuxlate.yaml").write_text("sync: [{source: base, targets: {tke: c}}]\n")
        monkeypatch.chdir(root)
        if "--check" in command:
            run("sync")
        forget()
        return calls(lambda: run(*command.split()))

    work_of(4)
    assert grows_with_the_input(work_of)


def test_each_part_of_a_chart_is_alone(tmp_path: Path) -> None:
    """Values of a release are laid over those of the chart part by part."""

    def work_of(count: int) -> int:
        folder = tmp_path / f"{count}"
        folder.mkdir()
        chart(folder, count)
        return calls(lambda: run("translate", str(folder), "--to", "tencent-qgpu", "--round", "up"))

    work_of(1)
    assert grows_with_the_input(work_of)
