"""The kind of rule on the rows of MetaX that differs from the usual: online pods need no compute."""

from __future__ import annotations

from gpuxlate.backends import hami_rules
from gpuxlate.backends.row_rules.base import RowRule
from gpuxlate.backends.row_rules.pods import ComputeNeededRule
from gpuxlate.rules.predicates import IsAnnotated, Not, Predicate


class OfflineComputeRule(ComputeNeededRule):
    """Compute that is not set, in pods that are not online: those compete for it (METAX021)."""

    summary = "A container with {memory} also sets {any_key}, unless the pod is `online`."

    @property
    def when(self) -> Predicate:
        app_class = next(row.name for row in self.table.keys if row.sets == "qos")
        return Not(IsAnnotated(app_class, "online"))


RULE_TYPES: tuple[type[RowRule], ...] = (*hami_rules.RULE_TYPES, OfflineComputeRule)
