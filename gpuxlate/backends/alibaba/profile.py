"""The part of a cluster profile that only ACK has, and what it means for a container."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from gpuxlate.model.profile import Extension, Setting

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


def memory_of_units(memory_mib: int, card_mib: int, unit_mib: int) -> int | None:
    """MiB that a container sees: the card's MiB are divided evenly over its units.

    A card has as many units as fit in it, so a unit is somewhat more than its nominal MiB. Derived
    from published outputs (V100 of 16160 MiB: 15 units, 4 of them show 4309 MiB; seed 002).
    None where the card has fewer units.
    """
    units, there = memory_mib // unit_mib, card_mib // unit_mib
    return units * card_mib // there if 0 < units <= there else None
