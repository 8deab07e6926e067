"""How many cards and nodes the shares of manifests need at a target, and why.

Only GPUs are considered: CPU, memory of the node and taints are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gpuxlate.backends.base import Backend, Place
from gpuxlate.backends.live import PERCENT
from gpuxlate.model.catalogue import card_named, nearest
from gpuxlate.model.diagnostics import LossKind
from gpuxlate.model.messages import either, joined, message_of, say
from gpuxlate.model.profile import Profile
from gpuxlate.planning.loads import Load, loads_of
from gpuxlate.planning.packing.fleet import Fleet, pack_fleet
from gpuxlate.planning.packing.parts import UnknownPartError
from gpuxlate.planning.packing.shortage import shortage
from gpuxlate.planning.packing.spaces import UNLIMITED, Ask, Asks, Cards, Space, first_way, phases
from gpuxlate.planning.problem import slots_of
from gpuxlate.translation.pods.item import Item
from gpuxlate.translation.pods.terms import PARTS


class PlanError(ValueError):
    """A plan would be a guess; ``hint``: what the profile has to say."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class NodeType(NamedTuple):
    """The nodes of a plan: the model of their cards, how many, MiB of each, and MiB of it that are shared.

    ``unit_mib``: MiB that memory is counted in. ``per_card``: the most containers on one card, None without a
    bound.
    """

    model: str | None
    cards: int
    memory_mib: int
    usable_mib: int
    unit_mib: int
    per_card: int | None

    @property
    def empty(self) -> Cards:
        return (Space(PERCENT, self.usable_mib, self.per_card or UNLIMITED, True),) * self.cards


def node_type(backend: Backend, profile: Profile) -> NodeType:
    """The nodes of a profile, whose cards the catalogue may complete. Raises PlanError."""
    model, per_node, memory = profile.cards
    if memory is None and model is not None:
        known = card_named(model, profile)
        memory = known.memory_mib if known else None
    if per_node is None or memory is None:
        keys = (("cards.perNode", per_node), ("cards.memoryMiB", memory))
        missing = [name for name, value in keys if value is None]
        hint = say("add {names} to it", names=joined(missing, "{before} and {last}"))
        if memory is None and model is not None:
            names = [one for one in nearest(model, profile) if (card := card_named(one)) and card.memory_mib]
            text = "{hint}; the catalogue has no memory of {model}"
            if names:
                text = "{hint}, or cards.model: {names}; the catalogue has no memory of {model}"
            hint = say(text, hint=hint, model=model, names=either(names))
        names_missing = joined(missing, "{before} and no {last}")
        message = say("the profile for {target} has no {names}", target=backend.name, names=names_missing)
        raise PlanError(message, hint)
    unit = _unit_mib(backend, profile)
    slots = backend.limits.per_card_in(profile) or slots_of(backend.limits, live=False)
    return NodeType(
        model, per_node, memory, memory // unit * unit, unit, None if slots == UNLIMITED else slots
    )


def _unit_mib(backend: Backend, profile: Profile) -> int:
    """MiB in which the target counts the memory of a card; a card gives whole units."""
    rows = (row for row in backend.keys if row.says == "memory_mib" and Place.RESOURCE in row.places)
    units = {backend.unit(row, profile) for row in rows if row.unit and not row.quantity}
    unit = units.pop() if len(units) == 1 else 1
    return int(unit) if unit >= 1 and int(unit) == unit else 1


@dataclass(frozen=True, slots=True)
class Use:
    """One number of all cards that run something: what they have, what is requested of it, and stranded.

    ``stranded``: free on cards where no share of the fleet fits any more.
    """

    there: int
    taken: int
    stranded: int

    @property
    def percent(self) -> int:
        return PERCENT * self.taken // self.there if self.there else 0

    def to_json(self) -> dict[str, int]:
        return {"there": self.there, "taken": self.taken, "stranded": self.stranded}


class Rounding(NamedTuple):
    """A value that the target rounds: the field, what was asked and given in total, in how many shares.

    ``given``: None for whole cards. Numbers that become a part of a card, and its name, are texts.
    """

    field: str
    asked: int | str | None
    given: int | str | None
    shares: int


class Nowhere(NamedTuple):
    """Pods that are not packed, and why: no node of this type takes them, or nothing says how many do."""

    load: Load
    reason: str


class Held(NamedTuple):
    """One container on a card: its pod's load, what it requests, and the number of its pod."""

    load: Load
    ask: Ask
    pod: int = 0

    @property
    def container(self) -> str:
        return self.load.items[self.ask.index].container

    @property
    def part(self) -> str:
        """Its partitions or replicas in words; empty for numbers."""
        return self.load.given[self.ask.index].part


def in_use(card: Iterable[Held], usable_mib: int) -> tuple[int, int]:
    """Percent and MiB of a card that its pods have reserved, init containers before the others."""
    pods: dict[int, list[Ask]] = {}
    for one in card:
        pods.setdefault(one.pod, []).append(one.ask)
    cores = memory = 0
    for asks in pods.values():
        some = phases(tuple(asks))
        cores += max(sum(one.percent for one in phase) for phase in some)
        memory += max(sum(_memory(one, usable_mib) for one in phase) for phase in some)
    return cores, memory


def _memory(ask: Ask, usable_mib: int) -> int:
    return usable_mib if ask.memory_mib is None else ask.memory_mib


@dataclass(frozen=True, slots=True)
class TargetPlan:
    """The pods of manifests packed at one target. ``kinds``: by load, an index of ``asks``.

    ``cards_unrounded``: cards that the same shares would need if nothing was rounded. ``held``: by node and
    card, the containers on it.
    """

    backend: Backend
    node: NodeType
    loads: tuple[Load, ...]
    kinds: tuple[int, ...]
    asks: tuple[Asks, ...]
    fleet: Fleet
    refused: tuple[Item, ...]
    nowhere: tuple[Nowhere, ...]
    use: Mapping[str, Use]
    roundings: tuple[Rounding, ...]
    cards_unrounded: int
    held: tuple[tuple[tuple[Held, ...], ...], ...]

    @property
    def pods(self) -> int:
        return len(self.fleet.spots)

    @property
    def shares(self) -> int:
        """Containers that are packed."""
        of_kind = [len({one.index for one in asks}) for asks in self.asks]
        return sum(of_kind[one.kind] for one in self.fleet.spots)

    @property
    def for_rounding(self) -> int:
        """Cards that only the target's rounding needs."""
        return max(0, self.fleet.cards - self.cards_unrounded)

    @property
    def complete(self) -> bool:
        """Every pod is packed."""
        return not (self.refused or self.nowhere)


def plan(items: Iterable[Item], backend: Backend, profile: Profile) -> TargetPlan:
    """Pack the shares of a translation on nodes of the profile. Raises PlanError."""
    node = node_type(backend, profile)
    profile = profile_with(profile, node)
    every, refused = loads_of(items)
    numbers: dict[Asks, int] = {}
    loads: list[Load] = []
    kinds: list[int] = []
    nowhere: list[Nowhere] = []
    for load in every:
        try:
            wanted = load.asks(backend, profile)
        except UnknownPartError as error:
            nowhere.append(Nowhere(load, message_of(error)))
            continue
        if wanted:
            kinds.append(numbers.setdefault(wanted, len(numbers)))
            loads.append(load)
        else:
            message = say("the scheduler of {target} looks at no init container", target=backend.name)
            nowhere.append(Nowhere(load, message))
    asks = tuple(numbers)
    fleet = pack(node, asks, loads, kinds)
    homeless = frozenset(fleet.homeless)
    held = held_on(loads, kinds, asks, fleet)
    nowhere += [
        Nowhere(one, why_nowhere(node, asks[kind]))
        for one, kind in zip(loads, kinds, strict=True)
        if kind in homeless and one.pods
    ]
    return TargetPlan(
        backend,
        node,
        tuple(loads),
        tuple(kinds),
        asks,
        fleet,
        tuple(refused),
        tuple(nowhere),
        _use(node, asks, fleet, held),
        tuple(_roundings(loads)),
        _unrounded(node, backend, profile, loads, fleet),
        held,
    )


def profile_with(profile: Profile, node: NodeType) -> Profile:
    """The profile with the memory of its cards, for shares in percent."""
    return replace(profile, cards=profile.cards._replace(memory_mib=node.usable_mib))


def pack(node: NodeType, asks: Sequence[Asks], loads: Sequence[Load], kinds: Sequence[int]) -> Fleet:
    counts: Counter[int] = Counter()
    for one, kind in zip(loads, kinds, strict=True):
        counts[kind] += one.pods
    return pack_fleet(node.empty, asks, counts)


def _unrounded(
    node: NodeType, backend: Backend, profile: Profile, loads: Sequence[Load], fleet: Fleet
) -> int:
    """Cards without rounding, of the same pods."""
    if not _roundings(loads):
        return fleet.cards
    numbers: dict[Asks, int] = {}
    fitting = [one for one in loads if first_way(node.empty, one.asks(backend, profile)) is not None]
    kinds = [numbers.setdefault(one.asks(backend, profile, one.unrounded()), len(numbers)) for one in fitting]
    return pack(node, tuple(numbers), fitting, kinds).cards


def why_nowhere(node: NodeType, asks: Asks) -> str:
    """Why an empty node does not take a pod."""
    for ask in asks:
        able = sum(space.takes(ask) for space in node.empty)
        if able < ask.cards:
            return shortage(node.empty, ask, able)
    return say("each container fits alone, but not all together")


# --- what the numbers say -------------------------------------------------------------------------


def _use(
    node: NodeType, asks: Sequence[Asks], fleet: Fleet, held: Sequence[Sequence[Sequence[Held]]]
) -> dict[str, Use]:
    """Compute and memory of the cards that run something."""
    least = _least({one for kind in {spot.kind for spot in fleet.spots} for one in asks[kind]})
    used = [card for cards in fleet.state for card in cards if not card.untouched]
    cores = memory = 0
    for card in used:
        closed = card.slots <= 0 or not any(card.cores >= c and card.memory_mib >= m for c, m in least)
        cores += card.cores if closed else 0
        memory += card.memory_mib if closed else 0
    taken = {"cores": 0, "memoryMiB": 0}
    for on_card in (on_card for there in held for on_card in there):
        percent, mib = in_use(on_card, node.usable_mib)
        taken["cores"] += percent
        taken["memoryMiB"] += mib
    return {
        "cores": Use(PERCENT * len(used), taken["cores"], cores),
        "memoryMiB": Use(node.usable_mib * len(used), taken["memoryMiB"], memory),
    }


def _least(asks: Iterable[Ask]) -> list[tuple[int, int]]:
    """The smallest requests: no other one needs less of both."""
    found: list[tuple[int, int]] = []
    for cores, memory in sorted({(a.cores, a.memory_mib or 0) for a in asks if not a.fresh}):
        if not found or memory < found[-1][1]:
            found.append((cores, memory))
    return found


ROUNDED = ("cores", "memoryMiB", *PARTS)
"""Fields whose rounding is told."""


def _roundings(loads: Iterable[Load]) -> list[Rounding]:
    """What is rounded, the values of most shares first."""
    found: Counter[tuple[str, int | str | None, int | str | None]] = Counter()
    for load in loads:
        for item in load.items:
            for loss in item.losses:
                if loss.kind is LossKind.ROUNDED and loss.field in ROUNDED:
                    asked = loss.asked if isinstance(loss.asked, int | str) else None
                    given = loss.given if isinstance(loss.given, int | str) else None
                    found[loss.field, asked, given] += load.pods
    return [
        Rounding(*key, count) for key, count in sorted(found.items(), key=lambda one: (-one[1], str(one)))
    ]


def held_on(
    loads: Sequence[Load], kinds: Sequence[int], asks: Sequence[Asks], fleet: Fleet
) -> tuple[tuple[tuple[Held, ...], ...], ...]:
    """By node and card, the containers on it."""
    waiting: dict[int, list[Load]] = {}
    for load, kind in zip(reversed(loads), reversed(kinds), strict=True):
        waiting.setdefault(kind, []).extend([load] * load.pods)
    held: list[list[list[Held]]] = [[[] for _ in cards] for cards in fleet.state]
    for number, spot in enumerate(fleet.spots):
        load = waiting[spot.kind].pop()
        for ask, chosen in zip(asks[spot.kind], spot.cards, strict=True):
            for index in chosen:
                held[spot.bin][index].append(Held(load, ask, number))
    return tuple(tuple(tuple(card) for card in cards) for cards in held)
