"""Pods for the pages of rules."""

from __future__ import annotations

from collections.abc import Mapping

from gpuxlate.backends.alibaba import keys as k
from gpuxlate.backends.row_rules import Example
from gpuxlate.model.pod import Value

A10 = "cards: {model: A10, memoryMiB: 22731}"
OPEN_SOURCE = "alibaba: {openSource: true}"


def part(memory: int | None = None, cores: int | None = None) -> dict[str, Value]:
    """Limits of a container: units of memory, percent of compute."""
    numbers = {k.MEMORY: memory, k.CORE: cores}
    return {name: Value.of(number) for name, number in numbers.items() if number is not None}


def shown(*limits: Mapping[str, Value], count: int = 0, mode: str = "", profile: str = "") -> Example:
    """A pod: the limits of its containers, its cards, the mode of its nodes, a profile."""
    return Example(
        limits,
        labels={k.COUNT: Value.of(str(count))} if count else {},
        selector={k.SCHEDULE: Value.of(mode)} if mode else {},
        profile=f"target: {k.NAMES[0]}\n{profile}" if profile else "",
    )
