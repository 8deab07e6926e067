"""What one pod asks for, in a vendor's keys and values, each value with its origin.

The reader of manifests fills these; backends read and write them and never see YAML. Edits are
said here too, as changes to a document at a path; ``manifest.edit`` turns them into text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from gpuxlate import quantity
from gpuxlate.record import Record, field

Path = tuple[str | int, ...]
"""Keys and indices from the root of one document."""


class Kind(StrEnum):
    """What a YAML scalar resolves to."""

    STR = "str"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    NULL = "null"
    NODE = "node"  # a mapping or a sequence stands where a scalar should


class Value(Record):
    """One value: its text without quotes, what it resolves to, and where it stands.

    Two values are equal when their texts are: ``30`` and ``"30"`` ask for the same.
    """

    text: str
    kind: Kind = field(default=Kind.STR, compare=False)
    path: Path = field(default=(), compare=False)

    @classmethod
    def of(cls, value: int | str) -> Value:
        """A value to write: an int is written bare, a str as a string."""
        return cls(str(value), Kind.INT if isinstance(value, int) else Kind.STR)

    @property
    def plain(self) -> int | str:
        """The value as it is to be written: a number only where every YAML reads it as the same."""
        return int(self.text) if self.kind is Kind.INT and quantity.is_plain(self.text) else self.text


class NodeRequirement(Record):
    """One match expression of a required node affinity."""

    key: str
    operator: str
    values: tuple[str, ...] = ()
    path: Path = field(default=(), compare=False)


class ContainerClaims(Record):
    """The keys of one container. ``index`` counts in its own list (containers or initContainers)."""

    name: str = ""
    index: int = 0
    init: bool = False
    limits: Mapping[str, Value] = field(default_factory=dict)
    requests: Mapping[str, Value] = field(default_factory=dict)
    env: Mapping[str, Value] = field(default_factory=dict)
    path: Path = field(default=(), compare=False)
    privileged: Value | None = None  # securityContext.privileged

    @property
    def resources(self) -> Mapping[str, Value]:
        """Limits, and requests for keys that stand in requests alone."""
        return {**self.requests, **self.limits}


class PodClaims(Record):
    """The keys of one pod template, and of the workload that owns it.

    ``affinity`` holds the terms of the required node affinity: one of them must match, and a term
    matches when all of its requirements do. ``stray_labels`` and ``stray_annotations`` stand
    directly under the pod, outside ``metadata``, where Kubernetes ignores them.
    """

    containers: tuple[ContainerClaims, ...] = ()
    init_containers: tuple[ContainerClaims, ...] = ()
    labels: Mapping[str, Value] = field(default_factory=dict)
    annotations: Mapping[str, Value] = field(default_factory=dict)
    node_selector: Mapping[str, Value] = field(default_factory=dict)
    affinity: tuple[tuple[NodeRequirement, ...], ...] = ()
    scheduler_name: Value | None = None
    owner_labels: Mapping[str, Value] = field(default_factory=dict)
    owner_annotations: Mapping[str, Value] = field(default_factory=dict)
    stray_labels: Mapping[str, Value] = field(default_factory=dict)
    stray_annotations: Mapping[str, Value] = field(default_factory=dict)
    path: Path = field(default=(), compare=False)
    metadata_path: Path = field(default=(), compare=False)
    node_name: Value | None = None

    def all_containers(self) -> Iterator[ContainerClaims]:
        """Init containers, then containers, in their order."""
        yield from self.init_containers
        yield from self.containers

    def requirements(self) -> Iterator[NodeRequirement]:
        """Every requirement of the node affinity, whatever its term."""
        for term in self.affinity:
            yield from term

    def required_by_all_terms(self, key: str) -> tuple[NodeRequirement, ...]:
        """The requirements on ``key`` where every term has one; empty where a term goes without."""
        found = [[r for r in term if r.key == key] for term in self.affinity]
        return tuple(r for term in found for r in term) if found and all(found) else ()


class DocumentClaims(Record):
    """One document: its pods, and what rules of no pod need to know.

    ``outside`` holds the vendors' keys that stand outside any pod; ``repeated`` the keys that a
    mapping gives twice (the later one); ``shared`` the GPU values that stand behind an anchor,
    alias or merge key which something else uses too.
    """

    api_version: str | None = None
    kind: str | None = None
    pods: tuple[PodClaims, ...] = ()
    outside: tuple[tuple[str, Path], ...] = ()
    repeated: tuple[Path, ...] = ()
    shared: tuple[Path, ...] = ()


# --- data sheets ------------------------------------------------------------------------------


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


class Range(Record):
    """Whole numbers from ``least`` to ``most`` (None: without end), ``step`` apart and multiples of it."""

    least: int = 1
    most: int | None = None
    step: int = 1


class Key(Record):
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


# --- edits ------------------------------------------------------------------------------------


class Put(Record):
    """Set the value at ``path``; mappings on the way are made where missing."""

    path: Path
    value: Any


class Rename(Record):
    """Give the entry at ``path`` another key and value where it stands."""

    path: Path
    key: str
    value: Any


class Remove(Record):
    """Take the entry at ``path`` out; a mapping or list that this empties goes with it."""

    path: Path


class Append(Record):
    """Add an item to the list at ``path``, which is made where missing."""

    path: Path
    value: Any


Edit = Put | Rename | Remove | Append
