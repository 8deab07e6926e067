"""Nodes with their pods as books, and pods that ask for room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.cluster.nodes import gpu_node
from gpuxlate.cluster.pods import gpu_pods, keys_of_pod
from gpuxlate.planning import ledger
from gpuxlate.planning.problem import Wanted
from tests.e2e import pods

Node = dict[str, Any]


def books(nodes: Sequence[Node], running: Sequence[Node] = ()) -> ledger.Books:
    found = [one for node in nodes if (one := gpu_node(node)) is not None]
    return ledger.books(found, gpu_pods(running))


_KINDS = {"vke": "volcengine-mgpu", "ack": "alibaba-gpushare", "tke": "tencent-qgpu"}


def wanted(
    vendor: str | None, limits: Any, count: int = 1, name: str = "Deployment/web", **other: Any
) -> Wanted:
    pod = pods.pod("web", None, limits, **other)
    return Wanted(name, keys_of_pod(pod), registry.get(_KINDS[vendor]) if vendor else None, count)
