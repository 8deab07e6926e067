"""The rules of Kubernetes itself, for the resources of any vendor, whole cards too (K8S001 to K8S004)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.kept import keep_last
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, Kind, Path, PodKeys, Value
from gpuxlate.model.sheet import Key
from gpuxlate.rules import numerals
from gpuxlate.rules.base import BY_API_SERVER, Context, Rule, Subject, rule
from gpuxlate.rules.numerals import Form, Written
from gpuxlate.rules.vocabulary import Vocabulary, vocabulary_of


class Resource(NamedTuple):
    """A key of GPUs in limits or requests of a container."""

    name: str
    value: Value
    row: Key | None


Found = tuple[ContainerKeys, Mapping[str, Value], Resource]


@keep_last
def resources_of(pod: PodKeys, words: Vocabulary) -> Iterator[Found]:
    """Every key of GPUs in limits and requests, whole cards too. GX013 reports what does not belong there."""
    for container in pod.all_containers():
        for values in (container.limits, container.requests):
            for name, value in values.items():
                if words.is_resource(name) or name in words.whole_cards:
                    yield container, values, Resource(name, value, next(iter(words.rows(name)), None))


@rule(
    "K8S001",
    Severity.ERROR,
    about=Subject.ODD_NUMBER,
    fix="unsafe",
    no_policy=BY_API_SERVER,
)
def quantity_is_whole(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The quantity of a GPU resource is a whole number.

    ## What it does
    Reports fractions (`5.5`, `1500m`), what is no number, numbers above 2^63-1, and those below 0 where no
    vendor's rule does, in limits, requests and quotas, for vendors' keys and `nvidia.com/gpu`. Nothing of a
    part of `nvidia.com/gpu` where a vendor's API servers take one, nor of a fraction in a queue or quota.

    ## Why
    GPU resources are extended resources: the API server refuses anything but integers.

    ## Example
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096.5}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4097}}
    ```

    ## Fix
    Unsafe: rounds up, so that nothing is below the request. None for a fraction of a card in a key
    that counts percent, and none where there is no number.

    ## Source
    Kubernetes, "Manage resources for containers", extended resources; kube-apiserver 1.32, 2026-11.
    """
    words = vocabulary_of(context)
    for _, _, one in resources_of(pod, words):
        reading = numerals.written(one.value)
        if reading.form is Form.NO_NUMBER:
            if numerals.is_placeholder(one.value) and not words.backends_of(pod):
                continue  # whole cards alone are no vendor's share: a workflow engine fills them in
            yield this.at(
                one.value,
                say("{name} {what}: it must be a whole number", name=one.name, what=_what(one.value)),
                _whole_number_of(numerals.unit_of(one.row, context.profile)),
            )
        elif reading.number < 0 and not words.has_bounds(one.name, pod):
            message = say("{name} is {text}: the API server refuses it", name=one.name, text=one.value.text)
            yield this.at(one.value, message, _whole_number_of(numerals.unit_of(one.row, context.profile)))
        elif reading.form is Form.TOO_LARGE:
            message = say("{key} {number} does not fit in 64 bits", key=one.name, number=one.value.text)
            yield this.at(one.value, message, _whole_number_of(numerals.unit_of(one.row, context.profile)))
        elif reading.form is Form.FRACTION:
            schedulers = _of_decimals(words, one.name) if 0 < (reading.amount or 0) < 1 else ()
            if pod.scheduler_name is not None and pod.scheduler_name.text in schedulers:
                continue
            hint, fix = _rounding(one, reading, numerals.unit_of(one.row, context.profile))
            message = say("{name} is {text}: it must be a whole number", name=one.name, text=one.value.text)
            named_elsewhere = bool(schedulers) and pod.scheduler_name is None
            yield this.at(one.value, message, hint, fix=fix, missing=named_elsewhere)


def _of_decimals(words: Vocabulary, name: str) -> set[str]:
    """The schedulers of vendors whose API servers take a part of a card in this key."""
    return {one for row in words.rows(name) for one in row.decimals_with}


def not_yet_known(value: Value) -> Diagnostic:
    """Whole cards whose number another tool writes: lint lets it pass, no translation does."""
    message = say("{name} {what}: it must be a whole number", name=value.path[-1], what=_what(value))
    found: Diagnostic = quantity_is_whole.at(value, message, _whole_number_of("cards"))
    return found


def _what(value: Value) -> str:
    if value.kind is Kind.NODE:
        return "holds a mapping or a list"
    if value.kind is Kind.NULL or not value.text:
        return "has no value"
    return say("is {text!r}", text=value.text[: quantity.MAX_LENGTH])


def _whole_number_of(unit: str) -> str:
    return say("write a whole number ({unit})", unit=unit) if unit else "write a whole number"


def _rounding(one: Resource, reading: Written, unit: str) -> tuple[str, Fix | None]:
    amount = reading.amount or reading.number
    up = math.ceil(amount)
    if up < 1:
        return _whole_number_of(unit), None
    if unit == "percent" and amount < 1:
        part = math.ceil(amount * 100)
        return say(
            "the key counts percent of one card: write {part} for that part of a card", part=part
        ), None
    if unit == "MiB" and reading.suffix == "m":
        mib = math.ceil(reading.number)
        return say("m means thousandths: write {mib} if MiB are meant", mib=mib), None
    title = say("round {text} up to {up}", text=one.value.text, up=up)
    hint = say("write {up}, the next whole number", up=up)
    if unit == "cards" and amount < 1:
        hint = say("write 1 for a card of its own; a part of a card needs the keys of a vendor")
    return hint, Fix(title, (Put(one.value.path, up),), safe=False)


@rule(
    "K8S002",
    Severity.ERROR,
    about=Subject.ODD_NUMBER,
    fix="safe",
    no_policy="the API server writes quantities its own way before a policy sees them: 1k may have been 1000",
)
def quantity_has_no_suffix(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The quantity of a GPU resource is a number without a suffix.

    ## What it does
    Reports units after the number (`2Gi`, `4GB`, `30%`), in quotas too. A warning where Kubernetes reads
    what was probably meant: `3000m`, `30.0`, and `6k` where MiB are counted. Nothing of `6k` in an object of
    a server, which prints 6000 so, nor of units in a key that counts bytes or takes a unit.

    ## Why
    Each key has its unit. `2Gi` is accepted and means 2147483648 units, which no node has, so the
    pod never schedules; `4GB` and `30%` are not quantities and are refused.

    ## Example
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4Gi}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Fix
    Writes the number in the unit of the key. Safe where that number is certain, as for `4Gi` in a
    key that counts MiB; unsafe for `4G`, which may be decimal.

    ## Source
    Kubernetes, "Manage resources for containers"; gpushare-scheduler-extender issue 11.
    """
    words = vocabulary_of(context)
    of_server = pod.served or words.placed_by_scheduler(pod)
    for _, _, one in resources_of(pod, words):
        reading = numerals.written(one.value)
        if one.row is not None and one.row.quantity and reading.amount is not None:
            continue  # an amount of bytes
        if reading.form is Form.SUFFIX and not (of_server and numerals.is_canonical(reading)):
            yield _suffixed(this, one, reading, numerals.unit_of(one.row, context.profile))


def _suffixed(this: Rule, one: Resource, reading: Written, unit: str) -> Diagnostic:
    text = one.value.text
    harmless = _harmless(reading, unit)
    if harmless is not None:
        write = say("write {number}", number=harmless)
        fix = Fix(write, (Put(one.value.path, harmless),))
        message = say(
            "{name} is {text!r}, which Kubernetes reads as {number}",
            name=one.name,
            text=text,
            number=harmless,
        )
        return this.at(one.value, message, write, severity=Severity.WARNING, fix=fix)
    if reading.amount is None:
        message = say(
            "{name} is {text!r}, which is not a quantity: the API server refuses it", name=one.name, text=text
        )
    else:
        amount = int(reading.amount)
        message = say(
            "{name} is {text}, which means {amount} units of the key",
            name=one.name,
            text=text,
            amount=amount,
        )
    meant = numerals.intended(reading, unit)
    if meant is None:
        hint = "write the number without a suffix"
        if one.row and one.row.quantity:
            hint = "write a number with a unit of Kubernetes, as 4Gi"
        elif one.row and one.row.counts:
            hint = say("write the number without a suffix ({unit})", unit=one.row.counts)
        return this.at(one.value, message, hint)
    number, certain = meant
    write = say("write {number}", number=number)
    fix = Fix(write, (Put(one.value.path, number),), safe=certain)
    if unit in ("MiB", "GiB"):
        write = say("the key counts {unit}: write {number}", unit=unit, number=number)
    return this.at(one.value, message, write, fix=fix)


def _harmless(reading: Written, unit: str) -> int | None:
    """The number where Kubernetes reads what was meant, in spite of the suffix."""
    if reading.amount is None:
        return None
    amount = int(reading.amount)
    if reading.suffix in ("", "m", "u", "n"):
        return amount
    plausible = numerals.LEAST_PLAUSIBLE_MIB <= amount <= numerals.MOST_PLAUSIBLE_MIB
    return amount if reading.suffix in ("k", "Ki") and unit == "MiB" and plausible else None


@rule(
    "K8S003",
    Severity.ERROR,
    about=Subject.REQUEST,
    fix="safe",
    no_policy=BY_API_SERVER,
)
def requests_equal_limits(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Requests equal limits where a container sets both.

    ## What it does
    Compares every vendor's key that is in both, and `nvidia.com/gpu`, as quantities.

    ## Why
    Extended resources cannot be overcommitted: the API server refuses a request other than the limit.

    ## Example
    ```yaml
    resources:
      limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}
      requests: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 2048}
    ```

    ## Use instead
    ```yaml
    resources:
      limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}
      requests: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}
    ```

    ## Fix
    Safe where the request is below the limit: writes the limit. None where it is above.

    ## Source
    Kubernetes, "Manage resources for containers", extended resources; kube-apiserver 1.32, 2026-11.
    """
    for container, values, one in resources_of(pod, vocabulary_of(context)):
        limit = container.limits.get(one.name)
        if values is not container.requests or limit is None:
            continue
        try:
            least, most = quantity.parse(one.value.text).amount, quantity.parse(limit.text).amount
        except quantity.QuantityError:
            continue
        if least == most:
            continue
        fix, hint = None, "write the same whole number in both"
        plain = numerals.written(limit).form is Form.PLAIN
        if plain:
            hint = say("write {limit}, or omit requests", limit=limit.text)
        if plain and least < most:
            title = say("request {limit}, as in limits", limit=limit.text)
            fix = Fix(title, (Put(one.value.path, limit.plain),))
        message = say(
            "{name} is {request} in requests and {limit} in limits: both must be equal",
            name=one.name,
            request=one.value.text,
            limit=limit.text,
        )
        yield this.at(one.value, message, hint, fix=fix)


@rule(
    "K8S004",
    Severity.ERROR,
    about=Subject.REQUEST,
    fix="safe",
    missing=True,
    no_policy=BY_API_SERVER,
)
def limits_hold_the_key(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A GPU resource is in limits, not in requests alone.

    ## What it does
    Reports a vendor's key, or `nvidia.com/gpu`, that only `requests` has.

    ## Why
    The API server refuses an extended resource without a limit. The other way round is fine:
    requests are defaulted from limits.

    ## Example
    ```yaml
    resources: {requests: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Fix
    Safe: adds the same value to limits.

    ## Source
    Kubernetes, "Manage resources for containers", extended resources; kube-apiserver 1.32, 2026-11.
    """
    for container, values, one in resources_of(pod, vocabulary_of(context)):
        if values is not container.requests or one.name in container.limits:
            continue
        fix = None
        if quantity.whole(one.value.text) is not None:
            resources = one.value.path[:-2]  # some kinds have another name for them
            limits: Path = (*resources, "limits", one.value.path[-1])  # as it is written
            fix = Fix(say("add {name} to limits", name=one.name), (Put(limits, one.value.plain),))
        message = say("{name} is in requests but not in limits: the API server refuses it", name=one.name)
        yield this.at(
            one.value, message, say("write {name} in limits too", name=one.name), on_key=True, fix=fix
        )
