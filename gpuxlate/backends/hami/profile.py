"""The part of a cluster profile that only HAMi has: its chart lets operators rename every resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from gpuxlate.backends.hami import keys as k
from gpuxlate.model.profile import Extension, Profile, Setting


@dataclass(frozen=True, slots=True)
class ResourceNames(Extension):
    """Names of the resources, as the values of HAMi's chart set them."""

    count: Annotated[str, Setting("count", "resourceName of the chart: cards of a container.")] = k.COUNT
    memory: Annotated[str, Setting("memory", "resourceMem of the chart: MiB of each card.")] = k.MEMORY
    percent: Annotated[
        str,
        Setting("memoryPercentage", "resourceMemPercentage of the chart: memory in percent of each card."),
    ] = k.PERCENT
    cores: Annotated[
        str, Setting("cores", "resourceCores of the chart: compute in percent of each card.")
    ] = k.CORES
    priority: Annotated[str, Setting("priority", "resourcePriority of the chart: 0 high, 1 low.")] = (
        k.PRIORITY
    )

    @property
    def by_key(self) -> Mapping[str, str]:
        """The name of each key of the data sheet."""
        names = (self.count, self.memory, self.percent, self.cores, self.priority)
        return dict(zip((k.COUNT, *k.SHARE_KEYS, k.PRIORITY), names, strict=True))


def split_count(profile: Profile | None) -> int:
    """The most containers on one card of the cluster of a profile."""
    return HamiProfile.of(profile).split_count


@dataclass(frozen=True, slots=True)
class HamiProfile(Extension):
    """What only clusters with HAMi have."""

    key: ClassVar[str] = "hami"

    names: Annotated[
        ResourceNames,
        Setting("resourceNames", "The names of HAMi's resources, where the chart was told other ones."),
    ] = field(default_factory=ResourceNames)

    split_count: Annotated[
        int, Setting("deviceSplitCount", "deviceSplitCount of the chart: the most containers on one card.")
    ] = 10

    @property
    def by_key(self) -> Mapping[str, str]:
        return self.names.by_key

    @property
    def renamed(self) -> Mapping[str, str]:
        """The count becomes an alias that only HAMi has: its own name would not identify the dialect."""
        own = self.by_key.items()
        return {name: k.VGPU if known == k.COUNT else known for known, name in own if name not in k.KNOWN}
