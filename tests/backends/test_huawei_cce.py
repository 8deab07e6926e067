"""Huawei CCE, xGPU: reading, writing, parts of a card, its nodes. Facts: facts huawei-baidu-legacy 1."""

from __future__ import annotations

import pytest

from gpuxlate.backends.huawei_cce.backend import BACKEND, CORE, MEMORY
from gpuxlate.backends.live import LiveNode, LivePod, Serves
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Share
from gpuxlate.translation.pods.fit import Accept
from gpuxlate.yamltext.source import Source

from .test_hami import pod, read, to

VOLCANO = "  schedulerName: volcano\n"
TWO = ', labels: {volcano.sh/gpu-num: "2"}'
CARD = Profile("huawei-cce", cards=CardProfile(memory_mib=24258))

READ = [
    ("", f"{MEMORY}: 40", Share(1, None, 5120)),
    ("", f"{MEMORY}: 40, {CORE}: 25", Share(1, 25, 5120)),
    (TWO, f"{MEMORY}: 64", Share(2, None, 8192)),
    (TWO, f"{MEMORY}: 64, {CORE}: 50", Share(2, 50, 8192)),
    ("", f"{MEMORY}: 40, {CORE}: 100", Share()),  # all compute is the whole card
    (TWO, f"{MEMORY}: 64, {CORE}: 100", Share(2, 100, 8192)),  # half of each
    (TWO, f"{MEMORY}: 64, {CORE}: 200", Share(2)),
]


@pytest.mark.parametrize(("metadata", "limits", "share"), READ, ids=[f"{row[0]}{row[1]}" for row in READ])
def test_reading(metadata: str, limits: str, share: Share) -> None:
    done = read(pod(limits, metadata=metadata, spec=VOLCANO))
    assert not done.refused, done.diagnostics
    assert [(one.share, one.source) for one in done.items] == [(share, "huawei-cce")]


# --- a part of nvidia.com/gpu -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "mib"),
    [("0.1", 2304), ("0.5", 12032), ("100m", 2304), ('"0.1"', 2304)],  # 2425.8, 12129: rounded down to 128
)
def test_a_part_of_a_card_is_memory_of_the_card(part: str, mib: int) -> None:
    done = read(pod(f"nvidia.com/gpu: {part}", spec=VOLCANO), CARD)
    assert not done.refused, done.diagnostics
    assert [(one.share, one.source) for one in done.items] == [(Share(1, None, mib), "huawei-cce")]
    assert {one.code for one in done.diagnostics} == {"CCE020"}


@pytest.mark.parametrize("profile", [None, Profile("hami", cards=CardProfile(memory_mib=24258))])
def test_without_the_card_a_part_is_refused(profile: Profile | None) -> None:
    done = read(pod("nvidia.com/gpu: 0.1", spec=VOLCANO), profile)
    assert done.refused
    [error] = [one for one in done.diagnostics if one.severity == "error"]
    assert error.code == "GX023"
    assert "cards.memoryMiB" in str(error.hint)


@pytest.mark.parametrize(
    ("spec", "amount"),
    [("", "0.1"), ("  schedulerName: hami-scheduler\n", "0.1"), (VOLCANO, "1.5"), (VOLCANO, "-0.1")],
)
def test_a_part_elsewhere_is_no_whole_number(spec: str, amount: str) -> None:
    found = lint_source(Source("pod.yaml", pod(f"nvidia.com/gpu: {amount}", spec=spec)), LintSettings())
    assert [one.code for one in found.diagnostics] == ["K8S001"]


def test_a_part_becomes_keys_of_the_target() -> None:
    done = to(pod("nvidia.com/gpu: 0.1", spec=VOLCANO), "neutral", profile=CARD)
    assert "gpuxlate.io/memory-mib: 2304" in done.text
    assert "nvidia.com/gpu" not in done.text


# --- writing --------------------------------------------------------------------------------------

HALVES = f"{MEMORY}: 64, {CORE}: 50"
WRITE = [
    ("gpuxlate.io/memory-mib: 5120", f"{MEMORY}: 40"),
    ("gpuxlate.io/cards: 2, gpuxlate.io/memory-mib: 8192, gpuxlate.io/cores: 50", HALVES),
    ("gpuxlate.io/cards: 2", "nvidia.com/gpu: 2"),
]


@pytest.mark.parametrize(("limits", "written"), WRITE)
def test_writing(limits: str, written: str) -> None:
    done = to(pod(limits), "huawei-cce")
    assert not done.refused, done.diagnostics
    found = done.text.partition("limits: {")[2].partition("}")[0]
    assert {one.strip() for one in found.split(",")} == {one.strip() for one in written.split(",")}
    assert ('volcano.sh/gpu-num: "2"' in done.text) == ("cores" in limits)


def test_rounding_up_to_all_compute_is_the_whole_card() -> None:
    done = to(pod("gpuxlate.io/memory-mib: 5120, gpuxlate.io/cores: 96"), "huawei-cce", Accept(round_up=True))
    assert not done.refused, done.diagnostics
    assert "nvidia.com/gpu: 1" in done.text


@pytest.mark.parametrize(
    ("policy", "limits", "codes"),
    [
        ("fixed-share", "gpuxlate.io/memory-mib: 5120, gpuxlate.io/cores: 25", []),
        ("best-effort", "gpuxlate.io/memory-mib: 5120, gpuxlate.io/cores: 25", ["GX020"]),
        ("fixed-share", "gpuxlate.io/memory-mib: 5120", ["GX020"]),  # no compute is set: none is isolated
    ],
)
def test_compute_that_is_set_is_a_fixed_share(policy: str, limits: str, codes: list[str]) -> None:
    done = to(pod(limits, metadata=f", annotations: {{gpuxlate.io/policy: {policy}}}"), "huawei-cce")
    assert [one.code for one in done.diagnostics if one.severity == "error"] == codes


def test_the_label_counts_for_one_share() -> None:
    """It is the pod's: neither a second share nor whole cards are beside it."""
    for other in ("gpuxlate.io/memory-mib: 1024", "gpuxlate.io/cards: 1"):
        text = pod("gpuxlate.io/cards: 2, gpuxlate.io/memory-mib: 8192")
        text += f"  - name: api\n    resources: {{limits: {{{other}}}}}\n"
        assert {one.code for one in to(text, "huawei-cce").diagnostics} == {"GX022"}


def test_keys_of_volcano_stay_a_look_alike() -> None:
    found = lint_source(Source("pod.yaml", pod("volcano.sh/gpu-memory: 1024", spec=VOLCANO)), LintSettings())
    assert [one.code for one in found.diagnostics] == ["GX006"]


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
