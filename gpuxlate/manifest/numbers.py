"""The numbers of documents of one shape, in the keys of their pods: what is read once holds for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gpuxlate.manifest.objects import Pod
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.pod import ContainerKeys, Path, PodKeys, Value
from gpuxlate.yamltext.alike import Family, Shape
from gpuxlate.yamltext.compose import Document, documents
from gpuxlate.yamltext.nodes import Scalar, get
from gpuxlate.yamltext.pieces import Piece


class Numbered:
    """The pods of a document, and which of their resources are the numbers of its shape."""

    __slots__ = ("pods", "slots")

    def __init__(self, pods: Sequence[Pod], slots: dict[Path, int]) -> None:
        self.pods = pods
        self.slots = slots

    @classmethod
    def of(cls, document: Document, pods: Sequence[Pod], shape: Shape) -> Numbered | None:
        """None where a number stands anywhere else: nobody knows who looks at it there."""
        starts = {start: number for number, start in enumerate(shape.number_starts())}
        slots: dict[Path, int] = {}
        for pod in pods:
            for container in pod.keys.all_containers():
                for values in (container.limits, container.requests):
                    for value in values.values():
                        node = get(document.root, *value.path)
                        if isinstance(node, Scalar):
                            number = starts.get(node.start + (node.style is not None))
                            if number is not None and value.text.encode() == shape.numbers[number]:
                                slots[value.path] = number
        complete = len(set(slots.values())) == len(starts) and not document.aliases
        return cls(pods, slots) if complete and starts else None

    def with_numbers(self, numbers: Sequence[bytes]) -> list[Pod]:
        """The pods of another document of the shape."""
        texts = [number.decode() for number in numbers]
        return [replace(pod, keys=self._keys(pod.keys, texts)) for pod in self.pods]

    def _keys(self, pod: PodKeys, texts: list[str]) -> PodKeys:
        return replace(
            pod,
            containers=tuple(self._container(one, texts) for one in pod.containers),
            init_containers=tuple(self._container(one, texts) for one in pod.init_containers),
        )

    def _container(self, one: ContainerKeys, texts: list[str]) -> ContainerKeys:
        return replace(
            one,
            limits={name: self._value(value, texts) for name, value in one.limits.items()},
            requests={name: self._value(value, texts) for name, value in one.requests.items()},
        )

    def _value(self, value: Value, texts: list[str]) -> Value:
        slot = self.slots.get(value.path)
        return value if slot is None else Value(texts[slot], value.kind, value.path)


def numbered_if_second(family: Family[Any, Any], shape: Shape, part: Piece, count: int) -> Numbered | None:
    """The numbers of the second text of a shape that was read: it is the pattern of those to come.

    ``count``: the documents in it. None for any other, and where there is no such pattern.
    """
    family.times += 1
    if family.times != 2 or count != 1:
        return None
    document = next(iter(documents(part.source())))
    return Numbered.of(document, list(pods_in(document)), shape)
