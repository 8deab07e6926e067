"""How a command ends."""

from __future__ import annotations

from enum import IntEnum

from gpuxlate.model.messages import msg


class Exit(IntEnum):
    """Exit codes of every command."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    INPUT = 3
    INTERNAL = 4
    INTERRUPTED = 130


class CliError(Exception):
    """Ends a command with a message, an optional hint, and an exit code."""

    def __init__(self, message: str, hint: str | None = None, code: Exit = Exit.USAGE) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code


class InvalidValueError(CliError):
    """The value of an option is invalid."""

    def __init__(self, option: str, value: object, hint: str) -> None:
        super().__init__(msg("invalid value {value!r} for {option}", value=value, option=option), hint)


class AllExcludedError(Exception):
    """There is nothing to do, since every file is excluded (exit 0)."""
