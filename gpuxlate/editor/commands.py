"""The command that translates an open text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types

from gpuxlate.backends import registry
from gpuxlate.editor.checks import with_hint
from gpuxlate.editor.session import Server
from gpuxlate.editor.settings import writes_pods
from gpuxlate.editor.translate import Translated, confirms
from gpuxlate.locale import tell
from gpuxlate.model.diagnostics import Severity
from gpuxlate.model.messages import say

MOST_DIFF = 8000
"""Characters of a diff in a message."""
APPLY, CANCEL = "Apply", "Cancel"


async def translate(ls: Server, uri: str, target: str | None = None) -> dict[str, Any] | None:
    """Translate an open text: the editor shows what changes, and the user confirms it."""
    check = ls.check(uri)
    if check is None:
        ls.say("open the file first")
        return None
    target = target or await _chosen(ls)
    if target is None:
        return None
    try:
        made = Translated.of(check, target)
    except (ValueError, LookupError) as error:
        ls.say(with_hint(error))
        return None
    if made.made.refused:
        ls.say(say("Refused, nothing was changed.\n{findings}", findings=made.listed(Severity.ERROR)))
    elif not made.made.changed:
        ls.say(say("Nothing to change for {target}.", target=target), types.MessageType.Info)
    elif confirms(ls.client_capabilities) or await _confirmed(ls, made):
        warnings = made.listed(Severity.WARNING)
        if warnings:
            ls.say(warnings, types.MessageType.Warning)
        if ls.check(uri) is not check:
            ls.say("The text has changed since; translate it again.")
            return None
        label = tell(made.label)
        edit = made.edit(ls.client_capabilities)
        await ls.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, label))
    return made.to_json()


def targets() -> list[str]:
    """What a text may be translated to."""
    return [one.name for one in registry.pod_backends() if writes_pods(one)]


async def _chosen(ls: Server) -> str | None:
    """Ask for a target."""
    return await _asked(ls, tell("Translate to which target?"), targets())


async def _confirmed(ls: Server, made: Translated) -> bool:
    """Show the diff in a message, where the editor has no preview of changes."""
    diff = made.diff
    shown = diff if len(diff) <= MOST_DIFF else f"{diff[:MOST_DIFF]}\n..."
    message = f"{tell(made.summary)}\n{shown}"
    return await _asked(ls, message, [tell(APPLY), tell(CANCEL)]) == tell(APPLY)


async def _asked(ls: Server, message: str, answers: Sequence[str]) -> str | None:
    items = [types.MessageActionItem(one) for one in answers]
    asked = types.ShowMessageRequestParams(types.MessageType.Info, message, items)
    answer = await ls.window_show_message_request_async(asked)
    return answer.title if answer else None
