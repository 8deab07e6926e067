"""One amount of a quota in a run: what it says, and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from fractions import Fraction
from typing import Any, Literal, TypeVar

from gpuxlate.model.declarations import Count, Positive, Printed, PrintedAs, record
from gpuxlate.model.diagnostics import ObjectRef, Path, Span
from gpuxlate.model.keys import Per
from gpuxlate.model.messages import Message
from gpuxlate.model.share import JSON_NAMES
from gpuxlate.translation.quotas.counting import Counted

T = TypeVar("T")


class QuotaVerdict(StrEnum):
    """The result for an amount of a quota."""

    EXACT = "exact"
    ROUNDED = "rounded"
    LEFT = "left"


@record
class PrintedQuota(Printed):
    """An amount of a resource in a quota, a range of limits or a queue."""

    file: str
    """The file as it was given; <stdin> for standard input."""
    document: Count
    """Document in the file, from 0."""
    line: Positive | None
    """Line of the amount, from 1."""
    column: Positive | None
    """Its column, from 1, in characters."""
    object: ObjectRef
    """The object that the document holds."""
    place: str
    """Where it is in the object, such as spec.hard or spec.limits[0].max."""
    key: str
    """The resource as it is written, with its prefix."""
    value: str
    """The amount as it is written."""
    from_: str
    """The target that it was read from."""
    field: Literal["cards", "cores", "memoryMiB", "memoryPercent"] | None
    """What it counts, as in a share; null: no share says it."""
    amount: int | float | None
    """Cards, percent or MiB; null where it is not known."""
    per_card: bool | None
    """It counts each card, and is no total over the cards."""
    per_container: bool
    """It is an amount of one container, not of all together."""


@record
class PrintedQuotaResult(PrintedQuota):
    """An amount of a resource in a quota, a range of limits or a queue, and what became of it."""

    to: str
    """The target."""
    verdict: QuotaVerdict
    """Whether the target has a number for it: the same, a larger one, or none."""
    given: int | float | None
    """Cards, percent or MiB at the target; null: it is left."""
    new_key: str | None
    """The resource of the target."""
    new_value: str | None
    """Its number."""


@record
class QuotaItem(PrintedAs):
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
    outcome: QuotaVerdict
    counted: Counted | None = None
    asked: Fraction | None = None
    each: bool = False
    given: Fraction | None = None
    new_key: str | None = None
    new_value: str | None = None

    @property
    def amount(self) -> Message | None:
        """The amount in the terms of a share."""
        is_known = self.counted is not None and self.asked is not None
        return self.counted.text(self.asked, each=self.each) if is_known else None  # type: ignore[union-attr,arg-type]

    def read(self) -> PrintedQuota:
        """What it says, without what becomes of it."""
        return self._printed(PrintedQuota)

    def printed(self) -> PrintedQuotaResult:
        return self._printed(
            PrintedQuotaResult,
            to=self.target,
            verdict=self.outcome,
            given=_json_number(self.given),
            new_key=self.new_key,
            new_value=self.new_value,
        )

    def _printed(self, kind: Callable[..., T], **result: Any) -> T:
        counted = self.counted
        return kind(
            file=self.file,
            document=self.document,
            line=self.span.line if self.span else None,
            column=self.span.column if self.span else None,
            object=self.object,
            place=self.place,
            key=self.key,
            value=self.value,
            from_=self.source,
            field=JSON_NAMES[counted.field] if counted else None,
            amount=_json_number(self.asked),
            per_card=counted.per is Per.CARD if counted else None,
            per_container=self.each,
            **result,
        )


def _json_number(amount: Fraction | None) -> int | float | None:
    if amount is None:
        return None
    return int(amount) if amount.denominator == 1 else float(amount)
