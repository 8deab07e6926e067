"""Code actions: fixes, losses to accept, and translations of an open text as edits with a preview."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, assert_never

from lsprotocol import types

from gpuxlate.backends import registry
from gpuxlate.config.decisions import Decision, decisions_in, with_accepted
from gpuxlate.files.find import InputError, document_reader
from gpuxlate.locale import localize
from gpuxlate.lsp.lens import TRANSLATE_COMMAND
from gpuxlate.lsp.session import CheckedText, OpenText, Server, protocol_word, with_hint, writes_pods
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, LossKind, Severity
from gpuxlate.model.messages import Message, join_and, message_of, msg, plural
from gpuxlate.report.characters import unified_diff
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.plan import EditError

MAX_LISTED_FINDINGS = 12
"""Findings that one message lists."""
ANNOTATION = "gpuxlate"
ACCEPT = "gpuxlate.accept"
"""The command: arguments are the URI of a text, the file of decisions, and the entry."""


@record
class Translated:
    """A text and its translation to a target."""

    check: CheckedText
    target: str
    result: Result

    @classmethod
    def of(cls, check: CheckedText, target: str) -> Translated:
        """Translate a text as ``gpuxlate translate`` does.

        Raises ValueError where the text cannot be translated at all, UnknownTargetError, ReadOnlyTargetError.
        """
        if check.editor is None or check.problem:
            raise ValueError(check.problem or "the text is not checked")
        text = check.text
        settings = check.editor.to(target)
        if not settings.to.writes_pods:
            raise ValueError(
                msg("{name} is not for manifests: gpuxlate render writes it", name=settings.to.name)
            )
        if document_reader(text.input, text.source) is not documents:
            raise ValueError("parameters of a job are not translated: gpuxlate parse reads their share")
        settings = replace(settings, claims=text.claims)
        return cls(check, target, translate_source(text.source, settings, role=check.editor.lint.role))

    @property
    def label(self) -> str:
        """The title of the change."""
        return msg("Translate to {target}", target=self.target)

    @property
    def summary(self) -> str:
        """The counts: ``2 shares: 1 exact, 1 rounded``."""
        counts = Counter(str(item.verdict) for item in self.result.items)
        shares = plural(len(self.result.items), "{count} share", "{count} shares")
        counts_text = join_and(
            msg("{count} {verdict}", count=n, verdict=msg(verdict)) for verdict, n in counts.items()
        )
        return msg("{shares}: {counts}", shares=shares, counts=counts_text) if counts_text else shares

    def listed(self, *severities: Severity) -> str:
        """The findings of the translation, a line each."""
        findings = [diagnostic for diagnostic in self.result.diagnostics if diagnostic.severity in severities]
        lines = [_line(finding) for finding in findings[:MAX_LISTED_FINDINGS]]
        hidden = len(findings) - MAX_LISTED_FINDINGS
        more = [localize(msg("and {count} more", count=hidden))] if hidden > 0 else []
        return "\n".join([*lines, *more])

    @property
    def diff(self) -> str:
        """What would change; empty where it is refused."""
        return unified_diff(
            self.check.text.source.text, self.result.text, self.check.text.input.name.lstrip("/")
        )

    def edit(self, capabilities: types.ClientCapabilities) -> types.WorkspaceEdit:
        """The change of the text, for an editor to confirm where it can."""
        text = self.check.text
        edits = text.edits_to(self.result.text)
        workspace = capabilities.workspace.workspace_edit if capabilities.workspace else None
        if workspace is None or not workspace.document_changes:
            return types.WorkspaceEdit({text.uri: edits})
        noted: Sequence[Any] = edits
        notes = None
        if workspace.change_annotation_support is not None:
            noted = [types.AnnotatedTextEdit(ANNOTATION, edit.range, edit.new_text) for edit in edits]
            label = localize(self.label)
            notes = {ANNOTATION: types.ChangeAnnotation(label, True, localize(self.summary))}
        document = types.OptionalVersionedTextDocumentIdentifier(text.uri, text.version)
        return types.WorkspaceEdit(
            document_changes=[types.TextDocumentEdit(document, noted)], change_annotations=notes
        )

    def to_json(self) -> dict[str, Any]:
        """What the command returns, for editors with a preview of their own."""
        return {
            "target": self.target,
            "refused": self.result.refused,
            "summary": self.summary,
            "diff": self.diff,
            "items": [item.to_json() for item in self.result.items],
        }


def confirms(capabilities: types.ClientCapabilities) -> bool:
    """Whether the editor shows a change and asks before it is made."""
    edit = capabilities.workspace.workspace_edit if capabilities.workspace else None
    return bool(edit and edit.document_changes and edit.change_annotation_support is not None)


def _line(diagnostic: Diagnostic) -> str:
    where = localize(msg("line {line}: ", line=diagnostic.span.line)) if diagnostic.span else ""
    hint = f" ({localize(diagnostic.hint)})" if diagnostic.hint else ""
    return f"{where}{diagnostic.code} {localize(diagnostic.message)}{hint}"


# Quick fixes, all safe fixes at once, and translations to choose from.
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.gpuxlate"
TRANSLATION = f"{types.CodeActionKind.RefactorRewrite.value}.gpuxlate"
QUICK_FIX = types.CodeActionKind.QuickFix.value
ACTION_KINDS = (QUICK_FIX, FIX_ALL, TRANSLATION)


def build_actions(
    check: CheckedText, place: types.Range, only: Sequence[str] | None
) -> list[types.CodeAction]:
    """The code actions for a range; ``only``: the kinds that the editor asks for, None for all."""
    if check.editor is None:
        return []
    actions: list[types.CodeAction] = []
    if _is_requested(QUICK_FIX, only):
        actions += _fixes(check, place)
        actions += _acceptances(check, place)
    if _is_requested(FIX_ALL, only) and check.safe_edits:
        edit = _workspace_edit(check, check.safe_edits)
        actions.append(
            types.CodeAction(localize("Fix all findings that have a safe fix"), FIX_ALL, edit=edit)
        )
    if _is_requested(TRANSLATION, only) and check.shares:
        actions += _translations(check)
    return actions


def _is_requested(kind: str, only: Sequence[str] | None) -> bool:
    """Kinds are a tree: who asks for ``source`` asks for ``source.fixAll.gpuxlate``."""
    return only is None or any(
        not kind_wanted or f"{kind}.".startswith(f"{protocol_word(kind_wanted)}.") for kind_wanted in only
    )


def _fixes(check: CheckedText, place: types.Range) -> Iterator[types.CodeAction]:
    """The fixes of the findings on the lines of a range, safe ones first."""
    near = [
        (finding, shown)
        for finding, shown in check.pairs
        if finding.fix
        and shown.range.start.line <= place.end.line
        and place.start.line <= shown.range.end.line
    ]
    for finding, shown in sorted(near, key=lambda pair: not (pair[0].fix and pair[0].fix.safe)):
        changes = check.changes.get(finding.subject)
        if finding.fix and changes:
            title = finding.fix.title
            if not finding.fix.safe:
                title = msg("{title} (unsafe: it may change what is requested)", title=title)
            yield types.CodeAction(
                f"{finding.code}: {localize(title)}",
                QUICK_FIX,
                [shown],
                is_preferred=finding.fix.safe,
                edit=_workspace_edit(check, check.text.edits(changes)),
            )


def _acceptances(check: CheckedText, place: types.Range) -> Iterator[types.CodeAction]:
    """The actions that accept a loss on the lines of a range, if there is a file of decisions."""
    for refusal, shown in check.refused:
        near = shown.range.start.line <= place.end.line and place.start.line <= shown.range.end.line
        for entry in refusal.entries if near and refusal.target.file else ():
            title = msg(
                "{code}: accept for {target}, with a reason: {loss}",
                code=entry.code,
                target=refusal.target.name,
                loss=_loss(entry),
            )
            data = entry._replace(accept=True).to_data()
            command = types.Command(
                localize(title), ACCEPT, arguments=[check.text.uri, refusal.target.file, data]
            )
            yield types.CodeAction(localize(title), QUICK_FIX, [shown], command=command)


def _loss(decision: Decision) -> Message:
    """A short text on what is lost."""
    match LossKind(decision.verdict):
        case LossKind.FILLED:
            return msg("{field} gets a number that you write", field=decision.field)
        case LossKind.LEFTOVER:
            return msg("{field} stays as it is", field=decision.field)
        case LossKind.DROPPED:
            return msg("{field} {asked} is dropped", field=decision.field, asked=decision.asked)
        case LossKind.ROUNDED | LossKind.REFUSED:
            value = "null" if decision.given is None else decision.given
            return msg(
                "{field} {asked} becomes {given}", field=decision.field, asked=decision.asked, given=value
            )
        case kind:
            assert_never(kind)


def _translations(check: CheckedText) -> Iterator[types.CodeAction]:
    assert check.editor is not None
    for name in (*check.editor.targets, None):
        title = localize(
            msg("Translate to {target}...", target=name) if name else msg("Translate to another target...")
        )
        arguments = [check.text.uri, name] if name else [check.text.uri]
        yield types.CodeAction(
            title, TRANSLATION, command=types.Command(title, TRANSLATE_COMMAND, arguments=arguments)
        )


def _workspace_edit(check: CheckedText, edits: list[types.TextEdit]) -> types.WorkspaceEdit:
    return types.WorkspaceEdit({check.text.uri: edits})


# The command that translates an open text.
MOST_DIFF = 8000
"""Characters of a diff in a message."""
APPLY, CANCEL = "Apply", "Cancel"


async def translate_in_editor(ls: Server, uri: str, target: str | None = None) -> dict[str, Any] | None:
    """Translate an open text: the editor shows what changes, and the user confirms it."""
    check = ls.check(uri)
    if check is None:
        ls.say("open the file first")
        return None
    target = target or await _chosen(ls)
    if target is None:
        return None
    try:
        translated = Translated.of(check, target)
    except (ValueError, LookupError) as error:
        ls.say(with_hint(error))
        return None
    if translated.result.refused:
        ls.say(
            msg(
                "Not translated, nothing was changed.\n{findings}", findings=translated.listed(Severity.ERROR)
            )
        )
    elif not translated.result.changed:
        ls.say(msg("Nothing to change for {target}.", target=target), types.MessageType.Info)
    elif confirms(ls.client_capabilities) or await _confirmed(ls, translated):
        warnings = translated.listed(Severity.WARNING)
        if warnings:
            ls.say(warnings, types.MessageType.Warning)
        if ls.check(uri) is not check:
            ls.say("The text has changed since; translate it again.")
            return None
        label = localize(translated.label)
        edit = translated.edit(ls.client_capabilities)
        await ls.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, label))
    return translated.to_json()


# The command that accepts a loss.
async def accept(ls: Server, uri: str, file: str, decision_data: Mapping[str, Any]) -> bool:
    """Write a decision on a loss of an open text into a file, and show what a person has to write there.

    ``given``: the entry, to which an editor may have added ``reason``, and ``given`` of a filled field.
    """
    check = ls.check(uri)
    offered = (
        [each for refusal, _ in check.refused if refusal.target.file == file for each in refusal.entries]
        if check
        else []
    )
    entry = next((decision for decision in offered if _same(decision, decision_data)), None)
    if entry is None:
        ls.say("the loss is not there any more: the text or its decisions have changed")
        return False
    reason, amount = decision_data.get("reason"), decision_data.get("given")
    if entry.verdict == LossKind.FILLED and isinstance(amount, int):
        entry = entry._replace(given=amount)
    entry = entry._replace(accept=True, reason=reason if isinstance(reason, str) else "")
    try:
        text = ls.text_of(file)
        new = with_accepted(text.source, entry)
    except (EditError, InputError, UnicodeDecodeError) as error:
        ls.say(msg("{name}: {error}", name=file, error=message_of(error)))
        return False
    edits = text.edits_to(new)
    if not edits:
        ls.say(msg("{name} accepts it already: save it", name=file), types.MessageType.Info)
        return False
    response = await ls.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(_change(text, edits)))
    if response.applied:
        _show_what_is_left(ls, replace(text, text=text.source.bom + new), edits[0].range.start.line)
    return response.applied


def _same(decision: Decision, decision_data: Mapping[str, Any]) -> bool:
    """Whether a decision is the one that an editor sends back as data."""
    left_to_people = ("accept", "reason", *(["given"] if decision.verdict == LossKind.FILLED else []))
    return all(
        decision_data.get(name) == value
        for name, value in decision.to_data().items()
        if name not in left_to_people
    )


def _change(text: OpenText, edits: list[types.TextEdit]) -> types.WorkspaceEdit:
    """A change with the edits of a file, which is created first if it does not exist."""
    if text.version is not None or text.path is None or os.path.exists(text.path):
        return types.WorkspaceEdit({text.uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(text.uri)
    return types.WorkspaceEdit(
        document_changes=[types.CreateFile(text.uri), types.TextDocumentEdit(document, edits)]
    )


def _show_what_is_left(ls: Server, text: OpenText, line: int) -> None:
    """Show the reason, or the number, that is to be written behind a line (from 0), where the editor can."""
    window = ls.client_capabilities.window
    following = (entry for entry in decisions_in(text.source)[1] if entry.span and entry.span.line > line)
    first = min(following, key=Diagnostic.sort_key, default=None)
    if first and window and window.show_document and window.show_document.support:
        params = types.ShowDocumentParams(text.uri, take_focus=True, selection=text.range_of(first.span))
        ls.window_show_document(params)


def targets_of_text() -> list[str]:
    """The names of the targets that a text can be translated to."""
    return [backend.name for backend in registry.pod_backends() if writes_pods(backend)]


async def _chosen(ls: Server) -> str | None:
    """Ask for a target."""
    return await _asked(ls, localize("Translate to which target?"), targets_of_text())


async def _confirmed(ls: Server, translated: Translated) -> bool:
    """Show the diff in a message, where the editor has no preview of changes."""
    diff = translated.diff
    shown = diff if len(diff) <= MOST_DIFF else f"{diff[:MOST_DIFF]}\n..."
    message = f"{localize(translated.summary)}\n{shown}"
    return await _asked(ls, message, [localize(APPLY), localize(CANCEL)]) == localize(APPLY)


async def _asked(ls: Server, message: str, answers: Sequence[str]) -> str | None:
    items = [types.MessageActionItem(answer) for answer in answers]
    question = types.ShowMessageRequestParams(types.MessageType.Info, message, items)
    answer = await ls.window_show_message_request_async(question)
    return answer.title if answer else None
