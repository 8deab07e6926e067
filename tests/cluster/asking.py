"""Nodes with their pods as books, pods that ask for room, and the files that commands read."""

from collections.abc import Sequence
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.backends.cluster_nodes import NodeView
from gpuxlate.cluster.nodes import gpu_node
from gpuxlate.cluster.pods import gpu_pods, keys_of_pod
from gpuxlate.planning import ledger
from gpuxlate.planning.problem import PodDemand
from tests.e2e import nodes, pods

Node = dict[str, Any]


def seen(node: Node) -> NodeView:
    """What is read of a node that has to do with GPUs."""
    found = gpu_node(node)
    assert found is not None
    return found.view


def books(there: Sequence[Node], running: Sequence[Node] = ()) -> ledger.GpuUsage:
    found = [one for node in there if (one := gpu_node(node)) is not None]
    return ledger.usage_by_node(found, gpu_pods(running))


_KINDS = {"vke": "volcengine-mgpu", "ack": "alibaba-gpushare", "tke": "tencent-qgpu"}


def wanted(
    vendor: str | None, limits: Any, count: int = 1, name: str = "Deployment/web", **other: Any
) -> PodDemand:
    pod = pods.pod("web", None, limits, **other)
    return PodDemand(name, keys_of_pod(pod), registry.get(_KINDS[vendor]) if vendor else None, count)


def on(card: int, cores: int, mib: int, name: str = "p") -> Node:
    """A pod of VKE with this share on a card of node a."""
    return pods.vke(name, "a", pods.mgpu(cores, mib), {"main": str(card)})


def recorded(name: str, node: str, limits: Any, key: str, text: str) -> Node:
    """A pod with the record of its cards that HAMi's scheduler leaves."""
    return pods.pod(name, node, limits, annotations={f"hami.io/{key}-devices-allocated": text})


# Cards of 64 GiB are what HAMi assumes of MetaX (Project-HAMi/HAMi, pkg/device/metax/device.go, 2026-08-21);
# shares are those of its examples/hygon/default_use.yaml and examples/metax/sgpu/default_use.yaml
HAMI_FLEET = [nodes.hygon("hygon-1"), nodes.metax("metax-1"), nodes.hami("hami-1")]
_DCU = {"hygon.com/dcunum": 1, "hygon.com/dcumem": 2000, "hygon.com/dcucores": 60}
_SGPU = {"metax-tech.com/sgpu": 1, "metax-tech.com/vcore": 60, "metax-tech.com/vmemory": "4"}
ON_HAMI = [
    recorded("dcu-a", "hygon-1", _DCU, "dcu", f"{nodes.card_uuid('hygon-1', 1)},DCU,2000,60:;"),
    pods.pod("dcu-b", "hygon-1", _DCU),
    recorded(
        "sgpu-a", "metax-1", _SGPU, "metax-sgpu", f"{nodes.card_uuid('metax-1', 0)},Metax-SGPU,4096,60:;"
    ),
    # the scheduler gave all memory of the card, which the pod does not name
    recorded(
        "gpu-a", "hami-1", {"nvidia.com/gpu": 1}, "vgpu", f"{nodes.card_uuid('hami-1', 1)},NVIDIA,15109,0:;"
    ),
]

_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeSelector: {%s}
      containers:
      - {name: web, image: web, resources: {limits: {%s}}}
"""


def deployment(limits: str, count: int = 1, selector: str = "") -> str:
    """The text of a deployment whose container has these limits, in flow style."""
    return _DEPLOYMENT % (count, selector, limits)


def share(spec: str, name: str = "web") -> str:
    """The text of a GPUShare document with this spec, in flow style."""
    return f"apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {{name: {name}}}\nspec: {spec}\n"
