"""The command line: one file a command, each loaded when it is called."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gpuxlate.cli.terminal import ending_quietly, only_version, program_name, typed_words


def main(arguments: Sequence[str] | None = None) -> None:
    """Run gpuxlate and exit with its code."""
    typed = typed_words(arguments)
    if only_version(typed):
        return
    with ending_quietly(whole_process=arguments is None):
        from gpuxlate.cli.app import run

        sys.exit(run(typed, program_name()))
