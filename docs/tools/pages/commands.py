"""The page of commands, from the application itself: each with its arguments and options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docs.tools.markdown import table
from gpuxlate.cli.app import LIVE_COMMANDS, build_app

INTRODUCTION = """\
PATH is a file, a folder (all `*.yaml`, `*.yml` and `*.json` below it) or `-` for stdin. Results go to
stdout, notes to stderr. `-o json` is for programs; only `completion`, whose result is a script for a shell,
and `server`, which speaks with an editor, have no `-o`. `gpuxlate COMMAND --help` prints the same text."""

LIVE = """\
`kubectl gpuxlate` has all commands above, and those below. Commands that use a cluster accept kubectl's
options (`-n`, `-A`, `-l`, `--context`, `--kubeconfig`, `--request-timeout`): see [kubectl](kubectl.md)."""

EXIT_CODES = (
    ("0", "success, no findings"),
    ("1", "findings, a refused translation, or changes with `--check` or `--fix`"),
    ("2", "an error in the command line or the configuration, or an unknown target"),
    ("3", "an input is missing, cannot be read or decoded, or there is no input"),
)

CODES_NOTE = """\
If a share is refused, nothing is printed on stdout and no file is written. All refusals of a run are listed
together. On a live cluster, 3 also means that the server is unreachable or rejects a request."""

OF_KUBECTL = {
    "--namespace",
    "--all-namespaces",
    "--selector",
    "--context",
    "--kubeconfig",
    "--request-timeout",
}


_CODE = re.compile(r"gpuxlate [a-z]+ -.*|(?<![\w`/-])(?:(?:-o|--as) [a-z][a-z-]*|--?[a-z][a-z-]*)(?![\w`-])")


def pages() -> Iterator[tuple[str, str]]:
    yield "commands.md", _page()


def _page() -> str:
    parts = ["# Commands", INTRODUCTION, "## Exit codes"]
    parts += ["\n".join(table(["code", "meaning"], EXIT_CODES)), CODES_NOTE]
    plain, live = build_app(), build_app(live=True)
    parts += [_command(plain, name, "gpuxlate", f"## {name}") for name in plain.list_commands(None)]
    parts += ["## On a live cluster", LIVE]
    parts += [
        _command(live, name, "kubectl gpuxlate", f"### kubectl gpuxlate {name}") for name in LIVE_COMMANDS
    ]
    return "\n\n".join(parts) + "\n"


def _command(application: Any, name: str, program: str, heading: str) -> str:
    command = application.commands[name].command
    # kubectl's options are listed once above
    parameters = [parameter for parameter in command.params if not set(parameter.opts) & OF_KUBECTL]
    takes = [_argument(parameter) for parameter in parameters if parameter.param_type_name == "argument"]
    usage = " ".join([program, name, *takes])
    lines = [heading, "", f"`{usage}`", "", _with_code(" ".join(command.help.split()))]
    rows = [
        [_names(parameter), _with_code(parameter.help)]
        for parameter in parameters
        if parameter.param_type_name == "option"
    ]
    if rows:
        lines += ["", *table(["option", "does"], rows)]
    return "\n".join(lines)


def _with_code(text: str) -> str:
    """A text of the help with its commands and options as code."""
    return _CODE.sub(r"`\g<0>`", text)


def _argument(parameter: Any) -> str:
    name: str = parameter.metavar or parameter.name.upper()
    return name if parameter.required or name.startswith("[") else f"[{name}]"


def _names(parameter: Any) -> str:
    value = "" if parameter.is_flag else f" {parameter.metavar or ', '.join(parameter.type.choices)}"
    return ", ".join(f"`{name}{value}`" for name in parameter.opts)
