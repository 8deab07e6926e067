"""Process every input of a run, on all cores where there is much to read, with results in order.

What a process gets is an input, or a chunk of the documents of a large one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from gpuxlate.cli import common
from gpuxlate.cli.options import invocation
from gpuxlate.files.find import Input, InputError, done
from gpuxlate.model.declarations import regex
from gpuxlate.model.messages import msg
from gpuxlate.yamltext.parse import LARGE, Document, DocumentReader, Joinable, documents
from gpuxlate.yamltext.ranges import Chunk, TextRange, chunks, document_ranges, has_plain_markers
from gpuxlate.yamltext.source import Source

Job = TypeVar("Job")
Result = TypeVar("Result")

CORES = "GPUXLATE_CORES"
_NUMBER = regex("0*[1-9][0-9]{0,8}")
MANY = 50
"""With fewer items there is no bar."""
REFRESH = 0.1
"""Seconds between updates of the bar."""
WORTH = 512 * 1024
"""Bytes that one process reads in the time that another one takes to start."""
CHUNKS = 4
"""Of a large source, for each process: those with few GPU keys are read in less time."""
SAMPLE = 64
"""Documents of a large source that are asked whether they matter, for how much of it does."""


def map_inputs(
    work: Callable[[Input], Result], given: Iterable[Input]
) -> Iterator[tuple[Input, Result | InputError]]:
    """The result of the work for each input, in order; an InputError that it raises is a result.

    The work may run in another process, so its results are plain data. Raises UserError.
    """
    several = given if isinstance(given, Sequence) and len(given) > 1 else ()
    if several and (count := cores()) > 1 and _is_worth_it(several):
        from gpuxlate.cli.processes import parallel_map

        results = parallel_map(partial(done, work), several, count)
    else:
        results = ((one, done(work, one)) for one in given)
    yield from progress(results, len(several)) if several else results


def in_chunks(work: Callable[[DocumentReader], Joinable], source: Source) -> Joinable:
    """What work over the documents of a large source comes to, on all cores where much of it matters.

    The work and what it comes to are as in ``InChunks``. Raises UserError.
    """
    count = cores()
    ranges = [*document_ranges(source.text)] if count > 1 and has_plain_markers(source.text) else []
    with _bar(len(source.text), "reading") as reached:
        if len(ranges) > 1 and _size_that_matters(source, ranges) >= LARGE:
            most = max(count, min(count * CHUNKS, len(source.text) // LARGE))
            whole = _joined(work, [*chunks(source.text, ranges, most)], count, reached)
            if whole is not None:
                return whole
        return work(partial(_with_progress, reached))


def _joined(
    work: Callable[[DocumentReader], Joinable],
    cut: Sequence[Chunk],
    count: int,
    reached: Callable[[int], None],
) -> Joinable | None:
    """What the chunks of a source come to; None where one has a mistake, or not the documents expected."""
    from gpuxlate.cli.processes import parallel_map

    whole: Joinable | None = None
    for chunk, (size, part) in parallel_map(partial(_of_chunk, work), cut, count):
        whole = part if whole is None else whole.__iadd__(part)
        if whole.stopped or size != chunk.size:
            return None
        reached(chunk.end)
    return whole


def _of_chunk(work: Callable[[DocumentReader], Joinable], chunk: Chunk) -> tuple[int, Joinable]:
    """How many documents a chunk has, and what they come to."""
    size = 0

    def read(source: Source) -> Iterator[Document]:
        nonlocal size
        for document in documents(source, chunk):
            size += 1
            yield document

    part = work(read)
    return size, part


def _with_progress(reached: Callable[[int], None], source: Source) -> Iterator[Document]:
    """The documents of a source; the bar follows."""
    for document in documents(source):
        yield document
        reached(document.end)


def _size_that_matters(source: Source, ranges: Sequence[TextRange]) -> float:
    """About how many characters of a source its reader parses."""
    if source.is_relevant is None:
        return len(source.text)
    sample = [source.text[one.start : one.end] for one in ranges[:: -(-len(ranges) // SAMPLE)]]
    matters = sum(len(text) for text in sample if source.is_relevant(text))
    return len(source.text) * matters / sum(map(len, sample))


def dialects_used(name: str, dialects: Iterable[str]) -> None:
    """The dialects of an input, where the run is verbose and there are any."""
    if invocation().verbose and (found := sorted(set(dialects))):
        common.verbose(msg("dialects of {name}: {dialects}", name=name, dialects=", ".join(found)))


def cores() -> int:
    """The cores that this process may use; one where processes cannot be forked safely.

    The variable CORES sets a lower number.
    """
    if not sys.platform.startswith("linux") or invocation().in_one_process:
        return 1
    usable = len(os.sched_getaffinity(0))
    wanted = os.environ.get(CORES)
    if not wanted:
        return usable
    if not _NUMBER.fullmatch(wanted):
        common.ignored_variable(CORES, "all cores are used")
        return usable
    return min(usable, int(wanted))


def _is_worth_it(given: Sequence[Input]) -> bool:
    """There is more to read than WORTH, in several files. Stdin and live objects stay in this process.

    So do few files of which a large one is most: it is read in chunks.
    """
    size = largest = 0
    if any(one.path is None for one in given):
        return False
    for one in given:
        try:
            size_of_one = os.stat(one.path or "").st_size
        except OSError:  # reading it reports the error
            continue
        size += size_of_one
        largest = max(largest, size_of_one)
        if size >= WORTH and len(given) >= MANY:
            return True
    return size >= WORTH and (largest < LARGE or largest < size - largest)


def progress(items: Iterable[Job], total: int, what: str = "reading") -> Iterator[Job]:
    """The items, with a bar on stderr where that is a terminal and there are many; ``what`` is done."""
    if total < MANY:
        yield from items
        return
    with _bar(total, what) as reached:
        for number, item in enumerate(items, 1):
            yield item
            reached(number)


@contextmanager
def _bar(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """A bar on stderr where that is a terminal: what is called with how much of the total is done."""
    if not sys.stderr.isatty():
        yield lambda _done: None
        return
    from time import monotonic

    from rich.console import Console
    from rich.progress import Progress

    # no thread of rich's own: a process with threads cannot be forked safely
    with Progress(console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task(what, total=total)
        shown = 0.0

        def reached(done: int) -> None:
            nonlocal shown
            bar.update(task, completed=done)
            if (now := monotonic()) - shown > REFRESH:
                bar.refresh()
                shown = now

        yield reached
