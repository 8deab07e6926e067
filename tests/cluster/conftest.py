"""``kubectl gpuxlate`` on a server in memory."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from gpuxlate.cli import kubectl, live
from tests.cluster.fake import FakeServer


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> Run:
    """Runs a command on a server, in a folder of its own: ``run(server, "nodes -o json")``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def go(server: FakeServer, command: str) -> Ran:
        def opened(options: object) -> FakeServer:
            server.options = options
            return server

        monkeypatch.setattr(live, "open_cluster", opened)
        with pytest.raises(SystemExit) as stop:
            kubectl.main(command.split())
        out, err = capfdbinary.readouterr()
        return Ran(int(stop.value.code or 0), out.decode(), err.decode())

    return go
