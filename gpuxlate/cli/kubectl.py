"""``kubectl gpuxlate``: every command, with those on live clusters."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gpuxlate.cli import ending_quietly, only_version, words

BEFORE = {
    "-n": 1, "--namespace": 1, "-l": 1, "--selector": 1, "--context": 1, "--kubeconfig": 1,
    "--request-timeout": 1, "-A": 0, "--all-namespaces": 0,
    "--exclude": 1, "--force-exclude": 0, "--stdin-filename": 1, "--config": 1, "--isolated": 0,
    "-q": 0, "--quiet": 0, "-v": 0, "--verbose": 0, "--color": 1,
}  # fmt: skip
"""Flags that may be before the command, and how many words follow each."""


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
    at = 0
    while at < len(given) and given[at].partition("=")[0] in BEFORE:
        at += 1 if "=" in given[at] else 1 + BEFORE[given[at]]
    return at
