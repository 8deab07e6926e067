"""Numbers that are printed exactly, as fractions, with a decimal beside them for people."""

from __future__ import annotations

from fractions import Fraction
from typing import Self

from gpuxlate.model.declarations import Printed, record


@record
class Exact(Printed):
    """A number."""

    exact: str
    """As a fraction, such as 1/3."""
    decimal: float
    """Rounded to six places."""

    @classmethod
    def of(cls, value: Fraction) -> Self:
        """The fraction as it is printed: exactly, and rounded to six places."""
        return cls(str(value), float(decimal_text(value)))

    def __str__(self) -> str:
        return decimal_text(Fraction(self.exact))


def decimal_text(value: Fraction, places: int = 6) -> str:
    """The number for print, rounded to ``places`` after the point, without zeros at its end."""
    digits = f"{abs(round(value * 10**places)):0{places + 1}d}"
    fraction = digits[-places:].rstrip("0")
    return ("-" if value < 0 else "") + digits[:-places] + (f".{fraction}" if fraction else "")
