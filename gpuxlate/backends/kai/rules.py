"""The rules of KAI: on a profile, on the keys of shares, on queues and on numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from gpuxlate.backends import kai as k
from gpuxlate.backends.kai import DEFAULT, NAMES, NV_FRACTIONS, mode_of, reads
from gpuxlate.backends.pod_reader import number, too_large, too_many_cards
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import NVIDIA_GPU, Place, Range
from gpuxlate.model.messages import join_or, msg
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.profile import Profile, card_of
from gpuxlate.rules.base import BY_CONTAINER, Context, Rule, rule
from gpuxlate.rules.key_index import key_index_of
from gpuxlate.rules.predicates import (
    NEEDS_CARDS,
    NEEDS_MODES,
    AnnotationNumber,
    AnyOf,
    AtMostParameter,
    Constraint,
    HasKeyLike,
    InRange,
    IsAnnotated,
    Labelled,
    Not,
    SchedulerIs,
    Violation,
    WithProfile,
    card_memory,
    cards_per_node,
)


def _of_a_node(profile: Profile) -> tuple[Constraint, ...]:
    maximum, room = cards_per_node(profile, NAMES), card_memory(profile, NAMES)
    constraints = []
    if maximum is not None:
        cards = AtMostParameter(AnnotationNumber(k.DEVICES), maximum)
        constraints.append(
            Constraint(cards, IsAnnotated(k.DEVICES, k.WHOLE_NUMBER), (k.DEVICES,), per_container=False)
        )
        constraints.append(
            Constraint(AtMostParameter(NVIDIA_GPU, maximum), InRange(NVIDIA_GPU), (NVIDIA_GPU,))
        )
    if room is not None:
        memory = AtMostParameter(AnnotationNumber(k.MEMORY), room)
        constraints.append(
            Constraint(
                memory,
                IsAnnotated(k.MEMORY, k.WHOLE_NUMBER),
                (k.MEMORY,),
                per_container=False,
                report=_too_much_memory,
            )
        )
    return tuple(constraints)


def _too_much_memory(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    maximum = card_of(context.profile, NAMES).memory_mib or 0
    return this.diagnostic(violation.value_at, *too_large(violation.number, maximum))


def _too_large_amounts(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Amounts with a unit, in keys with the names of containers."""
    maximum = card_of(context.profile, NAMES).memory_mib
    for _, _, value in k.amount_annotations(pod) if maximum is not None else ():
        each = k.parse_mib(value.text)
        if each is not None and maximum is not None and each > maximum:
            yield this.diagnostic(value, *too_large(int(each), maximum))


@rule(
    "KAI015",
    Severity.ERROR,
    with_profile=WithProfile(_of_a_node, NEEDS_CARDS),
    also=_too_large_amounts,
    no_policy=BY_CONTAINER,
)
def share_fits_the_cards(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
    """With a profile, `gpu-fraction-num-devices` is at most the number of cards of a node, and `gpu-memory`
    the memory of a card.

    ## What it does
    With a profile, reports more cards than a node has, and more memory than a card has.

    ## Why
    The pod stays Pending: no node ever has what it asks for.

    ## Source
    kai-scheduler/KAI-Scheduler, docs/gpu-sharing/README.md (2026-08-07).
    """
    maximum = card_of(context.profile, NAMES).per_node or 0
    return this.diagnostic(violation.value_at, *too_many_cards(violation.number, maximum))


# Rules on how the cluster shares its cards: KAI012, KAI013.
AMOUNTS = re.compile("|".join("[^/]+".join(map(re.escape, row.split("*"))) for row in (k.REQUEST, k.LIMIT)))


def _that_are_read(profile: Profile) -> tuple[Constraint, ...]:
    mode = mode_of(profile)
    amounts = Constraint(~HasKeyLike(Place.ANNOTATION, AMOUNTS), per_container=False, report=_unread_amounts)
    legacy = Constraint(
        ~IsAnnotated(k.FRACTION) & ~IsAnnotated(k.MEMORY), keys=k.SHARE_KEYS, per_container=False
    )
    of_mode = ((amounts, True), (legacy, False))
    return tuple(name for name, by_amounts in of_mode if not reads(mode, by_amounts=by_amounts))


def _unread_amounts(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    return _unread(this, (value for _, _, value in k.amount_annotations(pod)), context)


def _unread(this: Rule, values: Iterable[Value], context: Context) -> Iterator[Diagnostic]:
    """Keys that the mode of the cluster does not read."""
    mode = mode_of(context.profile)
    for value in values:
        message = msg(
            "{key} is not read: sharingMode of the cluster is {mode}", key=value.path[-1], mode=mode
        )
        hint = msg("write {key}", key=k.MEMORY) if mode != "Disabled" else "request whole cards"
        yield this.diagnostic(value, message, hint, on_key=True)


@rule("KAI012", Severity.ERROR, with_profile=WithProfile(_that_are_read, NEEDS_MODES))
def cluster_reads_the_keys(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """The `sharingMode` of the cluster reads the keys of the pod.

    ## What it does
    With a profile, reports the keys of NvFractions where `sharingMode` is another one, and every share
    where it is `Disabled`.

    ## Why
    Other modes ignore these keys: the pod gets no part of a card.

    ## Source
    kai-scheduler/KAI-Scheduler, docs/gpu-sharing/nv-fraction (2026-09).
    """
    return _unread(this, (pod.annotations[name] for name in k.SHARE_KEYS if name in pod.annotations), context)


@rule("KAI013", Severity.INFO, no_policy="it depends on how the cluster shares its cards")
def memory_is_enforced(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The cluster enforces the `gpu-fraction` or `gpu-memory` of a container.

    ## What it does
    Reports `gpu-fraction` and `gpu-memory` where the profile does not say that the cluster enforces them.

    ## Why
    In the default mode KAI counts memory and does not enforce it: a container can take that of the others
    on its card.

    ## Source
    kai-scheduler/KAI-Scheduler, docs/gpu-sharing/README.md (2026-08-07); kai-scheduler/KAI-Scheduler, issue
    49.
    """
    if mode_of(context.profile) not in (None, DEFAULT):
        return
    for name in k.SHARE_KEYS:
        if name in pod.annotations:
            message = msg(
                "{key} is not enforced where sharingMode is {mode}, the default", key=name, mode=DEFAULT
            )
            hint = msg(
                "nothing to do where the containers of a card trust each other; {mode} enforces memory",
                mode=NV_FRACTIONS,
            )
            yield this.diagnostic(pod.annotations[name], message, hint, on_key=True)


# Rules on what a pod has beside its share: KAI003, KAI004, KAI006, KAI008, KAI009, KAI011.
def _two_forms(this: Rule, pod: PodKeys, _: Context) -> Iterator[Diagnostic]:
    """The annotations of the pod beside those of NvFractions."""
    value = next((value for _, _, value in k.amount_annotations(pod)), None)
    for name in k.SHARE_KEYS:
        if value is not None and name in pod.annotations:
            yield _both(this, pod.annotations[name], name, str(value.path[-1]))


def _both(this: Rule, value: Value, name: str, other: str) -> Diagnostic:
    message = msg("{key} and {other} are both set", key=name, other=other)
    return this.diagnostic(value, message, "keep one of them", on_key=True)


@rule(
    "KAI003",
    Severity.ERROR,
    constraint=Constraint(
        Not(IsAnnotated(k.FRACTION)), IsAnnotated(k.MEMORY), (k.MEMORY,), per_container=False
    ),
    also=_two_forms,
    no_policy=BY_CONTAINER,
)
def memory_is_set_once(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """Memory is set with `gpu-memory`, with `gpu-fraction` or with keys of NvFractions, in one of these ways.

    ## What it does
    Reports `gpu-memory` beside `gpu-fraction`, and either of them beside a key of NvFractions.

    ## Why
    The pod is refused: one part of a card is not two.

    ## Source
    kai-scheduler/KAI-Scheduler, gpu_request_validator.go (2026-08-07).
    """
    yield _both(this, violation.value_at, k.MEMORY, k.FRACTION)


def _others_beside(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Whole cards beside the keys of NvFractions, and resources of other dialects beside any share."""
    request = k.asking_annotation(pod)
    if request is None:
        return
    words = key_index_of(context)
    legacy = any(name in pod.annotations for name in k.SHARE_KEYS)
    for container in pod.all_containers():
        for name, value in container.resources.items():
            whole = name == NVIDIA_GPU and not legacy and number(value) != 0
            if whole or (name != NVIDIA_GPU and words.is_resource(name)):
                yield _beside(this, name, value, str(request.path[-1]))


def _beside(this: Rule, name: str, value: Value, share: str) -> Diagnostic:
    message = msg(
        "{key} is beside {share} of the pod: the pod has the one or the other", key=name, share=share
    )
    hint = msg("keep {key} for whole cards, or {share} for a part", key=NVIDIA_GPU, share=share)
    return this.diagnostic(value, message, hint, on_key=True)


@rule(
    "KAI004",
    Severity.ERROR,
    constraint=Constraint(
        Not(AnyOf(*(IsAnnotated(name) for name in k.SHARE_KEYS))),
        Not(InRange(NVIDIA_GPU, Range(0, 0))),  # no request
        (NVIDIA_GPU,),
    ),
    also=_others_beside,
    no_policy=BY_CONTAINER,
)
def share_is_alone(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod with `gpu-fraction`, `gpu-memory` or a key of NvFractions has no `nvidia.com/gpu` in its
    containers.

    ## What it does
    Reports `nvidia.com/gpu`, and the resources of other products, in any container of a pod with
    `gpu-fraction`, `gpu-memory` or a key of NvFractions.

    ## Why
    The pod is refused: it has whole cards or a part, and the device plugin counts neither of both.

    ## Source
    kai-scheduler/KAI-Scheduler, gpu_request_validator.go (2026-08-07).
    """
    share = next(name for name in k.SHARE_KEYS if name in pod.annotations)
    yield _beside(this, violation.name, violation.value_at, share)


@rule(
    "KAI006", Severity.ERROR, missing=True, no_policy="it compares names of containers with keys and values"
)
def container_is_there(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`gpu-fraction-container-name` and keys of NvFractions name a container of the pod.

    ## What it does
    Reports `gpu-fraction-container-name`, and keys of NvFractions, with the name of a container that the
    pod does not have. Init containers count.

    ## Why
    The share is nobody's: the pod is refused, or the container gets no part of a card.

    ## Source
    kai-scheduler/KAI-Scheduler, docs/gpu-sharing/README.md (2026-08-07).
    """
    names = [container.name for container in pod.all_containers()]
    hint = msg("the containers of the pod are {names}", names=", ".join(names))
    value = pod.annotations.get(k.CONTAINER)
    if value is not None and value.text not in names:
        message = msg(
            "{key} names {name!r}, which is not a container of the pod", key=k.CONTAINER, name=value.text
        )
        yield this.diagnostic(value, message, hint)
    for row in (k.REQUEST, k.LIMIT, k.COMPUTE_MODE):
        for name, container, value in k.of_containers(pod, row):
            if container not in names:
                message = msg(
                    "{key} names {name!r}, which is not a container of the pod", key=name, name=container
                )
                yield this.diagnostic(value, message, hint, on_key=True)


@rule(
    "KAI008",
    Severity.ERROR,
    constraint=tuple(
        Constraint(
            Not(IsAnnotated(name)),
            AnyOf(SchedulerIs(*k.SCHEDULERS), *(Labelled(queue) for queue in k.QUEUES)),
            (name,),
            per_container=False,
        )
        for name in k.MISTAKEN
    ),
)
def annotation_is_read(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """A pod of KAI has no annotation `nvidia.com/gpu.memory`, `gpu_memory` or `gpu_fraction`, which are no
    keys of KAI.

    ## What it does
    Reports the annotations `nvidia.com/gpu.memory`, `gpu_memory` and `gpu_fraction` in pods of KAI.

    ## Why
    Nothing reads them, and nothing says so: the pods run without a share.

    ## Source
    kai-scheduler/KAI-Scheduler, issue 257.
    """
    message = msg("KAI reads no annotation {key}: the pod has no share by it", key=violation.name)
    yield this.diagnostic(
        violation.value_at, message, msg("write {key}", key=k.MISTAKEN[violation.name]), on_key=True
    )


@rule("KAI009", Severity.ERROR, no_policy="the name of a container is in the key")
def one_container_shares(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """One container of a pod has `nvidia.com/container.<name>.gpu-memory.request` and the other keys of
    NvFractions.

    ## What it does
    Reports keys of NvFractions for a second container of the pod.

    ## Why
    KAI gives one container of a pod a part of a card.

    ## Source
    kai-scheduler/KAI-Scheduler, docs/gpu-sharing/nv-fraction (2026-09).
    """
    first: str | None = None
    for _, container, value in k.amount_annotations(pod):
        first = container if first is None else first
        if container != first:
            message = msg("{container} and {other} both have a share", container=container, other=first)
            yield this.diagnostic(value, message, "use a separate pod for each container", on_key=True)


QUEUED = AnyOf(*map(Labelled, (*k.QUEUES, k.PROJECT)), IsAnnotated(k.POD_GROUP))
"""Something names the queue of the pod."""


def _no_queue(this: Rule, pod: PodKeys) -> Iterator[Diagnostic]:
    """Where the pod asks for GPUs, if neither it nor its workload names a queue."""
    whole = (
        container.resources[NVIDIA_GPU]
        for container in pod.all_containers()
        if NVIDIA_GPU in container.resources
    )
    value = k.asking_annotation(pod) or next(whole, None)
    if value is not None and not QUEUED.holds(pod.with_workload()):
        hint = msg("add the label {key} with a queue of the cluster", key=k.QUEUE)
        message = msg("the pod has no label {key}, and gets {queue}", key=k.QUEUE, queue=k.DEFAULT_QUEUE)
        yield this.diagnostic(value, message, hint, on_key=True)


def _also_no_queue(this: Rule, pod: PodKeys, _: Context) -> Iterator[Diagnostic]:
    if not any(name in pod.annotations for name in k.SHARE_KEYS):
        yield from _no_queue(this, pod)


@rule(
    "KAI011",
    Severity.WARNING,
    missing=True,
    constraint=Constraint(
        QUEUED,
        AnyOf(*(IsAnnotated(name) for name in k.SHARE_KEYS)),
        k.SHARE_KEYS,
        per_container=False,
    ),
    also=_also_no_queue,
    no_policy=BY_CONTAINER,
)
def queue_is_named(this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A pod of KAI names its queue with the label `kai.scheduler/queue`.

    ## What it does
    Reports a pod with a share, or with cards and the scheduler of KAI, without the label
    `kai.scheduler/queue` (`runai/queue` with Run:ai). The label may be that of the workload, such as a
    RayCluster; a label `project`, and the PodGroup in the annotation `pod-group-name`, name a queue too.

    ## Why
    Cards are given to queues: a pod without one is in the queue `default-queue`, which the chart makes when
    it is installed. A cluster may not have it, or give it no cards.

    ## Source
    kai-scheduler/KAI-Scheduler, default_grouper.go, docs/gpu-sharing and examples/batch
    (2026-08-07).
    """
    yield from _no_queue(this, pod)


# Rules on what the annotations hold: KAI001, KAI002, KAI005, KAI007.
def _exponents(this: Rule, pod: PodKeys, _: Context) -> Iterator[Diagnostic]:
    """Exponents, of which no pattern says whether the number is below 1."""
    for name in (k.FRACTION, k.FRACTION_LIMIT):
        value = pod.annotations.get(name)
        if value is not None and k.EXPONENT.fullmatch(value.text) and k.parse_fraction(value.text) is None:
            yield _no_fraction(this, name, value)


def _no_fraction(this: Rule, name: str, value: Value) -> Diagnostic:
    message = msg("{key} {value!r} is not a decimal number above 0 and below 1", key=name, value=value.text)
    hint = msg('write a decimal such as "0.25"; for whole cards write {key} in limits', key=NVIDIA_GPU)
    part = quantity.parse(value.text).amount if quantity.is_amount(value.text) else Fraction(0)
    if 0 < part < 1:
        hint = msg('write "{value}"', value=f"{float(part):g}")
    return this.diagnostic(value, message, hint)


@rule(
    "KAI001",
    Severity.ERROR,
    constraint=tuple(
        Constraint(IsAnnotated(name, k.DECIMAL, k.EXPONENT), IsAnnotated(name), (name,), per_container=False)
        for name in (k.FRACTION, k.FRACTION_LIMIT)
    ),
    also=_exponents,
    no_policy="lint alone reads numbers with an exponent",
)
def fraction_is_below_one(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """`gpu-fraction` and `gpu-fraction.limit` are decimal numbers above 0 and below 1.

    ## What it does
    Reports other values of `gpu-fraction` and `gpu-fraction.limit`, such as `250m`.

    ## Why
    The pod is refused. A whole card is `nvidia.com/gpu: 1` in limits, not a fraction of 1.

    ## Source
    kai-scheduler/KAI-Scheduler, gpu_request_validator.go (2026-08-07).
    """
    yield _no_fraction(this, violation.name, violation.value_at)


def _not_amounts(this: Rule, pod: PodKeys, _: Context) -> Iterator[Diagnostic]:
    """Amounts with a unit, whose keys hold the name of a container."""
    for _row, _name, value in k.amount_annotations(pod):
        amount = k.parse_mib(value.text)
        if amount is None or amount < Fraction(1):
            message = msg(
                "{key} {value!r} is not an amount of 1Mi or more", key=value.path[-1], value=value.text
            )
            yield this.diagnostic(value, message, 'write it with a unit, such as "7680Mi"')


@rule(
    "KAI002",
    Severity.ERROR,
    constraint=tuple(
        Constraint(IsAnnotated(name, k.WHOLE_NUMBER), IsAnnotated(name), (name,), per_container=False)
        for name in (k.MEMORY, k.MEMORY_LIMIT)
    ),
    also=_not_amounts,
    no_policy=BY_CONTAINER,
)
def memory_has_its_unit(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """`gpu-memory` and `gpu-memory.limit` are MiB without a suffix, and keys of NvFractions amounts with a
    unit.

    ## What it does
    Reports values of `gpu-memory` and `gpu-memory.limit` that are not plain digits of at least 1, and
    values of the keys of NvFractions that are not an amount of at least 1 MiB.

    ## Why
    `gpu-memory` counts MiB and is refused with a suffix. The keys of NvFractions are quantities: a number
    without a suffix is bytes.

    ## Source
    kai-scheduler/KAI-Scheduler, gpu_request_validator.go (2026-08-07); kai-scheduler/KAI-Scheduler,
    docs/gpu-sharing (2026-09).
    """
    text = violation.value_at.text
    message = msg("{key} {value!r} is not a whole number of MiB", key=violation.name, value=text)
    amount = k.parse_mib(text)
    near = None if amount is None or amount < 1 or amount.denominator != 1 else int(amount)
    hint = msg('write "{value}", in MiB without a suffix', value=2000 if near is None else near)
    yield this.diagnostic(violation.value_at, message, hint)


def _alone(this: Rule, pod: PodKeys, _: Context) -> Iterator[Diagnostic]:
    """Annotations of a share where there is none."""
    amounts = any(True for _ in k.amount_annotations(pod))
    legacy = any(name in pod.annotations for name in k.SHARE_KEYS)
    mps = pod.annotations.get(k.MPS)
    named = (*k.BESIDE, *((k.MPS,) if mps is not None and mps.text == "true" else ()))
    for name in named:
        value = pod.annotations.get(name)
        if value is None:
            continue
        needs = k.NEEDS.get(name, ())
        if not (legacy or (amounts and name not in k.OF_LEGACY)):
            yield _without(this, name, value, (*k.SHARE_KEYS,))
        elif needs and not any(needed in pod.annotations for needed in needs):
            yield _without(this, name, value, needs)


def _without(this: Rule, name: str, value: Value, needs: tuple[str, ...]) -> Diagnostic:
    message = msg("{key} has no effect without {count}", key=name, count=join_or(needs))
    return this.diagnostic(value, message, msg("add {key}", key=needs[0]), on_key=True, missing=True)


@rule(
    "KAI005",
    Severity.ERROR,
    constraint=Constraint(
        IsAnnotated(k.DEVICES, k.WHOLE_NUMBER), IsAnnotated(k.DEVICES), (k.DEVICES,), per_container=False
    ),
    also=_alone,
    no_policy=BY_CONTAINER,
)
def devices_share_something(
    this: Rule, violation: Violation, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """`gpu-fraction-num-devices` is a whole number of at least 1, beside `gpu-fraction` or `gpu-memory`.

    ## What it does
    Reports `gpu-fraction-num-devices` that is not a whole number of at least 1, and it, the name of the
    container, a limit or `mps: "true"` without `gpu-fraction` or `gpu-memory`.

    ## Why
    The pod is refused, or nothing reads the key.

    ## Source
    kai-scheduler/KAI-Scheduler, gpu_request_validator.go (2026-08-07).
    """
    message = msg(
        "{key} {value!r} is not a whole number of cards", key=violation.name, value=violation.value_at.text
    )
    yield this.diagnostic(violation.value_at, message, "write a whole number, 1 or more")


@rule("KAI007", Severity.ERROR, no_policy="the keys hold the names of containers, the values units")
def request_is_within_its_limit(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`gpu-memory` is at most `gpu-memory.limit`, and `gpu-fraction` at most `gpu-fraction.limit`, of the pod
    or of a container.

    ## What it does
    Reports a limit of memory below the request: of the keys of NvFractions, of `gpu-memory.limit`,
    `gpu-fraction.limit` and the variable `RUNAI_GPU_MEMORY_LIMIT`.

    ## Why
    The pod is refused. A limit is how far memory may burst above what is always there.

    ## Source
    kai-scheduler/KAI-Scheduler, docs/gpu-sharing/nv-fraction (2026-09); NVIDIA Run:ai, GPU fractions.
    """
    for name, request, limit, read in _pairs(pod):
        least, upper = read(request.text), read(limit.text)
        if least is not None and upper is not None and upper < least:
            message = msg(
                "{key} {value} is below the request of {request}",
                key=name,
                value=limit.text,
                request=request.text,
            )
            yield this.diagnostic(limit, message, msg("write {request} or more", request=request.text))


Read = Callable[[str], Fraction | int | None]


def _pairs(pod: PodKeys) -> Iterator[tuple[str, Value, Value, Read]]:
    """Each limit: its key, the request, itself, and how both are read."""
    for row, container, value in k.amount_annotations(pod):
        request = pod.annotations.get(k.key_of(k.REQUEST, container))
        if row == k.LIMIT and request is not None:
            yield str(value.path[-1]), request, value, k.parse_mib
    of_share = k.sharing_container(pod)
    variable = of_share.env.get(k.RUNAI_LIMIT) if of_share else None
    kinds: tuple[tuple[str, str, Read], ...] = (
        (k.MEMORY, k.MEMORY_LIMIT, k.parse_plain_number),
        (k.FRACTION, k.FRACTION_LIMIT, k.parse_fraction),
    )
    for name, limit, read in kinds:
        request = pod.annotations.get(name)
        for key, limit_value in ((limit, pod.annotations.get(limit)), (k.RUNAI_LIMIT, variable)):
            if request is not None and limit_value is not None:
                yield key, request, limit_value, read
