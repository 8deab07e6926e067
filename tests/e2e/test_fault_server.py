"""The stand-in server: it lists page by page, fails when told to, and keeps a log. Fast; no real server."""

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

NODES = "/api/v1/nodes"
PODS = "/api/v1/pods"


@pytest.fixture
def server() -> Iterator[FaultServer]:
    lists = {NODES: Listed("v1", "Node", nodes.ALL), PODS: Listed("v1", "Pod", pods.numbered, 20_000)}
    with FaultServer(lists) as running:
        yield running


def connect(server: FaultServer, timeout: float = 10) -> HTTPConnection:
    address = urlsplit(server.url).netloc
    if server.authority is None:
        return HTTPConnection(address, timeout=timeout)
    context = ssl.create_default_context(cafile=str(server.authority))
    return HTTPSConnection(address, timeout=timeout, context=context)


def get(server: FaultServer, path: str, timeout: Any = 10, **query: Any) -> tuple[int, dict[str, str], Any]:
    """Status, headers and JSON of one GET."""
    connection = connect(server, timeout)
    try:
        connection.request("GET", f"{path}?{urlencode(query)}")
        response = connection.getresponse()
        return response.status, dict(response.headers), json.loads(response.read())
    finally:
        connection.close()


def pages(server: FaultServer, path: str, limit: int) -> Iterator[dict[str, Any]]:
    """The pages of a list, as a client reads them."""
    query: dict[str, Any] = {"limit": limit}
    while True:
        status, _, page = get(server, path, **query)
        assert status == 200, page
        yield page
        if "continue" not in page["metadata"]:
            return
        query["continue"] = page["metadata"]["continue"]


def test_a_list_in_one_piece(server: FaultServer) -> None:
    _, _, found = get(server, NODES)
    assert found["kind"] == "NodeList"
    assert [one["metadata"]["name"] for one in found["items"]] == [
        one["metadata"]["name"] for one in nodes.ALL
    ]
    assert "kind" not in found["items"][0]


def test_twenty_thousand_pods_page_by_page(server: FaultServer) -> None:
    names: set[str] = set()
    left = []
    for page in pages(server, PODS, 2000):
        names |= {one["metadata"]["name"] for one in page["items"]}
        left.append(page["metadata"].get("remainingItemCount", 0))
    assert len(names) == 20_000
    assert left == list(range(18_000, -1, -2000))
    assert server.count(PODS) == 10


def test_items_are_made_one_by_one() -> None:
    made: list[int] = []

    def make(index: int) -> pods.Pod:
        made.append(index)
        return pods.numbered(index)

    pieces = Listed("v1", "Pod", make, 20_000).page(500, 0)
    assert [len(made) for _ in zip(range(4), pieces, strict=False)] == [0, 1, 2, 3]
    assert made == [500, 501, 502]


def test_one_object(server: FaultServer) -> None:
    status, _, node = get(server, f"{NODES}/vke-fixed")
    assert (status, node["kind"], node["metadata"]["name"]) == (200, "Node", "vke-fixed")
    assert get(server, f"{NODES}/none")[0] == 404


def test_discovery(server: FaultServer) -> None:
    assert get(server, "/version")[2]["gitVersion"] == "v1.28.9"
    assert {one["name"] for one in get(server, "/api/v1")[2]["resources"]} == {"nodes", "pods"}
    assert get(server, "/apis")[2]["groups"] == []


@pytest.mark.parametrize("token", ["!", "bm8"])
def test_a_bad_continue_token(server: FaultServer, token: str) -> None:
    status, _, answer = get(server, PODS, **{"limit": 1, "continue": token})
    assert (status, answer["reason"]) == (400, "BadRequest")


def test_410_on_a_continue_token(server: FaultServer) -> None:
    server.inject(faults.gone(), PODS, continued=True, skip=1, times=1)
    seen = []
    query: dict[str, Any] = {"limit": 100}
    for _ in range(3):
        status, _, page = get(server, PODS, **query)
        seen.append((status, page.get("reason")))
        query["continue"] = page["metadata"].get("continue", query.get("continue"))
    assert seen == [(200, None), (200, None), (410, "Expired")]
    assert get(server, PODS, limit=100)[0] == 200


def test_500_twice_then_success(server: FaultServer) -> None:
    server.inject(faults.broken(), NODES, times=2)
    assert [get(server, NODES)[0] for _ in range(3)] == [500, 500, 200]
    assert [one.status for one in server.requests(NODES)] == [500, 500, 200]
    server.heal()
    assert server.count() == 0


def test_429_says_when_to_come_back(server: FaultServer) -> None:
    server.inject(faults.too_many(7))
    status, headers, answer = get(server, NODES)
    assert (status, headers["Retry-After"], answer["reason"]) == (429, "7", "TooManyRequests")


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        (faults.unauthorized(), 401, "Unauthorized"),
        (faults.forbidden("ann", "list", "nodes"), 403, 'User "ann" cannot list resource "nodes"'),
        (faults.conflict("helm"), 409, 'conflict with "helm"'),
        (faults.broken(503), 503, "leader changed"),
    ],
)
def test_a_status_object(server: FaultServer, fault: faults.Answer, code: int, words: str) -> None:
    server.inject(fault, NODES)
    status, _, answer = get(server, NODES)
    assert (status, answer["kind"], answer["code"]) == (code, "Status", code)
    assert words in answer["message"]
    assert get(server, PODS, limit=1)[0] == 200  # another path is well


@pytest.mark.parametrize("fault", [faults.garbage(), faults.half_json()])
def test_garbage(server: FaultServer, fault: faults.Answer) -> None:
    server.inject(fault, NODES, times=1)
    with pytest.raises(json.JSONDecodeError):
        get(server, NODES)
    assert get(server, NODES)[0] == 200


def test_a_connection_cut_in_the_body(server: FaultServer) -> None:
    server.inject(faults.Cut(), PODS, times=1)
    with pytest.raises(http.client.IncompleteRead) as caught:
        get(server, PODS, limit=50)
    assert len(caught.value.partial) == pytest.approx(caught.value.expected, abs=1)
    assert get(server, PODS, limit=50)[0] == 200


def test_no_answer(server: FaultServer) -> None:
    server.inject(faults.Hang(), NODES, times=1)
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        get(server, NODES, timeout=0.2)
    assert time.monotonic() - started < 5
    assert server.requests(NODES)[0].status == 0


def test_a_hanging_request_does_not_hold_up_the_end() -> None:
    started = time.monotonic()
    with FaultServer({NODES: Listed("v1", "Node", nodes.VKE)}) as server:
        server.inject(faults.Hang())
        with pytest.raises(TimeoutError):
            get(server, NODES, timeout=0.1)
    assert time.monotonic() - started < 5


def test_writes_are_answered_and_logged(server: FaultServer) -> None:
    server.inject(faults.conflict(), ".*/deployments/web", method="PATCH", times=1)
    path = "/apis/apps/v1/namespaces/default/deployments/web"
    body = json.dumps({"kind": "Deployment", "metadata": {"name": "web"}})
    seen = []
    connection = connect(server)
    for _ in range(2):
        connection.request("PATCH", f"{path}?fieldManager=gpuxlate", body, {"X-Who": "me"})
        response = connection.getresponse()
        seen.append((response.status, json.loads(response.read())["metadata"].get("name")))
    connection.close()
    assert seen == [(409, None), (200, "web")]
    request = server.requests(path, "PATCH")[1]
    assert request.query == {"fieldManager": "gpuxlate"}
    assert (request.body.decode(), request.headers["x-who"]) == (body, "me")


def test_tls() -> None:
    with FaultServer({NODES: Listed("v1", "Node", nodes.TKE)}, tls=True) as server:
        assert server.url.startswith("https://")
        assert len(get(server, NODES)[2]["items"]) == len(nodes.TKE)
        [user] = json.loads(server.kubeconfig())["users"]
        assert user["user"] == {"token": server.token}
