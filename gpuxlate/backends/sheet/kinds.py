"""The kinds of rules that follow from rows: what each demands, its findings, its page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from gpuxlate.backends.base import Absent, Key, Place
from gpuxlate.backends.numbers import (
    named_twice,
    off_step,
    outside,
    put_number,
    requesting,
    too_large,
    too_many_cards,
    whole_numbers,
    written_name,
)
from gpuxlate.backends.sheet import examples
from gpuxlate.backends.sheet.examples import Example
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.profile import card_of
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Rule
from gpuxlate.rules.predicates.conditions import Amount, Asks, Condition, Not
from gpuxlate.rules.predicates.predicate import Breach, Predicate

if TYPE_CHECKING:
    from gpuxlate.backends.sheet.sheet import Sheet


@dataclass(frozen=True)
class Kind:
    """One kind of rule for one sheet; ``keys``: the rows that it is about, all where there are none."""

    sheet: Sheet
    keys: tuple[str, ...] = ()

    number: ClassVar[int]
    name: ClassVar[str]
    severity: ClassVar[Severity] = Severity.ERROR
    fix: ClassVar[str | None] = None
    missing: ClassVar[bool] = False
    no_policy: ClassVar[str] = ""
    summary: ClassVar[str]
    what: ClassVar[str]
    usual_why: ClassVar[str]
    fixing: ClassVar[str] = ""
    profile: ClassVar[str] = ""

    def rows(self) -> Iterable[Key]:
        """The rows that the rule is about."""
        raise NotImplementedError

    @cached_property
    def mine(self) -> tuple[Key, ...]:
        """The rows that the rule is about, of the keys that it was given."""
        return tuple(row for row in self.rows() if not self.keys or row.name in self.keys)

    def applies(self) -> bool:
        """The sheet has something for this kind of rule."""
        return bool(self.mine)

    def predicates(self) -> Iterable[Predicate]:
        """What it demands, as predicates; none where no policy can say it."""
        return ()

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        """A breach in words."""
        raise NotImplementedError

    def also(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        """Findings beside those of the predicates, which know no key with the name of a container in it."""
        return iter(())

    def of_profile(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        """The findings of a rule that has no predicate."""
        raise NotImplementedError

    # --- its page -----------------------------------------------------------------------------

    def example(self) -> Example:
        """A pod that breaks it."""
        raise NotImplementedError

    def instead(self) -> Example:
        """A pod that keeps it."""
        return examples.share(self.sheet)

    def text(self) -> str:
        """The text that a docstring has where a rule is a function."""
        values = {
            "title": self.sheet.title,
            "keys": ", ".join(f"`{row.template or row.name}`" for row in self._shown()),
        }
        why = self.sheet.why.get(type(self).__name__.upper(), self.usual_why)
        profile = f"\n```yaml profile\ntarget: {self.sheet.name}\n{self.profile}\n```" if self.profile else ""
        sources = ", ".join(dict.fromkeys(tag for row in self.mine for tag in row.source.split(", ") if tag))
        parts = [
            self.summary.format(**values),
            f"## What it does\n{self.what.format(**values)}",
            f"## Why\n{why.format(**values)}",
            f"## Example\n```yaml\n{self.example().text}\n```{profile}",
            f"## Use instead\n```yaml\n{self.instead().text}\n```",
            *([f"## Fix\n{self.fixing}"] if self.fixing else []),
            f"## Source\n{self.sheet.described(sources)}.",
        ]
        return "\n\n".join(parts)

    def _shown(self) -> Iterable[Key]:
        """The rows, each template once."""
        return {row.template or row.name: row for row in self.mine}.values()


class Numbers(Kind):
    """Ranges, steps and legal sets."""

    number, name, fix = 1, "number-is-legal", "unsafe"
    summary = "The numbers of {title} are ones that it takes."
    what = "Reports {keys} outside of their range, off their step, or not in their list."
    usual_why = "The number is refused or ignored, or no card ever has it."
    fixing = "Writes the next number that the key takes. Unsafe: the share gets more than it asked for."

    def rows(self) -> Iterable[Key]:
        return (
            row for row in self.sheet.keys if Place.RESOURCE in row.places and row.ranges and not row.quantity
        )

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            yield Predicate(Amount(row.name, *row.ranges), Amount(row.name), (row.name,))

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        row = next(row for row in self.mine if row.name == breach.name)
        if breach.value is None or breach.container is None:
            return
        number = quantity.whole(breach.value.text) or 0
        near = next_legal(row, number)
        hint: Message = say("write {numbers}, in {counts}", numbers=legal_text(row), counts=row.counts)
        fix = None
        if near is not None and number > 0:
            fix = Fix(f"write {near}", put_number(breach.container, row.name, near), safe=False)
        name = written_name(breach.value, row.name)
        yield this.at(breach.value, wrong(row, name, number), hint, fix=fix)

    def example(self) -> Example:
        good = self.instead()
        row = next((row for row in reversed(self.mine) if row.name in good.limits[0]), self.mine[0])
        now = quantity.whole(good.limits[0][row.name].text) or 1
        most = [one.most for one in row.ranges if one.most is not None]
        tries = [now + 1, now + 2, *(n + 1 for n in most), -1]
        bad = next(n for n in tries if not any(_within(n, one) for one in row.ranges))
        return good.setting(row.name, bad)


def _within(number: int, one: Range) -> bool:
    return one.least <= number <= (number if one.most is None else one.most) and number % one.step == 0


def next_legal(row: Key, number: int) -> int | None:
    """The least number above that the key takes; None where there is none."""
    found = (-(-max(number, one.least) // one.step) * one.step for one in row.ranges)
    return min((n for n in found if any(_within(n, one) for one in row.ranges)), default=None)


def legal_text(row: Key) -> str:
    """The numbers that a key takes, in words."""
    if len(row.ranges) > 1:
        return ", ".join(f"{one.least}" if one.least == one.most else _range(one) for one in row.ranges)
    return _range(row.ranges[0])


def _range(one: Range) -> str:
    steps = f" in multiples of {one.step}" if one.step > 1 else ""
    return (f"{one.least} or more" if one.most is None else f"{one.least} to {one.most}") + steps


def wrong(row: Key, name: str, number: int) -> str:
    """What is wrong with a number: below, above, or between."""
    least = min(one.least for one in row.ranges)
    most = max((one.most for one in row.ranges if one.most is not None), default=None)
    bounded = all(one.most is not None for one in row.ranges)
    if number < least:
        return outside(name, number, least)
    if bounded and most is not None and number > most:
        return outside(name, number, least, most)
    if len(row.ranges) == 1:
        return off_step(name, number, row.ranges[0].step)
    return say("{key} {amount} is not one of {numbers}", key=name, amount=number, numbers=legal_text(row))


class Needs(Kind):
    """Keys that do nothing alone."""

    number, name, missing = 2, "needed-key-is-there", True
    summary = "A key of {title} has the keys beside it that it needs."
    what = "Reports {keys} in a container without the keys that they need."
    usual_why = "Without them {title} sees no share, and the container gets no part of a card."

    def rows(self) -> Iterable[Key]:
        return (row for row in self.sheet.keys if row.needs and Place.RESOURCE in row.places)

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            yield Predicate(Asks(*row.needs), at=(row.name,))

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        row = next(row for row in self.mine if row.name == breach.name)
        if breach.value is not None:
            other = say("add {key}", key=row.needs[0])
            name = written_name(breach.value, row.name)
            message = say("{key} has no effect without {count}", key=name, count=row.needs[0])
            yield this.at(breach.value, message, other, on_key=True)

    def example(self) -> Example:
        good = self.instead()
        row = next((row for row in self.mine if row.name in good.limits[0]), self.mine[0])
        bad = good if row.name in good.limits[0] else good.setting(row.name, row.ranges[0].least or 1)
        return bad.without(*row.needs)


class Excludes(Kind):
    """Keys that do not go together."""

    number, name = 3, "keys-go-together"
    summary = "A container has no two keys of {title} that exclude each other."
    what = "Reports {keys} beside a key that says the same in another way."
    usual_why = "One of the two is ignored, or the pod is refused."

    def rows(self) -> Iterable[Key]:
        return (row for row in self.sheet.keys if row.excludes)

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            yield Predicate(Not(Asks(*row.excludes)), at=(row.name,))

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        row = next(row for row in self.mine if row.name == breach.name)
        if breach.value is None or breach.container is None:
            return
        other = next(name for name in row.excludes if name in breach.container.resources)
        name = written_name(breach.value, row.name)
        message = say("{key} and {other} are both set", key=name, other=other)
        yield this.at(breach.value, message, "keep one of them", on_key=True)

    def example(self) -> Example:
        good, row = self.instead(), self.mine[0]
        one = next((name for name in (row.name, *row.excludes) if name in good.limits[0]), row.name)
        both = {row.name, row.excludes[0]} if one == row.name else {row.name, one}
        for name in sorted(both - {*good.limits[0]}):
            found = next(each for each in self.sheet.keys if each.name == name)
            good = good.setting(name, next((r.least for r in found.ranges), 1) or 1)
        return good


class Once(Kind):
    """One key under two names."""

    number, name = 5, "resource-has-one-name"
    summary = "A container requests a resource of {title} under one name."
    what = "Reports another name of {keys} beside the key itself."
    usual_why = (
        "A cluster has one of the names: the pod never schedules on the other, or one of them is ignored."
    )

    def rows(self) -> Iterable[Key]:
        return (row for row in self.sheet.keys if row.aliases and Place.RESOURCE in row.places)

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            names = (row.name, *row.aliases)
            for alias in row.aliases:
                others = tuple(one for one in names if one != alias)
                yield Predicate(Not(Asks(*others)), at=(alias,))

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        if breach.value is not None:
            own = self.sheet.other_names[breach.name]
            yield this.at(breach.value, *named_twice(breach.name, own), on_key=True)

    def example(self) -> Example:
        good = self.instead()
        row = next((row for row in self.mine if row.name in good.limits[0]), self.mine[0])
        value = good.limits[0].get(row.name)
        return good.setting(row.aliases[0], value.plain if value else 1)


class Several(Kind):
    """A part of several cards, where a container can have a part of one only."""

    number, name = 7, "part-of-one-card"
    summary = "A part of a card of {title} is a part of one card."
    what = "Reports {keys} in a container that requests several cards."
    usual_why = (
        "{title} shares one card with a container: with several, the other numbers are not what it gets."
    )

    def rows(self) -> Iterable[Key]:
        if self.sheet.several is self.sheet.several.SHARED:
            return ()
        return (row for rows in self.sheet.families if rows.cards for row in rows.parts)

    def predicates(self) -> Iterable[Predicate]:
        for rows in self.sheet.families:
            if rows.cards is not None:
                names = tuple(row.name for row in rows.parts if row in self.mine)
                yield Predicate(Not(Amount(rows.cards.name, Range(2))), at=names)

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        if breach.value is None:
            return
        name = written_name(breach.value, breach.name)
        gets = self.sheet.several
        message = say(
            "{key} is for one card; with several the container gets {what}", key=name, what=str(gets)
        )
        hint = "request one card, or whole cards without the other keys"
        warns = None if gets is gets.REFUSED else Severity.WARNING
        yield this.at(breach.value, message, hint, severity=warns, on_key=True)

    def example(self) -> Example:
        good = self.instead()
        cards = self.sheet.families[0].cards
        return good.setting(cards.name if cards else "", 2)


class Fits(Kind):
    """What the cards of a profile have."""

    number, name = 8, "share-fits-the-cards"
    no_policy = "it compares with the cards of a profile"
    summary = "A share of {title} fits the cards of the profile."
    what = "With a profile, reports more cards than a node has, and more memory than a card has."
    usual_why = "The pod stays Pending: no node ever has what it asks for."
    profile = "cards: {perNode: 4, memoryMiB: 1024}"

    def rows(self) -> Iterable[Key]:
        fields = ("cards", "memory_mib")
        return (
            row for row in self.sheet.keys if row.says in fields and row.unit and Place.RESOURCE in row.places
        )

    def of_profile(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        nodes = card_of(context.profile, self.sheet.names)
        for row in self.mine:
            if row.says == "cards" and nodes.per_node is not None:
                for _, value, count in whole_numbers(pod, row.name):
                    if count > nodes.per_node:
                        yield this.at(value, *too_many_cards(count, nodes.per_node))
            elif row.says == "memory_mib" and nodes.memory_mib is not None:
                yield from self._memory(this, pod, row, nodes.memory_mib, context)

    def _memory(
        self, this: Rule, pod: PodKeys, row: Key, card_mib: int, context: Context
    ) -> Iterator[Diagnostic]:
        for container in requesting(pod, row.name):
            value = container.resources[row.name]
            each = self.sheet.mib_of_each_card(row, container, context.profile)
            if each is not None and each > card_mib:
                yield this.at(value, *too_large(int(each), card_mib))

    def example(self) -> Example:
        return examples.share(self.sheet)

    def instead(self) -> Example:
        return examples.whole(self.sheet)


class Compute(Kind):
    """Compute that is not set, where that is all of it."""

    number, name, missing = 9, "compute-is-set", True
    severity = Severity.WARNING
    summary = "A part of a card of {title} says how much compute it needs."
    what = "Reports a part of a card's memory without {keys}."
    usual_why = "{title} takes missing compute for all of the card: nobody else fits on it."

    def rows(self) -> Iterable[Key]:
        return (row for row in self.sheet.keys if row.says == "cores" and row.absent is Absent.ALL)

    def predicates(self) -> Iterable[Predicate]:
        for rows in self.sheet.families:
            if rows.cores in self.mine and rows.cores is not None:
                at = tuple(row.name for row in rows.parts if row is not rows.cores)
                yield Predicate(Asks(rows.cores.name), self._when(), at)

    def _when(self) -> Condition:
        return self.sheet.compute_matters

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        cores = next(
            rows.cores for rows in self.sheet.families if any(r.name == breach.name for r in rows.parts)
        )
        if breach.value is not None and cores is not None:
            message = say("{key} is not set: the container gets all compute of its cards", key=cores.name)
            hint = say("add {key}, in {counts}", key=cores.name, counts=cores.counts)
            yield this.at(breach.value, message, hint, on_key=True)

    def example(self) -> Example:
        good = self.instead()
        return good.without(*(row.name for row in self.mine))
