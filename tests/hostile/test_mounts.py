"""Disks that are full or read-only, for true: small ones in memory, mounted for these tests alone."""

import errno
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.hostile.conftest import Case, Done, Tree, Worker, fill, holds, left_over


@pytest.fixture(scope="module")
def mounted(worker: Worker) -> Worker:
    """The worker, whose mounts from here on nobody else sees, and which go away with it."""
    number = worker.ask({"namespace": True})["errno"]
    if number:
        pytest.skip(f"mounting is not allowed here: {os.strerror(number)}")
    return worker


def mount(worker: Worker, folder: Path, *arguments: str) -> None:
    """Mount in the worker's namespace alone."""
    if not shutil.which("nsenter") or not shutil.which("mount"):
        pytest.skip("there is no nsenter or mount here")
    command = ["nsenter", f"--mount=/proc/{worker.pid}/ns/mnt", *arguments, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"mounting is not possible here: {done.stderr.strip()}")


def disk(worker: Worker, folder: Path, size: str) -> Path:
    """A disk of that size at a folder; the path under which it is seen from here."""
    folder.mkdir()
    mount(worker, folder, "mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs")
    return worker.root / folder.relative_to("/")


def refusals(done: Done) -> list[str]:
    return [line for line in done.err.splitlines() if line.startswith("error: ")]


@pytest.mark.parametrize("spare", [0, 1, 2, 3, 4])
def test_a_full_disk(case: Case, tmp_path: Path, mounted: Worker, spare: int) -> None:
    """With so many free pages of 4 KiB: what has room is written, what has none is as it was."""
    folder = tmp_path / "disk"
    here = disk(mounted, folder, "512k")
    fill(here, case.old)
    free = os.statvfs(here).f_bavail - spare
    with (here / "ballast").open("wb") as ballast:
        ballast.write(b"x" * free * os.statvfs(here).f_frsize)
    done = mounted(folder, *case.arguments)
    (here / "ballast").unlink()
    assert not [name for name in holds(here) if left_over(name)]
    new = case.judge(here)
    assert (done.code == 3) == (new < 3)
    assert done.code == 3 if spare == 0 else True
    assert new == 3 if spare == 4 else True
    assert all(os.strerror(errno.ENOSPC).lower() in line for line in refusals(done))
    assert mounted(folder, *case.arguments).code in (case.code, 0)
    assert holds(here) == case.new


def test_a_disk_that_is_read_only(case: Case, tmp_path: Path, mounted: Worker) -> None:
    folder = tmp_path / "disk"
    here = disk(mounted, folder, "512k")
    fill(here, case.old)
    mount(mounted, folder, "mount", "-o", "remount,ro")
    done = mounted(folder, *case.arguments)
    assert done.code == 3
    assert refusals(done)[0] == f"error: a.yaml: {case.refused}: read-only file system"
    assert holds(here) == case.old


def test_a_file_that_is_mounted_by_itself(case: Case, tree: Tree, tmp_path: Path, mounted: Worker) -> None:
    """As containers mount single files: no rename can replace it."""
    folder = tree()
    (tmp_path / "other.yaml").write_text(case.old["a.yaml"])
    mount(mounted, folder / "a.yaml", "mount", "--bind", str(tmp_path / "other.yaml"))
    done = mounted(folder, *case.arguments)
    assert done.code == 3
    assert refusals(done) == [
        f"error: a.yaml: {case.refused}: it is a mount point and cannot be replaced; mount its folder instead"
    ]
    assert (tmp_path / "other.yaml").read_text() == case.old["a.yaml"]
    assert not [name for name in holds(folder) if left_over(name)]
