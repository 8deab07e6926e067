"""The users of a test cluster, and kubeconfig files for them."""

import base64
import json
import secrets
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .pki import Pair

VIEWERS = "e2e:viewers"
"""The group that may read."""
MASTERS = "system:masters"
"""The group that may do everything."""
GROUPS = {"admin-token": MASTERS, "viewer": VIEWERS, "plugin": VIEWERS, "nobody": ""}
"""The users with a token that the server knows."""
CREDENTIALS = "client.authentication.k8s.io/v1"


@dataclass(frozen=True, slots=True)
class Access:
    """How each user of one cluster proves who it is.

    - ``admin``: a client certificate, all rights; ``admin-token``: the same with a token;
    - ``viewer``: a token, may read; ``plugin``: a viewer whose token comes from an exec credential plug-in;
    - ``nobody``: a token, no rights; ``expired``: a token that the server does not know;
    - ``plugin-broken``: an exec credential plug-in that fails.
    """

    folder: Path
    admin: Pair
    tokens: Mapping[str, str] = field(
        default_factory=lambda: {name: secrets.token_hex(16) for name in (*GROUPS, "expired")}
    )

    def write_token_file(self) -> Path:
        """The server's list of tokens: token, user, uid, groups."""
        path = self.folder / "tokens.csv"
        rows = (f'{self.tokens[name]},{name},{name},"{group}"\n' for name, group in GROUPS.items())
        path.write_text("".join(rows))
        return path

    def write_plugins(self) -> None:
        """The programs of the users ``plugin`` and ``plugin-broken``."""
        credential = {
            "apiVersion": CREDENTIALS,
            "kind": "ExecCredential",
            "status": {"token": self.tokens["plugin"]},
        }
        _program(self.folder / "credential-plugin", f"echo {shlex.quote(json.dumps(credential))}\n")
        broken = "echo 'cannot log in: session is over' >&2\nexit 1\n"
        _program(self.folder / "credential-plugin-broken", broken)

    def entry(self, user: str) -> dict[str, Any]:
        """What a kubeconfig says of this user."""
        if user == "admin":
            key, certificate = _encoded(self.admin.key), _encoded(self.admin.certificate)
            return {"client-certificate-data": certificate, "client-key-data": key}
        if user in ("plugin", "plugin-broken"):
            how = {"apiVersion": CREDENTIALS, "interactiveMode": "Never", "provideClusterInfo": False}
            return {"exec": {"command": str(self.folder / f"credential-{user}"), **how}}
        return {"token": self.tokens[user]}


def _program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


@dataclass(frozen=True, slots=True)
class Context:
    """One context: its name, the server, its authority (none: plain HTTP), the user's entry."""

    name: str
    url: str
    authority: Path | None
    user: Mapping[str, Any]
    namespace: str | None = None


def kubeconfig(contexts: Iterable[Context]) -> str:
    """A kubeconfig with these contexts, the first current. It is JSON, which is YAML too."""
    clusters, users, named = [], [], []
    for one in contexts:
        authority = {"certificate-authority-data": _encoded(one.authority)} if one.authority else {}
        namespace = {"namespace": one.namespace} if one.namespace else {}
        clusters.append({"name": one.name, "cluster": {"server": one.url, **authority}})
        users.append({"name": one.name, "user": dict(one.user)})
        named.append({"name": one.name, "context": {"cluster": one.name, "user": one.name, **namespace}})
    head = {"apiVersion": "v1", "kind": "Config", "preferences": {}, "current-context": named[0]["name"]}
    return json.dumps({**head, "clusters": clusters, "users": users, "contexts": named}, indent=1) + "\n"


def write_kubeconfig(path: Path, contexts: Iterable[Context]) -> Path:
    """One kubeconfig file, of several clusters if the contexts say so."""
    path.write_text(kubeconfig(contexts))
    path.chmod(0o600)
    return path
