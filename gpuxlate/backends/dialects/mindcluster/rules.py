"""The rules on soft shares, which labels of a pod or of its job ask for: MIND020 to MIND022."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.dialects.mindcluster import (
    BACKEND,
    CORES,
    COUNT,
    MEMORY,
    NPU,
    POLICIES,
    SCHEDULED_BY,
    SOFT,
    SOFTLY,
    VOLCANO,
)
from gpuxlate.backends.row_reader import is_amount
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Fix, Put, Severity
from gpuxlate.model.messages import join_and, join_or, msg
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import AnyOf, Labelled, Predicate, SchedulerIs, Violation


def is_legal(value: Value) -> bool:
    """What the scheduler takes of a label (checkSoftShareDevResource)."""
    row = BACKEND.parts_on_pod.get(str(value.path[-1]))
    return value.text in POLICIES if row is None else is_amount(row, value.text)


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
    spec:
      schedulerName: volcano
      containers: [{name: web, image: web, resources: {limits: {huawei.com/Ascend910: 50}}}]
    ```

    ## Use instead
    ```yaml
    metadata:
      labels:
        huawei.com/scheduler.softShareDev.aicoreQuota: "50"
        huawei.com/scheduler.softShareDev.hbmQuota: "2048"
        huawei.com/scheduler.softShareDev.policy: fixed-share
      annotations: {huawei.com/schedule_policy: chip1-softShareDev}
    spec:
      schedulerName: volcano
      containers: [{name: web, image: web, resources: {limits: {huawei.com/Ascend910: 50}}}]
    ```

    ## Source
    Ascend/mind-cluster, ascend-for-volcano, policy/chip1softsharedev, and ascend-device-plugin,
    pkg/server/plugin.go (2026-08-21).
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
        if not is_legal(value):
            message = msg("{key} is {value!r}", key=value.path[-1], value=value.text)
            words = {CORES: msg("write {numbers}", numbers="1-100"), MEMORY: msg("write a number of MiB")}
            hint = words.get(str(value.path[-1])) or msg("write {numbers}", numbers=join_or(POLICIES))
            yield this.diagnostic(value, message, hint)
    quota = keys.labels.get(CORES)
    asked = quantity.whole(quota.text) if quota and is_legal(quota) else None
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


@rule(
    "MIND021",
    Severity.WARNING,
    fix="unsafe",
    predicate=Predicate(
        SchedulerIs(VOLCANO), AnyOf(*map(Labelled, SOFT)), ("schedulerName",), per_container=False
    ),
)
def soft_share_is_placed_by_volcano(
    this: Rule, breach: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """Volcano places a soft share.

    ## What it does
    Reports another `schedulerName`, or none, of a pod with labels of soft shares. A cluster may run Volcano
    under another name. An AscendJob without one has Volcano's.

    ## Why
    Volcano's plugin writes the labels into annotations of the pod, and the device plug-in assigns no card
    without them. It starts with soft shares only where it is told that Volcano schedules.

    ## Example
    ```yaml
    metadata:
      labels:
        huawei.com/scheduler.softShareDev.aicoreQuota: "50"
        huawei.com/scheduler.softShareDev.hbmQuota: "2048"
        huawei.com/scheduler.softShareDev.policy: fixed-share
      annotations: {huawei.com/schedule_policy: chip1-softShareDev}
    spec:
      schedulerName: default-scheduler
      containers: [{name: web, image: web, resources: {limits: {huawei.com/Ascend910: 50}}}]
    ```

    ## Use instead
    ```yaml
    metadata:
      labels:
        huawei.com/scheduler.softShareDev.aicoreQuota: "50"
        huawei.com/scheduler.softShareDev.hbmQuota: "2048"
        huawei.com/scheduler.softShareDev.policy: fixed-share
      annotations: {huawei.com/schedule_policy: chip1-softShareDev}
    spec:
      schedulerName: volcano
      containers: [{name: web, image: web, resources: {limits: {huawei.com/Ascend910: 50}}}]
    ```

    ## Fix
    Writes the scheduler. Unsafe: the pod goes to another scheduler.

    ## Source
    Ascend/mind-cluster, ascend-device-plugin, main.go (checkSoftShareDevParam) and pkg/server/plugin.go
    (checkAnnotationAllocateValid); ascend-for-volcano, npu/base/task.go (2026-08-21).
    """
    hint = msg("write schedulerName: {name}", name=VOLCANO)
    named = breach.value
    if named is not None and named.text:
        message = msg(
            "schedulerName is {named}; only {name} places this share", named=named.text, name=VOLCANO
        )
        yield this.diagnostic(named, message, hint, fix=Fix(hint, (Put(named.path, VOLCANO),), safe=False))
        return
    fix = Fix(hint, (Put((*pod.path, "schedulerName"), VOLCANO),), safe=False)
    message = msg("schedulerName is not set; only {name} places this share", name=VOLCANO)
    label = next(pod.labels[name] for name in SOFT if name in pod.labels)
    yield this.diagnostic(label, message, hint, on_key=True, fix=fix, missing=True)


@rule("MIND022", Severity.WARNING, no_policy="it is about the metadata of an AscendJob, which no pod has")
def operator_knows_the_soft_share(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """An AscendJob has the labels of its soft share itself.

    ## What it does
    Reports labels of soft shares in the template of an AscendJob.

    ## Why
    Its operator looks for them in the metadata of the job alone. Without them it takes the percent in
    resources for a count of cards: `WORLD_SIZE`, `LOCAL_WORLD_SIZE` and their like are as many times too
    large. Volcano's plugin finds the labels in either place.

    ## Example
    ```yaml
    apiVersion: mindxdl.gitee.com/v1
    kind: AscendJob
    metadata: {name: web}
    spec:
      replicaSpecs:
        Master:
          template:
            metadata:
              labels:
                huawei.com/scheduler.softShareDev.aicoreQuota: "50"
                huawei.com/scheduler.softShareDev.hbmQuota: "2048"
                huawei.com/scheduler.softShareDev.policy: fixed-share
              annotations: {huawei.com/schedule_policy: chip1-softShareDev}
            spec: {containers: [{name: ascend, image: web, resources: {limits: {huawei.com/Ascend910: 50}}}]}
    ```

    ## Use instead
    ```yaml
    apiVersion: mindxdl.gitee.com/v1
    kind: AscendJob
    metadata:
      name: web
      labels:
        huawei.com/scheduler.softShareDev.aicoreQuota: "50"
        huawei.com/scheduler.softShareDev.hbmQuota: "2048"
        huawei.com/scheduler.softShareDev.policy: fixed-share
      annotations: {huawei.com/schedule_policy: chip1-softShareDev}
    spec:
      replicaSpecs:
        Master:
          template:
            spec: {containers: [{name: ascend, image: web, resources: {limits: {huawei.com/Ascend910: 50}}}]}
    ```

    ## Source
    Ascend/mind-cluster, ascend-operator, pkg/controllers/v1/utils.go (isSoftShareDevJob) and env.go;
    ascend-for-volcano, plugin/job.go (getJobLabelFromVcJob) (2026-08-21).
    """
    label = next((pod.labels[name] for name in SOFT if name in pod.labels), None)
    if label is not None and "replicaSpecs" in label.path:
        message = msg(
            "the operator of {kind} reads {key} in the metadata of the job alone: its variables count "
            "percent as cards",
            kind="AscendJob",
            key=str(label.path[-1]),
        )
        yield this.diagnostic(label, message, "move the labels to the metadata of the job", on_key=True)
