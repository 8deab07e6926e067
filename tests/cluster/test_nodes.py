"""What nodes of each vendor serve, what is free on them, and the profile that they make."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from gpuxlate.backends.alibaba.nodes import unit_mib
from gpuxlate.backends.live import Serves
from gpuxlate.cluster.nodes import gpu_node, gpu_nodes
from gpuxlate.cluster.pods import books_of
from gpuxlate.cluster.server import Server
from gpuxlate.config.configuration import load_profile
from gpuxlate.model.share import Policy
from gpuxlate.planning import ledger
from gpuxlate.planning.nodes import profile_data, targets_served, unit_is_known
from gpuxlate.yamltext.plain import fresh
from tests.cluster.fake import FakeServer
from tests.e2e import nodes as made
from tests.e2e import pods

# name, target, serves, policy, mode, cards, MiB of a card that pods may ask for, unit
VIEWS = [
    ("vke-fixed", "volcengine-mgpu", Serves.SHARES, "fixed-share", "mgpu", 2, 22731, None),
    ("vke-burst", "volcengine-mgpu", Serves.SHARES, "burst-share", "mgpu", 2, 22731, None),
    ("vke-native", "volcengine-mgpu", Serves.SHARES, "best-effort", "mgpu", 4, 22731, None),
    # no label is fixed-share (S0); 30218 MiB of two cards (V)
    ("vke-unlabelled", "volcengine-mgpu", Serves.SHARES, "fixed-share", "mgpu", 2, 15109, None),
    ("vke-whole", None, Serves.WHOLE, None, "nvidia", 8, None, None),
    ("ack-absent", "alibaba-gpushare", Serves.WHOLE, None, "default", 4, 22731, None),
    ("ack-default", "alibaba-gpushare", Serves.WHOLE, None, "default", 4, 22731, None),
    # 22 units of 1024 (facts: "A10: 22")
    ("ack-cgpu", "alibaba-gpushare", Serves.SHARES, None, "cgpu", 4, 22 * 1024, 1024),
    ("ack-core-mem", "alibaba-gpushare", Serves.SHARES, None, "core_mem", 4, 22 * 1024, 1024),
    ("ack-share", "alibaba-gpushare", Serves.SHARES, None, "share", 4, 22 * 1024, 1024),
    ("ack-mps", "alibaba-gpushare", Serves.SHARES, None, "mps", 4, 22 * 1024, 1024),
    ("ack-topology", "alibaba-gpushare", Serves.WHOLE, None, "topology", 4, 22731, None),
    # 44 GiB of an L20 (DEMO); the abbreviation is the same policy (S003)
    ("tke-fixed", "tencent-qgpu", Serves.SHARES, "fixed-share", None, 2, 44 * 1024, None),
    ("tke-fs", "tencent-qgpu", Serves.SHARES, "fixed-share", None, 2, 44 * 1024, None),
    ("tke-burst", "tencent-qgpu", Serves.SHARES, "burst-share", None, 2, 44 * 1024, None),
    ("tke-unlabelled", "tencent-qgpu", Serves.SHARES, "best-effort", None, 2, 44 * 1024, None),
    ("whole-1", None, Serves.WHOLE, None, None, 8, None, None),
    # HAMi counts each card ten times as nvidia.com/gpu: the number of cards is that of its list
    ("hami-1", "hami", Serves.SHARES, None, "hami-core", 2, 15109, None),
]


@pytest.mark.parametrize(
    ("name", "target", "serves", "policy", "mode", "cards", "mib", "unit"), VIEWS, ids=[v[0] for v in VIEWS]
)
def test_what_a_node_serves(
    name: str,
    target: str | None,
    serves: Serves,
    policy: str | None,
    mode: str | None,
    cards: int | None,
    mib: int | None,
    unit: int | None,
) -> None:
    found = gpu_node(next(one for one in made.ALL if one["metadata"]["name"] == name))
    assert found is not None
    view = found.view
    assert (view.target, view.serves, view.mode, view.cards) == (target, serves, mode, cards)
    assert view.policy == (Policy(policy) if policy else None)
    assert (view.card_mib, view.unit_mib) == (mib, unit)


def test_a_node_without_gpus_is_none() -> None:
    assert gpu_node(made.node("cpu-1")) is None


@pytest.mark.parametrize(
    ("labels", "resources", "said"),
    [
        ({"vke.node.gpu.schedule": "mgpu"}, {}, "no mGPU is allocatable"),
        ({"qgpu-device-enable": "enable"}, {}, "no qGPU is allocatable"),
        ({"ack.node.gpu.schedule": "cgpu"}, {"nvidia.com/gpu": 0}, "no aliyun.com/gpu-mem is allocatable"),
        ({"ack.node.gpu.schedule": "cpgu"}, {}, "is not a mode"),
        ({"gpushare": "true"}, {}, "no aliyun.com/gpu-mem is allocatable"),
        ({"nvidia.com/gpu.product": "NVIDIA-A10"}, {}, "no allocatable nvidia.com/gpu"),
    ],
)
def test_a_node_that_serves_nothing_says_so(
    labels: dict[str, str], resources: dict[str, int], said: str
) -> None:
    found = gpu_node(made.node("n", labels=labels, resources=resources))
    assert found is not None
    assert found.view.serves is Serves.NOTHING
    assert said in found.view.notes[0].replace("which is", "is")


def test_a_policy_that_is_none_is_told() -> None:
    for one in (made.vke("n", policy="shared"), made.tke("n", policy="true")):
        found = gpu_node(one)
        assert found is not None
        assert found.view.policy is None
        assert re.search("is (no|not a) policy", found.view.notes[0])


@pytest.mark.parametrize(
    ("units", "card", "unit"),
    # A10: 22 units (RAY); V100: 15 units of 16160 MiB (S002); 128 MiB (ACK-UNIT); MiB (OSS)
    [
        (22, 22731, 1024),
        (15, 16160, 1024),
        (177, 22731, 128),
        (16276, 16276, 1),
        (20, 22731, None),
        (22, None, None),
    ],
)
def test_the_unit_of_ack_is_never_guessed(units: int, card: int | None, unit: int | None) -> None:
    assert unit_mib(units, card) == unit


def test_an_open_source_node_counts_mib() -> None:
    node = made.node(
        "n",
        labels={"gpushare": "true", "aliyun.accelerator/nvidia_mem": "16276MiB"},
        resources={"aliyun.com/gpu-mem": 2 * 16276, "aliyun.com/gpu-count": 2},
    )
    found = gpu_node(node)
    assert found is not None
    assert (found.view.mode, found.view.cards, found.view.card_mib) == ("open source", 2, 16276)
    data, _ = profile_data([found], "alibaba-gpushare", None)
    assert data["alibaba"] == {"memoryUnitMiB": 1, "openSource": True}


# --- free ---------------------------------------------------------------------------------------

# node, percent free, MiB free, untouched cards; None where pods without a record may hold any
FREE = [
    # 30 + 50 + 20 % recorded, 10 % without a record; 4096 + 8192 + 2048 + 1024 MiB
    ("vke-fixed", 200 - 110, 2 * 22731 - 15360, None),
    # 60 % on two cards, and a whole one with all of its memory
    ("vke-native", 400 - 160, 4 * 22731 - 8192 - 22731, 1),
    ("vke-burst", 200, 2 * 22731, 2),
    # 4 + 8 + 3 units of 1024
    ("ack-cgpu", None, (88 - 15) * 1024, None),
    ("ack-core-mem", 400 - 30, (88 - 6) * 1024, 3),
    ("ack-default", None, None, 3),
    # 20 + 160 + 10 %, 5 + 60 + 2 GiB
    ("tke-fixed", 200 - 190, (88 - 67) * 1024, None),
    # offline compute takes none of the ordinary one
    ("tke-burst", 200, (88 - 5) * 1024, 1),
    ("hami-1", 200 - 30, 2 * 15109 - 3000, 1),
]


@pytest.mark.parametrize(("name", "cores", "memory", "cards"), FREE, ids=[row[0] for row in FREE])
def test_what_is_free(name: str, cores: int | None, memory: int | None, cards: int | None) -> None:
    server: Server = FakeServer(made.ALL, pods.ALL)
    one = books_of(server, gpu_nodes(server)).ledgers[name]
    assert (one.cores_free, one.memory_free, one.cards_free) == (cores, memory, cards)


def test_the_order_of_nodes_and_pods_changes_nothing() -> None:
    def sums(seed: int) -> Any:
        mixed = random.Random(seed)
        nodes, running = list(made.ALL), list(pods.ALL)
        mixed.shuffle(nodes)
        mixed.shuffle(running)
        server = FakeServer(nodes, running)
        found = books_of(server, gpu_nodes(server))
        cards = {name: [card.held for card in one.cards] for name, one in found.ledgers.items()}
        return ledger.totals(found.ledgers.values()), cards, list(found.ledgers), found.waiting

    assert sums(1) == sums(2) == sums(3)
    assert sums(1)[0]["volcengine-mgpu"]["nodes"] == 5


# --- the profile --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "target", "wanted"),
    [
        (
            [made.vke("a"), made.vke("b")],
            "volcengine-mgpu",
            {
                "target": "volcengine-mgpu",
                "kubernetesVersion": "v1.28.9",
                "nodeImage": "Debian GNU/Linux 12 (bookworm)",
                "policy": "fixed-share",
                "cards": {"model": "NVIDIA-A10", "perNode": 2, "memoryMiB": 22731},
            },
        ),
        (
            [made.ack("a", "cgpu"), made.ack("b", "core_mem")],
            "alibaba-gpushare",
            {
                "target": "alibaba-gpushare",
                "kubernetesVersion": "v1.28.9",
                "nodeImage": "Debian GNU/Linux 12 (bookworm)",
                "cards": {"model": "NVIDIA-A10", "perNode": 4, "memoryMiB": 22731},
                "alibaba": {"memoryUnitMiB": 1024, "isolation": "cgpu"},
            },
        ),
        (
            [made.tke("a")],
            "tencent-qgpu",
            {
                "target": "tencent-qgpu",
                "kubernetesVersion": "v1.28.9",
                "nodeImage": "Debian GNU/Linux 12 (bookworm)",
                "policy": "fixed-share",
                "cards": {"perNode": 2, "memoryMiB": 45056},
                "components": {"qgpuModule": "3.0.5"},
            },
        ),
    ],
)
def test_the_profile(nodes: list[Any], target: str, wanted: dict[str, Any]) -> None:
    found = gpu_nodes(FakeServer(nodes))
    data, notes = profile_data(found, target, "v1.28.9")
    assert data == wanted
    assert notes == []
    assert fresh(data).startswith(f"target: {target}\n")
    assert load_profile(data).target == target  # it is one that every command reads


def test_what_differs_is_left_out_and_told() -> None:
    server = FakeServer([made.vke("a"), made.vke("b", policy="native-burst-share", cards=4)])
    data, notes = profile_data(gpu_nodes(server), "volcengine-mgpu", None)
    assert "policy" not in data
    assert data["cards"] == {"model": "NVIDIA-A10", "memoryMiB": 22731}
    assert notes == [
        "cards.perNode is left out: the nodes differ (2, 4)",
        "policy is left out: the nodes differ (best-effort, fixed-share)",
    ]


def test_units_that_differ_are_not_known() -> None:
    nodes = gpu_nodes(FakeServer([made.ack("a", "cgpu"), made.ack("b", "share", unit_mib=128)]))
    assert not unit_is_known(nodes, "alibaba-gpushare")
    data, notes = profile_data(nodes, "alibaba-gpushare", None)
    assert "alibaba" not in data  # the modes differ too
    assert any(note.startswith("alibaba.memoryUnitMiB is left out") for note in notes)
    assert unit_is_known(nodes[:1], "alibaba-gpushare")


def test_targets_of_a_cluster() -> None:
    assert targets_served(gpu_nodes(FakeServer(made.ALL))) == (
        "alibaba-gpushare", "hami", "tencent-qgpu", "volcengine-mgpu",
    )  # fmt: skip
    assert targets_served(gpu_nodes(FakeServer([made.vke_whole("a"), made.node("b")]))) == ()
