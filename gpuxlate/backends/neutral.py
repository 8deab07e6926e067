"""gpuxlate's own keys, whose numbers are those of a share; how they are read and written; their rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpuxlate.backends.target import (
    Backend,
    ContainerShare,
    KeySpec,
    Per,
    Place,
    PodReader,
    PodWriter,
    Range,
    Reading,
    ShareWriter,
    key,
)
from gpuxlate.model.diagnostics import Diagnostic, Path, Severity
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import (
    MODEL_PATTERN,
    VENDOR_PATTERN,
    Device,
    Isolation,
    Partition,
    Policy,
    Qos,
    Replica,
    Strategy,
    in_resource,
    of_resource,
)
from gpuxlate.rules.base import Context, Rule, rule

CORES = "gpuxlate.io/cores"
MEMORY = "gpuxlate.io/memory-mib"
MEMORY_PERCENT = "gpuxlate.io/memory-percent"
MEMORY_LIMIT = "gpuxlate.io/memory-limit-mib"
CARDS = "gpuxlate.io/cards"
PARTITION = "gpuxlate.io/partition-*"
REPLICA_OF = "gpuxlate.io/replica-of"
REPLICAS = "gpuxlate.io/replicas"
POLICY = "gpuxlate.io/policy"
QOS = "gpuxlate.io/qos"
ISOLATION = "gpuxlate.io/isolation"
DEVICE_VENDOR = "gpuxlate.io/device-vendor"
DEVICE_MODELS = "gpuxlate.io/device-models"
POLICIES = {str(policy): policy for policy in Policy}
CLASSES = {str(qos): qos for qos in Qos}
ISOLATIONS = {str(isolation): isolation for isolation in Isolation}
STRATEGIES: dict[str, Strategy | None] = {
    REPLICAS: None,
    **{f"{REPLICAS}-{strategy}": strategy for strategy in Strategy},
}
"""Resources that count replicas, each with how its clients share the card."""
_MODEL = MODEL_PATTERN.strip("^$")
KEYS: tuple[KeySpec, ...] = (
    key(
        CARDS,
        Place.RESOURCE,
        sets="cards",
        meaning="cards, an equal part of each",
        unit=1,
        values=(Range(),),
    ),
    key(
        CORES,
        Place.RESOURCE,
        sets="cores",
        meaning="compute, total over the cards",
        unit=1,
        values=(Range(),),
        no_op_values=("100",),
    ),
    key(
        MEMORY,
        Place.RESOURCE,
        sets="memory_mib",
        meaning="GPU memory, total over the cards",
        unit=1,
        values=(Range(),),
    ),
    key(
        MEMORY_PERCENT,
        Place.RESOURCE,
        sets="memory_percent",
        meaning="GPU memory, of each card",
        unit=1,
        per=Per.CARD,
        values=(Range(1, 100),),
        no_op_values=("100",),
    ),
    key(
        POLICY,
        Place.ANNOTATION,
        sets="policy",
        meaning="how compute is divided",
        values=tuple(POLICIES),
    ),
    key(QOS, Place.ANNOTATION, sets="qos", meaning="colocation class", values=tuple(CLASSES)),
    key(
        MEMORY_LIMIT,
        Place.RESOURCE,
        sets="memory_limit_mib",
        meaning="how far GPU memory may burst, total over the cards",
        unit=1,
        values=(Range(),),
        needs=(MEMORY,),
    ),
    key(
        PARTITION,
        Place.RESOURCE,
        sets="partition",
        meaning="instances of a hardware partition, whose profile is in the name; a dot for each plus",
        values=(Range(),),
        template="gpuxlate.io/partition-{profile}",
    ),
    *(
        key(
            name,
            Place.RESOURCE,
            sets="replica",
            meaning="clients of a card that others use too" + (f", by {strategy}" if strategy else ""),
            values=(Range(),),
            excludes=tuple(other for other in STRATEGIES if other != name),
        )
        for name, strategy in STRATEGIES.items()
    ),
    key(
        REPLICA_OF,
        Place.RESOURCE,
        sets="replica",
        meaning="how many equal clients the card has",
        values=(Range(2),),
        needs=tuple(STRATEGIES),
    ),
    key(
        DEVICE_VENDOR,
        Place.ANNOTATION,
        sets="device",
        meaning="who makes the cards that will do",
        values=(re.compile(VENDOR_PATTERN.strip("^$")),),
    ),
    key(
        DEVICE_MODELS,
        Place.ANNOTATION,
        sets="device",
        meaning="the card models that will do, with commas between them",
        values=(re.compile(rf"{_MODEL}(, ?{_MODEL})*"),),
    ),
    key(
        ISOLATION,
        Place.ANNOTATION,
        sets="isolation",
        meaning="the least isolation that is acceptable",
        values=tuple(ISOLATIONS),
    ),
)
NUMBERS = {row.name: str(row.sets) for row in KEYS if Place.RESOURCE in row.places and row.unit}
"""Resources, to the attributes of the share: its numbers."""
OF_POD = {row.name: str(row.sets) for row in KEYS if Place.ANNOTATION in row.places}
"""Annotations of the pod, to the attributes of the share."""
BEFORE = PARTITION.removesuffix("*")


def partition_resources(container: ContainerKeys) -> list[str]:
    """The resources of a container that count partitions."""
    return [name for name in container.resources if name.startswith(BEFORE)]


def allows(name: str, text: str) -> bool:
    """Whether the text is a value of the annotation (GX010)."""
    row = next(row for row in KEYS if row.name == name)
    return any(
        value.fullmatch(text) if isinstance(value, re.Pattern) else value == text for value in row.values
    )


# The neutral keys of gpuxlate itself, inline in a manifest. Every share is exact here.
def _partition(pod: PodReader, container: ContainerKeys) -> tuple[Partition, Path] | None:
    """The partition of a container; of several, a rule reports all but one."""
    names = partition_resources(container)
    counts = [pod.number(container, name) for name in names]
    if not counts or counts[0] is None:
        return None
    name, count = names[0], counts[0]
    return Partition(of_resource(name.removeprefix(BEFORE)), count), container.resources[name].path


def _replica(pod: PodReader, container: ContainerKeys) -> tuple[Replica, Path] | None:
    """The replica of a container; the number of clients alone is not one."""
    of = pod.number(container, REPLICA_OF)
    counts = {name: pod.number(container, name) for name in STRATEGIES}
    name, count = next(((name, count) for name, count in counts.items() if count is not None), ("", None))
    if count is None:
        return None
    return Replica(of, STRATEGIES[name], count), container.resources[name].path


def _write_container(placing: ShareWriter) -> ContainerKeys:
    values: dict[str, Any] = {name: placing.take(attribute) for name, attribute in NUMBERS.items()}
    if values[CARDS] == 1 and not placing.whole_cards:
        del values[CARDS]
    partition, replica = placing.take("partition"), placing.take("replica")
    if partition is not None:
        values[BEFORE + in_resource(partition.profile)] = partition.count
    if replica is not None:
        name = next(name for name, strategy in STRATEGIES.items() if strategy is replica.strategy)
        values |= {name: replica.count, REPLICA_OF: replica.of}
    written = {name: Value.of(value) for name, value in values.items() if value is not None}
    return ContainerKeys(placing.name, placing.index, placing.init, written, written)


class Neutral(Backend):
    """The share itself in keys of gpuxlate, in the units of ``Share``: percent of one card and MiB,
    totals over the cards."""

    name = "neutral"
    title = "gpuxlate's own keys"
    keys = KEYS
    gpu_prefixes = ("gpuxlate.io/",)
    field_docs = {
        "cards": "gpuxlate.io/cards",
        "cores": "gpuxlate.io/cores",
        "memoryMiB": "gpuxlate.io/memory-mib",
        "memoryPercent": "gpuxlate.io/memory-percent",
        "policy": "annotation gpuxlate.io/policy",
        "qos": "annotation gpuxlate.io/qos",
        "memoryLimitMiB": "gpuxlate.io/memory-limit-mib",
        "device": "annotations gpuxlate.io/device-vendor, gpuxlate.io/device-models",
        "isolation": "annotation gpuxlate.io/isolation",
        "partition": "gpuxlate.io/partition-PROFILE",
        "replica": "gpuxlate.io/replicas, replicas-mps or replicas-time-slicing; gpuxlate.io/replica-of",
    }
    rule_prefix = "GX"
    row_rules = ()

    def read(self, pod: PodReader, profile: Profile | None) -> Reading:
        """Read keys as shares. A value that GX010 reports sets nothing."""
        of_pod = {name: value for name in OF_POD if (value := pod.annotation(name))}
        texts = {name: value.text for name, value in of_pod.items() if allows(name, value.text)}
        # the attribute of the first key that sets it
        paths: dict[str, Path] = {OF_POD[name]: of_pod[name].path for name in reversed(of_pod)}
        models = texts.get(DEVICE_MODELS)
        containers: list[ContainerShare] = []
        for container in pod.pod.all_containers():
            numbers: dict[str, Any] = {
                attribute: pod.number(container, name) for name, attribute in NUMBERS.items()
            }
            parts: dict[str, Any] = {
                "partition": _partition(pod, container),
                "replica": _replica(pod, container),
            }
            if all(number is None for number in (*numbers.values(), *parts.values())):
                containers.append(pod.none(container))
                continue
            values = {attribute: container.resources.get(name) for name, attribute in NUMBERS.items()}
            cards = numbers.pop("cards")
            containers.append(
                pod.share(
                    container,
                    cards=1 if cards is None else cards,
                    **numbers,
                    **{name: amount and amount[0] for name, amount in parts.items()},
                    policy=POLICIES.get(texts.get(POLICY, "")),
                    qos=CLASSES.get(texts.get(QOS, "")),
                    device=Device(texts.get(DEVICE_VENDOR), tuple(re.split(", ?", models)) if models else ()),
                    isolation=ISOLATIONS.get(texts.get(ISOLATION, "")),
                    origins={
                        **{name: value.path for name, value in values.items() if value},
                        **{name: part[1] for name, part in parts.items() if part},
                        **paths,
                    },
                )
            )
        return pod.reading(containers)

    def write(self, pod: PodWriter, profile: Profile | None) -> PodKeys:
        """Write shares as keys; whole cards are ``gpuxlate.io/cards`` alone."""
        containers = [_write_container(placing) for placing in pod.placings]
        device = pod.device() or Device()
        annotations = {
            POLICY: pod.policy(),
            QOS: pod.qos(),
            DEVICE_VENDOR: device.vendor,
            DEVICE_MODELS: ",".join(device.models),
            ISOLATION: pod.isolation(),
        }
        return PodKeys(
            *in_lists(containers),
            annotations={name: Value.of(str(value)) for name, value in annotations.items() if value},
        )


# The rule of gpuxlate's own keys and documents.
@rule("GX010", Severity.ERROR, no_policy="a GPUShare document is not in the cluster")
def document_fits_its_schema(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """A GPUShare document fits its schema.

    ## What it does
    Reports, in a GPUShare document, unknown fields, values of another type, and values that are not
    in the list of a field; in a pod, such values of the annotations of `gpuxlate.io`, two partitions in
    one container, two kinds of replicas, and a number of clients without replicas.

    ## Why
    An unknown field or value would be ignored silently.

    ## Source
    `gpuxlate schema spec`.
    """
    hints = {
        POLICY: msg("write one of {known}", known=", ".join(POLICIES)),
        QOS: msg("write one of {known}", known=", ".join(CLASSES)),
        ISOLATION: msg("write one of {known}", known=", ".join(ISOLATIONS)),
        DEVICE_VENDOR: "write small letters, digits and '-', as in nvidia",
        DEVICE_MODELS: "write names with a comma between them, as in A100-SXM4-80GB,H100-SXM5-80GB",
    }
    for name, hint in hints.items():
        value = pod.annotations.get(name) or pod.owner_annotations.get(name)
        if value and not allows(name, value.text):
            message = msg("{key} is {value!r}, which is not a value of it", key=name, value=value.text)
            yield this.diagnostic(value, message, hint)
    for container in pod.all_containers():
        resources = container.resources
        counts = [name for name in STRATEGIES if name in resources]
        for name in (*partition_resources(container)[1:], *counts[1:]):
            message = msg("{key} is a second one: a share has one partition, one kind of replica", key=name)
            yield this.diagnostic(resources[name], message, "use a separate container for each", on_key=True)
        if REPLICA_OF in resources and not counts:
            message = msg("{key} without a number of replicas", key=REPLICA_OF)
            hint = msg("add {key}: 1, or the key of a strategy", key=REPLICAS)
            yield this.diagnostic(resources[REPLICA_OF], message, hint, on_key=True)
