"""Quick fixes, all safe fixes at once, and translations to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from gpuxlate.editor.checks import Check
from gpuxlate.editor.lens import TRANSLATE
from gpuxlate.editor.texts import plain
from gpuxlate.locale import tell
from gpuxlate.model.messages import say

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.gpuxlate"
TRANSLATION = f"{types.CodeActionKind.RefactorRewrite.value}.gpuxlate"
QUICK_FIX = types.CodeActionKind.QuickFix.value
KINDS = (QUICK_FIX, FIX_ALL, TRANSLATION)


def actions(check: Check, place: types.Range, only: Sequence[str] | None) -> list[types.CodeAction]:
    """What can be done about a range; ``only``: the kinds that the editor asks for, all of them if None."""
    if check.here is None:
        return []
    found: list[types.CodeAction] = []
    if _wanted(QUICK_FIX, only):
        found += _fixes(check, place)
    if _wanted(FIX_ALL, only) and check.safe_edits:
        edit = _workspace_edit(check, check.safe_edits)
        found.append(types.CodeAction(tell("Fix all findings that have a safe fix"), FIX_ALL, edit=edit))
    if _wanted(TRANSLATION, only) and check.shares:
        found += _translations(check)
    return found


def _wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Kinds are a tree: who asks for ``source`` asks for ``source.fixAll.gpuxlate``."""
    return only is None or any(not one or f"{kind}.".startswith(f"{plain(one)}.") for one in only)


def _fixes(check: Check, place: types.Range) -> Iterator[types.CodeAction]:
    """The fixes of the findings on the lines of a range, safe ones first."""
    near = [
        (one, shown)
        for one, shown in check.pairs
        if one.fix and shown.range.start.line <= place.end.line and place.start.line <= shown.range.end.line
    ]
    for one, shown in sorted(near, key=lambda pair: not (pair[0].fix and pair[0].fix.safe)):
        changes = check.changes.get(id(one))
        if one.fix and changes:
            title = one.fix.title
            if not one.fix.safe:
                title = say("{title} (unsafe: it may change what is requested)", title=title)
            yield types.CodeAction(
                f"{one.code}: {tell(title)}",
                QUICK_FIX,
                [shown],
                is_preferred=one.fix.safe,
                edit=_workspace_edit(check, check.text.edits(changes)),
            )


def _translations(check: Check) -> Iterator[types.CodeAction]:
    assert check.here is not None
    for name in (*check.here.targets, None):
        title = tell(
            say("Translate to {target}...", target=name) if name else say("Translate to another target...")
        )
        arguments = [check.text.uri, name] if name else [check.text.uri]
        yield types.CodeAction(
            title, TRANSLATION, command=types.Command(title, TRANSLATE, arguments=arguments)
        )


def _workspace_edit(check: Check, edits: list[types.TextEdit]) -> types.WorkspaceEdit:
    return types.WorkspaceEdit({check.text.uri: edits})
