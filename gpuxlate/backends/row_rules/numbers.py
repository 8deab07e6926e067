"""The kinds of rules on the numbers of rows: ranges and steps, sizes, doubts, amounts with units.

The number of a row may be a total over the cards of a container, of which each has its part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import ClassVar

from gpuxlate.backends.pod_reader import (
    MOST_MIB,
    in_mib,
    not_legal,
    number,
    put_number,
    requesting,
    written_name,
)
from gpuxlate.backends.row_rules.base import OR, ROUNDINGS, RowRule, any_of, demands_of
from gpuxlate.backends.rows import (
    WHOLE_CARDS,
    KeyTable,
    PartSize,
    RuleKind,
    SeveralCards,
)
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.keys import Absent, KeySpec, LegalNumbers, Per, Place, Range
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import Message, listed, msg
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.quantity import GIB
from gpuxlate.rules.base import Context, PodExample, Rule
from gpuxlate.rules.predicates import (
    ALWAYS,
    AllOf,
    AnyOf,
    AtMost,
    Constraint,
    Divides,
    InRange,
    Labelled,
    LabelNumber,
    Not,
    Predicate,
    Requests,
    Violation,
)


def count_row_for(table: KeyTable, row: KeySpec) -> KeySpec | None:
    """The key that counts the cards of a total; None where the number is no total, or nothing counts."""
    if row.per is not Per.TOTAL or row.sets == "cards":
        return None
    return next((rows.cards for rows in table.keys_by_model if row.model == rows.model), None)


def cards_of_container(table: KeyTable, row: KeySpec, pod: PodKeys, container: ContainerKeys) -> int | None:
    """How many cards a total is divided among; None where no key says it."""
    count = count_row_for(table, row)
    value = None if count is None else _counted(count, pod, container)
    number = None if value is None else quantity.parse_integer(value.text)
    return number if number and number > 0 else None


def _counted(count: KeySpec, pod: PodKeys, container: ContainerKeys) -> Value | None:
    if Place.LABEL in count.places:
        return pod.labels.get(count.name)
    return container.resources.get(count.name)


def _counting(count: KeySpec) -> tuple[Predicate, str | LabelNumber]:
    """The condition that a number of cards is set, and the key or label that has it."""
    if Place.LABEL in count.places:
        return Labelled(count.name, Range()), LabelNumber(count.name)
    return InRange(count.name, Range()), count.name


def counted_by(table: KeyTable, row: KeySpec) -> str | LabelNumber | None:
    """The key or label with the number of cards among which a total is divided; None where nothing counts
    them."""
    count = count_row_for(table, row)
    return None if count is None else _counting(count)[1]


def forced_when(table: KeyTable, row: KeySpec) -> Predicate:
    """The condition under which the webhook replaces the number of a row. ``row_reader`` reads the same: the
    forced number with several cards, and in ``_has_effect`` what ``forced_without`` says."""
    counts = (group.cards for group in table.keys_by_model if group.model == row.model)
    several = AnyOf(*(InRange(row.name, Range(2)) for row in counts if row is not None))
    return several | Not(Requests(*row.forced_without)) if row.forced_without else several


def all_compute(table: KeyTable, cores: KeySpec) -> Predicate:
    """The condition that the compute is all that the cards have."""
    least, count = InRange(cores.name, Range(FULL_CARD_CORES)), count_row_for(table, cores)
    if count is None:
        return least
    counted, by = _counting(count)
    one_card = InRange(cores.name, Range(FULL_CARD_CORES, FULL_CARD_CORES))
    return AnyOf(
        AllOf(counted, least, Divides(cores.name, by, FULL_CARD_CORES)), AllOf(Not(counted), one_card)
    )


def counted_elsewhere(table: KeyTable, row: KeySpec, pod: PodKeys, container: ContainerKeys) -> bool:
    """Whether no key says how many cards a total is for: for a patch, the patched object does."""
    return count_row_for(table, row) is not None and cards_of_container(table, row, pod, container) is None


def legal_number(table: KeyTable, row: KeySpec) -> Predicate:
    """The condition that the number of a row is one of ``legal_for_container``."""
    count = count_row_for(table, row)
    if count is None:
        return InRange(row.name, *row.ranges)
    counted, by = _counting(count)
    part = AnyOf(*(part_of_each_card(row.name, range_, by) for range_ in row.ranges))
    return AnyOf(
        AllOf(counted, part), AllOf(Not(counted), InRange(row.name, *numbers_without_count(row, count)))
    )


def part_of_each_card(name: str, range_: Range, by: str | LabelNumber) -> Predicate:
    """The condition that a total, divided by the cards that ``by`` counts, is in the range for one card."""
    least = Range(max(range_.least, 1)) if range_.least else Range(0)
    bounds = [InRange(name, least), Divides(name, by, range_.step)]
    return AllOf(*bounds, *([AtMost(name, range_.most, by)] if range_.most is not None else []))


def numbers_without_count(row: KeySpec, count: KeySpec) -> tuple[Range, ...]:
    """The legal numbers where no key counts cards: those of one card, or of one card for each hundred."""
    return (*row.ranges, WHOLE_CARDS) if count.default is Absent.HUNDREDS else row.ranges


def mib_of_each_card(
    table: KeyTable, row: KeySpec, pod: PodKeys, container: ContainerKeys, profile: Profile | None
) -> Fraction | None:
    """The MiB of each card that a row of memory requests; None where it has no amount."""
    text = container.resources[row.name].text
    number = quantity.parse_integer(text)
    amount = in_mib(row, text) if row.quantity else number and number * table.unit(row, profile)
    cards = cards_of_container(table, row, pod, container) or 1
    return None if amount is None else Fraction(amount) / cards


def legal_for_container(
    table: KeyTable, row: KeySpec, pod: PodKeys, container: ContainerKeys
) -> LegalNumbers:
    """The numbers that a row may have in a container, for its cards."""
    count, cards = count_row_for(table, row), cards_of_container(table, row, pod, container)
    if count is None:
        return row.legal
    return LegalNumbers(numbers_without_count(row, count)) if cards is None else row.legal.times(cards)


class NumberRule(RowRule):
    """Ranges, steps and legal sets."""

    kind, name, tells_whole_cards = RuleKind.NUMBERS, "number-is-legal", True
    description = "Reports values of {keys} out of range, off the step, or not in the list." + ROUNDINGS
    usual_why = "The number is refused or ignored, or no card ever has it."
    fixing = (
        "Writes each card's part where the number is a total over the cards, else the next number that the "
        "key takes, or its maximum where more is read so. Unsafe: the share may not be what was meant."
    )

    skips_overridden: ClassVar[bool] = False
    """A key beside one that goes before it is accepted, and not looked at."""

    @property
    def summary_text(self) -> Message:
        demands = demands_of(self.subject_rows, self._legal, "{keys} is {what}", "{keys} are each {what}")
        return msg("{demands}.", demands=demands)

    def _legal(self, row: KeySpec) -> str:
        """The numbers that it takes, of each card where a key counts them."""
        single = all(range_.least == range_.most for range_ in row.ranges)
        numbers = listed(
            [range_.text for range_ in row.ranges], OR if single else "either {before}, or {last}"
        )
        return msg("{numbers} for each card", numbers=numbers) if count_row_for(self.table, row) else numbers

    def rows(self) -> Iterable[KeySpec]:
        return (
            row for row in self.table.keys if Place.RESOURCE in row.places and row.ranges and not row.quantity
        )

    def fixes(self) -> str | None:
        """None where each number up to the maximum will do: the next legal one is above."""
        off = any(
            row.clamped
            or range_.step > 1
            or len(row.ranges) > 1
            or count_row_for(self.table, row)
            or (range_.most is not None and self._count(row))
            for row in self.subject_rows
            for range_ in row.ranges
        )
        return "unsafe" if off else None

    def constraints(self) -> Iterable[Constraint]:
        for row in self.subject_rows:
            when: Predicate = InRange(row.name)
            if row.name == self.table.whole_card_key:  # alone it is anybody's
                when &= Requests(*(part.name for rows in self.table.keys_by_model for part in rows.parts))
            when &= Not(forced_when(self.table, row)) if row.forced else ALWAYS
            if row.overridden_by and self.skips_overridden:
                when &= Not(Requests(*row.overridden_by))
            legal = legal_number(self.table, row)
            numbers = (int(value) for value in row.uncertain_values)  # which UncertainValueRule reports
            doubtful = [Range(n, n) for n in numbers if not row.legal.allows(n)]
            if doubtful:
                legal |= InRange(row.name, *doubtful)
            idle = [int(value) for value in row.no_op_values if value.isdecimal()]
            ignored = InRange(row.name, *(Range(n, n) for n in idle if not row.legal.allows(n)))
            if not ignored.ranges:
                yield Constraint(legal, when, (row.name,))
                continue
            yield Constraint(legal | ignored, when, (row.name,))
            yield Constraint(legal, when & ignored, (row.name,), severity=Severity.WARNING)

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        row = self.row_of(violation)
        missing = counted_elsewhere(self.table, row, pod, violation.container)
        legal = legal_for_container(self.table, row, pod, violation.container)
        amount = violation.number
        near, hint, fix = legal.next(amount), _hint(row, legal), None
        each = self._of_each_card(row, violation.container, amount)
        if each is not None:
            near, hint = (
                each,
                msg("the key counts {counts}: write {number}", counts=row.unit_text, number=each),
            )
        elif row.clamped and legal.most is not None and amount > legal.most:
            near = legal.most
            hint = msg("the key counts {counts}: write {number}", counts=row.unit_text, number=near)
        if near is not None and amount > 0:
            fix = Fix(
                msg("write {near}", near=near), put_number(violation.container, row.name, near), safe=False
            )
        name = written_name(violation.value_at, row.name)
        if str(amount) in row.no_op_values:
            message = msg(
                "{key} is {number}, which {title} ignores: the container has no cap on {what}",
                key=name,
                number=amount,
                title=self.table.sentence_name,
                what=row.meaning,
            )
            yield this.diagnostic(violation.value_at, message, hint)
            return
        problem = not_legal(legal, name, amount)
        yield this.diagnostic(violation.value_at, problem, hint, fix=fix, missing=missing)

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
        return amount // cards if row.legal.allows(amount // cards) else None

    def example(self) -> PodExample:
        good = self.instead()
        rows = [row for row in reversed(self.subject_rows) if row.name in good.limits[0]] or [
            self.subject_rows[0]
        ]
        if self.fixes():
            rows += [row for row in self.subject_rows if row not in rows]
        bad = [(row, amount) for row in rows for amount in self._illegal(row, good)]
        row, amount = next(((row, n) for row, n in bad if n > 0 and row.legal.next(n) is not None), bad[0])
        overridden = (other.name for other in self.table.keys if row.name in other.overridden_by)
        good = good.without(*overridden, *row.overridden_by)
        return good.with_resource(row.name, amount)

    @staticmethod
    def _illegal(row: KeySpec, good: PodExample) -> Iterator[int]:
        now = number(good.limits[0].get(row.name)) or 1
        maximums = [range_.most for range_ in row.ranges if range_.most is not None]
        tries = [now + 1, now + 2, *(n + 1 for n in maximums), *(n + 2 for n in maximums), -1]
        return (n for n in tries if not row.legal.allows(n))


def _hint(row: KeySpec, legal: LegalNumbers) -> Message:
    """What to write."""
    if not row.unit_text:
        return msg("write {numbers}", numbers=legal.text)
    [first, *more] = legal.ranges
    if first.bound is not None or first.step > 1 or more:
        return msg("write {numbers}, in {counts}", numbers=legal.text, counts=row.unit_text)
    if row.sets == "cards":
        return msg("write the number of physical cards, at least {least}", least=first.least)
    return msg("write the {counts}, or remove the key", counts=row.unit_text)


class SizeRule(RowRule):
    """Memory and compute that the vendor rounds up to the next part that has both."""

    kind, name = RuleKind.SIZES, "memory-is-a-size"
    severity = Severity.INFO
    summary = "{any_key} requests one of the parts of a card: {sizes}."
    description = (
        "Reports {keys} where the container gets more: the smallest part that holds what it asks for, with "
        "the memory and the compute of that part." + ROUNDINGS
    )
    usual_why = "Cards are divided into parts of fixed sizes."

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if self.table.sizes and row.sets in ("memory_mib", "cores"))

    @property
    def values(self) -> dict[str, str]:
        return {**super().values, "sizes": listed([size.text for size in self.table.sizes], OR)}

    def constraints(self) -> Iterable[Constraint]:
        largest = self.table.sizes[-1]
        for row in self.subject_rows:
            fits = [
                InRange(row.name, *_as_written(row, size, exactly=True))
                & AllOf(*(self._fits(other, size) for other in self.subject_rows if other is not row))
                for size in self.table.sizes
            ]
            beyond = (
                InRange(row.name, Range(getattr(largest, row.sets or "") + 1)) for row in self.subject_rows
            )
            yield Constraint(AnyOf(*fits, *beyond), InRange(row.name, Range(1)), (row.name,))

    @staticmethod
    def _fits(row: KeySpec, size: PartSize) -> Predicate:
        """The condition that the container requests no more in this row than the size has."""
        return AnyOf(Not(InRange(row.name)), InRange(row.name, *_as_written(row, size)))

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        requested = {row.sets: self._requested_size(row, violation.container) for row in self.subject_rows}
        holding = (
            size
            for size in self.table.sizes
            if all(getattr(size, field or "") >= number for field, number in requested.items())
        )
        size = next(holding, None)
        if size is None:
            return  # more than the largest size in GiB, where small numbers are these: NumberRule reports it
        message = msg(
            "{key} {amount} becomes {memory} MiB with {cores} % of compute",
            key=written_name(violation.value_at, violation.name),
            amount=violation.number,
            memory=size.memory_mib,
            cores=size.cores,
        )
        gets = getattr(size, self.row_of(violation).sets or "")
        yield this.diagnostic(violation.value_at, message, msg("write {number}", number=gets))

    @staticmethod
    def _requested_size(row: KeySpec, container: ContainerKeys) -> int:
        """The number of a container in the unit of sizes; 0 where it has none."""
        value = container.resources.get(row.name)
        number = (quantity.parse_integer(value.text) if value else None) or 0
        return number * GIB if 0 < number <= row.gib_up_to else number

    def example(self) -> PodExample:
        good = self.instead()
        row = next(row for row in self.subject_rows if row.name in good.limits[0])
        return good.with_resource(row.name, int(good.limits[0][row.name].text) - 1)


def _as_written(row: KeySpec, size: PartSize, *, exactly: bool = False) -> Iterator[Range]:
    """The numbers of a key up to that of a size (``exactly``: only that one); also in GiB, where small
    numbers are GiB."""
    maximum: int = getattr(size, row.sets or "")
    if not row.gib_up_to:
        yield Range(maximum if exactly else 0, maximum)
    else:
        yield Range(maximum if exactly else row.gib_up_to + 1, maximum)
        yield Range(maximum // GIB if exactly else 0, maximum // GIB)


class UncertainValueRule(RowRule):
    """Values whose effect no document makes certain."""

    kind, name = RuleKind.DOUBTS, "value-is-documented"
    severity = Severity.WARNING
    description = "Reports values of {keys} whose effect is not certain."
    usual_why = "Sources contradict each other, or say nothing."

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.uncertain_values and Place.RESOURCE in row.places)

    @property
    def summary_text(self) -> Message:
        demands = demands_of(
            self.subject_rows,
            lambda row: listed([*row.uncertain_values], OR),
            "{keys} is not {what}",
            "{keys} are not {what}",
        )
        return msg("{demands}: no document says what such a value does.", demands=demands)

    def constraints(self) -> Iterable[Constraint]:
        for row in self.subject_rows:
            doubtful = tuple(Range(int(text), int(text)) for text in row.uncertain_values)
            when: Predicate = InRange(row.name)
            if row.forced:  # SeveralCardsRule says what the webhook makes of it
                when &= Not(forced_when(self.table, row))
            yield Constraint(Not(InRange(row.name, *doubtful)), when, (row.name,))

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        row, number = self.row_of(violation), violation.number
        name = written_name(violation.value_at, row.name)
        message = msg(
            "{key} is {number}: {why}", key=name, number=number, why=row.uncertain_values[str(number)]
        )
        yield this.diagnostic(violation.value_at, message, "write a value whose effect is documented")

    def example(self) -> PodExample:
        row = self.subject_rows[0]
        return self.instead().with_resource(row.name, int(next(iter(row.uncertain_values))))


class IgnoredMemoryRule(RowRule):
    """Memory beside whole cards, where all compute is whole cards."""

    kind, name, severity = RuleKind.IGNORED, "whole-cards-have-their-memory", Severity.WARNING
    summary = "{any_key} is not set beside {cores} of 100 for each card, which is whole cards."
    description = (
        "Reports {keys} beside compute of 100 for each card. In a translation, memory that `--round up` "
        "raises to that of whole cards."
    )
    full_is_whole: ClassVar[bool] = False
    """All compute of a card is the whole card, which a key of its own counts."""
    usual_why = "Whole cards come with all of their memory: the number is ignored, and nothing limits it."

    def rows(self) -> Iterable[KeySpec]:
        full = self.full_is_whole or self.table.cards_in_cores
        return (rows.memory for rows in self.table.keys_by_model if full and rows.memory)

    @property
    def values(self) -> dict[str, str]:
        return {
            **super().values,
            "cores": any_of(rows.cores for rows in self.table.keys_by_model if rows.cores),
        }

    def constraints(self) -> Iterable[Constraint]:
        for rows in self.table.keys_by_model:
            if rows.memory is not None and rows.cores is not None and rows.memory in self.subject_rows:
                yield Constraint(Not(all_compute(self.table, rows.cores)), keys=(rows.memory.name,))

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        row = self.row_of(violation)
        missing = counted_elsewhere(self.table, row, pod, violation.container)
        name = written_name(violation.value_at, violation.name)
        message = msg("{key} is ignored beside whole cards, which have all of their memory", key=name)
        cores = next(rows.cores for rows in self.table.keys_by_model if rows.memory is row)
        compute = violation.container.resources.get(cores.name) if cores else None
        hint = "remove it, or request less than 100 of compute"
        if compute is not None and compute.text != str(FULL_CARD_CORES):  # a total, which needs the memory
            hint = "request less than 100 of compute for each card"
        yield this.diagnostic(violation.value_at, message, hint, on_key=True, missing=missing)

    def example(self) -> PodExample:
        cores = self.table.keys_by_model[0].cores
        return self.share().with_resource(cores.name if cores else "", 100)


class AmountRule(RowRule):
    """Amounts of memory that may have a unit."""

    kind, name = RuleKind.AMOUNTS, "amount-is-plausible"
    no_policy = "an amount has a unit, and no schema compares those"
    summary = "An amount of {any_key} is 1 MiB to 1 TiB for each card."
    description = "Reports {keys} below 1 MiB or above 1 TiB, of each card."
    usual_why = "A number without a unit and one with a unit are not the same amount."

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.quantity and Place.RESOURCE in row.places)

    def keys_about(self) -> frozenset[str]:
        return frozenset(row.name for row in self.subject_rows)

    def check_pod(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        for row in self.subject_rows:
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

    def example(self) -> PodExample:
        return self.share().with_resource(
            self.subject_rows[0].name, 4096 if self.subject_rows[0].unit > 1 else 8
        )
