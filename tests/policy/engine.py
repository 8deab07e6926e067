"""A policy as the API server evaluates it: match conditions, variables in their order, validations.

Every expression has its static type, every evaluation a value: an error is an AssertionError.
"""

import re
from fractions import Fraction
from functools import cache
from typing import Any

from cel_expr_python import cel
from cel_expr_python.ext import ext_optional

from gpuxlate.model import quantity
from tests.rules.verdicts import QUANTITY, TYPES, _function, functions

Object = dict[str, Any]
TEXTS = TYPES.List(TYPES.STRING)


def _found(value: str, pattern: str) -> str:
    match = re.search(pattern, value)
    return match[0] if match else ""


def _all_found(value: str, pattern: str) -> list[str]:
    return [one[0] for one in re.finditer(pattern, value)]


COMPARED = {
    "isLessThan": ("quantity_is_less_than", lambda one, other: _amount(one) < _amount(other)),
    "isGreaterThan": ("quantity_is_greater_than", lambda one, other: _amount(one) > _amount(other)),
}
TEXT = TYPES.STRING
ENVIRONMENT = cel.NewEnv(
    variables={"object": TYPES.DYN, "variables": TYPES.DYN, "params": TYPES.DYN},
    extensions=[ext_optional.ExtOptional()],
    functions=[
        *functions(),
        _function("find", "string_find_string", TEXT, TEXT, _found, TEXT),
        _function("findAll", "string_find_all_string", TEXTS, TEXT, _all_found, TEXT),
        _function("upperAscii", "string_upper_ascii", TEXT, TEXT, str.upper),
        _function("join", "list_join_string", TEXT, TEXTS, lambda parts, by: by.join(parts), TEXT),
        *(
            _function(name, overload, TYPES.BOOL, QUANTITY, compared, QUANTITY)
            for name, (overload, compared) in COMPARED.items()
        ),
    ],
)


def _amount(one: Any) -> Fraction:
    return Fraction(one["is"])


@cache
def compiled(text: str) -> Any:
    return ENVIRONMENT.compile(text)


class Engine:
    """One policy, from its ``spec``, and the object with its parameters, if it is there."""

    def __init__(self, spec: Object, params: Object | None = None) -> None:
        self.params = params
        self.conditions = [compiled(one["expression"]) for one in spec["matchConditions"]]
        self.variables = {one["name"]: compiled(one["expression"]) for one in spec["variables"]}
        self.validations = [(compiled(one["expression"]), one) for one in spec["validations"]]
        for one in (*self.conditions, *(one for one, _ in self.validations)):
            assert one.return_type().name() == "BOOL", one  # the API server refuses dyn
        assert all("\n" not in one["message"] for _, one in self.validations)

    def matches(self, one: Object, judged: dict[object, bool] | None = None) -> bool:
        """``judged``: what the conditions say of the object, which several policies of a dialect share."""
        judged = {} if judged is None else judged
        for condition in self.conditions:
            if condition not in judged:
                judged[condition] = _value(condition, self._data(one))
            if not judged[condition]:
                return False
        return True

    def _data(self, one: Object) -> Object:
        return {"object": one, "variables": {}, "params": self.params}

    def __call__(self, one: Object, judged: dict[object, bool] | None = None) -> dict[str, list[str]]:
        """The messages of what an object breaks, by code."""
        if not self.matches(one, judged):
            return {}
        data = self._data(one)
        for name, expression in self.variables.items():
            data["variables"][name] = _value(expression, data)
        found: dict[str, list[str]] = {}
        for expression, validation in self.validations:
            if _value(expression, data):
                continue
            message = validation["message"]
            if "messageExpression" in validation:
                message = _value(compiled(validation["messageExpression"]), data)
            assert isinstance(message, str)
            found.setdefault(message.partition(":")[0], []).append(message)
        return found


def _value(expression: Any, data: Object) -> Any:
    found = expression.eval(data=data)
    assert found.type().name() != "ERROR", (str(found), data["object"])
    return found.plain_value()


# --- what the API server makes of a pod -----------------------------------------------------------


def canonical(text: str) -> str:
    """A quantity as the API server writes it (resource.Quantity, CanonicalizeBytes)."""
    found = quantity.parse(text)
    base = 1024 if found.suffix.endswith("i") else 1000
    letters = quantity.BINARY if base == 1024 else quantity.LARGE
    assert found.whole is not None
    amount, suffix = found.whole, ""
    for letter in letters:
        if not amount or amount % base:
            break
        amount, suffix = amount // base, f"{letter}i" if base == 1024 else letter
    return f"{amount}{suffix}"


def as_served(pod: Object) -> Object | None:
    """A Pod as a policy sees it; None where the API server refuses it before."""
    maps = [pod.get("metadata", {}).get(field) or {} for field in ("labels", "annotations")]
    if not all(isinstance(one, dict) for one in (*maps, pod["spec"].get("nodeSelector") or {})):
        return None
    served: Object = {**pod, "metadata": _texts(pod.get("metadata", {})), "spec": dict(pod["spec"])}
    spec = served["spec"]
    for field in ("containers", "initContainers"):
        if field not in spec:
            continue
        spec[field] = [dict(one) for one in spec[field]]
        for container in spec[field]:
            resources = _resources(container.get("resources") or {})
            if resources is None:
                return None
            container["resources"] = resources
            container["env"] = [
                {k: str(v) for k, v in one.items() if isinstance(v, str | int)}
                for one in container.get("env", [])
            ]
    spec["schedulerName"] = spec.get("schedulerName") or "default-scheduler"
    if "nodeSelector" in spec:
        spec["nodeSelector"] = {k: str(v) for k, v in spec["nodeSelector"].items()}
    return served


def _texts(metadata: Object) -> Object:
    found = {"name": "web", "uid": "0", **metadata}
    for field in ("labels", "annotations"):
        if field in found:
            found[field] = {
                k: v if isinstance(v, str) else str(v).lower() for k, v in (found[field] or {}).items()
            }
    return found


STANDARD = ("cpu", "memory", "ephemeral-storage")
"""Resources of Kubernetes itself; others have a domain."""


def _resources(given: Object) -> Object | None:
    limits, requests = (given.get(name) or {} for name in ("limits", "requests"))
    if not isinstance(limits, dict) or not isinstance(requests, dict):
        return None
    if any("/" not in name and name not in STANDARD for name in (*limits, *requests)):
        return None
    found: Object = {"limits": {}, "requests": {}}
    for name, value in limits.items():
        text = str(value)
        if "/" not in name:
            found["limits"][name] = found["requests"][name] = text
            continue
        if (
            not isinstance(value, str | int)
            or isinstance(value, bool)
            or quantity.parse_integer(text) is None
        ):
            return None
        found["limits"][name] = found["requests"][name] = canonical(text)
    for name in requests:
        amount, limit = (quantity.parse_integer(str(each.get(name))) for each in (requests, limits))
        same = name in limits and amount == limit
        if "/" in name and not same:
            return None  # an extended resource: a request alone, or another one
    return found
