"""Cards and who holds them, and whether more would fit: never an overbooked card, never a false promise."""

from __future__ import annotations

import json
from dataclasses import replace

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
    old = pods.pod(
        "old", "ack-cgpu", pods.gpushare(3), annotations={"ALIYUN_COM_GPU_MEM_IDX": "2"}
    )  # OSS, const.go
    assert held(books(made.ACK, [old]).ledgers["ack-cgpu"])[2] == [("old", "main", 3072)]


@pytest.mark.parametrize(
    "record",
    ["", "2", "0,1", "0,0", "x", "-1", "{}", "0, 1", "99999999999999999999"],
)
def test_a_record_that_makes_no_sense_is_none(record: str) -> None:
    one = pods.vke("p", "vke-fixed", pods.mgpu(30, 4096), {"main": record})
    found = books(made.VKE, [one]).ledgers["vke-fixed"]
    assert held(found) == {0: [], 1: []}
    assert [u.pod for u in found.unplaced] == ["p"]


@pytest.mark.parametrize(
    "record",
    [
        "[]",
        "{",
        '{"0": 4}',
        '{"0": {"x": 4}}',
        '{"0": {"1": "many"}}',
        '{"1": {"1": 4}}',
        '{"0": {"9": 4}}',
        "{}",
    ],
)
def test_a_record_of_ack_that_makes_no_sense_is_none(record: str) -> None:
    one = pods.pod(
        "p",
        "ack-cgpu",
        pods.gpushare(4),
        annotations={"scheduler.framework.gpushare.allocation": record},
    )
    found = books(made.ACK, [one]).ledgers["ack-cgpu"]
    assert [u.pod for u in found.unplaced] == ["p"]
    assert found.memory_free == (88 - 4) * 1024


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

FIT = [
    # nodes, running, wanted, verdict, a part of the reason
    ("an empty card", [made.vke("a", cards=1)], [], wanted("vke", pods.mgpu(50, 8192)), Verdict.FITS, ""),
    ("twice", [made.vke("a", cards=1)], [], wanted("vke", pods.mgpu(50, 8192), 2), Verdict.FITS, ""),
    (
        "compute is short in all",
        [made.vke("a", cards=1)],
        [],
        wanted("vke", pods.mgpu(50, 4096), 3),
        Verdict.NOT,
        "compute: 150 % requested in all, 100 % free",
    ),
    (
        "compute is short on each card",
        [made.vke("a")],
        [pods.vke(f"p{n}", "a", pods.mgpu(60, 1024), {"main": str(n)}) for n in (0, 1)],
        wanted("vke", pods.mgpu(50, 1024)),
        Verdict.NOT,
        "compute: 50 % of a card requested, at most 40 % free",
    ),
    (
        "memory is short",
        [made.vke("a")],
        [],
        wanted("vke", pods.mgpu(10, 22732)),
        Verdict.NOT,
        "memory: 22732 MiB of a card requested, at most 22731 MiB free",
    ),
    (
        "no card has both",
        [made.vke("a")],
        [
            pods.vke("p", "a", pods.mgpu(90, 1024), {"main": "0"}),
            pods.vke("q", "a", pods.mgpu(10, 20000), {"main": "1"}),
        ],
        wanted("vke", pods.mgpu(50, 4096)),
        Verdict.NOT,
        "no card has 50 % and 4096 MiB free together",
    ),
    (
        "16 containers are on the card",  # V, maxContainersPerCard
        [made.vke("a", cards=1)],
        [pods.vke(f"p{n}", "a", pods.mgpu(1, 256), {"main": "0"}) for n in range(16)],
        wanted("vke", pods.mgpu(1, 256)),
        Verdict.NOT,
        "its cards run as many as they can",
    ),
    (
        "two cards are not there",
        [made.vke("a", cards=1, policy="native-burst-share")],
        [],
        wanted("vke", pods.mgpu(60, 8192), annotations=TWO_CARDS),
        Verdict.NOT,
        "2 cards requested, it has 1 card",
    ),
    (
        "two cards are there",
        [made.vke("a", policy="native-burst-share")],
        [],
        wanted("vke", pods.mgpu(60, 8192), annotations=TWO_CARDS),
        Verdict.FITS,
        "",
    ),
    (
        "another policy",
        [made.vke("a")],
        [],
        wanted("vke", pods.mgpu(30, 4096), annotations=BURST),
        Verdict.NOT,
        "its policy is fixed-share, the pod requests guaranteed-burst-share",
    ),
    (
        "whole cards go to any policy",
        [made.vke("a", policy="native-burst-share")],
        [],
        wanted("vke", pods.mgpu(200)),
        Verdict.FITS,
        "",
    ),
    (
        "a whole card wants an untouched one",
        [made.vke("a", cards=1)],
        [pods.vke("p", "a", pods.mgpu(1, 256), {"main": "0"})],
        wanted("vke", pods.mgpu(100)),
        Verdict.NOT,
        "1 unused card requested, 0 free",
    ),
    (
        "a pod without a record",
        [made.vke("a", cards=2)],
        [pods.pod("p", "a", pods.mgpu(50, 4096))],
        wanted("vke", pods.mgpu(50, 4096)),
        Verdict.UNKNOWN,
        "a: the cards of 1 container are not recorded",
    ),
    (
        "a pod without a record, on another node",
        [made.vke("a"), made.vke("b")],
        [pods.pod("p", "a", pods.mgpu(50, 4096))],
        wanted("vke", pods.mgpu(50, 4096)),
        Verdict.FITS,
        "",
    ),
    (
        "a pod without a record, and no room at best",
        [made.vke("a", cards=1)],
        [pods.pod("p", "a", pods.mgpu(60, 4096))],
        wanted("vke", pods.mgpu(50, 4096)),
        Verdict.NOT,
        "",
    ),
    (
        "a cordoned node",
        [made.vke("a", unschedulable=True)],
        [],
        wanted("vke", pods.mgpu(10, 1024)),
        Verdict.NOT,
        "a: it is cordoned",
    ),
    (
        "a node that is not ready",
        [made.vke("a", ready=False)],
        [],
        wanted("vke", pods.mgpu(10, 1024)),
        Verdict.NOT,
        "a: it is not ready",
    ),
    (
        "a node selector",
        [made.vke("a")],
        [],
        with_selector(wanted("vke", pods.mgpu(10, 1024)), zone="b"),
        Verdict.NOT,
        "the pod selects zone=b",
    ),
    (
        "compute of ACK goes to core_mem",
        [made.ack("a", "cgpu")],
        [],
        wanted("ack", pods.gpushare(2, 30)),
        Verdict.NOT,
        "its mode is cgpu; a share with compute needs core_mem",
    ),
    (
        "memory alone does not go to core_mem",
        [made.ack("a", "core_mem")],
        [],
        wanted("ack", pods.gpushare(2)),
        Verdict.NOT,
        "its mode is core_mem",
    ),
    (
        "memory of ACK",
        [made.ack("a", "cgpu", cards=1)],
        [],
        wanted("ack", pods.gpushare(22)),
        Verdict.FITS,
        "",
    ),
    (
        "a unit of ACK too many",
        [made.ack("a", "cgpu", cards=1)],
        [],
        wanted("ack", pods.gpushare(23)),
        Verdict.NOT,
        "memory: 23552 MiB of a card requested, at most 22528 MiB free",
    ),
    (
        "ACK in units of 128 MiB",
        [made.ack("a", "share", cards=1, unit_mib=128)],
        [],
        wanted("ack", pods.gpushare(177)),
        Verdict.FITS,
        "",
    ),
    ("two cards of TKE", [made.tke("a")], [], wanted("tke", pods.qgpu(160, 60)), Verdict.FITS, ""),
    (
        "whole cards of any cloud",
        [made.vke_whole("a")],
        [],
        wanted(None, {"nvidia.com/gpu": 8}),
        Verdict.FITS,
        "",
    ),
    (
        "more whole cards than there are",
        [made.vke_whole("a")],
        [],
        wanted(None, {"nvidia.com/gpu": 9}),
        Verdict.NOT,
        "9 of nvidia.com/gpu requested, 8 free",
    ),
    (
        "another dialect",
        [made.tke("a")],
        [],
        wanted("vke", pods.mgpu(10, 1024)),
        Verdict.NOT,
        "a: it does not serve shares of volcengine-mgpu",
    ),
    ("no node", [], [], wanted("vke", pods.mgpu(10, 1024)), Verdict.NOT, "there is no GPU node"),
]


@pytest.mark.parametrize(
    ("nodes", "running", "one", "verdict", "reason"), [r[1:] for r in FIT], ids=[r[0] for r in FIT]
)
def test_whether_it_fits(
    nodes: list[Node], running: list[Node], one: Wanted, verdict: Verdict, reason: str
) -> None:
    said = answer(books(nodes, running), [one])
    assert said.verdict is verdict, said
    assert (verdict is Verdict.FITS) == (said.reasons == ())
    assert reason in "\n".join(said.reasons)


def test_where_it_would_go() -> None:
    said = answer(
        books([made.vke("a", cards=1), made.vke("b", cards=1)]), [wanted("vke", pods.mgpu(60, 4096), 2)]
    )
    assert [(p.pod, p.node, p.cards) for p in said.places] == [
        ("Deployment/web #1", "a", (("main", (0,)),)),
        ("Deployment/web #2", "b", (("main", (0,)),)),
    ]


def test_how_many_fit_where_not_all_do() -> None:
    said = answer(books([made.vke("a", cards=2)]), [wanted("vke", pods.mgpu(60, 4096), 5)])
    assert (said.verdict, said.pods, said.fitting) == (Verdict.NOT, 5, 2)


def test_more_than_20_on_a_card_of_ack_is_a_warning() -> None:
    said = answer(books([made.ack("a", "cgpu", cards=1)]), [wanted("ack", pods.gpushare(1), 21)])
    assert said.verdict is Verdict.FITS
    assert said.warnings == ("card 0 of a would hold 21 containers; the largest documented limit is 20",)


def test_who_waits_may_be_first() -> None:
    said = answer(books(made.VKE, pods.VKE), [wanted("vke", pods.mgpu(1, 1024), annotations=BURST)])
    assert said.warnings == ("1 pod waits for a node and may be scheduled first",)


def test_offline_compute_is_not_counted() -> None:
    limits = {"vke.volcengine.com/reclaimed-mgpu-core": 90, "vke.volcengine.com/mgpu-memory": 4096}
    offline = {"katalyst.kubewharf.io/qos_level": "reclaimed_cores"}
    running = [pods.vke("p", "a", pods.mgpu(90, 4096), {"main": "0"})]
    said = answer(books([made.vke("a", cards=1)], running), [wanted("vke", limits, annotations=offline)])
    assert said.verdict is Verdict.FITS
    assert "offline" in said.warnings[0]
