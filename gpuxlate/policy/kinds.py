"""Kinds with pod templates that a policy can look at, and their templates in CEL."""

from __future__ import annotations

from typing import NamedTuple


class Workload(NamedTuple):
    """One kind: its group, versions, resource, and the templates of its pods as lists of CEL."""

    kind: str
    group: str
    versions: tuple[str, ...]
    resource: str
    templates: tuple[str, ...] = ("[?object.?spec.?template]",)


def _of(field: str) -> str:
    return f"[?object.?spec.?{field}.?template]"


def _each(items: str, template: str = "template") -> str:
    """The templates in a list of objects."""
    there = f"i.?{template.replace('.', '.?')}.hasValue()"
    return f"object.?spec.?{items}.orValue([]).filter(i, {there}).map(i, i.{template})"


def _replicas(field: str) -> str:
    """The templates in a mapping of replicas by type."""
    specs = f"object.?spec.?{field}.orValue({{}})"
    return f"{specs}.filter(r, has({specs}[r].template)).map(r, {specs}[r].template)"


BUILT_IN = (
    *(
        Workload(kind, "apps", ("v1",), f"{kind.lower()}s")
        for kind in ("Deployment", "StatefulSet", "DaemonSet")
    ),
    Workload("Job", "batch", ("v1",), "jobs"),
    Workload("CronJob", "batch", ("v1",), "cronjobs", (_of("jobTemplate.?spec"),)),
)
"""Kinds of Kubernetes that people write. A ReplicaSet has the template of its Deployment."""


def _ray(cluster: str) -> tuple[str, ...]:
    return _of(f"{cluster}headGroupSpec"), _each(f"{cluster}workerGroupSpecs")


CUSTOM = (
    # batch/v1alpha1; Job of Kubernetes has another group
    Workload("Job", "batch.volcano.sh", ("*",), "jobs", (_each("tasks"),)),
    # kubeflow/training-operator, v1: replicas by type
    *(
        Workload(kind, "kubeflow.org", ("*",), f"{kind.lower()}s", (_replicas(field),))
        for kind, field in (
            ("PyTorchJob", "pytorchReplicaSpecs"),
            ("TFJob", "tfReplicaSpecs"),
            ("MPIJob", "mpiReplicaSpecs"),
            ("XGBoostJob", "xgbReplicaSpecs"),
            ("PaddleJob", "paddleReplicaSpecs"),
            ("JAXJob", "jaxReplicaSpecs"),
        )
    ),
    # kubeflow/kubeflow, notebook-controller
    Workload("Notebook", "kubeflow.org", ("*",), "notebooks"),
    # ray-project/kuberay, ray.io/v1
    Workload("RayCluster", "ray.io", ("*",), "rayclusters", _ray("")),
    Workload("RayJob", "ray.io", ("*",), "rayjobs", _ray("rayClusterSpec.?")),
    Workload("RayService", "ray.io", ("*",), "rayservices", _ray("rayClusterConfig.?")),
    # kubernetes-sigs/jobset, kubernetes-sigs/lws
    Workload(
        "JobSet", "jobset.x-k8s.io", ("*",), "jobsets", (_each("replicatedJobs", "template.spec.template"),)
    ),
    Workload(
        "LeaderWorkerSet",
        "leaderworkerset.x-k8s.io",
        ("*",),
        "leaderworkersets",
        (
            "[?object.?spec.?leaderWorkerTemplate.?leaderTemplate]",
            "[?object.?spec.?leaderWorkerTemplate.?workerTemplate]",
        ),
    ),
    # openkruise/kruise; argoproj/argo-rollouts; knative/serving
    Workload("CloneSet", "apps.kruise.io", ("*",), "clonesets"),
    Workload("StatefulSet", "apps.kruise.io", ("*",), "statefulsets"),
    Workload("DaemonSet", "apps.kruise.io", ("*",), "daemonsets"),
    Workload("Rollout", "argoproj.io", ("*",), "rollouts"),
    Workload("Service", "serving.knative.dev", ("*",), "services"),
)
"""Custom resources whose pods are templates of Kubernetes. Of other kinds, the pods themselves are judged."""
