"""What is wrong with a command line: what users of other tools type first, and what to write here instead.

No second name is accepted beside the first: a message teaches the one that help and the pages have.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Any

from gpuxlate.cli.options import before_command, invocation
from gpuxlate.model.messages import Message, msg

COMMANDS = {
    "audit": "lint",
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
    "--exit-zero": "--fail-on never",
    "--extend-exclude": "--exclude PATTERN",
    "--extend-ignore": "--ignore CODE",
    "--field-selector": "-l KEY=VALUE",
    "--fix-only": "--fix",
    "--ignore-filename-pattern": "--exclude PATTERN",
    "--inplace": "-i",
    "--json": "-o json",
    "--junit": "--format junit",
    "--kubernetes-version": "--profile FILE",
    "--language": "--lang zh",
    "--no-color": "--color never",
    "--no-exit-codes": "--fail-on never",
    "--output-format": "-o FORMAT",
    "--overwrite": "-i",
    "--profile": "--check PROFILE",
    "--sarif": "--format sarif",
    "--show-files": "-v",
    "--show-fixes": "--diff",
    "--show-settings": "-v",
    "--silent": "-q",
    "--strict": "--fail-on warning",
    "--summary": "--statistics",
    "--write": "-i",
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
    "--cache": "there is no cache",
    "--extend-select": "--select takes the place of the configured codes: write them all",
    "--ignore-missing-schemas": "no schema of a kind is needed",
    "--no-cache": "there is no cache",
    "--no-fix": "nothing is fixed without --fix",
    "--offline": "nothing is fetched",
    "--per-file-ignores": "the configuration has per-file-ignores",
    "--schema-location": "no schema of a kind is needed",
    "--server-side": "apply is always server-side",
    "--show-source": "the text format shows the lines",
    "--stdio": "the server uses stdin and stdout without it",
}
"""Options that nothing here needs, and why."""
OF_FILES = {
    "--filename": "files are arguments",
    "--recursive": "folders are read recursively",
    "-R": "folders are read recursively",
    "-f": "files are arguments",
}
"""The same, of commands that read files."""
PIPES = {
    "--enable-helm": "kustomize build --enable-helm DIR",
    "--set": "helm template CHART",
    "--values": "helm template CHART",
}
"""Options of programs that make manifests, and what to give to a command on stdin."""
NEAR = 0.8
"""How like an option has to be to one that is there, to be meant: 0 to 1."""


def command(name: str, program: str, live: dict[str, Any]) -> str | None:
    """What to write for a command that is not there; ``live``: the commands on a cluster alone."""
    if name in live:
        return msg("write {instead}", instead=f"kubectl gpuxlate {name}")
    instead = COMMANDS.get(name)
    return msg("write {instead}", instead=f"{program} {instead}") if instead else None


def option(name: str, context: Any) -> str | None:
    """What to write for an option that the command of a context of click has not."""
    params = context.command.params if context else ()
    there = {one for each in params for one in each.opts}
    reads = any(each.param_type_name == "argument" and each.name in ("paths", "specs") for each in params)
    if (instead := OPTIONS.get(name)) and instead.split()[0] in there:
        of_lint = instead.startswith("--format ") and context.command.name != "lint"
        return None if of_lint else msg("write {instead}", instead=instead)
    if name in OTHERWISE:
        return msg("write {instead}", instead=OTHERWISE[name])
    if name in NEEDLESS:
        return msg(NEEDLESS[name])
    if name in OF_FILES and reads:
        return msg(OF_FILES[name])
    if name in PIPES and reads:
        return msg("write {instead}", instead=f"{PIPES[name]} | {context.command_path} -")
    if name in before_command():
        return msg("kubectl gpuxlate has it, for live objects")
    path = context.command_path if context else ""
    if name == "-k":
        stdin = "-f -" if "-f" in there else "-"
        return msg("write {instead}", instead=f"kubectl kustomize DIR | {path} {stdin}")
    if " " not in path.removeprefix("kubectl ") and name.startswith(("-o", "--format")):
        return msg("write {instead}", instead=f"{path} COMMAND {name}")
    return None


def _written(name: str) -> str:
    """The option as it was written: a word behind one dash is read letter by letter."""
    for word in invocation().words:
        head = word.partition("=")[0]
        if re.fullmatch("-[a-z]{2}[a-z-]*", head) and name[1:] in head and name[:2] != "--":
            return f"-{head}"
    return name


def _meant(name: str, possible: Any) -> list[str]:
    """The options that are so much like one that they may be meant."""
    return sorted(
        one for one in possible if one.startswith(name) or SequenceMatcher(None, name, one).ratio() >= NEAR
    )


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


def _no_option(name: str, error: Any) -> Message:
    """An option that is not there, with what is meant, or nothing rather than something else."""
    if instead := option(name, error.ctx):
        return msg("no such option: {name}; {instead}", name=name, instead=instead)
    if near := ", ".join(_meant(name, error.possibilities or ())):
        return msg("no such option: {name} (Possible options: {near})", name=name, near=near)
    return msg("no such option: {name}", name=name)


def problem(error: Any) -> str:
    """What is wrong with a command line. The library has English alone: the commonest are said here too."""
    if isinstance(error.message, Message):
        return error.message
    match type(error).__name__:
        case "NoSuchOption":
            return _no_option(_written(error.option_name), error)
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
