"""How many cards and nodes the shares of manifests need at a target, and why.

Only GPUs are considered: CPU, memory of the node and taints are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from gpuxlate.backends.base import Backend
from gpuxlate.backends.cluster_nodes import PERCENT
from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model.declarations import Count, Printed, record
from gpuxlate.model.diagnostics import Diagnostic, LossKind, Severity
from gpuxlate.model.errors import UserError
from gpuxlate.model.keys import Place
from gpuxlate.model.messages import Message, join_and, join_or, message_of, msg, plural
from gpuxlate.model.profile import Profile, card_named, nearest
from gpuxlate.model.share import Share
from gpuxlate.planning.demand import Load, loads_of, slots_of
from gpuxlate.planning.filling import smallest
from gpuxlate.planning.fleet import Fleet, pack_fleet
from gpuxlate.planning.placing import Cards, FreeGpu, first_way, shortage
from gpuxlate.planning.requests import UNLIMITED, Asks, ContainerRequest, UnknownPartError, phases
from gpuxlate.translation.fit import PARTS, Verdict, fit_pod
from gpuxlate.translation.results import Item


class PlanError(UserError, ValueError):
    """A plan would be a guess; ``hint``: what the profile has to say."""


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
        return (FreeGpu(PERCENT, self.usable_mib, self.per_card or UNLIMITED, True),) * self.cards


def node_type(backend: Backend, profile: Profile) -> NodeType:
    """The nodes of a profile, whose cards the catalogue may complete. Raises PlanError."""
    model, per_node, memory = profile.cards
    if memory is None and model is not None:
        catalogued = card_named(model, profile)
        memory = catalogued.memory_mib if catalogued else None
    if per_node is None or memory is None:
        keys = (("cards.perNode", per_node), ("cards.memoryMiB", memory))
        missing = [name for name, value in keys if value is None]
        hint = msg("add {names} to it", names=join_and(missing, "{before} and {last}"))
        if memory is None and model is not None:
            names = [
                name for name in nearest(model, profile) if (card := card_named(name)) and card.memory_mib
            ]
            text = "{hint}; the catalogue has no memory of {model}"
            if names:
                text = "{hint}, or cards.model: {names}; the catalogue has no memory of {model}"
            hint = msg(text, hint=hint, model=model, names=join_or(names))
        names_missing = join_and(missing, "{before} and no {last}")
        message = msg("the profile for {target} has no {names}", target=backend.name, names=names_missing)
        raise PlanError(message, hint)
    unit = _unit_mib(backend, profile)
    slots = backend.limits.per_card_in(profile) or slots_of(backend.limits, live=False)
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
        return PERCENT * self.taken // self.there if self.there else 0


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


class Nowhere(NamedTuple):
    """Pods that are not packed, and why: no node of this type takes them, or nothing says how many do."""

    load: Load
    reason: str


class PlacedContainer(NamedTuple):
    """One container on a card: its pod's load, what it requests, and the number of its pod."""

    load: Load
    ask: ContainerRequest
    pod: int = 0

    @property
    def container(self) -> str:
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
        some = phases(tuple(asks))
        cores += max(sum(ask.percent for ask in phase) for phase in some)
        memory += max(sum(_memory(ask, usable_mib) for ask in phase) for phase in some)
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
    nowhere: tuple[Nowhere, ...]
    use: Mapping[str, Utilization]
    roundings: tuple[Rounding, ...]
    cards_unrounded: int
    held: tuple[tuple[tuple[PlacedContainer, ...], ...], ...]

    @property
    def pods(self) -> int:
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
    every, refused = loads_of(items)
    numbers: dict[Asks, int] = {}
    loads: list[Load] = []
    ask_indexes: list[int] = []
    nowhere: list[Nowhere] = []
    for load in every:
        try:
            requests = load.asks(backend, profile)
        except UnknownPartError as error:
            nowhere.append(Nowhere(load, message_of(error)))
            continue
        if requests:
            ask_indexes.append(numbers.setdefault(requests, len(numbers)))
            loads.append(load)
        else:
            message = msg("the scheduler of {target} looks at no init container", target=backend.name)
            nowhere.append(Nowhere(load, message))
    asks = tuple(numbers)
    fleet = pack(node, asks, loads, ask_indexes)
    homeless = frozenset(fleet.unschedulable)
    held = held_on(loads, ask_indexes, asks, fleet)
    nowhere += [
        Nowhere(load, why_nowhere(node, asks[ask_index]))
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
        _use(node, asks, fleet, held),
        tuple(_roundings(loads)),
        _unrounded(node, backend, profile, loads, fleet),
        held,
    )


def profile_with(profile: Profile, node: NodeType) -> Profile:
    """The profile with the memory of its cards, for shares in percent."""
    return replace(profile, cards=profile.cards._replace(memory_mib=node.usable_mib))


def pack(node: NodeType, asks: Sequence[Asks], loads: Sequence[Load], ask_indexes: Sequence[int]) -> Fleet:
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
    fitting = [load for load in loads if first_way(node.empty, load.asks(backend, profile)) is not None]
    ask_indexes = [
        numbers.setdefault(load.asks(backend, profile, load.unrounded()), len(numbers)) for load in fitting
    ]
    return pack(node, tuple(numbers), fitting, ask_indexes).cards


def why_nowhere(node: NodeType, asks: Asks) -> str:
    """Why an empty node does not take a pod."""
    for ask in asks:
        able = sum(space.takes(ask) for space in node.empty)
        if able < ask.cards:
            return shortage(node.empty, ask, able)
    return msg("each container fits alone, but not all together")


# --- what the numbers say -------------------------------------------------------------------------
def _use(
    node: NodeType, asks: Sequence[Asks], fleet: Fleet, held: Sequence[Sequence[Sequence[PlacedContainer]]]
) -> dict[str, Utilization]:
    """Compute and memory of the cards that run something."""
    least = smallest(
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
        "cores": Utilization(PERCENT * len(used), taken["cores"], cores),
        "memoryMiB": Utilization(node.usable_mib * len(used), taken["memoryMiB"], memory),
    }


ROUNDED = ("cores", "memoryMiB", *PARTS)
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


def held_on(
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


# Values that would pack better: one share more to a card for a little less compute or memory.
LARGEST_CUT = 0.2
"""A value is not lowered by more than this part of it."""
TRIED = 12
"""Templates that are looked at, those that take most room first."""
SHOWN = 3
"""Values that are shown at most."""
MOST_PODS = 5_000
"""In larger fleets nothing is tried: each value is a packing of its own."""
STEPS = 16
"""Values that are tried, from the highest down, until the target takes one as it is."""


@record
class Suggestion(Printed):
    """One value that packs better, of each card."""

    workload: str
    """Namespace, kind and name of the object."""
    container: str
    """The container."""
    field: str
    """Field of the share."""
    value: Count
    """The value to write."""
    instead_of: Count
    """The value now."""
    per_card: Count
    """Shares of this size on one card."""
    per_card_before: Count
    """The same with the value now."""
    cards_saved: Count
    """Cards that the fleet needs less."""


def better_values(plan: TargetPlan, profile: Profile) -> tuple[Suggestion, ...]:
    """The values that save most cards, each alone. Pods of one container with a part of one card only."""
    if plan.pods > MOST_PODS:
        return ()
    loads = [load for load in plan.loads if len(load.shares) == 1 and _is_part(load.shares[0])]
    loads.sort(key=lambda load: (-load.pods * (load.shares[0].memory_mib or 0), load.name))
    suggestions = [suggestion for load in loads[:TRIED] for suggestion in _of(plan, load, profile)]
    suggestions = [suggestion for suggestion in suggestions if suggestion.cards_saved > 0]
    suggestions.sort(
        key=lambda suggestion: (
            -suggestion.cards_saved,
            suggestion.instead_of - suggestion.value,
            suggestion.workload,
        )
    )
    return tuple(suggestions[:SHOWN])


def _is_part(share: Share) -> bool:
    return share.cards == 1 and share.memory_mib is not None


def per_card(node: NodeType, cores: int, memory_mib: int) -> int:
    """Shares of one size on one card."""
    limits = [node.per_card or UNLIMITED, node.usable_mib // max(1, memory_mib)]
    return min(*limits, PERCENT // cores) if cores else min(limits)


def _of(plan: TargetPlan, load: Load, profile: Profile) -> Iterator[Suggestion]:
    """One share more to a card by less memory, or by less compute."""
    node, share = plan.node, load.shares[0]
    cores, memory = share.cores or 0, share.memory_mib or 0
    before = per_card(node, cores, memory)
    if not before or (node.per_card is not None and before >= node.per_card):
        return
    for field, attribute, now, largest, step in (
        ("memoryMiB", "memory_mib", memory, node.usable_mib // (before + 1), node.unit_mib),
        ("cores", "cores", cores, PERCENT // (before + 1), 1),
    ):
        value = _taken(plan, share, attribute, largest, step, profile) if largest < now else None
        if value is None or value < now * (1 - LARGEST_CUT):
            continue
        changed = _with(share, attribute, value)
        after = per_card(node, changed.cores or 0, changed.memory_mib or 0)
        if after > before:
            saves = plan.fleet.cards - _cards(plan, load, changed, profile)
            yield Suggestion(load.name, load.items[0].container, field, value, now, after, before, saves)


def _taken(
    plan: TargetPlan, share: Share, attribute: str, largest: int, step: int, profile: Profile
) -> int | None:
    """The largest value up to ``most`` that the target takes as it is."""
    for value in range(largest // step * step, 0, -step)[:STEPS]:
        request = ContainerShare("", 0, share=_with(share, attribute, value))
        if not fit_pod([request], plan.backend, Accept(), profile).outcomes[0].losses:
            return value
    return None


def _with(share: Share, attribute: str, value: int) -> Share:
    if attribute == "cores":
        return replace(share, cores=value)
    return replace(share, memory_mib=value, memory_limit_mib=None)


def _cards(plan: TargetPlan, load: Load, changed: Share, profile: Profile) -> int:
    """Cards of the fleet with another share in one template."""
    numbers: dict[Asks, int] = {}
    homeless = {id(nowhere.load) for nowhere in plan.nowhere}
    loads = [other for other in plan.loads if id(other) not in homeless]
    ask_indexes = [
        numbers.setdefault(
            other.asks(plan.backend, profile, (changed,) if other is load else None), len(numbers)
        )
        for other in loads
    ]
    return pack(plan.node, tuple(numbers), loads, ask_indexes).cards


# What the numbers of a plan mean, in sentences.
UNITS = {"cores": " %", "memoryMiB": " MiB"}
BINDS = {
    "compute": "limited by compute",
    "memory": "limited by memory",
    "containers": "limited by the number of containers on a card",
    "whole cards": "whole cards decide",
}
"""By what the lower bound follows from."""


def cards_text(count: int) -> Message:
    return plural(count, "{count} card", "{count} cards")


def nodes_text(count: int) -> Message:
    return plural(count, "{count} node", "{count} nodes")


def pods_text(count: int) -> Message:
    return plural(count, "{count} pod", "{count} pods")


def shares_text(count: int) -> Message:
    return plural(count, "{count} share", "{count} shares")


def remarks(target_plan: TargetPlan, better: Sequence[Suggestion]) -> Iterator[Message]:
    """What the numbers mean, one sentence a line."""
    fleet, cores, memory = target_plan.fleet, target_plan.use["cores"], target_plan.use["memoryMiB"]
    if fleet.cards and not fleet.least:
        if fleet.cards > fleet.bound.cards:
            text = "at least {least} are needed; found {found}"
            yield msg(text, least=cards_text(fleet.bound.cards), found=fleet.cards)
        else:
            text = "no packing needs fewer cards; at least {least} are needed"
            yield msg(text, least=nodes_text(fleet.bound.nodes))
    pools = Counter(node_cards[0].pool for node_cards in fleet.state if node_cards[0].pool)
    if len(pools) > 1:
        node_kinds = (
            msg("{count} of {name}", count=count, name=name) for name, count in sorted(pools.items())
        )
        text = "needs {count} kinds of nodes, whose pods cannot share a node: {kinds}"
        yield msg(text, count=len(pools), kinds=join_and(node_kinds, "{before}; {last}"))
    if fleet.cards:
        yield msg(
            "{what}: {cores} % of compute and {memory} % of memory are in use",
            what=msg(BINDS[fleet.bound.by]),
            cores=cores.percent,
            memory=memory.percent,
        )
    if mixed := sum(
        len({held.part for held in card if held.part}) > 1
        for node_cards in target_plan.held
        for card in node_cards
    ):
        yield plural(
            mixed,
            "{count} card has partitions of several profiles: places are fixed, make the larger first",
            "{count} cards have partitions of several profiles: places are fixed, make the larger first",
        )
    if cores.stranded or memory.stranded:
        yield msg(
            "stranded: {cores} cards of compute and {memory} of memory are free, too little for any share",
            cores=f"{cores.stranded / 100:.1f}",
            memory=f"{memory.stranded / target_plan.node.usable_mib:.1f}",
        )
    if target_plan.roundings:
        count, values = target_plan.for_rounding, _rounded(target_plan.roundings)
        text = (
            "rounding needs {count} of the cards: {values}"
            if count
            else "rounding needs no extra card: {values}"
        )
        yield msg(text, count=count, values=values)
    for value in better:
        yield msg(
            "{name} {container}: {value}{unit} in place of {instead}: {each} to a card instead of {before}, "
            "saves {cards}",
            name=value.workload,
            container=value.container,
            value=value.value,
            unit=UNITS[value.field],
            instead=value.instead_of,
            each=value.per_card,
            before=value.per_card_before,
            cards=cards_text(value.cards_saved),
        )


def _rounded(values: Sequence[Rounding]) -> str:
    shown: list[str] = [
        msg(
            "{asked}{unit} to {given} ({shares})",
            asked=rounding.asked,
            unit=UNITS.get(rounding.field, ""),
            given=msg("whole cards") if rounding.given is None else rounding.given,
            shares=shares_text(rounding.shares),
        )
        for rounding in values[:3]
    ]
    if len(values) > 3:
        shown.append(plural(len(values) - 3, "{count} other value", "{count} other values"))
    return join_and(shown)


def _why(refused: Sequence[Item]) -> Iterator[Message]:
    """The rules that refuse, each with its first message."""
    first_by_code: dict[str, tuple[Diagnostic, set[int]]] = {}
    for number, item in enumerate(refused):
        for each in item.diagnostics:
            if each.severity is Severity.ERROR:
                first_by_code.setdefault(each.code, (each, set()))[1].add(number)
    for code, (first, items) in sorted(first_by_code.items(), key=lambda entry: -len(entry[1][1])):
        reason = msg(
            "  {code}, {shares}, first in {file}: {message}",
            code=code,
            shares=shares_text(len(items)),
            file=first.file,
            message=first.message,
        )
        yield msg("{before}; {last}", before=reason, last=first.hint) if first.hint else reason


def missing(target_plan: TargetPlan) -> Iterator[Message]:
    """What is not packed, or not known."""
    if target_plan.refused:
        counts = Counter(item.verdict for item in target_plan.refused)
        verdicts = join_and(
            msg("{count} {verdict}", count=counts[verdict], verdict=msg(verdict.value))
            for verdict in Verdict
            if counts[verdict]
        )
        yield msg("not packed: {what} ({why})", what=shares_text(len(target_plan.refused)), why=verdicts)
        yield from _why(target_plan.refused)
    for nowhere in target_plan.nowhere:
        description = msg("{name}, {pods}", name=nowhere.load.name, pods=pods_text(nowhere.load.pods))
        yield msg("not packed: {what}: {why}", what=description, why=nowhere.reason)
    for load in target_plan.loads:
        if load.count is None:
            text = "{name}: its number of pods depends on the nodes of the cluster; 1 is counted"
            yield msg(text, name=load.name)
