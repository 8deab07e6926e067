"""Pods of a server as the backends read them, and the share of a running container."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend, Taking
from gpuxlate.backends.live import LivePod
from gpuxlate.cluster.nodes import gpu_node
from gpuxlate.cluster.server import ENDED, NODES, PODS, ChoiceError, ClusterError, Json, Server
from gpuxlate.manifest.objects import REQUIRED_AFFINITY
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, Kind, NodeRequirement, Path, PodKeys, Value, in_lists
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.planning.ledger import Books, GpuPod, books, number_of
from gpuxlate.planning.nodes import GpuNode, unit_profile


def books_of(server: Server, nodes: Sequence[GpuNode]) -> Books:
    """The books of a cluster. Its pods are read page by page; those without GPUs are not kept."""
    return books(nodes, pods_of(server))


def pods_of(server: Server) -> Iterator[GpuPod]:
    """The pods of a server that request GPUs, read page by page."""
    return gpu_pods(pod for page in server.pages(PODS) for pod in page)


def gpu_pods(pods: Iterable[Json]) -> Iterator[GpuPod]:
    """Of the pods of a server, those that request GPUs and have not finished."""
    for pod in pods:
        if (pod.get("status") or {}).get("phase") not in ENDED and _asks_for_gpus(pod):
            metadata = pod["metadata"]
            node = str((pod.get("spec") or {}).get("nodeName") or "")
            yield GpuPod(str(metadata.get("namespace", "")), str(metadata["name"]), node, _live_pod(pod))


def _live_pod(pod: Json) -> LivePod:
    """A pod with its keys, and the annotations that hold JSON objects."""
    keys = keys_of_pod(pod)
    records = {}
    for name, value in keys.annotations.items():
        if value.text.startswith("{") and len(value.text) < 100_000:
            found = _json(value.text)
            if isinstance(found, dict):
                records[name] = found
    conditions = (pod.get("status") or {}).get("conditions") or ()
    done = any((one.get("type"), one.get("status")) == ("Initialized", "True") for one in conditions)
    return LivePod(keys, records, initialized=done)


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def keys_of_pod(pod: Json) -> PodKeys:
    """The keys of a pod, as the reader of manifests gives them."""
    spec, metadata = pod.get("spec") or {}, pod.get("metadata") or {}
    containers = [
        _container(one, index, init)
        for init, name in ((True, "initContainers"), (False, "containers"))
        for index, one in enumerate(spec.get(name) or ())
    ]
    return PodKeys(
        *in_lists(containers),
        labels=_values(metadata.get("labels"), ("metadata", "labels")),
        annotations=_values(metadata.get("annotations"), ("metadata", "annotations")),
        node_selector=_values(spec.get("nodeSelector"), ("spec", "nodeSelector")),
        affinity=tuple(_terms(spec)),
        path=("spec",),
        metadata_path=("metadata",),
    )


def _container(one: Json, index: int, init: bool) -> ContainerKeys:
    path: Path = ("spec", "initContainers" if init else "containers", index)
    resources = one.get("resources") or {}
    env = {str(item.get("name")): item.get("value", "") for item in one.get("env") or ()}
    return ContainerKeys(
        str(one.get("name", "")),
        index,
        init,
        _values(resources.get("limits"), (*path, "resources", "limits")),
        _values(resources.get("requests"), (*path, "resources", "requests")),
        _values(env, (*path, "env")),
        path,
        sidecar=init and one.get("restartPolicy") == "Always",
    )


def _terms(spec: Json) -> Iterator[tuple[NodeRequirement, ...]]:
    terms: Any = spec
    for step in REQUIRED_AFFINITY:
        terms = (terms or {}).get(step)
    for number, term in enumerate(terms or ()):
        path = ("spec", *REQUIRED_AFFINITY, number, "matchExpressions")
        yield tuple(
            NodeRequirement(one["key"], one["operator"], tuple(one.get("values") or ()), (*path, index))
            for index, one in enumerate(term.get("matchExpressions") or ())
        )


def _values(found: Mapping[str, Any] | None, path: Path) -> dict[str, Value]:
    return {
        name: Value(str(value), Kind.INT if isinstance(value, int) else Kind.STR, (*path, name))
        for name, value in (found or {}).items()
    }


@cache
def _asks_for_gpu(resource: str) -> bool:
    whole = (one.whole_card_key for one in registry.pod_backends())
    return resource in whole or registry.is_gpu_key(resource)


def _asks_for_gpus(pod: Json) -> bool:
    """Some container of the pod requests a share in a known dialect, or whole cards."""
    return any(
        _asks_for_gpu(name)
        for kind in ("containers", "initContainers")
        for one in (pod.get("spec") or {}).get(kind) or ()
        for name in (one.get("resources") or {}).get("limits") or ()
    )


# --- running containers --------------------------------------------------------------------------

NVIDIA_SMI = ["nvidia-smi", "--query-gpu=index,name,memory.total,memory.used", "--format=csv"]
"""Every version of nvidia-smi has these columns."""


@dataclass(frozen=True, slots=True)
class Running:
    """A running container with its share; ``profile`` is that of its node."""

    namespace: str
    pod: str
    container: str
    share: Share
    backend: Backend | None
    profile: Profile | None
    card_mib: int | None


def running(server: Server, name: str, namespace: str, container: str | None) -> Running:
    """The share of a pod's container. Raises ClusterError where there is none, or more than one."""
    name = name.removeprefix("pod/").removeprefix("pods/")
    pod = server.get(f"/api/v1/namespaces/{quote(namespace, safe='')}/pods/{quote(name, safe='')}")
    phase = (pod.get("status") or {}).get("phase")
    if phase != "Running":
        raise ClusterError(
            say(
                "pod {namespace}/{name} is not running: {value}",
                namespace=namespace,
                name=name,
                value=phase or "not started",
            ),
            say("kubectl describe pod -n {namespace} {name} shows why", namespace=namespace, name=name),
        )
    node = gpu_node(server.get(f"{NODES}/{quote(pod['spec']['nodeName'], safe='')}"))
    keys = keys_of_pod(pod)
    backend = _dialect(keys, node)
    shares = _shares(keys, backend, node)
    if not shares:
        raise ClusterError(
            say("pod {namespace}/{name} requests no GPU in a known dialect", namespace=namespace, name=name),
            "gpuxlate targets shows the keys of each dialect",
        )
    chosen = container or next(iter(shares))
    if chosen not in shares or (container is None and len(shares) > 1):
        wrong = say("has {count} shares", count=len(shares))
        if container:
            wrong = say("has no share in container {name}", name=chosen)
        raise ChoiceError(
            say("pod {namespace}/{name} {wrong}", namespace=namespace, name=name, wrong=wrong),
            say("pass -c, one of: {names}", names=", ".join(shares)),
        )
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
    """The dialect of the pod: that of its node where the pod has several."""
    dialects = registry.backends_of(keys)
    if node is not None and node.backend in dialects:
        return node.backend
    return dialects[0] if dialects else None


def _shares(keys: PodKeys, backend: Backend | None, node: GpuNode | None) -> dict[str, Share]:
    if backend is not None:
        profile = unit_profile(node.view) if node and node.backend is backend else None
        found = backend.read(Taking(keys), profile).containers
        return {one.name: one.share for one in found if one.share and not one.init}
    counted = node.view.counted if node else ()
    return {
        one.name: row.share(count)
        for one in keys.containers
        for row in counted
        if (count := number_of(PodKeys(containers=(one,)), row.key))
    }


def printed(server: Server, where: Running) -> str:
    """The output of nvidia-smi in the container. Raises ClusterError."""
    return server.exec(where.namespace, where.pod, where.container, NVIDIA_SMI)
