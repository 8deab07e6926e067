"""The share of a running container, and what nvidia-smi prints in it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, Taking
from gpuxlate.backends.live import Serves
from gpuxlate.cluster.errors import ChoiceError, ClusterError
from gpuxlate.cluster.ledger import whole_cards
from gpuxlate.cluster.live import WHOLE_KEY, keys_of_pod
from gpuxlate.cluster.nodes import GpuNode, gpu_node, unit_profile
from gpuxlate.cluster.server import NODES, Server
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share

NVIDIA_SMI = ["nvidia-smi", "--query-gpu=index,name,memory.total,memory.used", "--format=csv"]
"""Prints what every version of it reads back."""


@dataclass(frozen=True, slots=True)
class Running:
    """A running container with its share; ``profile`` is what its node tells."""

    namespace: str
    pod: str
    container: str
    share: Share
    backend: Backend | None
    profile: Profile | None
    card_mib: int | None


def running(server: Server, name: str, namespace: str, container: str | None) -> Running:
    """The share of a pod's container. Raises ClusterError where there is none, or not one."""
    name = name.removeprefix("pod/").removeprefix("pods/")
    pod = server.get(f"/api/v1/namespaces/{quote(namespace, safe='')}/pods/{quote(name, safe='')}")
    phase = (pod.get("status") or {}).get("phase")
    if phase != "Running":
        raise ClusterError(
            f"pod {namespace}/{name} is {phase or 'not started'}: nothing runs in it",
            f"kubectl describe pod -n {namespace} {name} says why",
        )
    node = gpu_node(server.get(f"{NODES}/{quote(pod['spec']['nodeName'], safe='')}"))
    keys = keys_of_pod(pod)
    backend = _dialect(keys, node)
    shares = _shares(keys, backend, node)
    if not shares:
        raise ClusterError(
            f"pod {namespace}/{name} asks for no GPU in a dialect that is known",
            "gpuxlate targets shows the keys of each dialect",
        )
    chosen = container or next(iter(shares))
    if chosen not in shares or (container is None and len(shares) > 1):
        wrong = f"has no share in container {chosen}" if container else f"has {len(shares)} shares"
        raise ChoiceError(f"pod {namespace}/{name} {wrong}", f"pass -c, one of: {', '.join(shares)}")
    physical = node.view.physical_mib if node else None
    return Running(
        namespace,
        name,
        chosen,
        shares[chosen],
        backend,
        node.profile() if node and backend and node.backend is backend else None,
        physical,
    )


def _dialect(keys: PodKeys, node: GpuNode | None) -> Backend | None:
    """The dialect of the pod, above all that of its node."""
    spoken = registry.spoken_in(keys)
    if node is not None and node.backend in spoken:
        return node.backend
    return spoken[0] if spoken else None


def _shares(keys: PodKeys, backend: Backend | None, node: GpuNode | None) -> dict[str, Share]:
    if backend is not None:
        profile = unit_profile(node.view) if node and node.backend is backend else None
        found = backend.read(Taking(keys), profile).containers
        return {one.name: one.share for one in found if one.share and not one.init}
    if node is None or node.view.serves is not Serves.WHOLE:
        return {}
    counts = {one.name: whole_cards(PodKeys(containers=(one,)), WHOLE_KEY) for one in keys.containers}
    return {name: Share(cards=count) for name, count in counts.items() if count}


def printed(server: Server, where: Running) -> str:
    """What nvidia-smi prints in the container. Raises ClusterError."""
    return server.exec(where.namespace, where.pod, where.container, NVIDIA_SMI)
