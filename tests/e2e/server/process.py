"""etcd and kube-apiserver: their command lines, and child processes that never outlive the tests."""

import shutil
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

from .pki import Pair


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
            nothing, said, full = subprocess.DEVNULL, subprocess.STDOUT, [*wrapper, *command]
            self._child = subprocess.Popen(
                full, stdin=nothing, stdout=output, stderr=said, start_new_session=True
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


def etcd(program: Path, data: Path, client_port: int, peer_port: int) -> list[str]:
    """One etcd of its own, on loopback."""
    client, peer = f"http://127.0.0.1:{client_port}", f"http://127.0.0.1:{peer_port}"
    clients = [f"--listen-client-urls={client}", f"--advertise-client-urls={client}"]
    peers = [f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}"]
    return [str(program), f"--data-dir={data}", f"--initial-cluster=default={peer}", *clients, *peers]


def apiserver(
    program: Path, folder: Path, port: int, etcd_port: int, authority: Path, pair: Pair, tokens: Path
) -> list[str]:
    """The API server, with RBAC, a token file and client certificates."""
    options = {
        "etcd-servers": f"http://127.0.0.1:{etcd_port}",
        "bind-address": "127.0.0.1",
        "advertise-address": "127.0.0.1",
        "secure-port": port,
        "cert-dir": folder,
        "tls-cert-file": pair.certificate,
        "tls-private-key-file": pair.key,
        "client-ca-file": authority,
        "token-auth-file": tokens,
        "service-account-issuer": f"https://127.0.0.1:{port}",
        "service-account-key-file": pair.certificate,
        "service-account-signing-key-file": pair.key,
        "service-cluster-ip-range": "10.0.0.0/24",
        "authorization-mode": "RBAC",
        # It would wait for the token controller, which does not run here.
        "disable-admission-plugins": "ServiceAccount",
    }
    return [str(program), *(f"--{name}={value}" for name, value in options.items())]
