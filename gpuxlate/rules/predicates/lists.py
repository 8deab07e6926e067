"""Conditions on an annotation that has a number for each container."""

from __future__ import annotations

from dataclasses import dataclass

from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.model.sheet import Range
from gpuxlate.rules.predicates.conditions import Condition, Needs, OfPod
from gpuxlate.rules.predicates.terms import InList, number_of


@dataclass(frozen=True, init=False)
class Listed(Condition):
    """A list of the pod has a number for the container; with ranges, in one of them."""

    by: InList
    ranges: tuple[Range, ...]

    def __init__(self, by: InList, *ranges: Range) -> None:
        object.__setattr__(self, "by", by)
        object.__setattr__(self, "ranges", ranges)

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        number = number_of(pod, container, self.by)
        return number is not None and (not self.ranges or any(one.allows(number) for one in self.ranges))

    def needs(self, *, truth: bool = True) -> Needs:
        return (frozenset({self.by.name}),) if truth else ()


@dataclass(frozen=True)
class ListIsComplete(OfPod):
    """The annotation is a list of whole numbers, one for each of ``spec.containers``."""

    list: InList

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return bool(self.list.numbers(pod))

    def needs(self, *, truth: bool = True) -> Needs:
        return (frozenset({self.list.name}),) if truth else ()
