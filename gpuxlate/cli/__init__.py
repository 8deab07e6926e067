"""The command line: one file a command, each loaded when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> None:
    """Run gpuxlate and exit with its code."""
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if given[:1] in (["--version"], ["-V"]) and len(given) == 1:
        from gpuxlate import __version__

        print(f"gpuxlate {__version__}")
        return
    from gpuxlate.cli.app import build
    from gpuxlate.cli.common import guarded

    sys.exit(guarded(build(), given, program_name()))


def program_name() -> str:
    """How the user called us: kubectl shows plug-ins as its own commands."""
    called = Path(sys.argv[0]).name
    return "kubectl gpuxlate" if called.startswith("kubectl-") else "gpuxlate"


def color_wanted(stream: object) -> bool:
    """Colour only on a terminal, and as NO_COLOR and FORCE_COLOR say."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    is_terminal = getattr(stream, "isatty", None)
    return bool(is_terminal and is_terminal() and os.environ.get("TERM") != "dumb")
