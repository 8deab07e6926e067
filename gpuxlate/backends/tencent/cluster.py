"""What a profile tells about a TKE cluster; None wherever it says nothing, or speaks of another."""

from __future__ import annotations

import re

from gpuxlate.backends.tencent import keys as k
from gpuxlate.profile import Profile
from gpuxlate.share import Policy

_VERSION = re.compile(r"v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?")


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
    found = ours(profile)
    return _older(found.components.get("qgpu"), k.MULTI_CARD_VERSION) if found else None


def old_kubernetes(profile: Profile | None) -> str | None:
    """The version of Kubernetes, where it is too old for qGPU."""
    found = ours(profile)
    return _older(found.kubernetes_version, k.MIN_KUBERNETES) if found else None


def _older(text: str | None, least: tuple[int, ...]) -> str | None:
    """``text`` where it is a version below ``least``; what is no version is not judged."""
    match = _VERSION.match(text or "")
    if match is None:
        return None
    return text if tuple(int(part or 0) for part in match.groups()) < least else None
