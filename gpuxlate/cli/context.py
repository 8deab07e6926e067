"""What the options of every command say of this run: its files, messages, configuration and cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from typer.main import get_current_context  # type: ignore[attr-defined]

from gpuxlate.cli.options import SharedOptions

if TYPE_CHECKING:
    from gpuxlate.config.configuration import Config
    from gpuxlate.files.find import Exclusion


@dataclass
class Invocation(SharedOptions):
    """One run of a command: the object of its context."""

    in_one_process: bool = False
    """Nothing is forked: the process has threads."""
    unread: bool = False
    """The reader of stdout has gone."""
    found_config: tuple[Config | None] | None = None
    """The configuration, once it was looked for."""
    exclusion: Exclusion | None = None
    """What was left out, once the inputs are known."""


def get() -> Invocation:
    """The run of the command that is called; outside of one, what holds without options."""
    context = get_current_context(silent=True)
    return Invocation() if context is None else context.obj
