"""Which pod of its object a pod is: the names of its templates follow from that."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from gpuxlate.manifest.pods import Pod
from gpuxlate.model.pod import Path


class Numbered:
    """The pods of a document by their objects: counted once, where some name needs it."""

    def __init__(self, pods: Iterable[Pod]) -> None:
        self._pods = pods

    @cached_property
    def _by_object(self) -> dict[Path, list[Path]]:
        found: dict[Path, list[Path]] = {}
        for one in self._pods:
            found.setdefault(one.object_path, []).append(one.keys.path)
        return found

    @cached_property
    def _numbers(self) -> dict[Path, int]:
        """By the place of a pod its number in its object, from 1; the first of those at one place counts."""
        found: dict[Path, int] = {}
        for places in self._by_object.values():
            for number, place in enumerate(places, 1):
                found.setdefault(place, number)
        return found

    def suffix(self, pod: Pod) -> str:
        """What tells a pod from the others of its object, empty where there are none."""
        alone = len(self._by_object.get(pod.object_path, ())) < 2
        return "" if alone else f"-{self._numbers[pod.keys.path]}"
