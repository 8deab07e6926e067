"""What words mean which live objects."""

from typing import Any

import pytest

from gpuxlate.cluster.resources import DEFAULT_KINDS, list_objects, resource_kind, selections_of
from gpuxlate.cluster.server import ClusterError, FailingError, MissingError
from tests.cluster.fake import FakeServer

Json = dict[str, Any]

KSERVE, KUBEFLOW = "serving.kserve.io/v1beta1", "kubeflow.org/v1"
VERSIONS = ("apps/v1", "gone.example.com/v1", KUBEFLOW, KSERVE)
GROUPS = [{"name": one.partition("/")[0], "preferredVersion": {"groupVersion": one}} for one in VERSIONS]


def row(name: str, kind: str, *short: str, verbs: tuple[str, ...] = ("get", "list")) -> Json:
    names = {"name": name, "kind": kind, "singularName": kind.lower(), "shortNames": list(short)}
    return {**names, "namespaced": True, "verbs": list(verbs)}


def item(name: str, owner: str | None = None, namespace: str = "ml", **labels: str) -> Json:
    owners = [{"kind": owner, "name": "x", "controller": True}] if owner else []
    return {"metadata": {"name": name, "namespace": namespace, "ownerReferences": owners, "labels": labels}}


def serving(lists: dict[str, list[Json]] | None = None) -> FakeServer:
    """A server with these lists, and some kinds that Kubernetes does not have."""
    server = FakeServer()
    server.namespace = "ml"
    unlisted = row("notebooks", "Notebook", verbs=("create",))
    kinds = {
        "/api/v1": [row("pods", "Pod", "po"), row("pods/log", "Pod"), row("services", "Service")],
        "/apis/apps/v1": [row("deployments", "Deployment", "deploy")],
        f"/apis/{KUBEFLOW}": [row("pytorchjobs", "PyTorchJob"), unlisted],
        f"/apis/{KSERVE}": [row("inferenceservices", "InferenceService", "isvc")],
    }
    server.objects = {"/apis": {"groups": GROUPS}} | {path: {"resources": kinds[path]} for path in kinds}
    server.lists = dict(lists or {})
    return server


def asked(server: FakeServer) -> list[str]:
    return [path for _, path in server.requests]


def test_kinds_of_kubernetes_ask_nobody() -> None:
    kinds = {
        "Deployment": "deploy deployment Deployments deployments.apps deploy.v1.apps",
        "StatefulSet": "sts",
        "DaemonSet": "ds",
        "Job": "jobs job.batch",
        "CronJob": "cj",
        "Pod": "po pod.v1",
        "ReplicaSet": "rs",
        "ReplicationController": "rc",
    }
    server = serving()
    words = {word: kind for kind, words in kinds.items() for word in words.split()}
    assert {word: resource_kind(server, word).kind for word in words} == words
    assert asked(server) == []


def test_other_kinds_are_looked_up() -> None:
    isvc = f"/apis/{KSERVE}/namespaces/ml/inferenceservices"
    paths = {
        "services": "/api/v1/namespaces/ml/services",
        "pytorchjob": f"/apis/{KUBEFLOW}/namespaces/ml/pytorchjobs",
        "isvc": isvc,
        "inferenceservices.serving.kserve.io": isvc,
        "isvc.v1beta1.serving.kserve.io": isvc,
    }
    assert {word: resource_kind(serving(), word).path("ml") for word in paths} == paths


# notebooks cannot be listed
@pytest.mark.parametrize("word", ["svc/x", "isvc.v9.serving.kserve.io", "isvc.apps", "notebooks", "log"])
def test_a_kind_that_is_none(word: str) -> None:
    with pytest.raises(ClusterError, match="no such file, and the cluster has no such kind"):
        resource_kind(serving(), word)


def test_a_group_that_is_named_is_the_only_one_asked() -> None:
    server = serving()
    resource_kind(server, "isvc.serving.kserve.io")
    assert asked(server) == ["/apis", f"/apis/{KSERVE}"]


def test_a_group_that_fails_hides_no_other() -> None:
    """As in kubectl. A kind that no group has may be in the one that fails: that is said, and no guess."""
    server = serving()
    server.refused = {f"/apis/{KUBEFLOW}": FailingError("the server fails (503), after 4 tries")}
    assert resource_kind(server, "isvc").kind == "InferenceService"
    assert server.notes == [f"kinds of {KUBEFLOW} are left out: the server fails (503), after 4 tries"]
    for word in ("pytorchjob", "nix"):
        with pytest.raises(FailingError):
            resource_kind(server, word)


def test_a_misspelt_kind_is_told() -> None:
    with pytest.raises(ClusterError) as caught:
        resource_kind(serving(), "deploymnt")
    assert caught.value.hint == "did you mean deployments?"


def test_words_as_kubectl_takes_them() -> None:
    meant = {
        "deploy/web": [("Deployment", "web")],
        "deploy/web sts/db deploy/web": [("Deployment", "web"), ("StatefulSet", "db")],
        "deploy web db": [("Deployment", "web"), ("Deployment", "db")],
        "deploy,sts": [("Deployment", None), ("StatefulSet", None)],
        "deploy,deployments": [("Deployment", None)],
        "pods": [("Pod", None)],
    }
    found = {words: selections_of(serving(), words.split()) for words in meant}
    assert {words: [(one.kinds[0].kind, one.name) for one in found[words]] for words in meant} == meant


def test_no_kind_is_all_that_holds_pods() -> None:
    for words in ([], ["all"]):
        [one] = selections_of(serving(), words)
        assert one.kinds == DEFAULT_KINDS
    assert [kind.short for kind in DEFAULT_KINDS] == ["deploy", "sts", "ds", "job", "cronjob", "pod"]


# the others are in tests/errors/cases/11-live-objects.yaml
@pytest.mark.parametrize("words", ["deploy/", "/web"])
def test_words_that_cannot_be(words: str) -> None:
    with pytest.raises(ClusterError, match="neither a file nor KIND/NAME"):
        selections_of(serving(), [words])


APPS, BATCH, CORE = "/apis/apps/v1", "/apis/batch/v1", "/api/v1"


def test_objects_say_their_kind_and_come_page_by_page() -> None:
    there = [item(name, app="y" if name == "no" else "x") for name in ("a", "b", "no", "c")]
    server = serving({f"{APPS}/namespaces/ml/deployments": there})
    found = list(list_objects(server, selections_of(server, ["deploy"]), selector="app=x"))
    assert [(one.name, one.named, one.object["apiVersion"], one.object["kind"]) for one in found] == [
        (f"deploy/{name}", False, "apps/v1", "Deployment") for name in "abc"
    ]


def everything() -> FakeServer:
    owners = (None, "ReplicaSet", "Job", "StatefulSet", "Node", "PyTorchJob")
    return serving(
        {
            f"{APPS}/deployments": [item("web"), item("web", namespace="prod")],
            f"{APPS}/statefulsets": [],
            f"{APPS}/daemonsets": [],
            f"{BATCH}/jobs": [item("once"), item("tick-1", "CronJob")],
            f"{CORE}/pods": [item(f"pod-{owner}".lower(), owner) for owner in owners],
        }
    )


def test_everything_counts_each_share_once() -> None:
    for foreign, pods in ((True, ["ml/pod/pod-none", "ml/pod/pod-pytorchjob"]), (False, ["ml/pod/pod-none"])):
        server = everything()
        found = list_objects(server, selections_of(server, []), all_namespaces=True, foreign_pods=foreign)
        assert [one.name for one in found] == ["ml/deploy/web", "prod/deploy/web", "ml/job/once", *pods]
    # pods that are asked for all come
    assert len(list(list_objects(server, selections_of(server, ["pods"]), all_namespaces=True))) == 6


def test_an_older_server_has_older_cron_jobs() -> None:
    server = serving({"/apis/batch/v1beta1/namespaces/ml/cronjobs": [item("tick")]})
    [found] = list_objects(server, selections_of(server, ["cj"]))
    assert (found.name, found.object["apiVersion"]) == ("cronjob/tick", "batch/v1beta1")
    server.objects["/apis/batch/v1beta1/namespaces/ml/cronjobs/tick"] = item("tick")
    [found] = list_objects(server, selections_of(server, ["cj/tick"]))
    assert (found.named, found.object["apiVersion"]) == (True, "batch/v1beta1")


def test_a_kind_that_is_named_and_not_there_is_said() -> None:
    server = serving()
    with pytest.raises(MissingError):
        list(list_objects(server, selections_of(server, ["sts"])))
    assert list(list_objects(server, selections_of(server, []))) == []


def test_a_name_cannot_leave_its_place() -> None:
    server = serving()
    with pytest.raises(MissingError):
        list(list_objects(server, selections_of(server, ["deploy", "..%2f?x=1#y"])))
    assert asked(server) == ["/apis/apps/v1/namespaces/ml/deployments/..%252f%3Fx%3D1%23y"]


@pytest.mark.parametrize("words", [["pods"], []], ids=["pods", "all"])
def test_pods_that_have_ended_are_not_listed(words: list[str]) -> None:
    """They hold no GPU. What is asked for by its name is there."""
    phases = {"a": "Running", "b": "Succeeded", "c": "Failed", "d": "Pending"}
    listed = [{**item(name), "status": {"phase": phase}} for name, phase in phases.items()]
    server = serving({"/api/v1/pods": listed})
    found = list_objects(server, selections_of(server, words), all_namespaces=True)
    assert [one.name for one in found] == ["ml/pod/a", "ml/pod/d"]
