"""The policies of a cluster, for each dialect, scope and severity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from enum import StrEnum
from typing import NamedTuple, assert_never

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.manifest.kinds import CUSTOM, ObjectKind
from gpuxlate.model.declarations import record
from gpuxlate.model.messages import msg
from gpuxlate.model.profile import Profile
from gpuxlate.policy.demands import (
    ENFORCED,
    OF_WORKLOADS,
    Demand,
    Selected,
    demands,
    names_here,
    why_unenforced,
)
from gpuxlate.policy.deny_backend import claim_denial_policies, key_denial_policy
from gpuxlate.policy.documents import AdmissionPolicy, BackendDemands, policies, validating_policy
from gpuxlate.policy.markers import is_recognized
from gpuxlate.policy.names import names_policy
from gpuxlate.policy.style import PolicyObject, PolicyStyle
from gpuxlate.policy.subjects import PodSubject, PodTemplates, PolicySubject
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Rule
from gpuxlate.rules.predicates import Constraint, Predicate


class PolicyScope(StrEnum):
    """The objects that policies check."""

    PODS = "pods"
    WORKLOADS = "workloads"
    ALL = "all"


class PolicyEngine(StrEnum):
    """The engine that evaluates policies."""

    VAP = "vap"
    KYVERNO = "kyverno"


@record
class PolicyOptions:
    """The options of generated policies.

    ``custom``: check workloads that are custom resources too. ``parameters``: the numbers of the cluster are
    in an object that policies read, not in their expressions.
    """

    selected: Selected
    style: PolicyStyle = field(default_factory=PolicyStyle)
    scope: PolicyScope = PolicyScope.PODS
    custom: bool = False
    profiles: tuple[Profile, ...] = ()
    parameters: bool = False

    def profile_of(self, backend: Backend) -> Profile | None:
        """The profile of a dialect's cluster."""
        return next((profile for profile in self.profiles if registry.get(profile.target) is backend), None)

    @property
    def of_pods(self) -> bool:
        """Policies check pods."""
        return self.scope in (PolicyScope.PODS, PolicyScope.ALL)

    @property
    def of_workloads(self) -> bool:
        """Policies check workloads."""
        return self.scope in (PolicyScope.WORKLOADS, PolicyScope.ALL)

    @property
    def kinds(self) -> tuple[ObjectKind, ...]:
        """The kinds of custom resources that policies check."""
        return CUSTOM if self.custom else ()


def enforcement_policies(backends: Sequence[Backend], options: PolicyOptions) -> Iterator[AdmissionPolicy]:
    """The policies that enforce the rules of dialects.

    For a dialect that no policy can recognize, only the policy on the names of keys.
    """
    backend_demands = [
        demanded
        for backend in backends
        if is_recognized(backend)
        for demanded in _demands_by_parameters(backend, options)
    ]
    for suffix in dict.fromkeys(demanded.subject.suffix for demanded in backend_demands):
        of_subject = [demanded for demanded in backend_demands if demanded.subject.suffix == suffix]
        for severity in ENFORCED:
            yield from policies(of_subject, severity, options.style)
    yield from _on_names(backends, options)


def _on_names(backends: Sequence[Backend], options: PolicyOptions) -> Iterator[AdmissionPolicy]:
    """The policies on the names of keys; each checks the pods of all dialects."""
    others = {backend.name: names_here(options.profile_of(backend)) for backend in backends}
    subjects: list[PolicySubject] = []
    if options.of_pods:
        subjects.append(PodSubject(backends[0]))
    if options.of_workloads:
        detectors = (backend.detector for backend in backends)
        speaking = tuple(Constraint(detector) for detector in detectors if isinstance(detector, Predicate))
        subjects.append(PodTemplates(backends[0], speaking, custom=options.kinds, chosen="true"))
    for subject in subjects:
        policy = names_policy(subject, backends, others, options.selected, options.style)
        if policy is not None:
            yield policy


def _demands_by_parameters(backend: Backend, options: PolicyOptions) -> Iterator[BackendDemands]:
    """The demands of a dialect on pods and on workloads; demands that read parameters are separate."""
    profile = options.profile_of(backend)
    all_demands = demands(backend, profile, options.selected, reads=options.parameters)
    of_cards = tuple(demand for demand in all_demands if demand.parameters)
    for demands_of_policy in (
        tuple(demand for demand in all_demands if not demand.parameters),
        *([of_cards] if of_cards else []),
    ):
        for subject in _subjects(backend, demands_of_policy, options):
            yield BackendDemands(subject, demands_of_policy)


def _subjects(
    backend: Backend, demanded: Sequence[Demand], options: PolicyOptions
) -> Iterator[PolicySubject]:
    others = names_here(options.profile_of(backend))
    if options.of_pods:
        yield PodSubject(backend, others)
    if options.of_workloads:
        constraints = tuple(demand.constraint for demand in demanded)
        compared = options.selected(OF_WORKLOADS.code) and bool(backend.rules)
        yield PodTemplates(backend, constraints, others, options.kinds, compared)


def deny_policies(backends: Sequence[Backend], options: PolicyOptions) -> Iterator[AdmissionPolicy]:
    """The policies that deny the keys of dialects, and claims of their devices."""
    for backend in backends:
        subjects: list[PolicySubject] = [PodSubject(backend)] if options.of_pods else []
        subjects += [PodTemplates(backend, (), (), options.kinds)] if options.of_workloads else []
        policies_of_keys = (key_denial_policy(subject, options.style) for subject in subjects)
        yield from (policy for policy in policies_of_keys if policy is not None)
        if options.of_pods:
            yield from claim_denial_policies(backend, options.style)


def policy_documents(
    admission_policies: Sequence[AdmissionPolicy], form: PolicyEngine
) -> Iterator[PolicyObject]:
    """The objects to apply, in a fixed order: parameters before the policies that read them."""
    match form:
        case PolicyEngine.VAP:
            parameters: dict[str, PolicyObject] = {}
            for policy in admission_policies:
                if policy.parameters:
                    data = parameters.setdefault(policy.target, policy.config_map)["data"]
                    data |= policy.parameters
            yield from parameters.values()
            for policy in admission_policies:
                yield from policy.documents()
        case PolicyEngine.KYVERNO:
            yield from map(validating_policy, admission_policies)
        case _:
            assert_never(form)


# Every rule: whether a cluster can enforce it, where, and why not.
class Enforced(StrEnum):
    """Where a cluster enforces a rule."""

    PODS = "pods, workloads"
    PARTLY = "in part"
    WORKLOADS = "workloads"
    PARAMETERS = "with parameters"
    NO = "no"


class EnforcedRule(NamedTuple):
    """One rule, and why it is enforced in part or not at all."""

    rule: Rule
    enforced: Enforced
    why: str = ""


def enforced_rules(backends: Sequence[Backend]) -> Iterator[EnforcedRule]:
    """The rules of the dialects and those of all, in the order of their codes."""
    rules = {rule.code: rule for rule in catalog.neutral_rules()}
    rules |= {rule.code: rule for backend in backends for rule in backend.rules}
    for code in sorted(rules):
        yield enforced_rule(rules[code])


def enforced_rule(rule: Rule) -> EnforcedRule:
    """One rule."""
    why = why_unenforced(rule)
    if why:
        return EnforcedRule(rule, Enforced.NO, why)
    if rule is OF_WORKLOADS:
        return EnforcedRule(rule, Enforced.WORKLOADS, msg("a pod does not show what its workload has"))
    of_profile = rule.with_profile if not rule.constraints else None
    if rule.no_policy:
        reason = msg(rule.no_policy)
        if of_profile is not None:
            reason = msg("with parameters: {why}; {more}", why=msg(of_profile.why), more=reason)
        return EnforcedRule(rule, Enforced.PARTLY, reason)
    if of_profile is not None:
        return EnforcedRule(rule, Enforced.PARAMETERS, msg(of_profile.why))
    more = msg("more with --parameters: {why}", why=rule.with_profile.why) if rule.with_profile else ""
    return EnforcedRule(rule, Enforced.PODS, more)
