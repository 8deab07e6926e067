"""A resource of a quota: read in its dialect, then fitted to the key and the numbers of the target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from gpuxlate.backends.base import Backend
from gpuxlate.manifest.quotas import REQUESTS, Quota, QuotaAmount
from gpuxlate.model.diagnostics import Loss, LossKind
from gpuxlate.model.keys import KeySpec
from gpuxlate.model.messages import Message, join_and, msg
from gpuxlate.model.pod import ScalarKind, Value
from gpuxlate.rules.translation import cards_are_of_one_vendor, made_by_another, quota_limits_the_same
from gpuxlate.translation.leftovers import DROP_DEVICE, ROUND
from gpuxlate.translation.options import Settings
from gpuxlate.translation.quotas.counting import (
    Counted,
    FittedNumber,
    first_key_for,
    fit_number,
    keeps_limits,
    key_counts,
    quota_amount,
    row_counts,
    row_of,
)


class QuotaNumber(NamedTuple):
    """An amount as it is written, in the terms of a share, and at the target. ``why``: why the target has no
    number for it."""

    written: QuotaAmount
    amount: Fraction | None = None
    fitted: FittedNumber | None = None
    why: Message | None = None

    @property
    def value(self) -> Value:
        """The number as it is written, with its path."""
        return self.written.value

    @property
    def is_exact(self) -> bool:
        """Whether the number of the target is the same amount."""
        return self.fitted is not None and self.fitted.amount == self.amount


class QuotaResource(NamedTuple):
    """A resource of a quota in the dialect that reads it, and the key of the target.

    ``why``: why no key of the target is the same; ``among``: the dialects that do not agree, where that is
    the reason. ``prefix``: the prefix of the key at the target, where it changes. ``losses``: accepted or
    not, as those of shares.
    """

    quota: Quota
    source: Backend
    counted: Counted | None
    key: KeySpec | None
    numbers: tuple[QuotaNumber, ...]
    why: str | None = None
    among: frozenset[str] = frozenset()
    prefix: str | None = None
    losses: tuple[Loss, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether nothing can be written, whatever the user accepts."""
        return self.why is not None or any(number.why for number in self.numbers)

    @property
    def accepted(self) -> bool:
        """Whether the user accepts every loss."""
        return all(loss.accepted for loss in self.losses)


def read_resources(
    quotas: Sequence[Quota], sources: Sequence[Backend], settings: Settings
) -> Iterator[QuotaResource]:
    """Read the resources of an object in their dialects; those that no dialect reads are left out."""
    for quota in quotas:
        name = settings.renamed.get(quota.resource, quota.resource)
        readers = [
            (source, row)
            for source in sources
            if (row := row_of(source, name)) is not None and quota.takes(row)
        ]
        if len(readers) > 1:
            names = join_and(backend.name for backend, _ in readers)
            why = msg("it is a key of {dialects}, which are both in this object", dialects=names)
            among = frozenset(backend.name for backend, _ in readers)
            yield QuotaResource(
                quota, readers[0][0], None, None, tuple(map(QuotaNumber, quota.amounts)), why, among
            )
        elif readers:
            source, row = readers[0]
            counted = key_counts(source, row, quota)
            if counted is None and row.whole:
                counted = row_counts(source, row)  # a part of the whole cards: read, and not translated
            if counted is None:
                numbers = tuple(map(QuotaNumber, quota.amounts))
                yield QuotaResource(quota, source, None, None, numbers, none_counts_the_same(settings))
            else:
                numbers = tuple(_number(amount, source, row, settings) for amount in quota.amounts)
                yield QuotaResource(quota, source, counted, None, numbers)


def none_counts_the_same(settings: Settings) -> Message:
    """The reason that no key of the target counts the same."""
    return msg("no key of {target} counts the same", target=settings.to.name)


def _number(written: QuotaAmount, source: Backend, row: KeySpec, settings: Settings) -> QuotaNumber:
    """An amount in the terms of a share."""
    value = written.value
    amount = quota_amount(source, row, value, settings.profile)
    if amount is not None:
        return QuotaNumber(written, amount)
    if value.kind is ScalarKind.NODE:
        return QuotaNumber(written, why=msg("it has no number"))
    return QuotaNumber(written, why=msg("{text!r} is not a whole number without a suffix", text=value.text))


def fit_to_target(read: Sequence[QuotaResource], settings: Settings) -> list[QuotaResource]:
    """Resources with the keys of the target, without those that are in its dialect already."""
    moved = [
        _for_target(resource, settings)
        for resource in read
        if resource.among or resource.source is not settings.to
    ]
    same: dict[tuple[str, str], _SameKey] = {}
    for resource in moved:
        if resource.key and not resource.refused:
            same.setdefault(key_at_target(resource), _SameKey(set(), set())).add(resource)
    return [_alone(resource, same, settings) for resource in moved]


def _for_target(resource: QuotaResource, settings: Settings) -> QuotaResource:
    """The resource with the key of the target that counts the same, and its numbers there."""
    if resource.why is not None:
        return resource
    name = settings.renamed.get(resource.quota.resource, resource.quota.resource)
    row = row_of(resource.source, name)
    assert row is not None
    counted = key_counts(resource.source, row, resource.quota)
    key, prefix = _kept_by(settings.to, counted, resource, row) if counted else (None, None)
    bare = tuple(QuotaNumber(number.written, number.amount) for number in resource.numbers)
    if key is None:
        return resource._replace(numbers=bare, why=none_counts_the_same(settings))
    if settings.to.names_other_vendor(resource.source):
        dropped = settings.accept.settle(_other_cards(resource, settings), None)
        if not dropped.accepted:
            return resource._replace(numbers=bare, why=dropped.message, losses=(dropped,))
    numbers = tuple(_fit_at_target(number, resource, row, key, settings) for number in resource.numbers)
    translated = resource._replace(key=key, prefix=prefix, numbers=numbers)
    rounded = _rounded(translated, settings)
    return translated._replace(losses=tuple(settings.accept.settle(loss, None) for loss in rounded))


def _other_cards(resource: QuotaResource, settings: Settings) -> Loss:
    """The loss where the amount is of cards that the target does not have."""
    message = made_by_another(settings.to.name, settings.to.vendor, resource.source.vendor)
    hint = msg(DROP_DEVICE, target=settings.to.name)
    return Loss(LossKind.DROPPED, "device", cards_are_of_one_vendor.code, message, hint)


def _rounded(resource: QuotaResource, settings: Settings) -> Iterator[Loss]:
    """The losses of the numbers that become larger."""
    assert resource.counted is not None
    for number in resource.numbers:
        if number.is_exact or number.fitted is None or number.amount is None:
            continue
        message = msg(
            "{amount} is rounded up to {given}: {key} {number}",
            amount=resource.counted.text(number.amount, each=resource.quota.each),
            given=resource.counted.text(number.fitted.amount, each=resource.quota.each),
            key=written_at_target(resource, settings),
            number=number.fitted.text,
        )
        yield Loss(
            LossKind.ROUNDED,
            resource.counted.field,
            quota_limits_the_same.code,
            message,
            msg(ROUND, number=number.fitted.text),
            number.value.text,
            number.fitted.text,
            path=number.value.path,
        )


def _kept_by(
    target: Backend, counted: Counted, resource: QuotaResource, row: KeySpec
) -> tuple[KeySpec | None, str | None]:
    """The key of the target that counts the same, and is enforced if that of the source is, with its prefix
    where that changes."""
    key = first_key_for(target, counted, resource.quota)
    kept_there = key is not None and keeps_limits(target, key, resource.quota)
    if keeps_limits(resource.source, row, resource.quota) and not kept_there:
        return first_key_for(target, counted, resource.quota._replace(prefix=REQUESTS)), REQUESTS
    return (None if kept_there and not keeps_limits(resource.source, row, resource.quota) else key), None


def _fit_at_target(
    number: QuotaNumber, resource: QuotaResource, row: KeySpec, key: KeySpec, settings: Settings
) -> QuotaNumber:
    """An amount as the target has it."""
    if number.amount is None:
        return number
    fitted_number = fit_number(settings.to, key, number.amount, settings.profile, each=resource.quota.each)
    if fitted_number is None:
        return number._replace(why=msg("no value of {key} can express it", key=key.name))
    same_unit = resource.source.unit(row, settings.profile) == settings.to.unit(key, settings.profile)
    if fitted_number.amount == number.amount and same_unit:
        fitted_number = fitted_number._replace(text=number.value.text)  # 100k stays 100k
    return number._replace(fitted=fitted_number)


def leave_together(read: Sequence[QuotaResource]) -> Iterator[QuotaResource]:
    """Leave all resources of dialects among which one is left, so that the next run has the same result."""
    mixed = frozenset().union(*(resource.among for resource in read))
    why = msg("it changes together with amounts that cannot be translated")
    for resource in read:
        yield (
            resource._replace(why=why) if resource.source.name in mixed and not resource.refused else resource
        )


class _SameKey(NamedTuple):
    """The resources of an object that would have one key at the target, and their dialects."""

    resources: set[str]
    sources: set[str]

    def add(self, resource: QuotaResource) -> None:
        self.resources.add(resource.quota.resource)
        self.sources.add(resource.source.name)


def _alone(
    resource: QuotaResource, same: Mapping[tuple[str, str], _SameKey], settings: Settings
) -> QuotaResource:
    """The resource, refused where the key of the target is in its place already, or would be twice.

    ``same``: the resources of the object that would have a key, by prefix and key.
    """
    if (
        resource.key is None
        or resource.refused
        or name_at_target(resource, settings) == resource.quota.resource
    ):
        return resource
    names = {resource.key.name, *resource.key.aliases}
    names |= {new for new, old in settings.renamed.items() if old in names}
    prefix, _ = new = key_at_target(resource)
    own_name, by_prefix = {resource.quota.resource}, resource.quota.resources_by_prefix
    is_there = not own_name.issuperset(names & by_prefix.get(prefix, set()))
    twice = not own_name.issuperset(same[new].resources & set().union(*by_prefix.values()))
    if not (is_there or twice):
        return resource
    text = "{key} is in this object already" if is_there else "{key} would be in this object twice"
    among = same[new].sources if twice else set()
    why = msg(text, key=written_at_target(resource, settings))
    return resource._replace(why=why, among=frozenset(among) if len(among) > 1 else frozenset())


def name_at_target(resource: QuotaResource, settings: Settings) -> str:
    """The name of the target's key in its cluster."""
    assert resource.key is not None
    extension = settings.to.extension
    names = extension.of(settings.profile).by_key if extension else {}
    return names.get(resource.key.name, resource.key.name)


def key_at_target(resource: QuotaResource) -> tuple[str, str]:
    """The prefix and the key at the target."""
    assert resource.key is not None
    return resource.prefix or resource.quota.prefix_for(resource.key) or "", resource.key.name


def written_at_target(resource: QuotaResource, settings: Settings) -> str:
    """The name at the target, with its prefix."""
    return key_at_target(resource)[0] + name_at_target(resource, settings)
