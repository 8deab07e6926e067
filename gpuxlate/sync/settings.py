"""The settings with which a target of the configuration is translated."""

from __future__ import annotations

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.config.configuration import SyncTarget
from gpuxlate.model.profile import Profile
from gpuxlate.translation.acceptance import build_accept
from gpuxlate.translation.decisions import Decisions
from gpuxlate.translation.options import Settings


def target_settings(
    target: SyncTarget, from_: Backend | None, profile: Profile | None, decisions: Decisions | None
) -> Settings:
    """What the configuration says of one target of a tree, whose source is in one dialect (``from_``).

    Raises AcceptError, UnknownTargetError, ReadOnlyTargetError.
    """
    options = target.options
    return Settings(
        registry.writable_backend(target.name),
        from_,
        build_accept(options.get("round"), options.get("fill"), options.get("drop", ())),
        profile,
        allow_leftovers=options.get("allow-leftovers", False),
        decisions=decisions,
    )
