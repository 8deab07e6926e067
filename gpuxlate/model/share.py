"""The share: what one container requests of GPUs, in numbers or in parts of cards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, NamedTuple

from gpuxlate.model.declarations import (
    OMITTED,
    Keywords,
    Positive,
    Printed,
    PrintedAs,
    Sometimes,
    json_name,
    record,
)
from gpuxlate.model.errors import UserError
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import join_and, join_or, msg
from gpuxlate.model.quantity import LIMIT

PROFILE = r"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"
"""The name of a partition; as a part of a resource's name it has a dot for each plus."""
MAX_PROFILE_LENGTH = 50
"""Most characters of it: the name of a resource has 63 after its slash."""
LEAST_CLIENTS = 2
"""A card with one client is no replica (NVIDIA/k8s-device-plugin: replicas is 2 or more)."""


class Strategy(StrEnum):
    """How clients share a card: by turns and without isolation, or each with an equal part."""

    TIME_SLICING = "time-slicing"
    MPS = "mps"


@record
class PrintedPartition(Printed):
    """Hardware partitions of a card."""

    profile: str
    """Name of the partition, such as 1g.10gb."""
    count: Sometimes[Annotated[int, Keywords(minimum=2)]]
    """Instances, where there is more than one."""


@dataclass(frozen=True, slots=True)
class Partition(PrintedAs):
    """``count`` instances of a hardware partition, on one card or on several."""

    profile: str
    count: int = 1

    def __str__(self) -> str:
        return self.profile if self.count == 1 else f"{self.count} x {self.profile}"

    def printed(self) -> PrintedPartition:
        """One instance is not said."""
        return PrintedPartition(self.profile, OMITTED if self.count == 1 else self.count)


@record
class PrintedReplica(Printed):
    """Clients of a card that others use too."""

    of: Sometimes[Annotated[int, Keywords(minimum=2)]]
    """How many clients the card has; absent: the nodes know."""
    strategy: Sometimes[Strategy]
    """How they share the card."""
    count: Sometimes[Positive]
    """How many of the clients."""


@dataclass(frozen=True, slots=True)
class Replica(PrintedAs):
    """``count`` of the ``of`` equal clients of a card, or of a partition.

    ``of``, ``strategy``: None where only the configuration of the nodes says it.
    """

    of: int | None = None
    strategy: Strategy | None = None
    count: int = 1

    def __str__(self) -> str:
        part: str = msg("{count} of a number that nodes know", count=self.count)
        if self.of:
            part = f"{self.count}/{self.of}"
        return join_and([part, self.strategy]) if self.strategy else part

    def printed(self) -> PrintedReplica:
        """What is set; one client is not said, unless it is all."""
        counted = self.count > 1 or (self.of, self.strategy) == (None, None)
        return PrintedReplica(
            OMITTED if self.of is None else self.of,
            self.strategy or OMITTED,
            self.count if counted else OMITTED,
        )


def part_problems(
    partition: Partition | None, replica: Replica | None, cards: int, *numbers: int | None
) -> Iterator[ShareProblem]:
    """Every reason why partitions and replicas are not a share, beside these numbers.

    ``numbers``: cores, MiB, percent of memory and the limit of MiB.
    """
    for field, part in (("partition", partition), ("replica", replica)):
        if part is None:
            continue
        names = ("cores", "memoryMiB", "memoryPercent", "memoryLimitMiB")
        set_names = [name for name, value in zip(names, numbers, strict=False) if value is not None]
        if cards > 1:
            set_names.insert(0, "cards")
        for name in set_names:
            message = msg("{name} is set beside {field}, which says how much it is", name=name, field=field)
            hint = msg("keep one of them: {name} or {field}", name=name, field=field)
            yield ShareProblem(name, message, hint)
        if not 1 <= part.count <= LIMIT:
            message = msg("count of {field} is {count}, which no node gives", field=field, count=part.count)
            yield ShareProblem(field, message, msg("omit count: one {field}", field=field))
    if partition is not None and (
        not re.fullmatch(PROFILE, partition.profile) or len(partition.profile) > MAX_PROFILE_LENGTH
    ):
        message = msg("partition has the profile {name!r}, which is not a name", name=partition.profile)
        yield ShareProblem("partition", message, "write the name of a partition, as in 1g.10gb")
    if replica is not None and replica.of is not None and not LEAST_CLIENTS <= replica.of <= LIMIT:
        message = msg("replica is one of {of} clients of a card", of=replica.of)
        yield ShareProblem(
            "replica", message, msg("write of: {least} or more, or omit replica", least=LEAST_CLIENTS)
        )
    if partition is not None and replica is not None and partition.count > 1:
        message = msg(
            "replica is of one partition, and partition has a count of {count}", count=partition.count
        )
        yield ShareProblem("partition", message, "omit its count; replica has one of its own")


def in_resource(profile: str) -> str:
    """The profile as a part of the name of a resource: ``1g.10gb+me`` is ``1g.10gb.me``."""
    return profile.replace("+", ".")


def of_resource(text: str) -> str:
    """The profile from such a part of a name."""
    match = re.fullmatch(r"((?:[1-9]c\.)?[1-9]g\.[0-9]+gb)\.(.+)", text)
    return f"{match[1]}+{match[2]}" if match else text


# The share: what one container requests of GPUs, in vendor-neutral terms.
# Standard library only. All numbers are totals over the cards of the share, as in the GPUShare document;
# the ``*_per_card`` properties divide them.
VENDOR_PATTERN = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
"""A vendor of cards: small letters, digits and '-'."""
MODEL_PATTERN = r"^[^\s,\x00-\x1f]+( [^\s,\x00-\x1f]+)*$"
"""A card model. Lists of models are written with commas, so no name has one."""


class Policy(StrEnum):
    """How compute is divided on a shared card."""

    FIXED_SHARE = "fixed-share"
    BURST_SHARE = "burst-share"
    BEST_EFFORT = "best-effort"


class Qos(StrEnum):
    """Colocation class: online pre-empts offline."""

    ONLINE = "online"
    OFFLINE = "offline"


class Isolation(StrEnum):
    """How a container is kept within its part of a card, weakest first."""

    NONE = "none"
    SOFT = "soft"
    HARDWARE = "hardware"

    def covers(self, requested: Isolation) -> bool:
        """It gives at least what is asked."""
        order = tuple(Isolation)
        return order.index(self) >= order.index(requested)


@record
class PrintedDevice(Printed):
    """Which cards will do."""

    vendor: Sometimes[str]
    """Who makes the cards."""
    models: Sometimes[tuple[str, ...]]
    """Card models, one of them."""


@record
class Device(PrintedAs):
    """Which cards will do: all of a vendor, or these models, by their names in the catalogue of cards."""

    vendor: str | None = None
    models: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join(part for part in (self.vendor, ",".join(self.models)) if part)

    def printed(self) -> PrintedDevice:
        """What is set."""
        return PrintedDevice(OMITTED if self.vendor is None else self.vendor, self.models or OMITTED)


@record
class PrintedShare(Printed):
    """The share as it was asked. Numbers are totals over the cards."""

    cards: Positive | None
    """Physical cards; null: a partition or replica has no number."""
    cores: Positive | None
    """Compute in percent of one card; null: not capped."""
    memory_mib: Positive | None
    """GPU memory in MiB; null: all of the cards."""
    memory_percent: Sometimes[Annotated[int, Keywords(minimum=1, maximum=99)]]
    """Memory in percent of each card, where it is said so."""
    policy: Policy | None
    """How compute is divided; null: whatever the cluster does."""
    qos: Qos | None
    """Colocation class; null: none."""
    memory_limit_mib: Sometimes[Annotated[int, Keywords(minimum=2)]]
    """How far memory may burst, in MiB, where it is said so."""
    device: Sometimes[Device]
    """Which cards will do, where it is said so."""
    isolation: Sometimes[Isolation]
    """The least acceptable isolation, where it is said so."""
    partition: Sometimes[Partition]
    """Hardware partitions of a card, where the share is said so."""
    replica: Sometimes[Replica]
    """Clients of a card that others use too, where the share is said so."""


JSON_NAMES: Mapping[str, str] = {name: json_name(name) for name in PrintedShare.__annotations__}
"""Attribute name to the name that documents and reports use."""
NUMBER_FIELDS = ("cores", "memoryMiB")
"""JSON names of the numbers that a person can fill in; each is a total over the cards."""

ShareField = Annotated[str, Keywords(enum=[*JSON_NAMES.values(), "selector"])]
"""A field of a share, or its selector."""
ONLY_WHEN_SET = frozenset(
    {"memory_percent", "memory_limit_mib", "device", "isolation", "partition", "replica"}
)
"""Fields that are in reports only where a share sets them: those added after the first five."""


@dataclass(frozen=True, slots=True)
class Share(PrintedAs):
    """A share of GPUs, as one container requests it.

    ``cards``: physical cards of one node, an equal part of each.
    ``cores``: compute in percent of one card, total over the cards; None is not capped.
    ``memory_mib``: GPU memory in MiB, total over the cards; None is all of it.
    ``memory_percent``: GPU memory in percent of each card, 1 to 100, in place of ``memory_mib``.
    How many MiB that is depends on the card.
    ``memory_limit_mib``: how far memory may burst, in MiB, total over the cards; None is ``memory_mib``.
    ``device``: which cards will do; None is any.
    ``isolation``: the least that is acceptable; None is whatever the cluster gives.
    ``partition``: instances of a hardware partition, in place of cards, compute and memory.
    ``replica``: clients of a card that others use too, or of a partition, in place of compute and memory.
    What these two amount to, ``gpuxlate.model.amounts`` says.

    Whole cards have one form: ``cores`` of 100 x cards without memory becomes None, and so does
    ``memory_percent`` of 100, which is all of it. A ``memory_limit_mib`` of ``memory_mib`` and a device
    that names nothing become None.
    Raises ShareError where the numbers are not a share (rule GX011).
    """

    cards: int = 1
    cores: int | None = None
    memory_mib: int | None = None
    policy: Policy | None = None
    qos: Qos | None = None
    memory_percent: int | None = None
    memory_limit_mib: int | None = None
    device: Device | None = None
    isolation: Isolation | None = None
    partition: Partition | None = None
    replica: Replica | None = None

    def __post_init__(self) -> None:
        numbers = (self.cards, self.cores, self.memory_mib, self.memory_percent, self.memory_limit_mib)
        for number in numbers:
            if type(number) is not int and number is not None:
                raise ShareError((_no_number(self),))
        problems = (
            *share_problems(*numbers),
            *(part_problems(self.partition, self.replica, *numbers) if self.is_part else ()),
            *(_device_problems(self.device) if self.device else ()),
        )
        if problems:
            raise ShareError(problems)
        object.__setattr__(self, "memory_limit_mib", limit_beside(self.memory_mib, self.memory_limit_mib))
        if self.device is not None and self.device == Device():
            object.__setattr__(self, "device", None)
        if self.memory_percent == ALL_MEMORY:
            object.__setattr__(self, "memory_percent", None)
        if not self.caps_memory and self.cores == FULL_CARD_CORES * self.cards:
            object.__setattr__(self, "cores", None)

    @property
    def whole_cards(self) -> bool:
        """The container has its cards to itself, with all their memory."""
        return self.cores is None and not self.caps_memory and not self.is_part

    @property
    def is_part(self) -> bool:
        """It is said as partitions or replicas, not in numbers."""
        return self.partition is not None or self.replica is not None

    @property
    def part(self) -> str:
        """Its partitions or replicas in a few words, as in ``1/3, mps of 1g.10gb``; empty for numbers."""
        return " of ".join(str(part) for part in (self.replica, self.partition) if part)

    @property
    def caps_memory(self) -> bool:
        """The container gets a part of the memory of its cards, in MiB or in percent."""
        return self.memory_mib is not None or self.memory_percent is not None

    @property
    def cores_per_card(self) -> int | None:
        """Percent of each card."""
        return None if self.cores is None else self.cores // self.cards

    @property
    def memory_mib_per_card(self) -> int | None:
        """MiB on each card."""
        return None if self.memory_mib is None else self.memory_mib // self.cards

    @property
    def memory_limit_mib_per_card(self) -> int | None:
        """MiB on each card to which memory may burst."""
        return None if self.memory_limit_mib is None else self.memory_limit_mib // self.cards

    def printed(self) -> PrintedShare:
        """The first five fields, None where omitted; the others where they are set.

        Partitions and replicas have no number of cards.
        """
        fields = {name: getattr(self, name) for name in JSON_NAMES}
        unset = {name: OMITTED for name in ONLY_WHEN_SET if fields[name] is None}
        return PrintedShare(**{**fields, **unset, **({"cards": None} if self.is_part else {})})

    def given_fields(self) -> frozenset[str]:
        """Attribute names of the fields that are set: those that a target must express."""
        set_names = frozenset(name for name in JSON_NAMES if getattr(self, name) is not None)
        return set_names - {"cards"} if self.is_part else set_names


def _device_problems(device: Device) -> Iterator[ShareProblem]:
    """Names that no document and no list of names can hold."""
    if device.vendor is not None and not re.fullmatch(VENDOR_PATTERN, device.vendor):
        yield _bad_name(device.vendor, "small letters, digits and '-', as in nvidia")
    for model in device.models:
        if not re.fullmatch(MODEL_PATTERN, model):
            yield _bad_name(model, "a name without commas, as in A100-SXM4-80GB")


def _bad_name(name: str, valid: str) -> ShareProblem:
    message = msg("device has {name!r}, which is not a name", name=name)
    return ShareProblem("device", message, msg("write {known}", known=valid))


def limit_beside(memory_mib: int | None, limit: int | None) -> int | None:
    """The limit that is left to set beside so much memory (MiB in total, None: all of it)."""
    return None if limit is None or memory_mib is None or limit <= memory_mib else limit


def percent_in_mib(percent: int, card_mib: int) -> int:
    """A part of a card's memory in MiB, rounded up: never below the request."""
    return -(-percent * card_mib // ALL_MEMORY)


# Why numbers are not a share (GX011), each with what to write. Numbers are totals over the cards.
ALL_MEMORY = 100
"""Memory of a whole card, in percent."""
MOST_CARDS = LIMIT // FULL_CARD_CORES
"""Kubernetes has no number above LIMIT, and 100 x cards is one of a share."""


class ShareProblem(NamedTuple):
    """One reason why numbers are not a share: the field (JSON name), what is wrong, what to write."""

    field: str
    message: str
    hint: str


class ShareError(UserError, ValueError):
    """The numbers are not a share; ``problems`` has every reason."""

    def __init__(self, problems: tuple[ShareProblem, ...]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = problems


def _no_number(share: Share) -> ShareProblem:
    """The first number of a share that is none."""
    names = ("cards", "cores", "memory_mib", "memory_percent", "memory_limit_mib")
    values = ((name, getattr(share, name)) for name in names)
    name, value = next(
        (name, value) for name, value in values if type(value) is not int and value is not None
    )
    return ShareProblem(JSON_NAMES[name], f"{name} is {value!r}, it must be an int", "write a whole number")


def share_problems(
    cards: int,
    cores: int | None,
    memory_mib: int | None,
    memory_percent: int | None = None,
    memory_limit_mib: int | None = None,
) -> Iterator[ShareProblem]:
    """Every reason why the numbers are not a share, each with the nearest valid value."""
    if cards < 1:
        yield below_one("cards", cards, "write cards: 1")
        return
    if cards > MOST_CARDS:
        yield above_limit("cards", cards, MOST_CARDS)
        return
    if cores is not None:
        ceiling = FULL_CARD_CORES * cards
        if cores < 1:
            yield below_one("cores", cores, "omit cores to leave compute uncapped")
        elif cores > ceiling:
            yield ShareProblem(
                "cores",
                msg(
                    "cores is {cores}, above the maximum of {most} (100 x cards)",
                    cores=cores,
                    most=ceiling,
                ),
                msg("write cores: {most}, or more cards", most=ceiling),
            )
        elif cores % cards:
            yield _does_not_divide("cores", cores, cards, ceiling)
    if memory_mib is not None:
        if memory_mib < 1:
            yield below_one("memoryMiB", memory_mib, "omit memoryMiB to request all memory of the cards")
        elif memory_mib > LIMIT:
            yield above_limit("memoryMiB", memory_mib, LIMIT)
        elif memory_mib % cards:
            yield _does_not_divide("memoryMiB", memory_mib, cards, None)
    if memory_percent is not None or memory_limit_mib is not None:
        yield from _memory_problems(memory_percent, memory_limit_mib, memory_mib, cards)


def _memory_problems(
    percent: int | None, limit: int | None, memory_mib: int | None, cards: int
) -> Iterator[ShareProblem]:
    """Of memory in percent of each card, and of the limit beside MiB (in total)."""
    field = "memoryLimitMiB"
    if percent is not None:
        if memory_mib is not None:
            yield ShareProblem(
                "memoryPercent",
                msg(
                    "memoryPercent {percent} and memoryMiB {mib} are both set",
                    percent=percent,
                    mib=memory_mib,
                ),
                "keep one of them: MiB in total, or percent of each card",
            )
        if percent < 1:
            yield below_one("memoryPercent", percent, "omit memoryPercent to request all memory of the cards")
        elif percent > ALL_MEMORY:
            yield ShareProblem(
                "memoryPercent",
                msg(
                    "memoryPercent is {percent}, above the maximum of {most}: it counts percent of each card",
                    percent=percent,
                    most=ALL_MEMORY,
                ),
                msg("write memoryPercent: {most} or less", most=ALL_MEMORY),
            )
    if limit is None:
        return
    if limit < 1:
        yield below_one(field, limit, "omit memoryLimitMiB where memoryMiB is the limit")
    elif limit > LIMIT:
        yield above_limit(field, limit, LIMIT)
    elif memory_mib is None:
        yield ShareProblem(
            field,
            msg("memoryLimitMiB is {limit}, and memoryMiB is not set", limit=limit),
            "add memoryMiB, the part that is always there, or omit memoryLimitMiB",
        )
    elif limit < memory_mib:
        yield ShareProblem(
            field,
            msg("memoryLimitMiB is {limit}, below memoryMiB ({mib})", limit=limit, mib=memory_mib),
            msg("write memoryLimitMiB: {mib} or more, or omit it", mib=memory_mib),
        )
    elif limit % cards:
        yield _does_not_divide(field, limit, cards, None)


def below_one(field: str, value: int, hint: str) -> ShareProblem:
    """A number, of the unit of its field, of which a share has at least one."""
    return ShareProblem(
        field, msg("{field} is {value}, it must be at least 1", field=field, value=value), hint
    )


def above_limit(field: str, value: int, maximum: int) -> ShareProblem:
    """A number that, or whose percent, no quantity of Kubernetes holds."""
    return ShareProblem(
        field,
        msg(
            "{field} is {value}, above the maximum of {most}: it does not fit in 64 bits",
            field=field,
            value=value,
            most=maximum,
        ),
        msg("write {field}: {most} or less", field=field, most=maximum),
    )


def _does_not_divide(field: str, value: int, cards: int, ceiling: int | None) -> ShareProblem:
    below = value - value % cards
    above = below + cards
    near = [str(n) for n in (below, above) if n > 0 and (ceiling is None or n <= ceiling)]
    return ShareProblem(
        field,
        msg(
            "{field} is {value}, not a multiple of cards ({cards}): each card gives an equal part",
            field=field,
            value=value,
            cards=cards,
        ),
        msg("write {near}", near=join_or(near)),
    )
