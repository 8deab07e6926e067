"""The rules on soft shares, which labels of a pod or of its job ask for, and on cards that Volcano places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuxlate.backends.dialects.mindcluster import (
    CORES,
    COUNT,
    LABELLED,
    MEMORY,
    NPU,
    OF_ENPU,
    POLICIES,
    POLICY,
    SCHEDULED_BY,
    SOFT,
    SOFTLY,
    VOLCANO,
    MindCluster,
)
from gpuxlate.backends.row_reader import is_amount_of_row
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Fix, Put, Severity
from gpuxlate.model.messages import join_and, join_or, msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates import Constraint, SchedulerIs, Violation

SP_BLOCK, ACCELERATOR = "sp-block", "accelerator-type"
FAMILIES = "huawei.com/"
"""Prefix of the names of cards."""
MIXED = tuple(f"huawei.com/Ascend310P-{card}" for card in ("V", "VPro", "IPro"))
BY_DEFAULT = (1, 2, 4, 8)
"""Numbers of cards without a known policy: module910x8."""
TAKEN: Mapping[str, Sequence[int]] = {
    "chip4-node4": (1, 2, 4),
    **dict.fromkeys(("chip1-node2", "chip1-node8", "chip4-node8", "chip8-node8"), range(1, 9)),
    "chip8-node16": (*range(1, 9), 10, 12, 14, 16),
    **dict.fromkeys(("chip2-node8", "chip2-node16"), (1, *range(2, 17, 2))),
    **dict.fromkeys(("chip1-node16", "chip4-node16"), range(1, 17)),
}
"""By policies of one node: what ValidNPUJob of each takes of a job with one pod."""
UNJUDGED = ("chip2-node8-sp", "chip2-node16-sp", "chip8-node8-sp", "chip8-node8-ra64-sp", "multilevel")
DIALECT = MindCluster()


def is_legal(value: Value) -> bool:
    """Whether the scheduler accepts the value of a label (checkSoftShareDevResource)."""
    row = DIALECT.parts_on_pod.get(str(value.path[-1]))
    return value.text in POLICIES if row is None else is_amount_of_row(row, value.text)


def labels_of(pod: PodKeys) -> list[Value]:
    """The labels with which a pod asks for a soft share, in the order of SOFT."""
    names = (name for name in SOFT if name != POLICY or not OF_ENPU.holds(pod))
    return [pod.labels[name] for name in names if name in pod.labels]


@rule("MIND020", Severity.ERROR, missing=True, no_policy="it compares a text of a label with a number")
def soft_share_is_complete(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A soft share has its labels `huawei.com/scheduler.softShareDev.*`, `huawei.com/schedule_policy:
    chip1-softShareDev` and its percent in resources.

    ## What it does
    Reports a pod with some of the labels `huawei.com/scheduler.softShareDev.aicoreQuota` (1 to 100),
    `hbmQuota` (MiB) and `policy` (`fixed-share`, `elastic`, `best-effort`), or with another value, or without
    the annotation `huawei.com/schedule_policy: chip1-softShareDev`; the annotation without the labels; and a
    number in resources that is not the `aicoreQuota`, is in several containers or in an init container.
    Labels in a pod without any cards are a warning. With `huawei.com/vnpu-mode: enpu` the policy is HAMi's.

    ## Why
    The scheduler refuses the job, or counts the number as whole cards; the device plug-in assigns no card
    where the numbers differ, and assigns it once, to no init container.

    ## Source
    Ascend/mind-cluster, ascend-for-volcano, policy/chip1softsharedev, and ascend-device-plugin,
    pkg/server/plugin.go (2026-08-21).
    """
    keys = pod.with_workload()
    labels = labels_of(keys)
    policy = keys.annotations.get(SCHEDULED_BY)
    is_soft = policy is not None and policy.text == SOFTLY
    misplaced = keys.annotations.get(POLICY)
    if misplaced is not None and POLICY not in keys.labels and not OF_ENPU.holds(keys):
        message = msg("{name} has no effect {place}", name=POLICY, place=msg("as an annotation"))
        hint = msg("write it {place}", place=msg("as a label of the pod"))
        yield this.diagnostic(misplaced, message, hint, on_key=True)
    asking = [*labels, *([policy] if policy is not None and is_soft else [])]
    if not asking:
        return
    missing = [name for name in SOFT if name not in keys.labels]
    if not is_soft:
        missing.append(f"{SCHEDULED_BY}: {SOFTLY}")
    if missing:
        first, needed = asking[0], join_and(missing)
        message = msg("{key} has no effect without {count}", key=first.path[-1], count=needed)
        yield this.diagnostic(first, message, msg("add {key} to the pod", key=needed), on_key=True)
    for value in labels:
        if not is_legal(value):
            message = msg("{key} is {value!r}", key=value.path[-1], value=value.text)
            words = {CORES: msg("write {numbers}", numbers="1-100"), MEMORY: msg("write a number of MiB")}
            hint = words.get(str(value.path[-1])) or msg("write {numbers}", numbers=join_or(POLICIES))
            yield this.diagnostic(value, message, hint)
    yield from _in_one_container(this, asking[0], pod)
    quota = keys.labels.get(CORES)
    quota_count = quantity.parse_integer(quota.text) if quota and is_legal(quota) else None
    if quota_count is None:
        return
    for container in pod.all_containers():
        for count in (container.resources[name] for name in (COUNT, NPU) if name in container.resources):
            if quantity.parse_integer(count.text) != quota_count:
                message = msg(
                    "{key} is {number} and {other} is {value}: both are percent of one card",
                    key=count.path[-1],
                    number=count.text,
                    other=CORES,
                    value=quota_count,
                )
                hint = msg("write {number} in both, or the percent that the share has", number=quota_count)
                yield this.diagnostic(count, message, hint)


def _in_one_container(this: Rule, asking: Value, pod: PodKeys) -> Iterator[Diagnostic]:
    """The device plug-in assigns the card of a pod once, and to no init container."""
    starting, others = (
        [
            container.resources[name]
            for container in containers
            for name in (COUNT, NPU)
            if name in container.resources and container.resources[name].text != "0"
        ]
        for containers in (pod.init_containers, pod.containers)
    )
    # A job has replicas without cards.
    of_this_pod = asking.path[: len(pod.metadata_path)] == pod.metadata_path
    if of_this_pod and not (starting or others):
        elsewhere = any(
            name.startswith(FAMILIES) for container in pod.all_containers() for name in container.resources
        )
        message = msg("{key} has no effect without {count}", key=asking.path[-1], count=join_or((COUNT, NPU)))
        severity = Severity.ERROR if elsewhere else Severity.WARNING
        hint = "request the percent of the card"
        yield this.diagnostic(asking, message, hint, severity=severity, on_key=True)
    for count in (*starting, *others[1:]):
        message = msg("a soft share is of one card, and of one container of a pod")
        yield this.diagnostic(count, message, "request it in one container, not in an init container")


WRITE_VOLCANO = msg("write schedulerName: {name}", name=VOLCANO)


def _without_scheduler(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    message = msg("schedulerName is not set; only {name} places this share", name=VOLCANO)
    label = labels_of(pod)[0]
    fix = Fix(WRITE_VOLCANO, (Put((*pod.path, "schedulerName"), VOLCANO),), safe=False)
    return this.diagnostic(label, message, WRITE_VOLCANO, on_key=True, fix=fix, missing=True)


@rule(
    "MIND021",
    Severity.WARNING,
    fix="unsafe",
    constraint=Constraint(
        SchedulerIs(VOLCANO),
        LABELLED,
        ("schedulerName",),
        per_container=False,
        cases=((SchedulerIs(""), _without_scheduler), (~SchedulerIs(""), None)),
    ),
)
def soft_share_is_placed_by_volcano(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Diagnostic:
    """`schedulerName` in a pod with labels `huawei.com/scheduler.softShareDev.*` is `volcano`.

    ## What it does
    Reports another `schedulerName`, or none, of a pod with labels of soft shares. A cluster may run Volcano
    under another name. An AscendJob without one has Volcano's.

    ## Why
    Volcano's plugin writes the labels into annotations of the pod, and the device plug-in assigns no card
    without them. It starts with soft shares only where it is told that Volcano schedules.

    ## Fix
    Writes the scheduler. Unsafe: the pod goes to another scheduler.

    ## Source
    Ascend/mind-cluster, ascend-device-plugin, main.go (checkSoftShareDevParam) and pkg/server/plugin.go
    (checkAnnotationAllocateValid); Ascend/mind-cluster, ascend-for-volcano, npu/base/task.go (2026-08-21).
    """
    named = violation.value_at
    message = msg("schedulerName is {named}; only {name} places this share", named=named.text, name=VOLCANO)
    fix = Fix(WRITE_VOLCANO, (Put(named.path, VOLCANO),), safe=False)
    return this.diagnostic(named, message, WRITE_VOLCANO, fix=fix)


@rule("MIND022", Severity.WARNING, no_policy="it is about the metadata of an AscendJob, which no pod has")
def operator_knows_the_soft_share(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """An AscendJob has its labels `huawei.com/scheduler.softShareDev.*` itself, not in its pod template.

    ## What it does
    Reports labels of soft shares in the template of an AscendJob.

    ## Why
    Its operator looks for them in the metadata of the job alone. Without them it takes the percent in
    resources for a count of cards: `WORLD_SIZE`, `LOCAL_WORLD_SIZE` and their like are as many times too
    large. Volcano's plugin finds the labels in either place.

    ## Source
    Ascend/mind-cluster, ascend-operator, pkg/controllers/v1/utils.go (isSoftShareDevJob) and env.go;
    Ascend/mind-cluster, ascend-for-volcano, plugin/job.go (getJobLabelFromVcJob) (2026-08-21).
    """
    label = next(iter(labels_of(pod)), None)
    if label is not None and "replicaSpecs" in label.path:
        message = msg(
            "the operator of {kind} reads {key} in the metadata of the job alone: its variables count "
            "percent as cards",
            kind="AscendJob",
            key=str(label.path[-1]),
        )
        yield this.diagnostic(label, message, "move the labels to the metadata of the job", on_key=True)


def _whole_cards(pod: PodKeys) -> list[Value]:
    """The numbers of whole cards in a pod that Volcano places, init containers first."""
    scheduler = pod.scheduler_name
    if scheduler is None or scheduler.text != VOLCANO or DIALECT.is_detected(pod):  # a soft share
        return []
    return [
        value
        for container in (*pod.init_containers, *pod.containers)
        for name, value in container.resources.items()
        if DIALECT.find(name) is not None and (quantity.parse_integer(value.text) or 0) > 0
    ]


def _numbers(taken: Sequence[int]) -> str:
    """Numbers of cards for people."""
    return f"1-{taken[-1]}" if len(taken) == taken[-1] else join_and(map(str, taken))


@rule(
    "MIND023",
    Severity.WARNING,
    no_policy="a cluster may run Volcano without the plug-in, or a newer one that takes more",
)
def volcano_places_the_cards(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """With `schedulerName: volcano`, whole cards have a name and a number that its plug-in takes:
    `huawei.com/Ascend910` is 1, 2, 4 or 8.

    ## What it does
    Reports, in pods with `schedulerName: volcano`, a number of whole cards that the policy of
    `huawei.com/schedule_policy` does not take; `huawei.com/npu` without a policy; and
    `huawei.com/Ascend310P-V`, `-VPro` and `-IPro`. Without a policy `huawei.com/Ascend910` is 1, 2, 4 or 8
    cards. Pods that select nodes by `accelerator-type`, or have `sp-block`, are not judged.

    ## Why
    The scheduler finds the job invalid: its pods stay pending. Servers with several kinds of 310P cards are
    not for Volcano.

    ## Source
    Ascend/mind-cluster, ascend-for-volcano, internal/npu/factory.go and the policies (ValidNPUJob);
    Ascend/mind-cluster, docs/zh/scheduling, 15_yaml_configuration.md and 04_ascend_device_plugin.md,
    -use310PMixedInsert (2026-08-21).
    """
    counts = _whole_cards(pod)
    if not counts:
        return
    first = counts[0]
    name = str(first.path[-1])
    if name in MIXED:
        message = msg("Volcano does not place {key}", key=name)
        yield this.diagnostic(first, message, "use the default scheduler for these cards", on_key=True)
        return
    keys = pod.with_workload()
    value = keys.annotations.get(SCHEDULED_BY)
    policy = value.text if value is not None else ""
    if name not in (COUNT, NPU) or policy in UNJUDGED:
        return
    if value is None and name == NPU:
        message = msg("{key} has no effect without {count}", key=name, count=SCHEDULED_BY)
        yield this.diagnostic(first, message, "name how the cards are connected", on_key=True, missing=True)
        return
    if SP_BLOCK in keys.annotations or any(keys.choices(ACCELERATOR)):
        return
    is_known = policy in TAKEN
    taken = TAKEN.get(policy, BY_DEFAULT)
    number = _together(pod)
    if number not in taken:
        message = msg(
            "{key} is {number}; with {policy} Volcano's plug-in takes {numbers}",
            key=name,
            number=number,
            policy=policy if is_known else msg("no known {name}", name=SCHEDULED_BY),
            numbers=_numbers(taken),
        )
        hint = "request such a number, or write the policy of the nodes"
        yield this.diagnostic(first, message, hint, missing=not is_known)


def _together(pod: PodKeys) -> int:
    """The cards of a pod that are in use at a time."""

    def of(container: ContainerKeys) -> int:
        values = (container.resources[name] for name in (COUNT, NPU) if name in container.resources)
        return sum(quantity.parse_integer(value.text) or 0 for value in values)

    return max([sum(map(of, pod.containers)), *map(of, pod.init_containers)])


@rule(
    "MIND024",
    Severity.WARNING,
    missing=True,
    no_policy="a cluster may run Volcano without the plug-in, where every container gets its cards",
)
def cards_are_in_one_container(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """With `schedulerName: volcano`, one container of a pod, and no init container, requests its whole cards,
    such as `huawei.com/Ascend910`.

    ## What it does
    Reports, in pods with `schedulerName: volcano`, whole cards in a second container, or in an init
    container.

    ## Why
    Volcano's plug-in writes the cards of the pod into one annotation. The device plug-in assigns them only
    to a container that asks for as many, and once, unless it asks for all cards of the node; else the kubelet
    rejects the pod (UnexpectedAdmissionError).

    ## Source
    Ascend/mind-cluster, ascend-device-plugin, pkg/server/plugin.go (Allocate, checkAnnotationAllocateValid,
    getOldestPod) and pkg/common/common.go (getNPUResourceNumOfPod) (2026-08-21).
    """
    counts = _whole_cards(pod)
    starting = [value for value in counts if "initContainers" in value.path]
    for value in (*starting, *counts[len(starting) + 1 :]):
        message = "Volcano assigns cards to one container, not to an init container"
        yield this.diagnostic(value, message, "request them all in one container")
