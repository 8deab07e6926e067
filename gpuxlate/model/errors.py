"""What a user can cause: an error with its message, a hint, and how a command ends with it."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of every command."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    INPUT = 3
    INTERNAL = 4
    INTERRUPTED = 130


class UserError(Exception):
    """What a user can cause and mend. A command that raises it ends with its message, hint and exit code.

    ``hint``: what to do. ``exit_code``: that of the class, where it is not given.
    """

    exit_code: Exit = Exit.USAGE

    def __init__(self, message: str, hint: str | None = None, exit_code: Exit | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if exit_code is not None:
            self.exit_code = exit_code
