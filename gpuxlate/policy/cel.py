"""A constraint in CEL, the language of admission policies, for Kubernetes 1.30 and later.

An expression never fails: for any values in a pod it is true or false, since an error would refuse the pod
(``failurePolicy``). A value is a list with one element, or an empty list if it is missing or not a whole
number. (``optMap`` would do too, but cel-cpp evaluates it wrongly after a macro that ends early.) The cost is
linear in the containers and their keys. The API server has checked the structure of the pod.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import singledispatch

from gpuxlate.manifest.objects import REQUIRED_AFFINITY
from gpuxlate.model.keys import Place, Range
from gpuxlate.rules import predicates as of
from gpuxlate.rules.predicates import (
    AtMostParameter,
    ClusterParameter,
    Constraint,
    HasKeyLike,
    LabelNumber,
    MayRunOnNodeLabel,
    NodeLabelAmong,
    ParameterIsSet,
    PerContainerList,
    Predicate,
    Term,
    Word,
)

_SCALAR = "(type(v) == string || type(v) == int || type(v) == double || type(v) == bool)"
_DIGITS = "string(v).matches('^[0-9]{19}$') && string(v) <= '9223372036854775807'"
"""A number of 19 digits fits in 64 bits; the API server's quantities read it as a decimal, not as an integer
(apimachinery, resource.ParseQuantity: at most 18 digits)."""
_WHOLE = f"{_SCALAR} && ({_DIGITS} || isQuantity(string(v)) && quantity(string(v)).isInteger())"
_INTEGER = f"({_DIGITS} ? int(string(v)) : quantity(string(v)).asInteger())"
_RESOURCES = ("limits", "requests")
_THERE = {name: f"c.is.?resources.?{name}.orValue({{}})" for name in _RESOURCES}
_MAPS = ", ".join(
    f"'{name}': dyn(type({mapping}) == map ? {mapping} : {{}})" for name, mapping in _THERE.items()
)
_ASKS = "(c.limits.map(k, k) + c.requests.filter(k, !(k in c.limits)))"
_AMOUNT = "[?c.?limits[?k].or(c.?requests[?k])]"
_NUMBERS = (
    f"{_ASKS}.filter(k, {_AMOUNT}.exists(v, {_WHOLE}))"
    f".map(k, {{'of': dyn(k), 'is': dyn({_AMOUNT}.map(v, {_INTEGER})[0])}})"
)

PARAMETERS = "params == null ? {} : params.?data.orValue({})"
"""The numbers of the cluster, as texts: what is in the ConfigMap of a policy, if it has one."""
VARIABLES = {
    "spec": "object.?spec.orValue({})",
    "containers": "variables.spec.?containers.orValue([]) + variables.spec.?initContainers.orValue([])",
    "annotations": "object.?metadata.?annotations.orValue({})",
    "labels": "object.?metadata.?labels.orValue({})",
    "annotationNames": "variables.annotations.map(k, k)",
    "labelNames": "variables.labels.map(k, k)",
    "schedulerName": "variables.spec.?schedulerName.orValue('')",
    "names": "variables.spec.?containers.orValue([]).map(c, c.?name.orValue(''))",
    "parameters": PARAMETERS,
    "asking": "(variables.spec.?containers.orValue([]).map(c, {'is': dyn(c), 'init': dyn(false)}) + "
    "variables.spec.?initContainers.orValue([]).map(c, {'is': dyn(c), 'init': dyn(true)}))"
    f".map(c, {{'is': dyn(c.is), 'init': dyn(c.init), {_MAPS}}})"
    ".map(c, {'is': dyn(c.is), 'init': dyn(c.init), 'name': dyn(c.is.?name.orValue('')), "
    f"'asks': dyn({_ASKS}), 'numbers': dyn({_NUMBERS})}})",
}
"""What a policy defines under ``variables`` for the expressions here, in their order; no more is needed.

``asking``: of each container what it ``is``, its name, the resources that it ``asks`` for, and the whole
numbers of these: written and evaluated once, however many rules compare them.
"""

REQUIRED_TERMS = f"variables.spec.?{'.?'.join(REQUIRED_AFFINITY)}.orValue([])"
"""The terms of the node affinity that a pod requires."""


def expression(constraint: Constraint) -> str:
    """One boolean expression, true where a pod keeps the constraint."""
    demand = to_cel(constraint.demand)
    return f"variables.asking.all(c, {demand})" if constraint.per_container else demand


@singledispatch
def to_cel(predicate: Predicate) -> str:
    """A predicate in CEL, on the variable ``c`` (a container) and on the pod.

    Raises TypeError for a class of predicates without a form in CEL.
    """
    raise TypeError(f"{type(predicate).__name__} has no form in CEL")


# --- values ---------------------------------------------------------------------------------------


def _named(variable: str, name: str) -> str:
    return f"[?optional.of(variables.{variable})[?{cel_string(name)}]]"


def _complete(term: PerContainerList) -> str:
    """The numbers of all containers as texts, as the only element of a list; an empty list if they are not
    complete."""
    form = f"{_SCALAR} && string(v).matches({cel_string(f'^(?:{term.FORM.pattern})$')})"
    parts = f"{_named('annotations', term.name)}.filter(v, {form}).map(v, string(v).split(','))"
    return f"{parts}.filter(l, l.size() == variables.names.size())"


def _exists(term: Term, body: Callable[[str], str], name: str = "n") -> str:
    """The term is a whole number for which ``body`` is true. ``name``: the variable of the number in CEL."""
    if isinstance(term, str):
        return f"c.numbers.exists({name}, {name}.of == {cel_string(term)}{_and(body(f'{name}.is'))})"
    if isinstance(term, PerContainerList):
        place = "variables.names.indexOf(string(c.name))"  # -1 of an init container
        numbers = f"{_complete(term)}.filter(l, {place} >= 0).map(l, int(l[{place}]))"
    else:
        value = _named("labels" if isinstance(term, LabelNumber) else "annotations", term.name)
        numbers = f"{value}.filter(v, {_WHOLE}).map(v, {_INTEGER})"
    return f"{numbers}.exists({name}, {body(name) or 'true'})"


def _and(body: str) -> str:
    return body and f" && {body}"


def _parameter(parameter: ClusterParameter) -> str:
    """The number of the cluster in units of a key, as the only element of a list; an empty list if it is
    unknown."""
    value = f"{_named('parameters', parameter.name)}.filter(v, string(v).matches('^[0-9]{{1,12}}$'))"
    per = f" / {parameter.per}" if parameter.per != 1 else ""
    return f"{value}.map(v, int(string(v)){per}{f' * {parameter.times}' if parameter.times != 1 else ''})"


def _within(ranges: Sequence[Range], n: str) -> str:
    """The number ``n``, a variable in CEL, is in one of the ranges; "" without ranges."""
    bounds = [_bounds(number_range, n) for number_range in ranges]
    return bounds[0] if len(bounds) == 1 else f"({' || '.join(bounds)})" if bounds else ""


def _bounds(number_range: Range, n: str) -> str:
    bounds = [f"{n} >= {number_range.least}"]
    if number_range.most is not None:
        bounds.append(f"{n} <= {number_range.most}")
    if number_range.step != 1:
        bounds.append(f"{n} % {number_range.step} == 0")
    return f"({' && '.join(bounds)})" if len(bounds) > 1 else bounds[0]


def _one_of(words: tuple[Word, ...], lower: str = "") -> str:
    """The value ``v`` is one of the words. ``lower``: the call in CEL that makes its letters lower-case."""
    written = [cel_string(word) for word in words if isinstance(word, str)]
    terms = [f"string(v){lower} in [{', '.join(written)}]"] if written else []
    terms += [
        f"string(v).matches({cel_string(f'^(?:{word.pattern})$')})"
        for word in words
        if isinstance(word, re.Pattern)
    ]
    ranges = [word for word in words if isinstance(word, Range)]
    if ranges:
        terms.append(f"({_WHOLE} && [{_INTEGER}].exists(n, {_within(ranges, 'n')}))")
    return f"{_SCALAR} && ({' || '.join(terms)})"


def _value_is(values: str, words: tuple[Word, ...], lower: str = "") -> str:
    """The value in a list is one of the words; without words, the list is not empty."""
    return f"{values}.exists(v, {_one_of(words, lower)})" if words else f"{values}.size() > 0"


def in_brackets(expression: str) -> str:
    """An expression in one pair of brackets: parsers limit how deeply brackets nest."""
    depth = 0
    for bracket in re.finditer(r"'(?:\\.|[^'\\])*'|[()]", expression):
        depth += {"(": 1, ")": -1}.get(bracket[0], 0)
        if depth == 0:
            whole = expression.startswith("(") and bracket.end() == len(expression)
            return expression if whole else f"({expression})"
    return f"({expression})"


def cel_string(words: str) -> str:
    """A string of CEL."""
    escaped = words.replace("\\", "\\\\").replace("'", "\\'")
    return (
        "'"
        + "".join(
            character if character.isprintable() else f"\\u{ord(character):04x}" for character in escaped
        )
        + "'"
    )


# --- predicates -----------------------------------------------------------------------------------


@to_cel.register
def _(predicate: of.Requests) -> str:
    listed = [*map(cel_string, predicate.names)]
    if len(listed) == 1:
        return f"{listed[0]} in c.asks"
    return f"c.asks.exists(k, k in [{', '.join(listed)}])" if listed else "false"


@to_cel.register
def _(predicate: of.InRange) -> str:
    return _exists(predicate.name, lambda n: _within(predicate.ranges, n))


@to_cel.register
def _(predicate: of.IsFraction) -> str:
    is_fraction = (
        "[quantity(string(v))].exists(q, q.isGreaterThan(quantity('0')) && q.isLessThan(quantity('1')))"
    )
    key = cel_string(predicate.name)
    amount = f"[?c.is.?resources.?limits[?{key}].or(c.is.?resources.?requests[?{key}])]"
    return f"{amount}.exists(v, {_SCALAR} && isQuantity(string(v)) && {is_fraction})"


@to_cel.register
def _(predicate: of.Divides) -> str:
    def divides(n: str, d: str) -> str:
        steps = (
            f" && {n} / {d} % {predicate.step} == 0" if predicate.step != 1 else ""
        )  # d * step may not fit in 64 bits
        return f"{d} >= 1 && {n} % {d} == 0{steps}"

    return _exists(predicate.name, lambda n: _exists(predicate.by, lambda d: divides(n, d), "d"))


def _at_most(name: Term, limit: str, by: Term | None) -> str:
    def within(n: str) -> str:
        if by is None:
            return f"{n} <= {limit}"
        # most * d may not fit in 64 bits
        divided = _exists(by, lambda d: f"{n} > 0 && ({n} - 1) / ({d} < 1 ? 1 : {d}) < {limit}", "d")
        return f"({n} <= {limit} || {divided})"

    return _exists(name, within)


@to_cel.register
def _(predicate: of.AtMost) -> str:
    return _at_most(predicate.name, str(predicate.maximum), predicate.by)


@to_cel.register
def _(predicate: AtMostParameter) -> str:
    if not predicate.maximum.read:
        return _at_most(predicate.name, str(predicate.maximum.units), predicate.by)
    return f"{_parameter(predicate.maximum)}.exists(m, {_at_most(predicate.name, 'm', predicate.by)})"


@to_cel.register
def _(predicate: ParameterIsSet) -> str:
    return f"{_parameter(predicate.parameter)}.size() > 0"


@to_cel.register
def _(predicate: of.AtLeast) -> str:
    def by(n: str) -> str:  # least * d may not fit in 64 bits
        return _exists(predicate.by, lambda d: f"{d} >= 1 && {n} / {d} >= {predicate.minimum}", "d")

    return _exists(predicate.name, lambda n: f"{n} >= 0 && {by(n)}")


@to_cel.register
def _(predicate: of.ListEntryIs) -> str:
    return _exists(predicate.by, lambda n: _within(predicate.ranges, n))


@to_cel.register
def _(predicate: of.ListCoversContainers) -> str:
    return f"{_complete(predicate.list)}.size() > 0"


@to_cel.register
def _(predicate: of.EnvIs) -> str:
    value = _value_is("[?e.?value]", predicate.words, ".lowerAscii()" if predicate.any_case else "")
    return f"c.is.?env.orValue([]).exists(e, e.?name.orValue('') == {cel_string(predicate.name)} && {value})"


@to_cel.register
def _(predicate: of.Privileged) -> str:
    return _value_is("[?c.is.?securityContext.?privileged]", ("true",), ".lowerAscii()")


@to_cel.register
def _(predicate: of.IsInit) -> str:
    return "c.init"


@to_cel.register
def _(predicate: of.Labelled) -> str:
    return _value_is(_named("labels", predicate.name), predicate.words)


@to_cel.register
def _(predicate: of.IsAnnotated) -> str:
    return _value_is(_named("annotations", predicate.name), predicate.words)


@to_cel.register
def _(predicate: of.RequiresNodeLabel) -> str:
    chosen = _value_is(f"[?variables.spec.?nodeSelector[?{cel_string(predicate.name)}]]", predicate.words)
    listed = f" && r.?values.orValue([]).all(v, {_one_of(predicate.words)})" if predicate.words else ""
    required = (
        f"r.?key.orValue('') == {cel_string(predicate.name)} && r.?operator.orValue('') == 'In'{listed}"
    )
    every = f"t.?matchExpressions.orValue([]).exists(r, {required})"
    return f"({chosen} || size({REQUIRED_TERMS}) > 0 && {REQUIRED_TERMS}.all(t, {every}))"


@to_cel.register
def _(predicate: NodeLabelAmong) -> str:
    chosen = (
        f"[?variables.spec.?nodeSelector[?{cel_string(predicate.name)}]].all(v, {_one_of(predicate.words)})"
    )
    other_key = f"r.?key.orValue('') != {cel_string(predicate.name)}"
    listed = f"{other_key} || r.?values.orValue([]).all(v, {_one_of(predicate.words)})"
    return f"({chosen} && {REQUIRED_TERMS}.all(t, t.?matchExpressions.orValue([]).all(r, {listed})))"


@to_cel.register
def _(predicate: MayRunOnNodeLabel) -> str:
    chosen = f"[?variables.spec.?nodeSelector[?{cel_string(predicate.name)}]]"
    about = f"r.?key.orValue('') == {cel_string(predicate.name)}"
    listed = f"r.?operator.orValue('') == 'In' && r.?values.orValue([]).exists(v, {_one_of(predicate.words)})"
    every = f"{REQUIRED_TERMS}.all(t, t.?matchExpressions.orValue([]).exists(r, {about}))"
    some = f"{REQUIRED_TERMS}.exists(t, t.?matchExpressions.orValue([]).exists(r, {about} && {listed}))"
    named = f"{chosen}.exists(v, {_one_of(predicate.words)})"
    return f"({named} || {chosen}.size() == 0 && {every} && {some})"


@to_cel.register
def _(predicate: HasKeyLike) -> str:
    pattern = cel_string(f"^(?:{predicate.pattern.pattern})$")
    if predicate.place is Place.ENV:
        return f"c.is.?env.orValue([]).exists(e, e.?name.orValue('').matches({pattern}))"
    return f"variables.{predicate.place}Names.exists(k, k.matches({pattern}))"


@to_cel.register
def _(predicate: of.SchedulerIs) -> str:
    return f"variables.schedulerName in [{', '.join(map(cel_string, predicate.names))}]"


@to_cel.register
def _(predicate: of.NodeIsNamed) -> str:
    return "variables.spec.?nodeName.orValue('') != ''"


@to_cel.register
def _(predicate: of.SomeContainer) -> str:
    return f"variables.asking.exists(c, {to_cel(predicate.predicate)})"


@to_cel.register
def _(predicate: of.ContainersAtMost) -> str:
    return f"variables.asking.filter(c, {to_cel(predicate.predicate)}).size() <= {predicate.maximum}"


@to_cel.register
def _(predicate: of.AllOf) -> str:
    return f"({' && '.join(map(to_cel, _flat(predicate)))})" if predicate.parts else "true"


@to_cel.register
def _(predicate: of.AnyOf) -> str:
    return f"({' || '.join(map(to_cel, _flat(predicate)))})" if predicate.parts else "false"


def _flat(combination: of.AllOf | of.AnyOf) -> Iterator[Predicate]:
    """The parts of a combination; a part of the same class is replaced by its own parts."""
    for part in combination.parts:
        yield from _flat(part) if isinstance(part, type(combination)) and part.parts else (part,)


@to_cel.register
def _(predicate: of.Not) -> str:
    return f"!{in_brackets(to_cel(predicate.predicate))}"
