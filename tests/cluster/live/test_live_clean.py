"""Objects of a server as somebody would have written them."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
import yaml

from gpuxlate.cluster.clean import as_yaml, cleaned
from tests.e2e import pods

TOKENS = "/var/run/secrets/kubernetes.io/serviceaccount"

SERVER_METADATA = {
    "uid": "1",
    "resourceVersion": "2",
    "generation": 3,
    "creationTimestamp": "2026-11-01T00:00:00Z",
    "managedFields": [{"manager": "x"}],
    "selfLink": "/x",
    "finalizers": ["foregroundDeletion"],
    "ownerReferences": [{"kind": "ReplicaSet", "name": "web-1", "controller": True}],
}


def made(kind: str, spec: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {"name": "web", **SERVER_METADATA, **metadata},
        "spec": spec,
        "status": {"phase": "Running"},
    }


def container(**more: Any) -> dict[str, Any]:
    return {"name": "main", "image": "x", **more}


def test_metadata_and_status_go() -> None:
    got = cleaned(made("Deployment", {"replicas": 1}, namespace="ml", labels={"app": "web"}))
    assert got == {
        "apiVersion": "v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "ml", "labels": {"app": "web"}},
        "spec": {"replicas": 1},
    }
    assert list(got) == ["apiVersion", "kind", "metadata", "spec"]


def test_the_object_itself_stays() -> None:
    found = made("Pod", {"nodeName": "n", "containers": [container()], "priority": 0})
    before = copy.deepcopy(found)
    cleaned(found)
    assert found == before


@pytest.mark.parametrize(
    ("kind", "name", "kept"),
    [
        ("annotations", "kubectl.kubernetes.io/last-applied-configuration", False),
        ("annotations", "deployment.kubernetes.io/revision", False),
        ("annotations", "kubectl.kubernetes.io/restartedAt", True),
        ("annotations", "example.com/owner", True),
        # what the vendors' schedulers write: the data sheets of the backends
        ("annotations", "vke.volcengine.com/gpu-index-container-main", False),
        ("annotations", "vke.volcengine.com/assumed", False),
        ("annotations", "scheduler.framework.gpushare.allocation", False),
        ("annotations", "tke.cloud.tencent.com/qgpu-pgpu-main", False),
        # what a user writes of theirs
        ("annotations", "vke.volcengine.com/mgpu-compute-policy", True),
        ("annotations", "tke.cloud.tencent.com/app-class", True),
        ("labels", "aliyun.com/gpu-count", True),
        ("labels", "pod-template-hash", False),
        ("labels", "controller-revision-hash", False),
        ("labels", "job-name", True),  # of a pod of no job: the user's own
        ("labels", "app", True),
    ],
)
def test_labels_and_annotations_of_a_pod(kind: str, name: str, kept: bool) -> None:
    got = cleaned(made("Pod", {"containers": [container()]}, **{kind: {name: "1", "x": "y"}}))
    assert got["metadata"][kind] == ({name: "1", "x": "y"} if kept else {"x": "y"})
    alone = cleaned(made("Pod", {"containers": [container()]}, **{kind: {name: "1"}}))
    assert (kind in alone["metadata"]) is kept


def test_every_record_of_the_schedulers_goes() -> None:
    for pod in (*pods.VKE, *pods.ACK, *pods.TKE):
        left = cleaned(pod)["metadata"].get("annotations", {})
        assert not [n for n in left if "gpu-index" in n or "assum" in n or "alloc" in n or "pgpu" in n]


def test_what_admission_gave_a_pod() -> None:
    spec = {
        "nodeName": "n1",
        "priority": 0,
        "preemptionPolicy": "PreemptLowerPriority",
        "overhead": {"cpu": "1"},
        "serviceAccount": "default",
        "serviceAccountName": "default",
        "priorityClassName": "high",
        "tolerations": [
            {"key": f"node.kubernetes.io/{one}", "operator": "Exists", "effect": "NoExecute"}
            | {"tolerationSeconds": 300}
            for one in ("not-ready", "unreachable")
        ]
        + [{"key": "gpu", "operator": "Exists"}],
        "containers": [
            container(
                volumeMounts=[
                    {"name": "data", "mountPath": "/data"},
                    {"name": "kube-api-access-x7k2p", "mountPath": TOKENS, "readOnly": True},
                ]
            )
        ],
        "initContainers": [
            container(volumeMounts=[{"name": "kube-api-access-x7k2p", "mountPath": TOKENS}]),
        ],
        "volumes": [
            {"name": "data", "emptyDir": {}},
            {"name": "kube-api-access-x7k2p", "projected": {}},
        ],
    }
    assert cleaned(made("Pod", spec))["spec"] == {
        "priorityClassName": "high",
        "tolerations": [{"key": "gpu", "operator": "Exists"}],
        "containers": [container(volumeMounts=[{"name": "data", "mountPath": "/data"}])],
        "initContainers": [container()],
        "volumes": [{"name": "data", "emptyDir": {}}],
    }


def test_what_a_user_wrote_stays() -> None:
    spec = {
        "serviceAccountName": "robot",
        "preemptionPolicy": "Never",
        "tolerations": [
            {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute", "tolerationSeconds": 9}
        ],
        "containers": [
            container(volumeMounts=[{"name": "kube-api-access-x7k2p", "mountPath": "/elsewhere"}])
        ],
        "volumes": [{"name": "kube-api-access-x7k2p", "emptyDir": {}}],
    }
    assert cleaned(made("Pod", copy.deepcopy(spec)))["spec"] == spec


def test_pod_templates_at_any_depth() -> None:
    template = {
        "metadata": {
            "creationTimestamp": None,
            "labels": {"app": "web"},
            "annotations": {"vke.volcengine.com/assumed": "true"},
        },
        "spec": {"containers": [container()], "serviceAccountName": "default", "serviceAccount": "default"},
    }
    clean = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container()]}}
    for spec, want in (
        ({"template": template}, {"template": clean}),
        ({"jobTemplate": {"spec": {"template": template}}}, {"jobTemplate": {"spec": {"template": clean}}}),
        (
            {"replicaSpecs": {"Worker": {"template": template}}},
            {"replicaSpecs": {"Worker": {"template": clean}}},
        ),
    ):
        assert cleaned(made("Any", copy.deepcopy(spec)))["spec"] == want


def job(**spec: Any) -> dict[str, Any]:
    labels = {"controller-uid": "1", "job-name": "web", "app": "web"}
    return made(
        "Job",
        {
            "selector": {"matchLabels": {"controller-uid": "1"}},
            "template": {"metadata": {"labels": dict(labels)}, "spec": {"containers": [container()]}},
            **spec,
        },
        labels=dict(labels),
    )


def test_a_job_finds_its_pods_anew() -> None:
    got = cleaned(job())
    assert "selector" not in got["spec"]
    assert got["spec"]["template"]["metadata"]["labels"] == {"app": "web"}
    assert got["metadata"]["labels"] == {"app": "web"}


def test_a_job_with_a_selector_of_its_own_keeps_it() -> None:
    got = cleaned(job(manualSelector=True))
    assert got["spec"]["selector"] == {"matchLabels": {"controller-uid": "1"}}
    assert got["spec"]["template"]["metadata"]["labels"]["controller-uid"] == "1"


def test_a_replica_set_loses_the_hash_everywhere() -> None:
    labels = {"app": "web", "pod-template-hash": "5f9"}
    spec = {
        "selector": {"matchLabels": dict(labels)},
        "template": {"metadata": {"labels": dict(labels)}, "spec": {"containers": [container()]}},
    }
    got = cleaned(made("ReplicaSet", spec, labels=dict(labels)))
    assert "5f9" not in json.dumps(got)
    assert got["spec"]["selector"] == {"matchLabels": {"app": "web"}}


@pytest.mark.parametrize(
    ("kind", "spec", "want"),
    [
        ("Service", {"clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "ports": []}, {"ports": []}),
        ("Service", {"clusterIP": "None", "ports": []}, {"clusterIP": "None", "ports": []}),
        ("PersistentVolumeClaim", {"volumeName": "pv-1", "accessModes": []}, {"accessModes": []}),
    ],
)
def test_what_belongs_to_one_cluster(kind: str, spec: dict[str, Any], want: dict[str, Any]) -> None:
    assert cleaned(made(kind, spec))["spec"] == want


@pytest.mark.parametrize(
    "odd", [{}, {"spec": None}, {"spec": []}, {"metadata": None}, {"spec": {"template": 1}}]
)
def test_odd_objects_are_no_trouble(odd: dict[str, Any]) -> None:
    assert cleaned({"kind": "Odd", **odd})["kind"] == "Odd"


def test_the_text_is_the_object() -> None:
    for pod in (*pods.VKE, *pods.ACK, *pods.TKE):
        assert yaml.safe_load(as_yaml(pod)) == cleaned(pod)


def test_a_number_that_the_server_printed_is_written_in_digits() -> None:
    """A quantity of 6000 is printed as 6k (k8s.io/apimachinery, ``resource.Quantity``)."""
    limits = {"nvidia.com/gpu": "1", "nvidia.com/gpumem": "6k", "example.com/x": "6k", "cpu": "2k"}
    got = cleaned(made("Pod", {"containers": [container(resources={"limits": limits, "requests": limits})]}))
    [one] = got["spec"]["containers"]
    assert one["resources"] == {"limits": {**limits, "nvidia.com/gpumem": "6000"}} | {
        "requests": {**limits, "nvidia.com/gpumem": "6000"}
    }
