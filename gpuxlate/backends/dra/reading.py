"""Claims to shares: each container has the devices of the requests that it names.

Amounts of capacity are of each card (TYPES: CapacityRequirements). What a request says besides its class,
count and capacity is a choice that no share holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from gpuxlate.backends.base import BYTE, ContainerShare, Reading, Selector, Taking
from gpuxlate.backends.dra.choices import (
    ALLOWED_MODELS,
    choices_of,
    chosen_in,
    models_in,
    profile_in,
    with_profile,
)
from gpuxlate.backends.dra.driver import CORES, MEMORY, Driver
from gpuxlate.model import quantity
from gpuxlate.model.claims.objects import ClaimUse, DeviceRequest, Devices, PodClaim
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.messages import Message, say
from gpuxlate.model.parts import Partition
from gpuxlate.model.pod import ContainerKeys, PodKeys, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.share import Device
from gpuxlate.model.share_problems import FULL_CARD_CORES
from gpuxlate.model.sheet import Chosen

EXACT = "ExactCount"
CHOICE = "choice of devices"


class Asked(NamedTuple):
    """A request of a container, as the driver has it: the first alternative that it can satisfy."""

    use: ClaimUse
    claim: PodClaim
    request: DeviceRequest
    way: DeviceRequest


class Amounts(NamedTuple):
    """Cards of a request, and percent of compute and MiB of each; or partitions, and the profile of each."""

    cards: int
    cores: int | None
    memory_mib: int | None
    profile: str | None = None


def read(driver: Driver, pod: Taking, profile: Profile | None) -> Reading:
    """The shares of a pod whose containers have devices of a driver."""
    every = [each for one in pod.pod.all_containers() for each in asked(driver, pod.pod, one)]
    choices = {choices_of(driver, one.way) for one in every}
    alike = choices.pop() if len(choices) == 1 else frozenset()  # else no choice is that of the pod
    models = models_in(alike, profile)
    device = Device(driver.vendor, models) if models else None
    return pod.reading([_container(driver, pod, one, alike, device) for one in pod.pod.all_containers()])


def asked(driver: Driver, pod: PodKeys, container: ContainerKeys) -> Iterator[Asked]:
    """The requests of a container for devices of a driver."""
    for use, claim, request in pod.requests_of(container):
        ways = [one for one in request.ways() if any(map(one.asks, driver.classes))]
        known = [one for one in ways if any(map(one.asks, driver.read))]
        if ways:
            yield Asked(use, claim, request, (known or ways)[0])


def _container(
    driver: Driver, pod: Taking, container: ContainerKeys, choices: frozenset[Chosen], device: Device | None
) -> ContainerShare:
    mine = list(asked(driver, pod.pod, container))
    if not mine:
        return pod.none(container)
    found: list[Amounts] = []
    for one in mine:
        pod.claim(one.use, one.claim)
        amounts = _amounts(driver, pod, container, one)
        if amounts is None:
            return pod.none(container)
        found.append(amounts)
        _choices(driver, pod, one, choices, device)
    if len({one._replace(cards=1) for one in found}) > 1:
        message = say("container {name} has different shares of its cards", name=container.name)
        _refuse(pod, mine[-1], message, "request the same part of each card")
        return pod.none(container)
    cards = sum(one.cards for one in found)
    _, cores, memory, partition = found[0]
    origins = dict.fromkeys(("cards", "cores", "memory_mib", "device", "partition"), mine[0].use.path)
    if partition is not None:
        return pod.share(container, partition=Partition(partition, cards), device=device, origins=origins)
    return pod.share(
        container,
        cards=cards,
        cores=cores and cores * cards,
        memory_mib=memory and memory * cards,
        device=device,
        origins=origins,
    )


def amounts_of(driver: Driver, way: DeviceRequest) -> tuple[int | None, int | None]:
    """Percent of compute and MiB of each card."""
    return _cores(driver, way), _memory(driver, way)


def _amounts(driver: Driver, pod: Taking, container: ContainerKeys, one: Asked) -> Amounts | None:
    """What a request asks of each card; None where no share says it, which is reported."""
    way = one.way
    what = next((text for name, text in driver.unread.items() if way.asks(name)), None)
    others = [each for each in pod.pod.all_containers() if each.path != container.path]
    sharing = [
        each for each in others if any(u.name == one.use.name and u.gets(one.request) for u in each.claims)
    ]
    if what is not None:
        _refuse(
            pod,
            one,
            say("claim {name} requests {what}", name=one.claim.name, what=what),
            "translate it by hand",
        )
        return None
    if sharing:
        message = say(
            "containers {a} and {b} share the devices of claim {name}",
            a=container.name,
            b=sharing[0].name,
            name=one.claim.name,
        )
        _refuse(pod, one, message, "give each container a request of its own")
        return None
    if way.mode is not None and way.mode.text != EXACT:
        message = say("claim {name} requests all devices, not a number of them", name=one.claim.name)
        _refuse(pod, one, message, say("write allocationMode: {mode} and a count", mode=EXACT))
        return None
    cards = 1 if way.count is None else quantity.whole(way.count.text)
    partition = None
    if way.asks(driver.partition_class):
        partition = next(filter(None, (profile_in(driver, each) for each in way.selectors)), None)
        if partition is None or way.capacity:
            what = say("a part of a partition") if way.capacity else say("a partition of no profile")
            message = say("claim {name} requests {what}", name=one.claim.name, what=what)
            hint = say(
                "select the devices by their profile alone: {text}", text=with_profile(driver, "1g.10gb").text
            )
            _refuse(pod, one, message, hint)
            return None
    cores, memory = amounts_of(driver, way)
    wrong = wrong_amounts(driver, way)
    if wrong or not cards:
        for _, message, hint in wrong:
            pod.note("DRA004", message, one.use.path, hint)
        if not cards:
            _refuse(
                pod, one, say("count of claim {name} is not a number", name=one.claim.name), "write count: 1"
            )
        return None
    if one.request.alternatives:
        names = ", ".join(each.name for each in one.request.alternatives if each is not way)
        message = say(
            "firstAvailable: {name} is read, and not {others}",
            name=way.name,
            others=names or say("any other"),
        )
        pod.note("GX020", message, one.use.path, severity=Severity.INFO)
    return Amounts(cards, cores, memory, partition)


def _cores(driver: Driver, way: DeviceRequest) -> int | None:
    """Percent of each card; all of it where the claim says nothing, and not capped where it says 0."""
    if not driver.cores:
        return None
    written = driver.amount(way, CORES)
    if written is None:
        return FULL_CARD_CORES if driver.amount(way, MEMORY) is not None else None
    return quantity.whole(written.text) or None


def _memory(driver: Driver, way: DeviceRequest) -> int | None:
    """MiB of each card, rounded up; None is all of it."""
    written = driver.amount(way, MEMORY)
    if written is None or not quantity.is_amount(written.text):
        return None
    return ceil(quantity.parse(written.text).amount * BYTE) or None


def wrong_amounts(driver: Driver, way: DeviceRequest) -> list[tuple[Value, Message, Message]]:
    """The amounts of a request that no card has (DRA004): where, what is wrong, what to write."""
    found = []
    memory, cores = driver.amount(way, MEMORY), driver.amount(way, CORES)
    if memory is not None:
        amount = quantity.parse(memory.text).amount if quantity.is_amount(memory.text) else None
        hint = say(
            "write MiB or GiB with their suffix: {text}Mi",
            text=memory.text if memory.text.isdigit() else "4096",
        )
        if amount is None:
            found.append((memory, say("memory {text} is not a quantity", text=memory.text), hint))
        elif amount * BYTE < 1:
            message = say(
                "memory {text} is {count} bytes of each card, below 1Mi", text=memory.text, count=ceil(amount)
            )
            found.append((memory, message, hint))
    if cores is not None and driver.cores:
        number = quantity.whole(cores.text)
        if number is None or not 0 <= number <= FULL_CARD_CORES:
            message = say(
                "cores {text} is not a whole number from 0 to {most}", text=cores.text, most=FULL_CARD_CORES
            )
            found.append((cores, message, say('write percent of each card, as in cores: "30"')))
    return found


def _choices(
    driver: Driver, pod: Taking, one: Asked, choices: frozenset[Chosen], device: Device | None
) -> None:
    """What a request says beside its numbers: losses where a target cannot say it (``--drop selector``).

    ``choices``: those of all requests of the pod; ``device``: what the share holds of them.
    """
    for value in one.way.selectors:
        if one.way.asks(driver.partition_class) and profile_in(driver, value):
            continue
        chosen = chosen_in(driver, value)
        if device is None or chosen is None or chosen.choice != ALLOWED_MODELS:
            of_pod = chosen if chosen in choices else None
            pod.selectors.append(Selector("selectors", value.text, one.use.path, CHOICE, of_pod))
    found = [(name, value.text or "...") for name, value in one.way.others.items()]
    devices = one.claim.devices or Devices()
    found += [
        ("matchAttribute", each.match.text)
        for each in devices.constraints
        if each.match is not None and each.concerns(one.request.name)
    ]
    found += [
        ("config", each.driver)
        for each in devices.configs
        if not each.requests or one.request.name in each.requests
    ]
    pod.selectors.extend(Selector(name, text, one.use.path, CHOICE) for name, text in found)


def _refuse(pod: Taking, one: Asked, message: Message, hint: str) -> None:
    pod.note("GX023", message, one.use.path, hint)
