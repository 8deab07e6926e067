"""``kubectl gpuxlate`` on live objects: what is printed, the exit code, and what a server is asked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuxlate.cli import live_options
from gpuxlate.cli.common import CliError
from gpuxlate.cli.kubectl import command_first
from gpuxlate.cluster import inputs
from tests.cluster.live.conftest import CORES, EVERYWHERE, IN_DEFAULT, TOKEN, Plugin, deployment
from tests.e2e import faults, pods
from tests.e2e.fault_server import FaultServer
from tests.e2e.faults import Answer, Cut, Fault, Hang
from tests.e2e.listed import Listed


def test_translate_prints_what_kubectl_applies(plugin: Plugin, server: FaultServer) -> None:
    code, out, err = plugin("translate", "deploy/web", "--to", "vke")
    assert (code, err) == (0, "")
    made = yaml.safe_load(out)
    assert made["metadata"] == {"name": "web", "namespace": "default"}
    assert "status" not in made
    [container] = made["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"] == {
        "vke.volcengine.com/mgpu-core": 20,
        "vke.volcengine.com/mgpu-memory": 5120,
    }
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


def test_assess_counts_the_fleet(plugin: Plugin, server: FaultServer) -> None:
    server.lists[EVERYWHERE] = Listed(
        "apps/v1", "Deployment", [deployment("web"), deployment("cpu", limits={})]
    )
    code, out, err = plugin("assess", "-A", "--to", "vke", "-o", "json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert [one["file"] for one in said["items"]] == ["default/deploy/web"]
    assert said["summary"]["exact"] == 1


def test_inspect_sums_up(plugin: Plugin, server: FaultServer) -> None:
    server.lists[IN_DEFAULT] = Listed(
        "apps/v1", "Deployment", [deployment("web"), deployment("cpu", limits={})]
    )
    code, out, _ = plugin("inspect", "deploy", "-o", "json")
    assert code == 0
    said = json.loads(out)
    assert [(one["kind"], one["name"], one["namespace"]) for one in said["items"]] == [
        ("Deployment", "web", "default")
    ]


def test_translate_keeps_what_asks_for_no_gpu(plugin: Plugin, server: FaultServer) -> None:
    server.lists[IN_DEFAULT] = Listed(
        "apps/v1", "Deployment", [deployment("web"), deployment("cpu", limits={})]
    )
    code, out, _ = plugin("translate", "deploy", "--to", "vke")
    assert code == 0
    assert [one["metadata"]["name"] for one in yaml.safe_load_all(out)] == ["web", "cpu"]


def test_a_refusal_prints_nothing(plugin: Plugin) -> None:
    code, out, err = plugin("translate", "deploy", "--to", "ack")
    assert (code, out) == (1, "")
    assert "deploy/bad:" in err


def test_an_output_folder_has_a_file_for_each(plugin: Plugin, server: FaultServer, tmp_path: Path) -> None:
    server.lists[EVERYWHERE] = Listed(
        "apps/v1", "Deployment", [deployment("web"), deployment("web", namespace="prod")]
    )
    code, out, _ = plugin("translate", "deploy", "-A", "--to", "vke", "--output-dir", "out")
    assert (code, out) == (0, "")
    found = sorted(
        str(path.relative_to(tmp_path / "work" / "out")) for path in Path("out").resolve().rglob("*.yaml")
    )
    assert found == ["default/deploy/web.yaml", "prod/deploy/web.yaml"]


# --- what is a file, what an object -------------------------------------------------------------


def test_files_and_objects_together(plugin: Plugin) -> None:
    Path("mine.yaml").write_text(
        yaml.safe_dump({"apiVersion": "apps/v1", "kind": "Deployment", **deployment("mine")})
    )
    code, out, _ = plugin("inspect", "mine.yaml", "deploy/web", "-o", "json")
    assert code == 0
    assert [one["file"] for one in json.loads(out)["items"]] == ["mine.yaml", "deploy/web"]


def test_files_alone_ask_no_server(plugin: Plugin, server: FaultServer) -> None:
    Path("mine.yaml").write_text(
        yaml.safe_dump({"apiVersion": "apps/v1", "kind": "Deployment", **deployment("mine")})
    )
    code, _, _ = plugin("lint", "mine.yaml", "--context", "faults")
    assert (code, server.count()) == (0, 0)


def test_a_folder_that_is_called_like_a_kind(plugin: Plugin, server: FaultServer) -> None:
    Path("deploy").mkdir()
    Path("deploy", "a.yaml").write_text("a: 1\n")
    code, out, err = plugin("lint", "deploy")
    assert (code, server.count()) == (0, 0)
    assert "note: deploy is a folder; for live objects write deployments.apps" in err
    code, out, err = plugin("lint", "deploy", "-n", "default")
    assert (code, server.count()) == (1, 1)
    assert "deploy/bad" in out


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        ("lint", 2, "error: nothing to work on: name a PATH or live objects"),
        ("lint nosuch.yaml", 3, "error: nosuch.yaml: no such file or directory"),
        (
            "lint nosuch",
            2,
            "error: nosuch: no such file, and the cluster has no such kind",
        ),
        ("lint deploy/web -l a=b", 2, "error: a selector and a name cannot be combined"),
        ("lint deploy/web -A", 2, "error: a named object is in one namespace"),
        ("lint deploy/web --fix", 2, "error: --fix changes files, not live objects"),
        ("translate deploy/web --to vke -i", 2, "error: --in-place changes files, not live objects"),
        ("lint deploy --context nix", 2, "error: the kubeconfig has no context 'nix'"),
        ("lint deploy --kubeconfig nix", 3, "error: kubeconfig nix: no such file or directory"),
        ("lint deploy --request-timeout soon", 2, "error: invalid value 'soon' for --request-timeout"),
        ("lint deploy -n A/b", 2, "error: invalid value 'A/b' for -n"),
        ("lint deploy/nix", 3, 'has no deployments "nix" in namespace default'),
        ("nosuch", 2, "error: no such command 'nosuch'"),
    ],
)
def test_what_cannot_be_is_one_line(plugin: Plugin, words: str, code: int, problem: str) -> None:
    got, out, err = plugin(*words.split())
    assert problem in err.splitlines()[0]
    assert (got, len([line for line in err.splitlines() if line.startswith("error")])) == (code, 1)
    assert "Traceback" not in err
    assert out in ("", "no findings in 0 files\n")


def test_nothing_there(plugin: Plugin, server: FaultServer) -> None:
    server.inject(Answer(200, b'{"kind": "DeploymentList", "items": []}'))
    code, _, err = plugin("lint", "deploy", "-l", "app=x")
    assert (code, err) == (
        3,
        "error: nothing to work on: no deploy in this namespace with labels app=x\n"
        "help: choose a namespace with -n, or all with -A\n",
    )
    assert server.requests()[0].query["labelSelector"] == "app=x"
    assert plugin("lint", "deploy", "--allow-empty")[0] == 0


def test_all_kinds_in_one_namespace(plugin: Plugin, server: FaultServer) -> None:
    assert plugin("lint", "-n", "default")[0] == 1
    assert [one.path.rpartition("/")[2] for one in server.requests()] == [
        "deployments", "statefulsets", "daemonsets", "jobs", "cronjobs", "cronjobs", "pods",
    ]  # fmt: skip


# --- faults -------------------------------------------------------------------------------------

FAULTS: dict[str, tuple[Fault, str, int]] = {
    "500": (faults.broken(), "fails (500), after 4 tries: etcdserver: leader changed", 4),
    "cut": (Cut(), "closes every connection", 4),
    "429": (faults.too_many(), "is too busy, after 4 tries", 4),
    "401": (faults.unauthorized(), "does not accept the credentials", 1),
    "403": (
        faults.forbidden(resource="deployments"),
        "user viewer may not list deployments in namespace default",
        1,
    ),
    "garbage": (faults.garbage(), "is not a JSON object", 1),
    "half": (faults.half_json(), "is not a JSON object", 1),
    "hang": (Hang(20), "did not answer within 0.3 s", 1),
}


@pytest.mark.parametrize("command", ["lint", "parse", "assess --to vke", "inspect", "translate --to vke"])
@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_is_one_line_and_exit_3(
    plugin: Plugin, server: FaultServer, name: str, command: str
) -> None:
    fault, words, requests = FAULTS[name]
    server.inject(fault)
    code, out, err = plugin(*command.split(), "deploy", "--request-timeout", "300ms")
    first, *others = err.splitlines()
    assert first.startswith("error: ")
    assert words in first
    assert all(line.startswith("help: ") for line in others)
    assert (code, out, server.count()) == (3, "", requests)


@pytest.mark.parametrize("command", ["lint", "translate --to vke"])
def test_a_fault_in_the_middle_leaves_nothing_half_done(
    plugin: Plugin, server: FaultServer, command: str
) -> None:
    many = [deployment(f"web-{n}") for n in range(501)]
    server.lists[IN_DEFAULT] = Listed("apps/v1", "Deployment", many)
    server.inject(faults.gone(), continued=True)
    code, out, err = plugin(*command.split(), "deploy")
    assert (code, out) == (3, "")
    assert "the list of deployments changed too much while it was read page by page" in err


def test_without_the_extra(plugin: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kubernetes", None)
    code, out, err = plugin("lint", "deploy")
    assert (code, out) == (2, "")
    assert err.splitlines()[0] == "error: live clusters need the extra: pip install 'gpuxlate[cluster]'"


# --- how it is called ---------------------------------------------------------------------------


def test_flags_may_stand_before_the_command(plugin: Plugin) -> None:
    code, out, _ = plugin("-n", "default", "--context=faults", "parse", "deploy/web")
    assert code == 0
    assert "cores: 20" in out


@pytest.mark.parametrize(
    ("given", "want"),
    [
        ("-n ml -A lint deploy", "lint -n ml -A deploy"),
        ("--context=a lint", "lint --context=a"),
        ("lint -n ml", "lint -n ml"),
        ("-n ml", "-n ml"),
        ("--help", "--help"),
    ],
)
def test_the_command_first(given: str, want: str) -> None:
    assert command_first(given.split()) == want.split()


def test_help_is_kubectls(plugin: Plugin) -> None:
    code, out, _ = plugin("--help")
    assert code == 0
    assert out.startswith("Usage: kubectl gpuxlate ")
    for name in ("translate", "nodes", "capacity", "preflight", "apply"):
        assert f"\n  {name} " in out
    code, out, _ = plugin("lint", "--help")
    assert out.startswith("Usage: kubectl gpuxlate lint ")
    for flag in (
        "--namespace",
        "--all-namespaces",
        "--selector",
        "--context",
        "--kubeconfig",
        "--request-timeout",
    ):
        assert flag in out


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (None, None),
        ("30", 30.0),
        ("1.5", 1.5),
        ("30s", 30.0),
        ("1m30s", 90.0),
        ("500ms", 0.5),
        ("2h", 7200.0),
        ("0", 0.0),
    ],
)
def test_durations(text: str | None, seconds: float | None) -> None:
    assert live_options.seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "s", "-1", "1x", "1s1m", "nan"])
def test_no_durations(text: str) -> None:
    with pytest.raises(CliError):
        live_options.seconds(text)


def test_gpuxlate_itself_stays_with_files(tmp_path: Path) -> None:
    program = "import sys; sys.argv[0] = 'gpuxlate'; from gpuxlate.cli import main; main()"
    for words, problem in ((["lint", "-A"], "no such option: -A"), (["nodes"], "no such command 'nodes'")):
        done = subprocess.run(
            [sys.executable, "-c", program, *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert problem in done.stderr


@pytest.mark.parametrize(("words", "client"), [("deploy/web", True), ("web.yaml", False)])
def test_the_client_is_imported_when_a_cluster_is_asked_for(
    kubeconfig: Path, words: str, client: bool
) -> None:
    program = (
        "import sys, atexit\n"
        "atexit.register(lambda: print(sorted(m for m in sys.modules if m.partition('.')[0] in\n"
        "    ('kubernetes', 'rich')), file=sys.stderr))\n"
        "sys.argv[0] = 'kubectl-gpuxlate'\n"
        "from gpuxlate.cli.kubectl import main\n"
        "main()"
    )
    (kubeconfig.parent / "web.yaml").write_text(
        json.dumps({"apiVersion": "apps/v1", "kind": "Deployment", **deployment("web")})
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "parse", words, "-o", "json", "--kubeconfig", str(kubeconfig)],
        capture_output=True, text=True, check=False, cwd=kubeconfig.parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded = done.stderr.splitlines()[-1]
    assert ("'kubernetes'" in loaded) is client
    assert "'rich'" not in loaded


# --- many objects -------------------------------------------------------------------------------


def test_twenty_thousand_pods_are_read_in_pages(
    plugin: Plugin, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pod(number: int) -> dict[str, Any]:
        made = pods.pod(f"p{number}", "n", {CORES: 33} if number % 5000 == 0 else {"cpu": 1})
        return {**made, "metadata": {**made["metadata"], "namespace": "default"}}

    server.lists["/api/v1/pods"] = Listed("v1", "Pod", pod, 20_000)
    texts: list[int] = []
    made = inputs.LiveInput

    def counted(name: str, path: None, named: bool, data: bytes) -> inputs.LiveInput:
        texts.append(len(data))
        return made(name, path, named, data=data)

    monkeypatch.setattr(inputs, "LiveInput", counted)
    code, out, _ = plugin("lint", "pods", "-A", "--format", "json")
    said = json.loads(out)
    assert code == 1
    assert {one["file"] for one in said["diagnostics"]} == {
        f"default/pod/p{n}" for n in range(0, 20_000, 5000)
    }
    assert said["summary"]["files"] == 20_000
    assert server.count("/api/v1/pods") == 40
    assert sum(1 for size in texts if size) == 4  # no text is made of what asks for no GPU


def test_the_token_is_nowhere(plugin: Plugin, server: FaultServer) -> None:
    server.inject(faults.status(400, "BadRequest", f"odd header Authorization: Bearer {TOKEN}"))
    code, _, err = plugin("lint", "deploy")
    assert code == 3
    assert "Bearer [hidden]" in err
