"""nodes, capacity, preflight and apply on the real server, through the real kubectl."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from . import nodes, pods
from .server.cluster import Cluster, run_kubectl

BIN = Path(sys.executable).parent
"""Where the plug-in stands, beside the Python that runs the tests."""

WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example.com/web:1
        resources:
          limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}
"""


def plugin(
    cluster: Cluster, *arguments: str, user: str = "admin", stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """``kubectl gpuxlate`` with these arguments."""
    environment = cluster.environment(user)
    environment["PATH"] = f"{BIN}{os.pathsep}{environment['PATH']}"
    return run_kubectl(["gpuxlate", *arguments], environment, stdin=stdin, check=False)


def said(done: subprocess.CompletedProcess[str], code: int = 0) -> Any:
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def fleet(clean_cluster: Cluster) -> Cluster:
    """Nodes and pods of every vendor."""
    clean_cluster.add_nodes(nodes.ALL)
    clean_cluster.add_pods(pods.ALL)
    return clean_cluster


def test_nodes(fleet: Cluster) -> None:
    items = {one["name"]: one for one in said(plugin(fleet, "nodes", "-o", "json"))["items"]}
    assert items["vke-fixed"]["free"] == {"cores": 90, "memoryMiB": 30102, "cards": None}
    assert items["ack-core-mem"]["target"] == "alibaba-gpushare"
    assert items["ack-core-mem"]["unitMiB"] == 1024
    assert items["tke-fs"]["policy"] == "fixed-share"
    assert items["whole-1"]["serves"] == "whole cards"
    assert items["hami-1"]["free"] == {"cores": 170, "memoryMiB": 27218, "cards": 1}
    assert "cpu-1" not in items
    assert "note: ack-cordoned: it is cordoned" in plugin(fleet, "nodes").stderr


def test_capacity(fleet: Cluster) -> None:
    found = {one["name"]: one for one in said(plugin(fleet, "capacity", "-o", "json"))["nodes"]}
    assert [one["memoryMiB"] for one in found["vke-native"]["cards"]] == [22731, 0, 4096, 4096]
    assert [one["memoryMiB"] for one in found["ack-cgpu"]["cards"]] == [0, 4096, 4096, 4096]
    assert [one["cores"] for one in found["tke-fixed"]["cards"]] == [100, 80]
    assert [one["pod"] for one in found["vke-fixed"]["notPlaced"]] == ["vke-no-record"]


@pytest.mark.parametrize(
    ("count", "code", "verdict"),
    # two empty cards of vke-unlabelled hold three each; the two of vke-fixed are not known for sure
    [(6, 0, "fits"), (7, 1, "cannot be told"), (20, 1, "does not fit")],
)
def test_would_it_fit(fleet: Cluster, count: int, code: int, verdict: str) -> None:
    done = plugin(fleet, "capacity", "-f", "-", "-o", "json", stdin=WEB % count)
    assert said(done, code)["answer"]["verdict"] == verdict


def test_a_profile_is_one_that_lint_takes(fleet: Cluster, tmp_path: Path) -> None:
    done = plugin(fleet, "nodes", "-o", "profile", "--to", "tke")
    assert done.returncode == 0, done.stderr
    profile = tmp_path / "profile.yaml"
    profile.write_text(done.stdout)
    done = plugin(fleet, "lint", "-", "--profile", str(profile), stdin=WEB % 1)
    assert done.returncode == 0, done.stderr


def test_preflight(clean_cluster: Cluster) -> None:
    clean_cluster.add_nodes([nodes.tke("a"), nodes.tke("b", version="2.0.0")])
    item = said(plugin(clean_cluster, "preflight", "--to", "tke", "-o", "json"))["items"][0]
    module = next(one for one in item["points"] if "kernel module" in one["what"])
    assert (module["state"], module["met"]) == ("met", ["a"])
    assert module["notMet"] == [{"node": "b", "found": "2.0.0"}]
    done = plugin(clean_cluster, "preflight", "--to", "vke")
    assert done.returncode == 1
    assert "one that serves volcengine-mgpu" in done.stdout


def test_apply(clean_cluster: Cluster) -> None:
    clean_cluster.add_nodes([nodes.tke("a")])
    done = plugin(clean_cluster, "apply", "-f", "-", "--dry-run=server", stdin=WEB % 2)
    assert (done.returncode, done.stdout) == (0, "deployment/web created (server dry run)\n"), done.stderr
    assert clean_cluster.kubectl("get", "deploy", "-o", "name").stdout == ""

    done = plugin(clean_cluster, "apply", "-f", "-", stdin=WEB % 2)
    assert (done.returncode, done.stdout) == (0, "deployment/web serverside-applied\n"), done.stderr
    live = json.loads(
        clean_cluster.kubectl("get", "deploy", "web", "-o", "json", "--show-managed-fields").stdout
    )
    container = live["spec"]["template"]["spec"]["containers"][0]
    assert container["resources"]["limits"] == {
        "tke.cloud.tencent.com/qgpu-core": "30",
        "tke.cloud.tencent.com/qgpu-memory": "4",
    }
    assert [one["manager"] for one in live["metadata"]["managedFields"]] == ["gpuxlate"]

    done = plugin(clean_cluster, "apply", "-f", "-", "--dry-run=server", stdin=WEB % 2)
    assert done.stdout == "deployment/web unchanged (server dry run)\n"
    done = plugin(clean_cluster, "apply", "-f", "-", "--diff", stdin=WEB % 3)
    assert "-  replicas: 2\n+  replicas: 3\n" in done.stdout


def test_a_conflict_is_shown_not_forced(clean_cluster: Cluster) -> None:
    clean_cluster.add_nodes([nodes.vke("a")])
    theirs = (WEB % 2).replace("mgpu-core: 30", 'mgpu-core: "30"').replace("4096", '"4096"')
    clean_cluster.kubectl("apply", "--server-side", "--field-manager=team", "-f", "-", stdin=theirs)
    other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: beside}\n---\n"
    done = plugin(clean_cluster, "apply", "-f", "-", stdin=other + WEB % 5)
    assert (done.returncode, done.stdout) == (3, "")
    assert "team owns .spec.replicas" in done.stderr
    assert clean_cluster.kubectl("get", "configmap", "beside", check=False).returncode == 1
    done = plugin(clean_cluster, "apply", "-f", "-", "--force-conflicts", stdin=WEB % 5)
    assert done.returncode == 0, done.stderr
    assert clean_cluster.kubectl("get", "deploy", "web", "-o", "jsonpath={.spec.replicas}").stdout == "5"


def test_a_viewer_may_look_and_not_apply(fleet: Cluster) -> None:
    assert plugin(fleet, "nodes", user="viewer").returncode == 0
    assert plugin(fleet, "capacity", user="viewer").returncode == 0
    done = plugin(fleet, "apply", "-f", "-", "--to", "vke", user="viewer", stdin=WEB % 1)
    assert (done.returncode, done.stdout) == (3, "")
    assert "user viewer may not patch deployments" in done.stderr
    done = plugin(fleet, "nodes", user="nobody")
    assert (done.returncode, done.stdout) == (3, "")
    assert "may not list nodes" in done.stderr


def test_what_waits_in_verify(fleet: Cluster) -> None:
    done = plugin(fleet, "verify", "vke-pending")
    assert (done.returncode, done.stdout) == (3, "")
    assert "pod default/vke-pending is not running: Pending" in done.stderr
