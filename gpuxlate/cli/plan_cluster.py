"""``kubectl gpuxlate plan``: room per card, the largest share that fits, fragmentation, and advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuxlate.cli import common, context, live, options
from gpuxlate.cli.capacity import books_text, node_json
from gpuxlate.cli.errors import Exit
from gpuxlate.cli.tables import Cell, table
from gpuxlate.cluster.nodes import gpu_nodes
from gpuxlate.cluster.pods import pods_of
from gpuxlate.locale import tell
from gpuxlate.model.messages import joined, plural, say
from gpuxlate.planning.ledger import Books, books
from gpuxlate.planning.remarks import cards
from gpuxlate.planning.room import Hole, PartRoom, Room, part_rooms, rooms
from gpuxlate.report.characters import text_of


def command(
    output: options.Output = "table",
) -> int:
    """What runs now: room per card, the largest share that fits, and whether room is fragmented.

    Only GPUs are considered. -l selects nodes; pods of all namespaces count. Moves are advice: nothing
    is moved.
    """
    server = live.cluster()
    nodes = gpu_nodes(server, context.get().selector)
    pods = list(pods_of(server))
    found = books(nodes, pods)
    there, parts = rooms(found, pods), part_rooms(found)
    if output == "json":
        data = {
            "format": "gpuxlate-room/v1",
            "targets": [one.to_json() for one in there],
            "parts": [one.to_json() for one in parts],
            "nodes": [node_json(one) for one in found.ledgers.values()],
            "waiting": found.waiting,
        }
        common.json_out(data)
    else:
        common.out(_text(found, there, parts))
    return Exit.CLEAN


def _text(found: Books, there: Sequence[Room], parts: Sequence[PartRoom]) -> str:
    blocks = [books_text(found, False)]
    if there:
        head = ["TARGET", "NODES", "CARDS", "EMPTY", "FREE COMPUTE", "FREE MEMORY", "LARGEST SHARES THAT FIT"]
        blocks.append(table(head, [_row(one) for one in there]))
    if parts:
        head = ["TARGET", "PART", "NODES", "ALLOCATABLE", "FREE", "MOST FREE ON A NODE"]
        blocks.append(table(head, [list(map(str, one)) for one in parts]))
    notes = [line for one in there for line in _notes(one)]
    return "\n".join([*blocks, *([text_of(notes)] if notes else [])])


def _row(one: Room) -> list[Cell]:
    numbers = (one.nodes, one.cards, one.empty, f"{one.cores_free} %", f"{one.memory_free_mib} MiB")
    return [one.target, *map(str, numbers), [*map(_hole, one.largest)] or say("none")]


def _hole(one: Hole) -> str:
    text = "{cores} % and {memory} MiB (card {card} of {node})"
    return tell(say(text, cores=one.cores, memory=one.memory_mib, card=one.card, node=one.node))


def _notes(one: Room) -> Iterator[str]:
    if one.fragmented:
        empty = (
            plural(one.empty, "{count} is empty", "{count} are empty") if one.empty else say("none is empty")
        )
        text = "{target} is fragmented: what is free makes {cards} in all, and {empty}"
        yield tell(say(text, target=one.target, cards=cards(one.enough_for), empty=empty))
    for move in one.moves:
        pods = joined(say("{pod} to {node}", pod=pod, node=node) for pod, node in move.pods)
        text = "card {card} of {node} would be empty with {pods}"
        yield "  " + tell(say(text, card=move.card, node=move.node, pods=pods))
    yield from (f"  {tell(text)}" for text in one.unknown)
