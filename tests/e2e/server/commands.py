"""The command lines of etcd and kube-apiserver."""

from __future__ import annotations

from pathlib import Path

from .pki import Pair


def etcd(program: Path, data: Path, client_port: int, peer_port: int) -> list[str]:
    """One etcd of its own, on loopback."""
    client_url, peer_url = f"http://127.0.0.1:{client_port}", f"http://127.0.0.1:{peer_port}"
    return [
        str(program),
        f"--data-dir={data}",
        f"--listen-client-urls={client_url}",
        f"--advertise-client-urls={client_url}",
        f"--listen-peer-urls={peer_url}",
        f"--initial-advertise-peer-urls={peer_url}",
        f"--initial-cluster=default={peer_url}",
    ]


def apiserver(
    program: Path, *, folder: Path, port: int, etcd_port: int, authority: Path, pair: Pair, tokens: Path
) -> list[str]:
    """The API server, with RBAC, a token file and client certificates."""
    return [
        str(program),
        f"--etcd-servers=http://127.0.0.1:{etcd_port}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={folder}",
        f"--tls-cert-file={pair.certificate}",
        f"--tls-private-key-file={pair.key}",
        f"--client-ca-file={authority}",
        f"--token-auth-file={tokens}",
        f"--service-account-issuer=https://127.0.0.1:{port}",
        f"--service-account-key-file={pair.certificate}",
        f"--service-account-signing-key-file={pair.key}",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--authorization-mode=RBAC",
        # It would wait for the token controller, which does not run here.
        "--disable-admission-plugins=ServiceAccount",
    ]
