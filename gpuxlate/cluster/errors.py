"""What goes wrong with a cluster, said in one line."""

from __future__ import annotations


class ClusterError(Exception):
    """One clear line, and what to do about it. Ends a command with exit 3."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ChoiceError(ClusterError):
    """What was asked for cannot be: an unknown context, no library to do it. Ends with exit 2."""


class ConflictError(ClusterError):
    """Other managers own fields that an apply would change: (manager, field) each."""

    def __init__(self, message: str, hint: str | None, conflicts: tuple[tuple[str, str], ...]) -> None:
        super().__init__(message, hint)
        self.conflicts = conflicts


class MissingError(ClusterError):
    """The server has no such object, or no such kind of objects."""


class ExpiredError(ClusterError):
    """A list cannot be read on as it was. ``token`` reads on as it is now, where the server gives one."""

    def __init__(self, message: str, hint: str | None, token: str | None) -> None:
        super().__init__(message, hint)
        self.token = token
