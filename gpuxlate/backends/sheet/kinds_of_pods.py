"""The kinds of rules on the pod: its scheduler, its containers, its cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from gpuxlate.backends.base import Absent, Key, Place
from gpuxlate.backends.numbers import (
    number,
    requesting,
    too_large,
    too_many_cards,
    written_name,
)
from gpuxlate.backends.sheet import examples, totals
from gpuxlate.backends.sheet.examples import Example
from gpuxlate.backends.sheet.kind import Kind, by_pattern
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.profile import Profile, card_of
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Rule
from gpuxlate.rules.predicates.conditions import (
    Amount,
    Annotated,
    Any,
    Asks,
    Condition,
    ContainersAtMost,
    IsInit,
    Labelled,
    Not,
    SchedulerIs,
    SomeContainer,
)
from gpuxlate.rules.predicates.parameters import Within
from gpuxlate.rules.predicates.predicate import Breach, Predicate
from gpuxlate.rules.predicates.with_profile import CARDS, WithProfile, card_memory, cards_per_node

DEFAULT_SCHEDULER = "default-scheduler"
UNNAMED = SchedulerIs("", DEFAULT_SCHEDULER)
"""No scheduler is chosen: API servers write the name of the default one into such a pod (defaults.go)."""


class Scheduler(Kind):
    """The scheduler that the keys have effect with."""

    number, name, fix = 6, "scheduler-places-the-share", "unsafe"
    summary = "`schedulerName` is one with which the keys of {title} have effect."
    what = (
        "Reports another `schedulerName` as an error and, where one has to be named, a missing one as a "
        "warning: a cluster may run the scheduler under the name of the default one."
    )
    usual_why = "Only that scheduler places the share: with another one the keys have no effect."
    fixing = "Writes the scheduler. Unsafe: the pod goes to another scheduler."

    def rows(self) -> Iterable[Key]:
        named = self.sheet.scheduler or self.sheet.schedulers
        return (row for row in self.sheet.keys if named and row.unit and Place.SCHEDULER not in row.places)

    def predicates(self) -> Iterable[Predicate]:
        known, asks, at = SchedulerIs(*self._known()), self._asks(), ("schedulerName",)
        if "" in self._known():
            yield Predicate(known, asks, at, each=False)
            return
        yield Predicate(known | UNNAMED, asks, at, each=False)
        yield Predicate(known, asks & UNNAMED, at, each=False, severity=Severity.WARNING)

    def _known(self) -> tuple[str, ...]:
        backend = self.sheet.backend
        return backend.schedulers if self.sheet.scheduler else ("", DEFAULT_SCHEDULER, *backend.schedulers)

    def _asks(self) -> Condition:
        resources = tuple(row.name for row in self.mine if Place.RESOURCE in row.places)
        exact = (row for row in self.mine if Place.ANNOTATION in row.places and not row.is_pattern)
        on_pod = [Annotated(row.name) for row in exact]
        return Any(*([SomeContainer(Asks(*resources))] if resources else []), *on_pod)

    def also(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        if not SchedulerIs(*self._known()).holds(pod) and not self._asks().holds(pod):
            severity = Severity.WARNING if UNNAMED.holds(pod) else this.severity
            of_breach = replace(this, severity=severity)
            yield from self.findings(of_breach, Breach(None, "schedulerName", pod.scheduler_name), pod)

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        value = self._asking(pod)
        if value is None:
            return
        name = self.sheet.backend.schedulers[0]
        hint = say("write schedulerName: {name}", name=name)
        if breach.value is not None and breach.value.text:
            message = say(
                "schedulerName is {named}; only {name} places this share", named=breach.value.text, name=name
            )
            fix = Fix(hint, (Put(breach.value.path, name),), safe=False)
            yield this.at(breach.value, message, hint, fix=fix)
            return
        fix = Fix(hint, (Put((*pod.path, "schedulerName"), name),), safe=False)
        message = say("schedulerName is not set; only {name} places this share", name=name)
        yield this.at(value, message, hint, on_key=True, fix=fix, missing=True)

    def _asking(self, pod: PodKeys) -> Value | None:
        holders = (*(one.resources for one in pod.all_containers()), pod.annotations)
        found = (values[row.name] for values in holders for row in self.mine if row.name in values)
        return next(chain(found, (value for _, _, value in by_pattern(self.mine, pod))), None)

    def example(self) -> Example:
        return replace(self.instead(), scheduler="another-scheduler")


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
                gets = self.sheet.several
                warns = None if gets is gets.REFUSED else Severity.WARNING
                yield Predicate(Not(Amount(rows.cards.name, Range(2))), at=names, severity=warns)

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        if breach.value is None:
            return
        name = written_name(breach.value, breach.name)
        gets = self.sheet.several
        message = say(
            "{key} is for one card; with several the container gets {what}", key=name, what=str(gets)
        )
        hint = "request one card, or whole cards without the other keys"
        yield this.at(breach.value, message, hint, on_key=True)

    def example(self) -> Example:
        good = self.instead()
        cards = self.sheet.families[0].cards
        return good.setting(cards.name if cards else "", 2)


class Fits(Kind):
    """What the cards of a profile have."""

    number, name = 8, "share-fits-the-cards"
    summary = "A share of {title} fits the cards of the profile."
    what = "With a profile, reports more cards than a node has, and more memory than a card has."
    usual_why = "The pod stays Pending: no node ever has what it asks for."
    profile = "cards: {perNode: 4, memoryMiB: 1024}"

    def rows(self) -> Iterable[Key]:
        fields = ("cards", "memory_mib")
        return (
            row
            for row in self.sheet.keys
            if row.says in fields and row.unit and Place.RESOURCE in row.places and not row.is_pattern
        )

    def in_cluster(self) -> WithProfile:
        return WithProfile(lambda profile: tuple(self._fitting(profile)), CARDS, self._words)

    def _fitting(self, profile: Profile) -> Iterator[Predicate]:
        for row in self.mine:
            most, by = cards_per_node(profile, self.sheet.names), None
            if row.says == "memory_mib":
                unit = self.sheet.unit(row, profile)
                if row.quantity or unit.denominator != 1:
                    continue
                most = card_memory(profile, self.sheet.names, unit.numerator)
                by = totals.counted_by(self.sheet, row)
            if most is not None:
                only = Amount(row.name) if self.sheet.init else Amount(row.name) & ~IsInit()
                yield Predicate(Within(row.name, most, by), only, (row.name,))

    def _words(self, this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
        row, nodes = self.row_of(breach), card_of(context.profile, self.sheet.names)
        if row.says == "cards":
            return this.at(breach.there, *too_many_cards(breach.number, nodes.per_node or 0))
        return self._too_large(this, pod, row, breach.inside, context)

    def finds_more(self) -> bool:
        return any(row.quantity for row in self.mine)

    def also(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        """Amounts with a unit."""
        card_mib = card_of(context.profile, self.sheet.names).memory_mib
        for row in self.mine if card_mib is not None else ():
            for container in requesting(pod, row.name) if row.quantity else ():
                each = self.sheet.mib_of_each_card(row, pod, container, context.profile)
                if each is not None and card_mib is not None and each > card_mib:
                    yield self._too_large(this, pod, row, container, context)

    def _too_large(
        self, this: Rule, pod: PodKeys, row: Key, container: ContainerKeys, context: Context
    ) -> Diagnostic:
        value, card_mib = container.resources[row.name], card_of(context.profile, self.sheet.names).memory_mib
        each = self.sheet.mib_of_each_card(row, pod, container, context.profile) or 1
        message, _ = too_large(int(each), card_mib or 0)
        asked = number(value)
        most = "" if asked is None else int((card_mib or 0) * asked / each)
        return this.at(value, message, say("write at most {most}", most=most or f"{card_mib}Mi"))

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
                yield Predicate(Asks(rows.cores.name), self.sheet.compute_when, at)

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


class Init(Kind):
    """Init containers, where they can have no share."""

    number, name = 11, "init-containers-have-no-share"
    summary = "An init container requests no share of {title}."
    what = "Reports {keys} in an init container."
    usual_why = "{title} does not divide cards among init containers."

    def rows(self) -> Iterable[Key]:
        return (
            row
            for row in self.sheet.keys
            if not self.sheet.init and row.unit and Place.RESOURCE in row.places
        )

    def predicates(self) -> Iterable[Predicate]:
        yield Predicate(Not(IsInit()), at=tuple(row.name for row in self.mine))

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        if breach.value is not None:
            message = say("an init container cannot request a share of {target}", target=self.sheet.title)
            yield this.at(breach.value, message, "request the share in an ordinary container", on_key=True)

    def example(self) -> Example:
        good = self.instead()
        return replace(good, limits=({},), init=good.limits[0])


class OneShare(Kind):
    """Pods whose containers have one share together."""

    number, name = 13, "one-container-has-the-share"
    summary = "One container of a pod requests the share of {title}."
    what = "Reports {keys} in a second container of the pod."
    usual_why = "The pod gets one share, and each container the same limits: two requests are not two."

    def rows(self) -> Iterable[Key]:
        return (
            row
            for row in self.sheet.keys
            if self.sheet.one_share and row.unit and Place.RESOURCE in row.places
        )

    def predicates(self) -> Iterable[Predicate]:
        names = tuple(row.name for row in self.mine if not row.whole)
        yield Predicate(ContainersAtMost(Asks(*names), 1), at=names, each=False)

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        names = [row.name for row in self.mine if not row.whole]
        sharing = [one for one in pod.all_containers() if any(name in one.resources for name in names)]
        for container in sharing[1:]:
            value = next(container.resources[name] for name in names if name in container.resources)
            message = say(
                "{count} containers of the pod request a share, which is the pod's", count=len(sharing)
            )
            yield this.at(value, message, "use a separate pod for each container", on_key=True)

    def example(self) -> Example:
        good = self.instead()
        return replace(good, limits=(good.limits[0], good.limits[0]))


class Counts(Kind):
    """Labels of the pod that count cards."""

    number, name = 17, "label-counts-cards"
    summary = "The label with which a pod of {title} counts its cards is a whole number."
    what = "Reports {keys} with another value than a whole number of at least 1."
    usual_why = "The label is ignored, or the pod is refused: its containers get no part of several cards."

    def rows(self) -> Iterable[Key]:
        return (row for row in self.sheet.keys if Place.LABEL in row.places and row.ranges)

    def predicates(self) -> Iterable[Predicate]:
        for row in self.mine:
            yield Predicate(Labelled(row.name, *row.ranges), Labelled(row.name), (row.name,), each=False)

    def findings(self, this: Rule, breach: Breach, pod: PodKeys) -> Iterator[Diagnostic]:
        if breach.value is not None:
            message = say(
                "{key} is {value!r}, which is not a number of cards", key=breach.name, value=breach.value.text
            )
            yield this.at(breach.value, message, "write a whole number of at least 1, in quotes")

    def example(self) -> Example:
        return self._with("two")

    def instead(self) -> Example:
        return self._with("1")

    def _with(self, text: str) -> Example:
        good = examples.share(self.sheet)
        return replace(good, labels={**good.labels, self.mine[0].name: Value.of(text)})
