"""HAMi: its numbers are per card, and its chart lets operators rename every resource."""

from __future__ import annotations

from gpuxlate.backends.base import Backend, Limits, RuleKind, RuleRow
from gpuxlate.backends.hami import keys as k
from gpuxlate.backends.hami.profile import HamiProfile, split_count
from gpuxlate.backends.hami_scheduler import DOCUMENTS, SCHEDULER
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.share import Isolation
from gpuxlate.model.sheet import SELECTOR, Place
from gpuxlate.rules.predicates.conditions import Annotated, Any, Asks, EnvIs, IsInit, SomeContainer
from gpuxlate.rules.products import NOS, VGPU_MANAGER

SPEAKS = SomeContainer(Asks(k.COUNT)) & Any(
    *(Annotated(row.name) for row in k.KEYS if row.says == SELECTOR and Place.ANNOTATION in row.places),
    SomeContainer((EnvIs(k.CORE_POLICY) | EnvIs(k.DISABLE_CONTROL)) & ~IsInit()),
)
"""The pod counts cards with the common key alone, and has a choice that only HAMi reads."""


class Hami(Backend):
    name = "hami"
    title = "HAMi"
    rule_prefix = "HAMI"
    aliases = ("4paradigm",)
    vendor = "nvidia"
    isolation = Isolation.SOFT  # by a library in the container, in mode hami-core (DEV)
    whole_card_key = k.COUNT
    whole_cores = True  # the webhook adds it too; without it the manifest shows no dialect
    other_schedulers = (SCHEDULER,)  # the webhook sets it (HOOK)
    detected_by = SPEAKS
    extension = HamiProfile
    limits = Limits(
        split_count(None), default=True, source="CONF", uncapped_percent=1, per_card_in=split_count
    )
    node_annotations = {"hami.io/node-nvidia-register": "hami.io/vgpu-devices-allocated"}  # (DEV)
    similar_products = (VGPU_MANAGER, NOS)
    documents = {
        "DEV": "Project-HAMi/HAMi, pkg/device/nvidia/device.go (2026-08-21)",
        "HOOK": "Project-HAMi/HAMi, pkg/scheduler/webhook.go (2026-08-21)",
        **DOCUMENTS,
        "CONF": "Project-HAMi/website, docs/userguide/configure.md (2026-08-21)",
        "RENAMED": "Project-HAMi/HAMi, charts/hami/values.yaml, resourceName and the like (2026-08-21)",
        "ISSUE": "Project-HAMi/HAMi, issue 1678",
    }
    gpu_prefixes = ("nvidia.com/gpumem", "nvidia.com/gpucore")
    keys = k.KEYS
    row_rules = (
        RuleRow(
            RuleKind.EXCLUDES,
            "HAMI001",
            why="HAMi uses `gpumem` and ignores the percentage; its documentation forbids both. Volcano vGPU "
            "uses the percentage.",
        ),
        RuleRow(
            RuleKind.NUMBERS,
            "HAMI002",
            keys=(k.PERCENT,),
            why="HAMi's webhook refuses values outside 0 to 100. 0 means the same as no key: all memory of "
            "the card, and is a warning.",
        ),
        RuleRow(
            RuleKind.NUMBERS,
            "HAMI003",
            keys=(k.CORES,),
            why="HAMi reads more than 100 as 100, which makes each card exclusive. The key counts percent of "
            "each card: two cards at 30 % each are `gpu: 2` and `gpucores: 30`; other clouds write the total "
            "of 60.",
        ),
        RuleRow(
            RuleKind.NUMBERS,
            "HAMI004",
            keys=(k.MEMORY,),
            also=RuleKind.WITHIN_NODE,
            why="The number is an int32, in MiB of each card, times the `memoryFactor` of the cluster. 0 is "
            "the same as no key: all memory of the card, and is a warning. A pod with more than any card has "
            "stays Pending.",
        ),
        RuleRow(
            RuleKind.NUMBERS,
            "HAMI005",
            keys=(k.COUNT,),
            also=RuleKind.WITHIN_NODE,
            why="The key counts physical cards, not shares: one container cannot get two parts of one card "
            "(issues 444 and 620). A pod with more than a node has stays Pending.",
        ),
        RuleRow(
            RuleKind.SCHEDULER,
            "HAMI007",
            keys=k.REQUESTS,
            why="The webhook ignores a pod with a scheduler other than this and the default one, so no "
            "scheduler places its share: the keys have no effect.",
        ),
        RuleRow(
            RuleKind.WORDS,
            "HAMI011",
            Severity.WARNING,
            why="HAMi silently replaces an unknown value by its default. The priority is 0 for high.",
        ),
        RuleRow(
            RuleKind.SINGLE_ALIAS,
            "HAMI014",
            keys=k.REQUESTS,
            why="A cluster has one name for each, set in its chart. The pod never schedules on the other.",
        ),
    )


BACKEND = Hami()
