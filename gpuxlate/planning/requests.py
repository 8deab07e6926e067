"""What a container requests of cards: its share, and partitions and replicas as parts of a card."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.cluster_nodes import PERCENT
from gpuxlate.backends.scheduling_limits import ANY
from gpuxlate.model.amounts import card_for, known_replica
from gpuxlate.model.declarations import record
from gpuxlate.model.errors import UserError
from gpuxlate.model.messages import msg
from gpuxlate.model.profile import Card, Profile, Template, card_named
from gpuxlate.model.share import Partition, Share

UNLIMITED = 1_000_000
"""Slots of a card where the vendor's documents give no number, or disagree on it."""


@record
class ContainerRequest:
    """What one container requests of each of its ``cards``.

    ``cores``: percent that count against the card; offline compute does not. ``memory_mib`` is
    None where it gets all memory of the card. ``joins_at``: percent that are free where it joins a card, at
    least ``cores``; ``alone``: no other container is on its cards. ``mode``: what all containers of a card
    have in common, ``pool``: what all those of a node have; ANY goes with all. ``ends``: it ends before the
    containers of its pod start; ``init`` alone: it is there before them too, and stays.
    """

    container: str
    init: bool
    index: int
    cards: int = 1
    cores: int = 0
    memory_mib: int | None = None
    whole: bool = False
    offline: bool = False
    joins_at: int = 0
    alone: bool = False
    mode: str = ANY
    pool: str = ANY
    ends: bool = False

    @property
    def percent(self) -> int:
        """Percent of each card that no other container can use."""
        return PERCENT if self.whole else self.cores

    @property
    def fresh(self) -> bool:
        """Its cards run no other container when it comes."""
        return self.whole or self.alone or self.memory_mib is None


Asks = tuple[ContainerRequest, ...]
"""The requests of one pod's containers, init containers first."""


def phases(asks: Asks) -> tuple[Asks, ...]:
    """What of a pod runs at once: its containers, or one of the init containers that end with what is there
    before it. On each card, and in all, a pod takes what the largest of these takes."""
    if not any(ask.ends for ask in asks):
        return (asks,)
    return tuple(tuple(asks[number] for number in numbers) for numbers in run_together(asks))


def run_together(asks: Asks) -> Iterator[tuple[int, ...]]:
    """The same by their numbers."""
    for last in (None, *dict.fromkeys(ask.index for ask in asks if ask.ends)):
        numbers = tuple(number for number, ask in enumerate(asks) if is_there(ask, last))
        if numbers:
            yield numbers


def is_there(ask: ContainerRequest, last: int | None) -> bool:
    """A container runs when an init container does that ends, by its index; None: when all of them ended."""
    if last is None:
        return not ask.ends
    return ask.index == last if ask.ends else ask.init and ask.index < last


# Partitions and replicas of cards, as the packing counts them.
# On nodes whose cards are all divided alike, a part is one of so many equal ones. Elsewhere a partition
# takes slices of its card: the slices of compute and, of eight, those of memory that follow from its name
# (NVIDIA's MIG user guide: 1g.10gb of an 80 GB card has one of seven, and one of eight). On a card that is
# divided from empty, partitions fit where both sums do; their places are fixed, so larger ones are made
# first.
SLICES = 8
"""Slices of memory of a card."""


class UnknownPartError(UserError, ValueError):
    """How many parts a card has is not known. The message says why."""


def asks_of_part(number: int, share: Share, profile: Profile, pool: str) -> Asks:
    """What each instance of a share's partition or replica takes of a card of the profile.

    ``number``: the index of the container; ``pool``: what the cards of its node are divided into, ANY where
    each card may be divided in its own way. Raises UnknownPartError.
    """
    memory = profile.cards.memory_mib or 0
    replica = share.replica and known_replica(share.replica, profile)
    if replica and replica.of is None:
        raise UnknownPartError(msg("how many clients share a card is in neither the share nor the profile"))
    of = (replica and replica.of) or 1
    if share.partition is None:
        cores, mib = _equal(of, memory)
    else:
        card, template = _template(share.partition, profile)
        if pool == ANY and replica:
            raise UnknownPartError(
                msg("clients of a partition are counted only where all cards of a node are divided alike")
            )
        if pool == ANY:
            cores, mib = _slices(card, template, memory)
        elif template.most is None:
            raise _not_known(card, template)
        else:
            cores, mib = _equal(template.most * of, memory)
    count = max(part.count for part in (share.partition, replica) if part)
    return (ContainerRequest("", False, number, cores=cores, memory_mib=mib, pool=pool),) * count


def _equal(parts: int, memory_mib: int) -> tuple[int, int]:
    """Percent and MiB of one of equal parts, of which no more than all fit."""
    mib = memory_mib // parts
    if mib * (parts + 1) <= memory_mib:
        raise UnknownPartError(msg("{count} parts of one card are more than are counted", count=parts))
    return PERCENT // parts, mib


def _template(partition: Partition, profile: Profile) -> tuple[Card, Template]:
    card = card_for(Share(), profile)
    if card is None or not card.templates:
        raise UnknownPartError(
            msg(
                "the catalogue has no partitions of {card}",
                card=profile.cards.model or "a card without a name",
            )
        )
    template = {each.name: each for each in card.templates}.get(partition.profile)
    if template is None:
        raise UnknownPartError(
            msg("the catalogue has no {profile} of {card}", profile=partition.profile, card=card.name)
        )
    return card, template


def _slices(card: Card, template: Template, memory_mib: int) -> tuple[int, int]:
    """Percent and MiB of the slices of a partition."""
    # a profile may list the partitions of its nodes alone: the whole card is in the package
    templates = (card_named(card.name) or card).templates or card.templates
    every = max((each.label for each in templates if each.label), default=None)
    if template.label is None or every is None:
        raise _not_known(card, template)
    compute, total = template.label[0], every[0]
    memory = round(SLICES * template.label[1] / every[1])
    if not memory or template.most not in (None, min(total // compute, SLICES // memory)):
        raise _not_known(card, template)
    return PERCENT * compute // total, memory_mib * memory // SLICES


def _not_known(card: Card, template: Template) -> UnknownPartError:
    return UnknownPartError(
        msg(
            "how many {profile} a {card} takes is not in the catalogue", profile=template.name, card=card.name
        )
    )
