"""The kinds of rules on pods: their scheduler, their containers, the cards of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import ClassVar

from gpuxlate.backends.pod_reader import number, requesting, too_large, too_many_cards, written_name
from gpuxlate.backends.row_rules.base import (
    OR,
    ROUNDINGS,
    RowRule,
    any_of,
    by_pattern,
    demands_of,
    is_annotation_of_containers,
    name_beside,
)
from gpuxlate.backends.row_rules.numbers import counted_by, forced_when, mib_of_each_card, part_of_each_card
from gpuxlate.backends.rows import RuleKind, SeveralCards
from gpuxlate.model.diagnostics import Diagnostic, Fix, Put, Severity
from gpuxlate.model.keys import Absent, KeySpec, Place, Range
from gpuxlate.model.messages import Message, join_or, listed, msg
from gpuxlate.model.pod import DEFAULT_SCHEDULER, ContainerKeys, PodKeys, Value
from gpuxlate.model.profile import Profile, card_of
from gpuxlate.rules.base import BY_CONTAINER, Context, PodExample, Rule
from gpuxlate.rules.predicates import (
    ALWAYS,
    NEEDS_CARDS,
    AnyOf,
    AtMostParameter,
    Constraint,
    InRange,
    IsAnnotated,
    IsInit,
    Labelled,
    Not,
    Predicate,
    Requests,
    SchedulerIs,
    SomeContainer,
    Violation,
    WithProfile,
    card_memory,
    cards_per_node,
)

UNNAMED = SchedulerIs("", DEFAULT_SCHEDULER)
"""The condition that no scheduler is chosen: API servers set the default one in such a pod (defaults.go)."""


class SchedulerRule(RowRule):
    """The scheduler that the keys have effect with."""

    kind, name, fix = RuleKind.SCHEDULER, "scheduler-places-the-share", "unsafe"
    description = (
        "Reports another `schedulerName` as an error and, where one has to be named, a missing one as a "
        "warning: a cluster may run the scheduler under the name of the default one. It is an info where "
        "an operator or a webhook may set it."
    )
    usual_why = "Only that scheduler places the share: with another one the keys have no effect."
    set_by: ClassVar[str] = ""
    """What may set it where a manifest names none."""
    fixing = "Writes the scheduler. Unsafe: the pod goes to another scheduler."
    no_policy = BY_CONTAINER

    def rows(self) -> Iterable[KeySpec]:
        named = self.table.scheduler or self.table.schedulers
        return (
            row
            for row in self.table.keys
            if named and row.unit and Place.WRITTEN_BY_SCHEDULER not in row.places
        )

    @property
    def summary_text(self) -> Message:
        values = {
            **self.values,
            "schedulers": listed([f"`{name}`" for name in self._scheduler_names() if name], OR),
        }
        if "" in self._scheduler_names():
            return msg("`schedulerName` in a pod with {any_key} is not set, or is {schedulers}.", **values)
        return msg("`schedulerName` in a pod with {any_key} is {schedulers}.", **values)

    def constraints(self) -> Iterable[Constraint]:
        scheduled, asks, at = SchedulerIs(*self._scheduler_names()), self._asks(), ("schedulerName",)
        if "" in self._scheduler_names():
            yield Constraint(scheduled, asks, at, per_container=False)
            return
        yield Constraint(scheduled | UNNAMED, asks, at, per_container=False)
        yield Constraint(scheduled, asks & UNNAMED, at, per_container=False, severity=self._if_missing(""))

    def _if_missing(self, set_by: str) -> Severity:
        return Severity.INFO if self.set_by or set_by else Severity.WARNING

    def _scheduler_names(self) -> tuple[str, ...]:
        schedulers = self.table.schedulers
        return schedulers if self.table.scheduler else ("", DEFAULT_SCHEDULER, *schedulers)

    def _asks(self) -> Predicate:
        resources = tuple(row.name for row in self.subject_rows if Place.RESOURCE in row.places)
        exact = (row for row in self.subject_rows if Place.ANNOTATION in row.places and not row.is_pattern)
        on_pod = [IsAnnotated(row.name) for row in exact]
        return AnyOf(*([SomeContainer(Requests(*resources))] if resources else []), *on_pod)

    def finds_more(self) -> bool:
        return any(is_annotation_of_containers(row) for row in self.subject_rows)

    def extra_findings(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        if not SchedulerIs(*self._scheduler_names()).holds(pod) and not self._asks().holds(pod):
            severity = self._if_missing("") if UNNAMED.holds(pod) else this.severity
            yield from self._misplaced(replace(this, severity=severity), pod)

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        return self._misplaced(this, pod)

    def _misplaced(self, this: Rule, pod: PodKeys) -> Iterator[Diagnostic]:
        """Another scheduler is named, or none is."""
        value, named = self._asking(pod), pod.scheduler_name
        if value is None:
            return
        name = self.table.schedulers[0]
        hint = msg("write schedulerName: {name}", name=name)
        if named is not None and named.text:
            message = msg(
                "schedulerName is {named}; only {name} places this share", named=named.text, name=name
            )
            fix = Fix(hint, (Put(named.path, name),), safe=False)
            yield this.diagnostic(named, message, hint, fix=fix)
            return
        fix = Fix(hint, (Put((*pod.path, "schedulerName"), name),), safe=False)
        message = msg("schedulerName is not set; only {name} places this share", name=name)
        set_by = self.set_by or pod.scheduler_set_by
        if set_by:
            hint = msg("write schedulerName: {name}, unless {what} sets it", name=name, what=set_by)
        severity = self._if_missing(pod.scheduler_set_by)
        yield this.diagnostic(value, message, hint, severity=severity, on_key=True, fix=fix, missing=True)

    def _asking(self, pod: PodKeys) -> Value | None:
        """The first key of the rule in the pod; None where it has none, as in some pods of
        ``extra_findings``."""
        holders = (*(container.resources for container in pod.all_containers()), pod.annotations)
        of_keys = (values[row.name] for values in holders for row in self.subject_rows if row.name in values)
        return next(chain(of_keys, (value for _, _, value in by_pattern(self.subject_rows, pod))), None)

    def example(self) -> PodExample:
        return replace(self.instead(), scheduler="another-scheduler")


class SeveralCardsRule(RowRule):
    """A part of several cards, where a container can have a part of one only."""

    kind, name = RuleKind.SEVERAL, "part-of-one-card"
    description = "Reports {keys} in a container that requests several cards."
    usual_why = (
        "{title} shares one card with a container: with several, the other numbers are not what it gets."
    )

    @property
    def summary_text(self) -> Message:
        counts = any_of(rows.cards for rows in self.table.keys_by_model if rows.cards)
        if not all(row.forced for row in self.subject_rows):
            return msg("{counts} is 1 in a container with {any_key}.", counts=counts, **self.values)
        demands = demands_of(
            self.subject_rows, self._forced_number, "{keys} is {what}", "{keys} are each {what}"
        )
        return msg("With {counts} of 2 or more, {demands}.", counts=counts, demands=demands)

    def _forced_number(self, row: KeySpec) -> str:
        """The text for the number that the webhook writes beside several cards, and when it does."""
        number = msg("{numbers} for each card", numbers=row.forced)
        missing = self.any_named(row.forced_without) if row.forced_without else ""
        return msg("{number}, also without {missing}", number=number, missing=missing) if missing else number

    @property
    def description_text(self) -> str:
        if not all(row.forced for row in self.subject_rows):
            return super().description_text
        without = dict.fromkeys(name for row in self.subject_rows for name in row.forced_without)
        more = f", or without `{'`, `'.join(without)}`," if without else ""
        return (
            f"Reports {self.values['keys']} with several cards{more} where the webhook writes another number."
            f"{ROUNDINGS}"
        )

    def rows(self) -> Iterable[KeySpec]:
        shared = self.table.several_cards is SeveralCards.SHARED
        parts = (row for rows in self.table.keys_by_model if rows.cards for row in rows.parts)
        return (row for row in parts if row.forced or not shared)

    def constraints(self) -> Iterable[Constraint]:
        gets = self.table.several_cards
        warns = None if gets is gets.REFUSED else Severity.WARNING
        for rows in self.table.keys_by_model:
            if rows.cards is None:
                continue
            for row in rows.parts:
                if row.forced and row in self.subject_rows:
                    number = part_of_each_card(
                        row.name, Range(row.forced, row.forced, row.forced), rows.cards.name
                    )
                    when = InRange(rows.cards.name, Range(1)) & forced_when(self.table, row)
                    yield Constraint(number, when, (row.name,))
            names = tuple(row.name for row in rows.parts if row in self.subject_rows and not row.forced)
            if names:
                yield Constraint(Not(InRange(rows.cards.name, Range(2))), keys=names, severity=warns)

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        name = written_name(violation.value_at, violation.name)
        row = self.row_of(violation)
        if row.forced:
            yield self._forced(this, row, violation.value_at, violation.container)
            return
        gets = self.table.several_cards
        message = msg(
            "{key} is for one card; with several the container gets {what}", key=name, what=str(gets)
        )
        hint = "request one card, or whole cards without the other keys"
        yield this.diagnostic(violation.value_at, message, hint, on_key=True)

    def _forced(self, this: Rule, row: KeySpec, value: Value, container: ContainerKeys) -> Diagnostic:
        """The finding about a number that the webhook replaces in the limit, and not in the request."""
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

    def example(self) -> PodExample:
        good = self.instead()
        cards = self.table.keys_by_model[0].cards
        row = self.subject_rows[0]
        good = good if row.name in good.limits[0] else good.with_resource(row.name, row.ranges[0].least)
        return good.with_resource(cards.name if cards else "", 2)


class NodeFitRule(RowRule):
    """What the cards of a profile have."""

    kind, name = RuleKind.WITHIN_NODE, "share-fits-the-cards"
    description = "With a profile, reports more cards than a node has, and more memory than a card has."
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

    @property
    def summary_text(self) -> Message:
        of_sets = {"cards": msg("the number of cards of a node"), "memory_mib": msg("the memory of a card")}
        demands = demands_of(
            self.subject_rows,
            lambda row: of_sets[row.sets or ""],
            "{keys} is at most {what}",
            "{keys} are each at most {what}",
        )
        return msg("With a profile, {demands}.", demands=demands)

    def in_cluster(self) -> WithProfile:
        return WithProfile(lambda profile: tuple(self._fitting(profile)), NEEDS_CARDS)

    def _fitting(self, profile: Profile) -> Iterator[Constraint]:
        for row in self.subject_rows:
            maximum, by = cards_per_node(profile, self.table.names), None
            if row.sets == "memory_mib":
                unit = self.table.unit(row, profile)
                if row.quantity or unit.denominator != 1:
                    continue
                maximum = card_memory(profile, self.table.names, unit.numerator)
                by = counted_by(self.table, row)
            if maximum is not None:
                only = InRange(row.name) if self.table.init_containers else InRange(row.name) & ~IsInit()
                if row.repeats:  # beside it the number is none of cards
                    only &= ~Labelled(row.repeats)
                within = AtMostParameter(row.name, maximum, by)
                yield Constraint(within, only, (row.name,), report=self._beyond)

    def _beyond(self, this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
        row, nodes = self.row_of(violation), card_of(context.profile, self.table.names)
        if row.sets == "cards":
            return this.diagnostic(violation.value_at, *too_many_cards(violation.number, nodes.per_node or 0))
        return self._too_large(this, pod, row, violation.container, context)

    def finds_more(self) -> bool:
        return any(row.quantity for row in self.subject_rows)

    def extra_findings(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        """Amounts with a unit."""
        card_mib = card_of(context.profile, self.table.names).memory_mib
        for row in self.subject_rows if card_mib is not None else ():
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
        amount = number(value)
        maximum = "" if amount is None else int((card_mib or 0) * amount / each)
        return this.diagnostic(value, message, msg("write at most {most}", most=maximum or f"{card_mib}Mi"))

    def example(self) -> PodExample:
        good, counts = self.share(), [row for row in self.subject_rows if row.sets == "cards"]
        return good if len(counts) < len(self.subject_rows) else good.with_resource(counts[0].name, 5)

    def instead(self) -> PodExample:
        return self.whole_card()


class ComputeNeededRule(RowRule):
    """Compute that is not set, where that is all of it."""

    kind, name, missing = RuleKind.COMPUTE, "compute-is-set", True
    severity = Severity.WARNING
    summary = "A container with {memory} also sets {any_key}."
    description = "Reports a part of a card's memory without {keys}."
    usual_why = "{title} takes missing compute for all of the card: nobody else fits on it."

    @property
    def when(self) -> Predicate:
        """The condition under which missing compute is all compute of the card."""
        return ALWAYS

    def rows(self) -> Iterable[KeySpec]:
        return (
            rows.cores
            for rows in self.table.keys_by_model
            if rows.cores is not None and rows.cores.default is Absent.ALL and len(rows.parts) > 1
        )

    @property
    def values(self) -> dict[str, str]:
        groups = (rows for rows in self.table.keys_by_model if rows.cores in self.subject_rows)
        memory = (row for rows in groups for row in rows.parts if row is not rows.cores)
        return {**super().values, "memory": any_of(memory)}

    def constraints(self) -> Iterable[Constraint]:
        for rows in self.table.keys_by_model:
            if rows.cores in self.subject_rows and rows.cores is not None:
                at = tuple(row.name for row in rows.parts if row is not rows.cores)
                yield Constraint(Requests(rows.cores.name), self.when, at)

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        cores = next(
            rows.cores
            for rows in self.table.keys_by_model
            if any(r.name == violation.name for r in rows.parts)
        )
        if cores is not None:
            name = name_beside(self.table, written_name(violation.value_at, violation.name), cores.name)
            message = msg("{key} is not set: the container gets all compute of its cards", key=name)
            hint = msg("add {key}, in {counts}", key=name, counts=cores.unit_text)
            yield this.diagnostic(violation.value_at, message, hint, on_key=True)

    def example(self) -> PodExample:
        good = self.instead()
        return good.without(*(row.name for row in self.subject_rows))


class InitContainerRule(RowRule):
    """Init containers, where they can have no share."""

    kind, name = RuleKind.INIT, "init-containers-have-no-share"
    summary = "An init container requests no {any_key}."
    description = "Reports {keys} in an init container."
    usual_why = "{title} does not divide cards among init containers."

    def rows(self) -> Iterable[KeySpec]:
        return (
            row
            for row in self.table.keys
            if not self.table.init_containers and row.unit and Place.RESOURCE in row.places
        )

    def constraints(self) -> Iterable[Constraint]:
        yield Constraint(Not(IsInit()), keys=tuple(row.name for row in self.subject_rows))

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        message = msg("an init container cannot request a share of {target}", target=self.table.sentence_name)
        yield this.diagnostic(
            violation.value_at, message, "request the share in an ordinary container", on_key=True
        )

    def example(self) -> PodExample:
        good = self.instead()
        return replace(good, limits=({},), init=good.limits[0])
