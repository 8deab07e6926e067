"""The rules of Kubernetes itself, for the resources of any vendor, whole cards too (K8S)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Edit, Fix, Path, Put, Remove, Severity
from gpuxlate.model.keys import ANY, INT32, NVIDIA_GPU, KeySpec, Place
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, Level, PodKeys, ScalarKind, Value, keep_last, key_occurrences
from gpuxlate.rules import number_format
from gpuxlate.rules.base import BY_API_SERVER, Context, Dialect, Rule, Subject, rule
from gpuxlate.rules.key_index import KeyIndex, key_index_of
from gpuxlate.rules.number_format import NumberForm, WrittenNumber


class Resource(NamedTuple):
    """A key of GPUs in limits or requests of a container."""

    name: str
    value: Value
    row: KeySpec | None


_COUNTED = ("cards", "partition", "replica")
"""The values of ``KeySpec.sets`` for keys that count devices."""
Found = tuple[ContainerKeys, Mapping[str, Value], Resource]


@keep_last
def resources_of(pod: PodKeys, index: KeyIndex) -> Iterator[Found]:
    """Every key of GPUs in limits and requests, whole cards too, with its container and its mapping.

    GX013 reports keys that do not belong there.
    """
    for container in pod.all_containers():
        for values in (container.limits, container.requests):
            for name, value in values.items():
                if index.is_resource(name) or name in index.whole_cards:
                    yield container, values, Resource(name, value, next(iter(index.rows(name)), None))


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

    ## Fix
    Unsafe: rounds up, so that nothing is below the request. None for a fraction of a card in a key
    that counts percent, and none where there is no number.

    ## Source
    Kubernetes, "Manage resources for containers", extended resources; kube-apiserver 1.32 (2026-11).
    """
    index = key_index_of(context)
    for _, _, resource in resources_of(pod, index):
        reading = number_format.number_as_written(resource.value)
        if reading.form is NumberForm.NO_NUMBER:
            if number_format.is_placeholder(resource.value):
                continue  # GX036; of whole cards alone, which are no vendor's share, nothing
            yield this.diagnostic(
                resource.value,
                msg(
                    "{name} {what}: it must be a whole number",
                    name=resource.name,
                    what=_value_text(resource.value),
                ),
                _whole_number_of(number_format.unit_of(resource.row, context.profile)),
            )
        elif reading.number < 0 and not index.has_bounds(resource.name, pod):
            message = msg(
                "{name} is {text}: the API server refuses it", name=resource.name, text=resource.value.text
            )
            yield this.diagnostic(
                resource.value,
                message,
                _whole_number_of(number_format.unit_of(resource.row, context.profile)),
            )
        elif reading.form is NumberForm.TOO_LARGE:
            message = msg(
                "{key} {number} does not fit in 64 bits", key=resource.name, number=resource.value.text
            )
            yield this.diagnostic(
                resource.value,
                message,
                _whole_number_of(number_format.unit_of(resource.row, context.profile)),
            )
        elif reading.form is NumberForm.FRACTION:
            schedulers = _of_decimals(index, resource.name) if 0 < (reading.amount or 0) < 1 else ()
            if pod.scheduler_name is not None and pod.scheduler_name.text in schedulers:
                continue
            hint, fix = _rounding(resource, reading, number_format.unit_of(resource.row, context.profile))
            message = msg(
                "{name} is {text}: it must be a whole number", name=resource.name, text=resource.value.text
            )
            named_elsewhere = bool(schedulers) and pod.scheduler_name is None
            yield this.diagnostic(resource.value, message, hint, fix=fix, missing=named_elsewhere)


@rule(
    "K8S010",
    Severity.ERROR,
    about=Subject.ODD_NUMBER,
    no_policy="such a pod stays pending and takes nothing",
)
def a_node_has_the_cards(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A number of cards, partitions or clients of a card is at most 2147483647.

    ## What it does
    Reports more than 2147483647 cards, partitions or clients of cards in a container, where no rule of a
    vendor says how many there may be. Nothing in quotas, where such a number means no limit.

    ## Why
    A count that large is an amount of memory under the key of another one. The API server takes it, and the
    pod stays Pending. HAMi's scheduler reads the number with 32 bits.

    ## Source
    Project-HAMi/HAMi, pkg/device: the requests of a container are int32 (2026-08-19).
    """
    index = key_index_of(context)
    for _, _, resource in resources_of(pod, index):
        reading = number_format.number_as_written(resource.value)
        if (reading.form is NumberForm.PLAIN and reading.number > INT32) and _is_counted(
            index, resource, pod
        ):
            message = msg(
                "{key} {number}: no node has so many", key=resource.name, number=resource.value.text
            )
            yield this.diagnostic(
                resource.value, message, "write the number of cards; memory has a key of its own"
            )


@rule("GX036", Severity.INFO, about=Subject.ODD_NUMBER, no_policy=BY_API_SERVER)
def value_is_known(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The value of a GPU resource is in the manifest, not in a variable.

    ## What it does
    Reports `${GPU_MEM}`, `$GPU_MEM`, `$(params.memory)`, `{{memory}}`, `GPU_MEM` and `<memory>` as values of
    vendors' keys. They are not checked, and a translation leaves their pod as it is (GX026).

    ## Why
    Another tool, such as envsubst or a workflow engine, writes the number later.

    ## Source
    Contract of gpuxlate, "the way of a user".
    """
    index = key_index_of(context)
    for _, _, resource in resources_of(pod, index):
        if number_format.is_placeholder(resource.value) and index.backends_of(pod):
            message = msg(
                "{name} is {text}: a variable, not checked", name=resource.name, text=resource.value.text
            )
            yield this.diagnostic(resource.value, message, "check the output of the tool that sets it")


def _is_counted(index: KeyIndex, resource: Resource, pod: PodKeys) -> bool:
    """The key counts cards or parts of cards, and no dialect of the pod has a maximum for it."""
    counts = resource.name in index.whole_cards or any(
        row.sets in _COUNTED for row in index.rows(resource.name)
    )
    rows = (dialect.find(resource.name) for dialect in index.backends_of(pod)) if counts else ()
    return counts and all(row.legal.most is None for row in rows if row is not None)


def _of_decimals(index: KeyIndex, name: str) -> set[str]:
    """The schedulers of vendors whose API servers accept a part of a card in this key."""
    return {unit for row in index.rows(name) for unit in row.decimals_with}


def not_yet_known(value: Value) -> Diagnostic:
    """K8S001 about a number of whole cards that another tool writes: lint accepts it, no translation does."""
    message = msg("{name} {what}: it must be a whole number", name=value.path[-1], what=_value_text(value))
    finding: Diagnostic = quantity_is_whole.diagnostic(value, message, _whole_number_of("cards"))
    return finding


def _value_text(value: Value) -> str:
    if value.kind is ScalarKind.NODE:
        return "holds a mapping or a list"
    if value.kind is ScalarKind.NULL or not value.text:
        return "has no value"
    return msg("is {text!r}", text=value.text[: quantity.MAX_QUANTITY_LENGTH])


def _whole_number_of(unit: str) -> str:
    return msg("write a whole number ({unit})", unit=unit) if unit else "write a whole number"


def _rounding(resource: Resource, reading: WrittenNumber, unit: str) -> tuple[str, Fix | None]:
    amount = reading.amount or reading.number
    up = math.ceil(amount)
    if up < 1:
        return _whole_number_of(unit), None
    if unit == "percent" and amount < 1:
        part = math.ceil(amount * 100)
        return msg(
            "the key counts percent of one card: write {part} for that part of a card", part=part
        ), None
    if unit == "MiB" and reading.suffix == "m":
        mib = math.ceil(reading.number)
        return msg("m means thousandths: write {mib} if MiB are meant", mib=mib), None
    title = msg("round {text} up to {up}", text=resource.value.text, up=up)
    hint = msg("write {up}, the next whole number", up=up)
    if unit == "cards" and amount < 1:
        hint = msg("write 1 for a card of its own; a part of a card needs the keys of a vendor")
    return hint, Fix(title, (Put(resource.value.path, up),), safe=False)


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
    what was probably meant: `3000m`, `30.0`, and `6k` where MiB are counted. Not reported: `6k` in objects of
    a server, which prints 6000 as `6k`, and units in a key that counts bytes or takes a unit.

    ## Why
    Each key has its unit. `2Gi` is accepted and means 2147483648 units, which no node has, so the
    pod never schedules; `4GB` and `30%` are not quantities and are refused.

    ## Fix
    Writes the number in the unit of the key. Safe where that number is certain, as for `4Gi` in a
    key that counts MiB; unsafe for `4G`, which may be decimal.

    ## Source
    Kubernetes, "Manage resources for containers"; AliyunContainerService/gpushare-scheduler-extender, issue
    11.
    """
    index = key_index_of(context)
    of_server = pod.served or index.placed_by_scheduler(pod)
    for _, _, resource in resources_of(pod, index):
        reading = number_format.number_as_written(resource.value)
        if resource.row is not None and resource.row.quantity and reading.amount is not None:
            continue  # an amount of bytes
        if reading.form is NumberForm.SUFFIX and not (of_server and number_format.is_canonical(reading)):
            unit = number_format.unit_of(resource.row, context.profile)
            if (
                resource.row is not None
                and reading.amount is not None
                and 0 < resource.row.gib_up_to < reading.amount
            ):
                unit = "MiB"  # only smaller numbers count GiB
            yield _suffixed(this, resource, reading, unit)


def _suffixed(this: Rule, resource: Resource, reading: WrittenNumber, unit: str) -> Diagnostic:
    text = resource.value.text
    harmless = _harmless(reading, unit)
    if harmless is not None:
        write = msg("write {number}", number=harmless)
        fix = Fix(write, (Put(resource.value.path, harmless),))
        message = msg(
            "{name} is {text!r}, which Kubernetes reads as {number}",
            name=resource.name,
            text=text,
            number=harmless,
        )
        return this.diagnostic(resource.value, message, write, severity=Severity.WARNING, fix=fix)
    if reading.amount is None:
        message = msg(
            "{name} is {text!r}, which is not a quantity: the API server refuses it",
            name=resource.name,
            text=text,
        )
    else:
        amount = int(reading.amount)
        in_words = {"name": resource.name, "text": text, "amount": amount}
        message = (
            msg("{name} is {text}, which requests {amount} {unit}", **in_words, unit=unit)
            if unit in ("MiB", "GiB")
            else msg("{name} is {text}, which is {amount} units of the key", **in_words)
        )
    meant = number_format.intended_number(reading, unit)
    if meant is None:
        hint = "write the number without a suffix"
        if resource.row and resource.row.quantity:
            hint = "write a number with a unit of Kubernetes, as 4Gi"
        elif resource.row and resource.row.unit_text:
            hint = msg("write the number without a suffix ({unit})", unit=resource.row.unit_text)
        return this.diagnostic(resource.value, message, hint)
    number, certain = meant
    write = msg("write {number}", number=number)
    fix = Fix(write, (Put(resource.value.path, number),), safe=certain)
    if unit in ("MiB", "GiB"):
        write = msg("the key counts {unit}: write {number}", unit=unit, number=number)
    return this.diagnostic(resource.value, message, write, fix=fix)


def _harmless(reading: WrittenNumber, unit: str) -> int | None:
    """The number that a value with a suffix probably means, if Kubernetes reads the same; else None."""
    if reading.amount is None:
        return None
    amount = int(reading.amount)
    if reading.suffix in ("", "m", "u", "n"):
        return amount
    plausible = number_format.LEAST_PLAUSIBLE_MIB <= amount <= number_format.MOST_PLAUSIBLE_MIB
    return amount if reading.suffix in ("k", "Ki") and unit == "MiB" and plausible else None


@rule(
    "K8S003",
    Severity.ERROR,
    about=Subject.REQUEST,
    fix="safe",
    no_policy=BY_API_SERVER,
)
def requests_equal_limits(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """`requests` equal `limits` where a container sets both.

    ## What it does
    Compares every vendor's key that is in both, and `nvidia.com/gpu`, as quantities.

    ## Why
    Extended resources cannot be overcommitted: the API server refuses a request other than the limit.

    ## Fix
    Safe where the request is below the limit: writes the limit. None where it is above.

    ## Source
    Kubernetes, "Manage resources for containers", extended resources; kube-apiserver 1.32 (2026-11).
    """
    for container, values, resource in resources_of(pod, key_index_of(context)):
        limit = container.limits.get(resource.name)
        if values is not container.requests or limit is None:
            continue
        try:
            least, upper = quantity.parse(resource.value.text).amount, quantity.parse(limit.text).amount
        except quantity.QuantityError:
            continue
        if least == upper:
            continue
        fix, hint = None, "write the same whole number in both"
        plain = number_format.number_as_written(limit).form is NumberForm.PLAIN
        if plain:
            hint = msg("write {limit}, or omit requests", limit=limit.text)
        if plain and least < upper:
            title = msg("request {limit}, as in limits", limit=limit.text)
            fix = Fix(title, (Put(resource.value.path, limit.plain),))
        message = msg(
            "{name} is {request} in requests and {limit} in limits: both must be equal",
            name=resource.name,
            request=resource.value.text,
            limit=limit.text,
        )
        yield this.diagnostic(resource.value, message, hint, fix=fix)


NATIVE_DOMAIN = "kubernetes.io/"
"""Names with it are no extended resources (IsNativeResource)."""


@rule(
    "K8S004",
    Severity.ERROR,
    about=Subject.REQUEST,
    fix="safe",
    missing=True,
    no_policy=BY_API_SERVER,
)
def limits_hold_the_key(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A GPU resource is in `limits`, not only in `requests`.

    ## What it does
    Reports a vendor's key, or `nvidia.com/gpu`, that only `requests` has. Names in the domain `kubernetes.io`
    or one below it are fine there, and those of which the vendor's webhook adds the limit.

    ## Why
    The API server refuses an extended resource without a limit. The other way round is fine:
    requests are defaulted from limits.

    ## Fix
    Safe: adds the same value to limits.

    ## Source
    Kubernetes, "Manage resources for containers", extended resources; kubernetes/kubernetes,
    IsOvercommitAllowed in pkg/apis/core/v1/helper/helpers.go; kube-apiserver 1.32 (2026-11).
    """
    for container, values, resource in resources_of(pod, key_index_of(context)):
        if (
            values is not container.requests
            or resource.name in container.limits
            or NATIVE_DOMAIN in resource.name
        ):
            continue
        if resource.row is not None and resource.row.limit_by_webhook:
            continue
        fix = None
        if quantity.parse_integer(resource.value.text) is not None:
            resources = resource.value.path[:-2]  # some kinds have another name for them
            limits: Path = (*resources, "limits", resource.value.path[-1])  # as it is written
            fix = Fix(msg("add {name} to limits", name=resource.name), (Put(limits, resource.value.plain),))
        message = msg(
            "{name} is in requests but not in limits: the API server refuses it", name=resource.name
        )
        yield this.diagnostic(
            resource.value,
            message,
            msg("write {name} in limits too", name=resource.name),
            on_key=True,
            fix=fix,
        )


@rule("K8S012", Severity.ERROR, about=Subject.NO_DOMAIN, no_policy=BY_API_SERVER)
def resource_has_a_domain(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """The name of a GPU resource in limits and requests has a domain: `nvidia.com/gpu`, not `gpu`.

    ## What it does
    Reports resources of containers without a domain whose names read like a GPU's, such as `gpu`,
    `nvidia-gpu` and `nvidia`. Nothing in the values of a chart, whose templates may write another name.

    ## Why
    The API server refuses the pod: a resource without a domain "must be a standard resource for
    containers", such as `cpu`.

    ## Source
    kubernetes/kubernetes, validateContainerResourceName in pkg/apis/core/validation/validation.go;
    kubeflow/pipelines, issue 6858.
    """
    if context.values:
        return
    index = key_index_of(context)
    for container in pod.all_containers():
        for values in (container.limits, container.requests):
            for name, value in values.items():
                is_bare = Subject.NO_DOMAIN in index.subjects(name, Place.RESOURCE)
                if is_bare and not (
                    index.owners(name) and index.is_meant(name, Place.RESOURCE, pod)
                ):  # GX013
                    yield this.diagnostic(
                        value,
                        msg("{name} has no domain: the API server refuses it", name=name),
                        msg(
                            "write {key} for whole cards, or the keys of a vendor for a share", key=NVIDIA_GPU
                        ),
                        on_key=True,
                    )


# The rules of Kubernetes for labels, annotations and selectors (K8S005, K8S006, K8S008).
@rule(
    "K8S005",
    Severity.WARNING,
    about=Subject.STEERING,
    fix="safe",
    no_policy="it is about the workload: a pod does not show what its workload has",
)
def steering_is_on_the_pod(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Labels and annotations of a share are in `template.metadata`, not only in `metadata` of the workload.

    ## What it does
    Reports a vendor's label or annotation on a Deployment, Job or other workload whose pods
    request GPUs of that vendor, where the pod template does not have it or has another value. Not of a Job of
    Volcano, where the vendor's scheduler reads the PodGroup: it has the Job's labels and annotations.

    ## Why
    Schedulers and webhooks read the pod. The workload's own metadata is not passed on to it.

    ## Fix
    Safe: moves it to the pod template. None where the pod template has another value. A label with which the
    vendor's webhook does not look at a pod is removed: moved, it would take the share from the pods.

    ## Source
    ACK, multi-card-sharing-through-shared-gpu-scheduling, which has the label in `spec.template`
    (2025-04-19); volcano-sh/volcano, pull request 3030, which reads the pod (2024-03).
    """
    index = key_index_of(context)
    fields: tuple[tuple[str, Place, Mapping[str, Value], Mapping[str, Value], Mapping[str, Value]], ...] = (
        ("labels", Place.LABEL, pod.owner_labels, pod.labels, pod.stray_labels),
        ("annotations", Place.ANNOTATION, pod.owner_annotations, pod.annotations, pod.stray_annotations),
    )
    for field, place, on_owner, on_pod, stray in fields:
        for name, value in on_owner.items():
            if not index.rows(name):
                continue
            rows = [
                row for row in (dialect.find(name) for dialect in index.backends_of(pod)) if row is not None
            ]
            steers = any(
                place in row.places
                and Place.WRITTEN_BY_SCHEDULER not in row.places
                and ANY not in row.no_op_values
                and not (pod.grouped and row.of_group)
                for row in rows
            )
            if steers and name not in stray and on_pod.get(name) != value:
                hides = any(value.text in row.hides for row in rows)
                yield _on_workload(this, name, value, on_pod.get(name), pod.metadata_of(field), hides)


def _on_workload(
    this: Rule, name: str, value: Value, limit: Value | None, target: Path, hides: bool
) -> Diagnostic:
    """K8S005 about a label or annotation on the workload. ``limit``: the value on its pods.

    ``hides``: on the pods the key would hide their share from the webhook, so the fix does not move it.
    """
    where = ".".join(map(str, target))
    if limit is not None:
        message = msg(
            "{name} is {value!r} on the workload and {own!r} on its pods: the value on the pods counts",
            name=name,
            value=value.text,
            own=limit.text,
        )
        return this.diagnostic(value, message, msg("keep the one in {where}", where=where), on_key=True)
    message = msg("{name} is on the workload only, where nothing reads it", name=name)
    if hides:
        removed = Fix(msg("remove {name}", name=name), (Remove(value.path),))
        hint = msg("remove it: in {where} it would hide the share from the webhook", where=where)
        return this.diagnostic(value, message, hint, on_key=True, fix=removed)
    fix = None
    if value.kind is not ScalarKind.NODE:
        title = msg("move {name} to {where}", name=name, where=where)
        fix = Fix(title, (Remove(value.path), Put((*target, name), value.text)))
    hint = msg("write it in {where}", where=where)
    return this.diagnostic(value, message, hint, on_key=True, fix=fix, missing=True)


@rule(
    "K8S006",
    Severity.ERROR,
    about=Subject.STEERING,
    fix="safe",
    no_policy="the API server has dropped fields that it does not know, before a policy sees the pod",
)
def steering_is_in_metadata(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Labels and annotations are inside `metadata`.

    ## What it does
    Reports a vendor's key under `labels:` or `annotations:` next to `metadata` or `spec`.

    ## Why
    Kubernetes has no such field there and drops it, or refuses it. Tencent's own page on online
    and offline pods shows this mistake.

    ## Fix
    Safe: moves the key into `metadata`. None where `metadata` has another value.

    ## Source
    Kubernetes API, PodTemplateSpec; Tencent docs 457/81034, online/offline colocation (2025-09-15).
    """
    index = key_index_of(context)
    inside = {"labels": pod.labels, "annotations": pod.annotations}
    for spot in key_occurrences(pod):
        if spot.level is not Level.STRAY or not index.is_read(spot.name):
            continue
        if not index.is_meant(spot.name, spot.place, pod):
            continue
        if index.written_by_scheduler(spot.name):
            continue  # GX004 removes it
        target = pod.metadata_of(spot.field)
        where = ".".join(map(str, target))
        value = inside[spot.field].get(spot.name)
        edits: tuple[Edit, ...] = (spot.removal,)
        if value is None:
            edits = (*edits, Put((*target, spot.name), spot.value.text))
        fix = Fix(msg("move {name} to {where}", name=spot.name, where=where), edits)
        fixable = spot.value.kind is not ScalarKind.NODE and value in (None, spot.value)
        yield this.diagnostic(
            spot.value,
            msg(
                "{name} is in {field} outside metadata, where Kubernetes does not read it",
                name=spot.name,
                field=spot.field,
            ),
            msg("write it in {where}", where=where),
            on_key=True,
            fix=fix if fixable else None,
        )


@rule(
    "K8S008",
    Severity.ERROR,
    about=Subject.STEERING,
    fix="safe",
    no_policy=BY_API_SERVER,
)
def label_values_are_strings(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Values in `labels`, `annotations` and `nodeSelector` are strings.

    ## What it does
    Reports a number, a boolean or an empty value of a vendor's label, annotation or node selector.

    ## Why
    The API server refuses `gpu-count: 2` and accepts `gpu-count: "2"`.

    ## Fix
    Safe: quotes the value. None where there is no value.

    ## Source
    Kubernetes API, ObjectMeta: maps of strings; kube-apiserver 1.32, with kubectl 1.32 (2026-11).
    """
    index = key_index_of(context)
    for spot in key_occurrences(pod):
        value = spot.value
        if spot.place not in (Place.LABEL, Place.ANNOTATION, Place.NODE_SELECTOR):
            continue
        if value.kind is ScalarKind.STR or spot.level is Level.STRAY or not index.is_read(spot.name):
            continue
        if not index.is_meant(spot.name, spot.place, pod):
            continue
        if value.kind in (ScalarKind.NODE, ScalarKind.NULL):
            problem = "has no value" if value.kind is ScalarKind.NULL else "holds a mapping or a list"
            message = msg(
                "{name} in {field} {what}: it must be a string",
                name=spot.name,
                field=spot.field,
                what=problem,
            )
            yield this.diagnostic(value, message, on_key=True)
            continue
        yield this.diagnostic(
            value,
            msg(
                "{name} in {field} is {value}, not a string: the API server refuses it",
                name=spot.name,
                field=spot.field,
                value=value.text,
            ),
            msg('write "{value}"', value=value.text),
            fix=Fix("quote the value", (Put(value.path, value.text),)),
        )


@rule("K8S007", Severity.ERROR, about=Subject.RESOURCE)
def container_asks_one_vendor(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A container requests GPUs of one vendor, and either a share or whole cards (`nvidia.com/gpu`).

    ## What it does
    Reports keys of two vendors in one container, and a vendor's share next to `nvidia.com/gpu`.

    ## Why
    No node offers both: a node belongs to one vendor and runs one device plugin, so the pod never
    schedules.

    ## Source
    ACK, enable-scheduling: labels of GPU nodes (2026-01-12); Tencent Cloud, GPU sharing: using qGPU, note on
    whole cards: node pools keep NVIDIA's plugin and qGPU apart (2024-11-25).
    """
    index = key_index_of(context)
    for container in pod.all_containers():
        whole, shares = _kinds(container, index)
        if not shares:
            continue
        first, _ = shares[0]
        common = index.offers(first)
        for name, value in shares[1:]:
            if common.isdisjoint(index.offers(name)):
                yield this.diagnostic(
                    value,
                    msg(
                        "one container requests GPUs of two vendors: {first} ({share}) and {second} ({name})",
                        first=index.owners(first)[0].title,
                        share=first,
                        second=index.owners(name)[0].title,
                        name=name,
                    ),
                    "keep the keys of one of them: gpuxlate translate writes a manifest for each",
                    on_key=True,
                )
                break
            common &= index.offers(name)
        for name, value in whole:
            if common.isdisjoint(index.offers(name)):
                yield this.diagnostic(
                    value,
                    msg("{name} and {share} in one container: no node offers both", name=name, share=first),
                    msg("keep {name} for whole cards, or {share} for a share", name=name, share=first),
                    on_key=True,
                )
            else:
                common &= index.offers(name)


def other_dialect(pod: PodKeys, chosen: Dialect, other: Dialect) -> Diagnostic:
    """K8S007 about a pod that is read in the ``chosen`` dialect and has keys of another."""
    resources = (entry for container in pod.all_containers() for entry in container.resources.items())
    path = next((value.path for name, value in resources if other.owns(name)), pod.path)
    message = msg(
        "the pod is to be read as {chosen}, and has keys of {other}", chosen=chosen.name, other=other.name
    )
    hint = msg(
        "leave out --from {chosen}, or remove the keys of {other}", chosen=chosen.name, other=other.name
    )
    return container_asks_one_vendor.diagnostic(path, message, hint, on_key=True)


Named = list[tuple[str, Value]]


def _kinds(container: ContainerKeys, index: KeyIndex) -> tuple[Named, Named]:
    """The keys that count only whole cards, and the other keys of vendors.

    Without keys that form one share with another vendor's.
    """
    whole: Named = []
    shares: Named = []
    joined = index.joined(container.resources)
    for name, value in container.resources.items():
        if index.counts_whole_cards(name):
            if quantity.parse_integer(value.text) != 0:
                whole.append((name, value))
        elif index.is_resource(name) and name not in joined:
            shares.append((name, value))
    return whole, shares
