"""Pods of ACK for tests, every value with the path that it has in a manifest of kind Pod."""

from __future__ import annotations

from gpuxlate.model.pod import ContainerKeys, NodeRequirement, Path, PodKeys, Value

Given = dict[str, int | str]

SPEC: Path = ("spec",)


def values(base: Path, given: Given) -> dict[str, Value]:
    made = {name: Value.of(one) for name, one in given.items()}
    return {name: Value(one.text, one.kind, (*base, name)) for name, one in made.items()}


def pod(
    *limits: Given,
    requests: Given | None = None,
    init: Given | None = None,
    labels: Given | None = None,
    owner_labels: Given | None = None,
    selector: Given | None = None,
    env: Given | None = None,
    affinity: tuple[NodeRequirement, ...] = (),
) -> PodKeys:
    """A pod with a container for each of ``limits``; requests and env are the first container's."""
    containers = []
    for index, given in enumerate(limits):
        path = (*SPEC, "containers", index)
        first = index == 0
        containers.append(
            ContainerKeys(
                f"c{index}",
                index,
                limits=values((*path, "resources", "limits"), given),
                requests=values((*path, "resources", "requests"), requests or {}) if first else {},
                env=values((*path, "env"), env or {}) if first else {},
                path=path,
            )
        )
    init_path = (*SPEC, "initContainers", 0)
    init_limits = values((*init_path, "resources", "limits"), init or {})
    return PodKeys(
        tuple(containers),
        (ContainerKeys("init", 0, True, init_limits, path=init_path),) if init else (),
        labels=values(("metadata", "labels"), labels or {}),
        owner_labels=values(("owner", "labels"), owner_labels or {}),
        node_selector=values((*SPEC, "nodeSelector"), selector or {}),
        affinity=(affinity,) if affinity else (),
        path=SPEC,
        metadata_path=("metadata",),
    )


def limit(name: str, container: int = 0) -> Path:
    """Where a limit of a container stands."""
    return (*SPEC, "containers", container, "resources", "limits", name)


def node_selector(name: str) -> Path:
    """Where a node selector stands."""
    return (*SPEC, "nodeSelector", name)


def in_affinity(key: str, *given: str, operator: str = "In") -> tuple[NodeRequirement, ...]:
    """One term of the required node affinity."""
    return (NodeRequirement(key, operator, given, (*SPEC, "affinity", key)),)
