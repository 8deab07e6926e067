"""Hours and other numbers of a bill as people write and read them, in exact fractions."""

from __future__ import annotations

import re
from fractions import Fraction

MAX_LENGTH = 32
"""Longer numbers are not hours or units that anybody means; keeps arithmetic bounded."""

_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_FRACTION = re.compile(rf"({_NUMBER})(?:/([0-9]+))?")
_DURATION = re.compile(rf"(?=.)(?:({_NUMBER})h)?(?:({_NUMBER})m)?(?:({_NUMBER})s)?")


def number(text: str) -> Fraction:
    """A number above 0, as ``10``, ``0.5`` or ``1/3``, exactly. Raises ValueError."""
    match = _FRACTION.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if match is None or int(match[2] or 1) == 0:
        raise ValueError(f"{text[:MAX_LENGTH]!r} is not a number")
    return _positive(Fraction(match[1]) / int(match[2] or 1))


def hours(text: str) -> Fraction:
    """Hours: a number (``1``, ``0.5``, ``1/3``) or a duration (``90m``, ``1h30m``). Raises ValueError."""
    match = _DURATION.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if match is None:
        return number(text)
    return _positive(sum((Fraction(match[n + 1] or 0) / 60**n for n in range(3)), Fraction(0)))


def _positive(value: Fraction) -> Fraction:
    if value <= 0:
        raise ValueError("it must be more than 0")
    return value


def decimal(value: Fraction, places: int = 6) -> str:
    """The number for print, rounded to ``places`` after the point, without zeros at its end."""
    digits = f"{abs(round(value * 10**places)):0{places + 1}d}"
    fraction = digits[-places:].rstrip("0")
    return ("-" if value < 0 else "") + digits[:-places] + (f".{fraction}" if fraction else "")
