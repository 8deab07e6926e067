"""What a command runs in: the words of its command line, the signals that end it, colours and a bar."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TypeVar

Element = TypeVar("Element")


def typed_words(arguments: Sequence[str] | None) -> list[str]:
    """The arguments, those of the process where none are given.

    Such a process is short: collecting garbage at its start and end took a sixth of the time of a
    small run. Long runs still collect cycles, less often.
    """
    if arguments is not None:
        return list(arguments) or ["--help"]
    gc.set_threshold(200_000, 10, 10)
    atexit.register(gc.freeze)
    return sys.argv[1:] or ["--help"]


MANY = 50
"""With fewer items there is no bar."""
REFRESH = 0.1
"""Seconds between updates of the bar."""


class Terminated(BaseException):
    """The process received the signal ``number`` to end; temporary files are removed first."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


PATIENCE = 2
"""Signals before the process ends at once."""
_signals: list[int] = []
"""The received signals to end the process."""


@contextmanager
def ending_quietly(*, whole_process: bool) -> Iterator[None]:
    """Make SIGTERM and SIGHUP end the block like Ctrl-C, with their exit code and no traceback.

    From before the first import: loading modules takes longest in a small run. Ignored signals (nohup)
    stay ignored. Without ``whole_process`` the signals are the caller's.
    """
    import signal

    def end(number: int, _frame: object) -> None:
        _signals.append(number)
        if len(_signals) > PATIENCE:
            os._exit(128 + number)
        raise Terminated(number)

    ours = [number for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if whole_process]
    ours = [
        number for number in ours if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler)
    ]
    try:
        for number in ours:
            signal.signal(number, end)
        yield
    except Terminated as signalled:
        sys.exit(128 + signalled.number)
    finally:
        for number in ours:  # the interpreter that ends has nothing more to clean up
            signal.signal(number, signal.SIG_DFL)


def end_if_signalled() -> None:
    """Raise Terminated for a signal that arrived where its handler could not raise, as in hooks of a fork."""
    if _signals:
        raise Terminated(_signals[0])


def only_version(arguments: Sequence[str]) -> bool:
    """Print the version if that is the only argument: hooks do so often, and it needs no imports."""
    if list(arguments) not in (["--version"], ["-V"]):
        return False
    from gpuxlate import __version__

    try:
        print(f"gpuxlate {__version__}", flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            with suppress(OSError):
                print(f"error: {error.strerror}", file=sys.stderr, flush=True)
            sys.exit(3)
    return True


def program_name() -> str:
    """The name of the program: kubectl shows plug-ins as its own commands."""
    called = os.path.basename(sys.argv[0])
    return "kubectl gpuxlate" if called.startswith("kubectl-") else "gpuxlate"


def color_wanted(stream: object) -> bool:
    """Whether to write colours: as --color says; else as NO_COLOR and FORCE_COLOR say; else on a terminal."""
    from gpuxlate.cli.options import invocation

    if (choice := invocation().color) in ("always", "never"):
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: object) -> bool:
    """The stream is a terminal; None (a closed stream) is not."""
    isatty = getattr(stream, "isatty", None)
    return bool(isatty and isatty())


def progress(items: Iterable[Element], total: int, title: str = "reading") -> Iterator[Element]:
    """The items, with a bar on stderr where that is a terminal and there are many. ``title``: a verb, such as
    ``reading``, before the bar."""
    if total < MANY:
        yield from items
        return
    with progress_bar(total, title) as reached:
        for number, item in enumerate(items, 1):
            yield item
            reached(number)


@contextmanager
def progress_bar(total: int, title: str) -> Iterator[Callable[[int], None]]:
    """A bar on stderr, if that is a terminal, and a function that sets how much of the total is complete."""
    if not sys.stderr.isatty():
        yield lambda _completed: None
        return
    from time import monotonic

    from rich.console import Console
    from rich.progress import Progress

    # no thread of rich's own: a process with threads cannot be forked safely
    with Progress(console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task(title, total=total)
        shown = 0.0

        def reached(completed: int) -> None:
            nonlocal shown
            bar.update(task, completed=completed)
            if (now := monotonic()) - shown > REFRESH:
                bar.refresh()
                shown = now

        yield reached
