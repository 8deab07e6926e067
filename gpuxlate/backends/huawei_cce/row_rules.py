"""The kinds of rules on the rows of Huawei CCE that others do not have: a label counts cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gpuxlate.backends.row_rules.base import RowRule
from gpuxlate.backends.row_rules.numbers import IgnoredMemoryRule
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.keys import KeySpec, Place
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.rules.base import PodExample, Rule
from gpuxlate.rules.predicates import Constraint, Labelled, Violation


class FullCardMemoryRule(IgnoredMemoryRule):
    """Memory beside all compute of a card, which is the whole card (VIRTUAL)."""

    full_is_whole = True


class CardCountRule(RowRule):
    """Labels of the pod that count cards."""

    kind, name = 17, "label-counts-cards"
    summary = "The label {any_key} is a whole number of at least 1."
    description = "Reports {keys} with another value than a whole number of at least 1."
    usual_why = "The label is ignored, or the pod is refused: its containers get no part of several cards."

    def rows(self) -> Iterable[KeySpec]:
        return (row for row in self.table.keys if Place.LABEL in row.places and row.ranges)

    def constraints(self) -> Iterable[Constraint]:
        for row in self.subject_rows:
            yield Constraint(
                Labelled(row.name, *row.ranges), Labelled(row.name), (row.name,), per_container=False
            )

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        message = msg(
            "{key} is {value!r}, which is not a number of cards",
            key=violation.name,
            value=violation.value_at.text,
        )
        yield this.diagnostic(violation.value_at, message, "write a whole number of at least 1, in quotes")

    def example(self) -> PodExample:
        return self._with("two")

    def instead(self) -> PodExample:
        return self._with("1")

    def _with(self, text: str) -> PodExample:
        good = self.share()
        return replace(good, labels={**good.labels, self.subject_rows[0].name: Value.of(text)})


RULE_TYPES: tuple[type[RowRule], ...] = (FullCardMemoryRule, CardCountRule)
