"""The GPU pods of a cluster as the backends read them, and what they use of its nodes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.backends.cluster_nodes import LivePod
from gpuxlate.cluster.server import (
    ENDED_PHASES,
    PODS_PATH,
    ApiServer,
    Json,
)
from gpuxlate.manifest.objects import REQUIRED_AFFINITY
from gpuxlate.model.diagnostics import Path
from gpuxlate.model.pod import (
    ContainerKeys,
    NodeRequirement,
    PodKeys,
    ScalarKind,
    Value,
    in_lists,
)
from gpuxlate.planning.ledger import GpuPod, GpuUsage, usage_by_node
from gpuxlate.planning.nodes import GpuNode


def usage_of(server: ApiServer, nodes: Sequence[GpuNode]) -> GpuUsage:
    """What the pods of a cluster use of its GPU nodes. They are read page by page, and those without GPUs are
    not kept."""
    return usage_by_node(nodes, pods_of(server))


def pods_of(server: ApiServer) -> Iterator[GpuPod]:
    """The pods of a server that request GPUs, read page by page."""
    return gpu_pods(pod for page in server.pages(PODS_PATH) for pod in page)


def gpu_pods(pods: Iterable[Json]) -> Iterator[GpuPod]:
    """Of the pods of a server, those that request GPUs and have not finished."""
    for pod in pods:
        if (pod.get("status") or {}).get("phase") not in ENDED_PHASES and _asks_for_gpus(pod):
            metadata = pod["metadata"]
            node = str((pod.get("spec") or {}).get("nodeName") or "")
            yield GpuPod(str(metadata.get("namespace", "")), str(metadata["name"]), node, _live_pod(pod))


def _live_pod(pod: Json) -> LivePod:
    """A pod with its keys, and the annotations that hold JSON objects."""
    keys = keys_of_pod(pod)
    records = {}
    for name, value in keys.annotations.items():
        if value.text.startswith("{") and len(value.text) < 100_000:
            record = _json(value.text)
            if isinstance(record, dict):
                records[name] = record
    conditions = (pod.get("status") or {}).get("conditions") or ()
    initialized = any(
        (condition.get("type"), condition.get("status")) == ("Initialized", "True")
        for condition in conditions
    )
    return LivePod(keys, records, initialized=initialized)


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def keys_of_pod(pod: Json) -> PodKeys:
    """The keys of a pod, as the reader of manifests gives them."""
    spec, metadata = pod.get("spec") or {}, pod.get("metadata") or {}
    containers = [
        _container(container, index, init)
        for init, name in ((True, "initContainers"), (False, "containers"))
        for index, container in enumerate(spec.get(name) or ())
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


def _container(container: Json, index: int, init: bool) -> ContainerKeys:
    path: Path = ("spec", "initContainers" if init else "containers", index)
    resources = container.get("resources") or {}
    env = {str(item.get("name")): item.get("value", "") for item in container.get("env") or ()}
    return ContainerKeys(
        str(container.get("name", "")),
        index,
        init,
        _values(resources.get("limits"), (*path, "resources", "limits")),
        _values(resources.get("requests"), (*path, "resources", "requests")),
        _values(env, (*path, "env")),
        path,
        sidecar=init and container.get("restartPolicy") == "Always",
    )


def _terms(spec: Json) -> Iterator[tuple[NodeRequirement, ...]]:
    terms: Any = spec
    for step in REQUIRED_AFFINITY:
        terms = (terms or {}).get(step)
    for number, term in enumerate(terms or ()):
        path = ("spec", *REQUIRED_AFFINITY, number, "matchExpressions")
        yield tuple(
            NodeRequirement(
                expression["key"],
                expression["operator"],
                tuple(expression.get("values") or ()),
                (*path, index),
            )
            for index, expression in enumerate(term.get("matchExpressions") or ())
        )


def _values(mapping: Mapping[str, Any] | None, path: Path) -> dict[str, Value]:
    return {
        name: Value(str(value), ScalarKind.INT if isinstance(value, int) else ScalarKind.STR, (*path, name))
        for name, value in (mapping or {}).items()
    }


@cache
def _asks_for_gpu(resource: str) -> bool:
    whole = (backend.whole_card_key for backend in registry.pod_backends())
    return resource in whole or registry.is_gpu_key(resource)


def _asks_for_gpus(pod: Json) -> bool:
    """Some container of the pod requests a share in a known dialect, or whole cards."""
    return any(
        _asks_for_gpu(name)
        for kind in ("containers", "initContainers")
        for container in (pod.get("spec") or {}).get(kind) or ()
        for name in (container.get("resources") or {}).get("limits") or ()
    )
