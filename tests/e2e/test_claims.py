"""What gpuxlate writes as claims, on a real scheduler: the share is what is allocated.

Needs resource.k8s.io/v1, so Kubernetes 1.34 or later, with DRAConsumableCapacity on (by default from 1.36):
GPUXLATE_APISERVER, GPUXLATE_ETCD, GPUXLATE_SCHEDULER and GPUXLATE_CONTROLLER_MANAGER name the programs.
The node and its card are objects that no kubelet stands behind: pods are bound and never start.
"""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.claims.test_translated import DEPLOYMENT

from .server.cluster import Cluster
from .server.process import Process

API = "/apis/resource.k8s.io/v1"
PROGRAMS = {"kube-scheduler": "GPUXLATE_SCHEDULER", "kube-controller-manager": "GPUXLATE_CONTROLLER_MANAGER"}
BOUND_SECONDS = 120
"""A busy machine takes long to start three servers; binding takes a second."""

CARD = 24 * 1024
"""MiB of each card."""
NODE = Path(__file__).with_name("claims.yaml")


@pytest.fixture(scope="module")
def scheduled(tmp_path_factory: pytest.TempPathFactory, cluster: Cluster) -> Iterator[Cluster]:
    """The server with a scheduler and controllers, a node and two cards."""
    served = {one["name"] for one in json.loads(cluster.kubectl("get", "--raw", "/apis").stdout)["groups"]}
    version = json.loads(cluster.kubectl("get", "--raw", "/version").stdout)["gitVersion"]
    if "resource.k8s.io" not in served or cluster.kubectl("get", "--raw", API, check=False).returncode:
        pytest.skip(f"{version} has no resource.k8s.io/v1: name a newer server in GPUXLATE_APISERVER")
    programs = {name: os.environ.get(variable) for name, variable in PROGRAMS.items()}
    if not all(programs.values()):
        pytest.skip(f"no scheduler: name the programs in {', '.join(PROGRAMS.values())}")
    folder = tmp_path_factory.mktemp("scheduler")
    kubeconfig = cluster.environment()["KUBECONFIG"]
    running = [
        Process(command(str(program), name, kubeconfig, folder), folder / f"{name}.log")
        for name, program in programs.items()
    ]
    try:
        cluster.apply(yaml.safe_load(NODE.read_text()))
        ready = {"conditions": [{"type": "Ready", "status": "True", "reason": "Test", "message": ""}]}
        amounts = {"cpu": "64", "memory": "256Gi", "pods": "110"}
        status = {"status": {**ready, "allocatable": amounts, "capacity": amounts}}
        patch = ("patch", "node", "n1", "--type=merge", "-p")
        cluster.kubectl(*patch, json.dumps(status), "--subresource=status")
        # without the taint "not ready", which the server adds to a new node
        cluster.kubectl(*patch, '{"spec": {"taints": []}}')
        cluster.kubectl("create", "namespace", "ml")
        yield cluster
    finally:
        for one in running:
            one.stop()


def command(program: str, name: str, kubeconfig: str, folder: Path) -> list[str]:
    common = [program, f"--kubeconfig={kubeconfig}", "--leader-elect=false", "--secure-port=0"]
    if name == "kube-scheduler":
        return common + [f"--{what}-kubeconfig={kubeconfig}" for what in ("authentication", "authorization")]
    wanted = ("deployment-controller", "replicaset-controller", "resourceclaim-controller")
    return [*common, f"--controllers={','.join(wanted)}", f"--cert-dir={folder}"]


def claims(cluster: Cluster, count: int) -> list[dict[str, Any]]:
    """The allocated claims of the namespace, when there are so many."""
    end = time.monotonic() + BOUND_SECONDS
    while True:
        found = json.loads(cluster.kubectl("get", "resourceclaims", "-n", "ml", "-o", "json").stdout)["items"]
        allocated = [one for one in found if one.get("status", {}).get("allocation")]
        if len(allocated) == count:
            return allocated
        assert time.monotonic() < end, f"{len(allocated)} of {count} claims are allocated, of {len(found)}"
        time.sleep(0.5)


def results(one: dict[str, Any]) -> list[tuple[str, dict[str, str]]]:
    found = one["status"]["allocation"]["devices"]["results"]
    return [(result["device"], result["consumedCapacity"]) for result in found]


def shown_by_the_plugin(cluster: Cluster, found: list[dict[str, Any]], path: str) -> None:
    """``nodes`` and ``capacity`` on the real server: what is left of each card, and who has it."""

    def asked(*words: str) -> dict[str, Any]:
        done = cluster.plugin(*words, "-o", "json")
        assert done.returncode in (0, 1), done.stderr
        return dict(json.loads(done.stdout))

    [node] = asked("nodes")["items"]
    used = 2 * (4096 + 2 * 3000)
    assert (node["target"], node["cards"], node["cardMiB"]) == ("dra-hami", 2, CARD)
    assert node["free"] == {"cores": 200 - 2 * 30, "memoryMiB": 2 * CARD - used, "cards": 0}
    capacity = asked("capacity")
    [shown], [room] = capacity["nodes"], capacity["targets"]
    wanted: dict[str, list[tuple[str, int, int]]] = {"gpu-0": [], "gpu-1": []}
    for one in found:
        [user] = one["status"]["reservedFor"]
        for device, consumed in results(one):
            memory = {"4Gi": 4096, "3000Mi": 3000}[consumed["memory"]]
            wanted[device].append((user["name"], int(consumed["cores"]), memory))
    held = [[(one["pod"], one["cores"], one["memoryMiB"]) for one in card["held"]] for card in shown["cards"]]
    assert [sorted(one) for one in held] == [sorted(wanted["gpu-0"]), sorted(wanted["gpu-1"])]
    assert (room["coresFree"], room["memoryFreeMiB"]) == (140, 2 * CARD - used)
    manifest = cluster.plugin("translate", path, "--to", "dra-hami")
    for replicas, verdict in ((2, "fits"), (12, "does not fit")):
        text = manifest.stdout.replace("replicas: 2", f"replicas: {replicas}")
        done = cluster.plugin("capacity", "-f", "-", "-o", "json", stdin=text)
        assert json.loads(done.stdout)["answer"]["verdict"] == verdict, done.stdout


def test_what_is_written_is_allocated(scheduled: Cluster, tmp_path: Path) -> None:
    """Two replicas of two containers: four claims on two cards, each consumed as the share says."""
    path = tmp_path / "deployment.yaml"
    path.write_text(DEPLOYMENT)
    done = scheduled.plugin("apply", "-f", str(path), "--to", "dra-hami")
    assert done.returncode == 0, done.stderr
    assert [line.partition(" ")[0] for line in done.stdout.splitlines()] == [
        "deployment/bert-serving",
        *(f"resourceclaimtemplate/bert-serving-gpu-{name}" for name in ("server", "side")),
    ]
    found = claims(scheduled, 4)
    by_claim: dict[str, list[list[tuple[str, dict[str, str]]]]] = {}
    for one in found:
        name = one["metadata"]["annotations"]["resource.kubernetes.io/pod-claim-name"]
        by_claim.setdefault(name, []).append(results(one))
    assert {name: len(each) for name, each in by_claim.items()} == {"gpu-server": 2, "gpu-side": 2}
    for [(_, consumed)] in by_claim["gpu-server"]:
        assert consumed == {"cores": "30", "memory": "4Gi"}
    for several in by_claim["gpu-side"]:
        assert sorted(device for device, _ in several) == ["gpu-0", "gpu-1"]  # not both on one
        assert [consumed for _, consumed in several] == [{"cores": "0", "memory": "3000Mi"}] * 2
    pods = json.loads(scheduled.kubectl("get", "pods", "-n", "ml", "-o", "json").stdout)["items"]
    assert [one["spec"]["nodeName"] for one in pods] == ["n1"] * 2
    cards = {str(n): [device for device, _ in results(one)] for n, one in enumerate(found)}
    assert max(sum(f"gpu-{n}" in each for each in cards.values()) for n in (0, 1)) >= 2  # shares of one card
    shown_by_the_plugin(scheduled, found, str(path))
    gone = ("delete", "deployment", "-n", "ml", "bert-serving")
    scheduled.kubectl(*gone, "--cascade=foreground", "--wait=false")
