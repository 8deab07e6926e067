"""Several questions in one test: all are asked, and all answers that are wrong are shown."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TypeVar

T = TypeVar("T")


def each_holds(asked: Mapping[str, Callable[[], object]]) -> None:
    """Every one of them passes; what others raise is raised together, with their names.

    Raises:
        ExceptionGroup: what those raised that do not pass.
    """
    wrong: list[Exception] = []
    for name, check in asked.items():
        try:
            check()
        except Exception as error:  # every kind: the others are asked as well
            error.add_note(f"asked by {name}")
            wrong.append(error)
    if wrong:
        raise ExceptionGroup(f"{len(wrong)} of {len(asked)} do not hold", wrong)


def all_hold(case: T, checks: Iterable[Callable[[T], object]]) -> None:
    """Every check of the case passes."""
    each_holds({f"{check.__module__}.{check.__qualname__}": partial(check, case) for check in checks})
