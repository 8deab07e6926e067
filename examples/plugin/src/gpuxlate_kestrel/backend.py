"""Kestrel Cloud: reading shares from a pod, and writing them into one."""

from __future__ import annotations

from gpuxlate.backends.base import Backend, ContainerShare, Placing, PodPlacing, Reading, Taking
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate_kestrel import keys as k


def read(pod: Taking, profile: Profile | None) -> Reading:
    """Keys to shares: keys that are not taken from ``pod`` are reported."""
    return pod.reading([_read(pod, container) for container in pod.pod.all_containers()])


def _read(pod: Taking, container: ContainerKeys) -> ContainerShare:
    slices, memory = pod.number(container, k.SLICES), pod.number(container, k.MEMORY)
    if slices is None:
        return pod.none(container)
    values = {"cores": container.resources.get(k.SLICES), "memory_mib": container.resources.get(k.MEMORY)}
    return pod.share(
        container,
        cores=slices * k.PERCENT,
        memory_mib=None if memory is None else memory * k.GIB,
        origins={field: value.path for field, value in values.items() if value},
    )


def write(pod: PodPlacing, profile: Profile | None) -> PodKeys:
    """Shares to keys: fields that are not taken from their placing are refused."""
    written = [_write(placing) for placing in pod.placings]
    return PodKeys(
        containers=tuple(one for one in written if not one.init),
        init_containers=tuple(one for one in written if one.init),
    )


def _write(placing: Placing) -> ContainerKeys:
    if placing.take("cards") > 1:
        placing.refuse("cards", "GX023", "a container gets slices of one card", "request one card")
    if placing.whole_cards:
        cores: int | None = k.MOST * k.PERCENT
    else:
        placing.need("cores", "KES001", "a share is a number of slices")
        cores = placing.on_grid("cores", "KES001", step=k.PERCENT, low=k.PERCENT, unit="%")
    memory = placing.on_grid("memory_mib", "KES002", step=k.GIB, low=k.GIB, unit="MiB")
    values = {
        k.SLICES: None if cores is None else cores // k.PERCENT,
        k.MEMORY: None if memory is None else memory // k.GIB,
    }
    limits = {name: Value.of(number) for name, number in values.items() if number is not None}
    return ContainerKeys(placing.name, placing.index, placing.init, limits, limits)


BACKEND = Backend(
    name="kestrel-slices",
    title="Kestrel Cloud",
    keys=k.KEYS,
    gpu_prefixes=("gpu.kestrel.example/",),
    read=read,
    write=write,
    says={"cores": f"{k.SLICES}, 10 % each", "memoryMiB": f"{k.MEMORY}, in GiB"},
    rules_module="gpuxlate_kestrel.rules",
)
