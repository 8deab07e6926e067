"""Why trees cannot be kept in step at all."""

from __future__ import annotations

from gpuxlate.model.errors import UserError


class SyncError(UserError, ValueError):
    """A tree cannot be kept in step at all; ``hint`` says what to do."""
