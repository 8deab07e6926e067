"""The capacity that a request of a claim asks of each card, by the names of the driver's capacity."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from gpuxlate.backends.dra.driver import CORES, MEMORY, PARTITIONS, SHARES, DeviceSharing, Driver
from gpuxlate.backends.dra.selectors import kind_of_devices, whole_card_selector
from gpuxlate.backends.target import BYTE
from gpuxlate.model import quantity
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import Message, msg
from gpuxlate.model.pod import DeviceRequest, Value
from gpuxlate.model.share import Replica, Strategy

Problems = list[tuple[Value, Message, Message]]
"""The value, message and hint of each problem."""
UNLIMITED, DISABLED = "unlimited", "disabled"


class UnknownAmount(NamedTuple):
    """A finding that the amount of a request is not known, or differs from its number. ``value``: the
    capacity that it is about."""

    value: Value | None
    message: Message
    hint: Message
    severity: Severity


def amounts_of(driver: Driver, way: DeviceRequest) -> tuple[int | None, int | None]:
    """Percent of compute and MiB of each card; None: not capped, and all memory."""
    return _cores(driver, way), _memory(driver, way)


def _cores(driver: Driver, way: DeviceRequest) -> int | None:
    """Percent of each card; None where compute is not capped: the claim sets 0, or nothing at all."""
    if not driver.cores:
        return None
    written = driver.amount(way, CORES)
    if written is None:
        return FULL_CARD_CORES if driver.amount(way, MEMORY) is not None else None
    return quantity.parse_integer(written.text) or None


def _memory(driver: Driver, way: DeviceRequest) -> int | None:
    """MiB of each card, rounded up; None is all of it."""
    written = driver.amount(way, MEMORY) if driver.parts else None
    if written is None or not quantity.is_amount(written.text):
        return None
    return ceil(quantity.parse(written.text).amount * BYTE) or None


def client_of(driver: Driver, way: DeviceRequest, sharing: DeviceSharing | None) -> Replica | None:
    """The clients of a card that a request is for, None for a whole one (NV). Memory decides before them."""
    if not driver.clients:
        return None
    written = driver.amount(way, SHARES)
    count = (quantity.parse_integer(written.text) if written else None) or 1
    if isinstance(sharing, int):
        return Replica(sharing, Strategy.TIME_SLICING, count) if count < sharing else None
    return Replica(None, Strategy.TIME_SLICING, count) if written or sharing == UNLIMITED else None


def unknown_capacity(driver: Driver, way: DeviceRequest, sharing: DeviceSharing | None) -> Problems:
    """The capacity of a request that its devices do not have, or that has two names in it (DRA017)."""
    problems: Problems = []
    for name, value in way.capacity.items():
        if not driver.has_capacity(way, name):
            message = msg("{driver} has no capacity {name}", driver=driver.device_class, name=name)
            problems.append(
                (value, message, msg("its capacity: {names}", names=", ".join(driver.capacity())))
            )
        elif name.partition("/")[2] in way.capacity:
            message = msg("{name} is there twice, with and without the name of the driver", name=name)
            problems.append((value, message, msg("keep one of them")))
    written = driver.amount(way, SHARES)
    if written is not None and driver.clients and isinstance(sharing, str):
        message = msg(
            "the cards of the profile have no capacity {name}: nvidiaConsumableShares is {mode}",
            name=SHARES,
            mode=sharing,
        )
        hint = msg("remove it, or set the driver and the profile to a number of clients")
        problems.append((written, message, hint))
    return problems


def wrong_amounts(driver: Driver, way: DeviceRequest, sharing: DeviceSharing | None) -> Problems:
    """The amounts of a request that no card has (DRA004)."""
    problems: Problems = []
    memory, cores, shares = (driver.amount(way, name) for name in (MEMORY, CORES, SHARES))
    if memory is not None:
        amount = quantity.parse(memory.text).amount if quantity.is_amount(memory.text) else None
        none_of_it = amount == 0 and driver.clients and (sharing == UNLIMITED or isinstance(sharing, int))
        hint = msg(
            "write MiB or GiB with their suffix: {text}Mi",
            text=memory.text if memory.text.isdigit() else "4096",
        )
        if amount is None:
            problems.append((memory, msg("memory {text} is not a quantity", text=memory.text), hint))
        elif amount * BYTE < 1 and not none_of_it:
            message = msg(
                "memory {text} is {count} bytes of each card, below 1Mi", text=memory.text, count=ceil(amount)
            )
            problems.append((memory, message, hint))
    if cores is not None and driver.cores:
        number = quantity.parse_integer(cores.text)
        if number is None or not 0 <= number <= FULL_CARD_CORES:
            message = msg(
                "cores {text} is not a whole number from 0 to {most}", text=cores.text, most=FULL_CARD_CORES
            )
            problems.append((cores, message, msg('write percent of each card, as in cores: "30"')))
    if shares is not None and driver.clients:
        number = quantity.parse_integer(shares.text)
        maximum = sharing if isinstance(sharing, int) else None
        if number is None or number < 1:
            message = msg("shares {text} is not a whole number from 1", text=shares.text)
            problems.append((shares, message, msg('write a number of clients, as in shares: "1"')))
        elif maximum is not None and number > maximum:
            problems.append((shares, *too_many_clients(number, maximum)))
    return [*problems, *_wrong_partitions(driver, way)]


def _wrong_partitions(driver: Driver, way: DeviceRequest) -> Iterator[tuple[Value, Message, Message]]:
    written = driver.amount(way, PARTITIONS) if PARTITIONS in driver.of_partitions else None
    if written is not None and not quantity.parse_integer(written.text):
        message = msg("partitions {text} is not a whole number from 1", text=written.text)
        yield written, message, msg('write a number of partitions, as in partitions: "1"')


def too_many_clients(count: int, maximum: int | None) -> tuple[Message, Message]:
    """Message and hint for more clients than a card has."""
    message = msg("shares {count} is above the {most} clients of a card", count=count, most=maximum)
    return message, msg("request at most {most}", most=maximum)


def undecided_amount(
    driver: Driver, way: DeviceRequest, sharing: DeviceSharing | None
) -> UnknownAmount | None:
    """The finding where the amount of a request depends on settings that are in no manifest (DRA018)."""
    if driver.has_one_class and kind_of_devices(driver, way).partition is None:
        message = msg("a whole card is assumed: on nodes with divided cards the claim may get a partition")
        hint = msg("select the devices by their type: {text}", text=whole_card_selector(driver).text)
        return UnknownAmount(None, message, hint, Severity.INFO)
    if not driver.clients:
        return None
    memory, shares = driver.amount(way, MEMORY), driver.amount(way, SHARES)
    if sharing is None and shares is not None:
        message = msg("how many clients a card has is not known: consumableShares of the driver says it")
        hint = msg("pass a profile that says it: dra: {{nvidiaConsumableShares: {mode}}}", mode=8)
        return UnknownAmount(shares, message, hint, Severity.WARNING)
    if sharing is None and not way.capacity:
        message = msg(
            "a whole device is assumed: consumableShares of the driver decides, which is disabled by default"
        )
        hint = msg("pass a profile that says it: dra: {{nvidiaConsumableShares: {mode}}}", mode=DISABLED)
        return UnknownAmount(None, message, hint, Severity.INFO)
    if sharing == DISABLED and memory is not None and not way.asks(driver.partition_class):
        message = msg(
            "the claim gets a whole card of at least this memory: nvidiaConsumableShares is disabled"
        )
        hint = msg("remove it, or set the driver and the profile to memory")
        return UnknownAmount(memory, message, hint, Severity.WARNING)
    return None
