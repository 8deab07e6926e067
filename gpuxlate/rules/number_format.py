"""The form of a resource value: plain, odd, a fraction, with a suffix, or not a number."""

from __future__ import annotations

import math
import re
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from gpuxlate.model import quantity
from gpuxlate.model.declarations import regex
from gpuxlate.model.keys import KeySpec
from gpuxlate.model.pod import ScalarKind, Value
from gpuxlate.model.profile import Profile
from gpuxlate.model.quantity import GIB

LEAST_PLAUSIBLE_MIB = 64
"""Below this a number of MiB is more likely one of GiB (the lowest floor of a vendor is 256 MiB)."""
MOST_PLAUSIBLE_MIB = 2**21
"""2 TiB, which is 8 cards of 256 GiB: no request for MiB is above this."""
MOST_PLAUSIBLE_GIB = 1024
"""1 TiB: above this a number in a key of GiB units is more likely one of MiB."""


class NumberForm(StrEnum):
    """The form of a number. Each form but the first has a rule that reports it."""

    PLAIN = "plain"
    ODD = "odd"  # GX008
    FRACTION = "fraction"  # K8S001
    TOO_LARGE = "too large"  # K8S001
    NO_NUMBER = "no number"  # K8S001
    SUFFIX = "suffix"  # K8S002, a trailing ".0" included


class WrittenNumber(NamedTuple):
    """A value by its form.

    ``amount``: the number that the API server reads, None if it refuses the value. ``number`` and
    ``suffix``: the two parts of the text.
    """

    form: NumberForm
    amount: Fraction | None = None
    number: Fraction = Fraction(0)
    suffix: str = ""


_PLAIN = regex(r"-?(0|[1-9][0-9]*)")
_ODD = regex(r"[+-]?(?P<body>0[0-9_]+|[0-9][0-9_]*|0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+)")
_EXPONENT = regex(r"[+-]?[0-9]*\.?[0-9]*[eE][+-]?[0-9]+")
_WORDED = regex(
    r"\s*(?P<number>[+-]?(?:[0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30}))\s*(?P<suffix>[A-Za-z]{0,8}|%)\s*"
)


_PLACEHOLDER = regex(r"\{\{|\$[({A-Za-z_]|^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|<[\w .-]+>)$")


def is_placeholder(value: Value) -> bool:
    """Another tool writes the number: ``{{parameters.gpus}}``, ``$(params.gpus)``, ``${GPUS}``, ``$GPUS``,
    ``NUM_GPUS``, ``<gpus>``."""
    return _PLACEHOLDER.search(value.text) is not None


def number_as_written(value: Value) -> WrittenNumber:
    """The form of a value, and its number."""
    if (
        value.kind in (ScalarKind.NODE, ScalarKind.NULL, ScalarKind.BOOL)
        or len(value.text) > quantity.MAX_QUANTITY_LENGTH
    ):
        return WrittenNumber(NumberForm.NO_NUMBER)
    return _written(value.text, value.kind)


@lru_cache(maxsize=4096)
def _written(text: str, kind: ScalarKind) -> WrittenNumber:
    if _PLAIN.fullmatch(text):
        number = Fraction(int(text))
        return WrittenNumber(
            NumberForm.PLAIN if abs(number) <= quantity.LIMIT else NumberForm.TOO_LARGE, number, number
        )
    if readings(Value(text, kind)):
        return WrittenNumber(NumberForm.ODD)
    try:
        parsed = quantity.parse(text)
    except quantity.QuantityError:
        worded = _WORDED.fullmatch(text)
        if worded is None:
            return WrittenNumber(NumberForm.NO_NUMBER)
        return WrittenNumber(
            NumberForm.SUFFIX, None, Fraction(worded["number"].rstrip(".")), worded["suffix"]
        )
    form = NumberForm.FRACTION if parsed.whole is None else NumberForm.SUFFIX
    return WrittenNumber(form, parsed.amount, parsed.number, parsed.suffix)


def is_canonical(number: WrittenNumber) -> bool:
    """The API server may have written the number: it prints 6000 as ``6k``."""
    return number.suffix in ("k", "M") and number.amount is not None and number.amount <= MOST_PLAUSIBLE_MIB


def readings(value: Value) -> tuple[int | None, ...]:
    """The values that parsers of YAML 1.1 and 1.2 read from an odd number, None for "no number".

    One value if they agree, none if the number is not odd. All of them read a quoted text as a Kubernetes
    quantity.
    """
    text = value.text
    if len(text) > quantity.MAX_QUANTITY_LENGTH:
        return ()
    if _EXPONENT.fullmatch(text):
        amount = quantity.parse_integer(text)
        return () if amount is None else (amount,)
    match = _ODD.fullmatch(text)
    if match is None or _PLAIN.fullmatch(text):
        return ()
    if value.kind is not ScalarKind.INT:
        amount = quantity.parse_integer(text)
        return () if amount is None else (amount,)
    body, sign = match["body"].replace("_", ""), -1 if text.startswith("-") else 1
    numbers: list[int | None] = [sign * number for number in _integers(body)]
    if "_" in text or text[:2] in ("0o", "0b"):
        numbers.append(None)  # a string in one of the two versions
    return tuple(dict.fromkeys(numbers))


def _integers(body: str) -> list[int]:
    for prefix, base in (("0x", 16), ("0o", 8), ("0b", 2)):
        if body.startswith(prefix):
            return [int(body[2:] or "0", base)]
    octal = len(body) > 1 and body.startswith("0") and not set(body) & set("89")
    return [int(body), int(body, 8)] if octal else [int(body)]


def unit_of(row: KeySpec | None, profile: Profile | None) -> str:
    """The first word of the data sheet's unit: MiB, GiB, bytes, percent, cards.

    Empty if no row has a unit, if the unit depends on the number, and if the profile sets another unit.
    """
    unit = (row.unit_text.replace(",", "").split() or [""])[0] if row and not row.gib_up_to else ""
    return "" if profile and profile.changes_unit(unit) else unit


def unit_mib(row: KeySpec | None) -> int:
    """The MiB of one unit of a key for memory in other units than MiB, GiB and bytes; 0 for any other key."""
    plain = row is None or row.quantity or row.gib_up_to or row.sets != "memory_mib"
    return 0 if row is None or plain or row.unit in (0, 1, GIB) or row.unit < 1 else int(row.unit)


def beyond_plausible(row: KeySpec | None) -> int | None:
    """The least number in units of ``unit_mib`` that is probably meant as MiB.

    None if the key has no such unit, or accepts no number that large.
    """
    unit = unit_mib(row)
    if row is None or not unit:
        return None
    first = MOST_PLAUSIBLE_GIB * GIB // unit + 1
    bounds = [range_.bound for range_ in row.ranges]
    return None if bounds and all(bound is not None and bound < first for bound in bounds) else first


_UNIT_BYTES = {"MiB": 2**20, "GiB": 2**30}
_BYTES = regex(r"(?P<letter>[kmgt])(?P<binary>i?)b?", re.IGNORECASE)


def intended_number(written_number: WrittenNumber, unit: str) -> tuple[int, bool] | None:
    """The plain number, in ``unit``, that a number with a suffix means, and whether that is certain.

    None if it is unknown.
    """
    if written_number.number <= 0:
        return None
    match = _BYTES.fullmatch(written_number.suffix)
    certain = True
    if not written_number.suffix or (written_number.suffix == "%" and unit == "percent"):
        meant = written_number.number
    elif match is None or unit not in _UNIT_BYTES:
        return None
    elif unit == "MiB" and written_number.suffix in ("k", "K"):
        meant, certain = written_number.number * 1000, False  # thousands of MiB: nobody requests kilobytes
    else:
        power = "kmgt".index(match["letter"].lower()) + 1
        meant, certain = written_number.number * 1024**power / _UNIT_BYTES[unit], bool(match["binary"])
    up = math.ceil(meant)
    return (up, certain and up == meant) if up <= MOST_PLAUSIBLE_MIB else None
