"""Why trees cannot be kept in step at all."""

from __future__ import annotations

from gpuxlate.model.errors import UserError


class SyncError(UserError, ValueError):
    """The trees cannot be compared or written at all; ``hint`` says what to do."""
