"""Kinds with pods in unusual places, as data.

Most kinds need no row: every ``containers`` or ``initContainers`` list is found wherever it is,
with the pod's metadata beside the ``spec`` that holds it. A row is for a kind that puts things
elsewhere. Sources: the custom resource definitions and controllers of each project, as of 2026-08.
"""

from __future__ import annotations

from typing import NamedTuple

from gpuxlate.model.pod import Path

Steps = tuple[str, ...]
"""A path below a node; ``*`` is every item of a list, ``..`` the node above."""


def filled(steps: Steps, own: Path) -> Path:
    """A path with the items of another one, from the same node, in place of ``*``."""
    items = (*own, *("",) * len(steps))
    return tuple(items[depth] if step == "*" else step for depth, step in enumerate(steps))


class Copied(NamedTuple):
    """Metadata of an object that its operator copies into pods.

    ``path``: the mapping with ``labels`` and ``annotations``, from the object. ``fields``: which of them.
    ``wins``: where the pod has the same key of its own, that of the object counts.
    """

    path: Steps
    fields: tuple[str, ...] = ("labels", "annotations")
    wins: bool = False


class Row(NamedTuple):
    """One shape of pod in some kinds.

    ``pod``: the path of what acts as the pod spec, from the object. ``containers``: below it;
    a path without ``*`` at its end is one container. ``metadata``: the mapping that holds the pod's
    ``labels`` and ``annotations``, from the pod spec (empty: the pod spec itself), or None where
    the kind has no such place. ``resources``: the field of a container that holds limits. ``nodes``:
    the pod spec takes ``nodeSelector`` and ``affinity``. ``copied``: what the pod has from its object.
    """

    kinds: tuple[str, ...]
    pod: Steps
    containers: tuple[Steps, ...]
    metadata: Steps | None
    resources: str = "resources"
    nodes: bool = True
    copied: tuple[Copied, ...] = ()


RAY: tuple[tuple[str, Steps], ...] = (
    ("RayCluster", ("spec",)),
    ("RayJob", ("spec", "rayClusterSpec")),
    ("RayService", ("spec", "rayClusterConfig")),
)
"""Kinds of KubeRay, and where each has its cluster."""

_CONTAINERS: tuple[Steps, ...] = (("initContainers", "*"), ("containers", "*"))

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

_OF_OBJECT = (Copied(("metadata",)),)
_OF_PIPELINE = (Copied(("metadata",), wins=True),)

_ARGO_SPECS: tuple[tuple[tuple[str, ...], Steps], ...] = (
    (("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate"), ("spec",)),
    (("CronWorkflow",), ("spec", "workflowSpec")),
)

ROWS: tuple[Row, ...] = (
    # Argo Workflows: a template is pod, container and metadata in one; steps and tasks may have one inline.
    # spec.podMetadata goes to every pod (addMetadata in workflow/controller/workflowpod.go).
    *(
        Row(
            kinds,
            (*spec, *below),
            _ARGO_CONTAINERS,
            ("metadata",),
            copied=(Copied((*spec, "podMetadata")),),
        )
        for kinds, spec in _ARGO_SPECS
        for below in (
            ("templateDefaults",),
            ("templates", "*"),
            ("templates", "*", "steps", "*", "*", "inline"),
            ("templates", "*", "dag", "tasks", "*", "inline"),
        )
    ),
    # KServe: a component is a pod spec with labels and annotations of its own, and has those of the object
    # (buildObjectMeta in inferenceservice/components). Workers have the predictor's.
    *(
        Row(("InferenceService",), ("spec", part), _KSERVE_CONTAINERS, (), copied=_OF_OBJECT)
        for part in ("predictor", "transformer", "explainer")
    ),
    Row(
        ("InferenceService",),
        ("spec", "predictor", "workerSpec"),
        _KSERVE_CONTAINERS,
        ("..",),
        copied=_OF_OBJECT,
    ),
    Row(("ServingRuntime", "ClusterServingRuntime"), ("spec",), _CONTAINERS, ()),
    # KServe, v1alpha1 and v1alpha2: labels and annotations beside the pod specs are of the pods of both
    # (PropagateMap in llmisvc/workload_*.go); those of the object are not.
    *(
        Row(("LLMInferenceService", "LLMInferenceServiceConfig"), (*workload, part), _CONTAINERS, ("..",))
        for workload in (("spec",), ("spec", "prefill"))
        for part in ("template", "worker")
    ),
    # Spark Operator: driver and executor are pod and container in one, their sidecars have limits.
    # Labels of the object go to both (internal/controller/sparkapplication/submission.go).
    *(
        Row(
            (kind,),
            (*spec, part),
            (("initContainers", "*"), ("sidecars", "*")),
            (),
            copied=(Copied(("metadata",), ("labels",)),),
        )
        for kind, spec in (
            ("SparkApplication", ("spec",)),
            ("ScheduledSparkApplication", ("spec", "template")),
        )
        for part in ("driver", "executor")
    ),
    # Tekton: steps are containers; v1 has computeResources, v1beta1 has resources. The metadata of a Task
    # goes to its TaskRun and that to the pod; that of a PipelineRun counts before that of a task in it
    # (storeTaskSpecAndMergeMeta, combineTaskRunAndTaskSpecLabels, makeLabels).
    *(
        Row((kind,), spec, _TEKTON_CONTAINERS, metadata, resources, nodes=False, copied=copied)
        for kind, spec, metadata, copied in (
            ("Task", ("spec",), None, _OF_OBJECT),
            ("ClusterTask", ("spec",), None, _OF_OBJECT),
            ("TaskRun", ("spec", "taskSpec"), None, _OF_OBJECT),
            ("Pipeline", ("spec", "tasks", "*", "taskSpec"), ("metadata",), _OF_PIPELINE),
            ("PipelineRun", ("spec", "pipelineSpec", "tasks", "*", "taskSpec"), ("metadata",), _OF_PIPELINE),
        )
        for resources in ("computeResources", "resources")
    ),
    Row(("TaskRun",), ("spec",), ((),), None, "computeResources", nodes=False, copied=_OF_OBJECT),
    Row(
        ("PipelineRun",),
        ("spec", "taskRunSpecs", "*"),
        ((),),
        ("metadata",),
        "computeResources",
        nodes=False,
        copied=_OF_OBJECT,
    ),
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
    """Kinds that pass a scheduler to their pods.

    ``api``: the beginning of apiVersion; ``path``: where the object names it; ``default``: which it is
    where the object names none, None where it is then the cluster's. ``wins``: it counts whatever a pod
    names; else it is for pods that name none.
    """

    api: str
    kinds: tuple[str, ...]
    path: Steps
    default: str | None = None
    wins: bool = False


SCHEDULERS: tuple[SchedulerRow, ...] = (
    # the controller copies it into pods without one (createJobPod); the admission webhook sets the default
    SchedulerRow("batch.volcano.sh/", ("Job",), ("spec", "schedulerName"), "volcano"),
    # addSchedulingConstraints in workflow/controller/workflowpod.go
    *(SchedulerRow("argoproj.io/", kinds, (*spec, "schedulerName")) for kinds, spec in _ARGO_SPECS),
    # pkg/pod/pod.go
    SchedulerRow("tekton.dev/", ("TaskRun",), ("spec", "podTemplate", "schedulerName")),
    SchedulerRow(
        "tekton.dev/", ("PipelineRun",), ("spec", "taskRunTemplate", "podTemplate", "schedulerName")
    ),
    # ray-operator/controllers/ray/batchscheduler
    SchedulerRow(
        "ray.io/",
        ("RayCluster", "RayJob", "RayService"),
        ("metadata", "labels", "ray.io/scheduler-name"),
        wins=True,
    ),
)


def scheduler_row(api_version: str | None, kind: str | None) -> SchedulerRow | None:
    """How objects of a kind pass a scheduler to their pods, None where they do not."""
    return next(
        (row for row in SCHEDULERS if kind in row.kinds and (api_version or "").startswith(row.api)), None
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
