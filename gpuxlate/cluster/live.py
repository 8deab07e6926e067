"""Objects of the server as nodes and pods of the vendors: plain values, nothing but what is needed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.backends.live import LiveNode, LivePod
from gpuxlate.cluster.server import Json
from gpuxlate.manifest.pod_keys import REQUIRED_AFFINITY
from gpuxlate.model.pod import ContainerKeys, Kind, NodeRequirement, Path, PodKeys, Value

WHOLE_KEY = "nvidia.com/gpu"
"""Whole cards, on every cloud."""
ENDED = ("Succeeded", "Failed")


def live_node(node: Json) -> LiveNode:
    """A node with its labels and what is allocatable on it."""
    return LiveNode(
        str(node["metadata"]["name"]),
        _texts(node["metadata"].get("labels")),
        _texts((node.get("status") or {}).get("allocatable")),
    )


def live_pod(pod: Json) -> LivePod:
    """A pod with its keys, and the JSON objects among its annotations."""
    keys = keys_of_pod(pod)
    records = {}
    for name, value in keys.annotations.items():
        if value.text.startswith("{") and len(value.text) < 100_000:
            found = _json(value.text)
            if isinstance(found, dict):
                records[name] = found
    return LivePod(keys, records)


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def keys_of_pod(pod: Json) -> PodKeys:
    """What a pod asks for, as the reader of manifests would say it."""
    spec, metadata = pod.get("spec") or {}, pod.get("metadata") or {}
    containers = [
        _container(one, index, init)
        for init, name in ((True, "initContainers"), (False, "containers"))
        for index, one in enumerate(spec.get(name) or ())
    ]
    return PodKeys(
        containers=tuple(one for one in containers if not one.init),
        init_containers=tuple(one for one in containers if one.init),
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


def _texts(found: Mapping[str, Any] | None) -> dict[str, str]:
    return {name: str(value) for name, value in (found or {}).items()}


@cache
def _asks_for_gpu(resource: str) -> bool:
    return resource == WHOLE_KEY or registry.is_gpu_key(resource)


def asks_for_gpus(pod: Json) -> bool:
    """Some container of the pod asks for a GPU in a dialect we know, or for whole cards."""
    return any(
        _asks_for_gpu(name)
        for kind in ("containers", "initContainers")
        for one in (pod.get("spec") or {}).get(kind) or ()
        for name in (one.get("resources") or {}).get("limits") or ()
    )


def is_over(pod: Json) -> bool:
    """The pod holds nothing any more."""
    return (pod.get("status") or {}).get("phase") in ENDED


def takes_pods(node: Json) -> str | None:
    """Why no new pod goes to the node; None where it takes them. Taints are not looked at."""
    if (node.get("spec") or {}).get("unschedulable"):
        return "it is cordoned"
    for one in (node.get("status") or {}).get("conditions") or ():
        if one.get("type") == "Ready" and one.get("status") != "True":
            return "it is not ready"
    return None


def chooses(pod: PodKeys, labels: Mapping[str, str]) -> str | None:
    """What the pod asks of node labels and the node has not; None where it has all."""
    for name, value in pod.node_selector.items():
        if labels.get(name) != value.text:
            return f"the pod selects {name}={value.text}"
    # a term without requirements matches no node
    if pod.affinity and not any(term and all(_holds(one, labels) for one in term) for term in pod.affinity):
        wanted = next((one for term in pod.affinity for one in term if not _holds(one, labels)), None)
        if wanted is None:
            return "the pod requires a term of node affinity that is empty"
        return f"the pod requires {wanted.key} {wanted.operator} {', '.join(wanted.values)}".rstrip()
    return None


def _holds(one: NodeRequirement, labels: Mapping[str, str]) -> bool:
    """As the scheduler of Kubernetes reads a match expression."""
    value = labels.get(one.key)
    match one.operator:
        case "In":
            return value in one.values
        case "NotIn":
            return value not in one.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            try:
                found, wanted = int(value or ""), int(one.values[0])
            except (ValueError, IndexError):
                return False
            return found > wanted if one.operator == "Gt" else found < wanted
    return False
