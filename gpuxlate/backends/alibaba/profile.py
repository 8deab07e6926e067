"""The part of a cluster profile that only ACK has, and what it means for a container."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from gpuxlate.backends.base import InContainer
from gpuxlate.model.profile import Extension, Profile, Setting
from gpuxlate.model.share import Share

Isolation = Literal["cgpu", "share", "mps", "core_mem"]
DEFAULT_UNIT_MIB = 1024
"""One unit of ``aliyun.com/gpu-mem`` where the profile says nothing (ACK-UNIT: GiB by default)."""


@dataclass(frozen=True, slots=True)
class AlibabaProfile(Extension):
    """What only ACK clusters have."""

    key: ClassVar[str] = "alibaba"

    memory_unit_mib: Annotated[
        int,
        Setting(
            "memoryUnitMiB",
            "MiB of one unit of aliyun.com/gpu-mem: 1024, or 128 where the component is set so; "
            "1 for the open-source plugin with MiB units.",
        ),
    ] = DEFAULT_UNIT_MIB
    isolation: Annotated[
        Isolation,
        Setting(
            "isolation",
            "Value of the node label ack.node.gpu.schedule that shares of memory alone choose.",
        ),
    ] = "cgpu"
    open_source: Annotated[
        bool,
        Setting("openSource", "The cluster runs the open-source gpushare scheduler, not ACK's own."),
    ] = False

    def changes_unit(self, unit: str) -> bool:
        return unit == "GiB" and self.memory_unit_mib != DEFAULT_UNIT_MIB

    @property
    def usual(self) -> bool:
        return self.isolation == "cgpu" and not self.open_source


def in_container(share: Share, memory_mib: int, card_mib: int | None, profile: Profile | None) -> InContainer:
    """Containers see their part of the memory, except in mode share and with the open-source plugin.

    A share with compute goes to core_mem nodes, which isolate both.
    """
    ack = AlibabaProfile.of(profile)
    if ack.open_source:
        return InContainer(not_isolated="open-source gpushare")
    if ack.isolation == "share" and (share.cores is None or share.cards > 1):
        return InContainer(not_isolated=f"isolation mode {ack.isolation}")
    return InContainer(memory_of_units(memory_mib, card_mib, ack.memory_unit_mib) if card_mib else None)


def memory_of_units(memory_mib: int, card_mib: int, unit_mib: int) -> int | None:
    """MiB that a container sees: the card's MiB are divided evenly over its units.

    A card has as many units as fit in it, so a unit is somewhat more than its nominal MiB. Derived
    from published outputs (V100 of 16160 MiB: 15 units, 4 of them show 4309 MiB; seed 002).
    None where the card has fewer units.
    """
    units, there = memory_mib // unit_mib, card_mib // unit_mib
    return units * card_mib // there if 0 < units <= there else None
