"""The part of a cluster profile about NVIDIA's device plugin: how its nodes divide cards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from gpuxlate.model.amounts import Part, amount_of, card_for, partitions_of
from gpuxlate.model.parts import Replica, Strategy
from gpuxlate.model.profile import Extension, Profile, Setting
from gpuxlate.model.share import Isolation, Share


@dataclass(frozen=True, slots=True)
class Sharing(Extension):
    """How clients share a card."""

    strategy: Annotated[
        Literal["none", "time-slicing", "mps"],
        Setting("strategy", "timeSlicing or mps of the configuration."),
    ] = "none"
    replicas: Annotated[int, Setting("replicas", "Clients of one card.")] = 1
    renames: Annotated[
        bool, Setting("renamed", "renameByDefault: the resource is nvidia.com/gpu.shared.")
    ] = True
    refuses: Annotated[
        bool,
        Setting(
            "failRequestsGreaterThanOne", "Pods with more than one are refused. With MPS they always are."
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class NvidiaProfile(Extension):
    """How NVIDIA's device plugin is configured."""

    key: ClassVar[str] = "nvidia"

    mig_strategy: Annotated[
        Literal["mixed", "single", "none"],
        Setting("migStrategy", "mixed: nvidia.com/mig-PROFILE; single: nvidia.com/gpu counts partitions."),
    ] = "mixed"
    sharing: Annotated[Sharing, Setting("sharing", "How clients share a card of the nodes.")] = field(
        default_factory=Sharing
    )

    @property
    def replica(self) -> Replica | None:
        """What one client is; None where the nodes do not share cards."""
        one = self.sharing
        if one.strategy == "none":
            return None
        return Replica(one.replicas if one.replicas > 1 else None, Strategy(one.strategy))


def partitions(share: Share, profile: Profile | None) -> tuple[Part, ...]:
    """The partitions of the card of a share, or of the profile; none where that is not known."""
    card = card_for(share, profile)
    return partitions_of(card) if card is not None else ()


CARD_NEEDED = (
    "pass a profile with the card of the nodes (cards.model; of several sizes, cards.memoryMiB), "
    "or name it in device.models"
)
"""What to say so that the partitions are known."""


def clients(share: Share, profile: Profile | None) -> tuple[Part, ...]:
    """The client of a card that the nodes of the profile have, where it has a part of its own."""
    replica = NvidiaProfile.of(profile).replica
    amount = amount_of(Share(replica=replica, device=share.device), profile) if replica else None
    return (Part(amount, Isolation.SOFT, replica=replica),) if amount else ()
