"""Several questions about one case: all are asked, and all answers that are wrong are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def all_hold(case: T, checks: Iterable[Callable[[T], None]]) -> None:
    """Every check of the case passes; those that do not are raised together.

    Raises:
        ExceptionGroup: what the failing checks raised, each with the name of its check.
    """
    wrong: list[Exception] = []
    for check in checks:
        try:
            check(case)
        except Exception as error:  # every kind: the other checks are asked as well
            error.add_note(f"asked by {check.__module__}.{check.__qualname__}")
            wrong.append(error)
    if wrong:
        raise ExceptionGroup(f"{len(wrong)} checks fail", wrong)
