"""The same policies for Kyverno (policies.kyverno.io/v1), which also reports on what is there already."""

from __future__ import annotations

from gpuxlate.policy.documents import ACTIONS, Object, Policy


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
            **one.spec,
            "matchConstraints": matched,
            "validationActions": ACTIONS[one.action],
            # it would rewrite the expressions for workloads, which have policies of their own
            "autogen": {"podControllers": {"controllers": []}},
        },
    }
