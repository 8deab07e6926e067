"""Faults while files are written: kills, signals, errors of the disk, others who write at the same time.

A kill is tried before and after each call by which a run changes the disk, and in the middle of each
write; then at every system call of a run, from the first temporary file to its end; then from outside, as
``kill -9`` does it. Every file is old or new, whole, and the next run takes up the rest.
"""

import errno
import fcntl
import os
import select
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

from gpuxlate.cli.parallel import usable_cores
from gpuxlate.files import write as writing
from tests.effort import FULL, number, some, turn
from tests.hostile.conftest import (
    FIXABLE,
    MAIN,
    OLD,
    Case,
    Tree,
    Worker,
    fill,
    holds,
    left_over,
    moments,
    program,
)
from tests.lint.conftest import pod


@pytest.fixture
def calls(case: Case, tree: Tree, worker: Worker) -> list[str]:
    """The calls by which an undisturbed run changes the disk."""
    done = worker(tree(), *case.arguments, fault={})
    assert done.code == case.code
    assert {"open", "write", "fsync", "replace"} <= set(done.calls)
    assert done.calls.count("replace") == 3
    return done.calls


# --- kills ----------------------------------------------------------------------------------------


def check(case: Case, folder: Path, worker: Worker) -> int:
    """What the kill left is sound, and the next run ends what was begun. How many files were new."""
    new = case.judge(folder)
    assert len([name for name in holds(folder) if left_over(name)]) <= 1
    again = worker(folder, *case.arguments)
    assert again.code == (case.code if new < 3 else 0)
    assert holds(folder) == case.new, "leftovers are nobody's input, and the next run removes them"
    return new


def test_a_kill_at_each_call(case: Case, tree: Tree, worker: Worker, calls: list[str]) -> None:
    seen = set()
    for at, how in moments(calls, "kill before", "kill after", at_a_write="kill half"):
        folder = tree()
        done = worker(folder, *case.arguments, fault={"at": at, "how": how})
        assert done.code == -signal.SIGKILL
        seen.add(check(case, folder, worker))
    assert seen == {0, 1, 2, 3}


def test_a_kill_at_each_system_call(case: Case, tree: Tree, worker: Worker) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("traces system calls with Linux's ptrace")
    folder = tree()
    whole = worker(folder, *case.arguments, trace=-1)
    if not whole.stops:
        pytest.skip("tracing a process is not allowed here")
    assert holds(folder) == case.new
    assert whole.stops > 60  # two for each system call
    seen = set()
    for last in some(range(whole.stops)):
        folder = tree()
        assert worker(folder, *case.arguments, trace=last).code in (-signal.SIGKILL, case.code)
        seen.add(case.judge(folder))
        if last % 10 == 0:
            check(case, folder, worker)
    assert len(seen) == 4 if FULL else len(seen) > 1


def test_the_check_finds_a_writer_that_is_not_atomic(case: Case, tree: Tree) -> None:
    """The same judgement on a file that was cut in the middle."""
    folder = tree()
    (folder / "a.yaml").write_text(case.new["a.yaml"][:-20])
    with pytest.raises(AssertionError, match="neither old nor new"):
        case.judge(folder)


PROGRAM = Path(sysconfig.get_path("scripts")) / "gpuxlate"
KILLS = 6


def test_a_kill_from_outside(case: Case, tmp_path: Path) -> None:
    """The installed program over more files, killed when it has said that so many are done."""
    if not PROGRAM.exists():
        pytest.skip("gpuxlate is not installed beside this Python")
    files = {f"{n:03}.yaml": case.old["a.yaml"] for n in range(48)}
    outcomes = set()
    kills = range(0, KILLS, 1 if FULL else 2)
    for kill in kills:
        folder = tmp_path / str(kill)
        fill(folder, files)
        last = folder / f"{48 * kill // KILLS:03}.yaml"
        before = last.stat().st_ino
        path = str(Path(writing.__file__).parents[1])
        with program(folder, *case.arguments, command=[str(PROGRAM)], PYTHONPATH=path) as process:
            while process.poll() is None and last.stat().st_ino == before:
                time.sleep(0.001)  # leaves the core to the program; a rename gives the name another file
            process.kill()
        found = holds(folder)
        new = [name for name in files if found[name] == case.new["a.yaml"]]
        assert all(found[name] == files[name] for name in files if name not in new)
        assert len([name for name in found if left_over(name)]) <= 1
        assert {name for name in found if not left_over(name)} == set(files)
        outcomes.add(len(new))
    assert len(outcomes) > len(kills) // 2


def test_only_temporary_files_of_runs_that_have_ended_are_removed(
    case: Case, tree: Tree, worker: Worker
) -> None:
    """Not that of a run that lives, nor similar names, nor in folders where nothing is written.

    A link of such a name is one that a killed ``sync`` has made.
    """
    folder, left = tree(), ".a.yaml.tmp-abcd_123.gpuxlate"
    kept = ["notes.txt", ".a.yaml.gpuxlate", ".a.yaml.tmp-short.gpuxlate", "a.yaml.tmp-abcd_123.gpuxlate"]
    fill(folder, dict.fromkeys([left, *kept, ".locked.tmp-abcd_123.gpuxlate", f"unchanged/{left}"], "x"))
    (folder / ".link.tmp-abcd_123.gpuxlate").symlink_to("notes.txt")
    os.link(folder / "notes.txt", folder / ".two.tmp-abcd_123.gpuxlate")
    (folder / ".folder.tmp-abcd_123.gpuxlate").mkdir()
    os.mkfifo(folder / ".pipe.tmp-abcd_123.gpuxlate")
    before = set(os.listdir(folder))
    with (folder / ".locked.tmp-abcd_123.gpuxlate").open() as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        assert worker(folder, *case.arguments).code == case.code
        assert set(os.listdir(folder)) == before - {left, ".link.tmp-abcd_123.gpuxlate"}
    assert (folder / "unchanged" / left).exists()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that take some seconds: a finding in every document, none like another."""
    folder = tmp_path_factory.mktemp("large")
    text = "---\n".join(pod("vke.volcengine.com/mgpu-core: 30.5", name=f"p{n}") for n in range(400))
    fill(folder, {f"{n}.yaml": text.replace("metadata:", f"metadata: # {n}") for n in range(40)})
    return folder


@pytest.mark.skipif(usable_cores() < 2, reason="work is not divided on one core")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_no_process_stays_behind(large: Path, number: signal.Signals) -> None:
    """A run that is large enough for all cores takes its processes with it, however it ends."""
    with program(large, "lint", ".") as process:
        listed = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not (children := listed.read_text().split()):
            assert process.poll() is None, "the run was too small"
        watched = [os.pidfd_open(int(one)) for one in children]
        process.send_signal(number)
    assert process.returncode == {signal.SIGKILL: -9, signal.SIGINT: 130}.get(number, 128 + number)
    for one in watched:  # readable when the process has ended
        assert select.select([one], [], [], 30)[0], "a process stays behind"
        os.close(one)


# --- signals --------------------------------------------------------------------------------------

SIGNALS = {"terminate": 128 + signal.SIGTERM, "hang up": 128 + signal.SIGHUP, "interrupt": 130}


def test_a_signal_leaves_no_temporary_file(case: Case, tree: Tree, worker: Worker, calls: list[str]) -> None:
    for at in range(len(calls)):
        for how in turn(SIGNALS, at):
            folder = tree()
            done = worker(folder, *case.arguments, fault={"at": at, "how": how})
            assert done.code == SIGNALS[how]
            changed = sum(case.old.get(name) != text for name, text in holds(folder).items())
            files = {0: "no file", 1: "1 file"}.get(changed, f"{changed} files")
            assert f"note: interrupted: {files} written" in done.err.splitlines()
            assert not [one for one in holds(folder) if left_over(one)]
            check(case, folder, worker)


def test_signals_that_are_ignored_stay_so(tmp_path: Path) -> None:
    """As with ``nohup``."""
    fill(tmp_path, {"a.yaml": OLD})
    hang_up = f"import os, signal; {MAIN.replace('main()', 'os.kill(os.getpid(), signal.SIGHUP); main()')}"
    command = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", sys.executable, "-c", hang_up]
    with program(tmp_path, "translate", "-i", "a.yaml", "--to", "tke", command=command) as process:
        pass
    assert process.returncode == 0


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
LOADED = [
    ("gpuxlate.cli", "gpuxlate.cli.app"),
    ("gpuxlate.cli", "typer.core"),
    ("gpuxlate.cli", "gpuxlate.model.diagnostics"),
    ("gpuxlate.cli", "gpuxlate.cli.targets"),
    ("gpuxlate.cli.kubectl", "gpuxlate.cli.app"),
    ("gpuxlate.cli.complete", "gpuxlate.cli.app"),
]


@pytest.mark.parametrize(("entry", "loaded"), LOADED)
def test_a_signal_while_modules_load(tmp_path: Path, entry: str, loaded: str) -> None:
    for one in turn([signal.SIGINT, signal.SIGTERM, signal.SIGHUP], LOADED.index((entry, loaded))):
        interrupted = [sys.executable, "-c", INTERRUPTED, loaded, str(int(one)), entry]
        with program(tmp_path, command=interrupted, stdout=subprocess.PIPE) as process:
            said = process.communicate()
        assert (process.returncode, said[0]) == (128 + one, b"")
        assert said[1] in (b"", b"note: interrupted: no file written\n")


# --- errors of the disk ---------------------------------------------------------------------------

ERRORS = {
    errno.ENOSPC: "no space left on device",
    errno.EIO: "input/output error",
    errno.EDQUOT: "disk quota exceeded",
}


def test_an_error_at_each_call(case: Case, tree: Tree, worker: Worker, calls: list[str]) -> None:
    """The file is as it was, the error names it, no temporary file is left, and the next run goes on."""
    for n, (at, how) in enumerate(moments(calls, "error", at_a_write="error half")):
        for error in turn(ERRORS, n):
            folder = tree()
            done = worker(folder, *case.arguments, fault={"at": at, "how": how, "errno": error})
            assert done.code == 3
            [line] = [one for one in done.err.splitlines() if case.refused in one]
            file = line.removeprefix("error: ").partition(":")[0]
            assert ERRORS[error] in line.lower()
            assert "gpuxlate" not in line  # the temporary file is nobody's business
            found = holds(folder)
            assert found[file] == case.old[file]
            assert not [one for one in found if left_over(one)]
            case.judge(folder)
            worker(folder, *case.arguments)
            assert holds(folder) == case.new


def test_an_error_at_each_read(case: Case, tree: Tree, worker: Worker) -> None:
    calls = worker(tree(), *case.arguments, fault={"reads": True}).calls
    reads = [at for at, name in enumerate(calls) if name == "read"]
    assert len(reads) >= len([name for name in case.old if name != "notes.txt"])
    for n, at in enumerate(reads):
        for error in turn(ERRORS, n):
            folder = tree()
            fault = {"reads": True, "at": at, "how": "error", "errno": error}
            done = worker(folder, *case.arguments, fault=fault)
            assert done.code == 3
            assert f": {ERRORS[error]}\n" in done.err
            case.judge(folder)
            assert not [one for one in holds(folder) if left_over(one)]


def test_short_writes_are_gone_on_with(case: Case, tree: Tree, worker: Worker, calls: list[str]) -> None:
    for at in (at for at, name in enumerate(calls) if name == "write"):
        folder = tree()
        assert worker(folder, *case.arguments, fault={"at": at, "how": "short"}).code == case.code
        assert holds(folder) == case.new


# --- others who write -----------------------------------------------------------------------------

OTHERS = {
    "writes into it": "echo changed > a.yaml",
    "appends to it": "echo changed >> a.yaml",
    "renames over it": "echo changed > other && mv other a.yaml",
    "takes it away": "rm a.yaml",
}


@pytest.mark.parametrize("command", OTHERS.values(), ids=OTHERS)
def test_a_file_that_somebody_changes(
    case: Case, tree: Tree, worker: Worker, calls: list[str], command: str
) -> None:
    """Up to the rename itself the change of the other is seen, and stays."""
    expected = tree()
    subprocess.run(command, shell=True, cwd=expected, check=True)
    before = calls.index("replace")
    for at in range(before - number(before), before):
        folder = tree()
        done = worker(folder, *case.arguments, fault={"at": at, "how": "shell", "command": command})
        assert done.code == 3
        assert f"error: a.yaml: {case.refused}: " in done.err
        found, wanted = holds(folder), holds(expected)
        assert found.get("a.yaml") == wanted.get("a.yaml")
        assert not [one for one in found if left_over(one)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("translate -i . --to tke", "translate -i . --to tke"),
        ("translate -i . --to tke", "translate -i . --to neutral"),
        ("lint --fix .", "lint --fix ."),
    ],
)
def test_two_runs_at_once(tmp_path: Path, worker: Worker, one: str, other: str) -> None:
    text = FIXABLE if "lint" in one else OLD
    whole = {text}
    for arguments in (one, other):
        fill(tmp_path / arguments, {"a.yaml": text})
        worker(tmp_path / arguments, *arguments.split())
        whole.add((tmp_path / arguments / "a.yaml").read_text())
    folder = tmp_path / "both"
    fill(folder, {f"{n}.yaml": text for n in range(60)})
    runs = [program(folder, *arguments.split()) for arguments in (one, other)]
    said = [run.communicate()[1].decode() for run in runs]
    assert all(run.returncode in (0, 1, 3) for run in runs)
    for run, err in zip(runs, said, strict=True):
        assert (run.returncode == 3) == ("changed by another process" in err)
    found = holds(folder)
    assert set(found) == {f"{n}.yaml" for n in range(60)}
    assert set(found.values()) <= whole
