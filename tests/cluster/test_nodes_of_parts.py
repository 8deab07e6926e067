"""Nodes that count parts of cards: NVIDIA's device plugin with MIG, time-slicing and MPS, and GKE."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.backends.device_plugin import Product
from gpuxlate.backends.live import Serves
from gpuxlate.cluster.nodes import gpu_node, gpu_nodes
from gpuxlate.config.configuration import load_profile
from gpuxlate.model.amounts import amount_of
from gpuxlate.model.parts import Partition
from gpuxlate.model.share import Share
from gpuxlate.planning.nodes import profile_data
from tests.cluster.conftest import Run
from tests.cluster.fake import FakeServer
from tests.e2e import nodes as made
from tests.e2e import pods

GPU, SHARED = "nvidia.com/gpu", "nvidia.com/gpu.shared"
OF_H100 = tuple((f"nvidia.com/mig-{name}", amount, name) for name, (amount, _, _) in made.H100.items())
BOTH = made.mig_mixed("n", cards=2, labels={"nvidia.com/gpu.replicas": "1"})
BOTH["status"]["allocatable"][GPU] = "1"
SLICED_MIG = made.node(
    "n",
    labels={
        "nvidia.com/mig-1g.5gb.product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED",
        "nvidia.com/mig-1g.5gb.replicas": "3",
        "nvidia.com/mig-1g.5gb.sharing-strategy": "time-slicing",
    },
    resources={"nvidia.com/mig-1g.5gb": 21},
)
VIEWS = [
    # node, target, mode, cards, model, what is counted: resource, amount, name
    (made.mig_mixed("n"), "nvidia-mig", "MIG mixed", 1, "NVIDIA-H100-80GB-HBM3", OF_H100),
    (
        BOTH,
        "nvidia-mig",
        "MIG mixed",
        2,
        "NVIDIA-H100-80GB-HBM3",
        (*((key, 2 * amount, name) for key, amount, name in OF_H100), (GPU, 1, "card")),
    ),
    # seven of them on a card (PARTED), all cards alike by mig.config
    (made.mig_single("n"), "nvidia-mig", "MIG single", 2, "NVIDIA-A100-SXM4-40GB", ((GPU, 14, "1g.5gb"),)),
    (
        made.mig_single("n", labels={"nvidia.com/mig.config": "custom"}),
        "nvidia-mig",
        "MIG single",
        None,
        "NVIDIA-A100-SXM4-40GB",
        ((GPU, 14, "1g.5gb"),),
    ),
    (
        SLICED_MIG,
        "nvidia-mig",
        "MIG mixed, time-slicing",
        None,
        None,
        (("nvidia.com/mig-1g.5gb", 21, "1g.5gb, 1/3, time-slicing"),),
    ),
    (
        made.sliced("n"),
        "nvidia-shared",
        "time-slicing",
        2,
        "Tesla-T4",
        ((GPU, 8, "1/4, time-slicing"),),
    ),
    (
        made.sliced("n", "mps", renamed=True),
        "nvidia-shared",
        "mps",
        2,
        "Tesla-T4",
        ((SHARED, 8, "1/4, mps"),),
    ),
    (
        made.node("n", resources={SHARED: 8}),
        "nvidia-shared",
        "shared",
        None,
        None,
        ((SHARED, 8, "1 of a number that nodes know"),),
    ),
    (
        made.gke("n", strategy="time-sharing", of=4),
        "gke",
        "time-sharing",
        2,
        "T4-16GB",
        ((GPU, 8, "1/4, time-slicing"),),
    ),
    # seven partitions of a card, each for three clients
    (
        made.gke("n", "nvidia-tesla-a100", 21, size="1g.5gb", strategy="time-sharing", of=3),
        "gke",
        "MIG, time-sharing",
        1,
        "A100-40GB",
        ((GPU, 21, "1g.5gb, 1/3, time-slicing"),),
    ),
    (made.gke("n", "nvidia-new", 3, size="1g.9gb"), "gke", "MIG", None, "nvidia-new", ((GPU, 3, "1g.9gb"),)),
]


@pytest.mark.parametrize(("node", "target", "mode", "cards", "model", "counted"), VIEWS)
def test_what_a_node_counts(
    node: Any, target: str, mode: str, cards: int | None, model: str | None, counted: Any
) -> None:
    found = gpu_node(node)
    assert found is not None
    view = found.view
    assert (view.target, view.serves, view.mode, view.cards) == (target, Serves.PARTS, mode, cards)
    assert view.model == model
    assert tuple((row.key, row.amount, row.name) for row in view.parts) == counted
    assert view.notes == ()


@pytest.mark.parametrize(
    ("node", "target"),
    [
        (made.gke("n", "nvidia-l4", 2), "gke"),
        (made.mig_single("n", labels={"nvidia.com/gpu.product": "NVIDIA-A30"}), None),  # not divided
        (made.node("n", labels={"nvidia.com/gpu.replicas": "1"}, resources={GPU: 2}), None),
    ],
)
def test_whole_cards(node: Any, target: str | None) -> None:
    found = gpu_node(node)
    assert found is not None
    assert (found.view.target, found.view.serves, found.view.whole_key) == (target, Serves.WHOLE, GPU)


@pytest.mark.parametrize(
    ("node", "said"),
    [
        (
            made.mig_mixed("n", labels={"nvidia.com/mig.config.state": "pending"}),
            "mig.config.state is 'pending'",
        ),
        (made.mig_mixed("n", labels={"nvidia.com/mig.strategy": "single"}), "plug-in runs with another one"),
        (made.mig_single("n", labels={"nvidia.com/mig.strategy": "mixed"}), "plug-in runs with another one"),
        (made.sliced("n", labels={"nvidia.com/gpu.replicas": "1"}), "gpu.replicas is 1: how many"),
        (made.sliced("n", labels={"nvidia.com/gpu.sharing-strategy": "none"}), "sharing-strategy is none"),
        (
            made.node("n", labels={"nvidia.com/gpu.product": "NVIDIA-A30-MIG-INVALID"}),
            "not all divided into partitions of one profile",
        ),
        (made.gke("n", strategy="mps"), "gke-gpu-sharing-strategy without cloud.google.com/gke-max-shared"),
        (made.gke("n", strategy="fair", of=2), "'fair', which is not a strategy"),
        (made.gke("n", amount=0), "no nvidia.com/gpu is allocatable"),
    ],
)
def test_what_labels_contradict(node: Any, said: str) -> None:
    found = gpu_node(node)
    assert found is not None
    assert said in " ".join(found.view.notes)


@pytest.mark.parametrize(
    ("text", "product"),
    [
        ("NVIDIA-A10", Product("NVIDIA-A10")),
        ("Tesla-T4-SHARED", Product("Tesla-T4", None, True)),
        ("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", Product("NVIDIA-A100-SXM4-40GB", "1g.5gb")),
        ("A30-MIG-1g.6gb.me-SHARED", Product("A30", "1g.6gb+me", True)),
        ("", Product("")),
    ],
)
def test_the_parts_of_a_product(text: str, product: Product) -> None:
    assert Product.of(text) == product


def test_nodes_as_they_print(run: Run) -> None:
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
    items = {one["name"]: one for one in json.loads(run(server, "nodes", "-o", "json").out)["items"]}
    assert items["mig-mixed"]["parts"][0] == {
        "resource": "nvidia.com/mig-1g.10gb",
        "partition": "1g.10gb",
        "replica": None,
        "memoryMiB": 9984,
        "multiprocessors": 16,
        "there": 2,
        "taken": 1,
    }
    assert items["mps"]["parts"][0]["replica"] == {"of": 4, "strategy": "mps"}
    assert items["gke-whole"]["free"]["cards"] == 1
    out = run(server, "capacity").out
    assert "1g.10gb  nvidia.com/mig-1g.10gb  [############------------]  1 of 2 in use" in out
    parts = json.loads(run(server, "plan", "-o", "json").out)["parts"]
    row = {"target": "nvidia-mig", "part": "1g.5gb", "nodes": 1, "there": 14, "free": 11, "most": 11}
    assert row in parts
    assert "nvidia-mig     1g.5gb" in run(server, "plan").out


# --- the profile ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("node", "target", "cards", "part"),
    [
        (
            made.mig_single("n"),
            "nvidia-mig",
            {"model": "NVIDIA-A100-SXM4-40GB", "perNode": 2},
            {"migStrategy": "single"},
        ),
        (
            made.sliced("n", "mps", renamed=True),
            "nvidia-shared",
            {"model": "Tesla-T4", "perNode": 2, "memoryMiB": 15360},
            {"sharing": {"strategy": "mps", "replicas": 4, "renamed": True}},
        ),
        (
            made.gke("n", "nvidia-tesla-a100", 21, size="1g.5gb", strategy="time-sharing", of=3),
            "gke",
            {"model": "A100-40GB", "perNode": 1},
            {
                "migStrategy": "single",
                "sharing": {"strategy": "time-slicing", "replicas": 3, "renamed": False},
            },
        ),
    ],
)
def test_the_profile(node: Any, target: str, cards: dict[str, Any], part: dict[str, Any]) -> None:
    data, notes = profile_data(gpu_nodes(FakeServer([node])), target, None)
    assert (data["cards"], data["nvidia"], notes) == (cards, part, [])
    assert load_profile(data).target == target


def test_the_profile_has_the_partitions_of_the_nodes_and_no_others() -> None:
    data, _ = profile_data(
        gpu_nodes(FakeServer([made.mig_mixed("a"), made.mig_mixed("b")])), "nvidia-mig", None
    )
    profile = load_profile(data)
    # 16 of the 132 multiprocessors of the card, which only the catalogue has
    found = amount_of(Share(partition=Partition("1g.10gb")), profile)
    assert found is not None
    assert (found.cores, found.memory_mib, found.source) == (13, 9984, "labels of the nodes")
    templates = {one["name"]: one["most"] for one in data["catalogue"][0]["templates"]}
    assert templates == {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}


def test_a_card_that_the_catalogue_has_not_is_described_by_its_nodes() -> None:
    labels = {"nvidia.com/gpu.product": "NVIDIA-Z1"}
    data, _ = profile_data(gpu_nodes(FakeServer([made.mig_mixed("a", labels=labels)])), "nvidia-mig", None)
    found = amount_of(Share(partition=Partition("2g.20gb")), load_profile(data))
    assert found is not None
    assert (found.memory_mib, found.card) == (20096, "NVIDIA-Z1 2g.20gb")


# --- preflight and capacity -----------------------------------------------------------------------

SHARE = "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: web}\nspec: %s\n"
MIXED, SINGLE = made.mig_mixed("mixed"), made.mig_single("single")


@pytest.mark.parametrize(
    ("nodes", "target", "spec", "code", "said"),
    [
        (
            [MIXED],
            "nvidia-mig",
            "{partition: {profile: 1g.10gb, count: 2}}",
            0,
            "ready as far as known: mixed",
        ),
        (
            [MIXED],
            "nvidia-mig",
            "{partition: {profile: 1g.10gb, count: 3}}",
            1,
            "has at most 2",
        ),
        # each node gets the pod as its strategy has it
        ([MIXED, SINGLE], "nvidia-mig", "{partition: {profile: 1g.5gb}}", 0, "ready as far as known: single"),
        ([MIXED], "nvidia-mig", "{partition: {profile: 1g.20gb}}", 1, "no 1g.20gb on H100-80GB"),
        ([MIXED], "nvidia-mig", "{cores: 10, memoryMiB: 9000}", 0, "a pod with 1g.10gb"),
        ([MIXED], "nvidia-mig", "{cards: 1}", 1, "mixed: nvidia.com/mig-1g.10gb, nvidia.com/mig-2g"),
        ([made.node("n", resources={GPU: 1})], "nvidia-mig", "{cards: 1}", 0, "known: n"),
        ([made.sliced("n", "mps")], "nvidia-shared", "{replica: {of: 3, strategy: mps}}", 1, "have 1/4, mps"),
        (
            [made.sliced("n", "mps")],
            "nvidia-shared",
            "{cores: 20, memoryMiB: 3000}",
            0,
            "a pod with 1/4, mps",
        ),
        (made.PARTS, "gke", "{replica: {of: 4, strategy: time-slicing}}", 0, "known: gke-time"),
        (made.PARTS, "gke", "{replica: {of: 8, strategy: mps}}", 1, "gke-time: the pod selects"),
        (made.PARTS, "gke", "{cards: 2}", 0, "known: gke-whole"),
    ],
)
def test_preflight(
    run: Run, tmp_path: Path, nodes: list[Any], target: str, spec: str, code: int, said: str
) -> None:
    (tmp_path / "web.yaml").write_text(SHARE % spec)
    done = run(FakeServer(nodes, version="v1.35.3-gke.1"), "preflight", "--to", target, "web.yaml")
    assert done.code == code, done.out + done.err
    assert said in " ".join((done.out + done.err).split())


POD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeSelector: {%s}
      containers:
      - {name: web, image: web, resources: {limits: {%s}}}
"""
SLICES = "nvidia.com/gpu.sharing-strategy: time-slicing, nvidia.com/gpu.replicas: '%d'"


@pytest.mark.parametrize(
    ("node", "count", "selector", "limits", "said"),
    [
        (MIXED, 2, "", "nvidia.com/mig-1g.10gb: 1", "fits: 2 pods"),
        (MIXED, 3, "", "nvidia.com/mig-1g.10gb: 1", "3 of nvidia.com/mig-1g.10gb requested in all, 2 free"),
        (MIXED, 1, "", "nvidia.com/mig-1g.10gb: 3", "3 of nvidia.com/mig-1g.10gb requested, 2 free"),
        (MIXED, 1, "", "nvidia.com/mig-1g.5gb: 1", "it does not serve nvidia.com/mig-1g.5gb; it serves"),
        (SINGLE, 1, "", "nvidia.com/mig-1g.5gb: 1", "it serves nvidia.com/gpu (1g.5gb)"),
        (SINGLE, 1, "nvidia.com/mig.config: all-1g.5gb", "nvidia.com/gpu: 1", "fits: 1 pod"),
        (SINGLE, 1, "", "nvidia.com/gpu: 1", "warning: Deployment/web: nvidia.com/gpu is 1g.5gb"),
        (made.sliced("n"), 8, SLICES % 4, "nvidia.com/gpu: 1", "fits: 8 pods"),
        (made.sliced("n"), 1, SLICES % 8, "nvidia.com/gpu: 1", "the pod selects nvidia.com/gpu.replicas=8"),
        (made.sliced("n", renamed=True), 1, "", "nvidia.com/gpu: 1", "it does not serve nvidia.com/gpu"),
        (made.sliced("n", "mps", renamed=True), 1, "", "nvidia.com/gpu.shared: 2", "with MPS it has one"),
        (
            made.gke("n", size="1g.5gb"),
            1,
            "",
            "nvidia.com/mig-1g.5gb: 1",
            "it serves nvidia.com/gpu (1g.5gb)",
        ),
        (made.vke("n"), 1, "", "nvidia.com/mig-1g.5gb: 1", "it does not serve shares of nvidia-mig"),
    ],
)
def test_would_it_fit(
    run: Run, tmp_path: Path, node: Any, count: int, selector: str, limits: str, said: str
) -> None:
    (tmp_path / "web.yaml").write_text(POD % (count, selector, limits))
    done = run(FakeServer([node]), "capacity", "-f", "web.yaml")
    assert said in done.out, done.err


@pytest.mark.parametrize(
    ("node", "said"),
    [
        (MIXED, 'nvidia.com/mig-1g.10gb: "1"'),
        (SINGLE, "nvidia.com/mig.config: all-1g.5gb"),
        (made.gke("n", strategy="mps", of=3), 'cloud.google.com/gke-max-shared-clients-per-gpu: "3"'),
        (made.sliced("n"), "no part of a card is promised"),
    ],
)
def test_apply_writes_what_the_nodes_have(run: Run, tmp_path: Path, node: Any, said: str) -> None:
    limits = "gpuxlate.io/cores: 10, gpuxlate.io/memory-mib: 4000"
    (tmp_path / "web.yaml").write_text(POD % (1, "", limits))
    done = run(FakeServer([node]), "apply", "-f", "web.yaml", "--diff", "--round", "up")
    assert said in done.out + done.err


@pytest.mark.parametrize(
    ("node", "limits", "part"),
    [
        (MIXED, {"nvidia.com/mig-1g.10gb": 1}, "1g.10gb"),
        (SINGLE, {GPU: 2}, "2 x 1g.5gb"),
        (made.sliced("n"), {GPU: 1}, "1/4, time-slicing"),
    ],
)
def test_verify_does_not_measure_parts(run: Run, node: Any, limits: dict[str, int], part: str) -> None:
    pod = pods.pod("w", node["metadata"]["name"], limits)
    pod["status"]["phase"] = "Running"
    server = FakeServer([node], [pod])
    server.printed = "index, name, memory.total [MiB], memory.used [MiB]\n0, A, 81559 MiB, 0 MiB\n"
    done = run(server, "verify", "w")
    assert done.code == 0
    assert f"what nvidia-smi shows of {part} is not documented" in done.err
    assert "81559" in done.out
