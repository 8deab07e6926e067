"""The rules of ACK: on compute, on memory and whole cards, on the nodes that a pod chooses, on a profile."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from gpuxlate.backends import alibaba as k
from gpuxlate.backends.alibaba import AlibabaProfile, labelled_cards, labelled_cards_of, units_of_card
from gpuxlate.backends.pod_reader import (
    both_places,
    not_legal,
    outside,
    put_number,
    requesting,
    too_many_cards,
    whole_numbers,
)
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Fix, Path, Put, Remove, Rename, Severity
from gpuxlate.model.keys import NVIDIA_GPU, Range
from gpuxlate.model.messages import join_or, msg, suggest
from gpuxlate.model.pod import ContainerKeys, NodeRequirement, PodKeys, Value
from gpuxlate.model.profile import Profile, card_of
from gpuxlate.rules.base import Context, PodExample, Rule, RuleDoc, rule
from gpuxlate.rules.predicates import (
    ALWAYS,
    NEEDS_CARDS,
    NEEDS_MODES,
    NEVER,
    AtMostParameter,
    Constraint,
    ContainersAtMost,
    Divides,
    EnvIs,
    InRange,
    IsInit,
    Labelled,
    LabelNumber,
    MayRunOnNodeLabel,
    NodeLabelAmong,
    Predicate,
    Requests,
    SomeContainer,
    Violation,
    WithProfile,
    card_memory,
    cards_per_node,
)

A10 = "cards: {model: A10, memoryMiB: 22731}"
OPEN_SOURCE = "alibaba: {openSource: true}"


def limits_of_part(memory: int | None = None, cores: int | None = None) -> dict[str, Value]:
    """Limits of a container: units of memory, percent of compute."""
    numbers = {k.MEMORY: memory, k.CORE: cores}
    return {name: Value.of(number) for name, number in numbers.items() if number is not None}


def example_pod(
    *limits: Mapping[str, Value], count: int = 0, mode: str = "", profile: str = ""
) -> PodExample:
    """A pod: the limits of its containers, its cards, the mode of its nodes, a profile."""
    return PodExample(
        limits,
        labels={k.COUNT: Value.of(str(count))} if count else {},
        selector={k.SCHEDULE: Value.of(mode)} if mode else {},
        profile=f"target: {k.NAMES[0]}\n{profile}" if profile else "",
    )


# --- compute, from the manifest alone ---------------------------------------------------------


@rule(
    "ACK005",
    Severity.ERROR,
    fix="unsafe",
    constraint=Constraint(~Labelled(k.COUNT, k.SEVERAL), keys=(k.CORE,)),
    page=RuleDoc(
        example_pod(limits_of_part(8, 30), count=2, mode="core_mem"),
        example_pod(limits_of_part(8), count=2, mode="cgpu"),
    ),
)
def compute_on_one_card(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """A pod that shares several cards sets no `aliyun.com/gpu-core.percentage`.

    ## What it does
    Reports compute in a pod whose label `aliyun.com/gpu-count` is above 1.

    ## Why
    Multi-card sharing supports memory isolation with shared compute only.

    ## Fix
    Removes the compute. Unsafe: compute is no longer capped.

    ## Source
    ACK, multi-card-sharing-through-shared-gpu-scheduling (2025-04-19).
    """
    edits = tuple(Remove(value.path) for value in both_places(violation.container, k.CORE))
    text = "{key} supports one card; {count} is {cards}"
    hint = msg("remove {key}, since several cards share their compute, or request one card", key=k.CORE)
    message = msg(text, key=k.CORE, count=k.COUNT, cards=labelled_cards_of(pod))
    fix = Fix(msg("remove {core}", core=k.CORE), edits, safe=False)
    return this.diagnostic(violation.value_at, message, hint, on_key=True, fix=fix)


@rule(
    "ACK006",
    Severity.ERROR,
    fix="unsafe",
    constraint=Constraint(InRange(k.CORE, *k.LEGAL_CORES.ranges), InRange(k.CORE), (k.CORE,)),
    page=RuleDoc(
        example_pod(limits_of_part(2, 33), mode="core_mem"),
        example_pod(limits_of_part(2, 35), mode="core_mem"),
    ),
)
def compute_on_grid(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """`aliyun.com/gpu-core.percentage` is 5 to 100, in multiples of 5.

    ## What it does
    Reports other whole numbers. K8S001 reports values that are not whole numbers. In a translation, compute
    that `--round up` raises to the next multiple of 5.

    ## Why
    The unit is one percent of one card. A job with another number cannot be submitted.

    ## Fix
    Raises the number to the next multiple of 5. Unsafe: the pod requests more.

    ## Source
    ACK, use-cgpu-to-allocate-computing-power (2026-03-26).
    """
    percent = violation.number
    message, near = not_legal(k.LEGAL_CORES, k.CORE, percent), k.LEGAL_CORES.next(percent)
    if near is None:
        hint = msg("the key counts percent of one card; for whole cards request {key} alone", key=NVIDIA_GPU)
        return this.diagnostic(violation.value_at, message, hint)
    fix = Fix(msg("raise it to {near}", near=near), put_number(violation.container, k.CORE, near), safe=False)
    # zero and less are not a small share
    safe_fix = fix if percent > 0 else None
    return this.diagnostic(violation.value_at, message, msg("write {number}", number=near), fix=safe_fix)


@rule(
    "ACK007",
    Severity.ERROR,
    missing=True,
    constraint=Constraint(Requests(k.MEMORY), keys=(k.CORE,)),
    page=RuleDoc(
        example_pod(limits_of_part(cores=30), mode="core_mem"),
        example_pod(limits_of_part(2, 30), mode="core_mem"),
    ),
)
def compute_goes_with_memory(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """A container with `aliyun.com/gpu-core.percentage` also sets `aliyun.com/gpu-mem`.

    ## What it does
    Reports compute without memory in the same container.

    ## Why
    ACK shares cards by memory, or by memory and compute; compute alone is not supported.

    ## Source
    ACK, use-cgpu-to-allocate-computing-power (2026-03-26).
    """
    message = msg("{key} is set without {other}", key=k.CORE, other=k.MEMORY)
    hint = msg("add {other} to the limits of this container", other=k.MEMORY)
    return this.diagnostic(violation.value_at, message, hint, on_key=True)


@rule(
    "ACK010",
    Severity.ERROR,
    fix="safe",
    constraint=Constraint(NEVER, keys=(k.NO_CORE,)),
    page=RuleDoc(
        example_pod({**limits_of_part(2), k.NO_CORE: Value.of(30)}, mode="core_mem"),
        example_pod(limits_of_part(2, 30), mode="core_mem"),
    ),
)
def compute_key_is_spelled_out(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Diagnostic:
    """Compute is requested with `aliyun.com/gpu-core.percentage`, not `aliyun.com/gpu-core`.

    ## What it does
    Reports the key without `.percentage`.

    ## Why
    No node advertises `aliyun.com/gpu-core`: the pod is never scheduled.

    ## Fix
    Renames the key. Safe where the container has memory and the number is valid for the right key, unsafe
    otherwise; none where the right key is there too.

    ## Source
    ACK, use-cgpu-to-allocate-computing-power (2026-03-26).
    """
    message = msg("{key} is not a key of ACK; no node advertises it", key=k.NO_CORE)
    hint = suggest(k.CORE)
    return this.diagnostic(violation.value_at, message, hint, on_key=True, fix=_rename(violation.container))


def _rename(container: ContainerKeys) -> Fix | None:
    places = both_places(container, k.NO_CORE)
    if k.CORE in container.resources or not all(quantity.is_plain(place.text) for place in places):
        return None
    legal = all(k.LEGAL_CORES.allows(int(place.text)) for place in places)
    safe = k.MEMORY in container.resources and legal
    edits = tuple(Rename(place.path, k.CORE, place.plain) for place in places)
    return Fix(msg("rename it to {core}", core=k.CORE), edits, safe=safe)


# --- memory and whole cards, from the manifest alone ------------------------------------------


SHARED, SHARES = Requests(k.MEMORY, k.CORE), SomeContainer(Requests(k.MEMORY, k.CORE))


@rule(
    "ACK001",
    Severity.ERROR,
    constraint=Constraint(InRange(k.MEMORY, Range()), InRange(k.MEMORY), (k.MEMORY,)),
    page=RuleDoc(example_pod(limits_of_part(0)), example_pod(limits_of_part(1))),
)
def memory_is_positive(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """`aliyun.com/gpu-mem` is at least 1.

    ## What it does
    Reports zero and negative amounts. K8S001 reports values that are not whole numbers. In a translation,
    memory that `--round up` raises to the next whole unit.

    ## Why
    One unit, by default 1 GiB, is the least that a container can request of a shared card.

    ## Source
    ACK, modify-the-smallest-allocatable-unit-for-gpu-sharing (2026-02-28).
    """
    hint = "write the memory that the container needs, or remove the key"
    return this.diagnostic(violation.value_at, outside(k.MEMORY, violation.number, 1), hint)


NUMBER = Labelled(k.COUNT, k.CARDS)


def of_several(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The total of several containers, which no policy adds up."""
    label, sharing = pod.labels.get(k.COUNT), requesting(pod, k.MEMORY)
    cards, amounts = labelled_cards(label), [number for _, _, number in whole_numbers(pod, k.MEMORY)]
    if label and cards and len(sharing) > 1 and len(amounts) == len(sharing) and sum(amounts) % cards:
        yield _not_a_multiple(this, label, sum(amounts), cards, None)


def _not_a_multiple(
    this: Rule, where: Value, total: int, cards: int, container: ContainerKeys | None
) -> Diagnostic:
    least = quantity.round_up(total, cards)
    fix = None
    if container is not None:
        fix = Fix(
            msg("raise {memory} to {least}", memory=k.MEMORY, least=least),
            put_number(container, k.MEMORY, least),
            safe=False,
        )
    text = "the {key} of the pod, {total}, is not a multiple of {count} {cards}"
    message = msg(text, key=k.MEMORY, total=total, count=k.COUNT, cards=cards)
    numbers = join_or(str(number) for number in (least - cards, least) if number > 0)
    # missing: the total over the containers
    return this.diagnostic(where, message, msg("write {numbers}", numbers=numbers), fix=fix, missing=True)


def _not_divided(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    return _not_a_multiple(
        this, violation.value_at, violation.number, labelled_cards_of(pod), violation.container
    )


def _counted_without_memory(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    text = "{key} has no effect: no container of the pod requests {other}"
    hint = msg("add {other} to the limits of a container, or remove the label", other=k.MEMORY)
    message = msg(text, key=k.COUNT, other=k.MEMORY)
    return this.diagnostic(pod.labels[k.COUNT], message, hint, on_key=True, missing=True)


@rule(
    "ACK002",
    Severity.ERROR,
    fix="unsafe",
    constraint=(
        Constraint(NUMBER, Labelled(k.COUNT), (k.COUNT,), per_container=False),
        Constraint(
            SomeContainer(Requests(k.MEMORY)),
            NUMBER,
            (k.COUNT,),
            per_container=False,
            severity=Severity.WARNING,
            report=_counted_without_memory,
        ),
        Constraint(
            Divides(k.MEMORY, LabelNumber(k.COUNT)),
            NUMBER & InRange(k.MEMORY) & ContainersAtMost(Requests(k.MEMORY), 1),
            (k.MEMORY,),
            report=_not_divided,
        ),
    ),
    also=of_several,
    no_policy="lint alone adds up the memory of several containers",
    page=RuleDoc(example_pod(limits_of_part(7), count=2), example_pod(limits_of_part(8), count=2)),
)
def count_divides_memory(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """The label `aliyun.com/gpu-count` is a positive whole number that divides `aliyun.com/gpu-mem`.

    ## What it does
    Reports a label that is not a number of cards, memory that is not a multiple of it, and (as a warning) a
    label on a pod without `aliyun.com/gpu-mem`. In a translation, memory that `--round up` raises to the next
    number of units that the cards divide.

    ## Why
    `gpu-mem` is the total of the pod: N units on M cards are N/M on each, and N/M must be an integer.
    Without `gpu-mem` the label gives the pod no GPU.

    ## Fix
    Raises the memory to the next multiple. Unsafe: the pod requests more.

    ## Source
    ACK, multi-card-sharing-through-shared-gpu-scheduling (2025-04-19).
    """
    label = pod.labels[k.COUNT]
    message = msg("{key} is {value!r}, not a positive whole number", key=k.COUNT, value=label.text)
    hint = msg('write the number of cards as a string, such as {key}: "2"', key=k.COUNT)
    return this.diagnostic(label, message, hint)


WHOLE, BY_TOPOLOGY = (InRange(name) & ~InRange(name, Range(0, 0)) for name in (NVIDIA_GPU, k.TOPOLOGY))
BESIDE_SHARES = tuple(
    Constraint(~SHARES, requests & ~SHARED, (name,))
    for name, requests in ((NVIDIA_GPU, WHOLE), (k.TOPOLOGY, BY_TOPOLOGY))
)
"""One container with both is K8S007."""


def _two_modes(this: Rule, violation: Violation, where: str, other: str, hint: str) -> Diagnostic:
    text = "{where} requests {key} and {other}; an ACK node serves only one of them"
    message = msg(text, where=msg(where), key=violation.name, other=other)
    return this.diagnostic(violation.value_at, message, hint, on_key=True)


def _two_kinds(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    return _two_modes(this, violation, "the pod", NVIDIA_GPU, "use separate pods")


def _two_kinds_in_a_container(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    return _two_modes(this, violation, "a container", NVIDIA_GPU, "keep one of them")


@rule(
    "ACK011",
    Severity.WARNING,
    constraint=(
        *BESIDE_SHARES,
        Constraint(
            ~SomeContainer(WHOLE),
            BY_TOPOLOGY & ~SHARES & ~WHOLE,
            (k.TOPOLOGY,),
            report=_two_kinds,
        ),
        Constraint(
            ~WHOLE,
            BY_TOPOLOGY & ~SHARES,
            (k.TOPOLOGY,),
            severity=Severity.ERROR,
            report=_two_kinds_in_a_container,
        ),
    ),
    page=RuleDoc(
        example_pod(limits_of_part(4), {NVIDIA_GPU: Value.of(1)}),
        example_pod(limits_of_part(4), limits_of_part(15)),
    ),
)
def one_mode_for_a_pod(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """A pod requests only one of shares, `nvidia.com/gpu` and `aliyun.com/gpu`.

    ## What it does
    Reports whole cards in a pod with a share in another container, and the two keys of whole cards in one
    pod (an error in one container). K8S007 reports whole cards and a share in one container.

    ## Why
    A node serves one mode, and enabling one sets the resources of all others to 0: no node has both, so
    the pod stays pending.

    ## Source
    ACK, enable-scheduling: labels of GPU nodes (2026-01-12).
    """
    return _two_modes(this, violation, "the pod", "a share", "use separate pods")


# --- the nodes that a pod chooses, and what they isolate --------------------------------------


SHARE = MayRunOnNodeLabel(k.SCHEDULE, k.SHARE_MODE)
COMPUTE, MEMORY = SomeContainer(Requests(k.CORE)), SomeContainer(InRange(k.MEMORY))
PROBABLE = NodeLabelAmong(k.SCHEDULE, *k.MODES, *k.UNCONFIRMED_MODES)
CONFIRMED = NodeLabelAmong(k.SCHEDULE, *k.MODES)
CHOOSES_MODE = MayRunOnNodeLabel(k.SCHEDULE, re.compile(".*"))
NODES_WITH_MEMORY = SomeContainer(Requests(k.MEMORY))


def _compute_without_mode(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    names = {"key": k.CORE, "mode": k.CORE_MEM, "label": k.SCHEDULE}
    hint = msg("add nodeSelector {label}: {mode}", **names)
    fix = Fix(hint, (Put((*pod.path, "nodeSelector", k.SCHEDULE), k.CORE_MEM),), safe=False)
    message = msg("{key} needs nodes of mode {mode}; the pod chooses no mode", **names)
    where = requesting(pod, k.CORE)[0].resources[k.CORE]
    return this.diagnostic(where, message, hint, on_key=True, fix=fix, missing=True)


@rule(
    "ACK008",
    Severity.WARNING,
    fix="unsafe",
    constraint=Constraint(
        MayRunOnNodeLabel(k.SCHEDULE, k.CORE_MEM),
        COMPUTE & CONFIRMED,
        (k.SCHEDULE,),
        per_container=False,
        cases=((~CHOOSES_MODE, _compute_without_mode), (CHOOSES_MODE, None)),
    ),
    page=RuleDoc(example_pod(limits_of_part(2, 30)), example_pod(limits_of_part(2, 30), mode="core_mem")),
)
def compute_runs_on_core_mem(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """A pod with `aliyun.com/gpu-core.percentage` chooses nodes of mode `core_mem`.

    ## What it does
    Reports compute in a pod whose nodeSelector (or required node affinity) on `ack.node.gpu.schedule` is
    missing or names another mode.

    ## Why
    Only `core_mem` nodes share compute, and pods with and without compute cannot share a node. The vendor
    recommends a node selector for each job.

    ## Fix
    Sets the nodeSelector where none is set. Unsafe: it changes where the pod may run.

    ## Source
    ACK, use-cgpu-to-allocate-computing-power (2026-03-26).
    """
    names = {"key": k.CORE, "mode": k.CORE_MEM, "label": k.SCHEDULE}
    mode, path = pod.allowed(k.SCHEDULE)[0]
    message = msg("{key} needs nodes of mode {mode}; the pod chooses {chosen}", chosen=mode, **names)
    return this.diagnostic(path, message, msg("write {label}: {mode}, or remove {key}", **names))


OTHER_MODES = tuple(mode for mode in k.MODES if mode != k.SHARE_MODE)


def _on_share_nodes(profile: Profile) -> tuple[Constraint, ...]:
    """Without a mode of its own, a pod goes to nodes of the profile's mode."""
    ack = AlibabaProfile.of(profile)
    if ack.memory_unit_mib != k.SMALL_UNIT_MIB:
        return ()
    must = ~MayRunOnNodeLabel(k.SCHEDULE, *OTHER_MODES)
    if ack.isolation != k.SHARE_MODE:
        must &= CHOOSES_MODE
    cases = ((CHOOSES_MODE, None), (~CHOOSES_MODE, _small_unit_by_profile))
    return (Constraint(must, NODES_WITH_MEMORY, (k.SCHEDULE,), per_container=False, cases=cases),)


def _no_small_unit(this: Rule, where: Path | Value, mode: str, *, missing: bool = False) -> Diagnostic:
    text = "nodes of mode {mode} do not support the unit of {unit} MiB of this profile"
    hint = "choose nodes of mode {mode}, or set memoryUnitMiB: 1024 in the profile"
    message = msg(text, mode=mode, unit=k.SMALL_UNIT_MIB)
    return this.diagnostic(where, message, msg(hint, mode=k.SHARE_MODE), missing=missing)


def _small_unit_by_profile(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    memory = requesting(pod, k.MEMORY)[0].resources[k.MEMORY]
    return _no_small_unit(this, memory, AlibabaProfile.of(context.profile).isolation, missing=True)


@rule(
    "ACK015",
    Severity.ERROR,
    with_profile=WithProfile(_on_share_nodes, NEEDS_MODES),
    page=RuleDoc(
        example_pod(
            limits_of_part(16), mode="cgpu", profile="alibaba: {memoryUnitMiB: 128, isolation: share}"
        ),
        example_pod(limits_of_part(16), mode="share"),
    ),
)
def small_unit_on_share_nodes(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """Where `aliyun.com/gpu-mem` counts units of 128 MiB, the nodes have the mode `share`.

    ## What it does
    With a profile that sets `memoryUnitMiB: 128`, reports pods with `aliyun.com/gpu-mem` that choose a
    mode other than `share` (or no mode, where `isolation` of the profile is another).

    ## Why
    ACK supports the 128 MiB unit only on nodes without isolation. Where a unit is 1 GiB, the same number
    requests eight times as much.

    ## Source
    ACK, modify-the-smallest-allocatable-unit-for-gpu-sharing (2026-02-28).
    """
    others = ((mode, path) for mode, path in pod.allowed(k.SCHEDULE) if mode in OTHER_MODES)
    mode, path = next(others)
    return _no_small_unit(this, path, mode)


def _chosen(pod: PodKeys, label: str) -> Iterator[tuple[NodeRequirement, str]]:
    """The values of a label that the pod chooses or avoids, each with where it does."""
    for requirement in pod.choices(label):
        if requirement.operator in ("In", "NotIn"):
            yield from ((requirement, value) for value in requirement.values)


def _unconfirmed_mode(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    for requirement, value in _chosen(pod, k.SCHEDULE):
        if value in k.UNCONFIRMED_MODES:
            message = msg(
                "{label}: {value} is not in the documentation of ACK", label=k.SCHEDULE, value=value
            )
            yield this.diagnostic(requirement, message, "check that the nodes have this label")


def _unknown_placement(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    for requirement, value in _chosen(pod, k.PLACEMENT):
        if value not in k.PLACEMENTS:
            yield _unknown(this, k.PLACEMENT, k.PLACEMENTS, value, requirement)


@rule(
    "ACK017",
    Severity.ERROR,
    fix="safe",
    constraint=(
        Constraint(PROBABLE, keys=(k.SCHEDULE,), per_container=False),
        Constraint(
            CONFIRMED,
            PROBABLE,
            (k.SCHEDULE,),
            per_container=False,
            severity=Severity.WARNING,
            report=_unconfirmed_mode,
        ),
        Constraint(
            NodeLabelAmong(k.PLACEMENT, *k.PLACEMENTS),
            keys=(k.PLACEMENT,),
            per_container=False,
            report=_unknown_placement,
        ),
    ),
    page=RuleDoc(
        example_pod(limits_of_part(2), mode="core-mem"), example_pod(limits_of_part(2), mode="core_mem")
    ),
)
def known_mode_and_placement(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """`ack.node.gpu.schedule` in a node selector is a mode of ACK, and `ack.node.gpu.placement` is `binpack`
    or `spread`.

    ## What it does
    Reports unknown values of `ack.node.gpu.schedule` and `ack.node.gpu.placement` in a nodeSelector or a
    required node affinity. The mode `mig`, known from one blog only, is a warning.

    ## Why
    No node has another value: the pod is never scheduled.

    ## Fix
    In a nodeSelector, writes the value that differs only in case and hyphens.

    ## Source
    ACK, enable-scheduling: labels of GPU nodes (2026-01-12).
    """
    for requirement, value in _chosen(pod, k.SCHEDULE):
        if value not in (*k.MODES, *k.UNCONFIRMED_MODES):
            yield _unknown(this, k.SCHEDULE, k.MODES, value, requirement)


def _unknown(
    this: Rule, name: str, choices: tuple[str, ...], text: str, where: NodeRequirement
) -> Diagnostic:
    meant, fix = text.strip().lower().replace("-", "_"), None
    hint = msg("write one of {known}", known=", ".join(choices))
    if meant in choices:
        hint = suggest(meant)
        in_selector = where.path[-2:] == ("nodeSelector", name)
        fix = Fix(msg("write {meant}", meant=meant), (Put(where.path, meant),)) if in_selector else None
    return this.diagnostic(where, msg("no node has {label}: {value}", label=name, value=text), hint, fix=fix)


NOT_ENFORCED = msg("{key} is not enforced: memory is counted, not isolated", key=k.MEMORY)
HINT = "the program must limit its own memory, to ALIYUN_COM_GPU_MEM_CONTAINER"


def _counted_alone(pod: PodKeys, context: Context) -> bool:
    """Whether the nodes of the profile do not isolate the memory of the pod."""
    ack = AlibabaProfile.of(context.profile)
    return ack.open_source or (not pod.allowed(k.SCHEDULE) and ack.isolation == k.SHARE_MODE)


def by_profile(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Memory that nodes of the profile do not isolate."""
    for _, value, _ in list(whole_numbers(pod, k.MEMORY))[:1]:
        if _counted_alone(pod, context) and not SHARE.holds(pod):
            open_source = AlibabaProfile.of(context.profile).open_source
            yield this.diagnostic(value, NOT_ENFORCED, HINT, missing=not open_source)


def _not_isolated(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    if not SHARE.holds(pod) and not _counted_alone(pod, context):
        message = msg("{variable} turns off memory isolation of this container", variable=k.DISABLE)
        yield this.diagnostic(violation.container.env[k.DISABLE], message, HINT)


@rule(
    "ACK019",
    Severity.INFO,
    constraint=(
        Constraint(~SHARE, MEMORY, (k.SCHEDULE,), per_container=False),
        Constraint(
            ~EnvIs(k.DISABLE, *k.DISABLE_ON, any_case=True),
            InRange(k.MEMORY),
            (k.MEMORY,),
            report=_not_isolated,
        ),
    ),
    also=by_profile,
    no_policy="lint alone knows whether the nodes of a profile isolate memory",
    page=RuleDoc(example_pod(limits_of_part(3), mode="share"), example_pod(limits_of_part(3), mode="cgpu")),
)
def memory_is_isolated(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """`aliyun.com/gpu-mem` is enforced: the nodes are not of mode `share`, and no `CGPU_DISABLE` turns it
    off.

    ## What it does
    Reports `aliyun.com/gpu-mem` that is counted but not isolated: on nodes of mode `share`, with
    `CGPU_DISABLE: "true"`, and with a profile of open-source gpushare.

    ## Why
    Nothing stops such a program from using the memory of other containers. It must read its limit from
    `ALIYUN_COM_GPU_MEM_CONTAINER`.

    ## Source
    ACK, doc-detail/2523313: GPU sharing without memory isolation (2026-03-26);
    AliyunContainerService/gpushare-scheduler-extender, `docs/userguide.md` at c0b6141.
    """
    path = next(path for mode, path in pod.allowed(k.SCHEDULE) if mode == k.SHARE_MODE)
    yield this.diagnostic(path, NOT_ENFORCED, HINT)


# --- the cards, versions and modes of a profile -----------------------------------------------


COUNTED_IN_PROFILE, BY_LABEL = Labelled(k.COUNT, k.CARDS), LabelNumber(k.COUNT)
DIVIDED_IN_PROFILE = (COUNTED_IN_PROFILE & Divides(k.MEMORY, BY_LABEL)) | ~COUNTED_IN_PROFILE


def _within(profile: Profile, shares: int = 1) -> Predicate:
    """So many times the memory is, on each card, within a card; true where the profile has none."""
    unit = AlibabaProfile.of(profile).memory_unit_mib
    maximum = card_memory(profile, k.NAMES, unit * shares)
    if maximum is None:
        return ALWAYS
    return (COUNTED_IN_PROFILE & AtMostParameter(k.MEMORY, maximum, BY_LABEL)) | (
        ~COUNTED_IN_PROFILE & AtMostParameter(k.MEMORY, maximum)
    )


def _not_too_many(profile: Profile) -> tuple[Constraint, ...]:
    within = _within(profile, k.PODS_PER_CARD + 1)
    when = InRange(k.MEMORY, Range(1)) & DIVIDED_IN_PROFILE
    return () if within == ALWAYS else (Constraint(~within, when, (k.MEMORY,)),)


def _in_open_source(constraint: Constraint, profile: Profile) -> tuple[Constraint, ...]:
    return (constraint,) if AlibabaProfile.of(profile).open_source else ()


def _of_node(profile: Profile) -> tuple[Constraint, ...]:
    maximum = cards_per_node(profile, k.NAMES)
    if maximum is None:
        return ()
    labelled = Constraint(
        AtMostParameter(BY_LABEL, maximum), COUNTED_IN_PROFILE, (k.COUNT,), per_container=False
    )
    return labelled, Constraint(AtMostParameter(k.TOPOLOGY, maximum), InRange(k.TOPOLOGY), (k.TOPOLOGY,))


@rule(
    "ACK003",
    Severity.ERROR,
    with_profile=WithProfile(_of_node, NEEDS_CARDS),
    page=RuleDoc(
        example_pod(limits_of_part(16), count=8, profile="cards: {perNode: 4}"),
        example_pod(limits_of_part(16), count=4),
    ),
)
def cards_fit_node(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """`aliyun.com/gpu-count` and `aliyun.com/gpu` are each at most the number of cards of a node.

    ## What it does
    With a profile that sets `cards.perNode`, reports a label `aliyun.com/gpu-count` or a number of
    `aliyun.com/gpu` above that.

    ## Why
    The cards of a share are on one node.

    ## Source
    ACK, multi-card-sharing-through-shared-gpu-scheduling (2025-04-19).
    """
    maximum = card_of(context.profile, k.NAMES).per_node
    return this.diagnostic(violation.value_at, *too_many_cards(violation.number, maximum or 0))


def _of_card(profile: Profile) -> tuple[Constraint, ...]:
    within = _within(profile)
    return () if within == ALWAYS else (Constraint(within, InRange(k.MEMORY), (k.MEMORY,)),)


@rule(
    "ACK004",
    Severity.ERROR,
    with_profile=WithProfile(_of_card, NEEDS_CARDS),
    page=RuleDoc(example_pod(limits_of_part(23), profile=A10), example_pod(limits_of_part(22))),
)
def memory_fits_card(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """`aliyun.com/gpu-mem` is at most the memory of a card, on each card of the container.

    ## What it does
    With a profile that sets `cards.memoryMiB`, reports `aliyun.com/gpu-mem` that is, on each of its
    cards, above the whole units of a card.

    ## Why
    A card of 22731 MiB has 22 units of 1 GiB: the remainder is spread over them. A pod with more is never
    scheduled.

    ## Source
    AlibabaCloudDocs/csk, "Enable GPU sharing" (2021); EMR Serverless, mGPU: the 22731 MiB of an A10.
    """
    card_units, cards = units_of_card(context.profile) or 0, labelled_cards_of(pod)
    text = "requests {units} units of memory per GPU; GPUs in this profile have {there}"
    message = msg(text, units=-(-violation.number // cards), there=card_units)
    hint = msg("write at most {most}, or request whole cards", most=card_units * cards)
    return this.diagnostic(violation.value_at, message, hint, missing=k.COUNT not in pod.labels)


COUNTS_MEMORY = ~IsInit() & InRange(k.MEMORY)


@rule(
    "ACK013",
    Severity.ERROR,
    with_profile=WithProfile(
        partial(
            _in_open_source,
            Constraint(ContainersAtMost(COUNTS_MEMORY, 1), per_container=False),
        ),
        NEEDS_MODES,
    ),
    page=RuleDoc(
        example_pod(limits_of_part(1), limits_of_part(2), profile=OPEN_SOURCE),
        example_pod(limits_of_part(3), limits_of_part()),
    ),
)
def one_sharing_container_in_open_source(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """With open-source gpushare, one container of a pod requests `aliyun.com/gpu-mem`.

    ## What it does
    With a profile that sets `openSource: true`, reports the second and further containers.

    ## Why
    The open-source device plugin finds a pod by the sum of its memory, so it finds none for a container
    with a part of it (nodes with several cards).

    ## Source
    AliyunContainerService/gpushare-scheduler-extender, issues 143, 185 and 219;
    AliyunContainerService/gpushare-device-plugin, `pkg/gpu/nvidia/allocate.go` at 45fb8b8.
    """
    values = [container.resources[k.MEMORY] for container in COUNTS_MEMORY.containers(pod)]
    for value in values[1:]:
        text = "{count} containers of the pod request {key}; open-source gpushare supports one"
        message = msg(text, count=len(values), key=k.MEMORY)
        yield this.diagnostic(value, message, "use a separate pod for each container", on_key=True)


@rule(
    "ACK014",
    Severity.ERROR,
    with_profile=WithProfile(
        partial(
            _in_open_source,
            Constraint(~Labelled(k.COUNT, Range(2)), COUNTED_IN_PROFILE, (k.COUNT,), per_container=False),
        ),
        NEEDS_MODES,
    ),
    page=RuleDoc(
        example_pod(limits_of_part(8), count=2, profile=OPEN_SOURCE), example_pod(limits_of_part(8))
    ),
)
def one_card_in_open_source(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """With open-source gpushare, the label `aliyun.com/gpu-count` is at most 1.

    ## What it does
    With a profile that sets `openSource: true`, reports a label `aliyun.com/gpu-count` above 1.

    ## Why
    The open-source scheduler extender puts all memory of a pod on one card.

    ## Source
    AliyunContainerService/gpushare-scheduler-extender, `docs/designs/designs.md` at c0b6141.
    """
    message = msg(
        "{key} is {cards}; open-source gpushare shares one card", key=k.COUNT, cards=violation.number
    )
    return this.diagnostic(
        violation.value_at, message, "remove the label, and request at most the memory of one card"
    )


@rule(
    "ACK016",
    Severity.WARNING,
    with_profile=WithProfile(_not_too_many, NEEDS_CARDS),
    page=RuleDoc(example_pod(limits_of_part(1), profile=A10), example_pod(limits_of_part(2))),
)
def pods_fit_card(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """`aliyun.com/gpu-mem` is so large that at most 20 shares fit a card.

    ## What it does
    With a profile that sets `cards.memoryMiB`, reports shares of which more than 20 fit a card.

    ## Why
    The vendor's pages give 16 and 20 as the maximum of pods on a card. With smaller shares, a part of the
    memory of a card is never used.

    ## Source
    ACK, modify-the-smallest-allocatable-unit-for-gpu-sharing: 16 (2026-02-28); ACK,
    install-and-use-ack-ai-installer-and-the-gpu-inspection-tool: 20 (2026-06-23).
    """
    fit = (units_of_card(context.profile) or 0) // (violation.number // labelled_cards_of(pod))
    text = "{fit} such shares fit the memory of a card; ACK runs at most 16 to {most} pods on it"
    message = msg(text, fit=fit, most=k.PODS_PER_CARD)
    return this.diagnostic(violation.value_at, message, "request more memory, or plan for unused memory")


@rule(
    "ACK020",
    Severity.ERROR,
    with_profile=WithProfile(partial(_in_open_source, Constraint(~IsInit(), keys=(k.MEMORY,))), NEEDS_MODES),
    page=RuleDoc(
        PodExample(({},), init=limits_of_part(2), profile=f"target: {k.NAMES[0]}\n{OPEN_SOURCE}"),
        example_pod(limits_of_part(2)),
    ),
)
def no_init_container_in_open_source(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """With open-source gpushare, no init container requests `aliyun.com/gpu-mem`.

    ## What it does
    With a profile that sets `openSource: true`, reports the memory of init containers.

    ## Why
    The open-source scheduler extender adds up `spec.containers` alone: an init container gets no card.

    ## Source
    AliyunContainerService/gpushare-scheduler-extender, `pkg/utils/pod.go` at c0b6141.
    """
    yield this.diagnostic(violation.value_at, *k.IN_INIT_CONTAINER, on_key=True)
