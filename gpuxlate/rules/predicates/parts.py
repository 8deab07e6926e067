"""A condition on a part of one."""

from __future__ import annotations

from dataclasses import dataclass

from gpuxlate.model import quantity
from gpuxlate.model.pod import ContainerKeys, Kind, PodKeys
from gpuxlate.rules.predicates.conditions import Condition
from gpuxlate.rules.predicates.terms import resource


@dataclass(frozen=True)
class Part(Condition):
    """The resource is there, above 0 and below 1."""

    name: str

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        value = resource(container, self.name)
        if value is None or value.kind in (Kind.NODE, Kind.NULL, Kind.BOOL):
            return False
        return quantity.is_amount(value.text) and 0 < quantity.parse(value.text).amount < 1
