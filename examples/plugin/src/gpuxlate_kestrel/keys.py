"""The data sheet of Kestrel Cloud: keys and units. Source: "GPU slices", 2026-01 (made up)."""

from gpuxlate.backends.base import Key, Place, key

SLICES = "gpu.kestrel.example/slices"
"""Slices of one card, 1 to 10."""
MEMORY = "gpu.kestrel.example/memory"
"""GiB; all memory of the card where it is omitted."""

MOST = 10
PERCENT = 10
"""Percent of a card in one slice."""
GIB = 1024
"""MiB of one unit of MEMORY."""

KEYS: tuple[Key, ...] = (
    key(SLICES, Place.RESOURCE, meaning="compute", unit="slices of 10 %", source="GPU slices", says="cores"),
    key(MEMORY, Place.RESOURCE, meaning="GPU memory", unit="GiB", source="GPU slices", says="memory_mib"),
    key("gpu.kestrel.example/assigned", Place.SCHEDULER, meaning="the card", source="GPU slices"),
)
