"""What words mean which live objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from gpuxlate.cluster.resources import DEFAULT, kind_of, objects, selected
from gpuxlate.cluster.server import ClusterError, MissingError

Json = dict[str, Any]

GROUPS = {
    "groups": [
        {"name": "apps", "preferredVersion": {"groupVersion": "apps/v1"}},
        {"name": "gone.example.com", "preferredVersion": {"groupVersion": "gone.example.com/v1"}},
        {"name": "kubeflow.org", "preferredVersion": {"groupVersion": "kubeflow.org/v1"}},
        {"name": "serving.kserve.io", "preferredVersion": {"groupVersion": "serving.kserve.io/v1beta1"}},
    ]
}


def row(name: str, kind: str, *short: str, verbs: tuple[str, ...] = ("get", "list")) -> Json:
    return {
        "name": name,
        "kind": kind,
        "singularName": kind.lower(),
        "shortNames": list(short),
        "namespaced": True,
        "verbs": list(verbs),
    }


def item(name: str, owner: str | None = None, namespace: str = "ml") -> Json:
    owners = [{"kind": owner, "name": "x", "controller": True}] if owner else []
    return {"metadata": {"name": name, "namespace": namespace, "ownerReferences": owners}}


class Server:
    """Answers by path; an answer that is a list of lists is pages."""

    namespace = "ml"

    def __init__(self, **lists: list[list[Json]]) -> None:
        self.asked: list[str] = []
        self.selectors: set[str | None] = set()
        self.lists = {path.replace("__", "/"): pages for path, pages in lists.items()}
        self.single: dict[str, Json] = {
            "/apis": GROUPS,
            "/api/v1": {
                "resources": [row("pods", "Pod", "po"), row("pods/log", "Pod"), row("services", "Service")]
            },
            "/apis/apps/v1": {"resources": [row("deployments", "Deployment", "deploy")]},
            "/apis/kubeflow.org/v1": {
                "resources": [
                    row("pytorchjobs", "PyTorchJob"),
                    row("notebooks", "Notebook", verbs=("create",)),
                ]
            },
            "/apis/serving.kserve.io/v1beta1": {
                "resources": [row("inferenceservices", "InferenceService", "isvc")]
            },
        }

    def get(self, path: str, **_query: Any) -> Json:
        self.asked.append(path)
        if path not in self.single:
            raise MissingError(f"{path}: not found")
        return self.single[path]

    def pages(self, path: str, *, selector: str | None = None, **_limit: int) -> Iterator[list[Json]]:
        self.asked.append(path)
        self.selectors.add(selector)
        if path not in self.lists:
            raise MissingError(f"{path}: not found")
        for page in self.lists[path]:
            yield [dict(one) for one in page]

    def apply(self, *_a: Any, **_k: Any) -> Json:
        raise AssertionError

    def version(self) -> str:
        raise AssertionError

    def exec(self, *_a: Any) -> str:
        raise AssertionError


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("deploy", "Deployment"),
        ("deployment", "Deployment"),
        ("Deployments", "Deployment"),
        ("deployments.apps", "Deployment"),
        ("deploy.v1.apps", "Deployment"),
        ("sts", "StatefulSet"),
        ("ds", "DaemonSet"),
        ("jobs", "Job"),
        ("job.batch", "Job"),
        ("cj", "CronJob"),
        ("po", "Pod"),
        ("pod.v1", "Pod"),
        ("rs", "ReplicaSet"),
        ("rc", "ReplicationController"),
    ],
)
def test_kinds_of_kubernetes_ask_nobody(word: str, kind: str) -> None:
    server = Server()
    assert kind_of(server, word).kind == kind
    assert server.asked == []


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("svc/x", None),
        ("services", "/api/v1/namespaces/ml/services"),
        ("pytorchjob", "/apis/kubeflow.org/v1/namespaces/ml/pytorchjobs"),
        ("isvc", "/apis/serving.kserve.io/v1beta1/namespaces/ml/inferenceservices"),
        (
            "inferenceservices.serving.kserve.io",
            "/apis/serving.kserve.io/v1beta1/namespaces/ml/inferenceservices",
        ),
        ("isvc.v1beta1.serving.kserve.io", "/apis/serving.kserve.io/v1beta1/namespaces/ml/inferenceservices"),
        ("isvc.v9.serving.kserve.io", None),
        ("isvc.apps", None),
        ("notebooks", None),  # cannot be listed
        ("log", None),
    ],
)
def test_other_kinds_are_looked_up(word: str, path: str | None) -> None:
    server = Server()
    if path is None:
        with pytest.raises(ClusterError, match="no such file, and the cluster has no such kind"):
            kind_of(server, word)
    else:
        assert kind_of(server, word).path("ml") == path


def test_a_group_that_is_named_is_the_only_one_asked() -> None:
    server = Server()
    kind_of(server, "isvc.serving.kserve.io")
    assert server.asked == ["/apis", "/apis/serving.kserve.io/v1beta1"]


def test_a_misspelt_kind_is_told() -> None:
    with pytest.raises(ClusterError) as caught:
        kind_of(Server(), "deploymnt")
    assert caught.value.hint == "did you mean deployments?"


@pytest.mark.parametrize(
    ("words", "want"),
    [
        ("deploy/web", [("Deployment", "web")]),
        ("deploy/web sts/db deploy/web", [("Deployment", "web"), ("StatefulSet", "db")]),
        ("deploy web db", [("Deployment", "web"), ("Deployment", "db")]),
        ("deploy,sts", [("Deployment", None), ("StatefulSet", None)]),
        ("deploy,deployments", [("Deployment", None)]),
        ("pods", [("Pod", None)]),
    ],
)
def test_words_as_kubectl_takes_them(words: str, want: list[tuple[str, str | None]]) -> None:
    assert [(one.kinds[0].kind, one.name) for one in selected(Server(), words.split())] == want


@pytest.mark.parametrize("words", [[], ["all"]])
def test_no_kind_is_all_that_holds_pods(words: list[str]) -> None:
    [one] = selected(Server(), words)
    assert one.kinds == DEFAULT
    assert [kind.short for kind in DEFAULT] == ["deploy", "sts", "ds", "job", "cronjob", "pod"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("deploy/web sts", "sts: write KIND/NAME for each"),
        ("deploy/", "neither a file nor KIND/NAME"),
        ("/web", "neither a file nor KIND/NAME"),
        ("a/b/c", "a/b/c: neither a file nor KIND/NAME"),
    ],
)
def test_words_that_cannot_be(words: str, problem: str) -> None:
    with pytest.raises(ClusterError, match=problem):
        selected(Server(), words.split())


APPS, BATCH, CORE = "__apis__apps__v1", "__apis__batch__v1", "__api__v1"


def test_objects_say_their_kind_and_come_page_by_page() -> None:
    server = Server(**{f"{APPS}__namespaces__ml__deployments": [[item("a")], [item("b")]]})
    found = list(objects(server, selected(server, ["deploy"]), selector="app=x"))
    assert [(one.name, one.named, one.object["apiVersion"], one.object["kind"]) for one in found] == [
        ("deploy/a", False, "apps/v1", "Deployment"),
        ("deploy/b", False, "apps/v1", "Deployment"),
    ]
    assert server.selectors == {"app=x"}


def everything() -> Server:
    owners = (None, "ReplicaSet", "Job", "StatefulSet", "Node", "PyTorchJob")
    return Server(
        **{
            f"{APPS}__deployments": [[item("web"), item("web", namespace="prod")]],
            f"{APPS}__statefulsets": [[]],
            f"{APPS}__daemonsets": [[]],
            f"{BATCH}__jobs": [[item("once"), item("tick-1", "CronJob")]],
            f"{CORE}__pods": [[item(f"pod-{owner}".lower(), owner) for owner in owners]],
        }
    )


@pytest.mark.parametrize(
    ("foreign", "pods"),
    [(True, ["ml/pod/pod-none", "ml/pod/pod-pytorchjob"]), (False, ["ml/pod/pod-none"])],
)
def test_everything_counts_each_share_once(foreign: bool, pods: list[str]) -> None:
    server = everything()
    found = objects(server, selected(server, []), all_namespaces=True, foreign_pods=foreign)
    assert [one.name for one in found] == ["ml/deploy/web", "prod/deploy/web", "ml/job/once", *pods]


def test_pods_that_are_asked_for_all_come() -> None:
    server = everything()
    found = list(objects(server, selected(server, ["pods"]), all_namespaces=True))
    assert len(found) == 6


def test_an_older_server_has_older_cron_jobs() -> None:
    server = Server(__apis__batch__v1beta1__namespaces__ml__cronjobs=[[item("tick")]])
    [found] = objects(server, selected(server, ["cj"]))
    assert (found.name, found.object["apiVersion"]) == ("cronjob/tick", "batch/v1beta1")
    server.single["/apis/batch/v1beta1/namespaces/ml/cronjobs/tick"] = item("tick")
    [found] = objects(server, selected(server, ["cj/tick"]))
    assert (found.named, found.object["apiVersion"]) == (True, "batch/v1beta1")


def test_a_kind_that_is_named_and_not_there_is_said() -> None:
    server = Server()
    with pytest.raises(MissingError):
        list(objects(server, selected(server, ["sts"])))
    assert list(objects(server, selected(server, []))) == []


def test_a_name_cannot_leave_its_place() -> None:
    server = Server()
    with pytest.raises(MissingError):
        list(objects(server, selected(server, ["deploy", "..%2f?x=1#y"])))
    assert server.asked == ["/apis/apps/v1/namespaces/ml/deployments/..%252f%3Fx%3D1%23y"]
    with pytest.raises(ClusterError, match="invalid name"):
        list(objects(server, selected(server, ["deploy/.."])))


@pytest.mark.parametrize(
    ("options", "problem"),
    [({"selector": "a=b"}, "a selector and a name"), ({"all_namespaces": True}, "is in one namespace")],
)
def test_a_name_goes_with_no_choice(options: Any, problem: str) -> None:
    server = Server()
    with pytest.raises(ClusterError, match=problem):
        list(objects(server, selected(server, ["deploy/web"]), **options))
