"""Work on every input of a run: on all cores where there is much to read, with results in order."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from threading import Thread
from typing import Any, TypeVar

from gpuxlate.cli import common, end_if_asked
from gpuxlate.cli.progress import progress
from gpuxlate.inputs.files import Input, InputError

Result = TypeVar("Result")

WORTH = 512 * 1024
"""Bytes of text that one process reads before another one has started."""
BATCH = 64
"""Most inputs that go to a process at once."""
AHEAD = 4
"""Batches per process that wait for their turn: memory stays bounded."""


def each(
    work: Callable[[Input], Result], given: Iterable[Input]
) -> Iterator[tuple[Input, Result | InputError]]:
    """What the work makes of each input, in their order; an InputError that it raises is the result.

    The work may run in another process, so its results are plain data. Raises CliError.
    """
    count = cores()
    if count > 1 and isinstance(given, Sequence) and _is_worth_it(given):
        results = _on_all_cores(work, given, count)
    else:
        results = ((one, _result(work, one)) for one in given)
    yield from progress(results, len(given) if isinstance(given, Sequence) else 0)


def cores() -> int:
    """The cores that this process may use; one where processes cannot be forked safely.

    ``GPUXLATE_CORES`` asks for fewer.
    """
    if not sys.platform.startswith("linux"):
        return 1
    usable = len(os.sched_getaffinity(0))
    wanted = os.environ.get("GPUXLATE_CORES", "")
    return min(usable, int(wanted)) if wanted.isdecimal() and int(wanted) > 0 else usable


def _is_worth_it(given: Sequence[Input]) -> bool:
    """There is more to read than WORTH, in several files. Stdin and live objects stay in this process."""
    size = 0
    if len(given) < 2 or any(one.path is None for one in given):
        return False
    for one in given:
        try:
            size += os.stat(one.path or "").st_size
        except OSError:  # reading it says why
            continue
        if size >= WORTH:
            return True
    return False


def _result(work: Callable[[Input], Result], one: Input) -> Result | InputError:
    try:
        return work(one)
    except InputError as error:
        return error


_work: Callable[[Input], Any]


def _begin(work: Callable[[Input], Any]) -> None:
    """In a new process, which is forked: the work is handed down, not sent."""
    global _work
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is the parent's to end the run
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that is killed cannot end its processes."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _batch(given: Sequence[Input]) -> list[Any]:
    return [_result(_work, one) for one in given]


@contextmanager
def _processes(work: Callable[[Input], Any], count: int) -> Iterator[ProcessPoolExecutor]:
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("fork"), _begin, (work,))
    try:
        yield pool
    except BrokenProcessPool:
        end_if_asked()
        raise common.CliError(
            "a process of this run was killed, probably for lack of memory",
            "GPUXLATE_CORES=1 does the work in one process",
            common.Exit.INPUT,
        ) from None
    except BaseException:  # nobody wants the rest
        for process in multiprocessing.active_children():
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _on_all_cores(
    work: Callable[[Input], Result], given: Sequence[Input], count: int
) -> Iterator[tuple[Input, Result | InputError]]:
    size = max(1, min(BATCH, len(given) // (count * AHEAD)))
    waiting: deque[tuple[Sequence[Input], Future[list[Any]]]] = deque()
    with _processes(work, count) as pool:
        for start in range(0, len(given), size):
            batch = given[start : start + size]
            waiting.append((batch, pool.submit(_batch, batch)))
            if len(waiting) > count * AHEAD:
                done, future = waiting.popleft()
                yield from zip(done, future.result(), strict=True)
        for done, future in waiting:
            yield from zip(done, future.result(), strict=True)
