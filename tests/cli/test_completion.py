"""Completion in bash, zsh and fish: the scripts, and the words that they ask for."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from gpuxlate.backends import registry
from gpuxlate.cli import kubectl
from gpuxlate.cli.app import COMMANDS
from gpuxlate.rules.catalog import all_rules
from tests.running import run

ROOT = Path(__file__).parents[2]
PROGRAM = "import sys; sys.argv[0] = 'gpuxlate'; from gpuxlate.cli import main; main()"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")  # it is told; there may be none


def printed(*arguments: str, **env: str) -> str:
    with patch.dict(os.environ, env):
        done = run(*arguments)
    assert (done.code, done.err) == (0, b"")
    return done.out.decode()


# how its script begins
SHELLS = {
    "bash": "_gpuxlate_completion()",
    "zsh": "#compdef gpuxlate",
    "fish": "complete --command gpuxlate",
}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_scripts(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    script = printed("completion", shell)
    assert script.startswith(SHELLS[shell])
    assert f"_GPUXLATE_COMPLETE=complete_{shell}" in script
    with pytest.raises(SystemExit):
        kubectl.main(["completion", shell])
    assert capsys.readouterr().out == script


@pytest.mark.parametrize("option", ["--install-completion", "--show-completion"])
def test_nothing_writes_into_the_files_of_a_shell(option: str, tmp_path: Path) -> None:
    assert run(option).err.decode().startswith(f"error: no such option: {option}\n")
    assert [*tmp_path.iterdir()] == []


def words(shell: str, line: str) -> list[str]:
    """What a shell would offer for the last word of a line."""
    asked = {"_GPUXLATE_COMPLETE": f"complete_{shell}"}
    if shell == "bash":
        return printed(**asked, COMP_WORDS=line, COMP_CWORD=str(len(line.split(" ")) - 1)).splitlines()
    said = printed(**asked, _TYPER_COMPLETE_ARGS=line, _TYPER_COMPLETE_FISH_ACTION="get-args")
    if shell == "fish":
        return [one.partition("\t")[0] for one in said.splitlines()]
    return re.findall(r'(?:\(\(|^)"([^"]+)"', said, re.MULTILINE)


LINES = {
    "tra": "translate",
    "k": "krm",
    "completion f": "fish",
    "lint x -o j": "json junit",
    "inspect -o j": "json",
    "--color al": "always",
    "translate x --to tenc": "tencent-qgpu",
    "translate x --from al": "alibaba-gpushare",
    "translate x --from n": "neutral nos nvidia-mig nvidia-shared",
    "translate x --to n": "neutral nvidia-mig nvidia-shared",  # nos is only read
    "render x --to n": "neutral nvidia-mig nvidia-shared",
    "render x --to volcengine-emr-s": "volcengine-emr-spark",
    "explain TKE00": "TKE001 TKE002 TKE003 TKE005 TKE006 TKE007 TKE008",
    "lint x --select VKE01": " ".join(f"VKE01{n}" for n in "012346789"),
    "lint x --ignore TKE001,GX02": " ".join(f"TKE001,GX02{n}" for n in "0123456789"),
    "lint x --format gi": "github gitlab",
    "lint x --fail-on w": "warning",
    "schema k": "kubernetes-overlay",
    "lint --unsafe": "--unsafe-fixes",
    "render x --to vk": "vke",  # another name, where no target begins so
    "translate x --round ": "up",
    "translate x --drop q": "qos",
    "translate x --fill c": "cores=",
}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_words(shell: str) -> None:
    assert {line: " ".join(sorted(words(shell, f"gpuxlate {line}"))) for line in LINES} == LINES
    assert shell != "bash" or words(shell, "gpuxlate ") == list(COMMANDS)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_itself(tmp_path: Path) -> None:
    """The script in a real bash, which calls ``gpuxlate`` as a user's would."""
    program = tmp_path / "gpuxlate"
    program.write_text(f"#!/bin/sh\nPYTHONPATH='{ROOT}' exec '{sys.executable}' -c \"{PROGRAM}\" \"$@\"\n")
    program.chmod(0o755)
    asked = "COMP_WORDS=(gpuxlate explain TKE01); COMP_CWORD=2\n"
    asked += '_gpuxlate_completion gpuxlate; echo "${COMPREPLY[@]}"'
    command = ["bash", "--norc", "-c", f"{printed('completion', 'bash')}\n{asked}"]
    env = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    codes = [code for code in all_rules(registry.all_backends()) if code.startswith("TKE01")]
    assert "TKE018" in codes
    assert done.stdout.split() == codes
