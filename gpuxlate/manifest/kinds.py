"""The catalogue of kinds, one row each: where an object has its pods, and what its controller makes of them.

Most kinds need no row: every ``containers`` or ``initContainers`` list is found wherever it is, with the
metadata of the pod beside the ``spec`` that holds it, and the counts of replicas on the way are multiplied. A
row is for a kind that differs in something. Sources: the custom resource definitions and controllers of each
project, as of 2026-08.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from gpuxlate.model.declarations import regex
from gpuxlate.model.diagnostics import Path

Steps = tuple[str, ...]
"""A path below a node: ``*`` for each item of a list, ``{}`` each value of a mapping, ``..`` the parent."""

VALUES = "Values"
"""What findings and tables call the kind of a chart's values."""


def filled(steps: Steps, pod_path: Path) -> Path:
    """A path with the items of another one, from the same node, in place of ``*``."""
    items = (*pod_path, *("",) * len(steps))
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


class GpuCounter(NamedTuple):
    """How an operator counts the GPUs of a pod by the names of its resources.

    ``names``: the resources that it counts. ``explicit_count``: the path, from the object, of a field that
    sets the number instead; ``hint`` is the end of that path, with the number as it is written there.
    ``listed``: a mapping of names that it counts in the same way. ``first``: of several resources the first
    by name counts; else any of them. ``fields``: where it looks, in this order. ``whole``: the program that
    takes only a whole number from ``explicit_count``; empty where none does.
    """

    operator: str
    names: re.Pattern[str]
    explicit_count: Steps
    hint: str
    listed: Steps | None = None
    first: bool = True
    fields: tuple[str, ...] = ("limits",)
    whole: str = ""


_CONTAINERS: tuple[Steps, ...] = (("initContainers", "*"), ("containers", "*"))


class PodShape(NamedTuple):
    """Pods that are not as Kubernetes has them.

    ``pod``: the path of what acts as the pod spec, from the object. ``containers``: below it; a path without
    ``*`` at its end is one container. ``metadata``: the mapping that holds the pod's ``labels`` and
    ``annotations``, from the pod spec (empty: the pod spec itself), or None where the kind has no such place.
    ``resources``: the field of a container that holds limits. ``nodes``: the pod spec takes ``nodeSelector``
    and ``affinity``. ``copied``: what the pod has from its object. ``counter``: what counts its GPUs.
    """

    pod: Steps
    containers: tuple[Steps, ...] = _CONTAINERS
    metadata: Steps | None = None
    resources: str = "resources"
    nodes: bool = True
    copied: tuple[Copied, ...] = ()
    counter: GpuCounter | None = None


class SchedulerField(NamedTuple):
    """The scheduler that an object passes to its pods.

    ``path``: where the object names it; ``default``: which it is where the object names none, None where it
    is then the cluster's. ``wins``: it counts whatever a pod names; else it is for pods that name none.
    ``set_by``: an option of the operator that may set one for all pods of the kind.
    """

    path: Steps
    default: str | None = None
    wins: bool = False
    set_by: str = ""


class Factor(NamedTuple):
    """One factor of a count, 1 if it is missing.

    ``path``: where it is, from the object; ``*`` is the item of the list that the pod is in. ``otherwise``:
    where else it may be; the first that is there counts. ``over``: what it is divided by. ``apart``: a pod
    that has a template of its own there is not counted.
    """

    path: Steps
    otherwise: tuple[Steps, ...] = ()
    apart: Steps | None = None
    over: Steps | None = None


class ReplicaCount(NamedTuple):
    """How the pods below a path are counted: the product of the factors."""

    below: Steps
    factors: tuple[Factor, ...] = ()


class QuotaShape(NamedTuple):
    """Where an object sets amounts of resources. What a server writes (``status``) is none of them.

    ``scope``: from the object, the node in which the amounts of one resource belong together. ``alone``: from
    the object, the node in which a resource is named once; None: the scope. Below the scope: ``amounts``,
    mappings of resources to amounts; ``named``, items with the name of a resource, which have their amounts
    in ``fields``; ``listed``, items that are names. ``prefixed``: the names have ``requests.`` or ``limits.``
    before them, and the amounts of each are apart. ``type``: the ``type`` of a scope that has the shape.
    ``each``: the amounts are of one container, not of all together. ``whole``: the API server takes whole
    numbers alone, but for names with ``requests.``. ``claims``: what names of amounts of claims have in them
    here; empty where the kind counts none.
    """

    scope: Steps
    amounts: tuple[Steps, ...] = ()
    alone: Steps | None = None
    named: Steps | None = None
    fields: tuple[str, ...] = ()
    listed: Steps | None = None
    prefixed: bool = False
    type: str | None = None
    each: bool = False
    whole: bool = False
    claims: str = ""


class ObjectKind(NamedTuple):
    """One kind.

    ``api``: the beginning of its apiVersion. ``kind``: empty for all kinds of the API. ``elsewhere``: objects
    of this name in another API, or in none, have their pods in the same places, and as many; all else is of
    this API alone. ``templates``: pod templates as Kubernetes has them, for policies and the schema.
    ``pods``: others. ``patches``: parts that are patches, where what looks like a pod is none;
    ``no_pods``: that holds of the whole object. ``adds_containers``: its controller adds some to its pods.
    ``replicas``: the first that a pod is below counts it. ``uncounted``: their number depends on the cluster.
    ``template``: where it names a ResourceClaimTemplate that its controller makes. ``unread``: what of it,
    besides its pods, says how much of a card somebody gets, and is not read. ``grouped``: the PodGroup of its
    pods has its labels and annotations. ``chart_values``: where it has the values of a chart.
    """

    api: str
    kind: str
    elsewhere: bool = True
    templates: tuple[Steps, ...] = ()
    pods: tuple[PodShape, ...] = ()
    patches: tuple[Steps, ...] = ()
    no_pods: bool = False
    scheduler: SchedulerField | None = None
    adds_containers: bool = False
    replicas: tuple[ReplicaCount, ...] = ()
    uncounted: bool = False
    template: Steps = ()
    quotas: tuple[QuotaShape, ...] = ()
    unread: str = ""
    grouped: bool = False
    chart_values: tuple[Steps, ...] = ()

    @property
    def group(self) -> str:
        """The API group, empty for that of pods."""
        return self.api.rpartition("/")[0]

    @property
    def plural(self) -> str:
        """The kind as paths of the API and rules of admission name it."""
        return f"{self.kind.lower()}s"


_OF_OBJECT = (Copied(("metadata",)),)
_OVER_PODS = (Copied(("metadata",), wins=True),)
_TEMPLATE: tuple[Steps, ...] = (("spec", "template"),)
_REPLICAS = Factor(("spec", "replicas"))

# --- Kubernetes -----------------------------------------------------------------------------------

_DEVICES = ".deviceclass.resource.k8s.io/devices"
"""What is after a device class in names of quotas: pkg/quota/v1/evaluator/core/resource_claims.go."""
# ValidateResourceQuantityValue and IsExtendedResourceName in kubernetes pkg/apis/core: a fraction is refused
# but for names with "requests.", which are those that the quota controller counts
# (isExtendedResourceNameForQuota in pkg/quota/v1/evaluator/core/pods.go)
_HARD = QuotaShape(("spec", "hard"), ((),), prefixed=True, whole=True, claims=_DEVICES)

_KUBERNETES = (
    ObjectKind("v1", "Pod", templates=((),)),
    ObjectKind("v1", "PodTemplate", templates=(("template",),)),
    ObjectKind("apps/v1", "Deployment", templates=_TEMPLATE),
    ObjectKind("apps/v1", "StatefulSet", templates=_TEMPLATE),
    ObjectKind("apps/v1", "DaemonSet", templates=_TEMPLATE, uncounted=True),
    ObjectKind("apps/v1", "ReplicaSet", templates=_TEMPLATE),
    ObjectKind("v1", "ReplicationController", templates=_TEMPLATE),
    ObjectKind("batch/v1", "Job", templates=_TEMPLATE),
    ObjectKind("batch/v1", "CronJob", templates=(("spec", "jobTemplate", "spec", "template"),)),
    ObjectKind("v1", "ResourceQuota", quotas=(_HARD,)),
    # ValidateLimitRange in kubernetes pkg/apis/core/validation: of type Pod there are no defaults;
    # ratios (maxLimitRequestRatio) are no amounts
    ObjectKind(
        "v1",
        "LimitRange",
        quotas=(
            QuotaShape(
                ("spec", "limits", "*"),
                (("max",), ("min",), ("default",), ("defaultRequest",)),
                type="Container",
                each=True,
            ),
            QuotaShape(("spec", "limits", "*"), (("max",), ("min",)), type="Pod"),
        ),
    ),
    ObjectKind("apiextensions.k8s.io/", "CustomResourceDefinition", no_pods=True),
    ObjectKind("admissionregistration.k8s.io/", "", no_pods=True),
)

# --- batches and training -------------------------------------------------------------------------


EXPLICIT_COUNT = "num-gpus"
"""The field of KubeRay that sets the number of GPUs; no other kind has such a field."""


def _ray_shape(spec: Steps, group: Steps) -> PodShape:
    """Labels of a group go over those of its template (mergeLabels in controllers/ray/common/pod.go). GPUs:
    IsGPUResourceKey in controllers/ray/utils/resources.go, addWellKnownAcceleratorResources; the explicit
    number becomes --num-gpus of ray start, an int (python/ray/scripts/scripts.py)."""
    above = (*spec, *group)
    counter = GpuCounter(
        "KubeRay",
        regex(r".*gpu|.*nvidia\.com/mig-\d+g\.\d+gb"),
        (*above, "rayStartParams", EXPLICIT_COUNT),
        'rayStartParams.num-gpus: "{cards}"',
        (*above, "resources"),
        whole="ray start",
    )
    return PodShape(
        (*above, "template", "spec"),
        metadata=("..", "metadata"),
        copied=(Copied(above, ("labels",), wins=True),),
        counter=counter,
    )


_HEAD, _WORKERS = ("headGroupSpec",), ("workerGroupSpecs", "*")
_LWS = ("spec", "leaderWorkerTemplate")

_BATCH = (
    # the controller copies the scheduler into pods without one (createJobPod); the admission webhook sets the
    # default
    # createOrUpdatePodGroup in pkg/controllers/job/job_controller_actions.go
    ObjectKind(
        "batch.volcano.sh/",
        "Job",
        templates=(("spec", "tasks", "*", "template"),),
        scheduler=SchedulerField(("spec", "schedulerName"), "volcano"),
        grouped=True,
    ),
    # kubeflow/training-operator, v1: replicas by type
    *(
        ObjectKind("kubeflow.org/", kind, templates=(("spec", field, "{}", "template"),))
        for kind, field in (
            ("PyTorchJob", "pytorchReplicaSpecs"),
            ("TFJob", "tfReplicaSpecs"),
            ("MPIJob", "mpiReplicaSpecs"),
            ("XGBoostJob", "xgbReplicaSpecs"),
            ("PaddleJob", "paddleReplicaSpecs"),
            ("JAXJob", "jaxReplicaSpecs"),
        )
    ),
    # AscendJob: its PodGroup has its labels and annotations, which the scheduler reads with those of the pods
    # (getJobLabelFromVcJob in plugin/job.go); pods that name no scheduler have that of the job
    # (setGangScheduleInfo of its operator)
    ObjectKind(
        "mindxdl.gitee.com/",
        "AscendJob",
        templates=(("spec", "replicaSpecs", "{}", "template"),),
        pods=(
            PodShape(
                ("spec", "replicaSpecs", "{}", "template", "spec"),
                metadata=("..", "metadata"),
                copied=_OF_OBJECT,
            ),
        ),
        scheduler=SchedulerField(("spec", "schedulerName"), "volcano"),
    ),
    # Notebooks of Kubeflow: the template has a spec alone, labels and annotations are those of the object
    # (generateStatefulSet in components/notebook-controller/controllers/notebook_controller.go)
    ObjectKind(
        "kubeflow.org/",
        "Notebook",
        elsewhere=False,
        templates=_TEMPLATE,
        pods=(PodShape(("spec", "template", "spec"), copied=_OVER_PODS),),
    ),
    # Kubeflow Trainer v2, pkg/apis/trainer/v1alpha1: resources of each node, no pod template, patches that
    # are merged into the runtime; GetNumGPUPerNode in pkg/runtime/runtime.go, for PyTorch, MPI and Flux
    ObjectKind(
        "trainer.kubeflow.org/",
        "TrainJob",
        pods=(
            PodShape(
                ("spec",),
                (("trainer",),),
                resources="resourcesPerNode",
                nodes=False,
                counter=GpuCounter(
                    "Kubeflow Trainer",
                    regex(r"(?i:.*gpu.*)"),
                    ("spec", "trainer", "numProcPerNode"),
                    "spec.trainer.numProcPerNode: {cards}",
                    first=False,
                    fields=("requests", "limits"),
                ),
            ),
        ),
        patches=(("spec", "podTemplateOverrides"), ("spec", "runtimePatches")),
        replicas=(ReplicaCount(("spec",), (Factor(("spec", "trainer", "numNodes")),)),),
    ),
    # ray-project/kuberay; the scheduler: ray-operator/controllers/ray/batchscheduler. Policies look at the
    # RayJobs of a RayCronJob
    *(
        ObjectKind(
            "ray.io/",
            kind,
            templates=((*spec, *_HEAD, "template"), (*spec, *_WORKERS, "template")) if has_policy else (),
            pods=(_ray_shape(spec, _HEAD), _ray_shape(spec, _WORKERS)),
            scheduler=SchedulerField(
                ("metadata", "labels", "ray.io/scheduler-name"),
                wins=True,
                set_by="KubeRay --batch-scheduler",
            ),
            replicas=(
                ReplicaCount(
                    (*spec, *_WORKERS),
                    (
                        Factor((*spec, *_WORKERS, "replicas"), ((*spec, *_WORKERS, "minReplicas"),)),
                        Factor((*spec, *_WORKERS, "numOfHosts")),
                    ),
                ),
            ),
        )
        for kind, spec, has_policy in (
            ("RayCluster", ("spec",), True),
            ("RayJob", ("spec", "rayClusterSpec"), True),
            ("RayService", ("spec", "rayClusterConfig"), True),
            ("RayCronJob", ("spec", "jobTemplate", "rayClusterSpec"), False),
        )
    ),
    # NVIDIA, api/nvidia.com/resource/v1beta1/computedomain.go
    ObjectKind(
        "resource.nvidia.com/",
        "ComputeDomain",
        elsewhere=False,
        template=("spec", "channel", "resourceClaimTemplate", "name"),
    ),
    # kubernetes-sigs/jobset
    ObjectKind(
        "jobset.x-k8s.io/",
        "JobSet",
        templates=(("spec", "replicatedJobs", "*", "template", "spec", "template"),),
    ),
    # kubernetes-sigs/lws: size counts the leader too
    ObjectKind(
        "leaderworkerset.x-k8s.io/",
        "LeaderWorkerSet",
        templates=((*_LWS, "leaderTemplate"), (*_LWS, "workerTemplate")),
        replicas=(
            ReplicaCount((*_LWS, "leaderTemplate"), (_REPLICAS,)),
            ReplicaCount(
                (*_LWS, "workerTemplate"),
                (_REPLICAS, Factor((*_LWS, "size"), apart=(*_LWS, "leaderTemplate"))),
            ),
        ),
    ),
    # Spark Operator: driver and executor are pod and container in one, their sidecars have limits. Labels of
    # the object go to both (internal/controller/sparkapplication/submission.go)
    *(
        ObjectKind(
            "sparkoperator.k8s.io/",
            kind,
            pods=tuple(
                PodShape(
                    (*spec, part),
                    (("initContainers", "*"), ("sidecars", "*")),
                    (),
                    copied=(Copied(("metadata",), ("labels",)),),
                )
                for part in ("driver", "executor")
            ),
        )
        for kind, spec in (
            ("SparkApplication", ("spec",)),
            ("ScheduledSparkApplication", ("spec", "template")),
        )
    ),
)

# --- workloads and services -----------------------------------------------------------------------

_SCALE = ("spec", "template", "metadata", "annotations")
_PREDICTORS = ("spec", "predictors", "*")
_KSERVE_PARTS = ("predictor", "transformer", "explainer")
_KSERVE_COUNTER = GpuCounter(  # DefaultGPUResourceTypeList in pkg/constants
    "KServe",
    regex(r"(?:nvidia|amd|intel)\.com/gpu|habana\.ai/gaudi"),
    ("metadata", "annotations", "serving.kserve.io/gpu-resource-types"),
    "the annotation serving.kserve.io/gpu-resource-types to a list with the name of the resource",
)
# fmt: off
_KSERVE_CONTAINERS: tuple[Steps, ...] = (
    ("initContainers", "*"), ("model",), ("sklearn",), ("xgboost",), ("tensorflow",), ("pytorch",),
    ("triton",), ("onnx",), ("huggingface",), ("lightgbm",), ("paddle",), ("pmml",), ("art",),
    ("containers", "*"),
)
# fmt: on


def _llm_replicas(workload: Steps) -> tuple[ReplicaCount, ...]:
    """GetSize in pkg/apis/serving/v1alpha2/llm_inference_service_types_func.go: the size of a group, the
    leader included, whose template is a part of its own (expectedMainMultiNodeLWS)."""
    groups, size = Factor((*workload, "replicas")), (*workload, "parallelism")
    hosts = Factor(
        (*size, "data"), ((*size, "pipeline"),), apart=(*workload, "template"), over=(*size, "dataLocal")
    )
    leaders = ReplicaCount((*workload, "template"), (groups,))
    return leaders, ReplicaCount((*workload, "worker"), (groups, hosts))


_SERVICES = (
    # OpenKruise, apis/apps: patches are a RawExtension of a subset, merged into its pods
    ObjectKind("apps.kruise.io/", "CloneSet", templates=_TEMPLATE),
    ObjectKind("apps.kruise.io/", "StatefulSet", templates=_TEMPLATE),
    ObjectKind("apps.kruise.io/", "DaemonSet", templates=_TEMPLATE, uncounted=True),
    ObjectKind("apps.kruise.io/", "BroadcastJob", uncounted=True),
    # containers that go into other pods, whose labels are not its own
    ObjectKind("apps.kruise.io/", "SidecarSet", pods=(PodShape(("spec",), nodes=False),), uncounted=True),
    # the total of all subsets; that of the template does not count
    ObjectKind(
        "apps.kruise.io/",
        "UnitedDeployment",
        patches=(("spec", "topology", "subsets", "*", "patch"),),
        replicas=(ReplicaCount(("spec", "template"), (_REPLICAS,)),),
    ),
    ObjectKind("apps.kruise.io/", "WorkloadSpread", patches=(("spec", "subsets", "*", "patch"),)),
    ObjectKind("argoproj.io/", "Rollout", templates=_TEMPLATE),
    # Knative: queue-proxy; a Service of Kubernetes has no pods
    ObjectKind(
        "serving.knative.dev/",
        "Service",
        templates=_TEMPLATE,
        adds_containers=True,
        replicas=(
            ReplicaCount(
                ("spec", "template"),
                (
                    Factor(
                        (*_SCALE, "autoscaling.knative.dev/min-scale"),
                        ((*_SCALE, "autoscaling.knative.dev/minScale"),),
                    ),
                ),
            ),
        ),
    ),
    ObjectKind("serving.knative.dev/", "Configuration", adds_containers=True),
    ObjectKind("serving.knative.dev/", "Revision", adds_containers=True),
    # KServe: a component is a pod spec with labels and annotations of its own, and has those of the object
    # (buildObjectMeta in inferenceservice/components). Workers have the predictor's. In its serverless mode
    # queue-proxy of Knative is beside the containers
    ObjectKind(
        "serving.kserve.io/",
        "InferenceService",
        pods=(
            *(
                PodShape(("spec", part), _KSERVE_CONTAINERS, (), copied=_OF_OBJECT, counter=_KSERVE_COUNTER)
                for part in _KSERVE_PARTS
            ),
            PodShape(
                ("spec", "predictor", "workerSpec"),
                _KSERVE_CONTAINERS,
                ("..",),
                copied=_OF_OBJECT,
                counter=_KSERVE_COUNTER,
            ),
        ),
        adds_containers=True,
        replicas=tuple(
            ReplicaCount(("spec", part), (Factor(("spec", part, "minReplicas")),)) for part in _KSERVE_PARTS
        ),
    ),
    *(
        ObjectKind("serving.kserve.io/", kind, pods=(PodShape(("spec",), metadata=()),))
        for kind in ("ServingRuntime", "ClusterServingRuntime")
    ),
    # KServe, v1alpha1 and v1alpha2: labels and annotations beside the pod specs are of the pods of both
    # (PropagateMap in llmisvc/workload_*.go); those of the object are not
    *(
        ObjectKind(
            "serving.kserve.io/",
            kind,
            pods=tuple(
                PodShape((*workload, part), metadata=("..",))
                for workload in (("spec",), ("spec", "prefill"))
                for part in ("template", "worker")
            ),
            replicas=(*_llm_replicas(("spec", "prefill")), *_llm_replicas(("spec",))),
        )
        for kind in ("LLMInferenceService", "LLMInferenceServiceConfig")
    ),
    # Seldon Core 1: annotations of the spec, then labels and annotations of the predictor, then those of the
    # component (createDeploymentWithoutEngine in operator/controllers/seldondeployment_controller.go);
    # "Replica scaling": the most specific of them counts
    ObjectKind(
        "machinelearning.seldon.io/",
        "SeldonDeployment",
        pods=(
            PodShape(
                (*_PREDICTORS, "componentSpecs", "*", "spec"),
                metadata=("..", "metadata"),
                copied=(Copied(("spec",), ("annotations",)), Copied(_PREDICTORS)),
            ),
        ),
        replicas=(
            ReplicaCount(
                _PREDICTORS,
                (
                    Factor(
                        (*_PREDICTORS, "componentSpecs", "*", "replicas"),
                        ((*_PREDICTORS, "replicas"), ("spec", "replicas")),
                    ),
                ),
            ),
        ),
    ),
)

# --- pipelines ------------------------------------------------------------------------------------

_ARGO_CONTAINERS: tuple[Steps, ...] = (
    ("initContainers", "*"),
    ("container",),
    ("script",),
    ("containerSet", "containers", "*"),
    ("sidecars", "*"),
)


def _tekton_shapes(spec: Steps, metadata: Steps | None, copied: tuple[Copied, ...]) -> tuple[PodShape, ...]:
    """Steps are containers; v1 has computeResources, v1beta1 has resources."""
    containers: tuple[Steps, ...] = (("steps", "*"), ("stepTemplate",), ("sidecars", "*"))
    return tuple(
        PodShape(spec, containers, metadata, resources, nodes=False, copied=copied)
        for resources in ("computeResources", "resources")
    )


_OF_TASK_RUN = PodShape(("spec",), ((),), None, "computeResources", nodes=False, copied=_OF_OBJECT)

_PIPELINES = (
    # Argo Workflows: a template is pod, container and metadata in one; steps and tasks may have one inline.
    # spec.podMetadata goes to every pod (addMetadata in workflow/controller/workflowpod.go), the scheduler
    # too (addSchedulingConstraints); the wait container of the executor is added; parallelism is a maximum
    # of running pods, not their number
    *(
        ObjectKind(
            "argoproj.io/",
            kind,
            pods=tuple(
                PodShape(
                    (*spec, *below),
                    _ARGO_CONTAINERS,
                    ("metadata",),
                    copied=(Copied((*spec, "podMetadata")),),
                )
                for below in (
                    ("templateDefaults",),
                    ("templates", "*"),
                    ("templates", "*", "steps", "*", "*", "inline"),
                    ("templates", "*", "dag", "tasks", "*", "inline"),
                )
            ),
            scheduler=SchedulerField((*spec, "schedulerName")),
            adds_containers=True,
            replicas=(ReplicaCount(("spec",)),),
        )
        for kind, spec in (
            ("Workflow", ("spec",)),
            ("WorkflowTemplate", ("spec",)),
            ("ClusterWorkflowTemplate", ("spec",)),
            ("CronWorkflow", ("spec", "workflowSpec")),
        )
    ),
    # Tekton: the metadata of a Task goes to its TaskRun and that to the pod; that of a PipelineRun counts
    # before that of a task in it (storeTaskSpecAndMergeMeta, combineTaskRunAndTaskSpecLabels, makeLabels).
    # The scheduler: pkg/pod/pod.go
    ObjectKind("tekton.dev/", "Task", pods=_tekton_shapes(("spec",), None, _OF_OBJECT)),
    ObjectKind("tekton.dev/", "ClusterTask", pods=_tekton_shapes(("spec",), None, _OF_OBJECT)),
    ObjectKind(
        "tekton.dev/",
        "TaskRun",
        pods=(*_tekton_shapes(("spec", "taskSpec"), None, _OF_OBJECT), _OF_TASK_RUN),
        scheduler=SchedulerField(("spec", "podTemplate", "schedulerName")),
    ),
    ObjectKind(
        "tekton.dev/",
        "Pipeline",
        pods=(
            *_tekton_shapes(("spec", "tasks", "*", "taskSpec"), ("metadata",), _OVER_PODS),
            *_tekton_shapes(("spec", "finally", "*", "taskSpec"), ("metadata",), _OVER_PODS),
        ),
    ),
    ObjectKind(
        "tekton.dev/",
        "PipelineRun",
        pods=(
            *_tekton_shapes(("spec", "pipelineSpec", "tasks", "*", "taskSpec"), ("metadata",), _OVER_PODS),
            *_tekton_shapes(("spec", "pipelineSpec", "finally", "*", "taskSpec"), ("metadata",), _OVER_PODS),
            _OF_TASK_RUN._replace(pod=("spec", "taskRunSpecs", "*"), metadata=("metadata",)),
        ),
        scheduler=SchedulerField(("spec", "taskRunTemplate", "podTemplate", "schedulerName")),
    ),
)

# --- amounts outside of pods, and what holds none ---------------------------------------------------

_OTHERS = (
    # ProfileSpec in kubeflow/dashboard components/profile-controller/api/v1/profile_types.go: the spec of a
    # ResourceQuota
    ObjectKind(
        "kubeflow.org/",
        "Profile",
        elsewhere=False,
        quotas=(_HARD._replace(scope=("spec", "resourceQuotaSpec", "hard")),),
    ),
    # ClusterResourceQuotaSpec in openshift/api quota/v1/types.go: spec.quota is the spec of a ResourceQuota
    ObjectKind(
        "quota.openshift.io/",
        "ClusterResourceQuota",
        quotas=(_HARD._replace(scope=("spec", "quota", "hard")),),
    ),
    # AccountQuotaSpec in loft-sh/kiosk pkg/apis/config/v1alpha1, ResourceQuotaSpec in kubesphere/kubesphere
    # staging/src/kubesphere.io/api/quota/v1alpha2: spec.quota is the spec of a ResourceQuota as well
    *(
        ObjectKind(api, kind, quotas=(_HARD._replace(scope=("spec", "quota", "hard")),))
        for api, kind in (("config.kiosk.sh/", "AccountQuota"), ("quota.kubesphere.io/", "ResourceQuota"))
    ),
    # TenantSpec in projectcapsule/capsule api/v1beta2/tenant_types.go: the specs of several ResourceQuotas
    ObjectKind(
        "capsule.clastix.io/",
        "Tenant",
        elsewhere=False,
        quotas=(_HARD._replace(scope=("spec", "resourceQuotas", "items", "*", "hard")),),
    ),
    # validateResourceGroups in kubernetes-sigs/kueue pkg/webhooks: a resource is in one group, and the
    # resources of each flavor are those of coveredResources in their order. A LocalQueue has amounts in its
    # status alone
    *(
        ObjectKind(
            "kueue.x-k8s.io/",
            kind,
            quotas=(
                QuotaShape(
                    ("spec", "resourceGroups", "*"),
                    alone=("spec",),
                    named=("flavors", "*", "resources", "*"),
                    fields=("nominalQuota", "borrowingLimit", "lendingLimit"),
                    listed=("coveredResources", "*"),
                ),
            ),
        )
        for kind in ("ClusterQueue", "Cohort")
    ),
    # QueueSpec in volcano-sh/apis pkg/apis/scheduling/v1beta1/types.go; of claims, "DeviceClass Quota Support
    # in Capacity Plugin" in its docs/design: deviceclass/CLASS and CAPACITY.deviceclass/CLASS
    ObjectKind(
        "scheduling.volcano.sh/",
        "Queue",
        quotas=(
            QuotaShape(
                ("spec",),
                (("capability",), ("deserved",), ("guarantee", "resource")),
                claims="deviceclass/",
            ),
        ),
    ),
    # ElasticQuotaSpec in kubernetes-sigs/scheduler-plugins apis/scheduling/v1alpha1/types.go
    ObjectKind(
        "scheduling.sigs.k8s.io/", "ElasticQuota", quotas=(QuotaShape(("spec",), (("min",), ("max",))),)
    ),
    # NexusGPU/tensor-fusion, api/v1: workloadprofile_types.go, gpuresourcequota_types.go: TFLOPs, percent and
    # VRAM by names of its own, no resources
    *(
        ObjectKind("tensor-fusion.ai/", kind, elsewhere=False, unread=unread)
        for kind, unread in {
            "WorkloadProfile": "the share of the pods that name it",
            "TensorFusionWorkload": "the share of its workers",
            "GPUResourceQuota": "amounts of shares",
        }.items()
    ),
    # Flux, helm-controller: strategic merge patches of a release
    ObjectKind(
        "helm.toolkit.fluxcd.io/",
        "HelmRelease",
        patches=(("spec", "postRenderers"),),
        chart_values=(("spec", "values"), ("spec", "valuesFrom")),
    ),
    # Argo CD, ApplicationSourceHelm in pkg/apis/application/v1alpha1/types.go: values as a text and as a
    # mapping, and parameters
    ObjectKind(
        "argoproj.io/",
        "Application",
        elsewhere=False,
        chart_values=(("spec", "source", "helm"), ("spec", "sources", "*", "helm")),
    ),
    # patterns of pods and patches for them: the API references of Kyverno, Gatekeeper and Karmada
    *(
        ObjectKind(api, "", no_pods=True)
        for api in (
            "kyverno.io/",
            "policies.kyverno.io/",
            "templates.gatekeeper.sh/",
            "constraints.gatekeeper.sh/",
            "mutations.gatekeeper.sh/",
            "policy.karmada.io/",
        )
    ),
)

KINDS: tuple[ObjectKind, ...] = (*_KUBERNETES, *_BATCH, *_SERVICES, *_PIPELINES, *_OTHERS)
"""All of them: the first of an object's API and kind is its own."""
CLUSTER_QUEUE, QUEUE_LABEL = "ClusterQueue", "kueue.x-k8s.io/queue-name"
"""The kind of Kueue that says which resources its queues cover, and the label of what waits in one."""
QUOTA_KINDS = frozenset(row.kind for row in KINDS if row.quotas)
"""Other objects set no amounts."""
UNREAD_KINDS = frozenset(row.kind for row in KINDS if row.unread)
"""Objects that are left as they are, though they say how much of a card somebody gets."""
BUILT_IN_KINDS = tuple(row for row in KINDS if row.templates and "." not in row.api)
CUSTOM = tuple(row for row in KINDS if row.templates and "." in row.api)
"""Kinds with pod templates, of Kubernetes itself and of others."""
_UNKNOWN = ObjectKind("", "")


@lru_cache(maxsize=512)
def kind_of(api_version: str | None, kind: str | None) -> ObjectKind:
    """The row of a kind; an empty row for a kind without one."""
    named = [row for row in KINDS if row.kind in (kind, "")]
    exact = next((row for row in named if (api_version or "").startswith(row.api)), None)
    if exact is not None:
        return exact
    other = next((row for row in named if row.kind and row.elsewhere), _UNKNOWN)
    return other._replace(no_pods=False, scheduler=None, adds_containers=False, quotas=())
