"""The number of pods of a template, as far as its manifest gives it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod
from typing import NamedTuple

from gpuxlate.manifest.kinds import RAY, Steps, filled
from gpuxlate.manifest.objects import VALUES
from gpuxlate.manifest.pods import Pod
from gpuxlate.model.pod import Path
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Node, fields, get, get_text

_COUNT = re.compile("[0-9]{1,9}")
UNKNOWN = frozenset({"DaemonSet", "BroadcastJob", "SidecarSet"})
"""Kinds with one pod a cluster node, or with containers for the pods of others."""
REPLICA_KEYS = ("replicas", "parallelism", "numReplicas", "instances")
"""Fields next to a pod template that give the number of its pods, in kinds without a row."""
REPLICAS_OF_VALUES = ("replicaCount", "replicas")
"""Those beside the resources in the values of a chart; the first is that of ``helm create``."""


class Factor(NamedTuple):
    """One number to multiply, 1 where it is not given.

    ``paths``: where it may be, from the object; the first that is there counts, and ``*`` is the item of
    the list that the pod is in. ``over``: what it is divided by. ``apart``: a pod that has a template of its
    own there is not counted.
    """

    paths: tuple[Steps, ...]
    apart: Steps | None = None
    over: Steps | None = None


class ReplicaRow(NamedTuple):
    """How the pods below a path of some kinds are counted: the product of the factors."""

    kinds: tuple[str, ...]
    below: Steps
    factors: tuple[Factor, ...]


_LWS = ("spec", "leaderWorkerTemplate")
_SELDON = ("spec", "predictors", "*")
_SCALE = ("spec", "template", "metadata", "annotations")

ROWS: tuple[ReplicaRow, ...] = (
    *(
        ReplicaRow(("InferenceService",), ("spec", part), (Factor((("spec", part, "minReplicas"),)),))
        for part in ("predictor", "transformer", "explainer")
    ),
    # GetSize in pkg/apis/serving/v1alpha2/llm_inference_service_types_func.go: the size of a group, the
    # leader included, whose template is a part of its own (expectedMainMultiNodeLWS)
    *(
        ReplicaRow(
            ("LLMInferenceService", "LLMInferenceServiceConfig"),
            (*workload, *below),
            (Factor(((*workload, "replicas"),)), *size),
        )
        for workload in (("spec", "prefill"), ("spec",))
        for below, size in (
            (
                ("worker",),
                (
                    Factor(
                        tuple((*workload, "parallelism", name) for name in ("data", "pipeline")),
                        (*workload, "template"),
                        (*workload, "parallelism", "dataLocal"),
                    ),
                ),
            ),
            (("template",), ()),
        )
    ),
    # OpenKruise: the total of all subsets; that of the template does not count
    ReplicaRow(("UnitedDeployment",), ("spec", "template"), (Factor((("spec", "replicas"),)),)),
    # LeaderWorkerSet: size counts the leader too
    ReplicaRow(("LeaderWorkerSet",), (*_LWS, "leaderTemplate"), (Factor((("spec", "replicas"),)),)),
    ReplicaRow(
        ("LeaderWorkerSet",),
        (*_LWS, "workerTemplate"),
        (Factor((("spec", "replicas"),)), Factor(((*_LWS, "size"),), (*_LWS, "leaderTemplate"))),
    ),
    ReplicaRow(("TrainJob",), ("spec",), (Factor((("spec", "trainer", "numNodes"),)),)),
    *(
        ReplicaRow(
            (kind,),
            (*spec, "workerGroupSpecs", "*"),
            (
                Factor(tuple((*spec, "workerGroupSpecs", "*", name) for name in ("replicas", "minReplicas"))),
                Factor(((*spec, "workerGroupSpecs", "*", "numOfHosts"),)),
            ),
        )
        for kind, spec in RAY
    ),
    # Seldon Core 1, "Replica scaling": the most specific of them counts
    ReplicaRow(
        ("SeldonDeployment",),
        _SELDON,
        (
            Factor(
                ((*_SELDON, "componentSpecs", "*", "replicas"), (*_SELDON, "replicas"), ("spec", "replicas"))
            ),
        ),
    ),
    ReplicaRow(
        ("Service",),  # of Knative: that of Kubernetes has no pods
        ("spec", "template"),
        (Factor(tuple((*_SCALE, f"autoscaling.knative.dev/{name}") for name in ("min-scale", "minScale"))),),
    ),
    # Argo Workflows: parallelism is a maximum of running pods, not their number
    ReplicaRow(("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow"), ("spec",), ()),
)


def replicas(document: Document, pod: Pod) -> int | None:
    """The number of pods of one template; None where it depends on the cluster."""
    if pod.object.kind in UNKNOWN:
        return None
    start = len(pod.object_path)
    path = pod.keys.path[start:]
    owner = get(document.root, *pod.object_path)
    for row in ROWS:
        if pod.object.kind in row.kinds and filled(row.below, path) == path[: len(row.below)]:
            return prod(_number(owner, factor, path) for factor in row.factors)
    if pod.object.kind == VALUES:
        return _first_count(get(owner, *path), REPLICAS_OF_VALUES)
    return prod(_beside(owner, path))


def _number(owner: Node | None, factor: Factor, path: Path) -> int:
    found = (_count(get_text(owner, *filled(steps, path))) for steps in factor.paths)
    number = next((one for one in found if one is not None), 1)
    if factor.over is not None:
        number = max(1, number // (_count(get_text(owner, *filled(factor.over, path))) or 1))
    apart = factor.apart is not None and get(owner, *factor.apart) is not None
    return max(0, number - apart)


def _beside(owner: Node | None, path: Path) -> Iterator[int]:
    """The replica counts on the path to the pod."""
    node = owner
    for step in path:
        yield _first_count(node, REPLICA_KEYS)
        node = get(node, step)
    yield _first_count(node, REPLICA_KEYS)


def _first_count(node: Node | None, names: tuple[str, ...]) -> int:
    there = fields(node)
    found = (_count(get_text(there[name])) for name in names if name in there)
    return next((one for one in found if one is not None), 1)


def _count(text: str | None) -> int | None:
    return int(text) if text and _COUNT.fullmatch(text) else None
