"""nodes, capacity and verify as they print, and how they end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.cli.bars import bar
from tests.cluster.conftest import Run
from tests.cluster.fake import FakeServer
from tests.e2e import nodes as made
from tests.e2e import pods
from tests.hostile.test_escapes import ESCAPES, harmful, obeyed

CSV = "index, name, memory.total [MiB], memory.used [MiB]\n"


def test_nodes_as_they_print(run: Run) -> None:
    done = run(FakeServer(made.ALL, pods.ALL), "nodes", "--to", "ack")
    lines = {line.split()[0]: line.split("  ") for line in done.out.splitlines()}
    assert done.code == 0
    assert "22528 (22 x 1024)" in [cell.strip() for cell in lines["ack-core-mem"]]
    assert "alibaba-gpushare (whole cards)" in [cell.strip() for cell in lines["ack-default"]]
    assert "vke-fixed" not in lines
    assert "note: ack-cgpu: the cards of 1 container are not recorded" in done.err
    assert "note: ack-cordoned: it is cordoned" in done.err


def test_nodes_as_json(run: Run) -> None:
    done = run(FakeServer(made.ALL, pods.ALL), "nodes", "-o", "json")
    data = json.loads(done.out)
    assert data["format"] == "gpuxlate-nodes/v1"
    names = [one["name"] for one in data["items"]]
    assert names == sorted(names)
    fixed = next(one for one in data["items"] if one["name"] == "vke-fixed")
    assert fixed["free"] == {"cores": 90, "memoryMiB": 30102, "cards": None}


def test_nodes_by_label(run: Run) -> None:
    server = FakeServer(made.ALL, pods.ALL)
    done = run(server, "nodes", "-l", "kubernetes.io/hostname=tke-fs", "-o", "json")
    assert [one["name"] for one in json.loads(done.out)["items"]] == ["tke-fs"]


def test_no_gpu_node(run: Run) -> None:
    done = run(FakeServer([made.node("cpu")]), "nodes")
    assert (done.code, done.out, done.err) == (0, "", "the cluster has no GPU nodes\n")
    assert run(FakeServer(), "nodes", "-o", "profile").code == 3


def test_a_profile_is_of_one_target(run: Run) -> None:
    server = FakeServer(made.ALL, pods.ALL, version="v1.28.9")
    done = run(server, "nodes", "-o", "profile")
    assert done.code == 2
    assert "--to" in done.err
    done = run(server, "nodes", "-o", "profile", "--to", "tke")
    assert done.code == 0
    assert done.out.startswith("target: tencent-qgpu\nkubernetesVersion: v1.28.9\n")
    assert "policy is left out" in done.err
    assert ("list", "/api/v1/pods") not in server.requests  # pods say nothing of it


@pytest.mark.parametrize("output", ["yaml", "wide"])
def test_an_output_that_is_none(run: Run, output: str) -> None:
    for command in (["nodes"], ["capacity"], ["plan"], ["preflight", "--to", "vke"], ["verify", "web"]):
        assert run(FakeServer(), *command, "-o", output).code == 2


# --- what others wrote ----------------------------------------------------------------------------


def hostile(made_by_others: Any, names: Sequence[str]) -> Any:
    """Objects with escapes and commands of CI systems in these fields, or in all texts of these mappings."""
    if isinstance(made_by_others, list):
        return [hostile(one, names) for one in made_by_others]
    if not isinstance(made_by_others, dict):
        return made_by_others
    return {
        key: f"::set-env name=x::{ESCAPES}{one}"
        if key in names and isinstance(one, str)
        else {name: f"{text}{ESCAPES}" for name, text in one.items()}
        if key in names and isinstance(one, dict)
        else hostile(one, names)
        for key, one in made_by_others.items()
    }


@pytest.mark.parametrize("names", [("name", "nodeName", "namespace"), ("annotations",), ("labels",)])
@pytest.mark.parametrize(
    "command",
    ["nodes", "capacity --pods", "capacity -f p.yaml", "plan", "preflight --to tke", "inspect pods -A",
     "lint pods -A", "lint pods -A --format github", "assess pods -A --to ack", "nodes -o json",
     "capacity -o json", "apply -f p.yaml --to tke --profile nobody", "apply -f p.yaml --dry-run=server"],
)  # fmt: skip
def test_nothing_on_a_server_acts_on_a_terminal_or_a_log(
    run: Run, command: str, names: tuple[str, ...]
) -> None:
    Path("p.yaml").write_text(json.dumps(hostile(pods.ALL[0], names)))
    done = run(FakeServer(hostile(made.ALL, names), hostile(pods.ALL, names)), *command.split())
    assert done.code in (0, 1, 2, 3)
    assert done.out + done.err
    assert harmful(done.out) + harmful(done.err) == []
    assert obeyed(done.out) + obeyed(done.err) == []


# --- capacity -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("taken", "there", "said"),
    [(0, 100, "[----]"), (1, 100, "[#---]"), (50, 100, "[##--]"), (99, 100, "[###-]"), (100, 100, "[####]"),
     (160, 100, "[####]"), (0, 0, "[----]")],
)  # fmt: skip
def test_a_bar(taken: int, there: int, said: str) -> None:
    assert bar(taken, there, 4) == said


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 200])
def test_bars_fit_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    done = run(FakeServer(made.ALL, pods.ALL), "capacity")
    assert done.code == 0
    drawn = [line for line in done.out.splitlines() if "[" in line]
    assert drawn
    assert max(map(len, drawn)) <= max(columns, 60)


def test_who_holds_what(run: Run) -> None:
    done = run(FakeServer(made.VKE, pods.VKE), "capacity", "--pods")
    assert "default/vke-a main: 30 %, 4096 MiB" in done.out
    assert "default/vke-whole-card main: the whole card" in done.out
    assert "default/vke-no-record main: no card is recorded" in done.out
    assert "1 GPU pod waits for a node" in done.out
    assert "default/vke-a" not in run(FakeServer(made.VKE, pods.VKE), "capacity").out


def test_capacity_as_json(run: Run) -> None:
    data = json.loads(run(FakeServer(made.VKE, pods.VKE), "capacity", "-o", "json").out)
    assert (data["format"], data["waiting"], data["answer"]) == ("gpuxlate-capacity/v1", 1, None)
    fixed = next(one for one in data["nodes"] if one["name"] == "vke-fixed")
    assert [(card["cores"], card["memoryMiB"]) for card in fixed["cards"]] == [(80, 12288), (20, 2048)]
    assert fixed["notPlaced"][0]["pod"] == "vke-no-record"


DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: web
        resources: {limits: {vke.volcengine.com/mgpu-core: %d, vke.volcengine.com/mgpu-memory: 8192}}
"""


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (DEPLOYMENT % 30, 0, "fits: 3 pods\n  Deployment/web #1 -> a: web on card 0"),
        (DEPLOYMENT % 60, 1, "does not fit: 3 pods, 2 of them fit"),
        (DEPLOYMENT.replace("kind: Deployment", "kind: DaemonSet") % 30, 1, "not known: 1 pod"),
        (DEPLOYMENT % 130, 1, "VKE013"),
        (DEPLOYMENT.replace("vke.volcengine.com/mgpu-core: %d, vke.volcengine.com/mgpu-memory: 8192",
                            "gpuxlate.io/cores: 30"), 1, "is written for neutral"),
        ("apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\n", 1, "a GPUShare document is not a manifest"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", 3, "no pod requests a GPU"),
        ("a: [\n", 1, "GX001"),
    ],
)  # fmt: skip
def test_would_it_fit(run: Run, tmp_path: Path, text: str, code: int, said: str) -> None:
    (tmp_path / "web.yaml").write_text(text)
    done = run(FakeServer([made.vke("a")]), "capacity", "-f", "web.yaml")
    assert done.code == code, done
    assert said in done.out + done.err


def test_an_answer_as_json(run: Run, tmp_path: Path) -> None:
    (tmp_path / "web.yaml").write_text(DEPLOYMENT % 60)
    done = run(FakeServer([made.vke("a")]), "capacity", "-f", "web.yaml", "-o", "json")
    answer = json.loads(done.out)["answer"]
    assert (answer["verdict"], answer["pods"], answer["podsThatFit"]) == ("does not fit", 3, 2)


# --- verify ---------------------------------------------------------------------------------------

VERIFY: list[tuple[str, Any, Any, str, int]] = [
    # 4 units of a V100 of 16160 MiB show 4309 MiB (S002)
    (
        "ACK",
        made.ack("n", "cgpu", card_mib=16160),
        pods.ack("web", "n", pods.gpushare(4), {0: {0: 4}}),
        "0, Tesla V100, 4309 MiB, 0 MiB\n",
        0,
    ),
    (
        "ACK, all of the card",
        made.ack("n", "cgpu", card_mib=16160),
        pods.ack("web", "n", pods.gpushare(4), {0: {0: 4}}),
        "0, Tesla V100, 16160 MiB, 0 MiB\n",
        1,
    ),
    (
        "ACK, mode share isolates nothing",
        made.ack("n", "share", card_mib=16160),
        pods.ack("web", "n", pods.gpushare(4), {0: {0: 4}}),
        "0, Tesla V100, 16160 MiB, 0 MiB\n",
        0,
    ),
    (
        "VKE",
        made.vke("n"),
        pods.vke("web", "n", pods.mgpu(30, 4096), {"main": "0"}),
        "0, A10, 4096 MiB, 0 MiB\n",
        0,
    ),
    (
        "VKE, a card too many",
        made.vke("n"),
        pods.vke("web", "n", pods.mgpu(30, 4096), {"main": "0"}),
        "0, A10, 4096 MiB, 0 MiB\n1, A10, 4096 MiB, 0 MiB\n",
        1,
    ),
    (
        "TKE",
        made.tke("n"),
        pods.tke("web", "n", pods.qgpu(20, 5), {"main": "0"}),
        "0, L20, 5120 MiB, 0 MiB\n",
        0,
    ),
    (
        "whole cards",
        made.vke_whole("n"),
        pods.pod("web", "n", {"nvidia.com/gpu": 1}),
        "0, L20, 46068 MiB, 0 MiB\n",
        0,
    ),
]


@pytest.mark.parametrize(
    ("node", "pod", "printed", "code"), [v[1:] for v in VERIFY], ids=[v[0] for v in VERIFY]
)
def test_verify_a_running_pod(run: Run, node: Any, pod: Any, printed: str, code: int) -> None:
    server = FakeServer([node], [pod])
    server.printed = CSV + printed
    done = run(server, "verify", "web")
    assert done.code == code, done
    assert done.out.startswith("default/web main\n")
    [asked] = [what for verb, what in server.requests if verb == "exec"]
    assert asked.startswith("default/web/main: nvidia-smi ")


def test_which_container(run: Run) -> None:
    limits = {"a": pods.mgpu(30, 4096), "b": pods.mgpu(20, 2048), "log": {}}
    server = FakeServer([made.vke("n")], [pods.vke("web", "n", limits, {"a": "0", "b": "1"})])
    server.printed = CSV + "0, A10, 2048 MiB, 0 MiB\n"
    done = run(server, "verify", "web")
    assert done.code == 2
    assert "pass -c, one of: a, b" in done.err
    assert run(server, "verify", "web", "-c", "b").code == 0
    assert run(server, "verify", "web", "-c", "a").code == 1
    assert "no share in container log" in run(server, "verify", "pod/web", "-c", "log").err


@pytest.mark.parametrize(
    ("pod", "code", "said"),
    [
        (pods.pod("web", None, pods.mgpu(30, 4096)), 3, "is not running: Pending"),
        (pods.pod("web", "n", {"cpu": 1}), 3, "requests no GPU"),
        (pods.pod("other", "n", {"cpu": 1}), 3, "not found"),
    ],
)
def test_what_cannot_be_verified(run: Run, pod: Any, code: int, said: str) -> None:
    done = run(FakeServer([made.vke("n")], [pod]), "verify", "web")
    assert (done.code, done.out) == (code, "")
    assert said in done.err


def test_what_is_no_output_of_nvidia_smi(run: Run) -> None:
    server = FakeServer([made.vke("n")], [pods.vke("web", "n", pods.mgpu(30, 4096), {"main": "0"})])
    server.printed = "No devices were found\n"
    done = run(server, "verify", "web")
    assert (done.code, done.out) == (1, "")
    assert "nvidia-smi finds no card" in done.err


def test_the_file_form_is_still_there(run: Run, tmp_path: Path) -> None:
    (tmp_path / "share.yaml").write_text(
        "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: web}\nspec: {memoryMiB: 4096}\n"
    )
    (tmp_path / "smi.csv").write_text(CSV + "0, A10, 4096 MiB, 0 MiB\n")
    server = FakeServer()
    done = run(server, "verify", "share.yaml", "--nvidia-smi", "smi.csv")
    assert (done.code, server.requests) == (0, [])
    assert run(server, "verify", "web", "--name", "x").code == 2
    assert run(server, "verify", "web", "db").code == 2


# --- plan -----------------------------------------------------------------------------------------


def test_plan_says_what_still_fits(run: Run) -> None:
    done = run(FakeServer(made.ALL, pods.ALL), "plan", "-A")
    assert (done.code, done.err) == (0, "")
    assert "LARGEST SHARES THAT FIT" in done.out
    assert "volcengine-mgpu" in done.out
    data = json.loads(run(FakeServer(made.VKE, pods.VKE), "plan", "-o", "json").out)
    assert (data["format"], data["waiting"]) == ("gpuxlate-room/v1", 1)
    assert run(FakeServer([], []), "plan").out == "the cluster has no GPU nodes\n"
