"""Prerequisites against live nodes: met, not met, and what cannot be told from here."""

import json
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.requirements import RequirementState
from gpuxlate.cluster.nodes import gpu_nodes
from gpuxlate.model.share import Policy, Qos, Share
from gpuxlate.planning.preflight import PreflightReport, preflight, profile_for
from tests.cluster.asking import share
from tests.cluster.conftest import Run
from tests.cluster.fake import FakeServer
from tests.e2e import nodes as made

VKE, ACK, TKE = (registry.get(name) for name in ("vke", "ack", "tke"))


def flight(nodes: list[Any], backend: Any, version: str, wanted: Share | None = None) -> PreflightReport:
    found = gpu_nodes(FakeServer(nodes))
    profile = profile_for([one for one in found if one.view.target == backend.name], backend)
    needs = backend.node_requirements(wanted, profile) if wanted else None
    return preflight(found, backend, version, needs, wanted)


OFFLINE = Share(cores=30, memory_mib=4096, qos=Qos.OFFLINE)
FIXED = Share(cores=30, memory_mib=4096, policy=Policy.FIXED_SHARE)
MEMORY = Share(memory_mib=4096)
COMPUTE = Share(cores=30, memory_mib=4096)
TWO = Share(cards=2, cores=120, memory_mib=8192)

MET, UNMET, UNKNOWN = RequirementState.MET, RequirementState.UNMET, RequirementState.UNKNOWN
UBUNTU, MODE = "Ubuntu 22.04.3 LTS", "ack.node.gpu.schedule"
SINCE_1_28, AT_ACK, AT_TKE = "v1.28.0", "v1.28.9-aliyun.1", "v1.28.3-tke.9"
CASES: list[tuple[list[Any], Any, str, Share | None, str, RequirementState]] = [
    # nodes, target, version, share, the point, its state
    # a version before the first of its minor, that one, and one that does not tell (S1)
    ([made.vke("a")], VKE, "v1.28.15-vke.18", OFFLINE, "Kubernetes", UNMET),
    ([made.vke("a")], VKE, "v1.28.15-vke.19", OFFLINE, "Kubernetes", MET),
    ([made.vke("a")], VKE, "unknown", OFFLINE, "Kubernetes", UNKNOWN),
    # an image without colocation (S1), and where none is asked
    ([made.vke("a", image=UBUNTU)], VKE, "v1.30.4-vke.3", OFFLINE, "image", UNMET),
    ([made.vke("a", image=UBUNTU)], VKE, "v1.30.4-vke.3", FIXED, "GPU nodes", MET),
    # a component that no label names
    ([made.vke("a")], VKE, "v1.30.4-vke.3", OFFLINE, "the mgpu component", UNKNOWN),
    # no label is fixed-share (S0)
    ([made.vke("a", policy=None)], VKE, SINCE_1_28, FIXED, "mgpu-compute-policy", MET),
    ([made.vke("a", policy="native-burst-share")], VKE, SINCE_1_28, FIXED, "mgpu-compute-policy", UNMET),
    # the abbreviation is the same policy, no label is no fixed-share (S003)
    ([made.tke("a", policy="fs")], TKE, AT_TKE, FIXED, "qgpu-schedule-policy", MET),
    ([made.tke("a", policy=None)], TKE, AT_TKE, FIXED, "qgpu-schedule-policy", UNMET),
    # the kernel module, from its label (TC117759)
    ([made.tke("a", version="3.0.4")], TKE, AT_TKE, TWO, "kernel module", UNMET),
    ([made.tke("a", version="3.0.5")], TKE, AT_TKE, TWO, "kernel module", MET),
    # Kubernetes of TKE (S003)
    ([made.tke("a")], TKE, "v1.12.4-tke.2", COMPUTE, "Kubernetes", UNMET),
    # compute goes to core_mem (CORE), memory alone to the mode that is there; whole cards need no label
    ([made.ack("a", "cgpu")], ACK, AT_ACK, COMPUTE, MODE, UNMET),
    ([made.ack("a", "core_mem")], ACK, AT_ACK, COMPUTE, MODE, MET),
    ([made.ack("a", "mps")], ACK, AT_ACK, MEMORY, MODE, MET),
    ([made.ack("a", None)], ACK, AT_ACK, Share(cards=2), MODE, MET),
    ([made.ack("a", None, cards=1)], ACK, AT_ACK, Share(cards=2), "cards of a node", UNMET),
    ([made.vke("a", card_mib=4000)], VKE, SINCE_1_28, FIXED, "memory", UNMET),
    # no node of the target, none at all, none that takes pods
    ([made.tke("a")], VKE, SINCE_1_28, FIXED, "GPU nodes", UNMET),
    ([], VKE, SINCE_1_28, None, "GPU nodes", UNMET),
    ([made.vke("a", ready=False)], VKE, SINCE_1_28, FIXED, "GPU nodes", UNMET),
]


@pytest.mark.parametrize(("nodes", "backend", "version", "wanted", "what", "state"), CASES)
def test_what_is_met(
    nodes: list[Any], backend: Any, version: str, wanted: Share | None, what: str, state: RequirementState
) -> None:
    found = flight(nodes, backend, version, wanted)
    said = next(one for one in found.points if what in one.what)
    assert said.state is state
    assert found.failed is (state is UNMET)
    if state is UNKNOWN and said.what != "Kubernetes":
        assert said.to_tell


def test_one_node_must_have_it_all() -> None:
    """Each need is met somewhere, and on no node are all of them."""
    nodes = [made.tke("a", version="3.0.4"), made.tke("b", policy="burst-share")]
    two = Share(cards=2, cores=120, memory_mib=8192, policy=Policy.FIXED_SHARE)
    found = flight(nodes, TKE, "v1.28.3-tke.9", two)
    assert not any(one.failed for one in found.points)
    assert (found.ready, found.failed) == ((), True)
    assert flight([*nodes, made.tke("c")], TKE, "v1.28.3-tke.9", two).ready == ("c",)


# --- the command --------------------------------------------------------------------------------


def test_the_command(run: Run) -> None:
    Path("share.yaml").write_text(share("{cores: 30, memoryMiB: 4096, policy: fixed-share}"))
    server = FakeServer(made.VKE, version="v1.28.15-vke.19")
    done = run(server, "preflight --to vke share.yaml")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("web at volcengine-mgpu, Kubernetes v1.28.15-vke.19\n")
    assert "not met on vke-burst: guaranteed-burst-share" in done.out
    assert done.out.endswith("ready as far as known: vke-fixed, vke-unlabelled\n")

    done = run(server, "preflight --to vke -o json")
    data = json.loads(done.out)
    assert (done.code, data["format"]) == (0, "gpuxlate-preflight/v1")
    assert {one["state"] for one in data["items"][0]["points"]} == {"met", "not known"}

    done = run(server, "preflight --to ack share.yaml")
    assert done.code == 1
    assert "one that serves alibaba-gpushare" in done.out
    assert "vke-whole: whole cards" in done.out


MIG, CLIENTS = "nvidia-mig", "nvidia-shared"
MIXED, SINGLE, MPS = made.mig_mixed("mixed"), made.mig_single("single"), made.sliced("n", "mps")
PARTS: list[tuple[list[Any], str, str, int, str]] = [
    # nodes, target, spec of the share, exit code, what is said
    ([MIXED], MIG, "{partition: {profile: 1g.10gb, count: 2}}", 0, "ready as far as known: mixed"),
    ([MIXED], MIG, "{partition: {profile: 1g.10gb, count: 3}}", 1, "has at most 2"),
    # each node gets the pod as its strategy has it
    ([MIXED, SINGLE], MIG, "{partition: {profile: 1g.5gb}}", 0, "ready as far as known: single"),
    ([MIXED], MIG, "{partition: {profile: 1g.20gb}}", 1, "no 1g.20gb on H100-80GB"),
    ([MIXED], MIG, "{cores: 10, memoryMiB: 9000}", 0, "a pod with 1g.10gb"),
    ([MIXED], MIG, "{cards: 1}", 1, "mixed: nvidia.com/mig-1g.10gb, nvidia.com/mig-2g"),
    ([made.node("n", resources={"nvidia.com/gpu": 1})], MIG, "{cards: 1}", 0, "known: n"),
    ([MPS], CLIENTS, "{replica: {of: 3, strategy: mps}}", 1, "have 1/4, mps"),
    ([MPS], CLIENTS, "{cores: 20, memoryMiB: 3000}", 0, "a pod with 1/4, mps"),
    (made.PARTS, "gke", "{replica: {of: 4, strategy: time-slicing}}", 0, "known: gke-time"),
    (made.PARTS, "gke", "{replica: {of: 8, strategy: mps}}", 1, "gke-time: the pod selects"),
    (made.PARTS, "gke", "{cards: 2}", 0, "known: gke-whole"),
]


@pytest.mark.parametrize(("nodes", "target", "spec", "code", "said"), PARTS)
def test_parts_of_cards(run: Run, nodes: list[Any], target: str, spec: str, code: int, said: str) -> None:
    Path("web.yaml").write_text(share(spec))
    done = run(FakeServer(nodes, version="v1.35.3-gke.1"), f"preflight --to {target} web.yaml")
    assert done.code == code, done.out + done.err
    assert said in " ".join((done.out + done.err).split())


def test_whole_cards_look_at_the_shared_nodes_of_hami(run: Run) -> None:
    Path("web.yaml").write_text(share("{cards: 1}"))
    done = run(FakeServer([made.hami("a", labels={"gpu": "on"})]), "preflight --to hami web.yaml")
    assert "GPU nodes: one that serves hami" in done.out.split("\nmet\n")[1], done.err
