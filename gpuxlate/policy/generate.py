"""The policies of a cluster: of each dialect, scope and severity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from enum import StrEnum
from typing import NamedTuple

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
from gpuxlate.policy.style import Object, PolicyStyle
from gpuxlate.policy.subjects import Pods, PodTemplates, Subject
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Rule
from gpuxlate.rules.predicates import Constraint, Predicate


class PolicyScope(StrEnum):
    """What policies look at."""

    PODS = "pods"
    WORKLOADS = "workloads"
    ALL = "all"


class Format(StrEnum):
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
        return next((one for one in self.profiles if registry.get(one.target) is backend), None)

    @property
    def kinds(self) -> tuple[ObjectKind, ...]:
        return CUSTOM if self.custom else ()


def enforcing(backends: Sequence[Backend], wish: PolicyOptions) -> Iterator[AdmissionPolicy]:
    """The policies of the rules of dialects. Of one that no policy can recognize there are names alone."""
    found = [asked for one in backends if is_recognized(one) for asked in _asked(one, wish)]
    for suffix in dict.fromkeys(one.subject.suffix for one in found):
        mine = [one for one in found if one.subject.suffix == suffix]
        for severity in ENFORCED:
            yield from policies(mine, severity, wish.style)
    yield from _on_names(backends, wish)


def _on_names(backends: Sequence[Backend], wish: PolicyOptions) -> Iterator[AdmissionPolicy]:
    """The policies on the names of keys, which look at the pods of all dialects at once."""
    others = {backend.name: names_here(wish.profile_of(backend)) for backend in backends}
    subjects: list[Subject] = []
    if wish.scope is not PolicyScope.WORKLOADS:
        subjects.append(Pods(backends[0]))
    if wish.scope is not PolicyScope.PODS:
        detectors = (backend.detector for backend in backends)
        speaking = tuple(Constraint(one) for one in detectors if isinstance(one, Predicate))
        subjects.append(PodTemplates(backends[0], speaking, custom=wish.kinds, chosen="true"))
    for subject in subjects:
        found = names_policy(subject, backends, others, wish.selected, wish.style)
        if found is not None:
            yield found


def _asked(backend: Backend, wish: PolicyOptions) -> Iterator[BackendDemands]:
    """What a dialect demands, of pods and of workloads, apart where it reads parameters."""
    profile = wish.profile_of(backend)
    every = demands(backend, profile, wish.selected, reads=wish.parameters)
    of_cards = tuple(one for one in every if one.parameters)
    for some in (tuple(one for one in every if not one.parameters), *([of_cards] if of_cards else [])):
        for subject in _subjects(backend, some, wish):
            yield BackendDemands(subject, some)


def _subjects(backend: Backend, asked: Sequence[Demand], wish: PolicyOptions) -> Iterator[Subject]:
    others = names_here(wish.profile_of(backend))
    if wish.scope is not PolicyScope.WORKLOADS:
        yield Pods(backend, others)
    if wish.scope is not PolicyScope.PODS:
        constraints = tuple(one.constraint for one in asked)
        compared = wish.selected(OF_WORKLOADS.code) and bool(backend.rules)
        yield PodTemplates(backend, constraints, others, wish.kinds, compared)


def deny_policies(backends: Sequence[Backend], wish: PolicyOptions) -> Iterator[AdmissionPolicy]:
    """The policies against the keys of dialects, and against claims of their devices."""
    for backend in backends:
        subjects: list[Subject] = [Pods(backend)] if wish.scope is not PolicyScope.WORKLOADS else []
        subjects += [PodTemplates(backend, (), (), wish.kinds)] if wish.scope is not PolicyScope.PODS else []
        found = (forbidding(subject, wish.style) for subject in subjects)
        yield from (one for one in found if one is not None)
        if wish.scope is not PolicyScope.WORKLOADS:
            yield from forbidding_claims(backend, wish.style)


def documents(found: Sequence[AdmissionPolicy], form: Format) -> Iterator[Object]:
    """The objects to apply, in a fixed order: parameters before the policies that read them."""
    parameters: dict[str, Object] = {}
    for one in found if form is Format.VAP else ():
        if one.parameters:
            data = parameters.setdefault(one.target, one.config_map)["data"]
            data |= one.parameters
    yield from parameters.values()
    for one in found:
        if form is Format.KYVERNO:
            yield validating_policy(one)
        else:
            yield from one.documents()


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
    known = {one.code: one for one in catalog.neutral_rules()}
    known |= {one.code: one for backend in backends for one in backend.rules}
    for code in sorted(known):
        yield explain(known[code])


def explain(rule: Rule) -> Explained:
    """One rule."""
    why = unenforced(rule)
    if why:
        return Explained(rule, Enforced.NO, why)
    if rule is OF_WORKLOADS:
        return Explained(rule, Enforced.WORKLOADS, msg("a pod does not show what its workload has"))
    of_profile = rule.with_profile if not rule.constraints else None
    if rule.no_policy:
        found = msg(rule.no_policy)
        if of_profile is not None:
            found = msg("with parameters: {why}; {more}", why=msg(of_profile.why), more=found)
        return Explained(rule, Enforced.PARTLY, found)
    if of_profile is not None:
        return Explained(rule, Enforced.PARAMETERS, msg(of_profile.why))
    more = msg("with parameters more: {why}", why=rule.with_profile.why) if rule.with_profile else ""
    return Explained(rule, Enforced.PODS, more)
