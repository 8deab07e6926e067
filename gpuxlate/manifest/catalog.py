"""Kinds that hide their pods, as data.

Most kinds need no row: every ``containers`` or ``initContainers`` list is found wherever it
stands, with the pod's metadata beside the ``spec`` that holds it. A row says where a kind puts
things elsewhere. Sources: the custom resource definitions of each project, as of 2026.
"""

from __future__ import annotations

from dataclasses import dataclass

Steps = tuple[str, ...]
"""A path below a node; ``*`` stands for every item of a list."""

REPLICA_KEYS = ("replicas", "parallelism", "numReplicas", "instances")
"""Fields beside a pod template that multiply it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One shape of pod in some kinds.

    ``pod``: where what acts as the pod spec stands, from the object. ``containers``: below it;
    a path without ``*`` at its end is one container. ``metadata``: the mapping that holds the pod's
    ``labels`` and ``annotations``, below the pod spec ("." is the pod spec itself), or None where
    the kind has no such place. ``resources``: the field of a container that holds limits.
    """

    kinds: tuple[str, ...]
    pod: Steps
    containers: tuple[Steps, ...]
    metadata: Steps | None
    resources: str = "resources"


_ARGO_CONTAINERS: tuple[Steps, ...] = (
    ("initContainers", "*"),
    ("container",),
    ("script",),
    ("containerSet", "containers", "*"),
    ("sidecars", "*"),
)

_KSERVE_CONTAINERS: tuple[Steps, ...] = (
    ("initContainers", "*"),
    ("model",),
    ("sklearn",),
    ("xgboost",),
    ("tensorflow",),
    ("pytorch",),
    ("triton",),
    ("onnx",),
    ("huggingface",),
    ("containers", "*"),
)

ROWS: tuple[Row, ...] = (
    # Argo Workflows: a template is pod, container and metadata in one.
    Row(
        ("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate"),
        ("spec", "templates", "*"),
        _ARGO_CONTAINERS,
        ("metadata",),
    ),
    Row(("CronWorkflow",), ("spec", "workflowSpec", "templates", "*"), _ARGO_CONTAINERS, ("metadata",)),
    # KServe: a component is a pod spec with labels and annotations of its own.
    *(
        Row(("InferenceService",), ("spec", part), _KSERVE_CONTAINERS, (".",))
        for part in ("predictor", "transformer", "explainer")
    ),
    Row(
        ("ServingRuntime", "ClusterServingRuntime"),
        ("spec",),
        (("initContainers", "*"), ("containers", "*")),
        (".",),
    ),
    # Tekton: steps are containers; a Task has no pod metadata of its own but passes on its labels.
    *(
        Row(("Task", "ClusterTask"), ("spec",), (("steps", "*"), ("sidecars", "*")), None, resources)
        for resources in ("computeResources", "resources")
    ),
    *(
        Row(("TaskRun",), ("spec", "taskSpec"), (("steps", "*"), ("sidecars", "*")), None, resources)
        for resources in ("computeResources", "resources")
    ),
    *(
        Row(
            (kind,), (*pod, "tasks", "*", "taskSpec"), (("steps", "*"), ("sidecars", "*")), ("metadata",), res
        )
        for kind, pod in (("Pipeline", ("spec",)), ("PipelineRun", ("spec", "pipelineSpec")))
        for res in ("computeResources", "resources")
    ),
    # Kubeflow Trainer v2: resources of each node, no pod template.
    Row(("TrainJob",), ("spec",), (("trainer",), ("initializer", "model")), None, "resourcesPerNode"),
)


def rows_for(kind: str | None) -> tuple[Row, ...]:
    """The rows of a kind."""
    return tuple(row for row in ROWS if kind in row.kinds)
