"""A translation of an open text, as an edit with a preview."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lsprotocol import types

from gpuxlate.editor.checks import Check
from gpuxlate.inputs.files import reader
from gpuxlate.locale import tell
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.messages import joined, plural, say
from gpuxlate.report.lines import unified
from gpuxlate.translation.results import Result
from gpuxlate.translation.translate import translate_source
from gpuxlate.yamltext.compose import documents

MOST_LINES = 12
"""Findings that one message lists."""
ANNOTATION = "gpuxlate"


@dataclass(frozen=True)
class Translated:
    """A text and its translation to a target."""

    check: Check
    target: str
    made: Result

    @classmethod
    def of(cls, check: Check, target: str) -> Translated:
        """Translate a text as ``gpuxlate translate`` does.

        Raises ValueError where the text cannot be translated at all, UnknownTargetError, ReadOnlyTargetError.
        """
        if check.here is None or check.problem:
            raise ValueError(check.problem or "the text is not checked")
        text = check.text
        settings = check.here.to(target)
        if not settings.to.writes_pods:
            raise ValueError(
                say("{name} is not for manifests: gpuxlate render writes it", name=settings.to.name)
            )
        if reader(text.input, text.source) is not documents:
            raise ValueError("parameters of a job are not translated: gpuxlate parse reads their share")
        settings = replace(settings, claims=text.claims)
        return cls(check, target, translate_source(text.source, settings, layer=check.here.lint.layer))

    @property
    def label(self) -> str:
        """What is done."""
        return say("Translate to {target}", target=self.target)

    @property
    def summary(self) -> str:
        """The counts: ``2 shares: 1 exact, 1 rounded``."""
        counts = Counter(str(one.verdict) for one in self.made.items)
        shares = plural(len(self.made.items), "{count} share", "{count} shares")
        said = joined(say("{count} {verdict}", count=n, verdict=say(one)) for one, n in counts.items())
        return say("{shares}: {counts}", shares=shares, counts=said) if said else shares

    def listed(self, *severities: Severity) -> str:
        """The findings of the translation, a line each."""
        found = [one for one in self.made.diagnostics if one.severity in severities]
        lines = [_line(one) for one in found[:MOST_LINES]]
        left = len(found) - MOST_LINES
        more = [tell(say("and {count} more", count=left))] if left > 0 else []
        return "\n".join([*lines, *more])

    @property
    def diff(self) -> str:
        """What would change; empty where it is refused."""
        return unified(self.check.text.source.text, self.made.text, self.check.text.input.name.lstrip("/"))

    def edit(self, capabilities: types.ClientCapabilities) -> types.WorkspaceEdit:
        """The change of the text, for an editor to confirm where it can."""
        text = self.check.text
        edits = text.edits_to(self.made.text)
        workspace = capabilities.workspace.workspace_edit if capabilities.workspace else None
        if workspace is None or not workspace.document_changes:
            return types.WorkspaceEdit({text.uri: edits})
        noted: Sequence[Any] = edits
        notes = None
        if workspace.change_annotation_support is not None:
            noted = [types.AnnotatedTextEdit(ANNOTATION, one.range, one.new_text) for one in edits]
            label = tell(self.label)
            notes = {ANNOTATION: types.ChangeAnnotation(label, True, tell(self.summary))}
        document = types.OptionalVersionedTextDocumentIdentifier(text.uri, text.version)
        return types.WorkspaceEdit(
            document_changes=[types.TextDocumentEdit(document, noted)], change_annotations=notes
        )

    def to_json(self) -> dict[str, Any]:
        """What the command returns, for editors with a preview of their own."""
        return {
            "target": self.target,
            "refused": self.made.refused,
            "summary": self.summary,
            "diff": self.diff,
            "items": [one.to_json() for one in self.made.items],
        }


def confirms(capabilities: types.ClientCapabilities) -> bool:
    """The editor shows a change and asks before it is made."""
    edit = capabilities.workspace.workspace_edit if capabilities.workspace else None
    return bool(edit and edit.document_changes and edit.change_annotation_support is not None)


def _line(one: Diagnostic) -> str:
    where = tell(say("line {line}: ", line=one.span.line)) if one.span else ""
    return f"{where}{one.code} {tell(one.message)}{f' ({tell(one.hint)})' if one.hint else ''}"
