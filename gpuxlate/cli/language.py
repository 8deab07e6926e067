"""The language of messages, for the commands that have more than one."""

from __future__ import annotations

from typing import Annotated

import typer

from gpuxlate import locale
from gpuxlate.cli import common

Lang = Annotated[
    str,
    typer.Option(
        "--lang",
        help="The language of messages: en, zh. JSON is the same in all.",
        metavar="LANG",
        envvar="GPUXLATE_LANG",
    ),
]


def check(name: str) -> None:
    """Raises CliError for a language without a catalogue."""
    if name not in locale.LANGUAGES:
        message = f"invalid value {name!r} for --lang"
        raise common.CliError(message, f"languages: {', '.join(locale.LANGUAGES)}")
