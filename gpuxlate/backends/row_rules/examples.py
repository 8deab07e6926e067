"""A share as a dialect writes it, for the pages of rules that follow from its rows."""

from __future__ import annotations

from dataclasses import replace

from gpuxlate.backends.pod_writer import Accept, PodWriter, ShareWriter
from gpuxlate.backends.rows import KeyTable
from gpuxlate.model.keys import Place
from gpuxlate.model.share import JSON_NAMES, Device, Isolation, Share
from gpuxlate.rules.base import PodExample

RULE_EXAMPLE_SHARES = (Share(1, 50, 8192), Share(1, 25, 24576), Share(1, None, 8192), Share(1, 50))
"""What the example asks for: the first that the dialect can express, rounded where it must be."""


ANYTHING = Accept(True, {"cores": 50, "memoryMiB": 8192}, frozenset(JSON_NAMES.values()))


def share(table: KeyTable) -> PodExample:
    """A part of one card as the dialect writes it; a whole one, where it has no other."""
    rows = (row for row in table.keys if row.unit and row.sets not in (None, "cards"))
    parts = {row.name for row in rows if Place.LABEL not in row.places}
    one_card = None if parts else _written(table, Share(1))
    if one_card is not None:
        return one_card
    tried = (_written(table, share) for share in RULE_EXAMPLE_SHARES)
    example = next(
        (example for example in tried if example and parts & {*example.limits[0], *example.annotations}), None
    )
    if example is None:
        raise ValueError(f"{table.name} can express no part of a card")
    return example


def whole_card(table: KeyTable) -> PodExample:
    """One whole card as the dialect writes it."""
    return _written(table, Share(1)) or share(table)


def _written(table: KeyTable, share: Share) -> PodExample | None:
    model = table.keys_by_model[0].model
    device = Device(table.vendor, (model,)) if model else None
    isolation = Isolation.SOFT if table.of_pod("isolation") and not share.whole_cards else None
    share = replace(share, device=device, isolation=isolation)
    placing = ShareWriter(share, ANYTHING, target=table.name, name="web")
    keys = table.write(PodWriter((placing,), ("web",)), None)
    scheduler = keys.scheduler_name.text if keys.scheduler_name else ""
    limits = keys.containers[0].limits
    return None if placing.refused else PodExample((limits,), keys.annotations, keys.labels, scheduler)
