"""Huawei CCE, xGPU: parts of a card, its nodes. Facts: facts huawei-baidu-legacy 1."""

from __future__ import annotations

from gpuxlate.backends.huawei_cce.backend import BACKEND, CORE, MEMORY
from gpuxlate.backends.live import LiveNode, LivePod, Serves
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import CardProfile, Profile
from tests.backends.pods import codes, lint, pod, to

VOLCANO = "  schedulerName: volcano\n"


def test_a_part_elsewhere_is_no_whole_number() -> None:
    others = [("", "0.1"), ("  schedulerName: hami-scheduler\n", "0.1"), (VOLCANO, "1.5"), (VOLCANO, "-0.1")]
    pods = [pod(f"nvidia.com/gpu: {amount}", spec=spec) for spec, amount in others]
    assert {text: codes(lint(text)) for text in pods} == {text: ["K8S001"] for text in pods}


def test_a_part_becomes_keys_of_the_target() -> None:
    card = Profile("huawei-cce", cards=CardProfile(memory_mib=24258))
    done = to(pod("nvidia.com/gpu: 0.1", spec=VOLCANO), "neutral", profile=card)
    assert "gpuxlate.io/memory-mib: 2304" in done.text
    assert "nvidia.com/gpu" not in done.text


def test_keys_of_volcano_stay_a_look_alike() -> None:
    assert codes(lint(pod("volcano.sh/gpu-memory: 1024", spec=VOLCANO))) == ["GX006"]


# --- a live cluster -------------------------------------------------------------------------------


def test_a_node() -> None:
    """Allocatable are the sums over the cards: two of 189 units, which are 24192 MiB."""
    live = BACKEND.live
    assert live is not None
    node = live.view(LiveNode("n", {"accelerator": "nvidia-t4"}, {CORE: "200", MEMORY: "378"}))
    assert node is not None
    assert (node.serves, node.cards, node.card_mib, node.memory_mib) == (Serves.SHARES, 2, 24192, 48384)
    assert node.model == "nvidia-t4"
    assert live.view(LiveNode("n", {"accelerator": "nvidia-t4"}, {"nvidia.com/gpu": "1"})) is None
    half = live.view(LiveNode("n", {}, {CORE: "100"}))
    assert half is not None
    assert half.serves is Serves.NOTHING
    assert live.placements(LivePod(PodKeys()), node) == ()
