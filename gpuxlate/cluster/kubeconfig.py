"""What kubeconfig files say, as far as it must be known before the client library is loaded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gpuxlate.cluster.errors import ChoiceError, ClusterError
from gpuxlate.yamltext.compose import NotYamlError
from gpuxlate.yamltext.plain import plain_document
from gpuxlate.yamltext.source import DecodeError, Source

_AGAIN = "fetch the kubeconfig again, or choose another --kubeconfig or --context"


@dataclass(frozen=True, slots=True)
class Chosen:
    """One context: its name, its namespace, its cluster and its user, and the files that these are from."""

    name: str
    namespace: str | None
    cluster: Mapping[str, Any]
    user: Mapping[str, Any]
    cluster_file: str
    user_file: str

    @property
    def impersonation(self) -> list[tuple[str, str]]:
        """Headers for the user to act as, which the client library leaves out."""
        found = [
            (header, str(self.user[key]))
            for key, header in (("as", "Impersonate-User"), ("as-uid", "Impersonate-Uid"))
            if self.user.get(key)
        ]
        found += [("Impersonate-Group", str(one)) for one in self.user.get("as-groups") or ()]
        for key, values in _mapping(self.user.get("as-user-extra")).items():
            found += [(f"Impersonate-Extra-{key}", str(one)) for one in values]
        return found


class Kubeconfig:
    """The files of ``--kubeconfig``, of ``$KUBECONFIG``, or the one in the user's home, as one."""

    def __init__(self, named: str | None = None) -> None:
        """Raises ClusterError for a file that cannot be read, or is named and not there."""
        joined = os.environ.get("KUBECONFIG") or "~/.kube/config"
        # a list of files comes from the environment alone; kubectl passes over those that are not there
        self.paths = [
            Path(one).expanduser() for one in ([named] if named else joined.split(os.pathsep)) if one
        ]
        self._data = {str(path): _read(path) for path in self.paths if named or path.exists()}

    @property
    def found(self) -> bool:
        """There is something to go by."""
        return bool(self._data)

    @property
    def contexts(self) -> list[str]:
        """The names of all contexts, in order."""
        return list(self._all("contexts"))

    @property
    def namespaces(self) -> list[str]:
        """The namespaces that contexts name."""
        named = [_mapping(one.get("context")).get("namespace") for one, _ in self._all("contexts").values()]
        return sorted({str(one) for one in named if one})

    def choose(self, context: str | None) -> Chosen:
        """The context of that name, else the current one. Raises ChoiceError."""
        known = self._all("contexts")
        current = (str(one["current-context"]) for one in self._data.values() if one.get("current-context"))
        name = context or next(current, None)
        if name is None:
            raise ChoiceError(
                "the kubeconfig has no current context",
                f"pass --context, one of: {', '.join(known)}" if known else "it has no contexts at all",
            )
        if name not in known:
            near = get_close_matches(name, known, 1, 0.5)
            hint = f"did you mean {near[0]}?" if near else f"contexts: {', '.join(known) or 'none'}"
            raise ChoiceError(f"the kubeconfig has no context {name!r}", hint)
        entry = _mapping(known[name][0].get("context"))
        cluster, cluster_file = self._entry("clusters", "cluster", entry)
        user, user_file = self._entry("users", "user", entry)
        if not isinstance(cluster.get("server"), str):
            raise ClusterError(f"context {name}: the kubeconfig names no server for its cluster", _AGAIN)
        _judge(name, cluster["server"])
        namespace = entry.get("namespace")
        return Chosen(name, str(namespace) if namespace else None, cluster, user, cluster_file, user_file)

    def _entry(self, kind: str, key: str, context: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
        found, path = self._all(kind).get(str(context.get(key)), ({}, ""))
        return _mapping(found.get(key)), path

    def _all(self, kind: str) -> dict[str, tuple[Mapping[str, Any], str]]:
        """The named entries of a kind, with their files; of two with one name the first counts."""
        found: dict[str, tuple[Mapping[str, Any], str]] = {}
        for path, data in self._data.items():
            for one in data.get(kind) or ():
                if isinstance(one, Mapping) and "name" in one:
                    found.setdefault(str(one["name"]), (one, path))
        return found


def _judge(context: str, server: str) -> None:
    """Raises ClusterError for what is no address. A user and password in it are not shown."""
    shown = server.rpartition("@")[2]
    if "://" not in server:  # a guess would send the credentials as plain text, or not at all
        raise ClusterError(
            f"context {context}: the kubeconfig names the server {shown} without http or https",
            f"write server: https://{shown}",
        )
    try:
        urlsplit(server)
    except ValueError:
        wrong = f"context {context}: the kubeconfig names the server {shown}, which is no address"
        raise ClusterError(wrong, "write server: https://HOST:PORT") from None


def _read(path: Path) -> Mapping[str, Any]:
    try:
        data = plain_document(Source.from_bytes(str(path), path.read_bytes()))
    except OSError as error:
        raise ClusterError(f"kubeconfig {path}: {(error.strerror or 'cannot be read').lower()}") from None
    except NotYamlError as error:  # the text is not shown: it may be a secret's
        raise ClusterError(f"kubeconfig {path}: no YAML: {error.message}", _AGAIN) from None
    except (DecodeError, ValueError):
        raise ClusterError(f"kubeconfig {path}: no YAML text", _AGAIN) from None
    if not isinstance(data, Mapping) or any(
        not isinstance(data.get(kind) or [], list) for kind in ("contexts", "clusters", "users")
    ):
        raise ClusterError(
            f"kubeconfig {path}: no kubeconfig: it names no clusters, users and contexts",
            "pass --kubeconfig FILE, or set KUBECONFIG",
        )
    return data


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
