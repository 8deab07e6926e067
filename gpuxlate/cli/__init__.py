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
    """What a program is called with. Where these are its own words, the process is its own too.

    Such a process is short: collecting garbage while it loads and when it ends took a sixth of the
    time of a small run. Cycles of long runs are still collected, at a rarer turn.
    """
    if arguments is not None:
        return list(arguments) or ["--help"]
    gc.set_threshold(50_000, 10, 10)
    atexit.register(gc.freeze)
    return sys.argv[1:] or ["--help"]


class Terminated(BaseException):
    """The process was asked to end, by the signal ``number``: what is half written goes away first."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


PATIENCE = 2
"""So many signals may ask: whoever asks once more wants it at once."""
_asked: list[int] = []
"""The signals that asked the process to end."""


def end_cleanly() -> None:
    """Let SIGTERM and SIGHUP end the run as Ctrl-C does; ignored ones (nohup) stay ignored."""
    import signal

    def end(number: int, _frame: object) -> None:
        _asked.append(number)
        if len(_asked) > PATIENCE:
            os._exit(128 + number)
        raise Terminated(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, end)


def end_if_asked() -> None:
    """Where Python cannot raise what a handler raises (in hooks of a fork, say), it is only noted."""
    if _asked:
        raise Terminated(_asked[0])


def only_version(given: Sequence[str]) -> bool:
    """Print the version where nothing else is asked: hooks ask it often, and it needs nothing loaded."""
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
    """How the user called us: kubectl shows plug-ins as its own commands."""
    called = os.path.basename(sys.argv[0])
    return "kubectl gpuxlate" if called.startswith("kubectl-") else "gpuxlate"


def color_wanted(stream: object) -> bool:
    """Colour only on a terminal, and as NO_COLOR and FORCE_COLOR say."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: object) -> bool:
    """The stream is a terminal; one that was closed is none."""
    asked = getattr(stream, "isatty", None)
    return bool(asked and asked())
