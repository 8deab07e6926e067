"""Work in several processes, which are forked from this one, with results in order."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from threading import Thread
from typing import Any, TypeVar

from gpuxlate.cli.options import invocation
from gpuxlate.cli.process import end_if_signalled
from gpuxlate.model.errors import Exit, UserError

Job = TypeVar("Job")
Result = TypeVar("Result")

BATCH = 64
"""Maximum number of inputs that a process gets at once."""
AHEAD = 4
"""Batches that wait, per process: memory stays bounded."""


ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end a run."""


def parallel_map(
    work: Callable[[Job], Result], jobs: Sequence[Job], count: int
) -> Iterator[tuple[Job, Result]]:
    """Each job with its result, in order; results go between processes, so they are plain data.

    Raises UserError where a process was killed.
    """
    size = max(1, min(BATCH, len(jobs) // (count * AHEAD)))
    waiting: deque[tuple[Sequence[Job], Future[list[Any]]]] = deque()
    with _processes(work, count) as pool:
        for start in range(0, len(jobs), size):
            batch = jobs[start : start + size]
            waiting.append((batch, pool.submit(_batch, batch)))
            if len(waiting) > count * AHEAD:
                done, future = waiting.popleft()
                yield from zip(done, future.result(), strict=True)
        for done, future in waiting:
            yield from zip(done, future.result(), strict=True)


_work: Callable[[Any], Any]


def _begin(work: Callable[[Any], Any]) -> None:
    """Initialise a new process, which inherits the work."""
    global _work
    _work = work
    invocation().in_one_process = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the run
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when the parent is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _batch(jobs: Sequence[Any]) -> list[Any]:
    return [_work(one) for one in jobs]


@contextmanager
def _processes(work: Callable[[Any], Any], count: int) -> Iterator[ProcessPoolExecutor]:
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("fork"), _begin, (work,))
    try:
        # a signal waits until all processes are known: what its handler raises in a fork would be lost
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        try:
            pool.submit(_batch, ())
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        yield pool
    except BrokenProcessPool:
        end_if_signalled()
        raise UserError(
            "a process of this run was killed, probably for lack of memory",
            "GPUXLATE_CORES=1 does the work in one process",
            Exit.INPUT,
        ) from None
    except BaseException:  # the rest is not needed
        for process in multiprocessing.active_children():
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
