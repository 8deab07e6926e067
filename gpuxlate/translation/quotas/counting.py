"""What the number of a key counts in a quota, and the key of a target that counts the same.

A quota adds the numbers of containers as they are written, whatever they are numbers of. So two keys are
counterparts only where the same part of each container's share is in both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from itertools import groupby
from typing import Any, Literal, NamedTuple, TypeVar

from gpuxlate.backends.base import Backend
from gpuxlate.manifest.quotas import LIMITS, REQUESTS, Quota, QuotaAmount, quotas_in
from gpuxlate.model import quantity
from gpuxlate.model.declarations import Count, Positive, Printed, PrintedAs, record
from gpuxlate.model.diagnostics import Diagnostic, Edit, ObjectRef, Path, Put, Rename, Severity, Span
from gpuxlate.model.keys import BYTE, KeySpec, Per, Place, Range
from gpuxlate.model.messages import Message, join_and, msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, ScalarKind, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import JSON_NAMES
from gpuxlate.rules.number_format import NumberForm, is_canonical, written
from gpuxlate.rules.translation import (
    cards_are_of_one_vendor,
    made_by_another,
    nothing_is_left_behind,
    quota_limits_the_same,
)
from gpuxlate.rules.vocabulary import vocabulary_of
from gpuxlate.translation.leftovers import BY_HAND, DECIDE, DROP_DEVICE, ROUND, Leftover
from gpuxlate.translation.notes import common_keys, left_alone
from gpuxlate.translation.options import Settings
from gpuxlate.translation.shares import dialects_of
from gpuxlate.yamltext.nodes import Scalar, get
from gpuxlate.yamltext.parse import Document, locate, with_location

T = TypeVar("T")
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
        what = msg(text, number=number)
        return msg("{what}, of each card", what=what) if self.per is Per.CARD else what


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


def counts(backend: Backend, row: KeySpec) -> Counted | None:
    """What the number of a row counts; None where no sum of it says what containers have.

    Cards are whole ones where neither a key nor a claim of the dialect makes them parts.
    A key that names a card counts that card alone. An amount that may have a unit, and counts another one
    without it, is no sum: some containers write 4, and some 4Gi.
    """
    if row.places.isdisjoint(COUNTED) or row.sets not in _WORDS or not row.unit:
        return None
    if row.unsupported_reason or row.model or row.is_pattern or (row.quantity and row.unit != BYTE):
        return None
    if row.sets != "cards":
        return Counted(row.sets, row.per, row.whole, row.offline)
    rows = (one for group in backend.keys_by_model for one in group.parts)
    parts = backend.device_classes or any(not one.places.isdisjoint(COUNTED) for one in rows)
    return Counted(row.sets, whole=row.whole or not parts, offline=row.offline, of_shares=bool(row.needs))


def row_of(backend: Backend, name: str) -> KeySpec | None:
    """The row of a resource that quotas count, None where the name is none."""
    row = backend.find(name)
    return None if row is None or row.places.isdisjoint(COUNTED) else row


def keeps_limits(backend: Backend, row: KeySpec, quota: Quota) -> bool:
    """The scheduler of the dialect keeps to an amount with ``limits.``, which Kubernetes does not count."""
    kept = backend.scheduling.keeps_quotas and row.sets in ("cores", "memory_mib")
    return kept and quota.shape.prefixed and quota.prefix == LIMITS


def counts_in(backend: Backend, row: KeySpec, quota: Quota) -> Counted | None:
    """What the number of a row counts in a quota: with ``limits.`` a scheduler adds up what cards give."""
    found = counts(backend, row)
    return found._replace(per=Per.TOTAL) if found and keeps_limits(backend, row, quota) else found


def meaning(backend: Backend, row: KeySpec, quota: Quota) -> Counted | None:
    """What a key counts in a quota; None for the second key of a dialect that counts the same.

    Such a key has a part of the containers alone, or two numbers in one.
    """
    found = counts_in(backend, row, quota)
    return found if found and first_of(backend, found, quota) is row else None


def first_of(backend: Backend, counted: Counted, quota: Quota) -> KeySpec | None:
    """The key of a dialect that counts this, in the place of a resource of a quota."""
    rows = (row for row in backend.keys if quota.takes(row) and quota.prefix_for(row) is not None)
    return next((row for row in rows if counts_in(backend, row, quota) == counted), None)


def has_whole_cards_in_cores(backend: Backend) -> bool:
    """Whole cards are in the compute that a quota of this dialect counts: no key counts cards alone."""
    counted = any(row.sets == "cards" and not row.places.isdisjoint(COUNTED) for row in backend.keys)
    return not counted or backend.whole_cores


def amount_of(backend: Backend, row: KeySpec, value: Value, profile: Profile | None) -> Fraction | None:
    """An amount in MiB, percent or cards; None where it is no whole number of the key's units."""
    form = written(value)
    if row.quantity:
        whole = value.kind is not ScalarKind.NODE and form.form in (NumberForm.PLAIN, NumberForm.SUFFIX)
        amount = form.amount if whole else None
    else:
        amount = form.amount if form.form is NumberForm.PLAIN or is_canonical(form) else None
    return None if amount is None or amount < 0 else amount * backend.unit(row, profile)


def keys_of(quotas: Sequence[Quota], renamed: Mapping[str, str]) -> PodKeys:
    """The resources of one object as those of a pod, for what looks at pods: a container for each place."""
    amounts = {value.path: value for one in quotas for value, _ in one.amounts}
    containers = (
        ContainerKeys(
            limits={
                renamed.get(one.resource, one.resource): amounts.get(path, Value("", ScalarKind.NODE, path))
            },
            path=path,
        )
        for one in quotas
        for path in one.names
    )
    return PodKeys(tuple(containers), served=any(one.served for one in quotas))


class FittedNumber(NamedTuple):
    """The number of a key that holds an amount: as it is written, and what it amounts to."""

    text: str
    amount: Fraction


def fitted(
    backend: Backend, row: KeySpec, amount: Fraction, profile: Profile | None, *, each: bool
) -> FittedNumber | None:
    """The least number of a key that holds an amount; None where there is none.

    ``each``: the number is one that a container may have, so it is in the ranges of the row. Those are not
    of sums: for them the unit alone counts.
    """
    unit = backend.unit(row, profile)
    if row.quantity:
        mib = math.ceil(amount)
        return (
            FittedNumber(f"{mib}Mi" if mib else "0", Fraction(mib)) if mib / BYTE <= quantity.LIMIT else None
        )
    number: int | None = math.ceil(amount / unit)
    if number and each and row.ranges:
        number = _legal(row.ranges, number)
    if number is None or number > quantity.LIMIT:
        return None
    return FittedNumber(str(number), number * unit)


def _legal(ranges: tuple[Range, ...], number: int) -> int | None:
    """The first number of some ranges that is not below another one."""
    found = (max(one.least, quantity.round_up(number, one.step)) for one in ranges)
    pairs = zip(found, ranges, strict=True)
    return min((n for n, one in pairs if one.most is None or n <= one.most), default=None)


# One amount of a quota in a run: what it says, and what became of it.
class QuotaVerdict(StrEnum):
    """The result for an amount of a quota."""

    EXACT = "exact"
    ROUNDED = "rounded"
    LEFT = "left"


@record
class PrintedQuota(Printed):
    """An amount of a resource in a quota, a range of limits or a queue."""

    file: str
    """The file as it was given; <stdin> for standard input."""
    document: Count
    """Document in the file, from 0."""
    line: Positive | None
    """Line of the amount, from 1."""
    column: Positive | None
    """Its column, from 1, in characters."""
    object: ObjectRef
    """The object that the document holds."""
    place: str
    """Where it is in the object, such as spec.hard or spec.limits[0].max."""
    key: str
    """The resource as it is written, with its prefix."""
    value: str
    """The amount as it is written."""
    from_: str
    """The target that it was read from."""
    field: Literal["cards", "cores", "memoryMiB", "memoryPercent"] | None
    """What it counts, as in a share; null: no share says it."""
    amount: int | float | None
    """Cards, percent or MiB; null where it is not known."""
    per_card: bool | None
    """It counts each card, and is no total over the cards."""
    per_container: bool
    """It is an amount of one container, not of all together."""


@record
class PrintedQuotaResult(PrintedQuota):
    """An amount of a resource in a quota, a range of limits or a queue, and what became of it."""

    to: str
    """The target."""
    verdict: QuotaVerdict
    """Whether the target has a number for it: the same, a larger one, or none."""
    given: int | float | None
    """Cards, percent or MiB at the target; null: it is left."""
    new_key: str | None
    """The resource of the target."""
    new_value: str | None
    """Its number."""


@record
class QuotaItem(PrintedAs):
    """An amount of a resource. ``key`` and ``value`` as they are written; ``place``: from the object.

    ``counted``, ``asked``: what it says in the terms of a share, None where that is not known. ``each``: it
    is an amount of one container. ``given``: what the target gets, with ``new_key`` and ``new_value``; None
    where it is left.
    """

    file: str
    document: int
    object: ObjectRef
    object_path: Path
    span: Span | None
    place: str
    key: str
    value: str
    source: str
    target: str
    outcome: QuotaVerdict
    counted: Counted | None = None
    asked: Fraction | None = None
    each: bool = False
    given: Fraction | None = None
    new_key: str | None = None
    new_value: str | None = None

    @property
    def amount(self) -> Message | None:
        """The amount in the terms of a share."""
        known = self.counted is not None and self.asked is not None
        return self.counted.text(self.asked, each=self.each) if known else None  # type: ignore[union-attr,arg-type]

    def read(self) -> PrintedQuota:
        """What it says, without what becomes of it."""
        return self._printed(PrintedQuota)

    def printed(self) -> PrintedQuotaResult:
        given = _json_number(self.given)
        return self._printed(
            PrintedQuotaResult, self.target, self.outcome, given, self.new_key, self.new_value
        )

    def _printed(self, kind: Callable[..., T], *result: Any) -> T:
        counted = self.counted
        return kind(
            self.file,
            self.document,
            self.span.line if self.span else None,
            self.span.column if self.span else None,
            self.object,
            self.place,
            self.key,
            self.value,
            self.source,
            JSON_NAMES[counted.says] if counted else None,
            _json_number(self.asked),
            counted.per is Per.CARD if counted else None,
            self.each,
            *result,
        )


def _json_number(amount: Fraction | None) -> int | float | None:
    if amount is None:
        return None
    return int(amount) if amount.denominator == 1 else float(amount)


# Quotas from the dialects that are read to that of the target, number by number.
@dataclass(slots=True)
class Quotas:
    """The result for a document. ``settled``: the places of names that need no other finding."""

    items: list[QuotaItem] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    leftovers: list[Leftover] = field(default_factory=list)
    settled: set[Path] = field(default_factory=set)

    def add(self, document: Document, one: _Read, settings: Settings) -> None:
        """The amounts of a resource, which need no other finding."""
        self.settled |= {*one.quota.names}
        self.items += _items(document, one, settings)

    def leave_alone(
        self, document: Document, quotas: Sequence[Quota], sources: Sequence[Backend], settings: Settings
    ) -> None:
        """Whole cards that no dialect reads; accelerators that are not read are left."""
        words, names = vocabulary_of(settings.context), {path: one for one in quotas for path in one.names}
        for key, path in common_keys(keys_of(quotas, settings.renamed), sources, words).items():
            quota = names[path]
            alone = with_location(document, left_alone(path, key, quota.resource, words), quota.object)
            if words.unread(key) is None:
                self.diagnostics.append(alone)
            else:
                self.settled |= {at for one in quotas if one.resource == quota.resource for at in one.names}
                self.leftovers.append(Leftover(key, alone))


class _Number(NamedTuple):
    """An amount, in the terms of a share and at the target. ``why``: why the target has no number for it."""

    written: QuotaAmount
    amount: Fraction | None = None
    given: FittedNumber | None = None
    why: Message | None = None

    @property
    def value(self) -> Value:
        return self.written.value

    @property
    def is_exact(self) -> bool:
        return self.given is not None and self.given.amount == self.amount


class _Read(NamedTuple):
    """A resource of a quota in the dialect that reads it, and the key of the target.

    ``why``: why nothing at the target is the same; ``among``: the dialects that do not agree, if it is that;
    ``foreign``: it is that the target's cards are of another maker. ``prefix``: what is before the key of the
    target, where that changes.
    """

    quota: Quota
    source: Backend
    counted: Counted | None
    key: KeySpec | None
    numbers: tuple[_Number, ...]
    why: Message | None = None
    among: frozenset[str] = frozenset()
    foreign: bool = False
    prefix: str | None = None

    @property
    def refused(self) -> bool:
        """Nothing can be written, whatever the user accepts."""
        return self.why is not None or any(one.why for one in self.numbers)

    @property
    def is_exact(self) -> bool:
        return not self.refused and all(one.is_exact for one in self.numbers)


def find_quotas(document: Document, settings: Settings, *, writes: bool) -> Quotas:
    """The amounts of quotas in a document, and those that nothing can read.

    ``writes``: the edits too that put them in the dialect of the target, and what is left. A resource changes
    as a whole, or not at all.
    """
    found = Quotas()
    for quotas, sources in _objects(document, settings):
        found.leave_alone(document, quotas, sources, settings)
        found.settled.update(path for one in quotas if _stays(one, settings) for path in one.names)
        read = list(_read(quotas, sources, settings))
        remarks: list[Diagnostic] = []
        for one in _together(_at_target(read, settings) if writes else read):
            found.add(document, one, settings)
            if one.refused or (writes and not (one.is_exact or settings.accept.round_up)):
                found.leftovers += _leftovers(document, one, settings)
            elif writes:
                found.edits += _edits(document, one, settings)
                remarks += _remarks(one, settings)
        once = {(one.code, one.message): one for one in reversed(remarks)}
        found.diagnostics += [with_location(document, one, quotas[0].object) for one in once.values()]
    return found


def _at_target(read: Sequence[_Read], settings: Settings) -> list[_Read]:
    """Resources with the keys of the target; those that are in its dialect already are no longer there."""
    moved = [_for_target(one, settings) for one in read if one.among or one.source is not settings.to]
    same: dict[tuple[str, str], _SameKey] = {}
    for one in moved:
        if one.key and not one.refused:
            same.setdefault(_new_key(one), _SameKey(set(), set())).add(one)
    return [_alone(one, same, settings) for one in moved]


def _objects(document: Document, settings: Settings) -> Iterator[tuple[list[Quota], tuple[Backend, ...]]]:
    """The resources of each object that sets amounts, with the dialects that they are in."""
    for _, group in groupby(quotas_in(document), lambda one: one.object_path):
        quotas = list(group)
        yield quotas, dialects_of(keys_of(quotas, settings.renamed), settings)


def _read(quotas: Sequence[Quota], sources: Sequence[Backend], settings: Settings) -> Iterator[_Read]:
    """Resources in the dialects that read them, without those that none does."""
    for quota in quotas:
        name = settings.renamed.get(quota.resource, quota.resource)
        readers = [
            (one, row) for one in sources if (row := row_of(one, name)) is not None and quota.takes(row)
        ]
        if len(readers) > 1:
            names = join_and(backend.name for backend, _ in readers)
            why = msg("it is a key of {dialects}, which are both in this object", dialects=names)
            among = frozenset(one.name for one, _ in readers)
            yield _Read(quota, readers[0][0], None, None, tuple(map(_Number, quota.amounts)), why, among)
        elif readers:
            source, row = readers[0]
            counted = meaning(source, row, quota)
            if counted is None and row.whole:
                counted = counts(source, row)  # a part of the whole cards: read, and not translated
            if counted is None:
                numbers = tuple(map(_Number, quota.amounts))
                yield _Read(quota, source, None, None, numbers, _none_counts_the_same(settings))
            else:
                numbers = tuple(_number(one, source, row, settings) for one in quota.amounts)
                yield _Read(quota, source, counted, None, numbers)


def _none_counts_the_same(settings: Settings) -> Message:
    return msg("no key of {target} counts the same", target=settings.to.name)


def _number(written: QuotaAmount, source: Backend, row: KeySpec, settings: Settings) -> _Number:
    """An amount in the terms of a share."""
    value = written.value
    amount = amount_of(source, row, value, settings.profile)
    if amount is not None:
        return _Number(written, amount)
    if value.kind is ScalarKind.NODE:
        return _Number(written, why=msg("it has no number"))
    return _Number(written, why=msg("{text!r} is not a whole number without a suffix", text=value.text))


def _for_target(one: _Read, settings: Settings) -> _Read:
    """The resource with the key of the target that counts the same, and its numbers there."""
    if one.why is not None:
        return one
    name = settings.renamed.get(one.quota.resource, one.quota.resource)
    row = row_of(one.source, name)
    assert row is not None
    counted = meaning(one.source, row, one.quota)
    key, prefix = _kept_by(settings.to, counted, one, row) if counted else (None, None)
    other_cards = settings.to.names_other_vendor(one.source) and "device" not in settings.accept.drop
    if key is None or other_cards:
        bare = tuple(_Number(each.written, each.amount) for each in one.numbers)
        why = made_by_another(settings.to.name, settings.to.vendor, one.source.vendor)
        if key is None:
            return one._replace(numbers=bare, why=_none_counts_the_same(settings))
        return one._replace(numbers=bare, why=why, foreign=True)
    return one._replace(
        key=key, prefix=prefix, numbers=tuple(_given(each, one, row, key, settings) for each in one.numbers)
    )


def _kept_by(
    target: Backend, counted: Counted, one: _Read, row: KeySpec
) -> tuple[KeySpec | None, str | None]:
    """The key of the target that counts the same and is kept by somebody if that of the source is, with what
    is before it where that changes."""
    key = first_of(target, counted, one.quota)
    kept_there = key is not None and keeps_limits(target, key, one.quota)
    if keeps_limits(one.source, row, one.quota) and not kept_there:
        return first_of(target, counted, one.quota._replace(prefix=REQUESTS)), REQUESTS
    return (None if kept_there and not keeps_limits(one.source, row, one.quota) else key), None


def _given(number: _Number, one: _Read, row: KeySpec, key: KeySpec, settings: Settings) -> _Number:
    """An amount as the target has it."""
    if number.amount is None:
        return number
    given = fitted(settings.to, key, number.amount, settings.profile, each=one.quota.each)
    if given is None:
        return number._replace(why=msg("no number of {key} holds it", key=key.name))
    same_unit = one.source.unit(row, settings.profile) == settings.to.unit(key, settings.profile)
    if given.amount == number.amount and same_unit:
        given = given._replace(text=number.value.text)  # 100k stays 100k
    return number._replace(given=given)


def _stays(quota: Quota, settings: Settings) -> bool:
    """A resource of GPUs that is kept: of the target, or of a dialect that is not asked for."""
    rows = settings.scope.words.rows(settings.renamed.get(quota.resource, quota.resource))
    known = any(map(quota.takes, rows))
    return known and not settings.scope.is_left(quota.resource)


def _together(read: Sequence[_Read]) -> Iterator[_Read]:
    """Where one is left among some dialects, all others of these are too: the next run says the same."""
    mixed = frozenset().union(*(one.among for one in read))
    why = msg("it changes together with amounts that cannot be translated")
    for one in read:
        yield one._replace(why=why) if one.source.name in mixed and not one.refused else one


class _SameKey(NamedTuple):
    """The resources of an object that would have one key at the target, and their dialects."""

    resources: set[str]
    sources: set[str]

    def add(self, one: _Read) -> None:
        self.resources.add(one.quota.resource)
        self.sources.add(one.source.name)


def _alone(one: _Read, same: Mapping[tuple[str, str], _SameKey], settings: Settings) -> _Read:
    """The resource, refused where the key of the target is in its place already, or would be twice.

    ``same``: the resources of the object that would have a key, by prefix and key.
    """
    if one.key is None or one.refused or _new_name(one, settings) == one.quota.resource:
        return one
    names = {one.key.name, *one.key.aliases}
    names |= {new for new, known in settings.renamed.items() if known in names}
    prefix, _ = new = _new_key(one)
    own, beside = {one.quota.resource}, one.quota.beside
    there = not own.issuperset(names & beside.get(prefix, set()))
    twice = not own.issuperset(same[new].resources & set().union(*beside.values()))
    if not (there or twice):
        return one
    text = "{key} is in this object already" if there else "{key} would be in this object twice"
    among = same[new].sources if twice else set()
    why = msg(text, key=_new_written(one, settings))
    return one._replace(why=why, among=frozenset(among) if len(among) > 1 else frozenset())


def _new_name(one: _Read, settings: Settings) -> str:
    """The name of the target's key in its cluster."""
    assert one.key is not None
    extension = settings.to.extension
    names = extension.of(settings.profile).by_key if extension else {}
    return names.get(one.key.name, one.key.name)


def _new_key(one: _Read) -> tuple[str, str]:
    """The prefix and the key at the target."""
    assert one.key is not None
    return one.prefix or one.quota.prefix_for(one.key) or "", one.key.name


def _new_written(one: _Read, settings: Settings) -> str:
    """The name at the target, with its prefix."""
    return _new_key(one)[0] + _new_name(one, settings)


def _items(document: Document, one: _Read, settings: Settings) -> Iterator[QuotaItem]:
    assert document.root is not None
    written = _new_written(one, settings) if one.key and not one.refused else None
    for number in one.numbers:
        outcome = QuotaVerdict.EXACT if number.is_exact else QuotaVerdict.ROUNDED
        given = number.given if written else None
        yield QuotaItem(
            file=document.source.name,
            document=document.index,
            object=one.quota.object,
            object_path=one.quota.object_path,
            span=document.source.span(*locate(document.root, number.value.path)),
            place=one.quota.place_of(number.written),
            key=one.quota.written,
            value=number.value.text,
            source=one.source.name,
            target=settings.to.name,
            outcome=QuotaVerdict.LEFT if given is None else outcome,
            counted=one.counted,
            asked=number.amount,
            each=one.quota.each,
            given=given.amount if given else None,
            new_key=written,
            new_value=given.text if given else None,
        )


def _edits(document: Document, one: _Read, settings: Settings) -> Iterator[Edit]:
    """The names and the numbers of a resource; what stays the same has no edit."""
    name = _new_written(one, settings)
    numbers = {number.value.path: _written(document, number) for number in one.numbers}
    for path in one.quota.names:
        if path in numbers:
            value = numbers.pop(path)
            yield Put(path, value) if name == path[-1] else Rename(path, name, value)
        elif name != one.quota.written:
            yield Put(path, name)
    yield from (Put(path, value) for path, value in numbers.items())


def _written(document: Document, number: _Number) -> int | str:
    """A number with the quotes that it has, whatever the target's own habit: so the way back is the same."""
    assert number.given is not None
    node = get(document.root, *number.value.path)
    quoted = isinstance(node, Scalar) and node.style is not None
    text = number.given.text
    return text if quoted or not quantity.is_plain(text) else int(text)


def _remarks(one: _Read, settings: Settings) -> Iterator[Diagnostic]:
    path, source, target = one.quota.names[0], one.source, settings.to
    assert one.key is not None
    assert one.counted is not None
    for number in one.numbers:
        if not number.is_exact and number.given is not None and number.amount is not None:
            message = msg(
                "{amount} is rounded up to {given}: {key} {number}",
                amount=one.counted.text(number.amount, each=one.quota.each),
                given=one.counted.text(number.given.amount, each=one.quota.each),
                key=_new_written(one, settings),
                number=number.given.text,
            )
            yield quota_limits_the_same(number.value.path, message, None, Severity.INFO)
    if one.prefix:
        message = msg(
            "{key} is kept by the scheduler of {source}, and {new} by Kubernetes, as containers write it",
            key=one.quota.written,
            source=source.name,
            new=_new_written(one, settings),
        )
        yield quota_limits_the_same(path, message, "compare it with the pods that it is for")
    in_source, in_target = map(has_whole_cards_in_cores, (source, target))
    if one.counted.says == "cores" and not one.counted.offline and in_source != in_target:
        names = (one.quota.resource, one.key.name)
        more, less = names if in_source else names[::-1]
        message = msg("{more} counts whole cards too, and {less} does not", more=more, less=less)
        hint = (
            "set an amount of whole cards beside it, if they are to be limited"
            if in_source
            else "add 100 for each whole card that is to be allowed"
        )
        yield quota_limits_the_same(path, message, hint)
    read = row_of(source, settings.renamed.get(one.quota.resource, one.quota.resource))
    for row in (read, one.key):
        if row is not None and row.repeats:  # its number is that key's in pods that have it
            message = msg(
                "{key} counts cards, and percent in pods that have {other}: a quota adds both",
                key=row.name,
                other=row.repeats,
            )
            yield quota_limits_the_same(path, message, "compare it with the pods that it is for")
    if source.vendor and target.vendor not in (None, source.vendor):
        yield cards_are_of_one_vendor(path, source.vendor, target.vendor, target.name)


def _leftovers(document: Document, one: _Read, settings: Settings) -> Iterator[Leftover]:
    """Each place where the resource is named, with the number to decide about."""
    numbers: dict[Path, list[_Number]] = {}
    for number in one.numbers:
        numbers.setdefault(number.written.name, []).append(number)
    for path in one.quota.names:
        why, hint = _reason(one, numbers.get(path, []), settings)
        message = msg("{name} is not translated: {why}", name=one.quota.resource, why=why)
        made = nothing_is_left_behind(path, message, hint)
        made = replace(made, on_key=path[-1] == one.quota.written)
        yield Leftover(one.quota.resource, with_location(document, made, one.quota.object))


def _reason(one: _Read, here: Sequence[_Number], settings: Settings) -> tuple[Message, Message]:
    """Why the resource is left in one place, with its numbers there, and what to do."""
    uneven = next((each for each in here if each.given and not each.is_exact), None)
    own = one.why or next((each.why for each in here if each.why), None)
    known = [each.amount for each in here if each.amount is not None]
    amounts = join_and(one.counted.text(each, each=one.quota.each) for each in known) if one.counted else ""
    if own is None and uneven is not None and uneven.given is not None and not one.refused:
        key = _new_written(one, settings)
        why = msg("{key} has no number for {amount}", key=key, amount=amounts)
        hint = msg(ROUND, number=uneven.given.text)
        return why, hint
    why = own or msg("it changes together with amounts that cannot be translated")
    if one.foreign:
        return why, msg(DROP_DEVICE, target=settings.to.name)
    if not amounts:
        return why, msg(BY_HAND, target=settings.to.name)
    hint = msg(
        DECIDE,
        amount=amounts,
        target=settings.to.name,
    )
    return why, hint
