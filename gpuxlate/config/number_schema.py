"""Whole numbers as JSON Schema says them: as integers, and as the strings that vendors write."""

from __future__ import annotations

from typing import Any

from gpuxlate.model import quantity
from gpuxlate.model.keys import Range

LISTED = 64
"""The most numbers that are listed one by one as strings."""
LOWEST = -quantity.LIMIT
"""The least of a range without a beginning."""


def as_integer(one: Range) -> dict[str, Any]:
    """A range of bare numbers."""
    found: dict[str, Any] = {"type": "integer", "minimum": one.least}
    if one.most is not None:
        found["maximum"] = one.most
    if one.step != 1:
        found["multipleOf"] = one.step
    return found


def as_string(one: Range) -> dict[str, Any]:
    """The same range in quotes. Raises ValueError where no pattern of a usual length says it."""
    listed = _listed(one)
    return {"type": "string", **({"enum": listed} if listed else {"pattern": as_pattern(one)})}


def _listed(one: Range) -> list[str]:
    """The numbers of a range, where they are few."""
    if one.most is None or one.least < 0:
        return []
    first = -(-one.least // one.step) * one.step
    numbers = range(first, one.most + 1, one.step)
    return [str(number) for number in numbers] if len(numbers) <= LISTED else []


def as_pattern(one: Range) -> str:
    """The same range as the pattern of a text. Raises ValueError as ``as_string``."""
    if one.most is None:
        return f"^({_multiples(one)})$"
    listed = _listed(one)
    if listed:
        return f"^({'|'.join(listed)})$"
    first = -(-one.least // one.step) * one.step
    zeros = _zeros(one)
    pattern = _between(first // one.step, one.most // one.step)
    if zeros:
        pattern = (
            f"({pattern}){'0' * zeros}" if first else f"0|({_between(1, one.most // one.step)}){'0' * zeros}"
        )
    return f"^({pattern})$"


def _zeros(one: Range) -> int:
    """The zeros of the step. Raises ValueError where it is no power of ten, or the range begins below 0."""
    zeros = len(str(one.step)) - 1
    if one.step != 10**zeros or (one.least < 0 and (zeros or one.least > LOWEST)):
        raise ValueError(f"{one} cannot be expressed as a pattern")
    return zeros


def _multiples(one: Range) -> str:
    """Without an end: all from the least on, or all multiples of a step that the last digits show."""
    if one.step == 1:
        return _from(one.least)
    if one.least > one.step or LOWEST < one.least < 0:
        raise ValueError(f"{one} cannot be expressed as a pattern")
    if one.step in (2, 5):
        endings = "".join(str(number) for number in range(0, 10, one.step))
        found = f"[{endings[1:]}]|[1-9][0-9]*[{endings}]"
    else:
        found = "[1-9][0-9]*" + "0" * _zeros(Range(0, None, one.step))
    if one.least > 0:
        return found
    return f"0|-?({found})" if one.least <= LOWEST else f"0|{found}"


def _from(least: int) -> str:
    """Digits of every number that is not below ``least``, without leading zeros."""
    if LOWEST < least < 0:
        raise ValueError(f"{Range(least)} cannot be expressed as a pattern")
    if least <= 0:
        return "0|-?[1-9][0-9]*" if least <= LOWEST else "0|[1-9][0-9]*"
    digits = str(least)
    size = len(digits)
    same_length = [
        f"{digits[:place]}{_digit(int(digits[place]) + 1, 9)}{_any(size - place - 1)}"
        for place in reversed(range(size))
        if digits[place] != "9"
    ]
    return "|".join([digits, *same_length, f"[1-9][0-9]{{{size},}}"])


def _between(least: int, most: int) -> str:
    """Digits of the numbers from ``least`` to ``most``, in runs of equal beginnings; below 0, of all."""
    runs = ["-[1-9][0-9]*"] if least < 0 else []
    number = max(least, 0)
    while number <= most:
        zeros = 0
        while number % 10 ** (zeros + 1) == 0 and number + 10 ** (zeros + 1) - 1 <= most and number:
            zeros += 1
        runs.append(f"{str(number)[: len(str(number)) - zeros]}{_any(zeros)}")
        number += 10**zeros
    return "|".join(runs)


def _digit(least: int, most: int) -> str:
    return str(least) if least == most else f"[{least}-{most}]"


def _any(count: int) -> str:
    return "" if count == 0 else "[0-9]" if count == 1 else f"[0-9]{{{count}}}"
