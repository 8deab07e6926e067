"""apply: the dialect of the cluster, everything tried first, conflicts shown and never forced."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.cluster.apply import only_sent
from gpuxlate.cluster.server import ClusterError
from tests.cluster.asking import Node, deployment
from tests.cluster.conftest import Ran, Run
from tests.cluster.fake import FakeServer
from tests.e2e import nodes as made

WEB = deployment("vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096", 2)
OTHER = """\
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: ml}
data: {a: b}
"""
PATH = "/apis/apps/v1/namespaces/default/deployments/web"
SETTINGS = "/api/v1/namespaces/ml/configmaps/settings"
CORE, MEMORY = "tke.cloud.tencent.com/qgpu-core", "tke.cloud.tencent.com/qgpu-memory"
Apply = Callable[..., Ran]


@pytest.fixture
def apply(run: Run) -> Apply:
    """Applies web.yaml, which has this text, with these flags."""

    def called(server: FakeServer, flags: str = "", text: str = WEB + OTHER) -> Ran:
        Path("web.yaml").write_text(text)
        return run(server, f"apply -f web.yaml {flags}")

    return called


def limits(server: FakeServer, path: str = PATH) -> Any:
    return server.objects[path]["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]


def writes(server: FakeServer) -> list[tuple[str, str]]:
    return [one for one in server.requests if one[0] in ("try", "apply")]


def test_the_dialect_is_that_of_the_nodes(apply: Apply) -> None:
    server = FakeServer([made.tke("a"), made.vke_whole("b")])
    done = apply(server)
    assert (done.code, done.err) == (0, "")
    assert done.out == "deployment/web serverside-applied\nconfigmap/settings serverside-applied\n"
    assert limits(server) == {CORE: "30", MEMORY: "4"}
    assert server.objects[SETTINGS]["data"] == {"a": "b"}
    assert writes(server) == [("try", PATH), ("try", SETTINGS), ("apply", PATH), ("apply", SETTINGS)]


def test_the_units_are_those_of_the_nodes(apply: Apply) -> None:
    server = FakeServer([made.ack("a", "share", unit_mib=128)])
    assert apply(server, text=deployment("gpuxlate.io/memory-mib: 4096")).code == 0
    assert limits(server) == {"aliyun.com/gpu-mem": "32"}  # 4096 MiB of 128
    spec = server.objects[PATH]["spec"]["template"]["spec"]
    assert spec["nodeSelector"] == {"ack.node.gpu.schedule": "share"}


def test_units_are_never_guessed(apply: Apply) -> None:
    server = FakeServer([made.ack("a", "core_mem"), made.ack("b", "share", unit_mib=128)])
    done = apply(server)
    assert (done.code, done.out, writes(server)) == (2, "", [])
    assert "the memory unit of the nodes is not known" in done.err
    Path("p.yaml").write_text("target: ack\nalibaba: {memoryUnitMiB: 1024}\n")
    assert apply(server, "--profile p.yaml").code == 0
    assert limits(server)["aliyun.com/gpu-mem"] == "4"


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ([], "no node of this cluster serves a target"),
        ([made.vke_whole("a")], "no node of this cluster serves a target"),
        ([made.vke("a"), made.tke("b")], "the nodes of this cluster serve tencent-qgpu and volcengine-mgpu"),
    ],
)
def test_a_dialect_is_never_guessed(apply: Apply, nodes: list[Node], said: str) -> None:
    server = FakeServer(nodes)
    done = apply(server)
    assert (done.code, done.out, writes(server)) == (2, "", [])
    assert said in done.err
    assert "--to" in done.err
    assert apply(server, "--to tke").code == 0


def test_its_own_dialect_goes_as_it_is(apply: Apply) -> None:
    server = FakeServer([made.vke("a")])
    assert apply(server).code == 0
    # amounts are sent as strings: a server of 1.20 takes no bare number in server-side apply
    assert limits(server) == {"vke.volcengine.com/mgpu-core": "30", "vke.volcengine.com/mgpu-memory": "4096"}


@pytest.mark.parametrize(
    ("node", "said"),
    [
        (made.mig_mixed("mixed"), 'nvidia.com/mig-1g.10gb: "1"'),
        (made.mig_single("single"), "nvidia.com/mig.config: all-1g.5gb"),
        (made.gke("n", strategy="mps", of=3), 'cloud.google.com/gke-max-shared-clients-per-gpu: "3"'),
        (made.sliced("n"), "no part of a card is promised"),
    ],
)
def test_parts_of_cards_are_those_of_the_nodes(apply: Apply, node: Node, said: str) -> None:
    text = deployment("gpuxlate.io/cores: 10, gpuxlate.io/memory-mib: 4000")
    done = apply(FakeServer([node]), "--diff --round up", text)
    assert said in done.out + done.err


def test_a_refused_translation_applies_nothing(apply: Apply) -> None:
    server, text = FakeServer([made.tke("a")]), WEB.replace("4096", "4000") + OTHER
    done = apply(server, text=text)
    assert (done.code, done.out, writes(server)) == (1, "", [])
    assert "TKE001" in done.err
    assert apply(server, "--round up", text).code == 0
    assert limits(server)[MEMORY] == "4"


def test_a_conflict_is_shown_and_nothing_is_half_done(apply: Apply) -> None:
    server = FakeServer([made.tke("a")])
    server.owners[SETTINGS] = (("kubectl", ".data.a"), ("helm", ".data.b"))
    done = apply(server)
    assert (done.code, done.out, server.objects) == (3, "", {})
    assert "kubectl owns .data.a; helm owns .data.b" in done.err
    assert "--force-conflicts" in done.err
    done = apply(server, "--force-conflicts")
    assert (done.code, done.err, set(server.objects)) == (0, "", {PATH, SETTINGS})


def test_everything_that_is_refused_is_told_at_once(apply: Apply) -> None:
    server = FakeServer([made.tke("a")])
    server.refused = {PATH: ClusterError("no quota"), SETTINGS: ClusterError("no such namespace")}
    done = apply(server)
    assert (done.code, server.objects) == (3, {})
    assert "no quota" in done.err
    assert "no such namespace" in done.err


def test_a_failure_on_the_way_says_what_was_done(apply: Apply) -> None:
    class Fails(FakeServer):
        def apply(self, path: str, body: Any, **other: Any) -> Any:
            if path == SETTINGS and not other.get("dry_run"):
                raise ClusterError("the connection was cut")
            return super().apply(path, body, **other)

    done = apply(Fails([made.tke("a")]))
    assert done.code == 3
    assert "applied before: deployment/web" in done.err


def dry(what: str, settings: str) -> str:
    return f"deployment/web {what} (server dry run)\nconfigmap/settings {settings} (server dry run)\n"


def test_a_dry_run_changes_nothing(apply: Apply) -> None:
    server = FakeServer([made.tke("a")])
    assert apply(server, "--dry-run=server").out == dry("created", "created")
    assert server.objects == {}
    done = apply(server, "-o json")
    found = json.loads(done.out)
    assert (done.code, [one["kind"] for one in found["items"]]) == (0, ["Deployment", "ConfigMap"])
    assert all(one["metadata"]["resourceVersion"] for one in found["items"])  # as the server has them
    done = apply(server, "--dry-run=server", WEB.replace("replicas: 2", "replicas: 3") + OTHER)
    assert done.out == dry("configured", "unchanged")


def test_the_difference_shows_what_is_sent_alone(apply: Apply) -> None:
    server = FakeServer([made.tke("a")])
    assert apply(server).code == 0
    server.objects[PATH]["status"] = {"replicas": 2}
    server.objects[PATH]["spec"]["paused"] = True
    before = len(writes(server))
    done = apply(server, "--diff", WEB.replace("mgpu-core: 30", "mgpu-core: 40") + OTHER)
    assert done.code == 0
    changed = [line for line in done.out.splitlines() if line[0] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == [f'-            {CORE}: "30"', f'+            {CORE}: "40"']
    assert {verb for verb, _ in writes(server)[before:]} == {"try"}


def test_nothing_is_applied_of_what_cannot_be(apply: Apply) -> None:
    """What is said of each is in tests/errors/cases/12-nodes-and-apply.yaml."""
    codes = {
        WEB.replace("name: web}", "generateName: web-}"): 1,
        "a: 1\n": 1,
        f"{WEB}---\n{WEB}": 1,
        WEB.replace("kind: Deployment", "kind: Deploymint"): 3,
        WEB.replace("apps/v1", "example.com/v1"): 3,
        "# nothing\n": 3,
    }
    for text, code in codes.items():
        server = FakeServer([made.vke("a")])
        done = apply(server, text=text)
        assert (done.code, done.out, server.objects) == (code, "", {}), text


def test_the_namespace(apply: Apply) -> None:
    server = FakeServer([made.vke("a")])
    assert apply(server, "-n web", WEB).code == 0
    [(path, made_there)] = server.objects.items()
    assert path == "/apis/apps/v1/namespaces/web/deployments/web"
    assert made_there["metadata"]["namespace"] == "web"
    done = apply(server, "-n web")
    assert done.code == 1
    assert "configmap/settings is in namespace ml, not in web" in done.err


def test_the_items_of_a_list(apply: Apply) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ml"}}
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s"}}
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [namespace, config]})
    server = FakeServer([made.vke("a")])
    done = apply(server, text=text)
    assert done.out == "namespace/ml serverside-applied\nconfigmap/s serverside-applied\n"
    assert set(server.objects) == {"/api/v1/namespaces/ml", "/api/v1/namespaces/default/configmaps/s"}


def test_fields_that_were_sent() -> None:
    live = {"a": 1, "b": [{"name": "x", "n": 1, "m": 2}, {"name": "y"}], "c": [1, 2], "d": {"e": 1}}
    sent = {"b": [{"name": "x", "n": 5}], "c": [3], "z": 1}
    assert only_sent(live, sent) == {"b": [{"name": "x", "n": 1}], "c": [1, 2]}
