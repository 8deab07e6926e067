"""The report of a translation: its shares, quotas and leftovers, and the number of shares by verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from gpuxlate.model.declarations import Count, Output, Printed, Sometimes, record
from gpuxlate.translation.items import Item
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.quotas.items import QuotaItem


@record
class VerdictCounts(Printed):
    """How many shares ended in each way."""

    exact: Count
    """Shares that are exact."""
    rounded: Count
    """Shares that are rounded."""
    filled: Count
    """Shares that are filled."""
    dropped: Count
    """Shares that are dropped."""
    refused: Count
    """Shares that are refused."""


@record
class TranslationReport(Output):
    """What --report of translate and render writes, and assess -o json prints."""

    KIND: ClassVar[str] = "report"
    items: Sequence[Item]
    """Every share, once for each target."""
    quotas: Sometimes[Sequence[QuotaItem]]
    """Every amount of a quota that is read."""
    leftovers: Sometimes[Sequence[Leftover]]
    """Every place that is not translated."""
    summary: VerdictCounts
    """How many shares ended in each way."""
