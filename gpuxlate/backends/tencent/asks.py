"""What the rules of TKE look at: the qGPU values of each container, and the class of the pod."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuxlate.backends.tencent import keys as k
from gpuxlate.model import quantity
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value


@dataclass(frozen=True, slots=True)
class Ask:
    """The qGPU values of one container, None where it has none."""

    container: ContainerKeys
    core: Value | None
    memory: Value | None
    greedy: Value | None

    @property
    def any(self) -> Value:
        """The value to point at where none in particular is wrong."""
        found = self.core or self.greedy or self.memory
        assert found is not None, "asks() yields containers with a value only"
        return found

    @property
    def spread(self) -> tuple[Value, int, int] | None:
        """Compute that lies on several shared cards: the value, its number, the cards (TC127667)."""
        core = number(self.core)
        if self.core is None or core is None or core <= k.FULL or k.is_whole(core):
            return None
        return self.core, core, k.cards_of(core)


def asks(pod: PodKeys) -> Iterator[Ask]:
    """The containers that ask for qGPU."""
    for one in pod.all_containers():
        core, memory, greedy = (one.resources.get(name) for name in (k.CORE, k.MEMORY, k.GREEDY))
        if core or memory or greedy:
            yield Ask(one, core, memory, greedy)


def number(value: Value | None) -> int | None:
    """The whole number of a value; None where there is none (K8S001)."""
    return quantity.whole(value.text) if value else None


def app_class(pod: PodKeys) -> Value | None:
    """The colocation class, meant for the pod wherever it stands (K8S005 and K8S006 move it)."""
    places = (pod.annotations, pod.stray_annotations, pod.owner_annotations)
    return next((said[k.APP_CLASS] for said in places if k.APP_CLASS in said), None)


def class_is(pod: PodKeys, name: str) -> bool:
    """The pod has this colocation class."""
    found = app_class(pod)
    return found is not None and found.text == name


def ordinary_asks(pod: PodKeys) -> Iterator[Ask]:
    """The containers of a pod without colocation that ask for ordinary compute, or for memory alone."""
    if app_class(pod) is None:
        yield from (ask for ask in asks(pod) if ask.greedy is None)


def spots(container: ContainerKeys, name: str, value: Value) -> Iterator[Value]:
    """The value in limits and in requests, where both say the same (else K8S003 has its say)."""
    for values in (container.limits, container.requests):
        if name in values and values[name] == value:
            yield values[name]
