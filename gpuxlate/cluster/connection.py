"""One connection to an API server: requests that are answered, retried, or end in one clear line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from time import sleep
from typing import Any
from urllib.parse import urlencode, urlsplit

from gpuxlate import __version__
from gpuxlate.cluster import errors
from gpuxlate.cluster.kubeconfig import Kubeconfig, KubeContext
from gpuxlate.cluster.server import ChoiceError, ClusterError, Json
from gpuxlate.model.messages import message_of, msg

CONNECT_SECONDS = 10.0
"""A server that takes longer to connect to is reported as unreachable."""

READ_SECONDS = 60.0
"""The default of ``--request-timeout``."""

RETRIES = 3

WAITS = (0.2, 0.5, 1.0)
"""Seconds before each retry, where the server sends no Retry-After."""

MAX_WAIT = 30.0
"""Seconds of Retry-After that one request waits in all."""

_BUSY = 429

_TRANSIENT = frozenset({500, 502, 503, 504})

_EXTRA = "cluster"


class Connection:
    """A connection by a kubeconfig, or from the service account of the pod that it runs in.

    ``timeout``: seconds for each request, 0 for no limit, None for the default. ``server``: the
    address and the context, for messages. Raises ClusterError.
    """

    def __init__(self, kubeconfig: Kubeconfig, context: str | None, timeout: float | None) -> None:
        self.context = _context(kubeconfig, context)
        client, config = _library()
        self._config = client.Configuration()
        if self.context is None:
            self._load_service_account(config)
        else:
            self._load_context(config, self.context)
        self._host = str(self._config.host).rstrip("/")
        self.server = _shown_address(self._host, self.context)
        self._secrets = errors.secrets_of(self.context.user if self.context else {})
        self._open(client, timeout)

    def _load_service_account(self, config: Any) -> None:
        try:
            config.load_incluster_config(client_configuration=self._config)
        except Exception:
            raise ClusterError(
                "the service account of this pod cannot be read",
                "set automountServiceAccountToken: true, or pass --kubeconfig FILE",
            ) from None

    def _load_context(self, config: Any, context: KubeContext) -> None:
        proxy = context.cluster.get("proxy-url")
        if isinstance(proxy, str):  # versions of the client up to 35 ignore it
            self._config.proxy = proxy
        with errors.captured_log() as log:
            try:
                config.load_kube_config_from_dict(
                    context.as_kubeconfig(), client_configuration=self._config, persist_config=False
                )
            except Exception as error:
                raise errors.unusable(context, error) from None
        if "exec" in context.user and not (self._config.api_key or self._config.cert_file):
            raise errors.plugin_failed(context, log)

    def _open(self, client: Any, timeout: float | None) -> None:
        import urllib3

        if not self._config.verify_ssl:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        try:
            # the pool itself: ApiClient.call_api has another signature in each generation of the
            # client, and cannot send a header twice, as Impersonate-Group needs
            self._pool = client.ApiClient(self._config).rest_client.pool_manager
        except Exception as error:
            raise ClusterError(
                msg(
                    "no connection to {server} can be set up: {name}",
                    server=self.server,
                    name=type(error).__name__,
                ),
                "check this context in the kubeconfig: server, proxy-url, certificates",
            ) from None
        self._read_seconds = READ_SECONDS if timeout is None else timeout or None
        connect = CONNECT_SECONDS if self._read_seconds is None else min(CONNECT_SECONDS, self._read_seconds)
        self._timeout = urllib3.Timeout(connect=connect, read=self._read_seconds)

    def _headers(self, more: Mapping[str, str]) -> Any:
        from urllib3 import HTTPHeaderDict

        headers = HTTPHeaderDict({"Accept": "application/json", "User-Agent": f"gpuxlate/{__version__}"})
        with errors.captured_log():  # an expired token may be renewed here
            credentials = self._config.auth_settings().values()
        for credential in credentials:
            headers[credential["key"]] = credential["value"]
            self._secrets.add(str(credential["value"]).rpartition(" ")[2])
        for name, value in self.context.impersonation if self.context else ():
            headers.add(name, value)
        headers.update(more)
        return headers

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[Json, Mapping[str, str]]:
        """The answer and its headers, after at most RETRIES retries. Raises ClusterError.

        The request must be idempotent.
        """
        # Retry of urllib3 limits each wait, not all of them (60 s where the server says 20; one wait here),
        # sends a PATCH four times that failed with 500, ends where Retry-After is no number, and keeps the
        # credentials of the first attempt. A subclass without these takes 20 lines more than this.
        url = self._host + path + (f"?{urlencode(query)}" if query else "")
        request = errors.Request(self.server, method, path, self._secrets)
        waited = 0.0
        for attempt in range(RETRIES + 1):
            last = attempt == RETRIES
            answer = self._send(method, url, body, headers or {})
            if answer is None:
                if last:
                    raise ClusterError(
                        msg(
                            "{server} closes every connection before the answer is complete",
                            server=self.server,
                        ),
                        errors.CHECK_ADDRESS,
                    )
                wait = WAITS[attempt]
            elif answer.status == _BUSY or (
                answer.status in _TRANSIENT and (method == "GET" or "Retry-After" in answer.headers)
            ):
                wait = _seconds(answer.headers.get("Retry-After"), WAITS[min(attempt, RETRIES - 1)])
                waited += wait
                if last or waited > MAX_WAIT:
                    raise errors.failure(request, answer, attempt + 1)
            elif answer.status >= 300:
                raise errors.failure(request, answer, 1)
            else:
                return self._decoded(request, answer), answer.headers
            sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _send(self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]) -> Any:
        """One attempt: the answer, None where the connection was closed. Raises ClusterError."""
        from urllib3 import exceptions

        try:
            return self._pool.request(
                method,
                url,
                body=body,
                headers=self._headers(headers),
                timeout=self._timeout,
                retries=False,
                redirect=False,
            )
        except exceptions.ProtocolError:
            return None
        except (exceptions.HTTPError, OSError, ValueError) as error:
            raise errors.unreachable(self.server, error, self._read_seconds) from None

    def _decoded(self, request: errors.Request, answer: Any) -> Json:
        try:
            decoded = json.loads(answer.data)
        except (ValueError, RecursionError):
            decoded = None
        if not isinstance(decoded, dict):
            kind = str(answer.headers.get("Content-Type", "")).partition(";")[0]
            kind = kind if re.fullmatch(r"[\w.+-]+/[\w.+-]+", kind) else "without a content type"
            raise errors.unexpected(request, msg("a JSON object ({kind})", kind=kind))
        return decoded


def _library() -> tuple[Any, Any]:
    """``kubernetes.client`` and ``kubernetes.config``. Raises ChoiceError where they cannot be imported."""
    try:
        from kubernetes import client, config
    except ImportError as error:
        from gpuxlate.files.extras import install_command

        install = install_command(_EXTRA)
        if isinstance(error, ModuleNotFoundError) and error.name == "kubernetes":
            raise ChoiceError(msg("live clusters need the extra: {extra}", extra=install)) from None
        raise ChoiceError(
            msg("the kubernetes library cannot be loaded: {error}", error=message_of(error)), install
        ) from None
    return client, config


def _context(kubeconfig: Kubeconfig, name: str | None) -> KubeContext | None:
    """The context to use; None inside a pod that has no kubeconfig."""
    if kubeconfig.was_read:
        return kubeconfig.choose(name)
    if "KUBERNETES_SERVICE_HOST" in os.environ:
        return None
    raise ClusterError(
        msg("no cluster is configured: {names} does not exist", names=", ".join(map(str, kubeconfig.paths))),
        "pass --kubeconfig FILE, or set KUBECONFIG",
    )


def _shown_address(host: str, context: KubeContext | None) -> str:
    """The address without path and user, and the context."""
    parts = urlsplit(host)
    address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    return f"{address} (context {context.name})" if context else address


def _seconds(text: str | None, default: float) -> float:
    """Retry-After in seconds; a date, which Kubernetes never writes, counts as none."""
    return float(text) if text and re.fullmatch("[0-9]{1,6}", text) else default
