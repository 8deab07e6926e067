"""How HAMi's scheduler places pods, whichever vendor's cards they request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuxlate.backends.base import KeySpec
from gpuxlate.backends.limits import Pick, Scheduling
from gpuxlate.backends.rows import choice, choices, written
from gpuxlate.model.keys import INT32, By, Place, Range
from gpuxlate.model.profile import Component, Release

HAMI = Component("hami", "HAMi")
FROM_2_10 = Release(HAMI, "2.10")
SCHEDULER = "hami-scheduler"
WEBHOOK, IGNORE = "hami.io/webhook", "ignore"
"""A label of pods that HAMi's webhook does not look at (HOOKS)."""
DOCUMENTS = {
    "TYPES": "Project-HAMi/HAMi, pkg/util/types.go (2026-08-21)",
    "DEVICES": "Project-HAMi/HAMi, pkg/device/devices.go and the folders beside it (2026-08-21)",
    "HOOKS": "Project-HAMi/HAMi, charts/hami/templates/scheduler/webhook.yaml (2026-08-21)",
}
SCHEDULING = Scheduling(
    Pick.FULLEST,
    Pick.EMPTIEST,
    "Project-HAMi/HAMi, charts/hami/values.yaml, defaultSchedulerPolicy (2026-08-21)",
    keeps_quotas=True,
)
"""A pod may say otherwise (TYPES). Quotas: pkg/device/quota.go, AddQuota and FitQuota (2026-10)."""
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
    choice(
        "hami.io/device-scoring-weights",
        meaning="weights of slots, compute and memory in the choice of a card",
        source="TYPES",
    ),
    choice(WEBHOOK, Place.LABEL, meaning="hides the pod from the webhook", hides=(IGNORE,), source="HOOKS"),
    written("hami.io/vgpu-*", meaning="assigned cards", source="TYPES"),
    written("hami.io/*-devices-to-allocate", meaning="cards to assign", source="DEVICES"),
    written("hami.io/*-devices-allocated", meaning="assigned cards", source="DEVICES"),
    written("hami.io/bind-*", meaning="binding", source="TYPES"),
)


def in_int32(unit: int = 1) -> tuple[Range, ...]:
    """The numbers that HAMi counts, in cards or in units of MiB: beside a larger one it drops the request of
    the container (GenerateResourceRequests in DEVICES)."""
    return (Range(1, INT32 // unit),)


def by_uuid(word: str) -> Iterator[KeySpec]:
    """The lists of cards of a vendor that HAMi calls by a word: ``hami.io/no-use-xpu-uuid`` (DEVICES)."""
    return choices(f"hami.io/{{0}}use-{word}-uuid", By.UUID, "no-", source="DEVICES")
