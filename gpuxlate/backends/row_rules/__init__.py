"""The rules that follow from the rows of a dialect: one of each kind, with the same number everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from gpuxlate.backends.row_rules.base import RowRule
from gpuxlate.backends.row_rules.names import (
    CardModelRule,
    ExcludedKeyRule,
    KnownWordRule,
    MisspeltWordRule,
    NeededKeyRule,
    SingleNameRule,
    VersionRule,
)
from gpuxlate.backends.row_rules.numbers import (
    AmountRule,
    IgnoredMemoryRule,
    NumberRule,
    SizeRule,
    UncertainValueRule,
)
from gpuxlate.backends.row_rules.pods import (
    ComputeNeededRule,
    InitContainerRule,
    NodeFitRule,
    SchedulerRule,
    SeveralCardsRule,
)
from gpuxlate.backends.rows import KeyTable, RuleKind, RuleRow
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import Context, Rule, Scope
from gpuxlate.rules.predicates import IsInit, Violation

ROW_RULE_TYPES: tuple[type[RowRule], ...] = (
    NumberRule,
    NeededKeyRule,
    ExcludedKeyRule,
    KnownWordRule,
    SingleNameRule,
    SchedulerRule,
    SeveralCardsRule,
    NodeFitRule,
    ComputeNeededRule,
    SizeRule,
    InitContainerRule,
    CardModelRule,
    UncertainValueRule,
    IgnoredMemoryRule,
    AmountRule,
    MisspeltWordRule,
    VersionRule,
)
"""The kinds that any dialect may have, in the order of their numbers."""
ROW_RULES: Mapping[int, type[RowRule]] = {rule_type.kind: rule_type for rule_type in ROW_RULE_TYPES}


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

    @cached_property
    def sections(self) -> dict[str, str]:
        return self._of.sections()


def rules_of_rows(table: KeyTable, extra_types: Iterable[type[RowRule]] = ()) -> Iterator[Rule]:
    """The rules of its rows: one of each kind that applies, or those that it lists.

    ``extra_types``: kinds that the dialect alone has, or has in place of the usual ones with their numbers.
    """
    rule_types = {**ROW_RULES, **{rule_type.kind: rule_type for rule_type in extra_types}}
    usual = (RuleRow(kind) for kind in rule_types if kind != RuleKind.KNOWN_VALUE)
    for row in usual if table.row_rules is None else table.row_rules:
        row_rule = rule_types[row.kind](table, row.keys, row.why)
        if row_rule.applies():
            also = rule_types[row.also](table, row.keys) if row.also else row_rule
            yield _rule(table, row, row_rule, also)


def _rule(table: KeyTable, row: RuleRow, kind: RowRule, other: RowRule) -> Rule:
    constraints = tuple(kind.constraints())
    # what is to say of init containers that can have no share, InitContainerRule says
    if not table.init_containers and not isinstance(kind, InitContainerRule):
        constraints = tuple(
            replace(constraint, when=constraint.when & ~IsInit()) if constraint.per_container else constraint
            for constraint in constraints
        )
    cluster = other.in_cluster()
    more = other.extra_findings if other.finds_more() and (constraints or cluster) else None

    def word(this: Rule, violation: Violation, pod: PodKeys, _: Context) -> Iterator[Diagnostic]:
        return kind.findings(this, violation, pod)

    severities = {constraint.severity for constraint in constraints}
    usual = severities.pop() if len(severities) == 1 else None
    return WrittenRule(
        row.code or f"{table.rule_prefix}{kind.kind:03d}",
        row.severity or usual or kind.severity,
        Scope.POD,
        kind.fixes(),
        word if constraints else kind.check_pod,
        kind.missing,
        constraints,
        more,
        other.no_policy if more or not (constraints or cluster) else "",
        with_profile=cluster,
        keys=kind.keys_about(),
        kind=kind,
    )
