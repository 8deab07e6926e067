"""The kinds of rules on the rows of Koordinator that differ from the usual: its webhook writes over keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gpuxlate.backends.row_rules.base import RowRule
from gpuxlate.backends.row_rules.names import ExcludedKeyRule
from gpuxlate.backends.row_rules.numbers import NumberRule
from gpuxlate.backends.row_rules.pods import SchedulerRule
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.keys import KeySpec, Place
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import PodKeys
from gpuxlate.rules.base import PodExample, Rule
from gpuxlate.rules.predicates import (
    Constraint,
    ContainersAtMost,
    IsInit,
    Predicate,
    Requests,
    Violation,
)


class OverwrittenNumberRule(NumberRule):
    """Numbers, but for those that the webhook writes over: BOTH over CORE and RATIO (HOOK)."""

    skips_overridden = True


class OverwrittenKeyRule(ExcludedKeyRule):
    """Keys that do not go together, and those that the webhook writes over, which is no error."""

    overridden_severity = Severity.WARNING


class ColocationSchedulerRule(SchedulerRule):
    """The scheduler, which an object may set in the pods that it selects (website, colocation-profile.md)."""

    set_by = "ClusterColocationProfile"


class OneShareRule(RowRule):
    """Pods whose containers have one share together."""

    kind, name = 13, "one-container-has-the-share"
    summary = "At most one container of a pod requests {any_key}."
    description = "Reports {keys} in a second container of the pod."
    usual_why = "The requests of all containers are added up, and each container gets the limits of all."

    def rows(self) -> Iterable[KeySpec]:
        return (
            row
            for row in self.table.keys
            if self.table.one_share_per_pod and row.unit and Place.RESOURCE in row.places
        )

    def constraints(self) -> Iterable[Constraint]:
        names = tuple(row.name for row in self.subject_rows if not row.whole)
        yield Constraint(ContainersAtMost(self._shares(names), 1), keys=names, per_container=False)

    def _shares(self, names: Iterable[str]) -> Predicate:
        """A container has a share; the rule on init containers reports those that can have none."""
        asks = Requests(*names)
        return asks if self.table.init_containers else asks & ~IsInit()

    def findings(self, this: Rule, violation: Violation, pod: PodKeys) -> Iterator[Diagnostic]:
        names = [row.name for row in self.subject_rows if not row.whole]
        sharing = self._shares(names).containers(pod)
        for container in sharing[1:]:
            value = next(container.resources[name] for name in names if name in container.resources)
            message = msg(
                "{count} containers of the pod request a share, which is the pod's", count=len(sharing)
            )
            yield this.diagnostic(value, message, "use a separate pod for each container", on_key=True)

    def example(self) -> PodExample:
        good = self.instead()
        return replace(good, limits=(good.limits[0], good.limits[0]))


RULE_TYPES: tuple[type[RowRule], ...] = (
    OverwrittenNumberRule,
    OverwrittenKeyRule,
    ColocationSchedulerRule,
    OneShareRule,
)
