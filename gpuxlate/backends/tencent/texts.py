"""Findings that the rules and the writer of TKE share."""

from __future__ import annotations

from gpuxlate.model.messages import say

OLD_ADDON_HINT = "upgrade the add-on, or request one card"


def old_addon(version: str) -> str:
    """The qGPU add-on of a profile is too old for two shared cards."""
    return say(
        "two shared cards need the qGPU add-on 1.1.1 or later; this profile has {version}", version=version
    )


def other_policy(chosen: str, on_nodes: str) -> str:
    """The policy of a pod is not that of the nodes of a profile."""
    return say(
        "the pod chooses nodes with {chosen}; nodes in this profile have {policy}",
        chosen=chosen,
        policy=on_nodes,
    )
