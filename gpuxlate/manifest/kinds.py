"""Kinds with pods in unusual places, as data.

Most kinds need no row: every ``containers`` or ``initContainers`` list is found anywhere in the
object, with the pod's metadata next to the ``spec`` that has it. A row gives the fields of a kind that
differs. Sources: the custom resource definitions of each project, as of 2026.
"""

from __future__ import annotations

from dataclasses import dataclass

Steps = tuple[str, ...]
"""A path below a node; ``*`` is every item of a list."""

REPLICA_KEYS = ("replicas", "parallelism", "numReplicas", "instances")
"""Fields next to a pod template that give the number of its pods."""


@dataclass(frozen=True, slots=True)
class Row:
    """One shape of pod in some kinds.

    ``pod``: path of the pod spec, from the object. ``containers``: paths below it; one without ``*`` at
    its end is a single container. ``metadata``: the mapping with the pod's ``labels`` and
    ``annotations``, below the pod spec ("." is the pod spec itself), or None where the kind has none.
    ``resources``: the field of a container with limits. ``nodes``: the pod spec has ``nodeSelector`` and
    ``affinity``.
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


@dataclass(frozen=True, slots=True)
class SchedulerRow:
    """Kinds whose scheduler their pods get where they name none.

    ``api``: the beginning of apiVersion; ``path``: the field of the object; ``default``: the scheduler
    where the field is not set, None for that of the cluster.
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
    """The row of a kind, None where pods do not get its scheduler."""
    return next(
        (row for row in SCHEDULERS if kind == row.kind and (api_version or "").startswith(row.api)), None
    )


@dataclass(frozen=True, slots=True)
class JobRow:
    """Where some kinds have the parameters of a job.

    ``parameters``: path of the mapping, from the object. ``target``: the name of the target that reads
    them. ``mark``: prefix of the target's keys; other keys may belong to anything.
    """

    kinds: tuple[str | None, ...]
    parameters: Steps
    target: str
    mark: str


JOBS: tuple[JobRow, ...] = (
    JobRow(("SparkApplication",), ("spec", "sparkConf"), "volcengine-emr-spark", "emr.serverless.mgpu"),
    JobRow(
        ("ScheduledSparkApplication",),
        ("spec", "template", "sparkConf"),
        "volcengine-emr-spark",
        "emr.serverless.mgpu",
    ),
    # the values of the console's form for an AI app are a mapping without a kind
    JobRow((None,), (), "volcengine-aiapp", "gpuResourceType"),
)


def rows_for(kind: str | None) -> tuple[Row, ...]:
    """The rows of a kind."""
    return tuple(row for row in ROWS if kind in row.kinds)
