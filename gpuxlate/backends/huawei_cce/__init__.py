"""xGPU of Huawei Cloud CCE, and of Open Telekom Cloud. Numbers are totals over the cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from gpuxlate.backends.base import (
    Backend,
    Cloud,
    Confidence,
    Limits,
    Per,
    Place,
    PodReader,
    Range,
    RuleKind,
    key,
)
from gpuxlate.backends.rows import choice, cores, memory, whole
from gpuxlate.model import quantity
from gpuxlate.model.declarations import regex
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, ScalarKind, Value
from gpuxlate.model.profile import Component, Profile, Release, card_of
from gpuxlate.model.share import Isolation, Policy, Share
from gpuxlate.rules.predicates.conditions import IsFraction, Labelled, Requests, SchedulerIs, SomeContainer
from gpuxlate.rules.products import VOLCANO_GPU_SHARE

NAMES = ("huawei-cce", "cce")
SCHEDULER = "volcano"
MEMORY, CORE = "volcano.sh/gpu-mem.128Mi", "volcano.sh/gpu-core.percentage"
COUNT = "volcano.sh/gpu-num"
MODEL = "accelerator"
"""Label of nodes: the model of their cards, as nvidia-t4 (VIRTUAL)."""
ADDON = Component("volcanoAddon", "Volcano")  # of the cloud, with numbers of its own
UNIT = 128
"""MiB of one unit of MEMORY."""


def decimal(value: Value | None) -> Fraction | None:
    """The part of a card that NVIDIA_GPU asks for; None where it is none."""
    if value is None or value.kind in (ScalarKind.NODE, ScalarKind.NULL, ScalarKind.BOOL):
        return None
    try:
        amount = quantity.parse(value.text).amount
    except quantity.QuantityError:
        return None
    return amount if 0 < amount < 1 else None


HAS_DECIMALS = SchedulerIs(SCHEDULER) & SomeContainer(IsFraction(NVIDIA_GPU))
"""The pod is one of the scheduler, and a container asks for a part of NVIDIA_GPU."""
SPEAKS = Labelled(COUNT) & SomeContainer(Requests(NVIDIA_GPU)) | HAS_DECIMALS
"""A part of NVIDIA_GPU in a pod of the scheduler, which no other vendor takes, or NVIDIA_GPU beside COUNT."""


def card_mode(share: Share) -> str:
    """A card isolates memory alone, or memory and compute (VIRTUAL)."""
    return "memory" if share.cores is None else "memory and compute"


CLOUD = Cloud(
    "Huawei CCE",
    ("cce.cloud.com",),
    regex(r"[a-z][a-z0-9]*\.[0-9]*(?:x?large|medium|small)\.[0-9]+"),
)
"""Labels of its nodes (``cce.cloud.com/cce-nodepool``); machine types: ``c7.large.2``. Source:
CCE, "Managing Node Labels" (cce_10_0004), 2025-11."""


class HuaweiCce(Backend):
    name = NAMES[0]
    title = "Huawei CCE xGPU"
    rule_prefix = "CCE"
    aliases = NAMES[1:]
    vendor = "nvidia"
    sets_visible_devices = True
    cloud = CLOUD
    isolation = Isolation.SOFT  # in the driver of the node, for memory alone or memory and compute (VIRTUAL)
    policy = Policy.FIXED_SHARE
    full_is_whole = True
    scheduler = SCHEDULER
    init_containers = False
    whole_card_key = NVIDIA_GPU
    detected_by = SPEAKS
    fact_commands = {"cards.model": f"kubectl get nodes -L {MODEL}"}
    limits = Limits(20, source="VIRTUAL", card_mode=card_mode)
    similar_products = (VOLCANO_GPU_SHARE,)
    documents = {
        "VIRTUAL": "opentelekomcloud-docs/cloud-container-engine, using_gpu_virtualization.rst (2026-04-16)",
        "EQUAL": (
            "opentelekomcloud-docs/cloud-container-engine, "
            "equal_distribution_scheduling_on_virtual_gpus.rst (2026-04-16)"
        ),
    }
    gpu_prefixes = ("volcano.sh/gpu-mem.", "volcano.sh/gpu-core.")
    rule_reasons = {
        RuleKind.NUMBERS: "Memory is divided in units of 128 MiB and compute in steps of 5 %, on each card.",
        RuleKind.EXCLUDES: (
            "The label divides units of memory among cards; whole cards are counted by their key."
        ),
        RuleKind.NEEDS: "Compute cannot be set without memory.",
        RuleKind.IGNORED: "With all compute the container gets the whole card, whatever memory it asks for.",
        RuleKind.INIT: "xGPU does not support init containers.",
    }
    keys = tuple(
        row._replace(confidence=Confidence.MEDIUM)
        for row in (
            key(
                COUNT,
                Place.LABEL,
                meaning="cards of each container of the pod",
                sets="cards",
                unit=1,
                values=(Range(),),
                excludes=(NVIDIA_GPU,),
                since=Release(ADDON, "1.16.10"),
                source="EQUAL",
            ),
            memory(MEMORY, unit=UNIT, per=Per.TOTAL, source="VIRTUAL, EQUAL"),
            cores(CORE, per=Per.TOTAL, values=(Range(5, 100, 5),), needs=(MEMORY,), source="VIRTUAL, EQUAL"),
            whole(NVIDIA_GPU, values=(), decimals_with=(SCHEDULER,), source="VIRTUAL"),
            choice(
                *(MODEL, Place.NODE_SELECTOR, Place.NODE),
                meaning="card model",
                general=True,
                source="VIRTUAL",
            ),
        )
    )

    def after_admission(
        self, pod: PodReader, container: ContainerKeys, profile: Profile | None
    ) -> ContainerKeys:
        """A part of NVIDIA_GPU as units of memory: those of the card, rounded down (VIRTUAL)."""
        part = decimal(container.resources.get(NVIDIA_GPU))
        if part is None:
            return container
        card_mib = card_of(profile, NAMES).memory_mib
        value = pod.resource(container, NVIDIA_GPU)
        if card_mib is None and value is not None:
            message = msg(
                "{key} {text} is not translated: it counts a part of the memory of a card",
                key=NVIDIA_GPU,
                text=value.text,
            )
            hint = msg(
                "write {key}, or pass a profile with cards.memoryMiB (--profile) and target: {target}",
                key=MEMORY,
                target=NAMES[0],
            )
            pod.note("GX023", message, value.path, hint)
        units = int(part * (card_mib or 0)) // UNIT

        def counted(values: Mapping[str, Value]) -> dict[str, Value]:
            others = {name: one for name, one in values.items() if name != NVIDIA_GPU}
            found = values.get(NVIDIA_GPU)
            return {MEMORY: replace(found, text=str(units)), **others} if found and units else others

        return replace(container, limits=counted(container.limits), requests=counted(container.requests))


BACKEND = HuaweiCce()
