"""``kubectl gpuxlate`` on live objects of a real server, called by the real kubectl."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from . import pods
from .conftest import TwoClusters
from .server.cluster import Cluster

SCRIPTS = Path(sys.executable).parent
"""Where this environment has ``kubectl-gpuxlate``."""


def workload(
    name: str, limits: Mapping[str, int | str], *, kind: str = "Deployment", **template: Any
) -> dict[str, Any]:
    """A workload with one container; ``template`` adds to its pods' metadata."""
    pod = {
        "metadata": {"labels": {"app": name}, **template},
        "spec": {
            "containers": [
                {
                    "name": "main",
                    "image": pods.IMAGE,
                    "command": ["sh", "-c", "set -e\nexec serve\n"],
                    "env": [{"name": "VERBOSE", "value": "yes"}, {"name": "COUNT", "value": "1e3"}],
                    "resources": {"limits": {key: str(value) for key, value in limits.items()}},
                }
            ]
        },
    }
    spec: dict[str, Any] = {"template": pod}
    version = "apps/v1"
    if kind in ("Job", "CronJob"):
        pod["spec"]["restartPolicy"] = "Never"
        version = "batch/v1"
    else:
        spec["selector"] = {"matchLabels": {"app": name}}
    if kind == "CronJob":
        spec = {"schedule": "0 1 * * *", "jobTemplate": {"spec": spec}}
        version = "batch/v1beta1"
    if kind == "StatefulSet":
        spec["serviceName"] = name
        spec["volumeClaimTemplates"] = [
            {
                "metadata": {"name": "data"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
            }
        ]
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name, "namespace": "default", "labels": {"app": name}},
        "spec": spec,
    }


def plugin(environment: Mapping[str, str], *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """``kubectl gpuxlate`` with these words."""
    found = {**environment, "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    found.pop("GITHUB_ACTIONS", None)
    return subprocess.run(
        ["kubectl", "gpuxlate", *words], env=found, capture_output=True, text=True, input=stdin, timeout=120
    )


@pytest.fixture
def filled(clean_cluster: Cluster) -> Cluster:
    """Workloads of three dialects, one that breaks a rule, one without GPU, pods with and without owner."""
    clean_cluster.apply(
        [
            workload("web", pods.gpushare(4)),
            workload("bad", {"tke.cloud.tencent.com/qgpu-core": 33, "tke.cloud.tencent.com/qgpu-memory": 4}),
            workload("plain", {"cpu": 1}),
            workload("once", pods.mgpu(30, 4096), kind="Job"),
            workload("tick", pods.mgpu(30, 4096), kind="CronJob"),
            workload("db", pods.qgpu(20, 5), kind="StatefulSet"),
            workload("agent", pods.qgpu(20, 5), kind="DaemonSet"),
        ]
    )
    [uid] = [
        one["metadata"]["uid"]
        for one in clean_cluster.rest.call("GET", "/apis/apps/v1/namespaces/default/statefulsets")["items"]
    ]
    owned = pods.tke("db-0", "n1", pods.qgpu(20, 5), {"main": "0"})
    owned["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": uid, "controller": True}
    ]
    clean_cluster.add_pods([owned, pods.vke("alone", "n1", pods.mgpu(30, 4096), {"main": "0"})])
    return clean_cluster


def test_kubectl_lists_it(cluster: Cluster) -> None:
    environment = cluster.environment() | {"PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["kubectl", "plugin", "list"], env=environment, capture_output=True, text=True, timeout=60
    )
    assert f"{SCRIPTS}/kubectl-gpuxlate" in done.stdout.splitlines()
    assert "Usage: kubectl gpuxlate " in plugin(cluster.environment(), "--help").stdout


def test_kubectl_completes_it(two_clusters: TwoClusters) -> None:
    environment = two_clusters.environment | {"PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"}
    for words, want in (
        (["gpuxlate", "tra"], ["translate"]),
        (["gpuxlate", "lint", "--context", ""], ["ack", "tke"]),
    ):
        done = subprocess.run(
            ["kubectl", "__complete", *words], env=environment, capture_output=True, text=True, timeout=60
        )
        assert [line.partition("\t")[0] for line in done.stdout.splitlines()] == [*want, ":4"], done.stderr


def test_lint(filled: Cluster) -> None:
    done = plugin(filled.environment(), "lint", "-A", "--format", "json")
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert {one["file"] for one in found["diagnostics"] if one["severity"] == "error"} == {
        "default/deploy/bad"
    }
    # bad, web, plain, db, agent, once, tick, and the one pod that nobody owns
    assert found["summary"]["files"] == 8
    assert plugin(filled.environment(), "lint", "deploy/web", "sts/db").returncode == 0
    only = plugin(filled.environment(), "lint", "deploy", "-l", "app in (bad,web)", "--format", "json")
    assert json.loads(only.stdout)["summary"]["files"] == 2


def test_parse(filled: Cluster) -> None:
    done = plugin(filled.environment(), "parse", "deploy/web", "job/once", "sts", "-o", "json")
    assert done.returncode == 2  # kubectl's own rule: names, or a kind
    done = plugin(
        filled.environment(), "parse", "deploy/web", "job/once", "sts/db", "cronjob/tick", "-o", "json"
    )
    assert done.returncode == 0, done.stderr
    assert [one["metadata"]["name"] for one in json.loads(done.stdout)["items"]] == [
        "web",
        "once",
        "db",
        "tick",
    ]


def test_assess_and_inspect(filled: Cluster) -> None:
    done = plugin(filled.environment(), "assess", "-A", "--to", "vke", "-o", "json")
    assert done.returncode == 0, done.stderr
    verdicts = {one["file"]: one["verdict"] for one in json.loads(done.stdout)["items"]}
    assert verdicts["default/deploy/web"] == "filled"
    assert verdicts["default/sts/db"] == "exact"
    done = plugin(filled.environment(), "inspect", "-n", "default", "-o", "json")
    rows = {(one["kind"], one["name"]) for one in json.loads(done.stdout)["items"]}
    assert rows == {
        ("Deployment", "web"), ("Deployment", "bad"), ("StatefulSet", "db"), ("DaemonSet", "agent"),
        ("Job", "once"), ("CronJob", "tick"), ("Pod", "alone"),
    }  # fmt: skip


def test_a_viewer_may_and_nobody_may_not(filled: Cluster) -> None:
    done = plugin(filled.environment("viewer"), "inspect", "-A", "-o", "json")
    assert done.returncode == 0, done.stderr
    done = plugin(filled.environment("viewer"), "lint", "secrets")
    assert done.returncode == 3
    assert "user viewer may not list secrets in namespace default" in done.stderr
    done = plugin(filled.environment("nobody"), "inspect", "-A")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error: user nobody may not list deployments across the cluster\nhelp: ")


@pytest.mark.parametrize("user", ["admin", "admin-token", "viewer", "plugin"])
def test_every_way_to_log_in(filled: Cluster, user: str) -> None:
    done = plugin(filled.environment(user), "parse", "deploy/web")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("user", "problem"),
    [
        ("expired", "does not accept the credentials: they are expired, or of another cluster"),
        ("plugin-broken", "the credential plug-in credential-plugin-broken failed: exit code 1"),
    ],
)
def test_a_login_that_fails_is_one_line(cluster: Cluster, user: str, problem: str) -> None:
    done = plugin(cluster.environment(user), "lint", "-A")
    assert (done.returncode, done.stdout) == (3, "")
    assert problem in done.stderr.splitlines()[0]
    for secret in cluster.access.tokens.values():
        assert secret not in done.stderr


def test_what_is_not_there(cluster: Cluster) -> None:
    done = plugin(cluster.environment(), "lint", "deploy/nix")
    said = 'error: deployments "nix" in namespace default: not found\n'
    hint = "help: is it in another namespace? choose it with -n\n"
    assert (done.returncode, done.stderr) == (3, said + hint)


def test_pages_of_a_real_server(clean_cluster: Cluster) -> None:
    clean_cluster.create(pods.pod(f"p{n}", None, pods.mgpu(30, 4096)) for n in range(1100))
    done = plugin(clean_cluster.environment(), "inspect", "pods", "-o", "json")
    assert done.returncode == 0, done.stderr
    assert len({one["name"] for one in json.loads(done.stdout)["items"]}) == 1100


KINDS = ("deploy/web", "job/once", "cronjob/tick", "sts/db", "ds/agent", "pod/alone")


@pytest.mark.parametrize("one", KINDS)
def test_every_kind_is_applied_elsewhere_as_it_is_printed(
    two_clusters: TwoClusters, filled: Cluster, one: str
) -> None:
    assert filled is two_clusters.ack
    done = plugin(
        two_clusters.environment, "translate", one, "--context", "ack", "--to", "tke", "--fill", "cores=30",
        "--round", "up",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    two_clusters.kubectl("--context", "tke", "apply", "-f", "-", stdin=done.stdout)
    there = yaml.safe_load(two_clusters.kubectl("--context", "tke", "get", one, "-o", "yaml"))
    text = json.dumps(there)
    assert "tke.cloud.tencent.com/qgpu-core" in text
    assert "aliyun.com/" not in text.replace("last-applied", "")
    assert "vke.volcengine.com/" not in text
    for kept in ("set -e\\nexec serve\\n", '"yes"', '"1e3"'):
        assert one == "pod/alone" or kept in text
    assert "nodeName" not in text


def test_a_workload_moves_between_clouds(two_clusters: TwoClusters) -> None:
    two_clusters.ack.apply([workload("web", {**pods.gpushare(8, 30)})])
    environment = two_clusters.environment | {"PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"}
    line = "kubectl gpuxlate translate deploy/web --context ack --to tke | kubectl --context tke apply -f -"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "deployment.apps/web created" in done.stdout
    there = json.loads(two_clusters.kubectl("--context", "tke", "get", "deploy/web", "-o", "json"))
    [container] = there["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"] == {
        "tke.cloud.tencent.com/qgpu-core": "30",
        "tke.cloud.tencent.com/qgpu-memory": "8",
    }
    # and a second time it is what is there already
    again = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line], env=environment, capture_output=True, text=True, timeout=120
    )
    assert "deployment.apps/web unchanged" in again.stdout
