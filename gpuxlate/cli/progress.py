"""A progress bar on a terminal, for runs over many files."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

MANY = 50
"""With fewer items there is no bar."""
REFRESH = 0.1
"""Seconds between updates of the bar."""


def progress(items: Iterable[T], total: int) -> Iterator[T]:
    """The items, with a bar on stderr where that is a terminal and there are many."""
    if total < MANY or not sys.stderr.isatty():
        yield from items
        return
    from time import monotonic

    from rich.console import Console
    from rich.progress import Progress

    # no thread of rich's own: a process with threads cannot be forked safely
    with Progress(console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("reading", total=total)
        shown = 0.0
        for item in items:
            yield item
            bar.advance(task)
            if (now := monotonic()) - shown > REFRESH:
                bar.refresh()
                shown = now
