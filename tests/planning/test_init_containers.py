"""Init containers end before the others start: on a card, and in all, the larger counts.

Kubernetes, "Init containers", "Resource sharing within containers"; HAMi, pkg/device/initContainer.go,
CollapseInitContainerUsage (2026-08-21).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.planning.packing.fleet import pack_fleet
from gpuxlate.planning.packing.spaces import Ask, Asks, Cards, Space
from tests.effort import tries
from tests.running import run

HAMI = "nvidia.com/gpu: 1, nvidia.com/gpumem: {}"
MIG = "nvidia.com/mig-1g.10gb: 3"
WHOLE = "nvidia.com/gpu: {}"


def pod(init: Sequence[str] = (), containers: Sequence[str] = (), sidecars: Sequence[str] = ()) -> str:
    """Two replicas of a pod with these limits."""

    def listed(kind: str, limits: Sequence[str], more: str = "") -> str:
        row = f"      - {{name: {kind}%d{more}, resources: {{limits: {{%s}}}}}}\n"
        return "".join(row % (number, one) for number, one in enumerate(limits))

    first = listed("side", sidecars, ", restartPolicy: Always") + listed("init", init)
    return (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n"
        "  template:\n    spec:\n"
        f"{'      initContainers:' if first else ''}\n{first}"
        f"      containers:\n{listed('app', containers or ['cpu: 1'])}"
    )


def mib(*amounts: int) -> list[str]:
    return [HAMI.format(one) for one in amounts]


# by what it shows: the pod, the cards of 10000 MiB that two of them need, MiB in all, MiB of both in inspect
CASES: dict[str, tuple[str, int, int]] = {
    "the larger init container": (pod(mib(8000), mib(4000)), 2, 16000),
    "the larger containers": (pod(mib(4000), mib(3000, 2000)), 1, 10000),
    "containers together, on the card of the init container": (pod(mib(8000), mib(3000, 3000)), 2, 16000),
    "one init container after the other": (pod(mib(4000, 5000), mib(1000)), 1, 10000),
    "init containers alone": (pod(mib(5000)), 1, 10000),
    "a sidecar stays": (pod([], mib(4000), mib(2000)), 2, 12000),
    "a sidecar is there before": (pod(mib(4000), mib(1000), mib(2000)), 2, 12000),
}


def planned(folder: Path, text: str, target: str, cards: str, *more: str) -> dict[str, Any]:
    path = folder / f"{target}.yaml"
    path.write_text(f"target: {target}\ncards: {cards}\n")
    words = ("plan", "-", "--to", target, "--profile", str(path), "-o", "json", *more)
    (found,) = json.loads(run(*words, stdin=text.encode()).out)["targets"]
    return dict(found)


TEN = "{perNode: 1, memoryMiB: 10000}"


@pytest.mark.parametrize(("text", "cards", "total"), CASES.values(), ids=CASES)
def test_what_is_reserved(text: str, cards: int, total: int, tmp_path: Path) -> None:
    found = planned(tmp_path, text, "hami", TEN)
    assert (found["cards"], found["proved"], found["use"]["memoryMiB"]["taken"]) == (cards, True, total)
    read = json.loads(run("inspect", "-", "-o", "json", stdin=text.encode()).out)
    assert read["totals"]["hami"]["memoryMiB"] == total


def test_a_printed_card_shows_what_is_reserved(tmp_path: Path) -> None:
    """40 % of the card for the container, and 40 % more for the init container."""
    page = tmp_path / "plan.html"
    planned(tmp_path, pod(mib(8000), mib(4000)), "hami", TEN, "--html", str(page))
    assert re.findall(r"width:([\d.]+)%", page.read_text()) == ["40.00"] * 4


COUNTED: dict[str, tuple[str, str, str, int]] = {
    # by what it shows: the pod, its target, the profile's cards, the number of them
    "MIG": (pod([MIG], [MIG]), "nvidia-mig", "{perNode: 1, model: H100-80GB}", 1),
    "whole cards": (pod([WHOLE.format(2)], [WHOLE.format(1)]), "hami", "{perNode: 2, memoryMiB: 10000}", 4),
}


@pytest.mark.parametrize(("text", "target", "cards", "number"), COUNTED.values(), ids=COUNTED)
def test_what_is_counted(text: str, target: str, cards: str, number: int, tmp_path: Path) -> None:
    found = planned(tmp_path, text, target, cards, "--from", target)
    assert (found["cards"], found["nowhere"], found["refused"]) == (number, [], [])


def test_a_scheduler_that_looks_at_no_init_container() -> None:
    """Volcano adds up spec.containers alone (pkg/scheduler/api/devices/nvidia/vgpu/utils.go, 2026-08-20)."""
    limits = "volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: {}"
    text = pod([limits.format(8000)], [limits.format(4000)])
    read = json.loads(run("inspect", "-", "-o", "json", stdin=text.encode()).out)
    assert read["totals"]["volcano-vgpu"]["memoryMiB"] == 8000
    assert [(one["container"], one.get("init")) for one in read["items"]] == [("init0", True), ("app0", None)]


# --- every packing --------------------------------------------------------------------------------

MIB, SLOTS = 8, 3


def of_phase(pod: Asks, last: int | None) -> list[int]:
    """The containers of a pod that run beside an init container, or after all of them (None)."""
    return [
        number
        for number, one in enumerate(pod)
        if (not one.ends if last is None else number == last or (one.init and not one.ends and number < last))
    ]


def fits(size: int, pods: Sequence[tuple[Asks, Sequence[Sequence[int]]]]) -> bool:
    """Pods with the cards of their containers fit a node, whatever the phase of each."""
    every = [[None, *(n for n, one in enumerate(asks) if one.ends)] for asks, _ in pods]
    for now in product(*every):
        cards: list[list[Ask]] = [[] for _ in range(size)]
        for (asks, chosen), last in zip(pods, now, strict=True):
            for number in of_phase(asks, last):
                for index in chosen[number]:
                    cards[index].append(asks[number])
        for card in cards:
            sums = sum(one.percent for one in card), sum(one.memory_mib or 0 for one in card), len(card)
            if any(one > most for one, most in zip(sums, (100, MIB, SLOTS), strict=True)):
                return False
    return True


def fewest(size: int, asks: Asks, count: int) -> int:
    """How many nodes some equal pods need, by trying every place."""
    ways = list(product(*(tuple(combinations(range(size), one.cards)) for one in asks)))
    most = max(
        number
        for number in range(1, count + 1)
        if any(fits(size, [(asks, one) for one in some]) for some in product(ways, repeat=number))
    )
    return -(-count // most)


@st.composite
def pods(draw: st.DrawFn) -> tuple[int, Asks]:
    size = draw(st.integers(1, 2))
    kinds = draw(st.lists(st.sampled_from(["sidecar", "init"]), max_size=2))
    kinds += ["container"] * draw(st.integers(0 if "init" in kinds else 1, 2))

    def ask(number: int, kind: str) -> Ask:
        cards, cores, memory = draw(st.integers(1, size)), draw(st.integers(0, 6)), draw(st.integers(1, MIB))
        return Ask("c", kind != "container", number, cards, 10 * cores, memory, ends=kind == "init")

    return size, tuple(ask(number, kind) for number, kind in enumerate(kinds))


@tries(200)
@given(pods(), st.integers(1, 2))
def test_the_least_is_that_of_every_placement(drawn: tuple[int, Asks], count: int) -> None:
    size, asks = drawn
    empty: Cards = (Space(100, MIB, SLOTS, True),) * size
    found = pack_fleet(empty, [asks], {0: count})
    ways: Any = product(*(tuple(combinations(range(size), one.cards)) for one in asks))
    if not any(fits(size, [(asks, one)]) for one in ways):
        assert found.homeless == (0,)
        return
    nodes = fewest(size, asks, count)
    assert found.bound.nodes <= nodes <= found.nodes
    for number in range(found.nodes):
        assert fits(size, [(asks, spot.cards) for spot in found.spots if spot.bin == number])
    if found.least:
        assert found.nodes == nodes
