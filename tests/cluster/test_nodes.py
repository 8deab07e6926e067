"""What the nodes of each vendor serve and count, by ResourceSlices too, what is free, and their profile."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.backends.alibaba.nodes import infer_unit_mib
from gpuxlate.backends.cluster_nodes import NodeOffer
from gpuxlate.backends.nvidia_device_plugin import ProductName
from gpuxlate.cluster.nodes import gpu_node, gpu_nodes
from gpuxlate.cluster.pods import usage_of
from gpuxlate.cluster.server import ApiServer, ForbiddenError
from gpuxlate.config.configuration import load_profile
from gpuxlate.model.amounts import Amount, amount_of
from gpuxlate.model.share import Partition, Share
from gpuxlate.planning import ledger
from gpuxlate.planning.nodes import profile_data, targets_served, unit_is_known
from gpuxlate.yamltext.plain import dump_yaml
from tests.cluster.asking import HAMI_FLEET, ON_HAMI, Node, books, seen
from tests.cluster.conftest import Run
from tests.cluster.fake import FakeServer
from tests.e2e import nodes as made
from tests.e2e import pods


def profile(nodes: list[Node], target: str, version: str | None = None) -> tuple[dict[str, Any], list[str]]:
    return profile_data(gpu_nodes(FakeServer(nodes)), target, version)


VKE, ACK, TKE = "volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu"
SHARES, WHOLE, NOTHING = NodeOffer.SHARES, NodeOffer.WHOLE, NodeOffer.NOTHING
VIEWS = [
    # name, target, serves, policy, mode, cards, MiB of a card that pods may ask for, unit
    ("vke-fixed", VKE, SHARES, "fixed-share", "mgpu", 2, 22731, None),
    ("vke-burst", VKE, SHARES, "burst-share", "mgpu", 2, 22731, None),
    ("vke-native", VKE, SHARES, "best-effort", "mgpu", 4, 22731, None),
    # no label is fixed-share (S0); 30218 MiB of two cards (V)
    ("vke-unlabelled", VKE, SHARES, "fixed-share", "mgpu", 2, 15109, None),
    ("vke-whole", None, WHOLE, None, "nvidia", 8, None, None),
    ("ack-absent", ACK, WHOLE, None, "default", 4, 22731, None),
    ("ack-default", ACK, WHOLE, None, "default", 4, 22731, None),
    # 22 units of 1024 (facts: "A10: 22")
    ("ack-cgpu", ACK, SHARES, None, "cgpu", 4, 22 * 1024, 1024),
    ("ack-core-mem", ACK, SHARES, None, "core_mem", 4, 22 * 1024, 1024),
    ("ack-share", ACK, SHARES, None, "share", 4, 22 * 1024, 1024),
    ("ack-mps", ACK, SHARES, None, "mps", 4, 22 * 1024, 1024),
    ("ack-topology", ACK, WHOLE, None, "topology", 4, 22731, None),
    # 44 GiB of an L20 (DEMO); the abbreviation is the same policy (S003)
    ("tke-fixed", TKE, SHARES, "fixed-share", None, 2, 44 * 1024, None),
    ("tke-fs", TKE, SHARES, "fixed-share", None, 2, 44 * 1024, None),
    ("tke-burst", TKE, SHARES, "burst-share", None, 2, 44 * 1024, None),
    ("tke-unlabelled", TKE, SHARES, "best-effort", None, 2, 44 * 1024, None),
    ("whole-1", None, WHOLE, None, None, 8, None, None),
    # HAMi counts each card ten times as nvidia.com/gpu: the number of cards is that of its list
    ("hami-1", "hami", SHARES, None, "hami-core", 2, 15109, None),
]


def test_what_a_node_serves() -> None:
    said = {}
    named = {one["metadata"]["name"]: one for one in made.ALL}
    for name, *_ in VIEWS:
        view = seen(named[name])
        policy = None if view.policy is None else view.policy.value
        said[name] = (view.target, view.serves, policy, view.mode, view.cards, view.card_mib, view.unit_mib)
    assert said == {name: tuple(wanted) for name, *wanted in VIEWS}
    assert gpu_node(made.node("cpu-1")) is None


NO_SHARES: list[tuple[dict[str, str], dict[str, int], str]] = [
    ({"vke.node.gpu.schedule": "mgpu"}, {}, "no mGPU is allocatable"),
    ({"qgpu-device-enable": "enable"}, {}, "no qGPU is allocatable"),
    ({"ack.node.gpu.schedule": "cgpu"}, {"nvidia.com/gpu": 0}, "no aliyun.com/gpu-mem is allocatable"),
    ({"ack.node.gpu.schedule": "cpgu"}, {}, "is not a mode"),
    ({"gpushare": "true"}, {}, "no aliyun.com/gpu-mem is allocatable"),
    ({"nvidia.com/gpu.product": "NVIDIA-A10"}, {}, "no allocatable nvidia.com/gpu"),
]


def test_a_node_that_serves_nothing_says_so() -> None:
    for labels, resources, said in NO_SHARES:
        view = seen(made.node("n", labels=labels, resources=resources))
        assert view.serves is NOTHING, labels
        assert said in view.notes[0].replace("which is", "is")


def test_a_policy_that_is_none_is_told() -> None:
    for one in (made.vke("n", policy="shared"), made.tke("n", policy="true")):
        assert seen(one).policy is None
        assert re.search("is (no|not a) policy", seen(one).notes[0])


def test_the_unit_of_ack_is_never_guessed() -> None:
    units: dict[tuple[int, int | None], int | None] = {
        # A10: 22 units (RAY); V100: 15 units of 16160 MiB (S002); 128 MiB (ACK-UNIT); MiB (OSS)
        (22, 22731): 1024, (15, 16160): 1024, (177, 22731): 128, (16276, 16276): 1,
        (20, 22731): None, (22, None): None,
    }  # fmt: skip
    assert {(number, card): infer_unit_mib(number, card) for number, card in units} == units


def test_an_open_source_node_counts_mib() -> None:
    labels = {"gpushare": "true", "aliyun.accelerator/nvidia_mem": "16276MiB"}
    resources = {"aliyun.com/gpu-mem": 2 * 16276, "aliyun.com/gpu-count": 2}
    node = made.node("n", labels=labels, resources=resources)
    assert (seen(node).mode, seen(node).cards, seen(node).card_mib) == ("open source", 2, 16276)
    data, _ = profile([node], ACK)
    assert data["alibaba"] == {"memoryUnitMiB": 1, "openSource": True}


# --- HAMi's family -------------------------------------------------------------------------------

NO_CARDS = ["", "[]", "{}", "[", "[1]", "[" * 100_000, '[{"id": ""}]', '[{"id": "a", "devmem": "?"}]', "x:"]


@pytest.mark.parametrize("text", NO_CARDS)
def test_a_list_of_cards_that_makes_no_sense_is_none(text: str) -> None:
    one = made.hami("a")
    one["metadata"]["annotations"] = {"hami.io/node-nvidia-register": text}
    view = seen(one)  # its nvidia.com/gpu are no cards either
    assert (view.serves, view.target, view.cards) == (NOTHING, None, None)
    dcu = made.hygon("a")
    dcu["metadata"]["annotations"] = {"hami.io/node-dcu-register": text}
    assert gpu_node(dcu) is None


def test_pods_on_a_cordoned_card_take_nothing_of_the_others() -> None:
    node = made.hami("a")
    cards = json.loads(node["metadata"]["annotations"]["hami.io/node-nvidia-register"])
    node["metadata"]["annotations"]["hami.io/device-cordon"] = cards[1]["id"]
    record = {"hami.io/vgpu-devices-allocated": f"{cards[1]['id']},NVIDIA,4000,30:;"}
    limits = {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 4000, "nvidia.com/gpucores": 30}
    found = books([node], [pods.pod("one", "a", limits, annotations=record)]).ledgers["a"]
    assert (found.cards_free, found.memory_free, found.unplaced) == (1, cards[0]["devmem"], [])


def test_whole_cards_that_hami_numbers_are_cordoned_by_their_names() -> None:
    """gcu.go of Project-HAMi/HAMi v2.10.0, and TestGCUFit_DeviceCordon at ad358d3a."""
    node = made.node(
        "a", resources={"enflame.com/gcu": 3}, annotations={"hami.io/device-cordon": "a-GCU-1, "}
    )
    view = seen(node)
    assert (view.serves, view.cards, view.left_out) == (WHOLE, 2, ("a-GCU-1",))
    assert view.notes == ("left out: 1 of 3 cards, in hami.io/device-cordon, which counts from HAMi 2.11 on",)
    on = {name: {"hami.io/enflame-gcu-devices-allocated": f"a-GCU-{name},GCU,100,100:;"} for name in "01"}
    running = [pods.pod(name, "a", {"enflame.com/gcu": 1}, annotations=record) for name, record in on.items()]
    free = [books([node], some).ledgers["a"].cards_free for some in (running[1:], running)]
    assert free == [2, 1]  # what is on it takes nothing of the others
    node["metadata"]["annotations"] = {"hami.io/device-cordon": "a-GCU-0,a-GCU-1,a-GCU-2"}
    assert seen(node).serves is NOTHING


def test_whole_cards_of_amd_are_counted() -> None:
    """``amd.com/gpu`` is the key of AMD's own plugin too."""
    devices = json.dumps([{"id": "0", "count": 10, "devmem": 196608, "devcore": 100, "health": True}])
    node = made.node("a", annotations={"hami.io/node-amd-register": devices})
    record = {"hami.io/amd-devices-allocated": "0,AMDGPU,196608,100:;"}
    found = books([node], [pods.pod("one", "a", {"amd.com/gpu": 1}, annotations=record)]).ledgers["a"]
    assert (found.cards_free, found.memory_free, found.unplaced) == (0, 0, [])


# --- parts of cards: NVIDIA's device plugin with MIG, time-slicing and MPS, and GKE ---------------

MIG, CLIENTS, H100, A100 = "nvidia-mig", "nvidia-shared", "NVIDIA-H100-80GB-HBM3", "NVIDIA-A100-SXM4-40GB"
GPU, SHARED, MIG_1G = "nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.5gb"
OF_H100 = tuple((f"nvidia.com/mig-{name}", amount, name) for name, (amount, _, _) in made.H100.items())
OF_TWO = (*((key, 2 * amount, name) for key, amount, name in OF_H100), (GPU, 1, "card"))
BOTH = made.mig_mixed("n", cards=2, labels={"nvidia.com/gpu.replicas": "1"})
BOTH["status"]["allocatable"][GPU] = "1"
SHOWN = {"product": f"{A100}-MIG-1g.5gb-SHARED", "replicas": "3", "sharing-strategy": "time-slicing"}
LABELS = {f"{MIG_1G}.{name}": value for name, value in SHOWN.items()}
SLICED_MIG = made.node("n", labels=LABELS, resources={MIG_1G: 21})
MPS = made.sliced("n", "mps", renamed=True)
CUSTOM = made.mig_single("n", labels={"nvidia.com/mig.config": "custom"})
# seven partitions of a card, each for three clients
GKE_SLICED_MIG = made.gke("n", "nvidia-tesla-a100", 21, size="1g.5gb", strategy="time-sharing", of=3)
QUARTER, THIRD, OF_ANY = "1/4, time-slicing", "1g.5gb, 1/3, time-slicing", "1 of a number that nodes know"
Counted = tuple[tuple[str, int, str], ...]
PARTS: list[tuple[Node, str, str, int | None, str | None, Counted]] = [
    # node, target, mode, cards, model, what is counted: resource, amount, name
    (made.mig_mixed("n"), MIG, "MIG mixed", 1, H100, OF_H100),
    (BOTH, MIG, "MIG mixed", 2, H100, OF_TWO),
    # seven of them on a card (PARTED), all cards alike by mig.config
    (made.mig_single("n"), MIG, "MIG single", 2, A100, ((GPU, 14, "1g.5gb"),)),
    (CUSTOM, MIG, "MIG single", None, A100, ((GPU, 14, "1g.5gb"),)),
    (SLICED_MIG, MIG, "MIG mixed, time-slicing", None, None, ((MIG_1G, 21, THIRD),)),
    (made.sliced("n"), CLIENTS, "time-slicing", 2, "Tesla-T4", ((GPU, 8, QUARTER),)),
    (MPS, CLIENTS, "mps", 2, "Tesla-T4", ((SHARED, 8, "1/4, mps"),)),
    (made.node("n", resources={SHARED: 8}), CLIENTS, "shared", None, None, ((SHARED, 8, OF_ANY),)),
    (made.gke("n", strategy="time-sharing", of=4), "gke", "time-sharing", 2, "T4-16GB", ((GPU, 8, QUARTER),)),
    (GKE_SLICED_MIG, "gke", "MIG, time-sharing", 1, "A100-40GB", ((GPU, 21, THIRD),)),
    (made.gke("n", "nvidia-new", 3, size="1g.9gb"), "gke", "MIG", None, "nvidia-new", ((GPU, 3, "1g.9gb"),)),
]


@pytest.mark.parametrize(("node", "target", "mode", "cards", "model", "counted"), PARTS)
def test_what_a_node_counts(
    node: Node, target: str, mode: str, cards: int | None, model: str | None, counted: Counted
) -> None:
    view = seen(node)
    assert (view.target, view.serves, view.mode, view.cards) == (target, NodeOffer.PARTS, mode, cards)
    assert (view.model, view.notes) == (model, ())
    assert tuple((row.key, row.amount, row.name) for row in view.parts) == counted


def test_whole_cards() -> None:
    a30 = made.mig_single("n", labels={"nvidia.com/gpu.product": "NVIDIA-A30"})  # not divided
    once = made.node("n", labels={"nvidia.com/gpu.replicas": "1"}, resources={GPU: 2})
    for node, target in ((made.gke("n", "nvidia-l4", 2), "gke"), (a30, None), (once, None)):
        view = seen(node)
        assert (view.target, view.serves, view.whole_key) == (target, WHOLE, GPU)


STRATEGY, PRODUCT = "nvidia.com/mig.strategy", "nvidia.com/gpu.product"
INVALID = made.node("n", labels={PRODUCT: "NVIDIA-A30-MIG-INVALID"})
CONTRADICTIONS = [
    (made.mig_mixed("n", labels={"nvidia.com/mig.config.state": "pending"}), "mig.config.state is 'pending'"),
    (made.mig_mixed("n", labels={STRATEGY: "single"}), "plug-in runs with another one"),
    (made.mig_single("n", labels={STRATEGY: "mixed"}), "plug-in runs with another one"),
    (made.sliced("n", labels={"nvidia.com/gpu.replicas": "1"}), "gpu.replicas is 1: how many"),
    (made.sliced("n", labels={"nvidia.com/gpu.sharing-strategy": "none"}), "sharing-strategy is none"),
    (INVALID, "not all divided into partitions of one profile"),
    (made.gke("n", strategy="mps"), "gke-gpu-sharing-strategy without cloud.google.com/gke-max-shared"),
    (made.gke("n", strategy="fair", of=2), "'fair', which is not a strategy"),
    (made.gke("n", amount=0), "no nvidia.com/gpu is allocatable"),
]


def test_what_labels_contradict() -> None:
    notes = [(" ".join(seen(node).notes), said) for node, said in CONTRADICTIONS]
    assert [(note, said) for note, said in notes if said not in note] == []


def test_the_parts_of_a_product() -> None:
    products = {
        "NVIDIA-A10": ProductName("NVIDIA-A10"),
        "Tesla-T4-SHARED": ProductName("Tesla-T4", None, True),
        "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb": ProductName(A100, "1g.5gb"),
        "A30-MIG-1g.6gb.me-SHARED": ProductName("A30", "1g.6gb+me", True),
        "": ProductName(""),
    }
    assert {text: ProductName.of(text) for text in products} == products


# --- free ---------------------------------------------------------------------------------------

FREE = {
    # node: percent free, MiB free, untouched cards; None where pods without a record may hold any
    # 30 + 50 + 20 % recorded, 10 % without a record; 4096 + 8192 + 2048 + 1024 MiB
    "vke-fixed": (200 - 110, 2 * 22731 - 15360, None),
    # 60 % on two cards, and a whole one with all of its memory
    "vke-native": (400 - 160, 4 * 22731 - 8192 - 22731, 1),
    "vke-burst": (200, 2 * 22731, 2),
    # 4 + 8 + 3 units of 1024
    "ack-cgpu": (None, (88 - 15) * 1024, None),
    "ack-core-mem": (400 - 30, (88 - 6) * 1024, 3),
    "ack-default": (None, None, 3),
    # 20 + 160 + 10 %, 5 + 60 + 2 GiB
    "tke-fixed": (200 - 190, (88 - 67) * 1024, None),
    # offline compute takes none of the ordinary one
    "tke-burst": (200, (88 - 5) * 1024, 1),
    "hami-1": (200 - 30, 2 * 15109 - 3000, 1),
}


def test_what_is_free() -> None:
    server: ApiServer = FakeServer(made.ALL, pods.ALL)
    found = usage_of(server, gpu_nodes(server)).ledgers
    free = {name: (found[name].cores_free, found[name].memory_free, found[name].cards_free) for name in FREE}
    assert free == FREE


def test_the_order_of_nodes_and_pods_changes_nothing() -> None:
    def sums(seed: int) -> Any:
        mixed = random.Random(seed)
        nodes, running = list(made.ALL), list(pods.ALL)
        mixed.shuffle(nodes)
        mixed.shuffle(running)
        server = FakeServer(nodes, running)
        found = usage_of(server, gpu_nodes(server))
        cards = {name: [card.held for card in one.cards] for name, one in found.ledgers.items()}
        return ledger.sum_usage(found.ledgers.values()), cards, list(found.ledgers), found.waiting

    assert sums(1) == sums(2) == sums(3)
    assert sums(1)[0]["volcengine-mgpu"].nodes == 5


# --- the profile --------------------------------------------------------------------------------

A10, L20 = {"model": "NVIDIA-A10", "memoryMiB": 22731}, {"perNode": 2, "memoryMiB": 45056}
UNITS = {"alibaba": {"memoryUnitMiB": 1024, "isolation": "cgpu"}}
T4 = {"model": "Tesla-T4", "perNode": 2, "memoryMiB": 15360}
FOUR_MPS = {"sharing": {"strategy": "mps", "replicas": 4, "renamed": True}}
THREE = {"migStrategy": "single", "sharing": {"strategy": "time-slicing", "replicas": 3, "renamed": False}}
FIXED, SINGLE = {"policy": "fixed-share"}, {"migStrategy": "single"}
PROFILES: list[tuple[list[Node], str, dict[str, Any]]] = [
    # nodes, target, what is in the profile beside the version and the image
    ([made.vke("a"), made.vke("b")], VKE, {**FIXED, "cards": {**A10, "perNode": 2}}),
    ([made.ack("a", "cgpu"), made.ack("b", "core_mem")], ACK, {"cards": {**A10, "perNode": 4}, **UNITS}),
    ([made.tke("a")], TKE, {**FIXED, "cards": L20, "components": {"qgpuModule": "3.0.5"}}),
    ([made.mig_single("n")], MIG, {"cards": {"model": A100, "perNode": 2}, "nvidia": SINGLE}),
    ([MPS], CLIENTS, {"cards": T4, "nvidia": FOUR_MPS}),
    ([GKE_SLICED_MIG], "gke", {"cards": {"model": "A100-40GB", "perNode": 1}, "nvidia": THREE}),
]


@pytest.mark.parametrize(("nodes", "target", "wanted"), PROFILES)
def test_the_profile(nodes: list[Node], target: str, wanted: dict[str, Any]) -> None:
    data, notes = profile(nodes, target, "v1.28.9")
    image = {"nodeImage": "Debian GNU/Linux 12 (bookworm)"}
    said = {name: value for name, value in data.items() if name != "catalogue"}  # partitions: see below
    assert (said, notes) == ({"target": target, "kubernetesVersion": "v1.28.9", **image, **wanted}, [])
    assert dump_yaml(data).startswith(f"target: {target}\n")
    assert load_profile(data).target == target  # it is one that every command reads


def test_what_differs_is_left_out_and_told() -> None:
    data, notes = profile([made.vke("a"), made.vke("b", policy="native-burst-share", cards=4)], VKE)
    assert "policy" not in data
    assert data["cards"] == {"model": "NVIDIA-A10", "memoryMiB": 22731}
    assert notes == [
        "cards.perNode is left out: the nodes differ (2, 4)",
        "policy is left out: the nodes differ (best-effort, fixed-share)",
    ]


def test_units_that_differ_are_not_known() -> None:
    nodes = gpu_nodes(FakeServer([made.ack("a", "cgpu"), made.ack("b", "share", unit_mib=128)]))
    assert not unit_is_known(nodes, ACK)
    data, notes = profile_data(nodes, ACK, None)
    assert "alibaba" not in data  # the modes differ too
    assert any(note.startswith("alibaba.memoryUnitMiB is left out") for note in notes)
    assert unit_is_known(nodes[:1], ACK)


def test_targets_of_a_cluster() -> None:
    assert targets_served(gpu_nodes(FakeServer(made.ALL))) == (ACK, "hami", TKE, VKE)
    assert targets_served(gpu_nodes(FakeServer([made.vke_whole("a"), made.node("b")]))) == ()


def amount(data: dict[str, Any], partition: str) -> Amount:
    found = amount_of(Share(partition=Partition(partition)), load_profile(data))
    assert found is not None
    return found


def test_the_profile_has_the_partitions_of_the_nodes_and_no_others() -> None:
    data, _ = profile([made.mig_mixed("a"), made.mig_mixed("b")], MIG)
    # 16 of the 132 multiprocessors of the card, which only the catalogue has
    found = amount(data, "1g.10gb")
    assert (found.cores, found.memory_mib, found.source) == (13, 9984, "labels of the nodes")
    templates = {one["name"]: one["most"] for one in data["catalogue"][0]["templates"]}
    assert templates == {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}


def test_a_card_that_the_catalogue_has_not_is_described_by_its_nodes() -> None:
    data, _ = profile([made.mig_mixed("a", labels={"nvidia.com/gpu.product": "NVIDIA-Z1"})], MIG)
    found = amount(data, "2g.20gb")
    assert (found.memory_mib, found.card) == (20096, "NVIDIA-Z1 2g.20gb")


# --- the command --------------------------------------------------------------------------------


def test_as_they_print(run: Run) -> None:
    done = run(FakeServer(made.ALL, pods.ALL), "nodes --to ack")
    lines = {line.split()[0]: line.split("  ") for line in done.out.splitlines()}
    assert done.code == 0
    assert "22528 (22 x 1024)" in [cell.strip() for cell in lines["ack-core-mem"]]
    assert "alibaba-gpushare (whole cards)" in [cell.strip() for cell in lines["ack-default"]]
    assert "vke-fixed" not in lines
    assert "note: ack-cgpu: the cards of 1 container are not recorded" in done.err
    assert "note: ack-cordoned: it is cordoned" in done.err


def test_a_note_of_several_nodes_is_one(run: Run) -> None:
    cordoned = [{**one, "spec": {**one.get("spec", {}), "unschedulable": True}} for one in made.ALL]
    notes = run(FakeServer(cordoned, []), "nodes --to ack").err.splitlines()
    [closed] = [one for one in notes if "it is cordoned" in one]
    assert closed.startswith("note: ack-"), notes
    assert "more: it is cordoned" in closed
    assert len(notes) == len({one.rpartition(": ")[2] for one in notes})


def test_those_of_hamis_family(run: Run) -> None:
    done = run(FakeServer(HAMI_FLEET, ON_HAMI), "nodes")
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in done.out.splitlines()}
    assert rows["hygon-1"] == "hami-hygon - - 2 DCU-K100_AI 65536 80 127072 ?"
    assert rows["metax-1"] == "metax-sgpu - - 2 MXC500 65536 140 126976 1"
    assert rows["hami-1"] == "hami - hami-core 2 NVIDIA-Tesla T4 15109 100 15109 1"
    assert (done.code, done.err) == (0, "note: hygon-1: the cards of 1 container are not recorded\n")


def test_those_with_parts_of_cards(run: Run) -> None:
    running = [
        pods.pod("a", "mig-mixed", {"nvidia.com/mig-1g.10gb": 1}),
        pods.pod("b", "mig-single", {GPU: 3}),
        pods.pod("c", "gke-whole", {GPU: 1}),
    ]
    server = FakeServer(made.PARTS, running)
    done = run(server, "nodes")
    page = Path(__file__).parents[2] / "docs" / "partitions.md"
    assert f"```text\n{done.out}```\n" in page.read_text(encoding="utf-8")
    for line in ("1g.10gb: 1 of 2", "1g.5gb: 11 of 14", "1/4, mps: 8 of 8"):
        assert line in done.out
    assert "note: nodes of nvidia-mig differ (MIG mixed on mig-mixed; MIG single on mig-single)" in done.err
    items = {one["name"]: one for one in json.loads(run(server, "nodes -o json").out)["items"]}
    assert items["mig-mixed"]["parts"][0] == {
        "resource": "nvidia.com/mig-1g.10gb", "partition": "1g.10gb", "replica": None, "memoryMiB": 9984,
        "multiprocessors": 16, "there": 2, "taken": 1,
    }  # fmt: skip
    assert items["mps"]["parts"][0]["replica"] == {"of": 4, "strategy": "mps"}
    assert items["gke-whole"]["free"]["cards"] == 1
    out = run(server, "capacity").out
    assert "1g.10gb  nvidia.com/mig-1g.10gb  [############------------]  1 of 2 in use" in out
    parts = json.loads(run(server, "capacity -o json").out)["parts"]
    row = {"target": "nvidia-mig", "part": "1g.5gb", "nodes": 1, "there": 14, "free": 11, "most": 11}
    assert row in parts
    assert "nvidia-mig     1g.5gb" in out


def test_as_json(run: Run) -> None:
    data = json.loads(run(FakeServer(made.ALL, pods.ALL), "nodes -o json").out)
    assert data["format"] == "gpuxlate-nodes/v1"
    names = [one["name"] for one in data["items"]]
    assert names == sorted(names)
    fixed = next(one for one in data["items"] if one["name"] == "vke-fixed")
    assert fixed["free"] == {"cores": 90, "memoryMiB": 30102, "cards": None}
    done = run(FakeServer(made.ALL, pods.ALL), "nodes -l kubernetes.io/hostname=tke-fs -o json")
    assert [one["name"] for one in json.loads(done.out)["items"]] == ["tke-fs"]


def test_no_gpu_node(run: Run) -> None:
    done = run(FakeServer([made.node("cpu")]), "nodes")
    assert (done.code, done.out, done.err) == (0, "", "the cluster has no GPU nodes\n")


def test_as_a_profile(run: Run) -> None:
    server = FakeServer(made.ALL, pods.ALL, version="v1.28.9")
    done = run(server, "nodes -o profile --to tke")
    assert done.code == 0
    assert done.out.startswith("target: tencent-qgpu\nkubernetesVersion: v1.28.9\n")
    assert "policy is left out" in done.err
    assert ("list", "/api/v1/pods") not in server.requests  # pods say nothing of it


# --- devices of ResourceSlices, and what claims have of each card ---------------------------------

API = "/apis/resource.k8s.io/v1"
HAMI, NVIDIA = "hami-core-gpu.project-hami.io", "gpu.nvidia.com"
NODE = {"metadata": {"name": "n1", "labels": {}}}


def device(
    name: str, memory: str = "24Gi", *, shared: bool = True, kind: str = "hami-gpu", **more: Any
) -> Any:
    return {
        "name": name,
        "attributes": {"type": {"string": kind}, "productName": {"string": "A10"}},
        "capacity": {"cores": {"value": "100"}, "memory": {"value": memory}},
        **({"allowMultipleAllocations": True} if shared else {}),
        **more,
    }


def piece(devices: list[Any], driver: str = HAMI, generation: int = 1, node: str = "n1") -> Any:
    pool = {"name": node, "generation": generation, "resourceSliceCount": 1}
    spec = {"driver": driver, "nodeName": node, "pool": pool, "devices": devices}
    return {"metadata": {"name": "s"}, "spec": spec}


def claim(
    name: str, on: str, consumed: dict[str, str] | None, *pods: str, driver: str = HAMI, **more: Any
) -> Any:
    result = {"request": "gpu", "driver": driver, "pool": "n1", "device": on, "shareID": name, **more}
    if consumed is not None:
        result["consumedCapacity"] = consumed
    reserved = [{"resource": "pods", "name": pod, "uid": pod} for pod in pods]
    status = {"allocation": {"devices": {"results": [result]}}, "reservedFor": reserved}
    return {"metadata": {"name": name, "namespace": "ml"}, "status": status}


def server(
    slices: list[Any], claims: list[Any], classes: tuple[str, ...] = (HAMI, NVIDIA), api: str = API
) -> FakeServer:
    made = FakeServer([NODE])
    made.lists = {
        f"{api}/resourceslices": slices,
        f"{api}/resourceclaims": claims,
        f"{api}/deviceclasses": [{"metadata": {"name": name}} for name in classes],
    }
    return made


def nodes(run: Run, one: FakeServer) -> dict[str, Any]:
    ran = run(one, "nodes -o json")
    assert ran.code == 0, ran.err
    [item] = json.loads(ran.out)["items"]
    return dict(item)


SHARE = {"cores": "30", "memory": "4Gi"}
CLAIMS = [
    claim("a", "gpu-0", SHARE, "web-1"),
    claim("b", "gpu-0", {f"{HAMI}/cores": "0", f"{HAMI}/memory": "3000Mi"}, "web-2", "web-3"),
    claim("c", "gpu-1", {"cores": "100", "memory": "24Gi"}, "train"),
    claim("d", "gpu-1", SHARE, "doctor", adminAccess=True),
    {"metadata": {"name": "waits", "namespace": "ml"}},
]


@pytest.mark.parametrize("version", ["v1", "v1beta2", "v1beta1"])
def test_what_claims_leave(run: Run, version: str) -> None:
    """Capacity minus what is consumed, once for a claim of two pods; an older generation is not there."""
    devices = [device("gpu-0"), device("gpu-1"), device("gpu-2")]
    if version == "v1beta1":
        devices = [{"name": one.pop("name"), "basic": one} for one in devices]
    slices = [piece(devices, generation=2), piece([device("gone")], generation=1)]
    there = server(slices, CLAIMS, api=f"/apis/resource.k8s.io/{version}")
    found = nodes(run, there)
    assert (found["target"], found["serves"], found["model"]) == ("dra-hami", "shares", "A10")
    assert (found["cards"], found["cardMiB"], found["notes"]) == (3, 24576, [])
    assert found["free"] == {"cores": 170, "memoryMiB": 2 * 24576 - 4096 - 3000, "cards": 1}
    cards = json.loads(run(there, "capacity -o json").out)["nodes"][0]["cards"]
    taken = [(30, 7096, False), (100, 24576, True), (0, 0, False)]
    assert [(one["cores"], one["memoryMiB"], one["whole"]) for one in cards] == taken
    held = [("web-1", "claim a"), ("web-2, web-3", "claim b")]
    assert [(one["pod"], one["container"]) for one in cards[0]["held"]] == held
    text = run(there, "capacity --pods").out
    assert "ml/web-1 claim a: 30 %, 4096 MiB" in text
    assert "ml/train claim c: the whole card" in text
    room = json.loads(run(there, "capacity -o json").out)["targets"]
    assert [(one["target"], one["emptyCards"], one["coresFree"]) for one in room] == [("dra-hami", 1, 170)]


def test_cards_that_are_not_shared(run: Run) -> None:
    """A claim has all of the card, whatever it requests; a device of MIG is no card."""
    devices = [device(f"gpu-{n}", shared=False, kind="gpu") for n in range(2)]
    mig = device("mig-0", kind="mig", shared=False)
    claims = [claim("a", "gpu-0", None, "train", driver=NVIDIA)]
    found = nodes(run, server([piece([*devices, mig], NVIDIA)], claims))
    assert (found["target"], found["mode"], found["cards"]) == ("dra-nvidia", "exclusive", 2)
    assert found["free"] == {"cores": None, "memoryMiB": 24576, "cards": 1}
    assert found["notes"] == ["1 device is not counted: no cards"]


def test_cards_of_which_a_claim_has_a_partition(run: Run) -> None:
    """The card and its partitions consume one set of counters (KEP-4815): nobody gets the whole card."""

    def of(card: int, one: dict[str, Any]) -> dict[str, Any]:
        return {**one, "consumesCounters": [{"counterSet": f"gpu-{card}-counters", "counters": {}}]}

    cards = [of(n, device(f"gpu-{n}", shared=False, kind="gpu")) for n in range(2)]
    parts = [of(n, device(f"gpu-{n}-mig-0", kind="mig", shared=False)) for n in range(2)]
    claims = [claim("a", "gpu-1-mig-0", None, "web", driver=NVIDIA)]
    found = nodes(run, server([piece([*cards, *parts], NVIDIA)], claims))
    assert (found["cards"], found["free"]["cards"]) == (1, 1)
    assert found["notes"] == [
        "2 devices are not counted: no cards",
        "1 device is not counted: a claim has a partition of the card",
    ]


SIZES = "its cards differ: 24576 to 49152 MiB; the smallest is counted"
MIXED = "1 device is not counted: not shared, beside cards that are"
SAID: list[tuple[Any, tuple[str, ...], int, list[str]]] = [
    (device("b", "48Gi"), (HAMI,), 2, [SIZES]),
    (device("b", shared=False), (HAMI,), 1, [MIXED]),
    (device("b", taints=[{"effect": "NoSchedule"}]), (HAMI,), 1, ["1 device is not counted: tainted"]),
    (device("b", taints=[{"effect": "None"}]), (HAMI,), 2, []),
    (device("b"), (), 2, [f"the cluster has no DeviceClass {HAMI}, which claims would name"]),
]


def test_what_is_said_of_a_node(run: Run) -> None:
    for other, classes, cards, notes in SAID:
        found = nodes(run, server([piece([device("a"), other])], [], classes))
        assert (found["cards"], found["notes"]) == (cards, notes), other


def test_a_server_without_claims_and_one_that_refuses(run: Run) -> None:
    """Nothing is said of an API that is not there; what may not be read is one line, and no error."""
    for one in (FakeServer([NODE]), server([], [])):
        ran = run(one, "nodes")
        assert (ran.code, one.notes) == (0, [])
        assert "no GPU nodes" in ran.err
    for what in ("resourceslices", "resourceclaims"):
        refusing = server([piece([device("a")])], [])
        refusing.refused[f"{API}/{what}"] = ForbiddenError(f"user x may not list {what} across the cluster")
        assert run(refusing, "nodes").code == 0
        assert refusing.notes == [
            f"user x may not list {what} across the cluster: devices of claims are not counted"
        ]
