"""What commands on a server have in common, and how verify, capacity and plan end."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.asking import Node, deployment, share
from tests.cluster.conftest import Run
from tests.cluster.fake import FakeServer
from tests.e2e import nodes as made
from tests.e2e import pods
from tests.hostile.test_escapes import ESCAPES, harmful, obeyed

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


FIELDS: list[tuple[str, ...]] = [("name", "nodeName", "namespace"), ("annotations",), ("labels",)]


@pytest.mark.parametrize(
    "command",
    ["nodes", "capacity --pods", "capacity -f p.yaml", "preflight --to tke", "inspect pods -A",
     "plan -A --to tke --node A10-24GB:4", "lint pods -A", "lint pods -A --format github",
     "assess pods -A --to ack", "nodes -o json",
     "capacity -o json", "apply -f p.yaml --to tke --profile nobody", "apply -f p.yaml --dry-run=server"],
)  # fmt: skip
def test_nothing_on_a_server_acts_on_a_terminal_or_a_log(run: Run, command: str) -> None:
    for names in FIELDS:
        Path("p.yaml").write_text(json.dumps(hostile(pods.ALL[0], names)))
        done = run(FakeServer(hostile(made.ALL, names), hostile(pods.ALL, names)), command)
        assert done.code in (0, 1, 2, 3)
        assert done.out + done.err
        assert harmful(done.out) + harmful(done.err) == [], names
        assert obeyed(done.out) + obeyed(done.err) == [], names


# --- verify ---------------------------------------------------------------------------------------

CSV = "index, name, memory.total [MiB], memory.used [MiB]\n"
CGPU, SHARE_MODE = made.ack("n", "cgpu", card_mib=16160), made.ack("n", "share", card_mib=16160)
FOUR_UNITS = pods.ack("web", "n", pods.gpushare(4), {0: {0: 4}})
MGPU = pods.vke("web", "n", pods.mgpu(30, 4096), {"main": "0"})
QGPU = pods.tke("web", "n", pods.qgpu(20, 5), {"main": "0"})
VERIFY: list[tuple[Node, Node, str, int]] = [
    # node, pod, what nvidia-smi prints, exit code
    # 4 units of a V100 of 16160 MiB show 4309 MiB (S002), not all of the card; mode share isolates nothing
    (CGPU, FOUR_UNITS, "0, Tesla V100, 4309 MiB, 0 MiB\n", 0),
    (CGPU, FOUR_UNITS, "0, Tesla V100, 16160 MiB, 0 MiB\n", 1),
    (SHARE_MODE, FOUR_UNITS, "0, Tesla V100, 16160 MiB, 0 MiB\n", 0),
    (made.vke("n"), MGPU, "0, A10, 4096 MiB, 0 MiB\n", 0),
    (made.vke("n"), MGPU, "0, A10, 4096 MiB, 0 MiB\n1, A10, 4096 MiB, 0 MiB\n", 1),  # a card too many
    (made.tke("n"), QGPU, "0, L20, 5120 MiB, 0 MiB\n", 0),
    (made.vke_whole("n"), pods.pod("web", "n", {"nvidia.com/gpu": 1}), "0, L20, 46068 MiB, 0 MiB\n", 0),
]


@pytest.mark.parametrize(("node", "pod", "printed", "code"), VERIFY)
def test_verify_a_running_pod(run: Run, node: Node, pod: Node, printed: str, code: int) -> None:
    server = FakeServer([node], [pod])
    server.printed = CSV + printed
    done = run(server, "verify web")
    assert done.code == code, done
    assert done.out.startswith("default/web main\n")
    [asked] = [what for verb, what in server.requests if verb == "exec"]
    assert asked.startswith("default/web/main: nvidia-smi ")


@pytest.mark.parametrize(
    ("node", "limits", "part"),
    [
        (made.mig_mixed("mixed"), {"nvidia.com/mig-1g.10gb": 1}, "1g.10gb"),
        (made.mig_single("single"), {"nvidia.com/gpu": 2}, "2 x 1g.5gb"),
        (made.sliced("n"), {"nvidia.com/gpu": 1}, "1/4, time-slicing"),
    ],
)
def test_verify_does_not_measure_parts(run: Run, node: Node, limits: dict[str, int], part: str) -> None:
    server = FakeServer([node], [pods.pod("w", node["metadata"]["name"], limits)])
    server.printed = f"{CSV}0, A, 81559 MiB, 0 MiB\n"
    done = run(server, "verify w")
    assert done.code == 0
    assert f"what nvidia-smi shows of {part} is not documented" in done.err
    assert "81559" in done.out


# what else cannot be verified is in tests/errors/cases/11-live-objects.yaml
def test_which_container(run: Run) -> None:
    limits = {"a": pods.mgpu(30, 4096), "b": pods.mgpu(20, 2048), "log": {}}
    server = FakeServer([made.vke("n")], [pods.vke("web", "n", limits, {"a": "0", "b": "1"})])
    server.printed = f"{CSV}0, A10, 2048 MiB, 0 MiB\n"
    done = run(server, "verify web")
    assert done.code == 2
    assert "pass -c, one of: a, b" in done.err
    assert run(server, "verify web -c b").code == 0
    assert run(server, "verify pod/web -c a").code == 1
    done = run(server, "verify other")
    assert (done.code, done.out) == (3, "")
    assert "not found" in done.err


def test_the_file_form_is_still_there(run: Run) -> None:
    Path("share.yaml").write_text(share("{memoryMiB: 4096}"))
    Path("smi.csv").write_text(f"{CSV}0, A10, 4096 MiB, 0 MiB\n")
    server = FakeServer()
    done = run(server, "verify share.yaml --nvidia-smi smi.csv")
    assert (done.code, server.requests) == (0, [])
    assert run(server, "verify web --name x").code == 2


# --- what is free, and what is planned ------------------------------------------------------------


def test_capacity_says_what_still_fits(run: Run) -> None:
    done = run(FakeServer(made.ALL, pods.ALL), "capacity")
    assert (done.code, done.err) == (0, "")
    assert "LARGEST SHARES THAT FIT" in done.out
    data = json.loads(run(FakeServer(made.VKE, pods.VKE), "capacity -o json").out)
    assert [(one["target"], one["fragmented"]) for one in data["targets"]] == [("volcengine-mgpu", False)]
    assert run(FakeServer([], []), "capacity").out == "the cluster has no GPU nodes\n"


def test_plan_is_that_of_gpuxlate(run: Run) -> None:
    """Of files without a request to the server, and of live objects."""
    Path("web.yaml").write_text(deployment(json.dumps(pods.mgpu(30, 4096))[1:-1], 4))
    options = "--to tke --node A10-24GB:4 -o json"
    server = FakeServer([], [])
    of_file = run(server, f"plan web.yaml {options}")
    assert (of_file.code, server.requests) == (0, [])
    of_pods = run(FakeServer(made.VKE, [MGPU]), f"plan pods -A {options}")
    assert (of_pods.code, of_pods.err) == (0, "")
    for done, count in ((of_file, 4), (of_pods, 1)):
        data = json.loads(done.out)
        assert data["format"] == "gpuxlate-plan/v1"
        assert [(one["target"], one["pods"]) for one in data["targets"]] == [("tencent-qgpu", count)]
    nothing = run(FakeServer(), f"plan {options}")
    assert (nothing.code, "live objects: kubectl gpuxlate plan deploy/web" in nothing.err) == (2, True)
