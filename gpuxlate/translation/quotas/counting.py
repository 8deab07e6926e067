"""What the number of a key counts in a quota, and the key of a target that counts the same.

A quota adds the numbers of containers as they are written, whatever their unit. So two keys count the same
only where both have the same field of each container's share.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from gpuxlate.backends.base import Backend
from gpuxlate.manifest.quotas import LIMITS, Quota
from gpuxlate.model import quantity
from gpuxlate.model.keys import BYTE, KeySpec, LegalNumbers, Per, Place
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import ScalarKind, Value
from gpuxlate.model.profile import Profile
from gpuxlate.rules.number_format import NumberForm, is_canonical, number_as_written

COUNTED_PLACES = (Place.RESOURCE, Place.QUOTA)
"""What a quota adds up: resources of containers, and amounts of claims."""


class Counted(NamedTuple):
    """What a number counts. ``field``: the field of a share. ``whole``: whole cards. ``offline``: for offline
    pods. ``of_shares``: parts of cards, not whole cards."""

    field: str
    per: Per = Per.TOTAL
    whole: bool = False
    offline: bool = False
    of_shares: bool = False

    def text(self, amount: Fraction, *, each: bool = False) -> Message:
        """An amount in the terms of a share. ``each``: the amount of one container, not of all together."""
        number = f"{float(amount):g}" if amount.denominator != 1 else str(int(amount))
        text = _EACH[self.field] if each else _WORDS[self.field]
        total = msg(text, number=number)
        return msg("{what}, of each card", what=total) if self.per is Per.CARD else total


_WORDS = {
    "cards": "{number} cards in all",
    "cores": "{number} % of compute in all",
    "memory_mib": "{number} MiB of GPU memory in all",
    "memory_percent": "{number} % of GPU memory in all",
}
_EACH = {
    "cards": "{number} cards of a container",
    "cores": "{number} % of compute of a container",
    "memory_mib": "{number} MiB of GPU memory of a container",
    "memory_percent": "{number} % of GPU memory of a container",
}
"""An amount in the terms of a share: of all containers together, and of one."""


def row_counts(backend: Backend, row: KeySpec) -> Counted | None:
    """What the number of a row counts; None where a sum of its numbers does not say what containers have.

    Cards are whole cards where neither a key nor a claim of the dialect makes them parts.
    A key that names a card counts that card alone, so that it has no sum. Neither has an amount whose unit
    differs without a suffix: some containers write 4, and some 4Gi.
    """
    if row.places.isdisjoint(COUNTED_PLACES) or row.sets not in _WORDS or not row.unit:
        return None
    if row.unsupported_reason or row.model or row.is_pattern or (row.quantity and row.unit != BYTE):
        return None
    if row.sets != "cards":
        return Counted(row.sets, row.per, row.whole, row.offline)
    rows = (row for group in backend.keys_by_model for row in group.parts)
    parts = backend.device_classes or any(not row.places.isdisjoint(COUNTED_PLACES) for row in rows)
    return Counted(row.sets, whole=row.whole or not parts, offline=row.offline, of_shares=bool(row.needs))


def row_of(backend: Backend, name: str) -> KeySpec | None:
    """The row of a resource that quotas count; None where no such resource has the name."""
    row = backend.find(name)
    return None if row is None or row.places.isdisjoint(COUNTED_PLACES) else row


def keeps_limits(backend: Backend, row: KeySpec, quota: Quota) -> bool:
    """Whether the scheduler of the dialect enforces amounts with ``limits.``, which Kubernetes does not
    count."""
    kept = backend.scheduling.keeps_quotas and row.sets in ("cores", "memory_mib")
    return kept and quota.shape.prefixed and quota.prefix == LIMITS


def counts_in(backend: Backend, row: KeySpec, quota: Quota) -> Counted | None:
    """What the number of a row counts in a quota. With ``limits.`` a scheduler adds up the totals over the
    cards."""
    counted = row_counts(backend, row)
    return counted._replace(per=Per.TOTAL) if counted and keeps_limits(backend, row, quota) else counted


def key_counts(backend: Backend, row: KeySpec, quota: Quota) -> Counted | None:
    """What a key counts in a quota; None for the second key of a dialect that counts the same, since it
    counts only a part of the containers, or two numbers in one.
    """
    counted = counts_in(backend, row, quota)
    return counted if counted and first_key_for(backend, counted, quota) is row else None


def first_key_for(backend: Backend, counted: Counted, quota: Quota) -> KeySpec | None:
    """The first key of a dialect that counts the same, and can be in the place of the resource of a quota."""
    rows = (row for row in backend.keys if quota.takes(row) and quota.prefix_for(row) is not None)
    return next((row for row in rows if counts_in(backend, row, quota) == counted), None)


def has_whole_cards_in_cores(backend: Backend) -> bool:
    """Whether the compute that a quota of this dialect counts includes whole cards: no key counts cards
    alone."""
    counted = any(row.sets == "cards" and not row.places.isdisjoint(COUNTED_PLACES) for row in backend.keys)
    return not counted or backend.whole_cores


def quota_amount(backend: Backend, row: KeySpec, value: Value, profile: Profile | None) -> Fraction | None:
    """The amount of a value in MiB, percent or cards; None where it is not a whole number of the key's
    units."""
    form = number_as_written(value)
    if row.quantity:
        whole = value.kind is not ScalarKind.NODE and form.form in (NumberForm.PLAIN, NumberForm.SUFFIX)
        amount = form.amount if whole else None
    else:
        amount = form.amount if form.form is NumberForm.PLAIN or is_canonical(form) else None
    return None if amount is None or amount < 0 else amount * backend.unit(row, profile)


class FittedNumber(NamedTuple):
    """The number of a key that holds an amount: as it is written, and what it amounts to."""

    text: str
    amount: Fraction


def fit_number(
    backend: Backend, row: KeySpec, amount: Fraction, profile: Profile | None, *, each: bool
) -> FittedNumber | None:
    """The least number of a key that is at least an amount (MiB, percent or cards); None where there is none.

    ``each``: the amount is that of one container, so the number is in the ranges of the row. Sums have no
    ranges, only the unit.
    """
    unit = backend.unit(row, profile)
    if row.quantity:
        mib = math.ceil(amount)
        return (
            FittedNumber(f"{mib}Mi" if mib else "0", Fraction(mib)) if mib / BYTE <= quantity.LIMIT else None
        )
    number: int | None = math.ceil(amount / unit)
    if number and each and row.ranges:
        number = LegalNumbers(row.ranges).next(number)
    if number is None or number > quantity.LIMIT:
        return None
    return FittedNumber(str(number), number * unit)
