"""Partitions and replicas of cards, as the packing counts them.

On nodes whose cards are all divided alike, a part is one of so many equal ones. Elsewhere a partition
takes slices of its card: the slices of compute and, of eight, those of memory that follow from its name
(NVIDIA's MIG user guide: 1g.10gb of an 80 GB card has one of seven, and one of eight). On a card that is
divided from empty, partitions fit where both sums do; their places are fixed, so larger ones are made
first.
"""

from __future__ import annotations

from gpuxlate.backends.scheduling_limits import ANY_MODE
from gpuxlate.model.amounts import card_of_share, known_replica
from gpuxlate.model.errors import UserError
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import msg
from gpuxlate.model.profile import Card, Profile, Template, card_named
from gpuxlate.model.share import Partition, Share
from gpuxlate.planning.requests import Asks, ContainerRequest

MEMORY_SLICES = 8
"""Slices of memory of a card."""


class UnknownPartError(UserError, ValueError):
    """How many parts a card has is not known. The message says why."""


def asks_of_part(number: int, share: Share, profile: Profile, pool: str) -> Asks:
    """What each instance of a share's partition or replica takes of a card of the profile.

    ``number``: the index of the container; ``pool``: what the cards of its node are divided into, ANY_MODE
    where each card may be divided in its own way. Raises UnknownPartError.
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
        if pool == ANY_MODE and replica:
            raise UnknownPartError(
                msg("clients of a partition are counted only where all cards of a node are divided alike")
            )
        if pool == ANY_MODE:
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
    return FULL_CARD_CORES // parts, mib


def _template(partition: Partition, profile: Profile) -> tuple[Card, Template]:
    card = card_of_share(Share(), profile)
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
    largest = max((each.label for each in templates if each.label), default=None)
    if template.label is None or largest is None:
        raise _not_known(card, template)
    compute, total = template.label[0], largest[0]
    memory = round(MEMORY_SLICES * template.label[1] / largest[1])
    if not memory or template.most not in (None, min(total // compute, MEMORY_SLICES // memory)):
        raise _not_known(card, template)
    return FULL_CARD_CORES * compute // total, memory_mib * memory // MEMORY_SLICES


def _not_known(card: Card, template: Template) -> UnknownPartError:
    return UnknownPartError(
        msg(
            "how many {profile} a {card} takes is not in the catalogue", profile=template.name, card=card.name
        )
    )
