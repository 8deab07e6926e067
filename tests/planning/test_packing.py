"""Packing fleets on equal nodes: every packing is valid, and no bound is above the best one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.planning.bounds import one_dimension
from gpuxlate.planning.filling import BinPlacement
from gpuxlate.planning.fleet import Fleet, pack_fleet
from gpuxlate.planning.placing import FreeCards, FreeGpu
from gpuxlate.planning.requests import Asks, ContainerRequest
from tests.effort import tries

MIB, SLOTS = 8, 3


def ask(
    cores: int = 0, mib: int | None = None, cards: int = 1, mode: str = "", pool: str = ""
) -> ContainerRequest:
    return ContainerRequest(
        "c", False, 0, cards, cores, mib, cores == 0 and mib is None, mode=mode, pool=pool
    )


def node(cards: int) -> FreeCards:
    return (FreeGpu(100, MIB, SLOTS, True),) * cards


# --- what a plain reading of the rules says -------------------------------------------------------


def is_valid(cards: Sequence[Sequence[ContainerRequest]]) -> bool:
    """The cards of one node, by the asks on each, with sums alone."""
    if len({one.pool for card in cards for one in card} - {""}) > 1:
        return False
    return all(
        not card
        or (
            (len(card) == 1 or not any(one.whole or one.memory_mib is None for one in card))
            and sum(one.percent for one in card) <= 100
            and sum(one.memory_mib or 0 for one in card) <= MIB
            and len(card) <= SLOTS
            and len({one.mode for one in card} - {""}) <= 1
        )
        for card in cards
    )


def carried_out(found: Fleet, asks: Sequence[Asks], size: int) -> list[list[list[ContainerRequest]]]:
    nodes: list[list[list[ContainerRequest]]] = [[[] for _ in range(size)] for _ in range(found.nodes)]
    for placement in found.placements:
        for one, chosen in zip(asks[placement.ask_index], placement.cards, strict=True):
            assert len(set(chosen)) == one.cards
            for index in chosen:
                nodes[placement.bin][index].append(one)
    return nodes


def best(
    asks: Sequence[Asks], size: int, found: Sequence[tuple[tuple[ContainerRequest, ...], ...]] = ()
) -> tuple[int, int]:
    """Fewest nodes and then cards, by trying every place of every pod."""
    if not asks:
        return len(found), sum(bool(card) for one in found for card in one)
    every = []
    fresh: tuple[tuple[ContainerRequest, ...], ...] = ((),) * size
    for number, there in enumerate([*found, fresh]):
        choices = (combinations(range(size), one.cards) for one in asks[0])
        for chosen in product(*choices):
            here = [list(card) for card in there]
            for one, cards in zip(asks[0], chosen, strict=True):
                for index in cards:
                    here[index].append(one)
            if is_valid(here):
                after = [*found[:number], tuple(map(tuple, here)), *found[number + 1 :]]
                every.append(best(asks[1:], size, after))
    return min(every)


shares = st.builds(
    ask,
    cores=st.integers(0, 10).map(lambda n: n * 10),
    mib=st.integers(1, MIB),
    cards=st.sampled_from([1, 1, 1, 2]),
    mode=st.sampled_from(["", "", "a", "b"]),
)
plain = st.builds(ask, cards=st.integers(1, 2))


@st.composite
def fleets(draw: st.DrawFn) -> tuple[int, list[Asks], dict[int, int]]:
    size = draw(st.integers(1, 3))
    kinds = []
    for one in draw(st.lists(st.lists(st.one_of(shares, shares, plain), min_size=1, max_size=2), max_size=4)):
        pool = draw(st.sampled_from(["", "", "p", "q"]))
        kinds.append(
            tuple(ContainerRequest(**{**_fields(a), "pool": pool, "cards": min(a.cards, size)}) for a in one)
        )
    counts = {kind: draw(st.integers(1, 2)) for kind in range(len(kinds))}
    return size, kinds, counts


def _fields(one: ContainerRequest) -> dict[str, Any]:
    return {name: getattr(one, name) for name in ContainerRequest.__slots__}


@tries(200)
@given(fleets())
def test_the_bound_the_best_and_best_fit_are_in_this_order(
    problem: tuple[int, list[Asks], dict[int, int]],
) -> None:
    size, kinds, counts = problem
    found = pack_fleet(node(size), kinds, counts)
    placed = carried_out(found, kinds, size)
    assert all(is_valid(one) for one in placed)
    assert Counter(placement.ask_index for placement in found.placements) == {
        k: n for k, n in counts.items() if k not in found.unschedulable
    }
    assert (found.nodes, found.cards) == (len(placed), sum(bool(card) for one in placed for card in one))
    pods = [
        kinds[kind] for kind, count in counts.items() if kind not in found.unschedulable for _ in range(count)
    ]
    if len(pods) > 5:
        return  # trying all takes too long
    nodes, cards = best(pods, size)
    assert found.bound.nodes <= nodes <= found.nodes
    assert found.bound.cards <= cards
    if found.least:
        assert (found.nodes, found.cards) == (nodes, cards)


@given(st.lists(st.integers(1, 12), max_size=7))
def test_the_bound_of_one_dimension_is_below_the_best(sizes: list[int]) -> None:
    asks = [(ask(0, size),) for size in sizes]
    counts = dict.fromkeys(range(len(asks)), 1)
    found = pack_fleet((FreeGpu(100, 12, 99, True),), asks, counts)
    assert one_dimension(Counter(sizes), 12) <= found.nodes
    assert -(-sum(sizes) // 12) <= one_dimension(Counter(sizes), 12)


@pytest.mark.parametrize(
    ("sizes", "least"),
    [
        ([7, 7, 7], 3),  # none meets another one: the sum says 2
        ([6, 6, 6, 6], 2),
        ([7, 7, 5, 5], 2),
        ([8, 8, 5, 5], 3),  # a five finds no room beside an eight
        ([4, 4, 4, 4], 2),  # three to a card
        ([], 0),
    ],
)
def test_cases_of_one_dimension(sizes: list[int], least: int) -> None:
    assert one_dimension(Counter(sizes), 12) == least


# --- cases ------------------------------------------------------------------------------------------

ENDS = replace(ask(10, 1, mode="a"), init=True, ends=True)
CASES = {
    "five of a fifth": (1, [(ask(20, 1),)], {0: 5}, (2, 2)),  # three slots to a card
    "two dimensions": (1, [(ask(80, 1),), (ask(10, 7),)], {0: 2, 1: 2}, (2, 2)),
    "whole cards and parts": (2, [(ask(cards=2),), (ask(10, 4),)], {0: 1, 1: 2}, (2, 3)),
    "modes do not meet": (1, [(ask(10, 1, mode="a"),), (ask(10, 1, mode="b"),)], {0: 1, 1: 1}, (2, 2)),
    "modes on two cards": (2, [(ask(10, 1, mode="a"),), (ask(10, 1, mode="b"),)], {0: 1, 1: 1}, (1, 2)),
    "three modes on two cards": (2, [(ask(10, 1, mode=mode),) for mode in "abc"], {0: 1, 1: 1, 2: 1}, (2, 3)),
    "modes one after the other fit no card": (1, [(ENDS, ask(10, 1, mode="b"))], {0: 1}, (0, 0)),
    "pools do not meet": (2, [(ask(10, 1, pool="a"),), (ask(10, 1, pool="b"),)], {0: 1, 1: 1}, (2, 2)),
    "any pool": (2, [(ask(10, 1, pool="a"),), (ask(10, 1),)], {0: 1, 1: 1}, (1, 1)),
    "cards of a pod": (4, [(ask(cards=3),)], {0: 3}, (3, 9)),  # the fourth of each stays free
    "several cards are different ones": (2, [(ask(10, 1, cards=2),)], {0: 1}, (1, 2)),
    "two containers": (2, [(ask(60, 1), ask(60, 1))], {0: 2}, (2, 4)),
}


@pytest.mark.parametrize("name", CASES)
def test_known_best(name: str) -> None:
    size, asks, counts, wanted = CASES[name]
    found = pack_fleet(node(size), asks, counts)
    assert (found.nodes, found.cards, found.least) == (*wanted, True)


def test_what_best_fit_misses_is_not_said_to_be_the_least() -> None:
    """4, 3, 3 and 2, 2, 2 MiB fit two cards of eight; best-fit takes three and the bound says two."""
    found = pack_fleet(node(1), [(ask(0, 4),), (ask(0, 3),), (ask(0, 2),)], {0: 1, 1: 2, 2: 3})
    assert (found.nodes, found.bound.nodes, found.least) == (3, 2, False)


def test_what_fits_no_node_is_named() -> None:
    found = pack_fleet(
        node(2), [(ask(10, MIB + 1),), (ask(10, 1),), (ask(10, 1, cards=3),)], {0: 1, 1: 1, 2: 4}
    )
    assert (found.unschedulable, found.nodes) == ((0, 2), 1)


def test_all_of_many_are_packed() -> None:
    found = pack_fleet(node(2), [(ask(30, 3),), (ask(70, 2),)], {0: 100, 1: 100})
    assert len(found.placements) == 200
    assert found.bound.cards <= found.cards
    assert isinstance(found.placements[0], BinPlacement)


# --- init containers end before the others start: on a card, and in all, the larger counts -------------


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
        cards: list[list[ContainerRequest]] = [[] for _ in range(size)]
        for (asks, chosen), last in zip(pods, now, strict=True):
            for number in of_phase(asks, last):
                for index in chosen[number]:
                    cards[index].append(asks[number])
        if not is_valid(cards):
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

    def ask(number: int, kind: str) -> ContainerRequest:
        cards, cores, memory = draw(st.integers(1, size)), draw(st.integers(0, 6)), draw(st.integers(1, MIB))
        return ContainerRequest(
            "c", kind != "container", number, cards, 10 * cores, memory, ends=kind == "init"
        )

    return size, tuple(ask(number, kind) for number, kind in enumerate(kinds))


@tries(200)
@given(pods(), st.integers(1, 2))
def test_the_least_is_that_of_every_placement(drawn: tuple[int, Asks], count: int) -> None:
    size, asks = drawn
    empty: FreeCards = (FreeGpu(100, MIB, SLOTS, True),) * size
    found = pack_fleet(empty, [asks], {0: count})
    ways: Any = product(*(tuple(combinations(range(size), one.cards)) for one in asks))
    if not any(fits(size, [(asks, one)]) for one in ways):
        assert found.unschedulable == (0,)
        return
    nodes = fewest(size, asks, count)
    assert found.bound.nodes <= nodes <= found.nodes
    for number in range(found.nodes):
        assert fits(
            size, [(asks, placement.cards) for placement in found.placements if placement.bin == number]
        )
    if found.least:
        assert found.nodes == nodes
