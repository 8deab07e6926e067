"""Pods placed one at a time: every pod once, never over a card, never on fewer nodes than the lower bound."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.backends.scheduling_limits import Pick, Scheduling
from gpuxlate.planning.filling import Bin, BinPlacement, Nodes
from gpuxlate.planning.fleet import pack_fleet
from gpuxlate.planning.requests import Asks, ContainerRequest
from tests.counting import grows_with_the_input, lines
from tests.effort import tries
from tests.planning.test_packing import MIB, fleets, is_valid, node

SCHEDULERS = [
    Scheduling(nodes, cards)
    for nodes in (Pick.FULLEST, Pick.EMPTIEST, Pick.FEWEST_PODS)
    for cards in (Pick.FULLEST, Pick.EMPTIEST, Pick.FIRST)
]
Problem = tuple[int, list[Asks], dict[int, int]]


@tries(200)
@given(fleets(), st.sampled_from(SCHEDULERS), st.integers(0, 2), st.randoms(use_true_random=False))
def test_what_a_scheduler_reaches(problem: Problem, how: Scheduling, there: int, order: Random) -> None:
    size, kinds, counts = problem
    empty, fleet = node(size), pack_fleet(node(size), kinds, counts)
    pods = [kind for kind in counts for _ in range(counts[kind]) if kind not in fleet.unschedulable]
    order.shuffle(pods)
    like = Bin(empty, tuple(kinds))
    nodes = Nodes([like] * there, how, MIB, like)
    cards: dict[int, list[list[ContainerRequest]]] = {}
    for kind in pods:
        placement = nodes.take(kind)
        assert placement is not None
        assert placement.ask_index == kind
        for ask, indexes in zip(kinds[kind], placement.cards, strict=True):
            assert len(set(indexes)) == ask.cards
            for index in indexes:
                cards.setdefault(placement.bin, [[] for _ in empty])[index].append(ask)
    assert all(map(is_valid, cards.values()))
    assert sum(len(card) for one in cards.values() for card in one) == sum(
        a.cards for kind in pods for a in kinds[kind]
    )
    assert fleet.bound.nodes <= len(cards) <= len(nodes.state)
    assert len(nodes.state) <= max(there, len(pods))


def test_nodes_are_added_for_pods_that_wait_alone() -> None:
    """A pod that a node refuses is refused again, and the room for others stays theirs."""
    large, small = 0, 1
    admits = tuple((ContainerRequest("", False, 0, cores=cores, memory_mib=1),) for cores in (80, 30))
    like = Bin(node(1), admits)
    nodes = Nodes([like], Scheduling(Pick.FULLEST, Pick.FULLEST), MIB)
    assert [nodes.take(kind) for kind in (large, large, small, large)] == [
        BinPlacement(large, 0, ((0,),)), None, None, None,
    ]  # fmt: skip
    nodes = Nodes([like], Scheduling(Pick.FULLEST, Pick.FULLEST), MIB, like)
    places = [nodes.take(kind) for kind in (large, small, large, small)]
    assert [one and one.bin for one in places] == [0, 1, 2, 1]


def test_a_pod_requests_on_each_node_what_that_node_counts() -> None:
    """None where the node does not take it."""
    ask = (ContainerRequest("", False, 0, cores=10, memory_mib=1),)
    bins = [Bin(node(1), (None, ask)), Bin(node(1), (ask, None))]
    nodes = Nodes(bins, Scheduling(Pick.FULLEST, Pick.FULLEST), MIB)
    assert [place and place.bin for place in map(nodes.take, (0, 1, 1))] == [1, 0, 0]


def test_a_node_that_refused_a_pod_is_not_looked_at_for_the_next() -> None:
    """Every node has room left, for smaller pods."""
    admits = tuple((ContainerRequest("", False, 0, cores=cores, memory_mib=1),) for cores in (80, 10))
    like = Bin(node(1), admits)

    def work_of(count: int) -> int:
        nodes = Nodes([], Scheduling(Pick.FULLEST, Pick.FULLEST), MIB, like)
        return lines(lambda: [nodes.take(0) for _ in range(count)])

    assert grows_with_the_input(work_of)
