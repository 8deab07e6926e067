"""Values that would pack better: one share more to a card for a little less compute or memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gpuxlate.backends.base import ContainerShare
from gpuxlate.backends.live import PERCENT
from gpuxlate.backends.placing import Accept
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Share
from gpuxlate.planning.loads import Load
from gpuxlate.planning.packing.spaces import UNLIMITED, Asks
from gpuxlate.planning.plan import NodeType, TargetPlan, pack
from gpuxlate.translation.pods.fit import fit_pod

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


@dataclass(frozen=True, slots=True)
class Better:
    """One value of a template that packs better; numbers are of each card.

    ``per_card``, ``before``: shares of this size on one card, with the value and without; ``saves``: cards.
    """

    load: Load
    container: str
    field: str
    value: int
    instead: int
    per_card: int
    before: int
    saves: int

    def to_json(self) -> dict[str, Any]:
        return {
            "workload": self.load.name,
            "container": self.container,
            "field": self.field,
            "value": self.value,
            "insteadOf": self.instead,
            "perCard": self.per_card,
            "perCardBefore": self.before,
            "cardsSaved": self.saves,
        }


def better_values(plan: TargetPlan, profile: Profile) -> tuple[Better, ...]:
    """The values that save most cards, each alone. Pods of one container with a part of one card only."""
    if plan.pods > MOST_PODS:
        return ()
    loads = [one for one in plan.loads if len(one.given) == 1 and _is_part(one.given[0])]
    loads.sort(key=lambda one: (-one.pods * (one.given[0].memory_mib or 0), one.name))
    found = [one for load in loads[:TRIED] for one in _of(plan, load, profile)]
    found = [one for one in found if one.saves > 0]
    found.sort(key=lambda one: (-one.saves, one.instead - one.value, one.load.name))
    return tuple(found[:SHOWN])


def _is_part(share: Share) -> bool:
    return share.cards == 1 and share.memory_mib is not None


def per_card(node: NodeType, cores: int, memory_mib: int) -> int:
    """Shares of one size on one card."""
    most = [node.per_card or UNLIMITED, node.usable_mib // max(1, memory_mib)]
    return min(*most, PERCENT // cores) if cores else min(most)


def _of(plan: TargetPlan, load: Load, profile: Profile) -> Iterator[Better]:
    """One share more to a card by less memory, or by less compute."""
    node, share = plan.node, load.given[0]
    cores, memory = share.cores or 0, share.memory_mib or 0
    before = per_card(node, cores, memory)
    if not before or (node.per_card is not None and before >= node.per_card):
        return
    for field, attribute, now, most, step in (
        ("memoryMiB", "memory_mib", memory, node.usable_mib // (before + 1), node.unit_mib),
        ("cores", "cores", cores, PERCENT // (before + 1), 1),
    ):
        value = _taken(plan, share, attribute, most, step, profile) if most < now else None
        if value is None or value < now * (1 - LARGEST_CUT):
            continue
        changed = _with(share, attribute, value)
        after = per_card(node, changed.cores or 0, changed.memory_mib or 0)
        if after > before:
            saves = plan.fleet.cards - _cards(plan, load, changed, profile)
            yield Better(load, load.items[0].container, field, value, now, after, before, saves)


def _taken(
    plan: TargetPlan, share: Share, attribute: str, most: int, step: int, profile: Profile
) -> int | None:
    """The largest value up to ``most`` that the target takes as it is."""
    for value in range(most // step * step, 0, -step)[:STEPS]:
        asked = ContainerShare("", 0, share=_with(share, attribute, value))
        if not fit_pod([asked], plan.backend, Accept(), profile).outcomes[0].losses:
            return value
    return None


def _with(share: Share, attribute: str, value: int) -> Share:
    if attribute == "cores":
        return replace(share, cores=value)
    return replace(share, memory_mib=value, memory_limit_mib=None)


def _cards(plan: TargetPlan, load: Load, changed: Share, profile: Profile) -> int:
    """Cards of the fleet with another share in one template."""
    numbers: dict[Asks, int] = {}
    homeless = {id(one.load) for one in plan.nowhere}
    loads = [one for one in plan.loads if id(one) not in homeless]
    kinds = [
        numbers.setdefault(one.asks(plan.backend, profile, (changed,) if one is load else None), len(numbers))
        for one in loads
    ]
    return pack(plan.node, tuple(numbers), loads, kinds).cards
