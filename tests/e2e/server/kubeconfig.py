"""The users of a test cluster, and kubeconfig files for them."""

from __future__ import annotations

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


def _token() -> str:
    return secrets.token_hex(16)


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
        default_factory=lambda: {
            name: _token() for name in ("admin-token", "viewer", "plugin", "nobody", "expired")
        }
    )

    @property
    def plugin_log(self) -> Path:
        """One line for each call of the working plug-in."""
        return self.folder / "plugin.log"

    def write_token_file(self) -> Path:
        """The server's list of tokens: token, user, uid, groups."""
        groups = {"admin-token": MASTERS, "viewer": VIEWERS, "plugin": VIEWERS, "nobody": ""}
        path = self.folder / "tokens.csv"
        rows = (f'{self.tokens[name]},{name},{name},"{group}"\n' for name, group in groups.items())
        path.write_text("".join(rows))
        return path

    def write_plugins(self) -> None:
        """The programs of the users ``plugin`` and ``plugin-broken``."""
        credential = {
            "apiVersion": "client.authentication.k8s.io/v1",
            "kind": "ExecCredential",
            "status": {"token": self.tokens["plugin"]},
        }
        _program(
            self.folder / "credential-plugin",
            f"echo called >>{shlex.quote(str(self.plugin_log))}\n"
            f"echo {shlex.quote(json.dumps(credential))}\n",
        )
        _program(
            self.folder / "credential-plugin-broken", "echo 'cannot log in: session is over' >&2\nexit 1\n"
        )

    def entry(self, user: str) -> dict[str, Any]:
        """What a kubeconfig says of this user."""
        if user == "admin":
            return {
                "client-certificate-data": _encoded(self.admin.certificate),
                "client-key-data": _encoded(self.admin.key),
            }
        if user in ("plugin", "plugin-broken"):
            name = "credential-plugin" if user == "plugin" else "credential-plugin-broken"
            return {
                "exec": {
                    "apiVersion": "client.authentication.k8s.io/v1",
                    "command": str(self.folder / name),
                    "interactiveMode": "Never",
                    "provideClusterInfo": False,
                }
            }
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
    contexts = list(contexts)
    document: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "preferences": {},
        "current-context": contexts[0].name,
        "clusters": [],
        "users": [],
        "contexts": [],
    }
    for one in contexts:
        cluster = {"server": one.url}
        if one.authority:
            cluster["certificate-authority-data"] = _encoded(one.authority)
        context = {"cluster": one.name, "user": one.name}
        if one.namespace:
            context["namespace"] = one.namespace
        document["clusters"].append({"name": one.name, "cluster": cluster})
        document["users"].append({"name": one.name, "user": dict(one.user)})
        document["contexts"].append({"name": one.name, "context": context})
    return json.dumps(document, indent=1) + "\n"


def write_kubeconfig(path: Path, contexts: Iterable[Context]) -> Path:
    """One kubeconfig file, of several clusters if the contexts say so."""
    path.write_text(kubeconfig(contexts))
    path.chmod(0o600)
    return path
