"""A condition on the names of keys."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.model.sheet import Place
from gpuxlate.rules.predicates.conditions import Condition


@dataclass(frozen=True)
class HasKeyLike(Condition):
    """The pod has a label or an annotation, or the container a variable, whose whole name matches."""

    place: Place
    pattern: re.Pattern[str]

    @property
    def of_pod(self) -> bool:
        return self.place is not Place.ENV

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        if self.place is Place.ENV:
            names = container.env if container is not None else {}
        else:
            names = pod.labels if self.place is Place.LABEL else pod.annotations
        return any(map(self.pattern.fullmatch, names))
