"""What a GPU share costs on EMR Serverless: the vendor's GPU-hour formula, in exact fractions.

Source: EMR Serverless, mGPU (seed 004), for pay-as-you-go GPUs only:

    GPU-hours of a pod = 1 * GPU-hours of the card * max(core / 100, memory / memory of the card)

The page leaves out the time; its example runs one hour. It writes "memory of the whole card" and
uses what mGPU leaves of it (22731 MiB of an A10): the usable memory is meant. The vendor's
rounding and its least charge are not documented, so nothing is rounded here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gpuxlate.backends.billing import Card, CostError, PodCounts, Price
from gpuxlate.backends.volcengine_emr import keys as k
from gpuxlate.model.messages import say
from gpuxlate.model.share_problems import FULL_CARD_CORES

KNOWN_CARDS: Mapping[str, Card] = {"A10": Card(Fraction(10), 22731)}
"""The only card whose figures the vendor's page gives (seed 004)."""


@dataclass(frozen=True, slots=True)
class JobBilling:
    """Billing of one engine. ``role``: what the pods of its jobs are called; None where there are two."""

    target: str
    role: str | None
    cards: Mapping[str, Card]
    plan: str = "pay-as-you-go"
    note: str = (
        "Billed so with pay-as-you-go GPUs only. The vendor's rounding and least charge are not documented."
    )

    def pods(self, counts: PodCounts) -> Sequence[tuple[str, int]]:
        by_role = counts.executors is not None or counts.driver is not None
        if self.role is not None:
            if by_role:
                raise CostError(
                    say("--executors and --driver are of Spark, not of {target}", target=self.target),
                    "use --pods N",
                )
            return ((self.role, 1 if counts.pods is None else counts.pods),)
        if counts.pods is not None:
            if by_role:
                raise CostError(
                    "--pods counts the driver and the executors already", "give --pods, or --executors"
                )
            return (("driver or executor", counts.pods),)
        if counts.executors is None:
            raise CostError(
                "how many pods a Spark job has is not given",
                "give --executors N (the driver is added, but for --no-driver), or --pods N",
            )
        counted = (("driver", 0 if counts.driver is False else 1), ("executor", counts.executors))
        if not any(count for _, count in counted):
            raise CostError("no pod of the job has a GPU", "give --executors N, or leave out --no-driver")
        return tuple((role, count) for role, count in counted if count)

    def price(self, card: Card, cores: int, memory_mib: int, hours: Fraction) -> Price:
        if not 1 <= cores <= FULL_CARD_CORES:
            raise CostError(say("{cores} % of a card cannot be billed", cores=cores))
        if not 1 <= memory_mib <= card.memory_mib:
            raise CostError(
                say(
                    "{memory_mib} MiB: the card has {memory_mib_2} MiB for use",
                    memory_mib=memory_mib,
                    memory_mib_2=card.memory_mib,
                )
            )
        if hours <= 0:
            raise CostError("the hours must be more than 0")
        compute, memory = Fraction(cores, FULL_CARD_CORES), Fraction(memory_mib, card.memory_mib)
        part = max(compute, memory)
        return Price(
            card,
            cores,
            memory_mib,
            hours,
            compute,
            memory,
            part,
            gpu_hours=hours * card.units * part,
            break_even_memory_mib=compute * card.memory_mib,
            break_even_cores=memory * FULL_CARD_CORES,
        )


SPARK = JobBilling(k.SPARK.target, None, KNOWN_CARDS)
RAY = JobBilling(k.RAY.target, "worker", KNOWN_CARDS)
CUSTOMJOB = JobBilling(k.CUSTOMJOB.target, "task", KNOWN_CARDS)
