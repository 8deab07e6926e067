"""The part of a cluster profile about Dynamic Resource Allocation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from gpuxlate.model.profile import Extension, Profile, Setting
from gpuxlate.model.versions import at_least

ON_BY_DEFAULT = "v1.36.0"
"""Kubernetes with DRAConsumableCapacity on (KEP-5075); in 1.34 and 1.35 the gate is off."""

Api = Literal["v1", "v1beta2", "v1beta1"]
Shares = Literal["disabled", "memory", "unlimited"]


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
            "consumableShares of NVIDIA's driver: memory, where claims share cards by their memory.",
        ),
    ] = "disabled"


def counts_capacity(profile: Profile | None) -> bool | None:
    """The API server keeps the capacity of a claim; None where the profile does not say.

    Without the gate it is removed without a word, and the claim is for a whole device (KEP-5075).
    """
    if profile is None:
        return None
    if DraProfile.of(profile).consumable_capacity:
        return True
    return at_least(profile.kubernetes_version, ON_BY_DEFAULT) if profile.kubernetes_version else None
