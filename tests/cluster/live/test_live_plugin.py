"""``kubectl gpuxlate`` on live objects: what is printed, the exit code, and what a server is asked."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuxlate.cli import live
from gpuxlate.cli.kubectl import command_first
from gpuxlate.cluster import live_inputs
from gpuxlate.files.find import Input
from gpuxlate.model.errors import UserError
from tests import running
from tests.cluster.live.conftest import CORES, EVERYWHERE, FAULTS, IN_DEFAULT, Plugin, deployment
from tests.e2e import faults, pods
from tests.e2e.fault_server import FaultServer
from tests.e2e.faults import Answer, Fault, Hang
from tests.e2e.listed import Listed
from tests.effort import number


def test_translate_prints_what_kubectl_applies(plugin: Plugin, server: FaultServer) -> None:
    code, out, err = plugin("translate", "deploy/web", "--to", "vke")
    assert (code, err) == (0, "1 share: 1 exact\n")
    made = yaml.safe_load(out)
    assert made["metadata"] == {"name": "web", "namespace": "default"}
    assert "status" not in made
    [container] = made["spec"]["template"]["spec"]["containers"]
    limits = {"vke.volcengine.com/mgpu-core": 20, "vke.volcengine.com/mgpu-memory": 5120}
    assert container["resources"]["limits"] == limits
    assert [one.path for one in server.requests()] == [f"{IN_DEFAULT}/web"]


def test_lint_points_into_the_object(plugin: Plugin) -> None:
    code, out, err = plugin("lint", "deploy")
    assert (code, err) == (1, "")
    assert "error[TKE002]" in out
    assert "--> deploy/bad:" in out
    code, out, _ = plugin("lint", "-A", "--format", "json")
    said = json.loads(out)
    assert {one["file"] for one in said["diagnostics"]} == {"default/deploy/bad"}
    assert said["summary"]["files"] == 2
    assert code == 1


def test_parse_reads_shares(plugin: Plugin) -> None:
    code, out, err = plugin("parse", "deploy", "web")
    assert (code, err) == (0, "")
    assert yaml.safe_load(out)["spec"] == {"cores": 20, "memoryMiB": 5120}


@pytest.fixture
def fleet(plugin: Plugin, server: FaultServer) -> Plugin:
    """The plug-in on a deployment with a share, one without GPUs, and one in another namespace."""
    here = [deployment("web"), deployment("cpu", limits={})]
    server.lists[IN_DEFAULT] = Listed("apps/v1", "Deployment", here)
    server.lists[EVERYWHERE] = Listed("apps/v1", "Deployment", [*here, deployment("web", namespace="prod")])
    return plugin


def test_assess_counts_the_fleet(fleet: Plugin) -> None:
    code, out, err = fleet("assess", "-A", "--to", "vke", "-o", "json")
    assert (code, err) == (0, "2 shares: 2 exact\n")
    said = json.loads(out)
    assert [one["file"] for one in said["items"]] == ["default/deploy/web", "prod/deploy/web"]
    assert said["summary"]["exact"] == 2


def test_inspect_sums_up(fleet: Plugin) -> None:
    code, out, _ = fleet("inspect", "deploy", "-o", "json")
    assert code == 0
    found = [(one["kind"], one["name"], one["namespace"]) for one in json.loads(out)["items"]]
    assert found == [("Deployment", "web", "default")]


def test_translate_keeps_what_asks_for_no_gpu(fleet: Plugin) -> None:
    code, out, _ = fleet("translate", "deploy", "--to", "vke")
    assert code == 0
    assert [one["metadata"]["name"] for one in yaml.safe_load_all(out)] == ["web", "cpu"]


def test_a_refusal_prints_nothing(plugin: Plugin) -> None:
    code, out, err = plugin("translate", "deploy", "--to", "ack")
    assert (code, out) == (1, "")
    assert "deploy/bad:" in err


def test_an_output_folder_has_a_file_for_each(fleet: Plugin) -> None:
    code, out, _ = fleet("translate", "deploy", "-A", "--to", "vke", "--output-dir", "out")
    assert (code, out) == (0, "")
    found = sorted(str(path) for path in Path("out").rglob("*.yaml"))
    names = ("default/deploy/cpu", "default/deploy/web", "prod/deploy/web")
    assert found == [f"out/{name}.yaml" for name in names]


# --- what is a file, what an object -------------------------------------------------------------


def test_files_and_objects(plugin: Plugin, server: FaultServer) -> None:
    """Together, and files alone, which ask no server."""
    mine = {"apiVersion": "apps/v1", "kind": "Deployment", **deployment("mine")}
    Path("mine.yaml").write_text(yaml.safe_dump(mine))
    code, _, _ = plugin("lint", "mine.yaml", "--context", "faults")
    assert (code, server.count()) == (0, 0)
    code, out, _ = plugin("inspect", "mine.yaml", "deploy/web", "-o", "json")
    assert code == 0
    assert [one["file"] for one in json.loads(out)["items"]] == ["mine.yaml", "deploy/web"]


def test_a_folder_that_is_called_like_a_kind(plugin: Plugin, server: FaultServer) -> None:
    Path("deploy").mkdir()
    Path("deploy", "a.yaml").write_text("a: 1\n")
    code, out, err = plugin("lint", "deploy")
    assert (code, server.count()) == (0, 0)
    assert "note: deploy is a folder; for live objects write deployments.apps" in err
    code, out, err = plugin("lint", "deploy", "-n", "default")
    assert (code, server.count()) == (1, 1)
    assert "deploy/bad" in out


# what else cannot be: tests/errors/cases, 10-clusters.yaml and 11-live-objects.yaml
PROBLEMS = {
    "lint nosuch.yaml": (3, "error: nosuch.yaml: no such file or directory"),
    "lint deploy --context nix": (2, "error: the kubeconfig has no context 'nix'"),
    "nosuch": (2, "error: no such command 'nosuch'"),
}


@pytest.mark.parametrize("words", PROBLEMS)
def test_what_cannot_be_is_one_line(plugin: Plugin, words: str) -> None:
    code, problem = PROBLEMS[words]
    got, out, err = plugin(*words.split())
    assert problem in err.splitlines()[0]
    assert (got, len([line for line in err.splitlines() if line.startswith("error")])) == (code, 1)
    assert "Traceback" not in err
    assert out in ("", "no findings in 0 files\n")


def test_nothing_there(plugin: Plugin, server: FaultServer) -> None:
    server.inject(Answer(200, b'{"kind": "DeploymentList", "items": []}'))
    code, _, err = plugin("lint", "deploy", "-l", "app=x")
    said = "error: nothing to work on: no deploy in this namespace with labels app=x\n"
    assert (code, err) == (3, f"{said}help: choose a namespace with -n, or all with -A\n")
    assert server.requests()[0].query["labelSelector"] == "app=x"
    assert plugin("lint", "deploy", "--allow-empty")[0] == 0


def test_all_kinds_in_one_namespace(plugin: Plugin, server: FaultServer) -> None:
    assert plugin("lint", "-n", "default")[0] == 1
    assert [one.path.rpartition("/")[2] for one in server.requests()] == [
        "deployments", "statefulsets", "daemonsets", "jobs", "cronjobs", "cronjobs", "pods",
    ]  # fmt: skip


# --- faults -------------------------------------------------------------------------------------

COMMANDS = ("lint", "parse", "assess --to vke", "inspect", "translate --to vke")
FORBIDDEN = faults.forbidden(resource="deployments")
OF_LISTS: dict[str, tuple[Fault, str, int]] = {
    **{name: FAULTS[name] for name in ("500", "cut", "busy", "401", "garbage", "half", "echo")},
    "403": (FORBIDDEN, "user viewer may not list deployments in namespace default", 1),
    "hang": (Hang(20), "did not answer within 0.3 s", 1),
}


@pytest.mark.parametrize("name", OF_LISTS)
def test_every_fault_is_one_line_and_exit_3(plugin: Plugin, server: FaultServer, name: str) -> None:
    fault, words, requests = OF_LISTS[name]
    server.inject(fault)
    for command in COMMANDS:
        before = server.count()
        code, out, err = plugin(*command.split(), "deploy", "--request-timeout", "300ms")
        first, *others = err.splitlines()
        assert first.startswith("error: "), command
        assert words in first, command
        assert all(line.startswith("help: ") for line in others), command
        assert (code, out, server.count() - before) == (3, "", requests), command


@pytest.mark.parametrize("command", ["lint", "translate --to vke"])
def test_a_fault_in_the_middle_leaves_nothing_half_done(
    plugin: Plugin, server: FaultServer, command: str
) -> None:
    small = [{"metadata": {"name": f"none-{number}", "namespace": "default"}} for number in range(500)]
    server.lists[IN_DEFAULT] = Listed("apps/v1", "Deployment", [deployment("web"), *small])
    server.inject(faults.gone(), continued=True)
    code, out, err = plugin(*command.split(), "deploy")
    assert (code, out) == (3, "")
    assert "the list of deployments changed too much while it was read page by page" in err


# --- how it is called ---------------------------------------------------------------------------


def test_flags_may_stand_before_the_command(plugin: Plugin) -> None:
    code, out, _ = plugin("-n", "default", "--context=faults", "parse", "deploy/web")
    assert code == 0
    assert "cores: 20" in out
    lines = {
        "-n ml -A lint deploy": "lint -n ml -A deploy",
        "--context=a lint": "lint --context=a",
        "lint -n ml": "lint -n ml",
        "-n ml": "-n ml",
        "--help": "--help",
    }
    assert {given: " ".join(command_first(given.split())) for given in lines} == lines


def test_help_is_kubectls(plugin: Plugin) -> None:
    code, out, _ = plugin("--help")
    assert code == 0
    assert out.startswith("Usage: kubectl gpuxlate ")
    for name in ("translate", "nodes", "capacity", "preflight", "apply"):
        assert f"\n  {name} " in out
    code, out, _ = plugin("lint", "--help")
    assert out.startswith("Usage: kubectl gpuxlate lint ")
    flags = ("namespace", "all-namespaces", "selector", "context", "kubeconfig", "request-timeout")
    assert [flag for flag in flags if f"--{flag}" not in out] == []


def test_durations() -> None:
    durations = {
        None: None, "30": 30.0, "1.5": 1.5, "30s": 30.0, "1m30s": 90.0, "500ms": 0.5, "2h": 7200.0, "0": 0.0,
    }  # fmt: skip
    assert {text: live.seconds(text) for text in durations} == durations


@pytest.mark.parametrize("text", ["", "s", "-1", "1x", "1s1m", "nan"])
def test_no_durations(text: str) -> None:
    with pytest.raises(UserError):
        live.seconds(text)


def test_gpuxlate_itself_stays_with_files() -> None:
    for words, problem in ((["lint", "-A"], "no such option: -A"), (["nodes"], "no such command 'nodes'")):
        done = running.run(*words)
        assert (done.code, done.out) == (2, b"")
        assert problem in done.err.decode()


# --- many objects -------------------------------------------------------------------------------


def test_many_pods_are_read_in_pages(
    plugin: Plugin, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = number(40)
    total = pages * 500

    def pod(index: int) -> dict[str, Any]:
        made = pods.pod(f"p{index}", "n", {CORES: 33} if index % (total // 4) == 0 else {"cpu": 1})
        return {**made, "metadata": {**made["metadata"], "namespace": "default"}}

    server.lists["/api/v1/pods"] = Listed("v1", "Pod", pod, total)
    texts: list[int] = []
    made = live_inputs.Input

    def counted(name: str, path: None, named: bool, data: bytes) -> Input:
        texts.append(len(data))
        return made(name, path, named, data=data)

    monkeypatch.setattr(live_inputs, "Input", counted)
    code, out, _ = plugin("lint", "pods", "-A", "--format", "json")
    said = json.loads(out)
    wrong = {f"default/pod/p{index}" for index in range(0, total, total // 4)}
    assert (code, {one["file"] for one in said["diagnostics"]}) == (1, wrong)
    assert said["summary"]["files"] == total
    assert server.count("/api/v1/pods") == pages
    assert sum(1 for size in texts if size) == 4  # no text is made of what asks for no GPU
