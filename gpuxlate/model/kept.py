"""What a run has read and looked up: kept for the run alone, never by a module.

A process of a command is one run. A call of the Python API is one of its own, in whatever thread: it reads
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
    """What the run keeps for an owner, made where there is nothing yet."""
    run = _RUN.get()
    try:
        return run[owner]  # type: ignore[no-any-return]
    except KeyError:
        return run.setdefault(owner, make())  # type: ignore[no-any-return]


@contextmanager
def own_run() -> Iterator[None]:
    """A run of its own for what is called here."""
    token = _RUN.set({})
    try:
        yield
    finally:
        _RUN.reset(token)


def forget() -> None:
    """Keep nothing of what was read: for a process that lives longer than files stay as they are."""
    _RUN.get().clear()
