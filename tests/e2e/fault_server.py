"""A small stand-in for an API server that fails on demand.

    with FaultServer({"/api/v1/nodes": Listed("v1", "Node", nodes.ALL)}) as server:
        server.inject(faults.gone(), "/api/v1/nodes", continued=True, times=1)
        ...
        assert server.count("/api/v1/nodes") == 3

It knows lists, page by page, single objects, and writes that it answers with what it got; it stores nothing.
A real server is in ``server/cluster.py``: this one is for the faults that a real one will not give on demand.
"""

import json
import re
import ssl
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from .faults import Answer, Cut, Fault, Hang, Rule, status
from .listed import RESOURCE_VERSION, Listed, start_of
from .server.kubeconfig import Context, kubeconfig
from .server.pki import Authority

Said = Answer | Iterator[bytes]
"""An answer, or a page in pieces."""


@dataclass(frozen=True, slots=True)
class Request:
    """One line of the log. ``at`` is in seconds of the monotonic clock, ``status`` 0 where none was sent."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    status: int
    at: float


class FaultServer:
    """The server; a context manager. Plain HTTP, or TLS with a certificate authority of its own."""

    def __init__(self, lists: Mapping[str, Listed], *, tls: bool = False, token: str = "e2e-token") -> None:
        self.lists = dict(lists)
        self.token = token
        self.log: list[Request] = []
        self.stopping = threading.Event()
        self._rules: list[Rule] = []
        self._lock = threading.Lock()
        self._folder = tempfile.TemporaryDirectory(prefix="gpuxlate-faults-")
        self._authority = Authority(Path(self._folder.name)) if tls else None
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        if self._authority:
            pair = self._authority.server()
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(pair.certificate, pair.key)
            plain = self._http.socket
            self._http.socket = context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.stopping.set()  # wakes the requests that hang
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        self._folder.cleanup()

    @property
    def url(self) -> str:
        """Its address."""
        return f"{'https' if self._authority else 'http'}://127.0.0.1:{self._http.server_address[1]}"

    @property
    def authority(self) -> Path | None:
        """The certificate to trust, with TLS."""
        return self._authority.pair.certificate if self._authority else None

    def kubeconfig(self, name: str = "faults") -> str:
        """The text of a kubeconfig with one context and a token."""
        return kubeconfig([Context(name, self.url, self.authority, {"token": self.token})])

    def inject(self, fault: Fault, path: str = ".*", **when: Any) -> None:
        """Let requests fail whose path matches (a regular expression), oldest rule first: see Rule."""
        with self._lock:
            self._rules.append(Rule(fault, re.compile(path), **when))

    def requests(self, path: str = ".*", method: str | None = None) -> list[Request]:
        """The requests so far whose path matches."""
        with self._lock:
            matching = [one for one in self.log if re.fullmatch(path, one.path)]
        return [one for one in matching if method in (None, one.method)]

    def count(self, path: str = ".*", method: str | None = None) -> int:
        """How many requests there were."""
        return len(self.requests(path, method))

    def fault_for(self, method: str, path: str, continued: bool) -> Fault | None:
        """The fault that strikes this request; for the handler."""
        with self._lock:
            return next((rule.fault for rule in self._rules if rule.strikes(method, path, continued)), None)

    def record(self, request: Request) -> None:
        """Write the log; for the handler."""
        with self._lock:
            self.log.append(request)

    def answer(self, method: str, path: str, query: Mapping[str, str], body: bytes) -> Said:
        """What a well server says."""
        if method == "GET" and path in self.lists:
            try:
                start, limit = start_of(query.get("continue")), int(query.get("limit") or 0)
            except (ValueError, KeyError):
                return status(400, "BadRequest", "continue key is not valid")
            return self.lists[path].page(start, limit)
        if method in ("POST", "PUT", "PATCH"):
            return _echo(method, body)
        folder, _, name = path.rpartition("/")
        item = self.lists[folder].named(name) if folder in self.lists else self._discovery().get(path)
        if item is None:
            return status(404, "NotFound", "the server could not find the requested resource")
        return Answer(200, json.dumps(item).encode())

    def _discovery(self) -> dict[str, Any]:
        """What clients ask before they know the paths."""
        groups: dict[str, list[dict[str, Any]]] = {"v1": []}
        for path, listed in self.lists.items():
            if "/namespaces/" not in path:
                namespaced, verbs = (
                    listed.kind not in ("Node", "Namespace"),
                    ["get", "list", "create", "patch"],
                )
                entry = {"name": path.rpartition("/")[2], "kind": listed.kind, "namespaced": namespaced}
                groups.setdefault(listed.api_version, []).append({**entry, "verbs": verbs})
        answers: dict[str, Any] = {
            "/version": {"major": "1", "minor": "28", "gitVersion": "v1.28.9"},
            "/api": {"kind": "APIVersions", "versions": ["v1"]},
            "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
        }
        for version, resources in groups.items():
            found = {
                "kind": "APIResourceList",
                "apiVersion": "v1",
                "groupVersion": version,
                "resources": resources,
            }
            answers["/api/v1" if version == "v1" else f"/apis/{version}"] = found
            group, _, number = version.rpartition("/")
            one = {"groupVersion": version, "version": number}
            if group:
                answers["/apis"]["groups"] += [{"name": group, "versions": [one], "preferredVersion": one}]
        return answers


def _echo(method: str, body: bytes) -> Answer:
    try:
        document = json.loads(body)
    except ValueError:
        return status(400, "BadRequest", "the body is not JSON")
    document.setdefault("metadata", {})["resourceVersion"] = RESOURCE_VERSION
    return Answer(201 if method == "POST" else 200, json.dumps(document).encode())


class _Http(ThreadingHTTPServer):
    owner: FaultServer
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news: that is what these tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name of the base class)
        pass

    def do_GET(self) -> None:
        owner, parts = self.server.owner, urlsplit(self.path)
        query = dict(parse_qsl(parts.query))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = owner.fault_for(self.command, parts.path, "continue" in query)
        answer: Said | None = fault if isinstance(fault, Answer) else None
        if not isinstance(fault, (Answer, Hang)):
            answer = owner.answer(self.command, parts.path, query, body)
        code = 0 if answer is None else answer.status if isinstance(answer, Answer) else 200
        headers = {key.lower(): value for key, value in self.headers.items()}
        owner.record(Request(self.command, parts.path, query, headers, body, code, time.monotonic()))
        if answer is None:
            owner.stopping.wait(fault.seconds if isinstance(fault, Hang) else 0)
            self.close_connection = True
        elif isinstance(fault, Cut):
            whole = answer.body if isinstance(answer, Answer) else b"".join(answer)
            self._head(200, "application/json", {"Content-Length": str(len(whole))})
            self.wfile.write(whole[: int(len(whole) * fault.share)])
            self.close_connection = True
        elif isinstance(answer, Answer):
            length = {"Content-Length": str(len(answer.body))}
            self._head(answer.status, answer.content_type, {**answer.headers, **length})
            self.wfile.write(answer.body)
        else:
            self._stream(answer)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815

    def _head(self, code: int, content_type: str, headers: Mapping[str, str]) -> None:
        self.send_response(code)
        self.send_header("Content-Type", content_type)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _stream(self, pieces: Iterable[bytes]) -> None:
        self._head(200, "application/json", {"Transfer-Encoding": "chunked"})
        gathered = bytearray()
        for piece in pieces:
            gathered += piece
            if len(gathered) > 1 << 16:
                self._chunk(bytes(gathered))
                gathered.clear()
        self._chunk(bytes(gathered))
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
