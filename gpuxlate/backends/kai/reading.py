"""KAI: reading the share of a pod, and the whole cards of its containers."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from gpuxlate.backends.base import ContainerShare, Reading, Taking
from gpuxlate.backends.kai import keys as k
from gpuxlate.backends.results import rounded_up
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.messages import say
from gpuxlate.model.pod import ContainerKeys, Path, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.sheet import Place
from gpuxlate.rules.predicates.conditions import (
    Annotated,
    Any,
    Asks,
    HasKeyLike,
    Labelled,
    SchedulerIs,
    SomeContainer,
)

PERCENT = 100


_OWN = re.compile(f"({re.escape(k.FRACTION)}|{re.escape(k.OF_CONTAINERS)}).*")
_PLACED = Any(SchedulerIs(*k.SCHEDULERS), *map(Labelled, k.QUEUES))
_ASKS = Any(SomeContainer(Asks(k.WHOLE)), *map(Annotated, (k.MEMORY, k.MEMORY_LIMIT, k.MPS, *k.MISTAKEN)))
SPEAKS = HasKeyLike(Place.ANNOTATION, _OWN) | Annotated(k.POD_COMPUTE_MODE) | _PLACED & _ASKS
"""The pod asks for a share with keys that only KAI has, or for cards beside its scheduler or queue."""


def read(pod: Taking, profile: Profile | None) -> Reading:
    """Keys to shares. Of keys that exclude each other, a rule reports all but one."""
    for name in (k.MPS, k.POD_COMPUTE_MODE, k.FRACTION_LIMIT):
        value = pod.annotation(name)
        if value is not None and value.text not in k.USUAL.get(name, ()):
            pod.choice(value, name, "annotation")
    for name in k.QUEUES:
        queue = pod.label(name)
        if queue is not None:
            message = say("no other target has the queue {name}", name=queue.text)
            pod.note("KAI011", message, queue.path, severity=Severity.INFO)
    found = _Legacy(pod)
    return pod.reading([_container(pod, one, found) for one in pod.pod.all_containers()])


class _Legacy:
    """The annotations of the pod that are one container's."""

    def __init__(self, pod: Taking) -> None:
        self.fraction, self.memory = pod.annotation(k.FRACTION), pod.annotation(k.MEMORY)
        self.limit, self.devices = pod.annotation(k.MEMORY_LIMIT), pod.annotation(k.DEVICES)
        pod.annotation(k.CONTAINER)
        self.container = k.sharing(pod.pod)


def _container(pod: Taking, container: ContainerKeys, found: _Legacy) -> ContainerShare:
    request, limit = (pod.annotation(k.key_of(row, container.name)) for row in (k.REQUEST, k.LIMIT))
    mode = pod.annotation(k.key_of(k.COMPUTE_MODE, container.name))
    if mode is not None and mode.text != k.MODES[0]:
        pod.choice(mode, str(mode.path[-1]), "annotation")
    pod.choice(pod.env(container, k.RUNAI_REQUEST), k.RUNAI_REQUEST, "variable")
    variable = pod.env(container, k.RUNAI_LIMIT)
    mine = found.container is not None and container.path == found.container.path
    amount = request or limit
    if amount is not None:
        pod.choice(variable, k.RUNAI_LIMIT, "variable")
        return _by_amounts(pod, container, amount, limit, found.devices)
    if mine and found.memory is not None:
        return _by_mib(pod, container, found.memory, found, variable)
    pod.choice(variable, k.RUNAI_LIMIT, "variable")
    if mine and found.fraction is not None:
        return _by_fraction(pod, container, found.fraction, found.devices)
    whole = pod.number(container, k.WHOLE)
    if not whole:
        return pod.none(container)
    return pod.share(container, cards=whole, origins={"cards": container.resources[k.WHOLE].path})


def _by_fraction(
    pod: Taking, container: ContainerKeys, written: Value, devices: Value | None
) -> ContainerShare:
    cards, part = _cards(devices), k.fraction(written.text)
    if cards is None or part is None:
        return pod.none(container)
    percent = math.ceil(part * PERCENT)
    more = rounded_up("memory_percent", "KAI001", written.path, part * PERCENT, percent)
    origins = {**_origins(devices), "memory_percent": written.path}
    return pod.share(container, cards=cards, memory_percent=percent, origins=origins, granted=more)


def _by_mib(
    pod: Taking, container: ContainerKeys, memory: Value, found: _Legacy, variable: Value | None
) -> ContainerShare:
    limit = found.limit or variable
    burst = k.number(limit.text) if limit else None
    if variable is not None and (found.limit is not None or burst is None):
        pod.choice(variable, k.RUNAI_LIMIT, "variable")
    numbers = k.number(memory.text), burst
    return _of_each_card(pod, container, found.devices, (memory, None if burst is None else limit), numbers)


def _by_amounts(
    pod: Taking, container: ContainerKeys, request: Value, limit: Value | None, devices: Value | None
) -> ContainerShare:
    numbers = k.mib(request.text), k.mib(limit.text) if limit else None
    return _of_each_card(pod, container, devices, (request, limit), numbers)


def _of_each_card(
    pod: Taking,
    container: ContainerKeys,
    devices: Value | None,
    written: tuple[Value, Value | None],
    numbers: tuple[Fraction | int | None, Fraction | int | None],
) -> ContainerShare:
    """Memory of each card, and the limit of it: as written, and in MiB, which are rounded up."""
    cards, (memory, burst), (request, limit) = _cards(devices), numbers, written
    if cards is None or memory is None:
        return pod.none(container)
    origins = {**_origins(devices), "memory_mib": request.path}
    if limit is not None:
        origins["memory_limit_mib"] = limit.path
    total, most = math.ceil(memory) * cards, None if burst is None else math.ceil(burst) * cards
    more = rounded_up("memory_mib", "KAI002", request.path, memory * cards, total)
    if limit is not None and limit is not request and burst is not None and most is not None:
        more += rounded_up("memory_limit_mib", "KAI002", limit.path, burst * cards, most)
    return pod.share(
        container, cards=cards, memory_mib=total, memory_limit_mib=most, origins=origins, granted=more
    )


def _cards(devices: Value | None) -> int | None:
    return 1 if devices is None else k.number(devices.text)


def _origins(devices: Value | None) -> dict[str, Path]:
    return {} if devices is None else {"cards": devices.path}
