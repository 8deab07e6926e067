"""A running container: its share, and what nvidia-smi prints in it."""

from __future__ import annotations

from urllib.parse import quote

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.backends.pod_reader import PodReader
from gpuxlate.cluster.nodes import gpu_node
from gpuxlate.cluster.pods import keys_of_pod
from gpuxlate.cluster.server import (
    NODES_PATH,
    ApiServer,
    ChoiceError,
    ClusterError,
)
from gpuxlate.model.declarations import record
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import (
    PodKeys,
)
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.planning.ledger import requested_number
from gpuxlate.planning.nodes import GpuNode, unit_profile

NVIDIA_SMI = ["nvidia-smi", "--query-gpu=index,name,memory.total,memory.used", "--format=csv"]
"""Every version of nvidia-smi has these columns."""


@record
class RunningContainer:
    """A running container with its share; ``profile`` is that of its node."""

    namespace: str
    pod: str
    container: str
    share: Share
    backend: Backend | None
    profile: Profile | None
    card_mib: int | None


def find_running_container(
    server: ApiServer, name: str, namespace: str, container: str | None
) -> RunningContainer:
    """The container of a running pod that has a share. ``container``: its name, None if there is only one
    such container. Raises ClusterError where there is none, or more than one."""
    name = name.removeprefix("pod/").removeprefix("pods/")
    pod = server.get(f"/api/v1/namespaces/{quote(namespace, safe='')}/pods/{quote(name, safe='')}")
    phase = (pod.get("status") or {}).get("phase")
    if phase != "Running":
        raise ClusterError(
            msg(
                "pod {namespace}/{name} is not running: {value}",
                namespace=namespace,
                name=name,
                value=phase or "not started",
            ),
            msg("kubectl describe pod -n {namespace} {name} shows why", namespace=namespace, name=name),
        )
    node = gpu_node(server.get(f"{NODES_PATH}/{quote(pod['spec']['nodeName'], safe='')}"))
    keys = keys_of_pod(pod)
    backend = _dialect(keys, node)
    shares = _shares(keys, backend, node)
    if not shares:
        raise ClusterError(
            msg("pod {namespace}/{name} requests no GPU in a known dialect", namespace=namespace, name=name),
            "gpuxlate targets shows the keys of each dialect",
        )
    chosen = container or next(iter(shares))
    if chosen not in shares or (container is None and len(shares) > 1):
        wrong = msg("has {count} shares", count=len(shares))
        if container:
            wrong = msg("has no share in container {name}", name=chosen)
        raise ChoiceError(
            msg("pod {namespace}/{name} {wrong}", namespace=namespace, name=name, wrong=wrong),
            msg("pass -c, one of: {names}", names=", ".join(shares)),
        )
    physical = node.view.physical_mib if node else None
    return RunningContainer(
        namespace,
        name,
        chosen,
        shares[chosen],
        backend,
        node.profile() if node and backend and node.backend is backend else None,
        physical,
    )


def _dialect(keys: PodKeys, node: GpuNode | None) -> Backend | None:
    """The dialect of the pod: that of its node where the pod has several."""
    dialects = registry.backends_of(keys)
    if node is not None and node.backend in dialects:
        return node.backend
    return dialects[0] if dialects else None


def _shares(keys: PodKeys, backend: Backend | None, node: GpuNode | None) -> dict[str, Share]:
    if backend is not None:
        profile = unit_profile(node.view) if node and node.backend is backend else None
        containers = backend.read(PodReader(keys, profile), profile).containers
        return {
            container.name: container.share
            for container in containers
            if container.share and not container.init
        }
    counted = node.view.counted if node else ()
    return {
        container.name: row.share(count)
        for container in keys.containers
        for row in counted
        if (count := requested_number(PodKeys(containers=(container,)), row.key))
    }


def nvidia_smi_output(server: ApiServer, running_container: RunningContainer) -> str:
    """The output of nvidia-smi in the container. Raises ClusterError."""
    return server.exec(
        running_container.namespace, running_container.pod, running_container.container, NVIDIA_SMI
    )
