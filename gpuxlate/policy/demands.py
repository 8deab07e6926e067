"""Which rules a cluster can enforce for a dialect, and what they demand; of the others, why not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.messages import say
from gpuxlate.model.profile import Profile, renamed_by
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Rule, Scope
from gpuxlate.rules.metadata import steering_is_on_the_pod
from gpuxlate.rules.predicates.conditions import Parameter
from gpuxlate.rules.predicates.parameters import numbers_in, parameters_in, with_parameters
from gpuxlate.rules.predicates.predicate import Predicate

ENFORCED = (Severity.ERROR, Severity.WARNING)
"""A cluster says nothing of an info: a pod with one is right."""
OF_WORKLOADS = steering_is_on_the_pod
"""The rule that compares a workload with its pod template (K8S005)."""
Selected = Callable[[str], bool]


@dataclass(frozen=True)
class Demand:
    """One predicate of a rule, and how severe a breach of it is."""

    rule: Rule
    predicate: Predicate
    severity: Severity

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The numbers of the cluster that it reads from the parameters of its policy."""
        return parameters_in((self.predicate.must, self.predicate.when))

    @property
    def numbers(self) -> tuple[Parameter, ...]:
        """The numbers of the cluster that are in it."""
        found = numbers_in((self.predicate.must, self.predicate.when))
        return tuple(one for one in found if not one.read)


def demands(
    backend: Backend, profile: Profile | None, selected: Selected, *, reads: bool = False
) -> tuple[Demand, ...]:
    """What the rules demand of pods of a dialect, in the order of the codes.

    ``profile``: of the cluster, which may count in other units and call resources by other names. ``reads``:
    the numbers of the cluster are parameters of the policies.
    """
    names = _names(backend, profile)
    found: list[Demand] = []
    for rule in (*catalog.neutral_pod_rules(), *backend.rules):
        if not selected(rule.code):
            continue
        if rule.predicates_of is not None:
            listed = [*_of_dialects(rule, backend, profile)]
        else:
            listed = [*rule.predicates, *_in_cluster(rule, profile)]
        for one in listed:
            known = one.known_as(names) if names else one
            if reads:
                must, when = with_parameters(known.must), with_parameters(known.when)
                known = replace(known, must=must, when=when)
            found.append(Demand(rule, known, one.severity or rule.severity))
    return tuple(one for one in found if one.severity in ENFORCED)


def _names(backend: Backend, profile: Profile | None) -> Mapping[str, tuple[str, ...]]:
    """All names of resources by that of the data sheet, where the cluster has names of its own."""
    listed = [one.by_key for one in profile.extensions] if profile else []
    here = {known: name for one in listed for known, name in one.items() if known != name}
    if not here:
        return {}
    rows = [row for row in backend.keys if row.aliases or row.name in here]
    return {row.name: (*row.aliases, *([here[row.name]] if row.name in here else [])) for row in rows}


def names_here(profile: Profile | None) -> tuple[str, ...]:
    """The names that resources have in the cluster, where these are not those of the data sheet."""
    return () if profile is None else tuple(renamed_by(profile))


def _in_cluster(rule: Rule, profile: Profile | None) -> tuple[Predicate, ...]:
    """What a rule demands in the cluster of a profile."""
    of_profile = rule.with_profile
    return () if profile is None or of_profile is None else of_profile.predicates(profile)


def _of_dialects(rule: Rule, backend: Backend, profile: Profile | None) -> Iterator[Predicate]:
    """The predicates of a rule over all dialects that are about a resource of this one."""
    assert rule.predicates_of is not None
    for one in rule.predicates_of(registry.pod_backends(), profile):
        if any(name in backend.resource_keys for name in one.at):
            yield one


def unenforced(rule: Rule) -> str:
    """Why no policy demands what a rule does; empty where one does."""
    severities = [one.severity or rule.severity for one in rule.predicates]
    if rule.predicates_of is not None or (rule.with_profile is not None and not severities):
        severities = [rule.severity]
    if severities:
        enforced = any(one in ENFORCED for one in severities)
        return "" if enforced else say("it is an info: a pod that breaks it is right")
    return "" if rule is OF_WORKLOADS else rule.no_policy or say("no policy is made of it yet")


def rules_of(backend: Backend) -> tuple[Rule, ...]:
    """The rules that lint applies to pods of a dialect."""
    beside = [one for one in catalog.neutral_rules() if one.scope in (Scope.POD, Scope.DOCUMENT)]
    return (*beside, *backend.rules)
