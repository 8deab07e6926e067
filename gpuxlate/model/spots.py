"""Where the keys of a pod are: each with its value and its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from gpuxlate.model.edits import Edit, Put, Remove, Rename
from gpuxlate.model.kept import keep_last
from gpuxlate.model.pod import Kind, NodeRequirement, Path, PodKeys, Value
from gpuxlate.model.sheet import Place


class Level(StrEnum):
    """Whose key it is: the pod's, the workload's, or no object's, since it is outside metadata."""

    POD = "pod"
    OWNER = "workload"
    STRAY = "stray"


class Spot(NamedTuple):
    """One key of a pod: ``field`` is its mapping (limits, labels, ...), ``beside`` all keys of that."""

    name: str
    value: Value
    place: Place
    field: str
    level: Level = Level.POD
    beside: Mapping[str, Value] | None = None

    @property
    def on_key(self) -> bool:
        """The key is a key of a mapping; in an affinity and an environment it is a value."""
        return self.beside is not None

    @property
    def path(self) -> Path:
        """Where the key itself is written."""
        if self.on_key:
            return self.value.path
        return (*self.value.path, "name" if self.place is Place.ENV else "key")

    @property
    def written(self) -> str:
        """The key as the text has it: a resource may be read under another name."""
        return str(self.value.path[-1]) if self.on_key else self.name

    @property
    def removal(self) -> Edit:
        """Remove the key and its value."""
        return Remove(self.value.path)

    def renamed(self, name: str) -> Edit | None:
        """Another key with the same value; None where that key is there already."""
        if self.beside is None:
            return Put(self.path, name)
        if name in self.beside or self.value.kind is Kind.NODE:
            return None
        return Rename(self.path, name, self.value.plain if self.field in RESOURCES else self.value.text)


RESOURCES = ("limits", "requests")
SCHEDULER_NAME, NODE_NAME = "schedulerName", "nodeName"


class Group(NamedTuple):
    """Keys of a pod that are in one place. ``beside``: their mapping; None where they are values."""

    place: Place
    field: str
    level: Level
    beside: Mapping[str, Value] | None
    keys: Iterable[tuple[str, Value]]

    def spot(self, name: str, value: Value) -> Spot:
        """One of them."""
        return Spot(name, value, self.place, self.field, self.level, self.beside)


@keep_last
def groups(pod: PodKeys) -> Iterator[Group]:
    """All keys of a pod and of its workload, those outside of metadata included: one walk."""
    for container in pod.all_containers():
        yield from _in(container.limits, Place.RESOURCE, "limits")
        yield from _in(container.requests, Place.RESOURCE, "requests")
        if container.env:
            yield Group(Place.ENV, "env", Level.POD, None, container.env.items())
    yield from _in(pod.labels, Place.LABEL, "labels")
    yield from _in(pod.annotations, Place.ANNOTATION, "annotations")
    yield from _in(pod.node_selector, Place.NODE_SELECTOR, "nodeSelector")
    if pod.affinity or pod.preferred:
        required = [(one.key, _of(one)) for one in (*pod.requirements(), *pod.preferences())]
        yield Group(Place.NODE_SELECTOR, "nodeAffinity", Level.POD, None, required)
    yield from _in(pod.owner_labels, Place.LABEL, "labels", Level.OWNER)
    yield from _in(pod.owner_annotations, Place.ANNOTATION, "annotations", Level.OWNER)
    yield from _in(pod.stray_labels, Place.LABEL, "labels", Level.STRAY)
    yield from _in(pod.stray_annotations, Place.ANNOTATION, "annotations", Level.STRAY)


def _in(values: Mapping[str, Value], place: Place, field: str, level: Level = Level.POD) -> Iterator[Group]:
    if values:
        yield Group(place, field, level, values, values.items())


def _of(requirement: NodeRequirement) -> Value:
    return Value(",".join(requirement.values), Kind.STR, requirement.path)


@keep_last
def spots(pod: PodKeys) -> Iterator[Spot]:
    """Each of these keys by itself."""
    return (group.spot(*one) for group in groups(pod) for one in group.keys)


@keep_last
def names_in(pod: PodKeys) -> Iterator[str]:
    """Their names, and those of fields that conditions name like a key."""
    for group in groups(pod):
        for name, _ in group.keys:
            yield name
    if pod.scheduler_name is not None:
        yield SCHEDULER_NAME
    if pod.node_name is not None:
        yield NODE_NAME
