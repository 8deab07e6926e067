"""How policies are written: action, namespaces, language."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from gpuxlate.model.declarations import record

PolicyObject = dict[str, Any]


class Action(StrEnum):
    """What the API server does with an object that violates a policy."""

    DENY = "deny"
    WARN = "warn"
    AUDIT = "audit"


ACTIONS = {Action.DENY: ["Deny"], Action.WARN: ["Warn", "Audit"], Action.AUDIT: ["Audit"]}
"""``validationActions``. The API refuses Deny and Warn together: both would say the same."""


@record
class PolicyStyle:
    """How policies are written.

    ``action``: what a breach does; None: errors of pods are denied, the rest is a warning. ``namespaces``: a
    LabelSelector of those that they are for. ``language``: that of the messages.
    """

    action: Action | None = None
    namespaces: PolicyObject | None = None
    language: str = "en"
