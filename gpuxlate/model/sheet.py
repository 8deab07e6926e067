"""The rows of a dialect's data sheet: one row a key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from gpuxlate.model import quantity


class Place(StrEnum):
    """Where a key may be. RESOURCE is container limits and requests."""

    RESOURCE = "resource"
    LABEL = "label"
    ANNOTATION = "annotation"
    NODE_SELECTOR = "nodeSelector"  # and required node affinity
    ENV = "env"
    NODE = "node"  # on nodes only: never in a manifest of a pod
    SCHEDULER = "scheduler"  # written by the vendor's scheduler: stripped, never written


ANY = "*"
"""In ``idle`` of a row: no value of the key changes what a pod asks for."""
SELECTOR = "selector"
"""``says`` of a row that selects nodes or cards: not a field of a share, kept where both targets have it."""


class Range(NamedTuple):
    """Whole numbers from ``least`` to ``most`` (None: no maximum), multiples of ``step``."""

    least: int = 1
    most: int | None = None
    step: int = 1


class Key(NamedTuple):
    """One row of the data sheet. A name that ends in ``*`` matches every key with that prefix and no
    further slash: what is before a slash is a domain, and another domain is another owner.

    ``values``: what may be valid in a pod, as ranges, words, or patterns of the whole text; empty where
    the data sheet sets no bounds. ``needs``: resources of which the container must have one too.
    These are what an editor can check; rules check the rest. ``aliases``: other names of the same key, which
    are read and not written. ``idle``: values with which a pod asks for what it asks for without the key (the
    vendor's default), so that a reader may forget them; ANY for all.
    """

    name: str
    places: frozenset[Place]
    meaning: str
    unit: str = ""
    source: str = ""
    says: str | None = None  # the attribute of Share that it sets, or SELECTOR
    values: tuple[Range | str | re.Pattern[str], ...] = ()
    needs: tuple[str, ...] = ()
    general: bool = False  # other software reads it too: alone it says nothing of a GPU
    aliases: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()

    def matches(self, key: str) -> bool:
        if self.name.endswith("*"):
            return key.startswith(self.name[:-1]) and "/" not in key[len(self.name) - 1 :]
        return key == self.name

    def means_nothing(self, text: str) -> bool:
        """With this value a pod asks for no more than without the key."""
        number = quantity.whole(text)
        return text in self.idle or ANY in self.idle or (number is not None and str(number) in self.idle)


def other_names(keys: Iterable[Key]) -> Mapping[str, str]:
    """The aliases of rows, to the names of the rows."""
    return {alias: row.name for row in keys for alias in row.aliases}


def key(
    name: str,
    *places: Place,
    meaning: str,
    unit: str = "",
    source: str = "",
    says: str | None = None,
    values: tuple[Range | str | re.Pattern[str], ...] = (),
    needs: tuple[str, ...] = (),
    general: bool = False,
    aliases: tuple[str, ...] = (),
    idle: tuple[str, ...] = (),
) -> Key:
    """A row of the data sheet."""
    return Key(name, frozenset(places), meaning, unit, source, says, values, needs, general, aliases, idle)
