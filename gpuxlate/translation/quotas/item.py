"""One amount of a quota in a run: what it says, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from gpuxlate.model.diagnostics import ObjectRef, Span
from gpuxlate.model.messages import Message
from gpuxlate.model.pod import Path
from gpuxlate.model.share import JSON_NAMES
from gpuxlate.model.sheet import Per
from gpuxlate.translation.quotas.counterpart import Counted


class Outcome(StrEnum):
    """The result for an amount of a quota."""

    EXACT = "exact"
    ROUNDED = "rounded"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class QuotaItem:
    """An amount of a resource. ``key`` and ``value`` as they are written; ``place``: from the object.

    ``counted``, ``asked``: what it says in the terms of a share, None where that is not known. ``each``: it
    is an amount of one container. ``given``: what the target gets, with ``new_key`` and ``new_value``; None
    where it is left.
    """

    file: str
    document: int
    object: ObjectRef
    object_path: Path
    span: Span | None
    place: str
    key: str
    value: str
    source: str
    target: str
    outcome: Outcome
    counted: Counted | None = None
    asked: Fraction | None = None
    each: bool = False
    given: Fraction | None = None
    new_key: str | None = None
    new_value: str | None = None

    @property
    def amount(self) -> Message | None:
        """The amount in the terms of a share."""
        known = self.counted is not None and self.asked is not None
        return self.counted.text(self.asked, each=self.each) if known else None  # type: ignore[union-attr,arg-type]

    def read_json(self) -> dict[str, Any]:
        """What it says: one of the ``quotas`` of ``gpuxlate-inspect/v1``."""
        counted = self.counted
        return {
            "file": self.file,
            "document": self.document,
            "line": self.span.line if self.span else None,
            "column": self.span.column if self.span else None,
            "object": self.object.to_json(),
            "place": self.place,
            "key": self.key,
            "value": self.value,
            "from": self.source,
            "field": JSON_NAMES[counted.says] if counted else None,
            "amount": _number(self.asked),
            "perCard": counted.per is Per.CARD if counted else None,
            "perContainer": self.each,
        }

    def to_json(self) -> dict[str, Any]:
        """What became of it too: one of the ``quotas`` of ``gpuxlate-report/v1``."""
        return {
            **self.read_json(),
            "to": self.target,
            "verdict": str(self.outcome),
            "given": _number(self.given),
            "newKey": self.new_key,
            "newValue": self.new_value,
        }


def _number(amount: Fraction | None) -> int | float | None:
    if amount is None:
        return None
    return int(amount) if amount.denominator == 1 else float(amount)
