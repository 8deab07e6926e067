"""Work on all cores from a size on, with the results in the order of the jobs."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, repeat
from typing import Any, NoReturn, Protocol, TypeVar

from gpuxlate.cli import common, end_if_asked

About = TypeVar("About")
Job = TypeVar("Job")
Result = TypeVar("Result")

WORTH = 256 * 1024
"""Bytes of text that one process does sooner than another one starts."""
CHUNK = 32 * 1024
"""Bytes of text that a process takes at once: few, so that all end together."""
ROUNDS = (2**16, 2**20, 2**21, 2**22)
"""Bytes of text that are in hand at once, round by round; the last one is for all that follow. So memory
stays bounded. What is loaded and learnt first is so before there are processes; of what one of them learns
later, which is most in the first rounds, all know in the next."""


class Memory(Protocol):
    """What some work remembers, of which a process tells the one that started it what is new."""

    def note(self) -> None:
        """What is learnt from here on is new."""

    def news(self) -> Any:
        """What was learnt, as plain data."""

    def learn(self, news: Any) -> None:
        """Know it too."""


def ordered(
    work: Callable[[Job], Result],
    jobs: Iterable[tuple[About, Job | None, int]],
    memory: Memory | None = None,
) -> Iterator[tuple[About, Result | None]]:
    """The result of each job, in order, and what was said about it.

    A job comes with what is said about it and its size in bytes of text. None is no work, and takes
    its turn only. Small runs stay in this process. Results go between processes, so they are plain
    data; jobs and what is said about them stay here. An error of the one that gives jobs waits until all
    that it gave before are done. ``memory``: what the work remembers.
    """
    rest = iter(jobs)
    for room in chain(ROUNDS, repeat(ROUNDS[-1])):
        taken, failed = _round(rest, room)
        size = sum(size for _, job, size in taken if job is not None)
        if size >= WORTH and (count := cores()) > 1:
            wanted = [(job, size) for _, job, size in taken if job is not None]
            results = iter(_on_all_cores(work, wanted, count, memory))
            yield from ((about, None if job is None else next(results)) for about, job, _ in taken)
        else:
            yield from ((about, None if job is None else work(job)) for about, job, _ in taken)
        if failed is not None:
            raise failed
        if not taken:
            return


def cores() -> int:
    """The cores that this process may use; one where processes cannot be forked safely.

    ``GPUXLATE_CORES`` says fewer.
    """
    if not sys.platform.startswith("linux"):
        return 1
    usable = len(os.sched_getaffinity(0))
    said = os.environ.get("GPUXLATE_CORES", "")
    return min(usable, int(said)) if said.isdecimal() and int(said) > 0 else usable


def _round(
    rest: Iterator[tuple[About, Job | None, int]], room: int
) -> tuple[list[tuple[About, Job | None, int]], Exception | None]:
    """The jobs that come next, up to a size, and what went wrong behind them."""
    taken: list[tuple[About, Job | None, int]] = []
    held = 0
    try:
        for one in rest:
            taken.append(one)
            held += one[2]
            if held >= room:
                break
    except Exception as error:
        return taken, error
    return taken, None


def _on_all_cores(
    work: Callable[[Job], Result], jobs: list[tuple[Job, int]], count: int, memory: Memory | None
) -> list[Result]:
    """The results of jobs, done here and in processes that are forked from this one.

    So none of the jobs is sent: each process has them all, and takes the next that nobody took.
    """
    import pickle  # noqa: F401 - before there are processes to share it

    chunks = _chunks(jobs)
    here = os.getpid()
    turns = _turns(len(chunks))
    others: list[_Process] = []
    try:
        with _signals_waiting(), suppress(OSError):  # no room for another: those that run do all of it
            while len(others) < min(count, len(chunks)) - 1:
                others.append(_Process(lambda: _share_and_tell(work, chunks, turns, memory, here)))
        done = _share(work, chunks, turns)
        for one in others:
            its, news = one.result()
            done |= its
            if memory is not None:
                memory.learn(news)
        end_if_asked()
    finally:
        os.close(turns)
        for one in others:
            one.end()
    return [result for n in range(len(chunks)) for result in done[n]]


def _chunks(jobs: list[tuple[Job, int]]) -> list[list[Job]]:
    chunks: list[list[Job]] = []
    held = CHUNK
    for job, size in jobs:
        if held >= CHUNK:
            chunks.append([])
            held = 0
        chunks[-1].append(job)
        held += size
    return chunks


_NUMBER = 4
"""Bytes of a turn."""


def _turns(count: int) -> int:
    """A pipe that holds the numbers from 0 on: each is read once, whoever reads."""
    reading, writing = os.pipe()
    os.write(writing, b"".join(n.to_bytes(_NUMBER, "little") for n in range(count)))  # fits: a round is small
    os.close(writing)
    return reading


def _share(
    work: Callable[[Job], Result], chunks: list[list[Job]], turns: int, parent: int | None = None
) -> dict[int, list[Result]]:
    """The results of the chunks that this process got to do, by their numbers.

    ``parent``: whoever started it; it ends once that one has ended, since nobody wants its results.
    """
    done: dict[int, list[Result]] = {}
    while turn := os.read(turns, _NUMBER):
        if parent is not None and os.getppid() != parent:
            os._exit(1)
        n = int.from_bytes(turn, "little")
        done[n] = [work(job) for job in chunks[n]]
    return done


def _share_and_tell(
    work: Callable[[Job], Result],
    chunks: list[list[Job]],
    turns: int,
    memory: Memory | None,
    parent: int,
) -> tuple[dict[int, list[Result]], Any]:
    """The same in another process, and what it learnt by it."""
    if memory is not None:
        memory.note()
    done = _share(work, chunks, turns, parent)
    return done, None if memory is None else memory.news()


class _Process:
    """Another process, forked from this one, that does some work and gives its result."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._reading, writing = os.pipe()
        try:
            self._pid = os.fork()
        except OSError:
            os.close(self._reading)
            os.close(writing)
            raise
        if self._pid == 0:
            _run(work, writing)
        os.close(writing)
        self._runs = True

    def result(self) -> Any:
        """What it gave, or raises what it raised; CliError where it was killed."""
        with open(self._reading, "rb", closefd=False) as stream:
            data = stream.read()
        _, status = os.waitpid(self._pid, 0)
        self._runs = False
        if status:
            end_if_asked()
            raise common.CliError(
                "a process of this run was killed, probably for want of memory",
                "GPUXLATE_CORES=1 does the work in one process",
                common.Exit.INPUT,
            )
        import pickle  # here, as all that one process alone does without: start-up counts

        result, error = pickle.loads(data)
        if error is not None:
            raise error
        return result

    def end(self) -> None:
        """It runs no longer."""
        import signal

        os.close(self._reading)
        if self._runs:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            self._runs = False


@contextmanager
def _signals_waiting() -> Iterator[None]:
    """A signal waits: between the fork of a process and the note of it nobody would end it."""
    import signal

    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run(work: Callable[[], Any], writing: int) -> NoReturn:
    """In a new process: do the work, give its result, and end. Nothing else of the run goes on here."""
    import pickle

    status = 1
    try:
        _begin()
        answer: tuple[Any, Exception | None]
        try:
            answer = work(), None
        except Exception as error:
            answer = None, error
        with open(writing, "wb") as stream:
            pickle.dump(answer, stream)
        status = 0
    finally:
        os._exit(status)


def _begin() -> None:
    """In a new process: the one that started it answers signals for all."""
    import signal

    gc.freeze()  # what is there already is no garbage, and looking at it would copy it
    for number in (signal.SIGINT, signal.SIGHUP):  # these reach the whole group
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
