"""What a caller may allow of a translation, from plain data: ``round``, ``fill`` and ``drop``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpuxlate.backends.placing import Accept
from gpuxlate.model.share import FULL_CARD_CORES

DROPPABLE = ("cores", "policy", "qos", "selector")
FILLABLE = ("cores", "memoryMiB")
MOST = 10**12 - 1
"""Percent or MiB: more is no card that anybody means."""


class AcceptError(ValueError):
    """What was allowed cannot be meant; ``field`` is round, fill or drop."""

    def __init__(self, field: str, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.field = field
        self.message = message
        self.hint = hint


def acceptance(round_: object = None, fill: object = None, drop: object = ()) -> Accept:
    """What is allowed, checked. ``fill`` counts for each card. Raises AcceptError."""
    if round_ not in (None, "up"):
        raise AcceptError(
            "round", f"round {round_!r} is not possible", "write up: never below what was asked"
        )
    return Accept(round_ == "up", _filled({} if fill is None else fill), _dropped(drop))


def _filled(fill: object) -> dict[str, int]:
    if not isinstance(fill, Mapping):
        raise AcceptError("fill", f"fill {fill!r} is no mapping", "write fields and numbers, as in cores: 30")
    for name, number in fill.items():
        if name not in FILLABLE:
            raise AcceptError("fill", f"fill {name!r} is not possible", f"fields: {', '.join(FILLABLE)}")
        if isinstance(number, bool) or not isinstance(number, int) or not 0 < number <= MOST:
            hint = "write a whole number above zero: what each card gives"
            raise AcceptError("fill", f"fill {name} {number!r} is not possible", hint)
        if name == "cores" and number > FULL_CARD_CORES:
            hint = "cores counts percent of each card: 1..100"
            raise AcceptError("fill", f"fill cores {number} is more than one card", hint)
    return dict(fill)


def _dropped(drop: object) -> frozenset[str]:
    if isinstance(drop, str):
        drop = [name.strip() for name in drop.split(",") if name.strip()]
    if not isinstance(drop, Iterable):
        raise AcceptError("drop", f"drop {drop!r} is no list", f"write a list of {', '.join(DROPPABLE)}")
    names = list(drop)
    unknown = next((name for name in names if name not in DROPPABLE), None)
    if unknown is not None:
        raise AcceptError("drop", f"drop {unknown!r} is not possible", f"fields: {', '.join(DROPPABLE)}")
    return frozenset(names)
