"""Whether a share that a target gives is at least what was asked."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from gpuxlate.backends.base import Backend, ContainerShare
from gpuxlate.model.amounts import amount_of
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Isolation, Share, limit_beside, percent_in_mib
from gpuxlate.model.share_problems import ALL_MEMORY, FULL_CARD_CORES
from gpuxlate.translation.pods.fit import Accept, Outcome, fit_pod


def in_numbers(share: Share, profile: Profile | None = None) -> Share:
    """A share of a part of a card as the numbers that it amounts to, as far as they are known."""
    amount = amount_of(share, profile)
    if amount is None:
        return share
    bare = replace(share, partition=None, replica=None)
    memory = None if amount.memory_mib is None else max(1, amount.memory_mib)
    return replace(bare, cores=min(amount.cores or 1, FULL_CARD_CORES), memory_mib=memory)


def too_little(
    asked: Share,
    given: Share,
    accept: Accept,
    card_mib: int | None = None,
    implied: Collection[str] = (),
) -> Iterator[str]:
    """The fields in which a share gives less than was asked, but for those that may be dropped.

    ``card_mib`` is the card of the profile, which turns percent into MiB. ``implied``: fields that the
    target gives without a key. A field that was open may be filled: that is what the user said.
    """
    if given.cards < asked.cards:
        yield "cards"
    if "cores" not in accept.drop and _percent(given) < _percent(asked):
        yield "cores"
    yield from _less_memory(asked, given, accept, card_mib)
    for field in ("policy", "qos", "device"):
        said = getattr(asked, field)
        if getattr(given, field) != said and not (said and field in {*accept.drop, *implied}):
            yield field
    least = Isolation.HARDWARE if given.whole_cards else given.isolation or Isolation.NONE
    if asked.isolation and not ("isolation" in {*accept.drop, *implied} or least.covers(asked.isolation)):
        yield "isolation"


def _less_memory(asked: Share, given: Share, accept: Accept, card_mib: int | None) -> Iterator[str]:
    if asked.memory_mib_per_card is not None:
        if given.memory_mib_per_card is not None and given.memory_mib_per_card < asked.memory_mib_per_card:
            yield "memoryMiB"
    elif given.memory_mib is not None and "memoryMiB" not in accept.fill:
        asked_mib = (
            percent_in_mib(asked.memory_percent, card_mib) if asked.memory_percent and card_mib else None
        )
        if asked_mib is None or asked_mib * given.cards > given.memory_mib:
            yield "memoryMiB"
    if given.memory_percent is not None and given.memory_percent < (asked.memory_percent or ALL_MEMORY):
        yield "memoryPercent"
    limit = given.memory_limit_mib_per_card or given.memory_mib_per_card
    wanted = 0 if "memoryLimitMiB" in accept.drop else asked.memory_limit_mib_per_card or 0
    if limit is not None and limit < wanted:
        yield "memoryLimitMiB"


def implied(share: Share, target: Backend, accept: Accept, profile: Profile | None = None) -> frozenset[str]:
    """The fields of a share that a target gives without a key."""
    return frozenset(
        fit_pod([ContainerShare("", 0, share=share)], target, accept, profile).outcomes[0].implied
    )


def needless(field: str, outcome: Outcome) -> bool:
    """The share as it is given says no more with the field than without it."""
    share = outcome.given
    if field == "memory_limit_mib":  # memory was rounded up as far
        return limit_beside(share.memory_mib, outcome.share.memory_limit_mib) is None
    return field == "isolation" and (outcome.share.isolation is Isolation.NONE or share.whole_cards)


def _percent(share: Share) -> int:
    """Percent of each card that a share is sure of: 0 where compute is not capped."""
    return FULL_CARD_CORES if share.whole_cards else share.cores_per_card or 0
