"""Whole numbers as JSON Schema says them: as integers, and as the strings that vendors write."""

from __future__ import annotations

from typing import Any

from gpuxlate.model.sheet import Range

LISTED = 64
"""The most numbers that are listed one by one as strings."""


def as_integer(one: Range) -> dict[str, Any]:
    """A range of bare numbers."""
    found: dict[str, Any] = {"type": "integer", "minimum": one.least}
    if one.most is not None:
        found["maximum"] = one.most
    if one.step != 1:
        found["multipleOf"] = one.step
    return found


def as_string(one: Range) -> dict[str, Any]:
    """The same range in quotes."""
    if one.most is not None:
        first = -(-one.least // one.step) * one.step
        numbers = range(first, one.most + 1, one.step)
        if len(numbers) <= LISTED:
            return {"type": "string", "enum": [str(number) for number in numbers]}
        return {"type": "string", "pattern": f"^({_between(one.least, one.most)})$"}
    return {"type": "string", "pattern": f"^({_multiples(one)})$"}


def _multiples(one: Range) -> str:
    """Without an end: all from the least on, or the multiples of a power of ten."""
    if one.step == 1:
        return _from(one.least)
    zeros = len(str(one.step)) - 1
    if one.step != 10**zeros or one.least > one.step:
        raise ValueError(f"{one} cannot be expressed as a pattern")
    return "[1-9][0-9]*" + "0" * zeros


def _from(least: int) -> str:
    """Digits of every number that is not below ``least``, without leading zeros."""
    if least <= 0:
        return "0|[1-9][0-9]*"
    digits = str(least)
    size = len(digits)
    same_length = [
        f"{digits[:place]}{_digit(int(digits[place]) + 1, 9)}{_any(size - place - 1)}"
        for place in reversed(range(size))
        if digits[place] != "9"
    ]
    return "|".join([digits, *same_length, f"[1-9][0-9]{{{size},}}"])


def _between(least: int, most: int) -> str:
    """Digits of the numbers from ``least`` to ``most``: of many, in runs of equal beginnings."""
    runs = []
    number = least
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
