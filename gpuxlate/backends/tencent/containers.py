"""The qGPU values of each container, and the class of the pod, as the rules of TKE need them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuxlate.backends.numbers import number
from gpuxlate.backends.tencent import keys as k
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value


@dataclass(frozen=True, slots=True)
class Shared:
    """The qGPU values of one container, None where it has none."""

    container: ContainerKeys
    core: Value | None
    memory: Value | None
    greedy: Value | None

    @property
    def any(self) -> Value:
        """The value to report where no single one is wrong."""
        found = self.core or self.greedy or self.memory
        assert found is not None, "shared() yields containers with a value only"
        return found

    @property
    def spread(self) -> tuple[Value, int, int] | None:
        """Compute of several shared cards: the value, its number, the cards (TC127667)."""
        core = number(self.core)
        if self.core is None or core is None or core <= k.FULL or k.is_whole(core):
            return None
        return self.core, core, k.cards_of(core)


def shared(pod: PodKeys) -> Iterator[Shared]:
    """The containers with keys of qGPU."""
    for one in pod.all_containers():
        core, memory, greedy = (one.resources.get(name) for name in (k.CORE, k.MEMORY, k.GREEDY))
        if core or memory or greedy:
            yield Shared(one, core, memory, greedy)


def app_class(pod: PodKeys) -> Value | None:
    """The colocation class, wherever it is written (K8S005 and K8S006 move it)."""
    places = (pod.annotations, pod.stray_annotations, pod.owner_annotations)
    return next((one[k.APP_CLASS] for one in places if k.APP_CLASS in one), None)


def class_is(pod: PodKeys, name: str) -> bool:
    """The pod has this colocation class."""
    found = app_class(pod)
    return found is not None and found.text == name


def ordinary(pod: PodKeys) -> Iterator[Shared]:
    """The containers of a pod without colocation that have no greedy compute."""
    if app_class(pod) is None:
        yield from (one for one in shared(pod) if one.greedy is None)


def not_offline(pod: PodKeys) -> Iterator[Shared]:
    """The containers without greedy compute of an ordinary or online pod."""
    if not class_is(pod, "offline"):
        yield from (one for one in shared(pod) if one.greedy is None)
