"""SIGKILL at any moment: every file is old or new, whole, and the next run takes up the rest.

A kill is tried before and after each call by which a run changes the disk, and in the middle of each
write; then at every system call of a run, from the first temporary file to its end; then from outside,
as ``kill -9`` does it.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from gpuxlate.cli.runner import cores
from gpuxlate.inputs import write as writing
from tests.hostile.conftest import ROOT, Case, Tree, Worker, fill, holds, left_over
from tests.lint.conftest import pod


def check(case: Case, folder: Path, worker: Worker) -> int:
    """What the kill left is sound, and the next run ends what was begun. How many files were new."""
    new = case.judge(folder)
    leftovers = {name for name in holds(folder) if left_over(name)}
    assert len(leftovers) <= 1
    again = worker(folder, *case.arguments)
    assert again.code == (case.code if new < 3 else 0)
    after = holds(folder)
    assert after == case.new, "leftovers are nobody's input, and the next run removes them"
    return new


def calls_of(case: Case, folder: Path, worker: Worker) -> list[str]:
    """The calls by which an undisturbed run changes the disk."""
    done = worker(folder, *case.arguments, fault={})
    assert done.code == case.code
    return done.calls


def test_a_kill_at_each_call(case: Case, tree: Tree, worker: Worker) -> None:
    calls = calls_of(case, tree(), worker)
    assert {"open", "write", "fsync", "replace"} <= set(calls)
    assert calls.count("replace") == 3
    seen = set()
    for at, name in enumerate(calls):
        for how in ("kill before", "kill after", *(["kill half"] if name == "write" else [])):
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
    for last in range(whole.stops):
        folder = tree()
        assert worker(folder, *case.arguments, trace=last).code in (-signal.SIGKILL, case.code)
        seen.add(case.judge(folder))
        if last % 10 == 0:
            check(case, folder, worker)
    assert seen == {0, 1, 2, 3}


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
    for number in range(KILLS):
        folder = tmp_path / str(number)
        fill(folder, files)
        last = folder / f"{48 * number // KILLS:03}.yaml"
        before = last.stat().st_ino
        with subprocess.Popen(
            [PROGRAM, *case.arguments],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(Path(writing.__file__).parents[1])},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            while process.poll() is None and last.stat().st_ino == before:
                pass  # a rename gives the name another file
            process.kill()
        found = holds(folder)
        new = [name for name in files if found[name] == case.new["a.yaml"]]
        assert all(found[name] == files[name] for name in files if name not in new)
        assert len([name for name in found if left_over(name)]) <= 1
        assert {name for name in found if not left_over(name)} == set(files)
        outcomes.add(len(new))
    assert len(outcomes) > KILLS // 2


def test_only_temporary_files_of_runs_that_have_ended_are_removed(
    case: Case, tree: Tree, worker: Worker
) -> None:
    """Not that of a run that lives, nor links, nor similar names, nor in folders where nothing is written."""
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
        assert set(os.listdir(folder)) == before - {left}
    assert (folder / "unchanged" / left).exists()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that take some seconds: a finding in every document, none like another."""
    folder = tmp_path_factory.mktemp("large")
    text = "---\n".join(pod("vke.volcengine.com/mgpu-core: 30.5", name=f"p{n}") for n in range(400))
    fill(folder, {f"{n}.yaml": text.replace("metadata:", f"metadata: # {n}") for n in range(40)})
    return folder


@pytest.mark.skipif(cores() < 2, reason="work is not divided on one core")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_no_process_stays_behind(large: Path, number: signal.Signals) -> None:
    """A run that is large enough for all cores takes its processes with it, however it ends."""
    program = [sys.executable, "-c", "from gpuxlate.cli import main; main()", "lint", "."]
    with subprocess.Popen(
        program,
        cwd=large,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        listed = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not (children := listed.read_text().split()):
            assert process.poll() is None, "the run was too small"
        watched = [os.pidfd_open(int(one)) for one in children]
        process.send_signal(number)
    assert process.returncode == {signal.SIGKILL: -9, signal.SIGINT: 130}.get(number, 128 + number)
    for one in watched:  # readable when the process has ended
        assert select.select([one], [], [], 30)[0], "a process stays behind"
        os.close(one)
