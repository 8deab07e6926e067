"""Whose a key is, and in which dialects a pod asks for GPUs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Generic, TypeVar

from gpuxlate.model.pod import PodKeys
from gpuxlate.model.sheet import Place
from gpuxlate.model.spots import names_in
from gpuxlate.rules.base import Dialect
from gpuxlate.rules.predicates.conditions import Condition, Needs

D = TypeVar("D", bound=Dialect)


class Owners(Generic[D]):
    """Some dialects, looked up by keys and by pods. What is found of keys is kept: the same ones come again
    in every pod."""

    def __init__(self, dialects: tuple[D, ...]) -> None:
        self.dialects = dialects
        self.owners = lru_cache(maxsize=4096)(self._owners)
        self._asked_with = lru_cache(maxsize=4096)(self._asking_with)

    def _owners(self, name: str) -> tuple[D, ...]:
        """The dialects whose key it is."""
        return tuple(one for one in self.of_domain(name) if one.owns(name))

    def of_domain(self, name: str) -> tuple[D, ...]:
        """The dialects with keys of the name's domain: others are not asked."""
        domain, slash, _ = name.partition("/")
        return self._by_domain.get(domain if slash else "", ())

    @cached_property
    def _by_domain(self) -> dict[str, tuple[D, ...]]:
        found: dict[str, tuple[D, ...]] = {}
        for one in self.dialects:
            for domain in one.domains:
                found[domain] = (*found.get(domain, ()), one)
        return found

    def spoken_in(self, pod: PodKeys) -> tuple[D, ...]:
        """The dialects in which containers of a pod ask for GPUs."""
        found: set[int] = set()
        for container in pod.all_containers():
            for values in (container.limits, container.requests):
                for name in values:
                    found.update(self._asked_with(name))
        names = names_in(pod)
        for number, speaks, needs in self._apart:
            possible = pod.claims or not self.dialects[number].device_classes
            if possible and all(not one.isdisjoint(names) for one in needs) and speaks(pod.with_workload()):
                found.add(number)
        return tuple(self.dialects[number] for number in sorted(found))

    def _asking_with(self, name: str) -> tuple[int, ...]:
        """The dialects in which a key in the resources of a container asks for GPUs."""
        owners = {id(one) for one in self.owners(name) if one.owns_at(name, Place.RESOURCE)}
        return tuple(number for number, one in enumerate(self.dialects) if id(one) in owners)

    @cached_property
    def _apart(self) -> list[tuple[int, Callable[[PodKeys], bool], Needs]]:
        """The dialects that pods speak without keys in resources: how, and which names that needs."""
        found = [(number, one.also_speaks) for number, one in enumerate(self.dialects)]
        return [
            (number, speaks, speaks.needs() if isinstance(speaks, Condition) else ())
            for number, speaks in found
            if speaks is not None
        ]
