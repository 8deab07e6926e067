"""Volcano vGPU: reading and writing. Its numbers are per card, those of a share are totals over the cards."""

from __future__ import annotations

from gpuxlate.backends.base import Backend, ContainerShare, Placing, PodPlacing, Reading, Taking
from gpuxlate.backends.volcano_vgpu import keys as k
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys, Value
from gpuxlate.model.profile import CardProfile, Profile, card_of, memory_unit_of
from gpuxlate.model.share import Isolation


def read(pod: Taking, profile: Profile | None) -> Reading:
    """Keys to shares."""
    unit = memory_unit_of(profile, k.NAMES)
    for name in k.CHOICES:
        pod.choice(pod.annotation(name), name, "annotation")
    containers = BACKEND.under_own_names(pod.pod).all_containers()
    return pod.reading([_read_container(pod, container, unit) for container in containers])


def _read_container(pod: Taking, container: ContainerKeys, unit: int) -> ContainerShare:
    found = {name: container.resources.get(name) for name in k.RESOURCES}
    count, memory, percent, cores = (pod.number(container, name) for name in k.RESOURCES)
    if found[k.NUMBER] is None and found[k.MEMORY] is None:
        return pod.none(container)  # Volcano sees no share (VOLC002)
    cards = 1 if count is None else count
    fields = dict(zip(k.RESOURCES, ("cards", "memory_mib", "memory_percent", "cores"), strict=True))
    origins: dict[str, Path] = {fields[name]: value.path for name, value in found.items() if value}
    in_mib = percent is None and memory is not None  # ignored beside PERCENT
    return pod.share(
        container,
        cards=cards,
        cores=cores * cards if cores else None,
        memory_mib=memory * unit * cards if in_mib and memory else None,
        memory_percent=percent,
        origins=origins,
    )


def write(pod: PodPlacing, profile: Profile | None) -> PodKeys:
    """Shares to keys, and their scheduler."""
    unit, nodes = memory_unit_of(profile, k.NAMES), card_of(profile, k.NAMES)
    containers = [_write_container(placing, unit, nodes) for placing in pod.placings]
    return PodKeys(
        containers=tuple(c for c in containers if not c.init),
        init_containers=tuple(c for c in containers if c.init),
        scheduler_name=Value.of(k.SCHEDULER) if containers else None,
    )


def _write_container(placing: Placing, unit: int, nodes: CardProfile) -> ContainerKeys:
    """Whole cards have their number only."""
    placing.isolated(Isolation.SOFT)  # by HAMi's library, in mode hami-core (PLUGIN)
    cards = int(placing.take("cards"))
    memory = placing.on_grid("memory_mib", "VOLC007", step=unit, low=unit, unit="MiB")
    placing.on_nodes(nodes, "VOLC006", "VOLC007")
    cores = placing.take("cores")
    values = {
        k.NUMBER: cards,
        k.MEMORY: None if memory is None else memory // cards // unit,
        k.PERCENT: placing.take("memory_percent"),
        k.CORES: None if cores is None else cores // cards,
    }
    written = {name: Value.of(value) for name, value in values.items() if value is not None}
    return ContainerKeys(placing.name, placing.index, placing.init, written, written)


BACKEND = Backend(
    name="volcano-vgpu",
    title="Volcano vGPU",
    keys=k.KEYS,
    gpu_prefixes=k.GPU_PREFIXES,
    read=read,
    write=write,
    says={
        "cards": k.NUMBER,
        "cores": f"{k.CORES}, of each card",
        "memoryMiB": f"{k.MEMORY}, of each card",
        "memoryPercent": k.PERCENT,
        "device": "no key; vendor nvidia alone",
        "isolation": "no key; soft, whole cards hardware",
    },
    rules_module="gpuxlate.backends.volcano_vgpu.rules",
    look_alikes=k.LOOK_ALIKES,
    schedulers=(k.SCHEDULER,),
    needs_module="gpuxlate.backends.volcano_vgpu.prerequisites",
    vendor="nvidia",
)
