"""The same policies for Kyverno (policies.kyverno.io/v1), which also reports on what is there already."""

from __future__ import annotations

from typing import Any

from gpuxlate.policy.documents import ACTIONS, Object, Policy
from gpuxlate.rules.predicates.cel import PARAMETERS, text


def validating_policy(one: Policy) -> Object:
    """A ValidatingPolicy: its fields are those of Kubernetes, with the actions of the binding."""
    matched = dict(one.spec["matchConstraints"])
    if one.namespaces:
        matched["namespaceSelector"] = one.namespaces
    return {
        "apiVersion": "policies.kyverno.io/v1",
        "kind": "ValidatingPolicy",
        "metadata": {"name": one.name, "labels": one.labels},
        "spec": {
            **_with_numbers(one),
            "matchConstraints": matched,
            "validationActions": ACTIONS[one.action],
            # it would rewrite the expressions for workloads, which have policies of their own
            "autogen": {"podControllers": {"controllers": []}},
        },
    }


def _with_numbers(one: Policy) -> Object:
    """The spec with the numbers of the cluster in place of the parameters, which Kyverno does not have."""
    if not one.parameters:
        return one.spec
    listed = ", ".join(f"{text(name)}: {text(value)}" for name, value in one.parameters.items())
    spec = _replaced(one.spec, f"{{{listed}}}")
    del spec["paramKind"]
    return dict(spec)


def _replaced(one: Any, numbers: str) -> Any:
    if isinstance(one, dict):
        return {name: _replaced(part, numbers) for name, part in one.items()}
    if isinstance(one, list):
        return [_replaced(part, numbers) for part in one]
    return one.replace(PARAMETERS, numbers) if isinstance(one, str) else one
