"""Process every input of a run, on all cores where there is much to read, with results in order."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from gpuxlate.cli import common
from gpuxlate.cli.options import invocation
from gpuxlate.files.find import Input, InputError, done
from gpuxlate.model.declarations import regex
from gpuxlate.model.messages import msg

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


def map_inputs(
    work: Callable[[Input], Result], given: Iterable[Input]
) -> Iterator[tuple[Input, Result | InputError]]:
    """The result of the work for each input, in order; an InputError that it raises is a result.

    The work may run in another process, so its results are plain data. Raises CliError.
    """
    several = given if isinstance(given, Sequence) and len(given) > 1 else ()
    if several and (count := cores()) > 1 and _is_worth_it(several):
        from gpuxlate.cli.processes import parallel_map

        results = parallel_map(partial(done, work), several, count)
    else:
        results = ((one, done(work, one)) for one in given)
    yield from progress(results, len(several)) if several else results


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
    """There is more to read than WORTH, in several files. Stdin and live objects stay in this process."""
    size = 0
    if any(one.path is None for one in given):
        return False
    for one in given:
        try:
            size += os.stat(one.path or "").st_size
        except OSError:  # reading it reports the error
            continue
        if size >= WORTH:
            return True
    return False


def progress(items: Iterable[Job], total: int, what: str = "reading") -> Iterator[Job]:
    """The items, with a bar on stderr where that is a terminal and there are many; ``what`` is done."""
    if total < MANY or not sys.stderr.isatty():
        yield from items
        return
    from time import monotonic

    from rich.console import Console
    from rich.progress import Progress

    # no thread of rich's own: a process with threads cannot be forked safely
    with Progress(console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task(what, total=total)
        shown = 0.0
        for item in items:
            yield item
            bar.advance(task)
            if (now := monotonic()) - shown > REFRESH:
                bar.refresh()
                shown = now
