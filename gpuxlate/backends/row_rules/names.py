"""The kinds of rules on the keys that go together, the words that they know, and the names that are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import ClassVar

from gpuxlate.backends.pod_reader import named_twice, second_names, written_name
from gpuxlate.backends.row_rules.base import (
    OR,
    RowRule,
    by_pattern,
    demands_of,
    is_annotation_of_containers,
    name_beside,
)
from gpuxlate.backends.rows import MODEL, RuleKind, changes_of, release_of
from gpuxlate.model.diagnostics import Diagnostic, Fix, Put, Severity
from gpuxlate.model.keys import KeySpec, Place, Range
from gpuxlate.model.messages import Message, did_you_mean, join_and, join_or, listed, msg
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.profile import ChangeKind, Extension, names_of
from gpuxlate.rules.base import BY_CONTAINER, Context, PodExample, Rule, letters_and_digits
from gpuxlate.rules.predicates import (
    ALWAYS,
    AllOf,
    AnyOf,
    Constraint,
    EnvIs,
    InRange,
    IsAnnotated,
    IsInit,
    Labelled,
    Not,
    Predicate,
    Requests,
    SomeContainer,
    Violation,
    matches_word,
)


class NeededKeyRule(RowRule):
    """Keys that do nothing alone."""

    kind, name, missing = RuleKind.NEEDS, "needed-key-is-there", True
    description = "Reports {keys} in a container without the keys that they need."
    usual_why = "Without them {title} sees no share, and the container gets no part of a card."
    fixing = "Safe, where the count of cards is missing: requests one card."

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.needs and Place.RESOURCE in row.places)

    @property
    def summary_text(self) -> Message:
        demands = demands_of(
            self.subject_rows,
            lambda row: self.any_named(row.needs),
            "{keys} requires {what}",
            "{keys} require {what}",
        )
        return msg("{demands} in the same container.", demands=demands)

    def constraints(self) -> Iterable[Constraint]:
        for needs in dict.fromkeys(row.needs for row in self.subject_rows):
            rows = {row.name: self._same(row) for row in self.subject_rows if row.needs == needs}
            asks = [Not(InRange(name, *same)) & Requests(name) for name, same in rows.items() if same]
            others = Requests(*(name for name, same in rows.items() if not same))
            when = AnyOf(*([others] if others.names else []), *asks) if asks else ALWAYS
            yield Constraint(Requests(*needs), when, tuple(rows))

    @staticmethod
    def _same(row: KeySpec) -> tuple[Range, ...]:
        """The numbers above 0 that mean the same as no key, and so need no other key."""
        numbers = (int(value) for value in row.no_op_values if value.isdecimal())
        return tuple(Range(number, number) for number in numbers if number)

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        row = self.row_of(violation)
        name = written_name(violation.value_at, row.name)
        needs = [name_beside(self.table, name, needed) for needed in row.needs]
        needed = join_or(needs)
        message = msg("{key} has no effect without {count}", key=name, count=needed)
        later = self._later(violation)
        if later:
            yield this.diagnostic(violation.value_at, message, later, on_key=True)
        elif row.needs[0] in self._counts():
            hint = msg("add {count}: 1", count=needs[0])
            fix = Fix(
                msg("add {needs}: 1", needs=needs[0]), (Put((*violation.value_at.path[:-1], needs[0]), 1),)
            )
            # cards of another kind are the share, which one of these would replace
            others = self._counts() - {row.needs[0]}
            counted = others & violation.container.resources.keys()
            yield this.diagnostic(
                violation.value_at, message, hint, on_key=True, fix=None if counted else fix
            )
        else:
            yield this.diagnostic(violation.value_at, message, msg("add {key}", key=needed), on_key=True)

    def _later(self, violation: Violation) -> Message | None:
        """The hint where the container has a key that only a newer release reads."""
        for name in violation.container.resources:
            lack = self.table.lacks.get(name)
            if lack is not None and not lack.ended:
                return msg("use {release}, the first that reads {key}", release=str(lack.release), key=name)
        return None

    def _counts(self) -> set[str]:
        """The keys that count cards in resources: a fix writes 1 of these."""
        counts = (rows.cards for rows in self.table.keys_by_model)
        return {row.name for row in counts if row is not None and Place.RESOURCE in row.places}

    def fixes(self) -> str | None:
        return "safe" if any(row.needs[0] in self._counts() for row in self.subject_rows) else None

    def example(self) -> PodExample:
        good = self.instead()
        row = next((row for row in self.subject_rows if row.name in good.limits[0]), self.subject_rows[0])
        bad = good if row.name in good.limits[0] else good.with_resource(row.name, row.ranges[0].least or 1)
        return bad.without(*row.needs)


class ExcludedKeyRule(RowRule):
    """Keys that do not go together."""

    kind, name = RuleKind.EXCLUDES, "keys-go-together"
    description = "Reports {keys} beside a key that says the same in another way."
    usual_why = "One of the two is ignored, or the pod is refused."
    overridden_severity: ClassVar[Severity | None] = None
    """That of a key beside one that goes before it, where that is no error."""

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.excludes or row.overridden_by)

    @property
    def summary_text(self) -> Message:
        demands = demands_of(
            self.subject_rows,
            lambda row: self.any_named((*row.excludes, *row.overridden_by)),
            "{keys} is not set beside {what}",
            "{keys} are not set beside {what}",
        )
        if any(Place.LABEL in row.places for row in self.subject_rows):
            return msg("{demands} in the same pod.", demands=demands)
        return msg("{demands} in the same container.", demands=demands)

    def constraints(self) -> Iterable[Constraint]:
        severity = self.overridden_severity
        for row in self.subject_rows:
            if Place.LABEL in row.places:
                others = self._have(*row.excludes, *row.overridden_by)
                yield Constraint(
                    Not(SomeContainer(others)), Labelled(row.name), (row.name,), per_container=False
                )
                continue
            when = self._have(row.name) if row.zero_is_absent else ALWAYS
            if severity is None:
                others = self._have(*row.excludes, *row.overridden_by)
                yield Constraint(Not(others), when, (row.name,))
                continue
            others = self._have(*row.excludes)
            yield Constraint(Not(others), when, (row.name,))
            less = self._have(*row.overridden_by)
            yield Constraint(Not(less), when & Not(others), (row.name,), severity=severity)

    def _have(self, *names: str) -> Predicate:
        """The condition that one of the keys is set, and not to a number that counts as missing."""
        zeros = {row.name for row in self.table.keys if row.zero_is_absent}
        others = Requests(*(name for name in names if name not in zeros))
        numbers = [InRange(name) & Not(InRange(name, Range(0, 0))) for name in names if name in zeros]
        return AnyOf(*([others] if others.names else []), *numbers) if numbers else others

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        row = self.row_of(violation)
        containers = (
            pod.all_containers() if not violation.constraint.per_container else (violation.container,)
        )
        other = next(
            name
            for container in containers
            for name in (*row.excludes, *row.overridden_by)
            if self._have(name).holds(pod, container)
        )
        name = written_name(violation.value_at, row.name)
        message = msg("{key} and {other} are both set", key=name, other=other)
        if other in row.overridden_by:
            message = msg(
                "{key} and {other} are both set; {title} uses {other}",
                key=name,
                other=other,
                title=self.table.sentence_name,
            )
        yield this.diagnostic(violation.value_at, message, "keep one of them", on_key=True)

    def example(self) -> PodExample:
        good, row = self.instead(), self.subject_rows[0]
        others = (*row.excludes, *row.overridden_by)
        written = next((name for name in (row.name, *others) if name in good.limits[0]), row.name)
        both = {row.name, others[0]} if written == row.name else {row.name, written}
        if Place.LABEL in row.places:
            alone = good.without(*good.limits[0]).with_resource(others[0], 1)
            return replace(alone, labels={row.name: Value.of("2")})
        for name in sorted(both - {*good.limits[0]}):
            needed_row = next(each for each in self.table.keys if each.name == name)
            good = good.with_resource(name, next((r.least for r in needed_row.ranges), 1) or 1)
        return good


class SingleNameRule(RowRule):
    """One key under two names."""

    kind, name = RuleKind.SINGLE_ALIAS, "resource-has-one-name"
    description = "Reports another name of {keys} beside the key itself."
    usual_why = (
        "A cluster has one of the names: the pod never schedules on the other, or one of them is ignored."
    )
    no_policy = "lint alone knows the names that a profile gives to resources"

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.aliases and Place.RESOURCE in row.places)

    @property
    def summary_text(self) -> Message:
        names = ([f"`{name}`" for name in (row.name, *row.aliases)] for row in self.subject_rows)
        return msg(
            "A container requests a resource under one name: {names}.",
            names=join_and((listed(name, OR) for name in names), "{before}; {last}"),
        )

    def constraints(self) -> Iterable[Constraint]:
        for row in self.subject_rows:
            names = (row.name, *row.aliases)
            for alias in row.aliases:
                others = tuple(name for name in names if name != alias)
                yield Constraint(Not(Requests(*others)), keys=(alias,))

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        standard, name = (
            self.table.other_names[violation.name],
            written_name(violation.value_at, violation.name),
        )
        yield this.diagnostic(violation.value_at, *named_twice(name, standard), on_key=True)

    def finds_more(self) -> bool:
        extension = self.table.extension  # a profile of it may have names of its own
        return extension is not None and extension.renamed is not Extension.renamed

    def extra_findings(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        for value, name, standard in second_names(pod, self.table.renamed(context.profile)):
            yield this.diagnostic(value, *named_twice(name, standard), on_key=True)

    def example(self) -> PodExample:
        good = self.instead()
        row = next((row for row in self.subject_rows if row.name in good.limits[0]), self.subject_rows[0])
        if row.name not in good.limits[0]:
            good = good.without(*good.limits[0]).with_resource(row.name, 1)
        return good.with_resource(row.aliases[0], good.limits[0][row.name].plain or 1)


class KnownWordRule(RowRule):
    """Choices that have a list of values."""

    kind, name = RuleKind.WORDS, "choice-is-known"
    description = "Reports other values of {keys}."
    usual_why = "The pod is refused, or the value is ignored and the default counts."
    no_policy = BY_CONTAINER

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.texts)

    @property
    def summary_text(self) -> Message:
        demands = demands_of(self.subject_rows, self._any_word, "{keys} is {what}", "{keys} are each {what}")
        return msg("For {title}, {demands}.", title=self.table.sentence_name, demands=demands)

    @staticmethod
    def _any_word(row: KeySpec) -> str:
        """The words of a row, each in one letter case."""
        words = {word.lower(): f"`{word}`" for word in reversed(row.texts)}
        return listed([*reversed(words.values())], OR)

    @staticmethod
    def _words(row: KeySpec) -> tuple[str | re.Pattern[str], ...]:
        return (*row.texts, *(value for value in row.values if isinstance(value, re.Pattern)))

    def _is_known_in_env(self, row: KeySpec) -> Predicate:
        return AnyOf(Not(EnvIs(row.name)), EnvIs(row.name, *row.texts))

    def constraints(self) -> Iterable[Constraint]:
        in_env: list[KeySpec] = []
        for row in self.subject_rows:
            words = self._words(row)
            if row.is_pattern:
                continue
            if Place.ENV in row.places:
                in_env.append(row)
                continue
            if Place.RESOURCE in row.places:  # in resources every word is a number
                numbers = (Range(int(word), int(word)) for word in row.texts)
                yield Constraint(InRange(row.name, *numbers), keys=(row.name,))
                continue
            if Place.LABEL in row.places:
                yield Constraint(
                    Labelled(row.name, *words), Labelled(row.name), (row.name,), per_container=False
                )
            if Place.ANNOTATION in row.places or Place.LABEL not in row.places:
                when = IsAnnotated(row.name) & self._speaks() if row.general else IsAnnotated(row.name)
                refused = release_of(changes_of(row), ChangeKind.REFUSED)
                yield Constraint(
                    IsAnnotated(row.name, *words),
                    when,
                    (row.name,),
                    per_container=False,
                    severity=Severity.ERROR if refused and refused.reached(self.table.versions) else None,
                )
        if in_env:
            unknown = (
                (Not(self._is_known_in_env(row)), partial(self._unknown_in_env, row)) for row in in_env
            )
            yield Constraint(AllOf(*map(self._is_known_in_env, in_env)), cases=tuple(unknown))

    def _speaks(self) -> Predicate:
        """The condition that a container has a key of the table, or the pod has one that sets a field."""
        resources = (row.name for row in self.table.keys if Place.RESOURCE in row.places)
        asks = Requests(*resources)
        on_pod = (
            IsAnnotated(row.name)
            for row in self.table.keys
            if Place.ANNOTATION in row.places and row.unit and not row.is_pattern
        )
        return AnyOf(SomeContainer(asks if self.table.init_containers else asks & ~IsInit()), *on_pod)

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        yield self._unknown(this, self.row_of(violation), violation.name, violation.value_at)

    def _unknown_in_env(
        self, row: KeySpec, this: Rule, violation: Violation, pod: PodKeys, context: Context
    ) -> Diagnostic:
        return self._unknown(this, row, row.name, violation.container.env[row.name])

    def finds_more(self) -> bool:
        return any(is_annotation_of_containers(row) for row in self.subject_rows)

    def extra_findings(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        for row, name, value in by_pattern(self.subject_rows, pod):
            if not matches_word(value.text, self._words(row)):
                yield self._unknown(this, row, name, value)

    def _unknown(self, this: Rule, row: KeySpec, name: str, value: Value) -> Diagnostic:
        title = self.table.sentence_name
        message = msg(
            "{key} is {value!r}, which {title} does not know", key=name, value=value.text, title=title
        )
        return this.diagnostic(value, message, msg("write one of {known}", known=", ".join(row.texts)))

    def example(self) -> PodExample:
        return self._with(lambda word: f"{word}s")

    def instead(self) -> PodExample:
        return self._with(str)

    def _with(self, make: type[str] | object) -> PodExample:
        good, on_pod = self.share(), (row for row in self.subject_rows if self.table.is_pods(row))
        row = next(on_pod, self.subject_rows[0])
        value = {row.name: Value.of(make(row.texts[0]))}  # type: ignore[operator]
        if Place.LABEL in row.places:
            return replace(good, labels={**good.labels, **value})
        return replace(good, annotations={**good.annotations, **value})


class CardModelRule(RowRule):
    """Card models in the names of keys that the catalogue does not know."""

    kind, name = RuleKind.MODELS, "card-model-is-known"
    no_policy = "a profile can add names of cards"
    summary = "The card in the name of {any_key} is one of the catalogue."
    description = "Reports keys that have the form of {keys}, with a card that gpuxlate does not know."
    usual_why = "A name that no node has never schedules. A new card can be added in a profile."

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.template and row.is_pattern)

    def check_pod(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        hint = msg("known cards: {known}", known=", ".join(names_of(self.table.name)))
        for container in pod.all_containers():
            for name, value in container.resources.items():
                if self.table.find(name) in self.subject_rows:
                    message = msg("{key} names a card that is not in the catalogue", key=name)
                    yield this.diagnostic(value, message, hint, on_key=True)

    def example(self) -> PodExample:
        good = self.instead()
        templates = {row.name: row.template for row in self.table.keys if row.model}
        limits = {
            templates.get(name, self.subject_rows[0].template).replace(MODEL, "unknown"): value
            for name, value in good.limits[0].items()
        }
        return replace(good, limits=(limits,))


class MisspeltWordRule(KnownWordRule):
    """Words with the nearest of them in the hint, and a fix for letter case and separators."""

    kind = RuleKind.KNOWN_VALUE
    fix = "safe"
    fixing = "Safe: writes the value as the vendor does, where only letter case or separators are wrong."

    def _unknown(self, this: Rule, row: KeySpec, name: str, value: Value) -> Diagnostic:
        usual = super()._unknown(this, row, name, value)
        if value.text in row.values:  # of other software
            return usual
        same = next(
            (word for word in row.words if letters_and_digits(word) == letters_and_digits(value.text)), None
        )
        vendor_word = {str(field): word for word, field in row.words.items()}.get(value.text)
        if same or vendor_word:
            hint: Message = msg("write {value}", value=same or vendor_word)
            return this.diagnostic(
                value, usual.message, hint, fix=Fix(hint, (Put(value.path, same),)) if same else None
            )
        near = did_you_mean(value.text, row.words, "")
        return this.diagnostic(value, usual.message, near) if near else usual


class VersionRule(RowRule):
    """Keys that the component of the cluster does not have yet, or no longer."""

    kind, name, severity = RuleKind.VERSIONS, "version-reads-the-key", Severity.INFO
    no_policy = "it is a remark on the version of a component, which no pod shows"
    summary = "For {title}, {any_key} is set only where the version of {components} in the cluster reads it."
    description = (
        "Reports {keys}, once for an object, where the version that a profile names (`components`) does not "
        "read the name; without a version, the newest release."
    )
    usual_why = "Nothing reads the key: the container gets its cards without what the key says."

    def rows(self) -> Iterable[KeySpec]:
        return (
            row
            for row in (*self.table.keys, *self.table.absent)
            if row.component in self.table.components or self._of_profile(row)
        )

    def _of_profile(self, row: KeySpec) -> bool:
        """Whether the versions in a profile do not read the row."""
        unavailable = self.table.lacks if self.table.versions else {}
        return any(name in unavailable for name in (row.name, *row.aliases))

    @property
    def values(self) -> dict[str, str]:
        titles = dict.fromkeys(row.component.title for row in self.subject_rows if row.component)
        return {**super().values, "components": listed([*titles])}

    def keys_about(self) -> frozenset[str]:
        return frozenset(name for row in self.subject_rows for name in (row.name, *row.aliases))

    def check_pod(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        table = self.table.in_cluster(context.profile) if context.profile else self.table
        lacks = table.lacks
        unavailable: dict[str, Value] = {}
        by_place = (
            *((Place.RESOURCE, container.resources) for container in pod.all_containers()),
            (Place.ANNOTATION, pod.annotations),
        )
        for place, values in by_place:
            for key, value in values.items():
                if (name := written_name(value, key)) in lacks and place in table.places[name]:
                    unavailable.setdefault(name, value)
        for name in unavailable:
            lack = lacks[name]
            alike = [name for name in unavailable if lacks[name][:2] == lack[:2]]
            hint = msg("remove {keys}", keys=join_and(alike))
            if lack.instead:
                hint = msg("write {keys}", keys=join_and(lacks[name].instead for name in alike))
            elif not lack.ended:
                hint = msg("remove {keys}, or use {release}", keys=join_and(alike), release=str(lack.release))
            yield this.diagnostic(unavailable[name], table.lack_text(*alike), hint, on_key=True)
            return

    def example(self) -> PodExample:
        good = self.share()
        other = {
            row.name: change.key if row.name == change.replacement else change.replacement
            for row in self.subject_rows
            for change in changes_of(row)
            if change.change is ChangeKind.RENAMED
        }
        renamed = {other.get(name, name): value for name, value in good.limits[0].items()}
        row = self._shown_row
        if Place.ANNOTATION in row.places:
            shown = next(iter(row.texts), "true")
            return replace(good, annotations={**good.annotations, row.name: Value.of(shown)})
        return replace(good, limits=(renamed if row.name in good.limits[0] else {row.name: Value.of(1)},))

    def cluster(self) -> str:
        row = self._shown_row
        changes = changes_of(row)
        first, last = release_of(changes, ChangeKind.NEW), release_of(changes, ChangeKind.REMOVED)
        release = first or last
        if release is None or release.announced:
            return ""  # the newest release
        patch, *rest = reversed(release.version.split("."))
        before = ".".join([*reversed(rest), str(int(patch) - 1), "0"])
        shown = before if first else release.version
        shown = shown if shown.count(".") > 1 else f'"{shown}"'  # YAML takes 2.20 for a number
        return f"components: {{{release.component.name}: {shown}}}"

    def instead(self) -> PodExample:
        return self.whole_card() if self.cluster() else self.share()

    @property
    def _shown_row(self) -> KeySpec:
        """The row of its example."""
        resources = self.share().limits[0]
        return next((row for row in self.subject_rows if row.name in resources), self.subject_rows[0])
