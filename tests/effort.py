"""How much the tests try: ``GPUXLATE_EFFORT=quick``, as ``make test`` does, or ``full``, as releases do.

Both run the same cases. Quick draws few examples, the same ones in every run, and a part of each large
product of cases. Full draws them all, from a new seed in every run; what fails is printed, and is to be added
as an ``@example``. A test that only runs in full has the mark ``full``.
"""

import os
import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

from hypothesis import HealthCheck, Phase, settings

T = TypeVar("T")
EFFORT = os.environ.get("GPUXLATE_EFFORT", "quick")
assert EFFORT in ("quick", "full"), f"GPUXLATE_EFFORT is {EFFORT}: quick or full"
FULL = EFFORT == "full"
PART = 32
"""Quick tries one of so many examples and cases."""
LEAST = 2
"""Of which it tries so many at least."""

if FULL and not os.environ.get("GPUXLATE_SEED"):
    os.environ["GPUXLATE_SEED"] = str(random.SystemRandom().randrange(2**32))  # for all processes of the run
SEED = int(os.environ.get("GPUXLATE_SEED") or 0)
"""Of all that is drawn. The first line of a run prints it; a run in full that fails prints it again."""


def number(full: int) -> int:
    """How many of so many things are tried."""
    return full if FULL else max(min(full, LEAST), full // PART)


settings.register_profile(
    "tests",
    max_examples=number(80),
    deadline=None,  # no test waits on a clock: machines are busy
    database=None,
    print_blob=FULL,
    # shrinking takes minutes for each failure: a run of all tests names it, the test alone shrinks it
    phases=[
        one for one in Phase if one is not Phase.shrink or FULL or "PYTEST_XDIST_WORKER" not in os.environ
    ],
    # manifests are large and slow to draw, many are none of a dialect, one method serves many backends
    suppress_health_check=[one for one in HealthCheck if one is not HealthCheck.function_scoped_fixture],
)


def tries(full: int) -> settings:
    """So many examples of a property in full."""
    return settings(settings.get_profile("tests"), max_examples=number(full))


def some(cases: Iterable[T]) -> Sequence[T]:
    """All of a large product of cases, or a part of them: drawn, as steps could miss a column."""
    found = list(cases)
    return [found[at] for at in sorted(random.Random(SEED).sample(range(len(found)), number(len(found))))]


def turn(options: Iterable[T], number: int) -> Sequence[T]:
    """All of the options in full; in quick one of them, with each number the next."""
    found = list(options)
    return found if FULL else [found[number % len(found)]]
