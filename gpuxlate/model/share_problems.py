"""Why numbers are not a share (GX011), each with what to write. Numbers are totals over the cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gpuxlate.model.messages import either, say
from gpuxlate.model.quantity import LIMIT

FULL_CARD_CORES = 100
"""Compute of one whole card, in percent."""
ALL_MEMORY = 100
"""Memory of a whole card, in percent."""
MOST_CARDS = LIMIT // FULL_CARD_CORES
"""Kubernetes has no number above LIMIT, and 100 x cards is one of a share."""


class ShareProblem(NamedTuple):
    """One reason why numbers are not a share: the field (JSON name), what is wrong, what to write."""

    field: str
    message: str
    hint: str


class ShareError(ValueError):
    """The numbers are not a share; ``problems`` has every reason."""

    def __init__(self, problems: tuple[ShareProblem, ...]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = problems


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
                say(
                    "cores is {cores}, above the maximum of {most} (100 x cards)",
                    cores=cores,
                    most=ceiling,
                ),
                say("write cores: {most}, or more cards", most=ceiling),
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
    yield from _percent_problems(memory_percent, memory_mib)
    yield from _limit_problems(memory_limit_mib, memory_mib, cards)


def _percent_problems(memory_percent: int | None, memory_mib: int | None) -> Iterator[ShareProblem]:
    if memory_percent is None:
        return
    if memory_mib is not None:
        yield ShareProblem(
            "memoryPercent",
            say(
                "memoryPercent {percent} and memoryMiB {mib} are both set",
                percent=memory_percent,
                mib=memory_mib,
            ),
            "keep one of them: MiB in total, or percent of each card",
        )
    if memory_percent < 1:
        yield below_one(
            "memoryPercent", memory_percent, "omit memoryPercent to request all memory of the cards"
        )
    elif memory_percent > ALL_MEMORY:
        yield ShareProblem(
            "memoryPercent",
            say(
                "memoryPercent is {percent}, above the maximum of {most}: it counts percent of each card",
                percent=memory_percent,
                most=ALL_MEMORY,
            ),
            say("write memoryPercent: {most} or less", most=ALL_MEMORY),
        )


def _limit_problems(limit: int | None, memory_mib: int | None, cards: int) -> Iterator[ShareProblem]:
    field = "memoryLimitMiB"
    if limit is None:
        return
    if limit < 1:
        yield below_one(field, limit, "omit memoryLimitMiB where memoryMiB is the limit")
    elif limit > LIMIT:
        yield above_limit(field, limit, LIMIT)
    elif memory_mib is None:
        yield ShareProblem(
            field,
            say("memoryLimitMiB is {limit}, and memoryMiB is not set", limit=limit),
            "add memoryMiB, the part that is always there, or omit memoryLimitMiB",
        )
    elif limit < memory_mib:
        yield ShareProblem(
            field,
            say("memoryLimitMiB is {limit}, below memoryMiB ({mib})", limit=limit, mib=memory_mib),
            say("write memoryLimitMiB: {mib} or more, or omit it", mib=memory_mib),
        )
    elif limit % cards:
        yield _does_not_divide(field, limit, cards, None)


def below_one(field: str, value: int, hint: str) -> ShareProblem:
    return ShareProblem(
        field, say("{field} is {value}, it must be at least 1", field=field, value=value), hint
    )


def above_limit(field: str, value: int, most: int) -> ShareProblem:
    """A number that, or whose percent, no quantity of Kubernetes holds."""
    return ShareProblem(
        field,
        say(
            "{field} is {value}, above the maximum of {most}: it does not fit in 64 bits",
            field=field,
            value=value,
            most=most,
        ),
        say("write {field}: {most} or less", field=field, most=most),
    )


def _does_not_divide(field: str, value: int, cards: int, ceiling: int | None) -> ShareProblem:
    below = value - value % cards
    above = below + cards
    near = [str(n) for n in (below, above) if n > 0 and (ceiling is None or n <= ceiling)]
    return ShareProblem(
        field,
        say(
            "{field} is {value}, not a multiple of cards ({cards}): each card gives an equal part",
            field=field,
            value=value,
            cards=cards,
        ),
        say("write {near}", near=either(near)),
    )
