"""Whole numbers as JSON Schema says them: as integers, and as the strings that vendors write."""

from __future__ import annotations

from typing import Any

from gpuxlate.model import quantity
from gpuxlate.model.keys import Range

MAX_LISTED_NUMBERS = 64
"""The most numbers that are listed one by one as strings."""
LOWEST = -quantity.LIMIT
"""The least of a range without a beginning."""


def as_integer(number_range: Range) -> dict[str, Any]:
    """A range of bare numbers."""
    schema: dict[str, Any] = {"type": "integer", "minimum": number_range.least}
    if number_range.most is not None:
        schema["maximum"] = number_range.most
    if number_range.step != 1:
        schema["multipleOf"] = number_range.step
    return schema


def as_string(number_range: Range) -> dict[str, Any]:
    """The schema of the numbers of a range that are written as strings.

    Raises ValueError where no pattern of a usual length says it.
    """
    listed = _listed(number_range)
    return {"type": "string", **({"enum": listed} if listed else {"pattern": as_pattern(number_range)})}


def _listed(number_range: Range) -> list[str]:
    """The numbers of a range, where they are few."""
    if number_range.most is None or number_range.least < 0:
        return []
    first = -(-number_range.least // number_range.step) * number_range.step
    numbers = range(first, number_range.most + 1, number_range.step)
    return [str(number) for number in numbers] if len(numbers) <= MAX_LISTED_NUMBERS else []


def as_pattern(number_range: Range) -> str:
    """The pattern of the texts whose number is in a range. Raises ValueError as ``as_string``."""
    if number_range.most is None:
        return f"^({_multiples(number_range)})$"
    listed = _listed(number_range)
    if listed:
        return f"^({'|'.join(listed)})$"
    first = -(-number_range.least // number_range.step) * number_range.step
    zeros = _zeros(number_range)
    pattern = _between(first // number_range.step, number_range.most // number_range.step)
    if zeros:
        pattern = (
            f"({pattern}){'0' * zeros}"
            if first
            else f"0|({_between(1, number_range.most // number_range.step)}){'0' * zeros}"
        )
    return f"^({pattern})$"


def _zeros(number_range: Range) -> int:
    """The zeros of the step. Raises ValueError where it is no power of ten, or the range begins below 0."""
    zeros = len(str(number_range.step)) - 1
    if number_range.step != 10**zeros or (number_range.least < 0 and (zeros or number_range.least > LOWEST)):
        raise ValueError(f"{number_range} cannot be expressed as a pattern")
    return zeros


def _multiples(number_range: Range) -> str:
    """Without an end: all from the least on, or all multiples of a step that the last digits show."""
    if number_range.step == 1:
        return _from(number_range.least)
    if number_range.least > number_range.step or LOWEST < number_range.least < 0:
        raise ValueError(f"{number_range} cannot be expressed as a pattern")
    if number_range.step in (2, 5):
        endings = "".join(str(number) for number in range(0, 10, number_range.step))
        pattern = f"[{endings[1:]}]|[1-9][0-9]*[{endings}]"
    else:
        pattern = "[1-9][0-9]*" + "0" * _zeros(Range(0, None, number_range.step))
    if number_range.least > 0:
        return pattern
    return f"0|-?({pattern})" if number_range.least <= LOWEST else f"0|{pattern}"


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


def _between(least: int, maximum: int) -> str:
    """The pattern of the numbers from ``least`` to ``maximum``, in runs with equal first digits. Where
    ``least`` is below 0, of all numbers below 0 too."""
    runs = ["-[1-9][0-9]*"] if least < 0 else []
    number = max(least, 0)
    while number <= maximum:
        zeros = 0
        while number % 10 ** (zeros + 1) == 0 and number + 10 ** (zeros + 1) - 1 <= maximum and number:
            zeros += 1
        runs.append(f"{str(number)[: len(str(number)) - zeros]}{_any(zeros)}")
        number += 10**zeros
    return "|".join(runs)


def _digit(least: int, maximum: int) -> str:
    return str(least) if least == maximum else f"[{least}-{maximum}]"


def _any(count: int) -> str:
    return "" if count == 0 else "[0-9]" if count == 1 else f"[0-9]{{{count}}}"
