"""Values in messages, and what to write instead."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction

from gpuxlate.model import quantity
from gpuxlate.model.share_problems import FULL_CARD_CORES

LONGEST = 60
"""Characters of a value that a message shows."""

MIB = 2**20
PERCENT = ("cores", "memoryPercent")
"""Fields that count percent of one card."""

_PLAIN_TEXT = re.compile(r"[A-Za-z_./$][\w./${}-]*(?: [\w./-]+)*")
_NOT_TEXT = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def shown(value: object) -> str:
    """A value for people, never long."""
    if value is None:
        return "empty (null)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) > quantity.LIMIT:
        return f"a number of more than {len(str(quantity.LIMIT)) - 1} digits"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple | set):
        return "a list"
    if isinstance(value, int | float):
        return str(value)
    text = str(value)
    short = text if len(text) <= LONGEST else text[:LONGEST] + "..."
    return json.dumps(short, ensure_ascii=not short.isprintable())


def yaml_of(value: object, *, quoted: bool = False) -> str:
    """A small value as YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {yaml_of(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(yaml_of, value)) + "]"
    if isinstance(value, str):
        plain = _PLAIN_TEXT.fullmatch(value) and value.lower() not in _NOT_TEXT and not quoted
        return value if plain else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)


def number_hint(name: str, value: object) -> str | None:
    """What to write for a number that is not whole: the next whole number.

    None where it is not clear what was meant.
    """
    if isinstance(value, str):
        return _text_hint(name, value.strip())
    if isinstance(value, float) and math.isfinite(value) and value > 0:
        return _amount_hint(name, Fraction(str(value)))
    return None


def _text_hint(name: str, text: str) -> str | None:
    try:
        amount = quantity.parse(text.removesuffix("%").strip())
    except quantity.QuantityError:
        return None
    if amount.amount <= 0:
        return None
    if text.endswith("%"):
        return f"write {name}: {math.ceil(amount.amount)}, {name} counts percent" if name in PERCENT else None
    if not amount.suffix:
        plain = amount.whole is not None
        quotes = ", without quotes" if plain else ""
        return (f"write {name}: {amount.whole}" if plain else _amount_hint(name, amount.amount)) + quotes
    if name.endswith("MiB") and amount.suffix in ("Ki", "Mi", "Gi", "Ti"):
        return f"write {name}: {math.ceil(amount.amount / MIB)}, {name} counts MiB and takes no unit"
    return None


def _amount_hint(name: str, amount: Fraction) -> str:
    percent = amount * FULL_CARD_CORES
    if name in PERCENT and amount < 1 and percent.denominator == 1:
        return f"write {name}: {percent} for {float(amount)} of a card, {name} counts percent of one card"
    return f"write {name}: {math.ceil(amount)}"
