"""The language of messages: that of --lang, or of the environment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from gpuxlate import locale
from gpuxlate.cli.errors import InvalidValueError
from gpuxlate.model.messages import Message, msg

OPTION = "--lang"
VARIABLE = "GPUXLATE_LANG"


def choose(option: str | None) -> None:
    """The language of an option, or of the environment. Raises CliError for one without a catalogue."""
    name = option or os.environ.get(VARIABLE) or "en"
    if name not in locale.LANGUAGES:
        languages = msg("languages: {names}", names=", ".join(locale.LANGUAGES))
        raise InvalidValueError(OPTION, name, languages)
    locale.use(name)


def begin(arguments: Sequence[str]) -> None:
    """The language until the options are read: that of errors in the command line itself."""
    given = os.environ.get(VARIABLE, "")
    for word, after in zip(arguments, [*arguments[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name == OPTION:
            given = value if equals else after
    locale.use(given if given in locale.LANGUAGES else "en")


def usage(error: Any) -> str:
    """What is wrong with a command line. The library has English alone: the commonest are said here too."""
    if isinstance(error.message, Message):
        return error.message
    from gpuxlate.cli import did_you_mean

    match type(error).__name__:
        case "NoSuchOption" if instead := did_you_mean.option(error.option_name, error.ctx):
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
    message: str = error.format_message().rstrip(".")
    return message[:1].lower() + message[1:]
