"""The memory and compute of partitions and replicas, from the catalogue of cards and a profile.

A partition has the memory and compute of its row in the catalogue. One of N clients by MPS has an N-th of
each, rounded down (NVIDIA/k8s-device-plugin, mps-control-daemon: the active thread percentage and the pinned
memory of a client). A client by time-slicing has no guaranteed amount.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from gpuxlate.model.declarations import Printed, record
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.profile import Card, Profile, Template, all_cards, card_meant, card_named, replicas_of
from gpuxlate.model.share import Isolation, Partition, Replica, Share, Strategy


@record
class Amount(Printed):
    """What the partitions or replicas of a share amount to, as asked, or as the target gives them in place of
    numbers."""

    cores: int | None
    """Compute in percent of one card, in total; null: not known."""
    memory_mib: int | None
    """GPU memory in MiB, in total; null: not known."""
    card: str
    """The card and the part of it that the numbers are those of."""
    source: str
    """The documents of that row of the catalogue of cards, or the profile."""
    certain: bool = True
    """The numbers are measured and the same for every card that may be meant; else no part has more."""

    def times(self, count: int) -> Amount:
        """The amount of ``count`` partitions or replicas."""
        cores, memory = (
            None if amount is None else amount * count for amount in (self.cores, self.memory_mib)
        )
        return replace(self, cores=cores, memory_mib=memory)

    def part(self, of: int) -> Amount:
        """One of ``of`` equal parts, rounded down, as each client gets it."""
        cores, memory = (None if amount is None else amount // of for amount in (self.cores, self.memory_mib))
        return replace(self, cores=cores, memory_mib=memory)

    @property
    def numbers(self) -> Message | str:
        """In words: ``13 %, 4864 MiB``."""
        cores = "" if self.cores is None else f"{self.cores} %"
        memory = "" if self.memory_mib is None else f"{self.memory_mib} MiB"
        text = ", ".join(amount for amount in (cores, memory) if amount) or "an unknown amount"
        return text if self.certain else msg("at most {numbers}", numbers=text)

    @property
    def row(self) -> Message:
        """The source of the numbers, in words."""
        card_and_source = msg("{card} ({source})", card=self.card, source=self.source)
        return (
            card_and_source
            if self.certain
            else msg("{row}, which no other part exceeds", row=card_and_source)
        )

    @property
    def text(self) -> Message:
        """In words, with where the numbers are from."""
        return msg("{numbers} ({card}: {source})", numbers=self.numbers, card=self.card, source=self.source)


def amount_of(share: Share, profile: Profile | None = None) -> Amount | None:
    """The amount of the partitions or replicas of a share; None if it is unknown."""
    whole = None
    if share.partition is not None:
        amount = _of_partition(_rows(share, profile))
        whole = amount and amount.times(share.partition.count)
    if share.replica is None:
        return whole
    replica = known_replica(share.replica, profile)
    if replica.strategy is not Strategy.MPS or replica.of is None:
        return None
    whole = whole if share.partition is not None else _of_card(share, profile)
    return whole and whole.part(replica.of).times(replica.count)


def known_replica(replica: Replica, profile: Profile | None) -> Replica:
    """The replica with the fields that only the nodes know, from the profile."""
    replicas = replicas_of(profile)
    if replicas is None or (replica.of is not None and replica.strategy is not None):
        return replica
    return Replica(replica.of or replicas.of, replica.strategy or replicas.strategy, replica.count)


def card_of_share(share: Share, profile: Profile | None) -> Card | None:
    """The card of a share: the only model that it names, else the card of the profile's nodes; None if both
    are unknown."""
    models = share.device.models if share.device else ()
    if models:
        return card_named(models[0], profile) if len(models) == 1 else None
    cards_of_profile = profile.cards if profile else None
    return (
        card_meant(cards_of_profile.model, cards_of_profile.memory_mib, profile)
        if cards_of_profile and cards_of_profile.model
        else None
    )


def _rows(share: Share, profile: Profile | None) -> list[tuple[Card, Template]]:
    """The rows of the partition: that of the card, or those of all cards that have it."""
    name = share.partition.profile if share.partition else ""
    card = card_of_share(share, profile)
    candidates = [card] if card is not None and card.template(name) else all_cards(profile)
    return [
        (candidate, partition)
        for candidate in candidates
        if (partition := candidate.template(name)) is not None
    ]


def _of_partition(rows: Sequence[tuple[Card, Template]]) -> Amount | None:
    """The maximum of the rows: a share with these numbers is enough for a partition of any of them."""
    if not rows:
        return None

    def size(row: tuple[Card, Template]) -> tuple[int, int, bool]:
        """Of equal rows, one whose compute a document or a node says (1g.18gb: H200, not GH200)."""
        card, partition = row
        return partition.most_mib or 0, card.cores_of(partition) or 0, partition.multiprocessors is not None

    card, largest = max(rows, key=size)
    cores = [
        partition_cores for candidate, row in rows if (partition_cores := candidate.cores_of(row)) is not None
    ]
    certain = (
        len({(row.most_mib, candidate.cores_of(row)) for candidate, row in rows}) == 1 and largest.is_measured
    )
    source = largest.source or card.source
    return Amount(max(cores, default=None), largest.most_mib, f"{card.name} {largest.name}", source, certain)


def _of_card(share: Share, profile: Profile | None) -> Amount:
    """A whole card: its MiB are those of the profile, else of the catalogue."""
    card, memory_of_profile = card_of_share(share, profile), profile.cards.memory_mib if profile else None
    named = bool(share.device and share.device.models)
    if memory_of_profile is not None and not named:
        return Amount(
            FULL_CARD_CORES, memory_of_profile, card.name if card else "card", "the profile, cards.memoryMiB"
        )
    if card is None or card.most_mib is None:
        return Amount(
            FULL_CARD_CORES, None, "card", "the number of clients; the memory of the card is not known"
        )
    return Amount(
        FULL_CARD_CORES, card.memory_mib or card.most_mib, card.name, card.source, card.memory_mib is not None
    )


class Part(NamedTuple):
    """A part of a card that a target gives in place of numbers. ``amount``: what it has at least."""

    amount: Amount
    isolation: Isolation
    partition: Partition | None = None
    replica: Replica | None = None


def partitions_of(card: Card) -> tuple[Part, ...]:
    """The partitions of a card, the smallest first, with what each has for certain."""
    return tuple(
        Part(
            Amount(
                card.cores_of(template),
                template.least_mib,
                f"{card.name} {template.name}",
                template.source or card.source,
                template.is_measured,
            ),
            Isolation.HARDWARE,
            Partition(template.name),
        )
        for template in card.templates
    )
