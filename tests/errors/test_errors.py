"""Every row of the table: the exact words, the exit code, nothing on stdout. And no place is left out."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tables import read_table

from .running import commands_in, run
from .sites import sites
from .table import FOLDER, Case, Section, chinese_texts, in_chinese, sections

ROOT = FOLDER.parents[1]
UNREACHED: dict[str, dict[str, str]] = read_table(__file__, "unreached.yaml")
SECTIONS = sections()
by_section = pytest.mark.parametrize("section", SECTIONS, ids=[one.name for one in SECTIONS])


@by_section
def test_what_is_said(tmp_path: Path, section: Section) -> None:
    wrong = []
    for number, case in enumerate(case for row in section.cases for case in row):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = run(case, folder)
        assert "Traceback" not in done.err
        said, wanted = (done.err, done.exit, bool(done.out)), (case.says, case.exit, case.out)
        if said != wanted:
            wrong.append(f"{case.name}: {case.run}\n  says     {said}\n  in table {wanted}")
    assert not wrong, "\n".join(wrong)


@by_section
def test_what_is_to_be_done_instead_works(tmp_path: Path, section: Section) -> None:
    """The commands named there are told nothing of use or input, with the files of the case."""
    wrong = []
    instead = [(case, command) for case, *_ in section.cases for command in commands_in(case.instead)]
    for number, (case, command) in enumerate(instead):
        stdin = (FOLDER / "files" / "web.yaml").read_text() if " -" in f"{command} " else case.stdin
        files = dict(case.files) if "--profile" in command else _without_configuration(case)
        there = replace(case, run=command, stdin=stdin, stdout="absent", files=files)
        folder = tmp_path / str(number)
        folder.mkdir()
        done = run(there, folder)
        if done.exit not in (0, 1) or "error: " in done.err:
            wrong.append(f"{case.name}: {command}\n  {done}")
    assert not wrong, "\n".join(wrong)


def _without_configuration(case: Case) -> dict[str, str | int | None]:
    """A configuration that is wrong is not mended by a better command."""
    return {
        name: text for name, text in case.files.items() if name not in (".gpuxlate.yaml", "pyproject.toml")
    }


def test_the_table_is_for_people() -> None:
    """Whole sentences, one name in a section; usage ends with 2, input with 3, findings with 1."""
    for section in SECTIONS:
        names = [row[0].name for row in section.cases]
        assert len(set(names)) == len(names), section.name
        for row in section.cases:
            case = row[0]
            assert case.why.endswith((".", "?")), case.name
            assert case.instead, case.name
            assert case.exit in (1, 2, 3), case.name
            assert case.says.startswith("error"), case.name


CODE, HAN = re.compile(r"`[^`]+`"), re.compile(r"[\u4e00-\u9fff]")
COMMANDS = re.compile(r"(kubectl )?gpuxlate (?!.*[,;] ).*|[^A-Za-z]*")
"""What is left of a text without its code where there is nothing to translate."""


@by_section
def test_each_area_has_its_chinese(section: Section) -> None:
    """Of every case and of none that is gone, with the code and the numbers of the English."""
    texts = chinese_texts(section)
    assert [*texts] == ["title", "about", "cases"]
    assert [*texts["cases"]] == [row[0].name for row in section.cases]
    pairs = [(section.title, texts["title"]), (section.about, texts["about"])]
    for (english, *_), (chinese, *_) in zip(section.cases, in_chinese(section).cases, strict=True):
        assert HAN.search(chinese.name), chinese.name
        pairs += [(english.why, chinese.why), (english.instead, chinese.instead)]
    for before, after in pairs:
        assert HAN.search(after) or COMMANDS.fullmatch(CODE.sub("", before)), after
        assert {*CODE.findall(before)} == {*CODE.findall(after)}, after
        figures = [{*re.findall(r"\d+(?:\.\d+)*", CODE.sub("", text))} for text in (before, after)]
        assert figures[0] == figures[1], after


def came_by_now() -> set[str]:
    """The places that the table comes by, in a process that has nothing in its caches yet."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.errors.watch"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout))


@pytest.mark.full  # the whole table once more, traced
def test_every_place_that_raises_is_in_the_table() -> None:
    """Or has a reason in ``unreached.yaml``. A new ``raise`` wants a row, or one there."""
    seen, there = came_by_now(), {one.key for one in sites()}
    listed = [key for keys in UNREACHED.values() for key in keys]
    assert [key for key in there if key not in seen and key not in listed] == []
    assert [key for key in listed if key not in there] == [], "no such place any more"
    assert [key for key in listed if key in seen] == [], "the table comes by it now"
    assert len(set(listed)) == len(listed)


def test_reasons_name_their_test() -> None:
    """Where a reason says that another test has it, that test is there."""
    for reasons in UNREACHED.values():
        for reason in reasons.values():
            for path in re.findall(r"tests/[\w/]+\.py", reason):
                assert (ROOT / path).exists(), path
