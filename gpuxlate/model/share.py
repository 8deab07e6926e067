"""The share: what one container requests of GPUs, in vendor-neutral terms.

Standard library only. All numbers are totals over the cards of the share, as in the
GPUShare document; the ``*_per_card`` properties divide them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from gpuxlate.model.messages import say
from gpuxlate.model.parts import Partition, Replica, part_problems
from gpuxlate.model.share_problems import (
    ALL_MEMORY,
    FULL_CARD_CORES,
    ShareError,
    ShareProblem,
    share_problems,
)

VENDOR = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
"""A vendor of cards: small letters, digits and '-'."""
MODEL = r"^[^\s,\x00-\x1f]+( [^\s,\x00-\x1f]+)*$"
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

    def covers(self, asked: Isolation) -> bool:
        """It gives at least what is asked."""
        order = tuple(Isolation)
        return order.index(self) >= order.index(asked)


class Device(NamedTuple):
    """Which cards will do: all of a vendor, or these models, by their names in the catalogue of cards."""

    vendor: str | None = None
    models: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join(part for part in (self.vendor, ",".join(self.models)) if part)

    def to_json(self) -> dict[str, str | list[str]]:
        """What is set, under the names of the document."""
        given: dict[str, str | list[str]] = {}
        if self.vendor is not None:
            given["vendor"] = self.vendor
        if self.models:
            given["models"] = list(self.models)
        return given


JSON_NAMES: Mapping[str, str] = {
    "cards": "cards",
    "cores": "cores",
    "memory_mib": "memoryMiB",
    "memory_percent": "memoryPercent",
    "policy": "policy",
    "qos": "qos",
    "memory_limit_mib": "memoryLimitMiB",
    "device": "device",
    "isolation": "isolation",
    "partition": "partition",
    "replica": "replica",
}
"""Attribute name to the name that documents and reports use."""

ONLY_WHEN_SET = frozenset(
    {"memory_percent", "memory_limit_mib", "device", "isolation", "partition", "replica"}
)
"""Fields that are in reports only where a share sets them: those added after the first five."""


@dataclass(frozen=True, slots=True)
class Share:
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
        problems = (
            *share_problems(*numbers),
            *part_problems(self.partition, self.replica, *numbers),
            *_device_problems(self.device),
        )
        if problems:
            raise ShareError(problems)
        object.__setattr__(self, "memory_limit_mib", limit_beside(self.memory_mib, self.memory_limit_mib))
        if self.device == Device():
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
        return " of ".join(str(one) for one in (self.replica, self.partition) if one)

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

    def to_json(self) -> dict[str, Any]:
        """The first five fields under their JSON names, None where omitted; the others where they are set.

        Partitions and replicas have no number of cards.
        """
        found = {
            name: _plain(getattr(self, attribute))
            for attribute, name in JSON_NAMES.items()
            if attribute not in ONLY_WHEN_SET or getattr(self, attribute) is not None
        }
        return {**found, "cards": None} if self.is_part else found

    def given_fields(self) -> frozenset[str]:
        """Attribute names of the fields that are set: those that a target must express."""
        given = frozenset(name for name in JSON_NAMES if getattr(self, name) is not None)
        return given - {"cards"} if self.is_part else given


def _plain(value: Any) -> Any:
    if isinstance(value, Device | Partition | Replica):
        return value.to_json()
    return str(value) if isinstance(value, StrEnum) else value


def _device_problems(device: Device | None) -> Iterator[ShareProblem]:
    """Names that no document and no list of names can hold."""
    vendor, models = device or Device()
    if vendor is not None and not re.fullmatch(VENDOR, vendor):
        yield _bad_name(vendor, "small letters, digits and '-', as in nvidia")
    for model in models:
        if not re.fullmatch(MODEL, model):
            yield _bad_name(model, "a name without commas, as in A100-SXM4-80GB")


def _bad_name(name: str, known: str) -> ShareProblem:
    message = say("device has {name!r}, which is not a name", name=name)
    return ShareProblem("device", message, say("write {known}", known=known))


def limit_beside(memory_mib: int | None, limit: int | None) -> int | None:
    """The limit that is left to set beside so much memory (MiB in total, None: all of it)."""
    return None if limit is None or memory_mib is None or limit <= memory_mib else limit


def percent_in_mib(percent: int, card_mib: int) -> int:
    """A part of a card's memory in MiB, rounded up: never below the request."""
    return -(-percent * card_mib // ALL_MEMORY)
