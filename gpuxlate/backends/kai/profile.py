"""The part of a cluster profile that only KAI has: how its cards are shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from gpuxlate.model.profile import Extension, Profile, Setting
from gpuxlate.model.share import Isolation

DISABLED, DEFAULT, HAMI_CORE, NV_FRACTIONS = "Disabled", "NonMemoryEnforced", "HamiCore", "NvFractions"
Mode = Literal["Disabled", "NonMemoryEnforced", "HamiCore", "NvFractions"]


@dataclass(frozen=True, slots=True)
class KaiProfile(Extension):
    """What only clusters with KAI Scheduler have."""

    key: ClassVar[str] = "kai"

    mode: Annotated[Mode, Setting("sharingMode", "global.gpuSharingMode of the chart.")] = "NonMemoryEnforced"


def mode_of(profile: Profile | None) -> str | None:
    """How the cluster shares its cards; None where the profile does not say."""
    parts = profile.extensions if profile else ()
    return next((one.mode for one in parts if isinstance(one, KaiProfile)), None)


def isolation(mode: str | None, *, by_amounts: bool) -> Isolation:
    """What keeps a container within its memory. ``by_amounts``: NvFractions' keys ask for it.

    Without a profile it is what every mode gives.
    """
    enforced = mode == HAMI_CORE or (mode == NV_FRACTIONS and by_amounts)
    return Isolation.SOFT if enforced else Isolation.NONE


def reads(mode: str | None, *, by_amounts: bool) -> bool:
    """The mode reads such keys, or may."""
    return mode != DISABLED and (not by_amounts or mode in (None, NV_FRACTIONS))
