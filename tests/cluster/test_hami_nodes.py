"""Nodes of HAMi's family: what nodes and capacity show of them, and whether pods fit.

Cards of 64 GiB are what HAMi assumes of MetaX (Project-HAMi/HAMi, pkg/device/metax/device.go, 2026-08-21);
shares are those of its ``examples/hygon/default_use.yaml`` and ``examples/metax/sgpu/default_use.yaml``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.backends.live import Serves
from gpuxlate.cluster.nodes import gpu_node
from tests.cluster.asking import books
from tests.cluster.conftest import Run
from tests.cluster.fake import FakeServer
from tests.e2e import nodes as made
from tests.e2e import pods

DCU = {"hygon.com/dcunum": 1, "hygon.com/dcumem": 2000, "hygon.com/dcucores": 60}
SGPU = {"metax-tech.com/sgpu": 1, "metax-tech.com/vcore": 60, "metax-tech.com/vmemory": "4"}


def recorded(name: str, node: str, limits: Any, key: str, text: str) -> Any:
    return pods.pod(name, node, limits, annotations={f"hami.io/{key}-devices-allocated": text})


FLEET = [made.hygon("hygon-1"), made.metax("metax-1"), made.hami("hami-1")]
RUNNING = [
    recorded("dcu-a", "hygon-1", DCU, "dcu", f"{made.card_uuid('hygon-1', 1)},DCU,2000,60:;"),
    pods.pod("dcu-b", "hygon-1", DCU),
    recorded("sgpu-a", "metax-1", SGPU, "metax-sgpu", f"{made.card_uuid('metax-1', 0)},Metax-SGPU,4096,60:;"),
    # the scheduler gave all memory of the card, which the pod does not name
    recorded(
        "gpu-a", "hami-1", {"nvidia.com/gpu": 1}, "vgpu", f"{made.card_uuid('hami-1', 1)},NVIDIA,15109,0:;"
    ),
]


def test_nodes_as_they_print(run: Run) -> None:
    done = run(FakeServer(FLEET, RUNNING), "nodes")
    assert done.code == 0
    rows = {line.split()[0]: line.split()[1:] for line in done.out.splitlines()}
    assert rows["hygon-1"] == ["hami-hygon", "-", "-", "2", "DCU-K100_AI", "65536", "80", "127072", "?"]
    assert rows["metax-1"] == ["metax-sgpu", "-", "-", "2", "MXC500", "65536", "140", "126976", "1"]
    assert rows["hami-1"] == [
        "hami",
        "-",
        "hami-core",
        "2",
        "NVIDIA-Tesla",
        "T4",
        "15109",
        "100",
        "15109",
        "1",
    ]
    assert done.err == "note: hygon-1: the cards of 1 container are not recorded\n"


def test_who_holds_what(run: Run) -> None:
    out = run(FakeServer(FLEET, RUNNING), "capacity", "--pods").out
    for line in (
        "default/dcu-a main: 60 %, 2000 MiB",
        "default/dcu-b main: no card is recorded",
        "default/sgpu-a main: 60 %, 4096 MiB",
        "default/gpu-a main: the whole card",
    ):
        assert line in out
    data = json.loads(run(FakeServer(FLEET, RUNNING), "capacity", "-o", "json").out)
    cards = {one["name"]: [card["memoryMiB"] for card in one["cards"]] for one in data["nodes"]}
    assert cards == {"hami-1": [0, 15109], "hygon-1": [0, 2000], "metax-1": [4096, 0]}


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    resources: {limits: {%s}}
"""
GCU = made.node("a", resources={"enflame.com/gcu": 2})


@pytest.mark.parametrize(
    ("node", "limits", "said"),
    [
        (made.metax("a"), "metax-tech.com/sgpu: 1, metax-tech.com/vmemory: 4Gi", "fits: 1 pod"),
        (made.metax("a"), "metax-tech.com/sgpu: 3, metax-tech.com/vcore: 60", "it has 2 cards"),
        (made.hygon("a"), "hygon.com/dcunum: 1, hygon.com/dcumem: 70000", "at most 65536 MiB free"),
        # 80 % of 15109 MiB on each of two cards, which count as ten each
        (made.hami("a"), "nvidia.com/gpu: 2, nvidia.com/gpumem-percentage: 80", "fits: 1 pod"),
        (made.hami("a"), "nvidia.com/gpu: 3, nvidia.com/gpumem: 1000", "it has 2 cards"),
        # the key of every cloud is whole cards of HAMi here
        (made.hami("a"), "nvidia.com/gpu: 2", "web on cards 0, 1"),
        (made.hami("a"), "nvidia.com/gpu: 3", "it has 2 cards"),
        (GCU, "enflame.com/gcu: 2", "fits: 1 pod"),
        (GCU, "enflame.com/gcu: 3", "3 of enflame.com/gcu requested, 2 free"),
        (GCU, "enflame.com/gcu-memory: 8192", "does not serve shares"),
        (GCU, "nvidia.com/gpu: 1", "does not serve nvidia.com/gpu"),
    ],
)
def test_would_it_fit(run: Run, tmp_path: Path, node: Any, limits: str, said: str) -> None:
    (tmp_path / "web.yaml").write_text(POD % limits)
    done = run(FakeServer([node]), "capacity", "-f", "web.yaml")
    assert said in done.out, done.err


def test_a_card_takes_as_many_containers_as_the_node_says(run: Run, tmp_path: Path) -> None:
    (tmp_path / "web.yaml").write_text(POD % "nvidia.com/gpu: 1, nvidia.com/gpumem: 100")
    text = f"{made.card_uuid('a', 0)},NVIDIA,100,0:;"
    limits = {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 100}
    running = [recorded(f"pod-{number}", "a", limits, "vgpu", text) for number in range(2)]
    for split, said in ((2, "does not fit"), (3, "fits")):
        done = run(FakeServer([made.hami("a", cards=1, split=split)], running), "capacity", "-f", "web.yaml")
        assert f"\n{said}: 1 pod" in done.out


@pytest.mark.parametrize(("initialized", "cards"), [("False", [8000, 0]), ("True", [4000, 0])])
def test_init_containers_hold_cards_until_they_end(initialized: str, cards: list[int]) -> None:
    """The larger on a card, then the containers alone (HAMi, pkg/device/initContainer.go, 2026-08-21)."""
    card = made.card_uuid("a", 0)
    one = recorded(
        *("web", "a", {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 4000}),
        *("vgpu", f"{card},NVIDIA,8000,0:;{card},NVIDIA,4000,0:;"),
    )
    limits = {"nvidia.com/gpu": "1", "nvidia.com/gpumem": "8000"}
    one["spec"]["initContainers"] = [{"name": "init", "resources": {"limits": limits}}]
    one["status"]["conditions"] = [{"type": "Initialized", "status": initialized}]
    (ledger,) = books([made.hami("a")], [one]).ledgers.values()
    assert [each.memory_mib(None) for each in ledger.cards] == cards
    assert ledger.memory_free == 2 * 15109 - sum(cards)
    assert ledger.unplaced == []


@pytest.mark.parametrize(("replicas", "said"), [(1, "fits: 1 pod"), (2, "does not fit")])
def test_init_containers_are_reserved(run: Run, tmp_path: Path, replicas: int, said: str) -> None:
    limits = "resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: %s}}"
    (tmp_path / "web.yaml").write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
        f"spec:\n  replicas: {replicas}\n  template:\n    spec:\n"
        f"      initContainers: [{{name: init, {limits % 8000}}}]\n"
        f"      containers: [{{name: web, {limits % 4000}}}]\n"
    )
    done = run(FakeServer([made.hami("a", cards=1)]), "capacity", "-f", "web.yaml")
    assert said in done.out, done.err


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "[", "[1]", "[" * 100_000, '[{"id": ""}]', '[{"id": "a", "devmem": "much"}]', "x:"],
)
def test_a_list_of_cards_that_makes_no_sense_is_none(text: str) -> None:
    one = made.hami("a")
    one["metadata"]["annotations"] = {"hami.io/node-nvidia-register": text}
    found = gpu_node(one)
    assert found is not None  # its nvidia.com/gpu are no cards either
    assert (found.view.serves, found.view.target, found.view.cards) == (Serves.NOTHING, None, None)
    dcu = made.hygon("a")
    dcu["metadata"]["annotations"] = {"hami.io/node-dcu-register": text}
    assert gpu_node(dcu) is None


def test_whole_cards_of_amd_are_counted() -> None:
    """``amd.com/gpu`` is the key of AMD's own plugin too."""
    devices = json.dumps([{"id": "0", "count": 10, "devmem": 196608, "devcore": 100, "health": True}])
    node = made.node("a", annotations={"hami.io/node-amd-register": devices})
    found = books([node], [recorded("one", "a", {"amd.com/gpu": 1}, "amd", "0,AMDGPU,196608,100:;")]).ledgers[
        "a"
    ]
    assert (found.cards_free, found.memory_free, found.unplaced) == (0, 0, [])


def test_preflight_of_whole_cards_looks_at_the_shared_nodes(run: Run, tmp_path: Path) -> None:
    share = "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: web}\nspec: {cards: 1}\n"
    (tmp_path / "web.yaml").write_text(share)
    done = run(FakeServer([made.hami("a", labels={"gpu": "on"})]), "preflight", "--to", "hami", "web.yaml")
    assert "GPU nodes: one that serves hami" in done.out.split("\nmet\n")[1], done.err
