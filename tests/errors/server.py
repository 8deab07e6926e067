"""The server of a case: ``cluster`` in the table.

- ``nodes``: groups of ``tests/e2e/nodes.py``, as in ``[VKE, ACK]``, or ``{make: ack, name: ...}``
- ``pods``: names of ``tests/e2e/pods.py``
- ``faults``: what it does in place of answering, each ``{do: NAME, with: {...}, path: REGEX, method: VERB}``,
  with the names of ``tests/e2e/faults.py``
- ``address``: another one is written into the kubeconfig, as in ``https://gpuxlate.invalid``; TLS: its own
  with https, which it does not speak
- ``entry``: what the kubeconfig says of the cluster beside that, null to leave out
- ``user``: what it says of the user in place of a token
- ``tls``: it speaks TLS, with a certificate of its own
"""

import json
from collections.abc import Mapping
from typing import Any

from tests.cluster.live.conftest import DEPLOYMENTS
from tests.e2e import faults, nodes, pods
from tests.e2e.fault_server import FaultServer
from tests.e2e.listed import Listed

NAMESPACE = "namespaces/default"
CONTEXT = "prod"


def served(cluster: Mapping[str, Any]) -> FaultServer:
    """A server as the case describes it, not started yet."""
    named = {one["metadata"]["name"]: one for one in pods.ALL}
    there = [named[name] for name in cluster.get("pods", ())]
    lists = {
        "/api/v1/nodes": Listed(
            "v1", "Node", [one for group in cluster.get("nodes", ()) for one in _nodes(group)]
        ),
        "/api/v1/pods": Listed("v1", "Pod", there),
        f"/api/v1/{NAMESPACE}/pods": Listed("v1", "Pod", there),
        "/apis/apps/v1/deployments": Listed("apps/v1", "Deployment", DEPLOYMENTS),
        f"/apis/apps/v1/{NAMESPACE}/deployments": Listed("apps/v1", "Deployment", DEPLOYMENTS),
    }
    server = FaultServer(lists, tls=bool(cluster.get("tls")))
    for one in cluster.get("faults", ()):
        given = dict(one.get("with", {}))
        if "body" in given:
            given["body"] = given["body"].encode()
        fault = getattr(faults, one["do"])(**given)
        server.inject(fault, one.get("path", ".*"), method=one.get("method"), skip=one.get("skip", 0))
    return server


def _nodes(group: str | dict[str, Any]) -> list[nodes.Node]:
    if isinstance(group, str):
        return list(getattr(nodes, group))
    made: nodes.Node = getattr(nodes, group["make"])(**{k: v for k, v in group.items() if k != "make"})
    return [made]


def kubeconfig(server: FaultServer, cluster: Mapping[str, Any]) -> str:
    """The text of the kubeconfig."""
    data = json.loads(server.kubeconfig(CONTEXT))
    if "address" in cluster:
        data["clusters"][0]["cluster"]["server"] = cluster["address"].replace(
            "TLS", server.url.replace("http:", "https:")
        )
    entry = data["clusters"][0]["cluster"] | cluster.get("entry", {})
    data["clusters"][0]["cluster"] = {name: value for name, value in entry.items() if value is not None}
    data["users"][0]["user"] = cluster.get("user", data["users"][0]["user"])
    return json.dumps(data)
