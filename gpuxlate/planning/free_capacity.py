"""What is free on live nodes, by target: the largest shares that fit, and fragmentation."""

from __future__ import annotations

from collections.abc import Sequence

from gpuxlate.backends.cluster_nodes import NodeOffer
from gpuxlate.model.declarations import Count, Printed, record
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import msg
from gpuxlate.planning.ledger import GpuUsage, Ledger
from gpuxlate.planning.problem import free_gpus, why_unreadable


@record
class FreeSlot(Printed):
    """What is free on one card: a share of this size fits there."""

    node: str
    """Name of the node."""
    card: Count
    """Index of the card."""
    cores: Count
    """Compute in percent of the card."""
    memory_mib: Count
    """Memory in MiB."""


@record
class FreeCapacity(Printed):
    """The room of the nodes of one target that take new pods."""

    target: str
    """The target."""
    nodes: Count
    """Nodes that serve it."""
    cards: Count
    """Their cards."""
    empty_cards: Count
    """Cards that run nothing."""
    cores_free: Count
    """Free compute in percent of one card."""
    memory_free_mib: Count
    """Free memory in MiB."""
    enough_for_cards: Count
    """Whole cards that the free compute and memory would make in all."""
    fragmented: bool
    """There is enough in total for a whole card more than are empty."""
    largest: tuple[FreeSlot, ...]
    """The largest shares that fit, none of them larger than another one in both numbers."""
    unknown: tuple[str, ...]
    """Nodes of which the room is not known, and why."""


@record
class PartRoom(Printed):
    """One kind of part on the nodes of a target that take new pods."""

    target: str
    """The target."""
    part: str
    """Name of the part."""
    nodes: Count
    """Nodes that have some."""
    there: Count
    """Parts on all of them."""
    free: Count
    """Free parts on all of them."""
    most: Count
    """Free parts on one node, which is what one pod can get."""


def free_parts(usage: GpuUsage) -> list[PartRoom]:
    """The room for parts of cards, by target and part."""
    rows_by_part: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for ledger in usage.ledgers.values():
        for row in ledger.view.parts if ledger.node.closed is None else ():
            rows_by_part.setdefault((ledger.view.target or "", row.name), []).append(
                (row.amount, ledger.free(row))
            )
    return [
        PartRoom(*key, len(rows), sum(n for n, _ in rows), sum(n for _, n in rows), max(n for _, n in rows))
        for key, rows in sorted(rows_by_part.items())
    ]


def free_capacities(usage: GpuUsage) -> list[FreeCapacity]:
    """What is free on the nodes of each target."""
    by_target: dict[str, list[Ledger]] = {}
    for name in sorted(usage.ledgers):
        ledger = usage.ledgers[name]
        if ledger.view.serves is NodeOffer.SHARES:
            by_target.setdefault(ledger.view.target or "", []).append(ledger)
    return [_room(target, ledgers) for target, ledgers in sorted(by_target.items())]


def _room(target: str, ledgers: Sequence[Ledger]) -> FreeCapacity:
    readable = [ledger for ledger in ledgers if why_unreadable(ledger) is None]
    taking = [ledger for ledger in readable if ledger.node.closed is None]
    free = [(ledger, n, space) for ledger in taking for n, space in enumerate(free_gpus(ledger))]
    cores = sum(space.cores for _, _, space in free)
    memory = sum(space.memory_mib for _, _, space in free)
    sizes = [ledger.view.card_mib for ledger in taking if ledger.view.card_mib]
    enough = min(cores // FULL_CARD_CORES, memory // max(sizes)) if sizes else 0
    empty = sum(space.untouched for _, _, space in free)
    return FreeCapacity(
        target,
        len(ledgers),
        sum(ledger.view.cards or 0 for ledger in ledgers),
        empty,
        cores,
        memory,
        enough,
        enough > empty,
        _largest(
            [FreeSlot(ledger.node.name, n, s.cores, s.memory_mib) for ledger, n, s in free if s.slots > 0]
        ),
        tuple(
            msg("{node}: {why}", node=ledger.node.name, why=why)
            for ledger in ledgers
            if (why := why_unreadable(ledger) or ledger.node.closed)
        ),
    )


def _largest(holes: Sequence[FreeSlot]) -> tuple[FreeSlot, ...]:
    largest: list[FreeSlot] = []
    for slot in sorted(holes, key=lambda hole: (-hole.memory_mib, -hole.cores, hole.node, hole.card)):
        if slot.memory_mib > 0 and (not largest or slot.cores > largest[-1].cores):
            largest.append(slot)
    return tuple(largest)
