"""Reading the shares of a pod by the rows of a dialect."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from gpuxlate.backends.pod_reader import (
    ContainerShare,
    PodReader,
    Reading,
    granted,
    in_mib,
    number,
    rounded_up,
)
from gpuxlate.backends.rows import (
    KeyGroup,
    KeyTable,
    PartSize,
    RuleKind,
    SeveralCards,
    ShareFields,
    first_size,
)
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Loss, Path
from gpuxlate.model.keys import Absent, KeySpec, Per, Place
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import ContainerKeys, Value, names_in
from gpuxlate.model.profile import Profile
from gpuxlate.model.quantity import GIB
from gpuxlate.model.share import Device

WHAT = {
    Place.ANNOTATION: "annotation",
    Place.LABEL: "label",
    Place.ENV: "variable",
    Place.RESOURCE: "resource",
}


def read_rows(table: KeyTable, pod: PodReader, profile: Profile | None) -> Reading:
    """Read keys as shares. Rules report what is wrong with a manifest."""
    keys = pod.pod.under(table.other_names)
    names = names_in(pod.pod)
    for row in table.choices:
        if row.name in names:
            _choose(pod, row)
    for row in table.absent:
        for container in pod.pod.all_containers():
            pod.resource(container, row.name)
    for row in table.unread:
        for container in pod.pod.all_containers():
            value = pod.resource(container, row.name)
            if value is not None:
                message = msg(
                    "{key} {text} is not translated: it counts {what}",
                    key=row.name,
                    text=value.text,
                    what=row.unsupported_reason,
                )
                pod.note("GX023", message, value.path, _instead(table))
    fields: dict[str, Any] = {}
    origins: dict[str, Path] = {}
    for row in table.enum_keys:
        if table.is_pods(row):
            _word(pod, row, _on_pod(pod, row), fields, origins)
    containers = [table.after_admission(pod, container, profile) for container in keys.all_containers()]
    asking = [_asks(table, container) for container in containers]
    if table.parts_on_pod:
        containers = [
            _with_parts(table, pod, container) if _asks(table, container) else container
            for container in containers
        ]
    return pod.reading(
        [
            _container(table, pod, container, profile, fields, origins)
            if asks or not any(asking)
            else pod.none(container)
            for container, asks in zip(containers, asking, strict=True)
        ]
    )


def _instead(table: KeyTable) -> str:
    """The hint that says what to write in place of a number that is in no field of a share."""
    rows = table.keys_by_model[0]
    if rows.parts or rows.cards is None:
        return "write the memory and the compute that the container needs"
    return msg("request whole cards: {key}", key=rows.cards.name)


def _asks(table: KeyTable, container: ContainerKeys) -> bool:
    """Whether the container has keys of the data sheet."""
    names = table.in_containers
    return not (
        names.isdisjoint(container.limits)
        and names.isdisjoint(container.requests)
        and names.isdisjoint(container.env)
    )


def _with_parts(table: KeyTable, pod: PodReader, container: ContainerKeys) -> ContainerKeys:
    """A container with the amounts of its parts of cards in its limits, where the pod sets these."""
    values = ((row, _on_pod(pod, row)) for row in table.parts_on_pod.values())
    amounts = {
        row.name: value for row, value in values if value is not None and is_amount_of_row(row, value.text)
    }
    return replace(container, limits={**container.limits, **amounts}) if amounts else container


def is_amount_of_row(row: KeySpec, text: str) -> bool:
    """Whether a text on a pod is an amount of the row: plain digits, unless it counts bytes."""
    return row.quantity or (quantity.is_plain(text) and row.legal.allows(int(text)))


def _choose(pod: PodReader, row: KeySpec) -> None:
    """Take a choice of cards or nodes wherever it is."""
    if row.places & {Place.NODE_SELECTOR, Place.NODE}:
        pod.read_selector(row.name, row.no_op_values)
    for place, kind in WHAT.items():
        if place not in row.places:
            continue
        containers = pod.pod.all_containers()
        match place:
            case Place.ANNOTATION:
                values = [pod.annotation(row.name)]
            case Place.LABEL:
                values = [pod.label(row.name)]
            case Place.ENV:
                values = [pod.env(container, row.name) for container in containers]
            case _:
                values = [pod.resource(container, row.name) for container in containers]
        for value in values:
            if value is not None and not row.is_no_op(value.text):
                pod.read_choice(value, row.name, kind, row.chooses)


def _on_pod(pod: PodReader, row: KeySpec) -> Value | None:
    return pod.annotation(row.name) if Place.ANNOTATION in row.places else pod.label(row.name)


def _word(
    pod: PodReader, row: KeySpec, value: Value | None, fields: dict[str, Any], origins: dict[str, Path]
) -> None:
    """Take a word: the value of a field, or else a choice that is in no field."""
    if value is None or row.sets is None:
        return
    if value.text in row.words:
        fields[row.sets] = row.words[value.text]
        origins[row.sets] = value.path
    elif not row.is_no_op(value.text):
        place = next(place for place in WHAT if place in row.places)
        pod.read_choice(value, row.name, WHAT[place])


def _container(
    table: KeyTable,
    pod: PodReader,
    container: ContainerKeys,
    profile: Profile | None,
    of_pod: Mapping[str, Any],
    origins_of_pod: Mapping[str, Path],
) -> ContainerShare:
    fields, origins = dict(of_pod), dict(origins_of_pod)
    in_resources = [row for row in table.enum_keys if Place.RESOURCE in row.places]
    for row in table.enum_keys:
        if Place.ENV in row.places:
            _word(pod, row, pod.env(container, row.name), fields, origins)
    for row in in_resources:
        _word(pod, row, pod.resource(container, row.name), fields, origins)
    for rows in table.keys_by_model:
        numbers = _numbers(table, pod, container, rows, profile)
        if numbers is not None:
            if "device" in numbers.others:
                origins["device"] = numbers.origins["cards"]
            numbers = replace(
                numbers, others={**numbers.others, **fields}, origins={**origins, **numbers.origins}
            )
            numbers = table.normalize(pod, numbers)
            return _share(pod, _without_absent(table, numbers) if table.absent else numbers)
    for row in in_resources:
        if row.sets in fields:  # no share holds it
            pod.read_choice(container.resources[row.name], row.name, WHAT[Place.RESOURCE])
    return pod.none(container)


def _without_absent(table: KeyTable, fields: ShareFields) -> ShareFields:
    """The fields with what the container gets in place of a part that the cluster's version does not read."""
    resources, more = fields.container.resources, list(fields.granted)
    for row in table.absent:
        count = number(resources.get(row.name))
        if row.sets in ("cores", "memory_mib") and count and getattr(fields, row.sets) is None:
            amount = int(count * row.unit) * (fields.cards or 1 if row.per is Per.CARD else 1)
            why, path = table.lack_text(row.name), resources[row.name].path
            code = table.code(RuleKind.VERSIONS)
            more.append(granted(row.sets, code, why, path, asked=amount, given=None))
    return replace(fields, granted=tuple(more))


def _share(pod: PodReader, fields: ShareFields) -> ContainerShare:
    if fields.cards == 0:
        return pod.none(fields.container)
    return pod.share(
        fields.container,
        cards=1 if fields.cards is None else fields.cards,
        cores=fields.cores,
        memory_mib=fields.memory_mib,
        memory_percent=fields.memory_percent,
        origins=fields.origins,
        granted=fields.granted,
        **fields.others,
    )


def _numbers(
    table: KeyTable, pod: PodReader, container: ContainerKeys, rows: KeyGroup, profile: Profile | None
) -> ShareFields | None:
    """The numbers of a container in the rows of one model; None where they request nothing."""
    origins: dict[str, Path] = {"cards": container.path}
    count = None if rows.cards is None else _count(pod, container, rows.cards, origins)
    effective = _effective(table, rows, container)
    amounts = {
        row.name: amount
        for row in rows.parts
        if (amount := _amount(table, pod, container, row, profile, origins)) and row in effective
    }
    whole = {row.name: pod.number(container, row.name) for row in rows.whole}
    models = (rows.model,) if rows.model else ()
    device = {"device": Device(table.vendor, models)} if models or table.names_vendor else {}
    fields = ShareFields(container, count, others=device, origins=origins)
    name = next((name for name, cards in whole.items() if cards), None)
    if name is not None and not (amounts and count):
        origins["cards"] = container.resources[name].path
    if amounts:
        return _part(table, pod, fields, rows, amounts)
    if name is not None:
        return replace(fields, cards=whole[name])
    cards = rows.cards
    if cards is None or Place.RESOURCE not in cards.places or cards.needs:
        return None
    counts_as_one = cards.default is Absent.ONE and any(row.name in container.resources for row in rows.parts)
    return fields if count or (count is None and counts_as_one) else None


def _effective(table: KeyTable, rows: KeyGroup, container: ContainerKeys) -> list[KeySpec]:
    """The rows of parts that have effect in a container: a row that another needs has to have effect too."""
    names = container.resources.keys()
    alone = [row for row in rows.parts if row.name in names and _has_effect(table, row, container)]
    idle = {row.name for row in rows.parts} - {row.name for row in alone}
    return [row for row in alone if not row.needs or {*row.needs} & (names - idle)]


def _has_effect(table: KeyTable, row: KeySpec, container: ContainerKeys) -> bool:
    """Whether a key has the keys that it needs beside it, and none beside which it is ignored.

    Rules check this by the names of keys alone, as policies have to, and each a part of it, so that one cause
    has one finding: ``NeededKeyRule`` (a key of ``needs`` is there, whether or not it has effect),
    ``ExcludedKeyRule`` (0 counts as no key), ``forced_when`` (the webhook replaces the number).
    """
    resources = container.resources
    overriding = (
        other for other in table.keys if other.name in row.overridden_by and other.name in resources
    )
    return row.has_its_needs(resources.keys()) and all(
        other.zero_is_absent and number(resources[other.name]) == 0 for other in overriding
    )


def _count(pod: PodReader, container: ContainerKeys, row: KeySpec, origins: dict[str, Path]) -> int | None:
    """The cards of a container, counted in its resources or on the pod."""
    if Place.RESOURCE in row.places:
        if row.name in container.resources:
            origins["cards"] = container.resources[row.name].path
        number = pod.number(container, row.name)
        return 1 if number and row.repeats in container.resources else number
    value = _on_pod(pod, row)
    if value is None:
        return None
    origins["cards"] = value.path
    return quantity.parse_integer(value.text)


def _amount(
    table: KeyTable,
    pod: PodReader,
    container: ContainerKeys,
    row: KeySpec,
    profile: Profile | None,
    origins: dict[str, Path],
) -> Fraction | None:
    """The amount of a row in MiB or percent; None where the container does not have the key."""
    value = pod.resource(container, row.name)
    if value is None:
        return None
    origins[row.sets or ""] = value.path
    if row.quantity:
        mib = in_mib(row, value.text)
        if mib is None:
            pod.unread(container, row.name, value)
        return mib
    amount = pod.number(container, row.name)
    if amount is not None and row.clamped and row.legal.most is not None:
        amount = min(amount, row.legal.most)
    if amount is not None and amount <= row.gib_up_to:
        return Fraction(amount * GIB)
    return None if amount is None else amount * table.unit(row, profile)


def _part(
    table: KeyTable, pod: PodReader, fields: ShareFields, rows: KeyGroup, amounts: Mapping[str, Fraction]
) -> ShareFields | None:
    """The fields of a share that is a part of one card, or of several."""

    def amount(row: KeySpec | None) -> Fraction | None:
        return amounts.get(row.name) if row else None

    cores, memory, percent = amount(rows.cores), amount(rows.memory), amount(rows.percent)
    cards = fields.cards or _cards_of(rows, percent or cores)
    if table.cards_in_cores and cores and cores % FULL_CARD_CORES == 0:
        return replace(fields, cards=int(cores) // FULL_CARD_CORES)
    if cards > 1 and table.several_cards is not SeveralCards.SHARED:
        return replace(fields, cards=cards if table.several_cards is SeveralCards.WHOLE else 0)
    if cards > 1 and rows.cores is not None and rows.cores.forced:
        cores = rows.cores.forced * Fraction(rows.cores.unit)
    if rows.cores is not None and rows.cores.default is Absent.ALL and "cores" not in fields.origins:
        cores = Fraction(FULL_CARD_CORES * (1 if rows.cores.per is Per.CARD else cards))
    times = {row.sets: cards if row.per is Per.CARD else 1 for row in rows.parts}
    memory = memory and memory * times["memory_mib"]
    cores = cores and cores * times["cores"]
    percent = percent and percent * times["memory_percent"] / cards
    parts = cards if rows.memory is not None and rows.memory.quantity else 1  # bytes divide, MiB may not
    read = replace(
        fields,
        cards=cards,
        cores=_up(cores, times.get("cores", 1)),
        memory_mib=_up(memory, parts),
        memory_percent=_up(percent, 1),
    )
    if table.sizes:
        return grow_to_sizes(read, table.sizes, table.code(RuleKind.SIZES))
    more: tuple[Loss, ...] = ()
    if cores and read.cores and rows.cores and _is_valid(rows.cores, amount(rows.cores)):
        code = table.code(RuleKind.NUMBERS, rows.cores.name)
        more = rounded_up("cores", code, fields.origins.get("cores", ()), cores, read.cores)
    if memory and read.memory_mib and rows.memory and rows.memory.quantity:
        code = table.code(RuleKind.AMOUNTS)
        more += rounded_up("memory_mib", code, fields.origins["memory_mib"], memory, read.memory_mib)
    return replace(read, granted=more)


def _up(amount: Fraction | None, parts: int) -> int | None:
    """The least whole number that divides by the parts and is not below the amount."""
    return math.ceil(amount / parts) * parts if amount else None


def _is_valid(row: KeySpec, part: Fraction | None) -> bool:
    """Whether the number for this part of a card is valid for the key; rules report numbers that are not."""
    return part is not None and row.legal.allows(int(part / row.unit))


def _cards_of(rows: KeyGroup, percent: Fraction | None) -> int:
    """The number of cards where no key counts them: one, or one for each 100 percent."""
    hundreds = rows.cards is not None and rows.cards.default is Absent.HUNDREDS
    return int(percent) // 100 if hundreds and percent and percent % 100 == 0 else 1


def grow_to_sizes(fields: ShareFields, sizes: Sequence[PartSize], code: str) -> ShareFields:
    """The fields as a vendor with parts of some sizes grants them: of each card the first size that holds the
    numbers, else the whole card. Numbers that are larger than requested are added to ``granted``."""
    cards = fields.cards or 1
    requested = {"memory_mib": fields.memory_mib, "cores": fields.cores}
    size = first_size(sizes, *(number and number // cards for number in requested.values()))
    if size is None:
        return replace(fields, memory_mib=None, cores=None)
    size_numbers = {"memory_mib": size.memory_mib * cards, "cores": size.cores * cards}
    why = msg("the container gets {part}", part=size.text)
    more = tuple(
        granted(name, code, why, fields.origins[name], asked=number, given=size_numbers[name])
        for name, number in requested.items()
        if number is not None and number < size_numbers[name]
    )
    return replace(fields, memory_mib=size_numbers["memory_mib"], cores=size_numbers["cores"], granted=more)
