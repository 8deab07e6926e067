"""Process every input of a run, on all cores where there is much to read, with results in order.

What a process gets is an input, or a chunk of the documents of a large one.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from gpuxlate.cli import printing
from gpuxlate.cli.options import invocation
from gpuxlate.cli.terminal import MANY, end_if_signalled, progress, progress_bar
from gpuxlate.files.find import Input, InputError, result_or_error
from gpuxlate.model.declarations import regex
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.yamltext.parse import LARGE, Document, DocumentReader, Joinable, documents
from gpuxlate.yamltext.ranges import Chunk, TextRange, chunks, document_ranges, has_plain_markers
from gpuxlate.yamltext.source import Source

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Element = TypeVar("Element")
Returned = TypeVar("Returned")

CORES_VARIABLE = "GPUXLATE_CORES"
_NUMBER = regex("0*[1-9][0-9]{0,8}")
WORTH = 512 * 1024
"""Bytes that one process reads in the time that another one takes to start."""
CHUNKS = 4
"""Of a large source, for each process: those with few GPU keys are read in less time."""
SAMPLE = 64
"""Documents of a large source that are asked whether they matter, for how much of it does."""


BATCH = 64
"""Maximum number of inputs that a process gets at once."""
AHEAD = 4
"""Batches that wait, per process: memory stays bounded."""
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end a run."""


def map_inputs(
    work: Callable[[Input], Returned], files: Iterable[Input]
) -> Iterator[tuple[Input, Returned | InputError]]:
    """The result of the work for each input, in order; an InputError that it raises is a result.

    The work may run in another process, so its results are plain data. Raises UserError.
    """
    several = files if isinstance(files, Sequence) and len(files) > 1 else ()
    if several and (count := usable_cores()) > 1 and _is_worth_it(several):
        yield from progress(parallel_map(partial(result_or_error, work), several, count), len(several))
        return
    for file in progress(files, len(several)):
        try:
            yield file, work(file)
        except InputError as error:
            yield file, error


def in_chunks(work: Callable[[DocumentReader], Joinable], source: Source) -> Joinable:
    """The result of work over the documents of a large source, on all cores where much of it matters.

    The work and its result are as in ``InChunks``. Raises UserError.
    """
    count = usable_cores()
    ranges = [*document_ranges(source.text)] if count > 1 and has_plain_markers(source.text) else []
    with progress_bar(len(source.text), "reading") as reached:
        if len(ranges) > 1 and _size_that_matters(source, ranges) >= LARGE:
            rounds = max(1, min(CHUNKS, len(source.text) // (count * WORTH)))
            whole = _joined(work, [*chunks(source.text, ranges, count * rounds)], count, reached)
            if whole is not None:
                return whole
        return work(partial(_with_progress, reached))


def _joined(
    work: Callable[[DocumentReader], Joinable],
    cut: Sequence[Chunk],
    count: int,
    reached: Callable[[int], None],
) -> Joinable | None:
    """The joined results of the chunks of a source; None where a chunk has a mistake, or another number of
    documents than expected."""
    whole: Joinable | None = None
    for chunk, (size, part) in parallel_map(partial(_of_chunk, work), cut, count):
        whole = part if whole is None else whole.__iadd__(part)
        if whole.stopped or size != chunk.size:
            return None
        reached(chunk.end)
    return whole


def _of_chunk(work: Callable[[DocumentReader], Joinable], chunk: Chunk) -> tuple[int, Joinable]:
    """The number of documents in a chunk, and the result of the work on them."""
    size = 0

    def read(source: Source) -> Iterator[Document]:
        nonlocal size
        for document in documents(source, chunk):
            size += document.count
            yield document

    part = work(read)
    return size, part


def _with_progress(reached: Callable[[int], None], source: Source) -> Iterator[Document]:
    """The documents of a source; the bar follows. Reading one is about half of the work on it, which shows
    where one document, such as a List, is all of a large source."""
    for document in documents(source):
        reached((document.start + document.end) // 2)
        yield document
        reached(document.end)


def _size_that_matters(source: Source, ranges: Sequence[TextRange]) -> float:
    """About how many characters of a source its reader parses."""
    if source.is_relevant is None:
        return len(source.text)
    sample = [
        source.text[text_range.start : text_range.end] for text_range in ranges[:: -(-len(ranges) // SAMPLE)]
    ]
    matters = sum(len(text) for text in sample if source.is_relevant(text))
    return len(source.text) * matters / sum(map(len, sample))


def usable_cores() -> int:
    """The cores that this process may use; one where processes cannot be forked safely.

    The variable CORES_VARIABLE sets a lower number.
    """
    if not sys.platform.startswith("linux") or invocation().in_one_process:
        return 1
    usable = len(os.sched_getaffinity(0))
    value = os.environ.get(CORES_VARIABLE)
    if not value:
        return usable
    if not _NUMBER.fullmatch(value):
        printing.ignored_variable(CORES_VARIABLE, "all cores are used")
        return usable
    return min(usable, int(value))


def _is_worth_it(files: Sequence[Input]) -> bool:
    """There is more to read than WORTH, in several files. Stdin and live objects stay in this process.

    So do few files of which a large one is most: it is read in chunks.
    """
    size = largest = 0
    if any(file.path is None for file in files):
        return False
    for file in files:
        try:
            size_of_one = os.stat(file.path or "").st_size
        except OSError:  # reading it reports the error
            continue
        size += size_of_one
        largest = max(largest, size_of_one)
        if size >= WORTH and len(files) >= MANY:
            return True
    return size >= WORTH and (largest < LARGE or largest < size - largest)


def parallel_map(
    work: Callable[[Element], Returned], jobs: Sequence[Element], count: int
) -> Iterator[tuple[Element, Returned]]:
    """Each job with its result, in order; results go between processes, so they are plain data.

    Raises UserError where a process was killed.
    """
    size = max(1, min(BATCH, len(jobs) // (count * AHEAD)))
    waiting: deque[tuple[Sequence[Element], Future[list[Any]]]] = deque()
    with _processes(work, count) as pool:
        for start in range(0, len(jobs), size):
            batch = jobs[start : start + size]
            waiting.append((batch, pool.submit(_batch, batch)))
            if len(waiting) > count * AHEAD:
                batch, future = waiting.popleft()
                yield from zip(batch, future.result(), strict=True)
        for batch, future in waiting:
            yield from zip(batch, future.result(), strict=True)


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
    from threading import Thread

    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when the parent is killed."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _batch(jobs: Sequence[Any]) -> list[Any]:
    return [_work(job) for job in jobs]


@contextmanager
def _processes(work: Callable[[Any], Any], count: int) -> Iterator[ProcessPoolExecutor]:
    import multiprocessing  # most runs read one file
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

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
