"""Places beside the right ones: fields that Kubernetes does not have, where a key never takes effect."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import Path, PodKeys

_RESOURCES = ("limits", "requests")
_PLURALS = {
    "label": "labels",
    "annotation": "annotations",
    "resource": "resources",
    "limit": "limits",
    "request": "requests",
}
_OF_METADATA = (("metadata", "label"), ("metadata", "annotation"))
_CONTAINERS = ("containers", "initContainers")


class Misplaced(NamedTuple):
    """Why a key is in no pod though it is near one, and where it belongs."""

    message: Message
    hint: Message | str


class Places:
    """The places of the pods and containers of a document."""

    def __init__(self, pods: Iterable[PodKeys]) -> None:
        self._pods: set[Path] = set()
        self._containers: set[Path] = set()
        for pod in pods:
            self._pods.add(pod.path)
            self._containers.update(one.path for one in pod.all_containers() if one.path != pod.path)

    def misplaced(self, name: str, path: Path) -> Misplaced | None:
        """What is wrong with the place of a key that is in no pod; None where the place may be right."""
        if any(one in _CONTAINERS and isinstance(two, str) for one, two in pairwise(path)):
            return Misplaced(
                say("{name} is outside any pod: containers must be a list, not a mapping", name=name),
                "write a dash before the first key of each container: - name: ...",
            )
        above = path[:-1]
        if above[-2:] in _OF_METADATA:
            return _misnamed(name, above[-1])
        holders = [length for length in range(len(above), -1, -1) if above[:length] in self._containers]
        if holders:
            return _in_container(name, above[holders[0] :])
        beside = next((above[n:] for n in range(len(above) - 1, -1, -1) if self._is_pod(above[:n])), ())
        if beside[:1] and beside[0] in (*_RESOURCES, "resources"):
            return Misplaced(
                say("{name} is beside the containers, where nothing reads it", name=name),
                "write it in resources.limits of a container",
            )
        return None

    def _is_pod(self, path: Path) -> bool:
        """A pod spec, or the template that holds one."""
        return path in self._pods or (*path, "spec") in self._pods


def _in_container(name: str, inside: Path) -> Misplaced | None:
    wrong = next((step for step in inside if step in _PLURALS), None)
    if wrong is not None:
        return _misnamed(name, wrong)
    field = next((step for step in inside if step in _RESOURCES), None)
    if field is not None and isinstance(inside[-1], int):
        return Misplaced(
            say("{name} is in a list: {field} must be a mapping", name=name, field=field),
            say("write it without a dash: {field}: {{{name}: ...}}", field=field, name=name),
        )
    if len(inside) == 1 and inside[0] in (*_RESOURCES, "resources"):
        return Misplaced(
            say("{name} is not in resources.limits of its container: nothing reads it", name=name),
            "write it in resources.limits of the container",
        )
    return None


def _misnamed(name: str, field: str | int) -> Misplaced:
    return Misplaced(
        say("{name} is in {field}, which Kubernetes does not have", name=name, field=field),
        say("did you mean {nearest}?", nearest=_PLURALS[str(field)]),
    )
