"""Why trees cannot be kept in step at all."""

from __future__ import annotations


class SyncError(ValueError):
    """A tree cannot be kept in step at all; ``hint`` says what to do."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
