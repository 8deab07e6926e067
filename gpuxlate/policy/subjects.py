"""Kinds with pod templates that a policy can look at, and their templates in CEL."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gpuxlate.backends.base import ANY, Backend, KeySpec, Place
from gpuxlate.manifest import kinds
from gpuxlate.manifest.kinds import ObjectKind, SchedulerField, Steps
from gpuxlate.manifest.objects import REQUIRED_AFFINITY
from gpuxlate.model.declarations import record, regex
from gpuxlate.policy.cel import PARAMETERS, VARIABLES, closed, text, to_cel
from gpuxlate.rules.predicates import (
    AllOf,
    AnnotationNumber,
    AnyOf,
    Constraint,
    InRange,
    IsAnnotated,
    IsFraction,
    Labelled,
    LabelNumber,
    PerContainerList,
    PodItselfLabelled,
    Predicate,
    Requests,
    SomeContainer,
    parameters_in,
    parts_of,
)
from gpuxlate.rules.vocabulary import IGNORE

WORKLOADS = tuple(one for one in kinds.BUILT_IN if one.group and one.kind != "ReplicaSet")
"""Kinds of Kubernetes that people write. A ReplicaSet has the template of its Deployment."""


def templates(found: Sequence[ObjectKind]) -> str:
    """All templates of an object of one of the kinds, as a list of CEL. No two of them have a field alike for
    different things, so what an object is need not be asked: it has the fields of its kind."""
    places = dict.fromkeys(place for one in found for place in one.templates)
    alone = [_at(one) for one in places if "*" not in one and "{}" not in one]
    parts = [f"[{', '.join(f'?{one}' for one in alone)}]"]
    for of, lists in _by_end(places, "*").items():
        has = ".?".join(of)
        parts.append(f"{lists}.orValue([]).filter(i, i.?{has}.hasValue()).map(i, i.{'.'.join(of)})")
    for of, maps in _by_end(places, "{}").items():
        each = f"m.filter(r, m[r].?{'.'.join(of)}.hasValue()).map(r, m[r].{'.'.join(of)})"
        parts.append(f"[{maps}.orValue({{}})].map(m, {each})[0]")
    return " + ".join(parts)


def _by_end(places: Iterable[Steps], each: str) -> dict[Steps, str]:
    """What is behind ``each`` in the places, and for each of these the first that is there."""
    found: dict[Steps, list[str]] = {}
    for one in places:
        if each in one:
            depth = one.index(each)
            found.setdefault(one[depth + 1 :], []).append(_at(one[:depth]))
    return {of: first + "".join(f".or({one})" for one in others) for of, (first, *others) in found.items()}


def _at(steps: Steps) -> str:
    return f"object.?{'.?'.join(steps)}"


# Names of keys as a predicate in CEL: whose key a name is.
@record
class Names:
    """Names of keys: as they are, by their beginning, or by a pattern; none of those ``apart``."""

    exact: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    @classmethod
    def of(cls, names: Iterable[str], prefixes: Iterable[str] = (), apart: Iterable[str] = ()) -> Names:
        """``names``: ``*`` in one is any text without a slash. What another of them holds is left out."""
        before = tuple(dict.fromkeys(prefixes))
        left = [one for one in dict.fromkeys(names) if not one.startswith(before)]
        stars = tuple(pattern(one) for one in left if "*" in one)
        plain = (one for one in left if "*" not in one)
        exact = tuple(one for one in plain if not any(re.match(star, one) for star in stars))
        return cls(exact, before, stars, tuple(one for one in dict.fromkeys(apart) if one.startswith(before)))

    def __bool__(self) -> bool:
        return bool(self.exact or self.prefixes or self.patterns)

    def __contains__(self, name: str) -> bool:
        return name not in self.apart and (
            name in self.exact
            or name.startswith(self.prefixes)
            or any(re.match(one, name) for one in self.patterns)
        )

    def __or__(self, other: Names) -> Names:
        """The names of both."""
        both = tuple(dict.fromkeys((*self.prefixes, *other.prefixes)))
        prefixes = tuple(one for one in both if not one.startswith(tuple(p for p in both if p != one)))
        exact = (one for one in dict.fromkeys((*self.exact, *other.exact)) if not one.startswith(prefixes))
        patterns = tuple(dict.fromkeys((*self.patterns, *other.patterns)))
        apart = [one for one in self.apart if one not in other] + [
            one for one in other.apart if one not in self
        ]
        return Names(tuple(exact), prefixes, patterns, tuple(dict.fromkeys(apart)))

    def said(self, name: str = "k") -> str:
        """A name is one of them, in CEL."""
        terms = [f"{name}.startsWith({text(one)})" for one in self.prefixes]
        terms += [f"{name} in {listed(self.exact)}"] if self.exact else []
        terms += [f"{name}.matches({text(one)})" for one in self.patterns]
        either = f"({' || '.join(terms)})" if terms else "false"
        return f"{either} && !({name} in {listed(self.apart)})" if self.apart and terms else either


def pattern(name: str) -> str:
    """The name of a row with a star as a pattern of the whole text."""
    return f"^{'[^/]*'.join(map(re.escape, name.split('*')))}$"


def listed(names: Iterable[str]) -> str:
    """A list of texts in CEL."""
    return f"[{', '.join(map(text, names))}]"


# Where names of keys are in a pod, as lists of names.
_TERMS = f"variables.spec.?{'.?'.join(REQUIRED_AFFINITY)}.orValue([])"
_PREFERRED = "affinity.?nodeAffinity.?preferredDuringSchedulingIgnoredDuringExecution.orValue([])"
REQUIREMENTS = (
    f"({_TERMS}.map(t, t.?matchExpressions.orValue([]))"
    f" + variables.spec.?{_PREFERRED}.map(t, t.?preference.?matchExpressions.orValue([])))"
)
"""What a pod requires and prefers of nodes, by term."""
SELECTORS = (
    "[variables.spec.?nodeSelector.orValue({}).map(k, k)]"
    f" + {REQUIREMENTS}.map(l, l.map(r, r.?key.orValue('')))"
)
IN_RESOURCES = "[c.?resources.?limits.orValue({}), c.?resources.?requests.orValue({})]"
"""The limits and the requests of a container ``c``."""


# When a pod speaks a dialect, in CEL: the predicate on which a policy looks at it.
STANDARD = ("cpu", "memory", "ephemeral-storage")
"""Resources that most pods have, and no dialect: they are looked at first."""


class SilentError(ValueError):
    """A dialect that no policy can recognize: a function says in which pods it is spoken."""


def is_recognized(backend: Backend) -> bool:
    """A policy can recognize the dialect."""
    return backend.detector is None or isinstance(backend.detector, Predicate)


class Speaker(NamedTuple):
    """A dialect. ``others``: names that resources have in the cluster."""

    backend: Backend
    others: tuple[str, ...] = ()

    @property
    def also(self) -> Predicate | None:
        """In which pods it is spoken too, whatever their resources. Raises SilentError."""
        found = self.backend.detector
        if found is None or isinstance(found, Predicate):
            return found
        raise SilentError(self.backend.name)

    @property
    def variable(self) -> str:
        """The variable that is true of a pod that speaks it."""
        return f"speaks_{self.backend.name.replace('-', '_')}"


def speaks(one: Speaker) -> str:
    """An expression over the variables of a pod: it asks for a GPU in the dialect, as lint sees it.

    Raises SilentError.
    """
    asks = some_resource(owned(one.backend, one.others))
    return asks if one.also is None else f"{asks} || {to_cel(one.also)}"


def may_speak(speakers: Sequence[Speaker]) -> tuple[str, bool]:
    """A cheap expression that is true of every pod that speaks one of some dialects, and whether of no other.

    Names alone: the API server evaluates it for every pod of the cluster. Raises SilentError.
    """
    names, more, exact = Names(), list[str](), len(speakers) == 1
    for one in speakers:
        names |= owned(one.backend, one.others)
        needed = () if one.also is None else _needed_of_keys(one.also)
        if one.also is not None and needed is None:
            more.append(to_cel(one.also))
        elif needed:
            names |= Names.of(needed)
            exact = False
    return " || ".join([*([some_resource(names)] if names else []), *more]), exact


def some_resource(names: Names) -> str:
    """Some container asks for a resource with one of the names."""
    mine = f"m.exists(k, !(k in {listed(STANDARD)}) && {names.said()})"
    return f"variables.containers.exists(c, {IN_RESOURCES}.exists(m, {mine}))"


def _needed_of_keys(one: Predicate) -> tuple[str, ...] | None:
    """Resources, of which a pod has one wherever the predicate is true; None where it may have none."""
    match one:
        case Requests():
            return one.names
        case InRange() | IsFraction():
            return (one.name,)
        case SomeContainer():
            return _needed_of_keys(one.predicate)
        case AllOf():
            return next((found for found in map(_needed_of_keys, one.parts) if found is not None), None)
        case AnyOf():
            parts = [_needed_of_keys(part) for part in one.parts]
            return None if None in parts else tuple(name for part in parts for name in part or ())
    return None


def owned(backend: Backend, others: Iterable[str] = ()) -> Names:
    """The keys of the dialect that ask for a GPU in resources."""
    names = [name for row in backend.keys for name in (row.name, *row.aliases)]
    mine = [name for name in names if backend.owns_at(name, Place.RESOURCE)]
    common = (backend.whole_card_key,) if backend.whole_card_key else ()
    apart = [one for one in (*names, *common, IGNORE) if not backend.owns_at(one, Place.RESOURCE)]
    return Names.of((*mine, *others), backend.gpu_prefixes, [one for one in apart if "*" not in one])


def inlined(expression: str, root: str = "object") -> str:
    """An expression with the definitions in place of the variables, of a pod at ``root``."""
    for name in reversed(VARIABLES):
        definition = f"({VARIABLES[name]})".replace("\\", r"\\")
        expression = re.sub(rf"\bvariables\.{name}\b", definition, expression)
    return re.sub(r"\bobject\b(?=\.\?)", root, expression)


# What a policy looks at: a pod, or the pod templates of a workload; and how its expressions say so.
_SPACE = "\\s\\x0b\\x1c-\\x1f\\x85\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000,;:"
_CODE = "[A-Za-z][A-Za-z0-9]*[0-9]{3}"
_FIRST = f"{text(f'^[{_SPACE}]*(')} + {text(f'{_CODE}([{_SPACE}]+|$))+')}"
_WORD = text("[A-Za-z0-9]+")


def _ignored(annotations: str) -> str:
    """The codes at the beginning of the annotation, as lint reads them (lint/ignore.py)."""
    value = f"{annotations}[?{text(IGNORE)}].orValue('')"
    return f"string({value}).find({_FIRST}).findAll({_WORD}).map(w, w.upperAscii())"


Rule = dict[str, Any]
Demands = Mapping[str, str]
"""Expressions over a container ``c`` by what is said of one that breaks it, where there are several."""


def _breaking(containers: str, demands: Demands, name: str) -> str:
    """The names of the containers that break a demand, each with what is said of those that it breaks."""
    if len(demands) == 1:
        [demand] = demands.values()
        return f"{containers}.filter(c, !{closed(demand)}).map(c, {name})"
    listed = ", ".join(f"{closed(demand)} ? '' : {text(words)}" for words, demand in demands.items())
    broken = f"{containers}.map(c, {{'name': dyn({name}), 'broken': dyn([{listed}].filter(w, w != ''))}})"
    return (
        f"{broken}.filter(c, c.broken.size() > 0).map(c, string(c.name) + ' (' + c.broken.join(', ') + ')')"
    )


def _with_ignored(expression: str) -> str:
    return f"{{'ignored': dyn(variables.ignored), 'found': dyn({expression})}}"


@record
class Pods:
    """Pods as they are made. Later a scheduler writes on them, and their resources do not change."""

    backend: Backend
    others: tuple[str, ...] = ()

    suffix = ""

    @property
    def speaker(self) -> Speaker:
        """The dialect, with the names of the cluster."""
        return Speaker(self.backend, self.others)

    @property
    def rules(self) -> list[Rule]:
        """The resource rules of ``matchConstraints``."""
        return [_rule("", ("v1",), ("pods",), ("CREATE",))]

    def variables(self, used: str) -> Iterator[tuple[str, str]]:
        """The variables that expressions use, in their order."""
        yield from _needed(VARIABLES, used)
        yield "ignored", _ignored("object.?metadata.?annotations")

    def breakers(self, demands: Demands, code: str) -> str:  # noqa: ARG002
        """The containers for which an expression over ``c`` is false, by name, as a list."""
        return _breaking("variables.asking", demands, "string(c.name)")

    def kept(self, demand: str, code: str) -> str:  # noqa: ARG002
        """An expression over a pod is true."""
        return demand

    def of_pods(self, expression: str) -> str:
        """What an expression says of each pod, with the codes that the pod ignores."""
        return f"[{_with_ignored(expression)}]"

    def matching(self, condition: str) -> str:
        """A match predicate: an expression over a pod, without variables."""
        return inlined(condition)


@record
class PodTemplates:
    """The pod templates of workloads, one or several in an object.

    What is on the workload counts as on its pods, as in lint: K8S005 says that it is not there, where
    ``compared``. ``chosen``: which pods are looked at, in place of those that speak the dialect.
    """

    backend: Backend
    constraints: tuple[Constraint, ...] = ()
    others: tuple[str, ...] = ()
    custom: tuple[ObjectKind, ...] = ()
    compared: bool = True
    chosen: str = ""

    suffix = "-workloads"

    @property
    def speaker(self) -> Speaker:
        return Speaker(self.backend, self.others)

    @property
    def kinds(self) -> tuple[ObjectKind, ...]:
        return (*WORKLOADS, *self.custom)

    @property
    def rules(self) -> list[Rule]:
        found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for one in self.kinds:
            version = one.api.rpartition("/")[2] or "*"
            found.setdefault((one.group, (version,)), []).append(one.plural)
        return [_rule(*key, names, ("CREATE", "UPDATE")) for key, names in found.items()]

    def variables(self, used: str) -> Iterator[tuple[str, str]]:
        condition = _of_each(self.chosen or speaks(self.speaker))
        yield "pods", f"{self._all(f'{used} {condition}')}.filter(p, {condition})"
        yield "ignored", _ignored("object.?metadata.?annotations")

    def breakers(self, demands: Demands, code: str) -> str:
        broken = _of_each(_breaking("p.asking", demands, "'container ' + string(c.name)"))
        return f"{self._judged(code)}.map(p, {broken}.join(', ')).filter(n, n != '')"

    def kept(self, demand: str, code: str) -> str:
        return f"{self._judged(code)}.all(p, {_of_each(demand)})"

    def of_pods(self, expression: str) -> str:
        return f"variables.pods.map(p, {_of_each(_with_ignored(expression))})"

    def matching(self, condition: str) -> str:
        of_each = _of_each(condition)
        return f"{self._all(of_each)}.exists(p, {of_each})"

    @staticmethod
    def _judged(code: str) -> str:
        return f"variables.pods.filter(p, !({text(code)} in p.ignored))"

    def steering(self) -> str:
        """Every label and annotation of the workload that steers a share is on its pods too (K8S005)."""
        places = (("labels", Place.LABEL), ("annotations", Place.ANNOTATION))
        found = [(field, self._steering(place)) for field, place in places]
        return " && ".join(_on_pods(field, rows) for field, rows in found if rows)

    def _steering(self, place: Place) -> list[KeySpec]:
        return [row for row in self.backend.keys if steers(row, place)]

    # --- the pods of an object as mappings ------------------------------------------------------

    def _all(self, used: str) -> str:
        """All pods, with what an expression over them uses."""
        wanted = {*re.findall(r"\bp\.(\w+)", used)}
        own = {field: f"t.?metadata.?{field}.orValue({{}})" for field in ("annotations", "labels")}
        above = {field: f"object.?metadata.?{field}.orValue({{}})" for field in own}
        parts = {
            name: inlined(f"variables.{name}", "t") for name in ("spec", "containers", "names", "asking")
        }
        parts["schedulerName"] = self._scheduler()
        for field, one in own.items():
            parts[field] = _together(self._names(field), self._alone(), one, above[field])
            parts[f"{field[:-1]}Names"] = f"{one}.map(k, k) + {above[field]}.map(k, k)"
            parts[f"own{field.capitalize()}"] = one
        parts["ignored"] = _ignored("t.?metadata.?annotations")
        if parameters_in(self.constraints):
            parts["parameters"] = PARAMETERS
        listed = ", ".join(f"{text(name)}: dyn({one})" for name, one in parts.items() if name in wanted)
        return f"({templates(self.kinds)}).map(t, {{{listed}}})"

    def _scheduler(self) -> str:
        """The scheduler of a template; some kinds have one for all of their pods."""
        own = "t.?spec.?schedulerName"
        found = f"{own}.orValue('')"
        passing: dict[SchedulerField, list[ObjectKind]] = {}
        for one in self.custom:
            if one.scheduler:
                passing.setdefault(one.scheduler, []).append(one)
        for field, kinds_name in passing.items():
            found = f"{_is_kind(kinds_name)} ? {_passed(field, own)} : {found}"
        return found

    def _names(self, field: str) -> list[str]:
        """The labels or annotations that the expressions look at by their names."""
        return sorted(said_names(self._conditions)[field])

    def _alone(self) -> set[str]:
        """The labels that count on the pods alone."""
        return {one.name for one in parts_of(tuple(self._conditions)) if isinstance(one, PodItselfLabelled)}

    @property
    def _conditions(self) -> list[object]:
        return [self.backend.detector, *self.constraints]


def _on_pods(field: str, rows: Sequence[KeySpec]) -> str:
    own, above = f"p.own{field.capitalize()}", f"object.metadata.{field}"
    same = f"variables.pods.all(p, k in {own} && {own}[k] == {above}[k])"
    return f"object.?metadata.?{field}.orValue({{}}).all(k, !({_is_one(rows)}) || {same})"


def steers(row: KeySpec, place: Place) -> bool:
    """A label or annotation of pods that says something of a share, and is no scheduler's."""
    return (
        place in row.places and Place.WRITTEN_BY_SCHEDULER not in row.places and ANY not in row.no_op_values
    )


def said_names(conditions: Iterable[object]) -> dict[str, set[str]]:
    """The labels and annotations that predicates name."""
    found: dict[str, set[str]] = {"labels": set(), "annotations": set()}
    for one in parts_of(tuple(conditions)):
        if isinstance(one, LabelNumber | Labelled):
            found["labels"].add(one.name)
        elif isinstance(one, AnnotationNumber | IsAnnotated | PerContainerList):
            found["annotations"].add(one.name)
    return found


def _needed(defined: dict[str, str], used: str) -> Iterator[tuple[str, str]]:
    """The variables that an expression uses, and those that these use."""
    wanted, text_left = set[str](), used
    for name in reversed(defined):
        if re.search(rf"\bvariables\.{name}\b", text_left):
            wanted.add(name)
            text_left += defined[name]
    yield from ((name, defined[name]) for name in defined if name in wanted)


_OF_POD = regex(rf"\bvariables\.(?=(?:{'|'.join(VARIABLES)}|ignored)\b)")


def _of_each(expression: str) -> str:
    """An expression over one of several pods. Other variables of the policy stay as they are."""
    return _OF_POD.sub("p.", expression)


def _together(names: list[str], alone: Collection[str], own: str, above: str) -> str:
    """Some entries of two mappings; those of the first count before, those ``alone`` are of the first."""
    rest = {name: own if name in alone else above for name in names}
    entries = (f"?{text(name)}: {own}[?{text(name)}].or({rest[name]}[?{text(name)}])" for name in names)
    return f"{{{', '.join(entries)}}}"


def _is_one(rows: Sequence[KeySpec]) -> str:
    exact = [name for row in rows if not row.is_pattern for name in (row.name, *row.aliases)]
    terms = [f"k in [{', '.join(map(text, exact))}]"] if exact else []
    return " || ".join([*terms, *(f"k.matches({text(pattern(row.name))})" for row in rows if row.is_pattern)])


def _is_kind(kinds: Sequence[ObjectKind]) -> str:
    groups: dict[str, list[str]] = {one.group: [] for one in kinds}
    for one in kinds:
        groups[one.group].append(text(one.kind))
    terms = (
        f"object.apiVersion.startsWith({text(f'{group}/')}) && object.kind in [{', '.join(names)}]"
        for group, names in groups.items()
    )
    return f"({' || '.join(terms)})"


def _passed(field: SchedulerField, own: str) -> str:
    above = "object" + "".join(f"[?{text(step)}]" if "/" in step else f".?{step}" for step in field.path)
    if field.wins:
        return f"{above}.or({own}).orValue('')"
    return f"{own}.or({above}).orValue({text(field.default or '')})"


def _rule(group: str, versions: Sequence[str], resources: Sequence[str], operations: Sequence[str]) -> Rule:
    return {
        "apiGroups": [group],
        "apiVersions": [*versions],
        "operations": [*operations],
        "resources": [*resources],
    }


Subject = Pods | PodTemplates
