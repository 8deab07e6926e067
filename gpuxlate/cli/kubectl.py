"""``kubectl gpuxlate``: every command, with those on live clusters."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gpuxlate.cli.terminal import ending_quietly, only_version, words


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the plug-in and exit with its code."""
    given = words(arguments)
    if only_version(given):
        return
    with ending_quietly(whole_process=arguments is None):
        from gpuxlate.cli.app import build, run

        sys.exit(run(build(live=True), command_first(given), "kubectl gpuxlate"))


def command_first(given: Sequence[str]) -> list[str]:
    """The arguments with the flags before the command moved behind it."""
    at = command_at(given)
    return [*given[at : at + 1], *given[:at], *given[at + 1 :]] if at < len(given) else list(given)


def command_at(given: Sequence[str]) -> int:
    """The position of the command, after the flags that may be before it."""
    from gpuxlate.cli.options import before_command

    flags, at = before_command(), 0
    while at < len(given) and given[at].partition("=")[0] in flags:
        at += 1 if "=" in given[at] else 1 + flags[given[at]]
    return at
