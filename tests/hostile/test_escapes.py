"""What others wrote is shown, and acts on nothing: no terminal, CI log, markup or format of findings."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from tests.hostile.commands import RUNS, texts
from tests.hostile.conftest import OLD, ROOT, Worker, fill

COMMANDS = "\n::debug::y ##[debug]z ##vso[debug.x]w"
"""Lines that GitHub's and Azure's runners obey; gpuxlate itself writes none about debugging."""
ESCAPES = f"\x1b]0;title\x07\x1b[2J\x1b[31m\x9b31m\x07\x08\r\x7f\u202egnp\u2066\u200b\u2028{COMMANDS}"
"""A window's title, an empty screen, red, a bell, a backspace; C1; text that runs the other way."""
QUOTED = (
    r'"a\e]0;title\a\e[2J\e[31m\x9b31m\a\b\r\x7f\u202egnp\u2066\u200b\L[bold red]b[/][link=https://x.invalid]c[/link]'
    rf'{COMMANDS.replace(chr(10), chr(92) + "n")}"'
)
"""The same as YAML writes it, and markup of rich."""
SENT = re.compile(r"\x1b\[[0-9;]*m")
"""Colours, which gpuxlate itself sends."""
UNSEEN = {"Cc", "Cf", "Zl", "Zp"}


def harmful(text: str) -> list[str]:
    """The characters in a text that act instead of showing something."""
    return [c for c in text if c not in "\n\t" and unicodedata.category(c) in UNSEEN]


def obeyed(text: str) -> list[str]:
    """The lines that begin with what came from a file, or that a CI system obeys wherever it finds that."""
    begun = ("::debug", r"\x3a:debug", "::set-env")
    return [one for one in text.split("\n") if one.lstrip().startswith(begun) or re.search(r"##\w*\[", one)]


def hostile() -> dict[str, str]:
    """The files of every command, with escapes in names, values and numbers."""
    card = re.sub("[\r\n\u2028]", "", f"A10 {ESCAPES}")
    return texts(QUOTED, QUOTED) | {"smi.csv": texts(card)["smi.csv"]}


WORDS = (
    "lint {}", "translate {} --to {}", "render {} --to tke", "parse {}", "explain {}", "rules -o {}", "{}",
    "inspect {}", "compare {}", "assess {} --to tke", "verify a --nvidia-smi {}", "schema {}", "krm {}",
    "lint a --profile {}", "lint a --format {}", "lint a --select {}", "nodepool a --to {}", "lint --{}",
    "translate a --to tke --fill {}", "translate a --to tke --drop {}", "cost a --to emr-ray --card {}",
    "render a --to tke --workload {}", "render a --to tke --output-dir {}", "schema spec --check {}",
)  # fmt: skip


def test_no_word_of_the_command_line_sends_escapes(tmp_path: Path, worker: Worker) -> None:
    fill(tmp_path, {"a": texts()["spec.yaml"]})

    def wrong(command: str) -> list[str]:
        done = worker(tmp_path, *(one.replace("{}", ESCAPES) for one in command.split()))
        return harmful(done.out) + harmful(done.err) + obeyed(done.out) + obeyed(done.err)

    assert {command: wrong(command) for command in WORDS} == {command: [] for command in WORDS}


def test_a_configuration_sends_no_escapes(tmp_path: Path, worker: Worker) -> None:
    for text in (
        f"select: [{QUOTED}]\n", f"{QUOTED}: 1\n", f"profiles: {{x: {QUOTED}}}\n", f"fail-on: {QUOTED}\n",
        f"per-file-ignores: [{{path: {QUOTED}, rules: [GX001], reason: x}}]\n", "a: \x1b[31m\n",
        f"profiles: {{{QUOTED}: {{target: {QUOTED}}}}}\n",
    ):  # fmt: skip
        fill(tmp_path, {"a.yaml": OLD, ".gpuxlate.yaml": text})
        done = worker(tmp_path, "lint", "a.yaml", "--profile", "nobody")
        assert done.code == 2
        assert harmful(done.out) + harmful(done.err) == []
        assert obeyed(done.out) + obeyed(done.err) == []


# --- on a terminal --------------------------------------------------------------------------------


def on_terminal(folder: Path, *arguments: str) -> str:
    """What a terminal gets of a run, with all that rich and Python do there."""
    ours, theirs = pty.openpty()
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    run = subprocess.Popen(
        [sys.executable, "-c", "from gpuxlate.cli import main; main()", *arguments],
        cwd=folder,
        env=env | {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color"},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    said = b""
    while select.select([ours], [], [], 30)[0]:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not part:
            break
        said += part
    os.close(ours)
    run.wait()
    return said.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    "name",
    [
        "lint",
        "inspect",
        "compare --manifests",
        "translate",
        "translate --diff",
        "verify",
        "assess",
        "lint sarif",
    ],
)
def test_a_terminal_gets_colours_and_nothing_else(tmp_path: Path, name: str) -> None:
    comment = "# \u202egnp\u2066 \u200b\u2028\n"
    files = hostile() | {"spec.yaml": texts()["spec.yaml"]}
    fill(tmp_path, files | {"pod.yaml": comment + files["pod.yaml"] + comment})
    said = on_terminal(tmp_path, *RUNS[name].split())
    assert said
    assert harmful(SENT.sub("", said)) == []
    assert re.findall(r"(?m)^\s*::debug|##\w*\[", SENT.sub("", said)) == []


def test_a_pipe_gets_the_bytes_of_a_manifest(tmp_path: Path, worker: Worker) -> None:
    fill(tmp_path, {"a.yaml": "# \u202egnp\n" + OLD})
    assert worker(tmp_path, "translate", "a.yaml", "--to", "tke").out.startswith("# \u202egnp\n")
    assert "\u202e" not in on_terminal(tmp_path, "translate", "a.yaml", "--to", "tke")


# --- formats of findings --------------------------------------------------------------------------

NASTY = 'a%0A::error file=x,line=1::b,c:d"e\\f<g>&h'


def test_annotations_of_github_are_one_line_each(tmp_path: Path, worker: Worker) -> None:
    name = "x,line=9::y%0Az:\n::error::w.yaml"
    fill(tmp_path, {name: texts(json.dumps(NASTY), json.dumps(NASTY), f'"{NASTY[:20]}"')["pod.yaml"]})
    done = worker(tmp_path, "lint", ".", "--format", "github")
    found = done.out.splitlines()
    assert found
    for line in found:
        properties = re.fullmatch(r"::(?:error|warning|notice) (.*?)::.*", line)
        assert properties, line
        said = dict(one.split("=", 1) for one in properties[1].split(","))
        assert said["file"] == "x%2Cline=9%3A%3Ay%250Az%3A%0A%3A%3Aerror%3A%3Aw.yaml"
        assert set(said) <= {"file", "line", "col", "endLine", "endColumn", "title"}
    assert done.err == ""


@pytest.mark.parametrize("form", ["json", "sarif", "gitlab"])
def test_other_formats_are_whole_json(tmp_path: Path, worker: Worker, form: str) -> None:
    name = f'x{ESCAPES}\n"y".yaml'
    fill(tmp_path, {name: texts(QUOTED, QUOTED, QUOTED)["pod.yaml"]})
    done = worker(tmp_path, "lint", ".", "--format", form)
    assert harmful(done.out) == []
    said = json.loads(done.out)
    found = said["diagnostics"] if form == "json" else said["runs"][0]["results"] if form == "sarif" else said
    assert found
    files = {
        "json": lambda one: one["file"],
        "gitlab": lambda one: one["location"]["path"],
        "sarif": lambda one: one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
    }
    names = {files[form](one) for one in found}
    if form == "sarif":
        assert all(re.fullmatch(r"[A-Za-z0-9%._~/-]+", one) for one in names)
    else:
        assert names == {name}
