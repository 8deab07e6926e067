"""Values as messages show them, and the whole number to write in place of one that is not whole."""

from __future__ import annotations

import json
import math
from fractions import Fraction

from gpuxlate.model import quantity
from gpuxlate.model.declarations import regex
from gpuxlate.model.limits import FULL_CARD_CORES
from gpuxlate.model.messages import msg

MAX_SHOWN_VALUE = 60
"""Characters of a value that a message shows."""
BYTES_PER_MIB = 2**20
PERCENT_FIELDS = ("cores", "memoryPercent")
"""Fields that count percent of one card."""
_PLAIN_TEXT = regex(r"[A-Za-z_./$][\w./${}-]*(?: [\w./-]+)*")
_NOT_TEXT = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def show_value(value: object) -> str:
    """A value for people, never long."""
    if value is None:
        return "empty (null)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) > quantity.LIMIT:
        return msg("a number of more than {count} digits", count=len(str(quantity.LIMIT)) - 1)
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple | set):
        return "a list"
    if isinstance(value, int | float):
        return str(value)
    text = str(value)
    short = text if len(text) <= MAX_SHOWN_VALUE else text[:MAX_SHOWN_VALUE] + "..."
    return json.dumps(short, ensure_ascii=not short.isprintable())


def yaml_of(value: object, *, quoted: bool = False) -> str:
    """A small value as YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {yaml_of(entry)}" for key, entry in value.items()) + "}"
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
        amount = quantity.parse(text.removesuffix("%").strip().replace("iB", "i"))
    except quantity.QuantityError:
        return None
    if amount.amount <= 0:
        return None
    if text.endswith("%"):
        if name not in PERCENT_FIELDS:
            return None
        example = f"{name}: {min(math.ceil(amount.amount), FULL_CARD_CORES)}"
        return msg("write {example}: {name} counts percent of one card", example=example, name=name)
    if not amount.suffix:
        if amount.whole is None:
            return _amount_hint(name, amount.amount)
        return msg("write {example}, without quotes", example=f"{name}: {amount.whole}")
    if name.endswith("MiB") and amount.suffix in ("Ki", "Mi", "Gi", "Ti"):
        example = f"{name}: {math.ceil(amount.amount / BYTES_PER_MIB)}"
        return msg("write {example}: {name} counts MiB and takes no unit", example=example, name=name)
    return None


def _amount_hint(name: str, amount: Fraction) -> str:
    percent = amount * FULL_CARD_CORES
    if name in PERCENT_FIELDS and amount < 1 and percent.denominator == 1:
        return msg(
            "write {example} for {part} of a card: {name} counts percent of one card",
            example=f"{name}: {percent}",
            part=str(float(amount)),
            name=name,
        )
    return msg("write {example}", example=f"{name}: {math.ceil(amount)}")
