"""One connection to an API server: requests that are answered, tried again, or end in one clear line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from time import sleep
from typing import Any
from urllib.parse import urlencode, urlsplit

from gpuxlate import __version__
from gpuxlate.cluster import answers
from gpuxlate.cluster.errors import ClusterError
from gpuxlate.cluster.kubeconfig import Chosen, Kubeconfig
from gpuxlate.cluster.light import load
from gpuxlate.cluster.server import Json

CONNECT_SECONDS = 10.0
"""A server that takes longer to be reached is called unreachable."""
READ_SECONDS = 60.0
"""A server that is silent for longer is given up; ``--request-timeout`` says otherwise."""
RETRIES = 3
WAITS = (0.2, 0.5, 1.0)
"""Seconds before each further try, where the server names no time of its own."""
MAX_WAIT = 30.0
"""Seconds of Retry-After that are waited for, all tries of a request together."""
_BUSY = 429
_PASSING = frozenset({500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Address:
    """Where requests go, and who asks: for messages."""

    host: str
    context: str | None

    @property
    def name(self) -> str:
        """The address without path and user, and the context."""
        parts = urlsplit(self.host)
        address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        return f"{address} (context {self.context})" if self.context else address


class Connection:
    """Made from a kubeconfig, or from the service account of the pod that it runs in.

    ``timeout``: seconds for each request, 0 for no limit, None for the usual.
    """

    def __init__(self, kubeconfig: Kubeconfig, context: str | None, timeout: float | None) -> None:
        self.chosen = _chosen(kubeconfig, context)
        self._library = load(logins=self.chosen is not None and "auth-provider" in self.chosen.user)
        self._config = self._library.configuration()
        if self.chosen is None:
            self._as_service_account()
        else:
            self._as_user(self.chosen)
        self.server = Address(str(self._config.host), self.chosen.name if self.chosen else None)
        self._secrets = answers.secrets_of(self.chosen.user if self.chosen else {})
        self._timeout = timeout
        self._open()

    def _as_service_account(self) -> None:
        try:
            self._library.incluster_config.load_incluster_config(client_configuration=self._config)
        except Exception:
            raise ClusterError(
                "the service account of this pod cannot be read",
                "set automountServiceAccountToken: true, or pass --kubeconfig FILE",
            ) from None

    def _as_user(self, chosen: Chosen) -> None:
        with answers.quiet_root() as said:
            try:
                self._loader(chosen).load_and_set(self._config)
            except Exception as error:
                raise answers.unusable(chosen, error) from None
        if isinstance(chosen.cluster.get("proxy-url"), str):  # versions up to 35 of the library pass over it
            self._config.proxy = chosen.cluster["proxy-url"]
        if "exec" in chosen.user and not (self._config.api_key or self._config.cert_file):
            raise answers.plugin_failed(chosen, said)

    def _loader(self, chosen: Chosen) -> Any:
        """The library's reader, given what is read already: its own takes as long as all the rest."""
        node = self._library.kube_config.ConfigNode
        names = {"cluster": chosen.name, "user": chosen.name}
        data = {
            "current-context": chosen.name,
            "contexts": [{"name": chosen.name, "context": names}],
            "clusters": [
                node("cluster", {"name": chosen.name, "cluster": chosen.cluster}, chosen.cluster_file)
            ],
            "users": [node("user", {"name": chosen.name, "user": chosen.user}, chosen.user_file)],
        }
        return self._library.kube_config.KubeConfigLoader(
            config_dict=node("kubeconfig", data), active_context=chosen.name, config_base_path=None
        )

    def _open(self) -> None:
        # what is only needed with a server stays out of start-up
        import urllib3

        if not self._config.verify_ssl:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        try:
            self._pool = self._library.rest.RESTClientObject(self._config).pool_manager
        except Exception as error:
            raise ClusterError(
                f"no connection to {self.server.name} can be set up: {type(error).__name__}",
                "look at what the kubeconfig says of this context: server, proxy-url, certificates",
            ) from None
        read = READ_SECONDS if self._timeout is None else self._timeout or None
        connect = CONNECT_SECONDS if read is None else min(CONNECT_SECONDS, read)
        self._limits = urllib3.Timeout(connect=connect, read=read)
        self._read_seconds = read

    def _headers(self, more: Mapping[str, str]) -> Any:
        from urllib3 import HTTPHeaderDict

        if self._config.refresh_api_key_hook is not None:
            with answers.quiet_root():
                self._config.refresh_api_key_hook(self._config)
        headers = HTTPHeaderDict({"Accept": "application/json", "User-Agent": f"gpuxlate/{__version__}"})
        token = self._config.api_key.get("BearerToken") or self._config.api_key.get("authorization")
        if token:
            headers["Authorization"] = token
            self._secrets.add(str(token).rpartition(" ")[2])
        for name, value in self.chosen.impersonation if self.chosen else ():
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
        """The answer and its headers, with at most RETRIES further tries. Raises ClusterError.

        What it is asked must be safe to be asked twice.
        """
        url = self.server.host.rstrip("/") + path + (f"?{urlencode(query)}" if query else "")
        waited = 0.0
        for tried in range(RETRIES + 1):
            last = tried == RETRIES
            answer, cut = self._once(method, url, body, headers or {})
            if answer is None:
                if last:
                    raise ClusterError(f"{self.server.name} cuts every connection: {cut}", answers.ON_THE_WAY)
                wait = WAITS[tried]
            elif answer.status == _BUSY or (
                answer.status in _PASSING and (method == "GET" or _asked(answer))
            ):
                wait = _seconds(answer.headers.get("Retry-After"), WAITS[min(tried, RETRIES - 1)])
                waited += wait
                if last or waited > MAX_WAIT:
                    raise answers.failure(self._told(method, path, query), answer, tried + 1)
            elif answer.status >= 300:
                raise answers.failure(self._told(method, path, query), answer, 1)
            else:
                return self._decoded(path, answer), answer.headers
            sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _told(self, method: str, path: str, query: Mapping[str, Any] | None) -> answers.Told:
        return answers.Told(self.server.name, method, path, dict(query or {}), self._secrets)

    def _once(self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]) -> tuple[Any, str]:
        """One try: the answer; or None, and why, where the connection was cut."""
        from urllib3 import exceptions

        try:
            answer = self._pool.request(
                method,
                url,
                body=body,
                headers=self._headers(headers),
                timeout=self._limits,
                retries=False,
                redirect=False,
            )
            return answer, ""
        except exceptions.ProtocolError:
            return None, "the answer breaks off"
        except (exceptions.HTTPError, OSError, ValueError) as error:
            raise answers.unreachable(self.server.name, error, self._read_seconds) from None

    def _decoded(self, path: str, answer: Any) -> Json:
        try:
            found = json.loads(answer.data)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            kind = str(answer.headers.get("Content-Type", "")).partition(";")[0]
            kind = kind if re.fullmatch(r"[\w.+-]+/[\w.+-]+", kind) else "no type named"
            raise ClusterError(
                f"{self.server.name}: the answer to GET {path} is no JSON object ({kind})",
                "is this a Kubernetes API server? a proxy or a login page may answer in its place",
            )
        return found


def _chosen(kubeconfig: Kubeconfig, context: str | None) -> Chosen | None:
    """The context to use; None inside a pod that has no kubeconfig."""
    if kubeconfig.found:
        return kubeconfig.choose(context)
    if "KUBERNETES_SERVICE_HOST" in os.environ:
        return None
    raise ClusterError(
        f"no cluster is configured: {', '.join(map(str, kubeconfig.paths))} is not there",
        "pass --kubeconfig FILE, or set KUBECONFIG",
    )


def _asked(answer: Any) -> bool:
    """The server itself asks to be tried again."""
    return "Retry-After" in answer.headers


def _seconds(text: str | None, usual: float) -> float:
    """Retry-After in seconds; a date, which Kubernetes never writes, counts as none."""
    return float(text) if text and re.fullmatch("[0-9]{1,6}", text) else usual
