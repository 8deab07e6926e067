"""Room on live nodes: what is said to fit fits, and pods that are said to move have room."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.cluster.nodes import gpu_node
from gpuxlate.cluster.pods import gpu_pods
from gpuxlate.planning.capacity import Verdict, answer
from gpuxlate.planning.ledger import books
from gpuxlate.planning.room import Room, rooms
from tests.cluster.asking import wanted
from tests.e2e import nodes as made
from tests.e2e import pods
from tests.effort import tries


def room(nodes: list[Any], running: list[Any]) -> list[Room]:
    found = list(gpu_pods(running))
    return rooms(books([one for node in nodes if (one := gpu_node(node))], found), found)


def vke(name: str, node: str, cores: int, mib: int, card: int) -> Any:
    return pods.vke(name, node, pods.mgpu(cores, mib), {"main": str(card)})


def test_enough_in_total_and_no_card_has_it() -> None:
    nodes = [made.vke("a", cards=2)]
    running = [vke("p", "a", 40, 8192, 0), vke("q", "a", 40, 8192, 1)]
    [found] = room(nodes, running)
    assert (found.cards, found.empty, found.enough_for, found.fragmented) == (2, 0, 1, True)
    assert [(one.cores, one.card) for one in found.largest] == [(60, 0)]
    assert [(one.node, one.card, [m.pod for m in one.pods]) for one in found.moves] == [
        ("a", 0, [f"{running[0]['metadata']['namespace']}/p"]),
        ("a", 1, [f"{running[1]['metadata']['namespace']}/q"]),
    ]


def test_nothing_moves_where_there_is_no_room() -> None:
    nodes = [made.vke("a", cards=2)]
    [found] = room(nodes, [vke("p", "a", 60, 8192, 0), vke("q", "a", 60, 8192, 1)])
    assert (found.fragmented, found.moves) == (False, ())


def test_a_card_that_is_empty_is_no_place_to_move_to() -> None:
    [found] = room([made.vke("a", cards=2)], [vke("p", "a", 60, 8192, 0)])
    assert (found.empty, found.fragmented, found.moves) == (1, False, ())


def test_a_closed_node_has_no_room() -> None:
    node = made.vke("a", cards=2)
    node.setdefault("spec", {})["unschedulable"] = True
    [found] = room([node], [])
    assert (found.cards, found.empty, found.largest) == (2, 0, ())
    assert found.unknown


def test_every_dialect_whose_nodes_are_read() -> None:
    found = room(made.ALL, pods.ALL)
    assert {one.target for one in found} >= {"volcengine-mgpu", "alibaba-gpushare", "tencent-qgpu"}


@tries(60)
@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 9), st.integers(0, 1)), max_size=5))
def test_the_largest_share_fits_and_moves_have_room(running: list[tuple[int, int, int]]) -> None:
    there, used = [], {0: [0, 0], 1: [0, 0]}
    for n, (cores, memory, card) in enumerate(running):
        if used[card][0] + 10 * cores <= 100 and used[card][1] + 2048 * memory <= 22000:
            there.append(vke(f"p{n}", "a", 10 * cores, 2048 * memory, card))
            used[card] = [used[card][0] + 10 * cores, used[card][1] + 2048 * memory]
    node = made.vke("a", cards=2)
    [found] = room([node], there)
    for hole in found.largest:
        cores, memory = min(hole.cores, 99), hole.memory_mib
        if cores and memory >= 256:
            asked = [wanted("vke", pods.mgpu(cores, memory), 1)]
            result = answer(books([one for one in [gpu_node(node)] if one], gpu_pods(there)), asked)
            assert result.verdict is Verdict.FITS
    for move in found.moves:
        left = [
            one for one in there if one["metadata"]["name"] not in {m.pod.split("/")[1] for m in move.pods}
        ]
        limits = [one for one in there if one not in left]
        keys = [
            wanted("vke", one["spec"]["containers"][0]["resources"]["limits"], 1, one["metadata"]["name"])
            for one in limits
        ]
        block = vke("block", "a", 99, 22000, move.card)
        after = books([one for one in [gpu_node(node)] if one], gpu_pods([*left, block]))
        assert answer(after, keys).verdict is Verdict.FITS
