"""A driver of devices: its class, the capacity that it shares, and the attributes that tell cards apart; and
what one request asks of each card, by the names of its capacity.

Names are those of the driver, short or with its name before them (TYPES: QualifiedName). What a request does
not set follows from the driver: HAMi's gives all of the card, NVIDIA's what its ConsumableShares say.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import NamedTuple

from gpuxlate.backends.base import BYTE
from gpuxlate.backends.dra.profile import Shares
from gpuxlate.backends.limits import InitContainers, Limits
from gpuxlate.model import quantity
from gpuxlate.model.claims import DeviceRequest
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.messages import Message, say
from gpuxlate.model.parts import Replica, Strategy
from gpuxlate.model.pod import PodKeys, Value
from gpuxlate.model.share import Isolation
from gpuxlate.model.share_problems import FULL_CARD_CORES

CLAIMED = Limits(init=InitContainers.ADDED)
"""Devices are allocated to a pod before it starts, whichever of its containers gets them, until it ends
(Kubernetes, "Dynamic Resource Allocation")."""


class Driver(NamedTuple):
    """``device_class``: of whole cards and of shares; its own name is that of the driver too.

    ``vendor``: of its cards. ``cores``: it has capacity of compute, in percent of a card. ``unread``: further
    classes of the driver, which no share of this tool holds, and what they are. ``card_type``: the attribute
    ``type`` of its cards. ``partition_class``: of hardware partitions, which have an attribute ``profile``.
    ``clients``: it may be set to share each card between a number of clients, which is a capacity too.
    ``of_partitions``: further capacity of partitions, which no share of this tool holds.
    """

    name: str
    device_class: str
    isolation: Isolation
    cores: bool
    vendor: str
    unread: Mapping[str, str]
    source: str
    card_type: str
    partition_class: str = ""
    clients: bool = False
    of_partitions: tuple[str, ...] = ()

    @property
    def read(self) -> tuple[str, ...]:
        """The classes whose devices a share can hold."""
        return (self.device_class, *((self.partition_class,) if self.partition_class else ()))

    @property
    def classes(self) -> tuple[str, ...]:
        return (*self.read, *self.unread)

    def is_asked_by(self, pod: PodKeys) -> bool:
        """A container of the pod requests devices of the driver."""
        return not pod.device_classes().isdisjoint(self.classes)

    def attribute(self, name: str) -> str:
        """The qualified name of an attribute or a capacity."""
        return f"{self.device_class}/{name}"

    def amount(self, request: DeviceRequest, name: str) -> Value | None:
        """The capacity that a request asks of each card, by its short or its qualified name."""
        return request.capacity.get(name) or request.capacity.get(self.attribute(name))

    def capacity(self) -> tuple[str, ...]:
        """The short names of what a share can hold of its cards."""
        return (*((CORES,) if self.cores else ()), MEMORY, *((SHARES,) if self.clients else ()))

    def has_capacity(self, request: DeviceRequest, name: str) -> bool:
        """The devices of a request have a capacity, by its short or its qualified name."""
        own = name.removeprefix(f"{self.device_class}/")
        of_partition = request.asks(self.partition_class) and own.rstrip("0123456789") in self.of_partitions
        return own in self.capacity() or of_partition


MEMORY, CORES, SHARES = "memory", "cores", "shares"
Wrong = list[tuple[Value, Message, Message]]
"""Where, what is wrong, what to write."""
UNLIMITED, DISABLED = "unlimited", "disabled"


class Doubt(NamedTuple):
    """What a request gets is not known, or is not what it seems. ``value``: the capacity that it is about."""

    value: Value | None
    message: Message
    hint: Message
    severity: Severity


def amounts_of(driver: Driver, way: DeviceRequest) -> tuple[int | None, int | None]:
    """Percent of compute and MiB of each card."""
    return _cores(driver, way), _memory(driver, way)


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


def client_of(driver: Driver, way: DeviceRequest, sharing: Shares | None) -> Replica | None:
    """The clients of a card that a request is for, None for a whole one (NV). Memory decides before them."""
    if not driver.clients:
        return None
    written = driver.amount(way, SHARES)
    count = (quantity.whole(written.text) if written else None) or 1
    if isinstance(sharing, int):
        return Replica(sharing, Strategy.TIME_SLICING, count) if count < sharing else None
    return Replica(None, Strategy.TIME_SLICING, count) if written or sharing == UNLIMITED else None


def unknown_capacity(driver: Driver, way: DeviceRequest, sharing: Shares | None) -> Wrong:
    """The capacity of a request that its devices do not have, or that has two names in it (DRA017)."""
    found: Wrong = []
    for name, value in way.capacity.items():
        if not driver.has_capacity(way, name):
            message = say("{driver} has no capacity {name}", driver=driver.device_class, name=name)
            found.append((value, message, say("its capacity: {names}", names=", ".join(driver.capacity()))))
        elif name.partition("/")[2] in way.capacity:
            message = say("{name} is there twice, with and without the name of the driver", name=name)
            found.append((value, message, say("keep one of them")))
    written = driver.amount(way, SHARES)
    if written is not None and driver.clients and isinstance(sharing, str):
        message = say(
            "the cards of the profile have no capacity {name}: nvidiaConsumableShares is {mode}",
            name=SHARES,
            mode=sharing,
        )
        hint = say("remove it, or set the driver and the profile to a number of clients")
        found.append((written, message, hint))
    return found


def wrong_amounts(driver: Driver, way: DeviceRequest, sharing: Shares | None) -> Wrong:
    """The amounts of a request that no card has (DRA004)."""
    found: Wrong = []
    memory, cores, shares = (driver.amount(way, name) for name in (MEMORY, CORES, SHARES))
    if memory is not None:
        amount = quantity.parse(memory.text).amount if quantity.is_amount(memory.text) else None
        none_of_it = amount == 0 and driver.clients and (sharing == UNLIMITED or isinstance(sharing, int))
        hint = say(
            "write MiB or GiB with their suffix: {text}Mi",
            text=memory.text if memory.text.isdigit() else "4096",
        )
        if amount is None:
            found.append((memory, say("memory {text} is not a quantity", text=memory.text), hint))
        elif amount * BYTE < 1 and not none_of_it:
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
    if shares is not None and driver.clients:
        number = quantity.whole(shares.text)
        most = sharing if isinstance(sharing, int) else None
        if number is None or number < 1:
            message = say("shares {text} is not a whole number from 1", text=shares.text)
            found.append((shares, message, say('write a number of clients, as in shares: "1"')))
        elif most is not None and number > most:
            found.append((shares, *too_many_clients(number, most)))
    return found


def too_many_clients(count: int, most: int | None) -> tuple[Message, Message]:
    """More clients than a card has: what is wrong, and what to write."""
    message = say("shares {count} is above the {most} clients of a card", count=count, most=most)
    return message, say("request at most {most}", most=most)


def not_known(driver: Driver, way: DeviceRequest, sharing: Shares | None) -> Doubt | None:
    """What decides what a request gets, and is in no manifest (DRA018)."""
    if not driver.clients:
        return None
    memory, shares = driver.amount(way, MEMORY), driver.amount(way, SHARES)
    if sharing is None and shares is not None:
        message = say("how many clients a card has is not known: consumableShares of the driver says it")
        hint = say("pass a profile that says it: dra: {{nvidiaConsumableShares: {mode}}}", mode=8)
        return Doubt(shares, message, hint, Severity.WARNING)
    if sharing is None and not way.capacity:
        message = say(
            "a whole device is assumed: consumableShares of the driver decides, which is disabled by default"
        )
        hint = say("pass a profile that says it: dra: {{nvidiaConsumableShares: {mode}}}", mode=DISABLED)
        return Doubt(None, message, hint, Severity.INFO)
    if sharing == DISABLED and memory is not None and not way.asks(driver.partition_class):
        message = say(
            "the claim gets a whole card of at least this memory: nvidiaConsumableShares is disabled"
        )
        hint = say("remove it, or set the driver and the profile to memory")
        return Doubt(memory, message, hint, Severity.WARNING)
    return None
