"""ACK: keys to shares and shares to keys, as tables. Sources: pages of ACK's documentation."""

from __future__ import annotations

from typing import Any

import pytest

from gpuxlate.backends.alibaba import BACKEND
from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.alibaba.profile import AlibabaProfile
from gpuxlate.backends.base import ContainerShare, Reading, Taking
from gpuxlate.model.diagnostics import LossKind
from gpuxlate.model.pod import NodeRequirement, PodKeys
from gpuxlate.model.profile import CardProfile, Profile
from gpuxlate.model.share import Policy, Qos, Share
from gpuxlate.model.sheet import Place
from gpuxlate.rules.base import Context
from gpuxlate.translation.pods.fit import Accept, PodFit, Verdict, fit_pod
from gpuxlate.translation.pods.reader import read_pod
from tests.backends.alibaba_pods import limit, pod


def reading_of(keys: PodKeys, profile: Profile | None = None) -> Reading:
    return BACKEND.read(Taking(keys), profile)


def shares(keys: PodKeys, profile: Profile | None = None) -> list[Share | None]:
    return [one.share for one in reading_of(keys, profile).containers]


def codes(reading: Reading) -> list[str]:
    return [one.code for one in (*reading.invalid, *reading.notes)]


def ack(**given: Any) -> Profile:
    return Profile("alibaba-gpushare", extensions=(AlibabaProfile(**given),))


# --- reading ----------------------------------------------------------------------------------

READ: dict[str, tuple[PodKeys, Share | None]] = {
    # multi-card-sharing-through-shared-gpu-scheduling, 2025-04-19: 8 units, 2 cards, 4 GiB each
    "vendor's two cards": (pod({k.MEMORY: 8}, labels={k.COUNT: "2"}), Share(2, None, 8192)),
    # AlibabaCloudDocs/csk, "Use cGPU to achieve GPU sharing based on multiple GPUs": 8 over 4 cards
    "vendor's four cards": (pod({k.MEMORY: 8}, labels={k.COUNT: "4"}), Share(4, None, 8192)),
    # AlibabaCloudDocs/csk, "Disable the memory isolation capability of cGPU": 3 units
    "memory alone": (pod({k.MEMORY: 3}), Share(1, None, 3072)),
    # use-cgpu-to-allocate-computing-power, 2026-03-26: 2 units, 30 %
    "memory and compute": (pod({k.MEMORY: 2, k.CORE: 30}), Share(1, 30, 2048)),
    "one card by label": (pod({k.MEMORY: 2}, labels={k.COUNT: "1"}), Share(1, None, 2048)),
    "label on the workload": (pod({k.MEMORY: 8}, owner_labels={k.COUNT: "2"}), Share(2, None, 8192)),
    "full compute": (pod({k.MEMORY: 2, k.CORE: 100}), Share(1, 100, 2048)),
    "whole cards": (pod({k.WHOLE: 2}), Share(2)),
    "topology": (pod({k.TOPOLOGY: 4}), Share(4)),
    "no whole card": (pod({k.WHOLE: 0}), None),
    "memory, no whole card": (pod({k.MEMORY: 4, k.WHOLE: 0}), Share(1, None, 4096)),
    "nothing": (pod({"cpu": 1}), None),
    # what a rule reports as an error gives no share
    "no memory (ACK001)": (pod({k.MEMORY: 0}), None),
    "label is no number (ACK002)": (pod({k.MEMORY: 8}, labels={k.COUNT: "two"}), None),
    "does not divide (ACK002)": (pod({k.MEMORY: 6}, labels={k.COUNT: "4"}), None),
    "compute on two cards (ACK005)": (pod({k.MEMORY: 8, k.CORE: 30}, labels={k.COUNT: "2"}), None),
    "more than a card (ACK006)": (pod({k.MEMORY: 8, k.CORE: 200}), None),
    "two keys of whole cards (ACK011)": (pod({k.TOPOLOGY: 1, k.WHOLE: 1}), None),
    "share and whole card (K8S007)": (pod({k.MEMORY: 8, k.WHOLE: 1}), None),
}


@pytest.mark.parametrize(("keys", "expected"), READ.values(), ids=READ)
def test_read(keys: PodKeys, expected: Share | None) -> None:
    assert shares(keys) == [expected]
    assert codes(reading_of(keys)) == []


def test_read_leaves_no_key_of_the_sheet_behind() -> None:
    keys = pod(
        {k.MEMORY: 8},
        labels={k.COUNT: "2"},
        selector={k.SCHEDULE: "cgpu", k.PLACEMENT: "spread", k.ACCELERATORS[0]: "Tesla-T4"},
        env={k.DISABLE: "false"},
    )
    owned = {path for _, _, path in BACKEND.owned(keys)}
    assert len(owned) == 6
    assert owned <= reading_of(keys).taken


@pytest.mark.parametrize(
    "keys",
    [
        pod({k.MEMORY: 2, "aliyun.com/gpu-core.tflops": 3}),
        pod({k.MEMORY: 2, k.COUNT: 2}),  # a label, not a resource (gpushare-scheduler-extender issue 10)
        pod({k.MEMORY: 2}, env={"ALIYUN_COM_GPU_SCHD_WEIGHT": "2"}),
    ],
    ids=["tflops", "count in limits", "weight"],
)
def test_what_read_does_not_know_is_left_over(keys: PodKeys) -> None:
    left = {path for _, _, path in BACKEND.owned(keys)} - reading_of(keys).taken
    assert len(left) == 1


def test_unit_comes_from_the_profile() -> None:
    # gpushare-scheduler-extender samples/4.yaml: 16276 units of MiB, a whole V100
    assert shares(pod({k.MEMORY: 16276}), ack(memory_unit_mib=1)) == [Share(1, None, 16276)]
    # modify-the-smallest-allocatable-unit-for-gpu-sharing: 128 MiB
    assert shares(pod({k.MEMORY: 3}), ack(memory_unit_mib=128)) == [Share(1, None, 384)]


def test_fraction_is_reported_by_its_rule_and_gives_no_share() -> None:
    # seen in the wild: gpu-mem 5.5
    keys = pod({k.MEMORY: "5.5"})
    found = reading_of(keys)
    assert codes(found) == []
    assert found.shares == ()
    _, reported = read_pod(keys, BACKEND, Context(None, (BACKEND,)))
    assert [(one.code, one.path) for one in reported] == [("K8S001", limit(k.MEMORY))]


def test_label_for_several_containers_is_reported() -> None:
    found = reading_of(pod({k.MEMORY: 4}, {k.MEMORY: 4}, labels={k.COUNT: "2"}))
    assert [(d.code, d.path) for d in found.notes] == [("GX022", ("metadata", "labels", k.COUNT))]
    assert found.shares == ()


def test_several_containers_on_one_card() -> None:
    assert shares(pod({k.MEMORY: 4}, {"cpu": 1}, {k.MEMORY: 2})) == [
        Share(1, None, 4096),
        None,
        Share(1, None, 2048),
    ]


def test_init_container_is_read_and_written_as_one() -> None:
    found = reading_of(pod({"cpu": 1}, init={k.MEMORY: 4}))
    assert [(one.init, one.share) for one in found.containers] == [
        (True, Share(1, None, 4096)),
        (False, None),
    ]
    keys = fit_pod(found.containers, BACKEND, Accept()).keys
    assert [c.limits[k.MEMORY].text for c in keys.init_containers] == ["4"]
    assert keys.containers == ()


def test_share_and_whole_card_in_two_containers_are_both_read() -> None:
    assert shares(pod({k.MEMORY: 4}, {k.WHOLE: 1})) == [Share(1, None, 4096), Share(1)]


@pytest.mark.parametrize(
    ("selector", "values_in", "expected"),
    [
        ("share", (), "share"),
        ("core_mem", (), "core_mem"),
        ("default", (), None),  # whole cards: nothing is shared, so nothing is isolated
        (None, ("mps",), "mps"),
        (None, ("cgpu", "share"), None),
        (None, (), None),
    ],
)
def test_isolation(selector: str | None, values_in: tuple[str, ...], expected: str | None) -> None:
    affinity = (NodeRequirement(k.SCHEDULE, "In", values_in, ("affinity", 0)),) if values_in else ()
    keys = pod({k.MEMORY: 2}, selector={k.SCHEDULE: selector} if selector else None, affinity=affinity)
    found = reading_of(keys)
    assert found.isolation == expected
    assert found.selectors == ()
    assert {r.path for r in affinity} <= found.taken


def test_card_and_placement_are_selectors() -> None:
    # enable-scheduling, 2026-01-12: ack.node.gpu.placement, aliyun.accelerator/nvidia_name
    requirement = NodeRequirement(k.ACCELERATORS[0], "In", ("Tesla-T4",), ("affinity", 0))
    found = reading_of(pod({k.MEMORY: 2}, selector={k.PLACEMENT: "spread"}, affinity=(requirement,)))
    assert [(one.key, one.text) for one in found.selectors] == [
        (k.PLACEMENT, "spread"),
        (k.ACCELERATORS[0], "In Tesla-T4"),
    ]


@pytest.mark.parametrize(("text", "expected"), [("true", ["GX015"]), ("1", ["GX015"]), ("false", [])])
def test_lifted_isolation_is_reported(text: str, expected: list[str]) -> None:
    assert codes(reading_of(pod({k.MEMORY: 3}, env={k.DISABLE: text}))) == expected


@pytest.mark.parametrize(
    "name",
    [
        "scheduler.framework.gpushare.allocation",
        "gpushare.alibabacloud.com/assigned",
        "ALIYUN_COM_GPU_MEM_IDX",
    ],
)
def test_keys_of_the_scheduler(name: str) -> None:
    row = BACKEND.find(name)
    assert row is not None
    assert row.places == {Place.SCHEDULER}


def test_common_key_is_not_owned() -> None:
    assert not BACKEND.owns("nvidia.com/gpu")
    assert not BACKEND.speaks_in(pod({"nvidia.com/gpu": 1}))
    assert BACKEND.speaks_in(pod({"aliyun.com/gpu": 1}))


# --- writing ----------------------------------------------------------------------------------


def fit(
    *given: Share | None,
    accept: Accept | None = None,
    profile: Profile | None = None,
) -> PodFit:
    containers = [ContainerShare(f"c{n}", n, share=share) for n, share in enumerate(given)]
    return fit_pod(containers, BACKEND, accept or Accept(), profile)


def written(keys: PodKeys) -> tuple[list[dict[str, str]], dict[str, str], dict[str, str]]:
    limits = [{name: one.text for name, one in c.limits.items()} for c in keys.containers]
    return (
        limits,
        {name: one.text for name, one in keys.labels.items()},
        {name: one.text for name, one in keys.node_selector.items()},
    )


CGPU, CORE_MEM = {k.SCHEDULE: "cgpu"}, {k.SCHEDULE: "core_mem"}

EXACT: dict[str, tuple[Share, dict[str, str], dict[str, str], dict[str, str]]] = {
    # multi-card-sharing-through-shared-gpu-scheduling, 2025-04-19
    "vendor's two cards": (Share(2, None, 8192), {k.MEMORY: "8"}, {k.COUNT: "2"}, CGPU),
    "memory alone": (Share(1, None, 3072), {k.MEMORY: "3"}, {}, CGPU),
    # use-cgpu-to-allocate-computing-power, 2026-03-26
    "compute": (Share(1, 30, 2048), {k.MEMORY: "2", k.CORE: "30"}, {}, CORE_MEM),
    "full compute": (Share(1, 100, 2048), {k.MEMORY: "2", k.CORE: "100"}, {}, CORE_MEM),
    "whole card": (Share(), {k.WHOLE: "1"}, {}, {}),
    "whole cards": (Share(4), {k.WHOLE: "4"}, {}, {}),
}


@pytest.mark.parametrize(("share", "limits", "labels", "selector"), EXACT.values(), ids=EXACT)
def test_exact(
    share: Share, limits: dict[str, str], labels: dict[str, str], selector: dict[str, str]
) -> None:
    found = fit(share)
    assert found.outcomes[0].verdict is Verdict.EXACT
    assert written(found.keys) == ([limits], labels, selector)
    assert found.keys.containers[0].requests == found.keys.containers[0].limits
    read_back = BACKEND.read(Taking(found.keys), None)
    assert [one.share for one in read_back.containers] == [share]


Lost = list[tuple[LossKind, str, str, Any]]
R, F, D, X = LossKind.ROUNDED, LossKind.FILLED, LossKind.DROPPED, LossKind.REFUSED

LOSSES: dict[str, tuple[Share, Lost]] = {
    "memory off the GiB": (Share(1, None, 4000), [(R, "memoryMiB", "ACK001", 4096)]),
    "memory below the floor": (Share(1, None, 256), [(R, "memoryMiB", "ACK001", 1024)]),
    "memory off on each card": (Share(2, None, 3000), [(R, "memoryMiB", "ACK001", 4096)]),
    "compute off the step": (Share(1, 33, 2048), [(R, "cores", "ACK006", 35)]),
    "compute below the floor": (Share(1, 2, 2048), [(R, "cores", "ACK006", 5)]),
    "compute alone": (Share(1, 30, None), [(F, "memoryMiB", "ACK007", None)]),
    "compute on two cards": (Share(2, 60, 8192), [(D, "cores", "ACK005", None)]),
    "full compute on two cards": (Share(2, 200, 8192), [(D, "cores", "ACK005", None)]),
    "compute alone on two cards": (
        Share(2, 60, None),
        [(F, "memoryMiB", "ACK007", None), (D, "cores", "ACK005", None)],
    ),
    "policy": (Share(1, None, 2048, Policy.FIXED_SHARE), [(D, "policy", "GX020", None)]),
    "qos": (Share(1, None, 2048, None, Qos.OFFLINE), [(D, "qos", "GX020", None)]),
    "online whole card": (Share(1, qos=Qos.ONLINE), [(D, "qos", "GX020", None)]),
    "offline whole card": (Share(1, qos=Qos.OFFLINE), [(X, "qos", "GX023", None)]),
}


@pytest.mark.parametrize(("share", "expected"), LOSSES.values(), ids=LOSSES)
def test_losses(share: Share, expected: Lost) -> None:
    found = fit(share)
    assert [(loss.kind, loss.field, loss.code, loss.given) for loss in found.outcomes[0].losses] == expected
    assert not found.accepted


ACCEPTED: dict[str, tuple[Share, Accept, dict[str, str], dict[str, str], dict[str, str]]] = {
    "rounded up": (Share(1, 33, 4000), Accept(round_up=True), {k.MEMORY: "4", k.CORE: "35"}, {}, CORE_MEM),
    "filled": (
        Share(1, 30, None),
        Accept(fill={"memoryMiB": 8192}),
        {k.MEMORY: "8", k.CORE: "30"},
        {},
        CORE_MEM,
    ),
    "dropped": (
        Share(2, 60, 8192),
        Accept(drop=frozenset({"cores"})),
        {k.MEMORY: "8"},
        {k.COUNT: "2"},
        CGPU,
    ),
    "filled on each card": (
        Share(2, 60, None),
        Accept(fill={"memoryMiB": 4096}, drop=frozenset({"cores"})),
        {k.MEMORY: "8"},
        {k.COUNT: "2"},
        CGPU,
    ),
}


@pytest.mark.parametrize(("share", "accept", "limits", "labels", "selector"), ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(
    share: Share, accept: Accept, limits: dict[str, str], labels: dict[str, str], selector: dict[str, str]
) -> None:
    found = fit(share, accept=accept)
    assert found.accepted
    assert written(found.keys) == ([limits], labels, selector)


def test_label_is_a_string() -> None:
    # Kubernetes refuses a label that is a number
    assert fit(Share(2, None, 8192)).keys.labels[k.COUNT].plain == "2"


PODS: dict[str, tuple[tuple[Share | None, ...], list[set[str]]]] = {
    "two on one card": ((Share(1, None, 2048), None, Share(1, None, 1024)), [set(), set()]),
    "two with compute": ((Share(1, 30, 2048), Share(1, 50, 1024)), [set(), set()]),
    "two of whole cards": ((Share(2), Share(1)), [set(), set()]),
    "several cards among several shares": (
        (Share(2, None, 8192), Share(1, None, 1024)),
        [{"GX022"}, {"GX022"}],
    ),
    "with and without compute": ((Share(1, 30, 2048), Share(1, None, 1024)), [{"GX022"}, {"GX022"}]),
    "whole cards and a share": ((Share(2), Share(1, None, 1024)), [{"GX022"}, {"GX022"}]),
}


@pytest.mark.parametrize(("given", "expected"), PODS.values(), ids=PODS)
def test_shares_of_one_pod(given: tuple[Share | None, ...], expected: list[set[str]]) -> None:
    found = fit(*given)
    assert [{loss.code for loss in one.losses} for one in found.outcomes] == expected
    assert all((one.verdict is Verdict.REFUSED) == bool(one.losses) for one in found.outcomes)


# A10 of 22731 MiB (Volcengine, EMR Serverless mGPU): 22 units; 4 cards on a node
A10 = Profile("ack", cards=CardProfile("A10", 4, 22731))
SMALL = AlibabaProfile(memory_unit_mib=128, isolation="share")

PROFILED: dict[str, tuple[tuple[Share, ...], Profile, set[str]]] = {
    "as much as a card": ((Share(1, None, 22528),), A10, set()),
    "more than a card": ((Share(1, None, 23552),), A10, {"ACK004"}),
    "as much as two cards": ((Share(2, None, 45056),), A10, set()),
    "more than two cards": ((Share(2, None, 47104),), A10, {"ACK004"}),
    "more than a card of another target": (
        (Share(1, None, 23552),),
        Profile("volcengine-mgpu", cards=A10.cards),
        set(),
    ),
    "as many cards as a node": ((Share(4),), A10, set()),
    "more whole cards than a node": ((Share(8),), A10, {"ACK003"}),
    "more cards than a node": ((Share(8, None, 8192),), A10, {"ACK003"}),
    "small unit": ((Share(1, None, 384),), Profile("ack", extensions=(SMALL,)), set()),
    "small unit, off it": ((Share(1, None, 400),), Profile("ack", extensions=(SMALL,)), {"ACK001"}),
    "small unit with compute": ((Share(1, 30, 384),), Profile("ack", extensions=(SMALL,)), {"ACK015"}),
    "small unit, isolated": ((Share(1, None, 384),), ack(memory_unit_mib=128), {"ACK015"}),
    "open source": ((Share(1, None, 2048),), ack(open_source=True), set()),
    "open source, two cards": ((Share(2, None, 2048),), ack(open_source=True), {"ACK014"}),
    "open source, two containers": (
        (Share(1, None, 2048), Share(1, None, 1024)),
        ack(open_source=True),
        {"ACK013"},
    ),
    "open source, compute": ((Share(1, 30, 2048),), ack(open_source=True), {"GX020"}),
}


@pytest.mark.parametrize(("given", "profile", "expected"), PROFILED.values(), ids=PROFILED)
def test_profile(given: tuple[Share, ...], profile: Profile, expected: set[str]) -> None:
    found = fit(*given, profile=profile)
    for outcome in found.outcomes:
        assert {loss.code for loss in outcome.losses} == expected


@pytest.mark.parametrize(
    ("profile", "limits", "selector"),
    [
        (Profile("ack", extensions=(SMALL,)), {k.MEMORY: "16"}, {k.SCHEDULE: "share"}),
        (ack(isolation="mps"), {k.MEMORY: "2"}, {k.SCHEDULE: "mps"}),
        (ack(open_source=True), {k.MEMORY: "2"}, {}),  # its nodes carry gpushare=true instead
        (ack(open_source=True, memory_unit_mib=1), {k.MEMORY: "2048"}, {}),
    ],
)
def test_unit_and_isolation_of_the_profile(
    profile: Profile, limits: dict[str, str], selector: dict[str, str]
) -> None:
    found = fit(Share(1, None, 2048), profile=profile)
    assert found.accepted
    assert written(found.keys) == ([limits], {}, selector)


def test_rounded_share_is_never_below_what_was_asked() -> None:
    for memory_mib in (1, 1023, 1024, 1025, 5000):
        for cards in (1, 2, 3):
            found = fit(Share(cards, None, memory_mib * cards), accept=Accept(round_up=True))
            units = int(found.keys.containers[0].limits[k.MEMORY].text)
            assert units % cards == 0
            assert memory_mib <= units // cards * 1024 < memory_mib + 1024
