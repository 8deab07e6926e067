"""The part of a cluster profile about Dynamic Resource Allocation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from gpuxlate.model.parts import LEAST_CLIENTS, Replica, Strategy
from gpuxlate.model.profile import Extension, Profile, Setting
from gpuxlate.model.versions import at_least

ON_BY_DEFAULT = "v1.36.0"
"""Kubernetes with DRAConsumableCapacity on (KEP-5075); in 1.34 and 1.35 the gate is off."""

Api = Literal["v1", "v1beta2", "v1beta1"]
Shares = Literal["disabled", "memory", "unlimited"] | int
"""How NVIDIA's driver shares cards (ConsumableShares); a number is that of the clients of each card."""


@dataclass(frozen=True, slots=True)
class DraProfile(Extension):
    """How the cluster allocates devices to claims."""

    key: ClassVar[str] = "dra"

    version: Annotated[Api, Setting("version", "Version of resource.k8s.io that claims are written in.")] = (
        "v1"
    )
    consumable_capacity: Annotated[
        bool,
        Setting(
            "consumableCapacity",
            "The feature gate DRAConsumableCapacity is on. It is by default in Kubernetes 1.36 and later.",
        ),
    ] = False
    nvidia_shares: Annotated[
        Shares,
        Setting(
            "nvidiaConsumableShares",
            "consumableShares of NVIDIA's driver: memory, where claims share cards by their memory; a "
            "number, where each card has so many clients; unlimited, where it has any number of them.",
        ),
    ] = "disabled"

    @property
    def replica(self) -> Replica | None:
        """What one client is. Settings of MPS exclude such clients (NV): they take turns."""
        shares = self.nvidia_shares
        if not isinstance(shares, int) or shares < LEAST_CLIENTS:
            return None
        return Replica(shares, Strategy.TIME_SLICING)


def sharing_of(profile: Profile | None) -> Shares | None:
    """How NVIDIA's driver shares cards; None where the profile says nothing of drivers."""
    known = profile is not None and any(isinstance(one, DraProfile) for one in profile.extensions)
    return DraProfile.of(profile).nvidia_shares if known else None


def counts_capacity(profile: Profile | None) -> bool | None:
    """The API server keeps the capacity of a claim; None where the profile does not say.

    Without the gate it is removed without a word, and the claim is for a whole device (KEP-5075).
    """
    if profile is None:
        return None
    if DraProfile.of(profile).consumable_capacity:
        return True
    return at_least(profile.kubernetes_version, ON_BY_DEFAULT) if profile.kubernetes_version else None
