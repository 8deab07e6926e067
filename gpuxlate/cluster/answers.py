"""Answers of a server that are no success, in one clear line each. Nothing secret is in them."""

from __future__ import annotations

import json
import logging
import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from gpuxlate.cluster.errors import ClusterError, ConflictError, ExpiredError, MissingError
from gpuxlate.cluster.kubeconfig import Chosen

ON_THE_WAY = "is the address in the kubeconfig right? is there a VPN or a proxy on the way?"
MAX_LENGTH = 400
"""Characters of a server's own words that are shown."""
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[^\s\"']+")
_JWT = re.compile(r"\beyJ[\w-]+\.[\w-]*\.?[\w-]*")
_CONFLICT = re.compile(r'conflict with "([^"]+)"')
_CONFLICT_FIELD = re.compile(r'conflict with "([^"]+)"[^:"]*: (\.[^\s;,]+)')
_USER = re.compile(r'User "([^"]+)"')


@dataclass(frozen=True, slots=True)
class Told:
    """What was asked of whom, for messages; ``secrets`` never appear in them."""

    server: str
    method: str
    path: str
    query: dict[str, Any]
    secrets: set[str]

    @property
    def verb(self) -> str:
        """The verb that rights are given for."""
        if self.method != "GET":
            return {"PATCH": "patch", "POST": "create", "DELETE": "delete"}.get(self.method, "update")
        return "get" if self.name else "list"

    @property
    def _parts(self) -> tuple[str | None, list[str]]:
        steps = [step for step in self.path.split("/") if step]
        steps = steps[2:] if steps[:1] == ["api"] else steps[3:] if steps[:1] == ["apis"] else []
        if len(steps) > 2 and steps[0] == "namespaces":
            return steps[1], steps[2:]
        return None, steps

    @property
    def namespace(self) -> str | None:
        return self._parts[0]

    @property
    def resource(self) -> str:
        """Its name in the API; the path where it is none."""
        steps = self._parts[1]
        return steps[0] if steps else self.path

    @property
    def name(self) -> str | None:
        steps = self._parts[1]
        return steps[1] if len(steps) > 1 else None

    @property
    def thing(self) -> str:
        """``deployments in namespace ml``, ``deployments "web" in namespace ml``."""
        named = f'{self.resource} "{self.name}"' if self.name else self.resource
        if self.namespace:
            return f"{named} in namespace {self.namespace}"
        return named if self.name or not self._parts[1] else f"{named} across the cluster"


def secrets_of(user: Mapping[str, Any]) -> set[str]:
    """What of a kubeconfig's user may never be shown."""
    return {str(user[key]) for key in ("token", "password") if user.get(key)}


def shown(text: str, secrets: set[str]) -> str:
    """A server's words: one line, not long, without secrets."""
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    for secret in secrets:
        if len(secret) > 3:
            text = text.replace(secret, "[hidden]")
    text = _JWT.sub("[hidden]", _BEARER.sub(r"\1 [hidden]", text))
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 3] + "..."


def failure(told: Told, answer: Any, tries: int) -> ClusterError:
    """The error that an HTTP answer is."""
    status = _status(answer)
    message = shown(str(status.get("message") or ""), told.secrets)
    code = answer.status
    if code == 401:
        return ClusterError(
            f"{told.server} does not accept the credentials: expired, or not this cluster's",
            "log in again, or choose another --context",
        )
    if code == 403:
        return _forbidden(told, message)
    if code == 404:
        return _missing(told, status)
    if code == 409:
        return _conflict(told, status, message)
    if code == 410:
        token = (status.get("metadata") or {}).get("continue")
        return ExpiredError(
            f"the list of {told.resource} changed too much while it was read page by page", "try again", token
        )
    if code == 429:
        return ClusterError(f"{told.server} is too busy, after {_times(tries)}", "try again later")
    if code >= 500:
        return ClusterError(
            f"{told.server} fails ({code}), after {_times(tries)}{_words(message)}", "try again later"
        )
    if code < 400:
        return ClusterError(
            f"{told.server} sends GET {told.path} elsewhere ({code}): it is no Kubernetes API server",
            "is there a proxy or a login page in front of it?",
        )
    return ClusterError(f"{told.server} refuses {told.verb} {told.thing} ({code}){_words(message)}")


def _times(count: int) -> str:
    return "1 try" if count == 1 else f"{count} tries"


def _words(message: str) -> str:
    return f": {message}" if message else ""


def _status(answer: Any) -> dict[str, Any]:
    """The Status object of an error; empty where it is none."""
    try:
        found = json.loads(answer.data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and found.get("kind") == "Status" else {}


def _forbidden(told: Told, message: str) -> ClusterError:
    user = _USER.search(message)
    who = f"user {user.group(1)} may not" if user else "you may not"
    return ClusterError(
        f"{who} {told.verb} {told.thing}",
        "ask for the right, or choose another --context or --namespace",
    )


def _missing(told: Told, status: Mapping[str, Any]) -> ClusterError:
    details = status.get("details")
    elsewhere = "is it in another namespace? choose that with -n" if told.namespace else None
    if told.name and isinstance(details, Mapping) and details.get("name"):
        return MissingError(f"{told.thing}: not found", elsewhere)
    return MissingError(f"{told.server} has no {told.thing}", elsewhere)


def _conflict(told: Told, status: Mapping[str, Any], message: str) -> ClusterError:
    details = status.get("details")
    causes = details.get("causes") if isinstance(details, Mapping) else None
    found: list[tuple[str, str]] = []
    for cause in causes if isinstance(causes, list) else ():
        if isinstance(cause, Mapping):
            match = _CONFLICT.search(str(cause.get("message")))
            if match:
                found.append((shown(match.group(1), told.secrets), str(cause.get("field") or "")))
    found = found or _CONFLICT_FIELD.findall(message)
    if not found:
        return ClusterError(f"{told.thing}: conflict{_words(message)}", "somebody else changed it; try again")
    owners = dict.fromkeys(manager for manager, _ in found)
    said = "; ".join(
        f"{manager} owns {', '.join(field for one, field in found if one == manager)}" for manager in owners
    )
    return ConflictError(f"{told.thing}: conflict: {said}", None, tuple(found))


# --- before there is an answer ------------------------------------------------------------------


def unreachable(server: str, error: Exception, seconds: float | None) -> ClusterError:
    """Why no answer came."""
    from urllib3 import exceptions

    if isinstance(error, exceptions.ProxyError):
        return ClusterError(f"the proxy before {server} is not reachable", "look at proxy-url, HTTPS_PROXY")
    if isinstance(error, (exceptions.SSLError, ssl.SSLError)):
        return _no_trust(server, error)
    if isinstance(error, exceptions.NameResolutionError):
        return ClusterError(f"{server}: no address is known for this host", ON_THE_WAY)
    if isinstance(error, exceptions.TimeoutError) and not isinstance(error, exceptions.NewConnectionError):
        if isinstance(error, exceptions.ConnectTimeoutError):
            return ClusterError(f"{server} is not reachable: no connection in time", ON_THE_WAY)
        within = "" if seconds is None else f" within {seconds:g} s"
        return ClusterError(f"{server} did not answer{within}", "--request-timeout gives it longer")
    if isinstance(error, exceptions.LocationParseError | ValueError):
        return ClusterError(f"{server} is no address of a server", "look at the kubeconfig of this context")
    text = str(error).lower()
    known = next((why for why in ("connection refused", "unreachable", "reset") if why in text), None)
    return ClusterError(f"{server} is not reachable" + (f": {known}" if known else ""), ON_THE_WAY)


_TRUST = (
    ("hostname mismatch", "its certificate is for another host"),
    ("ip address mismatch", "its certificate is for another address"),
    ("certificate has expired", "its certificate has expired"),
    ("self-signed", "its certificate is signed by nobody the kubeconfig trusts"),
    ("self signed", "its certificate is signed by nobody the kubeconfig trusts"),
    ("unable to get", "its certificate is signed by nobody the kubeconfig trusts"),
    ("certificate verify failed", "its certificate cannot be verified"),
    ("wrong_version_number", "it speaks no TLS"),
    ("wrong version number", "it speaks no TLS"),
    ("record_layer_failure", "it speaks no TLS"),
    ("key_values_mismatch", "the client certificate and key of the kubeconfig do not belong together"),
    ("alert", "it does not accept the client certificate"),
    ("pem", "a certificate or key of the kubeconfig is no PEM text"),
)


def _no_trust(server: str, error: Exception) -> ClusterError:
    text = str(error).lower()
    why = next((why for mark, why in _TRUST if mark in text), "the TLS handshake fails")
    return ClusterError(f"no secure connection to {server}: {why}", "look at the kubeconfig of this context")


def unusable(chosen: Chosen, error: Exception) -> ClusterError:
    """A context that the client library cannot use. Its own words may hold secrets."""
    path = re.search(r"File does not exist: (\S+)", str(error))
    if path or isinstance(error, FileNotFoundError):
        name = path.group(1) if path else getattr(error, "filename", None)
        return ClusterError(
            f"context {chosen.name}: the kubeconfig names {name}, which is not there",
            "put the file there, or fetch the kubeconfig again",
        )
    return ClusterError(
        f"context {chosen.name} of the kubeconfig cannot be used: {type(error).__name__}",
        "look at what it says of this context's cluster and user",
    )


def plugin_failed(chosen: Chosen, said: list[str]) -> ClusterError:
    """The credential plug-in gave nothing. What it printed may hold secrets: only how it ended is told."""
    command = chosen.user["exec"].get("command") if isinstance(chosen.user["exec"], Mapping) else None
    name = PurePath(str(command)).name if command else "of the kubeconfig"
    text = " ".join(said)
    code = re.search(r"process returned (-?\d+)", text)
    why = f"exit code {code.group(1)}" if code else "its answer holds no credential"
    if "No such file" in text:
        why = "it is not installed"
    elif "Permission denied" in text:
        why = "it cannot be run"
    return ClusterError(
        f"context {chosen.name}: the credential plug-in {name} failed: {why}",
        f"run {name} by itself to see why; you may have to log in again",
    )


@contextmanager
def quiet_root() -> Iterator[list[str]]:
    """What the client library writes to the root logger, which would print it, kept in a list."""
    root = logging.getLogger()
    said: list[str] = []

    class _Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    before, handler = root.handlers[:], _Kept()
    root.handlers[:] = [handler]
    try:
        yield said
    finally:
        root.handlers[:] = before
