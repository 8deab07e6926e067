"""Koordinator. Numbers are totals over the cards, and the share is the pod's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gpuxlate.backends.rows import cards, choice, cores, memory, percent, whole, written
from gpuxlate.backends.scheduling_limits import Pick, Scheduling
from gpuxlate.backends.target import (
    BYTE,
    Absent,
    Backend,
    Limits,
    Per,
    Place,
    PodReader,
    Range,
    RuleKind,
    key,
)
from gpuxlate.model.keys import NVIDIA_GPU
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, Value
from gpuxlate.model.profile import Component, Profile
from gpuxlate.model.share import Isolation
from gpuxlate.rules.predicates import Requests, SchedulerIs, SomeContainer

NAME = "koordinator"
SCHEDULER = "koord-scheduler"
SHARED, CORE = "koordinator.sh/gpu.shared", "koordinator.sh/gpu-core"
MEMORY, RATIO = "koordinator.sh/gpu-memory", "koordinator.sh/gpu-memory-ratio"
BOTH = "koordinator.sh/gpu"
"""CORE and RATIO in one number (HOOK)."""
COMPANIONS = (
    *("metax-tech.com/sgpu", "cambricon.com/mlu.smlu.vcore", "cambricon.com/mlu.smlu.vmemory"),
    *("huawei.com/npu-core", "huawei.com/npu-cpu", "huawei.com/npu-dvpp"),
)
"""What the device plugins of other makers need beside Koordinator's keys; their drivers isolate.

Source: koordinator-sh/website, docs/user-manuals/device-scheduling-*.md (2026).
"""
ISOLATION = "koordinator.sh/gpu-isolation-provider"
MODEL = "node.koordinator.sh/gpu-model"
RECORD = "scheduling.koordinator.sh/device-allocated"
SPEAKS = SchedulerIs(SCHEDULER) & SomeContainer(Requests(NVIDIA_GPU))
"""Whole cards in a pod of Koordinator's scheduler."""


class Koordinator(Backend):
    """GPU shares of Koordinator (CODE): percent of one card and bytes, totals, and how many cards give
    them."""

    name = NAME
    title = "Koordinator"
    rule_prefix = "KOORD"
    rule_module = "gpuxlate.backends.koordinator.rules"
    row_rule_module = "gpuxlate.backends.koordinator.row_rules"
    node_module = "gpuxlate.backends.koordinator.nodes"
    sets_visible_devices = True
    components = (Component("koordinator", "Koordinator"),)
    scheduler = SCHEDULER
    one_share_per_pod = True
    # each share has a percent of the memory at least; the documents set no other bound
    limits = Limits(per_card=100, certain=False, source="HOOK")
    scheduling = Scheduling(
        Pick.EMPTIEST,
        Pick.EMPTIEST,
        "koordinator-sh/koordinator, pkg/scheduler/apis/config/v1/defaults.go at a7a1b76b (2026-07-24)",
    )
    init_containers = False
    companions = COMPANIONS
    whole_card_key = NVIDIA_GPU
    fact_commands = {"cards.model": f"kubectl get nodes -L {MODEL}"}
    detected_by = SPEAKS
    documents = {
        "CODE": "koordinator-sh/koordinator, pkg/scheduler/plugins/deviceshare at a7a1b76b (2026-07-24)",
        "HOOK": "koordinator-sh/koordinator, pkg/webhook/pod/mutating at a7a1b76b (2026-07-24)",
        "KOORDLET": "koordinator-sh/koordinator, pkg/koordlet/runtimehooks at a7a1b76b (2026-07-24)",
        "DEVICE": "koordinator-sh/koordinator, apis/extension/device_share.go at a7a1b76b (2026-07-24)",
        "RENAMED": "koordinator-sh/koordinator, apis/extension/deprecated.go at a7a1b76b (2026-07-24)",
    }
    gpu_prefixes = ("koordinator.sh/gpu",)
    rule_reasons = {
        RuleKind.NUMBERS: (
            "Each card gives an equal part, at most 100 %; without a count, hundreds are whole cards."
        ),
        RuleKind.NEEDS: "The scheduler refuses the pod: invalid resource device requests.",
        RuleKind.EXCLUDES: (
            "The scheduler refuses memory beside a percentage of it; `koordinator.sh/gpu` overwrites the "
            "compute and the percentage."
        ),
        RuleKind.INIT: (
            "The scheduler adds the requests of containers: those of init containers are no share."
        ),
        RuleKind.WORDS: (
            "Koordinator knows the exact word alone; with another one nothing isolates the containers."
        ),
    }
    keys = (
        cards(SHARED, needs=(MEMORY, RATIO, BOTH), default=Absent.HUNDREDS, source="CODE, HOOK"),
        memory(
            MEMORY,
            unit=BYTE,
            quantity=True,
            per=Per.TOTAL,
            aliases=("kubernetes.io/gpu-memory",),
            source="CODE, RENAMED",
        ),
        percent(
            RATIO,
            per=Per.TOTAL,
            values=(Range(1, 100),),
            excludes=(MEMORY,),
            overridden_by=(BOTH,),
            aliases=("kubernetes.io/gpu-memory-ratio",),
            source="CODE, RENAMED",
        ),
        cores(
            CORE,
            per=Per.TOTAL,
            values=(Range(0, 100),),
            no_op_values=("0",),  # it is removed: as good as missing (GetPodDeviceRequests)
            needs=(MEMORY, RATIO, BOTH),
            overridden_by=(BOTH,),
            aliases=("kubernetes.io/gpu-core",),
            source="CODE, RENAMED",
        ),
        key(
            BOTH,
            Place.RESOURCE,
            meaning="compute and memory in one number",
            sets="memory_percent",
            unit=1,
            per=Per.TOTAL,
            values=(Range(1, 100),),
            excludes=(MEMORY,),
            aliases=("kubernetes.io/gpu",),
            source="CODE, HOOK, RENAMED",
        ),
        whole(NVIDIA_GPU, values=(), source="CODE"),
        key(
            ISOLATION,
            Place.LABEL,
            Place.NODE,
            meaning="what keeps containers within their memory; nothing without it",
            sets="isolation",
            words={"HAMi-core": Isolation.SOFT},
            source="KOORDLET",
        ),
        choice("scheduling.koordinator.sh/device-allocate-hint", meaning="cards and topology", source="CODE"),
        choice(
            "scheduling.koordinator.sh/device-joint-allocate",
            meaning="devices of one PCIe switch",
            source="CODE, DEVICE",
        ),
        choice("scheduling.koordinator.sh/gpu-partition-spec", meaning="NVLink partition", source="CODE"),
        *(
            choice(name, Place.NODE_SELECTOR, Place.NODE, meaning=meaning, source="CODE")
            for name, meaning in (
                (MODEL, "card model"),
                ("node.koordinator.sh/gpu-vendor", "maker of the cards"),
                ("node.koordinator.sh/gpu-driver-version", "driver"),
                ("node.koordinator.sh/gpu-partition-policy", "NVLink partitions"),
            )
        ),
        written(RECORD, meaning="assigned cards", source="CODE"),
    )

    def after_admission(
        self, pod: PodReader, container: ContainerKeys, _profile: Profile | None
    ) -> ContainerKeys:
        """Replace BOTH as the webhook does, which overwrites CORE and RATIO with its number (HOOK).

        COMPANIONS beside keys of Koordinator are one share with these, which is not read.
        """
        share = next((name for name in (MEMORY, RATIO, CORE, SHARED) if name in container.resources), None)
        companion = next((name for name in container.resources if name in COMPANIONS), None)
        if share is not None and companion is not None:
            message = msg("{key} is not translated: it is one share with {other}", key=companion, other=share)
            path = container.resources[companion].path
            pod.note("GX023", message, path, "write the share in keys of the target by hand")

        for name in (CORE, RATIO) if BOTH in container.resources else ():
            pod.resource(container, name)  # it is read, and overwritten

        def split(values: Mapping[str, Value]) -> dict[str, Value]:
            others = {name: value for name, value in values.items() if name != BOTH}
            return {**others, CORE: values[BOTH], RATIO: values[BOTH]} if BOTH in values else others

        return replace(container, limits=split(container.limits), requests=split(container.requests))
