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

HAMI = "nvidia.com/gpu: {cards}, nvidia.com/gpumem: {mib}"
MIG = "nvidia.com/mig-1g.10gb: {cards}"
WHOLE = "nvidia.com/gpu: {cards}"


def pod(init: Sequence[str] = (), containers: Sequence[str] = (), sidecars: Sequence[str] = ()) -> str:
    """Two replicas of a pod with these limits."""

    def listed(kind: str, limits: Sequence[str], more: str = "") -> list[str]:
        return [
            f"      - {{name: {kind}{n}{more}, resources: {{limits: {{{one}}}}}}}\n"
            for n, one in enumerate(limits)
        ]

    first = [*listed("side", sidecars, ", restartPolicy: Always"), *listed("init", init)]
    return (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n"
        "  template:\n    spec:\n"
        + ("      initContainers:\n" + "".join(first) if first else "")
        + "      containers:\n"
        + "".join(listed("app", containers or ["cpu: 1"]))
    )


def mib(*amounts: int) -> list[str]:
    return [HAMI.format(cards=1, mib=one) for one in amounts]


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


def profile(folder: Path, target: str, cards: str) -> str:
    path = folder / f"{target}.yaml"
    path.write_text(f"target: {target}\ncards: {cards}\n")
    return str(path)


@pytest.mark.parametrize(("text", "cards", "total"), CASES.values(), ids=CASES)
def test_what_is_reserved(text: str, cards: int, total: int, tmp_path: Path) -> None:
    own = profile(tmp_path, "hami", "{perNode: 1, memoryMiB: 10000}")
    plan = json.loads(
        run("plan", "-", "--to", "hami", "--profile", own, "-o", "json", stdin=text.encode()).out
    )
    (found,) = plan["targets"]
    assert (found["cards"], found["proved"], found["use"]["memoryMiB"]["taken"]) == (cards, True, total)
    read = json.loads(run("inspect", "-", "-o", "json", stdin=text.encode()).out)
    assert read["totals"]["hami"]["memoryMiB"] == total


def test_a_printed_card_shows_what_is_reserved(tmp_path: Path) -> None:
    """40 % of the card for the container, and 40 % more for the init container."""
    own, page = profile(tmp_path, "hami", "{perNode: 1, memoryMiB: 10000}"), tmp_path / "plan.html"
    text = pod(mib(8000), mib(4000)).encode()
    run("plan", "-", "--to", "hami", "--profile", own, "--html", str(page), stdin=text)
    assert re.findall(r"width:([\d.]+)%", page.read_text()) == ["40.00"] * 4


COUNTED: dict[str, tuple[str, str, str, str, int]] = {
    # by what it shows: the pod, from and to, the profile's cards, the number of them
    "MIG": (
        pod([MIG.format(cards=3)], [MIG.format(cards=3)]),
        "nvidia-mig",
        "nvidia-mig",
        "{perNode: 1, model: H100-80GB}",
        1,
    ),
    "whole cards": (
        pod([WHOLE.format(cards=2)], [WHOLE.format(cards=1)]),
        "hami",
        "hami",
        "{perNode: 2, memoryMiB: 10000}",
        4,
    ),
}


@pytest.mark.parametrize(("text", "source", "target", "cards", "number"), COUNTED.values(), ids=COUNTED)
def test_what_is_counted(
    text: str, source: str, target: str, cards: str, number: int, tmp_path: Path
) -> None:
    own = profile(tmp_path, target, cards)
    done = run(
        *("plan", "-", "--from", source, "--to", target, "--profile", own, "-o", "json"), stdin=text.encode()
    )
    (found,) = json.loads(done.out)["targets"]
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
    return size, tuple(
        Ask(
            "c",
            kind != "container",
            number,
            draw(st.integers(1, size)),
            draw(st.integers(0, 6)) * 10,
            draw(st.integers(1, MIB)),
            ends=kind == "init",
        )
        for number, kind in enumerate(kinds)
    )


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
