"""The JSON report of a translation (``gpuxlate-report/v1``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gpuxlate.cli import outputs
from gpuxlate.report.json import dump
from gpuxlate.translation.leftovers import Leftover
from gpuxlate.translation.pods.fit import Verdict
from gpuxlate.translation.pods.item import Item
from gpuxlate.translation.quotas.item import QuotaItem


def report_json(
    items: Sequence[Item], leftovers: Sequence[Leftover] = (), quotas: Sequence[QuotaItem] = ()
) -> dict[str, Any]:
    """The report: its items, quotas and leftovers in the order of the run."""
    counts = Counter(str(item.verdict) for item in items)
    return {
        "format": "gpuxlate-report/v1",
        "items": [item.to_json() for item in items],
        "quotas": [one.to_json() for one in quotas],
        "leftovers": [one.to_json() for one in leftovers],
        "summary": {str(verdict): counts[str(verdict)] for verdict in Verdict},
    }


def write_report(
    path: Path,
    items: Sequence[Item],
    leftovers: Sequence[Leftover] = (),
    quotas: Sequence[QuotaItem] = (),
) -> None:
    """Write the report to a file."""
    outputs.write_files({path: dump(report_json(items, leftovers, quotas)).encode()})
