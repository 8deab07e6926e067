"""Kubernetes quantities, exactly.

The grammar is that of Kubernetes' ``resource.Quantity``: a signed decimal number, then a binary
suffix (Ki ... Ei), a decimal suffix (n u m k M G T P E) or an exponent (e3, E3).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from gpuxlate.model.declarations import regex
from gpuxlate.model.errors import UserError

GIB = 1024
"""MiB of one GiB."""
LIMIT = 2**63 - 1
"""Kubernetes caps quantities at this value."""
_DIGITS = 19
"""Of LIMIT: a number of fewer is below it."""

MAX_QUANTITY_LENGTH = 64
"""No quantity in use is longer; keeps arithmetic bounded."""

SMALL, LARGE, BINARY = "mun", "kMGTPE", "KMGTPE"
"""Letters of the suffixes, in steps of 1000 down and up, and of 1024 up, where an ``i`` follows."""
DECIMAL_DIGITS = r"[0-9]+\.?[0-9]*|\.[0-9]+"
DECIMAL_EXPONENT = r"[eE][+-]?[0-9]{1,3}"
UNIT_SUFFIX = f"{DECIMAL_EXPONENT}|[{BINARY}]i|[{SMALL[::-1]}{LARGE}]"
"""Patterns of a number without a sign, of an exponent, and of every suffix."""

_MULTIPLIER = {
    "": Fraction(1),
    **{suffix: Fraction(1, 1000**power) for power, suffix in enumerate(SMALL, 1)},
    **{suffix: Fraction(1000**power) for power, suffix in enumerate(LARGE, 1)},
    **{f"{suffix}i": Fraction(1024**power) for power, suffix in enumerate(BINARY, 1)},
}

_NUMBER = regex(f"(?P<sign>[+-]?)(?P<digits>{DECIMAL_DIGITS})(?P<suffix>{DECIMAL_EXPONENT}|[A-Za-z]*)")
_EXPONENT = regex(DECIMAL_EXPONENT)


class QuantityError(UserError, ValueError):
    """The text is not a Kubernetes quantity."""


class Quantity(NamedTuple):
    """An exact amount and how it was written: ``number`` without its ``suffix``."""

    amount: Fraction
    number: Fraction
    suffix: str

    @property
    def whole(self) -> int | None:
        """The amount as an integer, None where it is a fraction."""
        return int(self.amount) if self.amount.denominator == 1 else None


@lru_cache(maxsize=4096)
def parse(text: str) -> Quantity:
    """Read a quantity. Raises QuantityError."""
    match = _NUMBER.fullmatch(text) if len(text) <= MAX_QUANTITY_LENGTH else None
    if match is None:
        raise QuantityError(f"{text[:MAX_QUANTITY_LENGTH]!r} is not a Kubernetes quantity")
    number = Fraction(match["digits"].rstrip("."))
    if match["sign"] == "-":
        number = -number
    suffix = match["suffix"]
    if suffix in _MULTIPLIER:
        multiplier = _MULTIPLIER[suffix]
    elif _EXPONENT.fullmatch(suffix):
        multiplier = Fraction(10) ** int(suffix[1:])
    else:
        raise QuantityError(f"{suffix!r} is not a suffix of a Kubernetes quantity")
    amount = number * multiplier
    if abs(amount) > LIMIT:
        raise QuantityError(f"{text!r} is larger than Kubernetes allows")
    return Quantity(amount, number, suffix)


@lru_cache(maxsize=4096)
def parse_integer(text: str) -> int | None:
    """The text as a whole number, None where it is a fraction or not a quantity."""
    if len(text) < _DIGITS and is_plain(text):
        return int(text)
    try:
        return parse(text).whole
    except QuantityError:
        return None


def is_amount(text: str) -> bool:
    """The text is a quantity, with a suffix or without."""
    try:
        parse(text)
    except QuantityError:
        return False
    return True


_PLAIN = regex(r"0|[1-9][0-9]*")


def is_plain(text: str) -> bool:
    """Digits only, no leading zero: a form that every YAML parser reads as the same number."""
    return _PLAIN.fullmatch(text) is not None


def parse_plain(text: str) -> int | None:
    """The number of a text that is written plainly; None for any other text and above LIMIT."""
    return parse_integer(text) if is_plain(text) else None


def round_up(value: int, step: int) -> int:
    """The least multiple of ``step`` that is not below ``value``."""
    return -(-value // step) * step
