"""Pods of VKE as keys, with the paths that the reader of manifests would give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuxlate.model.pod import ContainerKeys, Kind, NodeRequirement, Path, PodKeys, Value

PREFIX = "vke.volcengine.com/"
CORE, MEMORY, RECLAIMED = PREFIX + "mgpu-core", PREFIX + "mgpu-memory", PREFIX + "reclaimed-mgpu-core"
POLICY, LISTED = PREFIX + "mgpu-compute-policy", PREFIX + "container-multiple-gpu"
VCI = PREFIX + "burst-to-vci"
QOS = "katalyst.kubewharf.io/qos_level"
SHORT = {
    "core": CORE,
    "memory": MEMORY,
    "reclaimed": RECLAIMED,
    "nvidia": "nvidia.com/gpu",
    "policy": POLICY,
    "listed": LISTED,
    "qos": QOS,
    "vci": VCI,
    "device": "vke.node.gpu.schedule",
    "model": "machine.cluster.vke.volcengine.com/gpu-name",
}

Numbers = Mapping[str, str | int]
"""By short name: {"core": 30, "memory": 4096}."""


def limit(name: str, container: int = 0, place: str = "limits", group: str = "containers") -> Path:
    """The path of a resource of a container."""
    return ("spec", group, container, "resources", place, SHORT[name])


def note(name: str) -> Path:
    """The path of an annotation of the pod."""
    return ("spec", "template", "metadata", "annotations", SHORT[name])


def owner(name: str) -> Path:
    """The path of an annotation of the workload."""
    return ("metadata", "annotations", SHORT[name])


def values(numbers: Numbers, *base: str | int) -> dict[str, Value]:
    """Short names to keys, each value with its place."""
    return {
        SHORT[name]: Value(str(raw), Kind.INT if isinstance(raw, int) else Kind.STR, (*base, SHORT[name]))
        for name, raw in numbers.items()
    }


def containers(all_of_them: Sequence[Numbers], group: str) -> tuple[ContainerKeys, ...]:
    """Containers c1, c2, ... with limits alone."""
    return tuple(
        ContainerKeys(
            f"{'i' if group == 'initContainers' else 'c'}{index + 1}",
            index,
            group == "initContainers",
            limits=values(numbers, "spec", group, index, "resources", "limits"),
            path=("spec", group, index),
        )
        for index, numbers in enumerate(all_of_them)
    )


def pod(
    *numbers: Numbers,
    init: Sequence[Numbers] = (),
    notes: Mapping[str, str] | None = None,
    owner_notes: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    selector: Mapping[str, str] | None = None,
    affinity: Sequence[tuple[str, str, Sequence[str]]] = (),
) -> PodKeys:
    """A pod; ``notes`` are its annotations, ``affinity`` one term of key, operator, values."""
    return PodKeys(
        containers(numbers, "containers"),
        containers(init, "initContainers"),
        labels=values(labels or {}, "spec", "template", "metadata", "labels"),
        annotations=values(notes or {}, "spec", "template", "metadata", "annotations"),
        node_selector=values(selector or {}, "spec", "nodeSelector"),
        affinity=(
            tuple(
                NodeRequirement(SHORT[key], operator, tuple(texts), ("spec", "affinity", place))
                for place, (key, operator, texts) in enumerate(affinity)
            ),
        )
        if affinity
        else (),
        owner_annotations=values(owner_notes or {}, "metadata", "annotations"),
    )


def both(name: str, number: int) -> dict[str, str | int]:
    """Compute and 4096 MiB."""
    return {name: number, "memory": 4096}


WEIGHT = {"policy": "native-burst-share"}


def several(listed: str) -> dict[str, str]:
    """Annotations of a pod that shares several cards as the vendor's code wants it."""
    return {"listed": listed, **WEIGHT}
