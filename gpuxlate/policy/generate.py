"""The policies of a cluster: of each dialect, scope and severity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.manifest.kinds import CUSTOM, ObjectKind
from gpuxlate.model.profile import Profile
from gpuxlate.policy.demands import ENFORCED, OF_WORKLOADS, Demand, Selected, demands, names_here
from gpuxlate.policy.documents import Asked, Object, Policy, Style, policies
from gpuxlate.policy.forbidden import forbidding, forbidding_claims
from gpuxlate.policy.kyverno import validating_policy
from gpuxlate.policy.subjects import Pods, Subject, Templates
from gpuxlate.policy.translation.policies import Translating
from gpuxlate.rules.predicates.conditions import Condition


class Scope(StrEnum):
    """What policies look at."""

    PODS = "pods"
    WORKLOADS = "workloads"
    ALL = "all"


class Format(StrEnum):
    """The engine that evaluates them."""

    VAP = "vap"
    KYVERNO = "kyverno"


@dataclass(frozen=True)
class Wish:
    """What policies are asked for. ``custom``: workloads that are custom resources too. ``parameters``: the
    numbers of the cluster are in an object that policies read, not in their expressions."""

    selected: Selected
    style: Style = field(default_factory=Style)
    scope: Scope = Scope.PODS
    custom: bool = False
    profiles: tuple[Profile, ...] = ()
    parameters: bool = False

    def profile_of(self, backend: Backend) -> Profile | None:
        """The profile of a dialect's cluster."""
        return next((one for one in self.profiles if registry.get(one.target) is backend), None)

    @property
    def kinds(self) -> tuple[ObjectKind, ...]:
        return CUSTOM if self.custom else ()


def enforcing(backends: Sequence[Backend], wish: Wish) -> Iterator[Policy]:
    """The policies of the rules of dialects. One that no policy can recognize has none."""
    found = [asked for one in backends if _is_recognized(one) for asked in _asked(one, wish)]
    for suffix in dict.fromkeys(one.subject.suffix for one in found):
        mine = [one for one in found if one.subject.suffix == suffix]
        for severity in ENFORCED:
            yield from policies(mine, severity, wish.style)


def _is_recognized(backend: Backend) -> bool:
    return backend.detector is None or isinstance(backend.detector, Condition)


def _asked(backend: Backend, wish: Wish) -> Iterator[Asked]:
    """What a dialect demands, of pods and of workloads, apart where it reads parameters."""
    profile = wish.profile_of(backend)
    every = demands(backend, profile, wish.selected, reads=wish.parameters)
    of_cards = tuple(one for one in every if one.parameters)
    for some in (tuple(one for one in every if not one.parameters), *([of_cards] if of_cards else [])):
        for subject in _subjects(backend, some, wish):
            yield Asked(subject, some)


def _subjects(backend: Backend, asked: Sequence[Demand], wish: Wish) -> Iterator[Subject]:
    others = names_here(wish.profile_of(backend))
    if wish.scope is not Scope.WORKLOADS:
        yield Pods(backend, others)
    if wish.scope is not Scope.PODS:
        predicates = tuple(one.predicate for one in asked)
        compared = wish.selected(OF_WORKLOADS.code) and bool(backend.rules)
        yield Templates(backend, predicates, others, wish.kinds, compared)


def freezing(backends: Sequence[Backend], wish: Wish) -> Iterator[Policy]:
    """The policies against the keys of dialects, and against claims of their devices."""
    for backend in backends:
        subjects: list[Subject] = [Pods(backend)] if wish.scope is not Scope.WORKLOADS else []
        subjects += [Templates(backend, (), (), wish.kinds)] if wish.scope is not Scope.PODS else []
        found = (forbidding(subject, wish.style) for subject in subjects)
        yield from (one for one in found if one is not None)
        if wish.scope is not Scope.WORKLOADS:
            yield from forbidding_claims(backend, wish.style)


def documents(found: Sequence[Policy | Translating], form: Format) -> Iterator[Object]:
    """The objects to apply, in a fixed order: parameters before the policies that read them."""
    parameters: dict[str, Object] = {}
    for one in found if form is Format.VAP else ():
        if isinstance(one, Policy) and one.parameters:
            data = parameters.setdefault(one.target, one.config_map)["data"]
            data |= one.parameters
    yield from parameters.values()
    for one in found:
        if form is Format.KYVERNO and isinstance(one, Policy):
            yield validating_policy(one)
        else:
            yield from one.documents()
