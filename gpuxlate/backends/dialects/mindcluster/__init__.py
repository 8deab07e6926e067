"""Ascend cards of MindCluster: whole cards, by names of families, and soft shares of one card by labels.

A soft share has three labels and an annotation on the pod, or on an AscendJob, whose PodGroup has them. The
number in resources is then percent of the card (SOFT). 1 GB of its nodes is 1024 MB (SCHEDULER).
"""

from __future__ import annotations

from dataclasses import replace

from gpuxlate.backends import target as t
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.rules.predicates import AnyOf, IsAnnotated, Labelled, Not

NAME, VENDOR, VOLCANO = "mindcluster", "huawei", "volcano"
COUNT, NPU = "huawei.com/Ascend910", "huawei.com/npu"
CORES, MEMORY, POLICY = (
    f"huawei.com/scheduler.softShareDev.{name}" for name in ("aicoreQuota", "hbmQuota", "policy")
)
SOFT = (CORES, MEMORY, POLICY)
OF_ENPU = IsAnnotated("huawei.com/vnpu-mode", "enpu", "ubs-virt", "vcann-rt")
"""HAMi reads the policy in such a pod, as one of ENPU (HAMI)."""
LABELLED = AnyOf(Labelled(CORES), Labelled(MEMORY), Labelled(POLICY) & Not(OF_ENPU))
"""The pod has a label of a soft share."""
SCHEDULED_BY = "huawei.com/schedule_policy"
SOFTLY = "chip1-softShareDev"
"""The scheduling policy that reads the labels (SCHEDULER)."""
POLICIES = {
    "fixed-share": t.Policy.FIXED_SHARE,
    "elastic": t.Policy.BURST_SHARE,
    "best-effort": t.Policy.BEST_EFFORT,
}


class MindCluster(t.Backend):
    """Whole Ascend cards, or a soft share of one card in percent of its compute and MiB (SOFT)."""

    title = "Ascend cards under MindCluster"
    rule_prefix = "MIND"
    rule_module = "gpuxlate.backends.dialects.mindcluster.rules"
    node_module = "gpuxlate.backends.dialects.mindcluster.nodes"
    vendor = VENDOR
    names_vendor = True
    row_rules = (t.RuleRow(t.RuleKind.NUMBERS), t.RuleRow(t.RuleKind.WITHIN_NODE))  # MIND020 has the labels
    detected_by = AnyOf(LABELLED, IsAnnotated(SCHEDULED_BY, SOFTLY))
    isolation = t.Isolation.SOFT  # by vCANN-RT in the container (SOFT)
    documents = {
        "PLUGIN": "Ascend/mind-cluster, ascend-device-plugin, pkg/common/constants.go (2026-08-21)",
        "GUIDE": "Ascend/mind-cluster, docs/zh/scheduling/06_api/15_yaml_configuration.md (2026-08-21)",
        "SOFT": "Ascend/mind-cluster, docs/zh/scheduling, 01_soft_allocation_scheduling_inference.md (2026)",
        "HAMI": "Project-HAMi/HAMi, pkg/device/ascend/enpu_test.go, pull request 3110; ascend-device-plugin, "
        "issue 140 (2026-10)",
        "SCHEDULER": "Ascend/mind-cluster, ascend-for-volcano, policy/chip1softsharedev (2026-08-21)",
    }
    gpu_prefixes = ("huawei.com/scheduler.softShareDev",)
    keys = (
        t.cards(COUNT, repeats=CORES, source="PLUGIN, GUIDE, SOFT"),
        t.whole(NPU, repeats=CORES, source="PLUGIN, GUIDE, SOFT"),
        *(t.whole(f"huawei.com/Ascend310P-{card}", source="PLUGIN") for card in ("V", "VPro", "IPro")),
        *t.for_models(NAME, t.cards("huawei.com/Ascend{model}", source="PLUGIN")),
        t.key(
            CORES,
            t.Place.LABEL,
            meaning="compute of a soft share",
            sets="cores",
            unit=1,
            of_group=True,
            values=(t.Range(1, FULL_CARD_CORES),),
            source="SOFT, SCHEDULER",
        ),
        t.key(
            MEMORY,
            t.Place.LABEL,
            meaning="GPU memory of a soft share",
            sets="memory_mib",
            unit=1,
            of_group=True,
            values=(t.Range(),),
            source="SOFT, SCHEDULER",
        ),
        t.key(
            POLICY,
            t.Place.LABEL,
            meaning="how soft shares of a card divide its compute",
            sets="policy",
            words=POLICIES,
            of_group=True,
            required="fixed-share",
            source="SOFT, SCHEDULER",
        ),
        t.choice(
            SCHEDULED_BY,
            meaning="how cards are chosen",
            no_op_values=(SOFTLY,),
            of_group=True,
            source="GUIDE, SCHEDULER",
        ),
        *(
            t.written(name, meaning=meaning, source="SCHEDULER")
            for name, meaning in {
                "huawei.com/AscendReal": "assigned cards",
                "huawei.com/kltDev": "cards that the kubelet assigned",
            }.items()
        ),
    )

    def normalize(self, pod: t.PodReader, fields: t.ShareFields) -> t.ShareFields:
        """A container with some of the labels has a soft share, or none (MIND020)."""
        resources = fields.container.resources
        parts = (fields.cores, fields.memory_mib, fields.others.get("policy"))
        soft = any(pod.label(name) is not None for name in SOFT)
        complete = all(parts) and any(t.number(resources.get(name)) for name in (COUNT, NPU))
        return replace(fields, cards=0) if soft and not complete else fields

    def before_write(self, placing: t.ShareWriter) -> frozenset[str]:
        """A soft share has all of its labels."""
        if not placing.whole_cards:
            if placing.cards > 1:
                message = t.msg("a soft share is of one card, and of one container of a pod")
                placing.refuse("cards", "GX023", message, "request a part of one card, or whole cards")
            for name, attribute, example in ((CORES, "cores", 50), (MEMORY, "memory_mib", 4096)):
                placing.need(attribute, "GX021", t.msg("{key} is required", key=name), example)
        return frozenset()

    def after_write(self, pod: t.PodWriter, keys: t.PodKeys) -> t.PodKeys:
        """A soft share has the policy and the one scheduler that know it (SOFT)."""
        if any(not placing.whole_cards for placing in pod.placings):
            keys = replace(keys, annotations={SCHEDULED_BY: t.Value.of(SOFTLY), **keys.annotations})
        return replace(keys, scheduler_name=t.Value.of(VOLCANO)) if CORES in keys.labels else keys
