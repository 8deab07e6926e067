"""What is wrong with a command line: what users of other tools type first, and what to write here instead.

No second name is accepted beside the first: a message teaches the one that help and the pages have.
"""

from __future__ import annotations

import re
from typing import Any

from gpuxlate.cli.options import before_command
from gpuxlate.model.messages import Message, msg

COMMANDS = {
    "check": "lint",
    "config": "schema config",
    "convert": "translate",
    "describe": "inspect",
    "diff": "translate --diff",
    "fix": "lint --fix",
    "format": "lint --fix",
    "get": "inspect",
    "help": "--help",
    "language-server": "server",
    "lsp": "server",
    "rule": "explain CODE",
    "validate": "lint",
    "version": "--version",
}
"""Commands of other tools, and what does the same here."""
OPTIONS = {
    "--add-noqa": "--add-ignores REASON",
    "--debug": "-v",
    "--dry-run": "--diff",
    "--extend-exclude": "--exclude PATTERN",
    "--extend-ignore": "--ignore CODE",
    "--field-selector": "-l KEY=VALUE",
    "--fix-only": "--fix",
    "--language": "--lang zh",
    "--no-color": "--color never",
    "--output-format": "-o FORMAT",
    "--profile": "--check PROFILE",
    "--show-files": "-v",
    "--show-fixes": "--diff",
    "--show-settings": "-v",
    "--silent": "-q",
    "--strict": "--fail-on warning",
    "-s": "-q",
}
"""Options of other tools, and what does the same in commands that have it."""
OTHERWISE = {
    "--explain": "gpuxlate explain CODE",
    "--jobs": "GPUXLATE_CORES=N",
    "--output-file": "> FILE",
    "--stdin": "-",
    "--version": "gpuxlate --version",
    "-j": "GPUXLATE_CORES=N",
}
"""The same, of what is no option here."""
NEEDLESS = {
    "--extend-select": "--select takes the place of the configured codes: write them all",
    "--filename": "files are arguments",
    "--no-cache": "there is no cache",
    "--no-fix": "nothing is fixed without --fix",
    "--per-file-ignores": "the configuration has per-file-ignores",
    "--recursive": "folders are read recursively",
    "--server-side": "apply is always server-side",
    "--stdio": "the server uses stdin and stdout without it",
    "-R": "folders are read recursively",
    "-f": "files are arguments",
}
"""Options that nothing here needs, and why."""


def command(name: str, program: str, live: dict[str, Any]) -> str | None:
    """What to write for a command that is not there; ``live``: the commands on a cluster alone."""
    if name in live:
        return msg("write {instead}", instead=f"kubectl gpuxlate {name}")
    instead = COMMANDS.get(name)
    return msg("write {instead}", instead=f"{program} {instead}") if instead else None


def option(name: str, context: Any) -> str | None:
    """What to write for an option that the command of a context of click has not."""
    there = {one for each in context.command.params for one in each.opts} if context else set()
    if (instead := OPTIONS.get(name)) and instead.split()[0] in there:
        return msg("write {instead}", instead=instead)
    if name in OTHERWISE:
        return msg("write {instead}", instead=OTHERWISE[name])
    if name in NEEDLESS:
        return msg(NEEDLESS[name])
    if name in before_command():
        return msg("kubectl gpuxlate has it, for live objects")
    path = context.command_path if context else ""
    if name == "-k":
        stdin = "-f -" if "-f" in there else "-"
        return msg("write {instead}", instead=f"kubectl kustomize DIR | {path} {stdin}")
    if " " not in path.removeprefix("kubectl ") and name.startswith(("-o", "--format")):
        return msg("write {instead}", instead=f"{path} COMMAND {name}")
    return None


def _why(text: str) -> str | None:
    """Why the value of an option is wrong, where the library says it of a number."""
    if found := re.fullmatch(r"(.*) is not a valid int(?:eger)?(?: range)?\.?", text):
        return msg("{value} is not a whole number", value=found[1])
    found = re.fullmatch(r"(\S+) is not in the range (?:(\d+)<=)?x(?:>=(\d+)|<=(\d+))\.?", text)
    if not found:
        return None
    value, low, least, high = found.groups()
    if least:
        return msg("{value} is less than {low}", value=value, low=least)
    return msg("{value} is not between {low} and {high}", value=value, low=low, high=high)


def problem(error: Any) -> str:
    """What is wrong with a command line. The library has English alone: the commonest are said here too."""
    if isinstance(error.message, Message):
        return error.message
    match type(error).__name__:
        case "NoSuchOption" if instead := option(error.option_name, error.ctx):
            return msg("no such option: {name}; {instead}", name=error.option_name, instead=instead)
        case "NoSuchOption" if error.possibilities:
            near = ", ".join(sorted(error.possibilities))
            return msg("no such option: {name} (Possible options: {near})", name=error.option_name, near=near)
        case "NoSuchOption":
            return msg("no such option: {name}", name=error.option_name)
        case "MissingParameter" if error.param.param_type_name == "argument":
            return msg("missing argument {names}", names=error.param.get_error_hint(error.ctx))
        case "MissingParameter":
            return msg("missing option {names}", names=error.param.get_error_hint(error.ctx))
        case "BadOptionUsage" if error.message.endswith(" requires an argument."):
            return msg("option {name!r} requires an argument", name=error.option_name)
        case "BadParameter" if why := _why(error.message):
            names = error.param.get_error_hint(error.ctx)
            return msg("invalid value for {names}: {why}", names=names, why=why)
        case _ if found := re.fullmatch(r"Got unexpected extra argument(?:s|\(s\))? \((.*)\)", error.message):
            return msg("unexpected arguments: {names}", names=found[1])
        case _ if error.message.startswith("Missing command"):
            return msg("a command is missing")
    message: str = error.format_message().rstrip(".")
    return message[:1].lower() + message[1:]
