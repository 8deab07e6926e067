"""``kubectl gpuxlate`` on a real server, called by the real kubectl.

What each command prints there is in the pages: ``test_pages.py``. What it finds: ``tests/cluster``.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from . import nodes, pods
from .conftest import TwoClusters
from .server.cluster import Cluster, Done, run_kubectl, run_plugin, with_plugin

ROOT = Path(__file__).resolve().parents[2]
WEB = (ROOT / "examples" / "kubectl" / "web.yaml").read_text(encoding="utf-8").replace("4\n", "%d\n", 1)
QGPU = {"tke.cloud.tencent.com/qgpu-core": "30", "tke.cloud.tencent.com/qgpu-memory": "4"}
"""The same on TKE."""
WORKLOADS = Path(__file__).with_name("workloads.yaml")


def said(done: Done, code: int = 0) -> Any:
    """The JSON of a command that ended so."""
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def filled(clean_cluster: Cluster) -> Cluster:
    """Workloads of three dialects, one that breaks a rule, one without GPU, pods with and without owner."""
    clean_cluster.apply(yaml.safe_load(WORKLOADS.read_text()))
    path = "/apis/apps/v1/namespaces/default/statefulsets/db"
    uid = clean_cluster.rest.call("GET", path)["metadata"]["uid"]
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": uid, "controller": True}
    owned = pods.tke("db-0", "n1", pods.qgpu(20, 5), {"main": "0"})
    owned["metadata"]["ownerReferences"] = [owner]
    clean_cluster.add_pods([owned, pods.vke("alone", "n1", pods.mgpu(30, 4096), {"main": "0"})])
    return clean_cluster


def test_kubectl_lists_and_completes_it(two_clusters: TwoClusters) -> None:
    environment = with_plugin(two_clusters.environment)
    listed = run_kubectl(["plugin", "list"], environment, check=False).stdout.splitlines()
    assert f"{Path(sys.executable).parent}/kubectl-gpuxlate" in listed
    assert "Usage: kubectl gpuxlate " in run_plugin(environment, "--help").stdout
    for words, want in ((["tra"], ["translate"]), (["lint", "--context", ""], ["ack", "tke"])):
        done = run_kubectl(["__complete", "gpuxlate", *words], environment, check=False)
        assert [line.partition("\t")[0] for line in done.stdout.splitlines()] == [*want, ":4"], done.stderr


# --- live objects ------------------------------------------------------------------------------------


def test_live_objects(filled: Cluster) -> None:
    found = said(filled.plugin("lint", "-A", "--format", "json"), 1)
    errors = {one["file"] for one in found["diagnostics"] if one["severity"] == "error"}
    # bad, web, plain, db, agent, once, tick, and the one pod that nobody owns
    assert (errors, found["summary"]["files"]) == ({"default/deploy/bad"}, 8)
    assert filled.plugin("lint", "deploy/web", "sts/db").returncode == 0
    only = filled.plugin("lint", "deploy", "-l", "app in (bad,web)", "--format", "json")
    assert json.loads(only.stdout)["summary"]["files"] == 2

    done = filled.plugin("parse", "deploy/web", "job/once", "sts", "-o", "json")
    assert done.returncode == 2  # kubectl's own rule: names, or a kind
    done = filled.plugin("parse", "deploy/web", "job/once", "sts/db", "cronjob/tick", "-o", "json")
    assert [one["metadata"]["name"] for one in said(done)["items"]] == ["web", "once", "db", "tick"]

    done = filled.plugin("assess", "-A", "--to", "vke", "-o", "json")
    assert done.returncode == 1  # deploy/bad is refused
    verdicts = {one["file"]: one["verdict"] for one in json.loads(done.stdout)["items"]}
    assert (verdicts["default/deploy/web"], verdicts["default/sts/db"]) == ("filled", "exact")
    inspected = json.loads(filled.plugin("inspect", "-n", "default", "-o", "json").stdout)["items"]
    assert {(one["kind"], one["name"]) for one in inspected} == {
        ("Deployment", "web"), ("Deployment", "bad"), ("StatefulSet", "db"), ("DaemonSet", "agent"),
        ("Job", "once"), ("CronJob", "tick"), ("Pod", "alone"),
    }  # fmt: skip
    filled.clear()
    assert filled.kubectl("get", "deploy,sts,ds,jobs,cronjobs,pods", "-o", "name").stdout == ""


NOTHING = r"\Z"
# user, command, exit code, a pattern of what stderr begins with (a dot is no line break)
ACCESS = [
    *((user, "parse deploy/web", 0, NOTHING) for user in ("admin", "admin-token", "viewer", "plugin")),
    *(("viewer", command, 0, "") for command in ("inspect -A -o json", "nodes", "capacity")),
    ("viewer", "lint secrets", 3, ".*user viewer may not list secrets in namespace default"),
    ("viewer", "apply -f - --to vke", 3, "note: .*\\n.*user viewer may not patch deployments"),
    ("nobody", "inspect -A", 3, "error: user nobody may not list deployments across the cluster\nhelp: "),
    ("nobody", "nodes", 3, ".*may not list nodes"),
    ("expired", "lint -A", 3, ".*does not accept the credentials: they are expired, or of another cluster"),
    ("plugin-broken", "lint -A", 3, ".*the credential plug-in credential-plugin-broken failed: exit code 1"),
]


def test_who_may_do_what(filled: Cluster) -> None:
    filled.add_nodes(nodes.VKE)
    wrong = {}
    for user, command, code, message in ACCESS:
        done = filled.plugin(*command.split(), user=user, stdin=WEB % 1)
        told = [name for name, secret in filled.access.tokens.items() if secret in done.stderr]
        found = (done.returncode, bool(done.stdout), told)
        if found != (code, code == 0, []) or not re.match(message, done.stderr):
            wrong[user, command] = (*found, done.stderr)
    assert wrong == {}


def test_pages_of_a_real_server(clean_cluster: Cluster) -> None:
    clean_cluster.create(pods.pod(f"p{n}", None, pods.mgpu(30, 4096)) for n in range(1100))
    found = said(clean_cluster.plugin("inspect", "pods", "-o", "json"))["items"]
    assert len({one["name"] for one in found}) == 1100


def test_every_kind_is_applied_elsewhere_as_it_is_printed(two_clusters: TwoClusters, filled: Cluster) -> None:
    assert filled is two_clusters.ack
    flags = ("--context", "ack", "--to", "tke", "--fill", "cores=30", "--round", "up")
    for one in ("deploy/web", "job/once", "cronjob/tick", "sts/db", "ds/agent", "pod/alone"):
        done = run_plugin(two_clusters.environment, "translate", one, *flags)
        assert done.returncode == 0, (one, done.stderr)
        apply = ("--context", "tke", "apply", "-f", "-")
        assert two_clusters.kubectl(*apply, stdin=done.stdout).split()[-1] == "created", one
        if one == "deploy/web":  # a second time it is what is there already
            assert two_clusters.kubectl(*apply, stdin=done.stdout).split()[-1] == "unchanged"
        text = json.dumps(yaml.safe_load(two_clusters.kubectl("--context", "tke", "get", one, "-o", "yaml")))
        assert "tke.cloud.tencent.com/qgpu-core" in text, one
        assert "aliyun.com/" not in text.replace("last-applied", ""), one
        assert "vke.volcengine.com/" not in text, one
        for kept in ("set -e\\nexec serve\\n", '"yes"', '"1e3"'):
            assert one == "pod/alone" or kept in text, one
        assert "nodeName" not in text, one


# --- nodes, capacity, apply --------------------------------------------------------------------------


def test_room_and_a_profile(clean_cluster: Cluster, tmp_path: Path) -> None:
    clean_cluster.add_nodes(nodes.ALL)
    clean_cluster.add_pods(pods.ALL)
    # two empty cards of vke-unlabelled hold three each; the two of vke-fixed are not known for sure
    for count, code, verdict in ((6, 0, "fits"), (7, 1, "cannot be told"), (20, 1, "does not fit")):
        done = clean_cluster.plugin("capacity", "-f", "-", "-o", "json", stdin=WEB % count)
        assert said(done, code)["answer"]["verdict"] == verdict, count
    done = clean_cluster.plugin("nodes", "-o", "profile", "--to", "tke")
    assert done.returncode == 0, done.stderr
    (tmp_path / "profile.yaml").write_text(done.stdout)
    done = clean_cluster.plugin("lint", "-", "--profile", str(tmp_path / "profile.yaml"), stdin=WEB % 1)
    assert done.returncode == 0, done.stderr


def test_apply(clean_cluster: Cluster) -> None:
    clean_cluster.add_nodes([nodes.tke("a")])
    apply = ("apply", "-f", "-")
    done = clean_cluster.plugin(*apply, "--dry-run=server", stdin=WEB % 2)
    assert (done.returncode, done.stdout) == (0, "deployment/web created (server dry run)\n"), done.stderr
    assert clean_cluster.kubectl("get", "deploy", "-o", "name").stdout == ""

    done = clean_cluster.plugin(*apply, stdin=WEB % 2)
    assert (done.returncode, done.stdout) == (0, "deployment/web serverside-applied\n"), done.stderr
    live = clean_cluster.kubectl("get", "deploy", "web", "-o", "json", "--show-managed-fields").stdout
    container = json.loads(live)["spec"]["template"]["spec"]["containers"][0]
    assert container["resources"]["limits"] == QGPU
    assert [one["manager"] for one in json.loads(live)["metadata"]["managedFields"]] == ["gpuxlate"]

    done = clean_cluster.plugin(*apply, "--dry-run=server", stdin=WEB % 2)
    assert done.stdout == "deployment/web unchanged (server dry run)\n"
    done = clean_cluster.plugin(*apply, "--diff", stdin=WEB % 3)
    assert "-  replicas: 2\n+  replicas: 3\n" in done.stdout


def test_a_conflict_is_shown_not_forced(clean_cluster: Cluster) -> None:
    clean_cluster.add_nodes([nodes.vke("a")])
    theirs = (WEB % 2).replace("core: 30", 'core: "30"').replace("4096", '"4096"')
    clean_cluster.kubectl("apply", "--server-side", "--field-manager=team", "-f", "-", stdin=theirs)
    other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: beside}\n---\n"
    done = clean_cluster.plugin("apply", "-f", "-", stdin=other + WEB % 5)
    assert (done.returncode, done.stdout) == (3, "")
    assert "team owns .spec.replicas" in done.stderr
    assert clean_cluster.kubectl("get", "configmap", "beside", check=False).returncode == 1
    done = clean_cluster.plugin("apply", "-f", "-", "--force-conflicts", stdin=WEB % 5)
    assert done.returncode == 0, done.stderr
    assert clean_cluster.kubectl("get", "deploy", "web", "-o", "jsonpath={.spec.replicas}").stdout == "5"
