"""Errors of the disk at each call, and others who write at the same time."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.conftest import FIXABLE, OLD, ROOT, Case, Tree, Worker, fill, holds, left_over

ERRORS = {
    errno.ENOSPC: "no space left on device",
    errno.EIO: "input/output error",
    errno.EDQUOT: "disk quota exceeded",
}


def refused(case: Case) -> str:
    return "not translated" if case.arguments[0] == "translate" else "not fixed"


@pytest.mark.parametrize("number", ERRORS, ids=lambda n: errno.errorcode[n])
def test_an_error_at_each_call(case: Case, tree: Tree, worker: Worker, number: int) -> None:
    """The file is as it was, the error names it, no temporary file is left, and the next run goes on."""
    calls = worker(tree(), *case.arguments, fault={}).calls
    for at, name in enumerate(calls):
        for how in ("error", *(["error half"] if name == "write" else [])):
            folder = tree()
            done = worker(folder, *case.arguments, fault={"at": at, "how": how, "errno": number})
            assert done.code == 3
            [line] = [one for one in done.err.splitlines() if refused(case) in one]
            file = line.removeprefix("error: ").partition(":")[0]
            assert ERRORS[number] in line.lower()
            assert "gpuxlate" not in line  # the temporary file is nobody's business
            found = holds(folder)
            assert found[file] == case.old[file]
            assert not [one for one in found if left_over(one)]
            case.judge(folder)
            worker(folder, *case.arguments)
            assert holds(folder) == case.new


@pytest.mark.parametrize("number", ERRORS, ids=lambda n: errno.errorcode[n])
def test_an_error_at_each_read(case: Case, tree: Tree, worker: Worker, number: int) -> None:
    calls = worker(tree(), *case.arguments, fault={"reads": True}).calls
    reads = [n for n, name in enumerate(calls) if name == "read"]
    assert len(reads) >= len([name for name in case.old if name != "notes.txt"])
    for at in reads:
        folder = tree()
        done = worker(
            folder, *case.arguments, fault={"reads": True, "at": at, "how": "error", "errno": number}
        )
        assert done.code == 3
        assert f": {ERRORS[number]}\n" in done.err
        case.judge(folder)
        assert not [one for one in holds(folder) if left_over(one)]


def test_short_writes_are_gone_on_with(case: Case, tree: Tree, worker: Worker) -> None:
    calls = worker(tree(), *case.arguments, fault={}).calls
    for at in (n for n, name in enumerate(calls) if name == "write"):
        folder = tree()
        assert worker(folder, *case.arguments, fault={"at": at, "how": "short"}).code == case.code
        assert holds(folder) == case.new


OTHERS = {
    "writes into it": "echo changed > a.yaml",
    "appends to it": "echo changed >> a.yaml",
    "renames over it": "echo changed > other && mv other a.yaml",
    "takes it away": "rm a.yaml",
}


@pytest.mark.parametrize("command", OTHERS.values(), ids=OTHERS)
def test_a_file_that_somebody_changes(case: Case, tree: Tree, worker: Worker, command: str) -> None:
    """Up to the rename itself the change of the other is seen, and stays."""
    calls = worker(tree(), *case.arguments, fault={}).calls
    for at in range(calls.index("replace")):
        folder = tree()
        done = worker(folder, *case.arguments, fault={"at": at, "how": "shell", "command": command})
        expected = tree()
        subprocess.run(command, shell=True, cwd=expected, check=True)
        assert done.code == 3
        assert f"error: a.yaml: {refused(case)}: " in done.err
        found, wanted = holds(folder), holds(expected)
        assert found.get("a.yaml") == wanted.get("a.yaml")
        assert not [one for one in found if left_over(one)]


SIGNALS = {"terminate": 128 + signal.SIGTERM, "hang up": 128 + signal.SIGHUP, "interrupt": 130}


@pytest.mark.parametrize("how", SIGNALS)
def test_a_signal_leaves_no_temporary_file(case: Case, tree: Tree, worker: Worker, how: str) -> None:
    calls = worker(tree(), *case.arguments, fault={}).calls
    for at in range(len(calls)):
        folder = tree()
        done = worker(folder, *case.arguments, fault={"at": at, "how": how})
        assert done.code == SIGNALS[how]
        assert not [one for one in holds(folder) if left_over(one)]
        case.judge(folder)
        worker(folder, *case.arguments)
        assert holds(folder) == case.new


def test_signals_that_are_ignored_stay_so(tmp_path: Path) -> None:
    """As with ``nohup``."""
    fill(tmp_path, {"a.yaml": OLD})
    program = "import os, signal; from gpuxlate.cli import main; os.kill(os.getpid(), signal.SIGHUP); main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "translate", "-i", "a.yaml", "--to", "tke"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
        check=False,
    )
    assert done.returncode == 0


@pytest.mark.parametrize(
    "pair",
    [
        (["translate", "-i", ".", "--to", "tke"], ["translate", "-i", ".", "--to", "tke"]),
        (["translate", "-i", ".", "--to", "tke"], ["translate", "-i", ".", "--to", "neutral"]),
        (["lint", "--fix", "."], ["lint", "--fix", "."]),
    ],
    ids=["the same", "two targets", "lint"],
)
def test_two_runs_at_once(tmp_path: Path, worker: Worker, pair: tuple[list[str], list[str]]) -> None:
    text = FIXABLE if pair[0][0] == "lint" else OLD
    whole = {text}
    for number, arguments in enumerate(pair):
        fill(tmp_path / str(number), {"a.yaml": text})
        worker(tmp_path / str(number), *arguments)
        whole.add((tmp_path / str(number) / "a.yaml").read_text())
    folder = tmp_path / "both"
    fill(folder, {f"{n}.yaml": text for n in range(60)})
    program = [sys.executable, "-c", "from gpuxlate.cli import main; main()"]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    runs = [
        subprocess.Popen(
            [*program, *a], cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        for a in pair
    ]
    said = [run.communicate()[1].decode() for run in runs]
    assert all(run.returncode in (0, 1, 3) for run in runs)
    for run, text in zip(runs, said, strict=True):
        assert (run.returncode == 3) == ("changed by another process" in text)
    found = holds(folder)
    assert set(found) == {f"{n}.yaml" for n in range(60)}
    assert set(found.values()) <= whole


INTERRUPTED = """
import importlib, os, signal, sys
loaded, number, entry = sys.argv[1:4]
class Signalling:
    def find_spec(self, name, path=None, target=None):
        if name == loaded:
            os.kill(os.getpid(), int(number))
sys.meta_path.insert(0, Signalling())
main = importlib.import_module(entry).main
sys.argv[1:] = ["targets"]
main()
"""
"""Runs an entry point; a signal arrives where the module is about to be loaded."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    ("entry", "loaded"),
    [
        ("gpuxlate.cli", "gpuxlate.cli.app"),
        ("gpuxlate.cli", "typer.core"),
        ("gpuxlate.cli", "gpuxlate.model.diagnostics"),
        ("gpuxlate.cli", "gpuxlate.cli.targets"),
        ("gpuxlate.cli.kubectl", "gpuxlate.cli.app"),
        ("gpuxlate.cli.complete", "gpuxlate.backends.registry"),
    ],
)
def test_a_signal_while_modules_load(entry: str, loaded: str, number: signal.Signals) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, loaded, str(int(number)), entry],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, b"", b"")
