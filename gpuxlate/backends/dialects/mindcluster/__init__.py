"""Ascend cards of MindCluster: whole cards, by names of families, and soft shares of one card by labels.

A soft share has three labels and an annotation on the pod, or on an AscendJob, whose PodGroup has them. The
number in resources is then percent of the card (SOFT). 1 GB of its nodes is 1024 MB (SCHEDULER).
"""

from __future__ import annotations

from dataclasses import replace

from gpuxlate.backends.base import (
    Backend,
    Place,
    PodReader,
    PodWriter,
    Range,
    RuleKind,
    RuleRow,
    ShareWriter,
    key,
)
from gpuxlate.backends.pod_reader import number
from gpuxlate.backends.rows import ShareFields, cards, choice, for_models, whole, written
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.share import Isolation, Policy
from gpuxlate.rules.predicates import AnyOf, IsAnnotated, Labelled

NAME, VENDOR, VOLCANO = "mindcluster", "huawei", "volcano"
COUNT, NPU = "huawei.com/Ascend910", "huawei.com/npu"
CORES, MEMORY, POLICY = (
    f"huawei.com/scheduler.softShareDev.{name}" for name in ("aicoreQuota", "hbmQuota", "policy")
)
SOFT = (CORES, MEMORY, POLICY)
SCHEDULED_BY = "huawei.com/schedule_policy"
SOFTLY = "chip1-softShareDev"
"""The scheduling policy that reads the labels (SCHEDULER)."""
POLICIES = {
    "fixed-share": Policy.FIXED_SHARE,
    "elastic": Policy.BURST_SHARE,
    "best-effort": Policy.BEST_EFFORT,
}


class MindCluster(Backend):
    name = NAME
    title = "Ascend cards under MindCluster"
    rule_prefix = "MIND"
    rule_module = "gpuxlate.backends.dialects.mindcluster.rules"
    node_module = "gpuxlate.backends.dialects.mindcluster.nodes"
    vendor = VENDOR
    names_vendor = True
    row_rules = (RuleRow(RuleKind.NUMBERS), RuleRow(RuleKind.WITHIN_NODE))  # MIND020 has the labels
    detected_by = AnyOf(*map(Labelled, SOFT), IsAnnotated(SCHEDULED_BY, SOFTLY))
    isolation = Isolation.SOFT  # by vCANN-RT in the container (SOFT)
    documents = {
        "PLUGIN": "Ascend/mind-cluster, ascend-device-plugin, pkg/common/constants.go (2026-08-21)",
        "GUIDE": "Ascend/mind-cluster, docs/zh/scheduling/06_api/15_yaml_configuration.md (2026-08-21)",
        "SOFT": "Ascend/mind-cluster, docs/zh/scheduling, 01_soft_allocation_scheduling_inference.md (2026)",
        "SCHEDULER": "Ascend/mind-cluster, ascend-for-volcano, policy/chip1softsharedev (2026-08-21)",
    }
    gpu_prefixes = ("huawei.com/scheduler.softShareDev",)
    keys = (
        cards(COUNT, repeats=CORES, source="PLUGIN, GUIDE, SOFT"),
        whole(NPU, repeats=CORES, source="PLUGIN, GUIDE, SOFT"),
        *(whole(f"huawei.com/Ascend310P-{card}", source="PLUGIN") for card in ("V", "VPro", "IPro")),
        *for_models(NAME, cards("huawei.com/Ascend{model}", source="PLUGIN")),
        key(
            CORES,
            Place.LABEL,
            meaning="compute of a soft share",
            sets="cores",
            unit=1,
            of_group=True,
            values=(Range(1, FULL_CARD_CORES),),
            source="SOFT, SCHEDULER",
        ),
        key(
            MEMORY,
            Place.LABEL,
            meaning="GPU memory of a soft share",
            sets="memory_mib",
            unit=1,
            of_group=True,
            values=(Range(),),
            source="SOFT, SCHEDULER",
        ),
        key(
            POLICY,
            Place.LABEL,
            meaning="how soft shares of a card divide its compute",
            sets="policy",
            words=POLICIES,
            of_group=True,
            required="fixed-share",
            source="SOFT, SCHEDULER",
        ),
        choice(
            SCHEDULED_BY,
            meaning="how cards are chosen",
            no_op_values=(SOFTLY,),
            of_group=True,
            source="GUIDE, SCHEDULER",
        ),
        *(
            written(name, meaning=meaning, source="SCHEDULER")
            for name, meaning in {
                "huawei.com/AscendReal": "assigned cards",
                "huawei.com/kltDev": "cards that the kubelet assigned",
            }.items()
        ),
    )

    def normalize(self, pod: PodReader, found: ShareFields) -> ShareFields:
        """A container with some of the labels has a soft share, or none (MIND020)."""
        there = found.container.resources
        parts = (found.cores, found.memory_mib, found.others.get("policy"))
        soft = any(pod.label(name) is not None for name in SOFT)
        known = all(parts) and any(number(there.get(name)) for name in (COUNT, NPU))
        return replace(found, cards=0) if soft and not known else found

    def before_write(self, placing: ShareWriter) -> frozenset[str]:
        """A soft share has all of its labels."""
        if not placing.whole_cards:
            if placing.cards > 1:
                message = msg("a soft share is of one card, and of one container of a pod")
                placing.refuse("cards", "GX023", message, "request a part of one card, or whole cards")
            for name, attribute, example in ((CORES, "cores", 50), (MEMORY, "memory_mib", 4096)):
                placing.need(attribute, "GX021", msg("{key} is required", key=name), example)
        return frozenset()

    def after_write(self, pod: PodWriter, keys: PodKeys) -> PodKeys:
        """A soft share has the policy and the one scheduler that know it (SOFT)."""
        if any(not placing.whole_cards for placing in pod.placings):
            keys = replace(keys, annotations={SCHEDULED_BY: Value.of(SOFTLY), **keys.annotations})
        return replace(keys, scheduler_name=Value.of(VOLCANO)) if CORES in keys.labels else keys


BACKEND = MindCluster()
