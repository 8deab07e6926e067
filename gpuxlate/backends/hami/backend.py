"""HAMi: reading and writing. Its numbers are per card, those of a share are totals over the cards."""

from __future__ import annotations

from collections.abc import Mapping

from gpuxlate.backends.base import Backend, ContainerShare, Placing, PodPlacing, Reading, Taking
from gpuxlate.backends.hami import keys as k
from gpuxlate.backends.hami.profile import HamiProfile
from gpuxlate.backends.numbers import outside
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys, Value
from gpuxlate.model.profile import CardProfile, Profile, card_of, memory_unit_of
from gpuxlate.model.share import Isolation, Policy, Qos

CLASSES = {"0": Qos.ONLINE, "1": Qos.OFFLINE}
PRIORITIES = {qos: text for text, qos in CLASSES.items()}


def read(pod: Taking, profile: Profile | None) -> Reading:
    """Keys to shares."""
    unit = memory_unit_of(profile, k.NAMES)
    for name in k.CHOICES:
        pod.choice(pod.annotation(name), name, "annotation")
    containers = BACKEND.under_own_names(pod.pod).all_containers()
    return pod.reading([_read_container(pod, container, unit) for container in containers])


def _read_container(pod: Taking, container: ContainerKeys, unit: int) -> ContainerShare:
    found = {name: container.resources.get(name) for name in (k.COUNT, *k.SHARE_KEYS, k.PRIORITY)}
    count = pod.number(container, k.COUNT)
    memory, percent, cores = (pod.number(container, name) or None for name in k.SHARE_KEYS)
    priority = pod.resource(container, k.PRIORITY)
    policy = _policy(pod, container)
    pod.choice(container.env.get(k.DISABLE_CONTROL), k.DISABLE_CONTROL, "variable")
    partial = any(found[name] for name in k.SHARE_KEYS)
    if priority is not None and (priority.text not in CLASSES or not (partial or count)):
        pod.choice(priority, k.PRIORITY, "resource")
    if not partial and not count:
        return pod.none(container)
    cards = 1 if count is None else count
    fields = dict(zip(found, ("cards", "memory_mib", "memory_percent", "cores", "qos"), strict=True))
    origins: dict[str, Path] = {fields[name]: value.path for name, value in found.items() if value}
    return pod.share(
        container,
        cards=cards,
        cores=None if cores is None else min(cores, k.FULL) * cards,
        memory_mib=None if memory is None else memory * unit * cards,
        memory_percent=percent if memory is None else None,  # MEMORY wins
        policy=policy,
        qos=CLASSES.get(priority.text) if priority else None,
        origins=origins,
    )


def _policy(pod: Taking, container: ContainerKeys) -> Policy | None:
    """FORCE is a hard cap, which is fixed-share; DEFAULT is not a choice; the rest is not in the share."""
    policy = pod.env(container, k.CORE_POLICY)
    if policy is not None and policy.text not in (k.FORCE, k.DEFAULT):
        pod.choice(policy, k.CORE_POLICY, "variable")
    return Policy.FIXED_SHARE if policy is not None and policy.text == k.FORCE else None


def write(pod: PodPlacing, profile: Profile | None) -> PodKeys:
    """Shares to keys. HAMi has fixed-share (FORCE) alone; other policies are not taken."""
    unit, nodes = memory_unit_of(profile, k.NAMES), card_of(profile, k.NAMES)
    names = HamiProfile.of(profile).names.by_key
    policy = pod.policy() if pod.peek("policy") is Policy.FIXED_SHARE else None
    qos = pod.qos()
    containers = [_write_container(placing, policy, qos, unit, nodes, names) for placing in pod.placings]
    return PodKeys(
        containers=tuple(c for c in containers if not c.init),
        init_containers=tuple(c for c in containers if c.init),
    )


def _write_container(
    placing: Placing,
    policy: Policy | None,
    qos: Qos | None,
    unit: int,
    nodes: CardProfile,
    names: Mapping[str, str],
) -> ContainerKeys:
    cards = int(placing.take("cards"))
    values: dict[str, int | None] = {k.COUNT: cards}
    if placing.asked.whole_cards:
        values[k.CORES] = k.FULL  # the webhook adds it too; without it the manifest shows no dialect
        if qos:
            placing.refuse(
                "qos",
                "GX023",
                say(
                    "{qos} whole cards cannot be expressed: HAMi has priorities only on shared cards",
                    qos=qos,
                ),
                "request a part of a card, or remove qos from the share",
            )
    else:
        placing.isolated(Isolation.SOFT)  # by a library in the container, in mode hami-core
        memory = placing.on_grid("memory_mib", "HAMI004", step=unit, low=unit, unit="MiB")
        cores = placing.take("cores")
        values[k.MEMORY] = None if memory is None else memory // cards // unit
        values[k.PERCENT] = placing.take("memory_percent")
        values[k.CORES] = None if cores is None else cores // cards
        if qos:
            values[k.PRIORITY] = int(PRIORITIES[qos])
        if (values[k.MEMORY] or 0) > k.MOST_MEMORY:
            message = outside(k.MEMORY, values[k.MEMORY] or 0, 1, k.MOST_MEMORY)
            placing.refuse("memory_mib", "HAMI004", message, "write memoryMiB in MiB")
    placing.on_nodes(nodes, "HAMI005", "HAMI004")
    written = {names[name]: Value.of(value) for name, value in values.items() if value is not None}
    env = {k.CORE_POLICY: Value.of(k.FORCE)} if policy else {}
    return ContainerKeys(placing.name, placing.index, placing.init, written, written, env)


def speaks(pod: PodKeys) -> bool:
    """The pod counts cards with the common key alone, and has a choice that only HAMi reads."""
    counts = any(k.COUNT in container.resources for container in pod.all_containers())
    annotated = any(name in pod.annotations for name in k.CHOICES)
    in_env = (k.CORE_POLICY, k.DISABLE_CONTROL)
    return counts and (annotated or any(name in one.env for one in pod.containers for name in in_env))


BACKEND = Backend(
    name="hami",
    title="HAMi",
    keys=k.KEYS,
    gpu_prefixes=k.GPU_PREFIXES,
    read=read,
    write=write,
    says={
        "cards": k.COUNT,
        "cores": f"{k.CORES}, of each card",
        "memoryMiB": f"{k.MEMORY}, of each card",
        "memoryPercent": k.PERCENT,
        "policy": f"fixed-share only: variable {k.CORE_POLICY}: {k.FORCE}",
        "qos": f"{k.PRIORITY}: 0 online, 1 offline",
        "device": "no key; vendor nvidia alone",
        "isolation": "no key; soft, whole cards hardware",
    },
    rules_module="gpuxlate.backends.hami.rules",
    look_alikes=k.LOOK_ALIKES,
    whole_card_key=k.COUNT,
    extension=HamiProfile,
    nodes_module="gpuxlate.backends.hami.nodes",
    schedulers=k.SCHEDULERS,
    also_speaks=speaks,
    needs_module="gpuxlate.backends.hami.prerequisites",
    vendor="nvidia",
)
