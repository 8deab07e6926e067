"""Koordinator: its legal sets, amounts, nodes. Facts: koordinator-sh/koordinator at a7a1b76b."""

from __future__ import annotations

from itertools import chain, combinations

from gpuxlate.backends.koordinator.backend import BACKEND, BOTH, CORE, MEMORY, RATIO, RECORD, SHARED
from gpuxlate.backends.live import LiveNode, LivePod, NodeView, Serves
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from tests.backends.pods import codes, lint, pod

KOORD = "  schedulerName: koord-scheduler\n"
LABEL = ", labels: {koordinator.sh/gpu-isolation-provider: HAMi-core}"

SETS = [{MEMORY}, {RATIO}, {CORE, MEMORY}, {CORE, RATIO}]
LEGAL = [*SETS, *({SHARED} | one for one in SETS), {BOTH}]
"""What the scheduler takes (deviceshare/utils.go); every other set is an invalid resource device request."""
KEYS = {SHARED: "1", CORE: "50", MEMORY: "8Gi", RATIO: "50", BOTH: "50"}


def text_of(limits: str, metadata: str = LABEL) -> str:
    return pod(limits, metadata=metadata, spec=KOORD)


def test_the_legal_sets() -> None:
    sets = chain.from_iterable(combinations(KEYS, count) for count in range(1, 6))
    found = {names: codes(lint(text_of(", ".join(f"{one}: {KEYS[one]}" for one in names)))) for names in sets}
    assert len(found) == 31
    assert {names for names, some in found.items() if bool(some) == ({*names} in LEGAL)} == set()
    assert {code for some in found.values() for code in some} <= {"KOORD002", "KOORD003"}


MISTAKES = [
    # the project's own page of 2024-12 had both spellings
    ("", f"koordinator.sh/gpu-shared: 1, {MEMORY}: 8Gi", "GX003", SHARED),
    (LABEL.replace("HAMi", "hami"), f"{MEMORY}: 8Gi", "KOORD004", "HAMi-core"),
    (LABEL, f"{MEMORY}: 4096", "KOORD016", "8192Mi"),
    (LABEL, f"{MEMORY}: 4GB", "K8S002", "4Gi"),
    (LABEL, f"{MEMORY}: much", "K8S001", "whole number"),
    (LABEL, f"{MEMORY}: 1.5", "K8S001", "write 2"),
]


def test_mistakes() -> None:
    found = {(metadata, limits): lint(text_of(limits, metadata)) for metadata, limits, *_ in MISTAKES}
    hints = {key: {one.code: str(one.hint) for one in some} for key, some in found.items()}
    wrong = [row for row in MISTAKES if row[3] not in hints[row[:2]].get(row[2], "")]
    assert wrong == [], hints


def test_amounts_with_a_unit_are_right() -> None:
    amounts = ("8Gi", "1.5Gi", "8000M", "8e9", '"8589934592"')
    assert {amount: lint(text_of(f"{MEMORY}: {amount}")) for amount in amounts} == {
        amount: [] for amount in amounts
    }


# --- a live cluster -------------------------------------------------------------------------------

NODE = NodeView("koordinator", Serves.SHARES)


def test_a_node() -> None:
    """Allocatable are the sums over the cards; two of 24 GiB."""
    live = BACKEND.live
    assert live is not None
    amounts = {CORE: "200", MEMORY: "48Gi", RATIO: "200"}
    node = live.view(LiveNode("n", {"node.koordinator.sh/gpu-model": "NVIDIA-A10"}, amounts))
    assert node is not None
    assert (node.serves, node.cards, node.card_mib, node.cores) == (Serves.SHARES, 2, 24576, 200)
    assert (node.memory_mib, node.model) == (49152, "NVIDIA-A10")
    assert live.view(LiveNode("n", {}, {"nvidia.com/gpu": "2"})) is None
    nothing = live.view(LiveNode("n", {"node.koordinator.sh/gpu-model": "NVIDIA-A10"}, {}))
    assert nothing is not None
    assert nothing.serves is Serves.NOTHING


RECORDS: list[tuple[dict[str, object] | None, list[tuple[int, ...]]]] = [
    ({"gpu": [{"minor": 1, "resources": {}}, {"minor": 3}]}, [(1, 3)]),
    ({"gpu": [{"minor": 1}, {"minor": 1}]}, []),
    ({"gpu": [{"minor": "x"}]}, []),
    ({"gpu": {"minor": 1}}, []),
    ({"rdma": [{"minor": 1}]}, []),
    (None, []),
]


def test_the_record_of_the_scheduler() -> None:
    live = BACKEND.live
    assert live is not None
    containers = (ContainerKeys("log"), ContainerKeys("web", 1, limits={MEMORY: Value("8Gi")}))
    found = [
        live.placements(LivePod(PodKeys(containers), {RECORD: record} if record else {}), NODE)
        for record, _ in RECORDS
    ]
    assert [[one.cards for one in some] for some in found] == [cards for _, cards in RECORDS]
    assert all(one.index == 1 for some in found for one in some)
