"""The documents that facts come from whose date is older than so many days, the oldest first.

``python -m docs.tools.ages DAYS [--on YYYY-MM-DD]``: each line is a date, the file or target, and the title.
A date without day or month counts from its first day; of several the last counts; documents without one come
first.
"""

from __future__ import annotations

import argparse
import re
import signal
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from docs.tools.documents import Group, groups

_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?!\d))?(?:-(\d\d))?")


class Aged(NamedTuple):
    """A document with the day from which its facts may be outdated; None where it bears no date."""

    day: date | None
    written: str
    group: str
    title: str


def day_of(text: str) -> date | None:
    """The last day that a text names: ``2025-04-19, 2026-03-26``, ``2026-08``, ``2022-23``, ``undated``."""
    days = (_day(*found.groups()) for found in _DATE.finditer(text))
    return max((one for one in days if one is not None), default=None)


def _day(year: str, month: str | None, day: str | None) -> date | None:
    if month is not None and not 1 <= int(month) <= 12:  # 2022-23 are two years
        return date(int(year), 1, 1)
    return date(int(year), int(month or 1), int(day or 1))


def older_than(days: int, on: date, of: tuple[Group, ...]) -> Iterator[Aged]:
    """Documents whose date is more than ``days`` days before ``on``, and those without one."""
    latest = on - timedelta(days=days)
    found = [
        Aged(day_of(one.date), one.date, group.title, one.title) for group in of for one in group.documents
    ]
    yield from sorted(
        (one for one in found if one.day is None or one.day < latest),
        key=lambda one: (one.day or date.min, one.group, one.title),
    )


def main() -> None:
    """Print them."""
    parser = argparse.ArgumentParser(description="Documents that are older than so many days.")
    parser.add_argument("days", type=int)
    parser.add_argument("--on", type=date.fromisoformat, default=datetime.now(UTC).date())
    asked = parser.parse_args()
    for one in older_than(asked.days, asked.on, groups()):
        print(f"{one.written}\t{one.group}\t{one.title}")


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):  # whoever reads the list may stop, as head does
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main()
