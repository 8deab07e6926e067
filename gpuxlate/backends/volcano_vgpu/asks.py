"""What the containers of a pod ask of Volcano vGPU, for its rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuxlate.backends.volcano_vgpu import keys as k
from gpuxlate.model import quantity
from gpuxlate.model.pod import PodKeys, Value


@dataclass(frozen=True, slots=True)
class Ask:
    """The values of one container, None where a key is absent."""

    number: Value | None
    memory: Value | None
    percent: Value | None
    cores: Value | None

    @property
    def any(self) -> Value:
        """One of the values: there is one."""
        found = self.number or self.memory or self.percent or self.cores
        assert found is not None
        return found


def asks(pod: PodKeys) -> Iterator[Ask]:
    """The containers that ask for a share, in their order."""
    for container in pod.all_containers():
        values = [container.resources.get(name) for name in k.RESOURCES]
        if any(values):
            yield Ask(*values)


def whole(value: Value | None) -> int | None:
    """A value as a whole number; None where it is absent or none (K8S001 says so)."""
    return None if value is None else quantity.whole(value.text)
