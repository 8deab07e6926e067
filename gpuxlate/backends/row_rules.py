"""The rules that follow from the rows of a dialect: one of each kind, with the same number everywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from os.path import commonprefix
from typing import ClassVar

from gpuxlate.backends.pod_reader import (
    named_twice,
    number,
    off_step,
    outside,
    put_number,
    requesting,
    second_names,
    too_large,
    too_many_cards,
    whole_numbers,
    written_name,
)
from gpuxlate.backends.pod_writer import Accept, PodWriter, ShareWriter
from gpuxlate.backends.row_reader import MOST_MIB, in_mib
from gpuxlate.backends.row_writer import beyond_one_card, on_one_card, one_is_recorded
from gpuxlate.backends.rows import (
    MODEL,
    KeyTable,
    RuleKind,
    RuleRow,
    SeveralCards,
    Size,
    legal_text,
    next_legal,
)
from gpuxlate.model import quantity
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, Fix, Put, Severity
from gpuxlate.model.keys import GIB, Absent, KeySpec, Per, Place, Range
from gpuxlate.model.limits import FULL_CARD_CORES, MAX_NAME
from gpuxlate.model.messages import Message, join_and, join_or, msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.pod import ScalarKind as ValueKind
from gpuxlate.model.profile import Extension, Profile, Release, card_of, names_of
from gpuxlate.model.share import JSON_NAMES, Device, Isolation, Share
from gpuxlate.rules.base import BY_CONTAINER, Context, Rule, Scope, letters
from gpuxlate.rules.predicates.conditions import (
    ALWAYS,
    CARDS,
    AllOf,
    AnyOf,
    AtMost,
    Condition,
    ContainersAtMost,
    Divides,
    EnvIs,
    InRange,
    IsAnnotated,
    IsInit,
    Label,
    Labelled,
    LabelledItself,
    Not,
    Predicate,
    Requests,
    SchedulerIs,
    SomeContainer,
    Violation,
    Within,
    WithProfile,
    card_memory,
    cards_per_node,
    is_word,
)

# --- totals: numbers over all cards of a container, of which each has its part ----------------

HUNDREDS = Range(FULL_CARD_CORES, None, FULL_CARD_CORES)
"""Whole cards, in percent."""


def count_of(table: KeyTable, row: KeySpec) -> KeySpec | None:
    """The key that counts the cards of a total; None where the number is no total, or nothing counts."""
    if row.per is not Per.TOTAL or row.sets == "cards":
        return None
    return next((rows.cards for rows in table.keys_by_model if row.model == rows.model), None)


def cards_in(table: KeyTable, row: KeySpec, pod: PodKeys, container: ContainerKeys) -> int | None:
    """How many cards a total is divided among; None where no key says it."""
    count = count_of(table, row)
    value = None if count is None else _counted(count, pod, container)
    number = None if value is None else quantity.whole(value.text)
    return number if number and number > 0 else None


def _counted(count: KeySpec, pod: PodKeys, container: ContainerKeys) -> Value | None:
    if Place.LABEL in count.places:
        return pod.labels.get(count.name)
    return container.resources.get(count.name)


def _counting(count: KeySpec) -> tuple[Condition, str | Label]:
    """There is a number of cards, and where it is."""
    if Place.LABEL in count.places:
        return Labelled(count.name, Range()), Label(count.name)
    return InRange(count.name, Range()), count.name


def counted_by(table: KeyTable, row: KeySpec) -> str | Label | None:
    """Where the number of cards is that a total is divided among; None where nothing counts them."""
    count = count_of(table, row)
    return None if count is None else _counting(count)[1]


def forced_when(table: KeyTable, row: KeySpec) -> Condition:
    """The webhook writes a number of its own in place of the row's."""
    counts = (one.cards for one in table.keys_by_model if one.model == row.model)
    several = AnyOf(*(InRange(one.name, Range(2)) for one in counts if one is not None))
    return several | Not(Requests(*row.forced_without)) if row.forced_without else several


def all_compute(table: KeyTable, cores: KeySpec) -> Condition:
    """The compute is all that the cards have."""
    least, count = InRange(cores.name, Range(FULL_CARD_CORES)), count_of(table, cores)
    if count is None:
        return least
    counted, by = _counting(count)
    one = InRange(cores.name, Range(FULL_CARD_CORES, FULL_CARD_CORES))
    return AnyOf(AllOf(counted, least, Divides(cores.name, by, FULL_CARD_CORES)), AllOf(Not(counted), one))


def counted_elsewhere(table: KeyTable, row: KeySpec, pod: PodKeys, container: ContainerKeys) -> bool:
    """No key says how many cards a total is for: in a patch, that is in the object."""
    return count_of(table, row) is not None and cards_in(table, row, pod, container) is None


def is_legal(table: KeyTable, row: KeySpec) -> Condition:
    """The number of a row is one that it takes, for the cards that the container has."""
    count = count_of(table, row)
    if count is None:
        return InRange(row.name, *row.ranges)
    counted, by = _counting(count)
    part = AnyOf(*(_part(row.name, one, by) for one in row.ranges))
    return AnyOf(AllOf(counted, part), AllOf(Not(counted), InRange(row.name, *uncounted(row, count))))


def _part(name: str, one: Range, by: str | Label) -> Condition:
    least = Range(max(one.least, 1)) if one.least else Range(0)
    bounds = [InRange(name, least), Divides(name, by, one.step)]
    return AllOf(*bounds, *([AtMost(name, one.most, by)] if one.most is not None else []))


def uncounted(row: KeySpec, count: KeySpec) -> tuple[Range, ...]:
    """The numbers without a count of cards: of one card, or of as many as there are hundreds."""
    return (*row.ranges, HUNDREDS) if count.default is Absent.HUNDREDS else row.ranges


def mib_of_each_card(
    table: KeyTable, row: KeySpec, pod: PodKeys, container: ContainerKeys, profile: Profile | None
) -> Fraction | None:
    """MiB of each card that a row of memory asks for; None where it has no amount."""
    text = container.resources[row.name].text
    number = quantity.whole(text)
    amount = in_mib(row, text) if row.quantity else number and number * table.unit(row, profile)
    cards = cards_in(table, row, pod, container) or 1
    return None if amount is None else Fraction(amount) / cards


def for_container(table: KeyTable, row: KeySpec, pod: PodKeys, container: ContainerKeys) -> KeySpec:
    """The row with the numbers that a container may have."""
    count, cards = count_of(table, row), cards_in(table, row, pod, container)
    if count is None:
        return row
    if cards is None:
        return row._replace(values=uncounted(row, count))
    return row._replace(
        values=tuple(
            Range(one.least * cards, None if one.most is None else one.most * cards, one.step * cards)
            for one in row.ranges
        )
    )


# --- examples: a share as the dialect writes it, and changes of it ----------------------------

SHARES = (Share(1, 50, 8192), Share(1, 25, 24576), Share(1, None, 8192), Share(1, 50))
"""What the example asks for: the first that the dialect can express, rounded where it must be."""
ANYTHING = Accept(True, {"cores": 50, "memoryMiB": 8192}, frozenset(JSON_NAMES.values()))


@record
class RowExample:
    """A pod: its limits by container, and what is on the pod."""

    limits: tuple[Mapping[str, Value], ...]
    annotations: Mapping[str, Value] = field(default_factory=dict)
    labels: Mapping[str, Value] = field(default_factory=dict)
    scheduler: str = ""
    init: Mapping[str, Value] = field(default_factory=dict)
    profile: str = ""
    selector: Mapping[str, Value] = field(default_factory=dict)

    def setting(self, name: str, value: int | str) -> RowExample:
        """With a resource of the first container set."""
        first, *rest = self.limits
        return replace(self, limits=({**first, name: Value.of(value)}, *rest))

    def without(self, *names: str) -> RowExample:
        """Without resources of the first container."""
        first, *rest = self.limits
        return replace(self, limits=({k: v for k, v in first.items() if k not in names}, *rest))

    @property
    def text(self) -> str:
        """The inside of a Pod, in YAML."""
        on_pod = [
            f"{what}: {_mapping(values)}"
            for what, values in (("annotations", self.annotations), ("labels", self.labels))
            if values
        ]
        lines = [f"metadata: {{{', '.join(on_pod)}}}"] if on_pod else []
        lines += ["spec:", *([f"  schedulerName: {self.scheduler}"] if self.scheduler else [])]
        if self.selector:
            lines.append(f"  nodeSelector: {_mapping(self.selector)}")
        if self.init:
            lines += ["  initContainers:", *_container("init", self.init)]
        lines.append("  containers:")
        for name, values in zip(("web", "api"), self.limits, strict=False):
            lines += _container(name, values)
        return "\n".join(lines)


def _container(name: str, limits: Mapping[str, Value]) -> Iterable[str]:
    yield from (f"    - name: {name}", f"      image: {name}")
    if limits:
        yield f"      resources: {{limits: {_mapping(limits)}}}"


def _mapping(values: Mapping[str, Value]) -> str:
    def text(one: Value) -> str:
        quoted = one.kind is ValueKind.STR and not one.text[:1].isalpha() and not one.text[-1:].isalpha()
        return json.dumps(one.text) if quoted or one.text in ("true", "false") else one.text

    return f"{{{', '.join(f'{name}: {text(value)}' for name, value in values.items())}}}"


def share(table: KeyTable) -> RowExample:
    """A part of one card as the dialect writes it; a whole one, where it has no other."""
    rows = (row for row in table.keys if row.unit and row.sets not in (None, "cards"))
    parts = {row.name for row in rows if Place.LABEL not in row.places}
    one_card = None if parts else _written(table, Share(1))
    if one_card is not None:
        return one_card
    tried = (_written(table, one) for one in SHARES)
    found = next((one for one in tried if one and parts & {*one.limits[0], *one.annotations}), None)
    if found is None:
        raise ValueError(f"{table.name} can express no part of a card")
    return found


def whole(table: KeyTable) -> RowExample:
    """One whole card as the dialect writes it."""
    return _written(table, Share(1)) or share(table)


def _written(table: KeyTable, asked: Share) -> RowExample | None:
    model = table.keys_by_model[0].model
    device = Device(table.vendor, (model,)) if model else None
    isolation = Isolation.SOFT if table.of_pod("isolation") and not asked.whole_cards else None
    asked = replace(asked, device=device, isolation=isolation)
    placing = ShareWriter(asked, ANYTHING, target=table.name, name="web")
    keys = table.write(PodWriter((placing,), ("web",)), None)
    scheduler = keys.scheduler_name.text if keys.scheduler_name else ""
    limits = keys.containers[0].limits
    return None if placing.refused else RowExample((limits,), keys.annotations, keys.labels, scheduler)


# --- a kind of rule ---------------------------------------------------------------------------


@record
class RowRule:
    """One kind of rule for one dialect. ``keys``: the rows that it is about, all where there are none;
    ``why``: the reason in place of the usual one."""

    table: KeyTable
    keys: tuple[str, ...] = ()
    why: str = ""

    kind: ClassVar[RuleKind]
    name: ClassVar[str]
    severity: ClassVar[Severity] = Severity.ERROR
    fix: ClassVar[str | None] = None
    missing: ClassVar[bool] = False
    no_policy: ClassVar[str] = ""  # of ``also`` too, where it finds more
    summary: ClassVar[str]
    what: ClassVar[str]
    usual_why: ClassVar[str]
    fixing: ClassVar[str] = ""
    profile: ClassVar[str] = ""
    tells_whole_cards: ClassVar[bool] = False

    def rows(self) -> Iterable[KeySpec]:
        """The rows that the rule is about."""
        raise NotImplementedError

    @cached_property
    def mine(self) -> tuple[KeySpec, ...]:
        """The rows that the rule is about: of the keys that it was given, else all but that of whole cards,
        which every cloud has, unless the rule tells its own."""
        if self.keys or self.tells_whole_cards:
            return tuple(row for row in self.rows() if not self.keys or row.name in self.keys)
        return tuple(row for row in self.rows() if row.name != self.table.whole_card_key)

    def row_of(self, breach: Violation) -> KeySpec:
        """The row whose key a breach is at."""
        return next(row for row in self.mine if row.name == breach.name)

    def applies(self) -> bool:
        """The dialect has something for this kind of rule."""
        return bool(self.mine)

    def fixes(self) -> str | None:
        """Whether some of its findings have a fix, and of which kind."""
        return self.fix

    def predicates(self) -> Iterable[Predicate]:
        """What it demands, as predicates; none where no policy can say it."""
        return ()

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        """A breach in words."""
        raise NotImplementedError

    def also(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        """Findings beside those of the predicates, which know no key with the name of a container in it."""
        return iter(())

    def keys_about(self) -> frozenset[str]:
        """Names without which it finds nothing, where no predicate says it; none where it is asked of all."""
        return frozenset()

    def finds_more(self) -> bool:
        """It has findings beside those of the predicates: the rows have something for ``also``."""
        return False

    def in_cluster(self) -> WithProfile | None:
        """What it demands in a cluster that has a profile."""
        return None

    def of_profile(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        """The findings of a rule that has no predicate."""
        raise NotImplementedError

    # --- its page -----------------------------------------------------------------------------

    def example(self) -> RowExample:
        """A pod that breaks it."""
        raise NotImplementedError

    def instead(self) -> RowExample:
        """A pod that keeps it."""
        return share(self.table)

    @property
    def values(self) -> dict[str, str]:
        """What is in the sentences of the kind."""
        keys = ", ".join(f"`{row.template or row.name}`" for row in self._shown())
        return {"title": self.table.called, "keys": keys}

    @property
    def summary_text(self) -> Message:
        """What it demands, in one sentence."""
        return msg(self.summary, **self.values)

    @property
    def what_text(self) -> str:
        """What it reports."""
        return self.what.format(**self.values)

    def text(self) -> str:
        """The text that a docstring has where a rule is a function."""
        values = self.values
        why = self.why or self.table.rule_reasons.get(self.kind, self.usual_why)
        cluster = self.cluster()
        profile = f"\n```yaml profile\ntarget: {self.table.name}\n{cluster}\n```" if cluster else ""
        sources = ", ".join(dict.fromkeys(tag for row in self.mine for tag in row.source.split(", ") if tag))
        parts = [
            self.summary_text,
            f"## What it does\n{self.what_text}",
            f"## Why\n{why.format(**values)}",
            f"## Example\n```yaml\n{self.example().text}\n```{profile}",
            f"## Use instead\n```yaml\n{self.instead().text}\n```",
            *([f"## Fix\n{self.fixing}"] if self.fixes() else []),
            f"## Source\n{self.table.described(sources)}.",
        ]
        return "\n\n".join(parts)

    def cluster(self) -> str:
        """What the profile of its examples says."""
        return self.profile

    def _shown(self) -> Iterable[KeySpec]:
        """The rows, each template once."""
        return {row.template or row.name: row for row in self.mine}.values()


def _is_annotation_of_containers(row: KeySpec) -> bool:
    """The row is of annotations with the name of a container in their own."""
    return row.is_pattern and Place.ANNOTATION in row.places


def by_pattern(rows: Iterable[KeySpec], pod: PodKeys) -> Iterator[tuple[KeySpec, str, Value]]:
    """The annotations with the name of a container in their own, each with its row."""
    for row in rows:
        if _is_annotation_of_containers(row):
            found = ((name, value) for name, value in pod.annotations.items() if row.matches(name))
            yield from ((row, name, value) for name, value in found)


# --- numbers: ranges and steps, sizes, amounts with units -------------------------------------


class Numbers(RowRule):
    """Ranges, steps and legal sets."""

    kind, name, tells_whole_cards = RuleKind.NUMBERS, "number-is-legal", True
    summary = "The numbers of {title} are ones that it takes."
    what = "Reports {keys} outside of their range, off their step, or not in their list."
    usual_why = "The number is refused or ignored, or no card ever has it."
    fixing = (
        "Writes each card's part where the number is a total over the cards, else the next number that the "
        "key takes, or its maximum where more is read so. Unsafe: the share may not be what was meant."
    )

    def rows(self) -> Iterable[KeySpec]:
        return (
            row for row in self.table.keys if Place.RESOURCE in row.places and row.ranges and not row.quantity
        )

    def fixes(self) -> str | None:
        """None where each number up to the maximum will do: the next legal one is above."""
        off = any(
            row.clamped
            or one.step > 1
            or len(row.ranges) > 1
            or count_of(self.table, row)
            or (one.most is not None and self._count(row))
            for row in self.mine
            for one in row.ranges
        )
        return "unsafe" if off else None

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            when: Condition = InRange(row.name)
            if row.name == self.table.whole_card_key:  # alone it is anybody's
                when &= Requests(*(part.name for rows in self.table.keys_by_model for part in rows.parts))
            when &= Not(forced_when(self.table, row)) if row.forced else ALWAYS
            if row.overridden_by and self.table.overridden_severity:  # it is accepted, and not looked at
                when &= Not(Requests(*row.overridden_by))
            legal = is_legal(self.table, row)
            numbers = (int(one) for one in row.uncertain_values)  # which Doubts reports
            doubtful = [Range(n, n) for n in numbers if not any(one.allows(n) for one in row.ranges)]
            if doubtful:
                legal |= InRange(row.name, *doubtful)
            idle = [int(one) for one in row.no_op_values if one.isdecimal()]
            ignored = InRange(
                row.name, *(Range(n, n) for n in idle if not any(r.allows(n) for r in row.ranges))
            )
            if not ignored.ranges:
                yield Predicate(legal, when, (row.name,))
                continue
            yield Predicate(legal | ignored, when, (row.name,))
            yield Predicate(legal, when & ignored, (row.name,), severity=Severity.WARNING)

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        row = self.row_of(breach)
        if breach.value is None or breach.container is None:
            return
        missing = counted_elsewhere(self.table, row, pod, breach.container)
        row = for_container(self.table, row, pod, breach.container)
        amount = quantity.whole(breach.value.text) or 0
        near, hint, fix = next_legal(row, amount), _hint(row), None
        each = self._of_each_card(row, breach.container, amount)
        if each is not None:
            near, hint = each, msg("the key counts {counts}: write {number}", counts=row.counts, number=each)
        elif row.clamped and row.most is not None and amount > row.most:
            near = row.most
            hint = msg("the key counts {counts}: write {number}", counts=row.counts, number=near)
        if near is not None and amount > 0:
            fix = Fix(
                msg("write {near}", near=near), put_number(breach.container, row.name, near), safe=False
            )
        name = written_name(breach.value, row.name)
        if str(amount) in row.no_op_values:
            message = msg(
                "{key} is {number}, which {title} ignores: the container has no cap on {what}",
                key=name,
                number=amount,
                title=self.table.called,
                what=row.meaning,
            )
            yield this.diagnostic(breach.value, message, hint)
            return
        yield this.diagnostic(breach.value, wrong(row, name, amount), hint, fix=fix, missing=missing)

    def _count(self, row: KeySpec) -> KeySpec | None:
        """What counts the cards of percent per card, where a container may have a part of several."""
        if self.table.several_cards is not SeveralCards.SHARED or row.sets == "memory_mib" or row.forced:
            return None  # MiB above the range are no total, but a slip
        counts = (
            rows.cards for rows in self.table.keys_by_model if row in rows.parts and row.per is Per.CARD
        )
        return next(counts, None)

    def _of_each_card(self, row: KeySpec, container: ContainerKeys, amount: int) -> int | None:
        """Each card's part, where a number per card is written as the total over the cards."""
        count = self._count(row)
        cards = number(container.resources.get(count.name)) if count else None
        if not cards or cards < 2 or amount <= 0 or amount % cards:
            return None
        return amount // cards if any(one.allows(amount // cards) for one in row.ranges) else None

    def example(self) -> RowExample:
        good = self.instead()
        there = [row for row in reversed(self.mine) if row.name in good.limits[0]] or [self.mine[0]]
        if self.fixes():
            there += [row for row in self.mine if row not in there]
        bad = [(row, amount) for row in there for amount in self._illegal(row, good)]
        row, amount = next((one for one in bad if one[1] > 0 and next_legal(*one) is not None), bad[0])
        beside = (other.name for other in self.table.keys if row.name in other.overridden_by)
        good = good.without(*beside, *row.overridden_by)
        return good.setting(row.name, amount)

    @staticmethod
    def _illegal(row: KeySpec, good: RowExample) -> Iterator[int]:
        now = number(good.limits[0].get(row.name)) or 1
        most = [one.most for one in row.ranges if one.most is not None]
        tries = [now + 1, now + 2, *(n + 1 for n in most), *(n + 2 for n in most), -1]
        return (n for n in tries if not any(one.allows(n) for one in row.ranges))


def _hint(row: KeySpec) -> Message:
    """What to write."""
    if not row.counts:
        return msg("write {numbers}", numbers=legal_text(row))
    [first, *more] = row.ranges
    if first.bound is not None or first.step > 1 or more:
        return msg("write {numbers}, in {counts}", numbers=legal_text(row), counts=row.counts)
    if row.sets == "cards":
        return msg("write the number of physical cards, at least {least}", least=first.least)
    return msg("write the {counts}, or remove the key", counts=row.counts)


def wrong(row: KeySpec, name: str, number: int) -> str:
    """What is wrong with a number: below, above, or between."""
    least = min(one.least for one in row.ranges)
    most = row.most
    bounded = all(one.most is not None for one in row.ranges)
    if number < least:
        return outside(name, number, least)
    if bounded and most is not None and number > most:
        return outside(name, number, least, most)
    if len(row.ranges) == 1:
        return off_step(name, number, row.ranges[0].step)
    return msg("{key} {amount} is not one of {numbers}", key=name, amount=number, numbers=legal_text(row))


class Sizes(RowRule):
    """Memory and compute that the vendor rounds up to the next part that has both."""

    kind, name = RuleKind.SIZES, "memory-is-a-size"
    severity = Severity.INFO
    summary = "A part of a card is one that {title} has."
    what = (
        "Reports {keys} where the container gets more: the smallest part that holds what it asks for, with "
        "the memory and the compute of that part."
    )
    usual_why = "Cards are divided into parts of fixed sizes."

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if self.table.sizes and row.sets in ("memory_mib", "cores"))

    def predicates(self) -> Iterable[Predicate]:
        largest = self.table.sizes[-1]
        for row in self.mine:
            there = [
                InRange(row.name, *_as_written(row, size, exactly=True))
                & AllOf(*(self._fits(other, size) for other in self.mine if other is not row))
                for size in self.table.sizes
            ]
            beyond = (InRange(one.name, Range(getattr(largest, one.sets or "") + 1)) for one in self.mine)
            yield Predicate(AnyOf(*there, *beyond), InRange(row.name, Range(1)), (row.name,))

    @staticmethod
    def _fits(row: KeySpec, size: Size) -> Condition:
        """The container does not ask for more of this than the size has."""
        return AnyOf(Not(InRange(row.name)), InRange(row.name, *_as_written(row, size)))

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        asked = {row.sets: self._asked(row, breach.inside) for row in self.mine}
        holding = (
            one
            for one in self.table.sizes
            if all(getattr(one, field or "") >= number for field, number in asked.items())
        )
        size = next(holding, None)
        if size is None:
            return  # Numbers says it
        message = msg(
            "{key} {amount} becomes {memory} MiB with {cores} % of compute",
            key=written_name(breach.there, breach.name),
            amount=breach.number,
            memory=size.memory_mib,
            cores=size.cores,
        )
        gets = getattr(size, self.row_of(breach).sets or "")
        yield this.diagnostic(breach.there, message, msg("write {number}", number=gets))

    @staticmethod
    def _asked(row: KeySpec, container: ContainerKeys) -> int:
        """The number of a container in the unit of sizes; 0 where it has none."""
        value = container.resources.get(row.name)
        number = (quantity.whole(value.text) if value else None) or 0
        return number * GIB if 0 < number <= row.gib_up_to else number

    def example(self) -> RowExample:
        good = self.instead()
        row = next(row for row in self.mine if row.name in good.limits[0])
        return good.setting(row.name, int(good.limits[0][row.name].text) - 1)


def _as_written(row: KeySpec, size: Size, *, exactly: bool = False) -> Iterator[Range]:
    """The numbers of a key that are those of a size, or less; in GiB too, where small numbers are these."""
    most: int = getattr(size, row.sets or "")
    if not row.gib_up_to:
        yield Range(most if exactly else 0, most)
    else:
        yield Range(most if exactly else row.gib_up_to + 1, most)
        yield Range(most // GIB if exactly else 0, most // GIB)


class Doubts(RowRule):
    """Values whose effect no document makes certain."""

    kind, name = RuleKind.DOUBTS, "value-is-documented"
    severity = Severity.WARNING
    summary = "A value of {title} has an effect that is documented."
    what = "Reports values of {keys} whose effect is not certain."
    usual_why = "Sources contradict each other, or say nothing."

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.uncertain_values and Place.RESOURCE in row.places)

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            doubtful = tuple(Range(int(text), int(text)) for text in row.uncertain_values)
            when: Condition = InRange(row.name)
            if row.forced:  # Several says what the webhook makes of it
                when &= Not(forced_when(self.table, row))
            yield Predicate(Not(InRange(row.name, *doubtful)), when, (row.name,))

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        row = self.row_of(breach)
        number = None if breach.value is None else quantity.whole(breach.value.text)
        if breach.value is not None and number is not None:
            name = written_name(breach.value, row.name)
            message = msg(
                "{key} is {number}: {why}", key=name, number=number, why=row.uncertain_values[str(number)]
            )
            yield this.diagnostic(breach.value, message, "write a value whose effect is documented")

    def example(self) -> RowExample:
        row = self.mine[0]
        return self.instead().setting(row.name, int(next(iter(row.uncertain_values))))


class Ignored(RowRule):
    """Memory beside whole cards, where all compute is whole cards."""

    kind, name, severity = RuleKind.IGNORED, "whole-cards-have-their-memory", Severity.WARNING
    summary = "Whole cards of {title} are requested without memory."
    what = "Reports {keys} beside compute of 100 for each card."
    usual_why = "Whole cards come with all of their memory: the number is ignored, and nothing limits it."

    def rows(self) -> Iterable[KeySpec]:
        full = self.table.cards_in_cores or self.table.full_is_whole
        return (rows.memory for rows in self.table.keys_by_model if full and rows.memory)

    def predicates(self) -> Iterable[Predicate]:
        for rows in self.table.keys_by_model:
            if rows.memory is not None and rows.cores is not None and rows.memory in self.mine:
                yield Predicate(Not(all_compute(self.table, rows.cores)), keys=(rows.memory.name,))

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        if breach.value is not None and breach.container is not None:
            row = self.row_of(breach)
            missing = counted_elsewhere(self.table, row, pod, breach.container)
            name = written_name(breach.value, breach.name)
            message = msg("{key} is ignored beside whole cards, which have all of their memory", key=name)
            hint = "remove it, or request less than 100 of compute"
            yield this.diagnostic(breach.value, message, hint, on_key=True, missing=missing)

    def example(self) -> RowExample:
        cores = self.table.keys_by_model[0].cores
        return share(self.table).setting(cores.name if cores else "", 100)


class Amounts(RowRule):
    """Amounts of memory that may have a unit."""

    kind, name = RuleKind.AMOUNTS, "amount-is-plausible"
    no_policy = "an amount has a unit, and no schema compares those"
    summary = "An amount of memory of {title} is one that a card can have."
    what = "Reports {keys} below 1 MiB or above 1 TiB, of each card."
    usual_why = "A number without a unit and one with a unit are not the same amount."

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.quantity and Place.RESOURCE in row.places)

    def of_profile(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        for row in self.mine:
            for container in requesting(pod, row.name):
                value = container.resources[row.name]
                mib = mib_of_each_card(self.table, row, pod, container, context.profile)
                if mib is None or 1 <= mib <= MOST_MIB:
                    continue
                name = written_name(value, row.name)
                bare = {1: "MiB", GIB: "GiB"}.get(int(row.unit), "bytes")
                message = msg(
                    "{key} {text} is {mib} MiB: a number without a unit counts {bare}",
                    key=name,
                    text=value.text,
                    mib=f"{float(mib):.10g}",
                    bare=bare,
                )
                yield this.diagnostic(value, message, "write the amount with its unit, such as 8192Mi")

    def example(self) -> RowExample:
        return share(self.table).setting(self.mine[0].name, 4096 if self.mine[0].unit > 1 else 8)


# --- keys: those that need or exclude each other, their words and names -----------------------


def name_beside(table: KeyTable, written: str, own: str) -> str:
    """The name of a key that goes with another one as it is written: that which begins most alike, since a
    cluster has the names of one release; of several the whole beginning, then its own."""

    def alike(name: str) -> tuple[int, bool, bool]:
        return len(commonprefix((name, written))), written.startswith(name), name == own  # noqa: RUF071 - of letters

    row = table.find(own)
    return max((own, *row.aliases), key=alike) if row else own


class Needs(RowRule):
    """Keys that do nothing alone."""

    kind, name, missing = RuleKind.NEEDS, "needed-key-is-there", True
    summary = "A key of {title} has the keys beside it that it needs."
    what = "Reports {keys} in a container without the keys that they need."
    usual_why = "Without them {title} sees no share, and the container gets no part of a card."
    fixing = "Safe, where the count of cards is missing: requests one card."

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.needs and Place.RESOURCE in row.places)

    def predicates(self) -> Iterable[Predicate]:
        for needs in dict.fromkeys(row.needs for row in self.mine):
            rows = {row.name: self._same(row) for row in self.mine if row.needs == needs}
            asks = [Not(InRange(name, *same)) & Requests(name) for name, same in rows.items() if same]
            others = Requests(*(name for name, same in rows.items() if not same))
            when = AnyOf(*([others] if others.names else []), *asks) if asks else ALWAYS
            yield Predicate(Requests(*needs), when, tuple(rows))

    @staticmethod
    def _same(row: KeySpec) -> tuple[Range, ...]:
        """The numbers above 0 that say no more than no key, and so need none."""
        numbers = (int(one) for one in row.no_op_values if one.isdecimal())
        return tuple(Range(one, one) for one in numbers if one)

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        row = self.row_of(breach)
        if breach.value is not None:
            name = written_name(breach.value, row.name)
            needs = [name_beside(self.table, name, one) for one in row.needs]
            needed = join_or(needs)
            message = msg("{key} has no effect without {count}", key=name, count=needed)
            if row.needs[0] in self._counts():
                hint = msg("add {count}: 1", count=needs[0])
                fix = Fix(
                    msg("add {needs}: 1", needs=needs[0]), (Put((*breach.value.path[:-1], needs[0]), 1),)
                )
                # cards of another kind are the share, which one of these would replace
                others = self._counts() - {row.needs[0]}
                counted = breach.container is not None and others & breach.container.resources.keys()
                yield this.diagnostic(breach.value, message, hint, on_key=True, fix=None if counted else fix)
            else:
                yield this.diagnostic(breach.value, message, msg("add {key}", key=needed), on_key=True)

    def _counts(self) -> set[str]:
        """The keys that count cards in resources: of those, one is the least."""
        counts = (rows.cards for rows in self.table.keys_by_model)
        return {row.name for row in counts if row is not None and Place.RESOURCE in row.places}

    def fixes(self) -> str | None:
        return "safe" if any(row.needs[0] in self._counts() for row in self.mine) else None

    def example(self) -> RowExample:
        good = self.instead()
        row = next((row for row in self.mine if row.name in good.limits[0]), self.mine[0])
        bad = good if row.name in good.limits[0] else good.setting(row.name, row.ranges[0].least or 1)
        return bad.without(*row.needs)


class Excludes(RowRule):
    """Keys that do not go together."""

    kind, name = RuleKind.EXCLUDES, "keys-go-together"
    summary = "A container has no two keys of {title} that exclude each other."
    what = "Reports {keys} beside a key that says the same in another way."
    usual_why = "One of the two is ignored, or the pod is refused."

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.excludes or row.overridden_by)

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            severity = self.table.overridden_severity
            if Place.LABEL in row.places:
                others = self._have(*row.excludes, *row.overridden_by)
                yield Predicate(
                    Not(SomeContainer(others)), Labelled(row.name), (row.name,), per_container=False
                )
                continue
            when = self._have(row.name) if row.zero_is_absent else ALWAYS
            if severity is None:
                others = self._have(*row.excludes, *row.overridden_by)
                yield Predicate(Not(others), when, (row.name,))
                continue
            others = self._have(*row.excludes)
            yield Predicate(Not(others), when, (row.name,))
            less = self._have(*row.overridden_by)
            yield Predicate(Not(less), when & Not(others), (row.name,), severity=severity)

    def _have(self, *names: str) -> Condition:
        """One of the keys is there, and is no number with which it is as good as missing."""
        zeros = {row.name for row in self.table.keys if row.zero_is_absent}
        others = Requests(*(name for name in names if name not in zeros))
        numbers = [InRange(one) & Not(InRange(one, Range(0, 0))) for one in names if one in zeros]
        return AnyOf(*([others] if others.names else []), *numbers) if numbers else others

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        row = self.row_of(breach)
        if breach.value is None:
            return
        containers = pod.all_containers() if breach.container is None else (breach.container,)
        other = next(
            name
            for one in containers
            for name in (*row.excludes, *row.overridden_by)
            if self._have(name).holds(pod, one)
        )
        name = written_name(breach.value, row.name)
        message = msg("{key} and {other} are both set", key=name, other=other)
        if other in row.overridden_by:
            message = msg(
                "{key} and {other} are both set; {title} uses {other}",
                key=name,
                other=other,
                title=self.table.called,
            )
        yield this.diagnostic(breach.value, message, "keep one of them", on_key=True)

    def example(self) -> RowExample:
        good, row = self.instead(), self.mine[0]
        others = (*row.excludes, *row.overridden_by)
        one = next((name for name in (row.name, *others) if name in good.limits[0]), row.name)
        both = {row.name, others[0]} if one == row.name else {row.name, one}
        if Place.LABEL in row.places:
            alone = good.without(*good.limits[0]).setting(others[0], 1)
            return replace(alone, labels={row.name: Value.of("2")})
        for name in sorted(both - {*good.limits[0]}):
            found = next(each for each in self.table.keys if each.name == name)
            good = good.setting(name, next((r.least for r in found.ranges), 1) or 1)
        return good


class SingleAlias(RowRule):
    """One key under two names."""

    kind, name = RuleKind.SINGLE_ALIAS, "resource-has-one-name"
    summary = "A container requests a resource of {title} under one name."
    what = "Reports another name of {keys} beside the key itself."
    usual_why = (
        "A cluster has one of the names: the pod never schedules on the other, or one of them is ignored."
    )
    no_policy = "lint alone knows the names that a profile gives to resources"

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.aliases and Place.RESOURCE in row.places)

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            names = (row.name, *row.aliases)
            for alias in row.aliases:
                others = tuple(one for one in names if one != alias)
                yield Predicate(Not(Requests(*others)), keys=(alias,))

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        if breach.value is not None:
            own, name = self.table.other_names[breach.name], written_name(breach.value, breach.name)
            yield this.diagnostic(breach.value, *named_twice(name, own), on_key=True)

    def finds_more(self) -> bool:
        extension = self.table.extension  # a profile of it may have names of its own
        return extension is not None and extension.renamed is not Extension.renamed

    def also(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        for value, name, own in second_names(pod, self.table.renamed(context.profile)):
            yield this.diagnostic(value, *named_twice(name, own), on_key=True)

    def example(self) -> RowExample:
        good = self.instead()
        row = next((row for row in self.mine if row.name in good.limits[0]), self.mine[0])
        if row.name not in good.limits[0]:
            good = good.without(*good.limits[0]).setting(row.name, 1)
        return good.setting(row.aliases[0], good.limits[0][row.name].plain or 1)


class Words(RowRule):
    """Choices that have a list of values."""

    kind, name = RuleKind.WORDS, "choice-is-known"
    summary = "A choice of {title} has a value that it knows."
    what = "Reports other values of {keys}."
    usual_why = "The pod is refused, or the value is ignored and the default counts."
    no_policy = BY_CONTAINER

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.texts)

    @staticmethod
    def _words(row: KeySpec) -> tuple[str | re.Pattern[str], ...]:
        return (*row.texts, *(one for one in row.values if isinstance(one, re.Pattern)))

    def _is_known_in_env(self, row: KeySpec) -> Condition:
        return AnyOf(Not(EnvIs(row.name)), EnvIs(row.name, *row.texts))

    def predicates(self) -> Iterable[Predicate]:
        in_env: list[Condition] = []
        for row in self.mine:
            words = self._words(row)
            if row.is_pattern:
                continue
            if Place.ENV in row.places:
                in_env.append(self._is_known_in_env(row))
            elif Place.RESOURCE in row.places:  # in resources every word is a number
                numbers = (Range(int(word), int(word)) for word in row.texts)
                yield Predicate(InRange(row.name, *numbers), keys=(row.name,))
            elif Place.LABEL in row.places:
                yield Predicate(
                    Labelled(row.name, *words), Labelled(row.name), (row.name,), per_container=False
                )
            else:
                when = IsAnnotated(row.name) & self._speaks() if row.general else IsAnnotated(row.name)
                yield Predicate(IsAnnotated(row.name, *words), when, (row.name,), per_container=False)
        if in_env:
            yield Predicate(AllOf(*in_env))

    def _speaks(self) -> Condition:
        """Some container has a key of the table, or the pod one that says a field of its share."""
        resources = (one.name for one in self.table.keys if Place.RESOURCE in one.places)
        asks = Requests(*resources)
        on_pod = (
            IsAnnotated(one.name)
            for one in self.table.keys
            if Place.ANNOTATION in one.places and one.unit and not one.is_pattern
        )
        return AnyOf(SomeContainer(asks if self.table.init_containers else asks & ~IsInit()), *on_pod)

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        if breach.value is not None:
            yield self._unknown(this, self.row_of(breach), breach.name, breach.value)
        else:  # the predicate is on variables
            for row in self.mine:
                if Place.ENV in row.places and not self._is_known_in_env(row).holds(pod, breach.container):
                    yield self._unknown(this, row, row.name, breach.inside.env[row.name])

    def finds_more(self) -> bool:
        return any(_is_annotation_of_containers(row) for row in self.mine)

    def also(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        for row, name, value in by_pattern(self.mine, pod):
            if not is_word(value.text, self._words(row)):
                yield self._unknown(this, row, name, value)

    def _unknown(self, this: Rule, row: KeySpec, name: str, value: Value) -> Diagnostic:
        title = self.table.called
        message = msg(
            "{key} is {value!r}, which {title} does not know", key=name, value=value.text, title=title
        )
        return this.diagnostic(value, message, msg("write one of {known}", known=", ".join(row.texts)))

    def example(self) -> RowExample:
        return self._with(lambda word: f"{word}s")

    def instead(self) -> RowExample:
        return self._with(str)

    def _with(self, make: type[str] | object) -> RowExample:
        good, on_pod = share(self.table), (row for row in self.mine if self.table.is_pods(row))
        row = next(on_pod, self.mine[0])
        value = {row.name: Value.of(make(row.texts[0]))}  # type: ignore[operator]
        if Place.LABEL in row.places:
            return replace(good, labels={**good.labels, **value})
        return replace(good, annotations={**good.annotations, **value})


class Models(RowRule):
    """Card models in the names of keys that the catalogue does not know."""

    kind, name = RuleKind.MODELS, "card-model-is-known"
    no_policy = "the names of cards are open: a profile adds some"
    summary = "The card in the name of a key of {title} is one of the catalogue."
    what = "Reports keys that have the form of {keys}, with a card that gpuxlate does not know."
    usual_why = "A name that no node has never schedules. A new card can be added in a profile."

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.template and row.is_pattern)

    def of_profile(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        hint = msg("known cards: {known}", known=", ".join(names_of(self.table.name)))
        for container in pod.all_containers():
            for name, value in container.resources.items():
                if self.table.find(name) in self.mine:
                    message = msg("{key} names a card that is not in the catalogue", key=name)
                    yield this.diagnostic(value, message, hint, on_key=True)

    def example(self) -> RowExample:
        good = self.instead()
        known = {row.name: row.template for row in self.table.keys if row.model}
        limits = {
            known.get(name, self.mine[0].template).replace(MODEL, "unknown"): value
            for name, value in good.limits[0].items()
        }
        return replace(good, limits=(limits,))


class KnownValue(Words):
    """Words with the nearest of them in the hint, and a fix for letter case and separators."""

    kind = RuleKind.KNOWN_VALUE
    fix = "safe"
    fixing = "Safe: writes the value as the vendor does, where only letter case or separators are wrong."

    def _unknown(self, this: Rule, row: KeySpec, name: str, value: Value) -> Diagnostic:
        usual = super()._unknown(this, row, name, value)
        if value.text in row.values:  # of other software
            return usual
        same = next((word for word in row.words if letters(word) == letters(value.text)), None)
        own = {str(field): word for word, field in row.words.items()}.get(value.text)
        if same or own:
            hint: Message = msg("write {value}", value=same or own)
            return this.diagnostic(
                value, usual.message, hint, fix=Fix(hint, (Put(value.path, same),)) if same else None
            )
        from difflib import get_close_matches

        near = get_close_matches(value.text[:MAX_NAME], [*row.words], 1, 0.6)
        return (
            this.diagnostic(value, usual.message, msg("did you mean {value}?", value=near[0]))
            if near
            else usual
        )


# --- pods: the scheduler, the containers, the cards -------------------------------------------

DEFAULT_SCHEDULER = "default-scheduler"
UNNAMED = SchedulerIs("", DEFAULT_SCHEDULER)
"""No scheduler is chosen: API servers write the name of the default one into such a pod (defaults.go)."""


class Scheduler(RowRule):
    """The scheduler that the keys have effect with."""

    kind, name, fix = RuleKind.SCHEDULER, "scheduler-places-the-share", "unsafe"
    summary = "`schedulerName` is one with which the keys of {title} have effect."
    what = (
        "Reports another `schedulerName` as an error and, where one has to be named, a missing one as a "
        "warning: a cluster may run the scheduler under the name of the default one. It is an info where "
        "an operator or a webhook may set it."
    )
    usual_why = "Only that scheduler places the share: with another one the keys have no effect."
    fixing = "Writes the scheduler. Unsafe: the pod goes to another scheduler."
    no_policy = BY_CONTAINER

    def rows(self) -> Iterable[KeySpec]:
        named = self.table.scheduler or self.table.schedulers
        return (
            row
            for row in self.table.keys
            if named and row.unit and Place.WRITTEN_BY_SCHEDULER not in row.places
        )

    def predicates(self) -> Iterable[Predicate]:
        known, asks, at = SchedulerIs(*self._known()), self._asks(), ("schedulerName",)
        if "" in self._known():
            yield Predicate(known, asks, at, per_container=False)
            return
        yield Predicate(known | UNNAMED, asks, at, per_container=False)
        yield Predicate(known, asks & UNNAMED, at, per_container=False, severity=self._if_missing(""))

    def _if_missing(self, set_by: str) -> Severity:
        return Severity.INFO if self.table.scheduler_set_by or set_by else Severity.WARNING

    def _known(self) -> tuple[str, ...]:
        known = self.table.schedulers
        return known if self.table.scheduler else ("", DEFAULT_SCHEDULER, *known)

    def _asks(self) -> Condition:
        resources = tuple(row.name for row in self.mine if Place.RESOURCE in row.places)
        exact = (row for row in self.mine if Place.ANNOTATION in row.places and not row.is_pattern)
        on_pod = [IsAnnotated(row.name) for row in exact]
        return AnyOf(*([SomeContainer(Requests(*resources))] if resources else []), *on_pod)

    def finds_more(self) -> bool:
        return any(_is_annotation_of_containers(row) for row in self.mine)

    def also(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        if not SchedulerIs(*self._known()).holds(pod) and not self._asks().holds(pod):
            severity = self._if_missing("") if UNNAMED.holds(pod) else this.severity
            of_breach = replace(this, severity=severity)
            yield from self.findings(of_breach, Violation(None, "schedulerName", pod.scheduler_name), pod)

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        value = self._asking(pod)
        if value is None:
            return
        name = self.table.schedulers[0]
        hint = msg("write schedulerName: {name}", name=name)
        if breach.value is not None and breach.value.text:
            message = msg(
                "schedulerName is {named}; only {name} places this share", named=breach.value.text, name=name
            )
            fix = Fix(hint, (Put(breach.value.path, name),), safe=False)
            yield this.diagnostic(breach.value, message, hint, fix=fix)
            return
        fix = Fix(hint, (Put((*pod.path, "schedulerName"), name),), safe=False)
        message = msg("schedulerName is not set; only {name} places this share", name=name)
        set_by = self.table.scheduler_set_by or pod.scheduler_set_by
        if set_by:
            hint = msg("write schedulerName: {name}, unless {what} sets it", name=name, what=set_by)
        severity = self._if_missing(pod.scheduler_set_by)
        yield this.diagnostic(value, message, hint, severity=severity, on_key=True, fix=fix, missing=True)

    def _asking(self, pod: PodKeys) -> Value | None:
        holders = (*(one.resources for one in pod.all_containers()), pod.annotations)
        found = (values[row.name] for values in holders for row in self.mine if row.name in values)
        return next(chain(found, (value for _, _, value in by_pattern(self.mine, pod))), None)

    def example(self) -> RowExample:
        return replace(self.instead(), scheduler="another-scheduler")


class Hidden(RowRule):
    """A label with which the vendor's webhook does not look at the pod."""

    kind, name = RuleKind.HIDDEN, "webhook-sees-the-pod"
    summary = "The webhook of {title} sees a pod that requests a share."
    what = (
        "Reports {label} on a pod with a share: an error if `schedulerName` is not set, since the webhook "
        "sets it, and a warning if the pod names the scheduler itself."
    )
    usual_why = (
        "With the label the API server does not call the webhook, which sends the pod to `{scheduler}` "
        "and changes the numbers to those that the cards have. The default scheduler places no share."
    )

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.hides)

    def predicates(self) -> Iterable[Predicate]:
        rows = (row for row in self.table.keys if row.unit and Place.RESOURCE in row.places)
        asks = SomeContainer(Requests(*(row.name for row in rows)))
        for row in self.mine:
            seen, at = Not(LabelledItself(row.name, *row.hides)), (row.name,)
            yield Predicate(seen, asks & UNNAMED, at, per_container=False)
            named = SchedulerIs(*self.table.schedulers)
            yield Predicate(seen, asks & named, at, per_container=False, severity=Severity.WARNING)

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        scheduler = self.table.schedulers[0]
        values = {
            "key": breach.name,
            "value": pod.labels[breach.name].text,
            "scheduler": scheduler,
            "title": self.table.called,
        }
        if UNNAMED.holds(pod):
            message = msg(
                "{key}: {value} hides the pod from the webhook of {title}, so that {scheduler} does not "
                "place it",
                **values,
            )
            hint = msg("remove {key}, or write schedulerName: {scheduler}", **values)
        else:
            message = msg(
                "{key}: {value} hides the pod from the webhook of {title}, which adds and rounds no number",
                **values,
            )
            hint = msg("remove {key}, or write each number as the cards have it", **values)
        yield this.diagnostic(pod.labels[breach.name], message, hint)

    @property
    def values(self) -> dict[str, str]:
        label = " or ".join(f"`{row.name}: {value}`" for row in self.mine for value in row.hides)
        return {**super().values, "label": label, "scheduler": self.table.schedulers[0]}

    def example(self) -> RowExample:
        row = self.mine[0]
        shown = self.instead()
        return replace(shown, labels={**shown.labels, row.name: Value.of(row.hides[0])})


class Several(RowRule):
    """A part of several cards, where a container can have a part of one only."""

    kind, name = RuleKind.SEVERAL, "part-of-one-card"
    summary = "A part of a card of {title} is a part of one card."
    what = "Reports {keys} in a container that requests several cards."
    usual_why = (
        "{title} shares one card with a container: with several, the other numbers are not what it gets."
    )

    @property
    def summary_text(self) -> Message:
        if all(row.forced for row in self.mine):
            return msg(
                "Numbers that the webhook of {title} overwrites are those that it writes.", **self.values
            )
        return super().summary_text

    @property
    def what_text(self) -> str:
        if not all(row.forced for row in self.mine):
            return super().what_text
        without = dict.fromkeys(name for row in self.mine for name in row.forced_without)
        more = f", or without `{'`, `'.join(without)}`," if without else ""
        return (
            f"Reports {self.values['keys']} with several cards{more} where the webhook writes another number."
        )

    def rows(self) -> Iterable[KeySpec]:
        shared = self.table.several_cards is SeveralCards.SHARED and not self.table.several_doubt
        parts = (row for rows in self.table.keys_by_model if rows.cards for row in rows.parts)
        return (row for row in parts if row.forced or not shared)

    def predicates(self) -> Iterable[Predicate]:
        gets = self.table.several_cards
        warns = None if gets is gets.REFUSED else Severity.WARNING
        for rows in self.table.keys_by_model:
            if rows.cards is None:
                continue
            for row in rows.parts:
                if row.forced and row in self.mine:
                    number = _part(row.name, Range(row.forced, row.forced, row.forced), rows.cards.name)
                    when = InRange(rows.cards.name, Range(1)) & forced_when(self.table, row)
                    yield Predicate(number, when, (row.name,))
            names = tuple(row.name for row in rows.parts if row in self.mine and not row.forced)
            if names:
                yield Predicate(Not(InRange(rows.cards.name, Range(2))), keys=names, severity=warns)

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        if breach.value is None or breach.container is None:
            return
        name = written_name(breach.value, breach.name)
        row = self.row_of(breach)
        if row.forced:
            yield self._forced(this, row, breach.value, breach.container)
            return
        if self.table.several_doubt:
            message = msg("{key} is for several cards: {why}", key=name, why=self.table.several_doubt)
            yield this.diagnostic(breach.value, message, "request one card, or whole cards", on_key=True)
            return
        gets = self.table.several_cards
        message = msg(
            "{key} is for one card; with several the container gets {what}", key=name, what=str(gets)
        )
        hint = "request one card, or whole cards without the other keys"
        yield this.diagnostic(breach.value, message, hint, on_key=True)

    def _forced(self, this: Rule, row: KeySpec, value: Value, container: ContainerKeys) -> Diagnostic:
        """A number that the webhook replaces in the limit, and not in the request."""
        group = next(rows for rows in self.table.keys_by_model if row in rows.parts)
        cards = number(container.resources.get(group.cards.name)) if group.cards else None
        written = row.forced * (cards or 1)
        message = msg(
            "{key} is {number}, and the webhook sets its limit to {written}: the API server refuses the pod, "
            "as limit and request differ",
            key=written_name(value, row.name),
            number=value.text,
            written=written,
        )
        hint = msg("write {number}, or remove the key", number=written)
        if cards == 1:
            hint = msg("add {key}", key=join_or(row.forced_without))
        return this.diagnostic(value, message, hint, missing=cards == 1)

    def example(self) -> RowExample:
        good = self.instead()
        cards = self.table.keys_by_model[0].cards
        row = self.mine[0]
        good = good if row.name in good.limits[0] else good.setting(row.name, row.ranges[0].least)
        return good.setting(cards.name if cards else "", 2)


class WithinNode(RowRule):
    """What the cards of a profile have."""

    kind, name = RuleKind.WITHIN_NODE, "share-fits-the-cards"
    summary = "A share of {title} fits the cards of the profile."
    what = "With a profile, reports more cards than a node has, and more memory than a card has."
    usual_why = "The pod stays Pending: no node ever has what it asks for."
    profile = "cards: {perNode: 4, memoryMiB: 1024}"
    no_policy = "lint alone compares amounts with a unit"

    def rows(self) -> Iterable[KeySpec]:
        fields = ("cards", "memory_mib")
        return (
            row
            for row in self.table.keys
            if row.sets in fields and row.unit and Place.RESOURCE in row.places and not row.is_pattern
        )

    def in_cluster(self) -> WithProfile:
        return WithProfile(lambda profile: tuple(self._fitting(profile)), CARDS, self._words)

    def _fitting(self, profile: Profile) -> Iterator[Predicate]:
        for row in self.mine:
            most, by = cards_per_node(profile, self.table.names), None
            if row.sets == "memory_mib":
                unit = self.table.unit(row, profile)
                if row.quantity or unit.denominator != 1:
                    continue
                most = card_memory(profile, self.table.names, unit.numerator)
                by = counted_by(self.table, row)
            if most is not None:
                only = InRange(row.name) if self.table.init_containers else InRange(row.name) & ~IsInit()
                if row.repeats:  # beside it the number is none of cards
                    only &= ~Labelled(row.repeats)
                yield Predicate(Within(row.name, most, by), only, (row.name,))

    def _words(self, this: Rule, breach: Violation, pod: PodKeys, context: Context) -> Diagnostic:
        row, nodes = self.row_of(breach), card_of(context.profile, self.table.names)
        if row.sets == "cards":
            return this.diagnostic(breach.there, *too_many_cards(breach.number, nodes.per_node or 0))
        return self._too_large(this, pod, row, breach.inside, context)

    def finds_more(self) -> bool:
        return any(row.quantity for row in self.mine)

    def also(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        """Amounts with a unit."""
        card_mib = card_of(context.profile, self.table.names).memory_mib
        for row in self.mine if card_mib is not None else ():
            for container in requesting(pod, row.name) if row.quantity else ():
                each = mib_of_each_card(self.table, row, pod, container, context.profile)
                if each is not None and card_mib is not None and each > card_mib:
                    yield self._too_large(this, pod, row, container, context)

    def _too_large(
        self, this: Rule, pod: PodKeys, row: KeySpec, container: ContainerKeys, context: Context
    ) -> Diagnostic:
        value, card_mib = container.resources[row.name], card_of(context.profile, self.table.names).memory_mib
        each = mib_of_each_card(self.table, row, pod, container, context.profile) or 1
        message, _ = too_large(int(each), card_mib or 0)
        asked = number(value)
        most = "" if asked is None else int((card_mib or 0) * asked / each)
        return this.diagnostic(value, message, msg("write at most {most}", most=most or f"{card_mib}Mi"))

    def example(self) -> RowExample:
        good, counts = share(self.table), [row for row in self.mine if row.sets == "cards"]
        return good if len(counts) < len(self.mine) else good.setting(counts[0].name, 5)

    def instead(self) -> RowExample:
        return whole(self.table)


class Compute(RowRule):
    """Compute that is not set, where that is all of it."""

    kind, name, missing = RuleKind.COMPUTE, "compute-is-set", True
    severity = Severity.WARNING
    summary = "A part of a card of {title} says how much compute it needs."
    what = "Reports a part of a card's memory without {keys}."
    usual_why = "{title} takes missing compute for all of the card: nobody else fits on it."

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.sets == "cores" and row.default is Absent.ALL)

    def predicates(self) -> Iterable[Predicate]:
        for rows in self.table.keys_by_model:
            if rows.cores in self.mine and rows.cores is not None:
                at = tuple(row.name for row in rows.parts if row is not rows.cores)
                yield Predicate(Requests(rows.cores.name), self.table.compute_when, at)

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        cores = next(
            rows.cores for rows in self.table.keys_by_model if any(r.name == breach.name for r in rows.parts)
        )
        if breach.value is not None and cores is not None:
            name = name_beside(self.table, written_name(breach.value, breach.name), cores.name)
            message = msg("{key} is not set: the container gets all compute of its cards", key=name)
            hint = msg("add {key}, in {counts}", key=name, counts=cores.counts)
            yield this.diagnostic(breach.value, message, hint, on_key=True)

    def example(self) -> RowExample:
        good = self.instead()
        return good.without(*(row.name for row in self.mine))


class Init(RowRule):
    """Init containers, where they can have no share."""

    kind, name = RuleKind.INIT, "init-containers-have-no-share"
    summary = "An init container requests no share of {title}."
    what = "Reports {keys} in an init container."
    usual_why = "{title} does not divide cards among init containers."

    def rows(self) -> Iterable[KeySpec]:
        return (
            row
            for row in self.table.keys
            if not self.table.init_containers and row.unit and Place.RESOURCE in row.places
        )

    def predicates(self) -> Iterable[Predicate]:
        yield Predicate(Not(IsInit()), keys=tuple(row.name for row in self.mine))

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        if breach.value is not None:
            message = msg("an init container cannot request a share of {target}", target=self.table.called)
            yield this.diagnostic(
                breach.value, message, "request the share in an ordinary container", on_key=True
            )

    def example(self) -> RowExample:
        good = self.instead()
        return replace(good, limits=({},), init=good.limits[0])


class OneShare(RowRule):
    """Pods whose containers have one share together."""

    kind, name = RuleKind.ONE_SHARE, "one-container-has-the-share"
    summary = "One container of a pod requests the share of {title}."
    what = "Reports {keys} in a second container of the pod."
    usual_why = "The pod gets one share, and each container the same limits: two requests are not two."

    def rows(self) -> Iterable[KeySpec]:
        return (
            row
            for row in self.table.keys
            if self.table.one_share_per_pod and row.unit and Place.RESOURCE in row.places
        )

    def predicates(self) -> Iterable[Predicate]:
        names = tuple(row.name for row in self.mine if not row.whole)
        yield Predicate(ContainersAtMost(self._shares(names), 1), keys=names, per_container=False)

    def _shares(self, names: Iterable[str]) -> Condition:
        """A container has a share; an init container that can have none is Init's alone to report."""
        asks = Requests(*names)
        return asks if self.table.init_containers else asks & ~IsInit()

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        names = [row.name for row in self.mine if not row.whole]
        shares = self._shares(names)
        sharing = [one for one in pod.all_containers() if shares.holds(pod, one)]
        for container in sharing[1:]:
            value = next(container.resources[name] for name in names if name in container.resources)
            message = msg(
                "{count} containers of the pod request a share, which is the pod's", count=len(sharing)
            )
            yield this.diagnostic(value, message, "use a separate pod for each container", on_key=True)

    def example(self) -> RowExample:
        good = self.instead()
        return replace(good, limits=(good.limits[0], good.limits[0]))


class Recorded(RowRule):
    """Pods whose containers have cards, of which the scheduler records those of one."""

    kind, name = RuleKind.RECORDED, "record-is-of-one-container"
    severity = Severity.WARNING
    summary = "One container of a pod requests cards of {title}."
    what = "Reports {keys} in a pod of which several containers request cards."
    usual_why = "{record} on the pod, which the device plugin reads, has the cards of the {which} one alone."

    def rows(self) -> Iterable[KeySpec]:
        return (rows.cards for rows in self.table.keys_by_model if self.table.pod_record and rows.cards)

    @property
    def values(self) -> dict[str, str]:
        record = self.table.pod_record
        return {**super().values, "record": f"`{record.name}`", "which": record.of} if record else {}

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            requests = InRange(row.name, Range(1))
            yield Predicate(ContainersAtMost(requests, 1), keys=(row.name,), per_container=False)

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        found = [value for row in self.mine for _, value, count in whole_numbers(pod, row.name) if count > 0]
        if self.table.pod_record is not None:
            why = one_is_recorded(self.table.pod_record, len(found))
            yield from (this.diagnostic(value, *why, on_key=True) for value in found[1:])

    def example(self) -> RowExample:
        good = self.instead()
        return replace(good, limits=(good.limits[0], good.limits[0]))


class OneCard(RowRule):
    """Pods whose containers are all on one card."""

    kind, name, tells_whole_cards = RuleKind.ONE_CARD, "one-card-holds-the-containers", True
    summary = "The containers of a pod of {title} are on one card together."
    what = (
        "Reports {keys} of several containers where one has several cards or a whole one, or where their "
        "parts together are more than a card. Init containers are not counted: they run before."
    )
    usual_why = (
        "{title} takes the cards of all containers of a pod from one card, so that the pod stays Pending."
    )
    no_policy = "lint alone adds up the parts of several containers"

    def rows(self) -> Iterable[KeySpec]:
        return (row for _, row in self.table.shared_counts)

    def predicates(self) -> Iterable[Predicate]:
        for rows, row in self.table.shared_counts:
            counted = InRange(row.name, Range(1)) & ~IsInit()
            when: Condition = ALWAYS
            if not row.whole and rows.memory is not None:
                part = InRange(row.name, Range(1, 1)) & Requests(rows.memory.name)
                when = SomeContainer(counted & Not(part))
            yield Predicate(ContainersAtMost(counted, 1), when, (row.name,), per_container=False)

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        row = self.row_of(breach)
        found = self._counted(pod, row)
        why = on_one_card(self.table, row, len(found))
        parts = not row.whole and all(number(one.resources[row.name]) == 1 for one in found)
        for one in found[1:]:  # of one card each, memory is missing
            yield this.diagnostic(one.resources[row.name], *why, on_key=True, missing=parts)

    @staticmethod
    def _counted(pod: PodKeys, row: KeySpec) -> list[ContainerKeys]:
        return [one for one, _, count in whole_numbers(pod, row.name) if count > 0 and not one.init]

    def finds_more(self) -> bool:
        return any(rows.parts and not row.whole for rows, row in self.table.shared_counts)

    def also(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        """Parts that together are more than a card."""
        for rows, row in self.table.shared_counts:
            found = self._counted(pod, row)
            parts = [one for one in found if number(one.resources[row.name]) == 1]
            if len(found) < 2 or len(parts) < len(found):
                continue
            if any(rows.memory is None or rows.memory.name not in one.resources for one in parts):
                continue
            beyond = beyond_one_card(rows, [one.resources for one in parts])
            if beyond is not None:
                last = next(one for one in reversed(parts) if beyond.name in one.resources)
                why = on_one_card(self.table, beyond, len(parts))
                yield this.diagnostic(last.resources[beyond.name], *why)

    def example(self) -> RowExample:
        good, row = self.instead(), self.mine[0]
        limits = good.limits[0] if row.name in good.limits[0] else {row.name: Value.of(1)}
        return replace(good, limits=(limits, {row.name: Value.of(2)}))


class Counts(RowRule):
    """Labels of the pod that count cards."""

    kind, name = RuleKind.COUNTS, "label-counts-cards"
    summary = "The label with which a pod of {title} counts its cards is a whole number."
    what = "Reports {keys} with another value than a whole number of at least 1."
    usual_why = "The label is ignored, or the pod is refused: its containers get no part of several cards."

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if Place.LABEL in row.places and row.ranges)

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            yield Predicate(
                Labelled(row.name, *row.ranges), Labelled(row.name), (row.name,), per_container=False
            )

    def findings(self, this: Rule, breach: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        if breach.value is not None:
            message = msg(
                "{key} is {value!r}, which is not a number of cards", key=breach.name, value=breach.value.text
            )
            yield this.diagnostic(breach.value, message, "write a whole number of at least 1, in quotes")

    def example(self) -> RowExample:
        return self._with("two")

    def instead(self) -> RowExample:
        return self._with("1")

    def _with(self, text: str) -> RowExample:
        good = share(self.table)
        return replace(good, labels={**good.labels, self.mine[0].name: Value.of(text)})


class Versions(RowRule):
    """Keys that the component of the cluster does not have yet, or no longer."""

    kind, name, severity = RuleKind.VERSIONS, "version-reads-the-key", Severity.INFO
    no_policy = "it is a remark on the version of a component, which no pod shows"
    summary = "The keys of {title} are those that its version in the cluster reads."
    what = (
        "Reports {keys}, once for an object, where the version that a profile names (`components`) does not "
        "read the name; without a version, the newest release."
    )
    usual_why = "Nothing reads the key: the container gets its cards without what the key says."

    def rows(self) -> Iterable[KeySpec]:
        return (
            row
            for row in (*self.table.keys, *self.table.absent)
            if any(one.component in self.table.components for one in _releases(row))
        )

    def keys_about(self) -> frozenset[str]:
        return frozenset(name for row in self.mine for name in (row.name, *row.aliases))

    def of_profile(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        table = self.table.in_cluster(context.profile) if context.profile else self.table
        lacks = table.lacks
        found: dict[str, Value] = {}
        for values in (*(one.resources for one in pod.all_containers()), pod.annotations):
            for key, value in values.items():
                if (name := written_name(value, key)) in lacks:
                    found.setdefault(name, value)
        for name in found:
            lack = lacks[name]
            alike = [one for one in found if lacks[one][:2] == lack[:2]]
            hint = msg("remove {keys}", keys=join_and(alike))
            if lack.instead:
                hint = msg("write {keys}", keys=join_and(lacks[one].instead for one in alike))
            elif not lack.ended:
                hint = msg("remove {keys}, or use {release}", keys=join_and(alike), release=str(lack.release))
            yield this.diagnostic(found[name], table.lack_text(*alike), hint, on_key=True)
            return

    def example(self) -> RowExample:
        good = share(self.table)
        other = {
            row.name: one.fields["name"] for row in self.mine for one in row.changes if "name" in one.fields
        }
        renamed = {other.get(name, name): value for name, value in good.limits[0].items()}
        row = self._shown_row
        return replace(good, limits=(renamed if row.name in good.limits[0] else {row.name: Value.of(1)},))

    def cluster(self) -> str:
        row = self._shown_row
        release = row.since or row.until
        if release is None:
            return ""  # the newest release
        first, *rest = reversed(release.version.split("."))
        before = ".".join([*reversed(rest), str(int(first) - 1), "0"])
        shown = before if row.since else release.version
        shown = shown if shown.count(".") > 1 else f'"{shown}"'  # YAML takes 2.20 for a number
        return f"components: {{{release.component.name}: {shown}}}"

    def instead(self) -> RowExample:
        return whole(self.table) if self.cluster() else share(self.table)

    @property
    def _shown_row(self) -> KeySpec:
        """The row of its example."""
        there = share(self.table).limits[0]
        return next((row for row in self.mine if row.name in there), self.mine[0])


def _releases(row: KeySpec) -> Iterator[Release]:
    """The releases with which a name is read, or no longer."""
    yield from (one for one in (row.since, row.until) if one is not None)
    yield from (one.release for one in row.changes if "name" in one.fields)


# --- the rules of a dialect -------------------------------------------------------------------

ROW_RULES: Mapping[RuleKind, type[RowRule]] = {
    one.kind: one
    for one in (
        *(Numbers, Needs, Excludes, Words, SingleAlias, Scheduler, Several, WithinNode, Compute, Sizes, Init),
        *(
            Models,
            OneShare,
            Doubts,
            Ignored,
            Amounts,
            Counts,
            KnownValue,
            Versions,
            Recorded,
            OneCard,
            Hidden,
        ),
    )
}
"""Every kind, in the order of their numbers."""
USUAL = tuple(RuleRow(kind) for kind in ROW_RULES if kind is not RuleKind.KNOWN_VALUE)
"""The rules of a dialect that lists none."""


@record
class WrittenRule(Rule):
    """A rule whose text is made of the rows too, when somebody asks for it."""

    kind: RowRule | None = None

    @property
    def _of(self) -> RowRule:
        assert self.kind is not None
        return self.kind

    @property
    def name(self) -> str:
        return self._of.name

    @property
    def summary(self) -> str:
        return self._of.summary_text

    @property
    def text(self) -> str:
        return self._of.text()


def rules_of(table: KeyTable) -> Iterator[Rule]:
    """The rules of its rows: the usual ones that apply, or those that it lists."""
    for row in USUAL if table.row_rules is None else table.row_rules:
        made = ROW_RULES[row.kind](table, row.keys, row.why)
        if made.applies():
            yield _rule(table, row, made)


def _rule(table: KeyTable, row: RuleRow, kind: RowRule) -> Rule:
    predicates = tuple(kind.predicates())
    if not table.init_containers and not isinstance(kind, Init):  # which says all about init containers
        predicates = tuple(
            replace(one, when=one.when & ~IsInit()) if one.per_container else one for one in predicates
        )
    other = ROW_RULES[row.also](table, row.keys) if row.also else kind
    cluster = other.in_cluster()
    more = other.also if other.finds_more() and (predicates or cluster) else None

    def word(this: Rule, breach: Violation, pod: PodKeys, _: Context) -> Iterator[Diagnostic]:
        return kind.findings(this, breach, pod)

    own = {one.severity for one in predicates}
    usual = own.pop() if len(own) == 1 else None
    return WrittenRule(
        row.code or f"{table.rule_prefix}{kind.kind:03d}",
        row.severity or usual or kind.severity,
        Scope.POD,
        kind.fixes(),
        word if predicates else kind.of_profile,
        kind.missing,
        predicates,
        more,
        other.no_policy if more or not (predicates or cluster) else "",
        with_profile=cluster,
        keys=kind.keys_about(),
        kind=kind,
    )
