"""The real server itself: nodes and pods as made, what it takes and refuses, and that nothing is left."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from . import nodes, pods
from .server.build import VERSION, given_server
from .server.cluster import Cluster, Done

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(given_server() is not None, reason="the server is a given one")
def test_the_server_is_the_one_that_was_built(cluster: Cluster) -> None:
    said = json.loads(cluster.kubectl("get", "--raw", "/version").stdout)
    assert said["gitVersion"].startswith(VERSION)


def test_nodes_and_pods_are_what_the_test_says(clean_cluster: Cluster) -> None:
    clean_cluster.add_nodes(nodes.ALL)
    clean_cluster.add_pods(pods.ALL)
    found = _items(clean_cluster, "nodes")
    assert set(found) == {one["metadata"]["name"] for one in nodes.ALL}
    for node in nodes.ALL:
        got = found[node["metadata"]["name"]]
        assert got["status"]["allocatable"] == node["status"]["allocatable"]
        assert got["metadata"]["labels"] == node["metadata"]["labels"]
        assert got["status"]["conditions"][0]["status"] == node["status"]["conditions"][0]["status"]
        assert got["spec"] == node["spec"]  # so no taint for not being ready
    found = _items(clean_cluster, "pods")
    assert set(found) == {one["metadata"]["name"] for one in pods.ALL}
    for pod in pods.ALL:  # they run where the scheduler put them
        got = found[pod["metadata"]["name"]]
        assert got["spec"].get("nodeName") == pod["spec"].get("nodeName")
        assert got["status"]["phase"] == pod["status"]["phase"]
        assert got["metadata"].get("annotations", {}) == pod["metadata"]["annotations"]

    key = "vke.volcengine.com/mgpu-core"
    clean_cluster.set_node_status("vke-fixed", {"allocatable": {key: "100", "nvidia.com/gpu": "1"}})
    status = _items(clean_cluster, "nodes")["vke-fixed"]["status"]
    assert (status["allocatable"][key], status["capacity"][key]) == ("100", "200")
    assert status["allocatable"]["nvidia.com/gpu"] == "1"
    clean_cluster.clear()
    assert clean_cluster.kubectl("get", "deployments,jobs,pods,nodes", "-o", "name").stdout == ""


# --- what it takes and refuses, so that the linter knows what it adds ------------------------------------
# The same was measured on Kubernetes 1.32; 1.20 decides alike.

MEMORY = "vke.volcengine.com/mgpu-memory"
# the resources of a container, and why they are refused (None: they are taken)
VERDICTS: dict[str, tuple[str, str | None]] = {
    "whole number": ("limits: {M: 4096}", None),
    "string": ("limits: {M: '4096'}", None),
    "whole decimal": ("limits: {M: 30.0}", None),
    "exponent": ("limits: {M: 1e3}", None),
    "decimal suffix": ("limits: {M: 1k}", None),
    "binary suffix": ("limits: {M: 30Gi}", None),
    "zero": ("limits: {M: 0}", None),
    "equal requests": ("limits: {M: 4096}, requests: {M: 4096}", None),
    "the last of two equal keys": ("limits: {M: 1, M: 2}", None),
    "fraction": ("limits: {M: 0.5}", "must be an integer"),
    "milli": ("limits: {M: 500m}", "must be an integer"),
    "negative": ("limits: {M: -1}", "must be greater than or equal to 0"),
    "no number": ("limits: {M: abc}", "quantities must match"),
    "no quantity": ("limits: {M: 4GB}", "quantities must match|unable to parse quantity"),
    "other requests": ("limits: {M: 4096}, requests: {M: 2048}", "must be equal to"),
    "requests alone": ("requests: {M: 4096}", "Limit must be set"),
    "no domain": ("limits: {gpu-core: 30}", "must be a standard resource"),
    "requests prefix": ("limits: {requests.x.com/gpu: 1}", "doesn't follow extended resource name standard"),
    "an unknown field": ("limits: {M: 1}}, imagePullSecret: {a: b", 'unknown field "imagePullSecret"'),
}


def _tried(cluster: Cluster, resources: str, metadata: str = "name: probe") -> Done:
    container = f"{{name: main, image: x, resources: {{{resources.replace('M:', f'{MEMORY}:')}}}}}"
    pod = f"apiVersion: v1\nkind: Pod\nmetadata: {{{metadata}}}\nspec: {{containers: [{container}]}}\n"
    return cluster.kubectl("create", "--dry-run=server", "-o", "json", "-f", "-", stdin=pod, check=False)


@pytest.mark.parametrize(("resources", "problem"), VERDICTS.values(), ids=VERDICTS)
def test_a_verdict(cluster: Cluster, resources: str, problem: str | None) -> None:
    done = _tried(cluster, resources)
    if problem is not None:
        assert done.returncode == 1
        assert re.search(problem, done.stderr), done.stderr
        return
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)["spec"]["containers"][0]["resources"]
    assert got["requests"] == got["limits"]  # defaulted from the limits
    assert "M: 2" not in resources or got["limits"] == {MEMORY: "2"}


@pytest.mark.parametrize("kind", ["annotations", "labels"])
def test_an_integer_is_no_annotation(cluster: Cluster, kind: str) -> None:
    done = _tried(cluster, "limits: {M: 4096}", f"name: probe, {kind}: {{aliyun.com/gpu-count: 2}}")
    assert done.returncode == 1
    assert re.search('cannot unmarshal number|got "integer"', done.stderr), done.stderr


CLOUDS = ("volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu")


@pytest.mark.parametrize("cloud", CLOUDS)
def test_golden_files_are_accepted(cluster: Cluster, tmp_path: Path, cloud: str) -> None:
    """What translate and render write, in one call: kubectl names the file of each that is refused."""
    namespaces, count = set[str](), 0
    for path in (ROOT / "fixtures").glob(f"*/*/to-{cloud}.*"):
        text = path.read_text()
        found = [document for document in yaml.safe_load_all(text) if document]
        groups = [one["apiVersion"].rpartition("/")[0] for one in found]
        if all("." not in group or group.endswith(".k8s.io") for group in groups):  # no custom resource
            namespaces |= {one["metadata"]["namespace"] for one in found if "namespace" in one["metadata"]}
            # 1.20 knows CronJob as batch/v1beta1 only; its fields are the same
            old = (
                "batch/v1beta1" if re.search(r'^\s*"?kind"?: *"?CronJob', text, re.MULTILINE) else "batch/v1"
            )
            name = f"{path.parent.parent.name}-{path.parent.name}{path.suffix}"
            (tmp_path / name).write_text(text.replace("batch/v1", old))
            count += 1
    for name in namespaces:
        cluster.kubectl("create", "namespace", name, check=False)
    done = cluster.kubectl("create", "--dry-run=server", "-o", "name", "-f", str(tmp_path), check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) >= count > 10


# --- nothing is left running -----------------------------------------------------------------------------

STARTER = """
import time
from tests.e2e.server.cluster import Cluster
with Cluster("left") as cluster:
    print(*cluster.pids, cluster.folder, flush=True)
    time.sleep(60)
"""


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_running(tmp_path: Path, number: signal.Signals) -> None:
    env = os.environ | {"TMPDIR": str(tmp_path)}  # what SIGKILL leaves behind goes with it
    command, said = [sys.executable, "-c", STARTER], subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=said, stderr=subprocess.DEVNULL, text=True
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
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _items(cluster: Cluster, kind: str) -> dict[str, Any]:
    items = json.loads(cluster.kubectl("get", kind, "-o", "json").stdout)["items"]
    return {one["metadata"]["name"]: one for one in items}
