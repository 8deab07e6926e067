"""How HAMi's scheduler places pods, whichever vendor's cards they request; and HAMi-core, the library that
limits containers under HAMi and under Volcano, whose device plugins both mount it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuxlate.backends.base import KeySpec, key
from gpuxlate.backends.limits import Pick, Scheduling
from gpuxlate.backends.pod_reader import written_name
from gpuxlate.backends.rows import choice, choices, written
from gpuxlate.model.keys import INT32, By, Place, Range
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.profile import Component, Release
from gpuxlate.model.share import Policy
from gpuxlate.rules.predicates.conditions import EnvIs, InRange, Predicate, Violation

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


# --- HAMi-core --------------------------------------------------------------------------------
CORE_POLICY = "GPU_CORE_UTILIZATION_POLICY"
LIBRARY = {
    "LIBRARY": (
        "Project-HAMi/HAMi-core, src/multiprocess/multiprocess_memory_limit.c, set_env_utilization_switch "
        "(2026-08-21)"
    )
}


def core_policy() -> KeySpec:
    """Whether compute has a hard cap. DEFAULT caps only while other containers use the card; a word in
    mixed letter case is unknown, and the default counts (LIBRARY)."""
    return key(
        CORE_POLICY,
        Place.ENV,
        meaning="whether compute has a hard cap",
        sets="policy",
        words={"force": Policy.FIXED_SHARE, "FORCE": Policy.FIXED_SHARE},
        values=("default", "disable", "DISABLE"),
        no_op_values=("default",),
        source="LIBRARY",
    )


def is_capped_alone(cores: str) -> Predicate:
    """A container with a part of the compute of its cards says whether it is a hard cap."""
    return Predicate(EnvIs(CORE_POLICY), InRange(cores, Range(1, FULL_CARD_CORES - 1)), (cores,))


def not_capped_alone(breach: Violation) -> tuple[Message, Message]:
    """What is to know of a breach of it, and what to do."""
    text = "{key} {number} limits compute only while other containers use the card"
    hint = "for a cap that always holds, set the variable {variable}: force"
    name = written_name(breach.there, breach.name)
    return msg(text, key=name, number=breach.number), msg(hint, variable=CORE_POLICY)
