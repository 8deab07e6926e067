"""What is wrong with a command line, from the errors of typer: its words are English alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gpuxlate.cli.options import READ_FILES, InvalidValueError, before_command, invocation, typed_option
from gpuxlate.cli.printing import alert, show_error
from gpuxlate.model.errors import Exit, UserError
from gpuxlate.model.messages import Message, did_you_mean, msg

GUESSES = {
    "check": "lint",
    "convert": "translate",
    "diff": "translate --diff",
    "get": "inspect",
    "validate": "lint",
    "version": "--version",
    "--dry-run": "--diff",
    "--json": "-o json",
    "--strict": "--fail-on warning",
}
"""Commands and options that users of other tools type first (and ``-f``), and what does the same here."""


def no_command(name: str, context: Any, live: Iterable[str]) -> str:
    """The error for a command that a group does not have, with the one that may be meant.

    ``live``: the commands of the plug-in.
    """
    commands = context.command.commands
    hint: str
    if name in live:
        hint = msg("write {instead}", instead=f"kubectl gpuxlate {name}")
    elif name in GUESSES:
        hint = msg("write {instead}", instead=f"{context.command_path} {GUESSES[name]}")
    else:
        hint = did_you_mean(name, commands, msg("commands: {names}", names=", ".join(commands)))
    return msg("no such command {name!r}; {hint}", name=name, hint=hint)


def _instead(name: str, context: Any) -> str | None:
    """What to write instead of an option that the command of a context does not have."""
    params = context.command.params
    options = {option for param in params for option in param.opts}
    guess = GUESSES.get(name)
    if guess and guess.split()[0] in options:
        return msg("write {instead}", instead=guess)
    if name == "-f" and any(param.name in READ_FILES for param in params):
        return msg("files are arguments")
    if name in before_command():
        return msg("kubectl gpuxlate has it, for live objects")
    if context.parent is None and name in ("-o", "--format", "--output"):
        return msg("write {instead}", instead=f"{context.command_path} COMMAND {name}")
    return None


def _no_option(error: Any) -> Message:
    name = error.option_name
    if instead := error.ctx and _instead(name, error.ctx):
        return msg("no such option: {name}; {instead}", name=name, instead=instead)
    if near := ", ".join(sorted(error.possibilities or ())):
        return msg("no such option: {name} (Possible options: {near})", name=name, near=near)
    return msg("no such option: {name}", name=name)


def _possible(type_: Any) -> str | None:
    """The values of a choice or a range of numbers, as typer has them."""
    if choices := getattr(type_, "choices", None):
        return msg("values: {names}", names=", ".join(choices))
    least, maximum = getattr(type_, "min", None), getattr(type_, "max", None)
    if least is None:
        return None
    if maximum is None:
        return msg("write a whole number of at least {least}", least=least)
    return msg("write a whole number from {least} to {most}", least=least, most=maximum)


def invalid_value(error: Any) -> UserError | None:
    """The error for a value that is none of a choice or of a range of numbers."""
    param = getattr(error, "param", None)
    possible = _possible(getattr(param, "type", None))
    if param is None or possible is None or type(error).__name__ != "BadParameter":
        return None
    if param.param_type_name == "argument":
        return UserError(msg("invalid value for {option}", option=param.metavar), possible)
    option, value = typed_option(*param.opts)
    return InvalidValueError(option, value, possible)


def _bad_usage(error: Any) -> Message:
    """An option without its value, or a flag with one."""
    name = error.option_name
    if any(word.startswith(f"{name}=") for word in invocation().words):
        return msg("option {name!r} takes no value", name=name)
    return msg("option {name!r} requires an argument", name=name)


def _missing(error: Any) -> Message:
    param = error.param
    if param.param_type_name == "argument":
        return msg("missing argument {names}", names=repr(param.metavar))
    return msg("missing option {names}", names=" / ".join(map(repr, param.opts)))


def print_usage_error(error: Any) -> int:
    """Print what is wrong with a command line, and return the exit code."""
    if wrong := invalid_value(error):
        show_error(wrong)
        return wrong.exit_code
    alert("error", problem(error))
    if "--to" in getattr(getattr(error, "param", None), "opts", ()):
        alert("help", "name a target: gpuxlate targets lists them")
    words = invocation().words
    called = [word for word in words[: words.index("gpuxlate") + 2] if not word.startswith("-")]
    alert("try", f"{error.ctx.command_path if error.ctx else ' '.join(called)} --help")
    return Exit.USAGE


def problem(error: Any) -> str:
    """What is wrong with a command line, by the kind of an error of typer and its fields."""
    kinds = {"NoSuchOption": _no_option, "MissingParameter": _missing, "BadOptionUsage": _bad_usage}
    describe = kinds.get(type(error).__name__)
    text: str = error.format_message() if describe is None else describe(error)
    return text
