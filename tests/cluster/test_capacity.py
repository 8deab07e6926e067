"""Cards and who holds them, and whether more would fit: never an overbooked card, never a false promise."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends.live import indexes
from gpuxlate.model.pod import Value
from gpuxlate.planning import ledger
from gpuxlate.planning.capacity import Verdict, answer
from gpuxlate.planning.problem import Wanted
from tests.cluster.asking import Node, books, wanted
from tests.e2e import nodes as made
from tests.e2e import pods


def held(found: ledger.Ledger) -> dict[int, list[tuple[str, str, int | None]]]:
    return {card.index: [(h.pod, h.ask.container, h.memory_mib) for h in card.held] for card in found.cards}


# --- records ------------------------------------------------------------------------------------


def test_the_records_of_every_vendor() -> None:
    found = books(made.ALL, pods.ALL).ledgers
    assert held(found["vke-fixed"]) == {
        0: [("vke-a", "main", 4096), ("vke-b", "main", 8192)],
        1: [("vke-two-containers", "web", 2048)],
    }
    # two cards share evenly; a whole card has all memory
    assert held(found["vke-native"]) == {
        0: [("vke-whole-card", "main", None)],
        1: [],
        2: [("vke-two-cards", "main", 4096)],
        3: [("vke-two-cards", "main", 4096)],
    }
    # units of 1 GiB on each card, as the record says
    assert held(found["ack-cgpu"]) == {
        0: [],
        1: [("ack-a", "main", 4096)],
        2: [("ack-two-cards", "main", 4096)],
        3: [("ack-two-cards", "main", 4096)],
    }
    assert held(found["tke-fixed"]) == {
        0: [("tke-a", "main", 5120), ("tke-two-cards", "main", 30720)],
        1: [("tke-two-cards", "main", 30720)],
    }
    assert [one.pod for one in found["vke-fixed"].unplaced] == ["vke-no-record"]


def test_who_is_done_holds_nothing_and_who_waits_is_counted() -> None:
    found = books(made.ALL, pods.ALL)
    assert "vke-done" not in json.dumps([held(one) for one in found.ledgers.values()])
    assert found.waiting == 1


def test_the_older_record_of_ack() -> None:
    older = {"ALIYUN_COM_GPU_MEM_IDX": "2"}  # OSS, const.go
    old = pods.pod("old", "ack-cgpu", pods.gpushare(3), annotations=older)
    assert held(books(made.ACK, [old]).ledgers["ack-cgpu"])[2] == [("old", "main", 3072)]


ALLOCATION = "scheduler.framework.gpushare.allocation"
OF_VKE = ("", "2", "0,1", "0,0", "x", "-1", "{}", "0, 1", "99999999999999999999")
OF_ACK = ("[]", "{", '{"0": 4}', '{"0": {"x": 4}}', '{"0": {"1": "many"}}', '{"1": {"1": 4}}',
          '{"0": {"9": 4}}', "{}")  # fmt: skip


def test_a_record_that_makes_no_sense_is_none() -> None:
    vke = [pods.vke("p", "vke-fixed", pods.mgpu(30, 4096), {"main": record}) for record in OF_VKE]
    ack = [pods.pod("p", "ack-cgpu", pods.gpushare(4), annotations={ALLOCATION: one}) for one in OF_ACK]
    wrong = []
    for node, running, free in (("vke-fixed", vke, 2 * 22731 - 4096), ("ack-cgpu", ack, (88 - 4) * 1024)):
        for one in running:
            found = books(made.ALL, [one]).ledgers[node]
            said = (any(held(found).values()), found.memory_free, [u.pod for u in found.unplaced])
            if said != (False, free, ["p"]):
                wrong.append((one["metadata"]["annotations"], said))
    assert wrong == []


def test_what_cannot_be_read_is_not_placed() -> None:
    two = pods.mgpu(30, 4096)
    annotations = {"vke.volcengine.com/container-multiple-gpu": "two"}
    one = pods.vke("p", "vke-fixed", two, {"main": "0"}, annotations=annotations)
    found = books(made.VKE, [one]).ledgers["vke-fixed"]
    assert [(u.pod, u.ask) for u in found.unplaced] == [("p", None)]


@given(st.text(max_size=8))
def test_indexes_are_of_different_cards(text: str) -> None:
    found = indexes(text)
    assert found is None or (len(set(found)) == len(found) and ",".join(map(str, found)) == text)


# --- would it fit -------------------------------------------------------------------------------


def with_selector(one: Wanted, **labels: str) -> Wanted:
    return replace(one, keys=replace(one.keys, node_selector={k: Value(v) for k, v in labels.items()}))


BURST = {"vke.volcengine.com/mgpu-compute-policy": "guaranteed-burst-share"}
TWO_CARDS = {
    "vke.volcengine.com/container-multiple-gpu": "2",
    "vke.volcengine.com/mgpu-compute-policy": "native-burst-share",
}


def mgpu(cores: int, mib: int | None = None, count: int = 1, **other: Any) -> Wanted:
    return wanted("vke", pods.mgpu(cores, mib), count, **other)


def gpushare(units: int, percent: int | None = None) -> Wanted:
    return wanted("ack", pods.gpushare(units, percent))


def on(card: int, cores: int, mib: int, name: str = "p") -> Node:
    """A pod of this share on a card of node a."""
    return pods.vke(name, "a", pods.mgpu(cores, mib), {"main": str(card)})


def unrecorded(cores: int) -> list[Node]:
    return [pods.pod("p", "a", pods.mgpu(cores, 4096))]


FITS, NOT, UNKNOWN = Verdict.FITS, Verdict.NOT, Verdict.UNKNOWN
ONE, TWO, NATIVE = [made.vke("a", cards=1)], [made.vke("a")], [made.vke("a", policy="native-burst-share")]
NATIVE_ONE = [made.vke("a", cards=1, policy="native-burst-share")]
CGPU, CORE_MEM, CGPU_ONE = (
    [made.ack("a", "cgpu")],
    [made.ack("a", "core_mem")],
    [made.ack("a", "cgpu", cards=1)],
)
UNITS_OF_128 = [made.ack("a", "share", cards=1, unit_mib=128)]
ANY = mgpu(10, 1024)
FIT: list[tuple[list[Node], list[Node], Wanted, Verdict, str]] = [
    # nodes, running, wanted, verdict, a part of the reason
    (ONE, [], mgpu(50, 8192), FITS, ""),
    (ONE, [], mgpu(50, 8192, 2), FITS, ""),
    (ONE, [], mgpu(50, 4096, 3), NOT, "compute: 150 % requested in all, 100 % free"),
    (
        TWO,
        [on(0, 60, 1024), on(1, 60, 1024, "q")],
        mgpu(50, 1024),
        NOT,
        "compute: 50 % of a card requested, at most 40 % free",
    ),
    (TWO, [], mgpu(10, 22732), NOT, "memory: 22732 MiB of a card requested, at most 22731 MiB free"),
    (
        TWO,
        [on(0, 90, 1024), on(1, 10, 20000, "q")],
        mgpu(50, 4096),
        NOT,
        "no card has 50 % and 4096 MiB free together",
    ),
    # V, maxContainersPerCard: 16
    (
        ONE,
        [on(0, 1, 256, f"p{n}") for n in range(16)],
        mgpu(1, 256),
        NOT,
        "its cards run as many as they can",
    ),
    (NATIVE_ONE, [], mgpu(60, 8192, annotations=TWO_CARDS), NOT, "2 cards requested, it has 1 card"),
    (NATIVE, [], mgpu(60, 8192, annotations=TWO_CARDS), FITS, ""),
    (
        TWO,
        [],
        mgpu(30, 4096, annotations=BURST),
        NOT,
        "its policy is fixed-share, the pod requests guaranteed-burst-share",
    ),
    # whole cards go to any policy, to an unused one
    (NATIVE, [], mgpu(200), FITS, ""),
    (ONE, [on(0, 1, 256)], mgpu(100), NOT, "1 unused card requested, 0 free"),
    # a pod without a record may be on any card of its node
    (TWO, unrecorded(50), mgpu(50, 4096), UNKNOWN, "a: the cards of 1 container are not recorded"),
    ([*TWO, made.vke("b")], unrecorded(50), mgpu(50, 4096), FITS, ""),
    (ONE, unrecorded(60), mgpu(50, 4096), NOT, ""),
    ([made.vke("a", unschedulable=True)], [], ANY, NOT, "a: it is cordoned"),
    ([made.vke("a", ready=False)], [], ANY, NOT, "a: it is not ready"),
    (TWO, [], with_selector(ANY, zone="b"), NOT, "the pod selects zone=b"),
    (CGPU, [], gpushare(2, 30), NOT, "its mode is cgpu; a share with compute needs core_mem"),
    (CORE_MEM, [], gpushare(2), NOT, "its mode is core_mem"),
    (CGPU_ONE, [], gpushare(22), FITS, ""),
    (CGPU_ONE, [], gpushare(23), NOT, "memory: 23552 MiB of a card requested, at most 22528 MiB free"),
    (UNITS_OF_128, [], gpushare(177), FITS, ""),
    ([made.tke("a")], [], wanted("tke", pods.qgpu(160, 60)), FITS, ""),
    # whole cards of any cloud
    ([made.vke_whole("a")], [], wanted(None, {"nvidia.com/gpu": 8}), FITS, ""),
    (
        [made.vke_whole("a")],
        [],
        wanted(None, {"nvidia.com/gpu": 9}),
        NOT,
        "9 of nvidia.com/gpu requested, 8 free",
    ),
    ([made.tke("a")], [], ANY, NOT, "a: it does not serve shares of volcengine-mgpu"),
    ([], [], ANY, NOT, "there is no GPU node"),
]


@pytest.mark.parametrize(("nodes", "running", "one", "verdict", "reason"), FIT)
def test_whether_it_fits(
    nodes: list[Node], running: list[Node], one: Wanted, verdict: Verdict, reason: str
) -> None:
    said = answer(books(nodes, running), [one])
    assert said.verdict is verdict, said
    assert (verdict is FITS) == (said.reasons == ())
    assert reason in "\n".join(said.reasons)


def test_where_it_would_go() -> None:
    said = answer(books([*ONE, made.vke("b", cards=1)]), [mgpu(60, 4096, 2)])
    assert [(p.pod, p.node, p.cards) for p in said.places] == [
        ("Deployment/web #1", "a", (("main", (0,)),)),
        ("Deployment/web #2", "b", (("main", (0,)),)),
    ]


def test_how_many_fit_where_not_all_do() -> None:
    said = answer(books(TWO), [mgpu(60, 4096, 5)])
    assert (said.verdict, said.pods, said.fitting) == (NOT, 5, 2)


def test_more_than_20_on_a_card_of_ack_is_a_warning() -> None:
    said = answer(books(CGPU_ONE), [wanted("ack", pods.gpushare(1), 21)])
    warning = "card 0 of a would hold 21 containers; the largest documented limit is 20"
    assert (said.verdict, said.warnings) == (FITS, (warning,))


def test_who_waits_may_be_first() -> None:
    said = answer(books(made.VKE, pods.VKE), [mgpu(1, 1024, annotations=BURST)])
    assert said.warnings == ("1 pod waits for a node and may be scheduled first",)


def test_offline_compute_is_not_counted() -> None:
    limits = {"vke.volcengine.com/reclaimed-mgpu-core": 90, "vke.volcengine.com/mgpu-memory": 4096}
    offline = {"katalyst.kubewharf.io/qos_level": "reclaimed_cores"}
    said = answer(books(ONE, [on(0, 90, 4096)]), [wanted("vke", limits, annotations=offline)])
    assert said.verdict is FITS
    assert "offline" in said.warnings[0]
