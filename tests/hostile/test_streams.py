"""Standard streams that are closed, full, or read by somebody who has gone, for every command."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuxlate.cli.app import COMMANDS
from tests.hostile.commands import RUNS, STDIN, texts
from tests.hostile.conftest import Done, Worker, fill, holds, left_over

# what a stream is: closed, full, or a pipe that nobody reads any more
STREAMS: dict[str, dict[str, str | None]] = {
    "stdin closed": {"stdin": None},
    "stdout closed": {"stdout": None},
    "stdout full": {"stdout": "/dev/full"},
    "stdout gone": {"stdout": ":gone"},
    "stderr closed": {"stderr": None},
    "stderr full": {"stderr": "/dev/full"},
    "stderr gone": {"stderr": ":gone"},
    "all closed": {"stdin": None, "stdout": None, "stderr": None},
}


def run(worker: Worker, folder: Path, name: str, **streams: str | None) -> Done:
    fill(folder, texts())
    if name in STDIN and "stdin" not in streams:
        streams["stdin"] = str(folder / STDIN[name])
    return worker(folder, *RUNS[name].split(), **streams)


def test_every_command_is_run() -> None:
    assert {one.split()[0] for one in RUNS.values()} >= set(COMMANDS)


@pytest.mark.parametrize("name", RUNS)
def test_a_stream_that_does_not_work(tmp_path: Path, worker: Worker, name: str) -> None:
    """The exit code stands, or is 3: the result could not be said. Nothing breaks, nothing is left over."""
    usual = run(worker, tmp_path / "usual", name)
    assert usual.code in (0, 1, 2, 3)
    wanted = set(holds(tmp_path / "usual"))
    for stream, given in STREAMS.items():
        folder = tmp_path / stream.replace(" ", "-")
        done = run(worker, folder, name, **given)  # which looks for tracebacks
        spoken = usual.out if stream.startswith("stdout") else usual.err
        if stream == "all closed":
            assert done.code in (0, 1, 2, 3), stream
        elif stream == "stdin closed":
            assert done.code == (3 if name in STDIN else usual.code), stream
        elif stream.endswith("gone") or not spoken:
            assert done.code == usual.code, stream
        else:
            assert done.code in (usual.code, 3), stream
            assert done.code == 3 or stream != "stdout full"
        found = set(holds(folder))
        assert not [file for file in found if left_over(file)]
        assert found <= wanted
