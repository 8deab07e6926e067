"""Kinds with pods in unusual places, as data.

Most kinds need no row: every ``containers`` or ``initContainers`` list is found wherever it is,
with the pod's metadata beside the ``spec`` that holds it. A row is for a kind that puts things
elsewhere. Sources: the custom resource definitions of each project, as of 2026.
"""

from __future__ import annotations

from typing import NamedTuple

Steps = tuple[str, ...]
"""A path below a node; ``*`` is every item of a list."""

REPLICA_KEYS = ("replicas", "parallelism", "numReplicas", "instances")
"""Fields next to a pod template that give the number of its pods."""


class Row(NamedTuple):
    """One shape of pod in some kinds.

    ``pod``: the path of what acts as the pod spec, from the object. ``containers``: below it;
    a path without ``*`` at its end is one container. ``metadata``: the mapping that holds the pod's
    ``labels`` and ``annotations``, below the pod spec ("." is the pod spec itself), or None where
    the kind has no such place. ``resources``: the field of a container that holds limits. ``nodes``:
    the pod spec takes ``nodeSelector`` and ``affinity``.
    """

    kinds: tuple[str, ...]
    pod: Steps
    containers: tuple[Steps, ...]
    metadata: Steps | None
    resources: str = "resources"
    nodes: bool = True


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
    ("lightgbm",),
    ("paddle",),
    ("pmml",),
    ("containers", "*"),
)

_TEKTON_CONTAINERS: tuple[Steps, ...] = (("steps", "*"), ("stepTemplate",), ("sidecars", "*"))

ROWS: tuple[Row, ...] = (
    # Argo Workflows: a template is pod, container and metadata in one; steps and tasks may have one inline.
    *(
        Row(kinds, (*spec, *below), _ARGO_CONTAINERS, ("metadata",))
        for kinds, spec in (
            (("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate"), ("spec",)),
            (("CronWorkflow",), ("spec", "workflowSpec")),
        )
        for below in (
            ("templateDefaults",),
            ("templates", "*"),
            ("templates", "*", "steps", "*", "*", "inline"),
            ("templates", "*", "dag", "tasks", "*", "inline"),
        )
    ),
    # KServe: a component is a pod spec with labels and annotations of its own.
    *(
        Row(("InferenceService",), ("spec", part), _KSERVE_CONTAINERS, (".",))
        for part in ("predictor", "transformer", "explainer")
    ),
    Row(("InferenceService",), ("spec", "predictor", "workerSpec"), _KSERVE_CONTAINERS, None),
    Row(
        ("ServingRuntime", "ClusterServingRuntime"),
        ("spec",),
        (("initContainers", "*"), ("containers", "*")),
        (".",),
    ),
    # Spark Operator: driver and executor are pod and container in one, their sidecars have limits.
    *(
        Row((kind,), (*spec, part), (("initContainers", "*"), ("sidecars", "*")), (".",))
        for kind, spec in (
            ("SparkApplication", ("spec",)),
            ("ScheduledSparkApplication", ("spec", "template")),
        )
        for part in ("driver", "executor")
    ),
    # Tekton: steps are containers; a Task has no pod metadata of its own but passes on its labels.
    # v1 has computeResources, v1beta1 has resources.
    *(
        Row((kind,), spec, _TEKTON_CONTAINERS, metadata, resources, nodes=False)
        for kind, spec, metadata in (
            ("Task", ("spec",), None),
            ("ClusterTask", ("spec",), None),
            ("TaskRun", ("spec", "taskSpec"), None),
            ("Pipeline", ("spec", "tasks", "*", "taskSpec"), ("metadata",)),
            ("PipelineRun", ("spec", "pipelineSpec", "tasks", "*", "taskSpec"), ("metadata",)),
        )
        for resources in ("computeResources", "resources")
    ),
    Row(("TaskRun",), ("spec",), ((),), None, "computeResources", nodes=False),
    Row(("PipelineRun",), ("spec", "taskRunSpecs", "*"), ((),), None, "computeResources", nodes=False),
    # Kubeflow Trainer v2: resources of each node, no pod template.
    Row(
        ("TrainJob",),
        ("spec",),
        (("trainer",),),
        None,
        "resourcesPerNode",
        nodes=False,
    ),
)


class SchedulerRow(NamedTuple):
    """Kinds that pass a scheduler to pods that name none.

    ``api``: the beginning of apiVersion; ``path``: where the object names it; ``default``: which it is
    where the object names none, None where it is then the cluster's.
    """

    api: str
    kind: str
    path: Steps
    default: str | None = None


SCHEDULERS: tuple[SchedulerRow, ...] = (
    # the controller copies it into pods without one; the admission webhook sets the default
    SchedulerRow("batch.volcano.sh/", "Job", ("spec", "schedulerName"), "volcano"),
    SchedulerRow("argoproj.io/", "Workflow", ("spec", "schedulerName")),
)


def scheduler_row(api_version: str | None, kind: str | None) -> SchedulerRow | None:
    """How objects of a kind pass a scheduler to their pods, None where they do not."""
    return next(
        (row for row in SCHEDULERS if kind == row.kind and (api_version or "").startswith(row.api)), None
    )


ADDED: tuple[tuple[str, tuple[str, ...]], ...] = (
    # queue-proxy, also beside the containers of KServe's serverless mode
    ("serving.knative.dev/", ("Service", "Configuration", "Revision")),
    ("serving.kserve.io/", ("InferenceService",)),
    # the wait container of the executor
    ("argoproj.io/", ("Workflow", "CronWorkflow", "WorkflowTemplate", "ClusterWorkflowTemplate")),
)
"""Kinds whose controllers add containers to pods: the beginning of apiVersion, and the kinds."""

INJECTED: dict[str, tuple[str, ...]] = {
    "sidecar.istio.io/inject": ("true",),
    "istio.io/rev": (),
    "linkerd.io/inject": ("enabled", "ingress"),
    "dapr.io/enabled": ("true",),
}
"""Labels and annotations of pods for which a webhook adds a container, with the values that ask for it;
none: any value. Sources: istio.io "Resource labels", linkerd.io "Proxy configuration", docs.dapr.io
"Arguments and annotations", as of 2026. A namespace may ask for the same, which no pod shows."""


def adds_containers(api_version: str | None, kind: str | None) -> bool:
    """The controller of a kind adds containers to its pods."""
    return any(kind in kinds and (api_version or "").startswith(api) for api, kinds in ADDED)


def is_injected(name: str, value: str) -> bool:
    """For this label or annotation a webhook adds a container."""
    return name in INJECTED and (not INJECTED[name] or value.lower() in INJECTED[name])


def rows_for(kind: str | None) -> tuple[Row, ...]:
    """The rows of a kind."""
    return tuple(row for row in ROWS if kind in row.kinds)
