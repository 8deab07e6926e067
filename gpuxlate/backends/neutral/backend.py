"""The neutral keys of gpuxlate itself, inline in a manifest. Every share is exact here."""

from __future__ import annotations

import re
from typing import Any

from gpuxlate.backends.base import Backend, ContainerShare, Placing, PodPlacing, Reading, Taking
from gpuxlate.backends.neutral import keys as k
from gpuxlate.model.parts import Partition, Replica, in_resource, of_resource
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys, Value, in_lists
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Device


def _partition(pod: Taking, container: ContainerKeys) -> tuple[Partition, Path] | None:
    """The partition of a container; of several, a rule reports all but one."""
    names = k.partitions(container)
    counts = [pod.number(container, name) for name in names]
    if not counts or counts[0] is None:
        return None
    name, count = names[0], counts[0]
    return Partition(of_resource(name.removeprefix(k.BEFORE)), count), container.resources[name].path


def _replica(pod: Taking, container: ContainerKeys) -> tuple[Replica, Path] | None:
    """The replica of a container; the number of clients alone is none."""
    of = pod.number(container, k.REPLICA_OF)
    counts = {name: pod.number(container, name) for name in k.STRATEGIES}
    name, count = next(((name, one) for name, one in counts.items() if one is not None), ("", None))
    if count is None:
        return None
    return Replica(of, k.STRATEGIES[name], count), container.resources[name].path


def _write_container(placing: Placing) -> ContainerKeys:
    values: dict[str, Any] = {name: placing.take(attribute) for name, attribute in k.NUMBERS.items()}
    if values[k.CARDS] == 1 and not placing.whole_cards:
        del values[k.CARDS]
    partition, replica = placing.take("partition"), placing.take("replica")
    if partition is not None:
        values[k.BEFORE + in_resource(partition.profile)] = partition.count
    if replica is not None:
        name = next(name for name, one in k.STRATEGIES.items() if one is replica.strategy)
        values |= {name: replica.count, k.REPLICA_OF: replica.of}
    written = {name: Value.of(value) for name, value in values.items() if value is not None}
    return ContainerKeys(placing.name, placing.index, placing.init, written, written)


class Neutral(Backend):
    name = "neutral"
    title = "gpuxlate's own keys"
    keys = k.KEYS
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

    def read(self, pod: Taking, profile: Profile | None) -> Reading:
        """Keys to shares. A value that GX010 reports sets nothing."""
        of_pod = {name: value for name in k.OF_POD if (value := pod.annotation(name))}
        known = {name: value.text for name, value in of_pod.items() if k.allows(name, value.text)}
        # the attribute of the first key that sets it
        paths: dict[str, Path] = {k.OF_POD[name]: of_pod[name].path for name in reversed(of_pod)}
        models = known.get(k.DEVICE_MODELS)
        containers: list[ContainerShare] = []
        for container in pod.pod.all_containers():
            numbers: dict[str, Any] = {
                attribute: pod.number(container, name) for name, attribute in k.NUMBERS.items()
            }
            parts: dict[str, Any] = {
                "partition": _partition(pod, container),
                "replica": _replica(pod, container),
            }
            if all(one is None for one in (*numbers.values(), *parts.values())):
                containers.append(pod.none(container))
                continue
            found = {attribute: container.resources.get(name) for name, attribute in k.NUMBERS.items()}
            cards = numbers.pop("cards")
            containers.append(
                pod.share(
                    container,
                    cards=1 if cards is None else cards,
                    **numbers,
                    **{name: found and found[0] for name, found in parts.items()},
                    policy=k.POLICIES.get(known.get(k.POLICY, "")),
                    qos=k.CLASSES.get(known.get(k.QOS, "")),
                    device=Device(
                        known.get(k.DEVICE_VENDOR), tuple(re.split(", ?", models)) if models else ()
                    ),
                    isolation=k.ISOLATIONS.get(known.get(k.ISOLATION, "")),
                    origins={
                        **{name: value.path for name, value in found.items() if value},
                        **{name: part[1] for name, part in parts.items() if part},
                        **paths,
                    },
                )
            )
        return pod.reading(containers)

    def write(self, pod: PodPlacing, profile: Profile | None) -> PodKeys:
        """Shares to keys; whole cards are ``gpuxlate.io/cards`` alone."""
        containers = [_write_container(placing) for placing in pod.placings]
        vendor, models = pod.device() or Device()
        annotations = {
            k.POLICY: pod.policy(),
            k.QOS: pod.qos(),
            k.DEVICE_VENDOR: vendor,
            k.DEVICE_MODELS: ",".join(models),
            k.ISOLATION: pod.isolation(),
        }
        return PodKeys(
            *in_lists(containers),
            annotations={name: Value.of(str(value)) for name, value in annotations.items() if value},
        )


BACKEND = Neutral()
