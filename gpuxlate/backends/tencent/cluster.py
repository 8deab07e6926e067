"""What a profile holds about a TKE cluster; None where it does not, or is of another target."""

from __future__ import annotations

from gpuxlate.backends.base import GIB
from gpuxlate.backends.tencent import keys as k
from gpuxlate.model.messages import Message, say
from gpuxlate.model.profile import Profile, card_of
from gpuxlate.model.share import Policy


def node_policy(profile: Profile | None) -> Policy | None:
    """The policy of the nodes, in either spelling."""
    return k.POLICY_OF.get(profile.policy or "") if profile and profile.target in k.NAMES else None


def other_policy(chosen: str, on_nodes: str) -> Message:
    """The policy of a pod is not that of the nodes of a profile."""
    text = "the pod chooses nodes with {chosen}; nodes in this profile have {policy}"
    return say(text, chosen=chosen, policy=on_nodes)


def card_gib(profile: Profile | None) -> int | None:
    """Units of qgpu-memory on one card: whole GiB, rounded down (capacity of a T4: 14)."""
    memory_mib = card_of(profile, k.NAMES).memory_mib
    return None if memory_mib is None else memory_mib // GIB


def too_old(profile: Profile | None, fact: str) -> str | None:
    """The version of a component in the profile, where TKE needs a later one."""
    if profile is None or profile.target not in k.NAMES:
        return None
    from gpuxlate.backends.requirements import unmet
    from gpuxlate.backends.tencent.prerequisites import REQUIREMENTS  # where there is a profile to check

    return next((lack.found for lack in unmet(profile, [r for r in REQUIREMENTS if r.fact == fact])), None)


def old_addon(profile: Profile | None) -> tuple[Message, str] | None:
    """Message and hint where the qGPU add-on is too old for two shared cards (TC127667)."""
    version = too_old(profile, "components.qgpu")
    text = "two shared cards need the qGPU add-on 1.1.1 or later; this profile has {version}"
    return (say(text, version=version), "upgrade the add-on, or request one card") if version else None
