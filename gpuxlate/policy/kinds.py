"""Kinds with pod templates that a policy can look at, and their templates in CEL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Templates(NamedTuple):
    """Where the pod templates of a kind are: at a path, or ``of`` each in a list or mapping there."""

    path: str
    of: str = ""
    mapping: bool = False


class Workload(NamedTuple):
    """One kind: its group, versions, resource, and the places of the templates of its pods."""

    kind: str
    group: str
    versions: tuple[str, ...]
    resource: str
    templates: tuple[Templates, ...] = (Templates("spec.template"),)


def templates(kinds: Sequence[Workload]) -> str:
    """All templates of an object of one of the kinds, as a list of CEL. No two of them have a field alike for
    different things, so what an object is need not be asked: it has the fields of its kind."""
    places = dict.fromkeys(place for one in kinds for place in one.templates)
    found = [f"[{', '.join(f'?{_at(one.path)}' for one in places if not one.of)}]"]
    for of in dict.fromkeys(one.of for one in places if one.of and not one.mapping):
        lists = [_at(one.path) for one in places if one.of == of and not one.mapping]
        steps = of.replace(".", ".?")
        found.append(f"{_first(lists)}.orValue([]).filter(i, i.?{steps}.hasValue()).map(i, i.{of})")
    for of in dict.fromkeys(one.of for one in places if one.mapping):
        maps = [_at(one.path) for one in places if one.of == of and one.mapping]
        each = f"m.filter(r, m[r].?{of}.hasValue()).map(r, m[r].{of})"
        found.append(f"[{_first(maps)}.orValue({{}})].map(m, {each})[0]")
    return " + ".join(found)


def _at(path: str) -> str:
    return f"object.?{path.replace('.', '.?')}"


def _first(values: list[str]) -> str:
    """The one that is there."""
    return values[0] + "".join(f".or({one})" for one in values[1:])


BUILT_IN = (
    *(
        Workload(kind, "apps", ("v1",), f"{kind.lower()}s")
        for kind in ("Deployment", "StatefulSet", "DaemonSet")
    ),
    Workload("Job", "batch", ("v1",), "jobs"),
    Workload("CronJob", "batch", ("v1",), "cronjobs", (Templates("spec.jobTemplate.spec.template"),)),
)
"""Kinds of Kubernetes that people write. A ReplicaSet has the template of its Deployment."""


def _ray(cluster: str) -> tuple[Templates, ...]:
    return Templates(f"{cluster}.headGroupSpec.template"), Templates(
        f"{cluster}.workerGroupSpecs", "template"
    )


CUSTOM = (
    # batch/v1alpha1; Job of Kubernetes has another group
    Workload("Job", "batch.volcano.sh", ("*",), "jobs", (Templates("spec.tasks", "template"),)),
    # kubeflow/training-operator, v1: replicas by type
    *(
        Workload(
            kind,
            "kubeflow.org",
            ("*",),
            f"{kind.lower()}s",
            (Templates(f"spec.{field}", "template", mapping=True),),
        )
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
    Workload("RayCluster", "ray.io", ("*",), "rayclusters", _ray("spec")),
    Workload("RayJob", "ray.io", ("*",), "rayjobs", _ray("spec.rayClusterSpec")),
    Workload("RayService", "ray.io", ("*",), "rayservices", _ray("spec.rayClusterConfig")),
    # kubernetes-sigs/jobset, kubernetes-sigs/lws
    Workload(
        "JobSet",
        "jobset.x-k8s.io",
        ("*",),
        "jobsets",
        (Templates("spec.replicatedJobs", "template.spec.template"),),
    ),
    Workload(
        "LeaderWorkerSet",
        "leaderworkerset.x-k8s.io",
        ("*",),
        "leaderworkersets",
        (
            Templates("spec.leaderWorkerTemplate.leaderTemplate"),
            Templates("spec.leaderWorkerTemplate.workerTemplate"),
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
