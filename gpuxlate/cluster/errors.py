"""What goes wrong with a request, as one clear line without secrets."""

from __future__ import annotations

import json
import logging
import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

from gpuxlate.cluster.kubeconfig import KubeContext
from gpuxlate.cluster.server import (
    ClusterError,
    ConflictError,
    ExpiredError,
    FailingError,
    ForbiddenError,
    MissingError,
)
from gpuxlate.model.declarations import record, regex
from gpuxlate.model.messages import join_and, msg, plural

CHECK_ADDRESS = "is the address in the kubeconfig right? does it need a VPN or a proxy?"
CHECK_CONTEXT = "check this context in the kubeconfig"
MAX_SERVER_MESSAGE = 400
"""Characters of a server's message that are shown."""
_BEARER = regex(r"(?i)\b(bearer|basic)\s+[^\s\"']+")
_JWT = regex(r"\beyJ[\w-]+\.[\w-]*\.?[\w-]*")
_CONFLICT = regex(r'conflict with "([^"]+)"')
_CONFLICT_FIELD = regex(r'conflict with "([^"]+)"[^:"]*: (\.[^\s;,]+)')
_USER = regex(r'User "([^"]+)"')


@record
class Request:
    """A request, for messages; ``secrets`` never appear in them."""

    server: str
    method: str
    path: str
    secrets: set[str]

    @property
    def verb(self) -> str:
        """The verb of RBAC."""
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
        """The namespace in its path; None where it has none."""
        return self._parts[0]

    @property
    def resource(self) -> str:
        """The resource, such as ``deployments``; the path where it has none."""
        steps = self._parts[1]
        return steps[0] if steps else self.path

    @property
    def name(self) -> str | None:
        """The name of the object; None for a list."""
        steps = self._parts[1]
        return steps[1] if len(steps) > 1 else None

    @property
    def thing(self) -> str:
        """The requested objects as text: ``deployments in namespace ml``, ``pods "web" in namespace ml``."""
        named = f'{self.resource} "{self.name}"' if self.name else self.resource
        if self.namespace:
            return msg("{thing} in namespace {namespace}", thing=named, namespace=self.namespace)
        everywhere = self._parts[1] and not self.name
        return msg("{thing} across the cluster", thing=named) if everywhere else named


def secrets_of(user: Mapping[str, Any]) -> set[str]:
    """The values of a kubeconfig's user that are never shown."""
    return {str(user[key]) for key in ("token", "password") if user.get(key)}


def one_line(text: str, secrets: set[str]) -> str:
    """A server's message as one short line without secrets."""
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    for secret in secrets:
        if len(secret) > 3:
            text = text.replace(secret, "[hidden]")
    text = _JWT.sub("[hidden]", _BEARER.sub(r"\1 [hidden]", text))
    return text if len(text) <= MAX_SERVER_MESSAGE else text[: MAX_SERVER_MESSAGE - 3] + "..."


def failure(request: Request, answer: Any, tries: int) -> ClusterError:
    """The error of an HTTP answer that is not a success. ``tries``: requests that were sent."""
    status = _status(answer)
    message = one_line(str(status.get("message") or ""), request.secrets)
    code = answer.status
    if code == 401:
        return ClusterError(
            msg(
                "{server} does not accept the credentials: they are expired, or of another cluster",
                server=request.server,
            ),
            "log in again, or choose another --context",
        )
    if code == 403:
        return _forbidden(request, message)
    if code == 404:
        return _missing(request, status)
    if code == 409:
        return _conflict(request, status, message)
    if code == 410:
        token = (status.get("metadata") or {}).get("continue")
        return ExpiredError(
            msg(
                "the list of {resource} changed too much while it was read page by page",
                resource=request.resource,
            ),
            "try again",
            token,
        )
    if code == 429:
        return FailingError(
            msg("{server} is too busy, after {times}", server=request.server, times=_times(tries)),
            "try again later",
        )
    if code >= 500:
        return FailingError(
            msg(
                "{server} fails ({code}), after {times}{colon}",
                server=request.server,
                code=code,
                times=_times(tries),
                colon=_colon(message),
            ),
            "try again later",
        )
    if code < 400:
        return ClusterError(
            msg(
                "{server} redirects GET {path} ({code}): it is not a Kubernetes API server",
                server=request.server,
                path=request.path,
                code=code,
            ),
            "is there a proxy or a login page in front of it?",
        )
    return ClusterError(
        msg(
            "{server} refuses to {verb} {thing} ({code}){colon}",
            server=request.server,
            verb=request.verb,
            thing=request.thing,
            code=code,
            colon=_colon(message),
        )
    )


def _times(count: int) -> str:
    return plural(count, "{count} try", "{count} tries")


def unexpected(request: Request, expected: str) -> ClusterError:
    """The error of an answer that is a success and is not what was ``expected``."""
    return ClusterError(
        msg(
            "{server}: the answer to GET {path} is not {wanted}",
            server=request.server,
            path=request.path,
            wanted=expected,
        ),
        "is this a Kubernetes API server? a proxy or a login page may answer instead",
    )


def _colon(message: str) -> str:
    return f": {message}" if message else ""


def _status(answer: Any) -> dict[str, Any]:
    """The Status object of an error; empty where the answer is something else."""
    try:
        status = json.loads(answer.data)
    except (ValueError, RecursionError):
        return {}
    return status if isinstance(status, dict) and status.get("kind") == "Status" else {}


def _forbidden(request: Request, message: str) -> ClusterError:
    user = _USER.search(message)
    who = msg("user {name} may not", name=user.group(1)) if user else msg("you may not")
    return ForbiddenError(
        msg("{who} {verb} {thing}", who=who, verb=request.verb, thing=request.thing),
        "ask an administrator for access, or choose another --context or --namespace",
    )


def _missing(request: Request, status: Mapping[str, Any]) -> ClusterError:
    details = status.get("details")
    elsewhere = "is it in another namespace? choose it with -n" if request.namespace else None
    if request.name and isinstance(details, Mapping) and details.get("name"):
        return MissingError(msg("{thing}: not found", thing=request.thing), elsewhere)
    return MissingError(msg("{server} has no {thing}", server=request.server, thing=request.thing), elsewhere)


def _conflict(request: Request, status: Mapping[str, Any], message: str) -> ClusterError:
    details = status.get("details")
    causes = details.get("causes") if isinstance(details, Mapping) else None
    conflicts: list[tuple[str, str]] = []
    for cause in causes if isinstance(causes, list) else ():
        if isinstance(cause, Mapping):
            match = _CONFLICT.search(str(cause.get("message")))
            if match:
                conflicts.append((one_line(match.group(1), request.secrets), str(cause.get("field") or "")))
    conflicts = conflicts or _CONFLICT_FIELD.findall(message)
    if not conflicts:
        return ClusterError(
            msg("{thing}: conflict{colon}", thing=request.thing, colon=_colon(message)),
            "it has changed; try again",
        )
    owners = dict.fromkeys(manager for manager, _ in conflicts)
    owned = [
        (owner, ", ".join(field for manager, field in conflicts if manager == owner)) for owner in owners
    ]
    text = join_and(
        [msg("{manager} owns {fields}", manager=owner, fields=each) for owner, each in owned],
        "{before}; {last}",
    )
    return ConflictError(msg("{thing}: conflict: {text}", thing=request.thing, text=text))


# --- no answer ----------------------------------------------------------------------------------


def unreachable(server: str, error: Exception, seconds: float | None) -> ClusterError:
    """Why there is no answer. ``seconds``: the time limit."""
    from urllib3 import exceptions

    if isinstance(error, exceptions.ProxyError):
        return ClusterError(
            msg("the proxy for {server} is not reachable", server=server), "check proxy-url and HTTPS_PROXY"
        )
    if isinstance(error, (exceptions.SSLError, ssl.SSLError)):
        return _no_trust(server, error)
    if isinstance(error, exceptions.NameResolutionError):
        return ClusterError(msg("{server}: the host name does not resolve", server=server), CHECK_ADDRESS)
    if isinstance(error, exceptions.TimeoutError) and not isinstance(error, exceptions.NewConnectionError):
        if isinstance(error, exceptions.ConnectTimeoutError):
            return ClusterError(
                msg("{server} is not reachable: the connection timed out", server=server), CHECK_ADDRESS
            )
        within = "" if seconds is None else msg(" within {seconds:g} s", seconds=seconds)
        return ClusterError(
            msg("{server} did not answer{within}", server=server, within=within),
            "set a longer --request-timeout",
        )
    if isinstance(error, exceptions.LocationParseError | ValueError):
        return ClusterError(msg("{server} is not a valid address", server=server), CHECK_CONTEXT)
    text = str(error).lower()
    reason = next((why for why in ("connection refused", "unreachable", "reset") if why in text), None)
    message = msg("{server} is not reachable", server=server)
    if reason:
        message = msg("{message}: {why}", message=message, why=msg(reason))
    return ClusterError(message, CHECK_ADDRESS)


_TRUST = (
    ("hostname mismatch", "its certificate is for another host"),
    ("ip address mismatch", "its certificate is for another address"),
    ("certificate has expired", "its certificate has expired"),
    ("self-signed", "its certificate is not signed by an authority that the kubeconfig trusts"),
    ("self signed", "its certificate is not signed by an authority that the kubeconfig trusts"),
    ("unable to get", "its certificate is not signed by an authority that the kubeconfig trusts"),
    ("certificate verify failed", "its certificate cannot be verified"),
    ("wrong_version_number", "it does not speak TLS"),
    ("wrong version number", "it does not speak TLS"),
    ("record_layer_failure", "it does not speak TLS"),
    ("key_values_mismatch", "the client certificate and key of the kubeconfig do not match"),
    ("alert", "it does not accept the client certificate"),
    ("pem", "a certificate or key of the kubeconfig is not valid PEM"),
)


def _no_trust(server: str, error: Exception) -> ClusterError:
    text = str(error).lower()
    why = next((why for mark, why in _TRUST if mark in text), "the TLS handshake fails")
    return ClusterError(msg("no secure connection to {server}: {why}", server=server, why=why), CHECK_CONTEXT)


def unusable(context: KubeContext, error: Exception) -> ClusterError:
    """A context that the client library rejects. Its own message may hold secrets."""
    path = re.search(r"File does not exist: (\S+)", str(error))
    if path or isinstance(error, FileNotFoundError):
        name = path.group(1) if path else getattr(error, "filename", None)
        return ClusterError(
            msg(
                "context {name}: the kubeconfig names {name_2}, which does not exist",
                name=context.name,
                name_2=name,
            ),
            "put the file there, or fetch the kubeconfig again",
        )
    return ClusterError(
        msg(
            "context {name} of the kubeconfig cannot be used: {name_2}",
            name=context.name,
            name_2=type(error).__name__,
        ),
        "check the cluster and the user of this context",
    )


def plugin_failed(context: KubeContext, log: list[str]) -> ClusterError:
    """The credential plug-in gave no credential. What it printed may hold secrets and is not shown."""
    command = context.user["exec"].get("command") if isinstance(context.user["exec"], Mapping) else None
    name = PurePath(str(command)).name if command else "of the kubeconfig"
    text = " ".join(log)
    code = re.search(r"process returned (-?\d+)", text)
    why: str = msg("exit code {code}", code=code.group(1)) if code else "its output has no credential"
    if "No such file" in text:
        why = "it is not installed"
    elif "Permission denied" in text:
        why = "it cannot be run"
    return ClusterError(
        msg(
            "context {name}: the credential plug-in {name_2} failed: {why}",
            name=context.name,
            name_2=name,
            why=why,
        ),
        msg("run {name} yourself to see why; you may have to log in again", name=name),
    )


@contextmanager
def captured_log() -> Iterator[list[str]]:
    """What the client library writes to the root logger, kept in a list instead of printed."""
    root = logging.getLogger()
    log: list[str] = []

    class _ToList(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            log.append(record.getMessage())

    before, handler = root.handlers[:], _ToList()
    root.handlers[:] = [handler]
    try:
        yield log
    finally:
        root.handlers[:] = before
