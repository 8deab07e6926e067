"""The neutral keys of gpuxlate itself, inline in a manifest. Every share is exact here."""

from __future__ import annotations

from gpuxlate.backends.base import (
    Backend,
    ContainerShare,
    Key,
    Place,
    Placing,
    PodPlacing,
    Range,
    Reading,
    Taking,
    key,
)
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Policy, Qos

CORES = "gpuxlate.io/cores"
MEMORY = "gpuxlate.io/memory-mib"
MEMORY_PERCENT = "gpuxlate.io/memory-percent"
CARDS = "gpuxlate.io/cards"
POLICY = "gpuxlate.io/policy"
QOS = "gpuxlate.io/qos"

KEYS: tuple[Key, ...] = (
    key(
        CARDS,
        Place.RESOURCE,
        says="cards",
        meaning="cards, an equal part of each",
        unit="cards",
        values=(Range(),),
    ),
    key(
        CORES,
        Place.RESOURCE,
        says="cores",
        meaning="compute, total over the cards",
        unit="percent of one card",
        values=(Range(),),
    ),
    key(
        MEMORY,
        Place.RESOURCE,
        says="memory_mib",
        meaning="GPU memory, total over the cards",
        unit="MiB",
        values=(Range(),),
    ),
    key(
        MEMORY_PERCENT,
        Place.RESOURCE,
        says="memory_percent",
        meaning="GPU memory, of each card",
        unit="percent of each card",
        values=(Range(1, 100),),
    ),
    key(
        POLICY,
        Place.ANNOTATION,
        says="policy",
        meaning="how compute is divided",
        values=tuple(map(str, Policy)),
    ),
    key(QOS, Place.ANNOTATION, says="qos", meaning="colocation class", values=tuple(map(str, Qos))),
)


RESOURCES = (CARDS, CORES, MEMORY, MEMORY_PERCENT)
NUMBERS = ("cards", "cores", "memory_mib", "memory_percent")


def read(pod: Taking, profile: Profile | None) -> Reading:
    """Claims to shares."""
    policy, qos = pod.annotation(POLICY), pod.annotation(QOS)
    policies, classes = {str(one): one for one in Policy}, {str(one): one for one in Qos}
    for name, value, known in ((POLICY, policy, policies), (QOS, qos, classes)):
        if value and value.text not in known:
            hint = f"write one of {', '.join(known)}"
            pod.problem("GX010", f"{name} is {value.text!r}, which gpuxlate does not know", value.path, hint)
    containers: list[ContainerShare] = []
    for container in pod.pod.all_containers():
        found = {name: container.resources.get(name) for name in RESOURCES}
        cards, cores, memory, percent = (pod.number(container, name) for name in RESOURCES)
        if cards is None and cores is None and memory is None and percent is None:
            containers.append(pod.none(container))
            continue
        spots = zip(NUMBERS, found.values(), strict=True)
        origins: dict[str, Path] = {attribute: value.path for attribute, value in spots if value}
        for attribute, value in (("policy", policy), ("qos", qos)):
            if value:
                origins[attribute] = value.path
        containers.append(
            pod.share(
                container,
                cards=1 if cards is None else cards,
                cores=cores,
                memory_mib=memory,
                memory_percent=percent,
                policy=policies.get(policy.text) if policy else None,
                qos=classes.get(qos.text) if qos else None,
                origins=origins,
            )
        )
    return pod.reading(containers)


def write(pod: PodPlacing, profile: Profile | None) -> PodKeys:
    """Shares to keys; whole cards are ``gpuxlate.io/cards`` alone."""
    containers = [_write_container(placing) for placing in pod.placings]
    policy, qos = pod.policy(), pod.qos()
    annotations = {POLICY: policy, QOS: qos}
    return PodKeys(
        containers=tuple(c for c in containers if not c.init),
        init_containers=tuple(c for c in containers if c.init),
        annotations={name: Value.of(str(value)) for name, value in annotations.items() if value},
    )


def _write_container(placing: Placing) -> ContainerKeys:
    whole = placing.whole_cards
    cards, cores, memory, percent = (placing.take(name) for name in NUMBERS)
    values = {
        CARDS: cards if whole or cards > 1 else None,
        CORES: cores,
        MEMORY: memory,
        MEMORY_PERCENT: percent,
    }
    written = {name: Value.of(value) for name, value in values.items() if value is not None}
    return ContainerKeys(placing.name, placing.index, placing.init, written, written)


BACKEND = Backend(
    name="neutral",
    title="gpuxlate's own keys",
    keys=KEYS,
    gpu_prefixes=("gpuxlate.io/",),
    read=read,
    write=write,
    says={
        "cards": "gpuxlate.io/cards",
        "cores": "gpuxlate.io/cores",
        "memoryMiB": "gpuxlate.io/memory-mib",
        "memoryPercent": "gpuxlate.io/memory-percent",
        "policy": "annotation gpuxlate.io/policy",
        "qos": "annotation gpuxlate.io/qos",
    },
    rules_module="gpuxlate.backends.neutral.rules",
)
