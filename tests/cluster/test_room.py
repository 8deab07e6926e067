"""Room: what the search finds can be placed, what it does not find cannot, and the largest share fits."""

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.planning.capacity import Answer, CapacityAnswer, fits
from gpuxlate.planning.filling import Bin, BinPlacement
from gpuxlate.planning.free_capacity import FreeCapacity, free_capacities
from gpuxlate.planning.placing import FreeGpu, UndecidedError
from gpuxlate.planning.problem import PodDemand
from gpuxlate.planning.requests import ContainerRequest
from gpuxlate.planning.search import place_all
from tests.cluster.asking import Node, books, on, wanted
from tests.e2e import nodes as made
from tests.e2e import pods
from tests.effort import tries


def test_the_search_finds_what_best_fit_misses() -> None:
    # best fit puts 4 and 3 of 10 together, which leaves no room for 6: 6+4 and 7+3 is the one way
    def space(memory: int) -> FreeGpu:
        return FreeGpu(100, memory, 16, False)

    kinds = [4, 3, 3, 2, 2, 2]
    bins = [Bin((space(8), space(8)), tuple((ContainerRequest("c", False, 0, memory_mib=m),) for m in kinds))]
    spots = place_all(bins, range(len(kinds)))
    assert spots is not None
    assert_not_overbooked(bins, spots)


def test_more_than_may_be_tried_is_undecided() -> None:
    # 27 pods of 33 to 35 on cards of 131 to 137: enough in all, and three or four to a card
    asks = tuple((ContainerRequest("c", False, 0, memory_mib=33 + n % 3, cores=n % 5),) for n in range(27))
    bins = [Bin(tuple(FreeGpu(100, 131 + n, 16, False) for n in range(7)), asks)]
    with pytest.raises(UndecidedError):
        place_all(bins, range(27), steps=200)


def test_too_little_in_all_needs_no_search() -> None:
    asks = tuple((ContainerRequest("c", False, 0, memory_mib=40),) for _ in range(2))
    bins = [Bin((FreeGpu(100, 100, 16, False),) * 100, asks)]
    assert place_all(bins, [0, 1] * 500, steps=20_000) is None


# --- properties -----------------------------------------------------------------------------------


def asking(**amounts: Any) -> st.SearchStrategy[ContainerRequest]:
    cards, index = st.integers(1, 2), st.just(0)
    return st.builds(
        ContainerRequest, container=st.just("c"), init=st.just(False), index=index, cards=cards, **amounts
    )


asks = asking(cores=st.integers(0, 10).map(lambda n: n * 10), memory_mib=st.integers(1, 8))
whole = asking(whole=st.just(True))
pods_asked = st.lists(st.one_of(asks, asks, whole), min_size=1, max_size=2).map(tuple)
fresh_cards = st.just(FreeGpu(100, 8, 3, True))
tens = st.integers(0, 9).map(lambda n: n * 10)
used_cards = st.builds(FreeGpu, tens, st.integers(0, 7), st.integers(0, 2), st.just(False))
node_cards = st.lists(st.one_of(fresh_cards, used_cards), min_size=1, max_size=3).map(tuple)


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[Bin], list[int]]:
    kinds = draw(st.lists(pods_asked, min_size=1, max_size=3))
    bins = []
    for cards in draw(st.lists(node_cards, min_size=1, max_size=2)):
        taken = [draw(st.booleans()) for _ in kinds]
        bins.append(Bin(cards, tuple(k if t else None for k, t in zip(kinds, taken, strict=True))))
    return bins, draw(st.lists(st.integers(0, len(kinds) - 1), min_size=1, max_size=4))


On = dict[tuple[int, int], list[ContainerRequest]]
"""What lies on each card of each node."""


def laid(bins: Sequence[Bin], spot: BinPlacement, there: On) -> On:
    """One more pod beside what is there."""
    kind = bins[spot.bin].admits[spot.ask_index]
    assert kind is not None
    after = {key: list(value) for key, value in there.items()}
    for ask, cards in zip(kind, spot.cards, strict=True):
        assert len(set(cards)) == ask.cards
        for index in cards:
            after.setdefault((spot.bin, index), []).append(ask)
    return after


def has_room(free: FreeGpu, there: Sequence[ContainerRequest]) -> bool:
    """With sums alone."""
    if any(ask.whole for ask in there):
        return len(there) == 1 and free.untouched
    return (
        sum(ask.cores for ask in there) <= free.cores <= FULL_CARD_CORES
        and sum(ask.memory_mib or 0 for ask in there) <= free.memory_mib
        and len(there) <= free.slots
    )


def overbooked(bins: Sequence[Bin], there: On) -> list[tuple[int, int]]:
    return [
        (node, card) for (node, card), held in there.items() if not has_room(bins[node].cards[card], held)
    ]


def assert_not_overbooked(bins: Sequence[Bin], spots: Sequence[BinPlacement]) -> None:
    """Lay everything where it was said to go."""
    there: On = {}
    for spot in spots:
        there = laid(bins, spot, there)
    assert overbooked(bins, there) == []


def any_way(bins: Sequence[Bin], kinds: Sequence[int], there: On) -> bool:
    """Every place of everything, without any cleverness."""
    if not kinds:
        return True
    for number, one in enumerate(bins):
        kind = one.admits[kinds[0]]
        if kind is None:
            continue
        choices = [list(combinations(range(len(one.cards)), ask.cards)) for ask in kind]
        for chosen in product(*choices):
            after = laid(bins, BinPlacement(kinds[0], number, chosen), there)
            if not overbooked(bins, after) and any_way(bins, kinds[1:], after):
                return True
    return False


@tries(150)
@given(problems())
def test_what_is_said_to_fit_can_be_placed_and_what_is_not_cannot(
    problem: tuple[list[Bin], list[int]],
) -> None:
    bins, kinds = problem
    spots = place_all(bins, kinds)
    if spots is None:
        assert not any_way(bins, kinds, {})
    else:
        assert sorted(spot.ask_index for spot in spots) == sorted(kinds)
        assert_not_overbooked(bins, spots)


@tries(60)
@given(
    st.lists(st.tuples(st.integers(1, 6), st.integers(1, 9), st.integers(0, 1)), max_size=6),
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 3)), min_size=1, max_size=2),
    st.randoms(),
)
def test_the_answer_holds_when_it_is_carried_out(
    running: list[tuple[int, int, int]], asked: list[tuple[int, int, int]], mixed: Any
) -> None:
    """Pods put where the answer says they go overbook nothing, and the order of nodes does not matter."""
    nodes = [made.vke("a"), made.vke("b", cards=1)]
    there = [on(card, 10 * c, 2048 * m, f"p{n}") for n, (c, m, card) in enumerate(running)]
    kinds = [
        wanted("vke", pods.mgpu(10 * c, 2048 * m), count, f"Deployment/{n}")
        for n, (c, m, count) in enumerate(asked)
    ]
    said = fits(books(nodes, there), kinds)
    mixed.shuffle(nodes)
    mixed.shuffle(there)
    assert fits(books(nodes, there), kinds) == said
    if said.verdict is CapacityAnswer.FITS:
        carried_out(nodes, there, kinds, said)


def carried_out(nodes: list[Node], there: list[Node], kinds: list[PodDemand], said: Answer) -> None:
    more = []
    for number, place in enumerate(said.places):
        kind = next(one for one in kinds if place.pod.split(" #")[0] == one.name)
        limits = {name: value.text for name, value in kind.keys.containers[0].limits.items()}
        [chosen] = place.containers
        more.append(pods.vke(f"new{number}", place.node, limits, {"main": ",".join(map(str, chosen.cards))}))
    before, after = books(nodes, there), books(nodes, [*there, *more])
    unplaced = [[one.unplaced for one in usage.ledgers.values()] for usage in (before, after)]
    assert unplaced[0] == unplaced[1]
    for name, one in after.ledgers.items():
        for card, old in zip(one.cards, before.ledgers[name].cards, strict=True):
            if len(card.held) > len(old.held):
                assert card.cores <= FULL_CARD_CORES
                assert card.memory_mib(one.view.card_mib) <= (one.view.card_mib or 0)
                assert len(card.held) <= 16


# --- room on live nodes ---------------------------------------------------------------------------


def room(nodes: list[Any], running: list[Any]) -> list[FreeCapacity]:
    return free_capacities(books(nodes, running))


def test_enough_in_total_and_no_card_has_it() -> None:
    [found] = room([made.vke("a")], [on(0, 40, 8192), on(1, 40, 8192, "q")])
    assert (found.cards, found.empty_cards, found.enough_for_cards, found.fragmented) == (2, 0, 1, True)
    assert [(one.cores, one.card) for one in found.largest] == [(60, 0)]


def test_what_is_free_is_not_fragmented_where_it_is_too_little_or_on_one_card() -> None:
    for running, empty in (([on(0, 60, 8192), on(1, 60, 8192, "q")], 0), ([on(0, 60, 8192)], 1)):
        [found] = room([made.vke("a")], running)
        assert (found.empty_cards, found.fragmented) == (empty, False)


def test_a_closed_node_has_no_room() -> None:
    [found] = room([made.vke("a", unschedulable=True)], [])
    assert (found.cards, found.empty_cards, found.largest) == (2, 0, ())
    assert found.unknown


def test_every_dialect_whose_nodes_are_read() -> None:
    found = room(made.ALL, pods.ALL)
    assert {one.target for one in found} >= {"volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu"}


@tries(60)
@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 9), st.integers(0, 1)), max_size=5))
def test_the_largest_share_fits(running: list[tuple[int, int, int]]) -> None:
    there, used = [], {0: [0, 0], 1: [0, 0]}
    for n, (cores, memory, card) in enumerate(running):
        if used[card][0] + 10 * cores <= 100 and used[card][1] + 2048 * memory <= 22000:
            there.append(on(card, 10 * cores, 2048 * memory, f"p{n}"))
            used[card] = [used[card][0] + 10 * cores, used[card][1] + 2048 * memory]
    nodes = [made.vke("a")]
    [found] = room(nodes, there)
    for hole in found.largest:
        cores, memory = min(hole.cores, 99), hole.memory_mib
        if cores and memory >= 256:
            result = fits(books(nodes, there), [wanted("vke", pods.mgpu(cores, memory))])
            assert result.verdict is CapacityAnswer.FITS
