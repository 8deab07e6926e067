"""What a container requests of each of its cards, and which containers of a pod run at once."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.backends.scheduling_limits import ANY_MODE
from gpuxlate.model.declarations import record
from gpuxlate.model.limits import FULL_CARD_CORES

UNLIMITED = 1_000_000
"""Slots of a card where the vendor's documents give no number, or disagree on it."""


@record
class ContainerRequest:
    """What one container requests of each of its ``cards``.

    ``cores``: percent that count against the card; offline compute does not. ``memory_mib`` is
    None where it gets all memory of the card. ``joins_at``: percent that are free where it joins a card, at
    least ``cores``; ``alone``: no other container is on its cards. ``mode``: what all containers of a card
    have in common, ``pool``: what all those of a node have; ANY_MODE goes with all. ``ends``: it ends before
    the containers of its pod start; ``init`` alone: it is there before them too, and stays.
    """

    container: str
    init: bool
    index: int
    cards: int = 1
    cores: int = 0
    memory_mib: int | None = None
    whole: bool = False
    offline: bool = False
    joins_at: int = 0
    alone: bool = False
    mode: str = ANY_MODE
    pool: str = ANY_MODE
    ends: bool = False

    @property
    def percent(self) -> int:
        """Percent of each card that no other container can use."""
        return FULL_CARD_CORES if self.whole else self.cores

    @property
    def fresh(self) -> bool:
        """Its cards run no other container when it comes."""
        return self.whole or self.alone or self.memory_mib is None


Asks = tuple[ContainerRequest, ...]
"""The requests of one pod's containers, init containers first."""


def phases(asks: Asks) -> tuple[Asks, ...]:
    """The groups of containers of a pod that run at once: all but the init containers that end; and each of
    those, with the sidecars that start before it. On each card, and in total, a pod takes what its largest
    phase takes."""
    if not any(ask.ends for ask in asks):
        return (asks,)
    return tuple(tuple(asks[number] for number in numbers) for numbers in run_together(asks))


def run_together(asks: Asks) -> Iterator[tuple[int, ...]]:
    """The groups of containers that run at once, as indexes of ``asks``."""
    for last in (None, *dict.fromkeys(ask.index for ask in asks if ask.ends)):
        numbers = tuple(number for number, ask in enumerate(asks) if runs_beside(ask, last))
        if numbers:
            yield numbers


def runs_beside(ask: ContainerRequest, last: int | None) -> bool:
    """Whether a container runs at the same time as the init container that has the index ``last``, which
    ends; None: after all of these ended."""
    if last is None:
        return not ask.ends
    return ask.index == last if ask.ends else ask.init and ask.index < last
