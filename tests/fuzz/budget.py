"""How much the fuzzing tests try: the same in every run, or more and at random where somebody asks.

``GPUXLATE_FUZZ=20 python -m pytest tests/fuzz`` tries twenty times as many examples, other ones each time.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

TIMES = int(os.environ.get("GPUXLATE_FUZZ", "0"))

settings.register_profile(
    "fuzz",
    derandomize=not TIMES,
    deadline=None,
    database=None if not TIMES else settings().database,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def budget(examples: int) -> settings:
    """So many examples of one property in an ordinary run."""
    return settings(settings.get_profile("fuzz"), max_examples=examples * (TIMES or 1))
