"""Prerequisites against live nodes: met, not met, and what cannot be told from here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.requirements import State
from gpuxlate.cluster.nodes import gpu_nodes
from gpuxlate.model.share import Policy, Qos, Share
from gpuxlate.planning.preflight import Flight, Point, preflight, profile_for
from tests.cluster.conftest import Run
from tests.cluster.fake import FakeServer
from tests.e2e import nodes as made

VKE, ACK, TKE = (registry.get(name) for name in ("vke", "ack", "tke"))


def flight(nodes: list[Any], backend: Any, version: str, share: Share | None = None) -> Flight:
    found = gpu_nodes(FakeServer(nodes))
    profile = profile_for([one for one in found if one.view.target == backend.name], backend)
    needs = backend.node_needs(share, profile) if share else None
    return preflight(found, backend, version, needs, share)


def point(of: Flight, what: str) -> Point:
    return next(one for one in of.points if what in one.what)


OFFLINE = Share(cores=30, memory_mib=4096, qos=Qos.OFFLINE)
FIXED = Share(cores=30, memory_mib=4096, policy=Policy.FIXED_SHARE)
MEMORY = Share(memory_mib=4096)
COMPUTE = Share(cores=30, memory_mib=4096)
TWO = Share(cards=2, cores=120, memory_mib=8192)

CASES = [
    # what, nodes, target, version, share, the point, its state, whether it fails
    (
        "a version before the first of its minor (S1)",
        [made.vke("a")],
        VKE,
        "v1.28.15-vke.18",
        OFFLINE,
        "Kubernetes",
        State.UNMET,
        True,
    ),
    (
        "the first version of its minor (S1)",
        [made.vke("a")],
        VKE,
        "v1.28.15-vke.19",
        OFFLINE,
        "Kubernetes",
        State.MET,
        False,
    ),
    (
        "a version that does not tell",
        [made.vke("a")],
        VKE,
        "unknown",
        OFFLINE,
        "Kubernetes",
        State.UNKNOWN,
        False,
    ),
    (
        "an image without colocation (S1)",
        [made.vke("a", image="Ubuntu 22.04.3 LTS")],
        VKE,
        "v1.30.4-vke.3",
        OFFLINE,
        "image",
        State.UNMET,
        True,
    ),
    (
        "the same image without colocation asked",
        [made.vke("a", image="Ubuntu 22.04.3 LTS")],
        VKE,
        "v1.30.4-vke.3",
        FIXED,
        "GPU nodes",
        State.MET,
        False,
    ),
    (
        "a component that no label names",
        [made.vke("a")],
        VKE,
        "v1.30.4-vke.3",
        OFFLINE,
        "the mgpu component",
        State.UNKNOWN,
        False,
    ),
    (
        "no label is fixed-share (S0)",
        [made.vke("a", policy=None)],
        VKE,
        "v1.28.0",
        FIXED,
        "mgpu-compute-policy",
        State.MET,
        False,
    ),
    (
        "another policy",
        [made.vke("a", policy="native-burst-share")],
        VKE,
        "v1.28.0",
        FIXED,
        "mgpu-compute-policy",
        State.UNMET,
        True,
    ),
    (
        "the abbreviation is the same policy (S003)",
        [made.tke("a", policy="fs")],
        TKE,
        "v1.28.3-tke.9",
        FIXED,
        "qgpu-schedule-policy",
        State.MET,
        False,
    ),
    (
        "no label is no fixed-share (S003)",
        [made.tke("a", policy=None)],
        TKE,
        "v1.28.3-tke.9",
        FIXED,
        "qgpu-schedule-policy",
        State.UNMET,
        True,
    ),
    (
        "the kernel module, from its label (TC117759)",
        [made.tke("a", version="3.0.4")],
        TKE,
        "v1.28.3-tke.9",
        TWO,
        "kernel module",
        State.UNMET,
        True,
    ),
    (
        "the kernel module is new enough",
        [made.tke("a", version="3.0.5")],
        TKE,
        "v1.28.3-tke.9",
        TWO,
        "kernel module",
        State.MET,
        False,
    ),
    (
        "Kubernetes of TKE (S003)",
        [made.tke("a")],
        TKE,
        "v1.12.4-tke.2",
        COMPUTE,
        "Kubernetes",
        State.UNMET,
        True,
    ),
    (
        "compute goes to core_mem (CORE)",
        [made.ack("a", "cgpu")],
        ACK,
        "v1.28.9-aliyun.1",
        COMPUTE,
        "ack.node.gpu.schedule",
        State.UNMET,
        True,
    ),
    (
        "core_mem is there",
        [made.ack("a", "core_mem")],
        ACK,
        "v1.28.9-aliyun.1",
        COMPUTE,
        "ack.node.gpu.schedule",
        State.MET,
        False,
    ),
    (
        "memory alone goes to the mode that is there",
        [made.ack("a", "mps")],
        ACK,
        "v1.28.9-aliyun.1",
        MEMORY,
        "ack.node.gpu.schedule",
        State.MET,
        False,
    ),
    (
        "whole cards need no label",
        [made.ack("a", None)],
        ACK,
        "v1.28.9-aliyun.1",
        Share(cards=2),
        "ack.node.gpu.schedule",
        State.MET,
        False,
    ),
    (
        "too few cards",
        [made.ack("a", None, cards=1)],
        ACK,
        "v1.28.9-aliyun.1",
        Share(cards=2),
        "cards of a node",
        State.UNMET,
        True,
    ),
    ("too little memory", [made.vke("a", card_mib=4000)], VKE, "v1.28.0", FIXED, "memory", State.UNMET, True),
    ("no node of the target", [made.tke("a")], VKE, "v1.28.0", FIXED, "GPU nodes", State.UNMET, True),
    ("no node at all", [], VKE, "v1.28.0", None, "GPU nodes", State.UNMET, True),
    (
        "none that takes pods",
        [made.vke("a", ready=False)],
        VKE,
        "v1.28.0",
        FIXED,
        "GPU nodes",
        State.UNMET,
        True,
    ),
]


@pytest.mark.parametrize(
    ("nodes", "backend", "version", "share", "what", "state", "failed"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_what_is_met(
    nodes: list[Any],
    backend: Any,
    version: str,
    share: Share | None,
    what: str,
    state: State,
    failed: bool,
) -> None:
    found = flight(nodes, backend, version, share)
    assert point(found, what).state is state
    assert found.failed is failed
    if state is State.UNKNOWN and point(found, what).what != "Kubernetes":
        assert point(found, what).tell


def test_one_node_must_have_it_all() -> None:
    """Each need is met somewhere, and on no node are all of them."""
    nodes = [made.tke("a", version="3.0.4"), made.tke("b", policy="burst-share")]
    two = Share(cards=2, cores=120, memory_mib=8192, policy=Policy.FIXED_SHARE)
    found = flight(nodes, TKE, "v1.28.3-tke.9", two)
    assert not any(one.failed for one in found.points)
    assert (found.ready, found.failed) == ((), True)
    assert flight([*nodes, made.tke("c")], TKE, "v1.28.3-tke.9", two).ready == ("c",)


def test_the_command(run: Run, tmp_path: Path) -> None:
    (tmp_path / "share.yaml").write_text(
        "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: web}\n"
        "spec: {cores: 30, memoryMiB: 4096, policy: fixed-share}\n"
    )
    server = FakeServer(made.VKE, version="v1.28.15-vke.19")
    done = run(server, "preflight", "--to", "vke", "share.yaml")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("web at volcengine-mgpu, Kubernetes v1.28.15-vke.19\n")
    assert "not met on vke-burst: guaranteed-burst-share" in done.out
    assert done.out.endswith("ready as far as known: vke-fixed, vke-unlabelled\n")

    done = run(server, "preflight", "--to", "vke", "-o", "json")
    data = json.loads(done.out)
    assert (done.code, data["format"]) == (0, "gpuxlate-preflight/v1")
    states = {one["state"] for one in data["items"][0]["points"]}
    assert states == {"met", "not known"}

    done = run(server, "preflight", "--to", "ack", "share.yaml")
    assert done.code == 1
    assert "one that serves alibaba-gpushare" in done.out
    assert "vke-whole: whole cards" in done.out


def test_a_target_without_nodes(run: Run) -> None:
    done = run(FakeServer(), "preflight", "--to", "neutral")
    assert (done.code, done.out) == (2, "")
    assert "neutral has no nodes" in done.err
