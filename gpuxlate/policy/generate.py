"""The policies of a cluster: of each dialect, scope and severity."""

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
from gpuxlate.policy.demands import ENFORCED, OF_WORKLOADS, Demand, Selected, demands, names_here, unenforced
from gpuxlate.policy.deny_backend import forbidding, forbidding_claims
from gpuxlate.policy.documents import AdmissionPolicy, BackendDemands, policies, validating_policy
from gpuxlate.policy.markers import is_recognized
from gpuxlate.policy.names import names_policy
from gpuxlate.policy.style import PolicyObject, PolicyStyle
from gpuxlate.policy.subjects import PodSubject, PodTemplates, PolicySubject
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Rule
from gpuxlate.rules.predicates import Constraint, Predicate


class PolicyScope(StrEnum):
    """What policies look at."""

    PODS = "pods"
    WORKLOADS = "workloads"
    ALL = "all"


class PolicyEngine(StrEnum):
    """The engine that evaluates them."""

    VAP = "vap"
    KYVERNO = "kyverno"


@record
class PolicyOptions:
    """What policies are asked for. ``custom``: workloads that are custom resources too. ``parameters``: the
    numbers of the cluster are in an object that policies read, not in their expressions."""

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
        """Pods are looked at."""
        return self.scope in (PolicyScope.PODS, PolicyScope.ALL)

    @property
    def of_workloads(self) -> bool:
        """Workloads are looked at."""
        return self.scope in (PolicyScope.WORKLOADS, PolicyScope.ALL)

    @property
    def kinds(self) -> tuple[ObjectKind, ...]:
        """The workloads that are custom resources, where they are looked at."""
        return CUSTOM if self.custom else ()


def enforcing(backends: Sequence[Backend], wish: PolicyOptions) -> Iterator[AdmissionPolicy]:
    """The policies of the rules of dialects. Of one that no policy can recognize there are names alone."""
    backend_demands = [
        demanded
        for backend in backends
        if is_recognized(backend)
        for demanded in _demands_by_parameters(backend, wish)
    ]
    for suffix in dict.fromkeys(demanded.subject.suffix for demanded in backend_demands):
        of_subject = [demanded for demanded in backend_demands if demanded.subject.suffix == suffix]
        for severity in ENFORCED:
            yield from policies(of_subject, severity, wish.style)
    yield from _on_names(backends, wish)


def _on_names(backends: Sequence[Backend], wish: PolicyOptions) -> Iterator[AdmissionPolicy]:
    """The policies on the names of keys, which look at the pods of all dialects at once."""
    others = {backend.name: names_here(wish.profile_of(backend)) for backend in backends}
    subjects: list[PolicySubject] = []
    if wish.of_pods:
        subjects.append(PodSubject(backends[0]))
    if wish.of_workloads:
        detectors = (backend.detector for backend in backends)
        speaking = tuple(Constraint(detector) for detector in detectors if isinstance(detector, Predicate))
        subjects.append(PodTemplates(backends[0], speaking, custom=wish.kinds, chosen="true"))
    for subject in subjects:
        policy = names_policy(subject, backends, others, wish.selected, wish.style)
        if policy is not None:
            yield policy


def _demands_by_parameters(backend: Backend, wish: PolicyOptions) -> Iterator[BackendDemands]:
    """What a dialect demands, of pods and of workloads, apart where it reads parameters."""
    profile = wish.profile_of(backend)
    every = demands(backend, profile, wish.selected, reads=wish.parameters)
    of_cards = tuple(demand for demand in every if demand.parameters)
    for some in (
        tuple(demand for demand in every if not demand.parameters),
        *([of_cards] if of_cards else []),
    ):
        for subject in _subjects(backend, some, wish):
            yield BackendDemands(subject, some)


def _subjects(backend: Backend, demanded: Sequence[Demand], wish: PolicyOptions) -> Iterator[PolicySubject]:
    others = names_here(wish.profile_of(backend))
    if wish.of_pods:
        yield PodSubject(backend, others)
    if wish.of_workloads:
        constraints = tuple(demand.constraint for demand in demanded)
        compared = wish.selected(OF_WORKLOADS.code) and bool(backend.rules)
        yield PodTemplates(backend, constraints, others, wish.kinds, compared)


def deny_policies(backends: Sequence[Backend], wish: PolicyOptions) -> Iterator[AdmissionPolicy]:
    """The policies against the keys of dialects, and against claims of their devices."""
    for backend in backends:
        subjects: list[PolicySubject] = [PodSubject(backend)] if wish.of_pods else []
        subjects += [PodTemplates(backend, (), (), wish.kinds)] if wish.of_workloads else []
        policies_of_keys = (forbidding(subject, wish.style) for subject in subjects)
        yield from (policy for policy in policies_of_keys if policy is not None)
        if wish.of_pods:
            yield from forbidding_claims(backend, wish.style)


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


class Explained(NamedTuple):
    """One rule, and why it is enforced in part or not at all."""

    rule: Rule
    enforced: Enforced
    why: str = ""


def explained(backends: Sequence[Backend]) -> Iterator[Explained]:
    """The rules of the dialects and those of all, in the order of their codes."""
    rules = {rule.code: rule for rule in catalog.neutral_rules()}
    rules |= {rule.code: rule for backend in backends for rule in backend.rules}
    for code in sorted(rules):
        yield explain(rules[code])


def explain(rule: Rule) -> Explained:
    """One rule."""
    why = unenforced(rule)
    if why:
        return Explained(rule, Enforced.NO, why)
    if rule is OF_WORKLOADS:
        return Explained(rule, Enforced.WORKLOADS, msg("a pod does not show what its workload has"))
    of_profile = rule.with_profile if not rule.constraints else None
    if rule.no_policy:
        reason = msg(rule.no_policy)
        if of_profile is not None:
            reason = msg("with parameters: {why}; {more}", why=msg(of_profile.why), more=reason)
        return Explained(rule, Enforced.PARTLY, reason)
    if of_profile is not None:
        return Explained(rule, Enforced.PARAMETERS, msg(of_profile.why))
    more = msg("more with --parameters: {why}", why=rule.with_profile.why) if rule.with_profile else ""
    return Explained(rule, Enforced.PODS, more)
