"""Ascend cards of MindCluster: whole cards, by names of families, and soft shares of one card by labels.

A soft share has three labels and an annotation on the pod, or on an AscendJob, whose PodGroup has them. The
number in resources is then percent of the card (SOFT). 1 GB of its nodes is 1024 MB (SCHEDULER).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from gpuxlate.backends.base import Backend, Place, PodReader, PodWriter, RuleKind, RuleRow, ShareWriter, key
from gpuxlate.backends.rows import Fields, cards, choice, for_models, whole, written
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import join_and, join_or, msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Device, Isolation, Policy
from gpuxlate.rules.base import Context, Rule, rule

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
LEGAL = {
    CORES: re.compile(r"[1-9]\d?|100"),
    MEMORY: re.compile(r"[1-9]\d{0,18}"),
    POLICY: re.compile("|".join(POLICIES)),
}
"""What the scheduler takes of each label (checkSoftShareDevResource)."""
ONE = "a soft share is of one card, and of one container of a pod"


class MindCluster(Backend):
    name = NAME
    title = "Ascend cards under MindCluster"
    rule_prefix = "MIND"
    vendor = VENDOR
    names_vendor = True
    row_rules = (RuleRow(RuleKind.NUMBERS), RuleRow(RuleKind.WITHIN_NODE))  # MIND020 has the labels
    isolation = Isolation.SOFT  # by vCANN-RT in the container (SOFT)
    documents = {
        "PLUGIN": "Ascend/mind-cluster, ascend-device-plugin, pkg/common/constants.go (2026-08-21)",
        "GUIDE": "Ascend/mind-cluster, docs/zh/scheduling/06_api/15_yaml_configuration.md (2026-08-21)",
        "SOFT": "Ascend/mind-cluster, docs/zh/scheduling, 01_soft_allocation_scheduling_inference.md (2026)",
        "SCHEDULER": "Ascend/mind-cluster, ascend-for-volcano, policy/chip1softsharedev (2026-08-21)",
    }
    gpu_prefixes = ("huawei.com/scheduler.softShareDev",)
    keys = (
        cards(COUNT, source="PLUGIN, GUIDE"),
        whole(NPU, source="PLUGIN, GUIDE"),
        *(whole(f"huawei.com/Ascend310P-{card}", source="PLUGIN") for card in ("V", "VPro", "IPro")),
        *for_models(NAME, cards("huawei.com/Ascend{model}", source="PLUGIN")),
        key(
            CORES,
            Place.LABEL,
            meaning="compute of a soft share, in percent of one card",
            source="SOFT, SCHEDULER",
        ),
        key(
            MEMORY,
            Place.LABEL,
            meaning="GPU memory of a soft share, in MiB",
            source="SOFT, SCHEDULER",
        ),
        key(
            POLICY,
            Place.LABEL,
            meaning="how soft shares of a card divide its compute",
            sets="policy",
            words=POLICIES,
            source="SOFT, SCHEDULER",
        ),
        choice(SCHEDULED_BY, meaning="how cards are chosen", no_op_values=(SOFTLY,), source="GUIDE"),
        *(
            written(name, meaning=meaning, source="SCHEDULER")
            for name, meaning in {
                "huawei.com/AscendReal": "assigned cards",
                "huawei.com/kltDev": "cards that the kubelet assigned",
            }.items()
        ),
    )
    field_docs = {
        "cores": f"label {CORES}, percent of one card",
        "memoryMiB": f"label {MEMORY}",
        "policy": f"label {POLICY}: fixed-share, elastic (burst-share), best-effort",
    }

    def normalize(self, pod: PodReader, found: Fields) -> Fields:
        """A container with a soft share has a part of one card, and its count is percent of it."""
        labels = {name: value for name in SOFT if (value := pod.label(name)) is not None}
        if not labels:
            return found
        count = found.origins["cards"][-1]
        legal = all(LEGAL[name].fullmatch(value.text) for name, value in labels.items())
        if len(labels) < len(SOFT) or not legal or count not in (COUNT, NPU):
            return replace(found, cards=0)  # MIND020
        origins = {"cores": labels[CORES].path, "memory_mib": labels[MEMORY].path}
        return replace(
            found,
            cards=1,
            cores=int(labels[CORES].text),
            memory_mib=int(labels[MEMORY].text),
            origins={**found.origins, **origins},
        )

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Whole cards by rows; a soft share as labels, of one container alone."""
        if all(one.whole_cards for one in pod.placings):
            for placing in pod.placings:
                placing.drop("policy", "GX020", msg("{key} is of soft shares alone", key=POLICY))
            return super().write(pod, profile)
        containers = [ContainerKeys(one.name, one.index, one.init) for one in pod.placings]
        labels: dict[str, str] = {}
        for number, placing in enumerate(pod.placings):
            labels = self._soft(pod, placing)
            values = {COUNT: Value.of(int(labels[CORES]))} if CORES in labels else {}
            containers[number] = replace(containers[number], limits=values, requests=values)
            if len(pod.placings) > 1 or placing.init:
                placing.refuse("cards", "GX022", msg(ONE), "use a separate pod for each container")
        return PodKeys(
            *in_lists(containers),
            labels={name: Value.of(text) for name, text in labels.items()},
            annotations={SCHEDULED_BY: Value.of(SOFTLY)},
            scheduler_name=Value.of(VOLCANO),  # no other has soft shares (SOFT)
        )

    @staticmethod
    def _soft(pod: PodWriter, placing: ShareWriter) -> dict[str, str]:
        """The labels of a share, both of whose numbers are needed."""
        if int(placing.take("cards")) > 1:
            placing.refuse("cards", "GX023", msg(ONE), "request a part of one card, or whole cards")
        placing.named(Device(VENDOR))
        placing.isolated(Isolation.SOFT)
        cores = placing.need("cores", "GX021", msg("{key} is required", key=CORES), 50)
        memory = placing.need("memory_mib", "GX021", msg("{key} is required", key=MEMORY), 4096)
        policy = pod.policy()
        if policy is None:
            policy = placing.comes_with["policy"] = Policy.FIXED_SHARE  # one is required (SCHEDULER)
            if cores and memory and not placing.refused:
                text = msg("policy is not set: {policy} is written, as the target needs one", policy=policy)
                placing.note("MIND020", text, attribute="policy")
        word = next(text for text, one in POLICIES.items() if one is policy)
        return {CORES: str(cores), MEMORY: str(memory), POLICY: word} if cores and memory else {}


BACKEND = MindCluster()


@rule("MIND020", Severity.ERROR, missing=True, no_policy="it compares a text of a label with a number")
def soft_share_is_complete(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A soft share has its three labels, its scheduling policy, and the percent in resources.

    ## What it does
    Reports a pod with some of the labels `huawei.com/scheduler.softShareDev.aicoreQuota` (1 to 100),
    `hbmQuota` (MiB) and `policy` (`fixed-share`, `elastic`, `best-effort`), or with another value, or without
    the annotation `huawei.com/schedule_policy: chip1-softShareDev`; and a number in resources that is not the
    `aicoreQuota`.

    ## Why
    The scheduler refuses the job, or counts the number as whole cards; the device plug-in assigns no card
    where the numbers differ.

    ## Example
    ```yaml
    metadata:
      labels: {huawei.com/scheduler.softShareDev.aicoreQuota: "50"}
    spec: {containers: [{name: web, image: web, resources: {limits: {huawei.com/Ascend910: 50}}}]}
    ```

    ## Use instead
    ```yaml
    metadata:
      labels:
        huawei.com/scheduler.softShareDev.aicoreQuota: "50"
        huawei.com/scheduler.softShareDev.hbmQuota: "2048"
        huawei.com/scheduler.softShareDev.policy: fixed-share
      annotations: {huawei.com/schedule_policy: chip1-softShareDev}
    spec: {containers: [{name: web, image: web, resources: {limits: {huawei.com/Ascend910: 50}}}]}
    ```

    ## Source
    Ascend/mind-cluster, ascend-for-volcano, policy/chip1softsharedev (2026-08-21); in ascend-device-plugin,
    pkg/server/plugin.go.
    """
    keys = pod.with_workload()
    labels = [keys.labels[name] for name in SOFT if name in keys.labels]
    if not labels:
        return
    missing = [name for name in SOFT if name not in keys.labels]
    policy = keys.annotations.get(SCHEDULED_BY)
    if policy is None or policy.text != SOFTLY:
        missing.append(f"{SCHEDULED_BY}: {SOFTLY}")
    if missing:
        first, needed = labels[0], join_and(missing)
        message = msg("{key} has no effect without {count}", key=first.path[-1], count=needed)
        yield this.diagnostic(first, message, msg("add {key} to the pod", key=needed), on_key=True)
    for value in labels:
        legal = LEGAL[str(value.path[-1])]
        if not legal.fullmatch(value.text):
            message = msg("{key} is {value!r}", key=value.path[-1], value=value.text)
            words = {CORES: msg("write {numbers}", numbers="1-100"), MEMORY: msg("write a number of MiB")}
            hint = words.get(str(value.path[-1])) or msg("write {numbers}", numbers=join_or(POLICIES))
            yield this.diagnostic(value, message, hint)
    quota = keys.labels.get(CORES)
    asked = quantity.whole(quota.text) if quota and LEGAL[CORES].fullmatch(quota.text) else None
    if asked is None:
        return
    for one in pod.all_containers():
        for count in (one.resources[name] for name in (COUNT, NPU) if name in one.resources):
            if quantity.whole(count.text) != asked:
                message = msg(
                    "{key} is {number} and {other} is {value}: both are percent of one card",
                    key=count.path[-1],
                    number=count.text,
                    other=CORES,
                    value=asked,
                )
                hint = msg("write {number} in both, or the percent that the share has", number=asked)
                yield this.diagnostic(count, message, hint)
