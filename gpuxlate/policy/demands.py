"""The rules that a cluster can enforce for a dialect, and what they demand; for the others, why it cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.keys import Range
from gpuxlate.model.messages import msg
from gpuxlate.model.pod import DEFAULT_SCHEDULER
from gpuxlate.model.profile import Profile, renamed_by
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Rule, Scope
from gpuxlate.rules.keys import key_is_known, key_is_where_it_takes_effect
from gpuxlate.rules.kubernetes import container_asks_one_vendor, steering_is_on_the_pod
from gpuxlate.rules.predicates import (
    AllOf,
    AnyOf,
    ClusterParameter,
    Constraint,
    InRange,
    IsAnnotated,
    Labelled,
    NodeLabelAmong,
    Not,
    Predicate,
    Requests,
    SchedulerIs,
    Word,
    numbers_in,
    parameters_in,
    with_parameters,
)

ENFORCED = (Severity.ERROR, Severity.WARNING)
"""A cluster says nothing of an info: a pod with one is right."""
OF_WORKLOADS = steering_is_on_the_pod
"""The rule that compares a workload with its pod template (K8S005)."""
OF_NAMES = (key_is_known, key_is_where_it_takes_effect, container_asks_one_vendor)
"""The rules on the names of keys (GX003, GX013, K8S007)."""
Selected = Callable[[str], bool]


@record
class Demand:
    """One constraint of a rule, with the severity of a violation."""

    rule: Rule
    constraint: Constraint
    severity: Severity

    @property
    def parameters(self) -> tuple[ClusterParameter, ...]:
        """The numbers of the cluster that the demand reads from the parameters of its policy."""
        return parameters_in((self.constraint.must, self.constraint.when))

    @property
    def numbers(self) -> tuple[ClusterParameter, ...]:
        """The numbers of the cluster in the demand."""
        numbers = numbers_in((self.constraint.must, self.constraint.when))
        return tuple(number for number in numbers if not number.read)


def demands(
    backend: Backend, profile: Profile | None, selected: Selected, *, reads: bool = False
) -> tuple[Demand, ...]:
    """The demands of the rules on pods of a dialect, in the order of the codes.

    ``profile``: of the cluster, which may have other units and other names of resources. ``reads``: the
    policies read the numbers of the cluster from their parameters.
    """
    names = _names(backend, profile)
    demanded: list[Demand] = []
    for rule in (*catalog.neutral_pod_rules(), *backend.rules):
        if not selected(rule.code):
            continue
        if rule.constraints_of is not None:
            listed = [*_of_dialects(rule, backend, profile)]
        else:
            listed = [*rule.constraints, *_in_cluster(rule, profile)]
        for constraint in listed:
            named = constraint.with_aliases(names) if names else constraint
            if reads:
                must, when = with_parameters(named.must), with_parameters(named.when)
                named = replace(named, must=must, when=when)
            demanded.append(Demand(rule, named, constraint.severity or rule.severity))
    return tuple(demand for demand in demanded if demand.severity in ENFORCED)


def _names(backend: Backend, profile: Profile | None) -> Mapping[str, tuple[str, ...]]:
    """All names of a resource by its name in the data sheet, for resources that the cluster renames."""
    listed = [extension.by_key for extension in profile.extensions] if profile else []
    renamed = {key: name for by_key in listed for key, name in by_key.items() if key != name}
    if not renamed:
        return {}
    rows = [row for row in backend.keys if row.aliases or row.name in renamed]
    return {row.name: (*row.aliases, *([renamed[row.name]] if row.name in renamed else [])) for row in rows}


def names_here(profile: Profile | None) -> tuple[str, ...]:
    """The names of resources in the cluster that differ from those of the data sheet."""
    return () if profile is None else tuple(renamed_by(profile))


def _in_cluster(rule: Rule, profile: Profile | None) -> tuple[Constraint, ...]:
    """What a rule demands in the cluster of a profile."""
    of_profile = rule.with_profile
    return () if profile is None or of_profile is None else of_profile.constraints(profile)


def _of_dialects(rule: Rule, backend: Backend, profile: Profile | None) -> Iterator[Constraint]:
    """The constraints of a rule over all dialects that are about a resource of this one."""
    assert rule.constraints_of is not None
    for constraint in rule.constraints_of(registry.pod_backends(), profile):
        if any(name in backend.resource_keys for name in constraint.keys):
            yield constraint


def why_unenforced(rule: Rule) -> str:
    """Why no policy enforces a rule; empty if one does."""
    severities = [constraint.severity or rule.severity for constraint in rule.constraints]
    if rule.constraints_of is not None or (rule.with_profile is not None and not severities):
        severities = [rule.severity]
    if severities:
        enforced = any(severity in ENFORCED for severity in severities)
        return "" if enforced else msg("informational, not enforced")
    return "" if rule in (OF_WORKLOADS, *OF_NAMES) else rule.no_policy or msg("no policy is made of it yet")


def rules_of_dialect(backend: Backend) -> tuple[Rule, ...]:
    """The rules that lint applies to pods of a dialect."""
    neutral = [rule for rule in catalog.neutral_rules() if rule.scope in (Scope.POD, Scope.DOCUMENT)]
    return (*neutral, *backend.rules)


# The advice for a violation that a constraint gives by itself.
MAX_NAMES_OF_DEMAND = 8
"""Names that a sentence lists."""


def advice_for(constraint: Constraint) -> str:
    """What to write, or which key to check; empty if only the rule's own sentence says it."""
    keys = tuple(key for key in constraint.keys if "/" in key)
    return _of(constraint.must) or (msg("check {names}", names=_listed(keys)) if keys else "")


def _of(predicate: Predicate) -> str:
    match predicate:
        case InRange(ranges=ranges) if len(ranges) == 1 and _has_words(ranges[0]):
            return msg("write {name}: {values}", name=predicate.name, values=_values(ranges))
        case Requests():
            return msg("add {names}", names=_listed(predicate.names))
        case Not(predicate=Requests() as asks):
            return msg("remove {names}", names=_listed(asks.names))
        case SchedulerIs():
            names = [name for name in predicate.names if name and name != DEFAULT_SCHEDULER]
            return msg("write schedulerName: {name}", name=names[0]) if names else ""
        case Labelled() | IsAnnotated() | NodeLabelAmong() if predicate.words and all(
            map(_has_words, predicate.words)
        ):
            return msg("write {name}: {values}", name=predicate.name, values=_values(predicate.words))
        case Not(predicate=Labelled() | IsAnnotated() as named) if not named.words:
            return msg("remove {names}", names=named.name)
        case AnyOf():
            return next(filter(None, map(_of, predicate.parts)), "")
        case AllOf():
            parts = {text for text in map(_of, predicate.parts) if text}
            return parts.pop() if len(parts) == 1 else ""
    return ""


def _has_words(word: Word) -> bool:
    return isinstance(word, str) or (isinstance(word, Range) and abs(word.least) < 2**53)


def _values(words: tuple[Word, ...]) -> str:
    return _value(words[0]) if len(words) == 1 else _listed([_value(word) for word in words])


def _value(word: Word) -> str:
    if isinstance(word, str):
        return word
    assert isinstance(word, Range)
    if word.most == word.least:
        return str(word.least)
    if word.bound is None:
        range_text = msg("{least} or more", least=word.least)
    else:
        range_text = msg("{least} to {most}", least=word.least, most=word.most)
    return (
        range_text if word.step == 1 else msg("{range} in steps of {step}", range=range_text, step=word.step)
    )


def _listed(names: Sequence[str]) -> str:
    more = [] if len(names) <= MAX_NAMES_OF_DEMAND else ["..."]
    return " / ".join([*names[:MAX_NAMES_OF_DEMAND], *more])
