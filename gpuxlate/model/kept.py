"""The caches of a run: what it has read and looked up is kept for the run alone, never by a module.

The process of a command is one run. Each call of the Python API is a run of its own, in any thread: it reads
files as they are now, shares nothing with another call, and leaves no text in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Kept = TypeVar("Kept")
_OF_PROCESS: dict[Hashable, Any] = {}
_RUN: ContextVar[dict[Hashable, Any]] = ContextVar("run", default=_OF_PROCESS)


def kept(owner: Hashable, make: Callable[[], Kept]) -> Kept:
    """The value that the run keeps for an owner; ``make`` makes it at the first call."""
    run = _RUN.get()
    try:
        return run[owner]  # type: ignore[no-any-return]
    except KeyError:
        return run.setdefault(owner, make())  # type: ignore[no-any-return]


@contextmanager
def own_run() -> Iterator[None]:
    """A context that is a run of its own."""
    token = _RUN.set({})
    try:
        yield
    finally:
        _RUN.reset(token)


def forget() -> None:
    """Clear the caches of this run: for a process during which files change."""
    _RUN.get().clear()
