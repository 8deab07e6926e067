"""HAMi-core, the library that limits containers under HAMi and under Volcano: the variable that it reads.

LIBRARY: Project-HAMi/HAMi-core, src/multiprocess/multiprocess_memory_limit.c, set_env_utilization_switch. The
device plugins of both mount it: Project-HAMi/HAMi, and volcano-vgpu-device-plugin pkg/plugin/server.go.
"""

from __future__ import annotations

from gpuxlate.backends.base import KeySpec, Place, key
from gpuxlate.backends.pod_reader import written_name
from gpuxlate.model.keys import Range
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.share import Policy
from gpuxlate.rules.predicates.conditions import EnvIs, InRange, Predicate, Violation

CORE_POLICY = "GPU_CORE_UTILIZATION_POLICY"
DOCUMENTS = {
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
