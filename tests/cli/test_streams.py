"""The standard streams of a process of its own: closed, left by their reader, full.

What is said of anything else that goes wrong stands in ``tests/errors``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-W", "error", "-c", "from gpuxlate.cli import main; main()"]
SHARE = """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: a}
spec: {cores: 30, memoryMiB: 4096}
"""
STDIN = "error: <stdin>: it is closed\nhelp: pipe a text to it, or name a file\n"
STDOUT = "error: stdout is closed\nhelp: to discard the result, redirect it to /dev/null\n"


@pytest.mark.parametrize(
    ("stream", "command", "says"),
    [
        (0, "render - --to vke", ("", STDIN)),
        (1, "render a.yaml --to vke", ("", STDOUT)),
        (2, "render gone.yaml --to vke", ("", "")),
    ],
)
def test_closed(stream: int, command: str, says: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SHARE)
    done = subprocess.run(
        [*PROGRAM, *command.split()],
        cwd=tmp_path,
        stdin=None if stream == 0 else subprocess.DEVNULL,
        capture_output=True,
        text=True,
        preexec_fn=lambda: os.close(stream),
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, *says)


def test_a_reader_that_has_gone(tmp_path: Path) -> None:
    """As in ``gpuxlate rules | head``: no complaint, and no failure."""
    ours, theirs = os.pipe()
    os.close(ours)
    command = [*PROGRAM, "rules", "-o", "json"]
    with os.fdopen(theirs, "wb") as gone:
        done = subprocess.run(command, cwd=tmp_path, stdout=gone, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SHARE)
    command = [*PROGRAM, "render", "a.yaml", "--to", "vke"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (3, b"error: no space left on device\n")
