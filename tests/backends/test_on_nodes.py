"""What the nodes of a profile do not have is refused when it is written, by the code that lint says it with.

Else a translation would write what lint, with the same profile, calls an error.
"""

from __future__ import annotations

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.base import ContainerShare
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Policy, Share
from gpuxlate.translation.pods.fit import Accept, fit_pod

A10 = CardProfile("A10", 2, 22731)
"""Two cards of which 22731 MiB can be used (Volcengine, EMR Serverless "mGPU")."""
LARGE, THREE = Share(cores=30, memory_mib=22732), Share(cards=3)
BURST, OPEN = Share(cores=30, memory_mib=4096, policy=Policy.BURST_SHARE), Share(cores=30, memory_mib=4096)

CASES: dict[str, tuple[str, Share, Profile, set[str]]] = {
    "VKE: cards of a node": ("volcengine-mgpu", THREE, Profile("vke", cards=A10), {"VKE020"}),
    "VKE: policy of the nodes": ("volcengine-mgpu", BURST, Profile("vke", policy="fixed-share"), {"VKE005"}),
    "VKE: none means fixed-share": (
        "volcengine-mgpu",
        OPEN,
        Profile("vke", policy="native-burst-share"),
        {"VKE005"},
    ),
    "VKE: the policy of the nodes": ("volcengine-mgpu", BURST, Profile("vke", policy="burst-share"), set()),
    "VKE: whole cards fit any policy": (
        "volcengine-mgpu",
        Share(),
        Profile("vke", policy="best-effort"),
        set(),
    ),
    "VKE: the profile of another cloud": (
        "volcengine-mgpu",
        BURST,
        Profile("tke", policy="fixed-share", cards=A10),
        set(),
    ),
    # 22 GiB of 22731 MiB can be asked for: 23 are more
    "TKE: MiB of a card": (
        "tencent-qgpu",
        Share(cores=30, memory_mib=23552),
        Profile("tke", cards=A10),
        {"TKE001"},
    ),
    "TKE: as much as a card has": (
        "tencent-qgpu",
        Share(cores=30, memory_mib=22528),
        Profile("tke", cards=A10),
        set(),
    ),
    "HAMi: MiB of a card": ("hami", LARGE, Profile("hami", cards=A10), {"HAMI004"}),
    "HAMi: cards of a node": ("hami", THREE, Profile("hami", cards=A10), {"HAMI005"}),
    "HAMi: no int32": ("hami", Share(memory_mib=2**31), Profile("hami"), {"HAMI004"}),
    "Volcano: MiB of a card": ("volcano-vgpu", LARGE, Profile("volcano", cards=A10), {"VOLC007"}),
    "Volcano: cards of a node": ("volcano-vgpu", THREE, Profile("volcano-vgpu", cards=A10), {"VOLC006"}),
    "Volcano: a card's own MiB": (
        "volcano-vgpu",
        Share(cores=30, memory_mib=22731),
        Profile("volcano-vgpu", cards=A10),
        set(),
    ),
}


@pytest.mark.parametrize(("target", "share", "profile", "codes"), CASES.values(), ids=CASES)
def test_what_the_nodes_do_not_have(target: str, share: Share, profile: Profile, codes: set[str]) -> None:
    fit = fit_pod([ContainerShare("main", 0, share=share)], registry.get(target), Accept(), profile)
    assert {one.code for one in fit.findings()} == codes
    assert fit.accepted == (not codes)


def test_percent_that_becomes_whole_cards() -> None:
    """1 % of the memory with all compute: in MiB first, then whole cards. The report says the last."""
    share = Share(cores=100, memory_percent=1)
    profile = Profile("vke", cards=A10)
    fit = fit_pod(
        [ContainerShare("main", 0, share=share)], registry.get("volcengine-mgpu"), Accept(True), profile
    )
    [outcome] = fit.outcomes
    assert [loss.code for loss in outcome.losses] == ["GX017", "VKE014"]
    assert outcome.given == Share()
