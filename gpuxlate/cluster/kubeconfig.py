"""Kubeconfig files: which context, cluster and user are meant.

The client library reads the one context that is chosen here. Completion needs this much without the library,
and errors name the file and the context, never a secret.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gpuxlate.cluster.server import ChoiceError, ClusterError
from gpuxlate.files.read import read_content
from gpuxlate.model.declarations import record
from gpuxlate.model.messages import did_you_mean, msg
from gpuxlate.yamltext.parse import NotYamlError
from gpuxlate.yamltext.plain import plain_document
from gpuxlate.yamltext.source import DecodeError, Source

_AGAIN = "fetch the kubeconfig again, or choose another --kubeconfig or --context"
_FILES = ("certificate-authority", "client-certificate", "client-key", "tokenFile")
"""Keys of clusters and users that hold paths, which are relative to the kubeconfig's own folder."""


@record
class KubeContext:
    """One context: its name, its namespace, its cluster and its user, with absolute paths."""

    name: str
    namespace: str | None
    cluster: Mapping[str, Any]
    user: Mapping[str, Any]

    def as_kubeconfig(self) -> dict[str, Any]:
        """A kubeconfig of this context alone."""
        return {
            "current-context": self.name,
            "contexts": [{"name": self.name, "context": {"cluster": self.name, "user": self.name}}],
            "clusters": [{"name": self.name, "cluster": dict(self.cluster)}],
            "users": [{"name": self.name, "user": dict(self.user)}],
        }

    @property
    def impersonation(self) -> list[tuple[str, str]]:
        """Headers of impersonation, which the client library does not send."""
        headers = [
            (header, str(self.user[key]))
            for key, header in (("as", "Impersonate-User"), ("as-uid", "Impersonate-Uid"))
            if self.user.get(key)
        ]
        headers += [("Impersonate-Group", str(group)) for group in self.user.get("as-groups") or ()]
        for key, values in _mapping(self.user.get("as-user-extra")).items():
            headers += [(f"Impersonate-Extra-{key}", str(value)) for value in values]
        return headers


class Kubeconfig:
    """The file of ``--kubeconfig``, the files of ``$KUBECONFIG``, or the one in the user's home, merged."""

    def __init__(self, named: str | None = None) -> None:
        """Raises ClusterError for a file that cannot be read, or that is named and does not exist."""
        joined = os.environ.get("KUBECONFIG") or "~/.kube/config"
        # only the environment holds a list of files; like kubectl, those that do not exist are skipped
        self.paths = [
            Path(name).expanduser() for name in ([named] if named else joined.split(os.pathsep)) if name
        ]
        self._data = {str(path): _read(path) for path in self.paths if named or path.exists()}

    @property
    def was_read(self) -> bool:
        """At least one file was read."""
        return bool(self._data)

    @property
    def contexts(self) -> list[str]:
        """The names of all contexts, in order."""
        return list(self._all("contexts"))

    @property
    def namespaces(self) -> list[str]:
        """The namespaces that contexts name."""
        named = [
            _mapping(entry.get("context")).get("namespace") for entry, _ in self._all("contexts").values()
        ]
        return sorted({str(name) for name in named if name})

    def choose(self, context: str | None) -> KubeContext:
        """The context of that name, else the current one. Raises ChoiceError, ClusterError."""
        contexts = self._all("contexts")
        current = (
            str(data["current-context"]) for data in self._data.values() if data.get("current-context")
        )
        name = context or next(current, None)
        if name is None:
            raise ChoiceError(
                "the kubeconfig has no current context",
                msg("pass --context, one of: {names}", names=", ".join(contexts))
                if contexts
                else "it has no contexts",
            )
        if name not in contexts:
            listed = msg("contexts: {names}", names=", ".join(contexts) or msg("none"))
            raise ChoiceError(
                msg("the kubeconfig has no context {name!r}", name=name), did_you_mean(name, contexts, listed)
            )
        entry = _mapping(contexts[name][0].get("context"))
        cluster, user = self._entry("clusters", "cluster", entry), self._entry("users", "user", entry)
        if not isinstance(cluster.get("server"), str):
            raise ClusterError(
                msg("context {name}: the kubeconfig names no server for its cluster", name=name), _AGAIN
            )
        _check_address(name, cluster["server"])
        namespace = entry.get("namespace")
        return KubeContext(name, str(namespace) if namespace else None, cluster, user)

    def _entry(self, kind: str, key: str, context: Mapping[str, Any]) -> dict[str, Any]:
        section, path = self._all(kind).get(str(context.get(key)), ({}, ""))
        return _absolute(_mapping(section.get(key)), Path(path).absolute().parent)

    def _all(self, kind: str) -> dict[str, tuple[Mapping[str, Any], str]]:
        """The entries of a kind by name, with their files; of two with the same name the first counts."""
        entries: dict[str, tuple[Mapping[str, Any], str]] = {}
        for path, data in self._data.items():
            for entry in data.get(kind) or ():
                if isinstance(entry, Mapping) and "name" in entry:
                    entries.setdefault(str(entry["name"]), (entry, path))
        return entries


def _absolute(entry: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """A cluster or user with absolute paths. The command of a plug-in is a path where it has a slash."""
    absolute = dict(entry)
    for key in _FILES:
        if isinstance(absolute.get(key), str):
            absolute[key] = str(folder / absolute[key])
    plugin = absolute.get("exec")
    if isinstance(plugin, Mapping) and os.path.dirname(str(plugin.get("command", ""))):
        absolute["exec"] = {**plugin, "command": str(folder / str(plugin["command"]))}
    return absolute


def _check_address(context: str, server: str) -> None:
    """Raises ClusterError for an invalid address. A user and password in it are not shown."""
    shown = server.rpartition("@")[2]
    if "://" not in server:  # a guess would send the credentials as plain text, or not at all
        raise ClusterError(
            msg(
                "context {context}: the kubeconfig names the server {shown} without http or https",
                context=context,
                shown=shown,
            ),
            msg("write server: https://{shown}", shown=shown),
        )
    try:
        urlsplit(server)
    except ValueError:
        wrong = "context {context}: the kubeconfig names the server {shown}, which is not a valid address"
        raise ClusterError(
            msg(wrong, context=context, shown=shown), "write server: https://HOST:PORT"
        ) from None


def _read(path: Path) -> Mapping[str, Any]:
    try:
        data = plain_document(Source.from_bytes(str(path), read_content(path, named=True)))
    except OSError as error:
        raise ClusterError(
            msg(
                "kubeconfig {path}: {lower}",
                path=path,
                lower=msg((error.strerror or "cannot be read").lower()),
            )
        ) from None
    except NotYamlError as error:  # the text is not shown: it may hold a secret
        raise ClusterError(
            msg("kubeconfig {path}: invalid YAML: {message}", path=path, message=error.message), _AGAIN
        ) from None
    except (DecodeError, ValueError):
        raise ClusterError(msg("kubeconfig {path}: not a text file in UTF-8", path=path), _AGAIN) from None
    if not isinstance(data, Mapping) or any(
        not isinstance(data.get(kind) or [], list) for kind in ("contexts", "clusters", "users")
    ):
        raise ClusterError(
            msg(
                "kubeconfig {path}: not a kubeconfig: it has no lists of clusters, users and contexts",
                path=path,
            ),
            "pass --kubeconfig FILE, or set KUBECONFIG",
        )
    return data


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
