"""``kubectl gpuxlate``: every command, with those on live clusters."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gpuxlate.cli.terminal import ending_quietly, only_version, typed_words


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the plug-in and exit with its code."""
    typed = typed_words(arguments)
    if only_version(typed):
        return
    with ending_quietly(whole_process=arguments is None):
        from gpuxlate.cli.app import run

        sys.exit(run(command_first(typed), "kubectl gpuxlate", live=True))


def command_first(arguments: Sequence[str]) -> list[str]:
    """The arguments with the flags before the command moved behind it."""
    at = command_at(arguments)
    return (
        [*arguments[at : at + 1], *arguments[:at], *arguments[at + 1 :]]
        if at < len(arguments)
        else list(arguments)
    )


def command_at(arguments: Sequence[str]) -> int:
    """The position of the command, after the flags that may be before it."""
    from gpuxlate.cli.options import before_command

    flags, at = before_command(), 0
    while at < len(arguments) and arguments[at].partition("=")[0] in flags:
        at += 1 if "=" in arguments[at] else 1 + flags[arguments[at]]
    return at
