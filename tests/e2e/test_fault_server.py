"""The stand-in server's own promises. What clients make of its faults: ``tests/cluster/live``."""

from __future__ import annotations

import http.client
import json
import ssl
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPSConnection
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from . import faults, nodes, pods
from .fault_server import FaultServer
from .listed import Listed

NODES, PODS = "/api/v1/nodes", "/api/v1/pods"
WEB = "/apis/apps/v1/namespaces/default/deployments/web"


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[FaultServer]:
    lists = {NODES: Listed("v1", "Node", nodes.ALL), PODS: Listed("v1", "Pod", pods.numbered, 20_000)}
    with FaultServer(lists, tls=getattr(request, "param", False)) as running:
        yield running
        started = time.monotonic()
    assert time.monotonic() - started < 5  # a request that hangs does not hold up the end


def ask(
    server: FaultServer, path: str, timeout: float = 10, method: str = "GET", body: str = "", **query: Any
) -> tuple[int, dict[str, str], Any]:
    """Status, headers and JSON of one answer."""
    address = urlsplit(server.url).netloc
    connection = HTTPConnection(address, timeout=timeout)
    if server.authority:
        context = ssl.create_default_context(cafile=str(server.authority))
        connection = HTTPSConnection(address, timeout=timeout, context=context)
    try:
        connection.request(method, f"{path}?{urlencode(query)}", body, {"X-Who": "me"})
        response = connection.getresponse()
        return response.status, dict(response.headers), json.loads(response.read())
    finally:
        connection.close()


@pytest.mark.parametrize("server", [False, True], ids=["http", "tls"], indirect=True)
def test_lists_objects_and_discovery(server: FaultServer) -> None:
    _, _, found = ask(server, NODES)
    assert found["kind"] == "NodeList"
    assert [one["metadata"]["name"] for one in found["items"]] == [
        one["metadata"]["name"] for one in nodes.ALL
    ]
    assert "kind" not in found["items"][0]
    status, _, node = ask(server, f"{NODES}/vke-fixed")
    assert (status, node["kind"], node["metadata"]["name"]) == (200, "Node", "vke-fixed")
    assert ask(server, f"{NODES}/none")[0] == 404
    assert ask(server, "/version")[2]["gitVersion"] == "v1.28.9"
    assert {one["name"] for one in ask(server, "/api/v1")[2]["resources"]} == {"nodes", "pods"}
    assert ask(server, "/apis")[2]["groups"] == []
    [user] = json.loads(server.kubeconfig())["users"]
    assert user["user"] == {"token": server.token}
    assert server.url.startswith("https://" if server.authority else "http://")


def test_pages_of_twenty_thousand_pods(server: FaultServer) -> None:
    names, left = set[str](), list[int]()
    query: dict[str, Any] = {"limit": 2000}
    while not left or left[-1]:
        page = ask(server, PODS, **query)[2]
        names |= {one["metadata"]["name"] for one in page["items"]}
        left.append(page["metadata"].get("remainingItemCount", 0))
        query["continue"] = page["metadata"].get("continue")
    assert (len(names), left, server.count(PODS)) == (20_000, list(range(18_000, -1, -2000)), 10)
    for token in ("!", "bm8"):
        query["continue"] = token
        status, _, answer = ask(server, PODS, **query)
        assert (status, answer["reason"]) == (400, "BadRequest")


def test_items_are_made_one_by_one() -> None:
    made: list[int] = []

    def make(index: int) -> pods.Pod:
        made.append(index)
        return pods.numbered(index)

    pieces = Listed("v1", "Pod", make, 20_000).page(500, 0)
    assert [len(made) for _ in zip(range(4), pieces, strict=False)] == [0, 1, 2, 3]
    assert made == [500, 501, 502]


def test_a_fault_strikes_what_it_is_meant_for(server: FaultServer) -> None:
    """So often, after so many, on a method, on pages that continue; other paths are well."""
    server.inject(faults.broken(), NODES, times=2, skip=1)
    assert [ask(server, NODES)[0] for _ in range(4)] == [200, 500, 500, 200]
    assert [one.status for one in server.requests(NODES)] == [200, 500, 500, 200]
    server.heal()
    assert server.count() == 0
    server.inject(faults.gone(), PODS, continued=True)
    token = ask(server, PODS, limit=100)[2]["metadata"]["continue"]
    assert ask(server, PODS, limit=100, **{"continue": token})[0] == 410
    server.inject(faults.conflict(), ".*/deployments/web", method="PATCH", times=1)
    assert ask(server, WEB, method="GET")[0] == 404
    body = json.dumps({"kind": "Deployment", "metadata": {"name": "web"}})
    assert ask(server, WEB, method="PATCH", body=body)[0] == 409
    status, _, answer = ask(server, WEB, method="PATCH", body=body, fieldManager="gpuxlate")
    assert (status, answer["metadata"]["name"]) == (200, "web")
    request = server.requests(WEB, "PATCH")[1]
    assert (request.query, request.body.decode(), request.headers["x-who"]) == (
        {"fieldManager": "gpuxlate"}, body, "me",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        (faults.unauthorized(), 401, "Unauthorized"),
        (faults.forbidden("ann", "list", "nodes"), 403, 'User "ann" cannot list resource "nodes"'),
        (faults.conflict("helm"), 409, 'conflict with "helm"'),
        (faults.gone(), 410, "Expired: The provided continue parameter is too old"),
        (faults.too_many(7), 429, "TooManyRequests: the server has received too many"),
        (faults.broken(503), 503, "leader changed"),
        (faults.garbage(), None, json.JSONDecodeError),
        (faults.half_json(), None, json.JSONDecodeError),
        (faults.Cut(), None, http.client.IncompleteRead),
        (faults.Hang(), None, TimeoutError),
    ],
)
def test_a_fault(server: FaultServer, fault: faults.Fault, code: int | None, words: Any) -> None:
    server.inject(fault, NODES, times=1)
    if code is None:
        with pytest.raises(words) as caught:
            ask(server, NODES, timeout=0.5)
        if isinstance(caught.value, http.client.IncompleteRead):
            assert len(caught.value.partial) == pytest.approx(caught.value.expected, abs=1)
    else:
        status, headers, answer = ask(server, NODES)
        assert (status, answer["kind"], answer["code"]) == (code, "Status", code)
        assert words in f"{answer['reason']}: {answer['message']}"
        assert headers.get("Retry-After") == ("7" if code == 429 else None)
    assert ask(server, PODS, limit=1)[0] == 200
    assert ask(server, NODES)[0] == 200
