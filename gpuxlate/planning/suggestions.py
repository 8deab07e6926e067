"""Values that would pack better: one share more to a card for a little less compute or memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpuxlate.backends.pod_reader import ContainerShare
from gpuxlate.backends.pod_writer import Accept
from gpuxlate.model.declarations import Count, Printed, record
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.planning.loads import Load
from gpuxlate.planning.plan import NodeType, TargetPlan, pack_loads
from gpuxlate.planning.requests import UNLIMITED, Asks
from gpuxlate.translation.fit import fit_pod

LARGEST_CUT = 0.2
"""A value is not lowered by more than this part of it."""

TRIED = 12
"""Templates that are looked at, those that take most room first."""

MAX_SUGGESTIONS = 3
"""Values that are shown at most."""

MAX_PODS_OF_SUGGESTION = 5_000
"""In larger fleets nothing is tried: each value is a packing of its own."""

MAX_TRIED_VALUES = 16
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
    """The single changes of a value that save most cards. Only pods with one container, which has a part of
    one card, are looked at."""
    if plan.pods > MAX_PODS_OF_SUGGESTION:
        return ()
    loads = [load for load in plan.loads if len(load.shares) == 1 and _is_part(load.shares[0])]
    loads.sort(key=lambda load: (-load.pods * (load.shares[0].memory_mib or 0), load.name))
    suggestions = [suggestion for load in loads[:TRIED] for suggestion in _suggest(plan, load, profile)]
    suggestions = [suggestion for suggestion in suggestions if suggestion.cards_saved > 0]
    suggestions.sort(
        key=lambda suggestion: (
            -suggestion.cards_saved,
            suggestion.instead_of - suggestion.value,
            suggestion.workload,
        )
    )
    return tuple(suggestions[:MAX_SUGGESTIONS])


def _is_part(share: Share) -> bool:
    return share.cards == 1 and share.memory_mib is not None


def shares_per_card(node: NodeType, cores: int, memory_mib: int) -> int:
    """Shares of one size on one card."""
    limits = [node.per_card or UNLIMITED, node.usable_mib // max(1, memory_mib)]
    return min(*limits, FULL_CARD_CORES // cores) if cores else min(limits)


def _suggest(plan: TargetPlan, load: Load, profile: Profile) -> Iterator[Suggestion]:
    """One share more to a card by less memory, or by less compute."""
    node, share = plan.node, load.shares[0]
    cores, memory = share.cores or 0, share.memory_mib or 0
    before = shares_per_card(node, cores, memory)
    if not before or (node.per_card is not None and before >= node.per_card):
        return
    for field, attribute, now, largest, step in (
        ("memoryMiB", "memory_mib", memory, node.usable_mib // (before + 1), node.unit_mib),
        ("cores", "cores", cores, FULL_CARD_CORES // (before + 1), 1),
    ):
        value = _largest_accepted(plan, share, attribute, largest, step, profile) if largest < now else None
        if value is None or value < now * (1 - LARGEST_CUT):
            continue
        changed = _with_value(share, attribute, value)
        after = shares_per_card(node, changed.cores or 0, changed.memory_mib or 0)
        if after > before:
            saves = plan.fleet.cards - _count_cards(plan, load, changed, profile)
            yield Suggestion(load.name, load.items[0].container, field, value, now, after, before, saves)


def _largest_accepted(
    plan: TargetPlan, share: Share, attribute: str, largest: int, step: int, profile: Profile
) -> int | None:
    """The largest value up to ``largest`` that the target takes as it is."""
    for value in range(largest // step * step, 0, -step)[:MAX_TRIED_VALUES]:
        request = ContainerShare("", 0, share=_with_value(share, attribute, value))
        if not fit_pod([request], plan.backend, Accept(), profile).outcomes[0].losses:
            return value
    return None


def _with_value(share: Share, attribute: str, value: int) -> Share:
    if attribute == "cores":
        return replace(share, cores=value)
    return replace(share, memory_mib=value, memory_limit_mib=None)


def _count_cards(plan: TargetPlan, load: Load, changed: Share, profile: Profile) -> int:
    """The number of cards that the fleet needs with another share in one template."""
    numbers: dict[Asks, int] = {}
    homeless = {id(nowhere.load) for nowhere in plan.nowhere}
    loads = [other for other in plan.loads if id(other) not in homeless]
    ask_indexes = [
        numbers.setdefault(
            other.asks(plan.backend, profile, (changed,) if other is load else None), len(numbers)
        )
        for other in loads
    ]
    return pack_loads(plan.node, tuple(numbers), loads, ask_indexes).cards
