"""What a rule demands: of every container, or of the pod, and where a breach of it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.rules.predicates.conditions import (
    ALWAYS,
    All,
    Amount,
    Any,
    Asks,
    Condition,
    Needs,
    Not,
    resource,
)
from gpuxlate.rules.predicates.names import Aliases, resources_in, under_any_name
from gpuxlate.rules.predicates.parameters import Known, parameters_in


class Breach(NamedTuple):
    """One place where a predicate does not hold: the container, or None for the pod, and the key there.

    ``name`` is "" where the predicate names no keys, ``value`` None where the key is not there.
    """

    container: ContainerKeys | None
    name: str
    value: Value | None

    @property
    def inside(self) -> ContainerKeys:
        """The container, of a predicate on each."""
        return self.container or ContainerKeys()

    @property
    def there(self) -> Value:
        """The value of the key, of a predicate that looks at keys that are there."""
        return self.value or Value("", path=self.inside.path)

    @property
    def number(self) -> int:
        """The value as the whole number that the predicate makes sure of."""
        return quantity.whole(self.there.text) or 0


@dataclass(frozen=True)
class Predicate:
    """``must`` holds wherever ``when`` does.

    ``each``: of every container that has one of the resources ``at`` (of every one where there are none
    such names); a breach is at the first of them that it has. Else of the pod; a breach is at the first of
    ``at`` that it has: an annotation, a label, a node selector, ``schedulerName`` or ``nodeName``.
    ``aliases``: other names of its resources, with which a policy has to be the same; the check is of a pod
    under the own names. ``severity``: that of a breach, where it is not the rule's.
    Raises ValueError for a condition on containers where there is a pod alone.
    """

    must: Condition
    when: Condition = ALWAYS
    at: tuple[str, ...] = ()
    each: bool = True
    aliases: tuple[tuple[str, tuple[str, ...]], ...] = ()
    severity: Severity | None = None

    def __post_init__(self) -> None:
        if not self.each and not (self.must.of_pod and self.when.of_pod):
            raise ValueError(f"a predicate of pods has a condition on containers: {self}")

    def breaches(self, pod: PodKeys) -> Sequence[Breach]:
        """Where the pod does not hold it, init containers first."""
        if not self.each:
            broken = self.when.holds(pod) and not self.must.holds(pod)
            return (Breach(None, *self._at_pod(pod)),) if broken else ()
        found: list[Breach] = []
        for container in (*pod.init_containers, *pod.containers):
            name = ""
            if self.at:
                limits, requests = container.limits, container.requests
                for name in self.at:
                    if name in limits or name in requests:
                        break
                else:
                    continue
            if self.when.holds(pod, container) and not self.must.holds(pod, container):
                found.append(Breach(container, name, resource(container, name)))
        return found

    @cached_property
    def needs(self) -> Needs:
        """Sets of names: a pod that breaks it has a key of each. Sound: what is not known needs nothing."""
        there = (frozenset(self.at),) if self.each and self.at else ()
        return (*there, *self.when.needs(), *self.must.needs(truth=False))

    @property
    def demand(self) -> Condition:
        """What is true of the pod, or of each of its containers: one condition."""
        first = self.when.parts[0] if isinstance(self.when, All) and self.when.parts else self.when
        counted = isinstance(first, Amount) and self.at == (first.name,)  # a number is there
        there = [Asks(*self.at)] if self.each and self.at and not counted else []
        only = [
            *there,
            *map(Known, parameters_in((self.must, self.when))),
            *([] if self.when == ALWAYS else [self.when]),
        ]
        demand = Any(Not(only[0] if len(only) == 1 else All(*only)), self.must) if only else self.must
        return under_any_name(demand, dict(self.aliases)) if self.aliases else demand

    def known_as(self, aliases: Aliases) -> Predicate:
        """With the other names of its resources; one that is about such a name itself stays."""
        names = {*self.at, *resources_in(self.must), *resources_in(self.when)}
        others = {other for found in aliases.values() for other in found}
        mine = tuple((own, found) for own, found in aliases.items() if own in names)
        return self if names & others or not mine else replace(self, aliases=mine)

    def _at_pod(self, pod: PodKeys) -> tuple[str, Value | None]:
        fields = {"schedulerName": pod.scheduler_name, "nodeName": pod.node_name}
        for name in self.at:
            for values in (fields, pod.annotations, pod.labels, pod.node_selector):
                value = values.get(name)
                if value is not None:
                    return name, value
        return next(iter(self.at), ""), None

    def to_cel(self) -> str:
        """One boolean expression of CEL over a pod, with the variables of ``cel.VARIABLES``."""
        from gpuxlate.rules.predicates import cel

        return cel.expression(self)

    def to_schema(self) -> dict[str, object]:
        """A JSON Schema of a Pod."""
        from gpuxlate.rules.predicates import schema

        return schema.of_pod(self)
