"""Documents that differ in names alone: what was found in one is so in the others.

Charts and overlays write the same workload many times: for each team, tenant and environment. A document
of the same *shape* as one before need not be read again. The shape is its text without what nothing
here looks at: the values of some keys at the end of a line, and comments. Such a value is one plain word,
which YAML reads as one scalar wherever it stands; another word in its place changes no structure.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Generic, TypeVar

Found = TypeVar("Found")

_WORD = rb"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?"
_NAME = rb"(?:name|namespace|app|app\.kubernetes\.io/(?:name|instance|version)|helm\.sh/chart|version|team)"
_IMAGE = rb"[a-z0-9](?:[a-z0-9./:@_-]*[a-z0-9])?"
_FREE = re.compile(
    rb"^ *(?:- )?(?:"
    + _NAME
    + rb": +(?![a-z0-9.-]*gpu)("
    + _WORD
    + rb")|image: +("
    + _IMAGE
    + rb")|replicas: +([0-9]{1,6}))"
    rb"(?: +#([ A-Za-z0-9.,;()_-]*))?$",
    re.MULTILINE,
)
"""Values that no rule and no target looks at, with the comment behind them. A name that asks for a
GPU (``name: nvidia.com/gpu``) has a slash, one that steers it capitals or ``gpu``: neither is meant."""
_OURS = (b"gpuxlate", b"GPUShare", b"gpuResourceType")
"""Documents and comments of ours, and forms: their names are judged too."""
MOST = 4096
"""So many shapes are remembered."""
LARGEST = 16 * 1024
"""Bytes: larger documents are seldom alike, and would fill the memory."""

Spot = tuple[int, int]
"""How many names stand before a character, and how far it is from the end of the last of them."""


class Shape:
    """What is left of a document without names: ``rest``. Documents with the same are alike."""

    __slots__ = ("_names", "rest")

    def __init__(self, data: bytes) -> None:
        names = [
            match.span(group)
            for match in _FREE.finditer(data)
            for group in range(1, _FREE.groups + 1)
            if match[group] is not None
        ]
        edges = [0, *(edge for span in names for edge in span), len(data)]
        parts = [data[edges[n] : edges[n + 1]] for n in range(0, len(edges), 2)]
        self.rest = b"\0".join(parts)
        self._names = names

    def spot(self, at: int) -> Spot | None:
        """Where a character stands among the names; None where it stands in one."""
        before = bisect_right(self._names, at, key=lambda name: name[1])  # those that end before it
        if before < len(self._names) and self._names[before][0] < at:
            return None
        return before, at - self._end(before)

    def at(self, spot: Spot) -> int:
        """The character at a spot."""
        return self._end(spot[0]) + spot[1]

    def _end(self, names: int) -> int:
        return self._names[names - 1][1] if names else 0


def shape_of(data: bytes) -> Shape | None:
    """The shape of a document, None where its names may count, or its characters are not its bytes."""
    if len(data) > LARGEST or not data.isascii() or any(mark in data for mark in _OURS):
        return None
    return Shape(data)


class Alike(Generic[Found]):
    """What was found for each shape so far."""

    def __init__(self) -> None:
        self._found: dict[bytes, Found] = {}

    def get(self, shape: Shape) -> Found | None:
        return self._found.get(shape.rest)

    def add(self, shape: Shape, found: Found) -> None:
        if len(self._found) < MOST:
            self._found[shape.rest] = found
