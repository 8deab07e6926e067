"""Kinds with pods in unusual places, as data.

Most kinds need no row: every ``containers`` or ``initContainers`` list is found wherever it is,
with the pod's metadata beside the ``spec`` that holds it. A row is for a kind that puts things
elsewhere. Sources: the custom resource definitions and controllers of each project, as of 2026-08.
"""

from __future__ import annotations

from functools import lru_cache
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

    ``path``: the mapping with ``labels`` and ``annotations``, from the object; ``*`` is the item of the list
    that the pod is in. ``fields``: which of them. ``wins``: where the pod has the same key of its own, that
    of the object counts. Of several that do not win, the later one counts before the earlier.
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
    ``api``: the beginning of apiVersion, where another project has a kind of the same name.
    """

    kinds: tuple[str, ...]
    pod: Steps
    containers: tuple[Steps, ...]
    metadata: Steps | None
    resources: str = "resources"
    nodes: bool = True
    copied: tuple[Copied, ...] = ()
    api: str = ""


RAY: tuple[tuple[str, Steps], ...] = (
    ("RayCluster", ("spec",)),
    ("RayJob", ("spec", "rayClusterSpec")),
    ("RayService", ("spec", "rayClusterConfig")),
    ("RayCronJob", ("spec", "jobTemplate", "rayClusterSpec")),
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
    ("art",),
    ("containers", "*"),
)

_TEKTON_CONTAINERS: tuple[Steps, ...] = (("steps", "*"), ("stepTemplate",), ("sidecars", "*"))

_OF_OBJECT = (Copied(("metadata",)),)
_OVER_PODS = (Copied(("metadata",), wins=True),)

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
            *(
                (kind, (*spec, tasks, "*", "taskSpec"), ("metadata",), _OVER_PODS)
                for kind, spec in (("Pipeline", ("spec",)), ("PipelineRun", ("spec", "pipelineSpec")))
                for tasks in ("tasks", "finally")
            ),
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
    # KubeRay: labels of a group go over those of its template (mergeLabels in controllers/ray/common/pod.go).
    *(
        Row(
            (kind,),
            (*spec, *group, "template", "spec"),
            _CONTAINERS,
            ("..", "metadata"),
            copied=(Copied((*spec, *group), ("labels",), wins=True),),
        )
        for kind, spec in RAY
        for group in (("headGroupSpec",), ("workerGroupSpecs", "*"))
    ),
    # Notebooks of Kubeflow: the template has a spec alone, labels and annotations are those of the object
    # (generateStatefulSet in components/notebook-controller/controllers/notebook_controller.go).
    Row(
        ("Notebook",),
        ("spec", "template", "spec"),
        _CONTAINERS,
        None,
        copied=_OVER_PODS,
        api="kubeflow.org/",
    ),
    # Seldon Core 1: annotations of the spec, then labels and annotations of the predictor, then those of the
    # component (createDeploymentWithoutEngine in operator/controllers/seldondeployment_controller.go).
    Row(
        ("SeldonDeployment",),
        ("spec", "predictors", "*", "componentSpecs", "*", "spec"),
        _CONTAINERS,
        ("..", "metadata"),
        copied=(Copied(("spec",), ("annotations",)), Copied(("spec", "predictors", "*"))),
    ),
    # OpenKruise: containers that go into other pods, whose labels are not its own.
    Row(("SidecarSet",), ("spec",), _CONTAINERS, None, nodes=False),
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
        tuple(kind for kind, _ in RAY),
        ("metadata", "labels", "ray.io/scheduler-name"),
        wins=True,
    ),
)


@lru_cache(maxsize=512)
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


@lru_cache(maxsize=512)
def adds_containers(api_version: str | None, kind: str | None) -> bool:
    """The controller of a kind adds containers to its pods."""
    return any(kind in kinds and (api_version or "").startswith(api) for api, kinds in ADDED)


def is_injected(name: str, value: str) -> bool:
    """For this label or annotation a webhook adds a container."""
    return name in INJECTED and (not INJECTED[name] or value.lower() in INJECTED[name])


NO_PODS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("apiextensions.k8s.io/", ("CustomResourceDefinition",)),
    ("admissionregistration.k8s.io/", ()),
    ("kyverno.io/", ()),
    ("policies.kyverno.io/", ()),
    ("templates.gatekeeper.sh/", ()),
    ("constraints.gatekeeper.sh/", ()),
    ("mutations.gatekeeper.sh/", ()),
    ("policy.karmada.io/", ()),
)
"""Kinds with patterns of pods, and patches for them, but no pods: the beginning of apiVersion, and the kinds;
none: all of them. Sources: the API references of Kubernetes, Kyverno, Gatekeeper and Karmada, 2026-08."""

PATCHES: tuple[tuple[tuple[str, ...], Steps], ...] = (
    # OpenKruise, apis/apps: RawExtension of a subset, merged into its pods
    (("UnitedDeployment",), ("spec", "topology", "subsets", "*", "patch")),
    (("WorkloadSpread",), ("spec", "subsets", "*", "patch")),
    # Kubeflow Trainer, pkg/apis/trainer/v1alpha1: merged into the runtime
    (("TrainJob",), ("spec", "podTemplateOverrides")),
    (("TrainJob",), ("spec", "runtimePatches")),
    # Flux, helm-controller: strategic merge patches of a release
    (("HelmRelease",), ("spec", "postRenderers")),
)
"""Parts of objects that are patches: what looks like a pod in them is none."""


@lru_cache(maxsize=512)
def rows_for(api_version: str | None, kind: str | None) -> tuple[Row, ...]:
    """The rows of a kind."""
    return tuple(row for row in ROWS if kind in row.kinds and (api_version or "").startswith(row.api))


@lru_cache(maxsize=512)
def holds_no_pods(api_version: str | None, kind: str | None) -> bool:
    """What looks like a pod in objects of this kind is a pattern or a patch."""
    return any((api_version or "").startswith(api) and (not kinds or kind in kinds) for api, kinds in NO_PODS)


@lru_cache(maxsize=512)
def patches_of(kind: str | None) -> tuple[Steps, ...]:
    """The parts of a kind that are patches."""
    return tuple(steps for kinds, steps in PATCHES if kind in kinds)
