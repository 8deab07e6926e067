"""NVIDIA's device plugin: the part of a profile about how its nodes divide cards, and what that gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from gpuxlate.backends.base import Placing
from gpuxlate.model import quantity
from gpuxlate.model.amounts import Part, amount_of, card_for, known_replica, partitions_of
from gpuxlate.model.catalogue import cards
from gpuxlate.model.parts import LEAST_CLIENTS, Partition, Replica, Strategy
from gpuxlate.model.profile import Extension, Profile, Setting
from gpuxlate.model.share import Isolation, Policy, Share

if TYPE_CHECKING:
    from gpuxlate.backends.live import Common, NodeView

MIG = "nvidia.com/mig-"
"""The resources of partitions where the strategy is mixed: with the profile behind it."""


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


def divided_alike(shares: Sequence[Share], profile: Profile | None) -> str:
    """What all cards of a node are divided into, or shared by, for a pod with these shares."""
    one = next((one for one in shares if one.is_part), None)
    if one is None:
        return "whole cards"
    partition = one.partition and replace(one.partition, count=1)
    replica = one.replica and replace(known_replica(one.replica, profile), count=1)
    return replace(one, partition=partition, replica=replica).part


def most_of_a_card(one: Partition, profile: Profile | None) -> int:
    """Instances on each card: as many as fit on the card, or on any that has the profile."""
    card = card_for(Share(), profile)
    found = [row for each in ([card] if card else cards(profile)) if (row := each.template(one.profile))]
    return min((row.most for row in found if row.most), default=one.count)


def clients_in(texts: Sequence[str]) -> int | None:
    """The number of clients of a card in the values of a label; None where they do not say one."""
    number = quantity.plain(texts[0]) if len(texts) == 1 else None
    return number if number is not None and number >= LEAST_CLIENTS else None


def sharing_data(views: Sequence[NodeView], one: Common) -> dict[str, Any]:
    """The part of a profile that nodes make: the strategy of those with partitions, and how clients share."""
    own = [(view, view.extension) for view in views if isinstance(view.extension, NvidiaProfile)]
    divided = [part.mig_strategy for view, part in own if any(row.partition for row in view.parts)]
    found: dict[str, Any] = {"migStrategy": one("nvidia.migStrategy", iter(divided))}
    strategy = one("nvidia.sharing.strategy", (part.sharing.strategy for _, part in own))
    if strategy not in (None, "none"):
        sharing = {
            "strategy": strategy,
            "replicas": one("nvidia.sharing.replicas", (part.sharing.replicas for _, part in own)),
            "renamed": one("nvidia.sharing.renamed", (part.sharing.renames for _, part in own)),
        }
        found["sharing"] = {name: value for name, value in sharing.items() if value is not None}
    return found


def shares(placing: Placing, replica: Replica) -> None:
    """A client of MPS is kept within its part; a time-sliced one has none."""
    if replica.strategy is Strategy.MPS:
        placing.isolated(Isolation.SOFT)
        placing.shared_by(Policy.FIXED_SHARE)
    else:
        placing.isolated(Isolation.NONE)


def clients(share: Share, profile: Profile | None) -> tuple[Part, ...]:
    """The client of a card that the nodes of the profile have, where it has a part of its own."""
    replica = NvidiaProfile.of(profile).replica
    amount = amount_of(Share(replica=replica, device=share.device), profile) if replica else None
    return (Part(amount, Isolation.SOFT, replica=replica),) if amount else ()
