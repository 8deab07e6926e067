"""How HAMi's scheduler places pods, whichever vendor's cards they request."""

from __future__ import annotations

import re

from gpuxlate.backends.sheet.rows import choice

SCHEDULER = "hami-scheduler"
DOCUMENTS = {"TYPES": "Project-HAMi/HAMi, pkg/util/types.go (2026-08-21)"}
NODE_POLICIES = ("binpack", "spread")
CARD_POLICIES = (*NODE_POLICIES, "topology-aware", "mutex", "numa")
CHAIN = re.compile(r" *({0}) *(, *({0}) *)*".format("|".join(CARD_POLICIES)))
"""Card policies with commas, since 2026-08 (TYPES)."""

PLACEMENT = (
    choice(
        "hami.io/node-scheduler-policy",
        meaning="node scheduling policy",
        values=NODE_POLICIES,
        source="TYPES",
    ),
    choice(
        "hami.io/gpu-scheduler-policy",
        meaning="card scheduling policy",
        values=(*CARD_POLICIES, CHAIN),
        source="TYPES",
    ),
)
