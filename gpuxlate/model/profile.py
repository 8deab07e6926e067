"""A cluster profile: facts that are in no manifest. Standard library only; units are never guessed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

ACK_DEFAULT_UNIT_MIB = 1024
"""One unit of ``aliyun.com/gpu-mem`` where the profile sets none (ACK-UNIT: GiB by default)."""


@dataclass(frozen=True, slots=True)
class CardProfile:
    """The cards of the nodes: model, how many a node has, MiB of one card."""

    model: str | None = None
    per_node: int | None = None
    memory_mib: int | None = None


@dataclass(frozen=True, slots=True)
class AlibabaProfile:
    """ACK: MiB of one unit of gpu-mem, the isolation mode of memory-only nodes, the plugin."""

    memory_unit_mib: int = ACK_DEFAULT_UNIT_MIB
    isolation: str = "cgpu"
    open_source: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """One cluster. ``components`` maps a component's name to its version.

    ``memory_unit_mib``: MiB of one unit of a memory key that counts MiB, where the cluster is set to
    count in larger steps.
    """

    target: str
    kubernetes_version: str | None = None
    node_image: str | None = None
    policy: str | None = None
    cards: CardProfile = field(default_factory=CardProfile)
    components: Mapping[str, str] = field(default_factory=dict)
    alibaba: AlibabaProfile = field(default_factory=AlibabaProfile)
    memory_unit_mib: int = 1


def memory_unit_of(profile: Profile | None, names: Collection[str]) -> int:
    """MiB of one unit at a target with one of the names; 1 where the profile is for another target."""
    return profile.memory_unit_mib if profile and profile.target in names else 1


def card_of(profile: Profile | None, names: Collection[str]) -> CardProfile:
    """The cards of a target's profile; an empty one where the profile is for another target."""
    return profile.cards if profile and profile.target in names else CardProfile()


def alibaba_of(profile: Profile | None) -> AlibabaProfile:
    """The ACK part of a profile, its documented defaults where there is none."""
    return profile.alibaba if profile else AlibabaProfile()
