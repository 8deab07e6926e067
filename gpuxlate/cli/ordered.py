"""Work on all cores from a size on, with the results in the order of the jobs."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from gpuxlate.cli import common, end_if_asked

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

About = TypeVar("About")
Job = TypeVar("Job")
Result = TypeVar("Result")

WORTH = 512 * 1024
"""Bytes of text that one process does sooner than another one starts."""
BATCH = 128 * 1024
"""Bytes of text that are handed over at once."""
LIGHT = 16
"""Text that is only passed on counts a sixteenth."""
AHEAD = 3
"""Batches in hand for each core: enough that none waits, few enough that memory stays bounded."""

_work: Callable[[Any], Any] | None = None
"""What the processes do; they get it by being forked, so it may hold anything."""


def ordered(
    work: Callable[[Job], Result], jobs: Iterable[tuple[About, Job | None, int]]
) -> Iterator[tuple[About, Result | None]]:
    """The result of each job, in order, and what was said about it.

    A job comes with what is said about it and its size in bytes of text. None is no work, and takes
    its turn only. Small runs stay in this process. Jobs and results go between processes, so they are
    plain data; what is said about a job stays here.
    """
    rest = iter(jobs)
    done = 0
    for about, job, size in rest:
        if done >= WORTH and cores() > 1:
            rest = chain([(about, job, size)], rest)
            break
        yield about, None if job is None else work(job)
        done += size
    else:
        return
    yield from _on_all_cores(work, rest)


def cores() -> int:
    """The cores that this process may use; one where processes cannot be forked safely.

    ``GPUXLATE_CORES`` says fewer.
    """
    if not sys.platform.startswith("linux"):
        return 1
    usable = len(os.sched_getaffinity(0))
    said = os.environ.get("GPUXLATE_CORES", "")
    return min(usable, int(said)) if said.isdecimal() and int(said) > 0 else usable


_Batch = list[tuple[About, Job | None, int]]


def _on_all_cores(
    work: Callable[[Job], Result], jobs: Iterator[tuple[About, Job | None, int]]
) -> Iterator[tuple[About, Result | None]]:
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    global _work
    _work = work
    count = cores()
    pool = ProcessPoolExecutor(count, get_context("fork"), initializer=_begin, initargs=(os.getpid(),))
    try:
        _start(pool)
        yield from _in_turn(pool, jobs, AHEAD * count)
    except BrokenProcessPool:
        end_if_asked()
        raise common.CliError(
            "a process of this run was killed, probably for want of memory",
            "GPUXLATE_CORES=1 does the work in one process",
            common.Exit.INPUT,
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        _work = None


def _in_turn(
    pool: ProcessPoolExecutor, jobs: Iterator[tuple[About, Job | None, int]], most: int
) -> Iterator[tuple[About, Result | None]]:
    """As many batches in hand as keep all cores at work, and no more."""
    pending: deque[tuple[_Batch[About, Job], Future[list[Result]]]] = deque()
    for batch in _batches(jobs):
        pending.append((batch, pool.submit(_do, [job for _, job, _ in batch if job is not None])))
        if len(pending) >= most:
            yield from _finished(*pending.popleft())
    while pending:
        yield from _finished(*pending.popleft())


def _finished(
    batch: _Batch[About, Job], future: Future[list[Result]]
) -> Iterator[tuple[About, Result | None]]:
    results = iter(future.result())
    end_if_asked()
    for about, job, _ in batch:
        yield about, None if job is None else next(results)


def _batches(jobs: Iterator[tuple[About, Job | None, int]]) -> Iterator[_Batch[About, Job]]:
    batch: _Batch[About, Job] = []
    held = 0
    for one in jobs:
        batch.append(one)
        held += one[2]
        if held >= BATCH:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def _do(jobs: list[Any]) -> list[Any]:
    assert _work is not None
    return [_work(job) for job in jobs]


def _start(pool: ProcessPoolExecutor) -> None:
    """Start all processes. A signal waits until they are: between them nobody would end them."""
    import signal

    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        pool.submit(_do, [])
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_PR_SET_PDEATHSIG = 1
"""Of Linux's prctl: the signal to get when the parent ends."""


def _begin(parent: int) -> None:
    """In a new process: it ends with the one that started it, which answers signals for all."""
    import ctypes
    import signal

    for number in (signal.SIGINT, signal.SIGHUP):  # these reach the whole group
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before that
        os._exit(1)
