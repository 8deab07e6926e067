"""Read claims as shares: each container has the devices of the requests that it names.

Amounts of capacity are of each card (TYPES: CapacityRequirements). What a request sets besides its class,
count and capacity is a choice that is in no field of a share.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from gpuxlate.backends.dra.capacity import (
    amounts_of,
    client_of,
    undecided_amount,
    unknown_capacity,
    wrong_amounts,
)
from gpuxlate.backends.dra.driver import (
    DRIVERS,
    EXTENDED,
    PARTITIONS,
    SHARES,
    DeviceSharing,
    Driver,
    DriverRequest,
    driver_requests,
    sharing_of,
)
from gpuxlate.backends.dra.selectors import (
    ALLOWED_MODELS,
    DeviceKind,
    choices_of,
    chosen_in,
    kind_of_devices,
    models_in,
    profile_selector,
)
from gpuxlate.backends.target import ContainerShare, PodReader, Reading, Selector
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.keys import Chosen
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import ClaimUse, ContainerKeys, DeviceRequest, Devices, PodClaim, Value
from gpuxlate.model.profile import Profile, unknown_partition
from gpuxlate.model.share import Device, Partition, Replica

EXACT = "ExactCount"
CHOICE = "choice of devices"


class RequestAmounts(NamedTuple):
    """The number of cards of a request, with percent of compute and MiB of each; or of partitions, with the
    profile of each.

    ``replica``: the clients of each that are requested.
    """

    cards: int
    cores: int | None
    memory_mib: int | None
    profile: str | None = None
    replica: Replica | None = None


class ContainersSharingDevices(NamedTuple):
    """Containers that use the same devices, by their numbers in the pod, and the requests for these.

    The first one has the share: an init container only where there are no others.
    """

    numbers: tuple[int, ...]
    requests: tuple[DriverRequest, ...]


def read_claims(driver: Driver, pod: PodReader, profile: Profile | None) -> Reading:
    """The shares of a pod whose containers have devices of a driver.

    Devices that several containers use are one share, which the first of them has.
    """
    containers = tuple(pod.pod.all_containers())
    requests_by_container = [list(driver_requests(driver, pod.pod, container)) for container in containers]
    for of_container in requests_by_container:
        for request in of_container:
            pod.claim(request.use, request.claim)
    for container, of_container in zip(containers, requests_by_container, strict=True):
        of_container += _counted(driver, pod, container)
    choices = {choices_of(driver, request.way) for requests in requests_by_container for request in requests}
    alike = choices.pop() if len(choices) == 1 else frozenset()  # else no choice is that of the pod
    models = models_in(alike, profile)
    device = Device(driver.vendor, models) if models else None
    shares: dict[int, ContainerShare] = {}
    for (owner, *others), requests in _users(containers, requests_by_container):
        share = _share(driver, pod, containers[owner], requests, alike, device, profile)
        names = tuple(containers[n].name for n in others)
        shares[owner] = replace(share, shared_with=names, allocation=_allocation(requests))
    return pod.reading([shares.get(n) or pod.none(container) for n, container in enumerate(containers)])


def _users(
    containers: Sequence[ContainerKeys], requests_by_container: Sequence[Sequence[DriverRequest]]
) -> Iterator[ContainersSharingDevices]:
    """The containers of a pod that request devices, grouped by the devices that they share."""
    parents = list(range(len(requests_by_container)))

    def first(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    users: dict[tuple[str, str], int] = {}
    for number, of_container in enumerate(requests_by_container):
        for request in of_container:
            user = first(users.setdefault((request.use.name, request.request.name), number))
            low, high = sorted((user, first(number)))
            parents[high] = low
    groups: dict[int, list[int]] = {}
    for number, of_container in enumerate(requests_by_container):
        if of_container:
            groups.setdefault(first(number), []).append(number)
    for users_of_group in groups.values():
        numbers = sorted(users_of_group, key=lambda number: containers[number].init)
        requests: dict[tuple[str, str], DriverRequest] = {}
        for request in (request for number in numbers for request in requests_by_container[number]):
            requests.setdefault((request.use.name, request.request.name), request)
        yield ContainersSharingDevices(tuple(numbers), tuple(requests.values()))


def _allocation(requests: Sequence[DriverRequest]) -> frozenset[Hashable]:
    """Identifies the devices that pods have together by naming the same ResourceClaims; empty where some
    claim is the pod's own."""
    named = [(request.claim.resolved, request.request.name) for request in requests if request.claim.claim]
    return frozenset((claim.place, name) for claim, name in named if claim and len(named) == len(requests))


def _counted(driver: Driver, pod: PodReader, container: ContainerKeys) -> Iterator[DriverRequest]:
    """The devices that a container counts as resources, for which the scheduler makes a claim (KEP-5004)."""
    names = {**{EXTENDED + class_: class_ for class_ in driver.classes}, **driver.resources}
    for name, device_class in names.items():
        value = container.resources.get(name)
        count = pod.number(container, name)
        if value is None or count is None:
            continue
        if count < 1:
            message = msg("{key} {text} counts no devices", key=name, text=value.text)
            pod.note("DRA004", message, value.path, "remove it, or write a number from 1")
        else:
            request = DeviceRequest(
                f"{'init-' if container.init else ''}{container.index}", Value.of(device_class), value
            )
            yield DriverRequest(ClaimUse(name, path=value.path), PodClaim(name), request, request)


def _share(
    driver: Driver,
    pod: PodReader,
    container: ContainerKeys,
    requests: Sequence[DriverRequest],
    choices: frozenset[Chosen],
    device: Device | None,
    profile: Profile | None,
) -> ContainerShare:
    """The share of a container, or of several that have it together, by their requests."""
    of_requests: list[RequestAmounts] = []
    for request in requests:
        amounts = _amounts(driver, pod, request, sharing_of(profile))
        if amounts is None:
            return pod.none(container)
        of_requests.append(amounts)
        _choices(driver, pod, request, choices, device)
    if len({amounts._replace(cards=1) for amounts in of_requests}) > 1:
        message = msg("container {name} has different shares of its cards", name=container.name)
        _refuse(pod, requests[-1], message, "request the same part of each card")
        return pod.none(container)
    cards = sum(amounts.cards for amounts in of_requests)
    _, cores, memory, partition, replica = of_requests[0]
    if replica is not None and cards > 1:
        message = msg(
            "claim {name} requests clients of {count} cards, which no share holds",
            name=requests[-1].claim.name,
            count=cards,
        )
        _refuse(pod, requests[-1], message, "request clients of one card, or whole cards")
        return pod.none(container)
    names = ("cards", "cores", "memory_mib", "device", "partition", "replica")
    origins = dict.fromkeys(names, requests[0].use.path)
    if partition is not None or replica is not None:
        part = Partition(partition, cards) if partition is not None else None
        return pod.share(container, partition=part, replica=replica, device=device, origins=origins)
    return pod.share(
        container,
        cards=cards,
        cores=cores and cores * cards,
        memory_mib=memory and memory * cards,
        device=device,
        origins=origins,
    )


def _amounts(
    driver: Driver, pod: PodReader, request: DriverRequest, sharing: DeviceSharing | None
) -> RequestAmounts | None:
    """The amounts of a request; None where no share can express them, which is reported."""
    way = request.way
    unread = next((text for name, text in driver.unread.items() if way.asks(name)), None)
    if unread is not None:
        _refuse(
            pod,
            request,
            msg("claim {name} requests {what}", name=request.claim.name, what=unread),
            "translate it by hand",
        )
        return None
    if way.mode is not None and way.mode.text != EXACT:
        message = msg("claim {name} requests all devices, not a number of them", name=request.claim.name)
        _refuse(pod, request, message, msg("write allocationMode: {mode} and a count", mode=EXACT))
        return None
    cards = 1 if way.count is None else quantity.parse_integer(way.count.text)
    problems = {
        "DRA017": unknown_capacity(driver, way, sharing),
        "DRA004": wrong_amounts(driver, way, sharing),
    }
    if any(problems.values()) or not cards:
        for code, wrong in problems.items():
            for _, message, hint in wrong:
                pod.note(code, message, request.use.path, hint)
        if not cards:
            _refuse(
                pod,
                request,
                msg("count of claim {name} is not a number", name=request.claim.name),
                "write count: 1",
            )
        return None
    kind = kind_of_devices(driver, way)
    each = _partitions(driver, pod, request, kind) if kind.partition else 1
    if each is None:
        return None
    cards *= each
    cores, memory = amounts_of(driver, way)
    replica = client_of(driver, way, sharing)
    if memory is not None and replica is not None and replica.count > 1:
        message = msg(
            "claim {name} requests memory and {count} clients of a card, which no share holds",
            name=request.claim.name,
            count=replica.count,
        )
        _refuse(pod, request, message, "request one of the two")
        return None
    if (doubt := undecided_amount(driver, way, sharing)) is not None:
        pod.note("DRA018", doubt.message, request.use.path, doubt.hint, doubt.severity)
    if request.request.alternatives:
        others = [each for each in request.request.alternatives if each is not way]
        message = msg(
            "firstAvailable: {name} is read, and not {others}",
            name=way.name,
            others=", ".join(map(_in_words, others)) or msg("any other"),
        )
        pod.note("GX020", message, request.use.path, severity=Severity.INFO)
    return RequestAmounts(cards, cores, memory, kind.profile, None if memory is not None else replica)


def _in_words(way: DeviceRequest) -> str:
    """An alternative and what it asks for: ``small (2 x 1g.10gb)``, ``part (cores 30, memory 4Gi)``."""
    kinds = (kind_of_devices(driver, way) for driver in DRIVERS if any(map(way.asks, driver.readable)))
    profile = next((kind.profile for kind in kinds), None)
    amounts = ", ".join(f"{name.rpartition('/')[2]} {value.text}" for name, value in way.capacity.items())
    device_class = way.device_class.text if way.device_class else ""
    described = amounts or profile or device_class
    return f"{way.name} ({f'{way.count.text} x ' if way.count else ''}{described})"


def _partitions(driver: Driver, pod: PodReader, request: DriverRequest, kind: DeviceKind) -> int | None:
    """The number of partitions that a request takes of each card; None where no share can express it, which
    is reported."""
    amounts = [name for name in request.way.capacity if driver.parts and not name.endswith(SHARES)]
    if kind.profile is None or amounts:
        asked_for = msg("a part of a partition") if amounts else msg("a partition of no profile")
        message = msg("claim {name} requests {what}", name=request.claim.name, what=asked_for)
        hint = msg(
            "select the devices only by their profile: {text}",
            text=profile_selector(driver, driver.example).text,
        )
        _refuse(pod, request, message, hint)
        return None
    others = unknown_partition(kind.profile, pod.profile, vendor=driver.vendor)
    if others is not None and unknown_partition(kind.profile, pod.profile) is None:
        pod.note("DRA019", others.message, request.use.path, others.hint, others.severity)
        return None
    each = driver.amount(request.way, PARTITIONS)
    return (quantity.parse_integer(each.text) if each else None) or 1


def _choices(
    driver: Driver, pod: PodReader, request: DriverRequest, choices: frozenset[Chosen], device: Device | None
) -> None:
    """Take the choices of a request beside its numbers: losses where a target does not support them (``--drop
    selector``).

    ``choices``: those of all requests of the pod; ``device``: the device of the share, which has some of
    them.
    """
    said_by = kind_of_devices(driver, request.way).said_by
    for number, value in enumerate(request.way.selectors):
        if number in said_by:
            continue
        chosen = chosen_in(driver, value)
        if device is None or chosen is None or chosen.choice != ALLOWED_MODELS:
            of_pod = chosen if chosen in choices else None
            pod.selectors.append(Selector("selectors", value.text, request.use.path, CHOICE, of_pod))
    unread = [(name, value.text or "...") for name, value in request.way.others.items()]
    if not driver.parts:
        unread += [(n, v.text) for n, v in request.way.capacity.items() if not n.endswith(PARTITIONS)]
    devices = request.claim.devices or Devices()
    unread += [
        ("matchAttribute", each.match.text)
        for each in devices.constraints
        if each.match is not None and each.concerns(request.request.name)
    ]
    unread += [
        ("config", each.driver)
        for each in devices.configs
        if not each.requests or request.request.name in each.requests
    ]
    pod.selectors.extend(Selector(name, text, request.use.path, CHOICE) for name, text in unread)


def _refuse(pod: PodReader, request: DriverRequest, message: Message, hint: str) -> None:
    pod.note("GX023", message, request.use.path, hint)
