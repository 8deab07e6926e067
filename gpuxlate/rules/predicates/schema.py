"""Whole numbers as JSON Schema says them: as integers, and as the strings that vendors write."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import singledispatch
from typing import Any

from gpuxlate.manifest.objects import REQUIRED_AFFINITY
from gpuxlate.model import quantity
from gpuxlate.model.declarations import record
from gpuxlate.model.keys import Place, Range
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
    Predicate,
    Word,
)

LISTED = 64
"""The most numbers that are listed one by one as strings."""
LOWEST = -quantity.LIMIT
"""The least of a range without a beginning."""


def as_integer(one: Range) -> dict[str, Any]:
    """A range of bare numbers."""
    found: dict[str, Any] = {"type": "integer", "minimum": one.least}
    if one.most is not None:
        found["maximum"] = one.most
    if one.step != 1:
        found["multipleOf"] = one.step
    return found


def as_string(one: Range) -> dict[str, Any]:
    """The same range in quotes. Raises ValueError where no pattern of a usual length says it."""
    listed = _listed(one)
    return {"type": "string", **({"enum": listed} if listed else {"pattern": as_pattern(one)})}


def _listed(one: Range) -> list[str]:
    """The numbers of a range, where they are few."""
    if one.most is None or one.least < 0:
        return []
    first = -(-one.least // one.step) * one.step
    numbers = range(first, one.most + 1, one.step)
    return [str(number) for number in numbers] if len(numbers) <= LISTED else []


def as_pattern(one: Range) -> str:
    """The same range as the pattern of a text. Raises ValueError as ``as_string``."""
    if one.most is None:
        return f"^({_multiples(one)})$"
    listed = _listed(one)
    if listed:
        return f"^({'|'.join(listed)})$"
    first = -(-one.least // one.step) * one.step
    zeros = _zeros(one)
    pattern = _between(first // one.step, one.most // one.step)
    if zeros:
        pattern = (
            f"({pattern}){'0' * zeros}" if first else f"0|({_between(1, one.most // one.step)}){'0' * zeros}"
        )
    return f"^({pattern})$"


def _zeros(one: Range) -> int:
    """The zeros of the step. Raises ValueError where it is no power of ten, or the range begins below 0."""
    zeros = len(str(one.step)) - 1
    if one.step != 10**zeros or (one.least < 0 and (zeros or one.least > LOWEST)):
        raise ValueError(f"{one} cannot be expressed as a pattern")
    return zeros


def _multiples(one: Range) -> str:
    """Without an end: all from the least on, or all multiples of a step that the last digits show."""
    if one.step == 1:
        return _from(one.least)
    if one.least > one.step or LOWEST < one.least < 0:
        raise ValueError(f"{one} cannot be expressed as a pattern")
    if one.step in (2, 5):
        endings = "".join(str(number) for number in range(0, 10, one.step))
        found = f"[{endings[1:]}]|[1-9][0-9]*[{endings}]"
    else:
        found = "[1-9][0-9]*" + "0" * _zeros(Range(0, None, one.step))
    if one.least > 0:
        return found
    return f"0|-?({found})" if one.least <= LOWEST else f"0|{found}"


def _from(least: int) -> str:
    """Digits of every number that is not below ``least``, without leading zeros."""
    if LOWEST < least < 0:
        raise ValueError(f"{Range(least)} cannot be expressed as a pattern")
    if least <= 0:
        return "0|-?[1-9][0-9]*" if least <= LOWEST else "0|[1-9][0-9]*"
    digits = str(least)
    size = len(digits)
    same_length = [
        f"{digits[:place]}{_digit(int(digits[place]) + 1, 9)}{_any(size - place - 1)}"
        for place in reversed(range(size))
        if digits[place] != "9"
    ]
    return "|".join([digits, *same_length, f"[1-9][0-9]{{{size},}}"])


def _between(least: int, most: int) -> str:
    """Digits of the numbers from ``least`` to ``most``, in runs of equal beginnings; below 0, of all."""
    runs = ["-[1-9][0-9]*"] if least < 0 else []
    number = max(least, 0)
    while number <= most:
        zeros = 0
        while number % 10 ** (zeros + 1) == 0 and number + 10 ** (zeros + 1) - 1 <= most and number:
            zeros += 1
        runs.append(f"{str(number)[: len(str(number)) - zeros]}{_any(zeros)}")
        number += 10**zeros
    return "|".join(runs)


def _digit(least: int, most: int) -> str:
    return str(least) if least == most else f"[{least}-{most}]"


def _any(count: int) -> str:
    return "" if count == 0 else "[0-9]" if count == 1 else f"[0-9]{{{count}}}"


# JSON Schemas of fields and values, and how they are put together.
Schema = dict[str, Any]
EVERYTHING: Schema = {}
NOTHING: Schema = {"not": {}}
SCALAR: Schema = {"type": ["string", "number", "boolean"]}
WHOLE = Range(LOWEST)
"""Any whole number."""
_MULTIPLES = f"[eE][+-]?[0-9]+|[{quantity.LARGE}]|[{quantity.BINARY}]i"
ODD: Schema = {
    "type": "string",
    "pattern": f"^[+-]?([0-9]+[.]?0*|[0-9.]+({_MULTIPLES})|(0+|[0-9]*000)[.0]*[{quantity.SMALL}])$",
    "not": {"pattern": "^(0|-?[1-9][0-9]*)$"},
}
"""What may be a whole number in other than plain digits; of the others, hardly any."""


# --- schemas --------------------------------------------------------------------------------------
def all_of(parts: list[Schema]) -> Schema:
    some = [one for one in parts if one != EVERYTHING]
    if NOTHING in some:
        return NOTHING
    return EVERYTHING if not some else some[0] if len(some) == 1 else {"allOf": some}


def any_of(parts: list[Schema]) -> Schema:
    some = [one for one in parts if one != NOTHING]
    if EVERYTHING in some:
        return EVERYTHING
    return NOTHING if not some else some[0] if len(some) == 1 else {"anyOf": some}


def not_(one: Schema) -> Schema:
    if one == EVERYTHING:
        return NOTHING
    return one["not"] if set(one) == {"not"} else {"not": one}


def field(path: tuple[str, ...], schema: Schema) -> Schema:
    """There is a field, and it keeps the schema."""
    if schema == NOTHING:
        return NOTHING
    for step in reversed(path):
        below = {"properties": {step: schema}} if schema != EVERYTHING else {}
        schema = {"type": "object", "required": [step], **below}
    return schema


def below(path: tuple[str, ...], schema: Schema) -> Schema:
    """The field keeps the schema where there is one."""
    for step in reversed(path):
        schema = {"properties": {step: schema}}
    return schema


def shared(schema: Schema) -> Schema:
    """The same schema, with the larger parts that are in it more than once in ``$defs``."""
    texts = Counter(json.dumps(one) for one in _parts(schema))
    names = {
        text: f"part{n}" for n, text in enumerate(t for t, n in texts.items() if n > 1 and len(t) > LARGE)
    }
    parts = {name: _with_names(json.loads(text), names, outermost=True) for text, name in names.items()}
    return {**_with_names(schema, names), **({"$defs": parts} if parts else {})}


LARGE = 120
"""Characters of a part that is worth a name."""
_LISTS, _MAPPINGS, _SINGLE = ("allOf", "anyOf"), ("properties",), ("not", "items", "contains")
"""Keywords that hold schemas."""


def _parts(schema: Schema) -> Iterator[Schema]:
    yield schema
    for word, below in schema.items():
        inner = below if word in _LISTS else below.values() if word in _MAPPINGS else [below]
        if word in (*_LISTS, *_MAPPINGS, *_SINGLE):
            for one in inner:
                yield from _parts(one)


def _with_names(schema: Schema, names: Mapping[str, str], outermost: bool = False) -> Schema:
    name = None if outermost else names.get(json.dumps(schema))
    if name is not None:
        return {"$ref": f"#/$defs/{name}"}
    found = dict(schema)
    for word, below in schema.items():
        if word in _LISTS:
            found[word] = [_with_names(one, names) for one in below]
        elif word in _MAPPINGS:
            found[word] = {field: _with_names(one, names) for field, one in below.items()}
        elif word in _SINGLE:
            found[word] = _with_names(below, names)
    return found


# --- values ---------------------------------------------------------------------------------------
def numbers(ranges: tuple[Range, ...], sure: bool) -> Schema:
    """A whole number in one of the ranges, bare or quoted."""
    found = []
    for one in ranges:
        found.append(as_integer(one))
        try:
            found.append(as_string(one))
        except ValueError:
            if not sure:
                found.append(as_string(WHOLE))
    return any_of([*found, *([] if sure else [ODD])])


def words(listed: tuple[Word, ...], sure: bool, any_case: bool = False) -> Schema:
    """A value that is one of the words; a bare number or boolean is the text of it."""
    if not listed:
        return EVERYTHING
    found: list[Schema] = []
    texts = [one for one in listed if isinstance(one, str)]
    if texts and any_case:
        spelled = "|".join(map(_any_case, texts))
        found.append({"type": "string", "pattern": f"^({spelled})$"})
    elif texts:
        found.append({"enum": texts})
    bare = [_bare(one) for one in texts]
    if any(one is not None for one in bare):
        found.append({"enum": [one for one in bare if one is not None]})
    patterns = [one.pattern for one in listed if isinstance(one, re.Pattern)]
    if patterns:
        found.append({"type": "string", "pattern": f"^({'|'.join(patterns)})$"})
        if not sure:
            found.append({"type": ["number", "boolean"]})
    ranges = tuple(one for one in listed if isinstance(one, Range))
    if ranges:
        found.append(numbers(ranges, sure))
    return any_of(found)


def _bare(word: str) -> int | bool | None:
    if word in ("true", "false"):
        return word == "true"
    return int(word) if re.fullmatch("0|-?[1-9][0-9]*", word) else None


def _any_case(word: str) -> str:
    return "".join(f"[{one.lower()}{one.upper()}]" if one.isalpha() else re.escape(one) for one in word)


# A predicate as a JSON Schema of a Pod, for editors.
# A schema cannot calculate: it compares two numbers for each of the first cards, and reads numbers in plain
# digits, bare or quoted. Where that is not enough it says nothing, so it accepts what the check accepts,
# and more where a number has a suffix, or more than ``CARDS`` cards or odd steps are in quotes. Each
# printer therefore has two forms: ``sure`` is a schema that only what fulfils the condition keeps;
# otherwise everything that fulfils it does.
CARDS = 16
"""The most cards for which a schema compares two numbers: no node has more."""
_ARRAYS = (("containers", NEVER), ("initContainers", ALWAYS))
"""The containers of a pod, and whether they are init containers."""


@record
class _Perhaps(Condition):
    """A schema cannot say more than this: the condition may be true where this one is."""

    condition: Condition


def of_pod(predicate: Predicate) -> Schema:
    """A schema that every pod keeps which keeps the predicate."""
    demand = predicate.demand
    return shared(_every(demand, sure=False) if predicate.per_container else said(_unrolled(demand), False))


@singledispatch
def said(condition: Condition, sure: bool) -> Schema:
    """The schema of a container, or of a pod, for which it is true. Raises TypeError for one unknown."""
    raise TypeError(f"{type(condition).__name__} has no form in JSON Schema")


# --- numbers that depend on each other ------------------------------------------------------------
def _is(term: str | Label | Annotation, one: Range) -> Condition:
    if isinstance(term, str):
        return of.InRange(term, one)
    named = of.Labelled if isinstance(term, Label) else of.IsAnnotated
    return named(term.name, one)


def _unrolled(condition: Condition) -> Condition:
    """Without comparisons of two numbers: one condition for each number of cards."""
    if isinstance(condition, of.AllOf | of.AnyOf):
        return type(condition)(*map(_unrolled, condition.parts))
    if isinstance(condition, of.Not):
        return of.Not(_unrolled(condition.condition))
    if isinstance(condition, of.Divides | of.AtMost | of.AtLeast) and isinstance(condition.by, InList):
        return _Perhaps(of.InRange(condition.name))  # the place of a container is no part of a schema
    if isinstance(condition, of.Divides):
        name, by, step = condition.name, condition.by, condition.step
        each = [Range(LOWEST, None, step * n) for n in range(1, CARDS + 1)]
    elif isinstance(condition, of.AtLeast):
        name, by = condition.name, condition.by
        each = [Range(condition.least * n) for n in range(1, CARDS + 1)]
    elif isinstance(condition, of.AtMost):
        name = condition.name
        if condition.by is None:
            return of.InRange(name, Range(LOWEST, condition.most))
        by = condition.by
        each = [Range(LOWEST, condition.most * n) for n in range(1, CARDS + 1)]
    else:
        return condition
    assert not isinstance(by, InList)
    cases = [_is(by, Range(n, n)) & of.InRange(name, one) for n, one in enumerate(each, 1)]
    more = _Perhaps(_is(by, Range(CARDS + 1)) & of.InRange(name))
    without = [~_is(by, Range(1)) & of.InRange(name, each[0])] if isinstance(condition, of.AtMost) else []
    return of.AnyOf(*cases, more, *without)


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
    if isinstance(condition, of.AllOf | of.AnyOf):
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
    if isinstance(condition, of.AllOf | of.AnyOf):
        return type(condition)(*(_with(part, atom, known) for part in condition.parts))
    if isinstance(condition, of.Not | _Perhaps):
        return type(condition)(_with(condition.condition, atom, known))
    return NEVER if known == ALWAYS and _excludes(atom, condition) else condition


def _excludes(one: Condition, other: Condition) -> bool:
    """Both are the number of one label, and no number is both."""
    if not (isinstance(one, of.HasKey) and type(one) is type(other) and isinstance(other, of.HasKey)):
        return False
    if one.name != other.name or len(one.words) != 1 or len(other.words) != 1:
        return False
    first, second = one.words[0], other.words[0]
    if not (isinstance(first, Range) and isinstance(second, Range)) or first.most is None:
        return False
    return first.most < second.least or (second.most is not None and second.most < first.least)


# --- conditions -----------------------------------------------------------------------------------
@said.register
def _(one: of.AllOf, sure: bool) -> Schema:
    return all_of([said(part, sure) for part in one.parts])


@said.register
def _(one: of.AnyOf, sure: bool) -> Schema:
    return any_of([said(part, sure) for part in one.parts])


@said.register
def _(one: of.Not, sure: bool) -> Schema:
    return not_(said(one.condition, not sure))


@said.register
def _(one: _Perhaps, sure: bool) -> Schema:
    return NOTHING if sure else said(one.condition, sure)


@said.register
def _(one: of.Requests, sure: bool) -> Schema:
    places = ("limits", "requests")
    return any_of([field(("resources", place, name), EVERYTHING) for place in places for name in one.names])


@said.register
def _(one: of.InRange, sure: bool) -> Schema:
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
def _(one: of.IsAnnotated, sure: bool) -> Schema:
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
