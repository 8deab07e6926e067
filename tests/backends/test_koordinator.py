"""Koordinator: reading, writing, its legal sets, its nodes. Facts: koordinator-sh/koordinator at a7a1b76b."""

from __future__ import annotations

from itertools import chain, combinations

import pytest

from gpuxlate.backends.koordinator.backend import BACKEND, BOTH, CORE, MEMORY, RATIO, RECORD, SHARED
from gpuxlate.backends.live import LiveNode, LivePod, NodeView, Serves
from gpuxlate.lint.check import LintSettings, lint_source
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.share import Isolation, Share
from gpuxlate.yamltext.source import Source

from .test_hami import pod, read, to

KOORD = "  schedulerName: koord-scheduler\n"
LABEL = ", labels: {koordinator.sh/gpu-isolation-provider: HAMi-core}"

READ = [
    # issues 2097, 2517 and 2545
    (f"{SHARED}: 4, {MEMORY}: 160Gi", Share(4, None, 163840)),
    (f"{SHARED}: 1, {CORE}: 50, {MEMORY}: 3724Mi", Share(1, 50, 3724)),
    (f"{SHARED}: 1, {CORE}: 50, {RATIO}: 50", Share(1, 50, memory_percent=50)),
    # 2 cards of 50 % and 2 GiB (proposal 20230803)
    (f"{SHARED}: 2, {CORE}: 100, {MEMORY}: 4Gi", Share(2, 100, 4096)),
    (f"{SHARED}: 2, {RATIO}: 100", Share(2, memory_percent=50)),
    # the webhook: ratio / 100 where that is more than one card, else one
    (f"{RATIO}: 50", Share(memory_percent=50)),
    (f"{CORE}: 100, {RATIO}: 200", Share(2, 100, memory_percent=100)),
    (f"{BOTH}: 50", Share(1, 50, memory_percent=50)),
    (f"{BOTH}: 300", Share(3)),
    ("kubernetes.io/gpu-core: 30, kubernetes.io/gpu-memory: 8Gi", Share(1, 30, 8192)),
    (f"{MEMORY}: 8589934592", Share(1, None, 8192)),  # bytes
    (f"{MEMORY}: 8e9", Share(1, None, 7630)),  # rounded up to MiB
    (f"{SHARED}: 3, {MEMORY}: 8Gi", Share(3, None, 8193)),  # a third each, rounded up
    ("nvidia.com/gpu: 2", Share(2)),
]


@pytest.mark.parametrize(("limits", "share"), READ, ids=[row[0] for row in READ])
def test_reading(limits: str, share: Share) -> None:
    done = read(pod(limits, spec=KOORD))
    assert not done.refused, done.diagnostics
    assert [(one.share, one.source) for one in done.items] == [(share, "koordinator")]


def test_the_label_is_the_isolation() -> None:
    [one] = read(pod(f"{MEMORY}: 8Gi", metadata=LABEL, spec=KOORD)).items
    assert one.share == Share(1, None, 8192, isolation=Isolation.SOFT)


@pytest.mark.parametrize(("asked", "codes"), [("soft", []), ("hardware", ["GX020"])])
def test_isolation_that_is_asked_for_is_the_label(asked: str, codes: list[str]) -> None:
    metadata = f", annotations: {{gpuxlate.io/isolation: {asked}}}"
    done = to(pod("gpuxlate.io/memory-mib: 8192", metadata=metadata), "koordinator")
    assert [one.code for one in done.diagnostics if one.severity == "error"] == codes
    assert ("koordinator.sh/gpu-isolation-provider: HAMi-core" in done.text) == (not codes)


WRITE = [
    (
        "gpuxlate.io/cards: 2, gpuxlate.io/cores: 60, gpuxlate.io/memory-mib: 8192",
        f"{SHARED}: 2, {CORE}: 60, {MEMORY}: 8192Mi",
    ),
    ("gpuxlate.io/memory-mib: 3724", f"{SHARED}: 1, {MEMORY}: 3724Mi"),
    ("gpuxlate.io/cards: 2", "nvidia.com/gpu: 2"),
]


@pytest.mark.parametrize(("limits", "written"), WRITE)
def test_writing(limits: str, written: str) -> None:
    done = to(pod(limits), "koordinator")
    assert not done.refused, done.diagnostics
    found = done.text.partition("limits: {")[2].partition("}")[0]
    assert {one.strip() for one in found.split(",")} == {one.strip() for one in written.split(",")}
    assert "schedulerName: koord-scheduler" in done.text


@pytest.mark.parametrize("cards", [1, 2])
def test_compute_alone_has_all_memory(cards: int) -> None:
    """There and back: with compute the scheduler wants memory too, and a share without it has all of it."""
    bare = pod(f"gpuxlate.io/cards: {cards}, gpuxlate.io/cores: {75 * cards}")
    there = to(bare, "koordinator")
    assert not there.refused, there.diagnostics
    assert f"{CORE}: {75 * cards}" in there.text
    assert f"{RATIO}: {100 * cards}" in there.text
    assert [one.share for one in to(there.text, "neutral").items] == [Share(cards, 75 * cards)]


SETS = [{MEMORY}, {RATIO}, {CORE, MEMORY}, {CORE, RATIO}]
LEGAL = [*SETS, *({SHARED} | one for one in SETS), {BOTH}]
"""What the scheduler takes (deviceshare/utils.go); every other set is an invalid resource device request."""
KEYS = {SHARED: "1", CORE: "50", MEMORY: "8Gi", RATIO: "50", BOTH: "50"}


@pytest.mark.parametrize(
    "names",
    list(chain.from_iterable(combinations(KEYS, count) for count in range(1, 6))),
    ids=lambda names: " ".join(one.rpartition("/")[2] for one in names),
)
def test_the_legal_sets(names: tuple[str, ...]) -> None:
    limits = ", ".join(f"{name}: {KEYS[name]}" for name in names)
    found = lint_source(Source("pod.yaml", pod(limits, metadata=LABEL, spec=KOORD)), LintSettings())
    assert bool(found.diagnostics) == ({*names} not in LEGAL), found.diagnostics
    assert {one.code for one in found.diagnostics} <= {"KOORD002", "KOORD003"}


@pytest.mark.parametrize(
    ("metadata", "limits", "code", "said"),
    [
        # the project's own page of 2024-12 had both spellings
        ("", f"koordinator.sh/gpu-shared: 1, {MEMORY}: 8Gi", "GX003", SHARED),
        (LABEL.replace("HAMi", "hami"), f"{MEMORY}: 8Gi", "KOORD004", "HAMi-core"),
        (LABEL, f"{MEMORY}: 4096", "KOORD016", "8192Mi"),
        (LABEL, f"{MEMORY}: 4GB", "K8S002", "4Gi"),
        (LABEL, f"{MEMORY}: much", "K8S001", "whole number"),
        (LABEL, f"{MEMORY}: 1.5", "K8S001", "write 2"),
    ],
)
def test_mistakes(metadata: str, limits: str, code: str, said: str) -> None:
    found = lint_source(Source("pod.yaml", pod(limits, metadata=metadata, spec=KOORD)), LintSettings())
    assert said in next(str(one.hint) for one in found.diagnostics if one.code == code)


@pytest.mark.parametrize("amount", ["8Gi", "1.5Gi", "8000M", "8e9", '"8589934592"'])
def test_amounts_with_a_unit_are_right(amount: str) -> None:
    text = pod(f"{MEMORY}: {amount}", metadata=LABEL, spec=KOORD)
    assert lint_source(Source("pod.yaml", text), LintSettings()).diagnostics == []


def test_an_amount_that_is_none_is_no_share() -> None:
    done = read(pod(f"{CORE}: 50, {MEMORY}: much", metadata=LABEL, spec=KOORD))
    assert done.refused
    assert [one.share for one in done.items] == [None]


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


@pytest.mark.parametrize(
    ("record", "cards"),
    [
        ({"gpu": [{"minor": 1, "resources": {}}, {"minor": 3}]}, [(1, 3)]),
        ({"gpu": [{"minor": 1}, {"minor": 1}]}, []),
        ({"gpu": [{"minor": "x"}]}, []),
        ({"gpu": {"minor": 1}}, []),
        ({"rdma": [{"minor": 1}]}, []),
        (None, []),
    ],
)
def test_the_record_of_the_scheduler(record: dict[str, object] | None, cards: list[tuple[int, ...]]) -> None:
    live = BACKEND.live
    assert live is not None
    containers = (ContainerKeys("log"), ContainerKeys("web", 1, limits={MEMORY: Value("8Gi")}))
    found = live.placements(LivePod(PodKeys(containers), {RECORD: record} if record else {}), NODE)
    assert [one.cards for one in found] == cards
    assert all(one.index == 1 for one in found)
