"""Numbers of the cluster in conditions. They have no form in JSON Schema: an editor knows no cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace

from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.rules.predicates.conditions import (
    All,
    Annotation,
    Any,
    Condition,
    ContainersAtMost,
    Label,
    Not,
    OfPod,
    Parameter,
    SomeContainer,
    Term,
    number_of,
)


@dataclass(frozen=True)
class Known(OfPod):
    """The number is known: always to a check, and to a policy that reads it while its parameters have it."""

    parameter: Parameter

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return True


@dataclass(frozen=True)
class Within(Condition):
    """The number is there and not above ``most * by``; a ``by`` that is not there or below 1 counts as 1."""

    name: Term
    most: Parameter
    by: Term | None = None

    @property
    def of_pod(self) -> bool:
        return all(isinstance(one, Label | Annotation | None) for one in (self.name, self.by))

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        number = number_of(pod, container, self.name)
        by = None if self.by is None else number_of(pod, container, self.by)
        return number is not None and number <= self.most.units * max(by or 1, 1)


def parts_of(one: object) -> Iterator[object]:
    """Everything in a condition, a predicate, or a tuple of them."""
    yield one
    if is_dataclass(one) and not isinstance(one, type):
        for field in fields(one):
            yield from parts_of(getattr(one, field.name))
    elif isinstance(one, tuple):
        for part in one:
            yield from parts_of(part)


def numbers_in(one: object) -> tuple[Parameter, ...]:
    """The numbers of the cluster in it, each name once."""
    found = {part.name: part for part in parts_of(one) if isinstance(part, Parameter)}
    return tuple(found.values())


def parameters_in(one: object) -> tuple[Parameter, ...]:
    """Those of them that a policy reads from its parameters."""
    return tuple(there for there in numbers_in(one) if there.read)


def with_parameters(one: Condition) -> Condition:
    """The condition of a policy that reads the numbers of the cluster from its parameters."""
    match one:
        case All() | Any():
            return type(one)(*map(with_parameters, one.parts))
        case Not() | SomeContainer() | ContainersAtMost():
            return replace(one, condition=with_parameters(one.condition))
        case Within():
            return replace(one, most=replace(one.most, read=True))
    return one
