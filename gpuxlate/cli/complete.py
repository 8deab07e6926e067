"""Completion of ``kubectl gpuxlate``: kubectl calls ``kubectl_complete-gpuxlate`` with the words so far.

The answer is ``value<TAB>description`` lines, then ``:4`` (no files), or ``:0`` where a file fits. The values
are those of completion in a shell: what each option and argument declares. No server is contacted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gpuxlate.cli.process import ending_quietly
from gpuxlate.model.declarations import regex

NO_FILES, FILES = 4, 0
"""Directives of cobra's completion protocol."""
_A_FILE = regex("FILE|DIR|PATH|SPEC")
"""What the placeholder of a parameter holds that may be a file."""
_WITH_EVERY_FLAG = "lint"
"""A command that has all flags that may be before the command."""


def main() -> None:
    """Print what the last word could be."""
    with ending_quietly(whole_process=True):
        print(answer(sys.argv[1:]))


def answer(words: Sequence[str]) -> str:
    """The lines for the words so far, of which the last may be empty. An error gives no candidates."""
    try:
        found, directive = candidates(words)
    except Exception:  # an error message must not appear in a command line
        found, directive = [], NO_FILES
    return "\n".join([*found, f":{directive}"])


def candidates(words: Sequence[str]) -> tuple[list[str], int]:
    """What the last word could be, and whether it may be a file."""
    from typer._click.shell_completion import _resolve_context, _resolve_incomplete

    from gpuxlate.cli.app import build
    from gpuxlate.cli.kubectl import command_at, command_first

    *before, last = words or [""]
    at = command_at(before)
    if at > len(before):  # the value of a flag before the command
        arguments = [_WITH_EVERY_FLAG, *before]
    else:
        arguments = command_first(before) if at < len(before) else []
    context = _resolve_context(build(live=True), {}, "kubectl gpuxlate", arguments)
    about, rest = _resolve_incomplete(context, arguments, last)
    prefix = last.removesuffix(rest) if last.startswith("--") else ""  # --option=
    items = about.shell_complete(context, rest)
    found = [
        "\t".join(filter(None, (prefix + one.value, " ".join((one.help or "").split())))) for one in items
    ]
    may_be_file = not found and _A_FILE.search(getattr(about, "metavar", None) or "")
    return found, FILES if may_be_file else NO_FILES
