"""Rules on what the annotations hold: KAI001, KAI002, KAI005, KAI007."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from gpuxlate.backends.kai import keys as k
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import either, say
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import Annotated
from gpuxlate.rules.predicates.predicate import Breach, Predicate


def _exponents(this: Rule, pod: PodKeys, _: Context) -> Iterator[Diagnostic]:
    """Exponents, of which no pattern says whether the number is below 1."""
    for name in (k.FRACTION, k.FRACTION_LIMIT):
        value = pod.annotations.get(name)
        if value is not None and k.EXPONENT.fullmatch(value.text) and k.fraction(value.text) is None:
            yield _no_fraction(this, name, value)


def _is_decimal(name: str) -> tuple[Predicate, Predicate]:
    written, milli = Annotated(name, k.DECIMAL, k.EXPONENT), Annotated(name, k.MILLI)
    return (
        Predicate(written | milli, Annotated(name), (name,), each=False),
        Predicate(written, milli, (name,), each=False, severity=Severity.WARNING),
    )


def _no_fraction(this: Rule, name: str, value: Value) -> Diagnostic:
    message = say("{key} {value!r} is not a decimal number above 0 and below 1", key=name, value=value.text)
    hint = say('write a decimal such as "0.25"; for whole cards write {key} in limits', key=k.WHOLE)
    return this.at(value, message, hint)


@rule(
    "KAI001",
    Severity.ERROR,
    predicate=tuple(one for name in (k.FRACTION, k.FRACTION_LIMIT) for one in _is_decimal(name)),
    also=_exponents,
)
def fraction_is_below_one(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A fraction is a decimal number above 0 and below 1.

    ## What it does
    Reports other values of `gpu-fraction` and `gpu-fraction.limit`. `250m`, which one document takes and
    the validator refuses, is a warning.

    ## Why
    The pod is refused. A whole card is `nvidia.com/gpu: 1` in limits, not a fraction of 1.

    ## Example
    ```yaml
    metadata: {annotations: {gpu-fraction: "1"}, labels: {kai.scheduler/queue: team}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {gpu-fraction: "0.5"}, labels: {kai.scheduler/queue: team}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Source
    kai-scheduler/KAI-Scheduler, gpu_request_validator.go (2026-08-07).
    """
    value = breach.value
    if value is None:
        return
    part = k.fraction(value.text)
    if part is None:
        yield _no_fraction(this, breach.name, value)
        return
    decimal = f"{float(part):g}"
    message = say("{key} {value!r} is not a decimal number", key=breach.name, value=value.text)
    yield this.at(value, message, say('write "{value}"', value=decimal))


def _not_amounts(this: Rule, pod: PodKeys, _: Context) -> Iterator[Diagnostic]:
    """Amounts with a unit, whose keys hold the name of a container."""
    for _row, _name, value in k.amounts(pod):
        found = k.mib(value.text)
        if found is None or found < Fraction(1):
            message = say(
                "{key} {value!r} is not an amount of 1Mi or more", key=value.path[-1], value=value.text
            )
            yield this.at(value, message, 'write it with a unit, such as "7680Mi"')


@rule(
    "KAI002",
    Severity.ERROR,
    predicate=tuple(
        Predicate(Annotated(name, k.WHOLE_NUMBER), Annotated(name), (name,), each=False)
        for name in (k.MEMORY, k.MEMORY_LIMIT)
    ),
    also=_not_amounts,
)
def memory_has_its_unit(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Memory is MiB without a suffix, or an amount with a unit, as its key wants it.

    ## What it does
    Reports values of `gpu-memory` and `gpu-memory.limit` that are not plain digits of at least 1, and
    values of the keys of NvFractions that are not an amount of at least 1 MiB.

    ## Why
    `gpu-memory` counts MiB and is refused with a suffix. The keys of NvFractions are quantities: a number
    without a suffix is bytes.

    ## Example
    ```yaml
    metadata: {annotations: {gpu-fraction-num-devices: "1", gpu-memory: 2000Mi}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {gpu-memory: "2000"}, labels: {kai.scheduler/queue: team}}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Source
    kai-scheduler/KAI-Scheduler, gpu_request_validator.go (2026-08-07); docs/gpu-sharing (2026-09).
    """
    if breach.value is not None:
        text = breach.value.text
        message = say("{key} {value!r} is not a whole number of MiB", key=breach.name, value=text)
        found = k.mib(text)
        near = None if found is None or found < 1 or found.denominator != 1 else int(found)
        hint = say('write "{value}", in MiB without a suffix', value=2000 if near is None else near)
        yield this.at(breach.value, message, hint)


def _alone(this: Rule, pod: PodKeys, _: Context) -> Iterator[Diagnostic]:
    """Annotations of a share where there is none."""
    amounts = any(True for _ in k.amounts(pod))
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
        elif needs and not any(one in pod.annotations for one in needs):
            yield _without(this, name, value, needs)


def _without(this: Rule, name: str, value: Value, needs: tuple[str, ...]) -> Diagnostic:
    message = say("{key} has no effect without {count}", key=name, count=either(needs))
    return this.at(value, message, say("add {key}", key=needs[0]), on_key=True, missing=True)


@rule(
    "KAI005",
    Severity.ERROR,
    predicate=Predicate(Annotated(k.DEVICES, k.WHOLE_NUMBER), Annotated(k.DEVICES), (k.DEVICES,), each=False),
    also=_alone,
)
def devices_share_something(
    this: Rule, breach: Breach, pod: PodKeys, context: Context
) -> Iterator[Diagnostic]:
    """The number of devices is a whole number, beside a share.

    ## What it does
    Reports `gpu-fraction-num-devices` that is not a whole number of at least 1, and it, the name of the
    container, a limit or `mps: "true"` without `gpu-fraction` or `gpu-memory`.

    ## Why
    The pod is refused, or nothing reads the key.

    ## Example
    ```yaml
    metadata:
      annotations: {gpu-fraction: "0.5", gpu-fraction-num-devices: "0"}
      labels: {kai.scheduler/queue: team}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Use instead
    ```yaml
    metadata:
      annotations: {gpu-fraction: "0.5", gpu-fraction-num-devices: "2"}
      labels: {kai.scheduler/queue: team}
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Source
    kai-scheduler/KAI-Scheduler, gpu_request_validator.go (2026-08-07).
    """
    if breach.value is not None:
        message = say(
            "{key} {value!r} is not a whole number of cards", key=breach.name, value=breach.value.text
        )
        yield this.at(breach.value, message, "write a whole number, 1 or more")


@rule("KAI007", Severity.ERROR, no_policy="the keys hold the names of containers, the values units")
def request_is_within_its_limit(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A request for memory is not above its limit.

    ## What it does
    Reports a limit of memory below the request: of the keys of NvFractions, of `gpu-memory.limit`,
    `gpu-fraction.limit` and the variable `RUNAI_GPU_MEMORY_LIMIT`.

    ## Why
    The pod is refused. A limit is how far memory may burst above what is always there.

    ## Example
    ```yaml
    metadata:
      annotations:
        nvidia.com/container.web.gpu-memory.request: 8Gi
        nvidia.com/container.web.gpu-memory.limit: 4Gi
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Use instead
    ```yaml
    metadata:
      annotations:
        nvidia.com/container.web.gpu-memory.request: 4Gi
        nvidia.com/container.web.gpu-memory.limit: 8Gi
    spec:
      schedulerName: kai-scheduler
      containers: [{name: web, image: web}]
    ```

    ## Source
    kai-scheduler/KAI-Scheduler, docs/gpu-sharing/nv-fraction (2026-09); NVIDIA Run:ai, GPU fractions.
    """
    for name, request, limit, read in _pairs(pod):
        least, most = read(request.text), read(limit.text)
        if least is not None and most is not None and most < least:
            message = say(
                "{key} {value} is below the request of {request}",
                key=name,
                value=limit.text,
                request=request.text,
            )
            yield this.at(limit, message, say("write {request} or more", request=request.text))


Read = Callable[[str], Fraction | int | None]


def _pairs(pod: PodKeys) -> Iterator[tuple[str, Value, Value, Read]]:
    """Each limit: its key, the request, itself, and how both are read."""
    for row, container, value in k.amounts(pod):
        request = pod.annotations.get(k.key_of(k.REQUEST, container))
        if row == k.LIMIT and request is not None:
            yield str(value.path[-1]), request, value, k.mib
    of_share = k.sharing(pod)
    variable = of_share.env.get(k.RUNAI_LIMIT) if of_share else None
    kinds: tuple[tuple[str, str, Read], ...] = (
        (k.MEMORY, k.MEMORY_LIMIT, k.number),
        (k.FRACTION, k.FRACTION_LIMIT, k.fraction),
    )
    for name, limit, read in kinds:
        request = pod.annotations.get(name)
        for key, found in ((limit, pod.annotations.get(limit)), (k.RUNAI_LIMIT, variable)):
            if request is not None and found is not None:
                yield key, request, found, read
