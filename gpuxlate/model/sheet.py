"""The rows of a dialect's data sheet: one row a key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Place(StrEnum):
    """Where a key may stand. RESOURCE is container limits and requests."""

    RESOURCE = "resource"
    LABEL = "label"
    ANNOTATION = "annotation"
    NODE_SELECTOR = "nodeSelector"  # and required node affinity
    ENV = "env"
    NODE = "node"  # on nodes only: never in a manifest of a pod
    SCHEDULER = "scheduler"  # written by the vendor's scheduler: stripped, never written


SELECTOR = "selector"
"""What a row ``says`` that chooses nodes or cards: no field of a share, kept where both targets know it."""


@dataclass(frozen=True, slots=True)
class Range:
    """Whole numbers from ``least`` to ``most`` (None: without end), ``step`` apart and multiples of it."""

    least: int = 1
    most: int | None = None
    step: int = 1


@dataclass(frozen=True, slots=True)
class Key:
    """One row of the data sheet. A name that ends in ``*`` stands for every key that begins so.

    ``values``: what can be right in some pod, as ranges, words, or patterns of the whole text; empty
    where the data sheet bounds nothing. ``needs``: resources of which one has to stand beside it.
    Rules judge the rest: these are what an editor can say while somebody types.
    """

    name: str
    places: frozenset[Place]
    meaning: str
    unit: str = ""
    source: str = ""
    says: str | None = None  # the field of the share that it says, by attribute name, or SELECTOR
    values: tuple[Range | str | re.Pattern[str], ...] = ()
    needs: tuple[str, ...] = ()

    def matches(self, key: str) -> bool:
        if self.name.endswith("*"):
            return key.startswith(self.name[:-1])
        return key == self.name


def key(
    name: str,
    *places: Place,
    meaning: str,
    unit: str = "",
    source: str = "",
    says: str | None = None,
    values: tuple[Range | str | re.Pattern[str], ...] = (),
    needs: tuple[str, ...] = (),
) -> Key:
    """A row, written short."""
    return Key(name, frozenset(places), meaning, unit, source, says, values, needs)
