"""The standard streams of a process of its own: closed, left by their reader, full.

What is said of anything else that goes wrong stands in ``tests/errors``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = [sys.executable, "-W", "error", "-c", "from gpuxlate.cli import main; main()"]


SHARE = """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: a}
spec: {cores: 30, memoryMiB: 4096}
"""


def closing(stream: int, *command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A run that begins with one of its standard streams closed."""
    return subprocess.run(
        [*PROGRAM, *command],
        cwd=cwd,
        stdin=None if stream == 0 else subprocess.DEVNULL,
        capture_output=True,
        text=True,
        preexec_fn=lambda: os.close(stream),
        check=False,
    )


def test_closed_stdin(tmp_path: Path) -> None:
    done = closing(0, "render", "-", "--to", "vke", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (
        3,
        "",
        "error: <stdin>: it is closed\nhelp: pipe a text to it, or name a file\n",
    )


def test_closed_stdout(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SHARE)
    done = closing(1, "render", "a.yaml", "--to", "vke", cwd=tmp_path)
    said = "error: stdout is closed\nhelp: to discard the result, redirect it to /dev/null\n"
    assert (done.returncode, done.stderr) == (3, said)


def test_closed_stderr(tmp_path: Path) -> None:
    done = closing(2, "render", "gone.yaml", "--to", "vke", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")


def test_a_reader_that_has_gone(tmp_path: Path) -> None:
    """As in ``gpuxlate rules | head``: no complaint, and no failure."""
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "wb") as gone:
        done = subprocess.run(
            [*PROGRAM, "rules", "-o", "json"],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=gone,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SHARE)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*PROGRAM, "render", "a.yaml", "--to", "vke"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (3, "error: no space left on device\n")
