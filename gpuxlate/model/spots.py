"""Where the keys of a pod are: each with its value and its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


@keep_last
def spots(pod: PodKeys) -> Iterator[Spot]:
    """Every key of a pod and of its workload, those outside of metadata included."""
    for container in pod.all_containers():
        yield from _in(container.limits, Place.RESOURCE, "limits")
        yield from _in(container.requests, Place.RESOURCE, "requests")
        for name, value in container.env.items():
            yield Spot(name, value, Place.ENV, "env")
    yield from _in(pod.labels, Place.LABEL, "labels")
    yield from _in(pod.annotations, Place.ANNOTATION, "annotations")
    yield from _in(pod.node_selector, Place.NODE_SELECTOR, "nodeSelector")
    for requirement in (*pod.requirements(), *pod.preferences()):
        yield Spot(requirement.key, _of(requirement), Place.NODE_SELECTOR, "nodeAffinity")
    yield from _in(pod.owner_labels, Place.LABEL, "labels", Level.OWNER)
    yield from _in(pod.owner_annotations, Place.ANNOTATION, "annotations", Level.OWNER)
    yield from _in(pod.stray_labels, Place.LABEL, "labels", Level.STRAY)
    yield from _in(pod.stray_annotations, Place.ANNOTATION, "annotations", Level.STRAY)


def _in(values: Mapping[str, Value], place: Place, field: str, level: Level = Level.POD) -> Iterator[Spot]:
    for name, value in values.items():
        yield Spot(name, value, place, field, level, values)


def _of(requirement: NodeRequirement) -> Value:
    return Value(",".join(requirement.values), Kind.STR, requirement.path)


@keep_last
def names_in(pod: PodKeys) -> Iterator[str]:
    """Every name of a key that steers a pod, or of a variable, and of a field that conditions name."""
    for container in pod.all_containers():
        yield from container.limits
        yield from container.requests
        yield from container.env
    for values in (
        *(pod.labels, pod.annotations, pod.node_selector, pod.owner_labels, pod.owner_annotations),
        *(pod.stray_labels, pod.stray_annotations),
    ):
        yield from values
    for term in pod.affinity:
        for one in term:
            yield one.key
    if pod.scheduler_name is not None:
        yield SCHEDULER_NAME
    if pod.node_name is not None:
        yield NODE_NAME
