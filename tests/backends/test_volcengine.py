"""Volcengine VKE mGPU: what is read, what is written, and which verdict a share gets.

Numbers: "mGPU online/offline colocation" (30 %, 4096 MiB), a copy of docs 6460/182418 (30 %, 4096
MiB over "2" cards), and the vendor's webhook code of volcano-sh/volcano pull request 3030.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuxlate.backends.base import ContainerShare, Reading, Taking
from gpuxlate.backends.volcengine import BACKEND
from gpuxlate.model.diagnostics import LossKind, Severity
from gpuxlate.model.pod import Kind, PodKeys, Value
from gpuxlate.model.share import Policy, Qos, Share
from gpuxlate.rules.base import Context, check_pod
from gpuxlate.translation.pods.fit import Accept, PodFit, Verdict, fit_pod
from tests.backends.volcengine_pods import (
    CORE,
    LISTED,
    MEMORY,
    POLICY,
    QOS,
    RECLAIMED,
    Numbers,
    both,
    limit,
    note,
    pod,
)

PART: Numbers = both("core", 30)


def read(keys: PodKeys) -> Reading:
    return BACKEND.read(Taking(keys), None)


def shares(keys: PodKeys) -> list[Share | None]:
    return [one.share for one in read(keys).containers]


READ: list[tuple[str, PodKeys, list[Share | None]]] = [
    ("a part of a card", pod(PART), [Share(1, 30, 4096)]),
    ("no GPU beside it", pod(PART, {}), [Share(1, 30, 4096), None]),
    ("one whole card", pod({"core": 100}), [Share(1)]),
    ("two whole cards", pod({"core": 200}), [Share(2)]),
    ("several cards", pod(PART, notes={"listed": "2"}), [Share(2, 30, 4096)]),
    ("the list decides first", pod(both("core", 200), notes={"listed": "4"}), [Share(4, 200, 4096)]),
    ("listed whole cards", pod({"core": 200}, notes={"listed": "2"}), [Share(2)]),
    ("half of two cards", pod(both("core", 100), notes={"listed": "2"}), [Share(2, 100, 4096)]),
    (
        "in their order",
        pod(PART, {}, both("core", 60), {"core": 100}, notes={"listed": "2,0,4,1"}),
        [Share(2, 30, 4096), None, Share(4, 60, 4096), Share(1)],
    ),
    ("list on the workload", pod(PART, owner_notes={"listed": "2"}), [Share(2, 30, 4096)]),
    (
        "the list is not for init containers",
        pod(PART, init=[both("core", 20)], notes={"listed": "2"}),
        [Share(1, 20, 4096), Share(2, 30, 4096)],
    ),
    (
        "offline",
        pod(both("reclaimed", 30), notes={"qos": "reclaimed_cores", "policy": "guaranteed-burst-share"}),
        [Share(1, 30, 4096, Policy.BURST_SHARE, Qos.OFFLINE)],
    ),
    ("online", pod(PART, notes={"qos": "shared_cores"}), [Share(1, 30, 4096, None, Qos.ONLINE)]),
    ("weight", pod(PART, notes={"policy": "native-burst-share"}), [Share(1, 30, 4096, Policy.BEST_EFFORT)]),
    (
        "policy of the nodes",
        pod(PART, selector={"policy": "fixed-share"}),
        [Share(1, 30, 4096, Policy.FIXED_SHARE)],
    ),
    (
        "policy of the nodes by affinity",
        pod(PART, affinity=[("policy", "In", ["native-burst-share"])]),
        [Share(1, 30, 4096, Policy.BEST_EFFORT)],
    ),
    (
        "either policy is none",
        pod(PART, affinity=[("policy", "In", ["fixed-share", "native-burst-share"])]),
        [Share(1, 30, 4096)],
    ),
    ("memory alone", pod({"memory": 4096}), [Share(1, None, 4096)]),
    # nothing is guessed where the list does not tell
    ("list with a space", pod(PART, {}, notes={"listed": "2, 0"}), [None, None]),
    ("list too short", pod(PART, {}, notes={"listed": "2"}), [None, None]),
    ("list too long", pod(PART, notes={"listed": "2,0"}), [None]),
    ("zero for a share", pod(PART, PART, notes={"listed": "0,1"}), [None, Share(1, 30, 4096)]),
    ("name of no policy", pod(PART, notes={"policy": "burst-share"}), [Share(1, 30, 4096)]),
]


@pytest.mark.parametrize(("keys", "expected"), [row[1:] for row in READ], ids=[row[0] for row in READ])
def test_read(keys: PodKeys, expected: list[Share | None]) -> None:
    assert shares(keys) == expected


def test_every_key_is_taken() -> None:
    keys = pod(
        {"reclaimed": 30, "core": 30, "memory": 4096},
        notes={"policy": "fixed-share", "qos": "shared_cores", "listed": "1"},
        owner_notes={"policy": "fixed-share", "qos": "shared_cores", "listed": "1"},
        selector={"policy": "fixed-share", "device": "mgpu", "model": "NVIDIA-L20"},
    )
    reading = read(keys)
    assert {path for _, _, path in BACKEND.owned(keys)} <= reading.taken
    assert [(one.key, one.text) for one in reading.selectors] == [
        ("machine.cluster.vke.volcengine.com/gpu-name", "NVIDIA-L20")
    ]


def test_origins_are_where_each_field_was_read() -> None:
    (one,) = read(pod(PART, notes={"listed": "2", "policy": "native-burst-share"})).shares
    assert one.origins == {
        "cards": note("listed"),
        "cores": limit("core"),
        "memory_mib": limit("memory"),
        "policy": note("policy"),
    }


@pytest.mark.parametrize(
    ("numbers", "path"),
    [({"core": 120, "memory": 4096}, limit("core")), ({"core": 30, "memory": 0}, limit("memory"))],
)
def test_numbers_that_are_no_share(numbers: Numbers, path: tuple[str | int, ...]) -> None:
    reading = read(pod(numbers))
    assert not reading.shares
    assert [(d.code, d.path) for d in reading.invalid] == [("GX011", path)]


@pytest.mark.parametrize("text", ["30.5", "30%", "abc", "", "9223372036854775808"])
def test_what_is_wrong_with_a_number_is_left_to_the_rules(text: str) -> None:
    reading = read(pod({"core": text, "memory": 4096}))
    assert (reading.shares, reading.invalid, reading.notes) == ((), (), ())


def test_a_number_in_another_base_is_not_translated() -> None:
    """GX008 warns of it only: with no error the key would be lost."""
    keys = pod(PART)
    hexadecimal = Value("0x1E", Kind.INT, limit("core"))
    container = replace(keys.containers[0], limits={**keys.containers[0].limits, CORE: hexadecimal})
    reading = read(replace(keys, containers=(container,)))
    assert not reading.shares
    assert [(d.code, d.severity, d.path) for d in reading.notes] == [
        ("K8S001", Severity.ERROR, limit("core"))
    ]


# --- the truth table of the vendor's webhook (pull request 3030) ---------------------------------

Pair = tuple[int | None, int | None]
TRUTH: list[tuple[list[Pair], str | None, bool]] = [
    ([(30, 4096)], None, True),
    ([(30, 256)], None, True),
    ([(1, 256)], None, True),
    ([(99, 256)], None, True),
    ([(30, 255)], None, False),
    ([(30, None)], None, False),
    ([(None, 4096)], None, False),
    ([(100, None)], None, True),
    ([(200, None)], None, True),
    ([(100, 0)], None, False),
    ([(100, 4096)], None, False),
    ([(120, 4096)], None, False),
    ([(30, 4096)], "2", True),
    ([(30, 2048)], "2", True),
    ([(30, 2046)], "2", False),
    ([(31, 4096)], "2", False),
    ([(30, 4097)], "2", False),
    ([(150, 4096)], "2", True),
    ([(202, 4096)], "2", False),
    ([(200, None)], "2", True),
    ([(200, 8192)], "2", False),
    ([(200, 8192)], "4", True),
    ([(30, 1023)], "1", False),
    ([(30, 4096), (None, None)], "2,0", True),
    ([(30, 4096), (None, None)], "2", False),
    ([(30, 4096), (None, None)], "2,1", False),
    ([(100, 2048)], "2", True),  # the console's screenshot: half of two cards
]


@pytest.mark.parametrize(("pairs", "listed", "ok"), TRUTH)
def test_truth_table(pairs: list[Pair], listed: str | None, ok: bool) -> None:
    def numbers(pair: Pair) -> Numbers:
        return {
            name: number for name, number in zip(("core", "memory"), pair, strict=True) if number is not None
        }

    keys = pod(*(numbers(pair) for pair in pairs), notes={"listed": listed} if listed else None)
    errors = [d for d in check_pod(BACKEND.rules, keys, Context()) if d.severity is Severity.ERROR]
    assert len(errors) == (0 if ok else 1), errors  # one mistake, one code
    if ok:
        each = [None if pair == (None, None) else pair for pair in pairs]
        cards = [int(part) for part in listed.split(",")] if listed else [max((pairs[0][0] or 0) // 100, 1)]
        expected = [pair and Share(count, pair[0], pair[1]) for pair, count in zip(each, cards, strict=True)]
        assert shares(keys) == expected


# --- writing --------------------------------------------------------------------------------------


def fit(*asked: Share | None, accept: Accept | None = None, init: Share | None = None) -> PodFit:
    all_of_them = [ContainerShare("i1", 0, True, init)] if init else []
    all_of_them += [ContainerShare(f"c{n + 1}", n, share=share) for n, share in enumerate(asked)]
    return fit_pod(all_of_them, BACKEND, accept or Accept())


def limits_of(done: PodFit) -> list[dict[str, str]]:
    return [{key: value.text for key, value in c.limits.items()} for c in done.keys.containers]


def notes_of(done: PodFit) -> dict[str, str]:
    return {key: value.text for key, value in done.keys.annotations.items()}


WRITE: list[tuple[str, list[Share | None], list[dict[str, str]], dict[str, str]]] = [
    ("a part of a card", [Share(1, 30, 4096)], [{CORE: "30", MEMORY: "4096"}], {}),
    ("one whole card", [Share(1)], [{CORE: "100"}], {}),
    ("two whole cards", [Share(2, 200)], [{CORE: "200"}], {}),
    ("16 whole cards", [Share(16)], [{CORE: "1600"}], {}),
    (
        "several cards",
        [Share(2, 30, 4096, Policy.BEST_EFFORT)],
        [{CORE: "30", MEMORY: "4096"}],
        {LISTED: "2", POLICY: "native-burst-share"},
    ),
    (
        "zero for a container without a share",
        [None, Share(2, 30, 4096, Policy.BEST_EFFORT), None],
        [{CORE: "30", MEMORY: "4096"}],
        {LISTED: "0,2,0", POLICY: "native-burst-share"},
    ),
    (
        "whole cards and one card beside several",
        [Share(2, 198, 16384), Share(4), Share(1, 30, 1024)],
        [{CORE: "198", MEMORY: "16384"}, {CORE: "400"}, {CORE: "30", MEMORY: "1024"}],
        {LISTED: "2,4,1"},
    ),
    (
        "fixed",
        [Share(1, 30, 4096, Policy.FIXED_SHARE)],
        [{CORE: "30", MEMORY: "4096"}],
        {POLICY: "fixed-share"},
    ),
    (
        "online",
        [Share(1, 30, 4096, Policy.BURST_SHARE, Qos.ONLINE)],
        [{CORE: "30", MEMORY: "4096"}],
        {POLICY: "guaranteed-burst-share", QOS: "shared_cores"},
    ),
    (
        "offline",
        [Share(1, 30, 4096, Policy.BURST_SHARE, Qos.OFFLINE)],
        [{RECLAIMED: "30", MEMORY: "4096"}],
        {POLICY: "guaranteed-burst-share", QOS: "reclaimed_cores"},
    ),
]


@pytest.mark.parametrize(
    ("asked", "limits", "notes"), [row[1:] for row in WRITE], ids=[row[0] for row in WRITE]
)
def test_write_is_exact_and_reads_back(
    asked: list[Share | None], limits: list[dict[str, str]], notes: dict[str, str]
) -> None:
    done = fit(*asked)
    assert done.accepted
    assert {one.verdict for one in done.outcomes} == {Verdict.EXACT}
    assert limits_of(done) == limits
    assert notes_of(done) == notes
    assert all(c.requests == c.limits for c in done.keys.containers)
    written = {c.index: c for c in done.keys.containers}
    whole_pod = [written.get(n) for n in range(len(asked))]
    again = pod(
        *(
            {name: c.limits[key].text for name, key in NAMES.items() if key in c.limits} if c else {}
            for c in whole_pod
        ),
        notes={name: notes[key] for name, key in NAMES.items() if key in notes},
    )
    assert shares(again) == asked
    errors = [d for d in check_pod(BACKEND.rules, again, Context()) if d.severity is Severity.ERROR]
    assert not errors


NAMES = {
    "core": CORE,
    "memory": MEMORY,
    "reclaimed": RECLAIMED,
    "policy": POLICY,
    "listed": LISTED,
    "qos": QOS,
}

ROUND, FILL_CORES = Accept(round_up=True), Accept(fill={"cores": 30})
R, F, X = Verdict.ROUNDED, Verdict.FILLED, Verdict.REFUSED

FIT: list[tuple[str, Share, Accept, Verdict, list[str], bool, dict[str, str]]] = [
    # the share; what is allowed; verdict, codes, accepted; what is written where accepted
    ("below 256", Share(1, 30, 255), Accept(), R, ["VKE012"], False, {}),
    ("below 256, rounded", Share(1, 30, 255), ROUND, R, ["VKE012"], True, {CORE: "30", MEMORY: "256"}),
    ("below 1024 each", Share(2, 30, 2046), Accept(), R, ["VKE024"], False, {}),
    (
        "below 1024 each, rounded",
        Share(2, 30, 2046),
        ROUND,
        R,
        ["VKE024"],
        True,
        {CORE: "30", MEMORY: "2048"},
    ),
    ("capped whole card", Share(1, 100, 4096), Accept(), R, ["VKE014"], False, {}),
    ("capped whole card, rounded", Share(1, 100, 4096), ROUND, R, ["VKE014"], True, {CORE: "100"}),
    ("capped whole cards, rounded", Share(3, 300, 4098), ROUND, R, ["VKE014"], True, {CORE: "300"}),
    ("memory alone", Share(1, None, 4096), Accept(), F, ["VKE011"], False, {}),
    (
        "memory alone, filled",
        Share(1, None, 4096),
        FILL_CORES,
        F,
        ["VKE011"],
        True,
        {CORE: "30", MEMORY: "4096"},
    ),
    (
        "on each of two cards",
        Share(2, None, 4096),
        FILL_CORES,
        F,
        ["VKE011"],
        True,
        {CORE: "60", MEMORY: "4096"},
    ),
    (
        "filled to whole",
        Share(1, None, 4096),
        Accept(fill={"cores": 100}),
        F,
        ["VKE011", "VKE014"],
        False,
        {},
    ),
    (
        "filled to whole, rounded",
        Share(2, None, 4096),
        Accept(True, {"cores": 100}),
        F,
        ["VKE011", "VKE014"],
        True,
        {CORE: "200"},
    ),
    ("compute alone", Share(1, 30), Accept(), F, ["VKE012"], False, {}),
    (
        "compute alone, filled",
        Share(1, 30),
        Accept(fill={"memoryMiB": 8192}),
        F,
        ["VKE012"],
        True,
        {CORE: "30", MEMORY: "8192"},
    ),
    ("compute of two cards", Share(2, 30), Accept(), F, ["VKE024"], False, {}),
    ("nine shared cards", Share(9, 90, 9 * 4096), ROUND, X, ["VKE019"], False, {}),
    ("offline whole card", Share(1, qos=Qos.OFFLINE), ROUND, X, ["GX023"], False, {}),
    ("offline on two cards", Share(2, 30, 4096, qos=Qos.OFFLINE), ROUND, X, ["VKE031"], False, {}),
    (
        "offline by weight",
        Share(1, 30, 4096, Policy.BEST_EFFORT, Qos.OFFLINE),
        ROUND,
        X,
        ["VKE030"],
        False,
        {},
    ),
]


@pytest.mark.parametrize(
    ("asked", "accept", "verdict", "codes", "accepted", "limits"),
    [row[1:] for row in FIT],
    ids=[row[0] for row in FIT],
)
def test_verdicts(
    asked: Share, accept: Accept, verdict: Verdict, codes: list[str], accepted: bool, limits: dict[str, str]
) -> None:
    done = fit(asked, accept=accept)
    (outcome,) = done.outcomes
    assert outcome.verdict is verdict
    assert [loss.code for loss in outcome.losses] == codes
    assert done.accepted is accepted
    if accepted:
        assert limits_of(done) == [limits]


def test_filled_to_whole_cards_needs_no_card_list() -> None:
    """Whole cards need no list, which would bring the minimum of VKE024 to the other container."""
    done = fit(Share(2, None, 4096), Share(1, 30, 512), accept=Accept(True, {"cores": 100}))
    assert limits_of(done) == [{CORE: "200"}, {CORE: "30", MEMORY: "512"}]
    assert notes_of(done) == {}


def test_the_card_list_brings_its_minimum_to_every_share_of_the_pod() -> None:
    """(30, 1023) with "1" is refused by the webhook."""
    both_of_them = (Share(2, 30, 4096), Share(1, 30, 512))
    assert [loss.code for loss in fit(*both_of_them).outcomes[1].losses] == ["VKE024"]
    done = fit(*both_of_them, accept=ROUND)
    assert limits_of(done)[1] == {CORE: "30", MEMORY: "1024"}
    assert notes_of(done) == {LISTED: "2,1"}


def test_many_whole_cards_beside_several_shared() -> None:
    """The list holds 8 at most, though whole cards alone may be any number."""
    done = fit(Share(2, 30, 4096), Share(16))
    assert [[loss.code for loss in one.losses] for one in done.outcomes] == [[], ["VKE019"]]


def test_an_init_container_has_no_share() -> None:
    done = fit(None, init=Share(1, 30, 4096))
    assert [(loss.code, loss.kind) for loss in done.outcomes[0].losses] == [("VKE009", LossKind.REFUSED)]


def test_one_pod_one_policy() -> None:
    done = fit(Share(1, 30, 4096, Policy.FIXED_SHARE), Share(1, 30, 4096, Policy.BEST_EFFORT))
    assert {loss.code for one in done.outcomes for loss in one.losses} == {"GX022"}


WARN: list[tuple[str, Share, list[str]]] = [
    ("nothing doubtful", Share(1, 30, 257), []),
    ("exactly 256", Share(1, 30, 256), ["VKE012"]),
    ("a hard cap on several cards", Share(2, 30, 4096, Policy.FIXED_SHARE), ["VKE026"]),
    ("no policy on several cards", Share(2, 30, 4096), ["VKE026"]),
    ("weights on several cards", Share(2, 30, 4096, Policy.BEST_EFFORT), []),
    ("above 81920 on each", Share(2, 30, 163842, Policy.BEST_EFFORT), ["VKE024"]),
    ("81920 on each", Share(2, 30, 163840, Policy.BEST_EFFORT), []),
    ("much memory on one card", Share(1, 30, 98304), []),
    ("online by weight", Share(1, 30, 4096, Policy.BEST_EFFORT, Qos.ONLINE), ["VKE030"]),
]


@pytest.mark.parametrize(("asked", "codes"), [row[1:] for row in WARN], ids=[row[0] for row in WARN])
def test_what_is_written_with_a_warning(asked: Share, codes: list[str]) -> None:
    done = fit(asked)
    assert done.accepted
    assert [(d.code, d.severity) for d in done.outcomes[0].diagnostics] == [
        (c, Severity.WARNING) for c in codes
    ]


def test_no_policy_adds_none() -> None:
    assert notes_of(fit(Share(2, 30, 4096))) == {LISTED: "2"}
