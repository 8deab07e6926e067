"""The kinds of rules on keys beside each other, on words, and on names that hold a card."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from gpuxlate.backends.base import Key, Place
from gpuxlate.backends.numbers import (
    named_twice,
    second_names,
    written_name,
)
from gpuxlate.backends.sheet import examples
from gpuxlate.backends.sheet.examples import Example
from gpuxlate.backends.sheet.kind import Kind, by_pattern
from gpuxlate.backends.sheet.rows import MODEL
from gpuxlate.model.catalogue import names_of
from gpuxlate.model.diagnostics import Diagnostic, Fix
from gpuxlate.model.edits import Put
from gpuxlate.model.messages import either, say
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Rule
from gpuxlate.rules.predicates.conditions import (
    ALWAYS,
    All,
    Amount,
    Annotated,
    Any,
    Asks,
    Condition,
    EnvIs,
    IsInit,
    Labelled,
    Not,
    SomeContainer,
    is_word,
)
from gpuxlate.rules.predicates.predicate import Breach, Predicate


class Needs(Kind):
    """Keys that do nothing alone."""

    number, name, missing = 2, "needed-key-is-there", True
    summary = "A key of {title} has the keys beside it that it needs."
    what = "Reports {keys} in a container without the keys that they need."
    usual_why = "Without them {title} sees no share, and the container gets no part of a card."
    fixing = "Safe, where the count of cards is missing: requests one card."

    def rows(self) -> Iterable[Key]:
        return (row for row in self.sheet.keys if row.needs and Place.RESOURCE in row.places)

    def predicates(self) -> Iterable[Predicate]:
        for needs in dict.fromkeys(row.needs for row in self.mine):
            yield Predicate(Asks(*needs), at=tuple(row.name for row in self.mine if row.needs == needs))

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        row = self.row_of(breach)
        if breach.value is not None:
            needed = either(row.needs)
            name = written_name(breach.value, row.name)
            message = say("{key} has no effect without {count}", key=name, count=needed)
            if row.needs[0] in self._counts():
                hint = say("add {count}: 1", count=row.needs[0])
                fix = Fix(
                    say("add {needs}: 1", needs=row.needs[0]),
                    (Put((*breach.value.path[:-1], row.needs[0]), 1),),
                )
                # cards of another kind are the share, which one of these would replace
                others = self._counts() - {row.needs[0]}
                counted = breach.container is not None and others & breach.container.resources.keys()
                yield this.at(breach.value, message, hint, on_key=True, fix=None if counted else fix)
            else:
                yield this.at(breach.value, message, say("add {key}", key=needed), on_key=True)

    def _counts(self) -> set[str]:
        """The keys that count cards in resources: of those, one is the least."""
        counts = (rows.cards for rows in self.sheet.families)
        return {row.name for row in counts if row is not None and Place.RESOURCE in row.places}

    def fixes(self) -> str | None:
        return "safe" if any(row.needs[0] in self._counts() for row in self.mine) else None

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
        return (row for row in self.sheet.keys if row.excludes or row.beside)

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            others = self._have(*row.excludes, *row.beside)
            if Place.LABEL in row.places:
                yield Predicate(Not(SomeContainer(others)), Labelled(row.name), (row.name,), each=False)
            else:
                when = self._have(row.name) if row.ends_at_zero else ALWAYS
                yield Predicate(Not(others), when, (row.name,))

    def _have(self, *names: str) -> Condition:
        """One of the keys is there, and is no number with which it is as good as missing."""
        zeros = {row.name for row in self.sheet.keys if row.ends_at_zero}
        others = Asks(*(name for name in names if name not in zeros))
        numbers = [Amount(one) & Not(Amount(one, Range(0, 0))) for one in names if one in zeros]
        return Any(*([others] if others.names else []), *numbers) if numbers else others

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        row = self.row_of(breach)
        if breach.value is None:
            return
        containers = pod.all_containers() if breach.container is None else (breach.container,)
        other = next(
            name
            for one in containers
            for name in (*row.excludes, *row.beside)
            if self._have(name).holds(pod, one)
        )
        name = written_name(breach.value, row.name)
        message = say("{key} and {other} are both set", key=name, other=other)
        if other in row.beside:
            message = say(
                "{key} and {other} are both set; {title} uses {other}",
                key=name,
                other=other,
                title=self.sheet.called,
            )
        yield this.at(breach.value, message, "keep one of them", on_key=True)

    def example(self) -> Example:
        good, row = self.instead(), self.mine[0]
        others = (*row.excludes, *row.beside)
        one = next((name for name in (row.name, *others) if name in good.limits[0]), row.name)
        both = {row.name, others[0]} if one == row.name else {row.name, one}
        if Place.LABEL in row.places:
            alone = good.without(*good.limits[0]).setting(others[0], 1)
            return replace(alone, labels={row.name: Value.of("2")})
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
            own, name = self.sheet.other_names[breach.name], written_name(breach.value, breach.name)
            yield this.at(breach.value, *named_twice(name, own), on_key=True)

    def also(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        for value, name, own in second_names(pod, self.sheet.renamed(context.profile)):
            yield this.at(value, *named_twice(name, own), on_key=True)

    def example(self) -> Example:
        good = self.instead()
        row = next((row for row in self.mine if row.name in good.limits[0]), self.mine[0])
        value = good.limits[0].get(row.name)
        return good.setting(row.aliases[0], (value.plain if value else None) or 1)


class Words(Kind):
    """Choices that have a list of values."""

    number, name = 4, "choice-is-known"
    summary = "A choice of {title} has a value that it knows."
    what = "Reports other values of {keys}."
    usual_why = "The pod is refused, or the value is ignored and the default counts."

    def rows(self) -> Iterable[Key]:
        return (row for row in self.sheet.keys if row.texts)

    @staticmethod
    def _words(row: Key) -> tuple[str | re.Pattern[str], ...]:
        return (*row.texts, *(one for one in row.values if isinstance(one, re.Pattern)))

    def _is_known_in_env(self, row: Key) -> Condition:
        return Any(Not(EnvIs(row.name)), EnvIs(row.name, *row.texts))

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
                yield Predicate(Amount(row.name, *numbers), at=(row.name,))
            elif Place.LABEL in row.places:
                yield Predicate(Labelled(row.name, *words), Labelled(row.name), (row.name,), each=False)
            else:
                when = Annotated(row.name) & self._speaks() if row.general else Annotated(row.name)
                yield Predicate(Annotated(row.name, *words), when, (row.name,), each=False)
        if in_env:
            yield Predicate(All(*in_env))

    def _speaks(self) -> Condition:
        """Some container has a key of the sheet, or the pod one that says a field of its share."""
        resources = (one.name for one in self.sheet.keys if Place.RESOURCE in one.places)
        asks = Asks(*resources)
        on_pod = (
            Annotated(one.name)
            for one in self.sheet.keys
            if Place.ANNOTATION in one.places and one.unit and not one.is_pattern
        )
        return Any(SomeContainer(asks if self.sheet.init else asks & ~IsInit()), *on_pod)

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        if breach.value is not None:
            yield self._unknown(this, self.row_of(breach), breach.name, breach.value)
        else:  # the predicate is on variables
            for row in self.mine:
                if Place.ENV in row.places and not self._is_known_in_env(row).holds(pod, breach.container):
                    yield self._unknown(this, row, row.name, breach.inside.env[row.name])

    def also(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        for row, name, value in by_pattern(self.mine, pod):
            if not is_word(value.text, self._words(row)):
                yield self._unknown(this, row, name, value)

    def _unknown(self, this: Rule, row: Key, name: str, value: Value) -> Diagnostic:
        title = self.sheet.called
        message = say(
            "{key} is {value!r}, which {title} does not know", key=name, value=value.text, title=title
        )
        return this.at(value, message, say("write one of {known}", known=", ".join(row.texts)))

    def example(self) -> Example:
        return self._with(lambda word: f"{word}s")

    def instead(self) -> Example:
        return self._with(str)

    def _with(self, make: type[str] | object) -> Example:
        good, on_pod = examples.share(self.sheet), (row for row in self.mine if self.sheet.is_pods(row))
        row = next(on_pod, self.mine[0])
        value = {row.name: Value.of(make(row.texts[0]))}  # type: ignore[operator]
        if Place.LABEL in row.places:
            return replace(good, labels={**good.labels, **value})
        return replace(good, annotations={**good.annotations, **value})


class Models(Kind):
    """Card models in the names of keys that the catalogue does not know."""

    number, name = 12, "card-model-is-known"
    no_policy = "the names of cards are open: a profile adds some"
    summary = "The card in the name of a key of {title} is one of the catalogue."
    what = "Reports keys that have the form of {keys}, with a card that gpuxlate does not know."
    usual_why = "A name that no node has never schedules. A new card can be added in a profile."

    def rows(self) -> Iterable[Key]:
        return (row for row in self.sheet.keys if row.template and row.is_pattern)

    def of_profile(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        hint = say("known cards: {known}", known=", ".join(names_of(self.sheet.name)))
        for container in pod.all_containers():
            for name, value in container.resources.items():
                if self.sheet.backend.find(name) in self.mine:
                    message = say("{key} names a card that is not in the catalogue", key=name)
                    yield this.at(value, message, hint, on_key=True)

    def example(self) -> Example:
        good = self.instead()
        known = {row.name: row.template for row in self.sheet.keys if row.model}
        limits = {known[name].replace(MODEL, "unknown"): value for name, value in good.limits[0].items()}
        return replace(good, limits=(limits,))
