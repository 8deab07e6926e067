"""The real server itself: who may do what, nodes and pods as made, and what it takes and refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from . import nodes, pods
from .conftest import TwoClusters
from .server.build import VERSION, given_server
from .server.cluster import Cluster

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(given_server() is not None, reason="the server is a given one")
def test_the_server_is_the_one_that_was_built(cluster: Cluster) -> None:
    said = json.loads(cluster.kubectl("get", "--raw", "/version").stdout)
    assert said["gitVersion"].startswith(VERSION)


@pytest.mark.parametrize(
    ("user", "arguments", "problem"),
    [
        ("admin", "get nodes", None),
        ("admin", "create configmap admin --dry-run=server", None),
        ("admin-token", "get secrets", None),
        ("viewer", "get nodes", None),
        ("viewer", "get deployments,pods,jobs -A", None),
        ("viewer", "create configmap viewer", 'User "viewer" cannot create resource "configmaps"'),
        ("viewer", "get secrets", 'User "viewer" cannot list resource "secrets"'),
        ("plugin", "get pods", None),
        ("plugin", "delete pod web", 'User "plugin" cannot delete resource "pods"'),
        ("nobody", "get pods", 'User "nobody" cannot list resource "pods"'),
        ("expired", "get pods", "You must be logged in to the server"),
        ("plugin-broken", "get pods", "cannot log in: session is over"),
    ],
)
def test_rights(cluster: Cluster, user: str, arguments: str, problem: str | None) -> None:
    done = cluster.kubectl(*arguments.split(), user=user, check=False)
    assert (done.returncode == 0) == (problem is None), done.stderr
    assert (problem or "") in done.stderr


def test_nodes_are_what_the_test_says(clean_cluster: Cluster) -> None:
    clean_cluster.add_nodes(nodes.ALL)
    found = {one["metadata"]["name"]: one for one in _items(clean_cluster, "nodes")}
    assert set(found) == {one["metadata"]["name"] for one in nodes.ALL}
    for node in nodes.ALL:
        got = found[node["metadata"]["name"]]
        assert got["status"]["allocatable"] == node["status"]["allocatable"]
        assert got["metadata"]["labels"] == node["metadata"]["labels"]
        assert got["status"]["conditions"][0]["status"] == node["status"]["conditions"][0]["status"]
        assert got["spec"] == node["spec"]  # so no taint for not being ready


def test_a_node_changes_its_status(clean_cluster: Cluster) -> None:
    clean_cluster.add_nodes([nodes.vke("one")])
    key = "vke.volcengine.com/mgpu-core"
    clean_cluster.set_node_status("one", {"allocatable": {key: "100", "nvidia.com/gpu": "1"}})
    [node] = _items(clean_cluster, "nodes")
    assert (node["status"]["allocatable"][key], node["status"]["capacity"][key]) == ("100", "200")
    assert node["status"]["allocatable"]["nvidia.com/gpu"] == "1"


def test_pods_run_where_the_scheduler_put_them(clean_cluster: Cluster) -> None:
    clean_cluster.add_pods(pods.ALL)
    found = {one["metadata"]["name"]: one for one in _items(clean_cluster, "pods")}
    for pod in pods.ALL:
        got = found.pop(pod["metadata"]["name"])
        assert got["spec"].get("nodeName") == pod["spec"].get("nodeName")
        assert got["status"]["phase"] == pod["status"]["phase"]
        assert got["metadata"].get("annotations", {}) == pod["metadata"]["annotations"]
    assert not found


def test_apply_and_clear(clean_cluster: Cluster) -> None:
    deployment = _workload("apps/v1", "Deployment", pods.qgpu(30, 5))
    job = _workload("batch/v1", "Job", pods.gpushare(4))
    clean_cluster.apply([deployment, job])
    names = clean_cluster.kubectl("get", "deployments,jobs", "-o", "name").stdout.split()
    assert names == ["deployment.apps/web", "job.batch/web"]
    clean_cluster.clear()
    assert clean_cluster.kubectl("get", "deployments,jobs,pods,nodes", "-o", "name").stdout == ""


def test_two_clusters_in_one_kubeconfig(two_clusters: TwoClusters) -> None:
    two_clusters.ack.add_nodes([nodes.ack("a", "cgpu")])
    two_clusters.tke.add_nodes([nodes.tke("t")])
    assert two_clusters.kubectl("get", "nodes", "-o", "name") == "node/a\n"
    assert two_clusters.kubectl("get", "nodes", "-o", "name", "--context", "tke") == "node/t\n"


# Nothing is left running.

STARTER = """
import time
from tests.e2e.server.cluster import Cluster
with Cluster("left") as cluster:
    print(*cluster.pids, cluster.folder, flush=True)
    time.sleep(60)
"""


@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_running(tmp_path: Path, number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STARTER],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(tmp_path)},  # what SIGKILL leaves behind goes with it
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as child:
        assert child.stdout
        *pids, folder = child.stdout.readline().split()
        assert len(pids) == 2
        assert all(_runs(int(pid)) for pid in pids)
        child.send_signal(number)
        child.wait(timeout=20)
    end = time.monotonic() + 10
    while any(_runs(int(pid)) for pid in pids) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(_runs(int(pid)) for pid in pids)
    if number is signal.SIGINT:
        assert not Path(folder).exists()


def _runs(pid: int) -> bool:
    """Whether the process runs; one that is over and not yet collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def _items(cluster: Cluster, kind: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = json.loads(cluster.kubectl("get", kind, "-o", "json").stdout)["items"]
    return items


def _workload(api: str, kind: str, limits: pods.Limits) -> dict[str, Any]:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": pods.pod("web", None, limits)["spec"] | ({"restartPolicy": "Never"} if kind == "Job" else {}),
    }
    selector = {} if kind == "Job" else {"selector": {"matchLabels": {"app": "web"}}}
    return {
        "apiVersion": api,
        "kind": kind,
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"template": template, **selector},
    }
