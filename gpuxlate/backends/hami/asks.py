"""What the containers of a pod ask of HAMi, for its reader and its rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuxlate.backends.hami import keys as k
from gpuxlate.model import quantity
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value


@dataclass(frozen=True, slots=True)
class Ask:
    """The values of one container, None where a key is absent."""

    container: ContainerKeys
    count: Value | None
    memory: Value | None
    percent: Value | None
    cores: Value | None

    @property
    def any(self) -> Value:
        """One of the values: there is one."""
        found = self.memory or self.percent or self.cores or self.count
        assert found is not None
        return found

    @property
    def partial(self) -> bool:
        """More than a number of cards is asked for."""
        return bool(self.memory or self.percent or self.cores)


def asks(pod: PodKeys) -> Iterator[Ask]:
    """The containers that ask for cards, in their order."""
    for container in pod.all_containers():
        values = [container.resources.get(name) for name in (k.COUNT, *k.SHARE_KEYS)]
        if any(values):
            yield Ask(container, *values)


def number(value: Value | None) -> int | None:
    """A value as a whole number; None where it is absent or none (K8S001 says so)."""
    return None if value is None else quantity.whole(value.text)


def speaks(pod: PodKeys) -> bool:
    """Cards are counted with the common key alone, and something only HAMi reads stands beside it."""
    counts = any(k.COUNT in container.resources for container in pod.all_containers())
    annotated = any(name in pod.annotations for name in k.CHOICES)
    in_env = (k.CORE_POLICY, k.DISABLE_CONTROL)
    varied = any(name in container.env for container in pod.containers for name in in_env)
    return counts and (annotated or varied)
