"""What a profile holds about a TKE cluster; None where it does not, or is of another target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuxlate.backends.base import GIB
from gpuxlate.backends.tencent import keys as k
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Policy

if TYPE_CHECKING:
    from gpuxlate.backends.requirements import Requirement

# Prerequisites are imported where there is a profile to check.


def ours(profile: Profile | None) -> Profile | None:
    """The profile, if it describes a TKE cluster."""
    return profile if profile and profile.target in k.NAMES else None


def node_policy(profile: Profile | None) -> Policy | None:
    """The policy of the nodes, in either spelling."""
    found = ours(profile)
    return k.POLICY_OF.get(found.policy or "") if found else None


def card_gib(profile: Profile | None) -> int | None:
    """Units of qgpu-memory on one card: whole GiB, rounded down (capacity of a T4: 14)."""
    found = ours(profile)
    return found.cards.memory_mib // GIB if found and found.cards.memory_mib else None


def card_mib(profile: Profile | None) -> int | None:
    """MiB of one card that can be requested: its units of qgpu-memory."""
    units = card_gib(profile)
    return None if units is None else units * GIB


def old_addon(profile: Profile | None) -> str | None:
    """The version of the qGPU add-on, where it is too old for two shared cards."""
    found = ours(profile)
    if found is None:
        return None
    from gpuxlate.backends.tencent.prerequisites import ADDON

    return _lacking(found, ADDON)


def old_kubernetes(profile: Profile | None) -> str | None:
    """The version of Kubernetes, where it is too old for qGPU."""
    found = ours(profile)
    if found is None:
        return None
    from gpuxlate.backends.tencent.prerequisites import KUBERNETES

    return _lacking(found, KUBERNETES)


def _lacking(profile: Profile, need: Requirement) -> str | None:
    """The version of the profile, where it is too old; None where it is not a version."""
    from gpuxlate.backends.requirements import unmet

    return next((lack.found for lack in unmet(profile, (need,))), None)
