"""The kinds of rules on numbers: ranges and steps, sizes, amounts with units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuxlate.backends.base import GIB, Key, Per, Place
from gpuxlate.backends.numbers import (
    number,
    off_step,
    outside,
    put_number,
    requesting,
    written_name,
)
from gpuxlate.backends.sheet import examples, totals
from gpuxlate.backends.sheet.examples import Example
from gpuxlate.backends.sheet.kind import Kind
from gpuxlate.backends.sheet.reading import MOST_MIB
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.messages import Message, joined, say
from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Rule
from gpuxlate.rules.predicates.conditions import (
    Amount,
    Asks,
    Condition,
    Not,
)
from gpuxlate.rules.predicates.predicate import Breach, Predicate


class Numbers(Kind):
    """Ranges, steps and legal sets."""

    number, name = 1, "number-is-legal"
    summary = "The numbers of {title} are ones that it takes."
    what = "Reports {keys} outside of their range, off their step, or not in their list."
    usual_why = "The number is refused or ignored, or no card ever has it."
    fixing = (
        "Writes each card's part where the number is a total over the cards, else the next number that the "
        "key takes, or its maximum where more is read so. Unsafe: the share may not be what was meant."
    )

    def rows(self) -> Iterable[Key]:
        return (
            row for row in self.sheet.keys if Place.RESOURCE in row.places and row.ranges and not row.quantity
        )

    def fixes(self) -> str | None:
        """None where each number up to the maximum will do: the next legal one is above."""
        off = any(
            row.capped
            or one.step > 1
            or len(row.ranges) > 1
            or totals.count_of(self.sheet, row)
            or (one.most is not None and self._count(row))
            for row in self.mine
            for one in row.ranges
        )
        return "unsafe" if off else None

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            when: Condition = Amount(row.name)
            if row.name == self.sheet.whole_card_key:  # alone it is anybody's
                when &= Asks(*(part.name for rows in self.sheet.families for part in rows.parts))
            legal = totals.legal(self.sheet, row)
            idle = [int(one) for one in row.idle if one.isdecimal()]
            ignored = Amount(
                row.name, *(Range(n, n) for n in idle if not any(r.allows(n) for r in row.ranges))
            )
            if not ignored.ranges:
                yield Predicate(legal, when, (row.name,))
                continue
            yield Predicate(legal | ignored, when, (row.name,))
            yield Predicate(legal, when & ignored, (row.name,), severity=Severity.WARNING)

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        row = self.row_of(breach)
        if breach.value is None or breach.container is None:
            return
        missing = totals.counted_elsewhere(self.sheet, row, pod, breach.container)
        row = totals.for_container(self.sheet, row, pod, breach.container)
        amount = quantity.whole(breach.value.text) or 0
        near, hint, fix = next_legal(row, amount), _hint(row), None
        each = self._of_each_card(row, breach.container, amount)
        if each is not None:
            near, hint = each, say("the key counts {counts}: write {number}", counts=row.counts, number=each)
        elif row.capped and row.most is not None and amount > row.most:
            near = row.most
            hint = say("the key counts {counts}: write {number}", counts=row.counts, number=near)
        if near is not None and amount > 0:
            fix = Fix(
                say("write {near}", near=near), put_number(breach.container, row.name, near), safe=False
            )
        name = written_name(breach.value, row.name)
        if str(amount) in row.idle:
            message = say(
                "{key} is {number}, which {title} ignores: the container has no cap on {what}",
                key=name,
                number=amount,
                title=self.sheet.called,
                what=row.meaning,
            )
            yield this.at(breach.value, message, hint)
            return
        yield this.at(breach.value, wrong(row, name, amount), hint, fix=fix, missing=missing)

    def _count(self, row: Key) -> Key | None:
        """What counts the cards of percent per card, where a container may have a part of several."""
        if self.sheet.several is not self.sheet.several.SHARED or row.says == "memory_mib":
            return None  # MiB above the range are no total, but a slip
        counts = (rows.cards for rows in self.sheet.families if row in rows.parts and row.per is Per.CARD)
        return next(counts, None)

    def _of_each_card(self, row: Key, container: ContainerKeys, amount: int) -> int | None:
        """Each card's part, where a number per card is written as the total over the cards."""
        count = self._count(row)
        cards = number(container.resources.get(count.name)) if count else None
        if not cards or cards < 2 or amount <= 0 or amount % cards:
            return None
        return amount // cards if any(_within(amount // cards, one) for one in row.ranges) else None

    def example(self) -> Example:
        good = self.instead()
        there = [row for row in reversed(self.mine) if row.name in good.limits[0]] or [self.mine[0]]
        bad = [(row, amount) for row in there for amount in self._illegal(row, good)]
        row, amount = next((one for one in bad if one[1] > 0 and next_legal(*one) is not None), bad[0])
        beside = (other.name for other in self.sheet.keys if row.name in other.beside)
        good = good.without(*beside, *row.beside)
        return good.setting(row.name, amount)

    @staticmethod
    def _illegal(row: Key, good: Example) -> Iterator[int]:
        now = number(good.limits[0].get(row.name)) or 1
        most = [one.most for one in row.ranges if one.most is not None]
        tries = [now + 1, now + 2, *(n + 1 for n in most), *(n + 2 for n in most), -1]
        return (n for n in tries if not any(_within(n, one) for one in row.ranges))


def _hint(row: Key) -> Message:
    """What to write."""
    [first, *more] = row.ranges
    if first.most is not None or first.step > 1 or more:
        return say("write {numbers}, in {counts}", numbers=legal_text(row), counts=row.counts)
    if row.says == "cards":
        return say("write the number of physical cards, at least {least}", least=first.least)
    return say("write the {counts}, or remove the key", counts=row.counts)


def _within(number: int, one: Range) -> bool:
    return one.least <= number <= (number if one.most is None else one.most) and number % one.step == 0


def next_legal(row: Key, number: int) -> int | None:
    """The least number above that the key takes; None where there is none."""
    found = (-(-max(number, one.least) // one.step) * one.step for one in row.ranges)
    return min((n for n in found if any(_within(n, one) for one in row.ranges)), default=None)


def legal_text(row: Key) -> str:
    """The numbers that a key takes, in words."""
    if len(row.ranges) > 1:
        return joined(f"{one.least}" if one.least == one.most else _range(one) for one in row.ranges)
    return _range(row.ranges[0])


def _range(one: Range) -> str:
    above = one.most is None
    text = (
        say("{least} or more", least=one.least)
        if above
        else say("{least} to {most}", least=one.least, most=one.most)
    )
    return say("{range} in multiples of {step}", range=text, step=one.step) if one.step > 1 else text


def wrong(row: Key, name: str, number: int) -> str:
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
    return say("{key} {amount} is not one of {numbers}", key=name, amount=number, numbers=legal_text(row))


class Sizes(Kind):
    """Memory that the vendor rounds up to the next part that it has."""

    number, name = 10, "memory-is-a-size"
    severity = Severity.INFO
    summary = "The memory of a part of a card is one that {title} has."
    what = (
        "Reports {keys} between two sizes: the container gets the next larger one, and the compute that "
        "comes with it."
    )
    usual_why = "Cards are divided into parts of fixed sizes."

    def rows(self) -> Iterable[Key]:
        return (row for row in self.sheet.keys if self.sheet.sizes and row.says == "memory_mib")

    def predicates(self) -> Iterable[Predicate]:
        largest = self.sheet.sizes[-1].memory_mib
        known = tuple(Range(one.memory_mib, one.memory_mib) for one in self.sheet.sizes)
        for row in self.mine:
            yield Predicate(Amount(row.name, *known, Range(largest + 1)), Amount(row.name), (row.name,))

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        number = None if breach.value is None else quantity.whole(breach.value.text)
        if breach.value is None or number is None:
            return
        size = next(one for one in self.sheet.sizes if one.memory_mib >= number)
        message = say(
            "{key} {amount} becomes {memory} MiB with {cores} % of compute",
            key=written_name(breach.value, breach.name),
            amount=number,
            memory=size.memory_mib,
            cores=size.cores,
        )
        yield this.at(breach.value, message, say("write {number}", number=size.memory_mib))

    def example(self) -> Example:
        good = self.instead()
        row = next(row for row in self.mine if row.name in good.limits[0])
        return good.setting(row.name, int(good.limits[0][row.name].text) - 1)


class Doubts(Kind):
    """Values whose effect no document makes certain."""

    number, name = 14, "value-is-documented"
    severity = Severity.WARNING
    summary = "A value of {title} has an effect that is documented."
    what = "Reports values of {keys} whose effect is not certain."
    usual_why = "Sources contradict each other, or say nothing."

    def rows(self) -> Iterable[Key]:
        return (row for row in self.sheet.keys if row.doubts and Place.RESOURCE in row.places)

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            doubtful = tuple(Range(int(text), int(text)) for text in row.doubts)
            yield Predicate(Not(Amount(row.name, *doubtful)), Amount(row.name), (row.name,))

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        row = self.row_of(breach)
        number = None if breach.value is None else quantity.whole(breach.value.text)
        if breach.value is not None and number is not None:
            name = written_name(breach.value, row.name)
            message = say("{key} is {number}: {why}", key=name, number=number, why=row.doubts[str(number)])
            yield this.at(breach.value, message, "write a value whose effect is documented")

    def example(self) -> Example:
        row = self.mine[0]
        return self.instead().setting(row.name, int(next(iter(row.doubts))))


class Ignored(Kind):
    """Memory beside whole cards, where all compute is whole cards."""

    number, name, severity = 15, "whole-cards-have-their-memory", Severity.WARNING
    summary = "Whole cards of {title} are requested without memory."
    what = "Reports {keys} beside compute of 100 for each card."
    usual_why = "Whole cards come with all of their memory: the number is ignored, and nothing limits it."

    def rows(self) -> Iterable[Key]:
        full = self.sheet.cards_in_cores or self.sheet.full_is_whole
        return (rows.memory for rows in self.sheet.families if full and rows.memory)

    def predicates(self) -> Iterable[Predicate]:
        for rows in self.sheet.families:
            if rows.memory is not None and rows.cores is not None and rows.memory in self.mine:
                yield Predicate(Not(totals.all_compute(self.sheet, rows.cores)), at=(rows.memory.name,))

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        if breach.value is not None and breach.container is not None:
            row = self.row_of(breach)
            missing = totals.counted_elsewhere(self.sheet, row, pod, breach.container)
            name = written_name(breach.value, breach.name)
            message = say("{key} is ignored beside whole cards, which have all of their memory", key=name)
            hint = "remove it, or request less than 100 of compute"
            yield this.at(breach.value, message, hint, on_key=True, missing=missing)

    def example(self) -> Example:
        cores = self.sheet.families[0].cores
        return examples.share(self.sheet).setting(cores.name if cores else "", 100)


class Amounts(Kind):
    """Amounts of memory that may have a unit."""

    number, name = 16, "amount-is-plausible"
    no_policy = "an amount has a unit, and no schema compares those"
    summary = "An amount of memory of {title} is one that a card can have."
    what = "Reports {keys} below 1 MiB or above 1 TiB, of each card."
    usual_why = "A number without a unit and one with a unit are not the same amount."

    def rows(self) -> Iterable[Key]:
        return (row for row in self.sheet.keys if row.quantity and Place.RESOURCE in row.places)

    def of_profile(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        for row in self.mine:
            for container in requesting(pod, row.name):
                value = container.resources[row.name]
                mib = self.sheet.mib_of_each_card(row, pod, container, context.profile)
                if mib is None or 1 <= mib <= MOST_MIB:
                    continue
                name = written_name(value, row.name)
                bare = {1: "MiB", GIB: "GiB"}.get(int(row.unit), "bytes")
                message = say(
                    "{key} {text} is {mib} MiB: a number without a unit counts {bare}",
                    key=name,
                    text=value.text,
                    mib=f"{float(mib):.10g}",
                    bare=bare,
                )
                yield this.at(value, message, "write the amount with its unit, such as 8192Mi")

    def example(self) -> Example:
        return examples.share(self.sheet).setting(self.mine[0].name, 4096 if self.mine[0].unit > 1 else 8)
