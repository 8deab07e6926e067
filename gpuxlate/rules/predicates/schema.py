"""A predicate as a JSON Schema of a Pod, for editors.

A schema cannot calculate: it compares two numbers for each of the first cards, and reads numbers in plain
digits, bare or quoted. Where that is not enough it says nothing, so it accepts what the check accepts, and
more where a number has a suffix, or more than ``CARDS`` cards or odd steps are in quotes. Each printer
therefore has two forms: ``sure`` is a schema that only what fulfils the condition keeps; otherwise everything
that fulfils it does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import singledispatch

from gpuxlate.manifest.objects import REQUIRED_AFFINITY
from gpuxlate.model.sheet import Place, Range
from gpuxlate.rules.predicates import conditions as of
from gpuxlate.rules.predicates.conditions import (
    ALWAYS,
    NEVER,
    Allows,
    Annotation,
    ChoosesAmong,
    Condition,
    HasKeyLike,
    InList,
    Label,
)
from gpuxlate.rules.predicates.fields import (
    EVERYTHING,
    NOTHING,
    SCALAR,
    WHOLE,
    Schema,
    all_of,
    any_of,
    below,
    field,
    not_,
    numbers,
    shared,
    words,
)
from gpuxlate.rules.predicates.numerals import LOWEST
from gpuxlate.rules.predicates.predicate import Predicate

CARDS = 16
"""The most cards for which a schema compares two numbers: no node has more."""
_ARRAYS = (("containers", NEVER), ("initContainers", ALWAYS))
"""The containers of a pod, and whether they are init containers."""


@dataclass(frozen=True)
class _Perhaps(Condition):
    """A schema cannot say more than this: the condition may be true where this one is."""

    condition: Condition


def of_pod(predicate: Predicate) -> Schema:
    """A schema that every pod keeps which keeps the predicate."""
    demand = predicate.demand
    return shared(_every(demand, sure=False) if predicate.each else said(_unrolled(demand), False))


@singledispatch
def said(condition: Condition, sure: bool) -> Schema:
    """The schema of a container, or of a pod, for which it is true. Raises TypeError for one unknown."""
    raise TypeError(f"{type(condition).__name__} has no form in JSON Schema")


# --- numbers that depend on each other ------------------------------------------------------------


def _is(term: str | Label | Annotation, one: Range) -> Condition:
    if isinstance(term, str):
        return of.Amount(term, one)
    named = of.Labelled if isinstance(term, Label) else of.Annotated
    return named(term.name, one)


def _unrolled(condition: Condition) -> Condition:
    """Without comparisons of two numbers: one condition for each number of cards."""
    if isinstance(condition, of.All | of.Any):
        return type(condition)(*map(_unrolled, condition.parts))
    if isinstance(condition, of.Not):
        return of.Not(_unrolled(condition.condition))
    if isinstance(condition, of.Divides | of.AtMost | of.AtLeast) and isinstance(condition.by, InList):
        return _Perhaps(of.Amount(condition.name))  # the place of a container is no part of a schema
    if isinstance(condition, of.Divides):
        name, by, step = condition.name, condition.by, condition.step
        each = [Range(LOWEST, None, step * n) for n in range(1, CARDS + 1)]
    elif isinstance(condition, of.AtLeast):
        name, by = condition.name, condition.by
        each = [Range(condition.least * n) for n in range(1, CARDS + 1)]
    elif isinstance(condition, of.AtMost):
        name = condition.name
        if condition.by is None:
            return of.Amount(name, Range(LOWEST, condition.most))
        by = condition.by
        each = [Range(LOWEST, condition.most * n) for n in range(1, CARDS + 1)]
    else:
        return condition
    assert not isinstance(by, InList)
    cases = [_is(by, Range(n, n)) & of.Amount(name, one) for n, one in enumerate(each, 1)]
    more = _Perhaps(_is(by, Range(CARDS + 1)) & of.Amount(name))
    without = [~_is(by, Range(1)) & of.Amount(name, each[0])] if isinstance(condition, of.AtMost) else []
    return of.Any(*cases, more, *without)


# --- containers in their pod ----------------------------------------------------------------------


def _every(condition: Condition, sure: bool) -> Schema:
    def of_containers(one: Condition) -> Schema:
        items = [(name, said(_with(one, of.IsInit(), init), sure)) for name, init in _ARRAYS]
        found = [below(("spec", name), {"items": schema}) for name, schema in items if schema != EVERYTHING]
        return all_of(found)

    return _by_pod(_unrolled(condition), of_containers, sure)


def _some(condition: Condition, sure: bool) -> Schema:
    def of_containers(one: Condition) -> Schema:
        items = [(name, said(_with(one, of.IsInit(), init), sure)) for name, init in _ARRAYS]
        return any_of([field(("spec", name), _contains(schema)) for name, schema in items])

    return _by_pod(_unrolled(condition), of_containers, sure)


def _at_most(condition: Condition, most: int, sure: bool) -> Schema:
    def of_containers(one: Condition) -> Schema:
        counted = [(name, said(_with(one, of.IsInit(), init), not sure)) for name, init in _ARRAYS]
        shares = [(first, most - first) for first in range(most + 1)]
        return any_of(
            [
                all_of(
                    [
                        _fewer(name, schema, count)
                        for (name, schema), count in zip(counted, share, strict=True)
                    ]
                )
                for share in shares
            ]
        )

    return _by_pod(_unrolled(condition), of_containers, sure)


def _contains(schema: Schema) -> Schema:
    return NOTHING if schema == NOTHING else {"type": "array", "contains": schema}


def _fewer(name: str, schema: Schema, most: int) -> Schema:
    """At most so many of the containers keep the schema."""
    if schema == NOTHING:
        return EVERYTHING
    if most == 0:
        return not_(field(("spec", name), _contains(schema)))
    return below(("spec", name), {"contains": schema, "minContains": 0, "maxContains": most})


def _by_pod(condition: Condition, of_containers: Callable[[Condition], Schema], sure: bool) -> Schema:
    """A condition on containers that depends on the pod too: what it is for each state of the pod."""
    atom = next(_of_pods(condition), None)
    if atom is None:
        return of_containers(condition)
    yes = _by_pod(_with(condition, atom, ALWAYS), of_containers, sure)
    no = _by_pod(_with(condition, atom, NEVER), of_containers, sure)
    if yes == no:
        return yes
    return any_of([all_of([said(atom, sure), yes]), all_of([not_(said(atom, not sure)), no])])


def _of_pods(condition: Condition) -> Iterator[Condition]:
    """The conditions on the pod alone in a condition on containers."""
    if isinstance(condition, of.All | of.Any):
        for part in condition.parts:
            yield from _of_pods(part)
    elif isinstance(condition, of.Not | _Perhaps):
        yield from _of_pods(condition.condition)
    elif condition.of_pod:
        yield condition


def _with(condition: Condition, atom: Condition, known: Condition) -> Condition:
    """The condition where it is known whether one in it is true."""
    if condition == atom:
        return known
    if isinstance(condition, of.All | of.Any):
        return type(condition)(*(_with(part, atom, known) for part in condition.parts))
    if isinstance(condition, of.Not | _Perhaps):
        return type(condition)(_with(condition.condition, atom, known))
    return NEVER if known == ALWAYS and _excludes(atom, condition) else condition


def _excludes(one: Condition, other: Condition) -> bool:
    """Both are the number of one label, and no number is both."""
    if not (isinstance(one, of.Named) and type(one) is type(other) and isinstance(other, of.Named)):
        return False
    if one.name != other.name or len(one.words) != 1 or len(other.words) != 1:
        return False
    first, second = one.words[0], other.words[0]
    if not (isinstance(first, Range) and isinstance(second, Range)) or first.most is None:
        return False
    return first.most < second.least or (second.most is not None and second.most < first.least)


# --- conditions -----------------------------------------------------------------------------------


@said.register
def _(one: of.All, sure: bool) -> Schema:
    return all_of([said(part, sure) for part in one.parts])


@said.register
def _(one: of.Any, sure: bool) -> Schema:
    return any_of([said(part, sure) for part in one.parts])


@said.register
def _(one: of.Not, sure: bool) -> Schema:
    return not_(said(one.condition, not sure))


@said.register
def _(one: _Perhaps, sure: bool) -> Schema:
    return NOTHING if sure else said(one.condition, sure)


@said.register
def _(one: of.Asks, sure: bool) -> Schema:
    places = ("limits", "requests")
    return any_of([field(("resources", place, name), EVERYTHING) for place in places for name in one.names])


@said.register
def _(one: of.Amount, sure: bool) -> Schema:
    value = numbers(one.ranges or (WHOLE,), sure)
    limit, request = (("resources", place, one.name) for place in ("limits", "requests"))
    only = all_of([not_(field(limit, EVERYTHING)), field(request, value)])
    return any_of([field(limit, value), only])


@said.register
def _(one: of.Listed, sure: bool) -> Schema:
    return NOTHING if sure else EVERYTHING


@said.register
def _(one: of.ListIsComplete, sure: bool) -> Schema:
    """For each number of containers, a list of that length."""
    number, place = one.list.FORM.pattern.partition("(")[0], ("metadata", "annotations", one.list.name)

    def of_length(count: int) -> Schema:
        listed = words((re.compile(f"{number}(,{number}){{{count - 1}}}"),), sure)
        containers = {"type": "array", "minItems": count, "maxItems": count}
        return all_of([field(place, listed), field(("spec", "containers"), containers)])

    more = field(("spec", "containers"), {"type": "array", "minItems": CARDS + 1})
    return any_of([*map(of_length, range(1, CARDS + 1)), *([] if sure else [more])])


@said.register
def _(one: of.EnvIs, sure: bool) -> Schema:
    item = {
        "type": "object",
        "required": ["name", "value"],
        "properties": {"name": {"const": one.name}, "value": words(one.words, sure, one.any_case)},
    }
    return field(("env",), _contains(item))


@said.register
def _(one: of.Privileged, sure: bool) -> Schema:
    return field(("securityContext", "privileged"), words(("true",), sure, any_case=True))


@said.register
def _(one: of.Labelled, sure: bool) -> Schema:
    return field(("metadata", "labels", one.name), words(one.words, sure))


@said.register
def _(one: of.Annotated, sure: bool) -> Schema:
    return field(("metadata", "annotations", one.name), words(one.words, sure))


@said.register
def _(one: of.Selects, sure: bool) -> Schema:
    value = words(one.words, sure)
    chosen = {"key": {"const": one.name}, "operator": {"const": "In"}}
    values = {} if value == EVERYTHING else {"values": {"items": value}}
    requirement = {"type": "object", "required": [*chosen], "properties": {**chosen, **values}}
    every = {"type": "array", "minItems": 1, "items": field(("matchExpressions",), _contains(requirement))}
    required = field(("spec", *REQUIRED_AFFINITY), every)
    return any_of([field(("spec", "nodeSelector", one.name), value), required])


@said.register
def _(one: ChoosesAmong, sure: bool) -> Schema:
    value = words(one.words, sure)
    listed = any_of([not_(field(("key",), {"const": one.name})), below(("values",), {"items": value})])
    terms = {"items": below(("matchExpressions",), {"items": listed})}
    return all_of(
        [below(("spec", "nodeSelector", one.name), value), below(("spec", *REQUIRED_AFFINITY), terms)]
    )


@said.register
def _(one: Allows, sure: bool) -> Schema:
    chosen, value = ("spec", "nodeSelector", one.name), words(one.words, sure)
    about = field(("key",), {"const": one.name})
    listed = [field(("operator",), {"const": "In"}), field(("values",), _contains(value))]
    every = {"items": field(("matchExpressions",), _contains(about))}
    some = _contains(field(("matchExpressions",), _contains(all_of([about, *listed]))))
    terms = field(("spec", *REQUIRED_AFFINITY), all_of([every, some]))
    return any_of([field(chosen, value), all_of([not_(field(chosen, EVERYTHING)), terms])])


@said.register
def _(one: HasKeyLike, sure: bool) -> Schema:
    name = {"pattern": f"^({one.pattern.pattern})$"}
    if one.place is Place.ENV:
        return field(("env",), _contains(field(("name",), {"type": "string", **name})))
    return field(("metadata", f"{one.place}s"), {"not": {"propertyNames": {"not": name}}})


@said.register
def _(one: of.SchedulerIs, sure: bool) -> Schema:
    path = ("spec", "schedulerName")
    without = [not_(field(path, SCALAR))] if "" in one.names else []
    return any_of([field(path, {"enum": [*one.names]}), *without])


@said.register
def _(one: of.NodeIsNamed, sure: bool) -> Schema:
    return field(("spec", "nodeName"), {**SCALAR, "not": {"const": ""}})


@said.register
def _(one: of.SomeContainer, sure: bool) -> Schema:
    return _some(one.condition, sure)


@said.register
def _(one: of.ContainersAtMost, sure: bool) -> Schema:
    return _at_most(one.condition, one.most, sure)
