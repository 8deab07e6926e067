"""Writing shares into a pod by the rows of a dialect."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from gpuxlate.backends.pod_reader import MOST_MIB, outside
from gpuxlate.backends.pod_writer import PodWriter, ShareWriter
from gpuxlate.backends.rows import (
    KeyGroup,
    KeyTable,
    PartSize,
    RuleKind,
    SeveralCards,
    changes_of,
    first_size,
    release_of,
)
from gpuxlate.model import quantity
from gpuxlate.model.amounts import Amount
from gpuxlate.model.diagnostics import LossKind
from gpuxlate.model.keys import BYTE, Absent, By, CardChoice, KeySpec, Per, Place
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value, in_lists
from gpuxlate.model.profile import ChangeKind, Profile, card_meant, card_of, products, products_with
from gpuxlate.model.share import ALL_MEMORY, JSON_NAMES, Device, above_limit

KeyValues = dict[str, int | str | None]
"""Values of one container by key; None where a field that the target needs is not set."""

ONE_SHARE = "a pod of {target} has one share, and {count} containers request one"


def write_rows(table: KeyTable, pod: PodWriter, profile: Profile | None) -> PodKeys:
    """Write shares as keys. A field that no row has is not taken, and so reported as lost."""
    containers = [_container(table, placing, profile) for placing in pod.placings]
    words = _words(table, pod)
    of_pod: dict[Place, dict[str, Value]] = {place: {} for place in (Place.ANNOTATION, Place.LABEL)}
    if table.parts_on_pod:
        containers = _with_parts_on_pod(table, pod, containers, of_pod)
    for row, value in words:
        for place, values in of_pod.items():
            if place in row.places:
                values[row.name] = value
    of_pod[Place.ANNOTATION] |= _choices(table, pod, profile)
    _count_on_pod(table, pod, of_pod[Place.LABEL])
    if table.one_share_per_pod and len(pod.placings) > 1:
        for placing in pod.placings:
            message = msg(ONE_SHARE, target=table.name, count=len(pod.placings))
            placing.refuse("cards", "GX022", message, "use a separate pod for each container")
    keys = PodKeys(
        *in_lists(containers),
        labels=of_pod[Place.LABEL],
        annotations=of_pod[Place.ANNOTATION],
        scheduler_name=Value.of(table.scheduler) if table.scheduler and containers else None,
    )
    return table.after_write(pod, keys)


def _with_parts_on_pod(
    table: KeyTable,
    pod: PodWriter,
    containers: Sequence[ContainerKeys],
    of_pod: Mapping[Place, dict[str, Value]],
) -> list[ContainerKeys]:
    """The containers without the parts that are written on the pod, which has them for one ordinary
    container."""
    rows, kept = table.parts_on_pod, []
    counts = [row for row in table.keys if row.repeats]
    parts = False
    for container in containers:
        values = {name: Value.of(container.limits[name].text) for name in rows if name in container.limits}
        for name, value in values.items():
            of_pod[next(place for place in of_pod if place in rows[name].places)][name] = value
        limits = {name: value for name, value in container.limits.items() if name not in values}
        limits |= {
            row.name: container.limits[row.repeats]
            for row in counts
            if row.repeats in values and row.name in limits
        }
        kept.append(replace(container, limits=limits, requests=limits))
        parts = parts or bool(values)
    for placing in pod.placings if parts else ():
        if placing.init or len(pod.placings) > 1:
            message = msg("a pod of {target} has one share, of an ordinary container", target=table.name)
            placing.refuse("cards", "GX022", message, "use a separate pod for each container")
    return kept


def _words(table: KeyTable, pod: PodWriter) -> list[tuple[KeySpec, Value]]:
    """The rows of words on the pod with the values to write, for fields of its shares, which are taken."""
    pairs = []
    for row in table.enum_keys:
        if row.sets is None or not table.is_pods(row):
            continue
        if row.required and all(placing.whole_cards for placing in pod.placings):
            continue  # of parts alone
        field_value = pod.peek(row.sets)
        if field_value is None and row.required:
            field_value = row.words[row.required]
            for placing in pod.placings:
                placing.comes_with[row.sets] = field_value
                values = {"field": JSON_NAMES[row.sets], "target": table.name, "value": row.required}
                placing.note(
                    "GX021", msg("{field} is not set: {target} needs one, and gets {value}", **values)
                )
        word = next((text for text, value in row.words.items() if value is field_value), None)
        if field_value is not None and word is not None:
            pod.take(row.sets)
            pairs.append((row, Value.of(word)))
    return pairs


def _count_on_pod(table: KeyTable, pod: PodWriter, labels: dict[str, Value]) -> None:
    """Add the label that counts the cards of a part of several cards, which one container only can have."""
    counts = {rows.cards.name: rows.cards for rows in table.keys_by_model if rows.cards}
    counted = [row for row in counts.values() if Place.LABEL in row.places]
    shared = [placing for placing in pod.placings if not placing.whole_cards]
    for row in counted:
        several = [placing for placing in shared if placing.cards > 1]
        if several:
            labels[row.name] = Value.of(str(several[0].cards))
        placings = pod.placings if row.excludes else shared  # whole cards too
        if several and len(placings) > 1:
            for placing in placings:
                message = msg(
                    "{key} counts the cards of one share; the pod has {count}",
                    key=row.name,
                    count=len(placings),
                )
                placing.refuse("cards", "GX022", message, "use a separate pod for the share of several cards")


def _container(table: KeyTable, placing: ShareWriter, profile: Profile | None) -> ContainerKeys:
    values: KeyValues = {}
    rows = _rows(table, placing, profile)
    if placing.init and not table.init_containers:
        placing.refuse(
            "cards",
            table.code(RuleKind.INIT),
            msg("an init container cannot request a share of {target}", target=table.title),
            "request the share in an ordinary container",
        )
    if rows is None:
        for attribute in ("cards", "cores", "memory_mib", "memory_percent"):
            placing.take(attribute)  # of which card is not known
    else:
        for row in table.absent:
            in_mib = row.sets == "memory_percent" and rows.memory is not None
            if row.model == rows.model and row.sets in JSON_NAMES and not in_mib:
                placing.drop(row.sets or "", table.code(RuleKind.VERSIONS), table.lack_text(row.name))
        if table.names_vendor:
            placing.take_device_of_keys(Device(table.vendor, (rows.model,) if rows.model else ()))
        free = table.before_write(placing)
        if placing.asked.whole_cards:
            values = _whole(table, rows, placing)
            _without_words(table, placing)
        else:
            values = _part(table, rows, placing, profile, free)
            if table.isolation is not None:
                placing.take_isolation_if_covered(table.isolation)
            words = _words_of_container(table, placing, Place.RESOURCE)
            values |= {row.name: int(word) if word.isdigit() else word for row, word in words}
        placing.on_nodes(card_of(profile, table.names), *_codes_of_profile(table, rows))
    names = table.extension.of(profile).by_key if table.extension else {}
    written = {
        names.get(name, name): Value.of(amount) for name, amount in values.items() if amount is not None
    }
    env = {row.name: Value.of(word) for row, word in _words_of_container(table, placing, Place.ENV)}
    return ContainerKeys(placing.name, placing.index, placing.init, written, written, env)


def _words_of_container(table: KeyTable, placing: ShareWriter, place: Place) -> list[tuple[KeySpec, str]]:
    """The rows of words in a place of the container with the words to write, for fields of its share, which
    are taken. Of several spellings the first is written."""
    pairs = []
    for row in table.enum_keys:
        if place in row.places and row.sets:
            field_value = placing.peek(row.sets)
            word = next((word for word, value in row.words.items() if value is field_value), None)
            if word is not None and placing.take(row.sets):
                pairs.append((row, word))
    return pairs


def _without_words(table: KeyTable, placing: ShareWriter) -> None:
    """Refuse the fields that words in resources set: whole cards have none of these."""
    for row, _ in _words_of_container(table, placing, Place.RESOURCE):
        message = msg(
            "{value} whole cards cannot be expressed: {target} has {key} on shared cards only",
            value=placing.peek(row.sets or ""),
            target=table.sentence_name,
            key=row.name,
        )
        hint = msg(
            "request a part of a card, or remove {field} from the share", field=JSON_NAMES[row.sets or ""]
        )
        placing.refuse(row.sets or "", "GX023", message, hint)


def _codes_of_profile(table: KeyTable, rows: KeyGroup) -> tuple[str, str]:
    """The codes of the rules on the cards of a profile: on the number on a node, and on their memory."""
    count, memory = (row.name if row else "" for row in (rows.cards, rows.memory))
    return table.code(RuleKind.WITHIN_NODE, count), table.code(RuleKind.WITHIN_NODE, memory)


def card_in_key_names(table: KeyTable, placing: ShareWriter, profile: Profile | None) -> str | None:
    """The card in the names of the keys that a share gets: that of the share, else that of the profile; None
    where names have no card, or neither names one."""
    device = placing.peek("device")
    if device and device.models:
        theirs = len(device.models) == 1 and device.vendor in (None, table.vendor)
        return device.models[0] if theirs else None
    named = card_of(profile, table.names)
    meant = card_meant(named.model, named.memory_mib, profile) if named.model else None
    return meant.name if meant else None


def _rows(table: KeyTable, placing: ShareWriter, profile: Profile | None) -> KeyGroup | None:
    """The rows of the card that the share or the profile names; None where names of keys hold a card, and
    neither names one."""
    by_model = {rows.model: rows for rows in table.keys_by_model}
    model, any_card = card_in_key_names(table, placing, profile), by_model.get("")
    group = by_model.get(model) if model and placing.peek("device") is not None else None
    if any_card is not None and (
        group is None or (any_card.parts and not group.parts and not placing.whole_cards)
    ):
        return any_card  # which alone has parts
    device = placing.take("device")
    if model in by_model:
        return by_model[model]
    models: tuple[str, ...] = device.models if device else ()
    names = ", ".join(by_model)
    in_profile = card_of(profile, table.names).model
    if models:
        message = msg("{models} is not one card of {target}", models=", ".join(models), target=table.title)
    elif in_profile:
        text = "the card of the profile (cards.model), {model}, is not one of {target}"
        message = msg(text, model=in_profile, target=table.title)
    else:
        message = msg("device.models is not set: the keys of {target} name the card", target=table.title)
    hint = msg("write one of {known}, or the card of the cluster in its profile (cards.model)", known=names)
    placing.refuse("device", table.code(RuleKind.MODELS), message, hint)
    return None


def _whole(table: KeyTable, rows: KeyGroup, placing: ShareWriter) -> KeyValues:
    """The values for whole cards: the key that counts nothing else, or the count of cards alone."""
    if rows.cards is not None and Place.RESOURCE in rows.cards.places and not rows.cards.needs:
        cards = _count(table, rows.cards, placing)
        full = {rows.cores.name: FULL_CARD_CORES} if table.whole_cores and rows.cores is not None else {}
        return {rows.cards.name: cards, **full}
    if table.cards_in_cores and rows.cores is not None:
        return {rows.cores.name: FULL_CARD_CORES * int(placing.take("cards"))}
    if rows.whole:
        return {rows.whole[0].name: _count(table, rows.whole[0], placing)}
    placing.take("cards")
    message = msg("whole cards cannot be expressed: {target} has parts of cards only", target=table.title)
    placing.refuse("cards", "GX023", message, "request a part of a card")
    return {}


def _count(table: KeyTable, row: KeySpec, placing: ShareWriter) -> int:
    """Take the number of cards, and refuse one that the row may not have."""
    cards = int(placing.take("cards"))
    if row.ranges and not row.legal.allows(cards):
        legal, why = row.legal.text, row.uncertain_values.get(str(cards))
        message = msg("{key} {amount} is not one of {numbers}", key=row.name, amount=cards, numbers=legal)
        if why:
            message = msg("{key} is {number}: {why}", key=row.name, number=cards, why=why)
        hint = msg("request {numbers} cards", numbers=legal)
        placing.refuse("cards", table.code(RuleKind.NUMBERS, row.name), message, hint)
    return cards


def _part(
    table: KeyTable, rows: KeyGroup, placing: ShareWriter, profile: Profile | None, free: frozenset[str]
) -> KeyValues:
    cards = int(placing.take("cards"))
    if cards > 1 and (table.several_cards is not SeveralCards.SHARED or rows.cards is None):
        placing.refuse(
            "cards",
            "GX023" if rows.cards is None else table.code(RuleKind.SEVERAL),
            msg(
                "a part of {cards} cards cannot be expressed: {target} shares one card",
                cards=cards,
                target=table.title,
            ),
            "request a part of one card, or whole cards",
        )
        for attribute in ("cores", "memory_mib", "memory_percent"):
            placing.take(attribute)  # how much of one card is not what it asked
        return {}
    if _becomes_whole(table, rows, placing, profile):
        return _whole(table, rows, placing)
    all_memory = _all_memory(rows, placing)
    _needed(table, rows, placing, free | ({"memory_mib"} if all_memory else frozenset()))
    if table.sizes:
        fit_size(table, placing, table.sizes, table.code(RuleKind.SIZES))
    if placing.whole_cards:
        return _whole(table, rows, placing)
    values: KeyValues = {}
    if rows.cards is not None and Place.RESOURCE in rows.cards.places:
        values[rows.cards.name] = _count(table, rows.cards, placing)
    for row in rows.parts:
        if row.sets == "memory_percent":
            percent = placing.take("memory_percent") or (ALL_MEMORY if all_memory else None)
            values[row.name] = None if percent is None else percent * (1 if row.per is Per.CARD else cards)
        elif row.sets not in placing.comes_with and not (cards > 1 and row.forced):
            values[row.name] = number_of_row(table, row, placing, profile)
    if _is_all(placing):  # rounding made it whole
        return _whole(table, rows, placing)
    _may_have_ended(table, rows, placing, values)
    return values


def _may_have_ended(table: KeyTable, rows: KeyGroup, placing: ShareWriter, values: KeyValues) -> None:
    """Note keys that newer releases do not read, where no profile names the release of the cluster."""
    for row in rows.parts:
        last = release_of(changes_of(row), ChangeKind.REMOVED)
        if last is not None and values.get(row.name) and last.reached(table.versions) is None:
            component, version, _ = last
            names = {"key": row.name, "component": component.title, "version": version}
            message = msg("{key} is not read since {component} {version}", **names)
            hint = msg("set components.{name} in the profile", name=component.name)
            placing.note(table.code(RuleKind.VERSIONS), message, hint, row.sets or "cards")


def _becomes_whole(table: KeyTable, rows: KeyGroup, placing: ShareWriter, profile: Profile | None) -> bool:
    """Whether the compute, after rounding, is all of the cards, so that the share is whole cards."""
    row = rows.cores
    if row is None:
        return False
    if row.forced and placing.cards > 1:
        _all_compute(table, row, placing)
    elif _rounds_to_all(table, row, placing, profile):
        number_of_row(table, row, placing, profile)
    return placing.whole_cards or _is_all(placing)


def _rounds_to_all(table: KeyTable, row: KeySpec, placing: ShareWriter, profile: Profile | None) -> bool:
    """Whether compute without memory, which is valid only for all of the card, rounds up to all of it."""
    cores, maximum = placing.peek("cores"), row.legal.most
    alone = row.forced_without and cores and not placing.asked.caps_memory
    return bool(alone and maximum and (maximum - 1) * table.unit(row, profile) < cores)


def _is_all(placing: ShareWriter) -> bool:
    """Whether the share has all compute of its cards, and no cap on memory."""
    no_memory = placing.peek("memory_mib") is None and placing.peek("memory_percent") is None
    return no_memory and placing.peek("cores") == FULL_CARD_CORES * placing.cards


def _all_compute(table: KeyTable, row: KeySpec, placing: ShareWriter) -> None:
    """Round compute up to all of the cards: the vendor gives all compute of several cards, with any
    number."""
    why = msg("{target} gives all compute of several cards", target=table.title)
    cores, full = placing.need("cores", "GX021", why, FULL_CARD_CORES), FULL_CARD_CORES * placing.cards
    if cores is not None and cores != full:
        placing.round("cores", full, table.code(RuleKind.SEVERAL, row.name), why)


def _all_memory(rows: KeyGroup, placing: ShareWriter) -> bool:
    """Whether to write all memory of the card as a percentage, since compute needs memory beside it.

    For several cards only where the percentage is a total: otherwise no document says what it means
    (BAIDU020).
    """
    cores, percent = rows.cores, rows.percent
    return (
        cores is not None
        and percent is not None
        and percent.name in cores.needs
        and (placing.cards == 1 or percent.per is Per.TOTAL)
        and placing.peek("cores") is not None
        and placing.peek("memory_mib") is None
    )


def _needed(table: KeyTable, rows: KeyGroup, placing: ShareWriter, free: frozenset[str]) -> None:
    """Require the fields without which the other keys have no effect, or the container blocks the card."""
    cores, memory = rows.cores, rows.memory
    no_memory = placing.peek("memory_mib") is None and placing.peek("memory_percent") is None
    needs_memory = no_memory and "memory_mib" not in free
    if needs_memory and memory is not None and cores is not None and _needs(rows, cores, memory):
        placing.need(
            "memory_mib",
            table.code(RuleKind.NEEDS),
            msg("{key} needs {other}", key=cores.name, other=memory.name),
        )
    all_of_card = cores is not None and cores.default is Absent.ALL
    if all_of_card and placing.peek("cores") is None and "cores" not in free:
        why = msg("without it the container has all compute of its cards at {target}", target=table.title)
        placing.need("cores", "GX021", why)
    if table.sizes and no_memory:
        placing.need("memory_mib", "GX021", msg("{target} shares cards by memory", target=table.title))


def _needs(rows: KeyGroup, cores: KeySpec, memory: KeySpec) -> bool:
    """Whether compute has no effect without memory: the count of cards alone is not enough."""
    count = {rows.cards.name} if rows.cards is not None else set[str]()
    return not cores.has_its_needs(count) and cores.has_its_needs({*count, memory.name})


def fit_size(table: KeyTable, placing: ShareWriter, sizes: Sequence[PartSize], code: str) -> None:
    """Round memory and compute of each card up to those of one size; no card has more than the largest.

    Compute that is not set comes with the memory. Compute above that of the size may be dropped.
    """
    memory, cores, cards = placing.peek("memory_mib"), placing.take("cores"), placing.cards
    least = size = first_size(sizes, memory // cards, None) if memory else None
    if least is None or size is None:
        return
    if cores and least.cores * cards < cores:
        if placing.accepts(LossKind.DROPPED, "cores", code, None):
            placing.drop("cores", code, msg("the container gets {part}", part=least.text))
            cores = None
        else:
            size = first_size(sizes, memory // cards, cores // cards) or least
    why = msg("{target} gives parts of {sizes}", target=table.title, sizes=sizes_text(sizes))
    if size.memory_mib * cards != memory:
        limiting_field = None if size is least else "cores"
        placing.round("memory_mib", size.memory_mib * cards, code, why, limiting_field)
    if cores is None:
        source = table.described(table.keys[0].source)
        amount = Amount(size.cores, size.memory_mib, table.sentence_name, source).times(cards)
        placing.derive("cores", code, msg("the container gets {part}", part=size.text), amount)
    elif size.cores * cards != cores:
        placing.round("cores", size.cores * cards, code, why)


def sizes_text(sizes: Sequence[PartSize]) -> Message:
    """All sizes in words: ``24576, 49152 MiB with 25, 50 %``."""
    memory, cores = ([f"{getattr(size, name)}" for size in sizes] for name in ("memory_mib", "cores"))
    return msg("{memory} MiB with {cores} %", memory=", ".join(memory), cores=", ".join(cores))


def number_of_row(
    table: KeyTable, row: KeySpec, placing: ShareWriter, profile: Profile | None
) -> int | str | None:
    """Take the field of a row, rounded up to a number that the row may have; None where it is not set."""
    attribute = row.sets or ""
    unit = table.unit(row, profile)
    code = table.code(RuleKind.NUMBERS, row.name)
    total = placing.take(attribute)
    if total is None:
        return None
    cards = placing.cards
    if row.quantity:
        largest = min(MOST_MIB * cards, int(quantity.LIMIT * BYTE))
        if int(total) > largest:
            message = outside(JSON_NAMES[attribute], int(total), 1, largest)
            placing.refuse(attribute, table.code(RuleKind.AMOUNTS), message, "request memory that a card has")
        return f"{int(total) // (cards if row.per is Per.CARD else 1)}Mi"
    numbers = row.ranges
    if len(numbers) == 1 and unit.denominator == 1:
        step, low = int(unit) * numbers[0].step, int(unit) * max(numbers[0].least, 1)
        total = placing.on_grid(
            attribute, code, step=step, low=low, unit="%" if attribute == "cores" else "MiB"
        )
        if total is None:
            return None
        number = Fraction(total, cards if row.per is Per.CARD else 1) / unit
    else:
        number = Fraction(_legal(row, unit, placing, code) or 0)
    if row.legal.times(1 if row.per is Per.CARD else cards).ends_below(number):
        placing.refuse(
            attribute,
            code,
            outside(row.name, int(number), row.legal.least, row.legal.most),
            "request less, or whole cards",
        )
    if number > quantity.LIMIT:
        problem = above_limit(row.name, int(number), quantity.LIMIT)
        placing.refuse(attribute, "GX011", problem.message, problem.hint)
    return int(number) or None


def _legal(row: KeySpec, unit: Fraction, placing: ShareWriter, code: str) -> int | None:
    """The least number of the row that holds the amount of one card; rounds the amount to it."""
    attribute = row.sets or ""
    requested = int(placing.peek(attribute))
    least = math.ceil(requested / unit)
    legal = row.legal.next(least)
    if legal is None:
        return least
    granted = math.ceil(legal * unit)
    if granted != requested:
        why = msg("{key} counts {counts}", key=row.name, counts=row.unit_text)
        placing.round(attribute, granted, code, why)
    return legal


# --- choices of cards ------------------------------------------------------------------------


def _choices(table: KeyTable, pod: PodWriter, profile: Profile | None) -> dict[str, Value]:
    """Annotations for choices of cards and for the models of shares, which are taken.

    A part of a name is written where no other known name has it.
    """
    values = {}
    for row in table.choices:
        names = _chosen(table, pod, row.chooses, profile) if row.chooses else ()
        if names:
            values[row.name] = Value.of(",".join(names))
    return values


def _chosen(table: KeyTable, pod: PodWriter, choice: CardChoice, profile: Profile | None) -> tuple[str, ...]:
    selector = pod.chosen(choice.by, allow=choice.allow)
    if selector is not None and selector.chosen is not None:
        chosen = selector.chosen
        if choice.parts and not chosen.choice.parts and not _are_alone(chosen.names, profile):
            return ()
        pod.taken.add(chosen)
        return chosen.names
    device = pod.peek("device")
    if choice[:2] != (By.MODEL, True) or device is None or device.vendor not in (None, table.vendor):
        return ()
    name_of = {model: name for name, model in products(profile).items()}
    names = tuple(name_of.get(model, "") for model in device.models)
    if not names or not _are_alone(names, profile):
        return ()
    pod.take("device")
    return names


def _are_alone(names: tuple[str, ...], profile: Profile | None) -> bool:
    """Whether the names are known, and no other known name contains one of them."""
    return {*products_with(names, profile)} == {*names}
