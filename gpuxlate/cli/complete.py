"""Completion of ``kubectl gpuxlate``: kubectl calls ``kubectl_complete-gpuxlate`` with the words so far.

The answer is ``value<TAB>description`` lines, then ``:4`` (no files), or ``:0`` where a file fits. The values
are those of completion in a shell: what each option and argument declares. No server is contacted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from gpuxlate.cli.terminal import ending_quietly
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
        print(kubectl_complete(sys.argv[1:]))


def kubectl_complete(words: Sequence[str]) -> str:
    """The lines for the words so far, of which the last may be empty. An error gives no candidates."""
    try:
        lines, directive = completion_words(words)
    except Exception:  # an error message must not appear in a command line
        lines, directive = [], NO_FILES
    return "\n".join([*lines, f":{directive}"])


def completion_words(words: Sequence[str]) -> tuple[list[str], int]:
    """What the last word could be, and whether it may be a file."""
    from gpuxlate.cli.app import build_app
    from gpuxlate.cli.kubectl import command_at, command_first

    *before, last = words or [""]
    group = build_app(live=True)
    at = command_at(before)
    if at == len(before):
        name, arguments = None, before
    elif at > len(before):  # the value of a flag before the command
        name, arguments = _WITH_EVERY_FLAG, before
    else:
        name, *arguments = command_first(before)
    flag, equals, value = last.partition("=")
    prefix = f"{flag}=" if equals and flag.startswith("--") else ""
    if prefix:
        arguments, last = [*arguments, flag], value
    command = group if name is None else group.commands[name]
    context = command.make_context(name or "kubectl gpuxlate", [*arguments], resilient_parsing=True)
    completing = _completing(context, arguments, last)
    words_and_helps = [
        "\t".join(filter(None, (prefix + item.value, " ".join((item.help or "").split()))))
        for item in completing.shell_complete(context, last)
    ]
    may_be_file = not words_and_helps and _A_FILE.search(getattr(completing, "metavar", None) or "")
    return words_and_helps, FILES if may_be_file else NO_FILES


def _completing(context: Any, arguments: Sequence[str], last: str) -> Any:
    """What knows the last word: the option whose value it is, an argument, or the command."""
    command = context.command
    for param in command.params:
        if arguments and arguments[-1] in param.opts and not getattr(param, "is_flag", True):
            return param
    if not last.startswith("-"):
        for param in command.params:
            is_open = param.nargs == -1 or context.params.get(param.name) is None
            if param.param_type_name == "argument" and is_open:
                return param
    return command
