"""TKE qGPU: what is read and what is written. Source codes are those of the data sheet in keys.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from gpuxlate.backends import registry
from gpuxlate.backends.base import ContainerShare, Reading, Taking
from gpuxlate.backends.tencent import BACKEND
from gpuxlate.model.pod import Path, PodKeys
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Policy, Qos, Share
from gpuxlate.model.sheet import Place
from gpuxlate.rules.base import Context
from gpuxlate.translation.pods.fit import Accept, PodFit, Verdict, fit_pod
from gpuxlate.translation.pods.reader import read_pod
from tests.backends.tencent_pods import (
    APP_CLASS,
    CLASS,
    CORE,
    GREEDY,
    MEMORY,
    POLICY,
    SELECTOR,
    expression,
    limit,
    pod,
)

BE, FS, BS = Policy.BEST_EFFORT, Policy.FIXED_SHARE, Policy.BURST_SHARE
ONLINE, OFFLINE = Qos.ONLINE, Qos.OFFLINE
BOTH = {BE: ("best-effort", "be"), FS: ("fixed-share", "fs"), BS: ("burst-share", "bs")}


def reading(keys: PodKeys) -> Reading:
    return BACKEND.read(Taking(keys), None)


def found(keys: PodKeys) -> list[tuple[str, str, Path]]:
    """What the rules report, then what only reading finds."""
    _, diagnostics = read_pod(keys, BACKEND, Context(None, (BACKEND,)))
    return [(d.code, str(d.severity), d.path) for d in diagnostics]


# --- reading -----------------------------------------------------------------------------------

SHARES: list[tuple[str, PodKeys, Share]] = [
    # S003, "by YAML"
    ("page", pod({"core": "30", "memory": "5"}), Share(1, 30, 5120)),
    ("bare integers", pod({"core": 50, "memory": 22}), Share(1, 50, 22528)),  # camushoilingma/qgpu-demo
    # TC127667, qgpu-multi-card-demo
    ("two cards", pod({"core": "160", "memory": "60"}), Share(2, 160, 61440)),
    ("one whole card", pod({"core": "100"}), Share(1)),
    ("three whole cards", pod({"core": "300"}), Share(3)),  # S003: N x 100
    # TC81034, offline pod
    ("offline", pod({"greedy": 10, "memory": 5}, app_class="offline"), Share(1, 10, 5120, qos=OFFLINE)),
    # greedy 100 with memory is a part of a card: its memory is not all of it
    (
        "all greedy",
        pod({"greedy": "100", "memory": "5"}, app_class="offline"),
        Share(1, 100, 5120, qos=OFFLINE),
    ),
    # TC81034, online pod
    ("online", pod({"memory": "5"}, app_class="online"), Share(1, None, 5120, qos=ONLINE)),
    ("requests alone", pod({}, requests={"core": "30", "memory": "5"}), Share(1, 30, 5120)),
    ("class on the workload", pod({"memory": "5"}, owner_class="online"), Share(1, None, 5120, qos=ONLINE)),
]


@pytest.mark.parametrize(("keys", "share"), [c[1:] for c in SHARES], ids=[c[0] for c in SHARES])
def test_reads_the_share(keys: PodKeys, share: Share) -> None:
    result = reading(keys)
    assert [one.share for one in result.shares] == [share]
    assert (result.invalid, result.notes) == ((), ())
    assert {path for _, _, path in BACKEND.owned(keys)} == result.taken, "every key is taken"


DOUBTFUL: list[tuple[str, PodKeys, Share | None, list[tuple[str, str, Path]]]] = [
    # qgpu-demo k8s/vllm-full-gpu.yaml; elastic-gpu-scheduler ignores memory from 100 on
    (
        "100 and memory",
        pod({"core": "100", "memory": "46"}),
        Share(1),
        [("TKE008", "warning", limit("memory"))],
    ),
    (
        "200 and memory",
        pod({"core": "200", "memory": "20"}),
        Share(2),
        [("TKE008", "warning", limit("memory"))],
    ),
    # TC127667: 121/31 gives 60 % and 15 GiB of each
    (
        "odd",
        pod({"core": "121", "memory": "31"}),
        Share(2, 120, 30720),
        [("TKE006", "warning", limit("core")), ("TKE006", "warning", limit("memory"))],
    ),
    # TC117759: two shared cards; 350 / 4 cards is 87.5
    (
        "four shared cards",
        pod({"core": "350", "memory": "60"}),
        Share(4, 348, 61440),
        [("TKE005", "error", limit("core")), ("TKE006", "warning", limit("core"))],
    ),
    (
        "online with compute",
        pod({"core": "30", "memory": "5"}, app_class="online"),
        Share(1, 30, 5120, qos=ONLINE),
        [("TKE011", "warning", limit("core"))],
    ),
    (
        "greedy without class",
        pod({"greedy": "30", "memory": "5"}),
        Share(1, 30, 5120),
        [("TKE012", "error", limit("greedy"))],
    ),
    (
        "offline with ordinary compute",
        pod({"core": "30", "memory": "5"}, app_class="offline"),
        Share(1, 30, 5120, qos=OFFLINE),
        [("TKE012", "error", limit("core"))],
    ),
    (
        "both computes",
        pod({"core": "30", "greedy": "10", "memory": "5"}, app_class="offline"),
        Share(1, 10, 5120, qos=OFFLINE),
        [("TKE010", "error", limit("core"))],
    ),
    (
        "unknown class",
        pod({"greedy": "30", "memory": "5"}, app_class="Offline"),
        Share(1, 30, 5120),
        [("TKE012", "error", CLASS)],
    ),
    (
        "no whole number",
        pod({"core": "30.5", "memory": "5"}),
        None,
        [("K8S001", "error", limit("core"))],
    ),
    ("zero", pod({"core": "0", "memory": "5"}), None, [("TKE002", "error", limit("core"))]),
    # 1 GiB on two cards rounds down to none
    (
        "nothing left",
        pod({"core": "160", "memory": "1"}),
        None,
        [("TKE006", "warning", limit("memory")), ("GX011", "error", limit("memory"))],
    ),
]


@pytest.mark.parametrize(
    ("keys", "share", "expected"), [c[1:] for c in DOUBTFUL], ids=[c[0] for c in DOUBTFUL]
)
def test_reports_what_it_reads_with_doubt(
    keys: PodKeys, share: Share | None, expected: list[tuple[str, str, Path]]
) -> None:
    result = reading(keys)
    assert [one.share for one in result.containers] == [share]
    assert found(keys) == expected


def test_memory_of_whole_cards_is_named_as_not_kept() -> None:
    _, (one,) = read_pod(pod({"core": "100", "memory": "46"}), BACKEND, Context(None, (BACKEND,)))
    assert "46 is ignored" in one.message


def chosen(*values: str) -> list[tuple[str, str, Sequence[str]]]:
    return [(POLICY, "In", values)]


ZONE = ("topology.kubernetes.io/zone", "In", ("z1",))

POLICIES: list[tuple[str, dict[str, Any], Policy | None, list[tuple[str, Path]]]] = [
    # S003, table of policies: full names and abbreviations
    *[(text, {"policy": text}, policy, []) for policy, both in BOTH.items() for text in both],
    *[(f"In {p}", {"terms": [chosen(*both)]}, p, []) for p, both in BOTH.items()],
    ("none", {}, None, []),
    ("every term", {"terms": [[ZONE, *chosen("fs")], chosen("fixed-share")]}, FS, []),
    ("selector and affinity", {"policy": "fs", "terms": [chosen("fixed-share")]}, FS, []),
    ("selector decides", {"policy": "fs", "terms": [chosen("fs"), [ZONE]]}, FS, []),
    # S003: best-effort is what a node without the label does
    ("no label", {"terms": [chosen("best-effort", "be"), [(POLICY, "DoesNotExist", ())]]}, BE, []),
    ("one term", {"terms": [[ZONE], chosen("fs")]}, None, [("TKE014", expression(1, 0))]),
    ("two policies", {"terms": [chosen("fs", "bs")]}, None, [("TKE014", expression(0, 0))]),
    (
        "selector against affinity",
        {"policy": "bs", "terms": [chosen("fs")]},
        None,
        [("TKE014", expression(0, 0))],
    ),
    ("NotIn", {"terms": [[(POLICY, "NotIn", ("be",))]]}, None, [("TKE014", expression(0, 0))]),
    ("Exists", {"terms": [[(POLICY, "Exists", ())]]}, None, [("TKE014", expression(0, 0))]),
    ("unknown", {"policy": "fixed"}, None, [("TKE014", SELECTOR)]),
    ("unknown beside known", {"terms": [chosen("fs", "fixed")]}, None, [("TKE014", expression(0, 0))]),
    # a generated document writes this; GX013 has its say
    ("true", {"policy": "true"}, None, [("GX013", SELECTOR)]),
]


@pytest.mark.parametrize(
    ("said", "policy", "expected"), [c[1:] for c in POLICIES], ids=[c[0] for c in POLICIES]
)
def test_reads_the_policy_from_the_choice_of_nodes(
    said: dict[str, Any], policy: Policy | None, expected: list[tuple[str, Path]]
) -> None:
    keys = pod({"core": "30", "memory": "5"}, **said)
    result = reading(keys)
    assert [one.share for one in result.shares] == [Share(1, 30, 5120, policy)]
    assert found(keys) == [(code, "error", path) for code, path in expected]
    assert {path for _, _, path in BACKEND.owned(keys)} == result.taken


def test_origins_lead_back_to_the_keys() -> None:
    keys = pod({}, {"greedy": "30", "memory": "5"}, app_class="offline", policy="fs")
    first, second = reading(keys).containers
    assert first.share is None
    assert second.origins == {
        "cards": limit("greedy", 1),
        "cores": limit("greedy", 1),
        "memory_mib": limit("memory", 1),
        "policy": SELECTOR,
        "qos": CLASS,
    }


# --- writing -----------------------------------------------------------------------------------


def fit(*shares: Share | None, profile: Profile | None = None, **accept: Any) -> PodFit:
    containers = [ContainerShare(f"c{n}", n, share=share) for n, share in enumerate(shares)]
    return fit_pod(containers, BACKEND, Accept(**accept), profile)


def limits(result: PodFit, index: int = 0) -> dict[str, int | str]:
    container = result.keys.containers[index]
    assert container.limits == container.requests
    return {name: value.plain for name, value in container.limits.items()}


EXACT: list[tuple[str, Share, dict[str, str]]] = [
    ("page", Share(1, 30, 5120), {CORE: "30", MEMORY: "5"}),
    ("the least", Share(1, 5, 1024), {CORE: "5", MEMORY: "1"}),  # S003: 5 %, 1 G
    ("two cards", Share(2, 160, 61440), {CORE: "160", MEMORY: "60"}),  # TC127667
    ("one whole card", Share(1), {CORE: "100"}),
    ("eight whole cards", Share(8), {CORE: "800"}),
    ("offline", Share(1, 10, 5120, qos=OFFLINE), {GREEDY: "10", MEMORY: "5"}),  # TC81034
    ("offline off the step", Share(1, 7, 5120, qos=OFFLINE), {GREEDY: "7", MEMORY: "5"}),
    ("all greedy", Share(1, 100, 5120, qos=OFFLINE), {GREEDY: "100", MEMORY: "5"}),
    ("online", Share(1, None, 5120, qos=ONLINE), {MEMORY: "5"}),  # TC81034
]


@pytest.mark.parametrize(("share", "values"), [c[1:] for c in EXACT], ids=[c[0] for c in EXACT])
def test_writes_exactly(share: Share, values: dict[str, str]) -> None:
    result = fit(share)
    (outcome,) = result.outcomes
    assert outcome.verdict is Verdict.EXACT
    assert list(result.findings()) == []
    assert limits(result) == values
    written = {name: value.plain for name, value in result.keys.annotations.items()}
    assert written == ({APP_CLASS: str(share.qos)} if share.qos else {})
    back = reading(result.keys)
    assert [one.share for one in back.shares] == [share]


ROUND = {"round_up": True}
LOSSES: list[tuple[str, Share, dict[str, Any], list[tuple[str, str, str, Any]], dict[str, str] | None]] = [
    # name, share, accepted, losses (kind, field, code, given), written where all is accepted
    ("core grid", Share(1, 33, 5120), ROUND, [("rounded", "cores", "TKE002", 35)], {CORE: "35", MEMORY: "5"}),
    ("core floor", Share(1, 1, 5120), ROUND, [("rounded", "cores", "TKE002", 5)], {CORE: "5", MEMORY: "5"}),
    ("refused", Share(1, 33, 5120), {}, [("rounded", "cores", "TKE002", 35)], None),
    (
        "memory",
        Share(1, 30, 4000),
        ROUND,
        [("rounded", "memoryMiB", "TKE001", 4096)],
        {CORE: "30", MEMORY: "4"},
    ),
    (
        "least memory",
        Share(1, 30, 1),
        ROUND,
        [("rounded", "memoryMiB", "TKE001", 1024)],
        {CORE: "30", MEMORY: "1"},
    ),
    ("full core", Share(1, 100, 8192), ROUND, [("rounded", "memoryMiB", "TKE008", None)], {CORE: "100"}),
    ("full cores", Share(2, 200, 8192), ROUND, [("rounded", "memoryMiB", "TKE008", None)], {CORE: "200"}),
    (
        "rounds to full",
        Share(1, 97, 8192),
        ROUND,
        [("rounded", "cores", "TKE002", 100), ("rounded", "memoryMiB", "TKE008", None)],
        {CORE: "100"},
    ),
    # without memory the share has all of it, so a whole card needs none
    ("rounds to whole", Share(1, 97), ROUND, [("rounded", "cores", "TKE002", 100)], {CORE: "100"}),
    ("open cores", Share(1, None, 5120), {}, [("filled", "cores", "GX021", None)], None),
    (
        "filled cores",
        Share(1, None, 5120),
        {"fill": {"cores": 30}},
        [("filled", "cores", "GX021", 30)],
        {CORE: "30", MEMORY: "5"},
    ),
    (
        "filled to full",
        Share(1, None, 5120),
        {"fill": {"cores": 100}, **ROUND},
        [("filled", "cores", "GX021", 100), ("rounded", "memoryMiB", "TKE008", None)],
        {CORE: "100"},
    ),
    ("open memory", Share(1, 30), {}, [("filled", "memoryMiB", "TKE003", None)], None),
    (
        "filled memory",
        Share(1, 30),
        {"fill": {"memoryMiB": 8192}},
        [("filled", "memoryMiB", "TKE003", 8192)],
        {CORE: "30", MEMORY: "8"},
    ),
    (
        "filled on two cards",
        Share(2, None, 10240),
        {"fill": {"cores": 60}},
        [("filled", "cores", "GX021", 120)],
        {CORE: "120", MEMORY: "10"},
    ),
    ("two cards, open memory", Share(2, 160), {}, [("filled", "memoryMiB", "TKE006", None)], None),
    (
        "two cards, memory",
        Share(2, 160, 5000),
        ROUND,
        [("rounded", "memoryMiB", "TKE006", 6144)],
        {CORE: "160", MEMORY: "6"},
    ),
    # a total of 100 or less means one card
    ("two halves", Share(2, 100, 10240), ROUND, [("refused", "cores", "TKE005", None)], None),
    ("two thirds", Share(2, 60, 10240), ROUND, [("refused", "cores", "TKE005", None)], None),
    ("three cards", Share(3, 240, 30720), ROUND, [("refused", "cards", "TKE005", None)], None),
    # TC81034
    ("offline, open", Share(1, None, 5120, qos=OFFLINE), {}, [("filled", "cores", "TKE010", None)], None),
    ("offline, no memory", Share(1, 30, qos=OFFLINE), {}, [("filled", "memoryMiB", "TKE010", None)], None),
    (
        "offline, memory",
        Share(1, 30, 100, qos=OFFLINE),
        ROUND,
        [("rounded", "memoryMiB", "TKE001", 1024)],
        {GREEDY: "30", MEMORY: "1"},
    ),
    ("offline, two", Share(2, 160, 10240, qos=OFFLINE), {}, [("refused", "cards", "TKE010", None)], None),
    ("offline, whole", Share(1, qos=OFFLINE), {}, [("refused", "qos", "GX023", None)], None),
    ("online, whole", Share(2, qos=ONLINE), {}, [("refused", "qos", "GX023", None)], None),
    ("online, cores", Share(1, 30, 5120, qos=ONLINE), {}, [("dropped", "cores", "TKE011", None)], None),
    (
        "online, dropped",
        Share(1, 30, 5120, qos=ONLINE),
        {"drop": frozenset({"cores"})},
        [("dropped", "cores", "TKE011", None)],
        {MEMORY: "5"},
    ),
    # a full card's compute dropped is no whole card
    (
        "online, full",
        Share(1, 100, 5120, qos=ONLINE),
        {"drop": frozenset({"cores"})},
        [("dropped", "cores", "TKE011", None)],
        {MEMORY: "5"},
    ),
    (
        "online, cores alone",
        Share(1, 30, qos=ONLINE),
        {"drop": frozenset({"cores"})},
        [("dropped", "cores", "TKE011", None), ("filled", "memoryMiB", "TKE011", None)],
        None,
    ),
    (
        "online, two",
        Share(2, None, 10240, qos=ONLINE),
        {},
        [("refused", "cards", "TKE011", None)],
        None,
    ),
]


@pytest.mark.parametrize(
    ("share", "accept", "losses", "values"), [c[1:] for c in LOSSES], ids=[c[0] for c in LOSSES]
)
def test_says_what_does_not_fit(
    share: Share,
    accept: Mapping[str, Any],
    losses: list[tuple[str, str, str, Any]],
    values: dict[str, str] | None,
) -> None:
    result = fit(share, **accept)
    (outcome,) = result.outcomes
    assert [(str(one.kind), one.field, one.code, one.given) for one in outcome.losses] == losses
    assert result.accepted is (values is not None)
    if values is not None:
        assert limits(result) == values


@pytest.mark.parametrize("policy", list(Policy))
@pytest.mark.parametrize("share", [Share(1, 30, 5120), Share(2)], ids=["part", "whole"])
def test_policy_is_a_choice_of_nodes_in_both_spellings(policy: Policy, share: Share) -> None:
    wanted = Share(share.cards, share.cores, share.memory_mib, policy)
    result = fit(wanted)
    ((requirement,),) = result.keys.affinity
    assert (requirement.key, requirement.operator) == (POLICY, "In")
    assert requirement.values == BOTH[policy]
    assert [one.share for one in reading(result.keys).shares] == [wanted]


NOTES: list[tuple[str, Share, Profile | None, list[tuple[str, str]]]] = [
    ("plain", Share(1, 30, 5120, FS), None, []),
    # S003: best-effort is the default of unlabelled nodes, which the affinity does not match
    ("best-effort", Share(1, 30, 5120, BE), None, [("TKE014", "info")]),
    # QD: the policy acts on offline pods only
    ("online", Share(1, None, 5120, FS, ONLINE), None, [("TKE014", "info")]),
    ("offline", Share(1, 30, 5120, FS, OFFLINE), None, []),
    ("same policy", Share(1, 30, 5120, FS), Profile("tencent-qgpu", policy="fs"), []),
    ("other policy", Share(1, 30, 5120, FS), Profile("tke", policy="burst-share"), [("TKE014", "warning")]),
    ("other cloud", Share(1, 30, 5120, FS), Profile("alibaba-gpushare", policy="burst-share"), []),
    # each card 61 %: S003 says steps of 5
    ("off the step", Share(2, 122, 20480), None, [("TKE007", "warning")]),
    # TC127667: add-on 1.1.1
    (
        "old add-on",
        Share(2, 160, 20480),
        Profile("tke", components={"qgpu": "v1.0.9"}),
        [("TKE005", "warning")],
    ),
    ("add-on", Share(2, 160, 20480), Profile("tke", components={"qgpu": "1.1.1"}), []),
    ("newer add-on", Share(2, 160, 20480), Profile("tke", components={"qgpu": "1.10.0"}), []),
    ("no version", Share(2, 160, 20480), Profile("tke", components={"qgpu": "latest"}), []),
    ("one card", Share(1, 30, 5120), Profile("tke", components={"qgpu": "1.0.9"}), []),
]


@pytest.mark.parametrize(("share", "profile", "expected"), [c[1:] for c in NOTES], ids=[c[0] for c in NOTES])
def test_notes_what_is_doubtful(
    share: Share, profile: Profile | None, expected: list[tuple[str, str]]
) -> None:
    (outcome,) = fit(share, profile=profile).outcomes
    assert outcome.verdict is Verdict.EXACT
    assert [(d.code, str(d.severity)) for d in outcome.diagnostics] == expected


def test_the_policy_of_a_pod_is_said_once() -> None:
    result = fit(Share(1, 30, 5120, BE), None, Share(1, 20, 1024, BE))
    assert len(result.keys.affinity) == 1
    assert [d.code for d in result.findings()] == ["TKE014"]
    assert [c.index for c in result.keys.containers] == [0, 2]


# --- data sheet --------------------------------------------------------------------------------


def test_the_registry_finds_it() -> None:
    assert all(registry.get(name) is BACKEND for name in ("tencent-qgpu", "tencent", "tke"))


KNOWN: list[tuple[str, set[Place] | None]] = [
    (CORE, {Place.RESOURCE}),
    (APP_CLASS, {Place.ANNOTATION}),
    (POLICY, {Place.NODE_SELECTOR, Place.NODE}),
    ("tke.cloud.tencent.com/qgpu", {Place.SCHEDULER}),
    ("tke.cloud.tencent.com/qgpu-pgpu-web", {Place.SCHEDULER}),
    ("elasticgpu.io/container-web", {Place.SCHEDULER}),
    ("tke.cloud.tencent.com/qgpu-sche", None),  # S003, clipped in a picture
]


@pytest.mark.parametrize(("name", "places"), KNOWN)
def test_the_data_sheet_knows_the_key(name: str, places: set[Place] | None) -> None:
    row = BACKEND.find(name)
    assert (set(row.places) if row else None) == places
    assert BACKEND.owns(name)


@pytest.mark.parametrize("name", ["tke.cloud.tencent.com/eni-ip", "nvidia.com/gpu"])
def test_other_keys_are_none_of_its_own(name: str) -> None:
    assert not BACKEND.owns(name)


def test_says_every_field() -> None:
    assert list(BACKEND.says) == [*Share().to_json(), "device", "isolation"]
