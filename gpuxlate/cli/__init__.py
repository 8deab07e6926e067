"""The command line: one file a command, each loaded when it is called."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress


def main(arguments: Sequence[str] | None = None) -> None:
    """Run gpuxlate and exit with its code."""
    given = words(arguments)
    if only_version(given):
        return
    if arguments is None:
        end_cleanly()
    from gpuxlate.cli.app import build, run

    sys.exit(run(build(), given, program_name()))


def words(arguments: Sequence[str] | None) -> list[str]:
    """The arguments, those of the process where none are given.

    Such a process is short: collecting garbage at its start and end took a sixth of the time of a
    small run. Long runs still collect cycles, less often.
    """
    if arguments is not None:
        return list(arguments) or ["--help"]
    gc.set_threshold(200_000, 10, 10)
    atexit.register(gc.freeze)
    return sys.argv[1:] or ["--help"]


class Terminated(BaseException):
    """The process received the signal ``number`` to end; temporary files are removed first."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


PATIENCE = 2
"""Signals before the process ends at once."""
_signals: list[int] = []
"""The received signals to end the process."""


def end_cleanly() -> None:
    """Make SIGTERM and SIGHUP end the run like Ctrl-C; ignored ones (nohup) stay ignored."""
    import signal

    def end(number: int, _frame: object) -> None:
        _signals.append(number)
        if len(_signals) > PATIENCE:
            os._exit(128 + number)
        raise Terminated(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, end)


def end_if_signalled() -> None:
    """Raise Terminated for a signal that arrived where its handler could not raise, as in hooks of a fork."""
    if _signals:
        raise Terminated(_signals[0])


def only_version(given: Sequence[str]) -> bool:
    """Print the version if that is the only argument: hooks do so often, and it needs no imports."""
    if list(given) not in (["--version"], ["-V"]):
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
    """Colour only on a terminal, or as NO_COLOR and FORCE_COLOR say."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: object) -> bool:
    """The stream is a terminal; None (a closed stream) is not."""
    isatty = getattr(stream, "isatty", None)
    return bool(isatty and isatty())
