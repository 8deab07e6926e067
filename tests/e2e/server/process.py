"""Servers as child processes that never outlive the tests."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody uses at the moment; all held at once, so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]
    finally:
        for one in sockets:
            one.close()


class Process:
    """A server that writes to ``log`` and dies with us, even when we are killed."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self.log = log
        # A session of its own: Ctrl-C on the terminal must reach the tests, which stop us in order.
        # The kernel's parent-death signal covers what no finally block can: SIGKILL.
        wrapper = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
        with log.open("wb") as output:
            self._child = subprocess.Popen(
                [*wrapper, *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self._child.pid

    def ended(self) -> bool:
        """Whether it is over, wanted or not."""
        return self._child.poll() is not None

    def stop(self) -> None:
        """End it at once; what it holds is thrown away anyway."""
        if not self.ended():
            self._child.kill()
        self._child.wait()

    def last_words(self) -> str:
        """The last line of the log that reads like a reason."""
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        telling = [line for line in lines if "rror" in line or line.startswith("F") or "panic" in line]
        return (telling or lines or ["it said nothing"])[-1].strip()
