"""Whose a key is, and in which dialects a pod asks for GPUs."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Generic, TypeVar

from gpuxlate.model.pod import PodKeys
from gpuxlate.model.sheet import Place
from gpuxlate.rules.base import Dialect

D = TypeVar("D", bound=Dialect)


class Owners(Generic[D]):
    """Some dialects, looked up by keys and by pods. What is found of keys is kept: the same ones come again
    in every pod."""

    def __init__(self, dialects: tuple[D, ...]) -> None:
        self.dialects = dialects
        self.owners = lru_cache(maxsize=4096)(self._owners)

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
        names = {
            name for one in pod.all_containers() for values in (one.limits, one.requests) for name in values
        }
        found = {id(one) for name in names for one in self.owners(name) if one.owns_at(name, Place.RESOURCE)}
        together = pod.with_workload()
        return tuple(
            one
            for one in self.dialects
            if id(one) in found or (one.also_speaks and one.also_speaks(together))
        )
