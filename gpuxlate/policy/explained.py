"""Every rule: whether a cluster can enforce it, where, and why not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from gpuxlate.backends.base import Backend
from gpuxlate.model.messages import say
from gpuxlate.policy.demands import OF_WORKLOADS, unenforced
from gpuxlate.rules import catalog
from gpuxlate.rules.base import Rule


class Enforced(StrEnum):
    """Where a cluster enforces a rule."""

    PODS = "pods, workloads"
    PARTLY = "in part"
    WORKLOADS = "workloads"
    PARAMETERS = "with parameters"
    NO = "no"


class Explained(NamedTuple):
    """One rule, and why it is enforced in part or not at all."""

    rule: Rule
    enforced: Enforced
    why: str = ""


def explained(backends: Sequence[Backend]) -> Iterator[Explained]:
    """The rules of the dialects and those of all, in the order of their codes."""
    known = {one.code: one for one in catalog.neutral_rules()}
    known |= {one.code: one for backend in backends for one in backend.rules}
    for code in sorted(known):
        yield explain(known[code])


def explain(rule: Rule) -> Explained:
    """One rule."""
    why = unenforced(rule)
    if why:
        return Explained(rule, Enforced.NO, why)
    if rule is OF_WORKLOADS:
        return Explained(rule, Enforced.WORKLOADS, say("a pod does not show what its workload has"))
    of_profile = rule.with_profile if not rule.predicates else None
    if rule.also is not None:
        found = say("lint finds more: by names of containers, units, or totals of a pod")
        if of_profile is not None:
            found = say("with parameters: {why}; {more}", why=say(of_profile.why), more=found)
        return Explained(rule, Enforced.PARTLY, found)
    if of_profile is not None:
        return Explained(rule, Enforced.PARAMETERS, say(of_profile.why))
    more = say("with parameters more: {why}", why=rule.with_profile.why) if rule.with_profile else ""
    return Explained(rule, Enforced.PODS, more)
