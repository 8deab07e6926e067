"""The neutral keys of gpuxlate itself, inline in a manifest. Every share is exact here."""

from __future__ import annotations

from gpuxlate.backends.base import Backend, ContainerShare, Placing, PodPlacing, Reading, Taking
from gpuxlate.backends.neutral import keys as k
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys, Value
from gpuxlate.model.profile import Profile


def read(pod: Taking, profile: Profile | None) -> Reading:
    """Keys to shares."""
    policy, qos = pod.annotation(k.POLICY), pod.annotation(k.QOS)
    containers: list[ContainerShare] = []
    for container in pod.pod.all_containers():
        found = {name: container.resources.get(name) for name in k.RESOURCES}
        cards, cores, memory, percent = (pod.number(container, name) for name in k.RESOURCES)
        if cards is None and cores is None and memory is None and percent is None:
            containers.append(pod.none(container))
            continue
        spots = zip(k.NUMBERS, found.values(), strict=True)
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
                policy=k.POLICIES.get(policy.text) if policy else None,
                qos=k.CLASSES.get(qos.text) if qos else None,
                origins=origins,
            )
        )
    return pod.reading(containers)


def write(pod: PodPlacing, profile: Profile | None) -> PodKeys:
    """Shares to keys; whole cards are ``gpuxlate.io/cards`` alone."""
    containers = [_write_container(placing) for placing in pod.placings]
    policy, qos = pod.policy(), pod.qos()
    annotations = {k.POLICY: policy, k.QOS: qos}
    return PodKeys(
        containers=tuple(c for c in containers if not c.init),
        init_containers=tuple(c for c in containers if c.init),
        annotations={name: Value.of(str(value)) for name, value in annotations.items() if value},
    )


def _write_container(placing: Placing) -> ContainerKeys:
    whole = placing.whole_cards
    cards, cores, memory, percent = (placing.take(name) for name in k.NUMBERS)
    values = {
        k.CARDS: cards if whole or cards > 1 else None,
        k.CORES: cores,
        k.MEMORY: memory,
        k.MEMORY_PERCENT: percent,
    }
    written = {name: Value.of(value) for name, value in values.items() if value is not None}
    return ContainerKeys(placing.name, placing.index, placing.init, written, written)


BACKEND = Backend(
    name="neutral",
    title="gpuxlate's own keys",
    keys=k.KEYS,
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
