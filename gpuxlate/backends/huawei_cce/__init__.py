"""xGPU of Huawei Cloud CCE, and of Open Telekom Cloud. Numbers are totals over the cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from gpuxlate.backends.rows import ShareFields, choice, cores, memory, whole
from gpuxlate.backends.target import (
    Backend,
    Cloud,
    Confidence,
    Limits,
    Per,
    Place,
    PodReader,
    PodWriter,
    Range,
    RuleKind,
    ShareWriter,
    key,
)
from gpuxlate.model import quantity
from gpuxlate.model.declarations import regex
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, ScalarKind, Value
from gpuxlate.model.profile import Component, Profile, card_of
from gpuxlate.model.share import JSON_NAMES, Isolation, Policy, Share
from gpuxlate.rules.predicates import IsFraction, Labelled, Requests, SchedulerIs, SomeContainer
from gpuxlate.rules.unsupported_products import VOLCANO_GPU_SHARE

NAMES = ("huawei-cce", "cce")
SCHEDULER = "volcano"
MEMORY, CORE = "volcano.sh/gpu-mem.128Mi", "volcano.sh/gpu-core.percentage"
COUNT = "volcano.sh/gpu-num"
MODEL = "accelerator"
"""Label of nodes: the model of their cards, as nvidia-t4 (VIRTUAL)."""
ADDON = Component("volcanoAddon", "Volcano")  # of the cloud, with numbers of its own
UNIT = 128
"""MiB of one unit of MEMORY."""


def parse_part(value: Value | None) -> Fraction | None:
    """The part of a card that a value of NVIDIA_GPU requests; None where it requests no part."""
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
    """Parts of cards by xGPU (VIRTUAL, EQUAL): percent of one card and units of 128 MiB, totals; a
    label counts the cards."""

    name = NAMES[0]
    title = "Huawei CCE xGPU"
    rule_module = "gpuxlate.backends.huawei_cce.rules"
    row_rule_module = "gpuxlate.backends.huawei_cce.row_rules"
    node_module = "gpuxlate.backends.huawei_cce.nodes"
    aliases = NAMES[1:]
    vendor = "nvidia"
    sets_visible_devices = True
    cloud = CLOUD
    isolation = Isolation.SOFT  # in the driver of the node, for memory alone or memory and compute (VIRTUAL)
    scheduler = SCHEDULER
    init_containers = False
    whole_card_key = NVIDIA_GPU
    detected_by = SPEAKS
    fact_commands = {"cards.model": f"kubectl get nodes -L {MODEL}"}
    limits = Limits(per_card=20, source="VIRTUAL", card_mode=card_mode)
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
                component=ADDON,
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
        part = parse_part(container.resources.get(NVIDIA_GPU))
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
            others = {name: value for name, value in values.items() if name != NVIDIA_GPU}
            value = values.get(NVIDIA_GPU)
            return {MEMORY: replace(value, text=str(units)), **others} if value and units else others

        return replace(container, limits=counted(container.limits), requests=counted(container.requests))

    def normalize(self, pod: PodReader, fields: ShareFields) -> ShareFields:
        """Read all compute of a card as the whole card (VIRTUAL)."""
        if fields.cores != FULL_CARD_CORES * (fields.cards or 1):
            return fields
        return replace(fields, cores=None, memory_mib=None, granted=())

    def before_write(self, placing: ShareWriter) -> frozenset[str]:
        """Write a whole card where the compute, after rounding, is all of it."""
        cores = self.keys_by_model[0].cores
        if cores is not None and not placing.asked.whole_cards:
            from gpuxlate.backends.row_writer import number_of_row

            number_of_row(self, cores, placing, None)
            placing.whole_when_full(self.code(RuleKind.IGNORED))
        return frozenset()

    def after_write(self, pod: PodWriter, keys: PodKeys) -> PodKeys:
        """Compute that is set has a hard cap."""
        containers = {(container.init, container.index): container for container in keys.all_containers()}
        for placing in pod.placings:
            if CORE in containers[placing.init, placing.index].limits:
                placing.take_policy_if_same(Policy.FIXED_SHARE)
        return keys

    @cached_property
    def field_docs(self) -> Mapping[str, str]:
        """No key says how containers share the compute of a card."""
        policy = {"policy": f"no key; {Policy.FIXED_SHARE} alone"}
        docs = {**super().field_docs, **policy}
        return {name: docs[name] for name in JSON_NAMES.values() if name in docs}
