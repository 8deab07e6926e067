"""What the options that every command has say of this run: its files, its messages, its configuration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuxlate.config.configuration import Config
    from gpuxlate.inputs.exclude import Exclusion

COLORS = ("auto", "always", "never")


@dataclass
class Invocation:
    """One run of a command. The fields are named as their options."""

    quiet: bool = False
    verbose: bool = False
    lang: str | None = None
    color: str | None = None
    config: str | None = None
    isolated: bool = False
    exclude: list[str] = field(default_factory=list)
    force_exclude: bool = False
    stdin_filename: str | None = None
    in_one_process: bool = False
    """Nothing is forked: the process has threads."""
    unread: bool = False
    """The reader of stdout has gone."""
    found_config: tuple[Config | None] | None = None
    """The configuration, once it was looked for."""
    exclusion: Exclusion | None = None
    """What was left out, once the inputs are known."""


_current = [Invocation()]


def current() -> Invocation:
    """The run of this process."""
    return _current[0]


def begin() -> None:
    """Forget the options of an earlier run in this process."""
    _current[0] = Invocation()
