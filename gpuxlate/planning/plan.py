"""How many cards and nodes the shares of manifests need at a target, and why.

Only GPUs are considered: CPU, memory of the node and taints are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from gpuxlate.backends.base import Backend
from gpuxlate.model.declarations import Count, Printed, record
from gpuxlate.model.diagnostics import LossKind
from gpuxlate.model.errors import UserError
from gpuxlate.model.keys import Place
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import join_and, join_or, message_of, msg
from gpuxlate.model.profile import Profile, card_memory_of, card_named, nearest_cards
from gpuxlate.planning.filling import smallest_requests
from gpuxlate.planning.fleet import Fleet, pack_fleet
from gpuxlate.planning.loads import Load, loads_of
from gpuxlate.planning.parts import UnknownPartError
from gpuxlate.planning.placing import FreeCards, FreeGpu, explain_shortage, first_placement
from gpuxlate.planning.problem import container_limit
from gpuxlate.planning.requests import UNLIMITED, Asks, ContainerRequest, phases
from gpuxlate.translation.items import Item
from gpuxlate.translation.target_units import PART_FIELDS


class PlanError(UserError, ValueError):
    """The plan cannot be made since something is not known; ``hint``: what to add to the profile."""


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
    def empty(self) -> FreeCards:
        """The free cards of such a node without pods."""
        return (FreeGpu(FULL_CARD_CORES, self.usable_mib, self.per_card or UNLIMITED, True),) * self.cards


def node_type(backend: Backend, profile: Profile) -> NodeType:
    """The nodes of a profile, whose cards the catalogue may complete. Raises PlanError."""
    model, per_node, memory = profile.cards.model, profile.cards.per_node, card_memory_of(profile)
    if per_node is None or memory is None:
        keys = (("cards.perNode", per_node), ("cards.memoryMiB", memory))
        missing = [name for name, value in keys if value is None]
        hint = msg("add {names} to it", names=join_and(missing, "{before} and {last}"))
        if memory is None and model is not None:
            names = [
                name
                for name in nearest_cards(model, profile)
                if (card := card_named(name)) and card.memory_mib
            ]
            text = "{hint}; the catalogue has no memory of {model}"
            if names:
                text = "{hint}, or cards.model: {names}; the catalogue has no memory of {model}"
            hint = msg(text, hint=hint, model=model, names=join_or(names))
        names_missing = join_and(missing, "{before} and no {last}")
        message = msg("the profile for {target} has no {names}", target=backend.name, names=names_missing)
        raise PlanError(message, hint)
    unit = _unit_mib(backend, profile)
    slots = backend.limits.per_card_in(profile) or container_limit(backend.limits, live=False)
    return NodeType(
        model, per_node, memory, memory // unit * unit, unit, None if slots == UNLIMITED else slots
    )


def _unit_mib(backend: Backend, profile: Profile) -> int:
    """MiB in which the target counts the memory of a card; a card gives whole units."""
    rows = (row for row in backend.keys if row.sets == "memory_mib" and Place.RESOURCE in row.places)
    units = {backend.unit(row, profile) for row in rows if row.unit and not row.quantity}
    unit = units.pop() if len(units) == 1 else 1
    return int(unit) if unit >= 1 and int(unit) == unit else 1


@record
class Utilization(Printed):
    """One number of all cards that run something."""

    there: Count
    """What they have."""
    taken: Count
    """What is requested of it."""
    stranded: Count
    """Free on cards where no share of the fleet fits any more."""

    @property
    def percent(self) -> int:
        """How much is requested of what is there, in whole percent, rounded down."""
        return 100 * self.taken // self.there if self.there else 0


@record
class Rounding(Printed):
    """A value that the target rounds, in total over the cards of a share."""

    field: str
    """Field of the share."""
    asked: int | str | None
    """What was asked."""
    given: int | str | None
    """What is given; null: whole cards."""
    shares: Count
    """Shares with this value."""


class UnplacedPods(NamedTuple):
    """Pods that are not packed, and why: no node of this type takes them, or it is not known how many it
    takes."""

    load: Load
    reason: str


class PlacedContainer(NamedTuple):
    """One container on a card: its pod's load, what it requests, and the number of its pod."""

    load: Load
    ask: ContainerRequest
    pod: int = 0

    @property
    def container(self) -> str:
        """The name of the container."""
        return self.load.items[self.ask.index].container

    @property
    def part(self) -> str:
        """Its partitions or replicas in words; empty for numbers."""
        return self.load.shares[self.ask.index].part


def in_use(card: Collection[PlacedContainer], usable_mib: int) -> tuple[int, int]:
    """Percent and MiB of a card that its pods have reserved, init containers before the others."""
    if not any(placed.ask.ends for placed in card):
        return sum(placed.ask.percent for placed in card), sum(
            _memory(placed.ask, usable_mib) for placed in card
        )
    pods: dict[int, list[ContainerRequest]] = {}
    for placed in card:
        pods.setdefault(placed.pod, []).append(placed.ask)
    cores = memory = 0
    for asks in pods.values():
        phases_of_pod = phases(tuple(asks))
        cores += max(sum(ask.percent for ask in phase) for phase in phases_of_pod)
        memory += max(sum(_memory(ask, usable_mib) for ask in phase) for phase in phases_of_pod)
    return cores, memory


def _memory(ask: ContainerRequest, usable_mib: int) -> int:
    return usable_mib if ask.memory_mib is None else ask.memory_mib


@record
class TargetPlan:
    """The pods of manifests packed at one target. ``ask_indexes``: by load, an index of ``asks``.

    ``cards_unrounded``: cards that the same shares would need if nothing was rounded. ``held``: by node and
    card, the containers on it.
    """

    backend: Backend
    node: NodeType
    loads: tuple[Load, ...]
    ask_indexes: tuple[int, ...]
    asks: tuple[Asks, ...]
    fleet: Fleet
    refused: tuple[Item, ...]
    nowhere: tuple[UnplacedPods, ...]
    use: Mapping[str, Utilization]
    roundings: tuple[Rounding, ...]
    cards_unrounded: int
    held: tuple[tuple[tuple[PlacedContainer, ...], ...], ...]

    @property
    def pods(self) -> int:
        """The number of pods that have a place."""
        return len(self.fleet.placements)

    @property
    def shares(self) -> int:
        """Containers that are packed."""
        containers_of = [len({ask.index for ask in asks}) for asks in self.asks]
        return sum(containers_of[placement.ask_index] for placement in self.fleet.placements)

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
    all_loads, refused = loads_of(items)
    numbers: dict[Asks, int] = {}
    loads: list[Load] = []
    ask_indexes: list[int] = []
    nowhere: list[UnplacedPods] = []
    for load in all_loads:
        try:
            requests = load.asks(backend, profile)
        except UnknownPartError as error:
            nowhere.append(UnplacedPods(load, message_of(error)))
            continue
        if requests:
            ask_indexes.append(numbers.setdefault(requests, len(numbers)))
            loads.append(load)
        else:
            message = msg("the scheduler of {target} looks at no init container", target=backend.name)
            nowhere.append(UnplacedPods(load, message))
    asks = tuple(numbers)
    fleet = pack_loads(node, asks, loads, ask_indexes)
    homeless = frozenset(fleet.unschedulable)
    held = containers_by_card(loads, ask_indexes, asks, fleet)
    nowhere += [
        UnplacedPods(load, why_unplaced(node, asks[ask_index]))
        for load, ask_index in zip(loads, ask_indexes, strict=True)
        if ask_index in homeless and load.pods
    ]
    return TargetPlan(
        backend,
        node,
        tuple(loads),
        tuple(ask_indexes),
        asks,
        fleet,
        tuple(refused),
        tuple(nowhere),
        _utilization(node, asks, fleet, held),
        tuple(_roundings(loads)),
        _unrounded(node, backend, profile, loads, fleet),
        held,
    )


def profile_with(profile: Profile, node: NodeType) -> Profile:
    """The profile with the memory of its cards, for shares in percent."""
    return replace(profile, cards=profile.cards._replace(memory_mib=node.usable_mib))


def pack_loads(
    node: NodeType, asks: Sequence[Asks], loads: Sequence[Load], ask_indexes: Sequence[int]
) -> Fleet:
    """The pods of all loads on as few such nodes as best-fit finds; ``ask_indexes``: of each load, which of
    the ``asks`` its pods have."""
    counts: Counter[int] = Counter()
    for load, ask_index in zip(loads, ask_indexes, strict=True):
        counts[ask_index] += load.pods
    return pack_fleet(node.empty, asks, counts)


def _unrounded(
    node: NodeType, backend: Backend, profile: Profile, loads: Sequence[Load], fleet: Fleet
) -> int:
    """Cards without rounding, of the same pods."""
    if not _roundings(loads):
        return fleet.cards
    numbers: dict[Asks, int] = {}
    fitting = [load for load in loads if first_placement(node.empty, load.asks(backend, profile)) is not None]
    ask_indexes = [
        numbers.setdefault(load.asks(backend, profile, load.unrounded()), len(numbers)) for load in fitting
    ]
    return pack_loads(node, tuple(numbers), fitting, ask_indexes).cards


def why_unplaced(node: NodeType, asks: Asks) -> str:
    """Why an empty node does not take a pod."""
    for ask in asks:
        able = sum(space.takes(ask) for space in node.empty)
        if able < ask.cards:
            return explain_shortage(node.empty, ask, able)
    return msg("each container fits alone, but not all together")


# --- what the numbers say -------------------------------------------------------------------------
def _utilization(
    node: NodeType, asks: Sequence[Asks], fleet: Fleet, held: Sequence[Sequence[Sequence[PlacedContainer]]]
) -> dict[str, Utilization]:
    """Compute and memory of the cards that run something."""
    least = smallest_requests(
        {
            ask
            for ask_index in {placement.ask_index for placement in fleet.placements}
            for ask in asks[ask_index]
        }
    )
    used = [card for cards in fleet.state for card in cards if not card.untouched]
    cores = memory = 0
    for card in used:
        closed = card.slots <= 0 or not any(card.cores >= c and card.memory_mib >= m for c, m in least)
        cores += card.cores if closed else 0
        memory += card.memory_mib if closed else 0
    taken = {"cores": 0, "memoryMiB": 0}
    for on_card in (on_card for node_cards in held for on_card in node_cards):
        percent, mib = in_use(on_card, node.usable_mib)
        taken["cores"] += percent
        taken["memoryMiB"] += mib
    return {
        "cores": Utilization(FULL_CARD_CORES * len(used), taken["cores"], cores),
        "memoryMiB": Utilization(node.usable_mib * len(used), taken["memoryMiB"], memory),
    }


ROUNDED = ("cores", "memoryMiB", *PART_FIELDS)
"""Fields whose rounding is told."""


def _roundings(loads: Iterable[Load]) -> list[Rounding]:
    """What is rounded, the values of most shares first."""
    counts: Counter[tuple[str, int | str | None, int | str | None]] = Counter()
    for load in loads:
        for item in load.items:
            for loss in item.losses:
                if loss.kind is LossKind.ROUNDED and loss.field in ROUNDED:
                    requested = loss.asked if isinstance(loss.asked, int | str) else None
                    written = loss.given if isinstance(loss.given, int | str) else None
                    counts[loss.field, requested, written] += load.pods
    return [
        Rounding(*key, count) for key, count in sorted(counts.items(), key=lambda row: (-row[1], str(row)))
    ]


def containers_by_card(
    loads: Sequence[Load], ask_indexes: Sequence[int], asks: Sequence[Asks], fleet: Fleet
) -> tuple[tuple[tuple[PlacedContainer, ...], ...], ...]:
    """By node and card, the containers on it."""
    waiting: dict[int, list[Load]] = {}
    for load, ask_index in zip(reversed(loads), reversed(ask_indexes), strict=True):
        waiting.setdefault(ask_index, []).extend([load] * load.pods)
    held: list[list[list[PlacedContainer]]] = [[[] for _ in cards] for cards in fleet.state]
    for number, placement in enumerate(fleet.placements):
        load = waiting[placement.ask_index].pop()
        for ask, chosen in zip(asks[placement.ask_index], placement.cards, strict=True):
            for index in chosen:
                held[placement.bin][index].append(PlacedContainer(load, ask, number))
    return tuple(tuple(tuple(card) for card in cards) for cards in held)
