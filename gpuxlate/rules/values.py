"""The rules of numbers that Kubernetes accepts but that are probably a mistake (GX007, GX008)."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.messages import either, say
from gpuxlate.model.pod import Kind, PodKeys
from gpuxlate.rules import numerals
from gpuxlate.rules.base import Context, Rule, Subject, rule
from gpuxlate.rules.predicates.of_dialects import plausible_amounts
from gpuxlate.rules.vocabulary import vocabulary_of

SMALL = ("", "m", "u", "n")
"""Suffixes with which the number is the one that was meant."""


@rule("GX007", Severity.WARNING, about=Subject.MEMORY, predicates_of=plausible_amounts)
def magnitude_is_plausible(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The amount of GPU memory is plausible in the unit of its key.

    ## What it does
    Reports more than 1024 where a key counts GiB, and less than 64 where it counts MiB. Nothing
    for GiB where a profile sets another unit for the cluster.

    ## Why
    The vendors count in different units: `aliyun.com/gpu-mem: 4096` is 4 TiB, and
    `vke.volcengine.com/mgpu-memory: 4` is 4 MiB.

    ## Example
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Source
    Units: Volcengine 6461/1581673 (2025-06-04), Alibaba Cloud "multi-card sharing" (2025-04),
    Tencent Cloud qGPU (2024-11). The bounds are this tool's.
    """
    words = vocabulary_of(context)
    for container in pod.all_containers():
        for name, value in container.resources.items():
            unit = words.memory_unit(name)
            amount = quantity.whole(value.text) if unit else None  # as the API server counts it: 5.0 is 5
            if amount is None or (context.profile and context.profile.changes_unit(unit)):
                continue
            if numerals.written(value).suffix not in SMALL:
                continue  # K8S002 says what it means
            if unit == "GiB" and amount > numerals.MOST_PLAUSIBLE_GIB:
                message = say(
                    "{name} is {amount}: the key counts GiB, this looks like MiB", name=name, amount=amount
                )
                hint = say(
                    "write {gib} for {amount} MiB, or set another unit of this cluster in a profile",
                    gib=-(-amount // 1024),
                    amount=amount,
                )
                yield this.at(value, message, hint)
            elif unit == "MiB" and 0 < amount < numerals.LEAST_PLAUSIBLE_MIB:
                message = say(
                    "{name} is {amount}: the key counts MiB, this looks like GiB", name=name, amount=amount
                )
                hint = say("write {mib} for {amount} GiB", mib=amount * 1024, amount=amount)
                yield this.at(value, message, hint)


@rule(
    "GX008",
    Severity.WARNING,
    about=Subject.ODD_NUMBER,
    fix="safe",
    no_policy="the API server sees a number, not how it was written",
)
def number_is_plain(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Numbers are written in plain decimal digits.

    ## What it does
    Reports `0030`, `1e3`, `0x10`, `1_000` and `+5` as values of GPU resources.

    ## Why
    Versions of YAML read such numbers differently: `0030` is 24 in one and 30 in another.

    ## Example
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 0030, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Fix
    Safe, and only where all parsers agree: `1e3` becomes 1000, `+5` becomes 5.

    ## Source
    YAML 1.1, "int" type (2005); YAML 1.2.2, core schema (2021).
    """
    words = vocabulary_of(context)
    for container in pod.all_containers():
        for values in (container.limits, container.requests):
            for name, value in values.items():
                found = numerals.readings(value) if words.owners(name) or words.is_resource(name) else ()
                with_unit = value.kind is not Kind.INT and any(row.quantity for row in words.rows(name))
                if not found or with_unit:  # an exponent is a unit
                    continue
                if len(found) == 1 and found[0] is not None:
                    write = say("write {number}", number=found[0])
                    message = say("{name} is {text}, not in plain decimal digits", name=name, text=value.text)
                    yield this.at(value, message, write, fix=Fix(write, (Put(value.path, found[0]),)))
                    continue
                numbers = either("no number" if one is None else str(one) for one in found)
                message = say(
                    "{name} is {text}, which YAML parsers read as {numbers}",
                    name=name,
                    text=value.text,
                    numbers=numbers,
                )
                yield this.at(value, message, "write the number in plain decimal digits")
