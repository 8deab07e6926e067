"""Room on live nodes: the largest share that fits, fragmentation, and pods that could make room elsewhere.

Advice only: whether a pod may be moved, and what that costs, is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from gpuxlate.backends.live import PERCENT, Serves
from gpuxlate.model.messages import say
from gpuxlate.planning.ledger import Books, Card, GpuPod, Ledger
from gpuxlate.planning.packing.best_fit import best_fit
from gpuxlate.planning.packing.spaces import Asks, Bin, Space
from gpuxlate.planning.problem import Wanted, admitted, spaces, unknown_of

TRIED = 40
"""Cards that are tried to be emptied, those with fewest containers first."""
SHOWN = 3
"""Moves that are shown of one target."""

BLOCKED = Space(0, 0, 0, False)
"""A card that is to stay empty."""


class Hole(NamedTuple):
    """What is free on one card: percent and MiB. A share of this size fits there."""

    node: str
    card: int
    cores: int
    memory_mib: int

    def to_json(self) -> dict[str, Any]:
        return {"node": self.node, "card": self.card, "cores": self.cores, "memoryMiB": self.memory_mib}


class Moved(NamedTuple):
    """A pod (namespace/name), and a node that has room for it."""

    pod: str
    node: str


@dataclass(frozen=True, slots=True)
class Move:
    """Pods that leave a card empty where they are on other cards: one way to do it."""

    node: str
    card: int
    pods: tuple[Moved, ...]

    def to_json(self) -> dict[str, Any]:
        return {"node": self.node, "card": self.card, "pods": [one._asdict() for one in self.pods]}


@dataclass(frozen=True, slots=True)
class Room:
    """The room of the nodes of one target that take new pods.

    ``empty``: cards that run nothing. ``enough_for``: whole cards that the free compute and memory would make
    in all. ``largest``: the largest shares that fit, none of them larger than another one in both numbers.
    ``unknown``: nodes of which the room is not known, and why.
    """

    target: str
    nodes: int
    cards: int
    empty: int
    cores_free: int
    memory_free_mib: int
    enough_for: int
    largest: tuple[Hole, ...]
    moves: tuple[Move, ...]
    unknown: tuple[str, ...]

    @property
    def fragmented(self) -> bool:
        """There is enough in total for a whole card more than are empty."""
        return self.enough_for > self.empty

    def to_json(self) -> dict[str, Any]:
        return {
            "target": self.target,
            "nodes": self.nodes,
            "cards": self.cards,
            "emptyCards": self.empty,
            "coresFree": self.cores_free,
            "memoryFreeMiB": self.memory_free_mib,
            "enoughForCards": self.enough_for,
            "fragmented": self.fragmented,
            "largest": [one.to_json() for one in self.largest],
            "moves": [one.to_json() for one in self.moves],
            "unknown": list(self.unknown),
        }


class PartRoom(NamedTuple):
    """One kind of part on the nodes of a target that take new pods.

    ``there``, ``free``: on all of them; ``most``: free on one node, which is what one pod can get.
    """

    target: str
    part: str
    nodes: int
    there: int
    free: int
    most: int

    def to_json(self) -> dict[str, Any]:
        return self._asdict()


def part_rooms(books: Books) -> list[PartRoom]:
    """The room for parts of cards, by target and part."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for one in books.ledgers.values():
        for row in one.view.parts if one.node.closed is None else ():
            found.setdefault((one.view.target or "", row.name), []).append((row.amount, one.free(row)))
    return [
        PartRoom(*key, len(rows), sum(n for n, _ in rows), sum(n for _, n in rows), max(n for _, n in rows))
        for key, rows in sorted(found.items())
    ]


def rooms(books: Books, pods: Sequence[GpuPod]) -> list[Room]:
    """The room by target. ``pods``: those of the books."""
    by_target: dict[str, list[Ledger]] = {}
    for name in sorted(books.ledgers):
        one = books.ledgers[name]
        if one.view.serves is Serves.SHARES:
            by_target.setdefault(one.view.target or "", []).append(one)
    there = {(one.namespace, one.name): one for one in pods if one.node}
    return [_room(target, ledgers, there) for target, ledgers in sorted(by_target.items())]


def _room(target: str, ledgers: Sequence[Ledger], pods: Mapping[tuple[str, str], GpuPod]) -> Room:
    known = [one for one in ledgers if unknown_of(one) is None]
    taking = [one for one in known if one.node.closed is None]
    free = [(one, n, space) for one in taking for n, space in enumerate(spaces(one))]
    cores = sum(space.cores for _, _, space in free)
    memory = sum(space.memory_mib for _, _, space in free)
    sizes = [one.view.card_mib for one in taking if one.view.card_mib]
    enough = min(cores // PERCENT, memory // max(sizes)) if sizes else 0
    return Room(
        target,
        len(ledgers),
        sum(one.view.cards or 0 for one in ledgers),
        sum(space.untouched for _, _, space in free),
        cores,
        memory,
        enough,
        _largest([Hole(one.node.name, n, s.cores, s.memory_mib) for one, n, s in free if s.slots > 0]),
        tuple(_moves(taking, pods)),
        tuple(
            say("{node}: {why}", node=one.node.name, why=why)
            for one in ledgers
            if (why := unknown_of(one) or one.node.closed)
        ),
    )


def _largest(holes: Sequence[Hole]) -> tuple[Hole, ...]:
    found: list[Hole] = []
    for one in sorted(holes, key=lambda hole: (-hole.memory_mib, -hole.cores, hole.node, hole.card)):
        if one.memory_mib > 0 and (not found or one.cores > found[-1].cores):
            found.append(one)
    return tuple(found)


# --- moves ------------------------------------------------------------------------------------------


def _moves(ledgers: Sequence[Ledger], pods: Mapping[tuple[str, str], GpuPod]) -> list[Move]:
    """Cards that would be empty if their pods were elsewhere, those with fewest pods first."""
    cards = [
        (ledger, card)
        for ledger in ledgers
        for card in ledger.cards
        if card.held and not card.is_whole and all((h.namespace, h.pod) in pods for h in card.held)
    ]
    cards.sort(key=lambda one: (len(one[1].held), one[0].node.name, one[1].index))
    found: list[Move] = []
    for ledger, card in cards[:TRIED]:
        move = _move(ledgers, ledger, card, pods)
        if move is not None:
            found.append(move)
        if len(found) == SHOWN:
            break
    return found


def _move(
    ledgers: Sequence[Ledger], emptied: Ledger, card: Card, pods: Mapping[tuple[str, str], GpuPod]
) -> Move | None:
    """Other places for the pods of a card, on cards that run something already."""
    names = sorted({(held.namespace, held.pod) for held in card.held})
    wanted = [Wanted("/".join(one), pods[one].live.keys, emptied.node.backend, 1) for one in names]
    bins = []
    for ledger in ledgers:
        free = list(spaces(_without(ledger, set(names))))
        # a card that is empty now would only change places with this one
        now = [BLOCKED if not one.held else space for one, space in zip(ledger.cards, free, strict=True)]
        if ledger is emptied:
            now[card.index] = BLOCKED
        asks = [admitted(ledger, one) for one in wanted]
        admits: tuple[Asks | None, ...] = tuple(None if isinstance(one, str) else one for one in asks)
        bins.append(Bin(tuple(now), admits))
    spots, left = best_fit(bins, range(len(wanted)))
    if left:
        return None
    places = sorted((spot.kind, ledgers[spot.bin].node.name) for spot in spots)
    return Move(emptied.node.name, card.index, tuple(Moved(wanted[kind].name, node) for kind, node in places))


def _without(ledger: Ledger, names: set[tuple[str, str]]) -> Ledger:
    cards = [
        Card(one.index, [held for held in one.held if (held.namespace, held.pod) not in names])
        for one in ledger.cards
    ]
    return replace(ledger, cards=cards)
