"""The packing of plans, measured: against known best packings, against the lower bound, and in time.

``python -m bench.packing``. Fleets with a known best packing are full cards that are cut into shares; the
others are random shares, of sizes as people write them. Cards are those of ``EMPTY``.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from statistics import median

from gpuxlate.planning import fleet as packing
from gpuxlate.planning.fleet import Fleet, pack_fleet
from gpuxlate.planning.placing import FreeCards, FreeGpu
from gpuxlate.planning.requests import Asks, ContainerRequest

MIB, SLOTS = 22528, 16
EMPTY: FreeCards = (FreeGpu(100, MIB, SLOTS, True),) * 4
"""A node: four cards of 22 GiB, 16 containers to a card."""
FLEETS = 100
"""Random fleets of each kind."""


def part(cores: int, mib: int) -> Asks:
    return (ContainerRequest("", False, 0, cores=cores, memory_mib=mib),)


def cut(cards: int, pieces: int, random_: random.Random) -> list[Asks]:
    """Full cards, each cut into as many shares: no packing has fewer."""
    found = []
    for _ in range(cards):
        cores = sorted(random_.sample(range(1, 100), pieces - 1))
        mib = sorted(random_.sample(range(1, MIB), pieces - 1))
        both = zip(_between(cores, 100), _between(mib, MIB), strict=True)
        found += [part(c, m) for c, m in both]
    return found


def _between(cuts: list[int], there: int) -> list[int]:
    return [high - low for low, high in zip([0, *cuts], [*cuts, there], strict=True)]


def written(pods: int, random_: random.Random) -> list[Asks]:
    """Shares of whole GiB and steps of 5 %, several of each; some of two cards, some whole."""
    found: list[Asks] = []
    while len(found) < pods:
        kind = random_.random()
        if kind < 0.05:
            one: Asks = (ContainerRequest("", False, 0, cards=random_.choice([1, 2]), whole=True),)
        elif kind < 0.1:
            one = (ContainerRequest("", False, 0, cards=2, cores=50, memory_mib=8192),)
        else:
            one = part(5 * random_.randint(1, 12), 1024 * random_.choice([1, 2, 3, 4, 5, 6, 8, 10, 12, 16]))
        found += [one] * random_.choice([1, 1, 2, 3, 5])
    return found[:pods]


def packed(pods: list[Asks]) -> Fleet:
    numbers: dict[Asks, int] = {}
    counts: dict[int, int] = {}
    for one in pods:
        kind = numbers.setdefault(one, len(numbers))
        counts[kind] = counts.get(kind, 0) + 1
    return pack_fleet(EMPTY, tuple(numbers), counts)


def gaps(make: Callable[[random.Random], list[Asks]], best: int | None) -> tuple[float, float, int]:
    """Percent of cards above the known best, or the bound: median and maximum; and fleets without a gap."""
    found = []
    for seed in range(FLEETS):
        fleet = packed(make(random.Random(seed)))
        least = best or fleet.bound.cards
        found.append(100 * (fleet.cards - least) / least)
    return median(found), max(found), sum(not one for one in found)


def rows() -> Iterator[str]:
    yield "| fleet | against | gap, median | gap, maximum | fleets without a gap |"
    yield "|---|---|---|---|---|"
    for cards, pieces in ((5, 2), (5, 4), (50, 3), (50, 6)):
        name = f"{cards} full cards in {pieces} shares each"
        yield _row(name, "the best", *gaps(lambda one, c=cards, p=pieces: cut(c, p, one), cards))  # type: ignore[misc]
    for pods in (10, 30, 300, 3000):
        yield _row(f"{pods} random pods", "the bound", *gaps(lambda one, p=pods: written(p, one), None))  # type: ignore[misc]


def _row(name: str, against: str, middle: float, most: float, without: int) -> str:
    return f"| {name} | {against} | {middle:.1f} % | {most:.1f} % | {without} of {FLEETS} |"


def times() -> Iterator[str]:
    """How time grows with the number of pods that all differ."""
    packing.ORDERED = 0  # the same work for both: one order
    seconds = {}
    for pods in (5_000, 50_000):
        some = [part(*_odd(random.Random(n))) for n in range(pods)]
        start = time.process_time()
        packed(some)
        seconds[pods] = time.process_time() - start
    yield f"50,000 different pods take {seconds[50_000] / seconds[5_000]:.1f} times as long as 5,000"


def _odd(random_: random.Random) -> tuple[int, int]:
    return random_.randint(1, 60), random_.randint(500, 12_000)


if __name__ == "__main__":
    print("\n".join([*rows(), "", *times()]))
