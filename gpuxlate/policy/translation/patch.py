"""The mutation: operations of a JSON patch, each a list in CEL that is empty where there is nothing to do."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.manifest.objects import REQUIRED_AFFINITY
from gpuxlate.policy.names import listed
from gpuxlate.policy.translation.laws import Law
from gpuxlate.policy.translation.obstacles import DEFAULT_SCHEDULER, MOST_CONTAINERS
from gpuxlate.policy.translation.probe import Placed
from gpuxlate.policy.translation.reading import named
from gpuxlate.policy.translation.shares import Tables
from gpuxlate.rules.predicates.cel import text

_ON_POD = {
    "labels": "/metadata/labels",
    "annotations": "/metadata/annotations",
    "nodeSelector": "/spec/nodeSelector",
}
_THERE = {
    "labels": "has(object.metadata.labels)",
    "annotations": "has(object.metadata.annotations)",
    "nodeSelector": "has(object.spec.nodeSelector)",
}


def patch(tables: Tables) -> str:
    """The whole patch as one list. What goes is removed first: the target may have a key of the same name."""
    return "\n+ ".join((*_removed(tables), *_written(tables)))


def _operation(op: str, path: str, value: str = "") -> str:
    given = f", value: {value}" if value else ""
    return f"JSONPatch{{op: '{op}', path: {path}{given}}}"


def _step(key: str) -> str:
    """A key in a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def _of_shares(condition: str, operation: str) -> str:
    where = f".filter(s, {condition})" if condition else ""
    return f"variables.made{where}.map(s, {operation})"


def _once(condition: str, operation: str) -> str:
    return f"[true].filter(x, variables.made.size() > 0 && {condition}).map(x, {operation})"


def _removed(tables: Tables) -> Iterator[str]:
    for key in tables.source.keys:
        for part, kept in (("limits", "l"), ("requests", "r")):
            path = f"s.at + {text(f'/resources/{part}/{_step(key)}')}"
            yield _of_shares(f"{text(key)} in s.{kept}", _operation("remove", path))
    for place, key in dict.fromkeys((word.place, word.key) for word in tables.source.words):
        word = next(one for one in tables.source.words if (one.place, one.key) == (place, key))
        path = text(f"{_ON_POD[place]}/{_step(key)}")
        yield _once(f"{named(word)} != ''", _operation("remove", path))
    left = [one for one in tables.source.backend.schedulers if one not in tables.target.schedulers]
    if left:
        yield _once(
            f"variables.schedulerName in {listed(left)}",
            _operation("add", "'/spec/schedulerName'", text(DEFAULT_SCHEDULER)),
        )


Groups = dict[Placed, dict[tuple[str, str], list[int]]]
"""Keys, their values and further conditions, and the branches that have them so."""


def _groups(tables: Tables) -> Groups:
    found: Groups = {}
    for number, branch in enumerate(tables.branches):
        lifted = tables.lifted(branch)
        values = {key: (_value(key, laws[0], lifted), "") for key, laws in branch.laws.items()}
        for key, value in values.items():
            found.setdefault(key, {}).setdefault(value, []).append(number)
        by_delta: dict[tuple[Placed, str], list[str]] = {}
        for words, delta in branch.words.items():
            for key, one in delta.items():
                by_delta.setdefault((key, one), []).append(f"{words.policy}/{words.isolation}")
        for (key, one), allowed in by_delta.items():
            value = _value(key, Law(one), lifted), f"variables.words in {listed(allowed)}"
            found.setdefault(key, {}).setdefault(value, []).append(number)
    return found


def _value(key: Placed, law: Law, lifted: dict[str, str]) -> str:
    return law.constant if key[0] == "affinity" else law.written(lifted)


def _written(tables: Tables) -> Iterator[str]:
    groups = sorted(_groups(tables).items(), key=lambda one: one[0][0])
    for place, path in _ON_POD.items():
        some = {n for key, values in groups if key[0] == place for found in values.values() for n in found}
        if some:
            condition = f"!{_THERE[place]} && variables.made.exists(s, s.b in {sorted(some)})"
            yield _once(condition, _operation("add", text(path), "{}"))
    for (place, key), values in groups:
        for (value, more), numbers in values.items():
            condition = f"s.b in {numbers}" if len(numbers) < len(tables.branches) or more else ""
            condition = " && ".join(filter(None, (condition, more)))
            match place:
                case "limits":
                    for part in ("limits", "requests"):
                        path = f"s.at + {text(f'/resources/{part}/{_step(key)}')}"
                        yield _of_shares(condition, _operation("add", path, value))
                case "env":
                    empty = " && ".join(filter(None, (condition, "s.env.size() == 0")))
                    yield _of_shares(empty, _operation("add", "s.at + '/env'", "[]"))
                    entry = f"{{'name': {text(key)}, 'value': {value}}}"
                    yield _of_shares(condition, _operation("add", "s.at + '/env/-'", entry))
                case "scheduler":
                    yield _of_shares(condition, _operation("add", "'/spec/schedulerName'", value))
                case "affinity":
                    yield from _affinity(key, value, f"variables.made.exists(s, {condition or 'true'})")
                case _:
                    path = text(f"{_ON_POD[place]}/{_step(key)}")
                    yield _of_shares(condition, _operation("add", path, value))


def _affinity(key: str, value: str, condition: str) -> Iterator[str]:
    """A requirement in every term of the required node affinity, or in the first."""
    operator, *values = value.split(",")
    entry = f"{{'key': dyn({text(key)}), 'operator': dyn({text(operator)}), 'values': dyn({listed(values)})}}"
    at = "/spec"
    for depth, step in enumerate(REQUIRED_AFFINITY[:-1], 1):
        at = f"{at}/{step}"
        parent = ".?".join(("object.spec", *REQUIRED_AFFINITY[:depth]))
        empty = f"{{{text(REQUIRED_AFFINITY[-1])}: []}}" if depth == len(REQUIRED_AFFINITY) - 1 else "{}"
        yield _once(f"{condition} && !{parent}.hasValue()", _operation("add", text(at), empty))
    at = f"{at}/{REQUIRED_AFFINITY[-1]}"
    terms = f"object.spec.?{'.?'.join(REQUIRED_AFFINITY)}.orValue([])"
    new = f"{{'matchExpressions': [{entry}]}}"
    yield _once(f"{condition} && {terms}.size() == 0", _operation("add", text(f"{at}/-"), new))
    of_term = f"{terms}[i].?matchExpressions.orValue([])"
    same = (
        f"r.key == {text(key)} && r.operator == {text(operator)} && r.?values.orValue([]) == {listed(values)}"
    )
    some = f"variables.made.size() > 0 && {condition} && i < {terms}.size()"
    every = [*range(MOST_CONTAINERS)]
    path = f"{text(f'{at}/')} + string(i) + "
    for lacking, step, value in (
        (f"{of_term}.size() == 0", "/matchExpressions", "[]"),
        (f"!{of_term}.exists(r, {same})", "/matchExpressions/-", entry),
    ):
        operation = _operation("add", path + text(step), value)
        yield f"{every}.filter(i, {some} && {lacking}).map(i, {operation})"
