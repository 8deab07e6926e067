"""The kinds of row rules that only HAMi's dialects have: on their webhook, records and cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from gpuxlate.backends.pod_reader import written_name
from gpuxlate.backends.row_rules.base import OR, RowRule
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import KeySpec, Place, Range
from gpuxlate.model.messages import listed, msg
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.rules.base import Context, Rule
from gpuxlate.rules.predicates import (
    ALWAYS,
    Constraint,
    ContainersAtMost,
    InRange,
    IsInit,
    Not,
    PodItselfLabelled,
    Predicate,
    Requests,
    SchedulerIs,
    SomeContainer,
    Violation,
)

if TYPE_CHECKING:  # pages are shown to people who ask for them
    from gpuxlate.rules.base import PodExample

from gpuxlate.backends.hami_family import HamiDialect, HamiRuleKind, beyond_one_card
from gpuxlate.backends.row_rules.pods import UNNAMED, SeveralCardsRule


class HamiRule(RowRule):
    """A kind of rule of one of HAMi's dialects."""

    table: HamiDialect


class SkippedByWebhookRule(HamiRule):
    """A label with which the vendor's webhook does not look at the pod."""

    kind, name = HamiRuleKind.SKIPPED_BY_WEBHOOK, "webhook-sees-the-pod"
    summary = "A pod with a share of {title} has no label {label}."
    description = (
        "Reports {label} on a pod with a share: an error if `schedulerName` is not set, since the webhook "
        "sets it, and a warning if the pod names the scheduler itself."
    )
    usual_why = (
        "With the label the API server does not call the webhook, which sends the pod to `{scheduler}` "
        "and changes the numbers to those that the cards have. The default scheduler places no share."
    )

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if row.hides)

    def constraints(self) -> Iterable[Constraint]:
        rows = (row for row in self.table.keys if row.unit and Place.RESOURCE in row.places)
        asks = SomeContainer(Requests(*(row.name for row in rows)))
        for row in self.subject_rows:
            seen, at = Not(PodItselfLabelled(row.name, *row.hides)), (row.name,)
            yield Constraint(seen, asks & UNNAMED, at, per_container=False)
            yield Constraint(
                seen,
                asks & SchedulerIs(*self.table.schedulers),
                at,
                per_container=False,
                severity=Severity.WARNING,
                report=self._not_rounded,
            )

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        message = (
            "{key}: {value} hides the pod from the webhook of {title}, so that {scheduler} does not place it"
        )
        hint = "remove {key}, or write schedulerName: {scheduler}"
        yield self._hidden(this, violation, pod, message, hint)

    def _not_rounded(self, this: Rule, violation: Violation, pod: PodKeys, context: Context) -> Diagnostic:
        message = "{key}: {value} hides the pod from the webhook of {title}, which adds and rounds no number"
        hint = "remove {key}, or write each number as the cards have it"
        return self._hidden(this, violation, pod, message, hint)

    def _hidden(self, this: Rule, violation: Violation, pod: PodKeys, message: str, hint: str) -> Diagnostic:
        label = pod.labels[violation.name]
        values = {
            "key": violation.name,
            "value": label.text,
            "scheduler": self.table.schedulers[0],
            "title": self.table.sentence_name,
        }
        return this.diagnostic(label, msg(message, **values), msg(hint, **values))

    @property
    def values(self) -> dict[str, str]:
        label = listed([f"`{row.name}: {value}`" for row in self.subject_rows for value in row.hides], OR)
        return {**super().values, "label": label, "scheduler": self.table.schedulers[0]}

    def example(self) -> PodExample:
        row = self.subject_rows[0]
        shown = self.instead()
        return replace(shown, labels={**shown.labels, row.name: Value.of(row.hides[0])})


class PodRecordRule(HamiRule):
    """Pods whose containers have cards, of which the scheduler records those of one."""

    kind, name = HamiRuleKind.POD_RECORD, "record-is-of-one-container"
    severity = Severity.WARNING
    summary = "At most one container of a pod requests {any_key}."
    description = "Reports {keys} in a pod of which several containers request cards."
    usual_why = "{record} on the pod, which the device plugin reads, has the cards of the {which} one alone."

    def rows(self) -> Iterable[KeySpec]:
        return (rows.cards for rows in self.table.keys_by_model if self.table.pod_record and rows.cards)

    @property
    def values(self) -> dict[str, str]:
        record = self.table.pod_record
        return {**super().values, "record": f"`{record.name}`", "which": record.of} if record else {}

    def constraints(self) -> Iterable[Constraint]:
        for row in self.subject_rows:
            requests = ContainersAtMost(self._has_cards(row), 1)
            yield Constraint(requests, keys=(row.name,), per_container=False)

    @staticmethod
    def _has_cards(row: KeySpec) -> Predicate:
        return InRange(row.name, Range(1))

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        values = [
            container.resources[row.name]
            for row in self.subject_rows
            for container in self._has_cards(row).containers(pod)
        ]
        if self.table.pod_record is not None:
            why = self.table.pod_record.message(len(values))
            yield from (this.diagnostic(value, *why, on_key=True) for value in values[1:])

    def example(self) -> PodExample:
        good = self.instead()
        return replace(good, limits=(good.limits[0], good.limits[0]))


class OneCardRule(HamiRule):
    """Pods whose containers are all on one card."""

    kind, name, tells_whole_cards = HamiRuleKind.ONE_CARD, "one-card-holds-the-containers", True
    summary = "The containers of a pod that request {any_key} are on one card together."
    description = (
        "Reports {keys} of several containers where one has several cards or a whole one, or where their "
        "parts together are more than a card. Init containers are not counted: they run before."
    )
    usual_why = (
        "{title} takes the cards of all containers of a pod from one card, so that the pod stays Pending."
    )
    no_policy = "lint alone adds up the parts of several containers"

    def rows(self) -> Iterable[KeySpec]:
        return (row for _, row in self.table.shared_counts)

    def constraints(self) -> Iterable[Constraint]:
        for rows, row in self.table.shared_counts:
            counted = self._is_counted(row)
            when: Predicate = ALWAYS
            if not row.whole and rows.memory is not None:
                part = self._has_one_card(row) & Requests(rows.memory.name)
                when = SomeContainer(counted & Not(part))
            yield Constraint(ContainersAtMost(counted, 1), when, (row.name,), per_container=False)

    @staticmethod
    def _is_counted(row: KeySpec) -> Predicate:
        return InRange(row.name, Range(1)) & ~IsInit()

    @staticmethod
    def _has_one_card(row: KeySpec) -> Predicate:
        return InRange(row.name, Range(1, 1))

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        row = self.row_of(violation)
        containers, has_one = self._is_counted(row).containers(pod), self._has_one_card(row)
        why = self.table.on_one_card_message(row, len(containers))
        parts = not row.whole and all(has_one.holds(pod, container) for container in containers)
        for container in containers[1:]:  # of one card each, memory is missing
            yield this.diagnostic(container.resources[row.name], *why, on_key=True, missing=parts)

    def finds_more(self) -> bool:
        return any(rows.parts and not row.whole for rows, row in self.table.shared_counts)

    def extra_findings(self, this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
        """Findings about parts that together are more than a card."""
        for rows, row in self.table.shared_counts:
            containers, has_one = self._is_counted(row).containers(pod), self._has_one_card(row)
            parts = [container for container in containers if has_one.holds(pod, container)]
            if len(containers) < 2 or len(parts) < len(containers):
                continue
            if any(rows.memory is None or rows.memory.name not in container.resources for container in parts):
                continue
            beyond = beyond_one_card(rows, [container.resources for container in parts])
            if beyond is not None:
                last = next(container for container in reversed(parts) if beyond.name in container.resources)
                why = self.table.on_one_card_message(beyond, len(parts))
                yield this.diagnostic(last.resources[beyond.name], *why)

    def example(self) -> PodExample:
        good, row = self.instead(), self.subject_rows[0]
        limits = good.limits[0] if row.name in good.limits[0] else {row.name: Value.of(1)}
        return replace(good, limits=(limits, {row.name: Value.of(2)}))


class SeveralCardsOfHamiRule(HamiRule, SeveralCardsRule):
    """A part of several cards: of one only, or it is not certain what the container gets."""

    def rows(self) -> Iterable[KeySpec]:
        if not self.table.several_doubt:
            return super().rows()
        return (row for rows in self.table.keys_by_model if rows.cards for row in rows.parts)

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        if not self.table.several_doubt or self.row_of(violation).forced:
            yield from super().findings(this, violation, pod)
        else:
            name = written_name(violation.value_at, violation.name)
            message = msg("{key} is for several cards: {why}", key=name, why=self.table.several_doubt)
            yield this.diagnostic(
                violation.value_at, message, "request one card, or whole cards", on_key=True
            )


RULE_TYPES: tuple[type[RowRule], ...] = (
    SeveralCardsOfHamiRule,
    PodRecordRule,
    OneCardRule,
    SkippedByWebhookRule,
)
