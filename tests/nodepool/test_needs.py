"""The labels, warnings and prerequisites of each cloud, for shares and profiles."""

from __future__ import annotations

import re

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.backends.requirements import CardsOf, NodeNeeds, Setter, State, fact_of
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Policy, Qos, Share

VKE, ACK, TKE = "volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu"
FIXED, BURST, BEST = Policy.FIXED_SHARE, Policy.BURST_SHARE, Policy.BEST_EFFORT

PART = Share(cores=30, memory_mib=4096)
MEMORY = Share(memory_mib=4096)
WHOLE = Share(cards=2)


def needs(target: str, share: Share, profile: Profile | None = None) -> NodeNeeds:
    found = registry.get(target).node_needs(share, profile)
    assert found is not None
    return found


def ack(**values: object) -> Profile:
    return Profile(ACK, extensions=(AlibabaProfile(**values),))  # type: ignore[arg-type]


def part(policy: Policy | None = None, qos: Qos | None = None) -> Share:
    return Share(1, 30, 4096, policy, qos)


MGPU_POLICY = "vke.volcengine.com/mgpu-compute-policy"
MGPU = ("vke.node.gpu.schedule=mgpu", Setter.CLOUD)
QGPU = ("qgpu-device-enable=enable", Setter.CLOUD)
BINPACK = ("ack.node.gpu.placement=binpack", Setter.OPTIONAL)

LABELS: list[tuple[str, Share, Profile | None, list[tuple[str, Setter]]]] = [
    # docs 6461/1581673: the three values; a node without the label is fixed-share
    (VKE, part(FIXED), None, [(f"{MGPU_POLICY}=fixed-share", Setter.YOU), MGPU]),
    (VKE, part(BURST), None, [(f"{MGPU_POLICY}=guaranteed-burst-share", Setter.YOU), MGPU]),
    (VKE, part(BEST), None, [(f"{MGPU_POLICY}=native-burst-share", Setter.YOU), MGPU]),
    (VKE, PART, None, [MGPU]),
    # the vendor's scheduler: whole cards are placed whatever the policy
    (VKE, Share(2, policy=BEST), None, [MGPU]),
    # ACK, enable-scheduling (2026-01-12): one mode for a node, compute on core_mem alone
    (ACK, PART, None, [("ack.node.gpu.schedule=core_mem", Setter.POOL), BINPACK]),
    (ACK, MEMORY, None, [("ack.node.gpu.schedule=cgpu", Setter.YOU), BINPACK]),
    (ACK, MEMORY, ack(isolation="share"), [("ack.node.gpu.schedule=share", Setter.YOU), BINPACK]),
    (ACK, MEMORY, ack(isolation="mps"), [("ack.node.gpu.schedule=mps", Setter.YOU), BINPACK]),
    (ACK, PART, ack(isolation="mps"), [("ack.node.gpu.schedule=core_mem", Setter.POOL), BINPACK]),
    (ACK, WHOLE, None, [("ack.node.gpu.schedule=default", Setter.OPTIONAL)]),
    (ACK, MEMORY, ack(open_source=True), [("gpushare=true", Setter.YOU)]),
    (ACK, WHOLE, ack(open_source=True), []),
    # "GPU sharing: using qGPU" (2024-11-25): the full name, or an abbreviation
    (TKE, part(FIXED), None, [("tke.cloud.tencent.com/qgpu-schedule-policy=fixed-share", Setter.YOU), QGPU]),
    (TKE, part(BEST), None, [("tke.cloud.tencent.com/qgpu-schedule-policy=best-effort", Setter.YOU), QGPU]),
    (TKE, PART, None, [QGPU]),
    (TKE, part(qos=Qos.OFFLINE), None, [QGPU, ("mixed-qgpu-enable=enable", Setter.OPTIONAL)]),
]


def test_labels() -> None:
    wrong = [
        (target, share, profile, found)
        for target, share, profile, expected in LABELS
        if (found := [(str(one), one.setter) for one in needs(target, share, profile).labels]) != expected
    ]
    assert wrong == []


WARNINGS: list[tuple[str, Share, Profile | None, str, bool]] = [
    # docs 6461/1581673 (2025-06-04)
    (VKE, part(FIXED), None, "restart every mGPU node", True),
    (VKE, part(FIXED), None, "value cannot be edited", True),
    (VKE, part(FIXED), None, "updating labels and taints", True),
    (VKE, PART, None, "restart", False),
    (VKE, WHOLE, None, "ECS nodes only", True),
    (VKE, PART, None, "velinux2.0", False),
    # the colocation page (2025-03-13)
    (VKE, part(FIXED, Qos.OFFLINE), None, "velinux2.0 or ubuntu22.04", True),
    (VKE, Share(2, 60, 8192), None, "native-burst-share", True),
    (VKE, Share(2, 60, 8192, BEST), None, "need native-burst-share", False),
    (ACK, PART, None, "use one policy (cGPU POLICY)", True),
    (ACK, PART, None, "do not label an existing node with kubectl", True),
    (ACK, MEMORY, None, "do not label an existing node with kubectl", False),
    (ACK, MEMORY, None, "does not restore exclusive cards", True),
    (ACK, WHOLE, None, "does not restore exclusive cards", True),
    (ACK, MEMORY, ack(isolation="share"), "until its kernel module is uninstalled", True),
    (ACK, MEMORY, None, "until its kernel module is uninstalled", False),
    (ACK, MEMORY, ack(isolation="share", memory_unit_mib=128), "autoscaling does not work", True),
    (TKE, PART, None, "use native nodes", True),
    (TKE, PART, None, "16 qGPU devices", True),
    (TKE, part(qos=Qos.ONLINE), None, "rebuilds the qgpu-manager and qgpu-scheduler pods", True),
]


def test_warnings() -> None:
    wrong = [
        (target, share, profile, words)
        for target, share, profile, words, expected in WARNINGS
        if any(words in one.text for one in needs(target, share, profile).warnings) is not expected
    ]
    assert wrong == []


def test_without_a_policy_the_default_is_told() -> None:
    for target, words in ((VKE, "are fixed-share"), (TKE, "are best-effort")):
        assert [words in one.text for one in needs(target, PART).remarks] == [True], target
        assert needs(target, part(FIXED)).remarks == (), target


def test_the_label_of_a_card_model_is_named() -> None:
    """Samples of aibrix on VKE, which choose ``NVIDIA-A10`` by it."""
    card = Profile(VKE, cards=CardProfile(model="A10"))
    words = "machine.cluster.vke.volcengine.com/gpu-name"
    assert [words in one.text for one in needs(VKE, part(FIXED), card).remarks] == [True]


MET, UNMET, UNKNOWN = State.MET, State.UNMET, State.UNKNOWN
ONLINE = part(FIXED, Qos.ONLINE)
TWO = Share(2, 160, 61440)
COLOCATION = "kubernetesVersion components.mgpu nodeImage policy cards.memoryMiB "


def states(met: str = "", unmet: str = "", unknown: str = "") -> dict[str, State]:
    rows = ((MET, met), (UNMET, unmet), (UNKNOWN, unknown))
    return {fact: state for state, facts in rows for fact in facts.split()}


DRIVERS = "components.mgpuDriver components.generalWebhook"
NEW = {"mgpu": "0.6.0", "mgpuDriver": "0.07.35.23", "generalWebhook": "v1.20.0"}
OLD = {"mgpu": "0.5.9", "mgpuDriver": "latest"}
OF_TKE = "kubernetesVersion cards.model cards.perNode cards.memoryMiB components.qgpuModule"
V100 = CardProfile("Tesla-V100-SXM2-32GB", 8, 32510)
A10, SMALL_A10 = CardProfile("A10", 4, 22731), CardProfile("A10", 4, 2048)
CHECKS: list[tuple[Share, Profile, dict[str, State]]] = [
    (
        ONLINE,
        Profile(VKE, "v1.28.15-vke.19", "velinux1.0", "fixed-share", A10, NEW),
        states(met=COLOCATION + DRIVERS),
    ),
    (
        ONLINE,
        Profile(VKE, "v1.28.15-vke.18", "veLinux 2.0", "native-burst-share", SMALL_A10, OLD),
        states(unmet=COLOCATION, unknown=DRIVERS),
    ),
    # a pod that names no policy is fixed-share
    (PART, Profile(VKE, policy="guaranteed-burst-share"), states(unmet="policy", unknown="cards.memoryMiB")),
    # docs 6460/159262: several cards from v0.2.0, cards such as H20 from v0.6.1
    (
        Share(2, 60, 8192, BEST),
        Profile(VKE, policy="best-effort", cards=CardProfile(per_node=1), components={"mgpu": "v0.1.9"}),
        states("policy", "cards.perNode components.mgpu", "cards.memoryMiB"),
    ),
    (
        WHOLE,
        Profile(VKE, cards=CardProfile("NVIDIA-H20", 8, 97871), components={"mgpu": "v0.6.0"}),
        states("cards.perNode", "components.mgpu"),
    ),
    # ACK, use-cgpu-to-allocate-computing-power (2026-03-26)
    (
        PART,
        Profile(ACK, "v1.18.8-aliyun.1", components={"cgpu": "1.0.4", "ackAiInstaller": "1.12.6"}),
        states("components.ackAiInstaller", "kubernetesVersion components.cgpu", "cards.memoryMiB"),
    ),
    (MEMORY, ack(isolation="mps"), states(unknown="cards.memoryMiB")),
    # "GPU sharing" (2024-11), docs 457/127667 and 457/117759
    (
        TWO,
        Profile(TKE, "v1.24.4-tke.5", cards=V100, components={"qgpu": "1.1.0", "qgpuModule": "3.0.5"}),
        states(OF_TKE, "components.qgpu"),
    ),
    (
        part(BURST),
        Profile(TKE, "v1.12.4-tke.30", policy="bs", cards=CardProfile("P40", 1, 22919)),
        states("policy cards.memoryMiB", "kubernetesVersion cards.model"),
    ),
]


@pytest.mark.parametrize(("share", "profile", "expected"), CHECKS)
def test_prerequisites(share: Share, profile: Profile, expected: dict[str, State]) -> None:
    worst: dict[str, State] = {}
    for one in needs(profile.target, share, profile).check(profile):
        fact = one.requirement.fact
        worst[fact] = UNMET if UNMET in (worst.get(fact), one.state) else one.state
    assert worst == expected


def test_architectures() -> None:
    bound = next(one.bound for one in registry.get(TKE).requirements if isinstance(one.bound, CardsOf))
    held = {"Tesla-T4": True, "NVIDIA-A10": True, "A100-SXM4-80GB": True, "P4": False, "L20": None}
    assert {model: bound.holds(model) for model in held} == held


@pytest.mark.parametrize("target", [VKE, ACK, TKE])
def test_every_need_of_a_cloud(target: str) -> None:
    """It has a source, a key of the data sheet, a fact of a profile; without a profile none is known."""
    backend = registry.get(target)
    found = needs(target, part(FIXED, Qos.OFFLINE))
    sources = [one.source for one in (*found.requirements, *backend.requirements)]
    sources += [*(one.source for one in found.labels), *(one.source for one in found.warnings)]
    assert all(one.title for one in sources)
    assert all(one.date is None or re.fullmatch(r"20\d\d(-\d\d){0,2}", one.date) for one in sources)
    assert {fact_of(Profile(target), one.fact) for one in backend.requirements} == {None}
    assert [one.key for one in found.labels if backend.find(one.key) is None] == []
    assert {one.state for one in found.check(None)} == {UNKNOWN}


def test_a_target_without_nodes_needs_none() -> None:
    assert registry.get("neutral").node_needs(PART) is None
    assert registry.get("neutral").requirements == ()
