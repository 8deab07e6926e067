"""A progress bar on a terminal, for runs over many files."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

MANY = 50
"""Fewer items are done before a bar could be read."""


def progress(items: Sequence[T]) -> Iterator[T]:
    """The items, with a bar on stderr where that is a terminal and there are many."""
    if len(items) < MANY or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, "reading", console=Console(stderr=True), transient=True)
