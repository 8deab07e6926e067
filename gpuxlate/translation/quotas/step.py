"""Quotas from the dialects that are read to that of the target, number by number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from gpuxlate.backends.base import Backend
from gpuxlate.manifest.quotas import Quota, QuotaAmount, quotas_in
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.edits import Edit, Put, Rename
from gpuxlate.model.messages import Message, joined, say
from gpuxlate.model.pod import Kind, Path, Value
from gpuxlate.model.sheet import Key
from gpuxlate.rules.around import cards_are_of_one_vendor, quota_limits_the_same
from gpuxlate.rules.translation import nothing_is_left_behind
from gpuxlate.translation.leftovers import BY_HAND, Leftover
from gpuxlate.translation.pods.reader import dialects_of
from gpuxlate.translation.pods.remarks import common_keys, left_alone
from gpuxlate.translation.quotas.counterpart import (
    Counted,
    Fitted,
    amount_of,
    counts,
    first_of,
    fitted,
    has_whole_cards_in_cores,
    keys_of,
    meaning,
    row_of,
)
from gpuxlate.translation.quotas.item import Outcome, QuotaItem
from gpuxlate.translation.settings import Settings
from gpuxlate.yamltext.compose import Document
from gpuxlate.yamltext.nodes import Scalar, get
from gpuxlate.yamltext.place import locate, placed


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


class _Number(NamedTuple):
    """An amount, in the terms of a share and at the target. ``why``: why the target has no number for it."""

    written: QuotaAmount
    amount: Fraction | None = None
    given: Fitted | None = None
    why: Message | None = None

    @property
    def value(self) -> Value:
        return self.written.value

    @property
    def is_exact(self) -> bool:
        return self.given is not None and self.given.amount == self.amount


class _Read(NamedTuple):
    """A resource of a quota in the dialect that reads it, and the key of the target.

    ``why``: why nothing at the target is the same; ``among``: the dialects that do not agree, if it is that.
    """

    quota: Quota
    source: Backend
    counted: Counted | None
    key: Key | None
    numbers: tuple[_Number, ...]
    why: Message | None = None
    among: frozenset[str] = frozenset()

    @property
    def refused(self) -> bool:
        """Nothing can be written, whatever the user accepts."""
        return self.why is not None or any(one.why for one in self.numbers)

    @property
    def is_exact(self) -> bool:
        return not self.refused and all(one.is_exact for one in self.numbers)


def read_quotas(document: Document, settings: Settings) -> Quotas:
    """The amounts of quotas in a document, and those that nothing can read."""
    found = Quotas()
    for quotas, sources in _objects(document, settings):
        found.settled.update(path for one in quotas if _stays(one, settings) for path in one.names)
        for one in _together(list(_read(quotas, sources, settings))):
            found.add(document, one, settings)
            if one.refused:
                found.leftovers += _leftovers(document, one, settings)
    return found


def translate_quotas(document: Document, settings: Settings) -> Quotas:
    """The amounts of quotas in a document, the edits that put them in the dialect of the target, and what is
    left. A resource changes as a whole, or not at all."""
    found = Quotas()
    for quotas, sources in _objects(document, settings):
        keys = keys_of(quotas, settings.renamed)
        for key, path in common_keys(keys, sources).items():
            written = next(one.resource for one in quotas if path in one.names)
            found.diagnostics.append(placed(document, left_alone(path, key, written), quotas[0].object))
        read = [
            _for_target(one, settings)
            for one in _read(quotas, sources, settings)
            if one.among or one.source is not settings.to
        ]
        found.settled.update(path for one in quotas if _stays(one, settings) for path in one.names)
        same: dict[tuple[str, str], list[_Read]] = {}
        for one in read:
            if one.key and not one.refused:
                same.setdefault(_new_key(one), []).append(one)
        remarks: list[Diagnostic] = []
        for one in _together([_alone(each, same, settings) for each in read]):
            found.add(document, one, settings)
            if one.refused or not (one.is_exact or settings.accept.round_up):
                found.leftovers += _leftovers(document, one, settings)
            else:
                found.edits += _edits(document, one, settings)
                remarks += _remarks(one, settings)
        once = {(one.code, one.message): one for one in reversed(remarks)}
        found.diagnostics += [placed(document, one, quotas[0].object) for one in once.values()]
    return found


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
            names = " and ".join(one.name for one, _ in readers)
            why = say("it is a key of {dialects}, which are both in this object", dialects=names)
            among = frozenset(one.name for one, _ in readers)
            yield _Read(quota, readers[0][0], None, None, tuple(map(_Number, quota.amounts)), why, among)
        elif readers:
            source, row = readers[0]
            counted = meaning(source, row, quota)
            if counted is None and row.whole:
                counted = counts(row)  # a part of the whole cards: read, and not translated
            if counted is None:
                numbers = tuple(map(_Number, quota.amounts))
                yield _Read(quota, source, None, None, numbers, _none_counts_the_same(settings))
            else:
                numbers = tuple(_number(one, source, row, settings) for one in quota.amounts)
                yield _Read(quota, source, counted, None, numbers)


def _none_counts_the_same(settings: Settings) -> Message:
    return say("no key of {target} counts the same", target=settings.to.name)


def _number(written: QuotaAmount, source: Backend, row: Key, settings: Settings) -> _Number:
    """An amount in the terms of a share."""
    value = written.value
    amount = amount_of(source, row, value, settings.profile)
    if amount is not None:
        return _Number(written, amount)
    if value.kind is Kind.NODE:
        return _Number(written, why=say("it has no number"))
    return _Number(written, why=say("{text!r} is not a whole number without a suffix", text=value.text))


def _for_target(one: _Read, settings: Settings) -> _Read:
    """The resource with the key of the target that counts the same, and its numbers there."""
    if one.why is not None:
        return one
    name = settings.renamed.get(one.quota.resource, one.quota.resource)
    row = row_of(one.source, name)
    assert row is not None
    counted = meaning(one.source, row, one.quota)
    key = first_of(settings.to, counted, one.quota) if counted else None
    if key is None:
        bare = tuple(_Number(each.written, each.amount) for each in one.numbers)
        return one._replace(numbers=bare, why=_none_counts_the_same(settings))
    return one._replace(key=key, numbers=tuple(_given(each, one, row, key, settings) for each in one.numbers))


def _given(number: _Number, one: _Read, row: Key, key: Key, settings: Settings) -> _Number:
    """An amount as the target has it."""
    if number.amount is None:
        return number
    given = fitted(settings.to, key, number.amount, settings.profile, each=one.quota.each)
    if given is None:
        return number._replace(why=say("no number of {key} holds it", key=key.name))
    same_unit = one.source.unit(row, settings.profile) == settings.to.unit(key, settings.profile)
    if given.amount == number.amount and same_unit:
        given = given._replace(text=number.value.text)  # 100k stays 100k
    return number._replace(given=given)


def _stays(quota: Quota, settings: Settings) -> bool:
    """It is a resource of GPUs, and not left behind: of the target, or of a dialect that is not asked for."""
    rows = settings.scope.words.rows(settings.renamed.get(quota.resource, quota.resource))
    known = any(map(quota.takes, rows))
    return known and not settings.scope.is_left(quota.resource)


def _together(read: Sequence[_Read]) -> Iterator[_Read]:
    """Where one is left among some dialects, all others of these are too: the next run says the same."""
    mixed = frozenset().union(*(one.among for one in read))
    why = say("it changes together with amounts that cannot be translated")
    for one in read:
        yield one._replace(why=why) if one.source.name in mixed and not one.refused else one


def _alone(one: _Read, same: Mapping[tuple[str, str], Sequence[_Read]], settings: Settings) -> _Read:
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
    twice = not own.issuperset({each.quota.resource for each in same[new]} & set().union(*beside.values()))
    if not (there or twice):
        return one
    text = "{key} is in this object already" if there else "{key} would be in this object twice"
    among = {each.source.name for each in same[new] if twice}
    why = say(text, key=_new_written(one, settings))
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
    return one.quota.prefix_for(one.key) or "", one.key.name


def _new_written(one: _Read, settings: Settings) -> str:
    """The name at the target, with its prefix."""
    return _new_key(one)[0] + _new_name(one, settings)


def _items(document: Document, one: _Read, settings: Settings) -> Iterator[QuotaItem]:
    assert document.root is not None
    written = _new_written(one, settings) if one.key and not one.refused else None
    for number in one.numbers:
        outcome = Outcome.EXACT if number.is_exact else Outcome.ROUNDED
        given = number.given if written else None
        yield QuotaItem(
            document.source.name,
            document.index,
            one.quota.object,
            one.quota.object_path,
            document.source.span(*locate(document.root, number.value.path)),
            one.quota.place_of(number.written),
            one.quota.written,
            number.value.text,
            one.source.name,
            settings.to.name,
            Outcome.LEFT if given is None else outcome,
            one.counted,
            number.amount,
            one.quota.each,
            given.amount if given else None,
            written,
            given.text if given else None,
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
            message = say(
                "{amount} is rounded up to {given}: {key} {number}",
                amount=one.counted.text(number.amount, each=one.quota.each),
                given=one.counted.text(number.given.amount, each=one.quota.each),
                key=_new_written(one, settings),
                number=number.given.text,
            )
            yield quota_limits_the_same(number.value.path, message, None, Severity.INFO)
    in_source, in_target = map(has_whole_cards_in_cores, (source, target))
    if one.counted.says == "cores" and not one.counted.offline and in_source != in_target:
        names = (one.quota.resource, one.key.name)
        more, less = names if in_source else names[::-1]
        message = say("{more} counts whole cards too, and {less} does not", more=more, less=less)
        hint = (
            "set an amount of whole cards beside it, if they are to be limited"
            if in_source
            else "add 100 for each whole card that is to be allowed"
        )
        yield quota_limits_the_same(path, message, hint)
    if source.vendor and target.vendor not in (None, source.vendor):
        yield cards_are_of_one_vendor(path, source.vendor, target.vendor, target.name)


def _leftovers(document: Document, one: _Read, settings: Settings) -> Iterator[Leftover]:
    """Each place where the resource is named, with the number to decide about."""
    numbers: dict[Path, list[_Number]] = {}
    for number in one.numbers:
        numbers.setdefault(number.written.name, []).append(number)
    for path in one.quota.names:
        why, hint = _reason(one, numbers.get(path, []), settings)
        message = say("{name} is left behind: {why}", name=one.quota.resource, why=why)
        made = nothing_is_left_behind(path, message, hint)
        made = replace(made, severity=settings.scope.severity, on_key=path[-1] == one.quota.written)
        yield Leftover(one.quota.resource, placed(document, made, one.quota.object))


def _reason(one: _Read, here: Sequence[_Number], settings: Settings) -> tuple[Message, Message]:
    """Why the resource is left in one place, with its numbers there, and what to do."""
    uneven = next((each for each in here if each.given and not each.is_exact), None)
    own = one.why or next((each.why for each in here if each.why), None)
    known = [each.amount for each in here if each.amount is not None]
    amounts = joined(one.counted.text(each, each=one.quota.each) for each in known) if one.counted else ""
    if own is None and uneven is not None and uneven.given is not None and not one.refused:
        key = _new_written(one, settings)
        why = say("{key} has no number for {amount}", key=key, amount=amounts)
        hint = say("pass --round up to write {number}, or --allow-leftovers", number=uneven.given.text)
        return why, hint
    why = own or say("it changes together with amounts that cannot be translated")
    if not amounts:
        return why, say(BY_HAND, target=settings.to.name)
    hint = say(
        "decide about {amount}, and write it in keys of {target} by hand, or pass --allow-leftovers",
        amount=amounts,
        target=settings.to.name,
    )
    return why, hint
