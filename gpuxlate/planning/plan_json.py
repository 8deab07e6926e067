"""``gpuxlate-plan/v1``: what programs read of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuxlate.planning.advice import Better
from gpuxlate.planning.plan import Held, TargetPlan, in_use
from gpuxlate.planning.remarks import remarks
from gpuxlate.translation.leftovers import Leftover


def to_json(
    one: TargetPlan, better: Sequence[Better] = (), leftovers: Sequence[Leftover] = ()
) -> dict[str, Any]:
    """One target of ``gpuxlate-plan/v1``."""
    node, fleet = one.node, one.fleet
    return {
        "target": one.backend.name,
        "node": {
            "model": node.model,
            "cards": node.cards,
            "memoryMiB": node.memory_mib,
            "usableMiB": node.usable_mib,
            "sharesPerCard": node.per_card,
        },
        "pods": one.pods,
        "shares": one.shares,
        "cards": fleet.cards,
        "nodes": fleet.nodes,
        "lowerBound": {"cards": fleet.bound.cards, "nodes": fleet.bound.nodes},
        "proved": fleet.least,
        "binds": fleet.bound.by or None,
        "use": {name: use.to_json() for name, use in one.use.items()},
        "rounding": {"cards": one.for_rounding, "values": [r._asdict() for r in one.roundings]},
        "better": [b.to_json() for b in better],
        "refused": [item.to_json() for item in one.refused],
        "nowhere": [
            {"workload": n.load.name, "file": n.load.items[0].file, "pods": n.load.pods, "reason": n.reason}
            for n in one.nowhere
        ],
        "remarks": list(remarks(one, better)),
        "unclear": [load.name for load in one.loads if load.count is None],
        "leftovers": [left.to_json() for left in leftovers],
        "layout": [{"cards": [_card_json(card, node.usable_mib) for card in cards]} for cards in one.held],
    }


def _card_json(card: Sequence[Held], usable_mib: int) -> dict[str, Any]:
    held = [
        {
            "workload": one.load.name,
            "container": one.container,
            "part": one.part or None,
            "cores": one.ask.percent,
            "memoryMiB": usable_mib if one.ask.memory_mib is None else one.ask.memory_mib,
            "whole": one.ask.whole,
            **({"init": True} if one.ask.ends else {}),
        }
        for one in card
    ]
    cores, memory_mib = in_use(card, usable_mib)
    return {"cores": cores, "memoryMiB": memory_mib, "held": held}
