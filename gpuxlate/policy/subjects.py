"""The objects that a policy checks: pods, or workloads with pod templates."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from gpuxlate.backends.base import Backend
from gpuxlate.manifest.kinds import ObjectKind, SchedulerField
from gpuxlate.model.declarations import record, regex
from gpuxlate.model.keys import ANY, KeySpec, Place
from gpuxlate.policy.cel import PARAMETERS, VARIABLES, cel_string, in_brackets
from gpuxlate.policy.markers import DialectMarker, has_dialect, inline_variables, pattern_in_cel
from gpuxlate.policy.workload_kinds import WORKLOADS, templates
from gpuxlate.rules.key_index import IGNORE
from gpuxlate.rules.predicates import (
    AnnotationNumber,
    Constraint,
    IsAnnotated,
    Labelled,
    LabelNumber,
    PerContainerList,
    PodItselfLabelled,
    parameters_in,
    parts_of,
)

# What a policy looks at: a pod, or the pod templates of a workload; and how its expressions say so.
_SPACE = "\\s\\x0b\\x1c-\\x1f\\x85\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000,;:"

_CODE = "[A-Za-z][A-Za-z0-9]*[0-9]{3}"

_FIRST = f"{cel_string(f'^[{_SPACE}]*(')} + {cel_string(f'{_CODE}([{_SPACE}]+|$))+')}"

_WORD = cel_string("[A-Za-z0-9]+")


def _ignored(annotations: str) -> str:
    """The codes at the beginning of the annotation, as lint reads them (lint/ignore.py)."""
    value = f"{annotations}[?{cel_string(IGNORE)}].orValue('')"
    return f"string({value}).find({_FIRST}).findAll({_WORD}).map(w, w.upperAscii())"


ResourceRule = dict[str, Any]

Demands = Mapping[str, str]
"""Expressions over a container ``c`` by what is said of one that breaks it, where there are several."""


def _breaking(containers: str, demands: Demands, name: str) -> str:
    """The names of the containers that break a demand, each with what is said of those that it breaks."""
    if len(demands) == 1:
        [demand] = demands.values()
        return f"{containers}.filter(c, !{in_brackets(demand)}).map(c, {name})"
    listed = ", ".join(
        f"{in_brackets(demand)} ? '' : {cel_string(words)}" for words, demand in demands.items()
    )
    broken = f"{containers}.map(c, {{'name': dyn({name}), 'broken': dyn([{listed}].filter(w, w != ''))}})"
    return (
        f"{broken}.filter(c, c.broken.size() > 0).map(c, string(c.name) + ' (' + c.broken.join(', ') + ')')"
    )


def _with_ignored(expression: str) -> str:
    return f"{{'ignored': dyn(variables.ignored), 'found': dyn({expression})}}"


@record
class PodSubject:
    """Pods as they are created. Updates are not checked: a scheduler writes on pods, and their resources do
    not change."""

    backend: Backend
    others: tuple[str, ...] = ()

    suffix = ""

    @property
    def marker(self) -> DialectMarker:
        """The dialect, with the names of the cluster."""
        return DialectMarker(self.backend, self.others)

    @property
    def rules(self) -> list[ResourceRule]:
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
        return inline_variables(condition)


@record
class PodTemplates:
    """The pod templates of workloads, one or several in an object.

    As in lint, a label or annotation of the workload counts as one of its pods; if ``compared``, K8S005
    reports that the pods do not have it. ``chosen``: an expression that selects the pods to check, in place
    of those that use the dialect.
    """

    backend: Backend
    constraints: tuple[Constraint, ...] = ()
    others: tuple[str, ...] = ()
    custom: tuple[ObjectKind, ...] = ()
    compared: bool = True
    chosen: str = ""

    suffix = "-workloads"

    @property
    def marker(self) -> DialectMarker:
        """As that of ``PodSubject``: the dialect, with the names of the cluster."""
        return DialectMarker(self.backend, self.others)

    @property
    def kinds(self) -> tuple[ObjectKind, ...]:
        """The kinds of workloads: those of Kubernetes, and ``custom``."""
        return (*WORKLOADS, *self.custom)

    @property
    def rules(self) -> list[ResourceRule]:
        """The resource rules of ``matchConstraints``, one for each group and version of the API."""
        plurals: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for kind in self.kinds:
            version = kind.api.rpartition("/")[2] or "*"
            plurals.setdefault((kind.group, (version,)), []).append(kind.plural)
        return [_rule(*key, names, ("CREATE", "UPDATE")) for key, names in plurals.items()]

    def variables(self, used: str) -> Iterator[tuple[str, str]]:
        """The variables that expressions use: the templates that are looked at, and the codes that are
        ignored."""
        condition = _of_each(self.chosen or has_dialect(self.marker))
        yield "pods", f"{self._all(f'{used} {condition}')}.filter(p, {condition})"
        yield "ignored", _ignored("object.?metadata.?annotations")

    def breakers(self, demands: Demands, code: str) -> str:
        """The containers of all templates for which an expression over ``c`` is false, as a list of texts."""
        broken = _of_each(_breaking("p.asking", demands, "'container ' + string(c.name)"))
        return f"{self._judged(code)}.map(p, {broken}.join(', ')).filter(n, n != '')"

    def kept(self, demand: str, code: str) -> str:
        """An expression over a pod is true for every template that does not ignore the code."""
        return f"{self._judged(code)}.all(p, {_of_each(demand)})"

    def of_pods(self, expression: str) -> str:
        """What an expression says of each template, with the codes that it ignores."""
        return f"variables.pods.map(p, {_of_each(_with_ignored(expression))})"

    def matching(self, condition: str) -> str:
        """A match predicate: it is true where an expression over a pod is true for any template."""
        of_each = _of_each(condition)
        return f"{self._all(of_each)}.exists(p, {of_each})"

    @staticmethod
    def _judged(code: str) -> str:
        return f"variables.pods.filter(p, !({cel_string(code)} in p.ignored))"

    def steering(self) -> str:
        """Every label and annotation of the workload that steers a share is on its pods too (K8S005)."""
        places = (("labels", Place.LABEL), ("annotations", Place.ANNOTATION))
        rows_by_field = [(field, self._steering(place)) for field, place in places]
        return " && ".join(_on_pods(field, rows) for field, rows in rows_by_field if rows)

    def _steering(self, place: Place) -> list[KeySpec]:
        return [row for row in self.backend.keys if steers(row, place)]

    # --- the pods of an object as mappings ------------------------------------------------------

    def _all(self, used: str) -> str:
        """All pods, with what an expression over them uses."""
        used_fields = {*re.findall(r"\bp\.(\w+)", used)}
        of_template = {field: f"t.?metadata.?{field}.orValue({{}})" for field in ("annotations", "labels")}
        above = {field: f"object.?metadata.?{field}.orValue({{}})" for field in of_template}
        parts = {
            name: inline_variables(f"variables.{name}", "t")
            for name in ("spec", "containers", "names", "asking")
        }
        parts["schedulerName"] = self._scheduler()
        for field, mapping in of_template.items():
            parts[field] = _together(self._names(field), self._alone(), mapping, above[field])
            parts[f"{field[:-1]}Names"] = f"{mapping}.map(k, k) + {above[field]}.map(k, k)"
            parts[f"own{field.capitalize()}"] = mapping
        parts["ignored"] = _ignored("t.?metadata.?annotations")
        if parameters_in(self.constraints):
            parts["parameters"] = PARAMETERS
        listed = ", ".join(
            f"{cel_string(name)}: dyn({value})" for name, value in parts.items() if name in used_fields
        )
        return f"({templates(self.kinds)}).map(t, {{{listed}}})"

    def _scheduler(self) -> str:
        """The scheduler of a template; some kinds have one for all of their pods."""
        of_template = "t.?spec.?schedulerName"
        scheduler = f"{of_template}.orValue('')"
        passing: dict[SchedulerField, list[ObjectKind]] = {}
        for kind in self.custom:
            if kind.scheduler:
                passing.setdefault(kind.scheduler, []).append(kind)
        for field, kinds_name in passing.items():
            scheduler = f"{_is_kind(kinds_name)} ? {_passed(field, of_template)} : {scheduler}"
        return scheduler

    def _names(self, field: str) -> list[str]:
        """The labels or annotations that the expressions look at by their names."""
        return sorted(said_names(self._conditions)[field])

    def _alone(self) -> set[str]:
        """The labels that count on the pods alone."""
        return {
            predicate.name
            for predicate in parts_of(tuple(self._conditions))
            if isinstance(predicate, PodItselfLabelled)
        }

    @property
    def _conditions(self) -> list[object]:
        return [self.backend.detector, *self.constraints]


def _on_pods(field: str, rows: Sequence[KeySpec]) -> str:
    of_pod, above = f"p.own{field.capitalize()}", f"object.metadata.{field}"
    same = f"variables.pods.all(p, k in {of_pod} && {of_pod}[k] == {above}[k])"
    return f"object.?metadata.?{field}.orValue({{}}).all(k, !({_is_one(rows)}) || {same})"


def steers(row: KeySpec, place: Place) -> bool:
    """The key is a label or annotation of pods that affects a share, and that no scheduler writes."""
    return (
        place in row.places and Place.WRITTEN_BY_SCHEDULER not in row.places and ANY not in row.no_op_values
    )


def said_names(conditions: Iterable[object]) -> dict[str, set[str]]:
    """The labels and annotations that predicates name."""
    names: dict[str, set[str]] = {"labels": set(), "annotations": set()}
    for predicate in parts_of(tuple(conditions)):
        if isinstance(predicate, LabelNumber | Labelled):
            names["labels"].add(predicate.name)
        elif isinstance(predicate, AnnotationNumber | IsAnnotated | PerContainerList):
            names["annotations"].add(predicate.name)
    return names


def _needed(defined: dict[str, str], used: str) -> Iterator[tuple[str, str]]:
    """The variables that an expression uses, and those that these use."""
    used_names, text_left = set[str](), used
    for name in reversed(defined):
        if re.search(rf"\bvariables\.{name}\b", text_left):
            used_names.add(name)
            text_left += defined[name]
    yield from ((name, defined[name]) for name in defined if name in used_names)


_OF_POD = regex(rf"\bvariables\.(?=(?:{'|'.join(VARIABLES)}|ignored)\b)")


def _of_each(expression: str) -> str:
    """An expression over one of several pods. Other variables of the policy stay as they are."""
    return _OF_POD.sub("p.", expression)


def _together(names: list[str], alone: Collection[str], of_template: str, above: str) -> str:
    """Some entries of two mappings; those of the first count before, those ``alone`` are of the first."""
    mapping_of = {name: of_template if name in alone else above for name in names}
    entries = (
        f"?{cel_string(name)}: {of_template}[?{cel_string(name)}].or({mapping_of[name]}[?{cel_string(name)}])"
        for name in names
    )
    return f"{{{', '.join(entries)}}}"


def _is_one(rows: Sequence[KeySpec]) -> str:
    exact = [name for row in rows if not row.is_pattern for name in (row.name, *row.aliases)]
    terms = [f"k in [{', '.join(map(cel_string, exact))}]"] if exact else []
    return " || ".join(
        [
            *terms,
            *(f"k.matches({cel_string(pattern_in_cel(row.name))})" for row in rows if row.is_pattern),
        ]
    )


def _is_kind(kinds: Sequence[ObjectKind]) -> str:
    groups: dict[str, list[str]] = {kind.group: [] for kind in kinds}
    for kind in kinds:
        groups[kind.group].append(cel_string(kind.kind))
    terms = (
        f"object.apiVersion.startsWith({cel_string(f'{group}/')}) && object.kind in [{', '.join(names)}]"
        for group, names in groups.items()
    )
    return f"({' || '.join(terms)})"


def _passed(field: SchedulerField, of_template: str) -> str:
    above = "object" + "".join(
        f"[?{cel_string(step)}]" if "/" in step else f".?{step}" for step in field.path
    )
    if field.wins:
        return f"{above}.or({of_template}).orValue('')"
    return f"{of_template}.or({above}).orValue({cel_string(field.default or '')})"


def _rule(
    group: str, versions: Sequence[str], resources: Sequence[str], operations: Sequence[str]
) -> ResourceRule:
    return {
        "apiGroups": [group],
        "apiVersions": [*versions],
        "operations": [*operations],
        "resources": [*resources],
    }


PolicySubject = PodSubject | PodTemplates
