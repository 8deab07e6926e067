"""Completion in bash, zsh and fish: the scripts, and the words that they ask for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuxlate.backends import registry
from gpuxlate.rules.catalog import all_rules

ROOT = Path(__file__).parents[2]
PROGRAM = "import sys; sys.argv[0] = 'gpuxlate'; from gpuxlate.cli import main; main()"

Run = Callable[..., str]


@pytest.fixture
def gpuxlate(tmp_path: Path) -> Run:
    """What ``gpuxlate`` prints, with ``tmp_path`` as home."""

    def called(*arguments: str, **env: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *arguments],
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)} | env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return called


# the shell is told, since tests may run under none
TOLD = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}


@pytest.mark.parametrize(
    ("shell", "begins"),
    [
        ("bash", "_gpuxlate_completion()"),
        ("zsh", "#compdef gpuxlate"),
        ("fish", "complete --command gpuxlate"),
    ],
)
def test_the_scripts(gpuxlate: Run, shell: str, begins: str) -> None:
    script = gpuxlate("--show-completion", shell, **TOLD)
    assert script.startswith(begins)
    assert f"_GPUXLATE_COMPLETE=complete_{shell}" in script


@pytest.mark.parametrize(
    ("shell", "file"),
    [
        ("bash", ".bash_completions/gpuxlate.sh"),
        ("zsh", ".zfunc/_gpuxlate"),
        ("fish", ".config/fish/completions/gpuxlate.fish"),
    ],
)
def test_installing(gpuxlate: Run, tmp_path: Path, shell: str, file: str) -> None:
    said = gpuxlate("--install-completion", shell, **TOLD)
    assert f"{shell} completion installed in {tmp_path / file}" in said.replace("\n", "")
    assert "_GPUXLATE_COMPLETE" in (tmp_path / file).read_text()


def words(gpuxlate: Run, shell: str, line: str) -> list[str]:
    """What a shell would offer for the last word of a line."""
    asked = {"_GPUXLATE_COMPLETE": f"complete_{shell}"}
    if shell == "bash":
        said = gpuxlate(**asked, COMP_WORDS=line, COMP_CWORD=str(len(line.split(" ")) - 1))
        return said.splitlines()
    said = gpuxlate(**asked, _TYPER_COMPLETE_ARGS=line, _TYPER_COMPLETE_FISH_ACTION="get-args")
    if shell == "fish":
        return [one.partition("\t")[0] for one in said.splitlines()]
    return re.findall(r'(?:\(\(|^)"([^"]+)"', said, re.MULTILINE)


LINES = [
    ("gpuxlate tra", ["translate"]),
    ("gpuxlate k", ["krm"]),
    ("gpuxlate completion f", ["fish"]),
    ("gpuxlate lint x -o j", ["json", "junit"]),
    ("gpuxlate inspect -o j", ["json"]),
    ("gpuxlate --color al", ["always"]),
    ("gpuxlate translate x --to tenc", ["tencent-qgpu"]),
    ("gpuxlate translate x --from al", ["alibaba-gpushare"]),
    ("gpuxlate translate x --from n", ["nos", "nvidia-mig", "nvidia-shared", "neutral"]),
    ("gpuxlate translate x --to n", ["neutral", "nvidia-mig", "nvidia-shared"]),  # nos is only read
    ("gpuxlate render x --to n", ["neutral", "nvidia-mig", "nvidia-shared"]),
    ("gpuxlate render x --to volcengine-emr-s", ["volcengine-emr-spark"]),
    ("gpuxlate explain TKE00", ["TKE001", "TKE002", "TKE003", "TKE005", "TKE006", "TKE007", "TKE008"]),
    ("gpuxlate lint x --select VKE01", [f"VKE01{n}" for n in "012346789"]),
    ("gpuxlate lint x --ignore TKE001,GX02", [f"TKE001,GX02{n}" for n in "0123456789"]),
    ("gpuxlate lint x --format gi", ["github", "gitlab"]),
    ("gpuxlate lint x --fail-on w", ["warning"]),
    ("gpuxlate schema k", ["kubernetes-overlay"]),
    ("gpuxlate lint --unsafe", ["--unsafe-fixes"]),
]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(("line", "offered"), LINES, ids=[line for line, _ in LINES])
def test_the_words(gpuxlate: Run, shell: str, line: str, offered: list[str]) -> None:
    assert sorted(words(gpuxlate, shell, line)) == sorted(offered)


def test_every_command_is_offered(gpuxlate: Run) -> None:
    from gpuxlate.cli.app import COMMANDS

    assert words(gpuxlate, "bash", "gpuxlate ") == list(COMMANDS)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_itself(gpuxlate: Run, tmp_path: Path) -> None:
    """The script in a real bash, which calls ``gpuxlate`` as a user's would."""
    program = tmp_path / "gpuxlate"
    program.write_text(f"#!/bin/sh\nPYTHONPATH='{ROOT}' exec '{sys.executable}' -c \"{PROGRAM}\" \"$@\"\n")
    program.chmod(0o755)
    script = gpuxlate("--show-completion", "bash", **TOLD)
    asked = (
        "COMP_WORDS=(gpuxlate explain TKE01); COMP_CWORD=2\n"
        '_gpuxlate_completion gpuxlate; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{script}\n{asked}"],
        env={"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    codes = [code for code in all_rules(registry.all_backends()) if code.startswith("TKE01")]
    assert "TKE018" in codes
    assert done.stdout.split() == codes
