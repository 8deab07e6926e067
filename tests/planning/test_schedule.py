"""Pods placed one at a time: every pod once, never over a card, never on fewer nodes than the lower bound."""

from collections.abc import Iterator
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends.limits import Pick, Scheduling
from gpuxlate.planning.packing import Asks, Cards, ContainerRequest, pack_fleet
from gpuxlate.planning.schedule import Nodes
from tests.effort import tries
from tests.planning.test_packing import MIB, fleets, is_valid, node

SCHEDULERS = [
    Scheduling(nodes, cards)
    for nodes in (Pick.FULLEST, Pick.EMPTIEST, Pick.FEWEST_PODS)
    for cards in (Pick.FULLEST, Pick.EMPTIEST, Pick.FIRST)
]
Problem = tuple[int, list[Asks], dict[int, int]]


def placed(
    there: Nodes, pods: list[Asks], empty: Cards
) -> Iterator[tuple[Asks, int, tuple[tuple[int, ...], ...]]]:
    """Each pod, its node and its cards; a node more where none takes it."""
    for asks in pods:
        spot = there.take(asks)
        if spot is None:
            there.add(empty)
            spot = there.take(asks)
        assert spot is not None
        yield asks, *spot


@tries(200)
@given(fleets(), st.sampled_from(SCHEDULERS), st.integers(0, 2), st.randoms(use_true_random=False))
def test_what_a_scheduler_reaches(problem: Problem, how: Scheduling, there: int, order: Random) -> None:
    size, kinds, counts = problem
    empty, fleet = node(size), pack_fleet(node(size), kinds, counts)
    pods = [kinds[kind] for kind in counts for _ in range(counts[kind]) if kind not in fleet.unschedulable]
    order.shuffle(pods)
    nodes = Nodes([empty] * there, how, MIB, pods)
    cards: dict[int, list[list[ContainerRequest]]] = {}
    for asks, number, chosen in placed(nodes, pods, empty):
        for ask, indexes in zip(asks, chosen, strict=True):
            assert len(set(indexes)) == ask.cards
            for index in indexes:
                cards.setdefault(number, [[] for _ in empty])[index].append(ask)
    assert all(map(is_valid, cards.values()))
    assert sum(len(card) for one in cards.values() for card in one) == sum(
        a.cards for pod in pods for a in pod
    )
    assert fleet.bound.nodes <= len(cards) <= len(nodes.state)
    assert len(nodes.state) <= max(there, len(pods))


def test_nodes_are_added_for_pods_that_wait_alone() -> None:
    """A pod that a node refuses is refused again, and the room for others stays theirs."""
    large, small = ((ContainerRequest("", False, 0, cores=cores, memory_mib=1),) for cores in (80, 30))
    nodes = Nodes([node(1)], Scheduling(Pick.FULLEST, Pick.FULLEST), MIB, [large, small])
    assert [nodes.take(one) for one in (large, large, small, large)] == [(0, ((0,),)), None, None, None]
    nodes.add(node(1))
    assert [nodes.take(one) for one in (small, large, small)] == [(1, ((0,),)), None, (1, ((0,),))]
