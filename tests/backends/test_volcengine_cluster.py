"""The rules of VKE mGPU that need a profile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuxlate.backends.volcengine import BACKEND
from gpuxlate.model.pod import Path, PodKeys
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.rules.base import Context, check_pod
from tests.backends.volcengine_pods import WEIGHT, Numbers, both, limit, note, pod, several

Finding = tuple[str, str, Path]
E, W = "error", "warning"
PART: Numbers = both("core", 30)


def found(keys: PodKeys, profile: Profile | None = None) -> list[Finding]:
    every = list(check_pod(BACKEND.rules, keys, Context(profile)))
    assert all(d.hint for d in every)
    return [(d.code, str(d.severity), d.path) for d in every]


VKE = "volcengine-mgpu"
WHERE_QOS, WHERE_LISTED = note("qos"), note("listed")
ONLINE = pod(PART, notes={"qos": "shared_cores"})
PLAIN, MULTI = pod(PART), pod(PART, notes=several("2"))


def components(**versions: str) -> Profile:
    return Profile(VKE, components=versions)


def nodes(per_node: int) -> Profile:
    return Profile(VKE, cards=CardProfile(per_node=per_node))


H20 = CardProfile("NVIDIA-H20", 8)

CLUSTER: list[tuple[str, PodKeys, Profile, list[Finding]]] = [
    # VKE005: docs 6461/1581673; a profile may use gpuxlate's own names
    (
        "other policy",
        pod(PART, notes=WEIGHT),
        Profile(VKE, policy="fixed-share"),
        [("VKE005", E, note("policy"))],
    ),
    ("default policy", PLAIN, Profile(VKE, policy="native-burst-share"), [("VKE005", E, limit("core"))]),
    ("same policy", pod(PART, notes=WEIGHT), Profile(VKE, policy="native-burst-share"), []),
    ("same policy, our name", pod(PART, notes=WEIGHT), Profile("vke", policy="best-effort"), []),
    ("default is fixed-share", PLAIN, Profile(VKE, policy="fixed-share"), []),
    ("whole cards", pod({"core": 100}), Profile(VKE, policy="native-burst-share"), []),
    (
        "the pod's own choice of nodes counts",
        pod(PART, notes=WEIGHT, selector=WEIGHT),
        Profile(VKE, policy="fixed-share"),
        [],
    ),
    # VKE010: 16 containers on a card
    ("16 on one card", pod(*[both("core", 5)] * 16), nodes(1), []),
    ("17 on one card", pod(*[both("core", 5)] * 17), nodes(1), [("VKE010", W, limit("core"))]),
    ("17 on two cards", pod(*[both("core", 5)] * 17), nodes(2), []),
    ("a part beside whole cards", pod({"core": 200}, PART), nodes(2), [("VKE010", W, limit("core"))]),
    # VKE020
    (
        "three of two",
        pod({"core": 30, "memory": 6144}, notes=several("3")),
        nodes(2),
        [("VKE020", E, WHERE_LISTED)],
    ),
    ("whole cards of two", pod({"core": 300}), nodes(2), [("VKE020", E, limit("core"))]),
    ("two of two", MULTI, nodes(2), []),
    (
        "nine of two are VKE019",
        pod({"core": 90, "memory": 36864}, notes=several("9")),
        nodes(2),
        [("VKE019", E, WHERE_LISTED)],
    ),
    # VKE033: the table of the colocation page
    ("old Kubernetes", ONLINE, Profile(VKE, "v1.28.15-vke.18"), [("VKE033", W, WHERE_QOS)]),
    ("first Kubernetes", ONLINE, Profile(VKE, "v1.28.15-vke.19"), []),
    ("old driver", ONLINE, components(mgpuDriver="0.07.35.22"), [("VKE033", W, WHERE_QOS)]),
    ("old component", ONLINE, components(mgpu="v0.5.9"), [("VKE033", W, WHERE_QOS)]),
    ("old webhook", ONLINE, components(generalWebhook="1.19.9"), [("VKE033", W, WHERE_QOS)]),
    ("image", ONLINE, Profile(VKE, node_image="veLinux 2.0"), [("VKE033", W, WHERE_QOS)]),
    (
        "first of all",
        ONLINE,
        components(mgpu="0.6.0", mgpuDriver="0.07.35.23", generalWebhook="v1.20.0"),
        [],
    ),
    ("other image", ONLINE, Profile(VKE, node_image="velinux1.0"), []),
    ("a pod without a level", PLAIN, Profile(VKE, "v1.20.15-vke.1", "ubuntu22.04"), []),
    # VKE034: docs 6460/159262
    ("several cards", MULTI, components(mgpu="v0.1.9"), [("VKE034", W, WHERE_LISTED)]),
    ("several cards, first", MULTI, components(mgpu="v0.2.0"), []),
    ("one card", PLAIN, components(mgpu="v0.1.9"), []),
    ("H20", PLAIN, replace(components(mgpu="v0.6.0"), cards=H20), [("VKE034", W, limit("core"))]),
    ("H20, first", PLAIN, replace(components(mgpu="v0.6.1"), cards=H20), []),
    (
        "much memory",
        PLAIN,
        replace(components(mgpu="v0.6.0"), cards=CardProfile(memory_mib=97871)),
        [("VKE034", W, limit("core"))],
    ),
    ("A10", PLAIN, replace(components(mgpu="v0.6.0"), cards=CardProfile("A10", 4, 22731)), []),
]


@pytest.mark.parametrize(
    ("keys", "profile", "expected"), [row[1:] for row in CLUSTER], ids=[row[0] for row in CLUSTER]
)
def test_with_a_profile(keys: PodKeys, profile: Profile, expected: list[Finding]) -> None:
    assert found(keys, profile) == expected


@pytest.mark.parametrize("row", [row for row in CLUSTER if row[3]], ids=lambda row: row[0])
def test_a_profile_of_another_vendor_says_nothing(row: tuple[str, PodKeys, Profile, list[Finding]]) -> None:
    _, keys, profile, _ = row
    assert found(keys, replace(profile, target="alibaba-gpushare")) == found(keys)
