"""The losses that a caller accepts, from plain data: ``round``, ``fill`` and ``drop``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from gpuxlate.model.errors import UserError
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import msg

if TYPE_CHECKING:
    from gpuxlate.backends.pod_writer import Accept

DROPPABLE = ("cores", "policy", "qos", "memoryLimitMiB", "device", "isolation", "selector")
FILLABLE = ("cores", "memoryMiB")
MAX_FILL = 10**12 - 1
"""The largest number that ``fill`` takes, in percent or MiB: above any card."""


class AcceptError(UserError, ValueError):
    """A value is invalid; ``field`` is round, fill or drop."""

    hint: str

    def __init__(self, field: str, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.args = (f"{message}; {hint}",)
        self.field = field


class AboveCardError(AcceptError):
    """More than one card is filled in."""


def build_accept(round: object = None, fill: object = None, drop: object = ()) -> Accept:  # noqa: A002
    """The accepted losses, checked. ``fill``: percent or MiB of each card. Raises AcceptError."""
    if round not in (None, "up"):
        raise AcceptError(
            "round",
            msg("invalid value {value!r} for round", value=round),
            "write up (never below the request)",
        )
    from gpuxlate.backends.pod_writer import Accept

    return Accept(round == "up", _filled({} if fill is None else fill), _dropped(drop))


def _filled(fill: object) -> dict[str, int]:
    if not isinstance(fill, Mapping):
        raise AcceptError(
            "fill",
            msg("invalid value {value!r} for fill: not a mapping", value=fill),
            "write fields and numbers, as in cores: 30",
        )
    for name, number in fill.items():
        if name not in FILLABLE:
            raise _unknown("fill", name, FILLABLE)
        if isinstance(number, bool) or not isinstance(number, int) or not 0 < number <= MAX_FILL:
            message = msg("invalid value {value!r} for fill {field}", value=number, field=name)
            raise AcceptError("fill", message, "write a whole number above zero: the amount per card")
        if name == "cores" and number > FULL_CARD_CORES:
            message = msg(
                "invalid value {value!r} for fill {field}: more than one card", value=number, field=name
            )
            raise AboveCardError("fill", message, "cores counts percent of each card: 1..100")
    return dict(fill)


def _dropped(drop: object) -> frozenset[str]:
    if isinstance(drop, str):
        drop = [name.strip() for name in drop.split(",") if name.strip()]
    if not isinstance(drop, Iterable):
        raise AcceptError(
            "drop",
            msg("invalid value {value!r} for drop: not a list", value=drop),
            msg("write a list of {fields}", fields=", ".join(DROPPABLE)),
        )
    names = list(drop)
    unknown = next((name for name in names if name not in DROPPABLE), None)
    if unknown is not None:
        raise _unknown("drop", unknown, DROPPABLE)
    return frozenset(names)


def _unknown(field: str, name: object, fields: Iterable[str]) -> AcceptError:
    message = msg("invalid field {name!r} in {field}", name=name, field=field)
    return AcceptError(field, message, msg("fields: {fields}", fields=", ".join(fields)))
