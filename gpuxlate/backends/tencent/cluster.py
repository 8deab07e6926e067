"""What a profile tells about a TKE cluster; None wherever it says nothing, or speaks of another."""

from __future__ import annotations

from gpuxlate.backends.requirements import Requirement, unmet
from gpuxlate.backends.tencent import keys as k
from gpuxlate.backends.tencent import prerequisites
from gpuxlate.profile import Profile
from gpuxlate.share import Policy


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
    return found.cards.memory_mib // k.GIB if found and found.cards.memory_mib else None


def old_addon(profile: Profile | None) -> str | None:
    """The version of the qGPU add-on, where it is too old for two shared cards."""
    return _lacking(profile, prerequisites.ADDON)


def old_kubernetes(profile: Profile | None) -> str | None:
    """The version of Kubernetes, where it is too old for qGPU."""
    return _lacking(profile, prerequisites.KUBERNETES)


def _lacking(profile: Profile | None, need: Requirement) -> str | None:
    """What the profile has, where it is known not to do; what is no version is not judged."""
    return next((lack.found for lack in unmet(ours(profile), (need,))), None)
