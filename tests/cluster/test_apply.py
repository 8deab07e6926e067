"""apply: the dialect of the cluster, everything tried first, conflicts shown and never forced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.cluster.apply import only_sent
from gpuxlate.cluster.server import ClusterError
from tests.cluster.conftest import Run
from tests.cluster.fake import FakeServer
from tests.e2e import nodes as made

WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: registry.example.com/web:1
        resources:
          limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}
"""
OTHER = """\
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: ml}
data: {a: b}
"""
PATH = "/apis/apps/v1/namespaces/default/deployments/web"
SETTINGS = "/api/v1/namespaces/ml/configmaps/settings"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "web.yaml"
    path.write_text(WEB + OTHER)
    return path


def limits(server: FakeServer, path: str = PATH) -> Any:
    return server.objects[path]["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]


def writes(server: FakeServer) -> list[tuple[str, str]]:
    return [one for one in server.requests if one[0] in ("try", "apply")]


def test_the_dialect_is_that_of_the_nodes(run: Run, file: Path) -> None:
    server = FakeServer([made.tke("a"), made.vke_whole("b")])
    done = run(server, "apply", "-f", str(file))
    assert (done.code, done.err) == (0, "")
    assert done.out == "deployment/web serverside-applied\nconfigmap/settings serverside-applied\n"
    assert limits(server) == {
        "tke.cloud.tencent.com/qgpu-core": "30",
        "tke.cloud.tencent.com/qgpu-memory": "4",
    }
    assert server.objects[SETTINGS]["data"] == {"a": "b"}
    assert writes(server) == [("try", PATH), ("try", SETTINGS), ("apply", PATH), ("apply", SETTINGS)]


def test_the_units_are_those_of_the_nodes(run: Run, file: Path) -> None:
    server = FakeServer([made.ack("a", "share", unit_mib=128)])
    asked = "{vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}"
    file.write_text(WEB.replace(asked, "{gpuxlate.io/memory-mib: 4096}"))
    assert run(server, "apply", "-f", str(file)).code == 0
    assert limits(server) == {"aliyun.com/gpu-mem": "32"}  # 4096 MiB of 128
    spec = server.objects[PATH]["spec"]["template"]["spec"]
    assert spec["nodeSelector"] == {"ack.node.gpu.schedule": "share"}


def test_units_are_never_guessed(run: Run, file: Path) -> None:
    nodes = [made.ack("a", "core_mem"), made.ack("b", "share", unit_mib=128)]
    server = FakeServer(nodes)
    done = run(server, "apply", "-f", str(file))
    assert (done.code, done.out, writes(server)) == (2, "", [])
    assert "the memory unit of the nodes is not known" in done.err
    (file.parent / "p.yaml").write_text("target: ack\nalibaba: {memoryUnitMiB: 1024}\n")
    assert run(server, "apply", "-f", str(file), "--profile", "p.yaml").code == 0
    assert limits(server)["aliyun.com/gpu-mem"] == "4"


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ([], "no node of this cluster serves a target"),
        ([made.vke_whole("a")], "no node of this cluster serves a target"),
        ([made.vke("a"), made.tke("b")], "the nodes of this cluster serve tencent-qgpu and volcengine-mgpu"),
    ],
)
def test_a_dialect_is_never_guessed(run: Run, file: Path, nodes: list[Any], said: str) -> None:
    server = FakeServer(nodes)
    done = run(server, "apply", "-f", str(file))
    assert (done.code, done.out, writes(server)) == (2, "", [])
    assert said in done.err
    assert "--to" in done.err
    assert run(server, "apply", "-f", str(file), "--to", "tke").code == 0


def test_its_own_dialect_goes_as_it_is(run: Run, file: Path) -> None:
    server = FakeServer([made.vke("a")])
    assert run(server, "apply", "-f", str(file)).code == 0
    # amounts are sent as strings: a server of 1.20 takes no bare number in server-side apply
    assert limits(server) == {"vke.volcengine.com/mgpu-core": "30", "vke.volcengine.com/mgpu-memory": "4096"}


def test_a_refused_translation_applies_nothing(run: Run, file: Path) -> None:
    file.write_text(WEB.replace("4096", "4000") + OTHER)
    server = FakeServer([made.tke("a")])
    done = run(server, "apply", "-f", str(file))
    assert (done.code, done.out, writes(server)) == (1, "", [])
    assert "TKE001" in done.err
    assert run(server, "apply", "-f", str(file), "--round", "up").code == 0
    assert limits(server)["tke.cloud.tencent.com/qgpu-memory"] == "4"


def test_a_conflict_is_shown_and_nothing_is_half_done(run: Run, file: Path) -> None:
    server = FakeServer([made.tke("a")])
    server.owners[SETTINGS] = (("kubectl", ".data.a"), ("helm", ".data.b"))
    done = run(server, "apply", "-f", str(file))
    assert (done.code, done.out) == (3, "")
    assert "kubectl owns .data.a; helm owns .data.b" in done.err
    assert "--force-conflicts" in done.err
    assert server.objects == {}
    done = run(server, "apply", "-f", str(file), "--force-conflicts")
    assert (done.code, done.err) == (0, "")
    assert set(server.objects) == {PATH, SETTINGS}


def test_everything_that_is_refused_is_told_at_once(run: Run, file: Path) -> None:
    server = FakeServer([made.tke("a")])
    server.refused = {PATH: ClusterError("no quota"), SETTINGS: ClusterError("no such namespace")}
    done = run(server, "apply", "-f", str(file))
    assert done.code == 3
    assert "no quota" in done.err
    assert "no such namespace" in done.err
    assert server.objects == {}


def test_a_failure_on_the_way_says_what_was_done(run: Run, file: Path) -> None:
    class Fails(FakeServer):
        def apply(self, path: str, body: Any, **other: Any) -> Any:
            if path == SETTINGS and not other.get("dry_run"):
                raise ClusterError("the connection was cut")
            return super().apply(path, body, **other)

    done = run(Fails([made.tke("a")]), "apply", "-f", str(file))
    assert done.code == 3
    assert "applied before: deployment/web" in done.err


def test_a_dry_run_changes_nothing(run: Run, file: Path) -> None:
    server = FakeServer([made.tke("a")])
    done = run(server, "apply", "-f", str(file), "--dry-run=server")
    assert (
        done.out == "deployment/web created (server dry run)\nconfigmap/settings created (server dry run)\n"
    )
    assert server.objects == {}
    done = run(server, "apply", "-f", str(file), "-o", "json")
    found = json.loads(done.out)
    assert (done.code, [one["kind"] for one in found["items"]]) == (0, ["Deployment", "ConfigMap"])
    assert all(one["metadata"]["resourceVersion"] for one in found["items"])  # as the server has them
    file.write_text(WEB.replace("replicas: 2", "replicas: 3") + OTHER)
    done = run(server, "apply", "-f", str(file), "--dry-run=server")
    assert (
        done.out
        == "deployment/web configured (server dry run)\nconfigmap/settings unchanged (server dry run)\n"
    )
    assert run(server, "apply", "-f", str(file), "--dry-run=client").code == 2


def test_the_difference_shows_what_is_sent_alone(run: Run, file: Path) -> None:
    server = FakeServer([made.tke("a")])
    assert run(server, "apply", "-f", str(file)).code == 0
    server.objects[PATH]["status"] = {"replicas": 2}
    server.objects[PATH]["spec"]["paused"] = True
    file.write_text(WEB.replace("mgpu-core: 30", "mgpu-core: 40") + OTHER)
    before = len(writes(server))
    done = run(server, "apply", "-f", str(file), "--diff")
    assert done.code == 0
    changed = [line for line in done.out.splitlines() if line[0] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == [
        '-            tke.cloud.tencent.com/qgpu-core: "30"',
        '+            tke.cloud.tencent.com/qgpu-core: "40"',
    ]
    assert {verb for verb, _ in writes(server)[before:]} == {"try"}


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (WEB.replace("name: web}", "generateName: web-}"), 1, "has no name"),
        ("a: 1\n", 1, "not a Kubernetes object"),
        (WEB + "---\n" + WEB, 1, "deployment/web is given twice"),
        (
            WEB.replace("kind: Deployment", "kind: Deploymint"),
            3,
            "the server has no kind Deploymint in apps/v1",
        ),
        (WEB.replace("apps/v1", "example.com/v1"), 3, "the server has no API example.com/v1"),
        ("# nothing\n", 3, "no objects to apply"),
    ],
)
def test_what_cannot_be_applied(run: Run, file: Path, text: str, code: int, said: str) -> None:
    file.write_text(text)
    server = FakeServer([made.vke("a")])
    done = run(server, "apply", "-f", str(file))
    assert (done.code, done.out, server.objects) == (code, "", {})
    assert said in done.err


def test_the_namespace(run: Run, file: Path) -> None:
    file.write_text(WEB)
    server = FakeServer([made.vke("a")])
    assert run(server, "apply", "-f", str(file), "-n", "web").code == 0
    assert list(server.objects) == ["/apis/apps/v1/namespaces/web/deployments/web"]
    [made_there] = server.objects.values()
    assert made_there["metadata"]["namespace"] == "web"
    file.write_text(WEB + OTHER)
    done = run(server, "apply", "-f", str(file), "-n", "web")
    assert done.code == 1
    assert "configmap/settings is in namespace ml, not in web" in done.err


def test_the_items_of_a_list(run: Run, file: Path) -> None:
    file.write_text(
        '{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Namespace",'
        ' "metadata": {"name": "ml"}}, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s"}}]}'
    )
    server = FakeServer([made.vke("a")])
    assert run(server, "apply", "-f", str(file)).out.splitlines() == [
        "namespace/ml serverside-applied",
        "configmap/s serverside-applied",
    ]
    assert set(server.objects) == {"/api/v1/namespaces/ml", "/api/v1/namespaces/default/configmaps/s"}


def test_fields_that_were_sent() -> None:
    live = {"a": 1, "b": [{"name": "x", "n": 1, "m": 2}, {"name": "y"}], "c": [1, 2], "d": {"e": 1}}
    assert only_sent(live, {"b": [{"name": "x", "n": 5}], "c": [3], "z": 1}) == {
        "b": [{"name": "x", "n": 1}],
        "c": [1, 2],
    }
