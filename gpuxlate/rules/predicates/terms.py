"""Where the numbers are that conditions compare."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gpuxlate.model import quantity
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value


@dataclass(frozen=True)
class Label:
    """The number in a label of the pod."""

    name: str


@dataclass(frozen=True)
class Annotation:
    """The number in an annotation of the pod."""

    name: str


@dataclass(frozen=True)
class InList:
    """The container's number in an annotation that has one for each of ``spec.containers``, in their order.

    ``asking``: the resources of containers that have a number above 0. Where a cluster adds containers the
    list is longer, and where they are is not known: its numbers above 0 are those of these, in their order.
    """

    name: str
    asking: tuple[str, ...] = ()

    FORM = re.compile("[0-9]{1,9}(,[0-9]{1,9})*")
    """Whole numbers and commas alone, without spaces."""

    def asked_by(self, container: ContainerKeys) -> bool:
        """The container has one of the resources."""
        return any(resource(container, name) for name in self.asking)

    def numbers(self, pod: PodKeys) -> Sequence[int]:
        """The number of each container; empty where the list is absent, malformed, or of another length."""
        value = pod.annotations.get(self.name)
        if value is None or not self.FORM.fullmatch(value.text):
            return ()
        found = [int(part) for part in value.text.split(",")]
        if pod.grows and len(found) > len(pod.containers):
            found = self.spread(pod, found)
        return found if len(found) == len(pod.containers) else ()

    def spread(self, pod: PodKeys, numbers: Sequence[int]) -> list[int]:
        """The numbers above 0 for the containers that ask, 0 for others; empty where they are not as many."""
        asking = [self.asked_by(one) for one in pod.containers]
        given = [number for number in numbers if number]
        left = iter(given)
        return [next(left) if asks else 0 for asks in asking] if len(given) == sum(asking) else []


@dataclass(frozen=True)
class Parameter:
    """A number of the cluster, such as MiB of a card, in its profile.

    ``per``: how much of it is one unit of the key that is compared, as in MiB of a unit; a rest is no unit.
    ``times``: how many of these numbers are compared, as of two cards. ``read``: a policy reads it from its
    parameters when a pod is made, in place of the number of the profile.
    """

    name: str
    value: int
    per: int = 1
    times: int = 1
    read: bool = False

    @property
    def units(self) -> int:
        """The number that is compared."""
        return self.value // self.per * self.times


Term: TypeAlias = str | Label | Annotation | InList
"""Where a number is; a bare name is a resource of the container."""


def resource(container: ContainerKeys | None, name: str) -> Value | None:
    """What a container asks for of a resource: its limit, else its request."""
    if container is None:
        return None
    return container.limits.get(name) or container.requests.get(name)


def number_of(pod: PodKeys, container: ContainerKeys | None, term: Term) -> int | None:
    """The whole number of a term; None where there is none."""
    if isinstance(term, InList):
        numbers = () if container is None or container.init else term.numbers(pod)
        return numbers[container.index] if numbers and container is not None else None
    if isinstance(term, str):
        value = resource(container, term)
    else:
        value = (pod.labels if isinstance(term, Label) else pod.annotations).get(term.name)
    return None if value is None else quantity.whole(value.text)
