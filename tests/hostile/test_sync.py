"""A run of sync that is killed: each file of a target's folder is old or new, the lock too, and the next run
makes the right tree, whatever the moment was."""

import json
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpuxlate.sync.lock import LOCK, LockFile
from tests.effort import SEED, number, some
from tests.hostile.conftest import Worker, fill, holds, left_over, moments
from tests.lint.conftest import pod

CONFIG = """\
sync:
- source: base
  targets:
    vke: clusters/vke
    ack: {dir: clusters/ack, round: up}
    tke: {dir: clusters/tke, round: up}
"""
SHARE = """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: a}
spec: {cores: 30, memoryMiB: MIB, workload: {file: shared.yaml}}
"""


def asks(mib: int) -> str:
    return pod(f"gpuxlate.io/cores: 30\ngpuxlate.io/memory-mib: {mib}")


OLD = {
    ".gpuxlate.yaml": CONFIG,
    ".git/HEAD": "",
    "base/a.yaml": asks(4096),
    "base/deep/b.yaml": asks(4096),
    "base/gone/c.yaml": asks(4096),
    "base/notes.txt": "old\n",
    "base/share.yaml": SHARE.replace("MIB", "4096"),
    "base/shared.yaml": pod("cpu: 1"),
    "base/same.yaml": asks(1024),
    "base/becomes/deep/in.txt": "a folder becomes a file\n",
    "base/link/in.txt": "a folder becomes a link\n",
    "base/file": "becomes a folder\n",
}
NEW = {
    "base/a.yaml": asks(8192),
    "base/deep/b.yaml": asks(8192),
    "base/new/d.yaml": asks(8192),
    "base/notes.txt": "new\n",
    "base/share.yaml": SHARE.replace("MIB", "8192"),
    "base/becomes": "it was a folder\n",
    "base/file/in.txt": "it was a file\n",
}
"""What the second run has to write; ``base/gone`` goes, and so does what becomes something else."""


@dataclass(frozen=True)
class Change:
    """The folder of the targets before and after a run, and a new tree in which it is to be made."""

    old: dict[str, str]
    new: dict[str, str]
    tree: Callable[[], Path]

    def check(self, folder: Path, worker: Worker) -> int:
        """What a kill left is sound, and the next run ends it. How many files were new."""
        found = holds(folder / "clusters")
        for name, text in found.items():
            if not left_over(name) and not name.endswith(LOCK):
                assert text in (self.old.get(name), self.new.get(name)), f"{name} is neither old nor new"
        for name in self.old.keys() & self.new.keys():
            assert name in found, f"{name} is not there"
        for name in ("vke", "ack", "tke"):
            assert json.loads(found[f"{name}/{LOCK}"])["format"] == LockFile.format_name()
        again = worker(folder, "sync")
        assert (again.code, again.err.count("error")) == (0, 0), again.err
        assert holds(folder / "clusters") == self.new
        assert worker(folder, "sync", "--check").code == 0
        return sum(found.get(name) == text != self.old.get(name) for name, text in self.new.items())


@pytest.fixture(scope="module")
def change(worker: Worker, tmp_path_factory: pytest.TempPathFactory) -> Change:
    before = tmp_path_factory.mktemp("before")
    fill(before, OLD)
    (before / "base/run.sh").symlink_to("notes.txt")
    assert worker(before, "sync").code == 0
    old = holds(before / "clusters")
    for name in ("base/gone", "base/becomes", "base/link"):
        shutil.rmtree(before / name)
    for name in ("base/file", "base/run.sh"):
        (before / name).unlink()
    fill(before, NEW)
    (before / "base/run.sh").symlink_to("a.yaml")
    (before / "base/link").symlink_to("a.yaml")
    numbers = iter(range(10**6))
    parent = tmp_path_factory.mktemp("trees")

    def tree() -> Path:
        made = parent / str(next(numbers))
        shutil.copytree(before, made, symlinks=True)
        return made

    done = tree()
    assert worker(done, "sync").code == 0
    new = holds(done / "clusters")
    assert {name.partition("/")[2] for name in old if old[name] == new.get(name)} == {"same.yaml"}
    assert sorted({name.partition("/")[2] for name in old.keys() - new.keys()}) == [
        "becomes/deep/in.txt",
        "file",
        "gone/c.yaml",
        "link/in.txt",
    ]
    return Change(old, new, tree)


def test_a_kill_at_each_call(change: Change, worker: Worker) -> None:
    calls = worker(change.tree(), "sync", fault={}).calls
    assert {"replace", "unlink", "rmdir", "symlink", "mkdir", "write"} <= set(calls)
    for at, how in moments(calls, "kill before", "kill after", at_a_write="kill half"):
        folder = change.tree()
        assert worker(folder, "sync", fault={"at": at, "how": how}).code == -signal.SIGKILL
        change.check(folder, worker)


def test_the_source_becomes_something_else_after_a_kill(change: Change, worker: Worker) -> None:
    """What a kill left is known as sync's own, and a change by hand is still found."""
    calls = worker(change.tree(), "sync", fault={}).calls
    for at, how in some(list(moments(calls, "kill after"))):
        folder = change.tree()
        worker(folder, "sync", fault={"at": at, "how": how})
        for mib in (2048, 4096):
            (folder / "base/a.yaml").write_text(asks(mib))
            (folder / "base/notes.txt").write_text("old\n" if mib == 4096 else "third\n")
            again = worker(folder, "sync")
            assert (again.code, again.err.count("error")) == (0, 0), f"{at}: {again.err}"
            assert worker(folder, "sync", "--check").code == 0
        (folder / "clusters/vke/notes.txt").write_text("by hand\n")
        assert "changed by hand" in worker(folder, "sync").err


def test_a_kill_at_a_system_call(change: Change, worker: Worker) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("traces system calls with Linux's ptrace")
    stops = worker(change.tree(), "sync", trace=-1).stops
    if not stops:
        pytest.skip("tracing a process is not allowed here")
    every = range(0, stops, max(1, stops // 100))
    for last in some(every):
        folder = change.tree()
        worker(folder, "sync", trace=last)
        change.check(folder, worker)


def test_a_kill_at_random_moments(change: Change, worker: Worker) -> None:
    """Two hundred in full."""
    started = time.perf_counter()
    worker(change.tree(), "sync")
    most = time.perf_counter() - started
    drawn = random.Random(SEED)
    seen = set()
    for _ in range(number(200)):
        folder = change.tree()
        worker(folder, "sync", after=drawn.uniform(0, most))
        seen.add(change.check(folder, worker))
    assert len(seen) > 1
