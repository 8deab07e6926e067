"""Try several items at once, with few attempts: if they fail together, try each half."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Element = TypeVar("Element")


def refused_alone(items: Sequence[Element], take: Callable[[Sequence[Element]], bool]) -> list[Element]:
    """The items that ``take`` refuses even alone. ``take`` accepts all of its items, or none of them."""
    if not items or take(items):
        return []
    middle = len(items) // 2
    halves = (items[:middle], items[middle:]) if middle else ()
    return [item for half in halves for item in refused_alone(half, take)] if halves else [*items]
