"""What the containers of a pod ask of Volcano vGPU, for its rules."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate import quantity
from gpuxlate.backends.volcano_vgpu import keys as k
from gpuxlate.claims import PodClaims, Value
from gpuxlate.record import Record


class Ask(Record):
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


def asks(pod: PodClaims) -> Iterator[Ask]:
    """The containers that ask for a share, in their order."""
    for container in pod.all_containers():
        values = [container.resources.get(name) for name in k.RESOURCES]
        if any(values):
            yield Ask(*values)


def whole(value: Value | None) -> int | None:
    """A value as a whole number; None where it is absent or none (K8S001 says so)."""
    return None if value is None else quantity.whole(value.text)
