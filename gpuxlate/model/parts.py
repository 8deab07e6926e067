"""Parts of a card that a share names in place of numbers: hardware partitions, and replicas of a card."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gpuxlate.model.messages import joined, say
from gpuxlate.model.quantity import LIMIT
from gpuxlate.model.share_problems import ShareProblem

PROFILE = r"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"
"""The name of a partition; as a part of a resource's name it has a dot for each plus."""
LONGEST = 50
"""Most characters of it: the name of a resource has 63 after its slash."""
LEAST_CLIENTS = 2
"""A card with one client is no replica (NVIDIA/k8s-device-plugin: replicas is 2 or more)."""


class Strategy(StrEnum):
    """How clients share a card: by turns and without isolation, or each with an equal part."""

    TIME_SLICING = "time-slicing"
    MPS = "mps"


@dataclass(frozen=True, slots=True)
class Partition:
    """``count`` instances of a hardware partition, on one card or on several."""

    profile: str
    count: int = 1

    def __str__(self) -> str:
        return self.profile if self.count == 1 else f"{self.count} x {self.profile}"

    def to_json(self) -> dict[str, Any]:
        """The fields of the document; one instance is not said."""
        return {"profile": self.profile, **({} if self.count == 1 else {"count": self.count})}


@dataclass(frozen=True, slots=True)
class Replica:
    """``count`` of the ``of`` equal clients of a card, or of a partition.

    ``of``, ``strategy``: None where only the configuration of the nodes says it.
    """

    of: int | None = None
    strategy: Strategy | None = None
    count: int = 1

    def __str__(self) -> str:
        part: str = say("{count} of a number that nodes know", count=self.count)
        if self.of:
            part = f"{self.count}/{self.of}"
        return joined([part, self.strategy]) if self.strategy else part

    def to_json(self) -> dict[str, Any]:
        """What is set, under the names of the document; one client is not said, unless it is all."""
        given = {"of": self.of, "strategy": str(self.strategy) if self.strategy else None}
        said: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        return {**said, "count": self.count} if self.count > 1 or not said else said


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
        beside = [name for name, value in zip(names, numbers, strict=False) if value is not None]
        if cards > 1:
            beside.insert(0, "cards")
        for name in beside:
            message = say("{name} is set beside {field}, which says how much it is", name=name, field=field)
            hint = say("keep one of them: {name} or {field}", name=name, field=field)
            yield ShareProblem(name, message, hint)
        if not 1 <= part.count <= LIMIT:
            message = say("count of {field} is {count}, which no node gives", field=field, count=part.count)
            yield ShareProblem(field, message, say("omit count: one {field}", field=field))
    if partition is not None and (
        not re.fullmatch(PROFILE, partition.profile) or len(partition.profile) > LONGEST
    ):
        message = say("partition has the profile {name!r}, which is not a name", name=partition.profile)
        yield ShareProblem("partition", message, "write the name of a partition, as in 1g.10gb")
    if replica is not None and replica.of is not None and not LEAST_CLIENTS <= replica.of <= LIMIT:
        message = say("replica is one of {of} clients of a card", of=replica.of)
        yield ShareProblem(
            "replica", message, say("write of: {least} or more, or omit replica", least=LEAST_CLIENTS)
        )
    if partition is not None and replica is not None and partition.count > 1:
        message = say(
            "replica is of one partition, and partition has a count of {count}", count=partition.count
        )
        yield ShareProblem("partition", message, "omit its count; replica has one of its own")


def in_resource(profile: str) -> str:
    """The profile as a part of the name of a resource: ``1g.10gb+me`` is ``1g.10gb.me``."""
    return profile.replace("+", ".")


def of_resource(text: str) -> str:
    """The profile from such a part of a name."""
    found = re.fullmatch(r"((?:[1-9]c\.)?[1-9]g\.[0-9]+gb)\.(.+)", text)
    return f"{found[1]}+{found[2]}" if found else text
