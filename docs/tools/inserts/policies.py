"""The tables of what a cluster can enforce: the rules of each dialect, and custom resources."""

from __future__ import annotations

from docs.tools.markdown import rule_link, table
from gpuxlate.backends import registry
from gpuxlate.manifest.kinds import CUSTOM
from gpuxlate.policy.generate import Enforced, explained
from gpuxlate.policy.subjects import WORKLOADS

_SHOWN = {
    Enforced.PODS: "yes",
    Enforced.PARTLY: "in part",
    Enforced.PARAMETERS: "with parameters",
    Enforced.WORKLOADS: "on workloads",
    Enforced.NO: "no",
}


def rows(name: str) -> list[str]:
    """The table of all rules, or of the kinds of workloads."""
    if name == "kinds":
        found = [[one.kind, f"`{one.group}`", f"`{one.plural}`"] for one in (*WORKLOADS, *CUSTOM)]
        return table(["kind", "group", "resource"], found)
    found = [
        [rule_link(one.rule.code), str(one.rule.severity), _SHOWN[one.enforced], one.why]
        for one in explained(registry.pod_backends())
    ]
    return table(["rule", "severity", "enforced", "why"], found)
