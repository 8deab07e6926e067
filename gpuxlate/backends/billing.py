"""The bill of a vendor for shares, in exact numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType

from gpuxlate.backends.target import Backend
from gpuxlate.model.declarations import record
from gpuxlate.model.errors import UserError
from gpuxlate.model.limits import FULL_CARD_CORES


class CostError(UserError, ValueError):
    """The input cannot be billed. ``hint``: what to write."""


def part_of_card(cores: int, memory_mib: int, card_mib: int) -> Fraction:
    """The billed part of a card for percent and MiB of it (EMR Serverless, mGPU, seed 004):
    max(mgpu-core / 100, mgpu-memory / memory of the whole card), the memory being what shares can use."""
    return max(Fraction(cores, FULL_CARD_CORES), Fraction(memory_mib, card_mib))


class Decides(StrEnum):
    """Which part of a card the price follows."""

    COMPUTE = "compute"
    MEMORY = "memory"
    BOTH = "both"


@record
class BilledCard:
    """A card as it is billed. ``units``: GPU-hours for one hour of it. ``memory_mib``: usable MiB."""

    units: Fraction
    memory_mib: int

    def __post_init__(self) -> None:
        if self.units <= 0 or self.memory_mib < 1:
            raise CostError("a card has more than 0 units and at least 1 MiB")


@record
class Price:
    """The price of one pod. ``cores``: percent of a card.

    ``part``: the billed part of the card, the larger of ``compute_part`` and ``memory_part``.
    ``break_even_memory_mib``: MiB above which memory determines the price at this compute;
    ``break_even_cores``: percent above which compute does at this memory.
    """

    card: BilledCard
    cores: int
    memory_mib: int
    hours: Fraction
    compute_part: Fraction
    memory_part: Fraction
    part: Fraction
    gpu_hours: Fraction
    break_even_memory_mib: Fraction
    break_even_cores: Fraction

    @property
    def decides(self) -> Decides:
        """Which part of the card is larger, and so is billed."""
        if self.compute_part == self.memory_part:
            return Decides.BOTH
        return Decides.COMPUTE if self.compute_part > self.memory_part else Decides.MEMORY

    @property
    def free_memory_mib(self) -> int:
        """Whole MiB that could be requested in addition at the same price."""
        return max(int(self.break_even_memory_mib) - self.memory_mib, 0)

    @property
    def free_cores(self) -> int:
        """Whole percent that could be requested in addition at the same price."""
        return max(int(self.break_even_cores) - self.cores, 0)


@record
class PodCounts:
    """The pods of a job that have a GPU, as the user counts them; None is not given."""

    pods: int | None = None
    executors: int | None = None
    driver: bool | None = None


@record
class BilledJob:
    """One share as a job: its pods by role, each at the price of one."""

    name: str
    price: Price
    pods: Sequence[tuple[str, int]]

    @property
    def gpu_hours(self) -> Fraction:
        """The GPU hours of all pods of the job."""
        return sum((self.price.gpu_hours * count for _, count in self.pods), Fraction(0))


class BilledBackend(Backend):
    """A target whose vendor documents how shares are billed.

    ``billing_plan``: the plan that ``price`` is of; ``billed_cards``: the cards whose prices the vendor
    documents, by name.
    """

    billing_plan: str
    billing_note: str = ""
    billed_cards: Mapping[str, BilledCard] = MappingProxyType({})

    def billed_pods(self, counts: PodCounts) -> Sequence[tuple[str, int]]:
        """The pods of a job that have a GPU, by role. Raises CostError."""
        raise NotImplementedError

    def price(self, card: BilledCard, cores: int, memory_mib: int, hours: Fraction) -> Price:
        """The price of one pod: percent of a card, MiB. Raises CostError."""
        raise NotImplementedError
