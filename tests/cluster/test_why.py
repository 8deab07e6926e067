"""``kubectl gpuxlate why``: each fault by its cause, with recorded states and events of a server."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.cluster.server import PODS_PATH, ClusterError, ForbiddenError
from gpuxlate.planning.nodes import Taint, Toleration
from tests.cluster.conftest import Run
from tests.cluster.fake import FakeServer
from tests.e2e import nodes, pods
from tests.schemas import validator
from tests.tables import read_table

CASES = read_table(__file__, "why.yaml")["cases"]
ROOT = Path(__file__).parents[2]
HERE = "/api/v1/namespaces/default"
LABELS = {"app": "web"}


def node(row: Mapping[str, Any]) -> dict[str, Any]:
    (kind, name), *more = row.items()
    options = dict(more)
    taints, capacity = options.pop("taints", None), options.pop("capacity", {})
    made = getattr(nodes, kind)(name, **options)
    if taints:
        made["spec"]["taints"] = taints
    made["status"]["capacity"] |= capacity
    return made


def pod(row: Mapping[str, Any]) -> dict[str, Any]:
    """The pod of a row: ready where it has a node and nothing else is said."""
    made = pods.pod(
        row.get("name", "web"),
        row.get("node"),
        row["limits"],
        labels=LABELS,
        annotations=row.get("annotations"),
        phase=row.get("phase", "Running"),
    )
    made["spec"] |= row.get("spec", {})
    made["status"] |= row.get("status", {})
    return made


def deployment(row: Mapping[str, Any]) -> dict[str, Any]:
    template = pod(row)
    spec = {
        "selector": {"matchLabels": LABELS},
        "template": {"metadata": {"labels": LABELS}, "spec": template["spec"]},
    }
    spec |= {name: row[name] for name in ("replicas",) if name in row}
    metadata = {"name": "web", "namespace": "default"}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}


def server_of(row: Mapping[str, Any]) -> FakeServer:
    running = [
        pods.vke(f"p{number}", where, pods.mgpu(cores, mib), {"main": str(card)})
        for number, (where, card, cores, mib) in enumerate(row.get("running", ()))
    ]
    own = [pod(one) for one in row.get("pods", [row["pod"]] if "pod" in row else [])]
    found = FakeServer([node(one) for one in row["nodes"]], [*running, *own])
    found.lists = {
        name if name.startswith("/") else f"{HERE}/{name}": items
        for name, items in row.get("lists", {}).items()
    }
    found.lists[f"{HERE}/pods"] = own
    name = own[0]["metadata"]["name"] if own else ""
    found.lists[f"{HERE}/events"] = [
        {
            "type": "Warning",
            "reason": reason,
            "message": message,
            "count": 1,
            "involvedObject": dict(zip(("kind", "name"), about or ("Pod", name), strict=True)),
        }
        for reason, message, *about in row.get("events", ())
    ]
    for path, body in row.get("objects", {}).items():
        found.objects[path if path.startswith("/") else f"{HERE}/{path}"] = body
    if "deployment" in row:
        found.objects["/apis/apps/v1/namespaces/default/deployments/web"] = deployment(row["deployment"])
    return found


def asked(row: Mapping[str, Any]) -> str:
    return "deploy/web" if "deployment" in row else "pod/web"


@pytest.mark.parametrize("row", CASES, ids=lambda row: row["name"])
def test_each_fault_by_its_cause(run: Run, row: dict[str, Any]) -> None:
    ran = run(server_of(row), f"why {asked(row)}")
    lines = [line.strip() for line in ran.out.splitlines()]
    missing = [text for text in row["says"] if not any(line.startswith(text) for line in lines)]
    assert (ran.code, missing, ran.err) == (row["exit"], [], ""), ran.out
    assert [line for line in lines for words in row.get("never", ()) if words in line] == []
    events = Counter(f"{reason}: {message}" for reason, message, *_ in row.get("events", ()))
    once = [
        f"{reason} x{n}:{text}" if n > 1 else f"{reason}:{text}"
        for (reason, text), n in ((event.split(":", 1), n) for event, n in events.items())
    ]
    assert [line.removeprefix("Warning ") for line in lines if line.startswith("Warning ")] == row.get(
        "printed", once
    )
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize("row", CASES, ids=lambda row: row["name"])
def test_json_keeps_its_schema(run: Run, row: dict[str, Any]) -> None:
    ran = run(server_of(row), f"why {asked(row)} -o json")
    data = json.loads(ran.out)
    assert list(validator("why").iter_errors(data)) == []
    assert (data["runs"] or data["fits"]) == (ran.code == 0)
    assert sum(one["nodes"] for one in data["keptOut"]) + len(data["fitting"]) in (0, data["nodes"])


@pytest.mark.parametrize("page", ["kubectl.md", "kubectl.zh.md"])
def test_the_page_shows_what_is_printed(run: Run, page: str) -> None:
    row = next(
        one for one in CASES if one["name"] == "nodes of another policy, full cards, and a cordoned node"
    )
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert f"$ kubectl gpuxlate why pod/web\n{run(server_of(row), 'why pod/web').out}```\n" in text


def test_nothing_of_it_is_changed_and_a_pod_that_runs_asks_for_no_node(run: Run) -> None:
    server = server_of(CASES[0])
    run(server, "why pod/web")
    assert {kind for kind, _ in server.requests} == {"get", "list"}
    assert [path for kind, path in server.requests if kind == "list"] == [f"{HERE}/events"]


WRONG = {
    "pods": (2, "error: name one object\nhelp: write pod/NAME or deploy/NAME\n"),
    "pod/a pod/b": (2, "error: name one object\nhelp: write pod/NAME or deploy/NAME\n"),
    "configmaps/a": (2, "error: configmap/a makes no pods\nhelp: write pod/NAME or deploy/NAME\n"),
    "pod/gone": (3, f"error: {HERE}/pods/gone: not found\n"),
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_not_there(run: Run, words: str) -> None:
    server = server_of(CASES[0])
    kind = {"name": "configmaps", "kind": "ConfigMap", "namespaced": True, "verbs": ["get", "list"]}
    server.objects |= {"/apis": {"groups": []}, "/api/v1": {"resources": [kind]}}
    server.objects[f"{HERE}/configmaps/a"] = {"metadata": {"name": "a"}}
    ran = run(server, f"why {words}")
    assert (ran.code, ran.out, ran.err) == (WRONG[words][0], "", WRONG[words][1])


def test_a_cluster_that_does_not_answer(run: Run) -> None:
    server = server_of(CASES[1])
    server.refused[PODS_PATH] = ClusterError(
        "https://a did not answer within 30 s", "set a longer --request-timeout"
    )
    ran = run(server, "why pod/web")
    assert (ran.code, ran.out, ran.err.count("\n")) == (3, "", 2)


def test_events_that_may_not_be_read_are_noted(run: Run) -> None:
    server = server_of(CASES[1])
    server.refused[f"{HERE}/events"] = ForbiddenError("user a may not list events in namespace default")
    assert run(server, "why pod/web").code == 0
    assert server.notes == ["user a may not list events in namespace default"]


TEXTS = st.sampled_from(["", "a", "b"])


@given(
    st.builds(Taint, st.sampled_from(["a", "b"]), TEXTS, st.sampled_from(["NoSchedule", "NoExecute"])),
    st.builds(
        Toleration,
        TEXTS,
        st.sampled_from(["", "Equal", "Exists"]),
        TEXTS,
        st.sampled_from(["", "NoSchedule", "NoExecute"]),
    ),
)
def test_a_toleration_is_read_as_kubernetes_does(taint: Taint, toleration: Toleration) -> None:
    """k8s.io/api/core/v1/toleration.go at 1.31, ToleratesTaint, written again."""
    effect = not toleration.effect or toleration.effect == taint.effect
    key = not toleration.key or toleration.key == taint.key
    # an empty key without Exists is not valid, and matches nothing that the API server lets pass
    value = toleration.operator == "Exists" or (toleration.key != "" and toleration.value == taint.value)
    assert toleration.covers(taint) == (effect and key and value)
