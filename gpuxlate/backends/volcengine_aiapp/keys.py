"""The data sheet of the form for an AI app on mGPU: fields, units, ranges, each with its source.

Sources: S0 = docs 6461/1581673 "AI apps on shared GPUs" (2025-06-04); Q = copy of docs 6460/182418
"mGPU multi-card sharing" with a screenshot of the form (2024-09). The console has labels and no field
names: the names are this tool's.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from gpuxlate.backends.base import Key, Place, key
from gpuxlate.model.quantity import round_up
from gpuxlate.model.share import Policy

TARGET = "volcengine-aiapp"

RESOURCE_TYPE = "gpuResourceType"
ELASTIC = "elasticContainerInstance"
MULTI_CARD = "multiCardSharing"
COMPUTE = "gpuCompute"
"""In cards: 0.3 is 30 % of one card; total over the cards (S0, Q)."""
MEMORY = "gpuMemoryMiB"
"""Total over the cards (Q: the hint of the form gives the part of each)."""
POLICY = "computePolicy"
CARDS = "gpuCards"

MGPU = "mGPU"
POLICIES: dict[Policy, str] = {
    Policy.FIXED_SHARE: "fixed-share",
    Policy.BURST_SHARE: "guaranteed-burst-share",
    Policy.BEST_EFFORT: "native-burst-share",
}
"""The names of the node label that S0 sets in its first step; the form shows Chinese labels for them."""
POLICY_LABELS: dict[str, Policy] = {
    "固定配额": Policy.FIXED_SHARE,
    "固定争抢": Policy.BURST_SHARE,
    "争抢模式": Policy.BEST_EFFORT,
}
"""What the form shows, in the order of S0."""

SINGLE_CARD_MIN_MIB = 257
"""One card: "greater than 256 MiB" (S0)."""
MULTI_CARD_MIN_MIB = 1024
"""Several cards: least MiB on each (Q, inclusive; S0 says "greater than 1024" of an unnamed whole)."""
MULTI_CARD_MAX_MIB = 81920
"""Several cards: most MiB on each (Q, 2024); component v0.6.1 may have moved it."""
MAX_CARDS = 8
"""Most cards that one instance shares (Q)."""

KEYS: tuple[Key, ...] = (
    key(RESOURCE_TYPE, Place.RESOURCE, meaning="kind of GPU resource", source="S0"),
    key(ELASTIC, Place.RESOURCE, meaning="elastic instance, which has no mGPU", source="S0"),
    key(MULTI_CARD, Place.RESOURCE, meaning="several cards shared", source="S0", idle=("false",)),
    key(COMPUTE, Place.RESOURCE, says="cores", meaning="compute, total", unit=100, source="S0, Q"),
    key(MEMORY, Place.RESOURCE, says="memory_mib", meaning="GPU memory, total", unit=1, source="S0, Q"),
    key(POLICY, Place.RESOURCE, says="policy", meaning="policy", source="S0"),
    key(CARDS, Place.RESOURCE, says="cards", meaning="cards", unit=1, source="S0"),
)
GPU_PREFIXES = (RESOURCE_TYPE, "gpuCompute", "gpuMemory", "gpuCard")

_CARDS = re.compile(r"[0-9]{1,6}(\.[0-9]{1,2})?")


def percent(text: str) -> int | None:
    """``0.3`` cards as 30 percent, None where the form does not accept the number."""
    return int(Fraction(text) * 100) if _CARDS.fullmatch(text) else None


def in_cards(cores: int) -> str:
    """30 percent as ``0.3`` cards, without trailing zeros."""
    whole, part = divmod(cores, 100)
    return f"{whole}.{part:02d}".rstrip("0") if part else str(whole)


def next_on_form(cores: int, cards: int) -> int:
    """The least compute from ``cores`` upwards that the form accepts, in percent.

    It accepts two decimals below one card, and whole cards from there (S0), in total over the cards.
    """
    return cores if cores < 100 else round_up(cores, math.lcm(100, cards))
