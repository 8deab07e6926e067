"""Operators that count the GPUs of a pod by the names of its resources, as data."""

from __future__ import annotations

import re
from typing import NamedTuple

from gpuxlate.manifest.kinds import RAY, Steps, filled
from gpuxlate.manifest.objects import Pod
from gpuxlate.model.pod import ContainerKeys
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Mapping, entries_of, get


class Counter(NamedTuple):
    """How one operator counts in the pods of some kinds.

    ``pod``: the path of the pod spec, from the object. ``names``: the resources that it counts.
    ``told``: where it can be told the number instead, from the object; ``hint`` is the end of it, with the
    number as it is written there.
    ``listed``: a mapping of names that it counts in the same way. ``first``: of several resources the
    first by name counts; else any of them. ``fields``: where it looks, in this order.
    """

    operator: str
    kinds: tuple[str, ...]
    pod: Steps
    names: re.Pattern[str]
    told: Steps
    hint: str
    listed: Steps | None = None
    first: bool = True
    fields: tuple[str, ...] = ("limits",)


COUNTERS: tuple[Counter, ...] = (
    # IsGPUResourceKey in ray-operator/controllers/ray/utils/resources.go, addWellKnownAcceleratorResources
    *(
        Counter(
            "KubeRay",
            (kind,),
            (*spec, *group, "template", "spec"),
            re.compile(r".*gpu|.*nvidia\.com/mig-\d+g\.\d+gb"),
            (*spec, *group, "rayStartParams", "num-gpus"),
            'rayStartParams.num-gpus: "{cards}"',
            (*spec, *group, "resources"),
        )
        for kind, spec in RAY
        for group in (("headGroupSpec",), ("workerGroupSpecs", "*"))
    ),
    # GetNumGPUPerNode in pkg/runtime/runtime.go, for runtimes of PyTorch, MPI and Flux
    Counter(
        "Kubeflow Trainer",
        ("TrainJob",),
        ("spec",),
        re.compile(r"(?i:.*gpu.*)"),
        ("spec", "trainer", "numProcPerNode"),
        "spec.trainer.numProcPerNode: {cards}",
        first=False,
        fields=("requests", "limits"),
    ),
)


def counter_of(document: Document, pod: Pod) -> Counter | None:
    """The operator that counts the GPUs of a pod, None where none does or it is told the number."""
    own = pod.keys.path[len(pod.object_path) :]
    for one in COUNTERS:
        if pod.object.kind in one.kinds and filled(one.pod, own) == own:
            owner = get(document.root, *pod.object_path)
            listed = get(owner, *filled(one.listed, own)) if one.listed else None
            names = [name.lower() for name, *_ in entries_of(listed)] if isinstance(listed, Mapping) else []
            told = get(owner, *filled(one.told, own)) is not None or any(map(one.names.fullmatch, names))
            return None if told else one
    return None


def counted(counter: Counter, container: ContainerKeys) -> frozenset[str]:
    """The numbers of GPUs that an operator may find in a container; empty where it finds none."""
    for field in counter.fields:
        resources = container.limits if field == "limits" else container.requests
        names = [name for name in sorted(resources) if counter.names.fullmatch(name)]
        if names:
            return frozenset(resources[name].text for name in (names[:1] if counter.first else names))
    return frozenset()
