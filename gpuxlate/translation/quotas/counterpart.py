"""What the number of a key counts in a quota, and the key of a target that counts the same.

A quota adds the numbers of containers as they are written, whatever they are numbers of. So two keys are
counterparts only where the same part of each container's share is in both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from gpuxlate.backends.base import Backend
from gpuxlate.manifest.quotas import Quota
from gpuxlate.model import quantity
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import ContainerKeys, Kind, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.sheet import BYTE, Key, Per, Place, Range
from gpuxlate.rules.numerals import Form, is_canonical, written

COUNTED = (Place.RESOURCE, Place.QUOTA)
"""What a quota adds up: resources of containers, and amounts of claims."""


class Counted(NamedTuple):
    """What a number counts. ``says``: the attribute of a share. ``of_shares``: not of whole cards."""

    says: str
    per: Per = Per.TOTAL
    whole: bool = False
    offline: bool = False
    of_shares: bool = False

    def text(self, amount: Fraction, *, each: bool = False) -> Message:
        """An amount in the terms of a share. ``each``: of one container, not of all together."""
        number = f"{float(amount):g}" if amount.denominator != 1 else str(int(amount))
        text = _EACH[self.says] if each else _WORDS[self.says]
        what = say(text, number=number)
        return say("{what}, of each card", what=what) if self.per is Per.CARD else what


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


def counts(row: Key) -> Counted | None:
    """What the number of a row counts; None where no sum of it says what containers have.

    A key that names a card counts that card alone. An amount that may have a unit, and counts another one
    without it, is no sum: some containers write 4, and some 4Gi.
    """
    if row.places.isdisjoint(COUNTED) or row.says not in _WORDS or not row.unit:
        return None
    if row.unread or row.model or row.is_pattern or (row.quantity and row.unit != BYTE):
        return None
    per = Per.TOTAL if row.says == "cards" else row.per
    return Counted(row.says, per, row.whole, row.offline, row.says == "cards" and bool(row.needs))


def row_of(backend: Backend, name: str) -> Key | None:
    """The row of a resource that quotas count, None where the name is none."""
    row = backend.find(name)
    return None if row is None or row.places.isdisjoint(COUNTED) else row


def meaning(backend: Backend, row: Key, quota: Quota) -> Counted | None:
    """What a key counts in a quota; None for the second key of a dialect that counts the same.

    Such a key has a part of the containers alone, or two numbers in one.
    """
    found = counts(row)
    return found if found and first_of(backend, found, quota) is row else None


def first_of(backend: Backend, counted: Counted, quota: Quota) -> Key | None:
    """The key of a dialect that counts this, in the place of a resource of a quota."""
    rows = (row for row in backend.keys if quota.takes(row) and quota.prefix_for(row) is not None)
    return next((row for row in rows if counts(row) == counted), None)


def has_whole_cards_in_cores(backend: Backend) -> bool:
    """Whole cards are in the compute that a quota of this dialect counts: no key counts cards alone."""
    counted = any(row.says == "cards" and not row.places.isdisjoint(COUNTED) for row in backend.keys)
    return not counted or backend.whole_cores


def amount_of(backend: Backend, row: Key, value: Value, profile: Profile | None) -> Fraction | None:
    """An amount in MiB, percent or cards; None where it is no whole number of the key's units."""
    form = written(value)
    if row.quantity:
        whole = value.kind is not Kind.NODE and form.form in (Form.PLAIN, Form.SUFFIX)
        amount = form.amount if whole else None
    else:
        amount = form.amount if form.form is Form.PLAIN or is_canonical(form) else None
    return None if amount is None or amount < 0 else amount * backend.unit(row, profile)


def keys_of(quotas: Sequence[Quota], renamed: Mapping[str, str]) -> PodKeys:
    """The resources of one object as those of a pod, for what looks at pods: a container for each place."""
    amounts = {value.path: value for one in quotas for value, _ in one.amounts}
    containers = (
        ContainerKeys(
            limits={renamed.get(one.resource, one.resource): amounts.get(path, Value("", Kind.NODE, path))},
            path=path,
        )
        for one in quotas
        for path in one.names
    )
    return PodKeys(tuple(containers), served=any(one.served for one in quotas))


class Fitted(NamedTuple):
    """The number of a key that holds an amount: as it is written, and what it amounts to."""

    text: str
    amount: Fraction


def fitted(
    backend: Backend, row: Key, amount: Fraction, profile: Profile | None, *, each: bool
) -> Fitted | None:
    """The least number of a key that holds an amount; None where there is none.

    ``each``: the number is one that a container may have, so it is in the ranges of the row. Those are not
    of sums: for them the unit alone counts.
    """
    unit = backend.unit(row, profile)
    if row.quantity:
        mib = math.ceil(amount)
        return Fitted(f"{mib}Mi" if mib else "0", Fraction(mib)) if mib / BYTE <= quantity.LIMIT else None
    number: int | None = math.ceil(amount / unit)
    if number and each and row.ranges:
        number = _legal(row.ranges, number)
    if number is None or number > quantity.LIMIT:
        return None
    return Fitted(str(number), number * unit)


def _legal(ranges: tuple[Range, ...], number: int) -> int | None:
    """The first number of some ranges that is not below another one."""
    found = (max(one.least, quantity.round_up(number, one.step)) for one in ranges)
    pairs = zip(found, ranges, strict=True)
    return min((n for n, one in pairs if one.most is None or n <= one.most), default=None)
